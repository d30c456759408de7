//! The text from an opener to where a call is certain.

use followup::Envelope;

use super::OUR_TOOL;
use super::tags::Element::{Function, Invoke, Key, Parameter, Wrapper};
use super::tags::{CHANNEL, Element, Found, KIMI_OPENERS, SECTIONS, Tag, Token, bare_name, is_name};
use crate::common::reference::Side::{Close, Open};
use crate::common::reference::{Reader, Side, is_tag_space};

/// What closes a call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Closer {
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
pub(super) enum Body {
    /// The parameters, with tags. In `glm` they are keys and values.
    Parameters,
    KeysAndValues,
    /// The JSON arguments themselves.
    Arguments,
    /// The object in which the name and the arguments are, from this index on.
    Object(usize),
}

/// The header of a call.
pub(super) struct Head {
    pub(super) family: Envelope,
    pub(super) name: String,
    /// The index of the body.
    pub(super) body: usize,
    pub(super) what: Body,
    pub(super) closer: Closer,
    /// A wrapper (a section) is open that is not the call itself.
    pub(super) in_wrapper: bool,
    pub(super) is_fenced: bool,
    /// The index after the character with which it is certain.
    pub(super) certain: usize,
}

impl Head {
    pub(super) fn is_closed_by(&self, element: Element) -> bool {
        match self.closer {
            Closer::Tag(Function | Invoke) => matches!(element, Function | Invoke),
            Closer::Tag(own) => own == element,
            Closer::Token(_) | Closer::List | Closer::Llama | Closer::None => false,
        }
    }

    pub(super) fn is_ours(&self) -> bool {
        self.name == OUR_TOOL
    }
}

/// It is no header.
pub(super) enum No {
    /// Here is the first character that no header can have, or the `<` of the tag that it is in.
    At(usize),
    /// The stream ends in it. `true` if "the call is `Rejected`, truncated".
    Ends(bool),
}

pub(super) type Try<T> = Result<T, No>;

impl Reader<'_> {
    /// Reads the header that begins here, in prose, or in the wrapper or section of the last call:
    /// `open` is its family, and whether it was an object.
    pub(super) fn header(&self, index: usize, line_begins: bool, open: Option<(Envelope, bool)>) -> Try<Head> {
        let mut tags = Vec::new();
        let mut all = Vec::new();
        match open {
            Some((Envelope::Kimi, _)) => all.push(self.kimi(index, true, &mut tags)),
            Some((Envelope::Deepseek, _)) => all.push(self.deepseek(self.space(index), true, &mut tags)),
            Some((family @ (Envelope::Mistral | Envelope::Llama), _)) => all.push(self.next_object(family, index)),
            Some((_, after_object)) => {
                let next = self.space(index);
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
                all.push(self.tagged(index, &mut tags));
                all.push(self.harmony(index, &mut tags));
                all.push(self.kimi(index, false, &mut tags));
                all.push(self.mistral(index));
                all.push(self.deepseek(index, false, &mut tags));
                all.push(self.llama(index, &mut tags));
                if line_begins {
                    all.push(self.bare_json(index));
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
        let limit = self.offset(index).saturating_add(self.rules.unconfirmed);
        let length = self.chars.len();
        let beyond = (index..length).find(|index| self.offset(*index) + self.chars[*index].c.len_utf8() > limit);
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
    pub(super) fn tagged(&self, index: usize, tags: &mut Vec<(usize, usize)>) -> Try<Head> {
        let wrapper = match self.call_tag(index) {
            Ok((tag, family)) => return self.after_call_tag(index, tag, family, false, tags),
            Err(Found::Tag(tag)) if tag.value.is_none() && self.is_wrapper_read(tag.name) => tag,
            Err(Found::Beginning) => {
                tags.push((index, self.chars.len()));
                return Err(No::Ends(false));
            }
            Err(_) => return Err(No::At(index)),
        };
        tags.push((index, wrapper.end));
        self.after_wrapper(self.space(wrapper.end), Some(wrapper.name), tags)
    }

    /// What follows a wrapper and space: a call tag, an object, or a name after `<tool_call>`.
    ///
    /// Decided: in a wrapper that is open after a call, no name is the next one.
    pub(super) fn after_wrapper(
        &self,
        index: usize,
        wrapper: Option<&str>,
        tags: &mut Vec<(usize, usize)>,
    ) -> Try<Head> {
        let Some(c) = self.peek(index) else { return Err(No::Ends(false)) };
        if c == '<' {
            return match self.call_tag(index) {
                Ok((tag, family)) => self.after_call_tag(index, tag, family, true, tags),
                Err(Found::Beginning) => {
                    tags.push((index, self.chars.len()));
                    Err(No::Ends(false))
                }
                Err(Found::Tag(tag)) => {
                    tags.push((index, tag.end));
                    Err(No::At(index))
                }
                Err(Found::Nothing) => Err(No::At(index)),
            };
        }
        if wrapper == Some("tool_call") && self.rules.reads(Envelope::Glm) && (c.is_ascii_alphabetic() || c == '_') {
            return self.glm(index, tags);
        }
        // "after JSON, so does a `{`"
        if !self.rules.reads(Envelope::Hermes) || wrapper.is_none() && c != '{' {
            return Err(No::At(index));
        }
        let (object, is_fenced) = self.fenced_object(index)?;
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
    pub(super) fn after_call_tag(
        &self,
        index: usize,
        tag: Tag,
        family: Envelope,
        in_wrapper: bool,
        tags: &mut Vec<(usize, usize)>,
    ) -> Try<Head> {
        tags.push((index, tag.end));
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
    pub(super) fn fenced_object(&self, index: usize) -> Try<(usize, bool)> {
        let ends = |index: usize| if index == self.chars.len() { No::Ends(false) } else { No::At(index) };
        if self.peek(index) == Some('{') {
            return Ok((index, false));
        }
        let mut p = self.literal(index, "```").map_err(ends)?;
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
    pub(super) fn name(&self, index: usize, ends: &str) -> Try<usize> {
        let mut p = index;
        loop {
            match self.peek(p) {
                None => return Err(No::Ends(false)),
                Some(c) if p > index && ends.contains(c) => return Ok(p),
                Some(_) if !is_name(&self.string(index, p + 1)) => return Err(No::At(p)),
                Some(_) => p += 1,
            }
        }
    }

    pub(super) fn string(&self, from: usize, to: usize) -> String {
        self.chars[from..to].iter().map(|c| c.c).collect()
    }

    /// "a wrapper `tool_call`", the name "after it, up to space, `{` or `<`", a call once
    /// "`<arg_key>` or `{` follows; for our tool also a close tag of a wrapper"
    pub(super) fn glm(&self, index: usize, tags: &mut Vec<(usize, usize)>) -> Try<Head> {
        let end = self.name(index, " \t\r\n{<")?;
        let name = bare_name(&self.string(index, end)).to_string();
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
    pub(super) fn expect(&self, index: usize, token: &str, tags: &mut Vec<(usize, usize)>) -> Try<usize> {
        match self.token(index, token) {
            Token::Ends(end) => {
                tags.push((index, end));
                Ok(end)
            }
            Token::Beginning => {
                tags.push((index, self.chars.len()));
                Err(No::Ends(false))
            }
            Token::Text => Err(No::At(index)),
        }
    }

    /// One of several tokens that must be here.
    pub(super) fn expect_one(&self, index: usize, tokens: &[&str], tags: &mut Vec<(usize, usize)>) -> Try<usize> {
        let mut no = Err(No::At(index));
        for token in tokens {
            match self.expect(index, token, tags) {
                Ok(end) => return Ok(end),
                Err(No::Ends(truncated)) => no = Err(No::Ends(truncated)),
                Err(No::At(_)) => {}
            }
        }
        no
    }

    /// The rows of `harmony`. "The text between two of its tokens is at most 160 bytes long."
    pub(super) fn harmony(&self, index: usize, tags: &mut Vec<(usize, usize)>) -> Try<Head> {
        let read = self.harmony_of_any_length(index, tags);
        let mut p = index;
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
    pub(super) fn harmony_of_any_length(&self, index: usize, tags: &mut Vec<(usize, usize)>) -> Try<Head> {
        if !self.rules.reads(Envelope::Harmony) {
            return Err(No::At(index));
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
        let mut p = index;
        match self.token(index, "<|start|>") {
            Token::Ends(end) => {
                tags.push((index, end));
                p = self.literal(end, "assistant").map_err(ends)?;
                if blanks(p) > p && matches!(self.peek(blanks(p)), None | Some('t')) {
                    let (name, end) = recipient(p)?;
                    to = Some(name);
                    p = end;
                }
                p = blanks(p);
            }
            Token::Beginning => {
                tags.push((index, self.chars.len()));
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
    pub(super) fn kimi(&self, index: usize, in_section: bool, tags: &mut Vec<(usize, usize)>) -> Try<Head> {
        if !self.rules.reads(Envelope::Kimi) {
            return Err(No::At(index));
        }
        let begin = |p: usize, tags: &mut Vec<(usize, usize)>| match self.peek(p) {
            None => Err(No::Ends(false)),
            Some(_) => self.expect(p, "<|tool_call_begin|>", tags),
        };
        let (in_wrapper, p) = if in_section {
            (true, begin(self.space(index), tags)?)
        } else {
            let end = self.expect_one(index, &KIMI_OPENERS, tags)?;
            match self.one_of(index, &SECTIONS) {
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
    pub(super) fn bare_json(&self, index: usize) -> Try<Head> {
        if !self.rules.reads(Envelope::BareJson) || self.peek(index) != Some('{') {
            return Err(No::At(index));
        }
        let (name, certain) = self.object_header(index, true)?;
        Ok(Head {
            family: Envelope::BareJson,
            name,
            body: index,
            what: Body::Object(index),
            closer: Closer::None,
            in_wrapper: false,
            is_fenced: false,
            certain,
        })
    }
}
