//! `json-stream-parser`: consumes characters and returns the value so far.

use json_stream_parser::JsonStreamParser as Parser;

use super::Reader;
use crate::call::Call;
use crate::format::Format;
use crate::sink::Sink;

#[derive(Debug)]
pub(super) struct JsonStreamParser;

impl Reader for JsonStreamParser {
    fn name(&self) -> &'static str {
        "json-stream-parser"
    }

    fn format(&self) -> Format {
        Format::Arguments
    }

    fn read<S: Sink>(&mut self, chunks: &[&str], sink: &mut S) {
        // A parser reads one value.
        let mut parser = Parser::new();
        for chunk in chunks {
            for char in chunk.chars() {
                if let Err(error) = parser.add_char(char) {
                    return sink.failed(error);
                }
            }
            sink.question(parser.get_result()["question"].as_str().unwrap_or_default());
        }
        sink.complete(|| Call::from_arguments(parser.get_result()));
    }
}
