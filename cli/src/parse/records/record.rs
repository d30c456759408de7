//! One record: a line with a JSON object that holds a message or a body, and the events in it.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;

use followup::Policy;
use followup::wire::Format;
use followup_testing::Chunking;
use serde_json::value::RawValue;

use super::field_parser::FieldParser;
use super::fields::{self, Encoding};
use super::joiner::EventJoiner;
use crate::args::parse::ParseArgs;
use crate::error::Error;
use crate::input_format::InputFormat;
use crate::sanitize::escape_json;

/// What of a record could not be read, and why.
#[derive(Debug)]
pub(super) enum Unread {
    /// All of it: it has no line in the output.
    Whole(String),
    /// A part of its body: the errors are among its events.
    Part(String),
}

/// A reader of records.
#[derive(Debug)]
pub(super) struct RecordReader {
    parser: FieldParser,
    /// The name of the field that holds the message or the body.
    field: String,
    encoding: Encoding,
    /// Whether the format is detected for each record, and written with it.
    is_auto: bool,
    chunking: Chunking,
    limit: usize,
}

impl RecordReader {
    /// Fails if `--arguments-of` names no question tool.
    pub(super) fn new(policy: Arc<Policy>, args: &ParseArgs) -> Result<RecordReader, Error> {
        Ok(RecordReader {
            parser: FieldParser::new(args, policy)?,
            field: args.field.clone(),
            encoding: match args.input.wire {
                _ if args.base64 => Encoding::Base64,
                InputFormat::Known(Format::Text) if args.arguments_of.is_none() => Encoding::Text,
                _ => Encoding::TextOrJson,
            },
            is_auto: args.input.wire == InputFormat::Auto,
            chunking: args.input.chunk.unwrap_or_default(),
            limit: args.limit_line,
        })
    }

    /// Reads a line, and appends one line to `out`.
    pub(super) fn read(&mut self, line: &[u8], number: u64, out: &mut Vec<u8>) -> Result<(), Unread> {
        if line.len() > self.limit {
            return Err(Unread::Whole(too_long(self.limit)));
        }
        // Most lines are valid UTF-8, which `from_utf8` checks fastest.
        let line = str::from_utf8(line).map_or_else(|_| String::from_utf8_lossy(line), Cow::Borrowed);
        let record = fields::fields(&line, &self.field).map_err(Unread::Whole)?;
        let body = fields::body(record.body, &self.field, self.encoding).map_err(Unread::Whole)?;
        match self.write(record.id, &body, number, out) {
            Ok(None) => Ok(()),
            Ok(Some(reason)) => Err(Unread::Part(reason)),
            Err(error) => Err(Unread::Whole(error.to_string())),
        }
    }

    /// Writes the events of a body. Returns why a part of it could not be read, if so.
    fn write(
        &mut self,
        id: Option<&RawValue>,
        body: &[u8],
        number: u64,
        out: &mut Vec<u8>,
    ) -> io::Result<Option<String>> {
        out.extend_from_slice(b"{\"id\":");
        // The id is copied verbatim, so that a number of any size and precision is preserved.
        escape_json(out, id.map_or("null", RawValue::get))?;
        out.extend_from_slice(b",\"events\":[");
        let mut joined = EventJoiner::new(out);
        for chunk in self.chunking.for_stream(number).chunks(body) {
            self.parser.feed(chunk, &mut joined)?;
        }
        let format = self.parser.finish(&mut joined)?;
        let unread = joined.finish()?;
        out.push(b']');
        if self.is_auto {
            out.extend_from_slice(b",\"format\":");
            // An empty body has no format.
            serde_json::to_writer(&mut *out, &format.filter(|_| !body.is_empty()).map(Format::name))?;
        }
        out.extend_from_slice(b"}\n");
        Ok(unread)
    }
}

/// The reason why a line longer than the limit can't be read.
pub(super) fn too_long(limit: usize) -> String {
    format!("longer than the limit of {limit} bytes; it was skipped, and --limit-line raises the limit")
}
