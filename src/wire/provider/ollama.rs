//! Ollama.
//!
//! <https://github.com/ollama/ollama/blob/main/docs/api.md>, `/api/chat` and `/api/generate`. A call comes whole, and is final with that. Thinking
//! is no prose.

use alloc::vec::Vec;

use serde::Deserialize;

use super::{few, push_error};
use crate::wire::deltas::{Arguments, Call, Delta, Deltas};
use crate::wire::text::{Raw, arguments, name};

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    message: Option<Message<'a>>,
    /// Of `/api/generate`.
    #[serde(borrow)]
    response: Raw<'a>,
    #[serde(borrow)]
    error: Raw<'a>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    content: Raw<'a>,
    #[serde(borrow, default, deserialize_with = "few")]
    tool_calls: Option<Vec<ToolCall<'a>>>,
}

#[derive(Deserialize)]
struct ToolCall<'a> {
    #[serde(borrow)]
    id: Raw<'a>,
    #[serde(borrow)]
    function: Option<Function<'a>>,
}

#[derive(Deserialize)]
struct Function<'a> {
    #[serde(borrow)]
    name: Raw<'a>,
    #[serde(borrow)]
    arguments: Raw<'a>,
}

pub(super) fn read(payload: &str, deltas: &mut Deltas) -> serde_json::Result<()> {
    let line: Line<'_> = serde_json::from_str(payload)?;
    if let Some(message) = line.message {
        deltas.push_text(&name(message.content));
        for ToolCall { id, function } in message.tool_calls.into_iter().flatten() {
            let Some(function) = function else { continue };
            let (id, name) = (deltas.keep(&name(id)), deltas.keep(&name(function.name)));
            let arguments = Arguments::All(deltas.keep(&arguments(function.arguments)));
            deltas.push(Delta::Call(Call { begins: true, id, name, arguments, ends: true, ..Call::default() }));
        }
    }
    deltas.push_text(&name(line.response));
    push_error(line.error, deltas);
    Ok(())
}
