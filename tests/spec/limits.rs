//! Each limit: one byte less, the limit itself and one byte more, for every cut.

use std::sync::Arc;

use crate::common::reference::{Atom, Rules};
use crate::common::{oracle, parse, policy, shapes};
use crate::shapes::line;
use followup::{CallPart, Event, Limits, Note, Parser, Policy, Reason, Shape, Shapes};
use followup_testing::Syntax;

/// Returns how a call ended, in short.
fn end(atoms: &[Atom]) -> String {
    atoms
        .iter()
        .map(|atom| match atom {
            Atom::Complete(call) => {
                let answers: Vec<&str> = call.suggest.iter().map(|(answer, _)| &**answer).collect();
                format!("{}{answers:?}{:?}", call.question.as_deref().unwrap_or_default(), call.notes)
            }
            Atom::Rejected(reason, _) => (*reason).to_owned(),
            Atom::Text(_) => "text".to_owned(),
            _ => String::new(),
        })
        .filter(|end| !end.is_empty())
        .reduce(|all, end| if all.ends_with(&end) { all } else { all + " " + &end })
        .unwrap_or_default()
}

/// Returns how a call ends, and asserts that it ends so for the reference reader and for every cut.
fn ends_as(syntax: Syntax, stream: &str, rules: &Rules) -> String {
    let expected = oracle(syntax, stream.as_bytes(), rules);
    let mut parser = syntax.parser(Arc::new(policy(rules)));
    for cut in 0..=stream.len() {
        let (one, two) = stream.as_bytes().split_at(cut);
        assert_eq!(parse(&mut parser, [one, two]), expected, "{stream:?} cut at {cut}");
    }
    assert_eq!(parse(&mut parser, stream.as_bytes().chunks(1)), expected, "{stream:?} byte by byte");
    end(&expected)
}

fn ends(stream: &str, rules: &Rules) -> String {
    ends_as(Syntax::Markup, stream, rules)
}

/// Returns how a native call with the question `Q` and these other arguments ends.
fn ends_with(arguments: &str, rules: &Rules) -> String {
    ends_as(Syntax::Arguments, &format!("{{\"question\":\"Q\",{arguments}}}"), rules)
}

fn ask(inside: &str) -> String {
    format!("<ask_followup_question>{inside}</ask_followup_question>")
}

#[test]
fn a_question_may_be_as_long_as_its_limit() {
    for (text, len) in [("12345", 5), ("  12345 \n", 5), ("1 3 5", 5), ("ééé", 6), ("数据库", 9), ("5 <b", 4)] {
        let stream = ask(&format!("<question>{text}</question>"));
        let with = |question| ends(&stream, &Rules { question, ..Rules::default() });
        assert_eq!(with(len - 1), "too_long", "{text}");
        assert_eq!(with(len), format!("{}[]{{}}", text.trim()));
        assert_eq!(with(len + 1), with(len));
    }
}

#[test]
fn a_bare_question_may_be_as_long_as_a_question() {
    let with = |question| ends(&ask(" Which? "), &Rules { question, ..Rules::default() });
    assert_eq!(with(5), "too_long");
    assert_eq!(with(6), "Which?[]{\"BareQuestion\"}");
}

#[test]
fn white_space_around_a_value_does_not_count() {
    let stream = ask(&format!("<question>{0}ab{0}</question>", " \n\u{3000}".repeat(40)));
    assert_eq!(ends(&stream, &Rules { question: 2, ..Rules::default() }), "ab[]{}");
    let stream = ask(&format!("<question>ab{}c</question>", " ".repeat(40)));
    assert_eq!(ends(&stream, &Rules { question: 42, ..Rules::default() }), "too_long");
}

#[test]
fn an_answer_may_be_as_long_as_its_limit_in_every_form() {
    let forms = [
        "<follow_up><suggest>12345</suggest></follow_up>",
        "<follow_up><suggest><content> 12345 </content></suggest></follow_up>",
        "<follow_up><suggest><mode>m</mode>12345</suggest></follow_up>",
        "<options>[\"12345\"]</options>",
        "<follow_up>[12345]</follow_up>",
    ];
    for form in forms {
        let stream = ask(&format!("<question>Q</question>{form}"));
        let with = |answer| ends(&stream, &Rules { answer, ..Rules::default() });
        assert_eq!(with(4), "too_long", "{form}");
        assert_eq!(with(5), "Q[\"12345\"]{}", "{form}");
        assert_eq!(with(6), "Q[\"12345\"]{}", "{form}");
    }
}

#[test]
fn a_nested_mode_may_be_as_long_as_an_answer() {
    let stream =
        ask("<question>Q</question><follow_up><suggest><content>A</content><mode>12345</mode></suggest></follow_up>");
    let with = |answer| ends(&stream, &Rules { answer, ..Rules::default() });
    assert_eq!(with(4), "too_long");
    assert_eq!(with(5), "Q[\"A\"]{}");
}

#[test]
fn later_suggestions_are_dropped_with_a_note() {
    let three = "<suggest>A</suggest><suggest> </suggest><suggest>B</suggest><suggest>C</suggest>";
    for form in [format!("<follow_up>{three}</follow_up>"), "<options>[\"A\",\" \",\"B\",\"C\"]</options>".to_owned()] {
        let stream = ask(&format!("<question>Q</question>{form}"));
        let with = |suggestions| ends(&stream, &Rules { suggestions, ..Rules::default() });
        assert_eq!(with(2), "Q[\"A\", \"B\"]{\"SuggestionsDropped\"}");
        assert_eq!(with(3), "Q[\"A\", \"B\", \"C\"]{}");
        assert_eq!(with(4), with(3));
    }
}

#[test]
fn a_tag_may_be_as_long_as_its_limit() {
    // Longer than the close tag of the call, so that only this tag is near the limit.
    for tag in ["<question a=\"123456789012345\">", "<question a='é>'           >", "<question                   >"] {
        let stream = ask(&format!("{tag}Q</question>"));
        let with = |limit| ends(&stream, &Rules { tag: limit, ..Rules::default() });
        assert!(with(tag.len() - 1).contains("BareQuestion"), "{tag} is text");
        assert_eq!(with(tag.len()), "Q[]{}", "{tag}");
        assert_eq!(with(tag.len() + 1), "Q[]{}", "{tag}");
    }
}

#[test]
fn a_body_is_a_call_if_a_parameter_ends_within_its_limit() {
    let body = "Hm. <question>Q</question>";
    let len = "Hm. <question>".len();
    let with = |unconfirmed| ends(&ask(body), &Rules { unconfirmed, ..Rules::default() });
    assert_eq!(with(len - 1), "text");
    assert_eq!(with(len), "Q[]{}");
    assert_eq!(with(len + 1), "Q[]{}");
    let with = |unconfirmed| ends(&ask("Q?"), &Rules { unconfirmed, ..Rules::default() });
    let len = "Q?</ask_followup_question>".len();
    assert_eq!(with(len - 1), "text");
    assert_eq!(with(len), "Q?[]{\"BareQuestion\"}");
    // White space counts too.
    let with = |unconfirmed| ends("<ask_followup_question>   ", &Rules { unconfirmed, ..Rules::default() });
    assert_eq!(with(2), "text");
    assert_eq!(with(3), "truncated");
}

#[test]
fn a_question_in_json_may_be_as_long_as_its_limit() {
    for (value, text) in [
        ("\"12345\"", "12345"),
        ("\" \\t12345 \\n\"", "12345"),
        ("\"1 3 5\"", "1 3 5"),
        ("\"ééé\"", "ééé"),
        ("\"\\u00e9\\u6570\"", "é数"),
        ("\"a\\ud83d\\ude00\"", "a😀"),
        ("\"ab\\ud83d\"", "ab\u{FFFD}"),
        ("\"\\ude00\\ud83d.\"", "\u{FFFD}\u{FFFD}."),
        ("-1.5e3", "-1.5e3"),
        ("false", "false"),
    ] {
        let with = |question| {
            let rules = Rules { question, ..Rules::default() };
            ends_as(Syntax::Arguments, &format!("{{\"question\": {value} }}"), &rules)
        };
        assert_eq!(with(text.len() - 1), "too_long", "{value}");
        assert_eq!(with(text.len()), format!("{text}[]{{}}"));
        assert_eq!(with(text.len() + 1), with(text.len()));
    }
}

#[test]
fn white_space_around_a_value_in_json_does_not_count() {
    let blanks = " \\n\\u3000\u{3000}".repeat(20);
    let stream = format!("{{\"question\":\"{blanks}ab{blanks}\"}}");
    assert_eq!(ends_as(Syntax::Arguments, &stream, &Rules { question: 2, ..Rules::default() }), "ab[]{}");
    let stream = format!("{{\"question\":\"ab{blanks}c\"}}");
    assert_eq!(ends_as(Syntax::Arguments, &stream, &Rules { question: 42, ..Rules::default() }), "too_long");
}

#[test]
fn an_answer_in_json_may_be_as_long_as_its_limit_in_every_form() {
    for form in [
        r#""follow_up":["12345"]"#,
        r#""follow_up":[ 12345 ]"#,
        r#""follow_up":[{"text":" 12345 "}]"#,
        r#""follow_up":[{"mode":"m","answer":"1234\u0035"}]"#,
        r#""follow_up":[{"text":12345,"mode":"m"}]"#,
        r#""follow_up":{"text":"12345"}"#,
        r#""follow_up":{"0":"12345"}"#,
        r#""follow_up":{"all":["12345"]}"#,
        r#""follow_up":"12345""#,
        r#""follow_up":"[\"12345\"]""#,
        r#""follow_up":"{\"text\":12345}""#,
        r#""follow_up":"<suggest>12345</suggest>""#,
        r#""follow_up":"<options>[12345]</options>""#,
        r#""options":["12345"]"#,
        r#""suggest":["12345"]"#,
    ] {
        let with = |answer| ends_with(form, &Rules { answer, ..Rules::default() });
        assert_eq!(with(4), "too_long", "{form}");
        assert!(with(5).starts_with("Q[\"12345\"]"), "{form}");
        assert_eq!(with(6), with(5), "{form}");
    }
}

#[test]
fn a_mode_in_json_may_be_as_long_as_an_answer() {
    for form in [
        r#""follow_up":[{"text":"A","mode":"12345"}]"#,
        r#""follow_up":[{"mode":" 123\u00345 ","text":"A"}]"#,
        r#""follow_up":{"mode":"12345","answer":"A"}"#,
        r#""follow_up":"[{\"text\":\"A\",\"mode\":\"12345\"}]""#,
        r#""follow_up":"[{\"mode\":\"12345\",\"text\":\"A\"}]""#,
    ] {
        let with = |answer| ends_with(form, &Rules { answer, ..Rules::default() });
        assert_eq!(with(4), "too_long", "{form}");
        assert!(with(5).starts_with("Q[\"A\"]"), "{form}");
        assert_eq!(with(6), with(5), "{form}");
    }
}

#[test]
fn later_suggestions_in_json_are_dropped_with_a_note() {
    for form in [
        r#""follow_up":["A"," ","B",null,{"text":"C","mode":"m"}]"#,
        r#""follow_up":[{"text":"A"},{"text":""},{"answer":"B"},{"mode":"m","text":"C"}]"#,
        r#""follow_up":["A"],"options":["B"],"suggest":["C"]"#,
        r#""follow_up":{"0":"A","1":"","2":["B","C"]}"#,
        r#""follow_up":"A\n\nB\nC""#,
        r#""follow_up":"[\"A\",\"\",\"B\",{\"text\":\"C\"}]""#,
        r#""follow_up":"<suggest>A</suggest><suggest/><suggest>B</suggest><suggest mode='m'>C</suggest>""#,
    ] {
        let with = |suggestions| ends_with(form, &Rules { suggestions, ..Rules::default() });
        assert!(with(2).starts_with("Q[\"A\", \"B\"]") && with(2).contains("SuggestionsDropped"), "{form}");
        assert!(with(3).starts_with("Q[\"A\", \"B\", \"C\"]") && !with(3).contains("SuggestionsDropped"), "{form}");
        assert_eq!(with(4), with(3));
    }
}

#[test]
fn a_dropped_suggestion_in_json_has_no_limits() {
    for form in [
        r#""follow_up":["A","12345"]"#,
        r#""follow_up":["A",12345]"#,
        r#""follow_up":[{"text":"A"},{"text":"12345","mode":"12345"}]"#,
        r#""follow_up":["A",{"mode":"12345","text":"B"}]"#,
    ] {
        let rules = Rules { answer: 1, suggestions: 1, ..Rules::default() };
        assert_eq!(ends_with(form, &rules), "Q[\"A\"]{\"SuggestionsDropped\"}", "{form}");
    }
}

#[test]
fn a_string_may_be_as_long_as_all_suggestions_together() {
    let rules = Rules { answer: 12, suggestions: 2, ..Rules::default() };
    // White space around it does not count, and neither do escapes.
    for (len, read) in [(23, true), (24, true), (25, false)] {
        for text in [
            format!("<suggest>A</suggest>{}.", " ".repeat(len - 21)),
            format!("[{}\\\"A\\\"]", " ".repeat(len - 5)),
            format!("A{}B", "\\n".repeat(len - 2)),
        ] {
            let text = format!(" \\n{}\\u3000", text.replace('A', "\\u0041"));
            let end = ends_with(&format!("\"follow_up\":\"{text}\""), &rules);
            assert_eq!(end.starts_with("Q[\"A\""), read, "{text} of {len}: {end}");
            assert_eq!(end == "Q[]{\"UnreadableList\"}", !read, "{text} of {len}: {end}");
        }
    }
}

/// Returns the lines of the questions of a call and its notes, or why it is rejected, and asserts
/// that it is the same for the reference reader and for every cut.
fn form_ends(shape: &str, arguments: &str, limits: Limits) -> Result<(Vec<String>, Vec<Note>), Reason> {
    let shape = Shape::built_in(shape).unwrap();
    let policy = Arc::new(Policy::new().with_limits(limits).with_shapes(Shapes::new([shape.clone()])));
    let parser = || Parser::arguments_of(shape.tools().next().unwrap(), policy.clone()).unwrap();
    let rules = shapes::Rules { limits, strict: false };
    let expected = shapes::read(shape.text(), arguments.as_bytes(), rules).comparable();
    for cut in 0..=arguments.len() {
        let (one, two) = arguments.as_bytes().split_at(cut);
        let end = shapes::view::end(parser(), [one, two]).comparable();
        assert_eq!(end, expected, "{arguments} cut at {cut}");
    }
    let mut parser = parser();
    drop(parser.feed(arguments));
    match parser.finish().next() {
        Some(Event::Complete(call)) => Ok((call.questions().iter().map(line).collect(), call.notes().to_vec())),
        Some(Event::Rejected(call)) => Err(call.reason()),
        event => panic!("{event:?}: {arguments}"),
    }
}

#[test]
fn each_text_of_a_question_tool_may_be_as_long_as_its_limit() {
    use CallPart::{Answer, Description, Header, Mode, Question};
    type SetLimit = fn(&mut Limits, usize);
    let question: SetLimit = |limits, n| limits.question = n;
    let header: SetLimit = |limits, n| limits.header = n;
    let description: SetLimit = |limits, n| limits.description = n;
    let answer: SetLimit = |limits, n| limits.answer = n;
    let of_call = |text: &str| format!(r#"{{{text},"questions":[{{"prompt":"Q"}}]}}"#);
    let of_question = |key: &str, text: &str| format!(r#"{{"questions":[{{"{key}":"Q",{text}}}]}}"#);
    let of_option =
        |key: &str, text: &str| format!(r#"{{"questions":[{{"{key}":"Q","options":[{{"label":"L",{text}}}]}}]}}"#);
    let alone = |text: &str| format!(r#"{{"questions":[{{{text}}}]}}"#);
    let in_map = |id: &str| format!(r#"{{"requestedSchema":{{"properties":{{"{id}":{{"title":"Q"}}}}}}}}"#);
    for (shape, arguments, part, set) in [
        ("claude", alone(r#""question":"12345""#), Question, question),
        ("claude", r#"{"questions":["12345"]}"#.to_owned(), Question, question),
        ("claude", r#"{"questions":"12345"}"#.to_owned(), Question, question),
        ("claude", r#"{"question":"12345"}"#.to_owned(), Question, question),
        ("claude", of_question("question", r#""header":"12345""#), Header, header),
        ("codex", of_question("question", r#""id":"12345""#), Header, header),
        ("mcp", in_map("12345"), Header, header),
        ("claude", r#"{"questions":{"abcde":{"question":"Q"}}}"#.to_owned(), Header, header),
        ("cursor", of_call(r#""title":"12345""#), Description, description),
        ("vscode", of_question("question", r#""message":"12345""#), Description, description),
        ("gemini", of_question("question", r#""placeholder":"12345""#), Description, description),
        ("claude", of_option("question", r#""description":"12345""#), Description, description),
        ("claude", of_option("question", r#""preview":"12345""#), Description, description),
        ("cursor", of_option("prompt", r#""id":"12345""#), Answer, answer),
        ("opencode", of_option("question", r#""mode":"12345""#), Mode, answer),
        ("claude", of_question("question", r#""options":[{"label":"12345"}]"#), Answer, answer),
        ("claude", of_question("question", r#""options":["12345"]"#), Answer, answer),
        ("claude", of_question("question", r#""options":"12345""#), Answer, answer),
        ("claude", of_question("question", r#""options":{"abcde":{}}"#), Answer, answer),
        // White space and characters of several bytes count; escapes count as what they are.
        ("claude", alone(r#""question":" 123 ""#), Question, question),
        ("claude", alone(r#""question":"é数""#), Question, question),
        ("claude", alone(r#""question":"1234\u0035""#), Question, question),
        ("claude", of_question("question", r#""header":"\u00e9 1 ""#), Header, header),
    ] {
        let with = |limit| {
            let mut limits = Limits::default();
            set(&mut limits, limit);
            form_ends(shape, &arguments, limits)
        };
        let read = with(5);
        assert!(read.as_ref().is_ok_and(|(lines, _)| lines.len() == 1), "{arguments}: {read:?}");
        assert_eq!(with(6), read, "{arguments}");
        assert_eq!(with(4), Err(Reason::TooLong { part, limit: 4 }), "{arguments}");
    }
}

#[test]
fn later_questions_are_dropped_with_a_note() {
    let forms = [
        ("claude", r#"{"questions":[{"question":"A"},null,{"question":"B"},{"question":"C","header":"H"}]}"#),
        ("claude", r#"[{"question":"A"},{"question":"B"},{"question":"C"}]"#),
        ("claude", r#"{"questions":{"0":{"question":"A"},"1":"B","2":[{"question":"C"}]}}"#),
        ("claude", r#"{"questions":"[{\"question\":\"A\"},{\"question\":\"B\"},{\"question\":\"C\"}]"}"#),
        ("droid", r#"{"questionnaire":"[question] A\n[question] B\n[question] C"}"#),
    ];
    for (shape, arguments) in forms {
        let with = |questions| {
            let (lines, notes) = form_ends(shape, arguments, Limits { questions, ..Limits::default() }).unwrap();
            (lines.len(), notes.contains(&Note::QuestionsDropped))
        };
        assert_eq!([with(2), with(3), with(4)], [(2, true), (3, false), (3, false)], "{arguments}");
    }
    let none = form_ends("claude", forms[0].1, Limits { questions: 0, ..Limits::default() });
    assert_eq!(none, Err(Reason::MissingParameter));
}

#[test]
fn later_suggestions_of_each_question_are_dropped_with_a_note() {
    for list in [
        r#"["A",{"label":"B"},null,"C"]"#,
        r#"{"A":"a","B":"b","C":"c"}"#,
        r#""A\n\nB\nC""#,
        r#""[\"A\",\"B\",\"C\"]""#,
    ] {
        let arguments =
            format!(r#"{{"questions":[{{"question":"Q","options":{list}}},{{"question":"R","options":["D"]}}]}}"#);
        let with = |suggestions| {
            let limits = Limits { suggestions, ..Limits::default() };
            let (lines, notes) = form_ends("claude", &arguments, limits).unwrap();
            let counts: Vec<_> = lines.iter().map(|line| line.matches("; ").count()).collect();
            (counts, notes.contains(&Note::SuggestionsDropped))
        };
        let all = (vec![3, 1], false);
        assert_eq!([with(2), with(3), with(4)], [(vec![2, 1], true), all.clone(), all], "{list}");
    }
}

#[test]
fn what_is_dropped_of_a_question_tool_has_no_limits() {
    let limits =
        Limits { question: 1, header: 1, description: 1, answer: 1, questions: 1, suggestions: 1, ..Limits::default() };
    // Only a string that has to be kept until its end has one.
    let arguments = r#"{"questions":[{"question":"Q","options":[{"label":"A"},{"label":"12345","preview":"12345"}]},
        {"question":"12345","header":"12345","options":[{"label":"12345","description":"12345"}]}]}"#;
    let (lines, notes) = form_ends("claude", arguments, limits).unwrap();
    assert_eq!(lines, ["Q -multiple +custom; A"]);
    assert!(notes.contains(&Note::QuestionsDropped) && notes.contains(&Note::SuggestionsDropped), "{notes:?}");
}

#[test]
fn all_texts_of_a_question_tool_together_may_be_as_long_as_their_limit() {
    // 12 bytes of texts, of which the label is the last.
    let arguments =
        r#"{"questions":[{"question":"123","header":"12","options":[{"description":"1234","label":"123"}]}]}"#;
    let with = |texts| form_ends("claude", arguments, Limits { texts, ..Limits::default() });
    assert_eq!(with(11), Err(Reason::TooLong { part: CallPart::Arguments, limit: 11 }));
    assert!(with(12).is_ok_and(|(lines, _)| lines == ["[12] 123 -multiple +custom; 123: 1234"]));
    assert_eq!(with(13), with(12));
}

#[test]
fn what_comes_before_the_text_of_a_question_may_be_half_as_long_as_all_suggestions() {
    // Of `,"header":"12","multiSelect":1`, with these blanks.
    let with = |limit: usize, blanks: usize| {
        let limits = Limits { answer: limit, suggestions: 2, ..Limits::default() };
        let arguments = format!(r#"{{"header":{}"12","multiSelect":1 ,"question":"Q"}}"#, " ".repeat(blanks));
        form_ends("claude", &arguments, limits).map(|(lines, _)| lines)
    };
    let too_long = |limit| Err(Reason::TooLong { part: CallPart::Suggestions, limit });
    assert_eq!(with(29, 0), too_long(29));
    assert_eq!(with(30, 0), Ok(vec!["[12] Q +multiple +custom".to_owned()]));
    assert_eq!(with(30, 1), too_long(30));
    assert_eq!(with(31, 1), with(30, 0));
}

#[test]
fn parameters_before_the_text_of_a_question_count_as_the_json_that_means_the_same() {
    let end = |limit: usize, blanks: usize| {
        let limits = Limits { answer: limit, suggestions: 2, ..Limits::default() };
        let shapes = Shapes::new([Shape::built_in("claude").unwrap()]);
        let policy = Arc::new(Policy::new().with_limits(limits).with_shapes(shapes));
        let blanks = " ".repeat(blanks);
        // As JSON: `,"header":"1\\","multiSelect":true`
        let message = format!(
            "<function=AskUserQuestion><parameter=header>{blanks}1\\{blanks}</parameter><parameter=multiSelect>{blanks}1{blanks}</parameter><parameter=question>Q</parameter>"
        );
        let end = |cut: usize| {
            let (one, two) = message.as_bytes().split_at(cut);
            let end = shapes::view::end(Parser::new(policy.clone()), [one, two]).comparable();
            (end.reason, end.questions)
        };
        let whole = end(0);
        for cut in 0..=message.len() {
            assert_eq!(end(cut), whole, "{message} cut at {cut}");
        }
        (whole.0, whole.1.first().and_then(|question| question.header.clone()))
    };
    for blanks in [0, 1, 40] {
        assert_eq!(end(34, blanks), (None, Some("1\\".to_owned())), "{blanks}");
        assert_eq!(end(33, blanks).0, Some(Reason::TooLong { part: CallPart::Suggestions, limit: 33 }), "{blanks}");
    }
}

#[test]
fn the_smallest_and_the_largest_limits_hold() {
    let stream = ask("<question>Q</question><follow_up><suggest>A</suggest></follow_up><options>[1]</options>");
    for limit in [0, usize::MAX] {
        let rules = Rules {
            question: limit,
            answer: limit,
            suggestions: limit,
            tag: limit,
            unconfirmed: limit,
            ..Rules::default()
        };
        let policy = Arc::new(policy(&rules));
        let mut parser = Syntax::Markup.parser(policy.clone());
        let shown = parse(&mut parser, stream.as_bytes().chunks(1));
        for at in 0..stream.len() {
            let mut parser = Syntax::Markup.parser(policy.clone());
            drop(parser.feed(&stream[..at]));
            assert!(Parser::resume(policy.clone(), parser.checkpoint()).is_ok(), "{at} {limit}");
        }
        assert_eq!(end(&shown), if limit == 0 { "text" } else { "Q[\"A\", \"1\"]{}" });
        let form = "\"follow_up\":[\"A\"],\"options\":\"[1]\"";
        let read = "Q[\"A\", \"1\"]{\"SuggestionsAsText\"}";
        assert_eq!(ends_with(form, &rules), if limit == 0 { "too_long" } else { read });
        let stream = format!("{{{form}}}");
        let dropped = Rules { answer: limit, suggestions: 0, ..Rules::default() };
        assert_eq!(ends_as(Syntax::Arguments, &stream, &dropped), "missing_parameter");
    }
}

#[test]
fn the_defaults_are_the_documented_ones() {
    let (limits, rules) = (Limits::default(), Rules::default());
    assert_eq!(
        (limits.question, limits.answer, limits.suggestions, limits.tag, limits.unconfirmed),
        (102_400, 16_384, 32, 256, 2_048)
    );
    assert_eq!((limits.questions, limits.header, limits.description, limits.texts), (16, 1_024, 16_384, 1_048_576));
    assert_eq!(
        (rules.question, rules.answer, rules.suggestions, rules.tag, rules.unconfirmed),
        (102_400, 16_384, 32, 256, 2_048)
    );
}
