//! A decoder, for what reads bytes by itself.

use std::io;

use bytes::BytesMut;
use tokio_util::codec;

use crate::observe::Observe;
use crate::owned::{Read, Reader};

/// A [`tokio_util::codec::Decoder`], so that `FramedRead` gives the events of any reader: a socket, a file, a child's output.
///
/// Its items are those of the parser: events, or of a [`ResponseParser`](crate::wire::ResponseParser) results, since what goes wrong in a provider's stream does not end it. Its errors are those of
/// the reader alone; `FramedRead` ends behind one, but what the decoder has read is still there ([`Decoder::reader`]), and another `FramedRead` may go on with it.
///
/// Whatever bytes are there are decoded at once; none are kept in the buffer. `FramedRead` reads more when all events of those have been taken.
///
/// ```
/// use followup::Parser;
/// use followup::codec::Decoder;
/// use followup::owned::Event;
/// use futures::StreamExt;
/// use tokio_util::codec::FramedRead;
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let message = "Hm. <ask_followup_question><question>Tea?</question></ask_followup_question>";
/// let mut events = FramedRead::new(message.as_bytes(), Decoder::new(Parser::default()));
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
pub struct Decoder<P: Read, O: Observe = ()> {
    reader: Reader<P, O>,
    /// The end of the stream has been read.
    ended: bool,
}

impl<P: Read> Decoder<P> {
    /// Decodes with this parser.
    pub fn new(parser: P) -> Decoder<P> {
        Decoder::from(Reader::new(parser))
    }
}

impl<P: Read, O: Observe> Decoder<P, O> {
    /// The reader, with the parser.
    pub fn reader(&self) -> &Reader<P, O> {
        &self.reader
    }

    /// The reader, with the parser.
    pub fn into_reader(self) -> Reader<P, O> {
        self.reader
    }
}

impl<P: Read, O: Observe> From<Reader<P, O>> for Decoder<P, O> {
    fn from(reader: Reader<P, O>) -> Self {
        Decoder { reader, ended: false }
    }
}

impl<P: Read, O: Observe> codec::Decoder for Decoder<P, O> {
    type Item = P::Item;
    type Error = io::Error;

    fn decode(&mut self, buffer: &mut BytesMut) -> io::Result<Option<P::Item>> {
        loop {
            if let Some(item) = self.reader.pull() {
                return Ok(Some(item));
            }
            if buffer.is_empty() {
                return Ok(None);
            }
            self.ended = false;
            self.reader.begin(buffer.split().freeze());
        }
    }

    fn decode_eof(&mut self, buffer: &mut BytesMut) -> io::Result<Option<P::Item>> {
        if let Some(item) = self.decode(buffer)? {
            return Ok(Some(item));
        }
        if core::mem::replace(&mut self.ended, true) {
            return Ok(None);
        }
        self.reader.begin_finish();
        Ok(self.reader.pull())
    }
}
