//! Calls of question tools as random sequences seldom make them.
//!
//! What a single chunk shows, and the limits of a state.

use std::sync::Arc;

use followup::wire::{self, Format, ResponseParser};
use followup::{
    CallPart, Checkpoint, Envelopes, Event, Field, Limits, Parser, Policy, Reason, ResumeError, Shape, Shapes,
};
use serde_json::{Value, json};

use crate::common::stored::paths;
use crate::shapes::{line, read};

/// What a partial is about: the question and its suggestion, the field, and the delta.
type Part = (usize, Option<usize>, Field, String);

fn parser(tool: &str) -> Parser {
    Parser::arguments_of(tool, Policy::new()).unwrap()
}

/// Creates a parser for a shape of the tool `t`, with these lines.
fn parser_of(lines: &str, limits: Limits) -> Parser {
    let shape = Shape::parse(format!("shape s\ntool t\n{lines}")).unwrap();
    Parser::arguments_of("t", Policy::new().with_limits(limits).with_shapes(Shapes::new([shape]))).unwrap()
}

/// Feeds a chunk. Returns what each of its partials is about.
fn parts(parser: &mut Parser, chunk: impl AsRef<[u8]>) -> Vec<Part> {
    let (mut events, mut parts) = (parser.feed_bytes(chunk.as_ref()), Vec::new());
    while let Some(event) = events.next() {
        let Event::Partial(call) = event else { panic!("{event:?}") };
        parts.push((call.question_index(), call.suggestion_index(), call.field(), call.delta().to_owned()));
    }
    parts
}

// What a chunk shows.

/// "a partial without a delta says that something became known that does not grow"
#[test]
fn the_end_of_a_text_that_grows_is_no_news() {
    for (tool, before, field) in [
        ("cursor/ask_question", r#"{"title":"T"#, Field::Title),
        ("AskUserQuestion", r#"{"questions":[{"question":"T"#, Field::Question),
        ("AskUserQuestion", r#"{"questions":[{"header":"T"#, Field::Header),
        ("vscode_askQuestions", r#"{"questions":[{"question":"Q","message":"T"#, Field::Detail),
        ("AskUserQuestion", r#"{"questions":[{"question":"Q","options":[{"label":"T"#, Field::Suggestion),
        ("AskUserQuestion", r#"{"questions":[{"options":[{"label":"A","description":"T"#, Field::Description),
        ("AskUserQuestion", r#"{"questions":[{"options":[{"label":"A","preview":"T"#, Field::Preview),
    ] {
        let mut parser = parser(tool);
        let (_, _, last, delta) = parts(&mut parser, before).pop().unwrap();
        assert_eq!((last, &*delta), (field, "T"), "{before}");
        assert_eq!(parts(&mut parser, "\""), [], "{before}");
    }
    for (tool, before, known) in [
        ("cursor/ask_question", r#"{"questions":[{"prompt":"Q","id":"T"#, (0, None, Field::Question)),
        ("cursor/ask_question", r#"{"questions":[{"options":[{"label":"A","id":"T"#, (0, Some(0), Field::Suggestion)),
    ] {
        let mut parser = parser(tool);
        assert!(parts(&mut parser, before).iter().all(|(.., delta)| delta != "T"), "{before}");
        let (question, suggestion, field) = known;
        assert_eq!(parts(&mut parser, "\""), [(question, suggestion, field, String::new())], "{before}");
    }
}

/// "known when the label has ended"
#[test]
fn a_mark_in_a_label_is_shown_once_when_the_label_has_ended() {
    let begin = |option: &str| format!(r#"{{"questions":[{{"question":"Q","options":[{{{option}"#);
    let mut parser = parser("vscode_askQuestions");
    parts(&mut parser, begin(r#""label":"A (Recommended)"#));
    let mut events = parser.feed("\"");
    let Some(Event::Partial(call)) = events.next() else { panic!("the mark is shown") };
    assert_eq!((call.field(), call.suggestion_index(), call.delta()), (Field::Suggestion, Some(0), ""));
    assert!(call.suggestions().get(0).unwrap().recommended);
    assert!(events.next().is_none());
    drop(events);
    // Of another label, nothing becomes known.
    parts(&mut parser, r#"},{"label":"B"#);
    assert_eq!(parts(&mut parser, "\""), []);
    // What is known already is not shown again.
    parts(&mut parser, r#"},{"recommended":true,"label":"C (recommended)"#);
    assert_eq!(parts(&mut parser, "\""), []);
}

/// "are shown only once the label is not empty", and "only once the text is not empty"
#[test]
fn chunks_of_a_text_that_waits_for_another_show_nothing() {
    let mut claude = parser("AskUserQuestion");
    for chunk in [r#"{"questions":[{"question":"#, "null,", r#""options":[{"description":"d"#, "e", "f"] {
        assert_eq!(parts(&mut claude, chunk), [], "{chunk}");
    }
    let shown = |field, text: &str| (0, Some(0), field, text.to_owned());
    let both = [shown(Field::Suggestion, "L"), shown(Field::Description, "def")];
    assert_eq!(parts(&mut claude, r#"","label":"L"#), both);
    assert_eq!(parts(&mut claude, "M"), [shown(Field::Suggestion, "M")]);

    let mut vscode = parser("vscode_askQuestions");
    for chunk in [r#"{"questions":[{"message":"d"#, "e"] {
        assert_eq!(parts(&mut vscode, chunk), [], "{chunk}");
    }
    let shown = |field, text: &str| (0, None, field, text.to_owned());
    let both = [shown(Field::Question, "Q"), shown(Field::Detail, "de")];
    assert_eq!(parts(&mut vscode, r#"","question":"Q"#), both);
}

/// What is known of a question whose options are shown is shown, whether it has its text or not.
#[test]
fn a_flag_is_shown_before_the_text_if_an_option_is_shown() {
    let news = [(0, None, Field::Question, String::new())];
    let mut claude = parser("AskUserQuestion");
    parts(&mut claude, r#"{"questions":[{"options":[{"label":"A"}],"multiSelect":tru"#);
    assert_eq!(parts(&mut claude, "e"), news);
    // Before anything of the question is shown, a flag is not.
    parts(&mut claude, r#","question":"Q"},{"multiSelect":tru"#);
    assert_eq!(parts(&mut claude, "e"), []);
    let mut id = parser_of("questions q\ntext t\nheader h\nid i else header", Limits::default());
    parts(&mut id, r#"{"q":[{"h":"H","t":"T""#);
    assert_eq!(parts(&mut id, "}"), news, "a header is also the id when the question ends");
}

/// "After each byte everything is shown that all possible continuations share."
#[test]
fn blanks_before_a_character_that_is_cut_are_shown_if_it_can_neither_be_blank_nor_too_long() {
    for (limit, incomplete, expected) in [
        (99, &b"\xC3"[..], "  "),
        // It may be the end of a blank, or ill-formed: U+FFFD, which has three bytes.
        (99, b"\xC2", ""),
        (99, b"\xE2", ""),
        (99, b"\xE2\x82", "  "),
        (5, b"\xC3", "  "),
        (4, b"\xC3", ""),
        (4, b"\xE2", ""),
        (6, b"\xF0", "  "),
        (5, b"\xF0", ""),
    ] {
        let limits = Limits { question: limit, header: limit, ..Limits::default() };
        let policy = Arc::new(Policy::new().with_limits(limits));
        for stream in [r#"{"questions":[{"question":"  "#, r#"{"questions":[{"header":"H","question":"  "#] {
            let stream = [stream.as_bytes(), incomplete].concat();
            for cut in 0..=stream.len() {
                let mut parser = Parser::arguments_of("AskUserQuestion", policy.clone()).unwrap();
                let mut shown = parts(&mut parser, &stream[..cut]);
                shown.extend(parts(&mut parser, &stream[cut..]));
                let text: String =
                    shown.into_iter().filter(|part| part.2 == Field::Question).map(|part| part.3).collect();
                assert_eq!(text, expected, "{incomplete:x?}, of {limit} bytes, cut at {cut}");
            }
        }
    }
}

#[test]
fn a_text_that_grows_by_chunks_may_be_as_long_as_its_limit() {
    for (limit, chunks, is_too_long) in
        [(3, ["a", "b", "c"], false), (2, ["a", "b", "c"], true), (2, ["a", "", "b"], false)]
    {
        let mut parser = parser_of("questions q\ntext t", Limits { question: limit, ..Limits::default() });
        drop(parser.feed(r#"{"q":[{"t":""#));
        chunks.iter().for_each(|chunk| drop(parser.feed(chunk)));
        let end = read(parser, r#""}]}"#).map(|(lines, _)| lines);
        let too_long = Err(Reason::TooLong { part: CallPart::Question, limit });
        assert_eq!(end, if is_too_long { too_long } else { Ok(vec![chunks.concat()]) });
    }
}

// Views.

/// In one chunk, so that more is read than is shown.
#[test]
fn a_view_has_no_question_and_no_suggestion_that_is_not_shown_yet() {
    let lines = r#"{"questionnaire":"[question] Q\n[option] A\n[option] B\n[question] R\n[option] C\n"#;
    let (mut parser, mut most) = (parser("AskUser"), Vec::new());
    parser.feed(lines).for_each(|event| {
        let Event::Partial(call) = event else { panic!("{event:?}") };
        let questions = call.questions();
        assert_eq!(questions.get(questions.len()), None);
        let suggestions = questions.iter().map(|question| question.suggestions);
        assert!(suggestions.clone().all(|list| list.get(list.len()).is_none()), "{questions:?}");
        most.push(suggestions.map(|list| list.len()).collect::<Vec<_>>());
    });
    most.dedup();
    assert_eq!(most, [vec![0], vec![1], vec![2], vec![2, 0], vec![2, 1]]);
}

// What is dropped.

/// "What is dropped is read by the same rules", and "every name of a thing counts in it".
#[test]
fn a_default_of_a_question_beyond_the_limit_can_be_too_long() {
    let end = |default: &str| {
        let limits = Limits { questions: 1, answer: 2, suggestions: 2, ..Limits::default() };
        let parser = parser_of("questions q\ntext t\ndefault d", limits);
        read(parser, &format!(r#"{{"q":[{{"t":"T","d":"x"}},{{"t":"U","d":"{default}"}}]}}"#)).map(|(lines, _)| lines)
    };
    assert_eq!(end("1234"), Ok(vec!["T =x".to_owned()]));
    assert_eq!(end("12345"), Err(Reason::TooLong { part: CallPart::Suggestions, limit: 4 }));
}

#[test]
fn nothing_of_an_option_beyond_the_limit_is_part_of_the_last_one() {
    let limits = Limits { suggestions: 1, questions: 2, ..Limits::default() };
    let lines = "questions q\ntext t\noptions o\nlabel l\ndescription d\nvalue v\nrecommended r\ndefault f";
    for dropped in [
        r#"{"d":"d","v":"v","r":true,"l":"B"}"#,
        r#"{"l":"B (recommended)"}"#,
        r#"{"r":true}"#,
        r#""B (recommended)""#,
        "7",
    ] {
        let option = r#"{"l":"A"}"#;
        let question = |text: &str, options: &str| format!(r#"{{"t":"{text}","o":[{options}],"f":"{text}"}}"#);
        let both = format!("{option},{dropped}");
        let list = [question("T", &both), question("U", &both), question("V", &both)].join(",");
        let (lines, _) = read(parser_of(lines, limits), &format!(r#"{{"q":[{list}]}}"#)).unwrap();
        assert_eq!(lines, ["T =T; A", "U =U; A"], "{dropped}");
    }
}

// Where a stream may end.

/// "otherwise it is truncated"
#[test]
fn a_message_that_ends_between_parameters_without_a_question_is_truncated() {
    let end = |questions: &str| {
        let message = format!(r#"<invoke name="AskUserQuestion"><parameter name="questions">{questions}</parameter>"#);
        let mut parser = Parser::new(Policy::new().with_envelopes(Envelopes::all()));
        drop(parser.feed(&message));
        let mut events = parser.finish();
        match events.next() {
            Some(Event::Complete(call)) => Ok(call.questions().iter().map(line).collect::<Vec<_>>()),
            Some(Event::Rejected(call)) => Err(call.reason()),
            event => panic!("{event:?}"),
        }
    };
    assert_eq!(end("[]"), Err(Reason::Truncated(CallPart::Parameters)));
    assert_eq!(end("[null]"), Err(Reason::Truncated(CallPart::Parameters)));
    assert_eq!(end(r#"[{"question":"Q"}]"#), Ok(vec!["Q -multiple +custom".to_owned()]));
}

/// "The calls that wait for the end of the body may be as long": as the limit `arguments`.
#[test]
fn calls_of_question_tools_that_wait_for_the_end_of_a_body_count_with_their_texts() {
    let call = |text: &str| {
        let content = format!(
            r#"<invoke name="AskUserQuestion"><parameter name="questions">[{{"question":"{text}"}}]</parameter></invoke>"#
        );
        format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": {"content": content}}]}))
    };
    for (arguments, early) in [(10, 0), (9, 1), (5, 1), (4, 2)] {
        let limits = wire::Limits::default().with_arguments(arguments);
        let mut parser = ResponseParser::new(Format::OpenAiChat, Policy::new()).with_limits(limits);
        let mut complete = 0;
        for text in ["first", "other", ""] {
            // What follows a call ends it.
            let body = if text.is_empty() { call("x").replace("invoke", "b") } else { call(text) };
            parser
                .feed(body.as_bytes())
                .for_each(|event| complete += usize::from(matches!(event, Ok(Event::Complete(_)))));
        }
        assert_eq!(complete, early, "{arguments}");
    }
}

// Checkpoints.

/// Arguments with two questions of two options each, and the policy that allows no more.
fn full_form() -> (Arc<Policy>, Parser) {
    let limits = Limits { questions: 2, suggestions: 2, ..Limits::default() };
    let policy = Arc::new(Policy::new().with_limits(limits));
    let mut parser = Parser::arguments_of("AskUserQuestion", policy.clone()).unwrap();
    let question = |text: &str| format!(r#"{{"question":"{text}","options":[{{"label":"A"}},{{"label":"B"}}]}}"#);
    drop(parser.feed(&format!(r#"{{"questions":[{},{}"#, question("Q"), question("R"))));
    (policy, parser)
}

#[test]
fn a_checkpoint_with_as_many_options_as_each_question_may_have_resumes() {
    let (policy, parser) = full_form();
    let resumed = Parser::resume(policy, parser.checkpoint()).unwrap();
    let (lines, _) = read(resumed, "]}").unwrap();
    assert_eq!(lines, ["Q -multiple +custom; A; B", "R -multiple +custom; A; B"]);
}

#[test]
fn a_forged_checkpoint_that_counts_options_that_are_not_there_is_corrupt() {
    let (policy, parser) = full_form();
    let stored = serde_json::to_value(parser.checkpoint()).unwrap();
    let places = |key: &str| -> Vec<String> { paths(&stored).into_iter().filter(|path| path.ends_with(key)).collect() };
    let resumed = |path: &str, number: u64| {
        let mut forged = stored.clone();
        *forged.pointer_mut(path).unwrap() = Value::from(number);
        let checkpoint = serde_json::from_value::<Checkpoint>(forged).unwrap();
        Parser::resume(policy.clone(), checkpoint.with_valid_checksum()).map(drop)
    };
    let (firsts, shown) = (places("/first_option"), places("/shown_options"));
    assert_eq!((firsts.len(), shown.len()), (2, 2));
    for (path, number, is_right) in [
        (&firsts[1], 2, true),
        (&firsts[0], 3, false),
        (&firsts[1], 5, false),
        (&firsts[1], u64::from(u32::MAX), false),
        (&shown[0], 2, true),
        (&shown[0], 3, false),
        (&shown[1], 2, true),
        (&shown[1], 3, false),
        (&shown[1], 6, false),
    ] {
        let expected = if is_right { Ok(()) } else { Err(ResumeError::Corrupt) };
        assert_eq!(resumed(path, number), expected, "{path}: {number}");
    }
}
