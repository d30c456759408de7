//! From a stream of chunks to a stream of events.
//!
//! [`events`] reads any [`Stream`] of bytes, or of results of them: the body of a response of reqwest, hyper or axum, a channel, a file. With a
//! [`Parser`](crate::Parser) it is text, with a [`ResponseParser`](crate::wire::ResponseParser) what a provider streams.
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
//! assert_eq!(all[1], Err("a read timed out"), "and the stream goes on as if it had not been");
//! assert!(matches!(&all[3], Ok(Event::Complete(call)) if call.question == "Which one?"));
//! ```
//!
//! It makes an event when it is polled for one, and polls the inner stream only when all events of the last chunk have been taken: whoever is slow
//! slows the source down, and nothing is held but one chunk and what the [`Limits`](crate::Limits) allow. Whoever stops waiting for the next event, as
//! in a `select!` or with a time-out, loses nothing.

use core::convert::Infallible;
use core::fmt::{self, Debug};
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use alloc::string::String;
use alloc::vec::Vec;

use bytes::Bytes;
use futures_core::stream::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::observe::Observe;
use crate::owned::{Event, Read, Reader};

/// The events of a stream of chunks, read with this parser. Behind the last chunk it is finished.
///
/// Its items are those of the parser, or an error of the inner stream: that passes through, and changes nothing about what is read. Whether it is the end is for the inner
/// stream to say.
pub fn events<S, P>(chunks: S, parser: P) -> EventStream<S, P>
where
    S: Stream,
    S::Item: Chunk,
    P: Read,
{
    EventStream::new(chunks, Reader::new(parser))
}

/// What comes in a stream of chunks: bytes, text, or a result of them.
pub trait Chunk {
    /// What can go wrong instead of a chunk.
    type Error;

    /// The chunk's bytes.
    ///
    /// # Errors
    ///
    /// If it is an error, and no chunk.
    fn into_bytes(self) -> Result<Bytes, Self::Error>;
}

impl Chunk for Bytes {
    type Error = Infallible;

    fn into_bytes(self) -> Result<Bytes, Infallible> {
        Ok(self)
    }
}

impl Chunk for Vec<u8> {
    type Error = Infallible;

    fn into_bytes(self) -> Result<Bytes, Infallible> {
        Ok(self.into())
    }
}

impl Chunk for String {
    type Error = Infallible;

    fn into_bytes(self) -> Result<Bytes, Infallible> {
        Ok(self.into())
    }
}

impl<B: Into<Bytes>, E> Chunk for Result<B, E> {
    type Error = E;

    fn into_bytes(self) -> Result<Bytes, E> {
        self.map(Into::into)
    }
}

/// What can come of a parser and a stream.
pub trait Said<E> {
    /// An item of the stream of events.
    type Item;

    /// What the parser said.
    fn said(self) -> Self::Item;

    /// What went wrong with the inner stream.
    fn failed(error: E) -> Self::Item;
}

impl<E> Said<E> for Event {
    type Item = Result<Event, E>;

    fn said(self) -> Self::Item {
        Ok(self)
    }

    fn failed(error: E) -> Self::Item {
        Err(error)
    }
}

#[cfg(feature = "wire")]
impl<E> Said<E> for Result<Event, crate::owned::Error> {
    type Item = Result<Event, Error<E>>;

    fn said(self) -> Self::Item {
        self.map_err(Error::Wire)
    }

    fn failed(error: E) -> Self::Item {
        Err(Error::Stream(error))
    }
}

/// What went wrong where a provider's stream is read. The stream of events goes on behind it.
#[cfg(feature = "wire")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error<E> {
    /// The inner stream gave it instead of a chunk.
    Stream(E),
    /// The provider reports it, or sent what can't be read.
    Wire(crate::owned::Error),
}

#[cfg(feature = "wire")]
impl<E: fmt::Display> fmt::Display for Error<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Stream(error) => fmt::Display::fmt(error, f),
            Error::Wire(error) => fmt::Display::fmt(error, f),
        }
    }
}

// What it shows is the inner error itself, so its source is that error's.
#[cfg(feature = "wire")]
impl<E: core::error::Error> core::error::Error for Error<E> {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Error::Stream(error) => error.source(),
            Error::Wire(error) => error.source(),
        }
    }
}

pin_project! {
    /// The events of a stream of chunks: see [`events`].
    #[must_use = "streams do nothing unless polled"]
    pub struct EventStream<S, P: Read, O = ()> {
        #[pin]
        chunks: S,
        reader: Reader<P, O>,
        stage: Stage,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Open,
    /// There are no more chunks.
    Ending,
    Ended,
}

impl<S, P: Read, O: Observe> EventStream<S, P, O> {
    /// Reads the chunks with this reader, which may have an observer, and may have read before.
    pub fn new(chunks: S, reader: Reader<P, O>) -> EventStream<S, P, O> {
        EventStream { chunks, reader, stage: Stage::Open }
    }

    /// The reader, with the parser.
    pub fn reader(&self) -> &Reader<P, O> {
        &self.reader
    }

    /// Whether all events of the chunks so far have been taken, so that a [checkpoint](crate::Parser::checkpoint) of the parser is one of those chunks.
    pub fn is_settled(&self) -> bool {
        self.reader.is_settled()
    }

    /// The inner stream.
    pub fn get_ref(&self) -> &S {
        &self.chunks
    }

    /// The inner stream and the reader, to read on in another way.
    pub fn into_parts(self) -> (S, Reader<P, O>) {
        (self.chunks, self.reader)
    }
}

impl<S, P, O> Stream for EventStream<S, P, O>
where
    S: Stream,
    S::Item: Chunk,
    P: Read,
    P::Item: Said<<S::Item as Chunk>::Error>,
    O: Observe,
{
    type Item = <P::Item as Said<<S::Item as Chunk>::Error>>::Item;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        loop {
            if let Some(item) = this.reader.pull() {
                return Poll::Ready(Some(item.said()));
            }
            match this.stage {
                Stage::Open => match ready!(this.chunks.as_mut().poll_next(cx)).map(Chunk::into_bytes) {
                    Some(Ok(chunk)) => this.reader.begin(chunk),
                    Some(Err(error)) => return Poll::Ready(Some(P::Item::failed(error))),
                    None => {
                        *this.stage = Stage::Ending;
                        this.reader.begin_finish();
                    }
                },
                Stage::Ending => *this.stage = Stage::Ended,
                Stage::Ended => return Poll::Ready(None),
            }
        }
    }
}

impl<S, P, O> FusedStream for EventStream<S, P, O>
where
    S: Stream,
    S::Item: Chunk,
    P: Read,
    P::Item: Said<<S::Item as Chunk>::Error>,
    O: Observe,
{
    fn is_terminated(&self) -> bool {
        self.stage == Stage::Ended
    }
}

impl<S: Debug, P: Read + Debug, O: Debug> Debug for EventStream<S, P, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let EventStream { chunks, reader, stage } = self;
        f.debug_struct("EventStream").field("chunks", chunks).field("reader", reader).field("stage", stage).finish()
    }
}
