//! Arguments that are one question without its list: what is written before its text is its own.

use followup::{CallPart, Event, Note, Parser, Reason};

use crate::shapes::{parser, read};

/// Codex writes the question last.
#[test]
fn what_precedes_the_text_of_a_question_without_its_list_is_its_own() {
    for (tool, arguments, question) in [
        (
            "request_user_input",
            r#"{"header":"Store","id":"db","options":[{"description":"no server","label":"SQLite"},"Postgres"],"question":"Which?"}"#,
            "{db} [Store] Which? -multiple +custom; SQLite: no server; Postgres",
        ),
        (
            "AskUserQuestion",
            r#"{"options":{"A":"a","B":"b"},"multiSelect":"yes", "header" : "H" ,"question":"Q","x":1}"#,
            "[H] Q +multiple +custom; A: a; B: b",
        ),
        ("AskUserQuestion", r#"{"options":["A","B"],"question":null,"header":"H","question":"#, ""),
        ("vscode_askQuestions", r#"{"header":"H","question":"Q","message":"M"}"#, "{H} [H] Q / M -multiple +custom"),
        (
            "AskQuestion",
            r#"{"title":"T","id":"i","options":[{"id":1,"label":"A"}],"prompt":7}"#,
            "{i} 7 -multiple -custom; A=1",
        ),
        ("request_user_input", r#"{"id":"\u0041\n\"","question":"Q"}"#, "{A\n\"} Q -multiple +custom"),
    ] {
        let end = read(parser(tool), arguments);
        if question.is_empty() {
            assert_eq!(end, Err(Reason::Malformed(Note::RepeatedKey)), "{arguments}");
            continue;
        }
        let (lines, notes) = end.unwrap();
        assert_eq!(lines, [question], "{arguments}");
        assert!(notes.contains(&Note::QuestionWithoutList), "{arguments}: {notes:?}");
        // Nothing of it is shown before its text begins.
        let text = arguments.find(r#""question":"#).or(arguments.find(r#""prompt":"#)).unwrap();
        assert!(first_shown(parser(tool), arguments) > Some(text), "{arguments}");
    }
}

/// Returns how many bytes were fed when something of a question was shown.
fn first_shown(mut parser: Parser, arguments: &str) -> Option<usize> {
    arguments.as_bytes().chunks(1).position(|byte| {
        let mut events = parser.feed_bytes(byte);
        std::iter::from_fn(|| Some(matches!(events.next()?, Event::Partial(call) if !call.questions().is_empty())))
            .any(|shows| shows)
    })
}

#[test]
fn what_precedes_a_text_without_a_value_is_of_the_question_too() {
    let ask = |arguments: &str| read(parser("AskUserQuestion"), arguments).map(|(lines, _)| lines);
    let asked = |line: &str| Ok(vec![line.to_owned()]);
    for nothing in ["null", r#""""#] {
        for (before, after, expected) in [
            (r#""options":["A","B"]"#, r#","header":"Pick one""#, asked("[Pick one] Pick one -multiple +custom; A; B")),
            (r#""multiSelect":true,"header":"H""#, "", asked("[H] H +multiple +custom")),
            (r#""options":["A","B"]"#, "", Err(Reason::MissingParameter)),
            (r#""options":5"#, r#","header":"H""#, Err(Reason::WrongType(CallPart::Suggestions))),
            (r#""header":"H""#, r#","header":"I""#, Err(Reason::Malformed(Note::RepeatedKey))),
            (r#""header":"H","header":"I""#, "", Err(Reason::Malformed(Note::RepeatedKey))),
        ] {
            let arguments = format!(r#"{{{before},"question":{nothing}{after}}}"#);
            assert_eq!(ask(&arguments), expected, "{arguments}");
            if !after.is_empty() && expected.is_ok() {
                let first = format!(r#"{{"question":{nothing},{before}{after}}}"#);
                assert_eq!(ask(&first), expected, "{first}");
            }
        }
    }
}

#[test]
fn what_precedes_a_text_that_is_missing_means_nothing() {
    let list = r#""questions":[{"question":"Q"}]"#;
    for before in [
        r#""header":"H","options":[{"label":"A"}]"#,
        // The list has no use for it, so it can't be wrong.
        r#""header":"H","header":"I""#,
        r#""options":5"#,
        r#""options":"[""#,
        r#""header":"H","question":null"#,
    ] {
        let (lines, notes) = read(parser("AskUserQuestion"), &format!("{{{before},{list}}}")).unwrap();
        assert_eq!((lines, notes.contains(&Note::RefusedByHost)), (vec!["Q -multiple +custom".to_owned()], false));
        if !before.contains("question") {
            let alone = read(parser("AskUserQuestion"), &format!("{{{before}}}"));
            assert_eq!(alone, Err(Reason::MissingParameter), "{before}");
        }
    }
    for (before, reason) in [
        (r#""header":"H","header":"I""#, Reason::Malformed(Note::RepeatedKey)),
        (r#""options":5"#, Reason::WrongType(CallPart::Suggestions)),
        (r#""options":"[""#, Reason::Malformed(Note::IllFormedJson)),
    ] {
        let end = read(parser("AskUserQuestion"), &format!(r#"{{{before},"question":"Q"}}"#));
        assert_eq!(end, Err(reason), "{before}");
    }
}
