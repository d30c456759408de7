//! A reader: feeds a parser chunk by chunk, and returns owned events.

use alloc::collections::VecDeque;
use core::fmt::{self, Debug};
use core::iter::FusedIterator;

use bytes::Bytes;

use super::convert::Converter;
#[cfg(feature = "wire")]
use super::error::Error;
use super::event::Event;
use crate::Parser;
use crate::observe::Observer;
use sealed::Parse;

/// How many bytes of a chunk are parsed at once. The events of that piece are queued.
const PIECE: usize = 4 << 10;

/// How many events a new queue has room for: more than most chunks have.
const QUEUE: usize = 4;

/// How many events an empty queue has room for at most.
///
/// Memory that a burst of events needed is freed.
const QUEUE_KEPT: usize = 32;

/// A parser that a [`Reader`] can feed.
///
/// It is a [`Parser`], or with the feature `wire` a
/// [`ResponseParser`](crate::wire::ResponseParser).
///
/// This trait is sealed.
pub trait ChunkParser: Parse<Output = <Self as ChunkParser>::Item> {
    /// The item that the reader returns.
    ///
    /// It is an [`Event`], or for a response a `Result` of an event and an [`Error`](super::Error).
    type Item;
}

impl ChunkParser for Parser {
    type Item = Event;
}

#[cfg(feature = "wire")]
impl ChunkParser for crate::wire::ResponseParser {
    type Item = Result<Event, Error>;
}

mod sealed {
    use alloc::collections::VecDeque;

    use bytes::Bytes;

    use super::Converter;
    use crate::observe::Observer;

    pub trait Parse {
        type Output;

        /// Parses `piece`, a part of `chunk`, and appends its events to `queue`.
        ///
        /// A piece of `None` is the end of the stream.
        fn parse(
            &mut self,
            piece: Option<&[u8]>,
            chunk: &Bytes,
            converter: &mut Converter,
            queue: &mut VecDeque<Self::Output>,
        );
        /// Parses `bytes`. Their events are lost.
        fn skip(&mut self, bytes: &[u8]);
        fn report(item: &Self::Output, observer: &mut impl Observer);
    }
}

impl Parse for Parser {
    type Output = Event;

    fn parse(&mut self, piece: Option<&[u8]>, chunk: &Bytes, converter: &mut Converter, queue: &mut VecDeque<Event>) {
        let mut events = match piece {
            Some(piece) => self.feed_bytes(piece),
            None => self.finish(),
        };
        while let Some(event) = events.next() {
            queue.push_back(converter.event(event, chunk));
        }
    }

    fn skip(&mut self, bytes: &[u8]) {
        drop(self.feed_bytes(bytes));
    }

    fn report(event: &Event, observer: &mut impl Observer) {
        observer.on_event(event);
    }
}

#[cfg(feature = "wire")]
impl Parse for crate::wire::ResponseParser {
    type Output = Result<Event, Error>;

    fn parse(
        &mut self,
        piece: Option<&[u8]>,
        chunk: &Bytes,
        converter: &mut Converter,
        queue: &mut VecDeque<Self::Output>,
    ) {
        let mut events = match piece {
            Some(piece) => self.feed(piece),
            None => self.finish(),
        };
        while let Some(result) = events.next() {
            queue.push_back(result.map(|event| converter.event(event, chunk)).map_err(Error::from));
        }
    }

    fn skip(&mut self, bytes: &[u8]) {
        drop(self.feed(bytes));
    }

    fn report(item: &Self::Output, observer: &mut impl Observer) {
        match item {
            Ok(event) => observer.on_event(event),
            Err(error) => observer.on_error(error),
        }
    }
}

/// Feeds a parser and returns owned events.
///
/// They are those of a [`Parser`], or the events and errors of a
/// [`ResponseParser`](crate::wire::ResponseParser).
///
/// The events are those that the parser's cursor would lend. An [observer](Observer) may watch
/// them.
///
/// # Cost
///
/// In addition to parsing: an event is one small allocation, for its text; a call that has ended is
/// three, and one for its notes. Prose is copied, or shares its chunk if it is at least 1 KiB long
/// and at least a quarter of the chunk. (A [`ByteString`](super::ByteString) that shares a chunk is
/// validated as UTF-8 when it is made, which takes about as long as a copy: sharing saves memory.)
///
/// # Memory
///
/// A chunk is parsed in pieces of at most 4 KiB, and the next piece only when all events of the
/// last one have been taken. So a reader holds at most one chunk, the events of one piece (with the
/// default tools at most 256 KiB), and what the [`Limits`](crate::Limits) allow a parser. A
/// provider's payload is parsed when it is complete, so of a response the reader may hold the
/// events of one payload, whose length is limited, too. An event takes about 200 bytes.
#[derive(Clone)]
pub struct Reader<P: ChunkParser, O = ()> {
    parser: P,
    observer: O,
    converter: Converter,
    /// The last chunk. Empty once all of it is parsed.
    chunk: Bytes,
    /// How many bytes of the chunk are parsed.
    parsed: usize,
    /// The events of the last piece that have not been taken.
    queue: VecDeque<P::Item>,
    /// The end of the stream is parsed, and the observer has not been notified.
    ending: bool,
}

impl<P: ChunkParser> Reader<P> {
    /// Returns a reader that continues with `parser`, from the state it is in.
    pub fn new(parser: P) -> Reader<P> {
        Reader::with_observer(parser, ())
    }
}

impl<P: ChunkParser, O: Observer> Reader<P, O> {
    /// Returns a reader that also reports to `observer`.
    pub fn with_observer(parser: P, observer: O) -> Reader<P, O> {
        Reader {
            parser,
            observer,
            converter: Converter::default(),
            chunk: Bytes::new(),
            parsed: 0,
            queue: VecDeque::with_capacity(QUEUE),
            ending: false,
        }
    }

    /// Consumes the next chunk of the stream and returns an iterator over its events.
    ///
    /// As with [`Parser::feed`], an iterator that is dropped early loses events, but never state.
    ///
    /// ```
    /// use followup::Parser;
    /// use followup::owned::{Event, Reader};
    ///
    /// let mut reader = Reader::new(Parser::default());
    /// drop(reader.feed("Dropped. <ask_followup_question><question>".into()));
    /// let events: Vec<_> = reader.feed("Still here?".into()).collect();
    /// assert!(matches!(&events[..], [Event::Partial(call)] if call.delta == "Still here?"));
    /// ```
    pub fn feed(&mut self, chunk: Bytes) -> Events<'_, P, O> {
        self.begin_chunk(chunk);
        Events { reader: self }
    }

    /// Ends the stream and returns an iterator over the events that only its end decides.
    ///
    /// The reader is then ready for the next stream.
    pub fn finish(&mut self) -> Events<'_, P, O> {
        self.begin_finish();
        Events { reader: self }
    }

    /// Returns the parser.
    ///
    /// When the reader [is drained](Reader::is_drained), the parser has read everything that was
    /// fed, and its [checkpoint](Parser::checkpoint) is one of the stream up to there. Before that
    /// it is ahead of the events that were taken, by at most one piece.
    pub fn parser(&self) -> &P {
        &self.parser
    }

    /// Returns the parser, after it has read the rest of the last chunk.
    ///
    /// Events that were not taken are lost.
    ///
    /// ```
    /// use followup::Parser;
    /// use followup::owned::Reader;
    ///
    /// let mut reader = Reader::new(Parser::default());
    /// drop(reader.feed("Hm. <ask_followup_question><question>Tea?</question>".into()));
    /// assert!(reader.is_drained());
    /// let mut parser = Parser::default();
    /// drop(parser.feed("Hm. <ask_followup_question><question>Tea?</question>"));
    /// assert_eq!(reader.into_parser().checkpoint(), parser.checkpoint());
    /// ```
    pub fn into_parser(mut self) -> P {
        self.skip();
        self.parser
    }

    /// Returns the observer.
    pub fn observer(&self) -> &O {
        &self.observer
    }

    /// Returns whether everything that was fed is parsed and all of its events have been taken.
    pub fn is_drained(&self) -> bool {
        self.chunk.is_empty() && self.queue.is_empty() && !self.ending
    }

    /// Takes a chunk. Skips what is left of the last one.
    pub(crate) fn begin_chunk(&mut self, chunk: Bytes) {
        self.skip();
        self.observer.on_chunk(chunk.len());
        self.chunk = chunk;
    }

    /// Ends the stream. Skips what is left of the last chunk.
    pub(crate) fn begin_finish(&mut self) {
        self.skip();
        self.parser.parse(None, &self.chunk, &mut self.converter, &mut self.queue);
        self.ending = true;
    }

    /// Returns the next event of the last chunk, or of the end of the stream.
    pub(crate) fn next_item(&mut self) -> Option<P::Item> {
        while self.queue.is_empty() && !self.chunk.is_empty() {
            self.parse_piece();
        }
        let item = self.queue.pop_front();
        match &item {
            Some(item) => P::report(item, &mut self.observer),
            None => self.settle(),
        }
        item
    }

    fn parse_piece(&mut self) {
        let rest = &self.chunk[self.parsed..];
        let piece = &rest[..piece_len(rest)];
        self.parser.parse(Some(piece), &self.chunk, &mut self.converter, &mut self.queue);
        self.parsed += piece.len();
        if self.parsed == self.chunk.len() {
            self.release_chunk();
        }
    }

    /// Parses the rest of the last chunk. The events that have not been taken are lost.
    fn skip(&mut self) {
        self.queue.clear();
        if !self.chunk.is_empty() {
            self.parser.skip(&self.chunk[self.parsed..]);
            self.release_chunk();
        }
        self.settle();
    }

    fn release_chunk(&mut self) {
        (self.chunk, self.parsed) = (Bytes::new(), 0);
    }

    /// Frees the memory of a burst of events, and reports the end of the stream.
    ///
    /// The queue is empty.
    fn settle(&mut self) {
        self.queue.shrink_to(QUEUE_KEPT);
        if core::mem::take(&mut self.ending) {
            self.observer.on_finish();
        }
    }
}

/// Returns the length of the next piece of `rest`.
fn piece_len(rest: &[u8]) -> usize {
    if rest.len() <= PIECE {
        return rest.len();
    }
    // A character that is cut is correct but slower. Ill-formed bytes may be cut anywhere.
    let continues = |&byte: &&u8| byte & 0b1100_0000 == 0b1000_0000;
    PIECE - rest[PIECE - 2..=PIECE].iter().rev().take_while(continues).count()
}

impl<P: ChunkParser + Debug, O: Debug> Debug for Reader<P, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader")
            .field("parser", &self.parser)
            .field("observer", &self.observer)
            .field("unparsed", &(self.chunk.len() - self.parsed))
            .field("queued", &self.queue.len())
            .finish_non_exhaustive()
    }
}

/// The events of one chunk, or of the end of a stream.
///
/// Dropped early, it loses events, but never state.
#[must_use = "iterators are lazy: take the events with `for event in …`"]
pub struct Events<'a, P: ChunkParser, O: Observer = ()> {
    reader: &'a mut Reader<P, O>,
}

impl<P: ChunkParser, O: Observer> Iterator for Events<'_, P, O> {
    type Item = P::Item;

    fn next(&mut self) -> Option<P::Item> {
        self.reader.next_item()
    }
}

impl<P: ChunkParser, O: Observer> FusedIterator for Events<'_, P, O> {}

impl<P: ChunkParser, O: Observer> Drop for Events<'_, P, O> {
    fn drop(&mut self) {
        self.reader.skip();
    }
}

impl<P: ChunkParser + Debug, O: Observer + Debug> Debug for Events<'_, P, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Events").field(&self.reader).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_ends_between_characters() {
        for char in ["x", "é", "€", "😀"] {
            for offset in 0..=3 {
                let text = ".".repeat(offset) + &char.repeat(PIECE);
                let len = piece_len(text.as_bytes());
                assert!(text.is_char_boundary(len) && len <= PIECE && len + char.len() > PIECE, "{len} of {char}");
            }
        }
        let ill_formed = [0x80; 2 * PIECE];
        assert_eq!(piece_len(&ill_formed), PIECE - 3);
        assert_eq!(piece_len(&ill_formed[..PIECE]), PIECE);
    }
}
