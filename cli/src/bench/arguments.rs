//! The arguments to be measured: a call of each built-in shape, with the same questions.

use followup::Shape;

/// How a tool is called: its questions, each with its options.
struct Call {
    shape: &'static str,
    /// `*` is where the questions are. If it is nothing else, there is one question.
    call: &'static str,
    /// `TEXT` and `HEADER` are its texts, `*` is where the options are.
    question: &'static str,
    /// `LABEL` and `DESCRIPTION` are its texts.
    option: &'static str,
    /// What separates questions and options.
    separator: &'static str,
}

const fn call(shape: &'static str, call: &'static str, question: &'static str, option: &'static str) -> Call {
    Call { shape, call, question, option, separator: ", " }
}

const LIST: &str = r#"{"questions": [*]}"#;
const LABELLED: &str = r#"{"label": "LABEL", "description": "DESCRIPTION"}"#;
const CLAUDE: &str = r#"{"question": "TEXT", "header": "HEADER", "options": [*], "multiSelect": false}"#;
const CHOICES: &str = r#"{"question": "TEXT", "choices": [*]}"#;

const CALLS: [Call; 19] = [
    call("claude", LIST, CLAUDE, LABELLED),
    call(
        "codex",
        LIST,
        r#"{"header": "HEADER", "id": "HEADER", "options": [*], "question": "TEXT"}"#,
        r#"{"description": "DESCRIPTION", "label": "LABEL"}"#,
    ),
    call("vscode", LIST, r#"{"header": "HEADER", "question": "TEXT", "multiSelect": false, "options": [*]}"#, LABELLED),
    call(
        "cursor",
        LIST,
        r#"{"id": "HEADER", "prompt": "TEXT", "options": [*]}"#,
        r#"{"id": "LABEL", "label": "LABEL"}"#,
    ),
    call(
        "cursor-tool",
        LIST,
        r#"{"id": "HEADER", "prompt": "TEXT", "options": [*]}"#,
        r#"{"id": "LABEL", "label": "LABEL"}"#,
    ),
    call("ask_user", LIST, CLAUDE, LABELLED),
    call("copilot", "*", CHOICES, r#""LABEL""#),
    call("gemini", LIST, r#"{"question": "TEXT", "header": "HEADER", "type": "choice", "options": [*]}"#, LABELLED),
    call("opencode", LIST, r#"{"question": "TEXT", "header": "HEADER", "options": [*], "multiple": false}"#, LABELLED),
    call("cline", "*", r#"{"question": "TEXT", "options": [*]}"#, r#""LABEL""#),
    call("qwen", LIST, CLAUDE, LABELLED),
    call(
        "mcp",
        r#"{"message": "A few questions", "requestedSchema": {"type": "object", "properties": {*}}}"#,
        r#""HEADER": {"type": "string", "title": "TEXT", "oneOf": [*]}"#,
        r#"{"const": "LABEL", "title": "DESCRIPTION"}"#,
    ),
    call("hermes", LIST, CHOICES, r#""LABEL""#),
    call("omp", LIST, r#"{"id": "HEADER", "question": "TEXT", "options": [*], "recommended": 1}"#, LABELLED),
    call(
        "pi",
        LIST,
        r#"{"id": "HEADER", "label": "HEADER", "prompt": "TEXT", "options": [*]}"#,
        r#"{"value": "LABEL", "label": "LABEL", "description": "DESCRIPTION"}"#,
    ),
    Call {
        separator: r"\n",
        ..call("droid", r#"{"questionnaire": "*"}"#, r"[question] TEXT\n[topic] HEADER\n*", "[option] LABEL")
    },
    call("droid-request", LIST, r#"{"index": 1, "topic": "HEADER", "question": "TEXT", "options": [*]}"#, r#""LABEL""#),
    call("confirm", "*", r#"{"message": "TEXT"}"#, ""),
    call(
        "acp",
        "*",
        r#"{"toolCall": {"toolCallId": "1", "title": "TEXT"}, "options": [*]}"#,
        r#"{"optionId": "LABEL", "name": "LABEL", "kind": "allow_once"}"#,
    ),
];

/// The header, the text, and the options with their descriptions.
type Question = (&'static str, &'static str, [(&'static str, &'static str); 3]);

const QUESTIONS: [Question; 3] = [
    (
        "Store",
        "Which database should the service use for the sessions of its users?",
        [
            ("PostgreSQL", "As the other services do; the cluster has room, and backups are made already"),
            ("SQLite", "One file beside the program, without a server; only one machine can write to it"),
            ("Redis", "Fast, and sessions end by themselves; it is one more server to look after"),
        ],
    ),
    (
        "Tests",
        "How much of the existing test suite should run before each commit on a branch?",
        [
            ("All of it", "Nothing gets by, and a commit waits for about four minutes"),
            ("Only what changed", "A few seconds; what depends on it is tested later"),
            ("Nothing", "The build server runs everything after the push"),
        ],
    ),
    (
        "Release",
        "When should the migration of the old sessions be released to everyone?",
        [
            ("With this change", "One release, and no code for both formats"),
            ("One week later", "The new format is tried out first, by those who sign in anew"),
            ("Never", "Old sessions end by themselves within thirty days"),
        ],
    ),
];

/// Returns the arguments of a call that a built-in shape reads; `None` for another shape.
pub(super) fn of_shape(shape: &Shape) -> Option<String> {
    let call = CALLS.iter().find(|call| Shape::built_in(call.shape).as_ref() == Some(shape))?;
    let count = if call.call == "*" { 1 } else { QUESTIONS.len() };
    let questions: Vec<String> = QUESTIONS.iter().take(count).map(|question| call.question(question)).collect();
    Some(call.call.replace('*', &questions.join(call.separator)))
}

impl Call {
    fn question(&self, (header, text, options): &Question) -> String {
        let option = |(label, description): &(&str, &str)| {
            self.option.replace("LABEL", label).replace("DESCRIPTION", description)
        };
        let options: Vec<String> = options.iter().map(option).collect();
        let question = self.question.replace('*', &options.join(self.separator));
        question.replace("TEXT", text).replace("HEADER", header)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use followup::{Event, Parser, Policy, Shapes};

    #[test]
    fn every_built_in_shape_reads_its_arguments_without_a_note() {
        for name in Shape::built_in_names() {
            let shape = Shape::built_in(name).unwrap();
            let arguments = of_shape(&shape).unwrap_or_else(|| panic!("{name} has no arguments"));
            let tool = shape.tools().next().unwrap().to_owned();
            let mut parser = Parser::arguments_of(&tool, Policy::new().with_shapes(Shapes::new([shape]))).unwrap();
            drop(parser.feed(&arguments));
            let mut events = parser.finish();
            let Some(Event::Complete(call)) = events.next() else { panic!("{name}: {arguments}") };
            assert_eq!(call.notes(), [], "{name}");
            assert_eq!(call.questions().get(0).unwrap().text, QUESTIONS[0].1, "{name}");
            let options = call.suggestions().len();
            assert!(options == 3 || name == "confirm" && options == 2, "{name}");
            assert!([1, 3].contains(&call.questions().len()), "{name}");
        }
    }
}
