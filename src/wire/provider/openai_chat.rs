//! OpenAI chat completions, and the many servers with the same format.
//!
//! <https://platform.openai.com/docs/api-reference/chat-streaming>. Calls come as fragments by
//! `index`, and are final at `finish_reason`. Of several choices only the first is parsed.
//! `reasoning_content` is reasoning, and so is `reasoning`; a refusal is prose. Some servers, such
//! as MiniMax's, end the stream with the whole message; Together sends each text twice.
//!
//! OpenRouter's `reasoning_details` have the reasoning as text, a summary or encrypted, mostly
//! beside `reasoning`: <https://openrouter.ai/docs/guides/best-practices/reasoning-tokens>.
//! Mistral's reasoning is a part of the content with parts of its own:
//! <https://docs.mistral.ai/capabilities/reasoning/>. An error in mid-stream may be in the choice:
//! <https://openrouter.ai/docs/api-reference/errors>.

use alloc::vec::Vec;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::ending::MessageEnd;
use super::error::{push_error, push_error_body};
use super::payload::{
    Elements, Few, ListField, Raw, entries, is_text, number, object, raw_text, raw_text_or_json, store_arguments, text,
};
use crate::wire::deltas::{ArgumentsDelta, CallDelta, Delta, Deltas, PartKey, TextExtent};

/// The reasoning of a message.
const REASONING: PartKey = PartKey { item: None, content: 0 };

/// The texts of a message: its content, a refusal, a completion that is not a chat.
const CONTENT: PartKey = PartKey { item: None, content: 0 };
const REFUSAL: PartKey = PartKey { item: None, content: 1 };
const COMPLETION: PartKey = PartKey { item: None, content: 2 };

#[derive(Deserialize)]
struct ChatChunk<'a, Choices> {
    choices: Option<Choices>,
    #[serde(borrow)]
    error: Raw<'a>,
}

#[derive(Deserialize)]
struct ChatChoice<'a, Calls> {
    #[serde(borrow)]
    index: Raw<'a>,
    #[serde(borrow)]
    delta: Option<ChatMessage<'a, Calls>>,
    /// The whole [message](ChatMessage).
    ///
    /// It is that of a response that is not streamed, or at the end of a stream.
    #[serde(borrow)]
    message: Raw<'a>,
    /// The text of a completion that is not a chat.
    #[serde(borrow)]
    text: Raw<'a>,
    #[serde(borrow)]
    finish_reason: Raw<'a>,
    /// Why the choice failed. OpenRouter sends it here when the provider fails in mid-stream.
    #[serde(borrow)]
    error: Raw<'a>,
}

#[derive(Deserialize)]
struct ChatMessage<'a, Calls> {
    #[serde(borrow)]
    content: Raw<'a>,
    #[serde(borrow)]
    refusal: Raw<'a>,
    /// The reasoning. Some servers send it under both names.
    #[serde(borrow)]
    reasoning_content: Raw<'a>,
    #[serde(borrow)]
    reasoning: Raw<'a>,
    /// A list of [`ReasoningDetail`].
    #[serde(borrow)]
    reasoning_details: Raw<'a>,
    /// A list of [`ChatToolCall`].
    tool_calls: Option<Calls>,
    /// The predecessor of `tool_calls`.
    #[serde(borrow)]
    function_call: Raw<'a>,
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
    /// The parts of a part that is reasoning.
    #[serde(borrow)]
    thinking: Raw<'a>,
}

#[derive(Deserialize)]
struct ReasoningDetail<'a> {
    #[serde(borrow)]
    text: Raw<'a>,
    #[serde(borrow)]
    summary: Raw<'a>,
}

type FewChatChoices<'a> = Few<ChatChoice<'a, Few<ChatToolCall<'a>>>>;

pub(super) fn parse(payload: &str, deltas: &mut Deltas) -> serde_json::Result<()> {
    if let Ok(mut chunk) = serde_json::from_str::<ChatChunk<'_, FewChatChoices<'_>>>(payload) {
        let choices = chunk.choices.as_mut().map(Few::as_mut_slice);
        return push_choices(payload, choices, chunk.error, deltas);
    }
    let ChatChunk { choices, error } = serde_json::from_str::<ChatChunk<'_, &RawValue>>(payload)?;
    let mut choices: Elements<ChatChoice<'_, &RawValue>> = entries(choices, deltas)?;
    push_choices(payload, Some(&mut choices), error, deltas)
}

fn push_choices<'a, Calls: ListField<'a, ChatToolCall<'a>>>(
    payload: &str,
    choices: Option<&mut [ChatChoice<'a, Calls>]>,
    error: Raw<'_>,
    deltas: &mut Deltas,
) -> serde_json::Result<()> {
    let Some(choices) = choices else {
        // Servers and gateways report errors in many shapes, inside a stream as well.
        push_error_body(payload, deltas);
        return Ok(());
    };
    push_error(error, deltas);
    for choice in choices {
        if number(choice.index).unwrap_or(0) != 0 {
            continue;
        }
        let before = deltas.list.len();
        if let Some(delta) = &mut choice.delta {
            push_message(delta, TextExtent::More, deltas)?;
        }
        let is_empty = deltas.list[before..].iter().all(|delta| matches!(delta, Delta::Reasoning(_)));
        if let (Some(message), true) = (choice.message, is_empty) {
            deltas.push(Delta::WholeMessage);
            if let Some(mut message) = object::<ChatMessage<'_, &RawValue>>(Some(message), deltas) {
                push_message(&mut message, TextExtent::AllInMessage, deltas)?;
            }
        }
        let has_text = deltas.list[before..].iter().any(|delta| matches!(delta, Delta::Text(_)));
        if !has_text {
            // Together's chat has the text of the delta here as well.
            deltas.push_part(COMPLETION, raw_text(choice.text), TextExtent::More);
        }
        push_error(choice.error, deltas);
        match &*text(choice.finish_reason) {
            b"" | b"null" => {}
            reason => ending(reason).push(reason, deltas),
        }
    }
    Ok(())
}

/// Returns how a message ends with that reason.
///
/// Servers add reasons of their own, some with details: Google's `content_filter: SAFETY`.
pub(super) fn ending(reason: &[u8]) -> MessageEnd {
    let name = reason.split(|&byte| byte == b':').next().unwrap_or_default().to_ascii_lowercase();
    match &*name {
        b"length" | b"max_tokens" | b"model_length" | b"model_context_window_exceeded" => MessageEnd::Truncated,
        b"abort" | b"cancelled" | b"time_limit" => MessageEnd::Truncated,
        b"content_filter" | b"function_call_filter" | b"malformed_function_call" | b"sensitive" => MessageEnd::Failed,
        b"error" | b"insufficient_system_resource" | b"network_error" => MessageEnd::Failed,
        _ => MessageEnd::Complete,
    }
}

/// Appends a message: a delta of it, or the whole.
fn push_message<'a>(
    message: &mut ChatMessage<'a, impl ListField<'a, ChatToolCall<'a>>>,
    extent: TextExtent,
    deltas: &mut Deltas,
) -> serde_json::Result<()> {
    let is_whole = extent == TextExtent::AllInMessage;
    let parts = message.content.filter(is_list);
    if deltas.reads_reasoning {
        push_reasoning(message, parts, extent, deltas)?;
    }
    if let Some(parts) = parts {
        let parts = join_parts(parts, deltas)?;
        deltas.push_part(CONTENT, &parts, extent);
    }
    deltas.push_part(CONTENT, raw_text(message.content), extent);
    deltas.push_part(REFUSAL, raw_text(message.refusal), extent);
    let calls: Elements<ChatToolCall<'_>> = entries(message.tool_calls.take(), deltas)?;
    // Some servers send the same call in both fields.
    let function: Option<ChatFunction<'_>> = object(message.function_call, deltas).filter(|_| calls.is_empty());
    for call in calls {
        let (name, arguments) = match (call.function, call.custom) {
            (Some(function), _) => (function.name, function.arguments),
            (None, Some(custom)) => (custom.name, custom.input),
            (None, None) => (None, None),
        };
        push_call(number(call.index), call.id, name, arguments, is_whole, deltas);
    }
    if let Some(function) = function {
        push_call(None, None, function.name, function.arguments, is_whole, deltas);
    }
    Ok(())
}

/// Appends the reasoning of a message from the first place that has some.
fn push_reasoning<'a>(
    message: &ChatMessage<'a, impl ListField<'a, ChatToolCall<'a>>>,
    parts: Raw<'_>,
    extent: TextExtent,
    deltas: &mut Deltas,
) -> serde_json::Result<()> {
    for field in [message.reasoning_content, message.reasoning] {
        if !raw_text(field).is_empty() {
            deltas.push_reasoning(Some(REASONING), raw_text(field), extent);
            return Ok(());
        }
    }
    let mut all = Vec::new();
    let details = message.reasoning_details.filter(is_list);
    for detail in entries::<ReasoningDetail<'_>>(details, deltas)? {
        all.extend_from_slice(&text(detail.text.or(detail.summary)));
    }
    if all.is_empty() {
        for part in entries::<&RawValue>(parts, deltas)? {
            if let Ok(ChatPart { kind, thinking: Some(thinking), .. }) = serde_json::from_str(part.get())
                && is_text(kind, "thinking")
            {
                let texts =
                    if is_list(&thinking) { join_parts(thinking, deltas)? } else { text(Some(thinking)).into() };
                all.extend_from_slice(&texts);
            }
        }
    }
    deltas.push_reasoning(Some(REASONING), &all, extent);
    Ok(())
}

fn is_list(raw: &&RawValue) -> bool {
    raw.get().starts_with('[')
}

/// Returns the text of a content that is a list of parts, as some servers send it.
fn join_parts(content: &RawValue, deltas: &mut Deltas) -> serde_json::Result<Vec<u8>> {
    let mut all = Vec::new();
    for part in entries::<&RawValue>(Some(content), deltas)? {
        match serde_json::from_str::<ChatPart<'_>>(part.get()) {
            Ok(part) if is_text(part.kind, "text") => all.extend_from_slice(&text(part.text)),
            Ok(_) => {}
            Err(_) => all.extend_from_slice(&text(Some(part))),
        }
    }
    Ok(all)
}

fn push_call(index: Option<u64>, id: Raw<'_>, name: Raw<'_>, arguments: Raw<'_>, is_whole: bool, deltas: &mut Deltas) {
    let (id, name) = (deltas.store(raw_text(id)), deltas.store(raw_text(name)));
    let arguments = match is_whole {
        true => ArgumentsDelta::All(deltas.store(raw_text_or_json(arguments))),
        false => store_arguments(arguments, deltas),
    };
    let call = CallDelta { index, loose_index: true, id, name, arguments, ..CallDelta::default() };
    deltas.push(Delta::Call(CallDelta { may_repeat: is_whole, ..call }));
}
