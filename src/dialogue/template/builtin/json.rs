//! Templates of hosts that write JSON.

use super::parts::{entry, error, general, outcome, said, text};
use crate::dialogue::template::model::{Template, TemplateEntry, TemplateOutcome, TemplateRejection, Text};

pub(super) fn kimi() -> Template {
    Template {
        name: text("kimi"),
        json: true,
        answered: text(r#"{"answers": {{entries}}}"#),
        between_entries: text(", "),
        entry: entry(r#""{question}": "{answer}""#),
        nothing: said(KIMI_DISMISSED),
        cancelled: said(KIMI_DISMISSED),
        ..general()
    }
}

const KIMI_DISMISSED: &str = r#"{"answers": {}, "note": "User dismissed the question without answering."}"#;

pub(super) fn kimi_code() -> Template {
    Template {
        name: text("kimi-code"),
        json: true,
        answered: text(r#"{"answers":{{entries}}}"#),
        between_entries: text(","),
        entry: entry(r#""{question}":"{answer}""#),
        nothing: said(KIMI_CODE_DISMISSED),
        cancelled: said(KIMI_CODE_DISMISSED),
        ..general()
    }
}

const KIMI_CODE_DISMISSED: &str = r#"{"answers":{},"note":"User dismissed the question without answering."}"#;

pub(super) fn codex() -> Template {
    Template {
        name: text("codex"),
        json: true,
        answered: text(r#"{"answers":{{entries}}}"#),
        between_entries: text(","),
        entry: TemplateEntry {
            written: Some(text(r#""{id}":{"answers":["None of the above","user_note: {text}"{note}]}"#)),
            free: Some(text(r#""{id}":{"answers":["user_note: {text}"{note}]}"#)),
            both: Some(text(r#""{id}":{"answers":[{picks},"user_note: {text}"{note}]}"#)),
            unanswered: Some(text(r#""{id}":{"answers":[]}"#)),
            ..entry(r#""{id}":{"answers":[{picks}{note}]}"#)
        },
        pick: text("\"{label}\""),
        between_picks: text(","),
        note: text(r#","user_note: {note}""#),
        cancelled: error("request_user_input was cancelled before receiving a response"),
        timed_out: said(r#"{"answers":{}}"#),
        rejected: Some(TemplateRejection {
            missing_parameter: text("failed to parse function arguments: missing field `{parameter}`"),
            other: text("failed to parse function arguments: {details}"),
            is_error: true,
        }),
        ..general()
    }
}

const VSCODE_SKIPPED: Text = text(r#""{id}":{"selected":[],"freeText":null,"skipped":true}"#);

pub(super) fn vscode() -> Template {
    Template {
        name: text("vscode"),
        json: true,
        answered: text(r#"{"answers":{{entries}}}"#),
        between_entries: text(","),
        entry: TemplateEntry {
            written: Some(text(r#""{id}":{"selected":[],"freeText":"{text}","skipped":false}"#)),
            both: Some(text(r#""{id}":{"selected":[{picks}],"freeText":"{text}","skipped":false}"#)),
            unanswered: Some(VSCODE_SKIPPED),
            ..entry(r#""{id}":{"selected":[{picks}],"freeText":null,"skipped":false}"#)
        },
        pick: text("\"{label}\""),
        between_picks: text(","),
        cancelled: said(r#"{"answers":{{entries}}}"#),
        rejected: Some(TemplateRejection {
            missing_parameter: text(
                "ERROR: Your input to the tool was invalid (must have required property '{parameter}')\n\
                 Please check your input and try again.",
            ),
            other: text(
                "ERROR: Your input to the tool was invalid ({details})\nPlease check your input and try again.",
            ),
            is_error: false,
        }),
        ..general()
    }
}

pub(super) fn cursor() -> Template {
    Template {
        name: text("cursor"),
        json: true,
        answered: text(r#"{"outcome":{"outcome":"answered","answers":[{entries}]}}"#),
        between_entries: text(","),
        entry: TemplateEntry {
            written: Some(text(r#"{"questionId":"{id}","selectedOptionIds":["{text}"]}"#)),
            both: Some(text(r#"{"questionId":"{id}","selectedOptionIds":[{picks},"{text}"]}"#)),
            ..entry(r#"{"questionId":"{id}","selectedOptionIds":{values}}"#)
        },
        pick: text("\"{value}\""),
        between_picks: text(","),
        nothing: said(r#"{"outcome":{"outcome":"skipped"}}"#),
        cancelled: said(r#"{"outcome":{"outcome":"cancelled"}}"#),
        declined: said(r#"{"outcome":{"outcome":"skipped"}}"#),
        ..general()
    }
}

pub(super) fn gemini() -> Template {
    Template {
        name: text("gemini"),
        json: true,
        answered: text(r#"{"answers":{{entries}}}"#),
        between_entries: text(","),
        entry: entry(r#""{index}":"{answer}""#),
        cancelled: error("[Operation Cancelled] Reason: User denied execution."),
        rejected: Some(TemplateRejection {
            missing_parameter: text("params must have required property '{parameter}'"),
            other: text("{details}"),
            is_error: true,
        }),
        ..general()
    }
}

const OPENCLAW_CANCELLED: &str =
    "The question was cancelled; proceed with best judgment.\n\n{\n  \"status\": \"no_answer\"\n}";

pub(super) fn openclaw() -> Template {
    Template {
        name: text("openclaw"),
        json: true,
        answered: text(r#"{"status":"answered","answers":{"answers":{{entries}}}}"#),
        between_entries: text(","),
        entry: TemplateEntry {
            written: Some(text(r#""{id}":["{text}"]"#)),
            both: Some(text(r#""{id}":[{picks},"{text}"]"#)),
            ..entry(r#""{id}":[{picks}]"#)
        },
        pick: text("\"{label}\""),
        between_picks: text(","),
        nothing: said(OPENCLAW_CANCELLED),
        cancelled: said(OPENCLAW_CANCELLED),
        timed_out: said("No answer arrived; proceed with best judgment.\n\n{\n  \"status\": \"no_answer\"\n}"),
        ..general()
    }
}

pub(super) fn mcp() -> Template {
    Template {
        name: text("mcp"),
        json: true,
        answered: text(r#"{"action":"accept","content":{{entries}}}"#),
        between_entries: text(","),
        entry: entry(r#""{id}":{json}"#),
        between_picks: text(","),
        cancelled: said(r#"{"action":"cancel"}"#),
        declined: said(r#"{"action":"decline"}"#),
        parameter: text("requestedSchema"),
        ..general()
    }
}

const ACP_CANCELLED: &str = r#"{"outcome":{"outcome":"cancelled"}}"#;

pub(super) fn acp() -> Template {
    Template {
        name: text("acp"),
        one: Some(entry(r#"{"outcome":{"outcome":"selected","optionId":{json}}}"#)),
        nothing: said(ACP_CANCELLED),
        cancelled: said(ACP_CANCELLED),
        parameter: text("options"),
        ..general()
    }
}

pub(super) fn hermes() -> Template {
    Template {
        name: text("hermes"),
        json: true,
        one: Some(TemplateEntry {
            unanswered: Some(text(r#"{"question": "{question}", "choices_offered": {options}, "user_response": ""}"#)),
            none_of_several: Some(text(
                r#"{"question": "{question}", "choices_offered": {options}, "user_response": []}"#,
            )),
            ..entry(r#"{"question": "{question}", "choices_offered": {options}, "user_response": {json}}"#)
        }),
        cancelled: said("{entries}"),
        timed_out: Some(TemplateOutcome { default_answer: Some(text(HERMES_TIMED_OUT)), ..outcome("{entries}") }),
        parameter: text("question"),
        form: Some(text("hermes-batch")),
        ..general()
    }
}

const HERMES_TIMED_OUT: &str = "The user did not provide a response within the time limit. Use your best judgement to \
    make the choice and proceed.";

pub(super) fn hermes_batch() -> Template {
    Template {
        name: text("hermes-batch"),
        json: true,
        named: text(r#""id": "{id}", "#),
        answered: text(r#"{"responses": [{entries}]}"#),
        between_entries: text(", "),
        entry: TemplateEntry {
            unanswered: Some(text(
                r#"{{named}"question": "{question}", "choices_offered": {options}, "user_response": ""}"#,
            )),
            ..entry(r#"{{named}"question": "{question}", "choices_offered": {options}, "user_response": {json}}"#)
        },
        cancelled: said(r#"{"responses": [{entries}]}"#),
        timed_out: said(r#"{"responses": [{entries}], "timed_out": true}"#),
        ..general()
    }
}

pub(super) fn droid() -> Template {
    Template {
        name: text("droid"),
        json: true,
        answered: text(r#"{"cancelled":false,"answers":[{entries}]}"#),
        between_entries: text(","),
        entry: TemplateEntry {
            unanswered: Some(text(r#"{"index":{number},"question":"{question}","answer":""}"#)),
            ..entry(r#"{"index":{number},"question":"{question}","answer":"{answer}"}"#)
        },
        cancelled: said(r#"{"cancelled":true,"answers":[]}"#),
        parameter: text("questionnaire"),
        ..general()
    }
}

pub(super) fn droid_request() -> Template {
    Template { name: text("droid-request"), parameter: text("questions"), ..droid() }
}
