//! Who makes events owned: a parser, and the chunk it reads.

use core::fmt::{self, Debug};
use core::ops::Range;

use bytes::Bytes;

use super::Event;
use super::own::Own;
use crate::Parser;
use crate::observe::Observe;
use crate::parser;
use source::Source;

/// What a [`Reader`] reads with: a [`Parser`], or with the feature `wire` a [`ResponseParser`](crate::wire::ResponseParser).
pub trait Read: Source<Said = <Self as Read>::Item> {
    /// What comes of it: an [`Event`], or that or an [`Error`](super::Error).
    type Item;
}

impl Read for Parser {
    type Item = Event;
}

#[cfg(feature = "wire")]
impl Read for crate::wire::ResponseParser {
    type Item = Result<Event, super::Error>;
}

mod source {
    use bytes::Bytes;

    use crate::observe::Observe;
    use crate::owned::own::Own;

    /// A parser whose cursor can be left between two events, and taken up again.
    pub trait Source {
        /// What comes of it.
        type Said;
        /// Where a cursor was left.
        type Left: Default;
        /// How many bytes it is given at once.
        const PIECE: usize;

        fn begin(&mut self, piece: &[u8]) -> Self::Left;
        fn begin_finish(&mut self) -> Self::Left;
        /// The next of what the piece brings.
        fn next(&mut self, piece: &[u8], left: &mut Self::Left, own: &mut Own, chunk: &Bytes) -> Option<Self::Said>;
        /// Whether nothing more comes of the piece, as far as that is known without asking.
        fn is_over(left: &Self::Left) -> bool;
        /// Reads the piece to its end.
        fn skip(&mut self, piece: &[u8], left: Self::Left);
        fn tell(item: &Self::Said, observer: &mut impl Observe);
    }
}

impl Source for Parser {
    type Said = Event;
    type Left = parser::Left;
    // To take up its cursor again, so many bytes are looked at.
    const PIECE: usize = 4 << 10;

    fn begin(&mut self, piece: &[u8]) -> parser::Left {
        self.feed_bytes(piece).leave()
    }

    fn begin_finish(&mut self) -> parser::Left {
        self.finish().leave()
    }

    fn next(&mut self, piece: &[u8], left: &mut parser::Left, own: &mut Own, chunk: &Bytes) -> Option<Event> {
        let mut events = crate::Events::take_up(self, piece, core::mem::take(left));
        let event = events.next().map(|event| own.event(event, chunk));
        *left = events.leave();
        event
    }

    #[inline]
    fn is_over(left: &parser::Left) -> bool {
        left.is_over()
    }

    fn skip(&mut self, piece: &[u8], left: parser::Left) {
        drop(crate::Events::take_up(self, piece, left));
    }

    fn tell(event: &Event, observer: &mut impl Observe) {
        observer.event(event);
    }
}

#[cfg(feature = "wire")]
impl Source for crate::wire::ResponseParser {
    type Said = Result<Event, super::Error>;
    type Left = crate::wire::Left;
    // It cuts what it is given itself.
    const PIECE: usize = usize::MAX;

    fn begin(&mut self, piece: &[u8]) -> Self::Left {
        self.feed(piece).leave()
    }

    fn begin_finish(&mut self) -> Self::Left {
        self.finish().leave()
    }

    fn next(&mut self, piece: &[u8], left: &mut Self::Left, own: &mut Own, chunk: &Bytes) -> Option<Self::Said> {
        let mut events = crate::wire::Events::take_up(self, piece, core::mem::take(left));
        let item = events.next().map(|said| said.map(|event| own.event(event, chunk)).map_err(Own::error));
        *left = events.leave();
        item
    }

    fn is_over(_: &Self::Left) -> bool {
        false
    }

    fn skip(&mut self, piece: &[u8], left: Self::Left) {
        drop(crate::wire::Events::take_up(self, piece, left));
    }

    fn tell(item: &Self::Said, observer: &mut impl Observe) {
        match item {
            Ok(event) => observer.event(event),
            Err(error) => observer.error(error),
        }
    }
}

/// Reads a stream, and makes its events owned: the events of a [`Parser`], or those and the errors of a [`ResponseParser`](crate::wire::ResponseParser).
///
/// They are what the parser's cursor lends, one by one. An [observer](Observe) may be told of all of them.
///
/// Cost, beside that of parsing: an event is one small allocation, for its text; a call that ended three, and one for its notes. Prose is a copy, or a part of
/// its chunk, where that has at least 1 KiB of it and not more than four times as much of anything else. Other than the chunk nothing is held: the next
/// event is made when it is asked for.
pub struct Reader<P: Read, O = ()> {
    parser: P,
    observer: O,
    own: Own,
    chunk: Bytes,
    /// The part of the chunk that the parser has been given.
    piece: Range<usize>,
    /// Where the parser's cursor was left in that.
    left: Option<P::Left>,
    ends: bool,
}

impl<P: Read> Reader<P> {
    /// Reads with this parser, from where it is.
    pub fn new(parser: P) -> Reader<P> {
        Reader::observed(parser, ())
    }
}

impl<P: Read, O: Observe> Reader<P, O> {
    /// The same, and tells this observer of it.
    pub fn observed(parser: P, observer: O) -> Reader<P, O> {
        let (own, chunk) = (Own::default(), Bytes::new());
        Reader { parser, observer, own, chunk, piece: 0..0, left: None, ends: false }
    }

    /// Goes on with the next chunk of the stream.
    ///
    /// As with [`Parser::feed`], what is dropped early loses its events, but never state.
    ///
    /// ```
    /// use followup::Parser;
    /// use followup::owned::{Event, Reader};
    ///
    /// let mut reader = Reader::new(Parser::default());
    /// drop(reader.feed("never looked at <ask_followup_question><question>".into()));
    /// let events: Vec<_> = reader.feed("Still here?".into()).collect();
    /// assert!(matches!(&events[..], [Event::Partial(call)] if call.delta == "Still here?"));
    /// ```
    pub fn feed(&mut self, chunk: Bytes) -> Drain<'_, P, O> {
        self.begin(chunk);
        Drain { reader: self }
    }

    /// Ends the stream. The reader is then as new, for the next.
    pub fn finish(&mut self) -> Drain<'_, P, O> {
        self.begin_finish();
        Drain { reader: self }
    }

    /// The parser. It has read all that was fed when the reader [is settled](Reader::is_settled): then a [checkpoint](Parser::checkpoint) of it is one of
    /// the stream up to there.
    pub fn parser(&self) -> &P {
        &self.parser
    }

    /// The parser, when the rest of the last chunk has been read.
    pub fn into_parser(mut self) -> P {
        self.skip();
        self.parser
    }

    /// Who is told.
    pub fn observer(&self) -> &O {
        &self.observer
    }

    /// Whether nothing is left of what was fed: all of its events have been taken.
    pub fn is_settled(&self) -> bool {
        self.left.is_none()
    }

    /// Begins with a chunk. What was left of the last is read, and nobody sees it.
    pub(crate) fn begin(&mut self, chunk: Bytes) {
        self.skip();
        self.observer.chunk(chunk.len());
        self.chunk = chunk;
        self.piece = 0..0;
        self.begin_piece();
    }

    /// Begins with the end of the stream.
    pub(crate) fn begin_finish(&mut self) {
        self.skip();
        self.ends = true;
        self.left = Some(self.parser.begin_finish());
    }

    fn begin_piece(&mut self) {
        let from = self.piece.end;
        self.piece = from..from.saturating_add(P::PIECE).min(self.chunk.len());
        self.left = Some(self.parser.begin(&self.chunk[self.piece.clone()]));
    }

    /// The next event of what was fed last.
    pub(crate) fn pull(&mut self) -> Option<P::Item> {
        loop {
            let left = self.left.as_mut()?;
            let piece = &self.chunk[self.piece.clone()];
            let item = if P::is_over(left) { None } else { self.parser.next(piece, left, &mut self.own, &self.chunk) };
            match item {
                Some(item) => {
                    P::tell(&item, &mut self.observer);
                    return Some(item);
                }
                None => self.go_on(),
            }
        }
    }

    /// Goes on behind a piece.
    fn go_on(&mut self) {
        if self.piece.end < self.chunk.len() {
            return self.begin_piece();
        }
        (self.left, self.chunk, self.piece) = (None, Bytes::new(), 0..0);
        if core::mem::take(&mut self.ends) {
            self.observer.finish();
        }
    }

    fn skip(&mut self) {
        while let Some(left) = self.left.take() {
            self.parser.skip(&self.chunk[self.piece.clone()], left);
            self.go_on();
        }
    }
}

impl<P: Read + Clone, O: Clone> Clone for Reader<P, O>
where
    P::Left: Clone,
{
    fn clone(&self) -> Self {
        Reader {
            parser: self.parser.clone(),
            observer: self.observer.clone(),
            own: self.own.clone(),
            chunk: self.chunk.clone(),
            piece: self.piece.clone(),
            left: self.left.clone(),
            ends: self.ends,
        }
    }
}

impl<P: Read + Debug, O: Debug> Debug for Reader<P, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader")
            .field("parser", &self.parser)
            .field("observer", &self.observer)
            .field("chunk", &self.chunk.len())
            .field("is_settled", &self.left.is_none())
            .finish_non_exhaustive()
    }
}

/// The events of one chunk. Dropped early, it loses its events, but never state.
#[must_use = "the events are in it: take them with `for event in …`"]
pub struct Drain<'a, P: Read, O: Observe = ()> {
    reader: &'a mut Reader<P, O>,
}

impl<P: Read, O: Observe> Iterator for Drain<'_, P, O> {
    type Item = P::Item;

    fn next(&mut self) -> Option<P::Item> {
        self.reader.pull()
    }
}

impl<P: Read, O: Observe> core::iter::FusedIterator for Drain<'_, P, O> {}

impl<P: Read, O: Observe> Drop for Drain<'_, P, O> {
    fn drop(&mut self) {
        self.reader.skip();
    }
}

impl<P: Read + Debug, O: Observe + Debug> Debug for Drain<'_, P, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Drain").field(&self.reader).finish()
    }
}
