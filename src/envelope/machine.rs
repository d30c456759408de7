//! The machine: what text and each tag does to a call in an envelope.

use alloc::string::String;
use alloc::sync::Arc;

use super::arguments::ArgumentsReader;
use super::change::{AfterCall, Change};
use super::kinds::{Kind, Kinds};
use super::name::{self, NameText};
use super::object::ObjectReader;
use super::state::{After, EnvelopeState, Fence, Header, Json, ParameterValue, Style};
use crate::call::Call;
use crate::config::{Entities, Envelope, Policy};
use crate::json::key::Key;
use crate::lazy::Fresh;
use crate::note::Note;
use crate::reason::CallPart;
use crate::scan;
use crate::utf8::SOME_CHAR;

/// What the call is built in, and how.
pub(crate) struct Context<'c> {
    pub(crate) call: &'c mut Call,
    pub(crate) policy: &'c Arc<Policy>,
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
    pub(super) state: EnvelopeState,
    pub(super) style: Style,
    pub(super) family: Envelope,
    /// Where in the stream the header begins.
    pub(crate) start: u64,
    /// Where in the stream the call has ended, once it has.
    pub(crate) end: u64,
    /// A wrapper or a section is open.
    pub(super) in_section: bool,
    pub(super) fence: Fence,
    /// The call ends where the text ends that was consumed last. Never so between two pieces.
    pub(super) ends_here: bool,
    /// A part of the header was lost.
    has_gap: bool,
    pub(super) name: NameText,
    pub(super) key: Key,
    pub(super) object: ObjectReader,
    /// What reads the arguments. Of bare JSON it is known in the header.
    pub(super) reader: ArgumentsReader,
    /// What is held back: a header, or what comes after a call.
    pub(super) unconfirmed_text: String,
    /// The last signal borrows that text. Never so between two pieces.
    lent: bool,
}

impl Fresh for EnvelopeMachine {
    const FRESH: EnvelopeMachine = EnvelopeMachine::NEW;
    const SEEN: &'static EnvelopeMachine = &EnvelopeMachine::NEW;
}

impl EnvelopeMachine {
    pub(crate) const NEW: EnvelopeMachine = EnvelopeMachine {
        state: EnvelopeState::Broken,
        style: Style::Tag,
        family: Envelope::Hermes,
        start: 0,
        end: 0,
        in_section: false,
        fence: Fence::None,
        ends_here: false,
        has_gap: false,
        name: NameText::NEW,
        key: Key::NEW,
        object: ObjectReader::NEW,
        reader: ArgumentsReader::None,
        unconfirmed_text: String::new(),
        lent: false,
    };

    /// Makes it as new, for a header that begins at `start`. Its memory is kept.
    fn restart(&mut self, start: u64) {
        self.unconfirmed_text.clear();
        self.name.clear();
        *self = EnvelopeMachine {
            start,
            unconfirmed_text: core::mem::take(&mut self.unconfirmed_text),
            name: core::mem::take(&mut self.name),
            ..EnvelopeMachine::NEW
        };
    }

    /// Begins with an opening tag or token.
    pub(crate) fn begin(&mut self, tag: &TagRef<'_>, start: u64) {
        self.restart(start);
        self.state = EnvelopeState::Header(Header::Section);
        self.act_header(tag);
    }

    /// Begins with text that is no tag: bare JSON, or `[TOOL_CALLS]`.
    pub(crate) fn begin_text(&mut self, is_json: bool, start: u64) {
        self.restart(start);
        if is_json {
            self.begin_object(true);
        } else {
            self.state = EnvelopeState::Header(Header::Marker(0));
        }
    }

    /// Begins the next header of the section that is open, with what is held back.
    fn begin_next(&mut self) {
        let (unconfirmed_text, style) = (core::mem::take(&mut self.unconfirmed_text), self.style);
        let start = self.end;
        self.restart(start);
        self.end = start;
        self.unconfirmed_text = unconfirmed_text;
        self.in_section = true;
        self.style = style;
        self.state = EnvelopeState::Header(match style {
            Style::Kimi | Style::Deepseek => Header::Section,
            Style::MistralList | Style::Llama => Header::Marked,
            _ => Header::Wrapper { tool_call: true },
        });
    }

    /// Returns the name of the tool, for a call of another tool.
    pub(crate) fn tool(&self) -> &str {
        name::bare(self.name.text())
    }

    /// Returns `true` in a call that is read: one of our tool, or of one that has a shape.
    pub(crate) fn is_read(&self) -> bool {
        !self.is_header() && !self.reader.is_none()
    }

    /// Returns `true` in a call of another tool, whose text is emitted as it comes.
    pub(crate) fn is_opaque(&self) -> bool {
        !self.is_read() && !matches!(self.state, EnvelopeState::Header(_) | EnvelopeState::After(_))
    }

    /// Returns `true` after a call, before it is known what follows it.
    pub(crate) fn is_after(&self) -> bool {
        matches!(self.state, EnvelopeState::After(_))
    }

    /// Returns `true` if the text has no delimiter of the open value, which grows by it.
    pub(crate) fn is_plain_in_value(&self, text: &str) -> bool {
        match self.state {
            EnvelopeState::Value(ParameterValue::Question) => !scan::holds_bracket(text.as_bytes()),
            EnvelopeState::Value(ParameterValue::Json | ParameterValue::JsonString)
            | EnvelopeState::Json(Json::Arguments { .. }) => self.reader.is_plain(text),
            EnvelopeState::Json(Json::Text) => self.object.is_plain(text) && self.reader.is_plain(text),
            _ => false,
        }
    }

    /// Consumes text. Returns how many bytes, and what has changed.
    ///
    /// It consumes some, or something changes.
    pub(crate) fn push(&mut self, text: &str, context: &mut Context<'_>) -> (usize, Change) {
        match self.state {
            EnvelopeState::Header(header) => self.push_header(header, text, context),
            EnvelopeState::Between { .. } => (text.len(), Change::Stay),
            EnvelopeState::Broken => (self.push_broken(text), Change::Stay),
            EnvelopeState::Key { .. } => {
                self.push_key(text);
                (text.len(), Change::Stay)
            }
            EnvelopeState::Value(value) => (self.push_value(value, text, context), Change::Stay),
            EnvelopeState::Json(json) => self.push_json(json, text, context),
            EnvelopeState::After(after) => self.push_after(after, text, context),
        }
    }

    /// The text that was consumed last ends at this offset in the stream.
    pub(crate) fn set_offset(&mut self, offset: u64) {
        if core::mem::take(&mut self.ends_here) {
            self.end = offset;
        }
    }

    /// Ends what is open before a tag; the tag is read again.
    ///
    /// `None`: a tool's opening tag. `may_start`: an envelope may start here.
    pub(crate) fn end_before(
        &mut self,
        kind: Option<Kind>,
        len: usize,
        offset: u64,
        may_start: bool,
        context: &mut Context<'_>,
    ) -> Change {
        match self.state {
            EnvelopeState::Header(header) => {
                let is_too_long = self.unconfirmed_text.len() + len > context.policy.limits.unconfirmed;
                self.end_header(header, kind, is_too_long, context)
            }
            EnvelopeState::Between { .. } | EnvelopeState::Broken => {
                self.end = offset;
                self.note_unclosed(context);
                self.finish(if may_start { self.next_before(kind) } else { AfterCall::Prose }, context)
            }
            EnvelopeState::Key { .. } | EnvelopeState::Value(_) | EnvelopeState::Json(_) | EnvelopeState::After(_) => {
                Change::Stay
            }
        }
    }

    /// Returns what follows before this tag.
    fn next_before(&self, kind: Option<Kind>) -> AfterCall {
        let continues = match kind {
            Some(Kind::Named { .. }) => !matches!(self.style, Style::Kimi | Style::Deepseek | Style::Harmony),
            Some(Kind::Token(token)) => self.style.next_tokens().contains(Kinds::of(token)),
            _ => false,
        };
        if continues && self.in_section { AfterCall::Header } else { AfterCall::Prose }
    }

    /// Acts on a tag.
    pub(crate) fn act(&mut self, tag: &TagRef<'_>, context: &mut Context<'_>) -> Change {
        match self.state {
            EnvelopeState::Header(_) => {
                self.act_header(tag);
                if self.is_header() { Change::Stay } else { self.confirm_header(context) }
            }
            EnvelopeState::Between { .. }
            | EnvelopeState::Key { .. }
            | EnvelopeState::Value(_)
            | EnvelopeState::Broken => self.act_in_call(tag, context),
            EnvelopeState::Json(_) => Change::Stay,
            EnvelopeState::After(after) => self.act_after(after, tag, context),
        }
    }

    /// Returns what is held back.
    pub(crate) fn unconfirmed_text(&self) -> &str {
        &self.unconfirmed_text
    }

    /// Holds more text back.
    pub(crate) fn hold(&mut self, text: &str) {
        self.unconfirmed_text.push_str(text);
    }

    /// Notes that the next signal borrows what is held back.
    pub(crate) fn lend(&mut self) {
        self.lent = true;
    }

    /// Returns `true` while a signal borrows what is held back.
    pub(crate) fn is_lent(&self) -> bool {
        self.lent
    }

    /// Drops the text that a signal has borrowed.
    pub(crate) fn drop_lent(&mut self) {
        self.unconfirmed_text.clear();
        self.lent = false;
    }

    /// Returns what is held back from this index on.
    pub(super) fn unconfirmed_from(&self, start: usize) -> &str {
        self.unconfirmed_text.get(start..).unwrap_or_default()
    }

    /// Returns `true` before it is certain that a call follows.
    pub(crate) fn is_header(&self) -> bool {
        matches!(self.state, EnvelopeState::Header(_))
    }

    /// Returns `true` in the header of a call, and between its arguments and its end.
    pub(crate) fn is_around_call(&self) -> bool {
        matches!(self.state, EnvelopeState::Header(_) | EnvelopeState::After(_))
    }

    /// Begins the call after a header that is held back and belongs to it.
    pub(super) fn confirm_header(&mut self, context: &mut Context<'_>) -> Change {
        let change = self.confirm(context);
        if self.is_read() {
            self.unconfirmed_text.clear();
        }
        change
    }

    /// Begins the call, now that it is certain. The state is the one that it begins in.
    pub(super) fn confirm(&mut self, context: &mut Context<'_>) -> Change {
        if self.reader.is_none() {
            self.reader = ArgumentsReader::of(self.name.text(), context.policy);
        }
        if self.reader.is_none() {
            if let EnvelopeState::Json(_) = self.state {
                self.state = EnvelopeState::Json(Json::Object);
            }
            return Change::OpaqueStart;
        }
        let entities = if let EnvelopeState::Json(_) = self.state { Entities::Raw } else { context.policy.entities };
        self.begin_call(entities, context.call);
        Change::Stay
    }

    fn begin_call(&self, entities: Entities, call: &mut Call) {
        call.restart(self.start, entities);
        call.note(Note::Envelope(self.family));
        self.reader.begin(self.name.text(), call);
        if self.has_gap {
            call.spoil();
        }
    }

    /// Rejects the call, as soon as it is certain, because a part of its stream was lost.
    pub(crate) fn spoil(&mut self, call: &mut Call) {
        if self.is_read() {
            call.spoil();
        } else if self.is_header() {
            self.has_gap = true;
        }
    }

    /// Ends the call, which has ended at `self.end`.
    pub(super) fn finish(&mut self, next: AfterCall, context: &mut Context<'_>) -> Change {
        let is_read = self.is_read();
        if is_read {
            self.reader.end(false, context.call, context.policy);
        }
        if next == AfterCall::Header {
            self.begin_next();
        }
        if is_read { Change::Ended(next) } else { Change::OtherEnded(next) }
    }

    pub(super) fn note_unclosed(&self, context: &mut Context<'_>) {
        if self.is_read() {
            context.call.note(Note::UnclosedEnvelope);
        }
    }

    /// Ends what the end of the stream cuts.
    ///
    /// `closes`: it cuts the close tag that the call waits for.
    pub(crate) fn cut(&mut self, end: u64, closes: bool, context: &mut Context<'_>) -> Change {
        let Context { call, policy } = context;
        match self.state {
            EnvelopeState::Header(Header::Named { by_tag: true })
                if self.fence == Fence::None && name::is_read(self.name.text(), policy) =>
            {
                self.reader = ArgumentsReader::of(self.name.text(), policy);
                self.begin_call(Entities::Raw, call);
                call.cut(CallPart::Opening, policy);
                self.unconfirmed_text.clear();
            }
            EnvelopeState::Header(_) => return Change::NoCall,
            EnvelopeState::After(_) => {
                self.note_if_open(context);
                if closes {
                    self.end = end;
                    return self.finish_with_held(context);
                }
                return self.finish(AfterCall::Prose, context);
            }
            _ if !self.is_read() => return Change::OtherEnded(AfterCall::Prose),
            EnvelopeState::Between { .. } => self.reader.end(true, call, policy),
            EnvelopeState::Key { .. } => call.cut(CallPart::Parameters, policy),
            EnvelopeState::Value(value) => {
                let part = match value {
                    ParameterValue::Question | ParameterValue::JsonQuestion | ParameterValue::JsonString => {
                        CallPart::Question
                    }
                    ParameterValue::List(_) => CallPart::Suggestions,
                    ParameterValue::Json => self.reader.part(),
                    ParameterValue::Shaped(written) => self.reader.part_in(written),
                    ParameterValue::Arguments | ParameterValue::Nothing => CallPart::Parameters,
                };
                call.cut(part, policy);
            }
            EnvelopeState::Json(Json::Object) if self.object.is_done() => {
                call.note(Note::UnclosedEnvelope);
                self.reader.end(false, call, policy);
            }
            EnvelopeState::Json(_) => call.cut(self.reader.part(), policy),
            EnvelopeState::Broken => {}
        }
        self.end = end;
        Change::Ended(AfterCall::Prose)
    }

    /// Takes into account that the incomplete character `tail` follows.
    pub(crate) fn foresee(&mut self, tail: &[u8], offset: u64, context: &mut Context<'_>) -> Change {
        let Context { call, policy } = &mut *context;
        match self.state {
            EnvelopeState::Header(Header::Object { .. }) if self.object.is_in_free_string() => {}
            EnvelopeState::Header(_) => return Change::NoCall,
            EnvelopeState::Value(ParameterValue::Question) => call.foresee_char(tail, policy),
            EnvelopeState::Json(Json::Arguments { .. }) => {
                self.reader.foresee(tail, call, policy);
                let change = if self.reader.is_ill_formed() { self.break_off(context) } else { Change::Stay };
                self.set_offset(offset);
                return change;
            }
            EnvelopeState::Value(ParameterValue::Json | ParameterValue::JsonString) if !self.reader.is_closed() => {
                self.reader.foresee(tail, call, policy);
                self.break_value(context);
            }
            EnvelopeState::Value(ParameterValue::Shaped(written)) => self.foresee_shaped(written, tail, context),
            EnvelopeState::Json(Json::Text) => self.foresee_text(tail, context),
            EnvelopeState::Json(_) if self.object.lexer.is_in_text() => {}
            EnvelopeState::Json(_) | EnvelopeState::After(_) => {
                let (consumed, change) = self.push(SOME_CHAR, context);
                if consumed == 0 && change == Change::Stay {
                    // The arguments begin with it.
                    return self.foresee(tail, offset, context);
                }
                self.set_offset(offset);
                return change;
            }
            EnvelopeState::Between { .. }
            | EnvelopeState::Key { .. }
            | EnvelopeState::Broken
            | EnvelopeState::Value(_) => {}
        }
        Change::Stay
    }

    /// Restores a state from a checkpoint, after `read` bytes.
    ///
    /// Returns `false` if it is out of bounds.
    pub(crate) fn restore(&mut self, read: u64, policy: &Policy) -> bool {
        let limits = &policy.limits;
        // A bare object is read again, as any other, once the call is certain.
        let is_certain = !matches!(self.state, EnvelopeState::Json(_)) || !self.object.is_bare;
        is_certain
            && self.start <= read
            && self.end <= read
            && self.unconfirmed_text.len() <= limits.unconfirmed.saturating_add(limits.tag)
            && self.name.is_in_bounds()
            && self.key.is_in_bounds()
            && self.object.is_in_bounds()
            && self.reader.restore(policy.shapes.find_in_text(self.tool()), policy)
    }

    pub(super) fn after(&mut self, after: After) {
        self.state = EnvelopeState::After(after);
    }
}
