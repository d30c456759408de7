//! Alibaba's DashScope, in its own format.
//!
//! <https://help.aliyun.com/zh/model-studio/qwen-api-via-dashscope>: `output.choices`, or
//! `output.text`. A payload has the next piece (`incremental_output`), or all that there is so far;
//! the second piece tells which. `reasoning_content` is reasoning.

use alloc::vec::Vec;
use core::hash::Hasher;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::error::push_error;
use super::openai_chat::ending;
use super::payload::{Few, ListField, Raw, entries, number, raw_text, raw_text_or_json, text};
use crate::hash::Fnv;
use crate::wire::deltas::{ArgumentsDelta, CallDelta, Delta, Deltas, Fragment};

#[derive(Deserialize)]
struct DashScopeChunk<'a, Choices> {
    #[serde(borrow)]
    output: Option<DashScopeOutput<'a, Choices>>,
    /// With a `code`, the message of an error.
    #[serde(borrow)]
    message: Raw<'a>,
    #[serde(borrow)]
    code: Raw<'a>,
}

#[derive(Deserialize)]
struct DashScopeOutput<'a, Choices> {
    #[serde(borrow)]
    text: Raw<'a>,
    #[serde(borrow)]
    finish_reason: Raw<'a>,
    /// A list of [`DashScopeChoice`].
    choices: Option<Choices>,
}

#[derive(Deserialize)]
struct DashScopeChoice<'a, Calls> {
    #[serde(borrow)]
    index: Raw<'a>,
    #[serde(borrow)]
    message: Option<DashScopeMessage<'a, Calls>>,
    #[serde(borrow)]
    finish_reason: Raw<'a>,
}

#[derive(Deserialize)]
struct DashScopeMessage<'a, Calls> {
    /// A text, or a list of [`DashScopePart`].
    #[serde(borrow)]
    content: Raw<'a>,
    #[serde(borrow)]
    reasoning_content: Raw<'a>,
    /// A list of [`DashScopeToolCall`].
    tool_calls: Option<Calls>,
}

#[derive(Deserialize)]
struct DashScopePart<'a> {
    #[serde(borrow)]
    text: Raw<'a>,
}

#[derive(Deserialize)]
struct DashScopeToolCall<'a> {
    #[serde(borrow)]
    index: Raw<'a>,
    #[serde(borrow)]
    id: Raw<'a>,
    #[serde(borrow)]
    function: Option<DashScopeFunction<'a>>,
}

#[derive(Deserialize)]
struct DashScopeFunction<'a> {
    #[serde(borrow)]
    name: Raw<'a>,
    #[serde(borrow)]
    arguments: Raw<'a>,
}

type FewDashScopeChoices<'a> = Few<DashScopeChoice<'a, Few<DashScopeToolCall<'a>>>>;

/// The parser of the payloads of one body.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(in crate::wire) struct DashScopeParser {
    text: Progress,
    reasoning: Progress,
    /// The last calls that are new, at most [`MAX_CALLS`].
    calls: Vec<CallSoFar>,
    /// How the arguments of all calls come.
    arguments: Mode,
}

/// The number of calls whose arguments are compared with those that have come.
///
/// A payload may repeat all calls so far.
const MAX_CALLS: usize = 64;

/// How the arguments of a call have come so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct CallSoFar {
    index: Option<u64>,
    is_named: bool,
    arguments: Progress,
}

/// How a text has come so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Progress {
    mode: Mode,
    /// Length and hash of the text.
    len: usize,
    hash: Fnv,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Mode {
    #[default]
    Unknown,
    /// Each payload has the next piece.
    Incremental,
    /// Each payload has all of it so far.
    Cumulative,
}

/// The bytes that a second piece must have to count as all so far when it is the same as the first.
///
/// Short pieces do repeat.
const MIN_REPEATED: usize = 8;

impl Progress {
    /// Returns how many bytes of a payload's text are not new.
    ///
    /// `may_repeat`: a text that was read before is no new piece.
    fn advance(&mut self, text: &[u8], may_repeat: bool) -> usize {
        if text.is_empty() {
            return 0;
        }
        if self.len == 0 {
            self.push(text);
            return 0;
        }
        if self.mode == Mode::Unknown {
            self.mode = match text.get(self.len..) {
                Some(rest) if self.begins(text) && (!rest.is_empty() || may_repeat || text.len() >= MIN_REPEATED) => {
                    Mode::Cumulative
                }
                _ => Mode::Incremental,
            };
        }
        let known = if self.mode == Mode::Cumulative && self.begins(text) { self.len } else { 0 };
        self.push(&text[known..]);
        known
    }

    /// Returns whether a text begins with all that has come.
    fn begins(&self, text: &[u8]) -> bool {
        let mut hash = Fnv::default();
        text.get(..self.len).is_some_and(|start| {
            hash.write(start);
            hash == self.hash
        })
    }

    fn push(&mut self, text: &[u8]) {
        self.len += text.len();
        self.hash.write(text);
    }
}

impl DashScopeParser {
    /// Returns whether the lengths can grow.
    pub(super) fn is_in_bounds(&self) -> bool {
        let is_in_bounds = |progress: &Progress| progress.len < usize::MAX / 2;
        let calls_are = self.calls.len() <= MAX_CALLS && self.calls.iter().all(|call| is_in_bounds(&call.arguments));
        is_in_bounds(&self.text) && is_in_bounds(&self.reasoning) && calls_are
    }

    pub(super) fn parse(&mut self, payload: &str, deltas: &mut Deltas) -> serde_json::Result<()> {
        match serde_json::from_str::<DashScopeChunk<'_, FewDashScopeChoices<'_>>>(payload) {
            Ok(chunk) => self.push(chunk, deltas),
            Err(_) => {
                let chunk: DashScopeChunk<'_, &RawValue> = serde_json::from_str(payload)?;
                self.push::<&RawValue>(chunk, deltas)
            }
        }
    }

    fn push<'a, Calls: ListField<'a, DashScopeToolCall<'a>>>(
        &mut self,
        chunk: DashScopeChunk<'a, impl ListField<'a, DashScopeChoice<'a, Calls>>>,
        deltas: &mut Deltas,
    ) -> serde_json::Result<()> {
        // A code that is a number may be that of a success.
        if !text(chunk.code).is_empty() || chunk.code.is_some_and(|_| chunk.output.is_none()) {
            push_error(chunk.message.or(chunk.code), deltas);
        }
        let Some(output) = chunk.output else { return Ok(()) };
        let choice = entries(output.choices, deltas)?.into_iter().find(|choice| number(choice.index).unwrap_or(0) == 0);
        let (message, reason) = match choice {
            Some(choice) => (choice.message, choice.finish_reason),
            None => (None, output.finish_reason),
        };
        let reason = text(reason);
        let is_last = !matches!(&*reason, b"" | b"null");
        // A payload that fails to parse must not change the progress, so its lists are parsed
        // first.
        let content = match &message {
            Some(message) => store_content(message.content, deltas)?,
            None => deltas.store(raw_text(output.text)),
        };
        let reasoning =
            message.as_ref().and_then(|message| message.reasoning_content).filter(|_| deltas.reads_reasoning);
        let reasoning = deltas.store(raw_text(reasoning));
        let calls = entries(message.and_then(|message| message.tool_calls), deltas)?;
        // New reasoning comes before all else.
        let may_repeat = is_last || !calls.is_empty() || !content.is_empty();
        let known = self.reasoning.advance(deltas.bytes(reasoning), may_repeat);
        deltas.push_stored_reasoning(reasoning.skip(known));
        // A new piece of text comes neither with calls nor at the end.
        let known = self.text.advance(deltas.bytes(content), is_last || !calls.is_empty());
        deltas.push_stored_text(content.skip(known));
        for call in calls {
            self.push_call(call, is_last, deltas);
        }
        if is_last {
            ending(&reason).push(&reason, deltas);
        }
        Ok(())
    }

    fn push_call(&mut self, call: DashScopeToolCall<'_>, is_last: bool, deltas: &mut Deltas) {
        let Some(function) = call.function else { return };
        let index = number(call.index);
        let all = deltas.store(raw_text_or_json(function.arguments));
        let is_named = !text(function.name).is_empty();
        let is_cumulative = self.text.mode == Mode::Cumulative;
        let mode = self.arguments;
        let known = self.call_so_far(index);
        // A payload that names the tool of a known call again has the whole call so far.
        let may_repeat = is_last || is_cumulative || (is_named && known.is_named);
        known.is_named |= is_named;
        // All calls come in the same way.
        known.arguments.mode = mode;
        known.arguments.advance(deltas.bytes(all), may_repeat);
        self.arguments = known.arguments.mode;
        let is_object = function.arguments.is_some_and(|raw| raw.get().starts_with('{'));
        let arguments = match self.arguments {
            Mode::Unknown | Mode::Incremental if !is_object => ArgumentsDelta::More(all),
            Mode::Unknown | Mode::Incremental | Mode::Cumulative => ArgumentsDelta::All(all),
        };
        let (id, name) = (deltas.store(raw_text(call.id)), deltas.store(raw_text(function.name)));
        deltas.push(Delta::Call(CallDelta { index, id, name, arguments, ..CallDelta::default() }));
    }

    /// Returns the progress of the call at an index.
    ///
    /// If there are too many, the oldest is forgotten.
    fn call_so_far(&mut self, index: Option<u64>) -> &mut CallSoFar {
        let position = self.calls.iter().position(|call| call.index == index);
        let i = position.unwrap_or_else(|| {
            if self.calls.len() == MAX_CALLS {
                self.calls.remove(0);
            }
            self.calls.push(CallSoFar { index, ..CallSoFar::default() });
            self.calls.len() - 1
        });
        &mut self.calls[i]
    }
}

/// Stores the text of a message's content.
fn store_content(content: Raw<'_>, deltas: &mut Deltas) -> serde_json::Result<Fragment> {
    if content.is_some_and(|content| content.get().starts_with('"')) {
        return Ok(deltas.store(raw_text(content)));
    }
    let parts = entries::<DashScopePart<'_>>(content, deltas)?;
    let all: Vec<u8> = parts.iter().flat_map(|part| text(part.text).into_owned()).collect();
    Ok(deltas.store(&all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::borrow::ToOwned;
    use alloc::string::String;

    /// What the texts of payloads add up to. The last one is the end.
    fn added(texts: &[&str]) -> String {
        let mut progress = Progress::default();
        let last = texts.len() - 1;
        let add = |(i, text): (usize, &&str)| text[progress.advance(text.as_bytes(), i == last)..].to_owned();
        texts.iter().enumerate().map(add).collect()
    }

    #[test]
    fn the_second_piece_tells_whether_payloads_have_all_so_far() {
        for (texts, expected) in [
            (&["Which", " one", "?", ""][..], "Which one?"),
            (&["Which", "Which one", "Which one?", "Which one?"], "Which one?"),
            (&["Which one?", "Which one?", "Which one?"], "Which one?"),
            (&["Hm", "Hm"], "Hm"),
            (&["", "", "Hm", "", ".", ""], "Hm."),
            (&["Which", "", "Which one", "Which one?"], "Which one?"),
            (&["0", "0", "0", ""], "000"),
            (&["Which", "Which one", "?"], "Which one?"),
        ] {
            assert_eq!(added(texts), expected, "{texts:?}");
        }
    }
}
