//! `Arbitrary` for streams, questions and cuts: a fuzzer's bytes choose them.

use arbitrary::{Arbitrary, Result, Unstructured};

use crate::literals::{ARGUMENTS, ARGUMENTS_BEGINNINGS, ILL_FORMED, MARKUP, MODES, WORDS};
use crate::{Cuts, Question, Stream, Suggestion, Syntax};

impl<'a> Arbitrary<'a> for Syntax {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        u.choose(&Syntax::ALL).copied()
    }
}

/// A sequence of the grammar's pieces and of random bytes, or a question with some of them in it.
impl<'a> Arbitrary<'a> for Stream {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let syntax = Syntax::arbitrary(u)?;
        let (beginnings, pieces): (&[&[u8]], &[&[u8]]) = match syntax {
            Syntax::Markup => (&[b""], MARKUP),
            Syntax::Arguments => (ARGUMENTS_BEGINNINGS, ARGUMENTS),
        };
        if u.ratio(1, 3)? {
            let mut stream = Question::arbitrary(u)?.stream(syntax);
            for _ in 0..u.int_in_range(0..=2)? {
                let offset = u.int_in_range(0..=stream.len())?;
                let piece = piece(u, pieces)?;
                stream.bytes.splice(offset..offset, piece.iter().copied());
            }
            return Ok(stream);
        }
        let mut bytes = u.choose(beginnings)?.to_vec();
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

/// Comes out as it is in both syntaxes.
impl<'a> Arbitrary<'a> for Question {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let question = words(u)?;
        let suggestions = u.arbitrary_iter()?.collect::<Result<Vec<Suggestion>>>()?;
        Ok(Question { question, suggestions })
    }
}

/// Comes out as it is in both syntaxes.
impl<'a> Arbitrary<'a> for Suggestion {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let answer = words(u)?;
        let mode = if u.arbitrary()? { Some(String::from(*u.choose(MODES)?)) } else { None };
        Ok(Suggestion { answer, mode })
    }
}

/// Offsets below 64 KiB.
impl<'a> Arbitrary<'a> for Cuts {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let offsets = u.arbitrary_iter::<u16>()?.collect::<Result<Vec<u16>>>()?;
        Ok(Cuts::new(offsets.into_iter().map(usize::from)))
    }
}

fn words(u: &mut Unstructured<'_>) -> Result<String> {
    let mut words = String::new();
    for _ in 0..u.int_in_range(1..=8)? {
        words.push_str(u.choose(WORDS)?);
    }
    Ok(crate::stream::trimmed(&words))
}
