//! The examples of docs/question-tools.md, shown and asked by the program: every built-in tool.

#[path = "../common/examples.rs"]
mod page;

use followup::dialogue::{Answer, FormAnswer, FormOption, FormQuestion};
use followup_testing::ToolExample;
use serde_json::Value;

use self::page::{answers, asked, examples, form};
use crate::common::{ends, run};
use crate::parse::succeeds;
use crate::shapes::body;

/// The examples, each as a call in a provider's body, with the options that read it.
fn calls() -> impl Iterator<Item = (ToolExample<'static>, String, [String; 4])> {
    examples().into_iter().map(|example| {
        let body = body(example.tool, example.arguments);
        let args = ["--wire".into(), "openai-chat".into(), "--shapes".into(), page::shapes(&example)];
        (example, body, args)
    })
}

fn args<'a>(first: &[&'a str], others: &'a [String]) -> Vec<&'a str> {
    first.iter().copied().chain(others.iter().map(String::as_str)).collect()
}

/// Returns the line of an option, with its number from 0.
fn row((number, option): (usize, &FormOption)) -> String {
    let mode = option.mode.as_ref().map_or(String::new(), |mode| format!("[{mode}] "));
    let says_so = option.label.to_ascii_lowercase().contains("(recommended)");
    let mark = if option.recommended && !says_so { " (recommended)" } else { "" };
    format!("  {}. {mode}{}{mark}", number + 1, option.label)
}

#[test]
fn parse_shows_every_question_and_option_of_the_example_of_every_built_in_tool() {
    for (example, body, options) in calls() {
        let dialogue = asked(&example, &body);
        let rows = |(index, question): (usize, &FormQuestion)| {
            let number = if index == 0 { String::new() } else { format!("{}. ", index + 1) };
            let options = question.options.iter().enumerate().map(row);
            [format!("? {number}{}", question.text)].into_iter().chain(options).collect::<Vec<_>>()
        };
        let expected: Vec<String> = form(&dialogue).questions.iter().enumerate().flat_map(rows).collect();
        let shown = succeeds(&args(&["parse"], &options), &body);
        let is_row = |line: &&str| {
            let after = line.strip_prefix("  ").unwrap_or_default();
            line.starts_with("? ") || after.starts_with(|char: char| char.is_ascii_digit())
        };
        assert_eq!(shown.lines().filter(is_row).collect::<Vec<_>>(), expected, "{}: {shown}", example.arguments);
        assert!(!shown.contains("note:"), "{}: {shown}", example.arguments);
    }
}

#[test]
fn ask_takes_an_answer_to_the_example_of_every_built_in_tool_without_a_person() {
    for (example, body, options) in calls() {
        let mut dialogue = asked(&example, &body);
        let answer = Answer::Form(answers(form(&dialogue)));
        let json = serde_json::to_string(&answer).unwrap();
        let reply = dialogue.answer(0, answer, Vec::new()).unwrap();
        let first = ["ask", "--format", "json", "--answer-json", &json];
        let (out, err) = ends(&run(&args(&first, &options), &body), 0);
        let sent: Value = serde_json::from_str(&out).unwrap();
        assert_eq!((sent, &*err), (serde_json::to_value(&reply).unwrap(), ""), "{}", example.arguments);
    }
}

#[cfg(unix)]
#[test]
fn ask_asks_the_example_of_every_built_in_tool_line_by_line() {
    use crate::screen::Session;

    for (example, body, options) in calls() {
        let mut dialogue = asked(&example, &body);
        let form = form(&dialogue).clone();
        let answers = answers(&form);
        let mut session = Session::new(&args(&["--lines"], &options), (60, 120));
        session.writes(&body).ends();
        for (index, (question, answer)) in form.questions.iter().zip(&answers).enumerate() {
            let options = question.options.iter().enumerate().map(|(number, option)| {
                let mut shown = option.clone();
                let label = option.label.replace("(Recommended)", "");
                shown.label = label.trim().to_owned() + if option.recommended { " (recommended)" } else { "" };
                row((number, &shown))
            });
            let rows: Vec<String> = [format!("? {}", question.text)].into_iter().chain(options).collect();
            session.waits(&format!("{rows:?}"), |screen| {
                screen.matches("\n> (").count() == index + 1 && rows.iter().all(|row| screen.contains(row))
            });
            session.types(&(typed(answer) + "\n"));
        }
        if form.questions.len() > 1 {
            session.sees(&["an empty line sends the answers"]).types("\n");
        }
        let ended = session.concludes();
        let reply = dialogue.answer(0, Answer::Form(answers), Vec::new()).unwrap();
        assert_eq!((ended.stdout, ended.status), (reply.text + "\n", 0), "{}", example.arguments);
    }
}

/// Returns an answer as a person types it.
#[cfg(unix)]
fn typed(answer: &FormAnswer) -> String {
    let numbers: Vec<String> = answer.picked.iter().map(|picked| (picked + 1).to_string()).collect();
    answer.text.clone().unwrap_or_else(|| numbers.join(","))
}
