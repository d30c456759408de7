//! The parser: pieces in, events out.

use alloc::string::String;
use alloc::sync::Arc;

use crate::event::{Event, Opaque};
use crate::markup::{Machine, Piece, Signal, Source};
use crate::utf8::{Next, Tail};
use crate::{Limits, Policy};

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
    pub(crate) machine: Machine,
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

/// Text that is read again, because the opening tag in front of it began no call. Empty between two feeds.
#[derive(Clone, Debug, Default)]
struct Again {
    /// What had been held, the opening tag in front.
    held: String,
    held_pos: usize,
    /// The carry behind it. Only its first byte may begin a call, so only its place in the stream needs to be known.
    carry: String,
    carry_pos: usize,
    /// Where in the stream the held text and the carry end.
    ends: (u64, u64),
}

/// One character that is not in a chunk as it stands: it was cut, or its bytes were ill-formed.
#[derive(Clone, Debug, Default)]
struct Patch {
    text: [u8; 4],
    len: usize,
    pos: usize,
    start: u64,
    end: u64,
}

/// What the machine is given next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Input {
    Held,
    Carry,
    Patch,
    Chunk,
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
        Parser {
            machine: Machine::new(policy.into()),
            tail: Tail::default(),
            read: 0,
            again: Again::default(),
            patch: Patch::default(),
        }
    }

    /// The policy the streams are read under.
    pub fn policy(&self) -> &Policy {
        &self.machine.policy
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
        // A character that had begun can't go on in text, which begins with a whole one.
        if !chunk.is_empty() {
            self.patch_tail();
        }
        let start = self.read;
        self.read += chunk.len() as u64;
        Events { parser: self, text: chunk, pos: 0, start, bytes: &[], finishing: false, deciding: false }
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
        let start = self.read;
        Events { parser: self, text: "", pos: 0, start, bytes: chunk, finishing: false, deciding: false }
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
        self.patch_tail();
        let start = self.read;
        Events { parser: self, text: "", pos: 0, start, bytes: &[], finishing: true, deciding: false }
    }

    /// The character that had begun is ill-formed.
    fn patch_tail(&mut self) {
        let bytes = self.tail.bytes().len();
        if bytes > 0 {
            self.tail.clear();
            self.patch(char::REPLACEMENT_CHARACTER, bytes);
        }
    }

    /// Puts in a character that stands for that many bytes of the stream.
    fn patch(&mut self, char: char, bytes: usize) {
        let patch = &mut self.patch;
        patch.len = char.encode_utf8(&mut patch.text).len();
        patch.pos = 0;
        patch.start = self.read;
        self.read += bytes as u64;
        patch.end = self.read;
    }
}

impl Again {
    fn held_piece(&self) -> Piece<'_> {
        // Counted from its end, the places are right behind the last U+FFFD in it. In front of that no tag is open.
        Piece { text: &self.held, start: self.ends.0.wrapping_sub(self.held.len() as u64), end: self.ends.0 }
    }

    fn carry_piece(&self) -> Piece<'_> {
        Piece { text: &self.carry, start: self.ends.0, end: self.ends.1 }
    }
}

impl Patch {
    fn piece(&self) -> Piece<'_> {
        // It was made from a character.
        let text = core::str::from_utf8(&self.text[..self.len]).unwrap_or_default();
        Piece { text, start: self.start, end: self.end }
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
    /// The text at hand, read up to `pos`. It begins at `start` in the stream.
    text: &'a str,
    pos: usize,
    start: u64,
    /// The bytes behind it.
    bytes: &'a [u8],
    finishing: bool,
    /// A decision is being made. Still set in `drop` only if it panicked, which is a bug; then there is no going on.
    deciding: bool,
}

impl Events<'_> {
    /// The next event; `None` when the chunk is read.
    ///
    /// Cost: O(1) beside the bytes it goes through. No event is made by copying.
    #[allow(clippy::should_implement_trait)] // It lends: an `Iterator` can't.
    pub fn next(&mut self) -> Option<Event<'_>> {
        let (signal, input) = self.decide()?;
        Some(self.lend(signal, input))
    }

    fn decide(&mut self) -> Option<(Signal, Input)> {
        self.deciding = true;
        let decided = self.decide_next();
        self.deciding = false;
        decided
    }

    fn decide_next(&mut self) -> Option<(Signal, Input)> {
        loop {
            let input = self.input();
            let signal = self.step(input);
            match signal {
                Signal::More if input != Input::Chunk => {}
                Signal::More if !self.bytes.is_empty() => self.take_bytes(),
                Signal::More => {
                    let parser = &mut *self.parser;
                    let last = if self.finishing {
                        parser.machine.finish(parser.read)
                    } else if !parser.tail.is_empty() {
                        parser.machine.foresee(parser.tail.bytes(), parser.read)
                    } else {
                        return None;
                    };
                    match last {
                        Signal::More => {
                            self.rest();
                            return None;
                        }
                        Signal::Demoted { opening, .. } => self.read_again(opening, Input::Chunk),
                        _ => {}
                    }
                    return Some((last, input));
                }
                Signal::Demoted { opening, .. } => {
                    self.read_again(opening, input);
                    return Some((signal, input));
                }
                _ => return Some((signal, input)),
            }
        }
    }

    /// Nothing more comes of this cursor.
    fn rest(&mut self) {
        if core::mem::take(&mut self.finishing) {
            self.parser.machine.restart();
            self.parser.read = 0;
        }
    }

    /// What is to be read next.
    fn input(&self) -> Input {
        let Parser { again, patch, .. } = &*self.parser;
        if again.held_pos < again.held.len() {
            Input::Held
        } else if again.carry_pos < again.carry.len() {
            Input::Carry
        } else if patch.pos < patch.len {
            Input::Patch
        } else {
            Input::Chunk
        }
    }

    fn step(&mut self, input: Input) -> Signal {
        let Parser { machine, again, patch, .. } = &mut *self.parser;
        match input {
            Input::Held => {
                let mut pos = again.held_pos;
                let signal = machine.step(&again.held_piece(), &mut pos);
                again.held_pos = pos;
                signal
            }
            Input::Carry => {
                let mut pos = again.carry_pos;
                let signal = machine.step(&again.carry_piece(), &mut pos);
                again.carry_pos = pos;
                signal
            }
            Input::Patch => {
                let mut pos = patch.pos;
                let signal = machine.step(&patch.piece(), &mut pos);
                patch.pos = pos;
                signal
            }
            Input::Chunk => {
                let piece = Piece { text: self.text, start: self.start, end: self.start + self.text.len() as u64 };
                machine.step(&piece, &mut self.pos)
            }
        }
    }

    /// Makes text of the next bytes.
    fn take_bytes(&mut self) {
        let parser = &mut *self.parser;
        (self.text, self.pos) = ("", 0);
        match parser.tail.next(self.bytes) {
            Next::Text(text) => {
                self.text = text;
                self.bytes = &self.bytes[text.len()..];
                parser.read += text.len() as u64;
            }
            Next::Char { char, taken } => {
                self.bytes = &self.bytes[taken..];
                parser.patch(char, char.len_utf8());
            }
            Next::Replacement { bytes, taken } => {
                self.bytes = &self.bytes[taken..];
                parser.patch(char::REPLACEMENT_CHARACTER, bytes);
            }
            Next::End => self.bytes = &[],
        }
        self.start = parser.read - self.text.len() as u64;
    }

    /// Where in the stream the input has been read to.
    fn at(&self, input: Input) -> u64 {
        match input {
            Input::Held => self.parser.again.ends.0,
            Input::Carry => self.parser.again.ends.1,
            // One character, read or not.
            Input::Patch if self.parser.patch.pos == 0 => self.parser.patch.start,
            Input::Patch => self.parser.patch.end,
            Input::Chunk => self.start + self.pos as u64,
        }
    }

    /// The opening tag in front of what is held was only named: the rest is read again, and then the carry.
    fn read_again(&mut self, opening: usize, input: Input) {
        let at = self.at(input);
        let Parser { machine, again, .. } = &mut *self.parser;
        again.held.clear();
        core::mem::swap(&mut again.held, &mut machine.busy.held);
        again.held_pos = opening;
        again.carry.clear();
        again.carry.push_str(machine.carry.text());
        again.carry_pos = 0;
        again.ends = (if machine.carry.is_empty() { at } else { machine.carry.start }, at);
        machine.carry.clear();
    }

    fn lend(&self, signal: Signal, input: Input) -> Event<'_> {
        let machine = &self.parser.machine;
        let busy = &machine.busy;
        match signal {
            Signal::More => Event::Text(""),
            Signal::Text(source) => Event::Text(self.text_of(source, input)),
            Signal::Opaque { from, tool, start } => Event::Opaque(Opaque {
                tool: machine.policy.tools.tools.name(tool),
                raw: self.text_of(from, input),
                start,
            }),
            Signal::Partial(field, part) => Event::Partial(busy.call.partial(machine.calls, field, part)),
            Signal::Demoted { opening, rejected: None } => Event::Text(&self.parser.again.held[..opening]),
            Signal::Ended { end } | Signal::Demoted { rejected: Some(end), .. } => {
                match busy.call.outcome(machine.calls - 1, end) {
                    Ok(call) => Event::Complete(call),
                    Err(call) => Event::Rejected(call),
                }
            }
        }
    }

    fn text_of(&self, source: Source, input: Input) -> &str {
        let (start, end) = match source {
            Source::Carry => return self.parser.machine.carry.text(),
            Source::Piece(start, end) => (start, end),
        };
        let text = match input {
            Input::Held => &*self.parser.again.held,
            Input::Carry => &*self.parser.again.carry,
            Input::Patch => self.parser.patch.piece().text,
            Input::Chunk => self.text,
        };
        &text[start..end]
    }
}

impl Drop for Events<'_> {
    fn drop(&mut self) {
        while !self.deciding && self.decide().is_some() {}
    }
}
