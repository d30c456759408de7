//! Amazon Bedrock, `ConverseStream`: its events as JSON objects.
//!
//! Each object has one key, the name of the event:
//! <https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStreamOutput.html>.
//! A call is a content block, and final at its `contentBlockStop`. Reasoning is not prose.

use serde::Deserialize;

use super::error::push_error;
use super::payload::{Raw, number, text, text_or_json};
use crate::wire::deltas::{ArgumentsDelta, CallDelta, Delta, Deltas};

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
    #[serde(borrow)]
    internal_server_exception: Raw<'a>,
    #[serde(borrow)]
    model_stream_error_exception: Raw<'a>,
    #[serde(borrow)]
    service_unavailable_exception: Raw<'a>,
    #[serde(borrow)]
    throttling_exception: Raw<'a>,
    #[serde(borrow)]
    validation_exception: Raw<'a>,
    #[serde(borrow)]
    error: Raw<'a>,
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
    #[serde(borrow)]
    tool_use: Option<BedrockToolUse<'a>>,
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

pub(super) fn parse(payload: &str, deltas: &mut Deltas) -> serde_json::Result<()> {
    let event: BedrockEvent<'_> = serde_json::from_str(payload)?;
    if let Some(BedrockBlock {
        start: Some(BedrockContent { tool_use: Some(tool), .. }), content_block_index, ..
    }) = event.content_block_start
    {
        let (id, name) = (deltas.store(&text(tool.tool_use_id)), deltas.store(&text(tool.name)));
        let index = number(content_block_index);
        deltas.push(Delta::Call(CallDelta { starts: true, index, id, name, ..CallDelta::default() }));
    }
    if let Some(BedrockBlock { delta: Some(content), content_block_index, .. }) = event.content_block_delta {
        deltas.push_text(&text(content.text));
        if let Some(tool) = content.tool_use {
            let index = number(content_block_index);
            let arguments = ArgumentsDelta::More(deltas.store(&text_or_json(tool.input)));
            deltas.push(Delta::Call(CallDelta { index, arguments, ..CallDelta::default() }));
        }
    }
    if let Some(stop) = event.content_block_stop {
        let index = number(stop.content_block_index);
        deltas.push(Delta::Call(CallDelta { index, is_final: true, ..CallDelta::default() }));
    }
    if event.message_stop.is_some() {
        deltas.push(Delta::AllFinal { truncated: false });
    }
    let errors = [
        event.internal_server_exception,
        event.model_stream_error_exception,
        event.service_unavailable_exception,
        event.throttling_exception,
        event.validation_exception,
        event.error,
    ];
    errors.into_iter().for_each(|error| push_error(error, deltas));
    Ok(())
}
