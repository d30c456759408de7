//! The public parser of a response, and its cursor.

use alloc::sync::Arc;

use super::body::{BodyParser, Output};
use super::error::Error;
use super::format::Format;
use super::input::BodyInput;
use super::limits::Limits;
use crate::Policy;
use crate::event::Event;

/// A parser for the bodies of streaming responses, one body after the other.
///
/// [`feed`](ResponseParser::feed) it a chunk and take the events from the cursor; at the end of the
/// body, call [`finish`](ResponseParser::finish). The events do not depend on how the body was cut
/// into chunks.
///
/// It does not check that a body is complete: one that was cut off after all calls ends like any
/// other.
///
/// Cost: time is linear in the bytes. The [`Limits`] and [those of a call](crate::Limits) bound the
/// memory, which holds one event of the stream and the open calls.
#[derive(Clone, Debug)]
pub struct ResponseParser {
    pub(super) body: BodyParser,
}

impl ResponseParser {
    /// Creates a parser for bodies in this format.
    ///
    /// `policy` is a [`Policy`], or an `Arc` of one that many parsers share.
    pub fn new(format: Format, policy: impl Into<Arc<Policy>>) -> ResponseParser {
        ResponseParser { body: BodyParser::new(Some(format), policy.into(), Limits::default()) }
    }

    /// Creates a parser that detects the format of every body from its first events.
    ///
    /// It emits nothing until the format is certain. Text that is no provider's is parsed as a
    /// message, and a JSON object with the parameters of a call as its arguments.
    ///
    /// ```
    /// use followup::Policy;
    /// use followup::wire::{Format, ResponseParser};
    ///
    /// let mut parser = ResponseParser::auto(Policy::new());
    /// drop(parser.feed(br#"{"model":"qwen3","message":{"role":"assistant","content":"#));
    /// assert_eq!(parser.format(), None);
    /// drop(parser.feed(b"\"Hi\"},\"done\":false}\n"));
    /// assert_eq!(parser.format(), Some(Format::Ollama));
    /// ```
    pub fn auto(policy: impl Into<Arc<Policy>>) -> ResponseParser {
        ResponseParser { body: BodyParser::new(None, policy.into(), Limits::default()) }
    }

    /// Sets the limits of the stream. What was fed before is discarded.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> ResponseParser {
        ResponseParser { body: self.body.with_limits(limits) }
    }

    /// Sets whether calls are read in the model's reasoning as well.
    ///
    /// The default is not to. What was fed before is discarded.
    ///
    /// Some models write their calls there. Only the events of calls of `ask_followup_question`
    /// come out of it, with a span in the reasoning. Such a call ends with the body, with the note
    /// [`InReasoning`](crate::Note::InReasoning); and it is [superseded](crate::Reason::Superseded)
    /// if the response asks in any other way.
    ///
    /// ```
    /// use followup::wire::{Format, ResponseParser};
    /// use followup::{Event, Note, Policy};
    ///
    /// let line = r#"{"message":{"thinking":"<ask_followup_question><question>Which?</question></ask_followup_question>"},"done":true}"#;
    /// let mut parser = ResponseParser::new(Format::Ollama, Policy::new()).with_reasoning(true);
    /// assert!(matches!(parser.feed(line.as_bytes()).next(), Some(Ok(Event::Partial(_)))));
    /// match parser.finish().next() {
    ///     Some(Ok(Event::Complete(call))) => assert_eq!(call.notes(), [Note::InReasoning]),
    ///     other => panic!("{other:?}"),
    /// }
    /// ```
    #[must_use]
    pub fn with_reasoning(self, reads_reasoning: bool) -> ResponseParser {
        ResponseParser { body: self.body.with_reasoning(reads_reasoning) }
    }

    /// Returns the format of the body, which was given to [`new`](ResponseParser::new) or detected.
    ///
    /// `None` before it is detected, and again after the end of the body: a format that only the
    /// end reveals is in [`Events::format`].
    pub fn format(&self) -> Option<Format> {
        self.body.format()
    }

    /// Returns the policy of the parser.
    pub fn policy(&self) -> &Policy {
        self.body.policy()
    }

    /// Returns the limits of the stream.
    pub fn limits(&self) -> &Limits {
        self.body.limits()
    }

    /// Consumes the next chunk of the body. The cursor lends the events.
    pub fn feed<'a>(&'a mut self, chunk: &'a [u8]) -> Events<'a> {
        let input = self.body.begin_chunk(chunk);
        Events::new(self, input)
    }

    /// Ends the body. The cursor lends the events that only the end decides.
    ///
    /// The parser is then ready for the next body. It never fails: a call that was cut off is an
    /// event.
    pub fn finish(&mut self) -> Events<'_> {
        let input = self.body.begin_end();
        Events::new(self, input)
    }
}

/// A cursor over the events of one chunk of a body. Each event borrows it until the next is taken.
///
/// As with [`followup::Events`](crate::Events), a cursor that is dropped early loses its events,
/// but no state.
///
/// ```
/// use followup::wire::{Format, ResponseParser};
/// use followup::{Event, Policy};
///
/// let mut parser = ResponseParser::new(Format::Ollama, Policy::new());
/// let first = r#"{"message":{"content":"Dropped. <ask_followup_question><question>"}}"#;
/// drop(parser.feed(format!("{first}\n").as_bytes()));
/// let mut events = parser.feed(b"{\"message\":{\"content\":\"Which one?\"}}\n");
/// match events.next() {
///     Some(Ok(Event::Partial(call))) => assert_eq!(call.question(), Some("Which one?")),
///     other => panic!("{other:?}"),
/// }
/// assert!(events.next().is_none());
/// ```
#[derive(Debug)]
#[must_use = "the events are in the cursor: take them with `while let Some(event) = events.next()`"]
pub struct Events<'a> {
    pub(super) parser: &'a mut ResponseParser,
    pub(super) input: BodyInput<'a>,
    /// The parser is running. In `drop` this means that it panicked, and must not be run again.
    pub(super) is_running: bool,
}

impl<'a> Events<'a> {
    pub(super) fn new(parser: &'a mut ResponseParser, input: BodyInput<'a>) -> Events<'a> {
        Events { parser, input, is_running: false }
    }

    /// Returns the next event or error; `None` when the chunk is consumed.
    ///
    /// The stream continues after an error.
    ///
    /// # Errors
    ///
    /// If the provider reports an error, or sends something that can't be parsed.
    #[allow(clippy::should_implement_trait)] // An `Iterator` can't lend.
    pub fn next(&mut self) -> Option<Result<Event<'_>, Error<'_>>> {
        let output = self.run()?;
        Some(self.parser.body.lend(&self.input, output))
    }

    /// Calls `f` with each event and error that is left.
    pub fn for_each(mut self, mut f: impl FnMut(Result<Event<'_>, Error<'_>>)) {
        while let Some(event) = self.next() {
            f(event);
        }
    }

    /// Returns the format of the body, as in [`ResponseParser::format`].
    pub fn format(&self) -> Option<Format> {
        self.parser.format()
    }

    fn run(&mut self) -> Option<Output> {
        self.is_running = true;
        let output = self.parser.body.next(&mut self.input);
        self.is_running = false;
        output
    }
}

impl Drop for Events<'_> {
    fn drop(&mut self) {
        while !self.is_running && self.run().is_some() {}
    }
}
