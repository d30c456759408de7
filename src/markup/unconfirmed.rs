//! After an opening tag, until it is certain that a call began there.
//!
//! A model that writes about the tool names its tag in prose. So nothing is shown and everything is
//! held back, until a parameter's tag or the close tag confirms the call, or it is certain that
//! none will: then the opening tag is text.

use super::lexed::{IncompleteTag, LexedTag, Tag};
use nom::Streaming;

use super::allowed::OPENING;
use super::inside::{CONFIRMING, SHORTEST_CONFIRMING};
use super::machine::{MarkupBuffers, MarkupMachine};
use super::state::{Decided, Inside, MarkupState, Position, Unconfirmed};
use super::tag::{self, Allowed};
use crate::config::Malformed;
use crate::note::Note;
use crate::reason::{CallPart, Reason};
use crate::signal::{Signal, Source};
use crate::utf8;

impl MarkupMachine {
    /// Begins a call at its opening tag.
    pub(super) fn begin_call(&mut self, tag: &Tag, text: &[u8], start: u64, end: u64) {
        self.has_news = true;
        let before = if let MarkupState::Prose(code) = self.state { code } else { self.code_after_call() };
        let MarkupBuffers { call, unconfirmed_text, prose_left, code_before, .. } = &mut *self.buffers;
        *prose_left = 0;
        call.restart(start, self.policy.entities);
        unconfirmed_text.clear();
        if tag.empty {
            call.end(false, &self.policy);
            self.state = MarkupState::ended(end);
        } else {
            unconfirmed_text.push_str(core::str::from_utf8(text).unwrap_or_default());
            *code_before = before;
            self.state = MarkupState::Unconfirmed(Unconfirmed { opening: text.len() as u32, end, blank: true });
        }
    }

    /// Holds text back.
    ///
    /// Returns `false` if there is no room for it: then the opening tag was only named.
    pub(super) fn hold(&mut self, text: &str) -> bool {
        let MarkupState::Unconfirmed(unconfirmed) = self.state else { return true };
        if self.room(&unconfirmed) < text.len() {
            self.demote(&unconfirmed);
            return false;
        }
        self.buffers.unconfirmed_text.push_str(text);
        let blank = unconfirmed.blank && text.trim_start().is_empty();
        self.state = MarkupState::Unconfirmed(Unconfirmed { blank, ..unconfirmed });
        true
    }

    /// Returns how many bytes more the body may have before a tag that confirms the call has ended.
    pub(super) fn room(&self, unconfirmed: &Unconfirmed) -> usize {
        self.policy
            .limits
            .unconfirmed
            .saturating_sub(self.buffers.unconfirmed_text.len().saturating_sub(unconfirmed.opening as usize))
    }

    /// Confirms the call.
    pub(super) fn confirm(&mut self, unconfirmed: &Unconfirmed) {
        let MarkupBuffers { call, unconfirmed_text, .. } = &mut *self.buffers;
        call.keep_bare(unconfirmed_text.get(unconfirmed.opening as usize..).unwrap_or_default());
        unconfirmed_text.clear();
        self.state =
            MarkupState::Inside(Inside { position: Position::BETWEEN, follow_up: false, after_backtick: false });
    }

    /// Decides that the opening tag was only named.
    pub(super) fn demote(&mut self, &Unconfirmed { opening, end, .. }: &Unconfirmed) {
        let opening = opening as usize;
        let body = self.buffers.unconfirmed_text.len().saturating_sub(opening);
        if !self.policy.envelopes().is_empty() {
            self.buffers.prose_left = self.policy.limits.unconfirmed.saturating_sub(body);
        }
        self.state = MarkupState::Decided(match self.policy.malformed {
            Malformed::Repair => Decided::Named { opening },
            Malformed::Reject => {
                let MarkupBuffers { call, unconfirmed_text, .. } = &mut *self.buffers;
                call.reject(Reason::Malformed(Note::OnlyNamed));
                unconfirmed_text.drain(..opening.min(unconfirmed_text.len()));
                Decided::Ended { end, is_named: true }
            }
        });
    }

    /// Ends it with the stream.
    ///
    /// It is a call that was cut, if nothing but blanks and an incomplete tag follow.
    pub(super) fn cut_unconfirmed(&mut self, unconfirmed: Unconfirmed, end: u64) {
        if !unconfirmed.blank {
            return self.demote(&unconfirmed);
        }
        self.has_news = true;
        self.buffers.call.cut(CallPart::Opening, &self.policy);
        self.pending.clear();
        self.state = MarkupState::ended(end);
    }

    /// Emits what was held back as prose.
    ///
    /// It holds no call, but it decides what is code.
    pub(super) fn emit_named(&mut self, opening: usize) -> Option<Signal> {
        let mut unconfirmed_text = core::mem::take(&mut self.buffers.unconfirmed_text);
        let tag = unconfirmed_text.as_bytes().get(..opening).unwrap_or_default();
        self.state = MarkupState::Prose(tag.iter().fold(self.buffers.code_before, |code, byte| code.after(*byte)));
        let pending = core::mem::take(&mut self.pending);
        self.is_passing = true;
        self.pass_prose(unconfirmed_text.get(opening..).unwrap_or_default(), 0);
        if pending.bytes.is_empty() {
            if !self.pending.shown {
                unconfirmed_text.truncate(unconfirmed_text.len() - self.pending.bytes.len());
                // It is counted when it has turned out to be text.
                if !self.policy.envelopes().is_empty() {
                    self.buffers.prose_left += self.pending.bytes.len();
                }
            }
        } else {
            // The `<` ends a run of back-ticks at the end of the text before it.
            let before = core::mem::take(&mut self.pending);
            if !before.shown {
                self.push(before.text());
            }
            self.pass_prose(pending.text(), pending.start);
            if self.pending.bytes.is_empty() || self.pending.shown {
                unconfirmed_text.push_str(pending.text());
                self.is_passing = false;
                self.spend_prose(pending.bytes.len());
            }
            self.pending.has_gap = pending.has_gap && !self.pending.bytes.is_empty();
        }
        self.is_passing = false;
        self.buffers.unconfirmed_text = unconfirmed_text;
        (!self.buffers.unconfirmed_text.is_empty()).then_some(Signal::Text(Source::Unconfirmed))
    }

    /// Takes back what is new of the incomplete tag, if no call can be confirmed any more.
    ///
    /// It is prose, in which an envelope may start. The first `old` bytes stay. Returns how many
    /// bytes are to be read again.
    pub(super) fn take_back_prose(&mut self, old: usize) -> usize {
        let MarkupState::Unconfirmed(unconfirmed) = self.state else { return 0 };
        if !self.is_hopeless(&unconfirmed, &[]) {
            return 0;
        }
        let len = self.pending.bytes.len();
        if old == 0 {
            self.pending.clear();
        } else {
            self.pending.bytes.truncate(old);
        }
        self.demote(&unconfirmed);
        len - old
    }

    /// Returns whether no continuation can confirm the call any more.
    ///
    /// Nor can one end the stream in an unconfirmed call. The incomplete UTF-8 sequence `tail`
    /// follows the text.
    pub(super) fn is_hopeless(&self, unconfirmed: &Unconfirmed, tail: &[u8]) -> bool {
        let room = self.room(unconfirmed);
        let tail_len = utf8::shortest_char(tail);
        let Some(rest) = room.checked_sub(self.pending.bytes.len() + tail_len) else { return true };
        // Nearly always: any tag has room, whether it begins with the next byte or, if that must
        // not be a back-tick, with the one after it.
        if rest > SHORTEST_CONFIRMING {
            return false;
        }
        if self.pending.bytes.is_empty() {
            let stays_blank = tail.is_empty() || utf8::shortest_blank(tail).is_some_and(|len| len <= room);
            return SHORTEST_CONFIRMING > rest && !(unconfirmed.blank && stays_blank);
        }
        // That the tag has room within its own limit was decided before, with the character that
        // follows.
        let limit = self.policy.limits.tag;
        let more =
            |allowed: &Allowed| match tag::read::<Streaming>(&self.pending.bytes, allowed, &self.policy.tools, limit) {
                LexedTag::Incomplete(IncompleteTag { more, .. }) => Some(more),
                _ => None,
            };
        let (confirming, tool) = (more(&CONFIRMING), more(&OPENING));
        // A tool's opening tag that is whole is one unless a back-tick follows: only then can more
        // follow.
        let afresh = SHORTEST_CONFIRMING + usize::from(tool == Some(0));
        let confirms = afresh <= rest || confirming.is_some_and(|more| more <= rest);
        !(confirms || unconfirmed.blank && tool.is_some_and(|more| more > 0))
    }
}
