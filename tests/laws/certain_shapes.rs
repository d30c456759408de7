//! Nothing certain is held back (G3) of the arguments of question tools, by brute force.
//!
//! After each byte, the partials so far must show what all short continuations agree on. Texts grow
//! by characters; ids, values, modes and flags are there or not.

use followup::{Limits, Shape};

use crate::common::shapes::table::Table;
use crate::common::shapes::view::{self, Shown};
use crate::common::shapes::{Choice, End, Question, Rules};
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

const CASES: [Case; 31] = [
    plain(
        "claude",
        r#"{"questions":[{"question":"Which?","header":"S","multiSelect":false,"options":[{"label":"Re (Recommended)","description":"fa","preview":"p"},{"label":"P"}]},{"question":"A\u00e9\ud83d\ude00\n"}]}"#,
    ),
    plain(
        "claude",
        r#" {"header":"x","question":"Q","options":["a","{\"label\":\"b\"}",null,1],"multiSelect":"true"}"#,
    ),
    plain("claude", r#"{"questions":{"a":{"header":"H","options":{"Yes":"go","No":"stay"}},"b":"Why"}}"#),
    plain("claude", r#"{"questions":[{"question":"Q","options":{"Re":{"description":"f"},"P":{"label":"b"}}}]}"#),
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
    Case {
        shape: "mcp",
        around: [r#"{"requestedSchema":""#, r#""}"#],
        text: r#"{"properties":{"e":{"title":"W","enum":["p"]}}}"#,
    },
    plain("acp", r#"{"toolCall":{"title":"Run"},"options":[{"optionId":"a","name":"Al","kind":"k"}]}"#),
    plain("confirm", r#"{"message":"Del?"}"#),
    plain(
        "cursor",
        r#"{"title":"Se","questions":[{"id":"d","prompt":"Wh","allow_multiple":true,"options":[{"id":"p","label":"Po"},{"label":"Li","id":"l"}]}]}"#,
    ),
    plain("cursor", r#"{"questions":[{"prompt":"Wh","allowMultiple":"no","options":["x"]}],"title":"Se"}"#),
    plain(
        "cursor-tool",
        r#"{"questions":[{"options":[{"label":"Po"},{"id":"l"}],"id":"d","prompt":"Wh","allow_multiple":false}],"title":"Se"}"#,
    ),
    plain(
        "opencode",
        r#"{"questions":[{"type":"multi_choice","question":"Ne","description":"de","header":"N","choices":[{"label":"Bu","id":"b","mode":"code","description":"no"}]}]}"#,
    ),
    plain("opencode", r#"{"question":"Ne","multiple":true,"options":"[{\"label\":\"B\"}]"}"#),
    plain("cline", r#"{"options":["Re","Pa "],"question":"Wh"}"#),
    plain("cline", r#"{"questions":[{"question":"Wh","is_multi_select":true,"options":["(Recommended) R"]}]}"#),
    plain(
        "qwen",
        r#"[{"question":"Ru","header":"T","multi_select":false,"options":[{"description":"sl","label":"Al"}]}]"#,
    ),
    plain(
        "hermes",
        r#"{"question":"Wh","choices":["a","{\"text\":\"b\"}",{"description":"c"}],"multi_select":true,"questions":[]}"#,
    ),
    plain("hermes", r#"{"question":"Ba","questions":[{"question":"A","choices":["x"]},"B"],"choices":["y"]}"#),
    plain("hermes", r#"{"questions":[{"id":"i","question":"A"}],"question":"Ba"}"#),
    plain(
        "pi",
        r#"{"questions":[{"id":"d","label":"St","prompt":"W","options":[{"value":"p","label":"Po"}],"allowOther":false}]}"#,
    ),
    plain("copilot", r#"{"question":"Po","allow_freeform":"no","choices":"80\n8 "}"#),
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
    plain(
        "droid-request",
        r#"{"toolCallId":"1","questions":[{"topic":"To","options":["Re","Po"],"multiSelect":true},{"index":2,"question":"Wh"}]}"#,
    ),
];

impl Case {
    fn is_in_string(&self) -> bool {
        self.around[0].ends_with('"')
    }

    /// Returns a part of the text as the stream has it.
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

// ------------------------------------------------------------------------------------------- views

/// Returns what of a call partials show.
pub fn shown_of(Shown { title, mut questions }: Shown, table: &Table) -> Shown {
    for question in &mut questions {
        let end = question.options.iter().position(|one| one.label.is_empty());
        question.options.truncate(end.unwrap_or(usize::MAX));
        if question.text.is_empty() {
            question.detail = None;
        }
        // "from a list of ids, when the call ends"; such a list is in forms, too.
        if table.has("required-ids") || table.form("requestedSchema").is_some() {
            question.required = None;
        }
    }
    let is_there = |one: &Question| !one.text.is_empty() || one.header.is_some() || !one.options.is_empty();
    let end = questions.iter().position(|one| !is_there(one));
    questions.truncate(end.unwrap_or(usize::MAX));
    Shown { title, questions }
}

/// What the ends of a call agree on.
#[derive(Debug, Default)]
pub struct Agreed(Option<Shown>);

impl Agreed {
    pub fn add(&mut self, end: End, table: &Table) {
        let shown = shown_of(Shown { title: end.title, questions: end.questions }, table);
        self.0 = Some(match self.0.take() {
            Some(agreed) => common(&agreed, &shown, table),
            None => shown,
        });
    }

    pub fn shown(&self) -> Shown {
        self.0.clone().unwrap_or_default()
    }
}

/// Returns what two views have in common.
fn common(one: &Shown, two: &Shown, table: &Table) -> Shown {
    let questions = one.questions.iter().zip(&two.questions).map(|(a, b)| common_question(a, b)).collect();
    shown_of(Shown { title: text(&one.title, &two.title), questions }, table)
}

fn common_question(a: &Question, b: &Question) -> Question {
    Question {
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
    }
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

// ----------------------------------------------------------------------------------------- the law

fn check(case: &Case, sweep: &mut Sweep) {
    let (shape, table) = (Shape::built_in(case.shape).unwrap(), Table::built_in(case.shape));
    let rules = Rules { limits: Limits::default(), strict: false };
    let mut read = parser(&shape, rules);
    let mut shown = Shown::default();
    view::append(&mut shown, read.feed(case.around[0]));
    let ends = (0..=case.text.len()).filter(|&end| case.text.is_char_boundary(end));
    let mut before = 0;
    for end in ends {
        view::append(&mut shown, read.feed(&case.written(&case.text[before..end])));
        before = end;
        let mut agreed = Agreed::default();
        if !sweep.tries(1) {
            continue;
        }
        let afters = if case.around[1].is_empty() { &[""][..] } else { &[case.around[1], ""] };
        for next in continuations(case, &case.text[..end]) {
            for after in afters {
                let rest = format!("{}{after}", case.written(&next));
                agreed.add(view::end(read.clone(), [rest.as_bytes()]), &table);
            }
        }
        let (shown, agreed) = (shown_of(shown.clone(), &table), agreed.shown());
        assert!(shown == agreed, "{}: {}\nshown  {shown:?}\nagreed {agreed:?}", case.shape, &case.text[..end]);
    }
}

#[test]
fn what_all_continuations_of_arguments_agree_on_is_shown() {
    let mut sweep = Sweep::new(1);
    CASES.iter().for_each(|case| check(case, &mut sweep));
}

#[test]
fn every_built_in_shape_has_a_case() {
    let missing = |name: &&str| !CASES.iter().any(|case| case.shape == *name);
    assert_eq!(Shape::built_in_names().filter(missing).collect::<Vec<_>>(), [""; 0]);
}
