//! `dynamo-parsers`: its jail buffers text that may be a call, and emits complete calls.
//!
//! It is a stream over the chunks of a completion. They are made before the measurement, because a
//! server receives them in that form.

use std::mem;

use dynamo_parsers::tool_calling::jail::{Annotated, JailedStream};
use dynamo_parsers::tool_calling::{ToolDefinition, detect_and_parse_tool_call};
use dynamo_protocols::types::{
    ChatChoiceStream, ChatCompletionMessageContent, ChatCompletionStreamResponseDelta,
    CreateChatCompletionStreamResponse, FinishReason, Role,
};
use futures::StreamExt;

use super::Reader;
use super::calls::OpenCall;
use crate::format::{Format, TOOL, parameters};
use crate::sink::Sink;

type Chunk = Annotated<CreateChatCompletionStreamResponse>;

pub(super) struct Dynamo {
    format: Format,
    stream: Vec<Chunk>,
    open: OpenCall,
}

impl Dynamo {
    pub(super) fn new(format: Format) -> Dynamo {
        Dynamo { format, stream: Vec::new(), open: OpenCall::default() }
    }

    /// Returns the name of the parser for the format.
    fn family(&self) -> &'static str {
        match self.format {
            Format::QwenCoder => "qwen3_coder",
            Format::Glm => "glm47",
            _ => "hermes",
        }
    }
}

fn tools() -> Vec<ToolDefinition> {
    vec![ToolDefinition { name: TOOL.to_owned(), parameters: Some(parameters()), strict: None }]
}

impl Reader for Dynamo {
    fn name(&self) -> &'static str {
        "dynamo-parsers"
    }

    fn format(&self) -> Format {
        self.format
    }

    fn prepare(&mut self, chunks: &[&str]) {
        self.stream = chunks.iter().map(|chunk| completion(Some(chunk))).collect();
        self.stream.push(completion(None));
    }

    fn read<S: Sink>(&mut self, _: &[&str], sink: &mut S) {
        let jail = JailedStream::builder().tool_call_parser(self.family()).tool_definitions(tools()).build();
        let stream = futures::stream::iter(mem::take(&mut self.stream));
        pollster::block_on(async {
            let mut out = Box::pin(jail.apply(stream));
            while let Some(chunk) = out.next().await {
                for choice in chunk.data.into_iter().flat_map(|completion| completion.choices) {
                    if let Some(ChatCompletionMessageContent::Text(text)) = &choice.delta.content
                        && !text.is_empty()
                    {
                        sink.prose(text);
                    }
                    for call in choice.delta.tool_calls.into_iter().flatten() {
                        let arguments = call.function.and_then(|function| function.arguments).unwrap_or_default();
                        self.open.complete(&arguments, sink);
                    }
                }
            }
        });
    }

    fn read_whole<S: Sink>(&mut self, message: &str, sink: &mut S) {
        match pollster::block_on(detect_and_parse_tool_call(message, Some(self.family()), Some(&tools()))) {
            Ok((calls, prose)) => {
                sink.prose(&prose.unwrap_or_default());
                calls.iter().for_each(|call| self.open.complete(&call.function.arguments, sink));
            }
            Err(error) => sink.failed(error),
        }
    }
}

/// Returns a chunk of a completion with the text, or the last chunk for `None`.
fn completion(text: Option<&str>) -> Chunk {
    let delta = ChatCompletionStreamResponseDelta {
        role: Some(Role::Assistant),
        content: text.map(|text| ChatCompletionMessageContent::Text(text.to_owned())),
        tool_calls: None,
        function_call: None,
        refusal: None,
        reasoning_content: None,
    };
    let finish_reason = text.is_none().then_some(FinishReason::Stop);
    let choice = ChatChoiceStream { index: 0, delta, finish_reason, logprobs: None };
    let completion = CreateChatCompletionStreamResponse {
        id: "1".to_owned(),
        choices: vec![choice],
        created: 0,
        model: "m".to_owned(),
        system_fingerprint: None,
        object: "chat.completion.chunk".to_owned(),
        usage: None,
        service_tier: None,
    };
    Annotated { data: Some(completion), id: None, event: None, comment: None, error: None }
}
