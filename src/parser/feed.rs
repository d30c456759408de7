//! How a parser goes through what it is fed: first everything is decided, then it is lent.

use alloc::string::String;

use super::Parser;
use crate::event::{Event, Opaque};
use crate::syntax::{Piece, Signal, Source, Syntax};
use crate::utf8::Next;

/// What a parser is given to read, and how far it has come.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Feed<'a> {
    /// The text at hand.
    pub(crate) text: &'a str,
    /// The bytes behind it.
    pub(crate) bytes: &'a [u8],
    pub(crate) position: Position,
}

/// How far a feed has been read. With its text, it can be taken up again.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Position {
    /// The text has been read up to here.
    pub(crate) pos: usize,
    /// Where in the stream it begins.
    pub(crate) start: u64,
    /// The stream ends behind it.
    pub(crate) finishing: bool,
}

/// What is to be lent next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decision {
    signal: Signal,
    input: Input,
}

/// What the syntax is given next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Input {
    Held,
    Carry,
    Patch,
    Chunk,
}

/// Text that is read again, because the opening tag in front of it began no call. Empty between two feeds.
#[derive(Clone, Debug, Default)]
pub(super) struct Again {
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
pub(super) struct Patch {
    text: [u8; 4],
    len: usize,
    pos: usize,
    start: u64,
    end: u64,
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

impl Decision {
    /// Whether it is about a call; and then, whether about its end.
    #[cfg(feature = "wire")]
    pub(crate) fn of_call(self) -> Option<bool> {
        match self.signal {
            Signal::Partial(..) => Some(false),
            Signal::Ended { .. } | Signal::Demoted { rejected: Some(_), .. } => Some(true),
            Signal::More | Signal::Text(_) | Signal::Opaque { .. } | Signal::Demoted { rejected: None, .. } => None,
        }
    }
}

impl Parser {
    /// Where to begin with more text.
    pub(crate) fn begin_text(&mut self, text: &str) -> Position {
        // A character that had begun can't go on in text, which begins with a whole one.
        if !text.is_empty() {
            self.patch_tail();
        }
        let position = self.begin_bytes();
        self.read += text.len() as u64;
        position
    }

    /// Where to begin with more bytes.
    pub(crate) fn begin_bytes(&self) -> Position {
        Position { start: self.read, ..Position::default() }
    }

    /// Where to begin with the end of the stream.
    pub(crate) fn begin_finish(&mut self) -> Position {
        self.patch_tail();
        Position { finishing: true, ..self.begin_bytes() }
    }

    /// A part of the stream was lost, or is known to be wrong: the call that is open, if there is one, is rejected when it ends.
    #[cfg(feature = "wire")]
    pub(crate) fn spoil(&mut self) {
        self.syntax.spoil();
    }

    /// Goes on with the feed, to the next event; `None` when it is read.
    pub(crate) fn decide(&mut self, feed: &mut Feed<'_>) -> Option<Decision> {
        loop {
            let input = self.input();
            let signal = self.step(feed, input);
            match signal {
                Signal::More if input != Input::Chunk => continue,
                Signal::More if !feed.bytes.is_empty() => {
                    self.take_bytes(feed);
                    continue;
                }
                Signal::More => {
                    let last = self.last(feed)?;
                    if let Signal::Demoted { opening, .. } = last {
                        self.read_again(opening, feed, input);
                    }
                    return Some(Decision { signal: last, input });
                }
                Signal::Demoted { opening, .. } => self.read_again(opening, feed, input),
                _ => {}
            }
            return Some(Decision { signal, input });
        }
    }

    /// What there is to say behind everything that was fed.
    fn last(&mut self, feed: &mut Feed<'_>) -> Option<Signal> {
        let last = if feed.position.finishing {
            self.syntax.finish(self.read)
        } else if !self.tail.is_empty() {
            self.syntax.foresee(self.tail.bytes(), self.read)
        } else {
            return None;
        };
        if !matches!(last, Signal::More) {
            return Some(last);
        }
        if core::mem::take(&mut feed.position.finishing) {
            self.syntax.restart();
            self.read = 0;
        }
        None
    }

    /// What is to be read next.
    fn input(&self) -> Input {
        let Parser { again, patch, .. } = self;
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

    fn step(&mut self, feed: &mut Feed<'_>, input: Input) -> Signal {
        let Parser { syntax, again, patch, .. } = self;
        match input {
            Input::Held => {
                let mut pos = again.held_pos;
                let signal = syntax.step(&again.held_piece(), &mut pos);
                again.held_pos = pos;
                signal
            }
            Input::Carry => {
                let mut pos = again.carry_pos;
                let signal = syntax.step(&again.carry_piece(), &mut pos);
                again.carry_pos = pos;
                signal
            }
            Input::Patch => {
                let mut pos = patch.pos;
                let signal = syntax.step(&patch.piece(), &mut pos);
                patch.pos = pos;
                signal
            }
            Input::Chunk => {
                let Position { start, .. } = feed.position;
                let piece = Piece { text: feed.text, start, end: start + feed.text.len() as u64 };
                syntax.step(&piece, &mut feed.position.pos)
            }
        }
    }

    /// Makes text of the next bytes.
    fn take_bytes(&mut self, feed: &mut Feed<'_>) {
        (feed.text, feed.position.pos) = ("", 0);
        match self.tail.next(feed.bytes) {
            Next::Text(text) => {
                feed.text = text;
                feed.bytes = &feed.bytes[text.len()..];
                self.read += text.len() as u64;
            }
            Next::Char { char, taken } => {
                feed.bytes = &feed.bytes[taken..];
                self.patch(char, char.len_utf8());
            }
            Next::Replacement { bytes, taken } => {
                feed.bytes = &feed.bytes[taken..];
                self.patch(char::REPLACEMENT_CHARACTER, bytes);
            }
            Next::End => feed.bytes = &[],
        }
        feed.position.start = self.read - feed.text.len() as u64;
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

    /// Where in the stream the input has been read to.
    fn at(&self, feed: &Feed<'_>, input: Input) -> u64 {
        match input {
            Input::Held => self.again.ends.0,
            Input::Carry => self.again.ends.1,
            // One character, read or not.
            Input::Patch if self.patch.pos == 0 => self.patch.start,
            Input::Patch => self.patch.end,
            Input::Chunk => feed.position.start + feed.position.pos as u64,
        }
    }

    /// The opening tag in front of what is held was only named: the rest is read again, and then the carry.
    fn read_again(&mut self, opening: usize, feed: &Feed<'_>, input: Input) {
        let at = self.at(feed, input);
        let Parser { syntax: Syntax::Markup(machine), again, .. } = self else { return };
        again.held.clear();
        core::mem::swap(&mut again.held, &mut machine.busy.held);
        again.held_pos = opening;
        again.carry.clear();
        again.carry.push_str(machine.carry.text());
        again.carry_pos = 0;
        again.ends = (if machine.carry.is_empty() { at } else { machine.carry.start }, at);
        machine.carry.clear();
    }

    /// The event that was decided.
    pub(crate) fn lend<'s>(&'s self, feed: &Feed<'s>, Decision { signal, input }: Decision) -> Event<'s> {
        let (call, calls) = (self.syntax.call(), self.syntax.calls());
        match signal {
            Signal::More => Event::Text(""),
            Signal::Text(source) => Event::Text(self.text_of(source, feed, input)),
            Signal::Opaque { from, tool, start } => Event::Opaque(Opaque {
                tool: self.policy().tools.tools.name(tool),
                raw: self.text_of(from, feed, input),
                start,
                id: None,
            }),
            Signal::Partial(field, part) => Event::Partial(call.partial(calls, field, part)),
            Signal::Demoted { opening, rejected: None } => Event::Text(&self.again.held[..opening]),
            Signal::Ended { end } | Signal::Demoted { rejected: Some(end), .. } => call.outcome(calls - 1, end),
        }
    }

    fn text_of<'s>(&'s self, source: Source, feed: &Feed<'s>, input: Input) -> &'s str {
        let (start, end) = match source {
            Source::Carry => return self.syntax.carry(),
            Source::Piece(start, end) => (start, end),
        };
        let text = match input {
            Input::Held => &*self.again.held,
            Input::Carry => &*self.again.carry,
            Input::Patch => self.patch.piece().text,
            Input::Chunk => feed.text,
        };
        &text[start..end]
    }
}
