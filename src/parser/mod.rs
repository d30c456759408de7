//! The parser: pieces in, events out.

mod feed;

use alloc::sync::Arc;

use crate::event::Event;
use crate::syntax::Syntax;
use crate::utf8::Tail;
use crate::{Limits, Policy, json, markup, scan};
#[cfg(feature = "wire")]
pub(crate) use feed::Decision;
use feed::Patch;
pub(crate) use feed::{Feed, Position};

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
// What a chunk of prose needs is first, in one cache line: where there are many parsers, that is what it has to wait for.
#[repr(C, align(64))]
pub struct Parser {
    /// How many bytes of the stream have been read, without the tail.
    pub(crate) read: u64,
    /// Text without a `<` is prose, and nothing else has to be looked at.
    is_quiet: bool,
    /// Nothing of what was fed waits but in the feed, and what was certain has been said.
    is_settled: bool,
    patch: Patch,
    /// The bytes of a character that the stream so far ends in.
    pub(crate) tail: Tail,
    pub(crate) syntax: Syntax,
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
        let (tail, patch) = (Tail::default(), Patch::default());
        let mut parser = Parser { syntax, tail, read: 0, patch, is_quiet: false, is_settled: false };
        parser.take_stock();
        parser
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
    #[inline]
    pub fn feed<'a>(&'a mut self, chunk: &'a str) -> Events<'a> {
        if self.is_quiet && (!scan::holds_bracket(chunk.as_bytes()) || self.opens_nothing(chunk.as_bytes())) {
            return self.pass(chunk);
        }
        self.begin_text(chunk);
        Events { parser: self, feed: Feed::new(chunk, &[], Position::default()), phase: Phase::Reading }
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
    #[inline]
    pub fn feed_bytes<'a>(&'a mut self, chunk: &'a [u8]) -> Events<'a> {
        // Nearly always: it is text, and goes the way of text.
        if self.tail.is_empty()
            && let Ok(text) = core::str::from_utf8(chunk)
        {
            return self.feed(text);
        }
        Events { parser: self, feed: Feed::new("", chunk, Position::default()), phase: Phase::Reading }
    }

    /// Whether no tag that means something in prose begins in it.
    fn opens_nothing(&self, chunk: &[u8]) -> bool {
        self.policy().tools.next_tag(chunk, 0) == chunk.len()
    }

    /// Goes on with prose.
    #[inline]
    fn pass<'a>(&'a mut self, prose: &'a str) -> Events<'a> {
        self.read += prose.len() as u64;
        Events { parser: self, feed: Feed::new(prose, &[], Position::default()), phase: Phase::Prose }
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
        self.begin_finish();
        Events { parser: self, feed: Feed::end(), phase: Phase::Reading }
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
    phase: Phase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// All of the feed is text, and prose, and has been read.
    Prose,
    Reading,
    /// Everything is decided. Also while a decision is being made: should that panic, which is a bug, there is no going on.
    Over,
}

impl Events<'_> {
    /// The next event; `None` when the chunk is read.
    ///
    /// Cost: O(1) beside the bytes it goes through. No event is made by copying.
    #[allow(clippy::should_implement_trait)] // It lends: an `Iterator` can't.
    #[inline]
    pub fn next(&mut self) -> Option<Event<'_>> {
        match core::mem::replace(&mut self.phase, Phase::Over) {
            Phase::Prose if self.feed.text.is_empty() => None,
            Phase::Prose => Some(Event::Text(self.feed.text)),
            Phase::Over => None,
            Phase::Reading => {
                // Copies, so that the cursor itself is nowhere in memory while there is nothing but prose.
                let (mut feed, mut is_over) = (self.feed, true);
                let event = self.parser.next_event(&mut feed, &mut is_over);
                self.feed = feed;
                if !is_over {
                    self.phase = Phase::Reading;
                }
                event
            }
        }
    }
}

impl Drop for Events<'_> {
    #[inline]
    fn drop(&mut self) {
        if self.phase == Phase::Reading {
            self.phase = Phase::Over;
            self.parser.read_out(self.feed);
        }
    }
}
