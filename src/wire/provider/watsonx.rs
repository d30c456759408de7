//! IBM watsonx.
//!
//! <https://cloud.ibm.com/apidocs/watsonx-ai#text-generation-stream>: pieces of text in `results`.
//! `text/chat_stream` streams chat completions.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::ending::MessageEnd;
use super::error::push_error;
use super::openai_chat;
use super::payload::{Few, ListField, Raw, entries, raw_text, text};
use crate::wire::deltas::{Delta, Deltas};

#[derive(Deserialize)]
struct WatsonxChunk<'a, Results> {
    /// A list of [`WatsonxResult`].
    results: Option<Results>,
    #[serde(borrow)]
    choices: Raw<'a>,
    #[serde(borrow)]
    errors: Raw<'a>,
}

#[derive(Deserialize)]
struct WatsonxResult<'a> {
    #[serde(borrow)]
    generated_text: Raw<'a>,
    #[serde(borrow)]
    stop_reason: Raw<'a>,
}

pub(super) fn parse(payload: &str, deltas: &mut Deltas) -> serde_json::Result<()> {
    match serde_json::from_str::<WatsonxChunk<'_, Few<WatsonxResult<'_>>>>(payload) {
        Ok(chunk) => push_chunk(payload, chunk, deltas),
        Err(_) => push_chunk(payload, serde_json::from_str::<WatsonxChunk<'_, &RawValue>>(payload)?, deltas),
    }
}

fn push_chunk<'a>(
    payload: &str,
    chunk: WatsonxChunk<'a, impl ListField<'a, WatsonxResult<'a>>>,
    deltas: &mut Deltas,
) -> serde_json::Result<()> {
    if chunk.choices.is_some() {
        return openai_chat::parse(payload, deltas);
    }
    for error in entries::<Raw<'_>>(chunk.errors, deltas)? {
        push_error(error, deltas);
    }
    for result in entries(chunk.results, deltas)? {
        deltas.push_text(raw_text(result.generated_text));
        // Its services write a reason in either case.
        let reason = text(result.stop_reason);
        let is = |name: &[u8]| reason.eq_ignore_ascii_case(name);
        if is(b"error") {
            MessageEnd::Failed.push(&reason, deltas);
        } else if !is(b"") && !is(b"not_finished") {
            deltas.push(Delta::End);
        }
    }
    Ok(())
}
