//! `json-stream-parser`: consumes characters and returns the value so far.

use json_stream_parser::JsonStreamParser as Parser;

use super::Reader;
use crate::call::Call;
use crate::format::Format;
use crate::sink::Sink;

/// Reads arguments or a form.
#[derive(Debug)]
pub(super) struct JsonStreamParser(pub(super) Format);

impl Reader for JsonStreamParser {
    fn name(&self) -> &'static str {
        "json-stream-parser"
    }

    fn format(&self) -> Format {
        self.0
    }

    fn read<S: Sink>(&mut self, chunks: &[&str], sink: &mut S) {
        let is_form = self.0 == Format::Form;
        // A parser reads one value.
        let mut parser = Parser::new();
        for chunk in chunks {
            for char in chunk.chars() {
                if let Err(error) = parser.add_char(char) {
                    return sink.failed(error);
                }
            }
            let arguments = parser.get_result();
            let question = if is_form { &arguments["questions"][0] } else { arguments };
            sink.question(question["question"].as_str().unwrap_or_default());
        }
        let call = if is_form { Call::from_form } else { Call::from_arguments };
        sink.complete(|| call(parser.get_result()));
    }
}
