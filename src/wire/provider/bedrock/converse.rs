//! Amazon Bedrock, `ConverseStream`: its events as JSON objects.
//!
//! Each object has one key, the name of the event:
//! <https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStreamOutput.html>.
//! A call is a content block, and final at its `contentBlockStop`. Reasoning has an object of its
//! own.

use serde::Deserialize;

use super::super::ending::MessageEnd;
use super::super::error::push_error;
use super::super::payload::{
    Raw, arguments_unless_empty, entries, number, raw_text, raw_text_or_json, store_arguments, text,
};
use crate::wire::deltas::{ArgumentsDelta, CallDelta, Delta, Deltas, TextExtent};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BedrockEvent<'a> {
    #[serde(borrow)]
    content_block_start: Option<BedrockBlock<'a>>,
    #[serde(borrow)]
    content_block_delta: Option<BedrockBlock<'a>>,
    #[serde(borrow)]
    content_block_stop: Option<BedrockBlock<'a>>,
    #[serde(borrow)]
    message_stop: Raw<'a>,
    /// The output of `Converse`, which is not streamed.
    #[serde(borrow)]
    output: Option<BedrockOutput<'a>>,
    #[serde(borrow)]
    stop_reason: Raw<'a>,
    #[serde(borrow)]
    chunk: Option<BedrockChunk<'a>>,
    #[serde(borrow)]
    internal_server_exception: Raw<'a>,
    #[serde(borrow)]
    model_stream_error_exception: Raw<'a>,
    #[serde(borrow)]
    model_timeout_exception: Raw<'a>,
    #[serde(borrow)]
    service_unavailable_exception: Raw<'a>,
    #[serde(borrow)]
    throttling_exception: Raw<'a>,
    #[serde(borrow)]
    validation_exception: Raw<'a>,
    #[serde(borrow)]
    error: Raw<'a>,
}

#[derive(Deserialize)]
struct BedrockOutput<'a> {
    #[serde(borrow)]
    message: Option<BedrockMessage<'a>>,
}

#[derive(Deserialize)]
struct BedrockMessage<'a> {
    /// A list of [`BedrockContent`].
    #[serde(borrow)]
    content: Raw<'a>,
}

/// A piece of the payload of an invoked model.
#[derive(Deserialize)]
pub(super) struct BedrockChunk<'a> {
    /// The piece, as base64.
    #[serde(borrow)]
    #[cfg_attr(not(feature = "eventstream"), allow(dead_code))]
    pub(super) bytes: Raw<'a>,
}

/// The end of the message.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BedrockStop<'a> {
    #[serde(borrow)]
    stop_reason: Raw<'a>,
}

/// The start, a delta or the stop of a content block.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BedrockBlock<'a> {
    #[serde(borrow)]
    start: Option<BedrockContent<'a>>,
    #[serde(borrow)]
    delta: Option<BedrockContent<'a>>,
    #[serde(borrow)]
    content_block_index: Raw<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BedrockContent<'a> {
    #[serde(borrow)]
    text: Raw<'a>,
    /// A [`BedrockReasoning`].
    #[serde(borrow)]
    reasoning_content: Raw<'a>,
    #[serde(borrow)]
    tool_use: Option<BedrockToolUse<'a>>,
}

/// Reasoning: a delta of its text, or all of it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BedrockReasoning<'a> {
    #[serde(borrow)]
    text: Raw<'a>,
    /// A [`BedrockReasoning`].
    #[serde(borrow)]
    reasoning_text: Raw<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BedrockToolUse<'a> {
    #[serde(borrow)]
    tool_use_id: Raw<'a>,
    #[serde(borrow)]
    name: Raw<'a>,
    #[serde(borrow)]
    input: Raw<'a>,
}

/// Parses an event, unless it is the chunk of an invoked model, which is returned.
pub(super) fn parse<'a>(payload: &'a str, deltas: &mut Deltas) -> serde_json::Result<Option<BedrockChunk<'a>>> {
    let event: BedrockEvent<'_> = serde_json::from_str(payload)?;
    if let Some(BedrockBlock {
        start: Some(BedrockContent { tool_use: Some(tool), .. }), content_block_index, ..
    }) = event.content_block_start
    {
        let (id, name) = (deltas.store(raw_text(tool.tool_use_id)), deltas.store(raw_text(tool.name)));
        let index = number(content_block_index);
        deltas.push(Delta::Call(CallDelta { starts: true, index, id, name, ..CallDelta::default() }));
    }
    if let Some(BedrockBlock { delta: Some(content), content_block_index, .. }) = event.content_block_delta {
        push_reasoning(content.reasoning_content, deltas);
        deltas.push_text(raw_text(content.text));
        if let Some(tool) = content.tool_use {
            let index = number(content_block_index);
            let arguments = store_arguments(tool.input, deltas);
            deltas.push(Delta::Call(CallDelta { index, arguments, ..CallDelta::default() }));
        }
    }
    if let Some(stop) = event.content_block_stop {
        let index = number(stop.content_block_index);
        deltas.push(Delta::Call(CallDelta { index, is_final: true, ..CallDelta::default() }));
    }
    if let Some(message) = event.output.and_then(|output| output.message) {
        let contents = entries::<BedrockContent<'_>>(message.content, deltas)?;
        let is_cut_off = ending(&text(event.stop_reason)) != MessageEnd::Complete;
        let mut left = contents.len();
        for content in contents {
            left -= 1;
            push_reasoning(content.reasoning_content, deltas);
            deltas.push_text(raw_text(content.text));
            if let Some(tool) = content.tool_use {
                let (id, name) = (deltas.store(raw_text(tool.tool_use_id)), deltas.store(raw_text(tool.name)));
                // What cuts off the message cuts off its last block.
                let arguments = match left == 0 && is_cut_off {
                    true => arguments_unless_empty(tool.input, deltas),
                    false => ArgumentsDelta::All(deltas.store(raw_text_or_json(tool.input))),
                };
                deltas.push(Delta::Call(CallDelta { starts: true, id, name, arguments, ..CallDelta::default() }));
            }
        }
        push_end(event.stop_reason, deltas);
    }
    if let Some(stop) = event.message_stop {
        let stop: Option<BedrockStop<'_>> = serde_json::from_str(stop.get()).ok();
        push_end(stop.and_then(|stop| stop.stop_reason), deltas);
    }
    let errors = [
        event.internal_server_exception,
        event.model_stream_error_exception,
        event.model_timeout_exception,
        event.service_unavailable_exception,
        event.throttling_exception,
        event.validation_exception,
        event.error,
    ];
    errors.into_iter().for_each(|error| push_error(error, deltas));
    Ok(event.chunk)
}

/// Appends the end of a message that stops for that reason.
fn push_end(stop_reason: Raw<'_>, deltas: &mut Deltas) {
    let reason = text(stop_reason);
    ending(&reason).push(&reason, deltas);
}

/// Returns how a message ends with that reason.
fn ending(reason: &[u8]) -> MessageEnd {
    match reason {
        b"max_tokens" | b"model_context_window_exceeded" => MessageEnd::Truncated,
        b"guardrail_intervened" | b"content_filtered" => MessageEnd::Failed,
        b"malformed_model_output" | b"malformed_tool_use" => MessageEnd::Failed,
        _ => MessageEnd::Complete,
    }
}

/// Appends reasoning. What has another shape means nothing.
fn push_reasoning(reasoning: Raw<'_>, deltas: &mut Deltas) {
    fn parse(raw: Raw<'_>) -> Option<BedrockReasoning<'_>> {
        serde_json::from_str(raw?.get()).ok()
    }
    if let Some(BedrockReasoning { text, reasoning_text }) = parse(reasoning.filter(|_| deltas.reads_reasoning)) {
        let whole = parse(reasoning_text).and_then(|whole| whole.text);
        deltas.push_reasoning(None, raw_text(text.or(whole)), TextExtent::More);
    }
}
