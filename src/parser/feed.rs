//! How a parser goes through what it is fed: first everything is decided, then it is lent.

use super::Parser;
use crate::event::{Event, Field, Opaque, Part};
use crate::markup;
use crate::syntax::{Piece, Signal, Source, Syntax};
use crate::utf8::Next;

/// What a parser is given to read, and how far it has come.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Feed<'a> {
    /// The text at hand.
    pub(crate) text: &'a str,
    /// What is behind it.
    rest: Rest<'a>,
    /// The text has been read up to here. (Alone at the end: what is copied with it would have to be written as it is read.)
    pos: usize,
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

/// How far a feed has been read. With its text, it can be taken up again.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Position {
    /// The text has been read up to here.
    pub(crate) pos: usize,
    /// The stream ends behind it.
    pub(crate) finishing: bool,
}

impl Position {
    /// At the end of the stream, behind all text.
    #[cfg(feature = "wire")]
    pub(crate) const END: Position = Position { pos: 0, finishing: true };
}

/// What is to be lent next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decision {
    signal: Signal,
    input: Input,
}

/// How far a parser has come when it hurried.
enum Hurried {
    /// To a part of the open call that is certain and has not been shown.
    To((Field, Part)),
    /// Through the whole feed, by which a value has grown: that is all there is to show.
    By((Field, Part)),
    /// Through the whole feed, and there is nothing to say.
    Through,
    /// To where it must be looked at closely.
    Not,
}

/// What the syntax is given next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Input {
    Held,
    Carry,
    Patch,
    Chunk,
}

/// One character that is not in a chunk as it stands: it was cut, or its bytes were ill-formed. It stands right in front of the feed's
/// text, and is read before anything else is taken from the feed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Patch {
    /// In UTF-8, zeros behind it. All zeros: there is none.
    text: [u8; 4],
    /// How many bytes of the stream it stands for.
    bytes: u8,
    was_read: bool,
}

impl<'a> Feed<'a> {
    /// Text, bytes behind it, and how far they have been read.
    pub(crate) fn new(text: &'a str, bytes: &'a [u8], Position { pos, finishing }: Position) -> Feed<'a> {
        Feed { text, rest: if finishing { Rest::End } else { Rest::Bytes(bytes) }, pos }
    }

    /// The end of the stream.
    pub(super) fn end() -> Feed<'a> {
        Feed { rest: Rest::End, ..Feed::default() }
    }

    #[cfg(feature = "wire")]
    pub(crate) fn position(&self) -> Position {
        Position { pos: self.pos, finishing: self.is_finishing() }
    }

    /// The bytes behind the text.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        match self.rest {
            Rest::Bytes(bytes) => bytes,
            Rest::End => &[],
        }
    }

    fn is_finishing(&self) -> bool {
        matches!(self.rest, Rest::End)
    }

    /// Whether nothing of it is left.
    fn is_read(&self) -> bool {
        self.pos == self.text.len() && matches!(self.rest, Rest::Bytes([]))
    }
}

impl Patch {
    fn text(&self) -> &str {
        // A NUL is never cut, and never ill-formed.
        let len = self.text.iter().position(|&byte| byte == 0).unwrap_or(self.text.len());
        // It was made from a character.
        core::str::from_utf8(&self.text[..len]).unwrap_or_default()
    }

    fn is_waiting(&self) -> bool {
        self.text[0] != 0 && !self.was_read
    }

    /// As a piece that ends at `end`.
    fn piece(&self, end: u64) -> Piece<'_> {
        Piece { text: self.text(), start: end - u64::from(self.bytes), end }
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
    /// Begins with more text.
    #[inline]
    pub(crate) fn begin_text(&mut self, text: &str) {
        // A character that had begun can't go on in text, which begins with a whole one.
        if !self.tail.is_empty() && !text.is_empty() {
            self.patch_tail();
        }
        self.read += text.len() as u64;
    }

    /// Begins with the end of the stream.
    pub(crate) fn begin_finish(&mut self) {
        self.patch_tail();
    }

    /// Where in the stream the text at hand begins. Nothing behind it has been read.
    fn start_of(&self, feed: &Feed<'_>) -> u64 {
        self.read - feed.text.len() as u64
    }

    /// A part of the stream was lost, or is known to be wrong: the call that is open, if there is one, is rejected when it ends.
    #[cfg(feature = "wire")]
    pub(crate) fn spoil(&mut self) {
        self.syntax.spoil();
    }

    /// The next event of the feed; `None` when it is read. Says whether that is all.
    #[inline(never)]
    pub(super) fn next_event<'s, 'a: 's>(&'s mut self, feed: &mut Feed<'a>, is_over: &mut bool) -> Option<Event<'s>> {
        match self.hurry(feed) {
            Hurried::To(delta) => {
                *is_over = self.is_read(feed);
                Some(Event::Partial(self.syntax.partial(delta)))
            }
            Hurried::By(delta) => Some(Event::Partial(self.syntax.partial(delta))),
            Hurried::Through => None,
            Hurried::Not => self.next_event_closely(feed, is_over),
        }
    }

    #[inline(never)]
    fn next_event_closely<'s, 'a: 's>(&'s mut self, feed: &mut Feed<'a>, is_over: &mut bool) -> Option<Event<'s>> {
        let decision = self.decide_closely(feed)?;
        *is_over = self.is_read(feed);
        Some(self.lend(feed, decision))
    }

    /// Reads the feed to its end.
    #[inline(never)]
    pub(super) fn read_out(&mut self, mut feed: Feed<'_>) {
        let mut is_over = false;
        while !is_over {
            is_over = true;
            let _ = self.next_event(&mut feed, &mut is_over);
        }
    }

    /// Whether nothing more can come of the feed, as far as that is quickly known.
    #[inline]
    fn is_read(&self, feed: &Feed<'_>) -> bool {
        self.is_settled && feed.is_read() && self.syntax.is_silent()
    }

    /// Goes on with the feed, to the next decision; `None` when it is read.
    #[cfg(feature = "wire")]
    pub(crate) fn decide(&mut self, feed: &mut Feed<'_>) -> Option<Decision> {
        match self.hurry(feed) {
            Hurried::To((field, part)) | Hurried::By((field, part)) => {
                Some(Decision { signal: Signal::Partial(field, part), input: Input::Chunk })
            }
            Hurried::Through => None,
            Hurried::Not => self.decide_closely(feed),
        }
    }

    /// Goes on with the feed, as far as it is quickly done.
    #[inline(always)] // Else what it gives goes through memory.
    fn hurry(&mut self, feed: &mut Feed<'_>) -> Hurried {
        if !self.is_settled || feed.is_finishing() {
            return Hurried::Not;
        }
        if !feed.bytes().is_empty() {
            if feed.pos == feed.text.len() {
                // A character that was cut, or its beginning, leaves no text to hurry through.
                self.take_bytes(feed);
            }
            if !feed.bytes().is_empty() {
                return Hurried::Not;
            }
        }
        let pos = feed.pos;
        if pos == 0
            && let Some(delta) = self.syntax.grow(feed.text)
        {
            feed.pos = feed.text.len();
            return Hurried::By(delta);
        }
        // What is certain is said before more is read. At the beginning it has been.
        if pos == 0 || self.syntax.is_silent() {
            feed.pos = self.syntax.hurry(feed.text, pos, self.start_of(feed));
        }
        match self.syntax.next_delta() {
            Some(delta) => Hurried::To(delta),
            None if feed.pos > pos && feed.pos == feed.text.len() && !self.syntax.has_ended() => Hurried::Through,
            None => Hurried::Not,
        }
    }

    /// Goes on with the feed, to the next decision; `None` when it is read.
    fn decide_closely(&mut self, feed: &mut Feed<'_>) -> Option<Decision> {
        let decision = self.decide_next(feed);
        self.take_stock();
        decision
    }

    /// Sees whether the next text may be taken the quick way.
    pub(crate) fn take_stock(&mut self) {
        self.is_settled = self.input() == Input::Chunk && self.tail.is_empty();
        self.is_quiet = self.is_settled && self.syntax.is_quiet();
    }

    fn decide_next(&mut self, feed: &mut Feed<'_>) -> Option<Decision> {
        loop {
            let input = self.input();
            let signal = self.step(feed, input);
            match signal {
                Signal::More if input != Input::Chunk => continue,
                Signal::More if !feed.bytes().is_empty() => {
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
        let last = if feed.is_finishing() {
            self.syntax.finish(self.read)
        } else if !self.tail.is_empty() {
            self.syntax.foresee(self.tail.bytes(), self.read)
        } else {
            return None;
        };
        if !matches!(last, Signal::More) {
            return Some(last);
        }
        if feed.is_finishing() {
            feed.rest = Rest::default();
            self.syntax.restart();
            self.read = 0;
        }
        None
    }

    /// What is to be read next.
    fn input(&self) -> Input {
        let again = self.again();
        if again.held_pos < again.held.len() {
            Input::Held
        } else if again.carry_pos < again.carry.len() {
            Input::Carry
        } else if self.patch.is_waiting() {
            Input::Patch
        } else {
            Input::Chunk
        }
    }

    /// What is read again.
    fn again(&self) -> &markup::Again {
        match &self.syntax {
            Syntax::Markup(machine) => &machine.busy.again,
            Syntax::Json(_) => const { &markup::Again::NEW },
        }
    }

    fn step(&mut self, feed: &mut Feed<'_>, input: Input) -> Signal {
        match input {
            Input::Held | Input::Carry => self.step_again(input),
            Input::Patch => {
                let mut pos = 0;
                let signal = self.syntax.step(&self.patch.piece(self.start_of(feed)), &mut pos);
                self.patch.was_read = pos > 0;
                signal
            }
            Input::Chunk => {
                let start = self.start_of(feed);
                let piece = Piece { text: feed.text, start, end: start + feed.text.len() as u64 };
                self.syntax.step(&piece, &mut feed.pos)
            }
        }
    }

    /// Goes on in what is read again.
    fn step_again(&mut self, input: Input) -> Signal {
        let Syntax::Markup(machine) = &mut self.syntax else { return Signal::More };
        // It is put aside while it is read.
        let mut again = core::mem::replace(&mut machine.busy.again, markup::Again::NEW);
        let signal = if input == Input::Held {
            let mut pos = again.held_pos;
            let signal = machine.step(&again.held_piece(), &mut pos);
            again.held_pos = pos;
            signal
        } else {
            let mut pos = again.carry_pos;
            let signal = machine.step(&again.carry_piece(), &mut pos);
            again.carry_pos = pos;
            signal
        };
        machine.busy.again = again;
        signal
    }

    /// Makes text of the next bytes.
    fn take_bytes(&mut self, feed: &mut Feed<'_>) {
        let bytes = feed.bytes();
        (feed.text, feed.pos) = ("", 0);
        let taken = match self.tail.next(bytes) {
            Next::Text(text) => {
                feed.text = text;
                self.read += text.len() as u64;
                text.len()
            }
            Next::Char { char, taken } => {
                self.patch(char, char.len_utf8());
                taken
            }
            Next::Replacement { bytes, taken } => {
                self.patch(char::REPLACEMENT_CHARACTER, bytes);
                taken
            }
            Next::End => bytes.len(),
        };
        feed.rest = Rest::Bytes(&bytes[taken..]);
    }

    /// The character that had begun is ill-formed.
    #[cold]
    fn patch_tail(&mut self) {
        let bytes = self.tail.bytes().len();
        if bytes > 0 {
            self.tail.clear();
            self.patch(char::REPLACEMENT_CHARACTER, bytes);
        }
    }

    /// Puts in a character that stands for that many bytes of the stream.
    fn patch(&mut self, char: char, bytes: usize) {
        let mut text = [0; 4];
        char.encode_utf8(&mut text);
        // Four at the most.
        self.patch = Patch { text, bytes: bytes as u8, was_read: false };
        self.read += bytes as u64;
    }

    /// Where in the stream the input has been read to.
    fn at(&self, feed: &Feed<'_>, input: Input) -> u64 {
        match input {
            Input::Held => self.again().ends.0,
            Input::Carry => self.again().ends.1,
            // One character, read or not.
            Input::Patch if self.patch.is_waiting() => self.start_of(feed) - u64::from(self.patch.bytes),
            Input::Patch => self.start_of(feed),
            Input::Chunk => self.start_of(feed) + feed.pos as u64,
        }
    }

    /// The opening tag in front of what is held was only named: the rest is read again, and then the carry.
    fn read_again(&mut self, opening: usize, feed: &Feed<'_>, input: Input) {
        let at = self.at(feed, input);
        let Parser { syntax: Syntax::Markup(machine), .. } = self else { return };
        let markup::Busy { again, held, .. } = &mut *machine.busy;
        again.held.clear();
        core::mem::swap(&mut again.held, held);
        again.held_pos = opening;
        again.carry.clear();
        again.carry.push_str(machine.carry.text());
        again.carry_pos = 0;
        again.ends = (if machine.carry.is_empty() { at } else { machine.carry.start }, at);
        machine.carry.clear();
    }

    /// The event that was decided.
    #[inline]
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
            Signal::Partial(field, part) => Event::Partial(self.syntax.partial((field, part))),
            Signal::Demoted { opening, rejected: None } => Event::Text(&self.again().held[..opening]),
            Signal::Ended { end } | Signal::Demoted { rejected: Some(end), .. } => call.outcome(calls - 1, end),
        }
    }

    fn text_of<'s>(&'s self, source: Source, feed: &Feed<'s>, input: Input) -> &'s str {
        let (start, end) = match source {
            Source::Carry => return self.syntax.carry(),
            Source::Piece(start, end) => (start, end),
        };
        let text = match input {
            Input::Held => &*self.again().held,
            Input::Carry => &*self.again().carry,
            Input::Patch => self.patch.text(),
            Input::Chunk => feed.text,
        };
        &text[start..end]
    }
}
