//! Gemini, `streamGenerateContent`.
//!
//! <https://ai.google.dev/api/generate-content> and, for arguments that stream,
//! <https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1/Content#FunctionCall>.
//! A call comes whole, and is final with that; or in `partialArgs`, values at JSON paths, and is
//! then final with the first part without `willContinue`. Of several candidates only the first is
//! parsed. Thoughts are reasoning.

mod partial;

use alloc::borrow::Cow;
use alloc::vec::Vec;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::ending::Ending;
use super::error::push_error;
use super::payload::{Elements, Few, ListField, Raw, entries, is_true, number, raw_text, text, text_or_json};
use crate::wire::call_ref::MAX_NAME_LEN;
use crate::wire::deltas::{ArgumentsDelta, CallDelta, Delta, Deltas, Fragment, TextExtent};
use partial::{ArgumentsWriter, PartialArg};

#[derive(Deserialize)]
struct GeminiChunk<'a, Candidates> {
    /// The chunk in the envelope of Cloud Code.
    #[serde(borrow)]
    response: Raw<'a>,
    candidates: Option<Candidates>,
    #[serde(rename = "promptFeedback", borrow)]
    prompt_feedback: Raw<'a>,
    #[serde(borrow)]
    error: Raw<'a>,
}

#[derive(Deserialize)]
struct GeminiCandidate<'a, Parts> {
    #[serde(borrow)]
    index: Raw<'a>,
    content: Option<GeminiContent<Parts>>,
    #[serde(rename = "finishReason", borrow)]
    finish_reason: Raw<'a>,
    #[serde(rename = "finishMessage", borrow)]
    finish_message: Raw<'a>,
}

#[derive(Deserialize)]
struct GeminiContent<Parts> {
    /// A list of [`GeminiPart`].
    parts: Option<Parts>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GeminiPart<'a, Args> {
    #[serde(borrow)]
    text: Raw<'a>,
    #[serde(borrow)]
    thought: Raw<'a>,
    #[serde(borrow)]
    function_call: Option<GeminiCall<'a, Args>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GeminiCall<'a, Args> {
    #[serde(borrow)]
    id: Raw<'a>,
    #[serde(borrow)]
    name: Raw<'a>,
    #[serde(borrow)]
    args: Raw<'a>,
    /// A list of [`PartialArg`].
    partial_args: Option<Args>,
    #[serde(borrow)]
    will_continue: Raw<'a>,
}

type FewCandidates<'a> = Few<GeminiCandidate<'a, Few<GeminiPart<'a, Few<PartialArg<'a>>>>>>;

/// The parser of the payloads of one body.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(in crate::wire) struct GeminiParser {
    /// The call whose arguments are streaming.
    open: Option<StreamingCall>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct StreamingCall {
    name: Vec<u8>,
    id: Vec<u8>,
    writer: ArgumentsWriter,
}

impl GeminiParser {
    /// Returns whether the state is one of a body with that limit of an event.
    pub(in crate::wire) fn is_in_bounds(&self, limit: usize) -> bool {
        self.open
            .as_ref()
            .is_none_or(|call| call.name.len().max(call.id.len()) <= MAX_NAME_LEN && call.writer.is_in_bounds(limit))
    }

    pub(super) fn parse(&mut self, payload: &str, deltas: &mut Deltas) -> serde_json::Result<()> {
        match serde_json::from_str::<GeminiChunk<'_, FewCandidates<'_>>>(payload) {
            Ok(GeminiChunk { response: Some(response), candidates: None, .. }) => {
                self.parse_chunk(response.get(), deltas)
            }
            Ok(chunk) => self.push_chunk(chunk, deltas),
            Err(_) => self.parse_odd_chunk(payload, deltas),
        }
    }

    /// Parses a chunk that is in no envelope.
    fn parse_chunk(&mut self, chunk: &str, deltas: &mut Deltas) -> serde_json::Result<()> {
        match serde_json::from_str::<GeminiChunk<'_, FewCandidates<'_>>>(chunk) {
            Ok(chunk) => self.push_chunk(chunk, deltas),
            Err(_) => self.parse_odd_chunk(chunk, deltas),
        }
    }

    /// Parses a chunk with odd entries, or many.
    fn parse_odd_chunk(&mut self, chunk: &str, deltas: &mut Deltas) -> serde_json::Result<()> {
        let chunk: GeminiChunk<'_, &RawValue> = serde_json::from_str(chunk)?;
        self.push_chunk::<&RawValue, &RawValue>(chunk, deltas)
    }

    fn push_chunk<'a, Parts: ListField<'a, GeminiPart<'a, Args>>, Args: ListField<'a, PartialArg<'a>>>(
        &mut self,
        chunk: GeminiChunk<'a, impl ListField<'a, GeminiCandidate<'a, Parts>>>,
        deltas: &mut Deltas,
    ) -> serde_json::Result<()> {
        let candidates = entries(chunk.candidates, deltas)?;
        push_error(chunk.error, deltas);
        push_blocked(chunk.prompt_feedback, deltas);
        let first = candidates.into_iter().find(|candidate| number(candidate.index).unwrap_or(0) == 0);
        let Some(candidate) = first else { return Ok(()) };
        if let Some(content) = candidate.content {
            self.push_parts(entries(content.parts, deltas)?, deltas)?;
        }
        push_end(&text(candidate.finish_reason), &text(candidate.finish_message), deltas);
        Ok(())
    }

    fn push_parts<'a, Args: ListField<'a, PartialArg<'a>>>(
        &mut self,
        parts: Elements<GeminiPart<'a, Args>>,
        deltas: &mut Deltas,
    ) -> serde_json::Result<()> {
        // A payload that fails to parse must not change the open call, so the lengths of its lists
        // are checked first.
        let calls = parts.iter().filter_map(|part| part.function_call.as_ref());
        calls.filter_map(|call| call.partial_args.as_ref()).try_for_each(ListField::check_len)?;
        let mut stored_id = Fragment::default();
        for part in parts {
            match is_true(part.thought) {
                true => deltas.push_reasoning(None, raw_text(part.text), TextExtent::More),
                false => deltas.push_text(raw_text(part.text)),
            }
            if let Some(call) = part.function_call {
                self.push_call(call, &mut stored_id, deltas)?;
            }
        }
        Ok(())
    }

    /// Appends what a part says of a call. `stored_id`: the id of the part before it.
    fn push_call<'a>(
        &mut self,
        call: GeminiCall<'a, impl ListField<'a, PartialArg<'a>>>,
        stored_id: &mut Fragment,
        deltas: &mut Deltas,
    ) -> serde_json::Result<()> {
        let (name, id) = (short_text(call.name, deltas), short_text(call.id, deltas));
        let will_continue = is_true(call.will_continue);
        let is_partial = will_continue || call.partial_args.is_some();
        let continues = self.open.as_ref().is_some_and(|open| open.is_continued_by(&name, &id));
        if !continues {
            if name.is_empty() {
                return Ok(());
            }
            let writer = ArgumentsWriter::default();
            self.open = is_partial.then(|| StreamingCall { name: name.to_vec(), id: id.to_vec(), writer });
        }
        // The parts of a call go under the id of its first part, which alone has the name.
        let (id, name) = match &self.open {
            Some(open) if continues => (open.id.as_slice().into(), b"".as_slice().into()),
            _ => (id, name),
        };
        // The parts of a call have the same id, which is stored once for all of a payload.
        if deltas.bytes(*stored_id) != &*id {
            *stored_id = deltas.store(&id);
        }
        let (id, name) = (*stored_id, deltas.store(&name));
        let all = text_or_json(call.args);
        let arguments = match all.is_empty() {
            true => ArgumentsDelta::None,
            false => ArgumentsDelta::All(deltas.store(&all)),
        };
        deltas.push(Delta::Call(CallDelta { starts: !continues, id, name, arguments, ..CallDelta::default() }));
        if let Some(open) = &mut self.open {
            let mut json = Vec::new();
            entries(call.partial_args, deltas)?.iter().for_each(|arg| open.writer.write(arg, &mut json));
            if !will_continue {
                open.writer.close(&mut json);
            }
            let arguments = ArgumentsDelta::More(deltas.store(&json));
            deltas.push(Delta::Call(CallDelta { id, arguments, ..CallDelta::default() }));
        }
        if !will_continue {
            self.open = None;
            deltas.push(Delta::Call(CallDelta { id, is_final: true, ..CallDelta::default() }));
        }
        Ok(())
    }
}

/// Returns a name or an id; empty if it is so long that it means nothing.
///
/// It is kept, and stored again for the parts of its call. Single surrogates become U+FFFD.
fn short_text<'a>(raw: Raw<'a>, deltas: &mut Deltas) -> Cow<'a, [u8]> {
    let text = text(raw);
    if text.len() > MAX_NAME_LEN {
        return Cow::default();
    }
    if core::str::from_utf8(&text).is_ok() {
        return text;
    }
    let stored = deltas.store(&text);
    let (start, end) = deltas.resolve(stored);
    Cow::Owned(deltas.text.as_bytes()[start..end].to_vec())
}

/// Appends the end of a message that ends with that reason. Any that is not one of these is a failure.
fn push_end(reason: &[u8], message: &[u8], deltas: &mut Deltas) {
    match reason {
        b"" => {}
        b"STOP" | b"MAX_TOKENS" | b"FINISH_REASON_UNSPECIFIED" => deltas.push(Delta::End),
        _ => {
            if !message.is_empty() {
                let message = deltas.store(message);
                deltas.push(Delta::Error(message));
            }
            Ending::Failed.push(reason, deltas);
        }
    }
}

/// Appends an error if the prompt was blocked: there are no candidates then.
fn push_blocked(feedback: Raw<'_>, deltas: &mut Deltas) {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct PromptFeedback<'a> {
        #[serde(borrow)]
        block_reason: Raw<'a>,
    }
    let Some(Ok(feedback)) = feedback.map(|raw| serde_json::from_str::<PromptFeedback<'_>>(raw.get())) else { return };
    let reason = text(feedback.block_reason);
    if !reason.is_empty() {
        let message = deltas.store(&[b"the prompt was blocked: ", &*reason].concat());
        deltas.push(Delta::Error(message));
    }
}

impl StreamingCall {
    /// Returns whether a part with that name and id continues this call.
    ///
    /// Later parts leave out name and id, or repeat them, and the id may come late.
    fn is_continued_by(&self, name: &[u8], id: &[u8]) -> bool {
        (name.is_empty() || *name == *self.name) && (id.is_empty() || self.id.is_empty() || *id == *self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    #[test]
    fn the_id_of_a_call_takes_memory_once_however_many_parts_it_has() {
        let continued = ",{\"functionCall\":{\"willContinue\":true}}".repeat(1_000);
        for len in [MAX_NAME_LEN, MAX_NAME_LEN + 1, 800_000] {
            let id = "x".repeat(len);
            let start = format!("{{\"functionCall\":{{\"id\":\"{id}\",\"name\":\"ask\",\"willContinue\":true}}}}");
            let of = |parts: &str| format!("{{\"candidates\":[{{\"content\":{{\"parts\":[{parts}]}}}}]}}");
            let (mut parser, mut deltas) = (GeminiParser::default(), Deltas::default());
            for payload in [of(&format!("{start}{continued}")), of(&continued[1..])] {
                parser.parse(&payload, &mut deltas).unwrap();
                assert!(deltas.text.len() <= MAX_NAME_LEN + 3, "{} bytes of an id of {len}", deltas.text.len());
                deltas.clear();
            }
        }
    }
}
