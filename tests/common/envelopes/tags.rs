//! Tags of envelopes, and the tokens of models.

use followup::Envelope;

use super::OUR_TOOL;
use super::by_choice::{DEEPSEEK_OPENERS, DEEPSEEK_SECTION_ENDS, LLAMA_OPENERS};
use crate::common::reference::Side::{Close, Open};
use crate::common::reference::{Attributes, Reader, Shape, Side, is_tag_space};

/// The tags of envelopes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Element {
    Wrapper,
    Function,
    Invoke,
    Parameter,
    Key,
    Value,
}
use Element::{Function, Invoke, Key, Parameter, Wrapper};

pub(super) const NAMES: [(&str, Element); 10] = [
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

/// "`antml:`, `minimax:`, `seed:` or `xai:`, or `DSML` between bars": `None` is the latter.
pub(super) const PREFIXES: [Option<&str>; 6] =
    [Some(""), Some(concat!("ant", "ml:")), Some("minimax:"), Some("seed:"), Some("xai:"), None];

/// A tag of an envelope.
pub(super) struct Tag {
    pub(super) side: Side,
    pub(super) element: Element,
    /// The name as it is written.
    pub(super) name: &'static str,
    pub(super) prefix: Option<&'static str>,
    /// `NAME` or `KEY`.
    pub(super) value: Option<String>,
    /// `string="false"`
    pub(super) is_json: bool,
    pub(super) end: usize,
}

pub(super) enum Found {
    Nothing,
    /// The stream ends inside the tag.
    Beginning,
    Tag(Tag),
}

/// "a **name** is a letter or `_`, then letters, digits, `_`, `-`, `.`, `:` and `/` (ASCII), at
/// most 128 bytes in all."
pub(super) fn is_name(name: &str) -> bool {
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    begins && name.len() <= 128 && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-.:/".contains(c))
}

/// "A tool's name is compared without `functions.` before it and without `:` and digits after it."
pub(super) fn bare_name(name: &str) -> &str {
    let name = name.strip_prefix("functions.").unwrap_or(name);
    match name.rsplit_once(':') {
        Some((bare, digits)) if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => bare,
        _ => name,
    }
}

/// Returns whether a name that begins like this can be ours.
pub(super) fn can_be_ours(name: &str) -> bool {
    ["", "functions."].iter().any(|before| {
        let ours = format!("{before}{OUR_TOOL}:");
        match name.strip_prefix(&ours) {
            Some(digits) => digits.bytes().all(|b| b.is_ascii_digit()),
            None => ours.starts_with(name),
        }
    })
}

impl Reader<'_> {
    pub(super) fn space(&self, mut index: usize) -> usize {
        while self.peek(index).is_some_and(is_tag_space) {
            index += 1;
        }
        index
    }

    /// Returns the index after blank characters, of which values are trimmed.
    pub(super) fn blanks(&self, from: usize) -> usize {
        self.chars[from..].iter().position(|char| !char.c.is_whitespace()).map_or(self.chars.len(), |n| from + n)
    }

    /// Returns the index after a text; `Err` with the index of the first other character.
    pub(super) fn literal(&self, index: usize, text: &str) -> Result<usize, usize> {
        for (i, c) in text.chars().enumerate() {
            if self.peek(index + i) != Some(c) {
                return Err(index + i);
            }
        }
        Ok(index + text.chars().count())
    }

    /// Returns how many bytes are missing of `DSML` between bars at the end of the stream, at
    /// least.
    pub(super) fn missing_of_dsml(&self, index: usize) -> usize {
        let rest = self.string(index, self.chars.len());
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
    pub(super) fn dsml(&self, index: usize) -> Result<usize, usize> {
        let some = |mut index: usize, most: usize, of: &dyn Fn(char) -> bool| {
            let from = index;
            while index < from + most && self.peek(index).is_some_and(of) {
                index += 1;
            }
            index
        };
        let bar = |index: usize| {
            let from = some(index, 2, &is_tag_space);
            let bar = some(from, 2, &|c| "|｜‖".contains(c));
            if bar == from { Err(bar) } else { Ok(some(bar, 2, &is_tag_space)) }
        };
        bar(self.literal(bar(index)?, "DSML")?)
    }

    /// Returns which of the wanted tags is at `at`.
    pub(super) fn element(&self, index: usize, wanted: &dyn Fn(Side, Element) -> bool) -> Found {
        if self.peek(index) != Some('<') {
            return Found::Nothing;
        }
        // "A tag that is an opening tag of one of the policy's tools is that, and no tag of an
        // envelope."
        let is_tools = |tool: &String| matches!(self.shape(index, Open, tool, false), Shape::Tag { .. });
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
                    match self.spelled(index, side, prefix, name, element) {
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
    pub(super) fn spelled(
        &self,
        index: usize,
        side: Side,
        prefix: Option<&'static str>,
        name: &'static str,
        element: Element,
    ) -> Found {
        // A tag that has reached the end of the stream can be completed within the limit if so many
        // bytes more are within it.
        let beginning =
            |missing: usize| match self.offset(self.chars.len()) - self.offset(index) + missing <= self.rules.tag {
                true => Found::Beginning,
                false => Found::Nothing,
            };
        let whole = |end: usize, value: Option<String>, is_json: bool| match self.offset(end) - self.offset(index)
            <= self.rules.tag
        {
            true => Found::Tag(Tag { side, element, name, prefix, value, is_json, end }),
            false => Found::Nothing,
        };
        let head = if side == Open { "<" } else { "</" };
        let after_head = self.literal(index, head);
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
                    (Err(end), ..) => head.len() + prefix.map_or("|DSML|".len(), str::len) - (end - index),
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

    pub(super) fn tag(&self, index: usize, wanted: &dyn Fn(Side, Element) -> bool) -> Option<Tag> {
        match self.element(index, wanted) {
            Found::Tag(tag) => Some(tag),
            Found::Nothing | Found::Beginning => None,
        }
    }

    /// The tag that opens a call of a family that is read.
    pub(super) fn call_tag(&self, index: usize) -> Result<(Tag, Envelope), Found> {
        match self.element(index, &|side, element| side == Open && matches!(element, Wrapper | Function | Invoke)) {
            Found::Tag(tag) => match family(&tag) {
                Some(family) if self.rules.reads(family) => Ok((tag, family)),
                _ => Err(Found::Tag(tag)),
            },
            Found::Beginning if !self.may_be_read(index) => Err(Found::Nothing),
            other => Err(other),
        }
    }

    /// Returns whether what begins like a tag may become a wrapper, or a call tag of a family that
    /// is read.
    pub(super) fn may_be_read(&self, index: usize) -> bool {
        let begins =
            |prefix, name, element| matches!(self.spelled(index, Open, prefix, name, element), Found::Beginning);
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
    pub(super) fn is_wrapper_read(&self, name: &str) -> bool {
        use Envelope::{Dsml, FunctionXml, Glm, Hermes, Invoke};
        let reads = |families: &[Envelope]| families.iter().any(|family| self.rules.reads(*family));
        reads(&[Dsml, FunctionXml, Hermes, Invoke]) || name == "tool_call" && reads(&[Glm])
    }

    /// Returns whether the stream ends in what may become an opener that is a tag.
    pub fn is_beginning_of_an_opener(&self, index: usize) -> bool {
        matches!(self.call_tag(index), Err(Found::Beginning))
    }

    /// A token: its end, or its beginning at the end of the stream.
    ///
    /// "tokens (`<|…|>`, `<｜…｜>`) are at most 256 bytes long (limit `tag`)"; "Each `▁` may be `_`,
    /// a space or `\\_`."
    pub(super) fn token(&self, index: usize, token: &str) -> Token {
        let fits = |end: usize, missing: usize| self.offset(end) - self.offset(index) + missing <= self.rules.tag;
        let mut p = index;
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

    pub(super) fn one_of(&self, index: usize, tokens: &[&str]) -> Option<usize> {
        tokens.iter().find_map(|token| match self.token(index, token) {
            Token::Ends(end) => Some(end),
            Token::Beginning | Token::Text => None,
        })
    }

    /// Returns whether an opener of an envelope is here that ends a call before it.
    ///
    /// Decided: a call tag, a wrapper after which a family may follow that is read, and the first
    /// tokens of the others (`<|start|>` alone); not a `{`.
    pub(super) fn is_opener(&self, index: usize) -> bool {
        let reads = |families: &[Envelope]| families.iter().any(|family| self.rules.reads(*family));
        let is_tag = match self.call_tag(index) {
            Ok(_) => true,
            Err(Found::Tag(tag)) if tag.value.is_none() => self.is_wrapper_read(tag.name),
            Err(_) => false,
        };
        is_tag
            || reads(&[Envelope::Harmony]) && self.one_of(index, &["<|start|>", CHANNEL]).is_some()
            || reads(&[Envelope::Kimi]) && self.one_of(index, &KIMI_OPENERS).is_some()
            || reads(&[Envelope::Deepseek]) && self.one_of(index, &DEEPSEEK_OPENERS).is_some()
            || reads(&[Envelope::Llama]) && self.one_of(index, &LLAMA_OPENERS).is_some()
    }

    pub(super) fn is_tools_opening_tag(&self, index: usize) -> bool {
        self.peek(index) == Some('<') && (self.ask_open(index).is_some() || self.tool_open(index).is_some())
    }
}

/// "a call tag whose `NAME` is no name [..] is text."
///
/// Decided: so is a parameter's tag whose `KEY` is empty, as one without a `name`.
pub(super) fn is_named(element: Element, value: Option<&str>) -> bool {
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
pub(super) fn family(tag: &Tag) -> Option<Envelope> {
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
pub(super) fn section_ends(family: Envelope) -> &'static [&'static str] {
    match family {
        Envelope::Kimi => &SECTION_ENDS,
        Envelope::Deepseek => &DEEPSEEK_SECTION_ENDS,
        _ => &[],
    }
}

pub(super) enum Token {
    Text,
    Beginning,
    Ends(usize),
}

pub(super) const CHANNEL: &str = "<|channel|>";
pub(super) const SECTIONS: [&str; 2] = ["<|tool_calls_section_begin|>", "<|tool_call_section_begin|>"];
pub(super) const SECTION_ENDS: [&str; 2] = ["<|tool_calls_section_end|>", "<|tool_call_section_end|>"];
pub(super) const KIMI_OPENERS: [&str; 3] = [SECTIONS[0], SECTIONS[1], "<|tool_call_begin|>"];
