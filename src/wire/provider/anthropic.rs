//! Anthropic messages.
//!
//! <https://docs.anthropic.com/en/docs/build-with-claude/streaming>. A message is a row of blocks; a block of a tool's use is a call, and final at its
//! `content_block_stop`. Thinking is no prose. A call whose input stands in its `content_block_start` needs no deltas.

use serde::Deserialize;

use super::push_error;
use crate::wire::deltas::{Arguments, Call, Delta, Deltas};
use crate::wire::text::{Raw, arguments, name, number};

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(rename = "type", borrow)]
    kind: Raw<'a>,
    #[serde(borrow)]
    index: Raw<'a>,
    #[serde(borrow)]
    content_block: Option<Block<'a>>,
    #[serde(borrow)]
    delta: Option<Change<'a>>,
    #[serde(borrow)]
    error: Raw<'a>,
}

#[derive(Deserialize)]
struct Block<'a> {
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
struct Change<'a> {
    #[serde(rename = "type", borrow)]
    kind: Raw<'a>,
    #[serde(borrow)]
    text: Raw<'a>,
    #[serde(borrow)]
    partial_json: Raw<'a>,
}

pub(super) fn read(payload: &str, deltas: &mut Deltas) -> serde_json::Result<()> {
    let event: Event<'_> = serde_json::from_str(payload)?;
    let index = number(event.index);
    match (&*name(event.kind), event.content_block, event.delta) {
        (b"content_block_start", Some(block), _) => push_block(index, &block, deltas),
        (b"content_block_delta", _, Some(change)) => match &*name(change.kind) {
            b"text_delta" => deltas.push_text(&name(change.text)),
            b"input_json_delta" => {
                let arguments = Arguments::More(deltas.keep(&name(change.partial_json)));
                deltas.push(Delta::Call(Call { index, arguments, ..Call::default() }));
            }
            _ => {}
        },
        (b"content_block_stop", ..) => deltas.push(Delta::Call(Call { index, ends: true, ..Call::default() })),
        (b"message_stop", ..) => deltas.push(Delta::Final { cut: false }),
        (b"error" | b"", ..) => push_error(event.error, deltas),
        _ => {}
    }
    Ok(())
}

fn push_block(index: Option<u64>, block: &Block<'_>, deltas: &mut Deltas) {
    match &*name(block.kind) {
        b"text" => deltas.push_text(&name(block.text)),
        b"tool_use" | b"server_tool_use" | b"mcp_tool_use" => {
            let all = arguments(block.input);
            // An empty object stands there when the input is still to come.
            let is_empty = all.iter().filter(|byte| !byte.is_ascii_whitespace()).eq(b"{}");
            let all = if is_empty || all.is_empty() { Arguments::Nothing } else { Arguments::All(deltas.keep(&all)) };
            let (id, name) = (deltas.keep(&name(block.id)), deltas.keep(&name(block.name)));
            deltas.push(Delta::Call(Call { begins: true, index, id, name, arguments: all, ..Call::default() }));
        }
        _ => {}
    }
}
