//! A decoder of events for `FramedRead` of tokio-util.

use std::io;

use bytes::BytesMut;
use tokio_util::codec::Decoder;

use crate::observe::Observer;
use crate::owned::{ChunkParser, Reader};

/// A [`Decoder`] of events, for `FramedRead` over any `AsyncRead`.
///
/// Its items are those of the parser: events, or of a
/// [`ResponseParser`](crate::wire::ResponseParser) results, because an error in a provider's stream
/// does not end it. It decodes all bytes that are there, and keeps none in the buffer. `FramedRead`
/// reads more when all events of those bytes have been taken.
///
/// # Errors
///
/// Only errors of the `AsyncRead`. `FramedRead` ends after one, but the decoder loses nothing: it
/// can continue in another `FramedRead`, or as [the reader](EventDecoder::into_reader) that is in
/// it.
///
/// ```
/// use followup::Parser;
/// use followup::codec::EventDecoder;
/// use followup::owned::Event;
/// use futures::StreamExt;
/// use tokio_util::codec::FramedRead;
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let message = "Hm. <ask_followup_question><question>Tea?</question></ask_followup_question>";
/// let mut events = FramedRead::new(message.as_bytes(), EventDecoder::new(Parser::default()));
/// let mut asked = Vec::new();
/// while let Some(event) = events.next().await {
///     if let Event::Complete(call) = event? {
///         asked.push(call.question);
///     }
/// }
/// assert_eq!(asked, ["Tea?"]);
/// # std::io::Result::Ok(()) }).unwrap();
/// ```
#[derive(Debug)]
pub struct EventDecoder<P: ChunkParser, O: Observer = ()> {
    reader: Reader<P, O>,
    /// The reader was finished, and no byte has arrived since.
    finished: bool,
}

impl<P: ChunkParser> EventDecoder<P> {
    /// Returns a decoder that parses with `parser`.
    pub fn new(parser: P) -> EventDecoder<P> {
        EventDecoder::from(Reader::new(parser))
    }
}

impl<P: ChunkParser, O: Observer> EventDecoder<P, O> {
    /// Returns the reader, which has the parser.
    pub fn reader(&self) -> &Reader<P, O> {
        &self.reader
    }

    /// Returns the reader, which has the parser.
    pub fn into_reader(self) -> Reader<P, O> {
        self.reader
    }
}

impl<P: ChunkParser, O: Observer> From<Reader<P, O>> for EventDecoder<P, O> {
    fn from(reader: Reader<P, O>) -> Self {
        EventDecoder { reader, finished: false }
    }
}

impl<P: ChunkParser, O: Observer> Decoder for EventDecoder<P, O> {
    type Item = P::Item;
    type Error = io::Error;

    fn decode(&mut self, buffer: &mut BytesMut) -> io::Result<Option<P::Item>> {
        loop {
            if let Some(item) = self.reader.next_item() {
                return Ok(Some(item));
            }
            if buffer.is_empty() {
                return Ok(None);
            }
            self.finished = false;
            self.reader.begin_chunk(buffer.split().freeze());
        }
    }

    fn decode_eof(&mut self, buffer: &mut BytesMut) -> io::Result<Option<P::Item>> {
        if let Some(item) = self.decode(buffer)? {
            return Ok(Some(item));
        }
        // `FramedRead` asks until there is nothing more: the end must not be read twice.
        if core::mem::replace(&mut self.finished, true) {
            return Ok(None);
        }
        self.reader.begin_finish();
        Ok(self.reader.next_item())
    }
}
