//! OpenAI chat completions, and the many servers with the same format.
//!
//! <https://platform.openai.com/docs/api-reference/chat-streaming>. Calls come as fragments by
//! `index`, and are final at `finish_reason`. Of several choices only the first is parsed.
//! `reasoning_content` and `reasoning` are not prose; a refusal is.

use alloc::vec::Vec;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::error::push_error;
use super::payload::{Raw, bounded_list, is_text, number, parse_list, string, text, text_or_json};
use crate::wire::deltas::{ArgumentsDelta, CallDelta, Delta, Deltas};

#[derive(Deserialize)]
struct ChatChunk<'a> {
    #[serde(borrow, default, deserialize_with = "bounded_list")]
    choices: Option<Vec<ChatChoice<'a>>>,
    #[serde(borrow)]
    error: Raw<'a>,
}

#[derive(Deserialize)]
struct ChatChoice<'a> {
    #[serde(borrow)]
    index: Raw<'a>,
    #[serde(borrow)]
    delta: Option<ChatMessage<'a>>,
    /// Instead of `delta`, in a response that is not streamed.
    #[serde(borrow)]
    message: Option<ChatMessage<'a>>,
    /// The text of a completion that is not a chat.
    #[serde(borrow)]
    text: Raw<'a>,
    #[serde(borrow)]
    finish_reason: Raw<'a>,
}

#[derive(Deserialize)]
struct ChatMessage<'a> {
    #[serde(borrow)]
    content: Raw<'a>,
    #[serde(borrow)]
    refusal: Raw<'a>,
    /// A list of [`ChatToolCall`], parsed for one choice at a time.
    #[serde(borrow)]
    tool_calls: Raw<'a>,
    /// The predecessor of `tool_calls`.
    #[serde(borrow)]
    function_call: Option<ChatFunction<'a>>,
}

#[derive(Deserialize)]
struct ChatToolCall<'a> {
    #[serde(borrow)]
    index: Raw<'a>,
    #[serde(borrow)]
    id: Raw<'a>,
    #[serde(borrow)]
    function: Option<ChatFunction<'a>>,
    #[serde(borrow)]
    custom: Option<ChatCustomTool<'a>>,
}

#[derive(Deserialize)]
struct ChatFunction<'a> {
    #[serde(borrow)]
    name: Raw<'a>,
    #[serde(borrow)]
    arguments: Raw<'a>,
}

#[derive(Deserialize)]
struct ChatCustomTool<'a> {
    #[serde(borrow)]
    name: Raw<'a>,
    #[serde(borrow)]
    input: Raw<'a>,
}

/// A part of a `content` that is a list.
#[derive(Deserialize)]
struct ChatPart<'a> {
    #[serde(rename = "type", borrow)]
    kind: Raw<'a>,
    #[serde(borrow)]
    text: Raw<'a>,
}

pub(super) fn parse(payload: &str, deltas: &mut Deltas) -> serde_json::Result<()> {
    let ChatChunk { choices, error } = serde_json::from_str(payload)?;
    push_error(error, deltas);
    for choice in choices.into_iter().flatten() {
        if number(choice.index).unwrap_or(0) != 0 {
            continue;
        }
        if let Some(message) = choice.delta.or(choice.message) {
            push_message(message, deltas)?;
        }
        deltas.push_text(&text(choice.text));
        match &*text(choice.finish_reason) {
            b"" | b"null" => {}
            b"length" | b"content_filter" => deltas.push(Delta::AllFinal { truncated: true }),
            _ => deltas.push(Delta::AllFinal { truncated: false }),
        }
    }
    Ok(())
}

fn push_message(message: ChatMessage<'_>, deltas: &mut Deltas) -> serde_json::Result<()> {
    push_content(message.content, deltas)?;
    deltas.push_text(&text(message.refusal));
    let calls: Vec<ChatToolCall<'_>> = parse_list(message.tool_calls)?;
    // Some servers send the same call in both fields.
    let function = message.function_call.filter(|_| calls.is_empty());
    for call in calls {
        let (name, arguments) = match (call.function, call.custom) {
            (Some(function), _) => (function.name, function.arguments),
            (None, Some(custom)) => (custom.name, custom.input),
            (None, None) => (None, None),
        };
        push_call(number(call.index), call.id, name, arguments, deltas);
    }
    if let Some(function) = function {
        push_call(None, None, function.name, function.arguments, deltas);
    }
    Ok(())
}

/// Appends the content: a string, or with some servers a list of parts. Any other type is ignored.
fn push_content(content: Raw<'_>, deltas: &mut Deltas) -> serde_json::Result<()> {
    match (string(content), content) {
        (Some(text), _) => deltas.push_text(&text),
        (None, Some(raw)) if raw.get().starts_with('[') => {
            for part in parse_list::<&RawValue>(content)? {
                match serde_json::from_str::<ChatPart<'_>>(part.get()) {
                    Ok(part) if is_text(part.kind, "text") => deltas.push_text(&text(part.text)),
                    Ok(_) => {}
                    Err(_) => deltas.push_text(&text(Some(part))),
                }
            }
        }
        (None, _) => {}
    }
    Ok(())
}

fn push_call(index: Option<u64>, id: Raw<'_>, name: Raw<'_>, arguments: Raw<'_>, deltas: &mut Deltas) {
    let (id, name) = (deltas.store(&text(id)), deltas.store(&text(name)));
    let arguments = ArgumentsDelta::More(deltas.store(&text_or_json(arguments)));
    deltas.push(Delta::Call(CallDelta { index, loose_index: true, id, name, arguments, ..CallDelta::default() }));
}
