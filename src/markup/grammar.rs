//! One tag, from `<` to `>`, as a nom grammar.
//!
//! The same rules serve while chunks come (`Streaming`) and at the stream's end (`Complete`).
//! Which tags exist depends on where the machine stands ([`Tags`]); a tag that does not exist
//! there fails with its first wrong byte, so that nothing is held back for it.
//!
//! `Incomplete` says more here than nom promises: its size is exactly the fewest bytes that can
//! still complete a tag. A tag near its length limit is decided by that number, not by waiting for
//! the limit to pass.

use nom::bytes::{take_while, take_while1};
use nom::character::char;
use nom::combinator::not;
use nom::sequence::preceded;
use nom::{Complete, Emit, Err, IsStreaming, Needed, OutputM, Parser, Streaming};

use super::name::{Candidates, Name, Ours, Side};

/// The tags that exist at some place of the stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tags<'p> {
    pub(crate) open: Candidates<'p>,
    pub(crate) close: Candidates<'p>,
}

/// One tag, as far as it means anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tag {
    pub(crate) name: Name,
    pub(crate) side: Side,
    /// `<x/>`: opened and closed at once.
    pub(crate) empty: bool,
    /// Where in the tag the value of its `mode` attribute stands, quotes and blanks left out.
    pub(crate) mode: Option<(usize, usize)>,
}

/// What the bytes from a `<` on are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Read {
    /// A tag, that many bytes long.
    Tag(Tag, usize),
    /// No tag: the `<` and what stands behind it is text.
    Text,
    /// The beginning of a tag; that many bytes, at the least, complete it.
    Begun(usize),
    /// A whole tool's opening tag. The next character decides: before a back-tick it is text.
    Undecided,
}

/// Reads `input`, which begins with `<`, as one of `tags`; more bytes may follow.
pub(crate) fn read(input: &[u8], tags: Tags<'_>) -> Read {
    read_mode::<Streaming>(input, tags)
}

/// Reads `input`, which begins with `<`, as one of `tags`; nothing follows it.
pub(crate) fn read_last(input: &[u8], tags: Tags<'_>) -> Read {
    read_mode::<Complete>(input, tags)
}

fn read_mode<S: IsStreaming>(input: &[u8], tags: Tags<'_>) -> Read {
    let (rest, tag) = match tag::<S>(input, tags) {
        Ok(done) => done,
        Err(Err::Incomplete(Needed::Size(n))) => return Read::Begun(n.get()),
        Err(_) => return Read::Text,
    };
    let len = input.len() - rest.len();
    if !tag.opens_tool() {
        return Read::Tag(tag, len);
    }
    match run::<S, _>(not(char('`')), rest) {
        Ok(_) => Read::Tag(tag, len),
        Err(Err::Incomplete(_)) => Read::Undecided,
        Err(_) => Read::Text,
    }
}

/// Whether a begun tag is an opening tag of `ours`, read beyond its name. Then anything but a `<` or a `>` goes on with its attributes.
pub(crate) fn is_in_attributes(begun: &[u8], ours: Ours) -> bool {
    let Some(end) = begun.iter().position(|&b| is_space(b) || b == b'/') else { return false };
    end > 1 && Candidates::ours(ours).find(&begun[1..end]).is_some_and(Name::takes_attributes)
}

impl Tag {
    /// `<name>` or `</name>`.
    pub(crate) fn plain(name: Name, side: Side) -> Tag {
        Tag { name, side, empty: false, mode: None }
    }

    pub(crate) fn opens_tool(&self) -> bool {
        self.side == Side::Open && matches!(self.name, Name::Ask | Name::Tool(_))
    }
}

/// What a rule leaves of its input, and what it found.
type Found<'i, T> = Result<(&'i [u8], T), Err<()>>;

/// Runs a rule of nom's in the mode `S`.
fn run<'i, S: IsStreaming, P: Parser<&'i [u8], Error = ()>>(mut rule: P, input: &'i [u8]) -> Found<'i, P::Output> {
    rule.process::<OutputM<Emit, Emit, S>>(input)
}

/// The input ends here: that many bytes more, at the least, make a tag; without a number, nothing can.
fn wanting<'i, S: IsStreaming, T>(bytes: Option<usize>) -> Found<'i, T> {
    match bytes {
        Some(bytes) => Err(S::incomplete(Needed::new(bytes), || ())),
        None => Err(Err::Error(())),
    }
}

/// `<name …>`, `<name …/>` or `</name >`.
fn tag<'i, S: IsStreaming>(input: &'i [u8], tags: Tags<'_>) -> Found<'i, Tag> {
    let (rest, _) = run::<S, _>(char('<'), input)?;
    match rest.first() {
        None => {
            let open = tags.open.shortest_rest(b"");
            let close = tags.close.shortest_rest(b"").map(|n| n + 1);
            wanting::<S, _>(open.into_iter().chain(close).min().map(|n| n + 1))
        }
        Some(b'/') => {
            let (rest, name) = name::<S>(&rest[1..], tags.close)?;
            let (rest, _) = run::<S, _>(preceded(space(), char('>')), rest)?;
            Ok((rest, Tag::plain(name, Side::Close)))
        }
        Some(_) => {
            let (rest, name) = name::<S>(rest, tags.open)?;
            let (rest, mode) = match name.takes_attributes() {
                true => attributes::<S>(rest)?,
                false => (run::<S, _>(space(), rest)?.0, None),
            };
            let empty = input[..input.len() - rest.len()].ends_with(b"/");
            let (rest, _) = run::<S, _>(char('>'), rest)?;
            Ok((rest, Tag { name, side: Side::Open, empty, mode: mode.map(|mode| within(input, mode)) }))
        }
    }
}

/// Where `part` stands in `whole`, of which it is a slice.
fn within(whole: &[u8], part: &[u8]) -> (usize, usize) {
    let start = part.as_ptr() as usize - whole.as_ptr() as usize;
    (start, start + part.len())
}

/// A name of the candidates, up to the byte that ends it, which is left.
fn name<'i, S: IsStreaming>(input: &'i [u8], candidates: Candidates<'_>) -> Found<'i, Name> {
    // No name is longer than the longest: what goes on without an end is none.
    let within_reach = &input[..input.len().min(candidates.longest() + 1)];
    match within_reach.iter().position(|&b| is_space(b) || b == b'/' || b == b'>') {
        Some(end) => match candidates.find(&input[..end]) {
            Some(name) => Ok((&input[end..], name)),
            None => wanting::<S, _>(None),
        },
        // One byte beyond the name: the `>`.
        None => wanting::<S, _>(candidates.shortest_rest(within_reach).map(|n| n + 1)),
    }
}

/// Everything between an opening tag's name and its `>`; gives the value of `mode`.
fn attributes<S: IsStreaming>(mut input: &[u8]) -> Found<'_, Option<&[u8]>> {
    let mut mode = None;
    loop {
        (input, _) = run::<S, _>(take_while(|b| is_space(b) || b == b'/'), input)?;
        match input.first() {
            None => return wanting::<S, _>(Some(1)),
            Some(b'>') => return Ok((input, mode)),
            Some(b'<') => return wanting::<S, _>(None),
            Some(_) => {}
        }
        let (rest, (name, value)) = attribute::<S>(input)?;
        input = rest;
        if name == b"mode" && mode.is_none() {
            mode = value.map(trim_blanks).filter(|value| !value.is_empty());
        }
    }
}

/// `name`, `name=value`, `name = "value"`.
fn attribute<S: IsStreaming>(input: &[u8]) -> Found<'_, (&[u8], Option<&[u8]>)> {
    // As in HTML, a `=` where a name should begin is part of the name.
    let first = usize::from(input.first() == Some(&b'='));
    let (rest, tail) = run::<S, _>(take_while(is_in_name), &input[first..])?;
    let name = &input[..first + tail.len()];
    let (rest, _) = run::<S, _>(space(), rest)?;
    match rest.first() {
        None => wanting::<S, _>(Some(1)),
        Some(b'=') => {
            let (rest, _) = run::<S, _>(preceded(char('='), space()), rest)?;
            let (rest, value) = match rest.first() {
                None => return wanting::<S, _>(Some(1)),
                Some(b'>') => (rest, None),
                Some(&quote @ (b'"' | b'\'')) => {
                    quoted::<S>(&rest[1..], quote).map(|(rest, value)| (rest, Some(value)))?
                }
                Some(_) => unquoted::<S>(rest).map(|(rest, value)| (rest, Some(value)))?,
            };
            Ok((rest, (name, value)))
        }
        Some(_) => Ok((rest, (name, None))),
    }
}

/// The rest of a value in quotes; it may hold anything but its quote and `<`.
fn quoted<S: IsStreaming>(input: &[u8], quote: u8) -> Found<'_, &[u8]> {
    match input.iter().position(|&b| b == quote || b == b'<') {
        Some(end) if input[end] == quote => Ok((&input[end + 1..], &input[..end])),
        Some(_) => wanting::<S, _>(None),
        // The quote, and the `>`.
        None => wanting::<S, _>(Some(2)),
    }
}

/// A value without quotes. A `/` right before the `>` belongs to the tag.
fn unquoted<S: IsStreaming>(input: &[u8]) -> Found<'_, &[u8]> {
    let (rest, value) = run::<S, _>(take_while1(|b| !is_space(b) && b != b'>' && b != b'<'), input)?;
    match rest.first() {
        Some(b'>') => Ok((rest, value.strip_suffix(b"/").unwrap_or(value))),
        _ => Ok((rest, value)),
    }
}

fn space<'i>() -> impl Parser<&'i [u8], Output = &'i [u8], Error = ()> {
    take_while(is_space)
}

/// White space inside a tag.
pub(crate) fn is_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\r' | b'\n')
}

fn is_in_name(b: u8) -> bool {
    !is_space(b) && !matches!(b, b'/' | b'>' | b'=' | b'<')
}

fn trim_blanks(value: &[u8]) -> &[u8] {
    // The bytes come from a `str` and are cut at ASCII, so they are one themselves.
    core::str::from_utf8(value).map_or(value, |v| v.trim().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAGS: Tags<'static> = Tags {
        open: Candidates::ours(Ours::ASK.with(Ours::SUGGEST)),
        close: Candidates::ours(Ours::SUGGEST.with(Ours::QUESTION)),
    };

    #[test]
    fn a_begun_tag_says_how_many_bytes_it_wants_at_the_least() {
        for (begun, wanted) in [
            ("<", 8),             // suggest>
            ("</", 8),            // suggest>
            ("<s", 7),            // uggest>
            ("<suggest", 1),      // >
            ("<suggesti", 3),     // on>
            ("</q", 8),           // uestion>
            ("</suggest ", 1),    // >
            ("<suggest ", 1),     // >
            ("<suggest a", 1),    // >
            ("<suggest a=", 1),   // >
            ("<suggest a='>", 2), // '>
            ("<suggest a=''", 1), // >
            ("<suggest a=b /", 1),
        ] {
            assert_eq!(read(begun.as_bytes(), TAGS), Read::Begun(wanted), "{begun}");
            assert_eq!(read_last(begun.as_bytes(), TAGS), Read::Text, "{begun} at the end");
        }
    }

    #[test]
    fn what_can_be_no_tag_is_text_with_its_first_wrong_byte() {
        for text in [
            "<b",
            "<S",
            "< ",
            "<<",
            "<q",
            "</ ",
            "</a",
            "</suggest x",
            "<suggestx",
            "<suggest <",
            "<suggest a='<",
            "</s<",
        ] {
            let (begun, wrong) = text.as_bytes().split_at(text.len() - 1);
            assert!(matches!(read(begun, TAGS), Read::Begun(_)), "{text} without its last byte");
            assert_eq!(read(&[begun, wrong].concat(), TAGS), Read::Text, "{text}");
        }
    }

    #[test]
    fn attributes_are_read_as_html_reads_them() {
        for (tag, mode, empty) in [
            ("<suggest>", None, false),
            ("<suggest/>", None, true),
            ("<suggest / >", None, false),
            ("<suggest mode=\"code\">", Some("code"), false),
            ("<suggest mode='a > b'>", Some("a > b"), false),
            ("<suggest mode=code>", Some("code"), false),
            ("<suggest mode=code/>", Some("code"), true),
            ("<suggest mode=a/b>", Some("a/b"), false),
            ("<suggest\n\tmode = \" code \" >", Some("code"), false),
            ("<suggest x mode=code y=\"z\"/>", Some("code"), true),
            ("<suggest mode=\"\" mode=\"b\" mode=\"c\">", Some("b"), false),
            ("<suggest MODE=\"a\">", None, false),
            ("<suggest mode=>", None, false),
            ("<suggest mode>", None, false),
            ("<suggest =mode=x>", None, false),
            ("<suggest a\"b>", None, false),
            ("<suggest a=\"b\"mode='c'>", Some("c"), false),
        ] {
            match read(tag.as_bytes(), TAGS) {
                Read::Tag(found, len) => {
                    assert_eq!(
                        (found.mode.map(|(start, end)| &tag[start..end]), found.empty, len),
                        (mode, empty, tag.len()),
                        "{tag}"
                    );
                }
                other => panic!("{tag}: {other:?}"),
            }
        }
    }

    #[test]
    fn a_tools_opening_tag_waits_for_the_next_character() {
        let ask = b"<ask_followup_question>";
        assert_eq!(read(ask, TAGS), Read::Undecided);
        assert!(matches!(read_last(ask, TAGS), Read::Tag(_, 23)));
        assert!(matches!(read(b"<ask_followup_question>x", TAGS), Read::Tag(_, 23)));
        assert_eq!(read(b"<ask_followup_question>`", TAGS), Read::Text);
    }
}
