//! Nothing certain is held back (G3) of the arguments of question tools, by brute force.
//!
//! After each byte, the partials so far must show what all short continuations agree on. Texts grow
//! by characters; ids, values, modes and flags are there or not.

use followup::{Limits, Shape};

use crate::common::shapes::table::Table;
use crate::common::shapes::{Choice, Question, Rules, view};
use crate::common::sweep::Sweep;
use crate::oracle::parser;

/// A stream: JSON, or lines, perhaps in a string.
struct Case {
    shape: &'static str,
    /// What is around the text that is cut.
    around: [&'static str; 2],
    text: &'static str,
}

const fn plain(shape: &'static str, text: &'static str) -> Case {
    Case { shape, around: ["", ""], text }
}

const CASES: [Case; 15] = [
    plain(
        "claude",
        r#"{"questions":[{"question":"Which?","header":"S","multiSelect":false,"options":[{"label":"Re (Recommended)","description":"fa","preview":"p"},{"label":"P"}]},{"question":"A\u00e9\ud83d\ude00\n"}]}"#,
    ),
    plain(
        "claude",
        r#" {"header":"x","question":"Q","options":["a","{\"label\":\"b\"}",null,1],"multiSelect":"true"}"#,
    ),
    plain("claude", r#"{"questions":{"a":{"header":"H","options":{"Yes":"go","No":"stay"}},"b":"Why"}}"#),
    plain(
        "codex",
        r#"{"questions":[{"header":"D","id":"db","options":[{"description":"no","label":"S"}],"question":"Wh"}]}"#,
    ),
    plain("vscode", r#"{"questions":[{"header":"E","message":"See","allowFreeformInput":false,"question":"Wh"}]}"#),
    plain("ask_user", r#"{"question":"Po","choices":["80","8 "],"allow_freeform":true,"type":"yesno"}"#),
    plain("ask_user", r#"{"question":"Q","choices":[{"value":"v"},{"label":"l","value":"w"}]}"#),
    plain("gemini", r#"{"questions":[{"question":"a\\nb\\","header":"D","type":"yesno","placeholder":"p"}]}"#),
    plain(
        "mcp",
        r#"{"requestedSchema":{"required":["e"],"properties":{"e":{"type":"string","title":"W","enum":["p","t"],"enumNames":["P","T"],"default":"t"},"s":{"type":"boolean","description":"S"}}}}"#,
    ),
    plain("acp", r#"{"toolCall":{"title":"Run"},"options":[{"optionId":"a","name":"Al","kind":"k"}]}"#),
    plain("confirm", r#"{"message":"Del?"}"#),
    plain("omp", r#"{"questions":[{"question":"W","options":[{"label":"S"},{"label":"P"}],"recommended":1}]}"#),
    Case {
        shape: "claude",
        around: [r#"{"questions":""#, r#""}"#],
        text: r#"[{"question":"Go","options":[{"label":"Y"}]}]"#,
    },
    Case { shape: "claude", around: ["```json\n", "\n```"], text: r#"{"questions":[{"question":"Q"}]}"# },
    Case {
        shape: "droid",
        around: [r#"{"questionnaire":""#, r#""}"#],
        text: "1. [question] Wh (multi)\n[topic] St\n[option] R\n[option] (recommended) P\n[question] A",
    },
];

impl Case {
    fn is_in_string(&self) -> bool {
        self.around[0].ends_with('"')
    }

    /// Returns a part of the text as it stands in the stream.
    fn written(&self, text: &str) -> String {
        match self.is_in_string() {
            true => {
                let quoted = serde_json::to_string(text).unwrap();
                quoted[1..quoted.len() - 1].to_owned()
            }
            false => text.to_owned(),
        }
    }
}

/// What may come first after a prefix, so that an open string, literal or escape ends.
const FIRST: [&str; 48] = [
    "",
    "x",
    "\"",
    "x\"",
    " \"",
    "x\":1",
    "\":1",
    "\":\"z\"",
    ":1",
    ":\"z\"",
    ":true",
    ":[\"z\"]",
    ":[{\"label\":\"z\"}]",
    "1",
    "\"z\"",
    "true",
    "false",
    "null",
    "{}",
    "[]",
    "\"k\":1",
    "e",
    "ue",
    "rue",
    "alse",
    "lse",
    "se",
    "ull",
    "ll",
    "l",
    "\\\"",
    "n\"",
    "\\n\"",
    "u0041\"",
    "0041\"",
    "041\"",
    "41\"",
    "1\"",
    "\\ude00\"",
    "ude00\"",
    "de00\"",
    "e00\"",
    "00\"",
    "0\"",
    "(recommended)\"",
    " (recommended)\"",
    "ecommended)\"",
    ")\"",
];

/// What may come between two lines.
const LINES: [&str; 12] = [
    "",
    "x",
    " ",
    "\n",
    "x\n",
    "\n[option] z",
    "\n[topic] z\n",
    "\n[question] z",
    " (multi)",
    " (multi)\n",
    ")\n",
    "(recommended)\n",
];

/// Returns the brackets that are open after a text, and whether it ends in a string.
fn open(text: &str) -> (Vec<char>, bool) {
    let (mut stack, mut is_in_string, mut escape) = (Vec::new(), false, false);
    for c in text.chars() {
        match c {
            _ if std::mem::take(&mut escape) => {}
            '\\' if is_in_string => escape = true,
            '"' => is_in_string = !is_in_string,
            _ if is_in_string => {}
            '{' => stack.push('}'),
            '[' => stack.push(']'),
            '}' | ']' => drop(stack.pop()),
            _ => {}
        }
    }
    (stack, is_in_string)
}

/// Returns short continuations of a prefix of the text.
fn continuations(case: &Case, prefix: &str) -> Vec<String> {
    if case.shape == "droid" {
        let two = LINES.iter().flat_map(|one| LINES.iter().map(move |two| format!("{one}{two}")));
        return two.collect();
    }
    let mut members = vec![String::new()];
    for (_, keys) in Table::built_in(case.shape).all_keys() {
        // In an object inside a path, the last key of the path counts.
        for key in keys.iter().map(|key| key.rsplit('.').next().unwrap()) {
            let values = ["\"z\"", "\"array\"", "\"yesno\"", "true", "0", "[\"z\"]"];
            members.extend(values.map(|value| format!(",\"{key}\":{value}")));
        }
    }
    members.extend([",\"z\"", ",{\"label\":\"z\",\"question\":\"z\"}", ",1,\"z\":\"z\""].map(str::to_owned));
    let mut all = Vec::new();
    for first in FIRST {
        let (mut stack, is_in_string) = open(&format!("{prefix}{first}"));
        let begins = if is_in_string { "\"" } else { "" };
        // All closers, with a member after some of them.
        let is_usual = matches!(first, "" | "\"" | "1" | "null" | "e");
        let mut text = format!("{first}{begins}");
        loop {
            let closers: String = stack.iter().rev().collect();
            let members = if is_usual { &members[..] } else { &members[..1] };
            all.extend(members.iter().map(|member| format!("{text}{member}{closers}")));
            let Some(bracket) = stack.pop() else { break };
            text.push(bracket);
        }
        all.push(first.to_owned());
    }
    all
}

// ---------------------------------------------------------------------------------------------- views

/// Returns what of the questions partials show.
fn shown_of(mut questions: Vec<Question>, table: &Table) -> Vec<Question> {
    for question in &mut questions {
        let end = question.options.iter().position(|one| one.label.is_empty());
        question.options.truncate(end.unwrap_or(usize::MAX));
        if question.text.is_empty() {
            question.detail = None;
        }
        // "from a list of ids, when the call ends"
        if table.has("required-ids") {
            question.required = None;
        }
    }
    let is_there = |one: &Question| !one.text.is_empty() || one.header.is_some() || !one.options.is_empty();
    let end = questions.iter().position(|one| !is_there(one));
    questions.truncate(end.unwrap_or(usize::MAX));
    questions
}

/// Returns what two views have in common.
fn common(one: &[Question], two: &[Question]) -> Vec<Question> {
    one.iter()
        .zip(two)
        .map(|(a, b)| Question {
            text: prefix(&a.text, &b.text),
            id: same(&a.id, &b.id),
            header: text(&a.header, &b.header),
            detail: text(&a.detail, &b.detail),
            placeholder: same(&a.placeholder, &b.placeholder),
            kind: same(&a.kind, &b.kind),
            multiple: same(&a.multiple, &b.multiple),
            custom: same(&a.custom, &b.custom),
            required: same(&a.required, &b.required),
            defaults: a.defaults.iter().zip(&b.defaults).take_while(|(a, b)| a == b).map(|(a, _)| a.clone()).collect(),
            options: a.options.iter().zip(&b.options).map(|(a, b)| common_option(a, b)).collect(),
        })
        .collect()
}

fn common_option(a: &Choice, b: &Choice) -> Choice {
    Choice {
        label: prefix(&a.label, &b.label),
        mode: same(&a.mode, &b.mode),
        description: text(&a.description, &b.description),
        value: same(&a.value, &b.value),
        preview: text(&a.preview, &b.preview),
        recommended: a.recommended && b.recommended,
    }
}

fn same<T: Clone + PartialEq>(one: &Option<T>, two: &Option<T>) -> Option<T> {
    one.clone().filter(|_| one == two)
}

fn text(one: &Option<String>, two: &Option<String>) -> Option<String> {
    Some(prefix(one.as_deref()?, two.as_deref()?)).filter(|text| !text.is_empty())
}

fn prefix(one: &str, two: &str) -> String {
    one.chars().zip(two.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a).collect()
}

// ---------------------------------------------------------------------------------------------- the law

fn check(case: &Case, sweep: &mut Sweep) {
    let (shape, table) = (Shape::built_in(case.shape).unwrap(), Table::built_in(case.shape));
    let rules = Rules { limits: Limits::default(), strict: false };
    let mut read = parser(&shape, rules);
    let mut shown = Vec::new();
    view::append(&mut shown, read.feed(case.around[0]));
    let ends = (0..=case.text.len()).filter(|&end| case.text.is_char_boundary(end));
    let mut before = 0;
    for end in ends {
        view::append(&mut shown, read.feed(&case.written(&case.text[before..end])));
        before = end;
        let mut agreed: Option<Vec<Question>> = None;
        if !sweep.tries(1) {
            continue;
        }
        let afters = if case.around[1].is_empty() { &[""][..] } else { &[case.around[1], ""] };
        for next in continuations(case, &case.text[..end]) {
            for after in afters {
                let rest = format!("{}{after}", case.written(&next));
                let end = shown_of(view::end(read.clone(), [rest.as_bytes()]).questions, &table);
                agreed = Some(match agreed {
                    Some(agreed) => shown_of(common(&agreed, &end), &table),
                    None => end,
                });
            }
        }
        let (shown, agreed) = (shown_of(shown.clone(), &table), agreed.unwrap_or_default());
        assert!(shown == agreed, "{}: {}\nshown  {shown:?}\nagreed {agreed:?}", case.shape, &case.text[..end]);
    }
}

#[test]
fn what_all_continuations_of_arguments_agree_on_is_shown() {
    let mut sweep = Sweep::new(1);
    CASES.iter().for_each(|case| check(case, &mut sweep));
}
