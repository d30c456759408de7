//! Driving a [`Parser`] one decision at a time.
//!
//! This is the only file of `wire` that uses the parser's internals. A body holds several parsers
//! and the text they read, so they can't lend a cursor: each decision is made first, and its event
//! lent afterwards.

use super::deltas::TextRange;
use crate::call::{Call, View};
use crate::event::Event;
use crate::parser::{About, Feed};
use crate::questions::Questions;
use crate::{Note, Parser, Policy, Shape};

pub(super) use crate::parser::Decision;

/// The input of a parser that has not been consumed to its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct ParserFeed {
    input: FeedInput,
    /// The text at hand is consumed up to here.
    pos: usize,
}

#[derive(Clone, Copy, Debug)]
enum FeedInput {
    /// A range of the text of the deltas.
    Text(TextRange),
    /// Bytes of the body up to `end`.
    ///
    /// The last `rest` of them are not decoded yet, and the `text` bytes before those are the text
    /// at hand.
    Bytes { end: usize, text: usize, rest: usize },
    /// The end of the parser's stream.
    End,
}

/// What a decision means for the call that it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallProgress {
    /// More of the call is known.
    Partial,
    /// The call is complete or rejected.
    Ended,
}

impl ParserFeed {
    /// Begins to feed `parser` the text in a range of `deltas`.
    pub(super) fn text(parser: &mut Parser, range: TextRange, deltas: &str) -> ParserFeed {
        parser.begin_text(&deltas[range.0..range.1]);
        ParserFeed { input: FeedInput::Text(range), pos: 0 }
    }

    /// Begins to feed a parser the `len` bytes of the body before `end`.
    pub(super) fn bytes(end: usize, len: usize) -> ParserFeed {
        ParserFeed { input: FeedInput::Bytes { end, text: 0, rest: len }, pos: 0 }
    }

    /// Begins to finish the parser's stream.
    pub(super) fn end(parser: &mut Parser) -> ParserFeed {
        parser.begin_finish();
        ParserFeed { input: FeedInput::End, pos: 0 }
    }

    /// Returns whether this is the end of the parser's stream.
    pub(super) fn is_end(&self) -> bool {
        matches!(self.input, FeedInput::End)
    }

    /// Returns whether the input is a part of the body, not text of the deltas.
    pub(super) fn is_of_body(&self) -> bool {
        matches!(self.input, FeedInput::Bytes { .. })
    }

    /// Runs the parser up to its next decision; `None` when the input is consumed.
    pub(super) fn decide(&mut self, parser: &mut Parser, deltas: &str, body: &[u8]) -> Option<Decision> {
        let mut feed = self.feed(deltas, body);
        let decision = parser.decide(&mut feed);
        self.pos = feed.pos;
        if let FeedInput::Bytes { text, rest, .. } = &mut self.input {
            (*text, *rest) = (feed.text.len(), feed.bytes_left());
        }
        decision
    }

    /// Returns the event of the last decision, with the index and the id of its call.
    pub(super) fn lend<'f>(
        &self,
        parser: &'f Parser,
        decision: Decision,
        (deltas, body): (&'f str, &'f [u8]),
        (call_index, id): (u64, Option<&'f str>),
    ) -> Event<'f> {
        parser.lend(&self.feed(deltas, body), decision).of(call_index, id)
    }

    fn feed<'f>(&self, deltas: &'f str, body: &'f [u8]) -> Feed<'f> {
        match self.input {
            FeedInput::Text((start, end)) => Feed::new(&deltas[start..end], &[], self.pos),
            FeedInput::Bytes { end, text, rest } => {
                let start = end - rest;
                let text = core::str::from_utf8(&body[start - text..start]).unwrap_or_default();
                Feed::new(text, &body[start..end], self.pos)
            }
            FeedInput::End => Feed::end(),
        }
    }
}

/// A call in the text that has ended, without its parser.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct EndedCall {
    call: Call,
    end: u64,
}

impl EndedCall {
    /// Returns a copy of the call that ends with this event; `None` if none does.
    pub(super) fn new(event: &Event<'_>) -> Option<EndedCall> {
        match event {
            Event::Complete(call) => Some(EndedCall { call: call.call.clone(), end: call.end }),
            Event::Rejected(call) => Some(EndedCall { call: call.call.clone(), end: call.end }),
            Event::Text(_) | Event::Opaque(_) | Event::Partial(_) => None,
        }
    }

    pub(super) fn note(&mut self, note: Note) {
        self.call.note(note);
    }

    pub(super) fn questions(&self) -> Questions<'_> {
        Questions::new(&self.call, View::Whole)
    }

    /// Returns the bytes of its texts.
    pub(super) fn len(&self) -> usize {
        self.call.text_len()
    }

    /// Returns whether it is a call that the policy's limits allow.
    pub(super) fn is_in_bounds(&self, policy: &Policy) -> bool {
        self.call.start <= self.end && self.call.is_in_bounds(policy)
    }

    /// Returns the event of its end, or of its end as one instead of which another call counts.
    pub(super) fn lend(&self, call_index: u64, is_superseded: bool) -> Event<'_> {
        match is_superseded {
            true => Event::superseded(&self.call, call_index, self.end),
            false => Event::ended(&self.call, call_index, self.end, false),
        }
    }
}

/// What a decision means for a call; `None` if it is about none.
pub(super) fn call_progress(decision: Decision) -> Option<CallProgress> {
    match decision.about() {
        About::Prose => None,
        About::Call => Some(CallProgress::Partial),
        About::CallEnd => Some(CallProgress::Ended),
    }
}

/// Makes the call that is open in the parser, if there is one, be rejected when it ends.
///
/// A part of its stream was lost, or is known to be wrong.
pub(super) fn reject_open_call(parser: &mut Parser) {
    parser.spoil();
}

/// Feeds the parser of an unconfirmed call. Returns whether the call asks; `None` if that is open.
///
/// It asks as soon as something of a question is shown, and of an option if its shape
/// `needs_options`. It does not if its arguments can't be read, or are a question where the tool
/// has a list of them: then another tool has the name.
pub(super) fn asks(parser: &mut Parser, text: &str) -> Option<bool> {
    let needs_options = parser.shape().is_some_and(Shape::needs_options);
    let mut events = parser.feed(text);
    let mut is_shown = false;
    while !is_shown && let Some(event) = events.next() {
        let Event::Partial(call) = event else { continue };
        let questions = call.questions();
        let has_options = || questions.iter().any(|question| !question.suggestions.is_empty());
        is_shown = !questions.is_empty() && (!needs_options || has_options());
    }
    drop(events);
    let call = parser.call();
    if is_shown { Some(!call.notes().contains(&Note::QuestionWithoutList)) } else { call.has_failed().then_some(false) }
}
