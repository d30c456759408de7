//! The parser: chunks in, events out.

use alloc::sync::Arc;

use crate::before::Before;
use crate::call::Addition;
use crate::config::{Limits, Policy};
use crate::event::{Event, Opaque};
use crate::json::machine::JsonMachine;
use crate::markup::machine::MarkupMachine;
use crate::scan;
use crate::shape::Shape;
use crate::signal::{Piece, Quiet, Signal, Source};
use crate::syntax::{SavedSyntax, Syntax};
use crate::utf8::{Next, Tail};

/// A parser of assistant messages that arrive in chunks.
///
/// [`feed`](Parser::feed) each chunk and take the events from the cursor it returns; call
/// [`finish`](Parser::finish) at the end of the message. The events do not depend on how the
/// message is cut. A malformed call is no error: it is an event, and parsing continues after it.
///
/// Cost: time is linear in the bytes, however many chunks they arrive in. Memory is bounded by the
/// [`Limits`], not by the length of the stream.
///
/// ```
/// use followup::{Event, Parser};
///
/// let message = "So: <ask_followup_question>\
///     <question>Red or blue?</question></ask_followup_question>";
/// // One byte at a time, or all at once:
/// for size in [1, message.len()] {
///     let mut parser = Parser::default();
///     let (mut prose, mut asked) = (String::new(), None);
///     for chunk in message.as_bytes().chunks(size) {
///         parser.feed_bytes(chunk).for_each(|event| {
///             match event {
///                 Event::Text(text) => prose.push_str(text),
///                 Event::Complete(call) => asked = Some(call.question().to_owned()),
///                 Event::Partial(_) | Event::Opaque(_) | Event::Rejected(_) => {}
///             }
///         });
///     }
///     assert_eq!((&*prose, asked.as_deref()), ("So: ", Some("Red or blue?")));
/// }
/// ```
#[derive(Clone, Debug)]
// The fields for a chunk of prose come first, in one cache line: with many parsers, the cost of
// such a chunk is that of loading them.
#[repr(C, align(64))]
pub struct Parser {
    /// The number of bytes of the stream that are read, without the tail.
    read: u64,
    /// What is before the next byte.
    ///
    /// If the text is certain to be prose without a mark, it is newer than in the state.
    before: Before,
    /// Which text is certain to be prose.
    quiet: Quiet,
    patch: Patch,
    /// The incomplete character that the bytes so far end in.
    tail: Tail,
    syntax: Syntax,
}

impl Default for Parser {
    fn default() -> Parser {
        Parser::new(Policy::default())
    }
}

impl Parser {
    /// Creates a parser for messages with calls as markup.
    ///
    /// `policy` is a [`Policy`], or an `Arc` of one that many parsers share.
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
        Parser::from_parts(0, Tail::default(), Syntax::Markup(MarkupMachine::new(policy.into())))
    }

    /// Creates a parser for the arguments of native calls.
    ///
    /// A stream is the JSON that a provider sends as the arguments of one call of
    /// `ask_followup_question`. It has exactly one [`Complete`](Event::Complete) or
    /// [`Rejected`](Event::Rejected), which only [`finish`](Parser::finish) emits: a call is final
    /// when the provider ends it, not at a brace that happens to balance.
    ///
    /// ```
    /// use followup::{Event, Parser, Policy};
    ///
    /// let mut parser = Parser::arguments(Policy::new());
    /// let mut shown = String::new();
    /// for fragment in [
    ///     r#"{"question": "\u00"#,
    ///     r#"bfQu\u00e9"#,
    ///     r#"?", "follow_up": [{"text": "Nada"}]}"#,
    /// ] {
    ///     parser.feed(fragment).for_each(|event| {
    ///         let Event::Partial(call) = event else { panic!("{event:?}") };
    ///         shown.push_str(call.delta());
    ///     });
    /// }
    /// assert_eq!(shown, "¿Qué?Nada");
    /// match parser.finish().next() {
    ///     Some(Event::Complete(call)) => assert_eq!(call.question(), "¿Qué?"),
    ///     other => panic!("{other:?}"),
    /// }
    /// ```
    pub fn arguments(policy: impl Into<Arc<Policy>>) -> Parser {
        Parser::from_parts(0, Tail::default(), Syntax::Json(JsonMachine::new(policy.into())))
    }

    /// Creates a parser for the arguments of native calls of this tool.
    ///
    /// A stream is read as that of [`arguments`](Parser::arguments) is. Returns `None` if the tool
    /// is neither `ask_followup_question` nor one of the policy's [shapes](Policy::with_shapes).
    ///
    /// ```
    /// use followup::{Event, Field, Parser, Policy};
    ///
    /// let mut parser = Parser::arguments_of("AskUserQuestion", Policy::new()).unwrap();
    /// let mut shown = Vec::new();
    /// for fragment in [
    ///     r#"{"questions": [{"question": "Which st"#,
    ///     r#"ore?", "header": "Store", "options": [{"label": "Re"#,
    ///     r#"dis", "description": "fast"}], "multiSelect": false}]}"#,
    /// ] {
    ///     parser.feed(fragment).for_each(|event| {
    ///         let Event::Partial(call) = event else { panic!("{event:?}") };
    ///         if call.field() != Field::Question || !call.delta().is_empty() {
    ///             shown.push((call.field(), call.delta().to_owned()));
    ///         }
    ///     });
    /// }
    /// let deltas: Vec<&str> = shown.iter().map(|(_, delta)| &**delta).collect();
    /// assert_eq!(deltas, ["Which st", "ore?", "Store", "Re", "dis", "fast"]);
    /// match parser.finish().next() {
    ///     Some(Event::Complete(call)) => {
    ///         assert_eq!((call.tool(), call.question()), ("AskUserQuestion", "Which store?"));
    ///         assert_eq!(call.questions().get(0).unwrap().multiple, Some(false));
    ///     }
    ///     other => panic!("{other:?}"),
    /// }
    /// assert!(Parser::arguments_of("read_file", Policy::new()).is_none());
    /// ```
    pub fn arguments_of(tool: &str, policy: impl Into<Arc<Policy>>) -> Option<Parser> {
        let policy = policy.into();
        if tool == crate::config::ASK {
            return Some(Parser::arguments(policy));
        }
        let shape = policy.shapes.find(tool)?;
        Some(Parser::arguments_by(shape, tool, policy))
    }

    /// Creates a parser for the arguments of native calls of this tool, which the shape reads.
    pub(crate) fn arguments_by(shape: Shape, tool: &str, policy: Arc<Policy>) -> Parser {
        Parser::from_parts(0, Tail::default(), Syntax::Json(JsonMachine::of_tool(policy, tool, shape)))
    }

    /// Returns the shape that reads the arguments.
    ///
    /// `None` for those of `ask_followup_question`, and in a message.
    #[cfg(feature = "wire")]
    pub(crate) fn shape(&self) -> Option<&Shape> {
        self.syntax.shape()
    }

    pub(crate) fn from_parts(read: u64, tail: Tail, syntax: Syntax) -> Parser {
        let (quiet, before) = (Quiet::Never, Before::MIDDLE);
        let mut parser = Parser { read, quiet, before, patch: Patch::default(), tail, syntax };
        parser.set_quiet();
        parser
    }

    /// Returns the bytes read, the incomplete character after them, and the state.
    pub(crate) fn parts(&self) -> (u64, Tail, SavedSyntax) {
        (self.read, self.tail, self.syntax.save(self.before))
    }

    /// Returns the policy of the parser.
    pub fn policy(&self) -> &Policy {
        self.syntax.policy()
    }

    /// Returns the limits of the parser, which are part of its policy.
    pub fn limits(&self) -> &Limits {
        &self.policy().limits
    }

    /// Returns `true` if the parser reads the arguments of a native call, `false` for a message.
    ///
    /// After [`resume`](Parser::resume), the checkpoint decides.
    ///
    /// ```
    /// use followup::{Parser, Policy};
    ///
    /// let checkpoint = Parser::arguments(Policy::new()).checkpoint();
    /// let resumed = Parser::resume(Policy::new(), checkpoint)?;
    /// assert!(resumed.is_arguments());
    /// assert!(!Parser::default().is_arguments());
    /// # Ok::<(), followup::ResumeError>(())
    /// ```
    pub fn is_arguments(&self) -> bool {
        matches!(self.syntax, Syntax::Json(_))
    }

    /// Returns the number of bytes of the stream that were fed.
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

    /// Feeds the next chunk of the stream and returns a cursor over its events.
    ///
    /// The chunk may end anywhere; an empty chunk changes nothing. The events show everything that
    /// all continuations of the stream have in common, and nothing else.
    ///
    /// ```
    /// use followup::{Event, Parser};
    ///
    /// let mut parser = Parser::default();
    /// // A `<` that may begin a tag is not shown too early, and no prose is shown too late.
    /// assert_eq!(parser.feed("a < b, <").next(), Some(Event::Text("a < b, ")));
    /// assert_eq!(parser.feed("b> <ask").next(), Some(Event::Text("<")));
    /// ```
    #[inline]
    pub fn feed<'a>(&'a mut self, chunk: &'a str) -> Events<'a> {
        let is_prose = match self.quiet {
            // The fast path.
            Quiet::WithoutMark if !scan::holds_mark(chunk.as_bytes()) => {
                self.before = self.before.after(chunk.as_bytes());
                true
            }
            quiet => quiet != Quiet::Never && self.is_unusual_prose(chunk),
        };
        if is_prose {
            self.read += chunk.len() as u64;
            return Events { parser: self, feed: Feed::new(chunk, &[], 0), phase: Phase::Prose };
        }
        self.begin_text(chunk);
        Events { parser: self, feed: Feed::new(chunk, &[], 0), phase: Phase::Reading }
    }

    /// Feeds the next chunk of the stream as bytes. It may end inside a character.
    ///
    /// Ill-formed UTF-8 is decoded as
    /// [`String::from_utf8_lossy`](alloc::string::String::from_utf8_lossy) decodes the whole
    /// stream.
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
        Events { parser: self, feed: Feed::new("", chunk, 0), phase: Phase::Reading }
    }

    /// Ends the stream and returns a cursor over its last events.
    ///
    /// It never fails: a call that was cut off is an event. Afterwards the parser is ready for the
    /// next stream.
    ///
    /// ```
    /// use followup::{Event, Parser};
    ///
    /// let mut parser = Parser::default();
    /// assert!(parser.feed("<ask_followup_question><question>Wh").next().is_some());
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

/// A longer chunk takes the slow path, unless it is outside code and has no mark.
const LONG: usize = 512;

/// How the parser reads: first it decides, then it lends.
impl Parser {
    /// Returns `true` if a chunk is prose, which a test other than that in `feed` shows.
    #[inline(never)]
    fn is_unusual_prose(&mut self, chunk: &str) -> bool {
        match self.quiet {
            // What follows decides what it is.
            _ if chunk.ends_with('<') => false,
            // If there is a call in it, the text before that would be read twice. The slow path
            // costs little more.
            _ if chunk.len() > LONG => false,
            Quiet::WithoutCodeMark if !scan::holds_code_mark(chunk.as_bytes()) => true,
            Quiet::WithoutMark | Quiet::WithoutCodeMark | Quiet::Unknown => self.pass_quiet(chunk),
            Quiet::WithoutBracket => {
                let chunk = chunk.as_bytes();
                !scan::holds_bracket(chunk) || self.policy().tools.next_tag(chunk, 0) == chunk.len()
            }
            Quiet::Never => false,
        }
    }

    /// Sets which text is certain to be prose, after the state has changed.
    fn set_quiet(&mut self) {
        (self.quiet, self.before) = self.syntax.quiet();
        if self.is_waiting() {
            self.quiet = Quiet::Never;
        }
    }

    fn pass_quiet(&mut self, chunk: &str) -> bool {
        let quiet = self.syntax.pass_quiet(chunk, &mut self.before);
        self.quiet = quiet.unwrap_or(self.quiet);
        quiet.is_some()
    }

    /// The fast path: appends a chunk without a delimiter to the open value.
    ///
    /// Returns what is to be shown; `None` if the slow path has to read the chunk.
    #[inline(always)] // Returned through memory, the delta costs more than it took to find.
    fn push_plain(&mut self, feed: &mut Feed<'_>) -> Option<Addition> {
        if feed.pos > 0 || !feed.is_last() || self.is_waiting() {
            return None;
        }
        let delta = self.syntax.push_plain(feed.text)?;
        feed.pos = feed.text.len();
        Some(delta)
    }

    /// Begins to read text.
    #[inline]
    pub(crate) fn begin_text(&mut self, text: &str) {
        // Text begins with a whole character: one that is incomplete before it is ill-formed.
        if !self.tail.is_empty() && !text.is_empty() {
            self.patch_tail();
        }
        self.read += text.len() as u64;
    }

    /// Begins to read the end of the stream.
    pub(crate) fn begin_finish(&mut self) {
        self.patch_tail();
    }

    /// Rejects the open call, if there is one, when it ends: a part of it was lost.
    #[cfg(feature = "wire")]
    pub(crate) fn spoil(&mut self) {
        self.syntax.spoil();
    }

    /// Returns the call that is open or has just ended.
    #[cfg(feature = "wire")]
    pub(crate) fn call(&self) -> &crate::call::Call {
        self.syntax.call()
    }

    /// Returns the next event of the feed; `None` when it is read. Sets whether that is all.
    #[inline(never)]
    fn next_event<'s, 'a: 's>(&'s mut self, feed: &mut Feed<'a>, is_over: &mut bool) -> Option<Event<'s>> {
        if let Some(delta) = self.push_plain(feed) {
            return Some(Event::partial(self.syntax.call(), self.syntax.calls(), delta));
        }
        let decision = self.decide_slow(feed)?;
        *is_over = feed.is_read() && !self.is_waiting() && self.syntax.is_silent();
        Some(self.lend(feed, decision))
    }

    /// Reads the feed to its end.
    #[inline(never)]
    fn read_out(&mut self, mut feed: Feed<'_>) {
        let mut is_over = false;
        while !is_over {
            is_over = true;
            let _ = self.next_event(&mut feed, &mut is_over);
        }
    }

    /// Reads on, to the next decision; `None` when the feed is read.
    #[cfg(feature = "wire")]
    pub(crate) fn decide(&mut self, feed: &mut Feed<'_>) -> Option<Decision> {
        match self.push_plain(feed) {
            Some(delta) => Some(Decision { signal: Signal::Partial(delta), in_patch: false }),
            None => self.decide_slow(feed),
        }
    }

    #[inline(never)]
    fn decide_slow(&mut self, feed: &mut Feed<'_>) -> Option<Decision> {
        if self.quiet == Quiet::WithoutMark {
            self.syntax.set_before(self.before);
        }
        let decision = loop {
            // Where in the stream the text begins. Nothing after it has been read.
            let start = self.read - feed.text.len() as u64;
            let in_patch = self.patch.is_unread();
            let mut signal = if in_patch {
                let mut pos = 0;
                let signal = self.syntax.step(&self.patch.piece(start), &mut pos);
                self.patch.was_read = pos > 0;
                signal
            } else {
                let piece = Piece { text: feed.text, start, end: self.read };
                self.syntax.step(&piece, &mut feed.pos)
            };
            if let Signal::More = signal {
                signal = match feed.rest {
                    _ if in_patch => continue,
                    Rest::Bytes([]) if self.tail.is_empty() => break None,
                    Rest::Bytes([]) => self.syntax.foresee(self.tail.bytes(), self.read),
                    Rest::Bytes(bytes) => {
                        self.consume_bytes(feed, bytes);
                        continue;
                    }
                    Rest::End => self.syntax.finish(self.read),
                };
            }
            match signal {
                Signal::More if matches!(feed.rest, Rest::End) => {
                    feed.rest = Rest::default();
                    self.syntax.restart();
                    self.read = 0;
                    break None;
                }
                Signal::More => break None,
                signal => break Some(Decision { signal, in_patch }),
            }
        };
        self.set_quiet();
        decision
    }

    /// Returns whether a character that was cut or ill-formed is not read yet.
    #[inline]
    fn is_waiting(&self) -> bool {
        self.patch.is_unread() || !self.tail.is_empty()
    }

    /// Makes text of the next bytes.
    fn consume_bytes<'a>(&mut self, feed: &mut Feed<'a>, bytes: &'a [u8]) {
        (feed.text, feed.pos) = ("", 0);
        let consumed = match self.tail.next(bytes) {
            Next::Text(text) => {
                feed.text = text;
                self.read += text.len() as u64;
                text.len()
            }
            Next::Char { char, consumed } => {
                self.patch(char, char.len_utf8());
                consumed
            }
            Next::Replacement { bytes, consumed } => {
                self.patch(char::REPLACEMENT_CHARACTER, bytes);
                consumed
            }
            Next::End => bytes.len(),
        };
        feed.rest = Rest::Bytes(&bytes[consumed..]);
    }

    /// Makes the incomplete character U+FFFD.
    #[cold]
    fn patch_tail(&mut self) {
        let bytes = self.tail.bytes().len();
        if bytes > 0 {
            self.tail.clear();
            self.patch(char::REPLACEMENT_CHARACTER, bytes);
        }
    }

    fn patch(&mut self, char: char, bytes: usize) {
        self.patch = Patch::new(char, bytes);
        self.read += bytes as u64;
    }

    /// Lends the event that was decided.
    #[inline]
    pub(crate) fn lend<'s>(&'s self, feed: &Feed<'s>, Decision { signal, in_patch }: Decision) -> Event<'s> {
        let text = |source| match source {
            Source::Piece(start, end) => &(if in_patch { self.patch.text() } else { feed.text })[start..end],
            Source::Pending | Source::Unconfirmed | Source::Envelope => self.syntax.kept_text(source),
        };
        let (call, calls) = (self.syntax.call(), self.syntax.calls());
        match signal {
            Signal::More => Event::Text(""),
            Signal::Text(from) => Event::Text(text(from)),
            Signal::Opaque { from, tool, start } => {
                Event::Opaque(Opaque { tool: self.syntax.tool(tool), raw: text(from), start, id: None })
            }
            Signal::Partial(delta) => Event::partial(call, calls, delta),
            Signal::Ended { end } => Event::ended(call, calls - 1, end, self.syntax.is_arguments()),
        }
    }
}

/// A cursor over the events of one chunk, which lends one event at a time.
///
/// An event borrows the cursor until the next call of [`next`](Events::next). Between two events,
/// `?`, `break` and `.await` work as usual. A cursor that is dropped early loses its events, but
/// no state: the rest of the chunk is still read. (A cursor that is leaked, with
/// [`core::mem::forget`], loses the rest of the chunk, or the end of the stream.)
///
/// ```
/// use followup::{Event, Parser};
///
/// let mut parser = Parser::default();
/// drop(parser.feed("These events are dropped. <ask_followup_question><question>"));
/// match parser.feed("Which one?").next() {
///     Some(Event::Partial(call)) => assert_eq!(call.question(), Some("Which one?")),
///     other => panic!("{other:?}"),
/// }
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
    /// The feed is read. Also set while an event is decided, so that nothing is read after a panic.
    Over,
}

impl Events<'_> {
    /// Returns the next event; `None` at the end of the chunk.
    ///
    /// Cost: linear in the bytes up to the event. An event copies nothing.
    #[allow(clippy::should_implement_trait)] // It lends: an `Iterator` can't.
    #[inline]
    pub fn next(&mut self) -> Option<Event<'_>> {
        match core::mem::replace(&mut self.phase, Phase::Over) {
            Phase::Prose if self.feed.text.is_empty() => None,
            Phase::Prose => Some(Event::Text(self.feed.text)),
            Phase::Over => None,
            Phase::Reading => {
                // A copy, so that the cursor itself can stay in registers while there is only
                // prose.
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

    /// Calls `f` with each event that is left.
    ///
    /// ```
    /// use followup::{Event, Parser};
    ///
    /// let mut parser = Parser::default();
    /// let mut prose = String::new();
    /// parser.feed("Hello, <world>.").for_each(|event| {
    ///     if let Event::Text(text) = event {
    ///         prose.push_str(text);
    ///     }
    /// });
    /// assert_eq!(prose, "Hello, <world>.");
    /// ```
    #[inline]
    pub fn for_each(mut self, mut f: impl FnMut(Event<'_>)) {
        while let Some(event) = self.next() {
            f(event);
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

/// A chunk, or the end of the stream.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Feed<'a> {
    /// The text at hand.
    pub(crate) text: &'a str,
    /// What follows it.
    rest: Rest<'a>,
    /// The text is read up to here.
    ///
    /// (Last: what is copied with it would have to be written as it is read.)
    pub(crate) pos: usize,
}

#[derive(Clone, Copy, Debug)]
enum Rest<'a> {
    Bytes(&'a [u8]),
    /// The end of the stream.
    End,
}

impl Default for Rest<'_> {
    fn default() -> Self {
        Rest::Bytes(&[])
    }
}

impl<'a> Feed<'a> {
    /// Text that is read up to `pos`, and the bytes that follow it.
    pub(crate) fn new(text: &'a str, bytes: &'a [u8], pos: usize) -> Feed<'a> {
        Feed { text, rest: Rest::Bytes(bytes), pos }
    }

    /// The end of the stream.
    pub(crate) fn end() -> Feed<'a> {
        Feed { rest: Rest::End, ..Feed::default() }
    }

    /// Returns how many bytes follow the text.
    #[cfg(feature = "wire")]
    pub(crate) fn bytes_left(&self) -> usize {
        if let Rest::Bytes(bytes) = self.rest { bytes.len() } else { 0 }
    }

    /// Returns whether nothing follows the text.
    fn is_last(&self) -> bool {
        matches!(self.rest, Rest::Bytes([]))
    }

    /// Returns whether all of it is read.
    fn is_read(&self) -> bool {
        self.pos == self.text.len() && self.is_last()
    }
}

/// What is to be lent next. Plain data: the event is borrowed afterwards.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decision {
    signal: Signal,
    /// It was decided in the patch, not in the text of the feed.
    in_patch: bool,
}

/// What a decision is about.
#[cfg(feature = "wire")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum About {
    /// No call.
    Prose,
    /// A call that is open.
    Call,
    /// The end of a call.
    CallEnd,
}

impl Decision {
    #[cfg(feature = "wire")]
    pub(crate) fn about(self) -> About {
        match self.signal {
            Signal::Partial(_) => About::Call,
            Signal::Ended { .. } => About::CallEnd,
            Signal::More | Signal::Text(_) | Signal::Opaque { .. } => About::Prose,
        }
    }
}

/// One character that is not in a chunk as it is: it was cut, or its bytes were ill-formed.
///
/// It comes right before the text of the feed, and is read before anything else is taken from the
/// feed.
#[derive(Clone, Copy, Debug, Default)]
struct Patch {
    /// In UTF-8, then zeros. All zeros: there is none.
    text: [u8; 4],
    /// The number of bytes of the stream that it replaces.
    bytes: u8,
    was_read: bool,
}

impl Patch {
    /// A character that replaces up to four bytes of the stream.
    fn new(char: char, bytes: usize) -> Patch {
        let mut text = [0; 4];
        char.encode_utf8(&mut text);
        Patch { text, bytes: bytes as u8, was_read: false }
    }

    fn text(&self) -> &str {
        // A NUL is never cut, and never ill-formed.
        let len = self.text.iter().position(|&byte| byte == 0).unwrap_or(self.text.len());
        core::str::from_utf8(&self.text[..len]).unwrap_or_default()
    }

    /// Returns whether there is one that is not read.
    fn is_unread(&self) -> bool {
        self.text[0] != 0 && !self.was_read
    }

    /// Returns it as a piece that ends at `end`.
    fn piece(&self, end: u64) -> Piece<'_> {
        Piece { text: self.text(), start: end - u64::from(self.bytes), end }
    }
}
