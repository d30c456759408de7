//! The machine: what text and each tag does to a call in an envelope.

use alloc::string::String;
use alloc::sync::Arc;

use super::harmony;
use super::name::{self, NameText};
use super::object::ObjectReader;
use super::state::{After, Fence, Header, Json, State, Style, Value, closers};
use super::tag::{Kind, Tags, Token};
use crate::call::Call;
use crate::config::{Entities, Envelope, Policy};
use crate::json::arguments::{Arguments, List};
use crate::json::key::Key;
use crate::lazy::Fresh;
use crate::note::Note;
use crate::reason::CallPart;
use crate::scan;

/// What the call is built in, and how.
pub(crate) struct Context<'c> {
    pub(crate) call: &'c mut Call,
    pub(crate) policy: &'c Arc<Policy>,
}

/// What the text around an envelope has to know of a change in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Turn {
    Stay,
    /// There is no call: what is held back is prose.
    NoCall,
    /// A call of another tool begins with what is held back.
    Opened,
    /// What is held back is a part of another tool's call.
    Opaque,
    /// The same, and with it the call has ended.
    OpaqueEnd,
    /// A call of our tool has ended.
    Ended(Next),
    /// A call of another tool has ended.
    OtherEnded(Next),
}

/// What comes after a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Next {
    /// Prose, which begins with what is held back.
    Prose,
    /// The next call of the same wrapper; its header begins with what is held back.
    Header,
}

/// A tag, as far as the machine needs it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TagRef<'t> {
    pub(crate) kind: Kind,
    pub(crate) is_close: bool,
    /// The name of the tool or of the parameter.
    pub(crate) value: &'t str,
    pub(crate) text: &'t str,
    /// Where in the stream it ends.
    pub(crate) end: u64,
}

/// Reads calls in envelopes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct EnvelopeMachine {
    pub(super) state: State,
    pub(super) style: Style,
    pub(super) family: Envelope,
    /// Where in the stream the header begins.
    pub(crate) start: u64,
    /// Where in the stream the call has ended, once it has.
    pub(crate) end: u64,
    /// A wrapper or a section is open.
    pub(super) in_section: bool,
    /// The call is one of our tool. `false` while that is not certain.
    pub(super) ours: bool,
    /// A fence is open around the JSON.
    pub(super) is_fenced: bool,
    /// There is an object around the arguments.
    pub(super) has_object: bool,
    /// One closing bracket too many has come after the JSON.
    pub(super) has_surplus: bool,
    /// A parameter has come.
    pub(super) has_parameter: bool,
    /// Where in `held` the object begins.
    pub(super) object_at: usize,
    /// The call ends where the text ends that was consumed last. Never so between two pieces.
    pub(super) ends_here: bool,
    pub(super) name: NameText,
    /// The text between two tokens of a header.
    pub(super) words: String,
    pub(super) key: Key,
    pub(super) list: List,
    pub(super) object: ObjectReader,
    pub(super) arguments: Arguments,
    /// What is held back: a header, or what comes after a call.
    pub(crate) held: String,
    /// The last signal borrows what is held back. Never so between two pieces.
    pub(crate) lent: bool,
}

impl Fresh for EnvelopeMachine {
    const FRESH: EnvelopeMachine = EnvelopeMachine::NEW;
    const SEEN: &'static EnvelopeMachine = &EnvelopeMachine::NEW;
}

impl EnvelopeMachine {
    pub(crate) const NEW: EnvelopeMachine = EnvelopeMachine {
        state: State::Broken,
        style: Style::Tag,
        family: Envelope::Hermes,
        start: 0,
        end: 0,
        in_section: false,
        ours: false,
        is_fenced: false,
        has_object: false,
        has_surplus: false,
        has_parameter: false,
        object_at: 0,
        ends_here: false,
        name: NameText::NEW,
        words: String::new(),
        key: Key::NEW,
        list: List::FollowUp,
        object: ObjectReader::NEW,
        arguments: Arguments::NEW,
        held: String::new(),
        lent: false,
    };

    /// Makes it as new, for a header that begins at `start`. Its memory is kept.
    fn restart(&mut self, start: u64) {
        self.held.clear();
        self.words.clear();
        self.name.clear();
        *self = EnvelopeMachine {
            start,
            held: core::mem::take(&mut self.held),
            words: core::mem::take(&mut self.words),
            name: core::mem::take(&mut self.name),
            ..EnvelopeMachine::NEW
        };
    }

    /// Begins with an opening tag or token.
    pub(crate) fn begin(&mut self, tag: &TagRef<'_>, start: u64) {
        self.restart(start);
        self.state = State::Header(Header::Section);
        self.act_header(tag);
    }

    /// Begins with text that is no tag: bare JSON, or `[TOOL_CALLS]`.
    pub(crate) fn begin_text(&mut self, is_json: bool, start: u64) {
        self.restart(start);
        if is_json {
            self.begin_object(true);
        } else {
            self.state = State::Header(Header::Marker(0));
        }
    }

    /// Begins the next header of the section that is open, with what is held back.
    fn begin_next(&mut self) {
        let (held, style) = (core::mem::take(&mut self.held), self.style);
        let start = self.end;
        self.restart(start);
        self.end = start;
        self.held = held;
        self.in_section = true;
        self.style = style;
        self.state = State::Header(match style {
            Style::Kimi | Style::Deepseek => Header::Section,
            Style::MistralList | Style::Llama => Header::Marked,
            _ => Header::Wrapper { tool_call: true, fence: Fence::None },
        });
    }

    /// Returns the name of the tool, for a call of another tool.
    pub(crate) fn tool(&self) -> &str {
        name::bare(self.name.text())
    }

    /// Returns `true` if the call is one of our tool, and certain to be one.
    pub(crate) fn is_ours(&self) -> bool {
        self.ours
    }

    /// Returns `true` in a call of another tool, whose text is emitted as it comes.
    pub(crate) fn is_opaque(&self) -> bool {
        !self.ours && !matches!(self.state, State::Header(_) | State::After(_))
    }

    /// Returns `true` after a call, before it is known what follows it.
    pub(crate) fn is_after(&self) -> bool {
        matches!(self.state, State::After(_))
    }

    /// Returns the tags that close the call, if it waits for its own close tag.
    pub(crate) fn awaited(&self, policy: &Policy) -> Option<Tags> {
        let State::After(after) = self.state else { return None };
        let (close, open) = closers(self.style, after.is_closed);
        let tags = Tags { open, close, families: policy.envelopes(), ..Tags::none() };
        (self.awaits_end(after) && after.ticks == 0).then_some(tags)
    }

    /// Returns `true` if a `<` may begin a tag now.
    pub(crate) fn reads_tags(&self) -> bool {
        match self.state {
            State::Header(Header::Object { .. }) | State::Json(_) => false,
            State::Value(Value::JsonString | Value::Json) => {
                self.arguments.is_closed() || self.arguments.is_ill_formed()
            }
            _ => true,
        }
    }

    /// Returns `true` if the text has no delimiter of the open value, which grows by it.
    pub(crate) fn is_plain_in_value(&self, text: &str) -> bool {
        let is_plain = |arguments: &Arguments| arguments.plain_len(text, 0) == text.len();
        match self.state {
            State::Value(Value::Question) => self.ours && !scan::holds_bracket(text.as_bytes()),
            State::Value(Value::Json | Value::JsonString) | State::Json(Json::Arguments { .. }) => {
                is_plain(&self.arguments)
            }
            State::Json(Json::Text) => self.object.is_plain(text) && is_plain(&self.arguments),
            _ => false,
        }
    }

    /// Returns `true` if the open value decodes entities.
    pub(crate) fn is_in_question(&self) -> bool {
        self.ours && self.state == State::Value(Value::Question)
    }

    /// Returns the tags that mean something now.
    pub(crate) fn tags(&self, policy: &Policy) -> Tags {
        let has_recipient = match self.state {
            State::Header(Header::Words(part)) => {
                let words = harmony::read(&self.words, part, true, self.name.is_empty());
                !self.name.is_empty() || words.is_some_and(|words| words.to.is_some())
            }
            _ => false,
        };
        let ours = match self.state {
            State::Header(_) => name::is_ours(self.name.text()),
            _ => self.ours,
        };
        self.state.tags(self.style, ours, has_recipient, policy.envelopes())
    }

    /// Returns `true` if the opening tags of markup tools mean something now: they end the call.
    pub(crate) fn allows_tools(&self) -> bool {
        matches!(self.state, State::Between | State::Broken)
    }

    /// Consumes text. Returns how many bytes, and what has changed.
    ///
    /// It consumes some, or something changes.
    pub(crate) fn push(&mut self, text: &str, context: &mut Context<'_>) -> (usize, Turn) {
        match self.state {
            State::Header(header) => self.push_header(header, text, context),
            State::Between | State::Broken => (text.len(), Turn::Stay),
            State::Key => {
                if self.ours {
                    self.key.push(text);
                }
                (text.len(), Turn::Stay)
            }
            State::Value(value) => (self.push_value(value, text, context), Turn::Stay),
            State::Json(json) => self.push_json(json, text, context),
            State::After(after) => self.push_after(after, text, context),
        }
    }

    /// The text that was consumed last ends at this offset in the stream.
    pub(crate) fn set_offset(&mut self, offset: u64) {
        if core::mem::take(&mut self.ends_here) {
            self.end = offset;
        }
    }

    /// Returns `true` if a tag is no part of what is open, which ends before it or changes first.
    pub(crate) fn ends_before(&self, kind: Option<(Kind, bool)>, len: usize, policy: &Policy) -> bool {
        let Some((kind, is_close)) = kind else { return true };
        match self.state {
            State::Header(_) if self.held.len() + len > policy.limits.bare => true,
            State::Header(header) => self.is_after_header(header, kind, is_close),
            State::Between | State::Broken => !is_close && self.begins_call(kind),
            State::Key | State::Value(_) | State::Json(_) | State::After(_) => false,
        }
    }

    /// Returns `true` if an opening tag begins a wrapper, a call, or the header of one.
    fn begins_call(&self, kind: Kind) -> bool {
        match kind {
            Kind::Wrapper { .. } | Kind::Named { .. } => true,
            Kind::Token(token) => !self.closes(token),
            Kind::CallEnd | Kind::Parameter { .. } | Kind::Key | Kind::Value => false,
        }
    }

    /// Returns `true` if the token closes a call of this style or its section.
    fn closes(&self, token: Token) -> bool {
        matches!(
            (self.style, token),
            (Style::Harmony, Token::Call)
                | (Style::Kimi, Token::CallEnd | Token::SectionEnd)
                | (Style::Llama, Token::PythonEnd)
                | (Style::Deepseek, Token::DeepseekCallEnd | Token::DeepseekEnd)
        )
    }

    /// Ends what is open before a tag; the tag is read again. `None`: a tool's opening tag.
    pub(crate) fn end_before(
        &mut self,
        kind: Option<Kind>,
        len: usize,
        offset: u64,
        context: &mut Context<'_>,
    ) -> Turn {
        match self.state {
            State::Header(header) => {
                let is_too_long = self.held.len() + len > context.policy.limits.bare;
                self.end_header(header, kind, is_too_long, context)
            }
            State::Between | State::Broken => {
                self.end = offset;
                self.note_unclosed(context);
                self.finish(self.next_before(kind), context)
            }
            State::Key | State::Value(_) | State::Json(_) | State::After(_) => Turn::Stay,
        }
    }

    /// Returns what follows before this tag.
    fn next_before(&self, kind: Option<Kind>) -> Next {
        let continues = match kind {
            Some(Kind::Named { .. }) => !matches!(self.style, Style::Kimi | Style::Deepseek | Style::Harmony),
            Some(Kind::Token(Token::CallBegin)) => self.style == Style::Kimi,
            Some(Kind::Token(Token::DeepseekCall)) => self.style == Style::Deepseek,
            _ => false,
        };
        if continues && self.in_section { Next::Header } else { Next::Prose }
    }

    /// Acts on a tag.
    pub(crate) fn act(&mut self, tag: &TagRef<'_>, context: &mut Context<'_>) -> Turn {
        match self.state {
            State::Header(_) => {
                self.act_header(tag);
                if self.is_header() { Turn::Stay } else { self.confirm_held(context) }
            }
            State::Between | State::Key | State::Value(_) | State::Broken => self.act_in_call(tag, context),
            State::Json(_) => Turn::Stay,
            State::After(after) => self.act_after(after, tag, context),
        }
    }

    pub(super) fn is_header(&self) -> bool {
        matches!(self.state, State::Header(_))
    }

    /// Begins the call after a header that is held back and belongs to it.
    pub(super) fn confirm_held(&mut self, context: &mut Context<'_>) -> Turn {
        let turn = self.confirm(context);
        if self.ours {
            self.held.clear();
        }
        turn
    }

    /// Begins the call, now that it is certain. The state is the one that it begins in.
    pub(super) fn confirm(&mut self, context: &mut Context<'_>) -> Turn {
        self.ours = name::is_ours(self.name.text());
        if !self.ours {
            return Turn::Opened;
        }
        let entities = if let State::Json(_) = self.state { Entities::Raw } else { context.policy.entities };
        context.call.restart(self.start, entities);
        context.call.note(Note::Envelope(self.family));
        Turn::Stay
    }

    /// Ends the call, which has ended at `self.end`.
    pub(super) fn finish(&mut self, next: Next, context: &mut Context<'_>) -> Turn {
        let ours = self.ours;
        if ours {
            context.call.end(false, context.policy);
        }
        if next == Next::Header {
            self.begin_next();
        }
        if ours { Turn::Ended(next) } else { Turn::OtherEnded(next) }
    }

    pub(super) fn note_unclosed(&self, context: &mut Context<'_>) {
        if self.ours {
            context.call.note(Note::UnclosedEnvelope);
        }
    }

    /// Ends what the end of the stream cuts. `closes`: it cuts the close tag that the call waits for.
    pub(crate) fn cut(&mut self, end: u64, closes: bool, context: &mut Context<'_>) -> Turn {
        let Context { call, policy } = context;
        match self.state {
            State::Header(Header::Named { by_tag: true, fence: Fence::None }) if name::is_ours(self.name.text()) => {
                self.ours = true;
                call.restart(self.start, Entities::Raw);
                call.note(Note::Envelope(self.family));
                call.cut(CallPart::Opening, policy);
                self.held.clear();
            }
            State::Header(_) => return Turn::NoCall,
            State::After(_) => {
                self.note_if_open(context);
                if closes {
                    self.end = end;
                    return self.finish_with_held(context);
                }
                return self.finish(Next::Prose, context);
            }
            _ if !self.ours => return Turn::OtherEnded(Next::Prose),
            State::Between => call.end(true, policy),
            State::Key => call.cut(CallPart::Parameters, policy),
            State::Value(value) => {
                let place = match value {
                    Value::Question | Value::JsonQuestion | Value::JsonString => CallPart::Question,
                    Value::List => CallPart::Suggestions,
                    Value::Json => self.arguments.place(),
                    Value::Arguments | Value::Nothing => CallPart::Parameters,
                };
                call.cut(place, policy);
            }
            State::Json(json) => match json {
                Json::Object if self.object.is_done() => {
                    call.note(Note::UnclosedEnvelope);
                    call.end(false, policy);
                }
                Json::Object | Json::Other => call.cut(CallPart::Parameters, policy),
                Json::Arguments { .. } | Json::Text => call.cut(self.arguments.place(), policy),
            },
            State::Broken => {}
        }
        self.end = end;
        Turn::Ended(Next::Prose)
    }

    /// Takes into account that the incomplete character `tail` follows.
    pub(crate) fn foresee(&mut self, tail: &[u8], offset: u64, context: &mut Context<'_>) -> Turn {
        // Whatever character it becomes, it is no delimiter, no space and no part of a name.
        const SOME: &str = "\u{FFFD}";
        match self.state {
            State::Header(Header::Object { .. }) if self.object.is_in_text() => Turn::Stay,
            State::Header(_) => Turn::NoCall,
            State::Value(Value::Question) => {
                context.call.foresee_char(tail, context.policy);
                Turn::Stay
            }
            State::Value(Value::Json | Value::JsonString) | State::Json(Json::Arguments { .. })
                if self.arguments.is_in_text() =>
            {
                self.arguments.foresee(tail, context.call, context.policy);
                Turn::Stay
            }
            State::Json(_) if self.object.is_in_text() => Turn::Stay,
            State::Json(_) | State::After(_) => {
                let (_, turn) = self.push(SOME, context);
                if core::mem::take(&mut self.ends_here) {
                    self.end = offset;
                }
                turn
            }
            State::Between | State::Key | State::Broken | State::Value(_) => Turn::Stay,
        }
    }

    /// Returns `true` if the state can occur between two pieces of a stream of `read` bytes.
    pub(crate) fn is_in_bounds(&self, read: u64, policy: &Policy) -> bool {
        let limits = &policy.limits;
        let held = self.held.len() <= limits.bare.saturating_add(limits.tag) && self.object_at <= self.held.len();
        let parts = self.name.is_in_bounds() && self.key.is_in_bounds() && self.object.is_in_bounds();
        let reader = self.arguments.is_in_bounds() && self.words.len() <= super::harmony::LONGEST;
        held && parts && reader && self.start <= read && self.end <= read && !self.lent && !self.ends_here
    }

    pub(super) fn after(&mut self, after: After) {
        self.state = State::After(after);
    }
}
