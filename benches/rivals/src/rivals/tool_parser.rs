//! `tool-parser`: the tool call parsers of a serving stack, one for each family of models.
//!
//! They are asynchronous but never wait, so `pollster` runs one future for the whole message. Their
//! output for a call is its arguments as pieces of JSON.

use openai_protocol::common::{Function, Tool};
use tool_parser::parsers::QwenXmlParser;
use tool_parser::{Glm4MoeParser, HyV4Parser, QwenParser};

use super::Reader;
use super::calls::OpenCall;
use crate::format::{Format, TOOL, parameters};
use crate::sink::Sink;

pub(super) struct ToolParser {
    parser: Box<dyn tool_parser::ToolParser>,
    format: Format,
    tools: [Tool; 1],
    open: OpenCall,
}

impl ToolParser {
    pub(super) fn hermes() -> ToolParser {
        ToolParser::new(QwenParser::new(), Format::Hermes)
    }

    pub(super) fn qwen_coder() -> ToolParser {
        ToolParser::new(QwenXmlParser::new(), Format::QwenCoder)
    }

    pub(super) fn glm() -> ToolParser {
        ToolParser::new(Glm4MoeParser::glm47(), Format::Glm)
    }

    pub(super) fn hunyuan() -> ToolParser {
        ToolParser::new(HyV4Parser::new(), Format::Hunyuan)
    }

    fn new(parser: impl tool_parser::ToolParser + 'static, format: Format) -> ToolParser {
        let function = Function {
            name: TOOL.to_owned(),
            description: None,
            parameters: parameters(),
            strict: None,
            extra: serde_json::Map::new(),
        };
        let tools = [Tool { tool_type: "function".to_owned(), function }];
        ToolParser { parser: Box::new(parser), format, tools, open: OpenCall::default() }
    }
}

impl Reader for ToolParser {
    fn name(&self) -> &'static str {
        "tool-parser"
    }

    fn format(&self) -> Format {
        self.format
    }

    fn read<S: Sink>(&mut self, chunks: &[&str], sink: &mut S) {
        let ToolParser { parser, tools, open, .. } = self;
        parser.reset();
        pollster::block_on(async {
            for chunk in chunks {
                let result = match parser.parse_incremental(chunk, tools).await {
                    Ok(result) => result,
                    Err(error) => return sink.failed(error),
                };
                if !result.normal_text.is_empty() {
                    sink.prose(&result.normal_text);
                }
                for item in result.calls {
                    if item.name.is_some() {
                        open.begin(sink);
                    }
                    open.append(&item.parameters, sink);
                }
            }
        });
        for item in parser.get_unstreamed_tool_args().unwrap_or_default() {
            open.append(&item.parameters, sink);
        }
        open.close(sink);
        let rest = parser.take_unstreamed_normal_text();
        if !rest.is_empty() {
            sink.prose(&rest);
        }
    }

    fn read_whole<S: Sink>(&mut self, message: &str, sink: &mut S) {
        match pollster::block_on(self.parser.parse_complete_with_tools(message, &self.tools)) {
            Ok((prose, calls)) => {
                sink.prose(&prose);
                calls.iter().for_each(|call| self.open.complete(&call.function.arguments, sink));
            }
            Err(error) => sink.failed(error),
        }
    }
}
