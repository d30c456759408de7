//! Headers: the text from an opener until it is certain that a call follows.

use super::arguments::ArgumentsReader;
use super::change::Change;
use super::harmony::{self, HeaderPart};
use super::kinds::{Kind, Token};
use super::machine::{Context, EnvelopeMachine, TagRef};
use super::name;
use super::object::{ObjectPart, ObjectReader};
use super::state::{ArgsMarker, EnvelopeState, Fence, Header, Json, Style};
use crate::config::{Envelope, Policy};

/// What a character does to a header.
enum HeaderStep {
    /// It is a part of the header.
    Part,
    /// The header is complete: the character begins JSON.
    Json,
    /// It is no part of a header.
    NoCall,
}

impl EnvelopeMachine {
    pub(super) fn begin_object(&mut self, bare: bool) {
        self.state = EnvelopeState::Header(Header::Object { start: self.unconfirmed_text.len() });
        self.object = if bare { ObjectReader::bare() } else { ObjectReader::NEW };
        (self.family, self.style) = match self.style {
            _ if bare => (Envelope::BareJson, Style::Bare),
            Style::Llama => (Envelope::Llama, Style::Llama),
            Style::MistralList => (Envelope::Mistral, Style::MistralList),
            _ => (Envelope::Hermes, Style::Object),
        };
    }

    /// Consumes text of a header.
    pub(super) fn push_header(&mut self, header: Header, text: &str, context: &mut Context<'_>) -> (usize, Change) {
        if let Header::Object { start } = header {
            return self.push_object(start, text, context);
        }
        let mut header = header;
        for (i, char) in text.char_indices() {
            let step = self.step(&mut header, char, context.policy);
            self.state = EnvelopeState::Header(header);
            let room = context.policy.limits.unconfirmed.saturating_sub(self.unconfirmed_text.len());
            match step {
                HeaderStep::Part if char.len_utf8() <= room => self.unconfirmed_text.push(char),
                HeaderStep::Json if matches!(header, Header::Wrapper { .. } | Header::Marked) => {
                    self.begin_object(false);
                    return (i, Change::Stay);
                }
                HeaderStep::Json if room > 0 => {
                    self.begin_arguments();
                    return (i, self.confirm_header(context));
                }
                HeaderStep::Part | HeaderStep::Json | HeaderStep::NoCall => return (i, Change::NoCall),
            }
        }
        (text.len(), Change::Stay)
    }

    fn step(&mut self, header: &mut Header, char: char, policy: &Policy) -> HeaderStep {
        let is_space = name::is_space(char);
        let reads = |family| policy.envelopes().contains(family);
        match header {
            Header::Wrapper { .. } | Header::Named { .. } => match (self.fence, char) {
                (Fence::None | Fence::Open, '{') => {
                    let is_named = matches!(header, Header::Named { .. });
                    if is_named || reads(Envelope::Hermes) { HeaderStep::Json } else { HeaderStep::NoCall }
                }
                (Fence::None, _) if is_space => HeaderStep::Part,
                (Fence::None, _) if char != '`' => {
                    let may_be_name = *header == Header::Wrapper { tool_call: true } && reads(Envelope::Glm);
                    if !may_be_name {
                        return HeaderStep::NoCall;
                    }
                    self.name.clear();
                    (self.family, self.style) = (Envelope::Glm, Style::Keys);
                    *header = Header::Name;
                    part_if(self.name.push(char))
                }
                _ if matches!(header, Header::Wrapper { .. }) && !reads(Envelope::Hermes) => HeaderStep::NoCall,
                (fence, _) => match step_fence(fence, char) {
                    Some(next) => {
                        self.fence = next;
                        HeaderStep::Part
                    }
                    None => HeaderStep::NoCall,
                },
            },
            Header::Name if !self.name.is_empty() && (is_space || char == '{') => {
                *header = Header::Named { by_tag: false };
                self.step(header, char, policy)
            }
            Header::Name | Header::TokenName => part_if(self.name.push(char)),
            Header::Words { part, start } => {
                self.unconfirmed_text.push(char);
                let may_be = harmony::read(self.unconfirmed_from(*start), *part, false, self.name.is_empty()).is_some();
                self.unconfirmed_text.pop();
                part_if(may_be)
            }
            Header::Section => part_if(is_space),
            Header::Marker(_) | Header::Marked | Header::MarkedName | Header::MarkedWord(_) => {
                self.step_marked(header, char)
            }
            Header::Object { .. } => HeaderStep::NoCall,
        }
    }

    /// Begins to read the arguments themselves: the tool is named already.
    pub(super) fn begin_arguments(&mut self) {
        if self.style == Style::Keys {
            self.style = Style::Wrapper;
        }
        self.object = ObjectReader::value();
        // If nothing reads the arguments, `confirm` says so.
        self.state = EnvelopeState::Json(Json::Arguments { in_object: false });
    }

    /// Consumes text of an object whose name is not complete.
    fn push_object(&mut self, start: usize, text: &str, context: &mut Context<'_>) -> (usize, Change) {
        let (bare, mut pos) = (self.object.is_bare, 0);
        loop {
            let found = self.object.next(text, &mut pos, &mut self.name, context.policy);
            let room = context.policy.limits.unconfirmed.saturating_sub(self.unconfirmed_text.len());
            if pos > room {
                let mut room = room;
                while !text.is_char_boundary(room) {
                    room -= 1;
                }
                self.unconfirmed_text.push_str(&text[..room]);
                return (room, Change::NoCall);
            }
            match found {
                Some(ObjectPart::Arguments(b'{')) if bare => self.object.search_arguments(),
                Some(ObjectPart::Arguments(_)) if !bare => self.object.skip_arguments(),
                Some(ObjectPart::Name) if bare => {
                    self.reader = ArgumentsReader::of(self.name.text(), context.policy);
                }
                Some(ObjectPart::ArgumentKey) => {
                    self.object.is_main_key = self.reader.is_main_key(self.object.key.text());
                }
                Some(ObjectPart::Name | ObjectPart::Confirmed) => {
                    self.unconfirmed_text.push_str(&text[..pos]);
                    self.state = EnvelopeState::Json(Json::Object);
                    let change = self.confirm(context);
                    if self.is_read() {
                        self.read_again(start, context);
                    }
                    return (pos, change);
                }
                None => {
                    self.unconfirmed_text.push_str(text);
                    return (text.len(), Change::Stay);
                }
                Some(_) => {
                    self.unconfirmed_text.push_str(&text[..pos]);
                    return (pos, Change::NoCall);
                }
            }
        }
    }

    /// Reads the object again from its beginning, now that it is known to be a call that is read.
    fn read_again(&mut self, start: usize, context: &mut Context<'_>) {
        let unconfirmed_text = core::mem::take(&mut self.unconfirmed_text);
        let text = unconfirmed_text.get(start..).unwrap_or_default();
        self.object = ObjectReader::NEW;
        let mut read = 0;
        while read < text.len()
            && let EnvelopeState::Json(json) = self.state
        {
            read += self.push_json(json, &text[read..], context).0;
        }
        self.ends_here = false;
        self.unconfirmed_text = unconfirmed_text;
        self.unconfirmed_text.clear();
    }

    /// Returns `true` if a tag comes after a complete header, or ends one that is none.
    pub(super) fn is_after_header(&self, header: Header, kind: Kind, is_close: bool) -> bool {
        match header {
            Header::Wrapper { .. } => matches!(kind, Kind::Wrapper { .. }),
            Header::Named { .. } | Header::Name => true,
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
    ) -> Change {
        match header {
            Header::Named { .. } | Header::Name if kind.is_some() && !is_too_long => {
                self.state = EnvelopeState::Between { is_first: true };
                self.confirm_header(context)
            }
            _ => Change::NoCall,
        }
    }

    /// Acts on a tag of a header.
    pub(super) fn act_header(&mut self, tag: &TagRef<'_>) {
        self.read_recipient();
        self.unconfirmed_text.push_str(tag.text);
        let header = match tag.kind {
            Kind::Wrapper { tool_call } => {
                self.in_section = true;
                Header::Wrapper { tool_call }
            }
            Kind::Named { family, wrapper } => {
                self.name.set(tag.value);
                self.family = family;
                self.style = if wrapper { Style::Wrapper } else { Style::Tag };
                Header::Named { by_tag: true }
            }
            Kind::Token(token) => return self.act_token(token),
            Kind::CallEnd | Kind::Parameter { .. } | Kind::Key | Kind::Value => return,
        };
        self.state = EnvelopeState::Header(header);
    }

    /// Makes the recipient in a header of Harmony the name of the tool.
    fn read_recipient(&mut self) {
        let EnvelopeState::Header(Header::Words { part, start }) = self.state else { return };
        let words =
            self.unconfirmed_text.get(start..).and_then(|text| harmony::read(text, part, true, self.name.is_empty()));
        if let Some(to) = words.and_then(|words| words.to) {
            self.name.set(to);
        }
    }

    fn act_token(&mut self, token: Token) {
        let start = self.unconfirmed_text.len();
        let header = match token {
            Token::Start => Header::Words { part: HeaderPart::Role, start },
            Token::Channel => Header::Words { part: HeaderPart::Channel, start },
            Token::Constrain => Header::Words { part: HeaderPart::Type, start },
            Token::SectionBegin | Token::DeepseekBegin => Header::Section,
            Token::CallBegin | Token::DeepseekCall => Header::TokenName,
            Token::PythonStart => Header::Marked,
            Token::DeepseekSeparator if self.name.text() == "function" => {
                // `function` stands for the name, which follows.
                self.name.clear();
                Header::Name
            }
            Token::DeepseekSeparator => Header::Named { by_tag: false },
            Token::Message | Token::ArgumentBegin => return self.begin_arguments(),
            Token::Call
            | Token::CallEnd
            | Token::SectionEnd
            | Token::PythonEnd
            | Token::DeepseekCallEnd
            | Token::DeepseekEnd => return,
        };
        (self.family, self.style) = match token {
            Token::SectionBegin | Token::CallBegin => (Envelope::Kimi, Style::Kimi),
            Token::PythonStart => (Envelope::Llama, Style::Llama),
            Token::DeepseekBegin | Token::DeepseekCall | Token::DeepseekSeparator => {
                (Envelope::Deepseek, Style::Deepseek)
            }
            _ => (Envelope::Harmony, Style::Harmony),
        };
        self.in_section |= matches!(token, Token::SectionBegin | Token::DeepseekBegin | Token::PythonStart);
        self.state = EnvelopeState::Header(header);
    }

    /// A character after `[TOOL_CALLS]` or in it, or after `<|python_tag|>`.
    fn step_marked(&mut self, header: &mut Header, char: char) -> HeaderStep {
        const MARKER: &str = "[TOOL_CALLS]";
        match header {
            Header::Marker(len) => {
                if !has_next(MARKER, *len, char) {
                    return HeaderStep::NoCall;
                }
                *len += 1;
                if usize::from(*len) == MARKER.len() {
                    *header = Header::Marked;
                    self.style = Style::Mistral;
                    self.family = Envelope::Mistral;
                }
                HeaderStep::Part
            }
            Header::Marked if name::is_space(char) => HeaderStep::Part,
            Header::Marked => match (self.style, char) {
                (Style::Mistral, '[') => {
                    (self.style, self.in_section) = (Style::MistralList, true);
                    HeaderStep::Part
                }
                (Style::MistralList | Style::Llama, '{') => HeaderStep::Json,
                (Style::Mistral, _) if self.name.push(char) => {
                    *header = Header::MarkedName;
                    HeaderStep::Part
                }
                _ => HeaderStep::NoCall,
            },
            Header::MarkedName if self.name.push(char) => HeaderStep::Part,
            Header::MarkedName => {
                *header = Header::MarkedWord(ArgsMarker::AfterName);
                self.step_marked(header, char)
            }
            Header::MarkedWord(word) => step_marked_word(word, char),
            _ => HeaderStep::NoCall,
        }
    }
}

/// A character after the name that follows `[TOOL_CALLS]`.
fn step_marked_word(word: &mut ArgsMarker, char: char) -> HeaderStep {
    const ARGS: &str = "[ARGS]";
    const CALL_ID: &str = "[CALL_ID]";
    const LONGEST_ID: u8 = 64;
    let is_space = name::is_space(char);
    let is_complete = |len| usize::from(len) == ARGS.len();
    *word = match (*word, char) {
        (ArgsMarker::AfterName | ArgsMarker::Id(_) | ArgsMarker::AfterId, '{') => return HeaderStep::Json,
        (ArgsMarker::Args(len), '{') if is_complete(len) => return HeaderStep::Json,
        (ArgsMarker::AfterName | ArgsMarker::Id(0) | ArgsMarker::AfterId, _) if is_space => *word,
        (ArgsMarker::Args(len), _) if is_space && is_complete(len) => *word,
        (ArgsMarker::Id(_), _) if is_space => ArgsMarker::AfterId,
        (ArgsMarker::AfterName, '[') => ArgsMarker::Bracket,
        (ArgsMarker::Bracket, 'A') => ArgsMarker::Args(2),
        (ArgsMarker::Bracket, 'C') => ArgsMarker::CallId(2),
        (ArgsMarker::Args(len), _) if has_next(ARGS, len, char) => ArgsMarker::Args(len + 1),
        (ArgsMarker::CallId(len), ']') if usize::from(len) + 1 == CALL_ID.len() => ArgsMarker::Id(0),
        (ArgsMarker::CallId(len), _) if has_next(CALL_ID, len, char) => ArgsMarker::CallId(len + 1),
        (ArgsMarker::Id(len), _) if len < LONGEST_ID && char.is_ascii_alphanumeric() => ArgsMarker::Id(len + 1),
        (ArgsMarker::Id(_) | ArgsMarker::AfterId, '[') => ArgsMarker::Args(1),
        _ => return HeaderStep::NoCall,
    };
    HeaderStep::Part
}

/// Returns `true` if the character follows after so many bytes of the word.
fn has_next(word: &str, len: u8, char: char) -> bool {
    word.as_bytes().get(usize::from(len)).is_some_and(|&next| char == char::from(next))
}

fn part_if(is_part: bool) -> HeaderStep {
    if is_part { HeaderStep::Part } else { HeaderStep::NoCall }
}

/// Returns the state of a fence's opening line after one more character; `None` if it is none.
fn step_fence(fence: Fence, char: char) -> Option<Fence> {
    /// Three back-ticks, then 16 letters. After space it is as if all letters had come.
    const TICKS: u8 = 3;
    const LETTERS: u8 = TICKS + 16;
    match (fence, char) {
        (Fence::None, '`') => Some(Fence::Opening(1)),
        (Fence::Opening(len), '`') if len < TICKS => Some(Fence::Opening(len + 1)),
        (Fence::Opening(len), '\n') if len >= TICKS => Some(Fence::Open),
        (Fence::Opening(len), ' ' | '\t' | '\r') if len >= TICKS => Some(Fence::Opening(LETTERS)),
        (Fence::Opening(len), 'a'..='z' | 'A'..='Z') if (TICKS..LETTERS).contains(&len) => {
            Some(Fence::Opening(len + 1))
        }
        (Fence::Open, _) if name::is_space(char) => Some(Fence::Open),
        _ => None,
    }
}
