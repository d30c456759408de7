//! What is left of a call of a question tool that is rejected.

use followup::{Event, Parser, Policy, Reason, Shape, Shapes};

use crate::shapes::{line, read};

/// Returns the questions of the rejected call, and those of the last partial.
fn rejected(tool: &str, arguments: &str, size: usize) -> (Vec<String>, Vec<String>) {
    let mut parser = Parser::arguments_of(tool, Policy::new()).unwrap();
    let mut shown = Vec::new();
    for chunk in arguments.as_bytes().chunks(size) {
        let mut events = parser.feed_bytes(chunk);
        while let Some(event) = events.next() {
            let Event::Partial(call) = event else { panic!("{event:?}") };
            shown = call.questions().iter().map(line).collect();
        }
    }
    match parser.finish().next() {
        Some(Event::Rejected(call)) => (call.questions().iter().map(line).collect(), shown),
        event => panic!("{event:?}: {arguments}"),
    }
}

#[test]
fn a_rejected_call_has_no_suggestion_without_a_label_and_no_empty_question() {
    let claude = |end: &str| format!(r#"{{"questions":[{{"question":"Q?","options":[{{"label":"A"}}{end}"#);
    for (tool, arguments, left) in [
        ("AskUserQuestion", claude(r#",{"#), &["Q? +custom; A"][..]),
        ("AskUserQuestion", claude(r#",{"description":"d"#), &["Q? +custom; A"]),
        ("AskUserQuestion", claude(r#",{"description":"d"}, x"#), &["Q? +custom; A"]),
        ("AskUserQuestion", claude(r#",{"label":""#), &["Q? +custom; A"]),
        ("AskUserQuestion", claude(r#",{"label":"B","description":"#), &["Q? +custom; A; B"]),
        ("AskUserQuestion", claude(r#",{"label":"B","label":"C"#), &["Q? +custom; A; B"]),
        ("AskUserQuestion", claude("]},{"), &["Q? -multiple +custom; A"]),
        ("AskUserQuestion", claude(r#"]},{"id":"x","#), &["Q? -multiple +custom; A"]),
        ("AskUserQuestion", claude(r#"]},{"options":[{"preview":"p""#), &["Q? -multiple +custom; A"]),
        ("AskUserQuestion", claude(r#"]},{"options":[{"label":"B"#), &["Q? -multiple +custom; A", " +custom; B"]),
        ("AskUserQuestion", r#"{"questions":[{"#.into(), &[]),
        ("AskUserQuestion", r#"{"questions":[{}]}"#.into(), &[]),
        ("ask", r#"{"questions":[{"options":["A","B","C"],"recommended":1}"#.into(), &[" -multiple +custom; A; B *; C"]),
        (
            "elicitation/create",
            r#"{"requestedSchema":{"properties":{"a":{"title":"T","oneOf":[{"const":"p"},{"const":"q","title":"Q"}], x"#
                .into(),
            &["{a} T -custom"],
        ),
    ] {
        for size in [1, 3, 1000] {
            let (rejected, shown) = rejected(tool, &arguments, size);
            assert_eq!(rejected, left, "{arguments}");
            assert_eq!(rejected, shown, "{arguments}");
        }
    }
}

#[test]
fn a_call_that_ends_as_it_should_keeps_options_that_get_their_labels_at_the_end() {
    let shapes = Shapes::new([Shape::built_in("mcp").unwrap()]);
    let mut parser = Parser::arguments_of("elicitation/create", Policy::new().with_shapes(shapes)).unwrap();
    drop(parser.feed(r#"{"requestedSchema":{"properties":{"a":{"title":"T","enum":["p"]}}}}"#));
    let mut events = parser.finish();
    let Some(Event::Complete(call)) = events.next() else { panic!() };
    assert_eq!(call.questions().iter().map(line).collect::<Vec<_>>(), ["{a} T -multiple -custom -required; p"]);
}

#[test]
fn a_permission_without_a_title_or_an_option_is_rejected() {
    let end = |arguments: &str| {
        let parser = Parser::arguments_of("session/request_permission", Policy::new()).unwrap();
        read(parser, arguments).map(|(lines, _)| lines)
    };
    let whole = end(r#"{"toolCall":{"toolCallId":"t","title":"Run ls"},"options":[{"optionId":"a","name":"Allow"}]}"#);
    assert_eq!(whole, Ok(vec!["Run ls -multiple -custom; Allow=a".to_owned()]));
    for arguments in [
        r#"{"toolCall":{"toolCallId":"t"},"options":[{"optionId":"a","name":"Allow"}]}"#,
        r#"{"toolCall":{"title":null},"options":[{"optionId":"a","name":"Allow"}]}"#,
        r#"{"toolCall":{"title":"Run ls"},"options":[]}"#,
        r#"{"toolCall":{"title":"Run ls"},"options":[{"kind":"allow_once"}]}"#,
        r#"{"toolCall":{"title":"Run ls"}}"#,
    ] {
        assert_eq!(end(arguments), Err(Reason::MissingParameter), "{arguments}");
    }
}

#[test]
fn a_form_without_fields_is_rejected() {
    for schema in [r#"{"type":"object","properties":{}}"#, r#"{"type":"object"}"#, "{}", "null"] {
        let parser = Parser::arguments_of("elicitation/create", Policy::new()).unwrap();
        let arguments = format!(r#"{{"message":"Continue?","requestedSchema":{schema}}}"#);
        assert_eq!(read(parser, &arguments), Err(Reason::MissingParameter), "{arguments}");
    }
}

#[test]
fn a_shape_may_need_an_option_of_each_question() {
    let shape = |more: &str| format!("shape s\ntool t\n{more}questions list\ntext text\noptions options\n");
    let end = |more: &str, arguments: &str| {
        let shapes = Shapes::new([Shape::parse(shape(more)).unwrap()]);
        let parser = Parser::arguments_of("t", Policy::new().with_shapes(shapes)).unwrap();
        read(parser, arguments).map(|(lines, _)| lines.len())
    };
    let one = r#"{"list":[{"text":"Q","options":["A"]},{"text":"R"}]}"#;
    let all = r#"{"list":[{"text":"Q","options":["A"]},{"options":["B"],"text":"R"}]}"#;
    assert_eq!((end("needs options\n", one), end("needs options\n", all)), (Err(Reason::MissingParameter), Ok(2)));
    // A generic tool is told apart in a provider's stream only.
    assert_eq!((end("", one), end("generic\nneeds options\n", one)), (Ok(2), Ok(2)));
}
