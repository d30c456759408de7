//! The reference reader of envelopes, as plain as possible.
//!
//! It is the oracle of the tests for the calls that arrive in the text in a model's own form.
//!
//! As in `reference`, of which this is a part, it sees the whole stream at once and reads text
//! twice where that is simpler. Its functions quote the sentences of `docs/format.md` (section
//! "Envelopes") that they implement, and where the page leaves something open a comment begins with
//! `Decided:`. JSON arguments are read by `arguments`.

use followup::Envelope;

use self::by_choice::{DEEPSEEK_OPENERS, DEEPSEEK_SECTION_ENDS, LLAMA_OPENERS};
use super::arguments::{ArgumentsReader, Kind, Parsed};
use super::reference::Side::{Close, Open};
use super::reference::{Atom, Attributes, EndedCall, Reader, Rules, Shape, Side, TooLong, Value, is_tag_space};

mod by_choice;

/// What prose does at a character where an envelope could start.
pub(super) enum Prose {
    /// No envelope starts there.
    GoesOn,
    /// It is text up to this index: it was no header.
    After(usize),
    /// There were calls up to the first index. What follows is text up to the second: it was no
    /// header of one more call in the same wrapper. If an opener ended the last call, the text
    /// before it is prose from the third index on.
    AfterCall(usize, usize, Option<usize>),
}

const OUR_TOOL: &str = "ask_followup_question";

// -------------------------------------------------------------------------------------------- tags

/// The tags of envelopes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Element {
    Wrapper,
    Function,
    Invoke,
    Parameter,
    Key,
    Value,
}
use Element::{Function, Invoke, Key, Parameter, Wrapper};

const NAMES: [(&str, Element); 10] = [
    ("tool_call", Wrapper),
    ("tool_calls", Wrapper),
    ("function_call", Wrapper),
    ("function_calls", Wrapper),
    ("tool_use", Wrapper),
    ("function", Function),
    ("invoke", Invoke),
    ("parameter", Parameter),
    ("arg_key", Key),
    ("arg_value", Element::Value),
];

/// "`antml:`, `minimax:`, `seed:` or `xai:`, or `DSML` between bars": `None` stands for the latter.
const PREFIXES: [Option<&str>; 6] =
    [Some(""), Some(concat!("ant", "ml:")), Some("minimax:"), Some("seed:"), Some("xai:"), None];

/// A tag of an envelope.
struct Tag {
    side: Side,
    element: Element,
    /// The name as it is written.
    name: &'static str,
    prefix: Option<&'static str>,
    /// `NAME` or `KEY`.
    value: Option<String>,
    /// `string="false"`
    is_json: bool,
    end: usize,
}

enum Found {
    Nothing,
    /// The stream ends inside the tag.
    Beginning,
    Tag(Tag),
}

/// "a **name** is a letter or `_`, then letters, digits, `_`, `-`, `.`, `:` and `/` (ASCII), at
/// most 128 bytes in all."
fn is_name(name: &str) -> bool {
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    begins && name.len() <= 128 && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-.:/".contains(c))
}

/// "A tool's name is compared without `functions.` before it and without `:` and digits after it."
fn bare_name(name: &str) -> &str {
    let name = name.strip_prefix("functions.").unwrap_or(name);
    match name.rsplit_once(':') {
        Some((bare, digits)) if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => bare,
        _ => name,
    }
}

/// Returns whether a name that begins like this can be ours.
fn can_be_ours(name: &str) -> bool {
    ["", "functions."].iter().any(|before| {
        let ours = format!("{before}{OUR_TOOL}:");
        match name.strip_prefix(&ours) {
            Some(digits) => digits.bytes().all(|b| b.is_ascii_digit()),
            None => ours.starts_with(name),
        }
    })
}

impl Reader<'_> {
    fn space(&self, mut at: usize) -> usize {
        while self.peek(at).is_some_and(is_tag_space) {
            at += 1;
        }
        at
    }

    /// Returns the index after a text; `Err` with the index of the first other character.
    fn literal(&self, at: usize, text: &str) -> Result<usize, usize> {
        for (i, c) in text.chars().enumerate() {
            if self.peek(at + i) != Some(c) {
                return Err(at + i);
            }
        }
        Ok(at + text.chars().count())
    }

    /// Returns how many bytes are missing of `DSML` between bars at the end of the stream, at
    /// least.
    fn missing_of_dsml(&self, at: usize) -> usize {
        let rest = self.string(at, self.chars.len());
        let is_bar = |c: char| "|｜‖".contains(c);
        let after_bar = |text: &str| {
            let from = text.trim_start_matches(is_tag_space);
            from.starts_with(is_bar)
                .then(|| from.trim_start_matches(is_bar).trim_start_matches(is_tag_space).to_string())
        };
        let Some(name) = after_bar(&rest) else { return "|DSML|".len() };
        match name.strip_prefix("DSML") {
            None => "DSML|".len() - name.len(),
            Some(end) => usize::from(after_bar(end).is_none()),
        }
    }

    /// "`DSML` between bars. A bar is one or two of `|`, `｜` and `‖`; space (at most 2) may be
    /// before and after each."
    fn dsml(&self, at: usize) -> Result<usize, usize> {
        let some = |mut at: usize, most: usize, of: &dyn Fn(char) -> bool| {
            let from = at;
            while at < from + most && self.peek(at).is_some_and(of) {
                at += 1;
            }
            at
        };
        let bar = |at: usize| {
            let from = some(at, 2, &is_tag_space);
            let bar = some(from, 2, &|c| "|｜‖".contains(c));
            if bar == from { Err(bar) } else { Ok(some(bar, 2, &is_tag_space)) }
        };
        bar(self.literal(bar(at)?, "DSML")?)
    }

    /// Returns which of the wanted tags is at `at`.
    fn element(&self, at: usize, wanted: &dyn Fn(Side, Element) -> bool) -> Found {
        if self.peek(at) != Some('<') {
            return Found::Nothing;
        }
        // "A tag that is an opening tag of one of the policy's tools is that, and no tag of an
        // envelope."
        let is_tools = |tool: &String| matches!(self.shape(at, Open, tool, false), Shape::Tag { .. });
        if self.rules.tools.iter().any(is_tools) {
            return Found::Nothing;
        }
        let mut found = Found::Nothing;
        for prefix in PREFIXES {
            for (name, element) in NAMES {
                // "with the DSML prefix also `tool_use`"
                if name == "tool_use" && prefix.is_some() {
                    continue;
                }
                for side in [Open, Close].into_iter().filter(|side| wanted(*side, element)) {
                    match self.spelled(at, side, prefix, name, element) {
                        Found::Nothing => {}
                        Found::Beginning => found = Found::Beginning,
                        tag => return tag,
                    }
                }
            }
        }
        found
    }

    /// "Tags are at most 256 bytes long (limit `tag`) and hold no second `<`."
    fn spelled(
        &self,
        at: usize,
        side: Side,
        prefix: Option<&'static str>,
        name: &'static str,
        element: Element,
    ) -> Found {
        // A tag that has come to the end of the stream can be completed within the limit if so many
        // bytes more are within it.
        let beginning =
            |missing: usize| match self.offset(self.chars.len()) - self.offset(at) + missing <= self.rules.tag {
                true => Found::Beginning,
                false => Found::Nothing,
            };
        let whole = |end: usize, value: Option<String>, is_json: bool| match self.offset(end) - self.offset(at)
            <= self.rules.tag
        {
            true => Found::Tag(Tag { side, element, name, prefix, value, is_json, end }),
            false => Found::Nothing,
        };
        let head = if side == Open { "<" } else { "</" };
        let after_head = self.literal(at, head);
        let after_prefix = after_head.and_then(|p| match prefix {
            Some(prefix) => self.literal(p, prefix),
            None => self.dsml(p),
        });
        let mut p = match after_prefix.and_then(|p| self.literal(p, name)) {
            Ok(p) => p,
            Err(p) if p < self.chars.len() => return Found::Nothing,
            // What is missing of the name and before it, and the `>`.
            Err(_) => {
                let missing = match (after_head, prefix, after_prefix) {
                    (Err(end), ..) => head.len() + prefix.map_or("|DSML|".len(), str::len) - (end - at),
                    (_, _, Ok(_)) => 0,
                    (Ok(from), Some(prefix), _) => prefix.len() - (self.chars.len() - from),
                    (Ok(from), None, _) => self.missing_of_dsml(from),
                };
                let of_name = after_prefix.map_or(name.len(), |from| name.len() - (self.chars.len() - from));
                return beginning(missing + of_name + 1);
            }
        };
        if side == Close {
            // "After the name of a close tag may come space, `"`, `=` or `/`, and then anything."
            match self.peek(p) {
                None | Some('>' | '"' | '=' | '/') => {}
                Some(c) if is_tag_space(c) => {}
                Some(_) => return Found::Nothing,
            }
            return loop {
                match self.peek(p) {
                    None => break beginning(1),
                    Some('<') => break Found::Nothing,
                    Some('>') => break whole(p + 1, None, false),
                    Some(_) => p += 1,
                }
            };
        }
        // `<function=NAME>`, `<parameter=KEY>`
        if matches!(element, Function | Parameter) && self.peek(p) == Some('=') {
            let mut value = String::new();
            loop {
                p += 1;
                match self.peek(p) {
                    None => return beginning(1),
                    Some('<') => return Found::Nothing,
                    Some('>') => break,
                    Some(c) => value.push(c),
                }
            }
            // "An opening tag with a `NAME` or a `KEY` and a `/` before its `>` is text."
            if value.ends_with('/') {
                return Found::Nothing;
            }
            let value = value.trim_matches(is_tag_space);
            return match is_named(element, Some(value)) {
                true => whole(p + 1, Some(value.to_string()), false),
                false => Found::Nothing,
            };
        }
        // "After `arg_key` and `arg_value` comes only space."
        if matches!(element, Key | Element::Value) {
            while self.peek(p).is_some_and(is_tag_space) {
                p += 1;
            }
            return match self.peek(p) {
                None => beginning(1),
                Some('>') => whole(p + 1, None, false),
                Some(_) => Found::Nothing,
            };
        }
        // "After the name of an opening tag come attributes, as in tags of markup; the first `name`
        // that is not blank counts."
        match self.peek(p) {
            None | Some('>' | '/') => {}
            Some(c) if is_tag_space(c) => {}
            Some(_) => return Found::Nothing,
        }
        let (end, empty, attributes) = match self.attributes(p) {
            Attributes::Text => return Found::Nothing,
            Attributes::Beginning(missing) => return beginning(missing),
            Attributes::End { end, empty, attributes } => (end, empty, attributes),
        };
        let first = |name: &str| attributes.iter().find(|(one, value)| one == name && !value.trim().is_empty());
        let value = first("name").map(|(_, value)| value.trim_matches(is_tag_space).to_string());
        let is_json = first("string").is_some_and(|(_, value)| value.trim() == "false");
        // "These are text: […] an opening tag with a `NAME` or a `KEY` and a `/` before its `>`."
        if empty && value.is_some() {
            return Found::Nothing;
        }
        match is_named(element, value.as_deref()) {
            true => whole(end, value, is_json),
            false => Found::Nothing,
        }
    }

    fn tag(&self, at: usize, wanted: &dyn Fn(Side, Element) -> bool) -> Option<Tag> {
        match self.element(at, wanted) {
            Found::Tag(tag) => Some(tag),
            Found::Nothing | Found::Beginning => None,
        }
    }

    /// The tag that opens a call of a family that is read.
    fn call_tag(&self, at: usize) -> Result<(Tag, Envelope), Found> {
        match self.element(at, &|side, element| side == Open && matches!(element, Wrapper | Function | Invoke)) {
            Found::Tag(tag) => match family(&tag) {
                Some(family) if self.rules.reads(family) => Ok((tag, family)),
                _ => Err(Found::Tag(tag)),
            },
            Found::Beginning if !self.may_be_read(at) => Err(Found::Nothing),
            other => Err(other),
        }
    }

    /// Returns whether what begins like a tag may become a wrapper, or a call tag of a family that
    /// is read.
    fn may_be_read(&self, at: usize) -> bool {
        let begins = |prefix, name, element| matches!(self.spelled(at, Open, prefix, name, element), Found::Beginning);
        PREFIXES.iter().any(|&prefix| {
            NAMES.iter().any(|&(name, element)| {
                let is_read = match (prefix, element) {
                    (_, Wrapper) => self.is_wrapper_read(name),
                    (None, Function | Invoke) => self.rules.reads(Envelope::Dsml),
                    (_, Function) => self.rules.reads(Envelope::FunctionXml),
                    (_, Invoke) => self.rules.reads(Envelope::Invoke),
                    _ => false,
                };
                is_read && begins(prefix, name, element)
            })
        })
    }

    /// Returns whether a call of a family that is read may begin with this wrapper.
    fn is_wrapper_read(&self, name: &str) -> bool {
        use Envelope::{Dsml, FunctionXml, Glm, Hermes, Invoke};
        let reads = |families: &[Envelope]| families.iter().any(|family| self.rules.reads(*family));
        reads(&[Dsml, FunctionXml, Hermes, Invoke]) || name == "tool_call" && reads(&[Glm])
    }

    /// Returns whether the stream ends in what may become an opener that is a tag.
    pub(super) fn is_beginning_of_an_opener(&self, at: usize) -> bool {
        matches!(self.call_tag(at), Err(Found::Beginning))
    }

    /// A token: its end, or its beginning at the end of the stream.
    ///
    /// "tokens (`<|…|>`, `<｜…｜>`) are at most 256 bytes long (limit `tag`)"; "Each `▁` may be `_`,
    /// a space or `\\_`."
    fn token(&self, at: usize, token: &str) -> Token {
        let fits = |end: usize, missing: usize| self.offset(end) - self.offset(at) + missing <= self.rules.tag;
        let mut p = at;
        let mut rest = token.chars();
        while let Some(wanted) = rest.next() {
            let is_escaped = wanted == '▁' && self.peek(p) == Some('\\');
            p += usize::from(is_escaped);
            let Some(c) = self.peek(p) else {
                // The shortest that is missing: a separator may have one byte.
                let missing = |c: char| if c == '▁' { 1 } else { c.len_utf8() };
                let missing = missing(wanted) + rest.map(missing).sum::<usize>();
                return if fits(p, missing) { Token::Beginning } else { Token::Text };
            };
            let is_separator = wanted == '▁' && (c == '_' || !is_escaped && "▁ ".contains(c));
            if !is_separator && (is_escaped || c != wanted) {
                return Token::Text;
            }
            p += 1;
        }
        if fits(p, 0) { Token::Ends(p) } else { Token::Text }
    }

    fn one_of(&self, at: usize, tokens: &[&str]) -> Option<usize> {
        tokens.iter().find_map(|token| match self.token(at, token) {
            Token::Ends(end) => Some(end),
            Token::Beginning | Token::Text => None,
        })
    }

    /// Returns whether an opener of an envelope is here that ends a call before it.
    ///
    /// Decided: a call tag, a wrapper after which a family may follow that is read, and the first
    /// tokens of the others (`<|start|>` alone); not a `{`.
    fn is_opener(&self, at: usize) -> bool {
        let reads = |families: &[Envelope]| families.iter().any(|family| self.rules.reads(*family));
        let is_tag = match self.call_tag(at) {
            Ok(_) => true,
            Err(Found::Tag(tag)) if tag.value.is_none() => self.is_wrapper_read(tag.name),
            Err(_) => false,
        };
        is_tag
            || reads(&[Envelope::Harmony]) && self.one_of(at, &["<|start|>", CHANNEL]).is_some()
            || reads(&[Envelope::Kimi]) && self.one_of(at, &KIMI_OPENERS).is_some()
            || reads(&[Envelope::Deepseek]) && self.one_of(at, &DEEPSEEK_OPENERS).is_some()
            || reads(&[Envelope::Llama]) && self.one_of(at, &LLAMA_OPENERS).is_some()
    }

    fn is_tools_opening_tag(&self, at: usize) -> bool {
        self.peek(at) == Some('<') && (self.ask_open(at).is_some() || self.tool_open(at).is_some())
    }
}

/// "a call tag whose `NAME` is no name [..] is text."
///
/// Decided: so is a parameter's tag whose `KEY` is empty, as one without a `name`.
fn is_named(element: Element, value: Option<&str>) -> bool {
    match (element, value) {
        (Function | Invoke, Some(name)) => is_name(name),
        (Wrapper, Some(name)) => is_name(name),
        (Parameter, Some(key)) => !key.is_empty(),
        (Function | Invoke | Parameter, None) => false,
        (Wrapper, None) | (Key | Element::Value, _) => true,
    }
}

/// The family of a call tag; `None` for a wrapper.
///
/// "a call tag with the DSML prefix is of the family `dsml`"
fn family(tag: &Tag) -> Option<Envelope> {
    tag.value.as_ref()?;
    Some(match (tag.prefix, tag.element) {
        (None, _) => Envelope::Dsml,
        (_, Function) => Envelope::FunctionXml,
        (_, Invoke) => Envelope::Invoke,
        (Some("xai:"), _) => Envelope::Invoke,
        _ => Envelope::Hermes,
    })
}

/// The tokens that end a section of a family.
fn section_ends(family: Envelope) -> &'static [&'static str] {
    match family {
        Envelope::Kimi => &SECTION_ENDS,
        Envelope::Deepseek => &DEEPSEEK_SECTION_ENDS,
        _ => &[],
    }
}

enum Token {
    Text,
    Beginning,
    Ends(usize),
}

const CHANNEL: &str = "<|channel|>";
const SECTIONS: [&str; 2] = ["<|tool_calls_section_begin|>", "<|tool_call_section_begin|>"];
const SECTION_ENDS: [&str; 2] = ["<|tool_calls_section_end|>", "<|tool_call_section_end|>"];
const KIMI_OPENERS: [&str; 3] = [SECTIONS[0], SECTIONS[1], "<|tool_call_begin|>"];

// ----------------------------------------------------------------------------------------- headers

/// What closes a call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Closer {
    /// Decided: `</function>` and `</invoke>` are the same.
    Tag(Element),
    Token(&'static str),
    /// The end of a list of `mistral`, or what is between two of its objects.
    List,
    /// One of the tokens that end a call of `llama`.
    Llama,
    /// "none: it ends with its JSON"
    None,
}

/// What follows the header of a call.
enum Body {
    /// The parameters, with tags. In `glm` they are keys and values.
    Parameters,
    KeysAndValues,
    /// The JSON arguments themselves.
    Arguments,
    /// The object in which the name and the arguments are, from this index on.
    Object(usize),
}

/// The header of a call.
struct Head {
    family: Envelope,
    name: String,
    /// The index of the body.
    body: usize,
    what: Body,
    closer: Closer,
    /// A wrapper (a section) is open that is not the call itself.
    in_wrapper: bool,
    is_fenced: bool,
    /// The index after the character with which it is certain.
    certain: usize,
}

impl Head {
    fn is_closed_by(&self, element: Element) -> bool {
        match self.closer {
            Closer::Tag(Function | Invoke) => matches!(element, Function | Invoke),
            Closer::Tag(own) => own == element,
            Closer::Token(_) | Closer::List | Closer::Llama | Closer::None => false,
        }
    }

    fn is_ours(&self) -> bool {
        self.name == OUR_TOOL
    }
}

/// It is no header.
enum No {
    /// Here is the first character that no header can have, or the `<` of the tag that it is in.
    At(usize),
    /// The stream ends in it. `true` if "the call is `Rejected`, truncated".
    Ends(bool),
}

type Try<T> = Result<T, No>;

impl Reader<'_> {
    /// Reads the header that begins here, in prose, or in the wrapper or section of the last call:
    /// `open` is its family, and whether it was an object.
    fn header(&self, at: usize, line_begins: bool, open: Option<(Envelope, bool)>) -> Try<Head> {
        let mut tags = Vec::new();
        let mut all = Vec::new();
        match open {
            Some((Envelope::Kimi, _)) => all.push(self.kimi(at, true, &mut tags)),
            Some((Envelope::Deepseek, _)) => all.push(self.deepseek(self.space(at), true, &mut tags)),
            Some((family @ (Envelope::Mistral | Envelope::Llama), _)) => all.push(self.next_object(family, at)),
            Some((_, after_object)) => {
                let next = self.space(at);
                // "If a wrapper (a section) is open and the next call follows in it, after nothing
                // but space, that space belongs to the next call's header; after JSON, so does a
                // `{`." Decided: after an object with the name and the arguments.
                if after_object || self.peek(next) != Some('{') {
                    all.push(self.after_wrapper(next, None, &mut tags));
                } else {
                    all.push(Err(No::At(next)));
                }
            }
            None => {
                all.push(self.tagged(at, &mut tags));
                all.push(self.harmony(at, &mut tags));
                all.push(self.kimi(at, false, &mut tags));
                all.push(self.mistral(at));
                all.push(self.deepseek(at, false, &mut tags));
                all.push(self.llama(at, &mut tags));
                if line_begins {
                    all.push(self.bare_json(at));
                }
            }
        }
        // A call, else what the stream ends in, else the header that goes the farthest.
        let rank = |header: &Try<Head>| match header {
            Ok(_) => (2, 0),
            Err(No::Ends(_)) => (1, 0),
            Err(No::At(first)) => (0, *first),
        };
        let header = all.into_iter().max_by_key(rank).expect("one is tried");
        // "or if it becomes longer than the `unconfirmed` limit (2 KiB)"
        let limit = self.offset(at).saturating_add(self.rules.unconfirmed);
        let length = self.chars.len();
        let beyond = (at..length).find(|at| self.offset(*at) + self.chars[*at].c.len_utf8() > limit);
        let Some(beyond) = beyond else { return header };
        let in_tag = tags.iter().find(|(from, to)| (*from..*to).contains(&beyond));
        let beyond_tag = in_tag.map_or(beyond, |(from, _)| *from);
        match header {
            Ok(head) if head.certain <= beyond => Ok(head),
            Err(No::At(first)) if first < beyond_tag => Err(No::At(first)),
            // "The limit does not count that beginning."
            Err(No::Ends(true)) if matches!(self.element(beyond_tag, &|_, _| true), Found::Beginning) => header,
            _ => Err(No::At(beyond_tag)),
        }
    }

    /// "a call tag [..]; a wrapper may be before it", or a wrapper and what may follow it.
    fn tagged(&self, at: usize, tags: &mut Vec<(usize, usize)>) -> Try<Head> {
        let wrapper = match self.call_tag(at) {
            Ok((tag, family)) => return self.after_call_tag(at, tag, family, false, tags),
            Err(Found::Tag(tag)) if tag.value.is_none() && self.is_wrapper_read(tag.name) => tag,
            Err(Found::Beginning) => {
                tags.push((at, self.chars.len()));
                return Err(No::Ends(false));
            }
            Err(_) => return Err(No::At(at)),
        };
        tags.push((at, wrapper.end));
        self.after_wrapper(self.space(wrapper.end), Some(wrapper.name), tags)
    }

    /// What follows a wrapper and space: a call tag, an object, or a name after `<tool_call>`.
    ///
    /// Decided: in a wrapper that is open after a call, no name is the next one.
    fn after_wrapper(&self, at: usize, wrapper: Option<&str>, tags: &mut Vec<(usize, usize)>) -> Try<Head> {
        let Some(c) = self.peek(at) else { return Err(No::Ends(false)) };
        if c == '<' {
            return match self.call_tag(at) {
                Ok((tag, family)) => self.after_call_tag(at, tag, family, true, tags),
                Err(Found::Beginning) => {
                    tags.push((at, self.chars.len()));
                    Err(No::Ends(false))
                }
                Err(Found::Tag(tag)) => {
                    tags.push((at, tag.end));
                    Err(No::At(at))
                }
                Err(Found::Nothing) => Err(No::At(at)),
            };
        }
        if wrapper == Some("tool_call") && self.rules.reads(Envelope::Glm) && (c.is_ascii_alphabetic() || c == '_') {
            return self.glm(at, tags);
        }
        // "after JSON, so does a `{`"
        if !self.rules.reads(Envelope::Hermes) || wrapper.is_none() && c != '{' {
            return Err(No::At(at));
        }
        let (object, is_fenced) = self.fenced_object(at)?;
        let (name, certain) = self.object_header(object, false)?;
        Ok(Head {
            family: Envelope::Hermes,
            name,
            body: object,
            what: Body::Object(object),
            closer: Closer::Tag(Wrapper),
            in_wrapper: true,
            is_fenced,
            certain,
        })
    }

    /// "is a call once a parameter's opening tag, `{`, or a close tag `function`, `invoke` or of a
    /// wrapper follows"
    fn after_call_tag(
        &self,
        at: usize,
        tag: Tag,
        family: Envelope,
        in_wrapper: bool,
        tags: &mut Vec<(usize, usize)>,
    ) -> Try<Head> {
        tags.push((at, tag.end));
        let name = bare_name(&tag.value.expect("it is a call tag")).to_string();
        let is_ours = name == OUR_TOOL;
        let closer = Closer::Tag(tag.element);
        let head = |body: usize, what: Body, is_fenced: bool, certain: usize| Head {
            family,
            name,
            body,
            what,
            closer,
            in_wrapper,
            is_fenced,
            certain,
        };
        let next = self.space(tag.end);
        match self.peek(next) {
            // "If the stream ends in a header after the tag or name that names our tool, and
            // nothing but space and the beginning of a tag has followed, the call is `Rejected`,
            // truncated"
            None => Err(No::Ends(is_ours)),
            Some('<') => {
                // Decided: `</function>` and `</invoke>` mean nothing to a call that a wrapper
                // names.
                let is_wrappers = closer == Closer::Tag(Wrapper);
                let follows = |side: Side, element: Element| match side {
                    Open => element == Parameter,
                    Close => element == Wrapper || !is_wrappers && matches!(element, Function | Invoke),
                };
                match self.element(next, &follows) {
                    Found::Tag(tag) => {
                        tags.push((next, tag.end));
                        Ok(head(next, Body::Parameters, false, tag.end))
                    }
                    Found::Beginning => {
                        tags.push((next, self.chars.len()));
                        Err(No::Ends(is_ours))
                    }
                    Found::Nothing => Err(No::At(next)),
                }
            }
            Some(_) => {
                let (object, is_fenced) = self.fenced_object(next)?;
                Ok(head(object, Body::Arguments, is_fenced, object + 1))
            }
        }
    }

    /// "Before the `{` after a wrapper, a call tag or the name of `glm` may be the opening line of
    /// a fence: three back-ticks, up to 16 letters, space, and a line end."
    ///
    /// Decided: the line ends with LF, and letters are those of ASCII.
    fn fenced_object(&self, at: usize) -> Try<(usize, bool)> {
        let ends = |at: usize| if at == self.chars.len() { No::Ends(false) } else { No::At(at) };
        if self.peek(at) == Some('{') {
            return Ok((at, false));
        }
        let mut p = self.literal(at, "```").map_err(ends)?;
        let letters = p;
        while p < letters + 16 && self.peek(p).is_some_and(|c| c.is_ascii_alphabetic()) {
            p += 1;
        }
        while self.peek(p).is_some_and(|c| is_tag_space(c) && c != '\n') {
            p += 1;
        }
        let object = self.space(self.literal(p, "\n").map_err(ends)?);
        self.literal(object, "{").map_err(ends)?;
        Ok((object, true))
    }

    /// Returns the end of a name that begins here.
    fn name(&self, at: usize, ends: &str) -> Try<usize> {
        let mut p = at;
        loop {
            match self.peek(p) {
                None => return Err(No::Ends(false)),
                Some(c) if p > at && ends.contains(c) => return Ok(p),
                Some(_) if !is_name(&self.string(at, p + 1)) => return Err(No::At(p)),
                Some(_) => p += 1,
            }
        }
    }

    fn string(&self, from: usize, to: usize) -> String {
        self.chars[from..to].iter().map(|c| c.c).collect()
    }

    /// "a wrapper `tool_call`", the name "after it, up to space, `{` or `<`", a call once
    /// "`<arg_key>` or `{` follows; for our tool also a close tag of a wrapper"
    fn glm(&self, at: usize, tags: &mut Vec<(usize, usize)>) -> Try<Head> {
        let end = self.name(at, " \t\r\n{<")?;
        let name = bare_name(&self.string(at, end)).to_string();
        let is_ours = name == OUR_TOOL;
        let head = |body: usize, what: Body, is_fenced: bool, certain: usize| Head {
            family: Envelope::Glm,
            name,
            body,
            what,
            closer: Closer::Tag(Wrapper),
            in_wrapper: true,
            is_fenced,
            certain,
        };
        let next = self.space(end);
        match self.peek(next) {
            None => Err(No::Ends(false)),
            Some('<') => {
                let follows = |side: Side, element: Element| match side {
                    Open => element == Key,
                    Close => element == Wrapper && is_ours,
                };
                match self.element(next, &follows) {
                    Found::Tag(tag) => {
                        tags.push((next, tag.end));
                        Ok(head(next, Body::KeysAndValues, false, tag.end))
                    }
                    Found::Beginning => {
                        tags.push((next, self.chars.len()));
                        Err(No::Ends(false))
                    }
                    Found::Nothing => Err(No::At(next)),
                }
            }
            Some(_) => {
                let (object, is_fenced) = self.fenced_object(next)?;
                Ok(head(object, Body::Arguments, is_fenced, object + 1))
            }
        }
    }

    /// A token that must be here.
    fn expect(&self, at: usize, token: &str, tags: &mut Vec<(usize, usize)>) -> Try<usize> {
        match self.token(at, token) {
            Token::Ends(end) => {
                tags.push((at, end));
                Ok(end)
            }
            Token::Beginning => {
                tags.push((at, self.chars.len()));
                Err(No::Ends(false))
            }
            Token::Text => Err(No::At(at)),
        }
    }

    /// One of several tokens that must be here.
    fn expect_one(&self, at: usize, tokens: &[&str], tags: &mut Vec<(usize, usize)>) -> Try<usize> {
        let mut no = Err(No::At(at));
        for token in tokens {
            match self.expect(at, token, tags) {
                Ok(end) => return Ok(end),
                Err(No::Ends(truncated)) => no = Err(No::Ends(truncated)),
                Err(No::At(_)) => {}
            }
        }
        no
    }

    /// The rows of `harmony`. "The text between two of its tokens is at most 160 bytes long."
    fn harmony(&self, at: usize, tags: &mut Vec<(usize, usize)>) -> Try<Head> {
        let read = self.harmony_of_any_length(at, tags);
        let mut p = at;
        while let Some(from) = self.one_of(p, &["<|start|>", CHANNEL, "<|constrain|>"]) {
            let next = (from..self.chars.len()).find(|p| self.chars[*p].c == '<').unwrap_or(self.chars.len());
            let beyond = (from..next).find(|p| self.offset(p + 1) - self.offset(from) > 160);
            match (beyond, &read) {
                (Some(beyond), Err(No::At(wrong))) if *wrong < beyond => break,
                (Some(beyond), _) => return Err(No::At(beyond)),
                (None, _) => p = next,
            }
        }
        read
    }

    /// Decided: "blanks that are no line ends" are space and tab, and one at least is before `to=`;
    /// a word is letters of ASCII.
    fn harmony_of_any_length(&self, at: usize, tags: &mut Vec<(usize, usize)>) -> Try<Head> {
        if !self.rules.reads(Envelope::Harmony) {
            return Err(No::At(at));
        }
        let blanks = |mut p: usize| {
            while matches!(self.peek(p), Some(' ' | '\t')) {
                p += 1;
            }
            p
        };
        let ends = |p: usize| if p == self.chars.len() { No::Ends(false) } else { No::At(p) };
        // ` to=NAME`, from the blanks on: the name and the index after it.
        let recipient = |from: usize| -> Try<(String, usize)> {
            let p = self.literal(blanks(from), "to=").map_err(ends)?;
            if blanks(from) == from {
                return Err(No::At(from));
            }
            let end = self.name(p, " \t<")?;
            Ok((bare_name(&self.string(p, end)).to_string(), end))
        };
        let mut to = None;
        let mut p = at;
        match self.token(at, "<|start|>") {
            Token::Ends(end) => {
                tags.push((at, end));
                p = self.literal(end, "assistant").map_err(ends)?;
                if blanks(p) > p && matches!(self.peek(blanks(p)), None | Some('t')) {
                    let (name, end) = recipient(p)?;
                    to = Some(name);
                    p = end;
                }
                p = blanks(p);
            }
            Token::Beginning => {
                tags.push((at, self.chars.len()));
                return Err(No::Ends(false));
            }
            Token::Text => {}
        }
        if p == self.chars.len() {
            return Err(No::Ends(false));
        }
        p = blanks(self.expect(p, CHANNEL, tags)?);
        let word = (p..self.chars.len()).find(|p| !self.chars[*p].c.is_ascii_alphabetic()).unwrap_or(self.chars.len());
        let channel = self.string(p, word);
        let channels = ["analysis", "commentary", "final"];
        if !channels.contains(&channel.as_str()) {
            // The first letter that no channel has there.
            let viable = (p..=word).take_while(|end| channels.iter().any(|c| c.starts_with(&self.string(p, *end))));
            return Err(ends(viable.last().expect("an empty one is")));
        }
        p = word;
        let name = match to {
            Some(name) => name,
            None => {
                let (name, end) = recipient(p)?;
                p = end;
                name
            }
        };
        // "After the channel and the name may come a word of letters (as `json`), and then
        // `<|constrain|>`, with such a word or without one."
        let word = |from: usize| {
            let from = blanks(from);
            blanks(
                (from..self.chars.len()).find(|p| !self.chars[*p].c.is_ascii_alphabetic()).unwrap_or(self.chars.len()),
            )
        };
        p = word(p);
        if self.peek(p) == Some('<') && !matches!(self.token(p, "<|message|>"), Token::Ends(_)) {
            p = word(self.expect_one(p, &["<|constrain|>", "<|message|>"], tags)?);
        }
        if p == self.chars.len() {
            return Err(No::Ends(false));
        }
        let body = self.expect(p, "<|message|>", tags)?;
        Ok(Head {
            family: Envelope::Harmony,
            name,
            body,
            what: Body::Arguments,
            closer: Closer::Token("<|call|>"),
            in_wrapper: false,
            is_fenced: false,
            certain: body,
        })
    }

    /// The row of `kimi`, in a section that is open already or not.
    fn kimi(&self, at: usize, in_section: bool, tags: &mut Vec<(usize, usize)>) -> Try<Head> {
        if !self.rules.reads(Envelope::Kimi) {
            return Err(No::At(at));
        }
        let begin = |p: usize, tags: &mut Vec<(usize, usize)>| match self.peek(p) {
            None => Err(No::Ends(false)),
            Some(_) => self.expect(p, "<|tool_call_begin|>", tags),
        };
        let (in_wrapper, p) = if in_section {
            (true, begin(self.space(at), tags)?)
        } else {
            let end = self.expect_one(at, &KIMI_OPENERS, tags)?;
            match self.one_of(at, &SECTIONS) {
                Some(_) => (true, begin(self.space(end), tags)?),
                None => (false, end),
            }
        };
        let p = self.space(p);
        let end = self.name(p, " \t\r\n<")?;
        let next = self.space(end);
        if next == self.chars.len() {
            return Err(No::Ends(false));
        }
        let body = self.expect(next, "<|tool_call_argument_begin|>", tags)?;
        Ok(Head {
            family: Envelope::Kimi,
            name: bare_name(&self.string(p, end)).to_string(),
            body,
            what: Body::Arguments,
            closer: Closer::Token("<|tool_call_end|>"),
            in_wrapper,
            is_fenced: false,
            certain: body,
        })
    }

    /// "`{`", the name "in the object, before the arguments"
    fn bare_json(&self, at: usize) -> Try<Head> {
        if !self.rules.reads(Envelope::BareJson) || self.peek(at) != Some('{') {
            return Err(No::At(at));
        }
        let (name, certain) = self.object_header(at, true)?;
        Ok(Head {
            family: Envelope::BareJson,
            name,
            body: at,
            what: Body::Object(at),
            closer: Closer::None,
            in_wrapper: false,
            is_fenced: false,
            certain,
        })
    }
}

// ----------------------------------------------------------------------------------------- objects

/// How a JSON value ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum JsonEnd {
    /// Before this index.
    At(usize),
    /// The character at this index can't be JSON.
    Wrong(usize),
    /// With the stream.
    Stream,
}

/// A JSON object with the name of a tool and its arguments.
struct Object<'a> {
    lexer: ArgumentsReader<'a>,
    /// Bare JSON, in which other keys are not allowed.
    is_bare: bool,
    /// The name, and the index after the `"` that ends it.
    name: Option<(String, usize)>,
    /// The index of the arguments' first character, and their end.
    arguments: Option<(usize, JsonEnd)>,
    /// The index after the character with which the header ends.
    certain: Option<usize>,
    /// The first character that no header can have.
    no: Option<usize>,
    /// How many of the objects are open that hold the name: one, or two in `function`.
    open: usize,
}

const NAME_KEYS: [&str; 4] = ["name", "tool", "tool_name", "function"];
const ARGUMENTS_KEYS: [&str; 4] = ["arguments", "parameters", "input", "args"];
const OUR_KEYS: [&str; 6] = ["question", "follow_up", "suggestions", "options", "suggest", "suggestion"];

/// What `Parsed` has when the object is no call.
const NO_CALL: &str = "no call";

impl Object<'_> {
    fn fail<T>(&mut self, at: usize) -> Parsed<T> {
        self.no = Some(at);
        Err(NO_CALL)
    }

    /// Returns whether a key may come here in bare JSON, or may begin like this.
    ///
    /// "In bare JSON no other keys but `type` and `id` (with strings) may come before the
    /// arguments"
    ///
    /// Decided: the keys of the name may come again, with strings; the arguments come after it.
    fn may_come(&self, key: &str, is_whole: bool) -> bool {
        let mut keys = [&NAME_KEYS[..], &["type", "id"]].concat();
        if self.name.is_some() {
            keys.extend(ARGUMENTS_KEYS);
        }
        keys.iter().any(|one| if is_whole { *one == key } else { one.starts_with(key) })
    }

    fn is_free(&self) -> bool {
        !self.is_bare || self.certain.is_some()
    }

    /// Reads a string as far as `takes` allows.
    fn string(&mut self, takes: &dyn Fn(&str) -> bool) -> Parsed<String> {
        let mut text = String::new();
        let mut no = None;
        let read = self.lexer.string(&mut |lexer, c| {
            text.push(c);
            if takes(&text) {
                return Ok(());
            }
            no = Some(lexer.at - 1);
            Err(NO_CALL)
        });
        self.no = no;
        read.map(|()| text)
    }

    /// Reads the members of an object.
    ///
    /// "the tool's name is the string of the first key `name`, `tool`, `tool_name` or `function`
    /// that has a string"; "the arguments are the value of the first key `arguments`, `parameters`,
    /// `input` or `args`"; "if `function` is an object, its keys count like those of the outer
    /// object."
    fn members(&mut self, depth: usize) -> Parsed<()> {
        self.open = depth;
        self.lexer.eat('{')?;
        self.lexer.space();
        if self.lexer.need()? == '}' {
            return self.lexer.eat('}');
        }
        loop {
            self.lexer.space();
            let (is_free, allowed) = (self.is_free(), self.keys());
            let key = self.string(&|key| is_free || allowed.iter().any(|one| one.starts_with(key)))?;
            if !is_free && !self.may_come(&key, true) {
                return self.fail(self.lexer.at - 1);
            }
            self.lexer.space();
            self.lexer.eat(':')?;
            self.lexer.space();
            self.value(&key, depth)?;
            self.lexer.space();
            if self.lexer.need()? == '}' {
                return self.lexer.eat('}');
            }
            self.lexer.eat(',')?;
        }
    }

    fn keys(&self) -> Vec<&'static str> {
        let all = [&NAME_KEYS[..], &["type", "id"], &ARGUMENTS_KEYS].concat();
        all.into_iter().filter(|key| self.may_come(key, true)).collect()
    }

    fn value(&mut self, key: &str, depth: usize) -> Parsed<()> {
        let at = self.lexer.at;
        let kind = self.lexer.kind()?;
        if key == "function" && kind == Kind::Object && depth == 1 {
            self.members(2)?;
            self.open = 1;
            return Ok(());
        }
        if ARGUMENTS_KEYS.contains(&key) && self.arguments.is_none() {
            if self.is_bare && self.certain.is_none() {
                self.certain = Some(self.key_of_ours()?);
            }
            self.lexer.at = at;
            self.arguments = Some((at, JsonEnd::Stream));
            let read = self.lexer.nothing(1);
            let end = match read {
                Ok(()) => JsonEnd::At(self.lexer.at),
                Err("truncated") => JsonEnd::Stream,
                Err(_) => JsonEnd::Wrong(self.lexer.at),
            };
            self.arguments = Some((at, end));
            return read;
        }
        if NAME_KEYS.contains(&key) && kind == Kind::Text && self.name.is_none() {
            let is_bare = self.is_bare;
            // "A string that is no name, with space around it or not, makes the object no call."
            let takes = |name: &str| match is_bare {
                true => can_be_ours(name),
                false => name.is_empty() || is_name(name),
            };
            let string = self.string(&|string| trimmed_name(string).is_some_and(takes))?;
            let name = trimmed_name(&string).expect("it is one").to_string();
            let end = self.lexer.at;
            if name.is_empty() || is_bare && bare_name(&name) != OUR_TOOL {
                return self.fail(end - 1);
            }
            self.name = Some((name, end));
            if !self.is_bare {
                self.certain = Some(end);
            }
            return Ok(());
        }
        if !self.is_free() && kind != Kind::Text {
            return self.fail(at);
        }
        self.lexer.nothing(depth + 1)
    }

    /// Returns the index after the first key of ours in the arguments, which are an object in bare
    /// JSON.
    fn key_of_ours(&mut self) -> Parsed<usize> {
        if self.lexer.kind()? != Kind::Object {
            return self.fail(self.lexer.at);
        }
        match first_key_of_ours(&mut self.lexer)? {
            true => Ok(self.lexer.at),
            false => self.fail(self.lexer.at - 1),
        }
    }
}

/// Returns a text without the space around it; `None` if there is space in it.
fn trimmed_name(text: &str) -> Option<&str> {
    let name = text.trim_matches(is_tag_space);
    (!name.contains(is_tag_space)).then_some(name)
}

/// Reads up to the first character of the value of the first key of ours that "has a value that
/// begins with `"` or `[`", or to the end of the object.
fn first_key_of_ours(lexer: &mut ArgumentsReader<'_>) -> Parsed<bool> {
    lexer.space();
    lexer.eat('{')?;
    lexer.space();
    if lexer.need()? == '}' {
        return lexer.eat('}').map(|()| false);
    }
    loop {
        lexer.space();
        let mut key = String::new();
        lexer.string(&mut |_, c| {
            key.push(c);
            Ok(())
        })?;
        lexer.space();
        lexer.eat(':')?;
        lexer.space();
        if OUR_KEYS.contains(&key.as_str()) && matches!(lexer.need()?, '"' | '[') {
            lexer.at += 1;
            return Ok(true);
        }
        lexer.nothing(2)?;
        lexer.space();
        if lexer.need()? == '}' {
            return lexer.eat('}').map(|()| false);
        }
        lexer.eat(',')?;
    }
}

impl<'a> Reader<'a> {
    fn lexer(&self, at: usize) -> ArgumentsReader<'a> {
        let text: String = self.chars.iter().map(|c| c.c).collect();
        let mut lexer = ArgumentsReader::new(&text, self.rules, true);
        lexer.at = at;
        lexer
    }

    /// Reads the object that begins here as far as it goes.
    fn object(&self, at: usize, is_bare: bool) -> (Object<'a>, JsonEnd) {
        let lexer = self.lexer(at);
        let mut object = Object { lexer, is_bare, name: None, arguments: None, certain: None, no: None, open: 0 };
        let end = match object.members(1) {
            Ok(()) => JsonEnd::At(object.lexer.at),
            Err("truncated") => JsonEnd::Stream,
            Err(_) => JsonEnd::Wrong(object.lexer.at),
        };
        (object, end)
    }

    /// "is a call once its name is complete"; in bare JSON "the name is ours, and in its arguments
    /// a key of ours [..] has a value that begins with `"` or `[`".
    fn object_header(&self, at: usize, is_bare: bool) -> Try<(String, usize)> {
        let (object, end) = self.object(at, is_bare);
        match (object.certain, object.no, end) {
            (Some(certain), _, _) => {
                let (name, _) = object.name.expect("it is read before");
                Ok((bare_name(&name).to_string(), certain))
            }
            (None, Some(no), _) => Err(No::At(no)),
            (None, None, JsonEnd::At(end)) => Err(No::At(end - 1)),
            (None, None, JsonEnd::Wrong(at)) => Err(No::At(at)),
            (None, None, JsonEnd::Stream) => Err(No::Ends(false)),
        }
    }

    /// Returns how a JSON value ends.
    fn json_end(&self, at: usize) -> JsonEnd {
        let mut lexer = self.lexer(at);
        match lexer.nothing(1) {
            Ok(()) => JsonEnd::At(lexer.at),
            Err("truncated") => JsonEnd::Stream,
            Err(_) => JsonEnd::Wrong(lexer.at),
        }
    }
}

// ------------------------------------------------------------------------------------------- calls

/// A call in an envelope.
struct Call<'a> {
    head: Head,
    /// The index of its first character.
    start: usize,
    /// What it has: `None` for another tool's.
    has: Option<ArgumentsReader<'a>>,
    wrong: Option<&'static str>,
    /// A parameter has come.
    parameters: bool,
}

/// Where a call ends, before the close tags of wrappers after it.
enum CallEnd {
    At(usize),
    /// Before an opener at the first index, after text from the second index on.
    Before(usize, usize),
    /// With the stream; `true` in a value, or in JSON arguments.
    Stream(bool),
    /// With the stream, after its JSON.
    AfterJson,
    /// After a close tag of a wrapper, which was not its own.
    AfterWrapper(usize),
}

/// Where a value in a parameter ends.
enum ValueEnd {
    /// At its own close tag, which ends at the second index.
    Closed(usize, usize),
    /// Before another tag.
    Unclosed(usize),
    /// With the stream; without the beginning of a tag that would end it.
    Stream(usize),
}

impl Call<'_> {
    fn repair(&mut self, note: &'static str) {
        if self.wrong.is_none()
            && let Some(has) = &mut self.has
        {
            has.notes.insert(note);
        }
    }

    fn goes_wrong(&mut self, reason: &'static str) {
        self.wrong.get_or_insert(reason);
    }
}

impl<'a> Reader<'a> {
    /// Reads what begins here in prose: the calls of one envelope, or text that is no header.
    pub(super) fn envelopes(&mut self, at: usize, line_begins: bool) -> Prose {
        let mut start = at;
        let mut open = None;
        let mut between = None;
        loop {
            match self.header(start, line_begins, open) {
                Ok(head) => {
                    let after = (head.family, matches!(head.what, Body::Object(_)));
                    let (end, is_open, text) = self.envelope(start, head);
                    between = text;
                    // "If a wrapper (a section) is open, and the next call follows in it, then what
                    // is between the two belongs to that one."
                    if !is_open {
                        return Prose::AfterCall(end, end, between);
                    }
                    (start, open) = (end, Some(after));
                }
                Err(No::Ends(true)) => {
                    self.rejected(start);
                    return Prose::AfterCall(self.chars.len(), 0, None);
                }
                Err(no) => {
                    let end = if let No::At(end) = no { end } else { self.chars.len() };
                    return match open {
                        Some(_) => Prose::AfterCall(start, end, between),
                        None if end > at => Prose::After(end),
                        None => Prose::GoesOn,
                    };
                }
            }
        }
    }

    /// "the call is `Rejected`, truncated"
    fn rejected(&mut self, start: usize) {
        let ended = EndedCall {
            call: self.calls,
            span: (self.byte(start) as u64, self.byte(self.chars.len()) as u64),
            question: None,
            suggest: Vec::new(),
            notes: Default::default(),
        };
        self.calls += 1;
        self.shown.push(Atom::Rejected("truncated", ended));
    }

    /// Reads a call. Returns the index after it, whether its wrapper is still open, and if an
    /// opener ended it, where the text before that begins.
    fn envelope(&mut self, start: usize, head: Head) -> (usize, bool, Option<usize>) {
        let mut has = head.is_ours().then(|| ArgumentsReader::new("", self.rules, false));
        if let Some(has) = &mut has {
            has.notes.insert(head.family.name());
        }
        let mut call = Call { head, start, has, wrong: None, parameters: false };
        let end = match call.head.what {
            Body::Parameters => self.parameters_of(&mut call),
            Body::KeysAndValues => self.keys_and_values(&mut call),
            Body::Arguments => self.arguments_of(&mut call),
            Body::Object(at) => self.object_of(&mut call, at),
        };
        let mut is_open = call.head.in_wrapper;
        let mut between = None;
        let (end, by_stream) = match end {
            // "No envelope starts in code, or right after a back-tick."
            CallEnd::Before(end, from) => {
                is_open &= self.may_start_after(from, end);
                between = Some(from);
                (end, None)
            }
            CallEnd::Stream(in_value) => (self.chars.len(), Some(in_value)),
            CallEnd::AfterJson => (self.chars.len(), None),
            CallEnd::AfterWrapper(end) => {
                is_open = false;
                (end, None)
            }
            CallEnd::At(end) => {
                // Its own close tag was the wrapper's.
                if matches!(call.head.what, Body::KeysAndValues | Body::Object(_)) || call.head.family == Envelope::Glm
                {
                    is_open &= !self.is_after_wrappers_close(end);
                }
                // "After its own close tag and space, a close tag of a wrapper belongs to a call
                // that a tag `function` or `invoke` named, whether a wrapper was opened or not, and
                // `<|tool_calls_section_end|>` to one of `kimi`."
                let next = self.space(end);
                let further = match call.head.closer {
                    Closer::Tag(Function | Invoke) => {
                        self.tag(next, &|side, element| side == Close && element == Wrapper).map(|tag| tag.end)
                    }
                    Closer::Token(_) => self.one_of(next, section_ends(call.head.family)),
                    _ => None,
                };
                is_open &= further.is_none();
                (further.unwrap_or(end), None)
            }
        };
        if end == self.chars.len() {
            is_open = false;
        }
        self.end_call(call, end, by_stream);
        (end, is_open, between)
    }

    fn is_after_wrappers_close(&self, end: usize) -> bool {
        let closes = |side: Side, element: Element| side == Close && element == Wrapper;
        (0..end).any(|at| self.tag(at, &closes).is_some_and(|tag| tag.end == end))
    }

    /// Ends a call before this index. By the stream inside a value, or outside.
    fn end_call(&mut self, call: Call<'a>, end: usize, by_stream: Option<bool>) {
        let Call { head, start, has, mut wrong, .. } = call;
        let Some(mut has) = has else {
            // "Any other tool's call in an envelope is `Opaque`, with its bare name"
            for c in &self.chars[start..end] {
                self.shown.push(Atom::Opaque { index: self.opaques, tool: head.name.clone(), c: c.c });
            }
            self.opaques += 1;
            return;
        };
        // "In a value, or in arguments that are not closed, it is then `Rejected`, truncated.
        // Between parameters it is as if a call of markup were cut there."
        match (by_stream, &has.question) {
            (Some(true), _) | (Some(false), None) => wrong = wrong.or(Some("truncated")),
            (Some(false), Some(_)) => drop(has.notes.insert("StreamEnded")),
            (None, _) => {}
        }
        if has.question.is_none() {
            wrong = wrong.or(Some("missing_parameter"));
        }
        let calls = self.calls;
        for mut atom in has.shown.drain(..) {
            match &mut atom {
                Atom::Question { call, .. } | Atom::Answer { call, .. } | Atom::Mode { call, .. } => *call = calls,
                other => unreachable!("a call shows {other:?}"),
            }
            self.shown.push(atom);
        }
        let ended = EndedCall {
            call: calls,
            span: (self.byte(start) as u64, self.byte(end) as u64),
            question: has.question,
            suggest: has.suggest,
            notes: has.notes,
        };
        self.calls += 1;
        self.shown.push(match wrong {
            Some(reason) => Atom::Rejected(reason, ended),
            None => Atom::Complete(ended),
        });
    }

    // ---------------------------------------------------------------------------------- parameters

    /// Reads parameters with tags, from the tag that ended the header.
    fn parameters_of(&mut self, call: &mut Call<'a>) -> CallEnd {
        let mut at = call.head.body;
        let mut text = at;
        while let Some(c) = self.peek(at) {
            // "Text between parameters means nothing."
            if c != '<' {
                at += 1;
                continue;
            }
            // "or with the note `UnclosedEnvelope` before what is no part of it: an opener of an
            // envelope or a tool's opening tag outside a value"
            if self.is_tools_opening_tag(at) || self.is_opener(at) {
                call.repair("UnclosedEnvelope");
                return CallEnd::Before(at, text);
            }
            let wanted = |side: Side, element: Element| match side {
                Open => element == Parameter,
                Close => matches!(element, Function | Invoke | Wrapper),
            };
            match self.tag(at, &wanted) {
                None => at += 1,
                // "after its own close tag [..] or after a close tag of a wrapper if another was
                // its own"
                Some(tag) if tag.side == Close => {
                    if call.head.is_closed_by(tag.element) {
                        return CallEnd::At(tag.end);
                    }
                    if tag.element == Wrapper {
                        call.repair("UnclosedEnvelope");
                        return CallEnd::AfterWrapper(tag.end);
                    }
                    // A call that a wrapper names has no `</function>` and no `</invoke>`.
                    at = tag.end;
                }
                Some(tag) => {
                    let key = tag.value.expect("a parameter has a key");
                    match self.parameter(call, &key, tag.is_json, tag.end, Parameter) {
                        Ok(next) => (at, text) = (next, next),
                        Err(end) => return end,
                    }
                }
            }
        }
        CallEnd::Stream(false)
    }

    /// "In `glm` `<arg_key>KEY</arg_key>` names the parameter of the next `<arg_value>`"
    ///
    /// Decided: in a key only `</arg_key>` and a wrapper's close tag mean something.
    fn keys_and_values(&mut self, call: &mut Call<'a>) -> CallEnd {
        let mut at = call.head.body;
        let mut text = at;
        let mut key = None;
        // The index after an open `<arg_key>`.
        let mut open_key = None;
        while let Some(c) = self.peek(at) {
            if c != '<' {
                at += 1;
                continue;
            }
            if open_key.is_none() && (self.is_tools_opening_tag(at) || self.is_opener(at)) {
                call.repair("UnclosedEnvelope");
                return CallEnd::Before(at, text);
            }
            let is_in_key = open_key.is_some();
            let wanted = |side: Side, element: Element| match (side, element) {
                (Close, Wrapper) => true,
                (side, Key) => side == if is_in_key { Close } else { Open },
                (Open, Element::Value) => !is_in_key,
                _ => false,
            };
            let Some(tag) = self.tag(at, &wanted) else {
                at += 1;
                continue;
            };
            match (tag.side, tag.element) {
                (Close, Wrapper) => return CallEnd::At(tag.end),
                (Open, Key) => {
                    open_key = Some(tag.end);
                    key = None;
                    (at, text) = (tag.end, tag.end);
                }
                (Close, _) => {
                    if let Some(from) = open_key.take() {
                        key = Some(self.string(from, at).trim_matches(is_tag_space).to_string());
                    }
                    (at, text) = (tag.end, tag.end);
                }
                (Open, _) => {
                    open_key = None;
                    let key = key.take().unwrap_or_default();
                    match self.parameter(call, &key, tag.is_json, tag.end, Element::Value) {
                        Ok(next) => (at, text) = (next, next),
                        Err(end) => return end,
                    }
                }
            }
        }
        CallEnd::Stream(open_key.is_some())
    }

    /// "A parameter's value runs to `</parameter>`, or with the repair `UnclosedParameter` to what
    /// comes first of: the next parameter's opening tag, a close tag `function`, `invoke` or of a
    /// wrapper. In `glm` [..] to `</arg_value>`, or with the repair to the next `<arg_key>` or a
    /// close tag of a wrapper." "[In another tool's call] a parameter's value ends at its own close
    /// tag only."
    ///
    /// Decided: `</function>` and `</invoke>` mean nothing in a call that a wrapper names.
    fn value_end(&self, call: &Call<'a>, from: usize, of: Element) -> ValueEnd {
        let is_ours = call.has.is_some();
        let is_wrappers = call.head.closer == Closer::Tag(Wrapper);
        let wanted = |side: Side, element: Element| match (of, side, element) {
            (_, Close, element) if element == of => true,
            _ if !is_ours => false,
            (Parameter, Close, Function | Invoke) => !is_wrappers,
            (Parameter, Open, Parameter) | (Parameter, Close, Wrapper) => true,
            (Element::Value, Open, Key) | (Element::Value, Close, Wrapper) => true,
            _ => false,
        };
        for at in from..self.chars.len() {
            // "an opening tag right after a back-tick is text"
            let is_after_back_tick = at > from && self.is_after_back_tick(at);
            let wanted = |side: Side, element: Element| !(is_after_back_tick && side == Open) && wanted(side, element);
            match self.element(at, &wanted) {
                Found::Nothing => {}
                Found::Beginning => return ValueEnd::Stream(at),
                Found::Tag(tag) if (tag.side, tag.element) == (Close, of) => return ValueEnd::Closed(at, tag.end),
                Found::Tag(_) => return ValueEnd::Unclosed(at),
            }
        }
        ValueEnd::Stream(self.chars.len())
    }

    /// Reads the value of a parameter. Returns the index after it.
    fn parameter(
        &mut self,
        call: &mut Call<'a>,
        key: &str,
        is_json: bool,
        from: usize,
        of: Element,
    ) -> Result<usize, CallEnd> {
        let is_ours = call.has.is_some();
        let is_first = !std::mem::replace(&mut call.parameters, true);
        // "`arguments`, `input`, `parameters`, `args`: the JSON arguments, as above, if they begin
        // with `{` and no other parameter came before."
        let first = self.space(from);
        if is_ours && is_first && ARGUMENTS_KEYS.contains(&key) && self.peek(first) == Some('{') {
            let end = self.json_end(first);
            self.read_arguments(call, first, end);
            match end {
                JsonEnd::At(end) => {
                    let end = self.value_end(call, end, of);
                    return self.after_value(call, end);
                }
                JsonEnd::Wrong(at) => return Err(self.ill_formed(call, at)),
                JsonEnd::Stream => return Err(CallEnd::Stream(true)),
            }
        }
        // "With `string="false"`, and if it begins with `"`, it is a JSON string, which ends at its
        // own quote: tags in it are text, and what comes after it means nothing."
        let string = (is_ours && is_json && key == "question").then(|| self.json_string_at(from)).flatten();
        let end = match string {
            Some((_, true, end)) => self.value_end(call, end, of),
            Some((_, false, end)) => ValueEnd::Stream(end),
            None => self.value_end(call, from, of),
        };
        let (ValueEnd::Closed(to, _) | ValueEnd::Unclosed(to) | ValueEnd::Stream(to)) = end;
        let text = self.string(from, to);
        if let Some(has) = &mut call.has
            && call.wrong.is_none()
        {
            let read = match key {
                "question" => {
                    has.questions += 1;
                    if has.questions > 1 {
                        has.notes.insert("RepeatedQuestion");
                    }
                    let text = string.map_or(text, |(decoded, ..)| decoded);
                    match has.question {
                        Some(_) => Ok(()),
                        None => self.question_of(has, &text),
                    }
                }
                key if OUR_KEYS.contains(&key) && !matches!(end, ValueEnd::Stream(_)) => has.list_parameter(key, &text),
                _ => Ok(()),
            };
            if let Err(reason) = read {
                call.goes_wrong(reason);
            }
        }
        self.after_value(call, end)
    }

    /// Returns what a JSON string here decodes to, after blanks, whether it is closed, and the
    /// index after it.
    fn json_string_at(&self, from: usize) -> Option<(String, bool, usize)> {
        let at = (from..self.chars.len()).find(|at| !self.chars[*at].c.is_whitespace())?;
        let mut lexer = self.lexer(at);
        let mut decoded = String::new();
        if lexer.peek() != Some('"') {
            return None;
        }
        let read = lexer.string(&mut |_, c| {
            decoded.push(c);
            Ok(())
        });
        let is_closed = read.is_ok();
        Some((decoded, is_closed, lexer.at))
    }

    fn after_value(&self, call: &mut Call<'a>, end: ValueEnd) -> Result<usize, CallEnd> {
        match end {
            ValueEnd::Closed(_, next) => Ok(next),
            ValueEnd::Unclosed(at) => {
                call.repair("UnclosedParameter");
                Ok(at)
            }
            ValueEnd::Stream(_) => Err(CallEnd::Stream(true)),
        }
    }

    /// "`question`: as the text of `<question>`." "In `question`, [..] the policy decides
    /// whether entities are decoded."
    fn question_of(&self, has: &mut ArgumentsReader<'a>, text: &str) -> Parsed<()> {
        let reader = Reader::new(text.as_bytes(), self.rules);
        let mut value = Value::new(self.rules.question);
        let mut at = 0;
        while at < reader.chars.len() {
            let (c, next) = reader.character(at);
            let known = value.push(c).map_err(|TooLong| "too_long")?;
            for c in known.chars() {
                has.shown.push(Atom::Question { call: 0, c });
                has.question.get_or_insert_default().push(c);
            }
            at = next;
        }
        Ok(())
    }

    // ---------------------------------------------------------------------------------------- JSON

    /// Reads JSON arguments that follow the header.
    fn arguments_of(&mut self, call: &mut Call<'a>) -> CallEnd {
        let at = self.space(call.head.body);
        if at == self.chars.len() {
            return CallEnd::Stream(true);
        }
        let end = self.json_end(at);
        self.read_arguments(call, at, end);
        match end {
            JsonEnd::At(end) => self.after_json(call, end),
            JsonEnd::Wrong(at) => self.ill_formed(call, at),
            JsonEnd::Stream => CallEnd::Stream(true),
        }
    }

    /// Reads an object with the name and the arguments in it.
    fn object_of(&mut self, call: &mut Call<'a>, at: usize) -> CallEnd {
        let is_bare = call.head.family == Envelope::BareJson;
        let (object, end) = self.object(at, is_bare);
        if let Some((from, end)) = object.arguments {
            self.read_arguments(call, from, end);
        }
        let (end, mut is_unclosed) = match end {
            JsonEnd::At(end) => (end, false),
            // "if the object's own closing bracket is missing before a `<`, after arguments that
            // are closed"
            JsonEnd::Wrong(wrong)
                if !is_bare
                    && self.peek(wrong) == Some('<')
                    && matches!(object.arguments, Some((_, JsonEnd::At(_))))
                    && self.misses(at, wrong, object.open) =>
            {
                (wrong, true)
            }
            JsonEnd::Wrong(at) => {
                call.goes_wrong("malformed");
                return self.ill_formed(call, at);
            }
            // Decided: as after JSON if the arguments have been closed.
            JsonEnd::Stream => {
                call.repair("UnclosedEnvelope");
                return match object.arguments {
                    Some((_, JsonEnd::At(_))) => CallEnd::AfterJson,
                    _ => CallEnd::Stream(true),
                };
            }
        };
        // "and for one `}` too many"
        // Decided: before or after the back-ticks that close a fence.
        let mut end = end;
        let may_have_surplus = !is_bare && call.head.family != Envelope::Mistral && !is_unclosed;
        let has_surplus = |from: usize| may_have_surplus && self.peek(self.space(from)) == Some('}');
        let after_fence = self.after_fence(call, end);
        if has_surplus(end) {
            (end, is_unclosed) = (self.space(end) + 1, true);
        } else if has_surplus(after_fence) {
            (end, is_unclosed) = (self.space(after_fence) + 1, true);
            call.head.is_fenced = false;
        }
        if is_unclosed {
            call.repair("UnclosedEnvelope");
        }
        self.after_json(call, end)
    }

    /// Returns whether so many `}` at the second index would make what is before it JSON.
    fn misses(&self, from: usize, to: usize, brackets: usize) -> bool {
        let whole = self.string(from, to) + &"}".repeat(brackets);
        let mut lexer = ArgumentsReader::new(&whole, self.rules, true);
        lexer.nothing(1).is_ok() && lexer.at == lexer.chars.len()
    }

    /// "The arguments are read as those of a native call, from their first character to the one
    /// that closes them. If they are a string, the string is decoded, and is the whole stream of a
    /// native call. If they are no object, they are of the wrong type."
    fn read_arguments(&mut self, call: &mut Call<'a>, from: usize, end: JsonEnd) {
        let Some(has) = &mut call.has else { return };
        if call.wrong.is_some() {
            return;
        }
        let to = match end {
            JsonEnd::At(end) => end,
            JsonEnd::Wrong(at) => at + 1,
            JsonEnd::Stream => self.chars.len(),
        };
        let text = self.string(from, to);
        let read = match text.chars().next() {
            Some('{') => {
                (has.chars, has.at) = (text.chars().collect(), 0);
                has.object(1, &mut |reader, key, kind| reader.parameter(key, kind))
            }
            // Decided: a string in an object only; otherwise it is of the wrong type.
            Some('"') if matches!(call.head.what, Body::Object(_)) => {
                let (decoded, _) = json_string(&text, self.rules);
                (has.chars, has.at) = (decoded.chars().collect(), 0);
                has.arguments()
            }
            Some('[' | '"' | '-' | '0'..='9' | 't' | 'f' | 'n') => Err("wrong_type"),
            _ => Err("malformed"),
        };
        match read {
            // The end of the stream is no reason before all is read.
            Err("truncated") if end == JsonEnd::Stream => {}
            Err(reason) => call.goes_wrong(reason),
            Ok(()) => {}
        }
    }

    /// The call's own close tag or token.
    fn closes(&self, call: &Call<'a>, at: usize) -> Found {
        match call.head.closer {
            Closer::Tag(_) => self.element(at, &|side, element| side == Close && call.head.is_closed_by(element)),
            Closer::Token(token) => match self.token(at, token) {
                Token::Ends(end) => Found::Tag(Tag {
                    side: Close,
                    element: Wrapper,
                    name: "",
                    prefix: None,
                    value: None,
                    is_json: false,
                    end,
                }),
                Token::Beginning if at < self.chars.len() => Found::Beginning,
                _ => Found::Nothing,
            },
            Closer::List | Closer::Llama | Closer::None => Found::Nothing,
        }
    }

    /// "The back-ticks that close a fence belong to the call; they may be missing without a note."
    fn after_fence(&self, call: &Call<'a>, end: usize) -> usize {
        match call.head.is_fenced {
            true => self.literal(self.space(end), "```").unwrap_or(end),
            false => end,
        }
    }

    /// "If the JSON is in a fence, the first three back-ticks at that byte, or at the beginning of
    /// a line after it, close the fence".
    ///
    /// Returns the index after them, or `from` if there are none before `to`.
    fn after_closed_fence(&self, call: &Call<'a>, from: usize, to: usize) -> usize {
        let begins_line = |at: usize| {
            let blanks = (from..at).rev().take_while(|at| self.peek(*at) != Some('\n'));
            blanks.into_iter().all(|at| self.peek(at).is_some_and(is_tag_space))
        };
        let mut ends = (from..to).filter(|at| begins_line(*at)).filter_map(|at| self.literal(at, "```").ok());
        ends.next().filter(|_| call.head.is_fenced).unwrap_or(from)
    }

    /// What follows the JSON of a call: the back-ticks that close a fence, and its close tag.
    fn after_json(&mut self, call: &mut Call<'a>, end: usize) -> CallEnd {
        match call.head.closer {
            Closer::None => return CallEnd::At(end),
            Closer::List => return self.after_list_item(call, end),
            Closer::Llama => return self.after_llama(end),
            Closer::Tag(_) | Closer::Token(_) => {}
        }
        let end = self.after_fence(call, end);
        let next = self.space(end);
        let found = self.closes(call, next);
        if let Found::Tag(tag) = found {
            return CallEnd::At(tag.end);
        }
        // "`<|call|>` may be missing without a note"
        if call.head.family == Envelope::Harmony {
            return CallEnd::At(end);
        }
        call.repair("UnclosedEnvelope");
        // "After JSON, what has come of the space and of the close tag belongs to the call".
        match matches!(found, Found::Beginning) || next == self.chars.len() {
            true => CallEnd::AfterJson,
            // "or after its JSON, if something else than its close tag follows"
            false => CallEnd::At(end),
        }
    }

    /// "If the JSON is ill-formed, the call is `Rejected`, malformed (`IllFormedJson`). Where the
    /// table says how it ends, an opener of an envelope, or a tool's opening tag, ends it before
    /// that."
    fn ill_formed(&mut self, call: &mut Call<'a>, from: usize) -> CallEnd {
        call.goes_wrong("malformed");
        if matches!(call.head.family, Envelope::BareJson | Envelope::Mistral | Envelope::Llama) {
            return CallEnd::AfterWrapper(from);
        }
        for at in from..self.chars.len() {
            if self.peek(at) != Some('<') {
                continue;
            }
            if self.is_tools_opening_tag(at) || self.is_opener(at) {
                return CallEnd::Before(at, self.after_closed_fence(call, from, at));
            }
            let closes = |side: Side, element: Element| side == Close && matches!(element, Function | Invoke | Wrapper);
            match call.head.family {
                Envelope::Harmony => {
                    if let Some(end) = self.one_of(at, &["<|call|>"]) {
                        return CallEnd::At(end);
                    }
                }
                Envelope::Kimi | Envelope::Deepseek => {
                    if let Closer::Token(token) = call.head.closer
                        && let Some(end) = self.one_of(at, &[token])
                    {
                        return CallEnd::At(end);
                    }
                    if let Some(end) = self.one_of(at, section_ends(call.head.family)) {
                        return CallEnd::AfterWrapper(end);
                    }
                }
                _ => match self.tag(at, &closes) {
                    Some(tag) if tag.element == Wrapper => return CallEnd::AfterWrapper(tag.end),
                    // Decided: a wrapper's close tag after it belongs to the call as well.
                    Some(tag) => {
                        let wrappers = |side: Side, element: Element| side == Close && element == Wrapper;
                        let wrapper = self.tag(self.space(tag.end), &wrappers);
                        return wrapper.map_or(CallEnd::At(tag.end), |wrapper| CallEnd::AfterWrapper(wrapper.end));
                    }
                    None => {}
                },
            }
        }
        CallEnd::Stream(false)
    }
}

/// Returns what a JSON string at the beginning of a text decodes to, as far as it goes, and whether
/// it is closed.
fn json_string(text: &str, rules: &Rules) -> (String, bool) {
    let mut lexer = ArgumentsReader::new(text, rules, true);
    let mut decoded = String::new();
    let closed = lexer.string(&mut |_, c| {
        decoded.push(c);
        Ok(())
    });
    (decoded, closed.is_ok())
}
