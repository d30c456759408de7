//! From a stream of chunks to a stream of events.
//!
//! [`events`] reads any [`Stream`] of bytes, or of results of bytes: the body of a response of
//! reqwest, hyper or axum, a channel, a file. With a [`Parser`](crate::Parser) the stream is read
//! as a model's text, with a [`ResponseParser`](crate::wire::ResponseParser) as a provider's
//! stream.
//!
//! ```
//! use bytes::Bytes;
//! use futures::{StreamExt, executor::block_on, stream};
//! use followup::owned::Event;
//! use followup::{Parser, stream::events};
//!
//! let body = stream::iter([
//!     Ok(Bytes::from("<ask_followup_question><question>Which ")),
//!     Err("a read timed out"),
//!     Ok(Bytes::from("one?</question></ask_followup_question>")),
//! ]);
//! let all: Vec<_> = block_on(events(body, Parser::default()).collect());
//! assert!(matches!(&all[0], Ok(Event::Partial(call)) if call.delta == "Which"));
//! assert_eq!(all[1], Err("a read timed out")); // and parsing continues after it
//! assert!(matches!(&all[3], Ok(Event::Complete(call)) if call.question == "Which one?"));
//! ```
//!
//! # Backpressure
//!
//! The source is polled only when all events of the last chunk have been taken, so a slow consumer
//! slows the source down. The memory is that of a [`Reader`]: one chunk, the events
//! of a piece of it, and what the [`Limits`](crate::Limits) allow.
//!
//! # Cancel safety
//!
//! To stop waiting for the next event, as in a `select!` or with a time-out, loses no event and no
//! state.

use core::convert::Infallible;
use core::fmt::{self, Debug};
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use alloc::string::String;
use alloc::vec::Vec;

use bytes::Bytes;
use futures_core::stream::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::observe::Observer;
use crate::owned::{ChunkParser, Event, Reader};

/// Parses `chunks` and returns a stream of the events. After the last chunk the parser is finished.
///
/// For a [`Parser`](crate::Parser) the items are `Result<Event, E>`, where `E` is the error of the
/// source. For a [`ResponseParser`](crate::wire::ResponseParser) they are
/// `Result<Event, StreamError<E>>`. An error of the source is passed on and does not change what is
/// parsed; the stream ends when the source does.
pub fn events<S, P>(chunks: S, parser: P) -> EventStream<S, P>
where
    S: Stream,
    S::Item: IntoChunk,
    P: ChunkParser,
{
    EventStream::new(chunks, Reader::new(parser))
}

/// An item of a source of chunks.
///
/// It is `Bytes`, `Vec<u8>` or `String`, or a `Result` of a type that converts into `Bytes`.
///
/// This trait is sealed.
pub trait IntoChunk: sealed::Item {
    /// The error that the source may return instead of a chunk.
    type Error;

    /// Returns the bytes of the chunk.
    ///
    /// # Errors
    ///
    /// Returns the error if this is one.
    fn into_chunk(self) -> Result<Bytes, Self::Error>;
}

impl IntoChunk for Bytes {
    type Error = Infallible;

    fn into_chunk(self) -> Result<Bytes, Infallible> {
        Ok(self)
    }
}

impl IntoChunk for Vec<u8> {
    type Error = Infallible;

    fn into_chunk(self) -> Result<Bytes, Infallible> {
        Ok(self.into())
    }
}

impl IntoChunk for String {
    type Error = Infallible;

    fn into_chunk(self) -> Result<Bytes, Infallible> {
        Ok(self.into())
    }
}

impl<B: Into<Bytes>, E> IntoChunk for Result<B, E> {
    type Error = E;

    fn into_chunk(self) -> Result<Bytes, E> {
        self.map(Into::into)
    }
}

/// What a parser returns, joined with the errors `E` of the source into one `Result`.
///
/// This trait is sealed.
pub trait StreamItem<E>: sealed::Item {
    /// The `Result`: an item of an [`EventStream`].
    type Output;

    /// Returns what the parser returned.
    fn parsed(self) -> Self::Output;

    /// Returns an error of the source.
    fn source_error(error: E) -> Self::Output;
}

impl<E> StreamItem<E> for Event {
    type Output = Result<Event, E>;

    fn parsed(self) -> Self::Output {
        Ok(self)
    }

    fn source_error(error: E) -> Self::Output {
        Err(error)
    }
}

#[cfg(feature = "wire")]
impl<E> StreamItem<E> for Result<Event, crate::owned::Error> {
    type Output = Result<Event, StreamError<E>>;

    fn parsed(self) -> Self::Output {
        self.map_err(StreamError::Wire)
    }

    fn source_error(error: E) -> Self::Output {
        Err(StreamError::Source(error))
    }
}

mod sealed {
    pub trait Item {}

    impl Item for bytes::Bytes {}
    impl Item for alloc::vec::Vec<u8> {}
    impl Item for alloc::string::String {}
    impl Item for crate::owned::Event {}
    impl<T, E> Item for Result<T, E> {}
}

/// An error where a provider's stream is read. The stream of events continues after it.
#[cfg(feature = "wire")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StreamError<E> {
    /// The source returned an error instead of a chunk.
    Source(E),
    /// The provider reports an error, or sent what cannot be read.
    Wire(crate::owned::Error),
}

#[cfg(feature = "wire")]
impl<E: fmt::Display> fmt::Display for StreamError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StreamError::Source(error) => fmt::Display::fmt(error, f),
            StreamError::Wire(error) => fmt::Display::fmt(error, f),
        }
    }
}

// It displays the inner error itself, so its source is that error's source.
#[cfg(feature = "wire")]
impl<E: core::error::Error> core::error::Error for StreamError<E> {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            StreamError::Source(error) => error.source(),
            StreamError::Wire(error) => error.source(),
        }
    }
}

pin_project! {
    /// The events of a stream of chunks. [`events`] makes one.
    #[must_use = "streams do nothing unless polled"]
    pub struct EventStream<S, P: ChunkParser, O = ()> {
        #[pin]
        chunks: S,
        reader: Reader<P, O>,
        // The source has no more chunks, and the reader has been finished.
        source_ended: bool,
    }
}

impl<S, P: ChunkParser, O: Observer> EventStream<S, P, O> {
    /// Returns the events of `chunks`, read with `reader`.
    ///
    /// The reader may have an observer, and may have read the beginning of the stream.
    pub fn new(chunks: S, reader: Reader<P, O>) -> EventStream<S, P, O> {
        EventStream { chunks, reader, source_ended: false }
    }

    /// Returns the reader, which has the parser.
    pub fn reader(&self) -> &Reader<P, O> {
        &self.reader
    }

    /// Returns whether all events of the chunks so far have been taken.
    ///
    /// Then a [checkpoint](crate::Parser::checkpoint) of the parser is one of the stream up to
    /// there.
    pub fn is_drained(&self) -> bool {
        self.reader.is_drained()
    }

    /// Returns the source of the chunks.
    pub fn get_ref(&self) -> &S {
        &self.chunks
    }

    /// Returns the source and the reader, to continue in another way.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// use followup::Parser;
    /// use followup::owned::{Event, Reader};
    /// use followup::stream::EventStream;
    /// use futures::StreamExt;
    ///
    /// let chunks = futures::stream::iter(["Tea", " or coffee"].map(String::from));
    /// let mut events = EventStream::new(chunks, Reader::new(Parser::default()));
    /// assert_eq!(events.next().await, Some(Ok(Event::Text("Tea".into()))));
    /// assert!(events.is_drained(), "the other chunk is still in the source");
    /// let (chunks, mut reader) = events.into_parts();
    /// for chunk in chunks.collect::<Vec<_>>().await {
    ///     assert_eq!(reader.feed(chunk.into()).next(), Some(Event::Text(" or coffee".into())));
    /// }
    /// # });
    /// ```
    pub fn into_parts(self) -> (S, Reader<P, O>) {
        (self.chunks, self.reader)
    }
}

impl<S, P, O> Stream for EventStream<S, P, O>
where
    S: Stream,
    S::Item: IntoChunk,
    P: ChunkParser,
    P::Item: StreamItem<<S::Item as IntoChunk>::Error>,
    O: Observer,
{
    type Item = <P::Item as StreamItem<<S::Item as IntoChunk>::Error>>::Output;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        loop {
            if let Some(item) = this.reader.next_item() {
                return Poll::Ready(Some(item.parsed()));
            }
            if *this.source_ended {
                return Poll::Ready(None);
            }
            match ready!(this.chunks.as_mut().poll_next(cx)).map(IntoChunk::into_chunk) {
                Some(Ok(chunk)) => this.reader.begin_chunk(chunk),
                Some(Err(error)) => return Poll::Ready(Some(P::Item::source_error(error))),
                None => {
                    *this.source_ended = true;
                    this.reader.begin_finish();
                }
            }
        }
    }
}

impl<S, P, O> FusedStream for EventStream<S, P, O>
where
    S: Stream,
    S::Item: IntoChunk,
    P: ChunkParser,
    P::Item: StreamItem<<S::Item as IntoChunk>::Error>,
    O: Observer,
{
    fn is_terminated(&self) -> bool {
        self.source_ended && self.reader.is_drained()
    }
}

impl<S: Debug, P: ChunkParser + Debug, O: Debug> Debug for EventStream<S, P, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let EventStream { chunks, reader, source_ended } = self;
        f.debug_struct("EventStream")
            .field("chunks", chunks)
            .field("reader", reader)
            .field("source_ended", source_ended)
            .finish()
    }
}
