//! OpenAI chat completions, and the many servers that speak like it.
//!
//! <https://platform.openai.com/docs/api-reference/chat-streaming>. Calls come as fragments by `index`; they are final at
//! `finish_reason`. Of several choices only the first is read. `reasoning_content` and `reasoning` are no prose; a refusal is.

use alloc::vec::Vec;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{few, list, push_error};
use crate::wire::deltas::{Arguments, Call, Delta, Deltas};
use crate::wire::text::{Raw, arguments, is, name, number, string};

#[derive(Deserialize)]
struct Chunk<'a> {
    #[serde(borrow, default, deserialize_with = "few")]
    choices: Option<Vec<Choice<'a>>>,
    #[serde(borrow)]
    error: Raw<'a>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(borrow)]
    index: Raw<'a>,
    #[serde(borrow)]
    delta: Option<Message<'a>>,
    /// What a response has that is not streamed.
    #[serde(borrow)]
    message: Option<Message<'a>>,
    /// What completions have that are no chat.
    #[serde(borrow)]
    text: Raw<'a>,
    #[serde(borrow)]
    finish_reason: Raw<'a>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    content: Raw<'a>,
    #[serde(borrow)]
    refusal: Raw<'a>,
    /// A list of calls. It is read when the message is: a payload may have lists in lists.
    #[serde(borrow)]
    tool_calls: Raw<'a>,
    /// What `tool_calls` were before.
    #[serde(borrow)]
    function_call: Option<Function<'a>>,
}

#[derive(Deserialize)]
struct ToolCall<'a> {
    #[serde(borrow)]
    index: Raw<'a>,
    #[serde(borrow)]
    id: Raw<'a>,
    #[serde(borrow)]
    function: Option<Function<'a>>,
    #[serde(borrow)]
    custom: Option<Custom<'a>>,
}

#[derive(Deserialize)]
struct Function<'a> {
    #[serde(borrow)]
    name: Raw<'a>,
    #[serde(borrow)]
    arguments: Raw<'a>,
}

#[derive(Deserialize)]
struct Custom<'a> {
    #[serde(borrow)]
    name: Raw<'a>,
    #[serde(borrow)]
    input: Raw<'a>,
}

/// A part of a content that is a list.
#[derive(Deserialize)]
struct Part<'a> {
    #[serde(rename = "type", borrow)]
    kind: Raw<'a>,
    #[serde(borrow)]
    text: Raw<'a>,
}

pub(super) fn read(payload: &str, deltas: &mut Deltas) -> serde_json::Result<()> {
    let Chunk { choices, error } = serde_json::from_str(payload)?;
    push_error(error, deltas);
    for choice in choices.into_iter().flatten() {
        if number(choice.index).unwrap_or(0) != 0 {
            continue;
        }
        if let Some(message) = choice.delta.or(choice.message) {
            push_message(message, deltas)?;
        }
        deltas.push_text(&name(choice.text));
        match &*name(choice.finish_reason) {
            b"" | b"null" => {}
            b"length" | b"content_filter" => deltas.push(Delta::Final { cut: true }),
            _ => deltas.push(Delta::Final { cut: false }),
        }
    }
    Ok(())
}

fn push_message(message: Message<'_>, deltas: &mut Deltas) -> serde_json::Result<()> {
    push_content(message.content, deltas)?;
    deltas.push_text(&name(message.refusal));
    let calls: Vec<ToolCall<'_>> = list(message.tool_calls)?;
    // Some servers say the same in both.
    let function = message.function_call.filter(|_| calls.is_empty());
    for call in calls {
        let (called, more) = match (call.function, call.custom) {
            (Some(function), _) => (function.name, function.arguments),
            (None, Some(custom)) => (custom.name, custom.input),
            (None, None) => (None, None),
        };
        push_call(number(call.index), call.id, called, more, deltas);
    }
    if let Some(function) = function {
        push_call(None, None, function.name, function.arguments, deltas);
    }
    Ok(())
}

/// The content: a string, or with some servers a list of parts.
fn push_content(content: Raw<'_>, deltas: &mut Deltas) -> serde_json::Result<()> {
    match (string(content), content) {
        (Some(text), _) => deltas.push_text(&text),
        (None, Some(raw)) if raw.get().starts_with('[') => {
            for part in list::<&RawValue>(content)? {
                match serde_json::from_str::<Part<'_>>(part.get()) {
                    Ok(part) if is(part.kind, "text") => deltas.push_text(&name(part.text)),
                    Ok(_) => {}
                    Err(_) => deltas.push_text(&name(Some(part))),
                }
            }
        }
        // Of another type it means nothing.
        (None, _) => {}
    }
    Ok(())
}

fn push_call(index: Option<u64>, id: Raw<'_>, called: Raw<'_>, more: Raw<'_>, deltas: &mut Deltas) {
    let (id, name) = (deltas.keep(&name(id)), deltas.keep(&name(called)));
    let arguments = Arguments::More(deltas.keep(&arguments(more)));
    deltas.push(Delta::Call(Call { index, loose: true, id, name, arguments, ..Call::default() }));
}
