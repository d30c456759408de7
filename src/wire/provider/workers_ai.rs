//! Cloudflare Workers AI.
//!
//! <https://developers.cloudflare.com/workers-ai/features/streaming/>: pieces of text in
//! `response`. Calls come whole, or in OpenAI's fragments. Some models stream chat completions
//! instead; what is not streamed is in `result`, in the format of the model.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::error::push_error;
use super::payload::{Raw, entries, is_text, number, object, raw_text, raw_text_or_json, store_arguments};
use super::{openai_chat, openai_responses};
use crate::wire::deltas::{ArgumentsDelta, CallDelta, Delta, Deltas};

#[derive(Deserialize)]
struct WorkersChunk<'a> {
    #[serde(borrow)]
    choices: Raw<'a>,
    /// A number, too, if the piece is one.
    #[serde(borrow)]
    response: Raw<'a>,
    /// A list of [`WorkersToolCall`].
    #[serde(borrow)]
    tool_calls: Raw<'a>,
    /// A response that is not streamed: a [`WorkersResult`], or a text.
    #[serde(borrow)]
    result: Raw<'a>,
    #[serde(borrow)]
    error: Raw<'a>,
    /// The errors of a response that is not streamed.
    #[serde(borrow)]
    errors: Raw<'a>,
}

#[derive(Deserialize)]
struct WorkersResult<'a> {
    #[serde(borrow)]
    choices: Raw<'a>,
    #[serde(borrow)]
    object: Raw<'a>,
    #[serde(borrow)]
    response: Raw<'a>,
    #[serde(borrow)]
    tool_calls: Raw<'a>,
}

#[derive(Deserialize)]
struct WorkersToolCall<'a> {
    #[serde(borrow)]
    index: Raw<'a>,
    #[serde(borrow)]
    id: Raw<'a>,
    #[serde(borrow)]
    name: Raw<'a>,
    #[serde(borrow)]
    arguments: Raw<'a>,
    /// A fragment, as OpenAI streams it.
    #[serde(borrow)]
    function: Option<WorkersFunction<'a>>,
}

#[derive(Deserialize)]
struct WorkersFunction<'a> {
    #[serde(borrow)]
    name: Raw<'a>,
    #[serde(borrow)]
    arguments: Raw<'a>,
}

pub(super) fn parse(payload: &str, deltas: &mut Deltas) -> serde_json::Result<()> {
    let chunk: WorkersChunk<'_> = serde_json::from_str(payload)?;
    if chunk.choices.is_some() {
        return openai_chat::parse(payload, deltas);
    }
    push_error(chunk.error, deltas);
    for error in entries::<Raw<'_>>(chunk.errors, deltas)? {
        push_error(error, deltas);
    }
    push_pieces(chunk.response, chunk.tool_calls, deltas)?;
    match chunk.result {
        Some(result) if result.get().starts_with('{') => push_result(result, deltas),
        result => {
            deltas.push_text(raw_text(result));
            Ok(())
        }
    }
}

/// Appends a response that is not streamed.
fn push_result(raw: &RawValue, deltas: &mut Deltas) -> serde_json::Result<()> {
    let Some(result) = object::<WorkersResult<'_>>(Some(raw), deltas) else { return Ok(()) };
    if result.choices.is_some() {
        return openai_chat::parse(raw.get(), deltas);
    }
    if is_text(result.object, "response") {
        return openai_responses::parse(raw.get(), deltas);
    }
    push_pieces(result.response, result.tool_calls, deltas)?;
    if result.response.or(result.tool_calls).is_some() {
        deltas.push(Delta::AllFinal { truncated: false });
    }
    Ok(())
}

fn push_pieces(response: Raw<'_>, calls: Raw<'_>, deltas: &mut Deltas) -> serde_json::Result<()> {
    deltas.push_text(raw_text_or_json(response));
    for call in entries::<WorkersToolCall<'_>>(calls, deltas)? {
        push_call(&call, deltas);
    }
    Ok(())
}

fn push_call(call: &WorkersToolCall<'_>, deltas: &mut Deltas) {
    let id = deltas.store(raw_text(call.id));
    let call = match &call.function {
        None => CallDelta {
            starts: true,
            id,
            name: deltas.store(raw_text(call.name)),
            arguments: ArgumentsDelta::All(deltas.store(raw_text_or_json(call.arguments))),
            is_final: true,
            ..CallDelta::default()
        },
        Some(function) => CallDelta {
            index: number(call.index),
            loose_index: true,
            id,
            name: deltas.store(raw_text(function.name)),
            arguments: store_arguments(function.arguments, deltas),
            ..CallDelta::default()
        },
    };
    deltas.push(Delta::Call(call));
}
