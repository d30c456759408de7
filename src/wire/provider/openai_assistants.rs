//! OpenAI Assistants: the events of a run.
//!
//! <https://platform.openai.com/docs/api-reference/assistants-streaming/events>. Each payload is an
//! object that its `object` names. A call is final when the run requires its output.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::ending::MessageEnd;
use super::error::{push_error, push_error_event};
use super::payload::{
    Few, ListField, Raw, entries, is_text, number, raw_text, raw_text_or_json, store_arguments, text,
};
use crate::wire::deltas::{ArgumentsDelta, CallDelta, Delta, Deltas};

#[derive(Deserialize)]
struct RunEvent<'a, Calls, Contents> {
    #[serde(borrow)]
    object: Raw<'a>,
    #[serde(borrow)]
    status: Raw<'a>,
    #[serde(borrow)]
    role: Raw<'a>,
    /// The content of a whole message: a list of [`MessageContent`].
    content: Option<Contents>,
    delta: Option<RunDelta<Calls, Contents>>,
    required_action: Option<RequiredAction<Calls>>,
    #[serde(borrow)]
    last_error: Raw<'a>,
    #[serde(borrow)]
    error: Raw<'a>,
    /// The message of an error.
    #[serde(borrow)]
    message: Raw<'a>,
}

#[derive(Deserialize)]
struct RunDelta<Calls, Contents> {
    /// A list of [`MessageContent`].
    content: Option<Contents>,
    step_details: Option<ToolCalls<Calls>>,
}

#[derive(Deserialize)]
struct RequiredAction<Calls> {
    submit_tool_outputs: Option<ToolCalls<Calls>>,
}

#[derive(Deserialize)]
struct ToolCalls<Calls> {
    /// A list of [`RunToolCall`].
    tool_calls: Option<Calls>,
}

#[derive(Deserialize)]
struct RunToolCall<'a> {
    #[serde(borrow)]
    index: Raw<'a>,
    #[serde(borrow)]
    id: Raw<'a>,
    #[serde(borrow)]
    function: Option<RunFunction<'a>>,
}

#[derive(Deserialize)]
struct RunFunction<'a> {
    #[serde(borrow)]
    name: Raw<'a>,
    #[serde(borrow)]
    arguments: Raw<'a>,
}

#[derive(Deserialize)]
struct MessageContent<'a> {
    #[serde(borrow)]
    text: Option<MessageTextPart<'a>>,
    #[serde(borrow)]
    refusal: Raw<'a>,
}

#[derive(Deserialize)]
struct MessageTextPart<'a> {
    #[serde(borrow)]
    value: Raw<'a>,
}

/// The parser of the payloads of one body.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(in crate::wire) struct AssistantsParser {
    /// The message that is open has come in deltas.
    has_deltas: bool,
}

impl AssistantsParser {
    pub(super) fn parse(&mut self, payload: &str, deltas: &mut Deltas) -> serde_json::Result<()> {
        match serde_json::from_str::<RunEvent<'_, Few<RunToolCall<'_>>, Few<MessageContent<'_>>>>(payload) {
            Ok(event) => self.push(event, payload, deltas),
            Err(_) => self.push(serde_json::from_str::<RunEvent<'_, &RawValue, &RawValue>>(payload)?, payload, deltas),
        }
    }

    fn push<'a>(
        &mut self,
        event: RunEvent<'a, impl ListField<'a, RunToolCall<'a>>, impl ListField<'a, MessageContent<'a>>>,
        payload: &str,
        deltas: &mut Deltas,
    ) -> serde_json::Result<()> {
        match (&*text(event.object), event.delta) {
            (b"thread.message.delta", Some(delta)) => {
                push_content(delta.content, deltas)?;
                self.has_deltas = true;
            }
            (b"thread.run.step.delta", Some(RunDelta { step_details: Some(details), .. })) => {
                push_calls(details, false, deltas)?;
            }
            (b"thread.message", _) if is_text(event.status, "completed") => {
                let is_new = !self.has_deltas && is_text(event.role, "assistant");
                push_content(event.content.filter(|_| is_new), deltas)?;
                self.has_deltas = false;
            }
            (b"thread.run", _) => push_run(event.status, event.required_action, event.last_error, deltas)?,
            (b"", _) => push_error(event.error.or(event.message), deltas),
            (b"error", _) => push_error_event(event.error.or(event.message), payload, deltas),
            _ => {}
        }
        Ok(())
    }
}

fn push_run<'a>(
    status: Raw<'_>,
    action: Option<RequiredAction<impl ListField<'a, RunToolCall<'a>>>>,
    error: Raw<'_>,
    deltas: &mut Deltas,
) -> serde_json::Result<()> {
    if let Some(calls) = action.and_then(|action| action.submit_tool_outputs) {
        push_calls(calls, true, deltas)?;
    }
    push_error(error, deltas);
    let status = text(status);
    let ending = match &*status {
        b"requires_action" | b"completed" => MessageEnd::Complete,
        b"incomplete" | b"cancelled" => MessageEnd::Truncated,
        b"failed" | b"expired" => MessageEnd::Failed,
        _ => return Ok(()),
    };
    ending.push(&status, deltas);
    Ok(())
}

fn push_calls<'a>(
    calls: ToolCalls<impl ListField<'a, RunToolCall<'a>>>,
    is_whole: bool,
    deltas: &mut Deltas,
) -> serde_json::Result<()> {
    for call in entries(calls.tool_calls, deltas)? {
        // The provider runs its other tools itself.
        let Some(function) = call.function else { continue };
        let (id, name) = (deltas.store(raw_text(call.id)), deltas.store(raw_text(function.name)));
        let arguments = match is_whole {
            true => ArgumentsDelta::All(deltas.store(raw_text_or_json(function.arguments))),
            false => store_arguments(function.arguments, deltas),
        };
        let index = number(call.index);
        deltas.push(Delta::Call(CallDelta { starts: is_whole, index, id, name, arguments, ..CallDelta::default() }));
    }
    Ok(())
}

fn push_content<'a>(
    contents: Option<impl ListField<'a, MessageContent<'a>>>,
    deltas: &mut Deltas,
) -> serde_json::Result<()> {
    for content in entries(contents, deltas)? {
        deltas.push_text(raw_text(content.text.and_then(|text| text.value)));
        deltas.push_text(raw_text(content.refusal));
    }
    Ok(())
}
