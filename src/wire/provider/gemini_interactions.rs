//! Gemini, the Interactions API.
//!
//! <https://ai.google.dev/gemini-api/docs/interactions/streaming>. An interaction is a sequence of
//! steps; one of type `function_call` is a call, and final at its `step.stop`. Before its revision
//! of May 2026 the API called the steps contents, and sent each call whole. A thought has a
//! summary, which is reasoning.

use alloc::vec::Vec;

use serde::Deserialize;

use super::ending::MessageEnd;
use super::error::{push_error, push_error_event};
use super::payload::{
    OneOrMany, Raw, arguments_unless_empty, entries, is_text, number, raw_text, store_arguments, text,
};
use crate::wire::deltas::{CallDelta, Delta, Deltas, TextExtent};

#[derive(Deserialize)]
struct InteractionEvent<'a> {
    #[serde(borrow)]
    event_type: Raw<'a>,
    #[serde(borrow)]
    index: Raw<'a>,
    #[serde(borrow)]
    step: Option<InteractionStep<'a>>,
    #[serde(borrow)]
    content: Option<InteractionStep<'a>>,
    #[serde(borrow)]
    delta: Option<InteractionStep<'a>>,
    #[serde(borrow)]
    interaction: Option<Interaction<'a>>,
    #[serde(borrow)]
    error: Raw<'a>,
}

/// An interaction, which may have all that it consists of.
#[derive(Deserialize)]
struct Interaction<'a> {
    #[serde(borrow)]
    status: Raw<'a>,
    /// A list of [`InteractionStep`].
    #[serde(borrow, alias = "outputs")]
    steps: Raw<'a>,
    #[serde(borrow)]
    error: Raw<'a>,
}

/// A step, a content, or a part of one.
#[derive(Deserialize)]
struct InteractionStep<'a> {
    #[serde(rename = "type", borrow)]
    kind: Raw<'a>,
    #[serde(borrow)]
    text: Raw<'a>,
    /// The [`StepContent`]s of a step.
    #[serde(borrow)]
    content: Raw<'a>,
    /// Those of a thought.
    #[serde(borrow)]
    summary: Raw<'a>,
    #[serde(borrow)]
    id: Raw<'a>,
    #[serde(borrow)]
    name: Raw<'a>,
    #[serde(borrow)]
    arguments: Raw<'a>,
    #[serde(borrow)]
    partial_arguments: Raw<'a>,
}

#[derive(Deserialize)]
struct StepContent<'a> {
    #[serde(rename = "type", borrow)]
    kind: Raw<'a>,
    #[serde(borrow)]
    text: Raw<'a>,
}

pub(super) fn parse(payload: &str, deltas: &mut Deltas) -> serde_json::Result<()> {
    let event: InteractionEvent<'_> = serde_json::from_str(payload)?;
    let index = number(event.index);
    match (&*text(event.event_type), event.step.or(event.content).or(event.delta)) {
        (b"step.start" | b"content.start", Some(step)) => push_step(&step, index, deltas)?,
        (b"step.delta" | b"content.delta", Some(delta)) => match &*text(delta.kind) {
            b"arguments_delta" | b"arguments" => {
                let arguments = store_arguments(delta.partial_arguments.or(delta.arguments), deltas);
                deltas.push(Delta::Call(CallDelta { index, arguments, ..CallDelta::default() }));
            }
            _ => push_step(&delta, index, deltas)?,
        },
        (b"step.stop" | b"content.stop", _) => {
            deltas.push(Delta::Call(CallDelta { index, is_final: true, ..CallDelta::default() }));
        }
        (b"interaction.completed" | b"interaction.complete", _) => {
            let (status, error) = event.interaction.map_or((None, None), |it| (it.status, it.error));
            push_end(&text(status), error, deltas);
        }
        (b"error", _) => push_error_event(event.error, payload, deltas),
        (b"", _) => push_interaction(payload, deltas)?,
        _ => {}
    }
    Ok(())
}

/// Appends an interaction that is not streamed.
fn push_interaction(payload: &str, deltas: &mut Deltas) -> serde_json::Result<()> {
    let interaction: Interaction<'_> = serde_json::from_str(payload)?;
    for (index, step) in (0..).zip(entries::<InteractionStep<'_>>(interaction.steps, deltas)?) {
        push_step(&step, Some(index), deltas)?;
    }
    match &*text(interaction.status) {
        b"" | b"in_progress" => push_error(interaction.error, deltas),
        status => push_end(status, interaction.error, deltas),
    }
    Ok(())
}

/// Appends the end of an interaction with that status.
fn push_end(status: &[u8], error: Raw<'_>, deltas: &mut Deltas) {
    push_error(error, deltas);
    let ending = match status {
        b"incomplete" | b"cancelled" => MessageEnd::Truncated,
        b"failed" => MessageEnd::Failed,
        _ => MessageEnd::Complete,
    };
    ending.push(status, deltas);
}

/// Appends what a step says where it begins, and all of one that comes whole.
fn push_step(step: &InteractionStep<'_>, index: Option<u64>, deltas: &mut Deltas) -> serde_json::Result<()> {
    match &*text(step.kind) {
        b"text" => deltas.push_text(raw_text(step.text)),
        b"model_output" => {
            for text in texts(step.content, deltas)? {
                deltas.push_text(raw_text(text));
            }
        }
        b"thought" | b"thought_summary" if deltas.reads_reasoning => {
            for text in texts(step.summary.or(step.content), deltas)? {
                deltas.push_reasoning(None, raw_text(text), TextExtent::More);
            }
        }
        b"function_call" => {
            let arguments = arguments_unless_empty(step.arguments, deltas);
            let (id, name) = (deltas.store(raw_text(step.id)), deltas.store(raw_text(step.name)));
            deltas.push(Delta::Call(CallDelta { starts: true, index, id, name, arguments, ..CallDelta::default() }));
        }
        _ => {}
    }
    Ok(())
}

/// Returns the texts among the contents of a step.
fn texts<'a>(contents: Raw<'a>, deltas: &mut Deltas) -> serde_json::Result<Vec<Raw<'a>>> {
    let contents = entries::<StepContent<'_>>(contents.map(OneOrMany), deltas)?;
    Ok(contents.into_iter().filter(|content| is_text(content.kind, "text")).map(|content| content.text).collect())
}
