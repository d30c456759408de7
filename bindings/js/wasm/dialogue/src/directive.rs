//! Directives as JSON.

use followup::dialogue::{Correction, Directive, Question};
use serde::Serialize;

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
