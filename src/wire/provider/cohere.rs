//! Cohere, version 2 of its chat.
//!
//! <https://docs.cohere.com/v2/docs/streaming> and
//! <https://docs.cohere.com/docs/tool-use-streaming>. A call begins with `tool-call-start`, and is
//! final at its `tool-call-end`. What the model says before its calls comes as `tool_plan`, and is
//! prose; thinking is reasoning.

use serde::Deserialize;

use super::ending::MessageEnd;
use super::error::push_error;
use super::payload::{ListField, OneOrFew, OneOrMany, Raw, entries, number, raw_text, store_arguments, string, text};
use crate::wire::deltas::{CallDelta, Delta, Deltas, TextExtent};

#[derive(Deserialize)]
struct CohereEvent<'a, Calls> {
    #[serde(rename = "type", borrow)]
    kind: Raw<'a>,
    #[serde(borrow)]
    index: Raw<'a>,
    #[serde(borrow)]
    delta: Option<CohereDelta<'a, Calls>>,
    /// A response that is not streamed; or the message of an error, a text.
    #[serde(borrow)]
    message: Raw<'a>,
    #[serde(borrow)]
    finish_reason: Raw<'a>,
}

#[derive(Deserialize)]
struct CohereDelta<'a, Calls> {
    #[serde(borrow)]
    message: Option<CohereMessage<'a, Calls>>,
    #[serde(borrow)]
    finish_reason: Raw<'a>,
    #[serde(borrow)]
    error: Raw<'a>,
}

#[derive(Deserialize)]
struct CohereMessage<'a, Calls> {
    /// A text, a [`CohereContent`], or a list of them.
    #[serde(borrow)]
    content: Raw<'a>,
    #[serde(borrow)]
    tool_plan: Raw<'a>,
    /// A [`CohereToolCall`], or a list of them.
    tool_calls: Option<Calls>,
}

#[derive(Deserialize)]
struct CohereContent<'a> {
    #[serde(borrow)]
    text: Raw<'a>,
    #[serde(borrow)]
    thinking: Raw<'a>,
}

#[derive(Deserialize)]
struct CohereToolCall<'a> {
    #[serde(borrow)]
    id: Raw<'a>,
    #[serde(borrow)]
    function: Option<CohereFunction<'a>>,
}

#[derive(Deserialize)]
struct CohereFunction<'a> {
    #[serde(borrow)]
    name: Raw<'a>,
    #[serde(borrow)]
    arguments: Raw<'a>,
}

pub(super) fn parse(payload: &str, deltas: &mut Deltas) -> serde_json::Result<()> {
    match serde_json::from_str::<CohereEvent<'_, OneOrFew<CohereToolCall<'_>>>>(payload) {
        Ok(event) => push_event(event, deltas),
        Err(_) => push_event(serde_json::from_str::<CohereEvent<'_, OneOrMany<'_>>>(payload)?, deltas),
    }
}

fn push_event<'a>(
    event: CohereEvent<'a, impl ListField<'a, CohereToolCall<'a>>>,
    deltas: &mut Deltas,
) -> serde_json::Result<()> {
    let index = number(event.index);
    let kind = text(event.kind);
    match (&*kind, event.delta) {
        (b"tool-call-end", _) => deltas.push(Delta::Call(CallDelta { index, is_final: true, ..CallDelta::default() })),
        (b"message-end", delta) => {
            let (reason, error) = delta.map_or((None, None), |delta| (delta.finish_reason, delta.error));
            push_error(error, deltas);
            push_end(reason, deltas);
        }
        (b"", None) => push_response(&event.message, event.finish_reason, deltas)?,
        (kind, Some(CohereDelta { message: Some(message), .. })) => {
            push_message(message, index, kind == b"tool-call-start", deltas)?;
        }
        _ => {}
    }
    Ok(())
}

/// Appends a response that is not streamed, or an error.
fn push_response(message: &Raw<'_>, finish_reason: Raw<'_>, deltas: &mut Deltas) -> serde_json::Result<()> {
    match message {
        Some(raw) if string(*message).is_none() => {
            if let Some(message) = serde_json::from_str::<Option<CohereMessage<'_, OneOrMany<'_>>>>(raw.get())? {
                push_message(message, None, true, deltas)?;
            }
        }
        error => push_error(*error, deltas),
    }
    if finish_reason.is_some() {
        push_end(finish_reason, deltas);
    }
    Ok(())
}

fn push_end(reason: Raw<'_>, deltas: &mut Deltas) {
    let reason = text(reason);
    let ending = match &*reason {
        b"MAX_TOKENS" | b"USER_CANCEL" => MessageEnd::Truncated,
        b"ERROR" | b"ERROR_LIMIT" | b"ERROR_TOXIC" | b"TIMEOUT" => MessageEnd::Failed,
        _ => MessageEnd::Complete,
    };
    ending.push(&reason, deltas);
}

fn push_message<'a>(
    message: CohereMessage<'a, impl ListField<'a, CohereToolCall<'a>>>,
    index: Option<u64>,
    starts: bool,
    deltas: &mut Deltas,
) -> serde_json::Result<()> {
    deltas.push_text(raw_text(message.tool_plan));
    match message.content {
        Some(text) if text.get().starts_with('"') => deltas.push_text(raw_text(message.content)),
        _ => {
            for content in entries::<CohereContent<'_>>(message.content.map(OneOrMany), deltas)? {
                deltas.push_reasoning(None, raw_text(content.thinking), TextExtent::More);
                deltas.push_text(raw_text(content.text));
            }
        }
    }
    for CohereToolCall { id, function } in entries(message.tool_calls, deltas)? {
        let Some(function) = function else { continue };
        let (id, name) = (deltas.store(raw_text(id)), deltas.store(raw_text(function.name)));
        let arguments = store_arguments(function.arguments, deltas);
        deltas.push(Delta::Call(CallDelta { starts, index, id, name, arguments, ..CallDelta::default() }));
    }
    Ok(())
}
