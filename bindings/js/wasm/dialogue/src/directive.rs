//! Directives as JSON, and rejected calls from JSON.

use followup::dialogue::{Correction, Directive, Question, Rejection};
use serde::{Deserialize, Serialize};

use crate::reason::ReasonJson;

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
    #[serde(flatten)]
    reason: ReasonJson,
}

impl From<RejectedJson> for Rejection {
    fn from(call: RejectedJson) -> Rejection {
        let mut rejection = Rejection::new(call.tool, call.reason.into());
        (rejection.id, rejection.shape) = (call.id, call.shape);
        rejection
    }
}
