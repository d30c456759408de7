//! The parser: pieces in, events out.

mod feed;

use alloc::sync::Arc;

use crate::event::Event;
use crate::syntax::Syntax;
use crate::utf8::Tail;
use crate::{Limits, Policy, json, markup};
#[cfg(feature = "wire")]
pub(crate) use feed::Position;
use feed::{Again, Patch};
pub(crate) use feed::{Decision, Feed};

/// Reads one assistant message at a time, in whatever pieces it arrives.
///
/// [`feed`](Parser::feed) it a chunk and take the events from the cursor; at the end of the message, [`finish`](Parser::finish).
/// What comes out does not depend on how the message was cut, and no call that is bad makes it fail: that is an event, and
/// parsing goes on behind it.
///
/// Cost: time is linear in the bytes, however many chunks they come in. Memory is bounded by the [`Limits`], not by the
/// stream.
///
/// ```
/// use followup::{Event, Parser};
///
/// let message = "So: <ask_followup_question><question>Red or blue?</question></ask_followup_question>";
/// // One byte at a time, or all at once:
/// for size in [1, message.len()] {
///     let mut parser = Parser::default();
///     let (mut prose, mut asked) = (String::new(), None);
///     for chunk in message.as_bytes().chunks(size) {
///         let mut events = parser.feed_bytes(chunk);
///         while let Some(event) = events.next() {
///             match event {
///                 Event::Text(text) => prose.push_str(text),
///                 Event::Complete(call) => asked = Some(call.question().to_owned()),
///                 Event::Partial(_) | Event::Opaque(_) | Event::Rejected(_) => {}
///             }
///         }
///     }
///     assert_eq!((&*prose, asked.as_deref()), ("So: ", Some("Red or blue?")));
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Parser {
    pub(crate) syntax: Syntax,
    /// The bytes of a character that the stream so far ends in.
    pub(crate) tail: Tail,
    /// How many bytes of the stream have been read, without the tail.
    pub(crate) read: u64,
    again: Again,
    patch: Patch,
}

impl Default for Parser {
    fn default() -> Parser {
        Parser::new(Policy::default())
    }
}

impl Parser {
    /// A parser for streams read under `policy`: a [`Policy`], or an `Arc` of one to share it among many parsers.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use followup::{Parser, Policy};
    ///
    /// let policy = Arc::new(Policy::new());
    /// let parsers = [Parser::new(policy.clone()), Parser::new(policy.clone())];
    /// assert_eq!(Arc::strong_count(&policy), 3, "shared, not copied");
    /// # drop(parsers);
    /// ```
    pub fn new(policy: impl Into<Arc<Policy>>) -> Parser {
        Parser::of(Syntax::Markup(markup::Machine::new(policy.into())))
    }

    /// A parser for the arguments of native calls: every stream is the JSON that a provider sends as the arguments of one call of
    /// `ask_followup_question`, and gives exactly one [`Complete`](Event::Complete) or [`Rejected`](Event::Rejected), when it is
    /// finished. A call is final when the provider says so, never at a brace that happens to balance.
    ///
    /// ```
    /// use followup::{Event, Parser, Policy};
    ///
    /// let mut parser = Parser::arguments(Policy::new());
    /// let mut shown = String::new();
    /// for fragment in [r#"{"question": "\u00"#, r#"bfQu\u00e9"#, r#"?", "follow_up": [{"text": "Nada"}]}"#] {
    ///     let mut events = parser.feed(fragment);
    ///     while let Some(event) = events.next() {
    ///         let Event::Partial(call) = event else { panic!("{event:?}") };
    ///         shown.push_str(call.delta());
    ///     }
    /// }
    /// assert_eq!(shown, "¿Qué?Nada");
    /// match parser.finish().next() {
    ///     Some(Event::Complete(call)) => assert_eq!(call.question(), "¿Qué?"),
    ///     other => panic!("{other:?}"),
    /// }
    /// ```
    pub fn arguments(policy: impl Into<Arc<Policy>>) -> Parser {
        Parser::of(Syntax::Json(json::Machine::new(policy.into())))
    }

    pub(crate) fn of(syntax: Syntax) -> Parser {
        Parser { syntax, tail: Tail::default(), read: 0, again: Again::default(), patch: Patch::default() }
    }

    /// The policy the streams are read under.
    pub fn policy(&self) -> &Policy {
        self.syntax.policy()
    }

    /// The limits the streams are read under.
    pub fn limits(&self) -> &Limits {
        &self.policy().limits
    }

    /// How many bytes of the stream have been fed.
    ///
    /// ```
    /// let mut parser = followup::Parser::default();
    /// drop(parser.feed("Hi"));
    /// drop(parser.feed_bytes(b"\xE2\x82")); // two bytes of a character
    /// assert_eq!(parser.bytes_fed(), 4);
    /// ```
    pub fn bytes_fed(&self) -> u64 {
        self.read + self.tail.bytes().len() as u64
    }

    /// Goes on with the next chunk of the stream. The events are in the cursor.
    ///
    /// The chunk may end anywhere. An empty one changes nothing. After the cursor is done, everything is out that every
    /// continuation of the stream agrees on.
    ///
    /// ```
    /// use followup::{Event, Parser};
    ///
    /// let mut parser = Parser::default();
    /// // Not even the `<` of what may become a tag is shown too early, and none of the prose too late.
    /// assert_eq!(parser.feed("a < b, <").next(), Some(Event::Text("a < b, ")));
    /// assert_eq!(parser.feed("b> <ask").next(), Some(Event::Text("<")));
    /// ```
    pub fn feed<'a>(&'a mut self, chunk: &'a str) -> Events<'a> {
        let position = self.begin_text(chunk);
        Events { parser: self, feed: Feed { text: chunk, bytes: &[], position }, deciding: false }
    }

    /// Goes on with the next chunk of the stream, as bytes: it may end inside a character.
    ///
    /// Ill-formed UTF-8 is read as `String::from_utf8_lossy` reads the whole stream.
    ///
    /// ```
    /// use followup::{Event, Parser};
    ///
    /// let mut parser = Parser::default();
    /// let bytes = "né".as_bytes();
    /// assert_eq!(parser.feed_bytes(&bytes[..2]).next(), Some(Event::Text("n")));
    /// assert_eq!(parser.feed_bytes(&bytes[2..]).next(), Some(Event::Text("é")));
    /// ```
    pub fn feed_bytes<'a>(&'a mut self, chunk: &'a [u8]) -> Events<'a> {
        let position = self.begin_bytes();
        Events { parser: self, feed: Feed { text: "", bytes: chunk, position }, deciding: false }
    }

    /// Ends the stream. The cursor has what only its end could decide. The parser is then as new, for the next stream.
    ///
    /// It never fails: a call that was cut off is an event.
    ///
    /// ```
    /// use followup::{Event, Parser};
    ///
    /// let mut parser = Parser::default();
    /// assert_eq!(parser.feed("<ask_followup_question><question>Wh").next().is_some(), true);
    /// match parser.finish().next() {
    ///     Some(Event::Rejected(call)) => assert_eq!(call.question(), Some("Wh")),
    ///     other => panic!("{other:?}"),
    /// }
    /// assert_eq!(parser.bytes_fed(), 0);
    /// ```
    pub fn finish(&mut self) -> Events<'_> {
        let position = self.begin_finish();
        Events { parser: self, feed: Feed { text: "", bytes: &[], position }, deciding: false }
    }
}

/// The events of one chunk, one at a time: each borrows the cursor until the next is taken.
///
/// Between two events, `?`, `break` and `.await` work as anywhere. A cursor that is dropped early loses its events, but never state:
/// the rest of the chunk is read all the same. (One that is leaked, with [`core::mem::forget`], loses the rest of the chunk, or the end of the stream.)
///
/// ```
/// use followup::{Event, Parser};
///
/// let mut parser = Parser::default();
/// drop(parser.feed("never looked at <ask_followup_question><question>"));
/// let mut events = parser.feed("Still here?");
/// assert!(matches!(events.next(), Some(Event::Partial(call)) if call.question() == Some("Still here?")));
/// assert_eq!(events.next(), None);
/// ```
#[derive(Debug)]
#[must_use = "the events are in the cursor: take them with `while let Some(event) = events.next()`"]
pub struct Events<'a> {
    parser: &'a mut Parser,
    feed: Feed<'a>,
    /// A decision is being made. Still set in `drop` only if it panicked, which is a bug; then there is no going on.
    deciding: bool,
}

impl Events<'_> {
    /// The next event; `None` when the chunk is read.
    ///
    /// Cost: O(1) beside the bytes it goes through. No event is made by copying.
    #[allow(clippy::should_implement_trait)] // It lends: an `Iterator` can't.
    pub fn next(&mut self) -> Option<Event<'_>> {
        let decision = self.decide()?;
        Some(self.parser.lend(&self.feed, decision))
    }

    fn decide(&mut self) -> Option<Decision> {
        self.deciding = true;
        let decided = self.parser.decide(&mut self.feed);
        self.deciding = false;
        decided
    }
}

impl Drop for Events<'_> {
    fn drop(&mut self) {
        while !self.deciding && self.decide().is_some() {}
    }
}
