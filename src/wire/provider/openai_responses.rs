//! OpenAI Responses.
//!
//! <https://platform.openai.com/docs/api-reference/responses-streaming>. A call is an item of the output, with an `item_id` of its own beside the
//! `call_id` that its result is sent under. It is final when its arguments are done, or when the item is.

use serde::Deserialize;

use super::push_error;
use crate::wire::deltas::{Arguments, Call, Delta, Deltas};
use crate::wire::text::{Raw, arguments, is, name, number, string};

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(rename = "type", borrow)]
    kind: Raw<'a>,
    #[serde(borrow)]
    delta: Raw<'a>,
    #[serde(borrow)]
    output_index: Raw<'a>,
    #[serde(borrow)]
    item_id: Raw<'a>,
    #[serde(borrow)]
    item: Option<Item<'a>>,
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
    response: Option<Response<'a>>,
}

#[derive(Deserialize)]
struct Item<'a> {
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
struct Response<'a> {
    #[serde(borrow)]
    error: Raw<'a>,
}

pub(super) fn read(payload: &str, deltas: &mut Deltas) -> serde_json::Result<()> {
    let event: Event<'_> = serde_json::from_str(payload)?;
    let kind = name(event.kind);
    match &*kind {
        b"response.output_text.delta" | b"response.refusal.delta" => deltas.push_text(&name(event.delta)),
        b"response.output_item.added" => push_item(&event, false, deltas),
        b"response.output_item.done" => push_item(&event, true, deltas),
        b"response.function_call_arguments.delta"
        | b"response.mcp_call_arguments.delta"
        | b"response.custom_tool_call_input.delta" => {
            let more = deltas.keep(&name(event.delta));
            push_arguments(&event, Arguments::More(more), false, deltas);
        }
        b"response.function_call_arguments.done" | b"response.mcp_call_arguments.done" => {
            let all = deltas.keep(&arguments(event.arguments));
            // Without them, the item says them when it is done.
            push_arguments(&event, Arguments::All(all), !all.is_empty(), deltas);
        }
        b"response.custom_tool_call_input.done" => {
            let all = deltas.keep(&name(event.input));
            push_arguments(&event, Arguments::All(all), true, deltas);
        }
        // Documented flat, and also seen nested.
        b"error" if event.error.is_some() => push_error(event.error, deltas),
        b"error" => push_error(event.message, deltas),
        b"response.failed" => push_error(event.response.and_then(|response| response.error), deltas),
        b"" => push_error(event.error, deltas),
        _ => {}
    }
    Ok(())
}

/// An item of the output has begun, or is done.
fn push_item(event: &Event<'_>, done: bool, deltas: &mut Deltas) {
    let Some(item) = &event.item else { return };
    if !["function_call", "custom_tool_call", "mcp_call"].iter().any(|kind| is(item.kind, kind)) {
        return;
    }
    let id = string(item.call_id).filter(|id| !id.is_empty()).unwrap_or_else(|| name(item.id));
    let call = Call {
        begins: !done,
        index: number(event.output_index),
        loose: false,
        item: deltas.keep(&name(item.id)),
        id: deltas.keep(&id),
        name: deltas.keep(&name(item.name)),
        // What it has when it begins is nothing, or comes again.
        arguments: match done {
            true => Arguments::All(deltas.keep(&arguments(item.arguments.or(item.input)))),
            false => Arguments::Nothing,
        },
        ends: done,
    };
    deltas.push(Delta::Call(call));
}

fn push_arguments(event: &Event<'_>, arguments: Arguments, done: bool, deltas: &mut Deltas) {
    let call = Call {
        index: number(event.output_index),
        item: deltas.keep(&name(event.item_id)),
        name: deltas.keep(&name(event.name)),
        arguments,
        ends: done,
        ..Call::default()
    };
    deltas.push(Delta::Call(call));
}
