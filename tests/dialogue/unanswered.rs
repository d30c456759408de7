//! What goes back where nothing was answered.
//!
//! For each built-in template, the reply to a form of which no question was answered, to a call
//! that was cancelled, and to one that was declined.
//!
//! The texts are those of docs/question-tools.md.

use followup::dialogue::{Answer, Dialogue, FormAnswer, MessageFormat, Reply, ReplyKind, Template};
use serde_json::json;

use crate::common::asked_by;

/// A reply, and whether the host marks it as an error.
type Told = (&'static str, bool);

const fn said(text: &'static str) -> Told {
    (text, false)
}

const fn error(text: &'static str) -> Told {
    (text, true)
}

struct Row {
    template: &'static str,
    /// What reads the call: the template's own shape, if there is one.
    shape: &'static str,
    /// The arguments.
    call: &'static str,
    nothing: Told,
    cancelled: Told,
    declined: Told,
}

/// Returns a row whose call has the same reply if it is cancelled and if it is declined.
const fn row(template: &'static str, shape: &'static str, call: &'static str, nothing: Told, cancelled: Told) -> Row {
    Row { template, shape, call, nothing, cancelled, declined: cancelled }
}

/// A choice, a choice of several, and a question without options.
const LIST: &str = r#"{"questions": [
    {"id": "a", "header": "Store", "question": "Which \"store\"?", "options": [{"label": "Redis"}, {"label": "Postgres"}]},
    {"id": "b", "header": "Parts", "question": "Which parts?", "multiSelect": true, "multiple": true, "multi": true,
        "options": [{"label": "A"}, {"label": "B"}]},
    {"id": "c", "header": "Reason", "question": "Why?"}]}"#;

/// The same, by the keys of Cursor and pi.
const PROMPTS: &str = r#"{"questions": [
    {"id": "a", "label": "Store", "prompt": "Which \"store\"?", "options": [{"id": "r", "label": "Redis"}]},
    {"id": "b", "label": "Parts", "prompt": "Which parts?", "allow_multiple": true, "options": [{"id": "x", "label": "A"}]},
    {"id": "c", "label": "Reason", "prompt": "Why?"}]}"#;

const CHOICES: &str = r#"{"question": "Which \"port\"?", "choices": ["80", "8080"]}"#;
const OPTIONS: &str = r#"{"question": "Which \"port\"?", "options": ["80", "8080"]}"#;

const FORM: &str = r#"{"message": "The server", "requestedSchema": {"properties": {
    "port": {"type": "integer", "title": "Which port?"},
    "logs": {"type": "array", "title": "Which logs?", "items": {"enum": ["access", "errors"]}}}}}"#;

const PERMISSION: &str = r#"{"toolCall": {"title": "Run \"ls\""}, "options": [{"optionId": "a", "name": "Allow"}]}"#;

const BATCH: &str = r#"{"questions": [
    {"id": "a", "question": "Which \"store\"?", "choices": ["Redis", "Postgres"]},
    {"question": "Which parts?", "choices": ["A", "B"], "multi_select": true}, {"id": "c", "question": "Why?"}]}"#;

const LINES: &str =
    r#"{"questionnaire": "1. [question] Which \"store\"?\n[option] Redis\n2. [question] Why? (multi)\n[option] A"}"#;

const NUMBERED: &str = r#"{"questions": [{"index": 1, "question": "Which \"store\"?", "options": ["Redis"]},
    {"index": 2, "question": "Why?", "options": ["A"], "multiSelect": true}]}"#;

/// Of the dialect that is the default.
const DENIED: &str = "The user denied this operation.";

const NO_ANSWERS: &str =
    "Q: Which \"store\"?\nA: (no answer)\n\nQ: Which parts?\nA: (no answer)\n\nQ: Why?\nA: (no answer)";

const CLAUDE_DECLINED: &str = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the \
    new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.";

const NO_ENTRIES: &str = "User has answered your questions: . You can now continue with the user's answers in mind.";

const UNANSWERED: &str = "User has answered your questions: \"Which \"store\"?\"=\"Unanswered\", \
    \"Which parts?\"=\"Unanswered\", \"Why?\"=\"Unanswered\". You can now continue with the user's answers in mind.";

const KIMI_DISMISSED: &str = r#"{"answers": {}, "note": "User dismissed the question without answering."}"#;

const KIMI_CODE_DISMISSED: &str = r#"{"answers":{},"note":"User dismissed the question without answering."}"#;

const VSCODE_SKIPPED: &str = concat!(
    r#"{"answers":{"Store":{"selected":[],"freeText":null,"skipped":true},"#,
    r#""Parts":{"selected":[],"freeText":null,"skipped":true},"#,
    r#""Reason":{"selected":[],"freeText":null,"skipped":true}}}"#
);

const COPILOT_AUTONOMOUS: &str = "The user is not available to respond and will review your work later. Work autonomously \
    and make good decisions.";

const GROK_DECLINED: &str = "User declined to answer the questions. Continue with the task using your best judgment, or \
    ask different questions.";

const OPENCLAW_CANCELLED: &str =
    "The question was cancelled; proceed with best judgment.\n\n{\n  \"status\": \"no_answer\"\n}";

const HERMES_SKIPPED: Told =
    said(r#"{"question": "Which \"port\"?", "choices_offered": ["80", "8080"], "user_response": ""}"#);

const BATCH_SKIPPED: Told = said(concat!(
    r#"{"responses": ["#,
    r#"{"id": "a", "question": "Which \"store\"?", "choices_offered": ["Redis", "Postgres"], "user_response": ""}, "#,
    r#"{"question": "Which parts?", "choices_offered": ["A", "B"], "user_response": ""}, "#,
    r#"{"id": "c", "question": "Why?", "choices_offered": null, "user_response": ""}]}"#
));

const ACP_CANCELLED: Told = said(r#"{"outcome":{"outcome":"cancelled"}}"#);

const DROID_SKIPPED: Told = said(concat!(
    r#"{"cancelled":false,"answers":[{"index":1,"question":"Which \"store\"?","answer":""},"#,
    r#"{"index":2,"question":"Why?","answer":""}]}"#
));

const DROID_CANCELLED: Told = said(r#"{"cancelled":true,"answers":[]}"#);

/// In the order of [`Template::NAMES`].
const ROWS: [Row; 32] = [
    row("general", "ask_user", LIST, said(NO_ANSWERS), said(DENIED)),
    row("claude", "claude", LIST, said("The user did not answer the questions."), error(CLAUDE_DECLINED)),
    row("claude-older", "claude", LIST, said(NO_ENTRIES), error(CLAUDE_DECLINED)),
    row("kimi", "claude", LIST, said(KIMI_DISMISSED), said(KIMI_DISMISSED)),
    row("kimi-code", "claude", LIST, said(KIMI_CODE_DISMISSED), said(KIMI_CODE_DISMISSED)),
    row("letta", "claude", LIST, error("User cancelled the approval"), error("User cancelled the approval")),
    row(
        "codex",
        "codex",
        LIST,
        said(r#"{"answers":{"a":{"answers":[]},"b":{"answers":[]},"c":{"answers":[]}}}"#),
        error("request_user_input was cancelled before receiving a response"),
    ),
    row("vscode", "vscode", LIST, said(VSCODE_SKIPPED), said(VSCODE_SKIPPED)),
    Row {
        declined: said(r#"{"outcome":{"outcome":"skipped"}}"#),
        ..row(
            "cursor",
            "cursor",
            PROMPTS,
            said(r#"{"outcome":{"outcome":"skipped"}}"#),
            said(r#"{"outcome":{"outcome":"cancelled"}}"#),
        )
    },
    row("cursor-tool", "cursor-tool", PROMPTS, said("User questions responses:"), said(DENIED)),
    row("copilot", "copilot", CHOICES, said("User skipped question"), said("User skipped question")),
    Row {
        declined: said(COPILOT_AUTONOMOUS),
        ..row(
            "copilot-form",
            "copilot",
            FORM,
            said("User accepted but provided no values."),
            said("User cancelled the request."),
        )
    },
    row(
        "gemini",
        "gemini",
        LIST,
        said(r#"{"answers":{}}"#),
        error("[Operation Cancelled] Reason: User denied execution."),
    ),
    row("opencode", "opencode", LIST, said(UNANSWERED), error("The user dismissed this question")),
    row("kilo", "opencode", LIST, said(UNANSWERED), said("User dismissed the question.")),
    row(
        "crush",
        "opencode",
        LIST,
        said(
            "Q1: Which \"store\"?\nUser skipped this question\n\nQ2: Which parts?\nUser skipped this question\n\n\
            Q3: Why?\nUser skipped this question",
        ),
        error("User cancelled this question"),
    ),
    row("cline", "cline", OPTIONS, said("[User dismissed the question]"), said("[User dismissed the question]")),
    row(
        "qwen",
        "qwen",
        LIST,
        said("User has provided the following answers:\n\nNo valid answers were provided."),
        error("[Operation Cancelled] Reason: User did not allow tool call"),
    ),
    row("grok", "qwen", LIST, said(NO_ENTRIES), said(GROK_DECLINED)),
    row(
        "deepagents",
        "ask_user",
        LIST,
        said("Q: Which \"store\"?\nA: \n\nQ: Which parts?\nA: \n\nQ: Why?\nA: "),
        said("Q: Which \"store\"?\nA: (cancelled)\n\nQ: Which parts?\nA: (cancelled)\n\nQ: Why?\nA: (cancelled)"),
    ),
    row("openclaw", "ask_user", LIST, said(OPENCLAW_CANCELLED), said(OPENCLAW_CANCELLED)),
    Row {
        declined: said("The user declined to answer and asked you to stop asking."),
        ..row(
            "openhands",
            "ask_user",
            LIST,
            said("The user accepted the request but provided no answers."),
            said("The user dismissed the question without answering."),
        )
    },
    Row {
        declined: error("The user declined to answer the question."),
        ..row(
            "zed",
            "ask_user",
            OPTIONS,
            error("The user submitted the form without providing an answer."),
            error("The user cancelled the question without answering."),
        )
    },
    Row {
        declined: said(r#"{"action":"decline"}"#),
        ..row("mcp", "mcp", FORM, said(r#"{"action":"accept","content":{}}"#), said(r#"{"action":"cancel"}"#))
    },
    row("acp", "acp", PERMISSION, ACP_CANCELLED, ACP_CANCELLED),
    row("hermes", "hermes", CHOICES, HERMES_SKIPPED, HERMES_SKIPPED),
    row("hermes-batch", "hermes", BATCH, BATCH_SKIPPED, BATCH_SKIPPED),
    row(
        "omp",
        "omp",
        LIST,
        said("User answers:\na: (cancelled)\nb: (cancelled)\nc: (cancelled)"),
        error("Ask tool was cancelled by the user"),
    ),
    row("pi", "pi", PROMPTS, said("User cancelled the questionnaire"), said("User cancelled the questionnaire")),
    row("droid", "droid", LINES, DROID_SKIPPED, DROID_CANCELLED),
    row("droid-request", "droid-request", NUMBERED, DROID_SKIPPED, DROID_CANCELLED),
    row("confirm", "confirm", r#"{"message": "Delete \"it\"?"}"#, said("No, denied"), said("No, denied")),
];

impl Row {
    /// Returns a dialogue in which the call is open, with this template or that of the shape.
    fn asked(&self, template: Option<&str>) -> Dialogue {
        asked_by(self.shape, template, &self.call)
    }

    /// Returns what goes back, and what should.
    fn replies(&self, template: Option<&str>) -> [(Reply, ReplyKind, Told); 3] {
        let asked = || self.asked(template);
        [
            (skipped(asked()), ReplyKind::Answer, self.nothing),
            (asked().cancel(0).unwrap(), ReplyKind::Cancelled, self.cancelled),
            (asked().decline(0).unwrap(), ReplyKind::Declined, self.declined),
        ]
    }
}

/// Answers no question of the open call.
fn skipped(mut dialogue: Dialogue) -> Reply {
    let count = dialogue.question().unwrap().form.as_ref().unwrap().questions.len();
    dialogue.answer(0, Answer::Form(vec![FormAnswer::default(); count]), Vec::new()).unwrap()
}

#[test]
fn every_template_has_its_hosts_words_for_questions_without_an_answer() {
    assert_eq!(ROWS.map(|row| row.template), Template::NAMES, "each template has a row");
    for row in ROWS {
        let (name, own) = (row.template, Template::named(row.shape));
        let is_default = row.shape == name || own.is_some_and(|own| own.form.as_deref() == Some(name));
        for template in [Some(name), None].into_iter().take(if is_default { 2 } else { 1 }) {
            for (reply, kind, expected) in row.replies(template) {
                assert_eq!((&*reply.text, reply.is_error), expected, "{name}: {kind:?}");
                assert_eq!(reply.kind, kind, "{name}");
            }
        }
    }
}

/// Asserts that the reply's message has the mark of an error in each format that has one.
#[track_caller]
fn assert_marked(mut reply: Reply, is_error: bool) {
    reply.id = Some("call_1".into());
    let (text, tool) = (&*reply.text, &reply.tool);
    let mut anthropic =
        json!({"type": "tool_result", "tool_use_id": "call_1", "content": [{"type": "text", "text": text}]});
    let mut bedrock = json!({"toolUseId": "call_1", "content": [{"text": text}]});
    if is_error {
        (anthropic["is_error"], bedrock["status"]) = (json!(true), json!("error"));
    }
    let gemini = json!({(if is_error { "error" } else { "output" }): text});
    for format in MessageFormat::ALL {
        let expected = match format {
            MessageFormat::Anthropic => json!({"role": "user", "content": [anthropic]}),
            MessageFormat::BedrockConverse => json!({"role": "user", "content": [{"toolResult": bedrock}]}),
            MessageFormat::Gemini => json!({"role": "user", "parts": [
                {"functionResponse": {"id": "call_1", "name": tool, "response": gemini}}]}),
            // These have none.
            MessageFormat::OpenAiChat => json!({"role": "tool", "tool_call_id": "call_1", "content": text}),
            MessageFormat::OpenAiResponses => {
                json!({"type": "function_call_output", "call_id": "call_1", "output": text})
            }
            MessageFormat::Ollama => {
                json!({"role": "tool", "tool_name": tool, "tool_call_id": "call_1", "content": text})
            }
            other => panic!("there is no message for {}", other.name()),
        };
        assert_eq!(reply.messages(format), [expected], "{}", format.name());
    }
}

#[test]
fn an_error_of_the_host_is_marked_in_every_format_that_has_a_mark() {
    for row in ROWS {
        for (reply, _, (_, is_error)) in row.replies(Some(row.template)) {
            assert_marked(reply, is_error);
        }
    }
    let asked = || asked_by("claude", None, &LIST);
    assert_marked(asked().discuss(0, Vec::new()).unwrap(), true);
    let answers = [FormAnswer::picked([0]), FormAnswer::default(), FormAnswer::text("So")];
    assert_marked(asked().answer(0, Answer::Form(answers.into()), Vec::new()).unwrap(), false);
}

/// Returns the rows of a table of the page: the templates that are named in the first cell, and all
/// cells.
fn table(header: &str) -> Vec<(Vec<&'static str>, Vec<&'static str>)> {
    let page = include_str!("../../docs/question-tools.md");
    let (_, rows) = page.split_once(header).expect("the table");
    let rows = rows.lines().skip(2).map_while(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    let cells = rows.map(|row| row.split('|').map(str::trim).collect::<Vec<_>>());
    cells.map(|cells| (cells[0].split('`').skip(1).step_by(2).collect(), cells)).collect()
}

/// Asserts that a reply is what a cell says: the text in its first back-ticks is in it, and it is
/// an error if the cell says so.
///
/// `…` and names in upper case stand for other texts.
#[track_caller]
fn assert_says(cell: &str, (text, is_error): Told) {
    assert_eq!(cell.starts_with("error: "), is_error, "{cell}");
    let said = cell.split('`').nth(1).unwrap_or_default();
    let said = [" … ", "QUESTION", "ID"].iter().fold(said.to_owned(), |said, other| said.replace(other, "\0"));
    let mut rest = text;
    for part in said.split('\0') {
        rest = rest.split_once(part).unwrap_or_else(|| panic!("{cell}: {part:?} is not in {rest:?}")).1;
    }
}

#[test]
fn the_page_says_of_every_template_what_goes_back_without_an_answer() {
    let row = |name: &str| ROWS.iter().find(|row| row.template == name).unwrap_or_else(|| panic!("{name}"));
    let [mut answered, mut ended] = [Vec::new(), Vec::new()];
    for (names, cells) in table("| template | for | all answered | not answered | nothing answered |") {
        for &name in &names {
            match cells[4] {
                "as cancelled" => assert_eq!(row(name).nothing, row(name).cancelled, "{name}"),
                "as declined" => assert_eq!(row(name).nothing, row(name).declined, "{name}"),
                "the same" => assert_says(cells[3], row(name).nothing),
                "no entries" => assert_eq!(row(name).nothing, said(NO_ENTRIES), "{name}"),
                says => assert_says(says, row(name).nothing),
            }
        }
        answered.extend(names);
    }
    for (names, cells) in table("| template | cancelled | declined |") {
        for &name in &names {
            match cells[1] {
                "the dialect's text" => assert_eq!(row(name).cancelled, said(DENIED), "{name}"),
                "every question is skipped" => assert_eq!(row(name).cancelled, row(name).nothing, "{name}"),
                says => assert_says(says, row(name).cancelled),
            }
            match cells[2] {
                "the same" => assert_eq!(row(name).declined, row(name).cancelled, "{name}"),
                says => assert_says(says, row(name).declined),
            }
        }
        ended.extend(names);
    }
    let mut all = Template::NAMES.to_vec();
    for names in [&mut answered, &mut ended, &mut all] {
        names.sort_unstable();
    }
    assert_eq!((&answered, &ended), (&all, &all), "each template is in both tables");
}
