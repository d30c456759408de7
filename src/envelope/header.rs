//! Headers: the text from an opener until it is certain that a call follows.

use super::harmony::{self, Part};
use super::machine::{Context, EnvelopeMachine, TagRef, Turn};
use super::name::{self, NameText};
use super::object::{Found, ObjectReader};
use super::state::{Fence, Header, Json, State, Style};
use super::tag::{Kind, Token};
use crate::config::{Envelope, Policy};

/// What a character does to a header.
enum Step {
    /// It is a part of the header.
    Held,
    /// The header continues in another state, in which the character is read again.
    Again(Header),
    /// The header is complete: the character begins JSON.
    Json,
    /// It is no part of a header.
    NoCall,
}

impl EnvelopeMachine {
    pub(super) fn begin_object(&mut self, bare: bool) {
        self.state = State::Header(Header::Object { bare });
        self.object = if bare { ObjectReader::bare() } else { ObjectReader::NEW };
        self.object_at = self.held.len();
        self.has_object = true;
        (self.family, self.style) = match self.style {
            _ if bare => (Envelope::BareJson, Style::Bare),
            Style::Llama => (Envelope::Llama, Style::Llama),
            Style::MistralList => (Envelope::Mistral, Style::MistralList),
            _ => (Envelope::Hermes, Style::Wrapper),
        };
    }

    /// Consumes text of a header.
    pub(super) fn push_header(&mut self, header: Header, text: &str, context: &mut Context<'_>) -> (usize, Turn) {
        if let Header::Object { bare } = header {
            return self.push_object(bare, text, context);
        }
        let mut header = header;
        for (i, char) in text.char_indices() {
            loop {
                let step = self.step(&mut header, char, context.policy);
                self.state = State::Header(header);
                match step {
                    Step::Held => {
                        if self.held.len() + char.len_utf8() > context.policy.limits.bare {
                            return (i, Turn::NoCall);
                        }
                        self.held.push(char);
                    }
                    Step::Again(next) => {
                        header = next;
                        continue;
                    }
                    Step::Json if matches!(header, Header::Wrapper { .. } | Header::Marked) => {
                        self.begin_object(false);
                        return (i, Turn::Stay);
                    }
                    Step::Json if self.held.len() >= context.policy.limits.bare => return (i, Turn::NoCall),
                    Step::Json => {
                        self.begin_arguments();
                        return (i, self.confirm_held(context));
                    }
                    Step::NoCall => return (i, Turn::NoCall),
                }
                break;
            }
        }
        (text.len(), Turn::Stay)
    }

    fn step(&mut self, header: &mut Header, char: char, policy: &Policy) -> Step {
        let is_space = name::is_space(char);
        let reads = |family| policy.envelopes().contains(family);
        match header {
            Header::Wrapper { fence, .. } | Header::Named { fence, .. } if *fence != Fence::None || char == '`' => {
                match step_fence(*fence, char) {
                    Some(Fence::None) | None if char == '{' && *fence == Fence::Open => {
                        self.before_json(*header, &reads)
                    }
                    Some(next) => {
                        *fence = next;
                        self.is_fenced = true;
                        Step::Held
                    }
                    None => Step::NoCall,
                }
            }
            Header::Wrapper { .. } | Header::Named { .. } if is_space => Step::Held,
            Header::Wrapper { .. } | Header::Named { .. } if char == '{' => self.before_json(*header, &reads),
            Header::Wrapper { tool_call: true, .. } if reads(Envelope::Glm) && !self.in_call_list() => {
                self.name.clear();
                if !self.name.push(char) {
                    return Step::NoCall;
                }
                (self.family, self.style) = (Envelope::Glm, Style::Keys);
                *header = Header::Name;
                Step::Held
            }
            Header::Wrapper { .. } | Header::Named { .. } => Step::NoCall,
            Header::Name if is_space && self.name.is_empty() => Step::Held,
            Header::Name if !self.name.is_empty() && (is_space || char == '{') => {
                Step::Again(Header::Named { by_tag: false, fence: Fence::None })
            }
            Header::Name | Header::TokenName => held_if(self.name.push(char)),
            Header::Words(part) => {
                self.words.push(char);
                let may_be = harmony::read(&self.words, *part, false, self.name.is_empty()).is_some();
                if !may_be {
                    self.words.pop();
                }
                held_if(may_be)
            }
            Header::Section => held_if(is_space),
            Header::Marker(_) | Header::Marked | Header::MarkedName | Header::MarkedWord => {
                self.step_marked(header, char)
            }
            Header::Object { .. } => Step::NoCall,
        }
    }

    /// Returns `true` if the header is one after another call of the same wrapper.
    fn in_call_list(&self) -> bool {
        self.held.chars().all(name::is_space)
    }

    fn before_json(&self, header: Header, reads: &dyn Fn(Envelope) -> bool) -> Step {
        let is_read = !matches!(header, Header::Wrapper { .. }) || reads(Envelope::Hermes);
        if is_read { Step::Json } else { Step::NoCall }
    }

    /// Begins to read the arguments themselves: the tool is named already.
    pub(super) fn begin_arguments(&mut self) {
        if self.style == Style::Keys {
            self.style = Style::Wrapper;
        }
        let is_ours = name::is_ours(self.name.text());
        self.object = ObjectReader::value();
        self.state = State::Json(if is_ours { Json::Arguments { in_object: false } } else { Json::Other });
    }

    /// Consumes text of an object whose name is not complete.
    fn push_object(&mut self, bare: bool, text: &str, context: &mut Context<'_>) -> (usize, Turn) {
        let mut pos = 0;
        loop {
            let found = self.object.next(text, &mut pos, &mut self.name);
            let room = context.policy.limits.bare.saturating_sub(self.held.len());
            if pos > room {
                let mut room = room;
                while !text.is_char_boundary(room) {
                    room -= 1;
                }
                self.held.push_str(&text[..room]);
                return (room, Turn::NoCall);
            }
            match found {
                Some(Found::Arguments(b'{')) if bare => self.object.look_into_arguments(),
                Some(Found::Arguments(_)) if !bare => self.object.skip_arguments(),
                Some(Found::Name) if bare => {}
                Some(Found::Name | Found::Confirmed) => {
                    self.held.push_str(&text[..pos]);
                    self.state = State::Json(Json::Object);
                    let turn = self.confirm(context);
                    if self.ours {
                        self.read_again(context);
                    } else {
                        self.object_at = 0;
                        self.state = State::Json(Json::Other);
                    }
                    return (pos, turn);
                }
                None => {
                    self.held.push_str(text);
                    return (text.len(), Turn::Stay);
                }
                Some(_) => {
                    self.held.push_str(&text[..pos]);
                    return (pos, Turn::NoCall);
                }
            }
        }
    }

    /// Reads the object again from its beginning, now that it is known to be a call of ours.
    fn read_again(&mut self, context: &mut Context<'_>) {
        let held = core::mem::take(&mut self.held);
        let text = held.get(self.object_at..).unwrap_or_default();
        self.object = ObjectReader::NEW;
        let mut read = 0;
        while read < text.len()
            && let State::Json(json) = self.state
        {
            read += self.push_json(json, &text[read..], context).0;
        }
        self.ends_here = false;
        self.held = held;
        self.held.clear();
        self.object_at = 0;
    }

    /// Returns `true` if a tag comes after a complete header, or ends one that is none.
    pub(super) fn is_after_header(&self, header: Header, kind: Kind, is_close: bool) -> bool {
        match header {
            Header::Wrapper { .. } => matches!(kind, Kind::Wrapper { .. }),
            Header::Named { .. } | Header::Name => true,
            Header::Words(part) => harmony::read(&self.words, part, true, self.name.is_empty()).is_none(),
            Header::TokenName => self.name.is_empty(),
            _ => is_close,
        }
    }

    /// Ends a header before a tag.
    pub(super) fn end_header(
        &mut self,
        header: Header,
        kind: Option<Kind>,
        is_too_long: bool,
        context: &mut Context<'_>,
    ) -> Turn {
        match header {
            Header::Named { .. } | Header::Name if kind.is_some() && !is_too_long => {
                self.state = State::Between;
                self.confirm_held(context)
            }
            _ => Turn::NoCall,
        }
    }

    /// Acts on a tag of a header.
    pub(super) fn act_header(&mut self, tag: &TagRef<'_>) {
        self.held.push_str(tag.text);
        let header = match tag.kind {
            Kind::Wrapper { tool_call } => {
                self.in_section = true;
                Header::Wrapper { tool_call, fence: Fence::None }
            }
            Kind::Named { family, wrapper } => {
                self.name.set(tag.value);
                self.family = family;
                self.style = if wrapper { Style::Wrapper } else { Style::Tag };
                Header::Named { by_tag: true, fence: Fence::None }
            }
            Kind::Token(token) => return self.act_token(token),
            Kind::CallEnd | Kind::Parameter { .. } | Kind::Key | Kind::Value => return,
        };
        self.state = State::Header(header);
    }

    fn act_token(&mut self, token: Token) {
        if let State::Header(Header::Words(part)) = self.state
            && let Some(to) = harmony::read(&self.words, part, true, self.name.is_empty()).and_then(|words| words.to)
        {
            let mut name = NameText::NEW;
            name.set(to);
            self.name = name;
        }
        let header = match token {
            Token::Start => {
                (self.family, self.style) = (Envelope::Harmony, Style::Harmony);
                Header::Words(Part::Role)
            }
            Token::Channel => {
                (self.family, self.style) = (Envelope::Harmony, Style::Harmony);
                Header::Words(Part::Channel)
            }
            Token::Constrain => Header::Words(Part::Type),
            Token::SectionBegin | Token::DeepseekBegin => {
                self.begin_tokens(token);
                self.in_section = true;
                Header::Section
            }
            Token::CallBegin | Token::DeepseekCall => {
                self.begin_tokens(token);
                Header::TokenName
            }
            Token::PythonStart => {
                (self.style, self.in_section) = (Style::Llama, true);
                Header::Marked
            }
            Token::DeepseekSeparator => return self.act_separator(),
            Token::Message | Token::ArgumentBegin => return self.begin_arguments(),
            Token::Call
            | Token::CallEnd
            | Token::SectionEnd
            | Token::PythonEnd
            | Token::DeepseekCallEnd
            | Token::DeepseekEnd => return,
        };
        self.words.clear();
        self.state = State::Header(header);
    }

    fn begin_tokens(&mut self, token: Token) {
        (self.family, self.style) = match token {
            Token::DeepseekBegin | Token::DeepseekCall => (Envelope::Deepseek, Style::Deepseek),
            _ => (Envelope::Kimi, Style::Kimi),
        };
    }

    /// After the separator of DeepSeek: the name has come, or `function` stands for it.
    fn act_separator(&mut self) {
        if self.name.text() == "function" {
            self.name.clear();
            self.state = State::Header(Header::Name);
        } else {
            self.state = State::Header(Header::Named { by_tag: false, fence: Fence::None });
        }
    }

    /// A character after `[TOOL_CALLS]` or in it, or after `<|python_tag|>`.
    fn step_marked(&mut self, header: &mut Header, char: char) -> Step {
        const MARKER: &str = "[TOOL_CALLS]";
        match header {
            Header::Marker(len) => {
                let is_next = MARKER.as_bytes().get(usize::from(*len)).is_some_and(|&next| char == char::from(next));
                if !is_next {
                    return Step::NoCall;
                }
                *len += 1;
                if usize::from(*len) == MARKER.len() {
                    *header = Header::Marked;
                    self.style = Style::Mistral;
                    self.family = Envelope::Mistral;
                }
                Step::Held
            }
            Header::Marked if name::is_space(char) => Step::Held,
            Header::Marked => match (self.style, char) {
                (Style::Mistral, '[') => {
                    (self.style, self.in_section) = (Style::MistralList, true);
                    Step::Held
                }
                (Style::MistralList | Style::Llama, '{') => Step::Json,
                (Style::Mistral, _) if self.name.push(char) => {
                    *header = Header::MarkedName;
                    Step::Held
                }
                _ => Step::NoCall,
            },
            Header::MarkedName => match char {
                '[' => {
                    self.words.clear();
                    self.words.push(char);
                    *header = Header::MarkedWord;
                    Step::Held
                }
                '{' => Step::Json,
                _ => held_if(self.name.push(char)),
            },
            Header::MarkedWord => self.step_marked_word(char),
            _ => Step::NoCall,
        }
    }

    /// A character in `[CALL_ID]id[ARGS]`, or in `[ARGS]`, or after it.
    fn step_marked_word(&mut self, char: char) -> Step {
        const ID: &str = "[CALL_ID]";
        const ARGS: &str = "[ARGS]";
        if self.words == ARGS {
            return match char {
                '{' => Step::Json,
                _ => held_if(name::is_space(char)),
            };
        }
        if name::is_space(char) {
            return Step::Held;
        }
        let has_id = self.words.strip_prefix(ID).is_some_and(|id| !id.is_empty() && !id.contains('['));
        if char == '{' && has_id {
            return Step::Json;
        }
        self.words.push(char);
        let is_id = |text: &str| {
            let end = text.find('[').unwrap_or(text.len());
            end <= 64 && text[..end].bytes().all(|byte| byte.is_ascii_alphanumeric()) && ARGS.starts_with(&text[end..])
        };
        let may_be = ARGS.starts_with(self.words.as_str())
            || ID.starts_with(self.words.as_str())
            || self.words.strip_prefix(ID).is_some_and(is_id);
        if may_be && self.words.len() > ARGS.len() && self.words.ends_with(ARGS) {
            self.words.clear();
            self.words.push_str(ARGS);
        }
        held_if(may_be)
    }
}

fn held_if(is_part: bool) -> Step {
    if is_part { Step::Held } else { Step::NoCall }
}

/// Returns the state of a fence's opening line after one more character; `None` if it is none.
fn step_fence(fence: Fence, char: char) -> Option<Fence> {
    /// Three back-ticks, then 16 letters, then space.
    const TICKS: u8 = 3;
    const LETTERS: u8 = TICKS + 16;
    const SPACE: u8 = LETTERS + 1;
    match (fence, char) {
        (Fence::None, '`') => Some(Fence::Opening(1)),
        (Fence::Opening(len), '`') if len < TICKS => Some(Fence::Opening(len + 1)),
        (Fence::Opening(len), '\n') if len >= TICKS => Some(Fence::Open),
        (Fence::Opening(len), ' ' | '\t' | '\r') if len >= TICKS => Some(Fence::Opening(SPACE)),
        (Fence::Opening(len), 'a'..='z' | 'A'..='Z') if (TICKS..LETTERS).contains(&len) => {
            Some(Fence::Opening(len + 1))
        }
        (Fence::Open, _) if name::is_space(char) => Some(Fence::Open),
        _ => None,
    }
}
