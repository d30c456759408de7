//! What a user would take, each in a file of its own.

mod calls;
mod dynamo;
mod dynamo_v2;
mod floor;
mod followup;
mod jiter;
mod json_stream_parser;
mod lol_html;
mod naive;
mod quick_xml;
mod tool_parser;

use std::hint::black_box;
use std::time::{Duration, Instant};

pub(crate) use self::floor::{Memchr, PushStr};
pub(crate) use self::followup::{Arguments, Markup};
use crate::format::Format;
use crate::sink::{Checked, Sink, Taken};

/// What reads a message as it arrives.
pub(crate) trait Reader {
    fn name(&self) -> &'static str;

    fn format(&self) -> Format;

    /// Outside the clock, before each message: what its host would have made of the chunks anyway.
    fn prepare(&mut self, _chunks: &[&str]) {}

    /// Reads one message, and hands out what is new after each chunk. A message in one chunk is read as its user would read it if
    /// it were all there.
    fn read<S: Sink>(&mut self, chunks: &[&str], sink: &mut S);
}

/// The same, for any sink, as an object.
pub(crate) trait Rival {
    fn name(&self) -> &'static str;
    fn format(&self) -> Format;
    /// How long it takes to read a message.
    fn time(&mut self, chunks: &[&str]) -> Duration;
    fn check(&mut self, chunks: &[&str], checked: &mut Checked<'_>);
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
        let mut taken = Taken::default();
        let begun = Instant::now();
        self.read(black_box(chunks), &mut taken);
        let time = begun.elapsed();
        black_box(taken);
        time.max(Duration::from_nanos(1))
    }

    fn check(&mut self, chunks: &[&str], checked: &mut Checked<'_>) {
        self.prepare(chunks);
        self.read(chunks, checked);
    }
}

/// Those that read prose with calls in it.
pub(crate) fn in_messages() -> Vec<Box<dyn Rival>> {
    vec![
        Box::new(lol_html::LolHtml),
        Box::new(quick_xml::QuickXml::default()),
        Box::new(naive::Naive::default()),
        Box::new(tool_parser::ToolParser::hunyuan()),
        Box::new(tool_parser::ToolParser::qwen_coder()),
        Box::new(tool_parser::ToolParser::hermes()),
        Box::new(dynamo_v2::DynamoV2::new(Format::QwenCoder)),
        Box::new(dynamo_v2::DynamoV2::new(Format::Dsml)),
        Box::new(dynamo::Dynamo::default()),
    ]
}

/// Those that read the arguments of a native call.
pub(crate) fn in_arguments() -> Vec<Box<dyn Rival>> {
    vec![
        Box::new(jiter::Values::default()),
        Box::new(jiter::Iterated::default()),
        Box::new(json_stream_parser::JsonStreamParser),
    ]
}
