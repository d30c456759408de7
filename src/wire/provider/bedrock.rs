//! Amazon Bedrock, `ConverseStream`: its events as JSON, each an object with the event's name as its one key.
//!
//! <https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStreamOutput.html>. A call is a block, and final at its
//! `contentBlockStop`. Reasoning is no prose.

use serde::Deserialize;

use super::push_error;
use crate::wire::deltas::{Arguments, Call, Delta, Deltas};
use crate::wire::text::{Raw, arguments, name, number};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event<'a> {
    #[serde(borrow)]
    content_block_start: Option<Block<'a>>,
    #[serde(borrow)]
    content_block_delta: Option<Block<'a>>,
    #[serde(borrow)]
    content_block_stop: Option<Block<'a>>,
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

/// A block begins, goes on, or stops.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Block<'a> {
    #[serde(borrow)]
    start: Option<Content<'a>>,
    #[serde(borrow)]
    delta: Option<Content<'a>>,
    #[serde(borrow)]
    content_block_index: Raw<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Content<'a> {
    #[serde(borrow)]
    text: Raw<'a>,
    #[serde(borrow)]
    tool_use: Option<ToolUse<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolUse<'a> {
    #[serde(borrow)]
    tool_use_id: Raw<'a>,
    #[serde(borrow)]
    name: Raw<'a>,
    #[serde(borrow)]
    input: Raw<'a>,
}

pub(super) fn read(payload: &str, deltas: &mut Deltas) -> serde_json::Result<()> {
    let event: Event<'_> = serde_json::from_str(payload)?;
    if let Some(Block { start: Some(Content { tool_use: Some(tool), .. }), content_block_index, .. }) =
        event.content_block_start
    {
        let (id, name) = (deltas.keep(&name(tool.tool_use_id)), deltas.keep(&name(tool.name)));
        let index = number(content_block_index);
        deltas.push(Delta::Call(Call { begins: true, index, id, name, ..Call::default() }));
    }
    if let Some(Block { delta: Some(content), content_block_index, .. }) = event.content_block_delta {
        deltas.push_text(&name(content.text));
        if let Some(tool) = content.tool_use {
            let arguments = Arguments::More(deltas.keep(&arguments(tool.input)));
            deltas.push(Delta::Call(Call { index: number(content_block_index), arguments, ..Call::default() }));
        }
    }
    if let Some(stop) = event.content_block_stop {
        deltas.push(Delta::Call(Call { index: number(stop.content_block_index), ends: true, ..Call::default() }));
    }
    if event.message_stop.is_some() {
        deltas.push(Delta::Final { cut: false });
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
