//! Directives as JSON, and rejected calls from JSON.

use followup::dialogue::{Correction, Directive, Question, Rejection};
use serde::{Deserialize, Serialize};

use crate::{Failure, reason};

/// A directive, as JavaScript is told.
#[derive(Default, Serialize)]
pub(crate) struct DirectiveJson {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<Question>,
    #[serde(skip_serializing_if = "Option::is_none")]
    correction: Option<Correction>,
}

pub(crate) fn directive_json(directive: Directive<'_>) -> DirectiveJson {
    let ask = |kind, question: &Question| DirectiveJson { kind, question: Some(question.clone()), correction: None };
    let tell = |kind, one: &Correction| DirectiveJson { kind, correction: Some(one.clone()), question: None };
    match directive {
        Directive::Ask(question) => ask("ask", question),
        Directive::Later(question) => ask("later", question),
        Directive::Tell(correction) => tell("tell", correction),
        Directive::Stop(correction) => tell("stop", correction),
        // A call that grows is shown by JavaScript.
        Directive::Nothing | Directive::Show(_) => DirectiveJson { kind: "nothing", ..DirectiveJson::default() },
    }
}

/// A rejected call, as the parser's event has it.
#[derive(Deserialize)]
pub(crate) struct RejectedJson {
    id: Option<String>,
    tool: String,
    shape: Option<String>,
    code: String,
    message: String,
}

/// Returns the rejected call.
///
/// # Errors
///
/// If no event has this code and message.
pub(crate) fn rejection(call: RejectedJson) -> Result<Rejection, Failure> {
    let reason = reason::find(&call.code, &call.message)
        .ok_or_else(|| Failure::of_type(format!("{}: {} is no reason of a rejection", call.code, call.message)))?;
    let mut rejection = Rejection::new(call.tool, reason);
    (rejection.id, rejection.shape) = (call.id, call.shape);
    Ok(rejection)
}
