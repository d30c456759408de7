//! What a fuzzer's bytes are made into: the feature `arbitrary`.

use alloc::string::String;
use alloc::vec::Vec;

use arbitrary::{Arbitrary, Result, Unstructured};

use super::literals::{ARGUMENTS, ARGUMENTS_BEGUN, ILL_FORMED, MARKUP, MODES, WORDS};
use super::{Cuts, Question, Stream, Suggested, Syntax};

/// Either syntax.
impl<'a> Arbitrary<'a> for Syntax {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        u.choose(&Syntax::ALL).copied()
    }
}

/// A soup of the grammar's pieces and of the fuzzer's own bytes, or a question with some of them in it.
impl<'a> Arbitrary<'a> for Stream {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let syntax = Syntax::arbitrary(u)?;
        let (begun, pieces): (&[&[u8]], &[&[u8]]) = match syntax {
            Syntax::Markup => (&[b""], MARKUP),
            Syntax::Arguments => (ARGUMENTS_BEGUN, ARGUMENTS),
        };
        if u.ratio(1, 3)? {
            let mut stream = Question::arbitrary(u)?.stream(syntax);
            for _ in 0..u.int_in_range(0..=2)? {
                let at = u.int_in_range(0..=stream.len())?;
                let piece = piece(u, pieces)?;
                stream.bytes.splice(at..at, piece.iter().copied());
            }
            return Ok(stream);
        }
        let mut bytes = u.choose(begun)?.to_vec();
        for _ in 0..u.int_in_range(0..=24)? {
            bytes.extend_from_slice(piece(u, pieces)?);
        }
        Ok(Stream::new(syntax, bytes))
    }
}

fn piece<'a>(u: &mut Unstructured<'a>, pieces: &[&'a [u8]]) -> Result<&'a [u8]> {
    match u.int_in_range(0..=15)? {
        0 => u.choose(ILL_FORMED).copied(),
        1 => <&[u8]>::arbitrary(u),
        _ => u.choose(pieces).copied(),
    }
}

/// One that comes out as it is, in both syntaxes.
impl<'a> Arbitrary<'a> for Question {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let question = words(u)?;
        let suggestions = u.arbitrary_iter()?.collect::<Result<Vec<Suggested>>>()?;
        Ok(Question { question, suggestions })
    }
}

/// One that comes out as it is, in both syntaxes.
impl<'a> Arbitrary<'a> for Suggested {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let answer = words(u)?;
        let mode = if u.arbitrary()? { Some(String::from(*u.choose(MODES)?)) } else { None };
        Ok(Suggested { answer, mode })
    }
}

/// Anywhere in streams of up to 64 KiB, somewhere in longer ones.
impl<'a> Arbitrary<'a> for Cuts {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let places = u.arbitrary_iter::<u16>()?.collect::<Result<Vec<u16>>>()?;
        Ok(Cuts::new(places.into_iter().map(usize::from)))
    }
}

fn words(u: &mut Unstructured<'_>) -> Result<String> {
    let mut words = String::new();
    for _ in 0..u.int_in_range(1..=8)? {
        words.push_str(u.choose(WORDS)?);
    }
    Ok(super::stream::trimmed(&words))
}
