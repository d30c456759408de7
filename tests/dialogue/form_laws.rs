//! Laws of forms: for any questions and any answers, in every built-in template.

use followup::dialogue::{Answer, Dialogue, FormAnswer, Setup, Template, Turn};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

/// An option: its label, its value, its mode.
type AnyOption = (String, Option<String>, Option<String>);

/// What is drawn for a question.
#[derive(Clone, Debug)]
struct AnyQuestion {
    text: String,
    name: String,
    options: Vec<AnyOption>,
    kind: Option<&'static str>,
    flags: [Option<bool>; 3],
}

impl AnyQuestion {
    fn multiple(&self) -> bool {
        self.flags[0] == Some(true)
    }

    fn allows_text(&self) -> bool {
        self.flags[1] != Some(false) || self.options.is_empty()
    }

    /// Returns what goes back if these options are picked.
    fn sent(&self, picked: &[usize]) -> Vec<&str> {
        let options = picked.iter().map(|&picked| &self.options[picked]);
        options.map(|(label, value, _)| value.as_deref().unwrap_or(label)).collect()
    }

    /// Returns the labels of these options.
    fn labels(&self, picked: &[usize]) -> Vec<&str> {
        picked.iter().map(|&picked| &*self.options[picked].0).collect()
    }

    /// Returns an answer that the question accepts, near the one that was drawn.
    fn fit(&self, drawn: &FormAnswer) -> FormAnswer {
        let mut picked = Vec::new();
        for index in drawn.picked.iter().copied() {
            let is_enough = !self.multiple() && !picked.is_empty();
            if index < self.options.len() && !picked.contains(&index) && !is_enough {
                picked.push(index);
            }
        }
        let number = || Some("-12.50".to_owned());
        let text = drawn.text.clone().filter(|text| self.allows_text() && !text.trim().is_empty());
        let text = if self.kind == Some("number") { text.and_then(|_| number()) } else { text };
        // A question that has to be answered is.
        let is_missing = self.flags[2] == Some(true) && picked.is_empty() && text.is_none();
        match (is_missing, self.options.is_empty()) {
            (false, _) => FormAnswer { picked, text, note: None },
            (true, false) => FormAnswer::picked([0]),
            (true, true) => FormAnswer { text: number(), ..FormAnswer::default() },
        }
    }
}

fn any_text() -> impl Strategy<Value = String> {
    let odd = select(vec!["{entries}", "{answer}", "\"", "\\", "\", \"", "}", "\n", "\0", "\u{2028}", "é✓", "a, b"]);
    prop_oneof![any::<String>(), prop::collection::vec(odd, 1..4).prop_map(|parts| parts.concat())]
}

fn any_label() -> impl Strategy<Value = String> {
    any_text().prop_map(|text| format!("{text}x"))
}

fn any_question() -> impl Strategy<Value = AnyQuestion> {
    let option = (any_label(), prop::option::of(any_label()), prop::option::of(any_label()));
    let kind = prop::option::of(select(vec!["text", "yesno", "number"]));
    (any_label(), any_text(), prop::collection::vec(option, 0..4), kind, any::<[Option<bool>; 3]>()).prop_map(
        |(text, name, options, kind, flags)| {
            // A choice is no number.
            let kind = kind.filter(|kind| *kind != "number" || options.is_empty());
            AnyQuestion { text, name, options, kind, flags }
        },
    )
}

fn any_answer() -> impl Strategy<Value = FormAnswer> {
    let picked = prop::collection::vec(0..5_usize, 0..4);
    let text = || prop::option::of(any_text());
    (picked, text(), text()).prop_map(|(picked, text, note)| FormAnswer { picked, text, note })
}

/// Returns questions with ids and headers that differ, and answers that may not fit.
fn any_form() -> impl Strategy<Value = (Vec<AnyQuestion>, Vec<FormAnswer>)> {
    (1..5_usize).prop_flat_map(|count| {
        let questions = prop::collection::vec(any_question(), count).prop_map(|mut questions| {
            for (index, question) in questions.iter_mut().enumerate() {
                question.name = format!("{index}{}", question.name);
            }
            questions
        });
        (questions, prop::collection::vec(any_answer(), count))
    })
}

/// Returns a dialogue in which these questions were asked, and are answered by this template.
fn asked(questions: &[AnyQuestion], template: &str) -> Dialogue {
    let mut form = json!({"tool": "t", "shape": "s", "questions": []});
    for AnyQuestion { text, name, options, kind, flags: [multiple, custom, required] } in questions {
        let options: Vec<Value> =
            options.iter().map(|(label, value, mode)| json!({"label": label, "value": value, "mode": mode})).collect();
        form["questions"].as_array_mut().unwrap().push(json!({
            "text": text, "id": name, "header": name, "options": options, "kind": kind,
            "multiple": multiple, "custom": custom, "required": required,
        }));
    }
    let question = &questions[0].text;
    let turn =
        json!({"turn": "asked", "role": "assistant", "number": 0, "question": question, "suggest": [], "form": form});
    let turns = Turn::from_lines(turn.to_string().as_bytes()).unwrap();
    let setup = Setup::default().with_template("t", Template::named(template).unwrap());
    Dialogue::replay(setup, &turns).unwrap()
}

/// Returns what a JSON reply says, made without the template; `None` if nothing is known of it.
fn expected(template: &str, questions: &[AnyQuestion], answers: &[FormAnswer]) -> Option<Value> {
    let all: Vec<(usize, &AnyQuestion, &FormAnswer)> = questions
        .iter()
        .zip(answers)
        .enumerate()
        .map(|(index, (question, answer))| (index, question, answer))
        .collect();
    let is_answered = answers.iter().any(FormAnswer::is_answered);
    let answered = || all.iter().filter(|(_, _, answer)| answer.is_answered());
    let texts = |question: &AnyQuestion, answer: &FormAnswer| -> Vec<String> {
        question.sent(&answer.picked).into_iter().map(str::to_owned).chain(answer.text.clone()).collect()
    };
    Some(match template {
        "codex" => {
            let list = |question: &AnyQuestion, answer: &FormAnswer| -> Vec<String> {
                let mut all: Vec<String> =
                    answer.picked.iter().map(|&picked| question.options[picked].0.clone()).collect();
                if let Some(text) = &answer.text {
                    if all.is_empty() && !question.options.is_empty() {
                        all.push("None of the above".into());
                    }
                    all.push(format!("user_note: {text}"));
                }
                all
            };
            let answers: serde_json::Map<String, Value> =
                all.iter().map(|(_, q, a)| (q.name.clone(), json!({"answers": list(q, a)}))).collect();
            json!({"answers": answers})
        }
        "vscode" => {
            let answers: serde_json::Map<String, Value> = all
                .iter()
                .map(|(_, q, a)| {
                    let answer =
                        json!({"selected": q.labels(&a.picked), "freeText": a.text, "skipped": !a.is_answered()});
                    (q.name.clone(), answer)
                })
                .collect();
            json!({"answers": answers})
        }
        "gemini" => {
            let answers: serde_json::Map<String, Value> =
                answered().map(|(index, q, a)| (index.to_string(), texts(q, a).join(", ").into())).collect();
            json!({"answers": answers})
        }
        "cursor" | "openclaw" if !is_answered => return None,
        // Its questions take no own words.
        "cursor" if answers.iter().any(|answer| answer.text.is_some()) => return None,
        "cursor" => {
            let answers: Vec<Value> = answered()
                .map(|(_, q, a)| json!({"questionId": q.name, "selectedOptionIds": q.sent(&a.picked)}))
                .collect();
            json!({"outcome": {"outcome": "answered", "answers": answers}})
        }
        "mcp" => {
            let value = |q: &AnyQuestion, a: &FormAnswer| {
                let all = texts(q, a);
                match &all[..] {
                    [one] if !q.multiple() => match q.kind {
                        Some("number") => json!(-12.50),
                        Some("yesno") if matches!(&**one, "true" | "false") => json!(one == "true"),
                        _ => json!(one),
                    },
                    all => json!(all),
                }
            };
            let content: serde_json::Map<String, Value> =
                answered().map(|(_, q, a)| (q.name.clone(), value(q, a))).collect();
            json!({"action": "accept", "content": content})
        }
        _ => return None,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_json_reply_says_exactly_what_was_answered(
        (questions, drawn) in any_form(), name in select(&Template::NAMES[..]),
    ) {
        let answers: Vec<FormAnswer> =
            questions.iter().zip(&drawn).map(|(question, answer)| question.fit(answer)).collect();
        for name in ["codex", "vscode", "gemini", "cursor", "mcp", name] {
            let mut dialogue = asked(&questions, name);
            let reply = dialogue.answer(0, Answer::Form(answers.clone()), Vec::new());
            prop_assert!(reply.is_ok(), "{}: {:?}", name, reply);
            let text = reply.unwrap().text;
            if Template::named(name).unwrap().json && text.starts_with(['{', '[']) {
                let parsed = serde_json::from_str::<Value>(&text);
                prop_assert!(parsed.is_ok(), "{}: {}", name, text);
                if let Some(expected) = expected(name, &questions, &answers) {
                    prop_assert_eq!(parsed.unwrap(), expected, "{}", name);
                }
            }
            prop_assert_eq!(Dialogue::replay(dialogue.setup().clone(), dialogue.history()).unwrap(), dialogue);
        }
    }

    #[test]
    fn any_answers_are_accepted_or_refused_without_a_change(
        (questions, drawn) in any_form(), extra in 0..2_usize, name in select(&Template::NAMES[..]),
    ) {
        let mut dialogue = asked(&questions, name);
        let before = dialogue.clone();
        let answer = Answer::Form(drawn.iter().cloned().chain(vec![FormAnswer::default(); extra]).collect());
        match dialogue.answer(0, answer.clone(), Vec::new()) {
            Ok(_) => prop_assert_eq!(extra, 0),
            Err(error) => {
                prop_assert!(!error.to_string().is_empty());
                prop_assert_eq!((error.answer, &dialogue), (answer, &before));
            }
        }
        let lines: String = dialogue.history().iter().map(Turn::to_line).collect();
        let turns = Turn::from_lines(lines.as_bytes()).unwrap();
        prop_assert_eq!(Dialogue::replay(dialogue.setup().clone(), &turns).unwrap(), dialogue);
    }

    #[test]
    fn a_question_ends_with_any_answers_so_far_or_is_unchanged(
        (questions, drawn) in any_form(), name in select(&Template::NAMES[..]), is_talk in any::<bool>(),
    ) {
        let mut dialogue = asked(&questions, name);
        let before = dialogue.clone();
        let end = if is_talk { Dialogue::discuss } else { Dialogue::time_out };
        match end(&mut dialogue, 0, drawn) {
            Ok(reply) => {
                let is_json = Template::named(name).unwrap().json && reply.text.starts_with('{');
                prop_assert!(!is_json || serde_json::from_str::<Value>(&reply.text).is_ok(), "{}: {}", name, reply.text);
                prop_assert!(dialogue.question().is_none());
            }
            Err(_) => prop_assert_eq!(&dialogue, &before),
        }
        let lines: String = dialogue.history().iter().map(Turn::to_line).collect();
        let turns = Turn::from_lines(lines.as_bytes()).unwrap();
        prop_assert_eq!(Dialogue::replay(dialogue.setup().clone(), &turns).unwrap(), dialogue);
    }

    /// Whatever was written is in the reply, whether as a text or as a note.
    #[test]
    fn own_words_are_never_lost(
        (questions, _) in any_form(), words in any_label(), note in any::<bool>(),
        // What Cursor sends back are ids.
        name in select(&Template::NAMES[..]).prop_filter("ids", |name| *name != "cursor"),
    ) {
        let words = words.trim();
        let answer = |question: &AnyQuestion| {
            if question.kind == Some("number") || !question.allows_text() {
                return question.fit(&FormAnswer::picked([0]));
            }
            let (text, note) = if note { (None, Some(words.into())) } else { (Some(words.into()), None) };
            FormAnswer { text, note, ..FormAnswer::default() }
        };
        let answers: Vec<FormAnswer> = questions.iter().map(answer).collect();
        prop_assume!(answers.iter().any(|answer| answer.text.as_deref() == Some(words) || answer.note.is_some()));
        let reply = asked(&questions, name).answer(0, Answer::Form(answers.clone()), Vec::new()).unwrap();
        let json = serde_json::to_string(words).unwrap();
        let is_there = reply.text.contains(words) || reply.text.contains(&json[1..json.len() - 1]);
        prop_assert!(is_there, "{}: {}", name, reply.text);
    }
}
