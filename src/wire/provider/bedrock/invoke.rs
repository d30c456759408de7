//! The payloads of an invoked model, in the chunks of `InvokeModelWithResponseStream`.
//!
//! <https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_PayloadPart.html>: base64
//! in `bytes`. What is in it is documented for each model:
//! <https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters.html>.

use alloc::string::String;
use alloc::vec::Vec;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde::de::{Error as _, IgnoredAny};

use super::super::payload::{Elements, Raw, entries, raw_text, raw_text_or_json, text};
use super::super::{anthropic, openai_chat};
use super::converse::{self, BedrockChunk};
use crate::wire::deltas::{ArgumentsDelta, CallDelta, Delta, Deltas, RETAINED};

/// What tells the models apart, and the text of those that stream nothing else.
#[derive(Deserialize)]
struct ModelPayload<'a> {
    /// Anthropic's messages.
    #[serde(rename = "type")]
    kind: Option<IgnoredAny>,
    /// Chat completions: AI21, DeepSeek, OpenAI, Qwen, and Mistral's chat.
    #[serde(borrow)]
    choices: Raw<'a>,
    /// Titan.
    #[serde(rename = "outputText", borrow)]
    output_text: Raw<'a>,
    /// Llama.
    #[serde(borrow)]
    generation: Raw<'a>,
    /// Mistral.
    #[serde(borrow)]
    outputs: Raw<'a>,
    /// Anthropic's text completions.
    #[serde(borrow)]
    completion: Raw<'a>,
    /// Cohere.
    #[serde(borrow)]
    text: Raw<'a>,
}

/// A choice of Mistral's chat on Bedrock, in which each `message` is the next piece.
///
/// It has a `stop_reason`. Chat completions have a `finish_reason`, or were streamed in a `delta`,
/// of which a `message` is the whole.
#[derive(Deserialize)]
struct ModelChoice<'a> {
    delta: Option<IgnoredAny>,
    #[serde(borrow)]
    message: Option<ModelMessage<'a>>,
    #[serde(borrow)]
    stop_reason: Raw<'a>,
    finish_reason: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct ModelMessage<'a> {
    #[serde(borrow)]
    content: Raw<'a>,
    /// A list of [`ModelToolCall`].
    #[serde(borrow)]
    tool_calls: Raw<'a>,
}

#[derive(Deserialize)]
struct ModelToolCall<'a> {
    #[serde(borrow)]
    id: Raw<'a>,
    #[serde(borrow)]
    function: Option<ModelFunction<'a>>,
}

#[derive(Deserialize)]
struct ModelFunction<'a> {
    #[serde(borrow)]
    name: Raw<'a>,
    #[serde(borrow)]
    arguments: Raw<'a>,
}

#[derive(Deserialize)]
struct ModelOutput<'a> {
    #[serde(borrow)]
    text: Raw<'a>,
}

/// The parser of the payloads of the model in one body.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct InvokedModel {
    /// The current payload. Its memory is reused.
    #[cfg_attr(feature = "serde", serde(skip))]
    decoded: Vec<u8>,
    /// A choice had a `delta`.
    has_deltas: bool,
}

impl InvokedModel {
    /// Clears the buffer that is reused for the next payload.
    pub(super) fn clear_buffer(&mut self) {
        self.decoded = Vec::new();
    }

    /// Parses a chunk.
    ///
    /// # Errors
    ///
    /// If the chunk is not base64, or its payload not of the documented shape.
    pub(super) fn parse(&mut self, chunk: BedrockChunk<'_>, deltas: &mut Deltas) -> serde_json::Result<()> {
        self.decoded.clear();
        self.decoded.shrink_to(RETAINED);
        STANDARD.decode_vec(&*text(chunk.bytes), &mut self.decoded).map_err(serde_json::Error::custom)?;
        let payload = String::from_utf8_lossy(&self.decoded);
        let ModelPayload { kind, choices, output_text, generation, outputs, completion, text: plain } =
            serde_json::from_str(&payload)?;
        if kind.is_some() {
            return anthropic::parse(&payload, deltas);
        }
        if choices.is_some_and(|choices| choices.get() != "null") {
            let choices: Elements<ModelChoice<'_>> = entries(choices, deltas)?;
            self.has_deltas |= choices.iter().any(|choice| choice.delta.is_some());
            let is_whole = |choice: &ModelChoice<'_>| choice.message.is_none() || choice.finish_reason.is_some();
            if self.has_deltas || choices.iter().all(is_whole) {
                return openai_chat::parse(&payload, deltas);
            }
            return choices.into_iter().try_for_each(|choice| push_choice(choice, deltas));
        }
        for piece in [output_text, generation, completion, plain] {
            deltas.push_text(raw_text(piece));
        }
        for output in entries::<ModelOutput<'_>>(outputs, deltas)? {
            deltas.push_text(raw_text(output.text));
        }
        // Nova streams the events of `ConverseStream`.
        converse::parse(&payload, deltas).map(drop)
    }
}

fn push_choice(choice: ModelChoice<'_>, deltas: &mut Deltas) -> serde_json::Result<()> {
    let Some(message) = choice.message else { return Ok(()) };
    deltas.push_text(raw_text(message.content));
    for ModelToolCall { id, function } in entries(message.tool_calls, deltas)? {
        let Some(function) = function else { continue };
        let (id, name) = (deltas.store(raw_text(id)), deltas.store(raw_text(function.name)));
        let arguments = ArgumentsDelta::All(deltas.store(raw_text_or_json(function.arguments)));
        deltas.push(Delta::Call(CallDelta { starts: true, id, name, arguments, ..CallDelta::default() }));
    }
    match &*text(choice.stop_reason) {
        b"" => {}
        reason => openai_chat::ending(reason).push(reason, deltas),
    }
    Ok(())
}
