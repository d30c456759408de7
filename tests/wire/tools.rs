//! Native calls of other question tools, and of other tools with a generic name.

use followup::wire::{Error, Format, Limits, ResponseParser};
use followup::{Event, Policy, Shapes};
use serde_json::{Value, json};

/// The events of a body of OpenAI chat with one call, whose arguments come in these pieces.
///
/// They are the same for every size of chunks; so each is one line, without deltas.
fn events_of(policy: Policy, limits: Limits, tool: &str, pieces: &[&str]) -> Vec<String> {
    let call = |function: Value| json!({"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "c", "function": function}]}}]});
    let mut body = format!("data: {}\n\n", call(json!({"name": tool, "arguments": ""})));
    for piece in pieces {
        body += &format!("data: {}\n\n", call(json!({"arguments": piece})));
    }
    body += "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n";
    let mut parser = ResponseParser::new(Format::OpenAiChat, policy).with_limits(limits);
    let mut whole = Vec::new();
    lines(&mut parser, body.as_bytes(), body.len(), &mut whole);
    for size in [1, 7] {
        let mut pieces = Vec::new();
        lines(&mut parser, body.as_bytes(), size, &mut pieces);
        assert_eq!(pieces, whole, "in chunks of {size}");
    }
    whole
}

fn lines(parser: &mut ResponseParser, body: &[u8], size: usize, lines: &mut Vec<String>) {
    let mut take = |event: Result<Event<'_>, Error<'_>>| {
        let line = match event {
            Ok(Event::Partial(call)) => {
                format!("{} {} {:?} {:?}", call.tool(), call.question_index(), call.field(), call.delta())
            }
            Ok(Event::Opaque(piece)) => {
                format!("opaque {} {}{}", piece.tool, if piece.start { "start " } else { "" }, piece.raw)
            }
            Ok(Event::Complete(call)) => {
                let texts: Vec<&str> = call.questions().iter().map(|question| question.text).collect();
                format!("complete {} {} {texts:?}", call.index(), call.tool())
            }
            Ok(Event::Rejected(call)) => format!("rejected {} {} {}", call.index(), call.tool(), call.reason().code()),
            Ok(Event::Text(text)) => format!("text {text}"),
            Err(error) => format!("error {}", error.code()),
        };
        lines.push(line);
    };
    for chunk in body.chunks(size) {
        parser.feed(chunk).for_each(&mut take);
    }
    parser.finish().for_each(take);
}

fn events(tool: &str, pieces: &[&str]) -> Vec<String> {
    events_of(Policy::new(), Limits::default(), tool, pieces)
}

#[test]
fn several_questions_of_a_native_call_are_shown_while_they_stream() {
    let pieces = [
        r#"{"questions":[{"question":"Which st"#,
        r#"ore?","options":[{"label":"Re"#,
        r#"dis"}],"multiSelect":false},{"header":"Env","#,
        r#""question":"Where?"}]}"#,
    ];
    assert_eq!(
        events("AskUserQuestion", &pieces),
        [
            r#"AskUserQuestion 0 Question "Which st""#,
            r#"AskUserQuestion 0 Question "ore?""#,
            r#"AskUserQuestion 0 Suggestion "Re""#,
            r#"AskUserQuestion 0 Suggestion "dis""#,
            r#"AskUserQuestion 0 Question """#,
            r#"AskUserQuestion 1 Header "Env""#,
            r#"AskUserQuestion 1 Question "Where?""#,
            // Without its key, whether several can be chosen is known when the question ends.
            r#"AskUserQuestion 1 Question """#,
            r#"complete 0 AskUserQuestion ["Which store?", "Where?"]"#,
        ]
    );
}

#[test]
fn a_generic_name_counts_as_soon_as_a_question_is_shown() {
    let news = r#"question 0 Question """#;
    let pieces = [r#"{"title":"x","questions":"#, r#"[{"question":"Ne"#, r#"xt?"}]}"#];
    assert_eq!(
        events("question", &pieces),
        [r#"question 0 Question "Ne""#, r#"question 0 Question "xt?""#, news, r#"complete 0 question ["Next?"]"#]
    );
    // The tool of `ask_user` may have its one question without a list.
    assert_eq!(
        events("ask_user", &[r#"{"question":"Ne"#, r#"xt?"}"#]),
        [
            r#"ask_user 0 Question "Ne""#,
            r#"ask_user 0 Question "xt?""#,
            r#"ask_user 0 Question """#,
            r#"complete 0 ask_user ["Next?"]"#
        ]
    );
}

#[test]
fn a_call_with_a_generic_name_that_asks_nothing_is_another_tools() {
    for arguments in [
        r#"{"path":"x"}"#,
        // Where a list is usual, a text that happens to have that key is no question.
        r#"{"question":"What does main.rs do?","files":["main.rs"]}"#,
        r#"{"questions":[]}"#,
        r#"{"title":"x","message":"y"}"#,
        r#"{"questions":7}"#,
        r#"{"questions":[{"que"#,
        "SELECT 1",
        "{}",
    ] {
        let expected = ["opaque question start ".to_owned(), format!("opaque question {arguments}")];
        let (one, two) = arguments.split_at(arguments.len() / 2);
        assert_eq!(events("question", &[arguments]), expected);
        // What is known to be no question is passed on as it comes.
        let pieces = events("question", &[one, two]);
        let raw: String = pieces
            .iter()
            .filter_map(|line| line.strip_prefix("opaque question "))
            .map(|raw| raw.trim_start_matches("start "))
            .collect();
        assert_eq!(raw, arguments);
    }
}

#[test]
fn a_tool_that_needs_options_counts_once_one_is_shown() {
    // DeepWiki has a tool of this name, whose question is none for the user.
    for arguments in [
        r#"{"question":"How does it work?","repoName":"a/b"}"#,
        r#"{"question":"How?","options":[]}"#,
        r#"{"question":"How?","options":[""#,
    ] {
        let expected = ["opaque ask_question start ".to_owned(), format!("opaque ask_question {arguments}")];
        assert_eq!(events("ask_question", &[arguments]), expected);
    }
    assert_eq!(
        events("ask_question", &[r#"{"question":"Wh"#, r#"ich?","options":["A"#, r#""]}"#]),
        [
            r#"ask_question 0 Question "Which?""#,
            r#"ask_question 0 Suggestion "A""#,
            r#"ask_question 0 Question """#,
            r#"complete 0 ask_question ["Which?"]"#
        ]
    );
}

#[test]
fn a_title_alone_does_not_tell_that_a_generic_name_asks() {
    let arguments = r#"{"message":"Done","level":1}"#;
    assert_eq!(
        events("ask_user", &[arguments]),
        ["opaque ask_user start ".to_owned(), format!("opaque ask_user {arguments}")]
    );
    let lines = events("ask_user", &[r#"{"message":"Do"#, r#"ne","question":"OK?"}"#]);
    assert_eq!(lines[0], r#"ask_user 0 Title "Done""#);
    assert_eq!(lines[1], r#"ask_user 0 Question "OK?""#);
}

#[test]
fn arguments_of_a_generic_name_that_are_too_long_to_keep_are_another_tools() {
    let limits = Limits::default().with_event(2_000).with_open_calls(10);
    let long = format!(r#"{{"a":"{}","#, "a".repeat(200));
    let lines = events_of(Policy::new(), limits, "question", &[&long, r#""questions":[{"question":"Q"}]}"#]);
    assert_eq!(lines[0], "opaque question start ");
    assert!(lines.iter().all(|line| line.starts_with("opaque question ")), "{lines:?}");
}

#[test]
fn without_shapes_only_ask_followup_question_asks() {
    let policy = || Policy::new().with_shapes(Shapes::none());
    let arguments = r#"{"questions":[{"question":"Q"}]}"#;
    let lines = events_of(policy(), Limits::default(), "AskUserQuestion", &[arguments]);
    assert_eq!(lines, ["opaque AskUserQuestion start ".to_owned(), format!("opaque AskUserQuestion {arguments}")]);
    let lines = events_of(policy(), Limits::default(), "ask_followup_question", &[r#"{"question":"Q"}"#]);
    assert_eq!(lines.last().unwrap(), r#"complete 0 ask_followup_question ["Q"]"#);
}

#[test]
fn calls_of_several_tools_have_their_indices_in_the_order_in_which_they_ask() {
    let call = |index: u64, name: &str, arguments: &str| json!({"index": index, "id": format!("c{index}"), "function": {"name": name, "arguments": arguments}});
    let payload = json!({"choices": [{"delta": {"tool_calls": [
        call(0, "question", r#"{"path":1,"#),
        call(1, "ask_followup_question", r#"{"question":"A"}"#),
        call(2, "request_user_input", r#"{"questions":[{"id":"b","question":"B"}]}"#),
        call(0, "", r#""questions":[{"question":"C"}]}"#),
    ]}}]});
    let body = format!("data: {payload}\n\ndata: [DONE]\n\n");
    let mut all = Vec::new();
    lines(&mut ResponseParser::new(Format::OpenAiChat, Policy::new()), body.as_bytes(), 1, &mut all);
    all.retain(|line| line.starts_with("complete"));
    assert_eq!(
        all,
        [
            r#"complete 2 question ["C"]"#,
            r#"complete 0 ask_followup_question ["A"]"#,
            r#"complete 1 request_user_input ["B"]"#,
        ]
    );
}

#[test]
fn a_whole_message_that_repeats_a_form_asks_once_and_one_that_differs_is_an_error() {
    let body = |repeated: &str| {
        let arguments =
            r#"{"questions":[{"question":"A","options":[{"label":"x","description":"y"}]},{"question":"B"}]}"#;
        let call = |arguments: &str| json!([{"index": 0, "id": "c", "function": {"name": "AskUserQuestion", "arguments": arguments}}]);
        let (delta, message) = (json!({"tool_calls": call(arguments)}), json!({"tool_calls": call(repeated)}));
        let delta = json!({"choices": [{"index": 0, "delta": delta, "finish_reason": "tool_calls"}]});
        let message = json!({"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]});
        format!("data: {delta}\n\ndata: {message}\n\ndata: [DONE]\n\n")
    };
    let ends = |repeated: &str| {
        let (body, mut all) = (body(repeated), Vec::new());
        lines(&mut ResponseParser::new(Format::OpenAiChat, Policy::new()), body.as_bytes(), 1, &mut all);
        all.retain(|line| !line.starts_with("AskUserQuestion"));
        all
    };
    let once = [r#"complete 0 AskUserQuestion ["A", "B"]"#];
    assert_eq!(
        ends(r#"{ "questions" : [{"options":[{"description":"y","label":"x"}],"question":"A"},{"question":"B"}]}"#),
        once
    );
    let other = r#"{"questions":[{"question":"A","options":[{"label":"x","description":"z"}]},{"question":"B"}]}"#;
    assert_eq!(ends(other), [once[0], "error contradiction"]);
}

#[test]
fn arguments_by_path_reach_into_the_questions() {
    let part =
        |path: &str, value: &str, more: bool| json!({"jsonPath": path, "stringValue": value, "willContinue": more});
    let call = |args: Value, name: Option<&str>, more: bool| {
        let mut call = json!({"partialArgs": args, "willContinue": more});
        if let Some(name) = name {
            call["name"] = name.into();
        }
        json!({"candidates": [{"content": {"parts": [{"functionCall": call}]}}]})
    };
    let payloads = [
        call(json!([part("$.questions[0].question", "Which ", true)]), Some("ask_user"), true),
        call(json!([part("$.questions[0].question", "one?", false)]), None, true),
        call(json!([part("$.questions[0].options[0].label", "This", false)]), None, true),
        call(json!([part("$.questions[1].question", "Why?", false)]), None, false),
    ];
    let body: String = payloads.iter().map(|payload| format!("data: {payload}\n\n")).collect();
    let mut all = Vec::new();
    lines(&mut ResponseParser::new(Format::Gemini, Policy::new()), body.as_bytes(), 1, &mut all);
    assert_eq!(all.last().unwrap(), r#"complete 0 ask_user ["Which one?", "Why?"]"#, "{all:?}");
}
