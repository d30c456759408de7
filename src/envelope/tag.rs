//! The tags and tokens of envelopes, and the grammar of one.
//!
//! As for tags of markup, a table finds the name and nom reads what comes after it.

use core::ops::Range;

use nom::{Err, IsStreaming, Needed};

use super::name::is_name;
use crate::config::{Envelope, Envelopes};
use crate::markup::attributes::{attributes, is_space, space_and_end, trim};
use crate::prefixes::Prefixes;

/// A set of kinds of tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kinds(u32);

impl Kinds {
    pub(crate) const NONE: Kinds = Kinds(0);
    /// Wrappers other than `tool_call`.
    pub(crate) const WRAPPER: Kinds = Kinds(1);
    /// The wrapper `tool_call`.
    pub(crate) const TOOL_CALL: Kinds = Kinds(1 << 1);
    pub(crate) const FUNCTION: Kinds = Kinds(1 << 2);
    pub(crate) const INVOKE: Kinds = Kinds(1 << 3);
    pub(crate) const PARAMETER: Kinds = Kinds(1 << 4);
    /// `arg_key`.
    pub(crate) const KEY: Kinds = Kinds(1 << 5);
    /// `arg_value`.
    pub(crate) const VALUE: Kinds = Kinds(1 << 6);
    pub(crate) const WRAPPERS: Kinds = Kinds::WRAPPER.or(Kinds::TOOL_CALL);
    /// What opens or closes one call.
    pub(crate) const CALLS: Kinds = Kinds::FUNCTION.or(Kinds::INVOKE);

    pub(crate) const fn or(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    pub(crate) const fn and(self, other: Kinds) -> Kinds {
        Kinds(self.0 & other.0)
    }

    pub(crate) const fn contains(self, other: Kinds) -> bool {
        self.0 & other.0 == other.0
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(crate) const fn of(token: Token) -> Kinds {
        Kinds(1 << (7 + token as u32))
    }
}

/// A token: a tag of bars, without attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    Start,
    Channel,
    Constrain,
    Message,
    Call,
    SectionBegin,
    CallBegin,
    ArgumentBegin,
    CallEnd,
    SectionEnd,
    PythonStart,
    PythonEnd,
    DeepseekBegin,
    DeepseekCall,
    DeepseekSeparator,
    DeepseekCallEnd,
    DeepseekEnd,
}

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

/// The tags that mean something in some state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tags {
    /// Opening tags and tokens that are no text.
    pub(crate) open: Kinds,
    /// Opening tags that mean something and are text all the same.
    pub(crate) open_shown: Kinds,
    pub(crate) close: Kinds,
    pub(crate) close_shown: Kinds,
    /// The families that are read: they decide what a call tag is.
    pub(crate) families: Envelopes,
    /// The length of the longest.
    pub(crate) limit: usize,
}

impl Tags {
    pub(crate) const fn none() -> Tags {
        Tags {
            open: Kinds::NONE,
            open_shown: Kinds::NONE,
            close: Kinds::NONE,
            close_shown: Kinds::NONE,
            families: Envelopes::NONE,
            limit: usize::MAX,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.open.or(self.open_shown).or(self.close).or(self.close_shown).is_empty()
    }
}

/// What a tag is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An opening or close tag of a wrapper. `tool_call`: that is its name.
    Wrapper {
        tool_call: bool,
    },
    /// An opening tag with the name of a tool. `wrapper`: it is a wrapper, too.
    Named {
        family: Envelope,
        wrapper: bool,
    },
    /// A close tag `function` or `invoke`.
    CallEnd,
    /// `json`: it has `string="false"`.
    Parameter {
        json: bool,
    },
    Key,
    Value,
    Token(Token),
}

/// What the bytes from a `<` on are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Read {
    Text,
    /// `more`: at least so many bytes complete a tag. `shown`: it is text, whatever becomes of it.
    /// `attributes`: only a `<` or a `>` decides.
    Incomplete {
        more: usize,
        shown: bool,
        attributes: bool,
    },
    /// `value`: where the name of the tool or of the parameter is.
    Tag {
        kind: Kind,
        is_close: bool,
        shown: bool,
        value: Option<Range<usize>>,
        len: usize,
    },
}

/// What a name stands for, before its attributes are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Name {
    Wrapper { tool_call: bool },
    Function,
    Invoke,
    Parameter,
    Key,
    Value,
}

const NAMES: [(&str, Name, Kinds); 10] = [
    ("tool_call", Name::Wrapper { tool_call: true }, Kinds::TOOL_CALL),
    ("tool_calls", Name::Wrapper { tool_call: false }, Kinds::WRAPPER),
    ("function_call", Name::Wrapper { tool_call: false }, Kinds::WRAPPER),
    ("function_calls", Name::Wrapper { tool_call: false }, Kinds::WRAPPER),
    ("tool_use", Name::Wrapper { tool_call: false }, Kinds::WRAPPER),
    ("function", Name::Function, Kinds::FUNCTION),
    ("invoke", Name::Invoke, Kinds::INVOKE),
    ("parameter", Name::Parameter, Kinds::PARAMETER),
    ("arg_key", Name::Key, Kinds::KEY),
    ("arg_value", Name::Value, Kinds::VALUE),
];

/// What may be before a name and means nothing.
const PREFIXES: [&str; 5] = ["", concat!("ant", "ml:"), "minimax:", "seed:", "xai:"];

/// The prefix that means a family of its own, between bars.
const DSML: &str = "DSML";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Prefix {
    None,
    /// `xai:`, in which a wrapper with a name is no envelope of JSON.
    Xai,
    Dsml,
    Other,
}

/// A name that was found: the set that has it, how it is written.
struct Found {
    name: Name,
    prefix: Prefix,
    shown: bool,
    len: usize,
}

/// The fewest bytes that complete a name, of hidden tags and of shown ones.
struct Missing {
    hidden: usize,
    shown: usize,
}

impl Missing {
    fn add(&mut self, more: usize, shown: bool) {
        let least = if shown { &mut self.shown } else { &mut self.hidden };
        *least = more.min(*least);
    }
}

/// Returns the tags and tokens that begin an envelope.
pub(crate) fn openers(families: Envelopes) -> Tags {
    let any = |some: &[Envelope]| some.iter().any(|&family| families.contains(family));
    let mut open = Kinds::NONE;
    let mut add = |is_read: bool, kinds: Kinds| {
        if is_read {
            open = open.or(kinds);
        }
    };
    let tags = [Envelope::FunctionXml, Envelope::Hermes, Envelope::Invoke, Envelope::Dsml];
    add(any(&tags), Kinds::WRAPPERS);
    add(any(&[Envelope::Glm]), Kinds::TOOL_CALL);
    add(any(&[Envelope::FunctionXml, Envelope::Dsml]), Kinds::FUNCTION);
    add(any(&[Envelope::Invoke, Envelope::Dsml]), Kinds::INVOKE);
    add(any(&[Envelope::Harmony]), Kinds::of(Token::Start).or(Kinds::of(Token::Channel)));
    add(any(&[Envelope::Kimi]), Kinds::of(Token::SectionBegin).or(Kinds::of(Token::CallBegin)));
    add(any(&[Envelope::Llama]), Kinds::of(Token::PythonStart));
    add(any(&[Envelope::Deepseek]), Kinds::of(Token::DeepseekBegin).or(Kinds::of(Token::DeepseekCall)));
    Tags { open, families, ..Tags::none() }
}

/// Returns `true` if the text after a `<` may begin an opening tag or a token of an envelope.
#[inline]
pub(crate) fn may_open(rest: &[u8]) -> bool {
    OPENINGS.may_begin(rest) && shares_prefix(rest)
}

/// What the opening tags and the tokens begin with, after the `<`.
static OPENINGS: Prefixes = AFTER_SPACE
    .with(b"tool")
    .with(b"func")
    .with(b"invo")
    .with(PREFIXES[1].as_bytes())
    .with(b"mini")
    .with(b"seed")
    .with(b"xai:")
    .with(b"|");

/// Space, then space or a bar.
const AFTER_SPACE: Prefixes = {
    let (mut prefixes, mut i) = (Prefixes::NONE, 0);
    while i < 4 * 7 {
        prefixes = prefixes.with(&[b" \t\r\n"[i / 7], b" \t\r\n|\xE2\xEF"[i % 7]]);
        i += 1;
    }
    prefixes
};

#[inline(never)]
fn shares_prefix(rest: &[u8]) -> bool {
    let shares = |name: &[u8; 4]| name.iter().zip(rest).all(|(one, other)| one == other);
    match rest.first() {
        None => true,
        Some(b't') => shares(b"tool"),
        Some(b'f') => shares(b"func"),
        Some(b'i') => shares(b"invo"),
        Some(b'a') => shares(PREFIXES[1].as_bytes().first_chunk().unwrap_or(b"    ")),
        Some(b'm') => shares(b"mini"),
        Some(b's') => shares(b"seed"),
        Some(b'x') => shares(b"xai:"),
        Some(b'|' | 0xE2 | 0xEF) => true,
        Some(&first) if is_space(first) => {
            let next = rest.iter().find(|&&byte| !is_space(byte));
            matches!(next, None | Some(b'|' | 0xE2 | 0xEF))
        }
        Some(_) => false,
    }
}

/// No opening tag or token is shorter after its `<`. It may say less than the shortest has.
const SHORTEST_OPENER: usize = 7;

/// No tag has less after its name. So what completes a tag is never more than what completes it one
/// byte later, and one.
const SHORTEST_END: usize = 1;

/// Reads `input`, which begins with `<`, as one of the tags, at most `limit` bytes long.
pub(crate) fn read<S: IsStreaming>(input: &[u8], tags: &Tags, limit: usize) -> Read {
    let limit = limit.min(tags.limit);
    let openers_only = tags.open_shown.or(tags.close).or(tags.close_shown).is_empty();
    if openers_only
        && tags.open.and(Kinds::PARAMETER.or(Kinds::KEY)).is_empty()
        && !may_open(input.get(1..).unwrap_or_default())
    {
        return Read::Text;
    }
    if openers_only && input.len() == 1 && S::is_streaming() {
        let fits = SHORTEST_OPENER < limit;
        return if fits {
            Read::Incomplete { more: SHORTEST_OPENER, shown: false, attributes: false }
        } else {
            Read::Text
        };
    }
    let is_close = input.get(1) == Some(&b'/');
    let start = if is_close { 2 } else { 1 };
    let rest = input.get(start..).unwrap_or_default();
    let room = limit.saturating_sub(input.len());
    let incomplete = |more: usize, shown, attributes| {
        let fits = more <= room && S::is_streaming() && input.len() <= limit;
        if fits { Read::Incomplete { more, shown, attributes } } else { Read::Text }
    };
    let mut missing = Missing { hidden: usize::MAX, shown: usize::MAX };
    if !is_close && let Some((token, shown, len)) = find_token(rest, tags, &mut missing) {
        let len = start + len;
        let tag = Read::Tag { kind: Kind::Token(token), is_close, shown, value: None, len };
        return if len <= limit { tag } else { Read::Text };
    }
    let Some(Found { name, prefix, shown, len }) = find_name(rest, is_close, tags, &mut missing) else {
        if input.len() == 1 {
            let mut close = Missing { hidden: usize::MAX, shown: usize::MAX };
            find_name(b"", true, tags, &mut close);
            // A close tag has a `/` more.
            missing.add(close.hidden.saturating_add(1), false);
            missing.add(close.shown.saturating_add(1), true);
        }
        let shown = missing.hidden > room;
        let more = if shown { missing.shown } else { missing.hidden };
        return incomplete(more, shown, false);
    };
    let after = &input[start + len..];
    let read = if is_close { read_close::<S>(name, after) } else { read_open::<S>(name, prefix, tags.families, after) };
    match read {
        Ok((kind, value, rest)) => {
            let len = input.len() - rest.len();
            let value = value.map(|value| {
                let start = value.as_ptr() as usize - input.as_ptr() as usize;
                start..start + value.len()
            });
            if len <= limit { Read::Tag { kind, is_close, shown, value, len } } else { Read::Text }
        }
        Err(Err::Incomplete(Needed::Size(more))) => incomplete(more.get(), shown, !after.is_empty()),
        Err(_) => Read::Text,
    }
}

/// What a tag is, the name of a tool or parameter in it, and what comes after it.
type Parsed<'i> = Result<(Kind, Option<&'i [u8]>, &'i [u8]), Err<()>>;

/// Reads what comes after the name of a close tag.
fn read_close<S: IsStreaming>(name: Name, after: &[u8]) -> Parsed<'_> {
    let kind = match name {
        Name::Wrapper { tool_call } => Kind::Wrapper { tool_call },
        Name::Function | Name::Invoke => Kind::CallEnd,
        Name::Parameter => Kind::Parameter { json: false },
        Name::Key => Kind::Key,
        Name::Value => Kind::Value,
    };
    match memchr::memchr2(b'<', b'>', after) {
        Some(end) if after[end] == b'>' => Ok((kind, None, &after[end + 1..])),
        Some(_) => Err(Err::Error(())),
        None => Err(S::incomplete(Needed::new(1), || ())),
    }
}

/// Reads what comes after the name of an opening tag.
fn read_open<S: IsStreaming>(name: Name, prefix: Prefix, families: Envelopes, after: &[u8]) -> Parsed<'_> {
    if let Name::Key | Name::Value = name {
        let (rest, ()) = space_and_end::<S>(after)?;
        return Ok((if name == Name::Key { Kind::Key } else { Kind::Value }, None, rest));
    }
    // `<function=NAME>`
    if let (Name::Function | Name::Parameter, Some(b'=')) = (name, after.first()) {
        let end = memchr::memchr2(b'<', b'>', after).ok_or_else(|| S::incomplete(Needed::new(1), || ()))?;
        if after[end] == b'<' {
            return Err(Err::Error(()));
        }
        let value = &after[1..end];
        if value.ends_with(b"/") {
            return Err(Err::Error(()));
        }
        let value = Some(trim(value)).filter(|value| !value.is_empty());
        return named(name, prefix, families, value, false).map(|(kind, value)| (kind, value, &after[end + 1..]));
    }
    let (mut value, mut json) = (None, false);
    let (rest, ()) = attributes::<S>(after, |name, found| match (name, found.map(trim)) {
        (b"name", Some(found)) if value.is_none() && !found.is_empty() => value = Some(found),
        (b"string", Some(b"false")) => json = true,
        _ => {}
    })?;
    // An empty element is no call and no parameter: it is XML.
    let is_empty = after[..after.len() - rest.len()].ends_with(b"/>");
    if is_empty && (value.is_some() || !matches!(name, Name::Wrapper { .. })) {
        return Err(Err::Error(()));
    }
    named(name, prefix, families, value, json).map(|(kind, value)| (kind, value, rest))
}

/// Returns what an opening tag is that names a tool or a parameter.
fn named(
    name: Name,
    prefix: Prefix,
    families: Envelopes,
    value: Option<&[u8]>,
    json: bool,
) -> Result<(Kind, Option<&[u8]>), Err<()>> {
    let family = match (name, prefix) {
        (_, Prefix::Dsml) => Envelope::Dsml,
        (Name::Function, _) => Envelope::FunctionXml,
        (Name::Wrapper { .. }, Prefix::None | Prefix::Other) => Envelope::Hermes,
        _ => Envelope::Invoke,
    };
    match name {
        Name::Parameter => value.map(|key| (Kind::Parameter { json }, Some(key))).ok_or(Err::Error(())),
        Name::Wrapper { tool_call } if value.is_none() => Ok((Kind::Wrapper { tool_call }, None)),
        _ if !families.contains(family) => Err(Err::Error(())),
        _ => match value {
            Some(tool) if core::str::from_utf8(tool).is_ok_and(is_name) => {
                Ok((Kind::Named { family, wrapper: matches!(name, Name::Wrapper { .. }) }, Some(tool)))
            }
            _ => Err(Err::Error(())),
        },
    }
}

/// Returns whether a tag of these kinds means something, and is text all the same.
fn is_allowed(kinds: Kinds, prefix: Prefix, is_close: bool, tags: &Tags) -> Option<bool> {
    let (hidden, shown) = if is_close { (tags.close, tags.close_shown) } else { (tags.open, tags.open_shown) };
    if !hidden.or(shown).contains(kinds) {
        return None;
    }
    let needs = match (kinds, prefix) {
        _ if is_close => None,
        (Kinds::FUNCTION | Kinds::INVOKE, Prefix::Dsml) => Some(Envelope::Dsml),
        (Kinds::FUNCTION, _) => Some(Envelope::FunctionXml),
        (Kinds::INVOKE, _) => Some(Envelope::Invoke),
        _ => None,
    };
    needs.is_none_or(|family| tags.families.contains(family)).then_some(!hidden.contains(kinds))
}

/// Finds the name that `rest` begins with.
fn find_name(rest: &[u8], is_close: bool, tags: &Tags, missing: &mut Missing) -> Option<Found> {
    for prefix in PREFIXES {
        let kind = match prefix {
            "" => Prefix::None,
            "xai:" => Prefix::Xai,
            _ => Prefix::Other,
        };
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
        Dsml::Whole(len) => find_after_prefix(&rest[len..], Prefix::Dsml, is_close, tags, missing, len),
        Dsml::Incomplete(more) => {
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
    missing: &mut Missing,
    len: usize,
) -> Option<Found> {
    for (written, name, kinds) in NAMES {
        let Some(shown) = is_allowed(kinds, prefix, is_close, tags) else { continue };
        if written == "tool_use" && prefix != Prefix::Dsml {
            continue;
        }
        match rest.get(written.len()) {
            Some(&after) if rest.starts_with(written.as_bytes()) && ends_name(after, name, is_close) => {
                return Some(Found { name, prefix, shown, len: len + written.len() });
            }
            None if written.as_bytes().starts_with(rest) => {
                missing.add(written.len() - rest.len() + SHORTEST_END, shown);
            }
            _ => {}
        }
    }
    None
}

/// Adds the shortest tag that may follow a prefix of which `more` bytes are missing.
fn add_shortest(more: usize, prefix: Prefix, is_close: bool, tags: &Tags, missing: &mut Missing) {
    for (written, _, kinds) in NAMES {
        if let Some(shown) = is_allowed(kinds, prefix, is_close, tags) {
            missing.add(more + written.len() + SHORTEST_END, shown);
        }
    }
}

/// Returns `true` if a name may end before this byte.
fn ends_name(after: u8, name: Name, is_close: bool) -> bool {
    match name {
        _ if is_close => after == b'>' || after == b'"' || after == b'=' || after == b'/' || is_space(after),
        Name::Function | Name::Parameter => after == b'=' || is_space(after),
        Name::Invoke => is_space(after),
        Name::Wrapper { .. } => after == b'>' || after == b'/' || is_space(after),
        Name::Key | Name::Value => after == b'>' || is_space(after),
    }
}

enum Dsml {
    Whole(usize),
    /// At least so many bytes are missing.
    Incomplete(usize),
}

/// Reads the prefix `DSML` between bars.
fn find_dsml(rest: &[u8]) -> Option<Dsml> {
    let mut pos = 0;
    skip_space(rest, &mut pos);
    for (part, left) in [("bar", 6), (DSML, 5), ("bar", 1)] {
        let found = match part {
            "bar" => skip_bars(rest, &mut pos),
            _ => match rest.get(pos..)? {
                at if at.starts_with(part.as_bytes()) => {
                    pos += part.len();
                    true
                }
                at if part.as_bytes().starts_with(at) => return Some(Dsml::Incomplete(left - at.len())),
                _ => return None,
            },
        };
        if !found {
            return (pos == rest.len()).then_some(Dsml::Incomplete(left));
        }
        skip_space(rest, &mut pos);
    }
    Some(Dsml::Whole(pos))
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

/// Finds the token that `rest` begins with, whether it is shown, and its length.
fn find_token(rest: &[u8], tags: &Tags, missing: &mut Missing) -> Option<(Token, bool, usize)> {
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
            Some(Dsml::Whole(len)) => return Some((token, !is_hidden, len)),
            Some(Dsml::Incomplete(more)) => missing.add(more, !is_hidden),
            None => {}
        }
    }
    None
}

/// Compares the text with a token between bars.
fn match_token(text: &[u8], bar: &str, written: &str) -> Option<Dsml> {
    // A separator has 3 bytes, and may be written with 1.
    let mut left = 2 * bar.len() + written.len() - 2 * written.matches('▁').count() + 1;
    let mut pos = 0;
    let words = written.split('▁').enumerate().flat_map(|(i, word)| [if i == 0 { bar } else { "▁" }, word]);
    for part in words.chain([bar, ">"]) {
        let at = &text[pos..];
        let choices: &[&str] = if part == "▁" { &SEPARATORS } else { &[part] };
        match choices.iter().find(|choice| at.starts_with(choice.as_bytes())) {
            Some(choice) => pos += choice.len(),
            None if choices.iter().any(|choice| choice.as_bytes().starts_with(at)) => {
                return Some(Dsml::Incomplete(left.saturating_sub(at.len()).max(1)));
            }
            None => return None,
        }
        left -= if part == "▁" { 1 } else { part.len() };
    }
    Some(Dsml::Whole(pos))
}
