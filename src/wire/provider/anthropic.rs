//! Anthropic messages.
//!
//! <https://docs.anthropic.com/en/docs/build-with-claude/streaming>. A message is a sequence of
//! content blocks; a block of type `tool_use` is a call, and final at its `content_block_stop`.
//! Thinking is not prose. A call whose `content_block_start` has the input needs no deltas.

use serde::Deserialize;

use super::error::push_error;
use super::payload::{Raw, number, text, text_or_json};
use crate::wire::deltas::{ArgumentsDelta, CallDelta, Delta, Deltas};

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
    partial_json: Raw<'a>,
}

pub(super) fn parse(payload: &str, deltas: &mut Deltas) -> serde_json::Result<()> {
    let event: AnthropicEvent<'_> = serde_json::from_str(payload)?;
    let index = number(event.index);
    match (&*text(event.kind), event.content_block, event.delta) {
        (b"content_block_start", Some(block), _) => push_block(index, &block, deltas),
        (b"content_block_delta", _, Some(delta)) => match &*text(delta.kind) {
            b"text_delta" => deltas.push_text(&text(delta.text)),
            b"input_json_delta" => {
                let arguments = ArgumentsDelta::More(deltas.store(&text(delta.partial_json)));
                deltas.push(Delta::Call(CallDelta { index, arguments, ..CallDelta::default() }));
            }
            _ => {}
        },
        (b"content_block_stop", ..) => {
            deltas.push(Delta::Call(CallDelta { index, is_final: true, ..CallDelta::default() }));
        }
        (b"message_stop", ..) => deltas.push(Delta::AllFinal { truncated: false }),
        (b"error" | b"", ..) => push_error(event.error, deltas),
        _ => {}
    }
    Ok(())
}

fn push_block(index: Option<u64>, block: &AnthropicBlock<'_>, deltas: &mut Deltas) {
    match &*text(block.kind) {
        b"text" => deltas.push_text(&text(block.text)),
        b"tool_use" | b"server_tool_use" | b"mcp_tool_use" => {
            let input = text_or_json(block.input);
            // The input is an empty object when it is sent in deltas.
            let is_empty = input.iter().filter(|byte| !byte.is_ascii_whitespace()).eq(b"{}");
            let arguments = match is_empty || input.is_empty() {
                true => ArgumentsDelta::None,
                false => ArgumentsDelta::All(deltas.store(&input)),
            };
            let (id, name) = (deltas.store(&text(block.id)), deltas.store(&text(block.name)));
            deltas.push(Delta::Call(CallDelta { starts: true, index, id, name, arguments, ..CallDelta::default() }));
        }
        _ => {}
    }
}
