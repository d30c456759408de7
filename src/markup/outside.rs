//! Outside our calls: prose, and other tools' calls.

use nom::IsStreaming;

use super::code::{Code, MIDDLE};
use super::envelope::tag_ref;
use super::lexed::{IncompleteTag, LexedTag, Name, Side, Tag, TagPart};
use super::machine::MarkupMachine;
use super::pass::Openers;
use super::state::MarkupState;
use crate::before::Before;
use crate::config::{ASK, CallStart, Envelope, Envelopes};
use crate::envelope;
use crate::signal::{Quiet, Signal, Source, ToolRef};

impl MarkupMachine {
    /// Returns which text is certain to be prose, and what is before the next byte of prose.
    #[inline]
    pub(crate) fn quiet(&self) -> (Quiet, Before) {
        let MarkupState::Prose(code) = self.state else { return (Quiet::Never, Before::MIDDLE) };
        let is_quiet = self.pending.bytes.is_empty() && self.buffers.prose_left == 0;
        (if is_quiet { self.quiet_in(code) } else { Quiet::Never }, code.before())
    }

    /// Returns which text is certain to be prose after prose without an incomplete tag.
    #[inline]
    fn quiet_in(&self, code: Code) -> Quiet {
        match code {
            Code::Ignored => Quiet::WithoutBracket,
            // A `[` may begin an envelope.
            _ if self.policy.envelopes().contains(Envelope::Mistral) => Quiet::Unknown,
            Code::Plain { .. } => Quiet::WithoutMark,
            _ if code.is_inside() => Quiet::WithoutCodeMark,
            _ => Quiet::Unknown,
        }
    }

    /// Sets what is before the next byte of prose.
    pub(crate) fn set_before(&mut self, before: Before) {
        if let MarkupState::Prose(code) = &mut self.state {
            code.set_before(before);
        }
    }

    /// Reads text that is all prose and begins nothing, where some text is certain to be prose.
    ///
    /// `before`: what is before the text. Returns which text is certain to be prose after it;
    /// `None`, with nothing changed, if the slow path has to read it.
    pub(crate) fn pass_quiet(&mut self, text: &str, before: &mut Before) -> Option<Quiet> {
        let MarkupState::Prose(mut code) = self.state else { return None };
        code.set_before(*before);
        if code.advance(text.as_bytes(), 0, self) < text.len() {
            return None;
        }
        self.state = MarkupState::Prose(code);
        *before = code.before();
        Some(self.quiet_in(code))
    }

    /// Returns the index in the text at which the prose ends in which no envelope starts.
    ///
    /// That is the end of the text if one may start already.
    pub(super) fn end_of_prose_left(&self, text: &str, from: usize) -> usize {
        let left = self.buffers.prose_left;
        if self.is_passing || left == 0 {
            return text.len();
        }
        let mut to = from.saturating_add(left).min(text.len());
        while !text.is_char_boundary(to) {
            to += 1;
        }
        to
    }

    /// Counts prose in which no envelope starts.
    pub(super) fn spend_prose(&mut self, len: usize) {
        if !self.is_passing && self.buffers.prose_left > 0 {
            self.buffers.prose_left = self.buffers.prose_left.saturating_sub(len);
        }
    }

    /// Returns the envelopes that may start here.
    pub(super) fn envelopes(&self) -> Envelopes {
        // Without room for a header, there is none.
        let starts = !self.is_passing && self.buffers.prose_left == 0 && self.policy.limits.unconfirmed > 0;
        if starts { self.policy.envelopes() } else { Envelopes::none() }
    }

    /// Does the same in prose, in the simple cases.
    ///
    /// Those are a `<` that is the last byte, or begins nothing.
    #[inline]
    pub(super) fn read_in_prose<S: IsStreaming>(&self, bytes: &[u8]) -> Option<LexedTag> {
        let rest = bytes.get(1..)?;
        if self.policy.call_start != CallStart::Anywhere {
            return None;
        }
        // Our tag may begin here, and fits.
        if rest.is_empty() && S::is_streaming() && self.policy.limits.tag > ASK.len() + 1 {
            return Some(LexedTag::Incomplete(IncompleteTag { more: 1, shown: false, part: TagPart::Other }));
        }
        (!rest.is_empty() && !self.bracket(rest)).then_some(LexedTag::Text)
    }

    /// Acts on a tool's opening tag.
    pub(super) fn act_outside(&mut self, tag: &Tag, text: &[u8], start: u64, end: u64, from: Source) -> Option<Signal> {
        if let MarkupState::Prose(code) = self.state
            && let Some(tag) = tag_ref(tag, text, end)
        {
            self.buffers.envelope.begin(&tag, start);
            self.state = MarkupState::Envelope(code);
            return None;
        }
        if let Name::Tool(tool) = tag.name {
            if self.buffers.prose_left > 0 {
                self.buffers.prose_left = 0;
            }
            self.state = MarkupState::Opaque { tool, parameter: None };
            return Some(Signal::Opaque { from, tool: ToolRef::Listed(tool), start: true });
        }
        self.begin_call(tag, text, start, end);
        None
    }

    /// Acts on a tag whose text is emitted like any other.
    ///
    /// Returns `true` if the text after it is not.
    pub(super) fn act_shown(&mut self, tag: &Tag, end: u64) -> bool {
        if let MarkupState::Envelope(code) = self.state {
            self.act_envelope(tag, &[], code, end);
            return true;
        }
        match (&mut self.state, tag.name, tag.side) {
            (MarkupState::Prose(code), Name::Think | Name::Thinking, Side::Open) => {
                *code = Code::Thinking { long: tag.name == Name::Thinking };
            }
            (MarkupState::Prose(code), ..) => *code = MIDDLE,
            (MarkupState::Opaque { parameter, .. }, Name::Parameter(name), Side::Open) => *parameter = Some(name),
            (MarkupState::Opaque { parameter, .. }, Name::Parameter(_), Side::Close) => *parameter = None,
            (MarkupState::Opaque { .. }, ..) => {
                self.state = self.after_call();
                return true;
            }
            _ => {
                if let Some(mut inside) = self.inside() {
                    inside.keep_in_code();
                }
            }
        }
        false
    }
}

impl Openers for MarkupMachine {
    #[inline(always)] // Nearly always, the tables of `may_open` say no.
    fn bracket(&self, rest: &[u8]) -> bool {
        self.policy.call_start != CallStart::Anywhere
            || self.policy.tools.may_open(rest)
            || envelope::tag_names::may_open(rest) && !self.envelopes().is_empty()
    }

    fn json(&self) -> bool {
        self.envelopes().contains(Envelope::BareJson)
    }

    fn marker(&self) -> bool {
        self.envelopes().contains(Envelope::Mistral)
    }
}
