//! Ollama.
//!
//! <https://github.com/ollama/ollama/blob/main/docs/api.md>, `/api/chat` and `/api/generate`. A
//! call comes in one line, and is final with it. Thinking is reasoning.

use serde::Deserialize;

use super::error::push_error;
use super::payload::{Raw, entries, is_true, raw_text, raw_text_or_json};
use crate::wire::deltas::{ArgumentsDelta, CallDelta, Delta, Deltas, TextExtent};

#[derive(Deserialize)]
struct OllamaLine<'a> {
    #[serde(borrow)]
    message: Option<OllamaMessage<'a>>,
    /// The text of `/api/generate`.
    #[serde(borrow)]
    response: Raw<'a>,
    /// The reasoning of `/api/generate`.
    #[serde(borrow)]
    thinking: Raw<'a>,
    #[serde(borrow)]
    done: Raw<'a>,
    #[serde(borrow)]
    error: Raw<'a>,
}

#[derive(Deserialize)]
struct OllamaMessage<'a> {
    #[serde(borrow)]
    content: Raw<'a>,
    #[serde(borrow)]
    thinking: Raw<'a>,
    /// A list of [`OllamaToolCall`].
    #[serde(borrow)]
    tool_calls: Raw<'a>,
}

#[derive(Deserialize)]
struct OllamaToolCall<'a> {
    #[serde(borrow)]
    id: Raw<'a>,
    #[serde(borrow)]
    function: Option<OllamaFunction<'a>>,
}

#[derive(Deserialize)]
struct OllamaFunction<'a> {
    #[serde(borrow)]
    name: Raw<'a>,
    #[serde(borrow)]
    arguments: Raw<'a>,
}

pub(super) fn parse(payload: &str, deltas: &mut Deltas) -> serde_json::Result<()> {
    let line: OllamaLine<'_> = serde_json::from_str(payload)?;
    if let Some(message) = line.message {
        deltas.push_reasoning(None, raw_text(message.thinking), TextExtent::More);
        deltas.push_text(raw_text(message.content));
        for OllamaToolCall { id, function } in entries(message.tool_calls, deltas)? {
            let Some(function) = function else { continue };
            let (id, name) = (deltas.store(raw_text(id)), deltas.store(raw_text(function.name)));
            let arguments = ArgumentsDelta::All(deltas.store(raw_text_or_json(function.arguments)));
            let call = CallDelta { starts: true, id, name, arguments, is_final: true, ..CallDelta::default() };
            deltas.push(Delta::Call(call));
        }
    }
    deltas.push_reasoning(None, raw_text(line.thinking), TextExtent::More);
    deltas.push_text(raw_text(line.response));
    push_error(line.error, deltas);
    if is_true(line.done) {
        deltas.push(Delta::End);
    }
    Ok(())
}
