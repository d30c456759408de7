//! Gemini, `streamGenerateContent`.
//!
//! <https://ai.google.dev/api/generate-content> and, for arguments that stream,
//! <https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1/Content#FunctionCall>.
//! A call comes whole, and is final with that; or in `partialArgs`, values at JSON paths, and is
//! then final with its first part without `willContinue`. Of several candidates only the first is
//! parsed. Thoughts are reasoning.

mod partial;

use alloc::borrow::Cow;
use alloc::vec::Vec;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::ending::MessageEnd;
use super::error::push_error;
use super::payload::{Elements, Few, ListField, Raw, entries, is_true, number, raw_text, text, text_or_json};
use crate::wire::call_ref::MAX_NAME_LEN;
use crate::wire::deltas::{ArgumentsDelta, CallDelta, Delta, Deltas, Fragment, TextExtent};
use partial::{ArgumentsWriter, MAX_PATHS, PartialArg};

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
    /// The calls whose arguments are streaming, at most [`MAX_OPEN`].
    ///
    /// They are in the order in which they began.
    open: Vec<StreamingCall>,
    /// The number of indices that were given to calls.
    indices: u64,
}

/// The number of calls whose arguments may stream at once.
///
/// If there are more, the oldest is forgotten.
const MAX_OPEN: usize = 4;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct StreamingCall {
    /// Name and id are empty while they are unknown. At least one is known.
    name: Vec<u8>,
    id: Vec<u8>,
    /// The index that a call without a name or an id is given, so that its parts go to no other.
    index: Option<u64>,
    writer: ArgumentsWriter,
}

impl StreamingCall {
    /// Appends that its arguments can't be continued.
    fn break_off(mut self, deltas: &mut Deltas) {
        let mut json = Vec::new();
        self.writer.break_off(&mut json);
        let (id, arguments) = (deltas.store(&self.id), ArgumentsDelta::More(deltas.store(&json)));
        deltas.push(Delta::Call(CallDelta { index: self.index, id, arguments, ..CallDelta::default() }));
    }
}

impl GeminiParser {
    /// Returns whether the state is one that a body can have.
    pub(in crate::wire) fn is_in_bounds(&self) -> bool {
        let are =
            |call: &StreamingCall| call.name.len().max(call.id.len()) <= MAX_NAME_LEN && call.writer.is_in_bounds();
        self.indices < u64::MAX / 2
            && self.open.len() <= MAX_OPEN
            && self.open.iter().all(are)
            && self.paths() <= MAX_PATHS
    }

    /// Returns the number of paths that are remembered.
    fn paths(&self) -> usize {
        self.open.iter().map(|call| call.writer.paths()).sum()
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
        let known = self.find(&name, &id);
        let mut open = match known {
            Some(i) => self.open.remove(i),
            None => {
                let is_part = (name.is_empty() && !id.is_empty()) || (id.is_empty() && !name.is_empty() && is_partial);
                let index = Some(self.indices).filter(|_| is_part);
                self.indices += u64::from(index.is_some());
                StreamingCall { name: Vec::new(), id: id.to_vec(), index, writer: ArgumentsWriter::default() }
            }
        };
        let index = open.index;
        // A name or an id that comes later is new.
        if open.id.is_empty() {
            open.id.extend_from_slice(&id);
        }
        let new_name = if open.name.is_empty() { &*name } else { b"" };
        // That id is stored once for all of a payload.
        if *deltas.bytes(*stored_id) != *open.id {
            *stored_id = deltas.store(&open.id);
        }
        let (id, name) = (*stored_id, deltas.store(new_name));
        open.name.extend_from_slice(new_name);
        let has_reference = !open.name.is_empty() || !open.id.is_empty();
        let all = text_or_json(call.args);
        let arguments = match all.is_empty() {
            true => ArgumentsDelta::None,
            false => ArgumentsDelta::All(deltas.store(&all)),
        };
        let starts = known.is_none() && !new_name.is_empty();
        let is_whole = known.is_none() && !is_partial;
        if !new_name.is_empty() || !all.is_empty() {
            let is_final = is_whole && has_reference;
            deltas.push(Delta::Call(CallDelta {
                starts,
                index,
                id,
                name,
                arguments,
                is_final,
                ..CallDelta::default()
            }));
        }
        if is_whole {
            return Ok(());
        }
        let (mut json, room) = (Vec::new(), MAX_PATHS - self.paths());
        entries(call.partial_args, deltas)?.iter().for_each(|arg| open.writer.write(arg, room, &mut json));
        if !will_continue {
            open.writer.close(&mut json);
        }
        let is_final = !will_continue && has_reference;
        if is_final || !json.is_empty() {
            let arguments = ArgumentsDelta::More(deltas.store(&json));
            deltas.push(Delta::Call(CallDelta { index, id, arguments, is_final, ..CallDelta::default() }));
        }
        // What refers to no call can't be continued.
        if will_continue && has_reference {
            let position = known.unwrap_or(self.open.len());
            self.open.insert(position, open);
            if self.open.len() > MAX_OPEN {
                self.open.remove(0).break_off(deltas);
            }
        }
        Ok(())
    }

    /// Returns the call that a part with that name and id continues.
    ///
    /// Later parts leave out name and id, or repeat them, and either may come late. A part with an
    /// id continues the call with that id, and any other the newest one.
    fn find(&self, name: &[u8], id: &[u8]) -> Option<usize> {
        let agree = |known: &[u8], given: &[u8]| known.is_empty() || given.is_empty() || *known == *given;
        let is_named = |call: &StreamingCall| agree(&call.name, name);
        let by_id = || self.open.iter().rposition(|call| !id.is_empty() && *call.id == *id && is_named(call));
        let newest = || {
            let newest = self.open.last()?;
            Some(self.open.len() - 1).filter(|_| is_named(newest) && agree(&newest.id, id))
        };
        by_id().or_else(newest)
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

/// Appends the end of a message. Any reason but these is a failure.
fn push_end(reason: &[u8], message: &[u8], deltas: &mut Deltas) {
    let is = |word: &str| reason.eq_ignore_ascii_case(word.as_bytes());
    match () {
        () if reason.is_empty() => {}
        () if is("STOP") || is("FINISH_REASON_UNSPECIFIED") => deltas.push(Delta::End),
        () if is("MAX_TOKENS") => MessageEnd::Truncated.push(reason, deltas),
        () => {
            if !message.is_empty() {
                let message = deltas.store(message);
                deltas.push(Delta::Error(message));
            }
            MessageEnd::Failed.push(reason, deltas);
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
