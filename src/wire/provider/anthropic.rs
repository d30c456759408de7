//! Anthropic messages.
//!
//! <https://docs.anthropic.com/en/docs/build-with-claude/streaming>. A message is a sequence of
//! content blocks; a block of type `tool_use` is a call, and final at its `content_block_stop`.
//! Thinking is reasoning. A call whose `content_block_start` has the input needs no deltas. A
//! response that is not streamed is the whole message; some servers, such as MiniMax's, end a
//! stream with it.

use serde::Deserialize;

use super::ending::MessageEnd;
use super::error::{push_error, push_error_event};
use super::payload::{
    Elements, Raw, arguments_unless_empty, entries, is_text, number, raw_text, raw_text_or_json, store_arguments, text,
};
use crate::wire::deltas::{ArgumentsDelta, CallDelta, Delta, Deltas, PartKey, TextExtent};

#[derive(Deserialize)]
struct AnthropicEvent<'a> {
    #[serde(rename = "type", borrow)]
    kind: Raw<'a>,
    #[serde(borrow)]
    index: Raw<'a>,
    #[serde(borrow)]
    content_block: Option<AnthropicBlock<'a>>,
    #[serde(borrow)]
    delta: Option<AnthropicDelta<'a>>,
    /// A list of [`AnthropicBlock`] of the whole message.
    #[serde(borrow)]
    content: Raw<'a>,
    #[serde(borrow)]
    stop_reason: Raw<'a>,
    #[serde(borrow)]
    error: Raw<'a>,
}

#[derive(Deserialize)]
struct AnthropicBlock<'a> {
    #[serde(rename = "type", borrow)]
    kind: Raw<'a>,
    #[serde(borrow)]
    text: Raw<'a>,
    #[serde(borrow)]
    thinking: Raw<'a>,
    #[serde(borrow)]
    id: Raw<'a>,
    #[serde(borrow)]
    name: Raw<'a>,
    #[serde(borrow)]
    input: Raw<'a>,
}

#[derive(Deserialize)]
struct AnthropicDelta<'a> {
    #[serde(rename = "type", borrow)]
    kind: Raw<'a>,
    #[serde(borrow)]
    text: Raw<'a>,
    #[serde(borrow)]
    thinking: Raw<'a>,
    #[serde(borrow)]
    partial_json: Raw<'a>,
    #[serde(borrow)]
    stop_reason: Raw<'a>,
}

pub(super) fn parse(payload: &str, deltas: &mut Deltas) -> serde_json::Result<()> {
    let event: AnthropicEvent<'_> = serde_json::from_str(payload)?;
    let index = number(event.index);
    match (&*text(event.kind), event.content_block, event.delta) {
        (b"content_block_start", Some(block), _) => push_block(index, &block, deltas),
        (b"content_block_delta", _, Some(delta)) => match &*text(delta.kind) {
            b"text_delta" => push_text(index, delta.text, TextExtent::More, deltas),
            b"thinking_delta" => push_thinking(index, delta.thinking, TextExtent::More, deltas),
            b"input_json_delta" => {
                let arguments = store_arguments(delta.partial_json, deltas);
                deltas.push(Delta::Call(CallDelta { index, arguments, ..CallDelta::default() }));
            }
            _ => {}
        },
        (b"content_block_stop", ..) => {
            deltas.push(Delta::Call(CallDelta { index, is_final: true, ..CallDelta::default() }));
        }
        (b"message_delta", _, Some(delta)) => match ending(&text(delta.stop_reason)) {
            MessageEnd::Complete => {}
            cut_off => cut_off.push(&text(delta.stop_reason), deltas),
        },
        (b"message_stop", ..) => deltas.push(Delta::AllFinal { truncated: false }),
        (b"message", ..) => push_message(event.content, event.stop_reason, deltas)?,
        (b"error", ..) => push_error_event(event.error, payload, deltas),
        (b"", ..) => push_error(event.error, deltas),
        _ => {}
    }
    Ok(())
}

/// Appends the start of a content block.
fn push_block(index: Option<u64>, block: &AnthropicBlock<'_>, deltas: &mut Deltas) {
    if block.is_text() {
        push_text(index, block.text, TextExtent::More, deltas);
    } else if block.is_thinking() {
        push_thinking(index, block.thinking, TextExtent::More, deltas);
    } else if block.is_call() {
        let arguments = arguments_unless_empty(block.input, deltas);
        let (id, name) = (deltas.store(raw_text(block.id)), deltas.store(raw_text(block.name)));
        let call = CallDelta { starts: true, index, id, name, arguments, ..CallDelta::default() };
        deltas.push(Delta::Call(CallDelta { runs_there: block.runs_there(), ..call }));
    }
}

fn push_text(index: Option<u64>, raw: Raw<'_>, extent: TextExtent, deltas: &mut Deltas) {
    deltas.push_part(PartKey { item: index, content: 0 }, raw_text(raw), extent);
}

fn push_thinking(index: Option<u64>, raw: Raw<'_>, extent: TextExtent, deltas: &mut Deltas) {
    deltas.push_reasoning(Some(PartKey { item: index, content: 0 }), raw_text(raw), extent);
}

/// Appends the whole message.
fn push_message(content: Raw<'_>, stop_reason: Raw<'_>, deltas: &mut Deltas) -> serde_json::Result<()> {
    deltas.push(Delta::WholeMessage);
    let blocks: Elements<AnthropicBlock<'_>> = entries(content, deltas)?;
    let reason = text(stop_reason);
    let ending = ending(&reason);
    let mut left = blocks.len();
    for (index, block) in (0..).zip(blocks) {
        left -= 1;
        if block.is_text() {
            push_text(Some(index), block.text, TextExtent::AllInMessage, deltas);
        } else if block.is_thinking() {
            push_thinking(Some(index), block.thinking, TextExtent::AllInMessage, deltas);
        } else if block.is_call() {
            let (id, name) = (deltas.store(raw_text(block.id)), deltas.store(raw_text(block.name)));
            // What cuts off the message cuts off its last block.
            let arguments = match left == 0 && ending != MessageEnd::Complete {
                true => arguments_unless_empty(block.input, deltas),
                false => ArgumentsDelta::All(deltas.store(raw_text_or_json(block.input))),
            };
            let call = CallDelta { index: Some(index), id, name, arguments, ..CallDelta::default() };
            deltas.push(Delta::Call(CallDelta { runs_there: block.runs_there(), may_repeat: true, ..call }));
        }
    }
    ending.push(&reason, deltas);
    Ok(())
}

/// Returns how a message ends with that reason.
fn ending(reason: &[u8]) -> MessageEnd {
    match reason {
        b"max_tokens" | b"model_context_window_exceeded" => MessageEnd::Truncated,
        b"refusal" => MessageEnd::Failed,
        _ => MessageEnd::Complete,
    }
}

impl AnthropicBlock<'_> {
    fn is_text(&self) -> bool {
        is_text(self.kind, "text")
    }

    fn is_thinking(&self) -> bool {
        is_text(self.kind, "thinking")
    }

    fn is_call(&self) -> bool {
        is_text(self.kind, "tool_use") || self.runs_there()
    }

    /// Returns whether the block is a call of a tool that the provider runs.
    fn runs_there(&self) -> bool {
        ["server_tool_use", "mcp_tool_use"].iter().any(|kind| is_text(self.kind, kind))
    }
}
