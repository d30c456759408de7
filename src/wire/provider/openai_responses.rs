//! OpenAI Responses.
//!
//! <https://platform.openai.com/docs/api-reference/responses-streaming>. A call is an item of the
//! output, with an `item_id` beside the `call_id` that its result is sent under. It is final when
//! its arguments are done, or when the item is. Texts and calls are sent up to four times: in
//! deltas, when they are done, when their item is, and when the response is. Some servers leave out
//! all but one. The same holds for reasoning, and for the summary of it that is sent instead. A
//! response that is not streamed is the same as that of the last event.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::ending::MessageEnd;
use super::error::{message, push_error, push_error_event};
use super::payload::{
    Elements, Raw, entries, is_text, number, object, raw_text, raw_text_or_json, store_arguments, string, text,
    text_or_json,
};
use crate::wire::deltas::{ArgumentsDelta, CallDelta, Delta, Deltas, PartKey, TextExtent};

#[derive(Deserialize)]
struct ResponsesEvent<'a> {
    #[serde(rename = "type", borrow)]
    kind: Raw<'a>,
    #[serde(borrow)]
    delta: Raw<'a>,
    #[serde(borrow)]
    output_index: Raw<'a>,
    #[serde(borrow)]
    content_index: Raw<'a>,
    #[serde(borrow)]
    summary_index: Raw<'a>,
    #[serde(borrow)]
    item_id: Raw<'a>,
    #[serde(borrow)]
    item: Option<ResponsesItem<'a>>,
    #[serde(borrow)]
    part: Option<ResponsesPart<'a>>,
    #[serde(borrow)]
    text: Raw<'a>,
    #[serde(borrow)]
    refusal: Raw<'a>,
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
    /// A [`ResponsesObject`].
    #[serde(borrow)]
    response: Raw<'a>,
    #[serde(borrow)]
    object: Raw<'a>,
}

/// An item of the output: a message, a call, or anything else.
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
    /// `incomplete` if it is cut off.
    #[serde(borrow)]
    status: Raw<'a>,
    #[serde(borrow)]
    arguments: Raw<'a>,
    #[serde(borrow)]
    input: Raw<'a>,
    /// A list of [`ResponsesPart`].
    #[serde(borrow)]
    content: Raw<'a>,
    /// The same, of reasoning.
    #[serde(borrow)]
    summary: Raw<'a>,
}

/// A part of a message.
#[derive(Deserialize)]
struct ResponsesPart<'a> {
    #[serde(rename = "type", borrow)]
    kind: Raw<'a>,
    #[serde(borrow)]
    text: Raw<'a>,
    #[serde(borrow)]
    refusal: Raw<'a>,
}

/// The whole response.
#[derive(Deserialize)]
struct ResponsesObject<'a> {
    #[serde(borrow)]
    status: Raw<'a>,
    /// A list of [`ResponsesItem`].
    #[serde(borrow)]
    output: Raw<'a>,
    #[serde(borrow)]
    error: Raw<'a>,
    /// An [`IncompleteDetails`].
    #[serde(borrow)]
    incomplete_details: Raw<'a>,
}

/// Why a response is incomplete.
#[derive(Deserialize)]
struct IncompleteDetails<'a> {
    #[serde(borrow)]
    reason: Raw<'a>,
}

/// The type of a call of a tool that the provider runs.
const MCP_CALL: &str = "mcp_call";

/// What an event says about an item.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ItemStage {
    Added,
    Done,
    /// It is in the whole response.
    Repeated,
}

pub(super) fn parse(payload: &str, deltas: &mut Deltas) -> serde_json::Result<()> {
    let event: ResponsesEvent<'_> = serde_json::from_str(payload)?;
    let index = number(event.output_index);
    // Of an item of reasoning a provider sends the content or a summary.
    let key = PartKey { item: index, content: number(event.content_index.or(event.summary_index)).unwrap_or(0) };
    match &*text(event.kind) {
        b"response.output_text.delta" | b"response.refusal.delta" => {
            deltas.push_part(key, raw_text(event.delta), TextExtent::More);
        }
        b"response.reasoning_text.delta" | b"response.reasoning_summary_text.delta" => {
            deltas.push_reasoning(Some(key), raw_text(event.delta), TextExtent::More);
        }
        b"response.reasoning_text.done" | b"response.reasoning_summary_text.done" => {
            deltas.push_reasoning(Some(key), raw_text(event.text), TextExtent::All);
        }
        b"response.output_text.done" => deltas.push_part(key, raw_text(event.text), TextExtent::All),
        b"response.refusal.done" => deltas.push_part(key, raw_text(event.refusal), TextExtent::All),
        b"response.content_part.done" | b"response.reasoning_summary_part.done" => {
            event.part.iter().for_each(|part| push_part(key, part, TextExtent::All, deltas));
        }
        b"response.output_item.added" => push_item(event.item, index, ItemStage::Added, deltas)?,
        b"response.output_item.done" => push_item(event.item, index, ItemStage::Done, deltas)?,
        b"response.function_call_arguments.delta"
        | b"response.mcp_call_arguments.delta"
        | b"response.custom_tool_call_input.delta" => {
            let arguments = store_arguments(event.delta, deltas);
            push_arguments(&event, arguments, false, deltas);
        }
        b"response.function_call_arguments.done" | b"response.mcp_call_arguments.done" => {
            let all = deltas.store(raw_text_or_json(event.arguments));
            // If it has none, they come with the item, when that is done.
            push_arguments(&event, ArgumentsDelta::All(all), !all.is_empty(), deltas);
        }
        b"response.custom_tool_call_input.done" => {
            let all = deltas.store(raw_text_or_json(event.input));
            push_arguments(&event, ArgumentsDelta::All(all), true, deltas);
        }
        // The documented error is flat, but it has been seen nested.
        b"error" => push_error_event(event.error.or(event.message), payload, deltas),
        b"response.completed" | b"response.incomplete" | b"response.failed" => {
            let response: Option<ResponsesObject<'_>> = object(event.response, deltas);
            // Some servers, such as vLLM, complete a response whose status is `incomplete`.
            let status = text(response.as_ref().and_then(|response| response.status));
            let status = match &*status {
                b"incomplete" | b"failed" | b"cancelled" => status,
                _ => text(event.kind)["response.".len()..].to_vec().into(),
            };
            push_response(&status, response, deltas)?;
        }
        b"" if is_text(event.object, "response") => {
            let response: ResponsesObject<'_> = serde_json::from_str(payload)?;
            push_response(&text(response.status), Some(response), deltas)?;
        }
        b"" => push_error(event.error, deltas),
        _ => {}
    }
    Ok(())
}

/// Appends the whole response, which ends with that status.
fn push_response(status: &[u8], response: Option<ResponsesObject<'_>>, deltas: &mut Deltas) -> serde_json::Result<()> {
    let (output, error, details) =
        response.map_or((None, None, None), |response| (response.output, response.error, response.incomplete_details));
    deltas.push(Delta::WholeMessage);
    let items: Elements<ResponsesItem<'_>> = entries(output, deltas)?;
    for (index, item) in (0..).zip(items) {
        push_item(Some(item), Some(index), ItemStage::Repeated, deltas)?;
    }
    match status {
        b"failed" => {
            let mut message = message(error);
            if message.is_empty() {
                message = b"the response failed".into();
            }
            let message = deltas.store(&message);
            deltas.push(Delta::Failed(message));
        }
        b"incomplete" => {
            let details: Option<IncompleteDetails<'_>> = object(details, deltas);
            match &*text(details.and_then(|details| details.reason)) {
                reason @ b"content_filter" => MessageEnd::Failed.push(reason, deltas),
                reason => MessageEnd::Truncated.push(reason, deltas),
            }
        }
        b"cancelled" => MessageEnd::Truncated.push(status, deltas),
        _ => MessageEnd::Complete.push(status, deltas),
    }
    Ok(())
}

/// Appends an item of the output.
fn push_item(
    item: Option<ResponsesItem<'_>>,
    index: Option<u64>,
    stage: ItemStage,
    deltas: &mut Deltas,
) -> serde_json::Result<()> {
    let Some(item) = item else { return Ok(()) };
    if ["function_call", "custom_tool_call", MCP_CALL].iter().any(|kind| is_text(item.kind, kind)) {
        push_call(&item, index, stage, deltas);
    } else if stage != ItemStage::Added
        && (is_text(item.kind, "message") || deltas.reads_reasoning && is_text(item.kind, "reasoning"))
    {
        let mut parts: Elements<ResponsesPart<'_>> = entries(item.content, deltas)?;
        if parts.is_empty() {
            parts = entries(item.summary, deltas)?;
        }
        let extent = if stage == ItemStage::Done { TextExtent::All } else { TextExtent::AllInMessage };
        for (content, part) in (0..).zip(parts) {
            push_part(PartKey { item: index, content }, &part, extent, deltas);
        }
    }
    Ok(())
}

/// Appends all text of a part of a message.
fn push_part(key: PartKey, part: &ResponsesPart<'_>, extent: TextExtent, deltas: &mut Deltas) {
    match &*text(part.kind) {
        b"output_text" | b"text" => deltas.push_part(key, raw_text(part.text), extent),
        b"reasoning_text" | b"summary_text" => deltas.push_reasoning(Some(key), raw_text(part.text), extent),
        b"refusal" => deltas.push_part(key, raw_text(part.refusal), extent),
        _ => {}
    }
}

fn push_call(item: &ResponsesItem<'_>, index: Option<u64>, stage: ItemStage, deltas: &mut Deltas) {
    let id = string(item.call_id).filter(|id| !id.is_empty()).unwrap_or_else(|| text(item.id));
    // Without an id of its own, the item has that of its call in other events (llama.cpp).
    let item_id = string(item.id).filter(|id| !id.is_empty()).unwrap_or_else(|| id.clone());
    let all = text_or_json(item.arguments.or(item.input));
    // The arguments of an added item are empty, and come later. Some servers send them only there.
    let arguments = match stage {
        ItemStage::Added if serde_json::from_slice::<IgnoredAny>(&all).is_err() => ArgumentsDelta::None,
        _ => ArgumentsDelta::All(deltas.store(&all)),
    };
    let call = CallDelta {
        starts: stage == ItemStage::Added,
        index,
        loose_index: false,
        item_id: deltas.store(&item_id),
        id: deltas.store(&id),
        name: deltas.store(raw_text(item.name)),
        runs_there: is_text(item.kind, MCP_CALL),
        arguments,
        is_final: stage == ItemStage::Done && !is_text(item.status, "incomplete"),
        may_repeat: stage == ItemStage::Repeated,
    };
    deltas.push(Delta::Call(call));
}

fn push_arguments(event: &ResponsesEvent<'_>, arguments: ArgumentsDelta, is_final: bool, deltas: &mut Deltas) {
    let call = CallDelta {
        index: number(event.output_index),
        item_id: deltas.store(raw_text(event.item_id)),
        name: deltas.store(raw_text(event.name)),
        arguments,
        is_final,
        ..CallDelta::default()
    };
    deltas.push(Delta::Call(call));
}
