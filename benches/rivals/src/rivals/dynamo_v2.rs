//! `dynamo-parsers-v2`: the successor of `dynamo-parsers`, which reads token by token.
//!
//! Its output for a call is its arguments as pieces of JSON.

use dynamo_parsers_v2::{Tool, ToolParseResult, create_tool_parser_for_family};

use super::Reader;
use super::calls::OpenCall;
use crate::format::{Format, TOOL, parameters};
use crate::sink::Sink;

pub(super) struct DynamoV2 {
    format: Format,
    tools: [Tool; 1],
    open: OpenCall,
}

impl DynamoV2 {
    pub(super) fn new(format: Format) -> DynamoV2 {
        let tools = [Tool { name: TOOL.to_owned(), description: None, parameters: parameters(), strict: None }];
        DynamoV2 { format, tools, open: OpenCall::default() }
    }

    fn family(&self) -> &'static str {
        match self.format {
            Format::Dsml => "deepseek_v4",
            Format::Glm => "glm47",
            _ => "qwen3_coder",
        }
    }

    fn forward<S: Sink>(&mut self, result: ToolParseResult, sink: &mut S) {
        if !result.normal_text.is_empty() {
            sink.prose(&result.normal_text);
        }
        for call in result.calls {
            if call.name.is_some() {
                self.open.begin(sink);
            }
            self.open.append(&call.arguments, sink);
            if call.complete {
                self.open.close(sink);
            }
        }
    }
}

impl Reader for DynamoV2 {
    fn name(&self) -> &'static str {
        "dynamo-parsers-v2"
    }

    fn format(&self) -> Format {
        self.format
    }

    fn read<S: Sink>(&mut self, chunks: &[&str], sink: &mut S) {
        // A parser reads one message.
        let mut parser = match create_tool_parser_for_family(self.family(), &self.tools) {
            Ok(parser) => parser,
            Err(error) => return sink.failed(error),
        };
        for chunk in chunks {
            match parser.push(chunk) {
                Ok(result) => self.forward(result, sink),
                Err(error) => return sink.failed(error),
            }
        }
        match parser.finish() {
            Ok(result) => self.forward(result, sink),
            Err(error) => sink.failed(error),
        }
        self.open.close(sink);
    }
}
