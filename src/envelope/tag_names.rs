//! The names of tags and tokens as they are written, and how they are found.

use super::kinds::{Kinds, Tags, Token};
use crate::config::Envelope;
use crate::markup::attributes::MissingBytes;
use crate::prefixes::Prefixes;
use crate::space::is_space;

/// The tokens as they are written, between `<|` and `|>`.
const TOKENS: [(&str, Token); 16] = [
    ("start", Token::Start),
    ("channel", Token::Channel),
    ("constrain", Token::Constrain),
    ("message", Token::Message),
    ("call", Token::Call),
    ("tool_calls_section_begin", Token::SectionBegin),
    ("tool_call_section_begin", Token::SectionBegin),
    ("tool_call_begin", Token::CallBegin),
    ("tool_call_argument_begin", Token::ArgumentBegin),
    ("tool_call_end", Token::CallEnd),
    ("tool_calls_section_end", Token::SectionEnd),
    ("tool_call_section_end", Token::SectionEnd),
    ("python_tag", Token::PythonStart),
    ("python_start", Token::PythonStart),
    ("python_end", Token::PythonEnd),
    ("eom_id", Token::PythonEnd),
];

/// The tokens between `<｜` and `｜>`, in which `▁` may be written as [`SEPARATORS`].
const WIDE_TOKENS: [(&str, Token); 6] = [
    ("tool▁calls▁begin", Token::DeepseekBegin),
    ("tool▁calls", Token::DeepseekBegin),
    ("tool▁call▁begin", Token::DeepseekCall),
    ("tool▁sep", Token::DeepseekSeparator),
    ("tool▁call▁end", Token::DeepseekCallEnd),
    ("tool▁calls▁end", Token::DeepseekEnd),
];

const SEPARATORS: [&str; 4] = ["▁", "_", " ", "\\_"];

/// The names as they are written.
///
/// Each has the one kind of its tag before its attributes are known.
const NAMES: [(&str, Kinds); 10] = [
    ("tool_call", Kinds::TOOL_CALL),
    ("tool_calls", Kinds::WRAPPER),
    ("function_call", Kinds::WRAPPER),
    ("function_calls", Kinds::WRAPPER),
    ("tool_use", Kinds::WRAPPER),
    ("function", Kinds::FUNCTION),
    ("invoke", Kinds::INVOKE),
    ("parameter", Kinds::PARAMETER),
    ("arg_key", Kinds::KEY),
    ("arg_value", Kinds::VALUE),
];

/// What may be before a name and means nothing.
const PREFIXES: [&str; 5] = ["", concat!("ant", "ml:"), "minimax:", "seed:", "xai:"];

/// The prefix that means a family of its own, between bars.
const DSML: &str = "DSML";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prefix {
    /// `xai:`, in which a wrapper with a name is no envelope of JSON.
    Xai,
    Dsml,
    /// One that means nothing, or none.
    Other,
}

/// A name that was found: the set that has it, how it is written.
pub(super) struct FoundTag {
    pub(super) name: Kinds,
    pub(super) prefix: Prefix,
    pub(super) shown: bool,
    pub(super) len: usize,
}

/// No opening tag or token is shorter after its `<`. It may say less than the shortest has.
pub(super) const SHORTEST_OPENER: usize = 7;

/// The least that a tag has after its name.
///
/// So what completes a tag is never more than what completes it one byte later, and one.
const SHORTEST_END: usize = 1;

/// Returns `true` if the text after a `<` may begin an opening tag or a token of an envelope.
#[inline]
pub(crate) fn may_open(rest: &[u8]) -> bool {
    OPENINGS.may_begin(rest) && shares_prefix(rest)
}

/// What the opening tags and the tokens begin with, after the `<`.
static OPENINGS: Prefixes = {
    let (mut prefixes, mut i) = (Prefixes::NONE.with(b"|"), 0);
    while i < BEGINNINGS.len() {
        prefixes = prefixes.with(&BEGINNINGS[i]);
        i += 1;
    }
    // Space, then space or a bar.
    i = 0;
    while i < 4 * 7 {
        prefixes = prefixes.with(&[b" \t\r\n"[i / 7], b" \t\r\n|\xE2\xEF"[i % 7]]);
        i += 1;
    }
    prefixes
};

/// What the names in opening tags begin with.
const BEGINNINGS: [[u8; 4]; 7] = [*b"tool", *b"func", *b"invo", *b"antm", *b"mini", *b"seed", *b"xai:"];

#[inline(never)]
fn shares_prefix(rest: &[u8]) -> bool {
    match (rest.first_chunk(), rest.iter().find(|&&byte| !is_space(byte))) {
        (_, None | Some(b'|' | 0xE2 | 0xEF)) => true,
        (Some(four), _) => BEGINNINGS.contains(four),
        (None, _) => BEGINNINGS.iter().any(|name| name.iter().zip(rest).all(|(one, other)| one == other)),
    }
}

/// Finds the token that `rest` begins with, whether it is shown, and its length.
pub(super) fn find_token(rest: &[u8], tags: &Tags, missing: &mut MissingBytes) -> Option<(Token, bool, usize)> {
    if !matches!(rest.first(), None | Some(b'|' | 0xEF)) {
        return None;
    }
    let ascii = TOKENS.iter().map(|(written, token)| ("|", written, token));
    let wide = WIDE_TOKENS.iter().map(|(written, token)| ("｜", written, token));
    for (bar, written, &token) in ascii.chain(wide) {
        let is_hidden = tags.open.contains(Kinds::of(token));
        if !is_hidden && !tags.open_shown.contains(Kinds::of(token)) {
            continue;
        }
        match match_token(rest, bar, written) {
            Some(Match::Whole(len)) => return Some((token, !is_hidden, len)),
            Some(Match::Incomplete(more)) => missing.add(more, !is_hidden),
            None => {}
        }
    }
    None
}

/// Compares the text with a token between bars.
fn match_token(text: &[u8], bar: &str, written: &str) -> Option<Match> {
    // A separator has 3 bytes, and may be written with 1.
    let mut left = 2 * bar.len() + written.len() - 2 * written.matches('▁').count() + 1;
    let mut pos = 0;
    let words = written.split('▁').enumerate().flat_map(|(i, word)| [if i == 0 { bar } else { "▁" }, word]);
    for part in words.chain([bar, ">"]) {
        let rest = &text[pos..];
        let choices: &[&str] = if part == "▁" { &SEPARATORS } else { &[part] };
        match choices.iter().find(|choice| rest.starts_with(choice.as_bytes())) {
            Some(choice) => pos += choice.len(),
            None if choices.iter().any(|choice| choice.as_bytes().starts_with(rest)) => {
                return Some(Match::Incomplete(left.saturating_sub(rest.len()).max(1)));
            }
            None => return None,
        }
        left -= if part == "▁" { 1 } else { part.len() };
    }
    Some(Match::Whole(pos))
}

/// Finds the name that `rest` begins with.
pub(super) fn find_name(rest: &[u8], is_close: bool, tags: &Tags, missing: &mut MissingBytes) -> Option<FoundTag> {
    for prefix in PREFIXES {
        let kind = if prefix == "xai:" { Prefix::Xai } else { Prefix::Other };
        let written = prefix.as_bytes();
        let found = if let Some(name) = rest.strip_prefix(written) {
            find_after_prefix(name, kind, is_close, tags, missing, written.len())
        } else if written.starts_with(rest) {
            add_shortest(written.len() - rest.len(), kind, is_close, tags, missing);
            None
        } else {
            None
        };
        if found.is_some() {
            return found;
        }
    }
    match find_dsml(rest)? {
        Match::Whole(len) => find_after_prefix(&rest[len..], Prefix::Dsml, is_close, tags, missing, len),
        Match::Incomplete(more) => {
            add_shortest(more, Prefix::Dsml, is_close, tags, missing);
            None
        }
    }
}

/// Finds the name after a prefix of `len` bytes.
fn find_after_prefix(
    rest: &[u8],
    prefix: Prefix,
    is_close: bool,
    tags: &Tags,
    missing: &mut MissingBytes,
    len: usize,
) -> Option<FoundTag> {
    for (written, name) in NAMES {
        let Some(shown) = is_allowed(name, prefix, is_close, tags) else { continue };
        if written == "tool_use" && prefix != Prefix::Dsml {
            continue;
        }
        match rest.get(written.len()) {
            Some(&after) if rest.starts_with(written.as_bytes()) && ends_name(after, name, is_close) => {
                return Some(FoundTag { name, prefix, shown, len: len + written.len() });
            }
            None if written.as_bytes().starts_with(rest) => {
                missing.add(written.len() - rest.len() + SHORTEST_END, shown);
            }
            _ => {}
        }
    }
    None
}

/// Returns whether a tag of this kind is emitted as text, too; `None` if it has no meaning.
fn is_allowed(name: Kinds, prefix: Prefix, is_close: bool, tags: &Tags) -> Option<bool> {
    let (hidden, shown) = if is_close { (tags.close, tags.close_shown) } else { (tags.open, tags.open_shown) };
    if !hidden.or(shown).contains(name) {
        return None;
    }
    let needs = match (name, prefix) {
        _ if is_close => None,
        (Kinds::FUNCTION | Kinds::INVOKE, Prefix::Dsml) => Some(Envelope::Dsml),
        (Kinds::FUNCTION, _) => Some(Envelope::FunctionXml),
        (Kinds::INVOKE, _) => Some(Envelope::Invoke),
        (Kinds::WRAPPER | Kinds::TOOL_CALL, Prefix::Dsml) if tags.named => Some(Envelope::Dsml),
        (Kinds::WRAPPER | Kinds::TOOL_CALL, Prefix::Xai) if tags.named => Some(Envelope::Invoke),
        (Kinds::WRAPPER | Kinds::TOOL_CALL, _) if tags.named => Some(Envelope::Hermes),
        _ => None,
    };
    needs.is_none_or(|family| tags.families.contains(family)).then_some(!hidden.contains(name))
}

/// Adds the shortest tag that may follow a prefix of which `more` bytes are missing.
fn add_shortest(more: usize, prefix: Prefix, is_close: bool, tags: &Tags, missing: &mut MissingBytes) {
    for (written, name) in NAMES {
        if let Some(shown) = is_allowed(name, prefix, is_close, tags) {
            missing.add(more + written.len() + SHORTEST_END, shown);
        }
    }
}

/// Returns `true` if a name may end before this byte.
fn ends_name(after: u8, name: Kinds, is_close: bool) -> bool {
    match name {
        _ if is_close => after == b'>' || after == b'"' || after == b'=' || after == b'/' || is_space(after),
        Kinds::FUNCTION | Kinds::PARAMETER => after == b'=' || is_space(after),
        Kinds::WRAPPER | Kinds::TOOL_CALL => after == b'>' || after == b'/' || is_space(after),
        _ => after == b'>' || is_space(after),
    }
}

/// How much of the expected text matches.
enum Match {
    /// It is one, of so many bytes.
    Whole(usize),
    /// At least so many bytes are missing.
    Incomplete(usize),
}

/// Reads the prefix `DSML` between bars.
fn find_dsml(rest: &[u8]) -> Option<Match> {
    let mut pos = 0;
    skip_space(rest, &mut pos);
    for (part, left) in [("bar", 6), (DSML, 5), ("bar", 1)] {
        let found = match part {
            "bar" => skip_bars(rest, &mut pos),
            _ => match rest.get(pos..)? {
                after if after.starts_with(part.as_bytes()) => {
                    pos += part.len();
                    true
                }
                after if part.as_bytes().starts_with(after) => return Some(Match::Incomplete(left - after.len())),
                _ => return None,
            },
        };
        if !found {
            return (pos == rest.len()).then_some(Match::Incomplete(left));
        }
        skip_space(rest, &mut pos);
    }
    Some(Match::Whole(pos))
}

/// Skips at most two bytes of space.
fn skip_space(text: &[u8], pos: &mut usize) {
    let space = text[*pos..].iter().take(2).take_while(|&&byte| is_space(byte)).count();
    *pos += space;
}

/// Skips one or two bars. Returns `false` if there is none.
fn skip_bars(text: &[u8], pos: &mut usize) -> bool {
    let mut bars = 0;
    while bars < 2
        && let Some(len) =
            ["|", "｜", "‖"].iter().find(|bar| text[*pos..].starts_with(bar.as_bytes())).map(|bar| bar.len())
    {
        *pos += len;
        bars += 1;
    }
    bars > 0
}
