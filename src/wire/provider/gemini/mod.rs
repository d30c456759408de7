//! Gemini, `streamGenerateContent`.
//!
//! <https://ai.google.dev/api/generate-content> and, for arguments that stream,
//! <https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1/Content#FunctionCall>. A call comes whole, and is final with that; or in
//! `partialArgs`, each a value at a JSON path, and then it is final with the part that says of nothing that it will continue. Of several
//! candidates only the first is read. Thoughts are no prose.

mod partial;

use alloc::vec::Vec;

use serde::Deserialize;

use super::{few, list, push_error};
use crate::wire::deltas::{Arguments, Call, Delta, Deltas};
use crate::wire::text::{Raw, arguments, is_true, name, number};
use partial::{Json, PartialArg};

#[derive(Deserialize)]
struct Chunk<'a> {
    #[serde(borrow, default, deserialize_with = "few")]
    candidates: Option<Vec<Candidate<'a>>>,
    #[serde(borrow)]
    error: Raw<'a>,
}

#[derive(Deserialize)]
struct Candidate<'a> {
    #[serde(borrow)]
    index: Raw<'a>,
    #[serde(borrow)]
    content: Option<Content<'a>>,
}

#[derive(Deserialize)]
struct Content<'a> {
    /// A list of parts. It is read when the candidate is: a payload may have lists in lists.
    #[serde(borrow)]
    parts: Raw<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part<'a> {
    #[serde(borrow)]
    text: Raw<'a>,
    #[serde(borrow)]
    thought: Raw<'a>,
    #[serde(borrow)]
    function_call: Option<FunctionCall<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FunctionCall<'a> {
    #[serde(borrow)]
    id: Raw<'a>,
    #[serde(borrow)]
    name: Raw<'a>,
    #[serde(borrow)]
    args: Raw<'a>,
    /// A list of values, read when the call is.
    #[serde(borrow)]
    partial_args: Raw<'a>,
    #[serde(borrow)]
    will_continue: Raw<'a>,
}

/// Reads the payloads of one body.
#[derive(Clone, Debug, Default)]
pub(in crate::wire) struct Gemini {
    /// The call whose arguments are streaming.
    open: Option<Open>,
}

#[derive(Clone, Debug)]
struct Open {
    name: Vec<u8>,
    id: Vec<u8>,
    json: Json,
}

impl Gemini {
    pub(super) fn read(&mut self, payload: &str, deltas: &mut Deltas) -> serde_json::Result<()> {
        let Chunk { candidates, error } = serde_json::from_str(payload)?;
        push_error(error, deltas);
        let first = candidates.into_iter().flatten().find(|candidate| number(candidate.index).unwrap_or(0) == 0);
        let Some(content) = first.and_then(|candidate| candidate.content) else { return Ok(()) };
        let parts: Vec<Part<'_>> = list(content.parts)?;
        // Nothing of a payload that can't be read to its end may change the call that is open.
        for call in parts.iter().filter_map(|part| part.function_call.as_ref()) {
            list::<PartialArg<'_>>(call.partial_args)?;
        }
        for part in parts {
            if !is_true(part.thought) {
                deltas.push_text(&name(part.text));
            }
            if let Some(call) = part.function_call {
                self.push_call(&call, deltas)?;
            }
        }
        Ok(())
    }

    fn push_call(&mut self, call: &FunctionCall<'_>, deltas: &mut Deltas) -> serde_json::Result<()> {
        let (called, id) = (name(call.name), name(call.id));
        let continues = is_true(call.will_continue);
        let partial = continues || call.partial_args.is_some_and(|list| list.get() != "null");
        let goes_on = self.open.as_ref().is_some_and(|open| open.goes_on(&called, &id));
        if !goes_on {
            if called.is_empty() {
                return Ok(());
            }
            self.open = partial.then(|| Open { name: called.to_vec(), id: id.to_vec(), json: Json::default() });
        }
        // Which call goes on is clear; it has its name and id from its first part.
        let (id, called) = match &self.open {
            Some(open) if goes_on => (open.id.as_slice().into(), b"".as_slice().into()),
            _ => (id, called),
        };
        let (id, name) = (deltas.keep(&id), deltas.keep(&called));
        let all = arguments(call.args);
        let arguments = if all.is_empty() { Arguments::Nothing } else { Arguments::All(deltas.keep(&all)) };
        deltas.push(Delta::Call(Call { begins: !goes_on, id, name, arguments, ..Call::default() }));
        if let Some(open) = &mut self.open {
            let mut json = Vec::new();
            list(call.partial_args)?.iter().for_each(|arg| open.json.write(arg, &mut json));
            if !continues {
                open.json.close(&mut json);
            }
            let arguments = Arguments::More(deltas.keep(&json));
            deltas.push(Delta::Call(Call { id, arguments, ..Call::default() }));
        }
        if !continues {
            self.open = None;
            deltas.push(Delta::Call(Call { id, ends: true, ..Call::default() }));
        }
        Ok(())
    }
}

impl Open {
    /// Whether a part with that name and id belongs to this call: they are left out then, or repeated, or the id comes late.
    fn goes_on(&self, name: &[u8], id: &[u8]) -> bool {
        (name.is_empty() || *name == *self.name) && (id.is_empty() || self.id.is_empty() || *id == *self.id)
    }
}
