//! OpenAI Responses.
//!
//! <https://platform.openai.com/docs/api-reference/responses-streaming>. A call is an item of the
//! output, with an `item_id` beside the `call_id` that its result is sent under. It is final when
//! its arguments are done, or when the item is.

use serde::Deserialize;

use super::error::push_error;
use super::payload::{Raw, is_text, number, string, text, text_or_json};
use crate::wire::deltas::{ArgumentsDelta, CallDelta, Delta, Deltas};

#[derive(Deserialize)]
struct ResponsesEvent<'a> {
    #[serde(rename = "type", borrow)]
    kind: Raw<'a>,
    #[serde(borrow)]
    delta: Raw<'a>,
    #[serde(borrow)]
    output_index: Raw<'a>,
    #[serde(borrow)]
    item_id: Raw<'a>,
    #[serde(borrow)]
    item: Option<ResponsesItem<'a>>,
    #[serde(borrow)]
    name: Raw<'a>,
    #[serde(borrow)]
    arguments: Raw<'a>,
    #[serde(borrow)]
    input: Raw<'a>,
    #[serde(borrow)]
    message: Raw<'a>,
    #[serde(borrow)]
    error: Raw<'a>,
    #[serde(borrow)]
    response: Option<FailedResponse<'a>>,
}

#[derive(Deserialize)]
struct ResponsesItem<'a> {
    #[serde(rename = "type", borrow)]
    kind: Raw<'a>,
    #[serde(borrow)]
    id: Raw<'a>,
    #[serde(borrow)]
    call_id: Raw<'a>,
    #[serde(borrow)]
    name: Raw<'a>,
    #[serde(borrow)]
    arguments: Raw<'a>,
    #[serde(borrow)]
    input: Raw<'a>,
}

#[derive(Deserialize)]
struct FailedResponse<'a> {
    #[serde(borrow)]
    error: Raw<'a>,
}

pub(super) fn parse(payload: &str, deltas: &mut Deltas) -> serde_json::Result<()> {
    let event: ResponsesEvent<'_> = serde_json::from_str(payload)?;
    match &*text(event.kind) {
        b"response.output_text.delta" | b"response.refusal.delta" => deltas.push_text(&text(event.delta)),
        b"response.output_item.added" => push_item(&event, false, deltas),
        b"response.output_item.done" => push_item(&event, true, deltas),
        b"response.function_call_arguments.delta"
        | b"response.mcp_call_arguments.delta"
        | b"response.custom_tool_call_input.delta" => {
            let more = deltas.store(&text(event.delta));
            push_arguments(&event, ArgumentsDelta::More(more), false, deltas);
        }
        b"response.function_call_arguments.done" | b"response.mcp_call_arguments.done" => {
            let all = deltas.store(&text_or_json(event.arguments));
            // If it has none, they come with the item, when that is done.
            push_arguments(&event, ArgumentsDelta::All(all), !all.is_empty(), deltas);
        }
        b"response.custom_tool_call_input.done" => {
            let all = deltas.store(&text(event.input));
            push_arguments(&event, ArgumentsDelta::All(all), true, deltas);
        }
        // The documented error is flat, but it has been seen nested.
        b"error" if event.error.is_some() => push_error(event.error, deltas),
        b"error" => push_error(event.message, deltas),
        b"response.failed" => push_error(event.response.and_then(|response| response.error), deltas),
        b"" => push_error(event.error, deltas),
        _ => {}
    }
    Ok(())
}

/// Appends an item of the output that was added, or is done.
fn push_item(event: &ResponsesEvent<'_>, is_done: bool, deltas: &mut Deltas) {
    let Some(item) = &event.item else { return };
    if !["function_call", "custom_tool_call", "mcp_call"].iter().any(|kind| is_text(item.kind, kind)) {
        return;
    }
    let id = string(item.call_id).filter(|id| !id.is_empty()).unwrap_or_else(|| text(item.id));
    let call = CallDelta {
        starts: !is_done,
        index: number(event.output_index),
        loose_index: false,
        item_id: deltas.store(&text(item.id)),
        id: deltas.store(&id),
        name: deltas.store(&text(item.name)),
        // The arguments of an added item are empty, or sent again later.
        arguments: match is_done {
            true => ArgumentsDelta::All(deltas.store(&text_or_json(item.arguments.or(item.input)))),
            false => ArgumentsDelta::None,
        },
        is_final: is_done,
    };
    deltas.push(Delta::Call(call));
}

fn push_arguments(event: &ResponsesEvent<'_>, arguments: ArgumentsDelta, is_final: bool, deltas: &mut Deltas) {
    let call = CallDelta {
        index: number(event.output_index),
        item_id: deltas.store(&text(event.item_id)),
        name: deltas.store(&text(event.name)),
        arguments,
        is_final,
        ..CallDelta::default()
    };
    deltas.push(Delta::Call(call));
}
