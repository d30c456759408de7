//! The readers that are measured, each in a file of its own.

mod baseline;
mod calls;
mod dynamo;
mod dynamo_v2;
mod followup;
mod jiter;
mod json_stream_parser;
mod lol_html;
mod naive;
mod quick_xml;
mod tool_parser;

use std::hint::black_box;
use std::time::{Duration, Instant};

pub(crate) use self::baseline::{Memchr, PushStr};
pub(crate) use self::followup::Followup;
use crate::format::Format;
use crate::sink::{Checked, Discard, Outcome, Sink};

/// Reads a message as it arrives.
pub(crate) trait Reader {
    fn name(&self) -> &'static str;

    fn format(&self) -> Format;

    /// Converts the chunks to what the reader's host would have anyway. Not timed.
    fn prepare(&mut self, _chunks: &[&str]) {}

    /// Reads one message and passes on what is new after each chunk.
    fn read<S: Sink>(&mut self, chunks: &[&str], sink: &mut S);

    /// Reads one message that is complete.
    fn read_whole<S: Sink>(&mut self, message: &str, sink: &mut S) {
        self.read(&[message], sink);
    }
}

/// A [`Reader`] as a trait object.
pub(crate) trait Rival {
    fn name(&self) -> &'static str;
    fn format(&self) -> Format;
    /// Returns the time that it takes to read a message.
    fn time(&mut self, chunks: &[&str]) -> Duration;
    fn check(&mut self, chunks: &[&str], checked: &mut Checked<'_>);
    /// Returns what it finds in a message of which each chunk is fed, even if there is only one.
    fn outcome(&mut self, chunks: &[&str]) -> Outcome;
}

/// Reads a message in the way for its number of chunks.
fn read<R: Reader, S: Sink>(reader: &mut R, chunks: &[&str], sink: &mut S) {
    match chunks {
        [message] => reader.read_whole(message, sink),
        _ => reader.read(chunks, sink),
    }
}

impl<R: Reader> Rival for R {
    fn name(&self) -> &'static str {
        Reader::name(self)
    }

    fn format(&self) -> Format {
        Reader::format(self)
    }

    fn time(&mut self, chunks: &[&str]) -> Duration {
        self.prepare(chunks);
        let mut sink = Discard::default();
        let start = Instant::now();
        read(self, black_box(chunks), &mut sink);
        let time = start.elapsed();
        black_box(sink);
        time.max(Duration::from_nanos(1))
    }

    fn check(&mut self, chunks: &[&str], checked: &mut Checked<'_>) {
        self.prepare(chunks);
        read(self, chunks, checked);
    }

    fn outcome(&mut self, chunks: &[&str]) -> Outcome {
        self.prepare(chunks);
        let mut outcome = Outcome::default();
        self.read(chunks, &mut outcome);
        outcome
    }
}

/// Returns the rivals that read prose with calls in it.
pub(crate) fn for_markup() -> Vec<Box<dyn Rival>> {
    vec![
        Box::new(lol_html::LolHtml),
        Box::new(quick_xml::QuickXml::default()),
        Box::new(naive::Naive::default()),
        Box::new(tool_parser::ToolParser::hunyuan()),
        Box::new(tool_parser::ToolParser::qwen_coder()),
        Box::new(tool_parser::ToolParser::hermes()),
        Box::new(dynamo_v2::DynamoV2::new(Format::QwenCoder)),
        Box::new(dynamo_v2::DynamoV2::new(Format::Dsml)),
        Box::new(dynamo::Dynamo::new(Format::Hermes)),
    ]
}

/// Returns the rivals that read calls in one of the envelopes that `followup` reads, too.
pub(crate) fn for_envelope(format: Format) -> Vec<Box<dyn Rival>> {
    let jail = Box::new(dynamo::Dynamo::new(format));
    match format {
        Format::QwenCoder => {
            vec![Box::new(tool_parser::ToolParser::qwen_coder()), Box::new(dynamo_v2::DynamoV2::new(format)), jail]
        }
        Format::Glm => vec![Box::new(tool_parser::ToolParser::glm()), Box::new(dynamo_v2::DynamoV2::new(format)), jail],
        _ => vec![Box::new(tool_parser::ToolParser::hermes()), jail],
    }
}

/// Returns the rivals that read the arguments of a native call.
pub(crate) fn for_arguments() -> Vec<Box<dyn Rival>> {
    vec![
        Box::new(jiter::Values::new(Format::Arguments)),
        Box::new(jiter::WithIterator::default()),
        Box::new(json_stream_parser::JsonStreamParser(Format::Arguments)),
    ]
}

/// Returns the rivals that read the arguments of a form.
pub(crate) fn for_forms() -> Vec<Box<dyn Rival>> {
    vec![Box::new(jiter::Values::new(Format::Form)), Box::new(json_stream_parser::JsonStreamParser(Format::Form))]
}
