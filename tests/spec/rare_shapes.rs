//! Arguments of question tools that random ones seldom are.
//!
//! Each test notices the loss of a line of the reader that no other quick test notices.

use std::sync::Arc;

use followup::{
    CallPart, Checkpoint, Envelopes, Event, Events, Limits, Malformed, Note, Parser, Policy, Reason, ResumeError,
    Shape, Shapes,
};

use crate::common::stored::paths;
use crate::shapes::{line, read};

/// A policy that reads one shape, in all envelopes.
fn policy(shape: &str) -> Policy {
    let shape = Shape::built_in(shape).unwrap_or_else(|| Shape::parse(shape).unwrap());
    Policy::new().with_envelopes(Envelopes::all()).with_shapes(Shapes::new([shape]))
}

/// Creates a parser for native arguments of the tool of the policy's shape.
fn native(policy: impl Into<Arc<Policy>>) -> Parser {
    let policy = policy.into();
    let shape = policy.shapes().iter().next().unwrap();
    Parser::arguments_of(shape.tools().next().unwrap(), policy).unwrap()
}

/// Reads native arguments by a shape. Returns the lines of the questions, or why they are rejected.
fn lines(shape: &str, arguments: &str) -> Result<Vec<String>, Reason> {
    read(native(policy(shape)), arguments).map(|(lines, _)| lines)
}

fn limited(shape: &str, limits: Limits, arguments: &str) -> Result<Vec<String>, Reason> {
    read(native(policy(shape).with_limits(limits)), arguments).map(|(lines, _)| lines)
}

/// Appends what each event says: text, what grew, the questions of a call with its notes, or why it
/// is rejected. Neighbouring text is joined.
fn describe(mut events: Events<'_>, out: &mut Vec<String>) {
    while let Some(event) = events.next() {
        let said = match event {
            Event::Text(text) => {
                let before = out.pop_if(|last| last.starts_with("text "));
                before.unwrap_or_else(|| "text ".to_owned()) + text
            }
            Event::Opaque(opaque) => format!("opaque {}", opaque.tool),
            Event::Partial(call) => format!("{:?} {:?}", call.field(), call.delta()),
            Event::Complete(call) => {
                let lines: Vec<String> = call.questions().iter().map(line).collect();
                let notes = call.notes().iter().filter(|note| !matches!(note, Note::Envelope(_)));
                format!("{} {:?}", lines.join(" | "), notes.collect::<Vec<_>>())
            }
            Event::Rejected(call) => format!("{:?}", call.reason()),
        };
        out.push(said);
    }
}

/// Returns what each event of a stream in these chunks says.
fn events<'c>(mut parser: Parser, chunks: impl IntoIterator<Item = &'c [u8]>) -> Vec<String> {
    let mut out = Vec::new();
    chunks.into_iter().for_each(|chunk| describe(parser.feed_bytes(chunk), &mut out));
    describe(parser.finish(), &mut out);
    out
}

/// Returns what each event of a message says, but for what grew. It is the same for every cut.
fn ends(policy: Policy, message: &str) -> Vec<String> {
    let policy = Arc::new(policy);
    let ends = |chunks: [&[u8]; 2]| {
        let mut all = events(Parser::new(policy.clone()), chunks);
        all.retain(|event| !GROWS.iter().any(|field| event.starts_with(field)));
        all
    };
    let whole = ends([message.as_bytes(), b""]);
    for cut in 1..message.len() {
        assert_eq!(ends(message.as_bytes().split_at(cut).into()), whole, "{message} cut at {cut}");
    }
    whole
}

const GROWS: [&str; 5] = ["Question \"", "Header \"", "Title \"", "Suggestion \"", "Description \""];

/// Returns what the only event of a message says, but for what grew.
fn end(policy: Policy, message: &str) -> String {
    let [end] = &ends(policy, message)[..] else { panic!("{message}") };
    end.clone()
}

// Envelopes.

#[test]
fn what_a_question_gets_when_it_ends_is_shown_at_the_close_tag_of_its_call() {
    let parameters = "<parameter name=\"question\">Q</parameter><parameter name=\"type\">yesno</parameter>";
    let mut parser = Parser::new(policy("gemini"));
    let mut shown = Vec::new();
    describe(parser.feed(&format!("<function_calls><invoke name=\"ask_user\">{parameters}")), &mut shown);
    assert!(!shown.iter().any(|one| one.contains("Yes")), "{shown:?}");
    describe(parser.feed("</invoke>"), &mut shown);
    assert!(shown.contains(&"Suggestion \"Yes\"".into()) && shown.contains(&"Suggestion \"No\"".into()), "{shown:?}");
}

#[test]
fn the_text_or_the_options_of_a_map_make_no_call_of_bare_json() {
    for (key, value) in [("title", r#""Q?""#), ("enum", r#"["A"]"#), ("oneOf", r#"["A"]"#)] {
        let message = format!(r#"{{"name": "elicitation/create", "arguments": {{"{key}": {value}}}}}"#);
        assert_eq!(end(policy("mcp"), &message), format!("text {message}"));
    }
    let question = r#"{"name": "AskUserQuestion", "arguments": {"question": "Q?"}}"#;
    assert_eq!(end(policy("claude"), question), "Q? -multiple +custom [QuestionWithoutList]");
}

#[test]
fn a_code_fence_inside_an_envelope_makes_the_arguments_ill_formed() {
    let malformed = format!("{:?}", Reason::Malformed(Note::IllFormedJson));
    for arguments in ["```json\n{\"questions\":[{\"question\":\"Q?\"}]}\n```", " `"] {
        let message = format!("<tool_call>{{\"name\":\"AskUserQuestion\",\"arguments\":{arguments}}}</tool_call>");
        assert_eq!(end(policy("claude"), &message), malformed, "{message}");
    }
    // Even if nothing ends it.
    let fenced = "```json\n{\"questions\":[{\"question\":\"Q?\"}]}";
    let hermes = format!("<tool_call>{{\"name\":\"AskUserQuestion\",\"arguments\":{fenced}}}</tool_call>");
    let harmony = format!("<|channel|>commentary to=functions.AskUserQuestion<|message|>{fenced}<|call|>");
    for message in [hermes, harmony] {
        assert_eq!(end(policy("claude"), &message), malformed, "{message}");
    }
}

#[test]
fn arguments_that_failed_end_at_a_character_that_no_number_has_even_if_it_is_cut() {
    let failed = r#"{"name":"AskUserQuestion","arguments":{"questions":[{"question":{}}],"x":1"#;
    let mut parser = Parser::new(policy("claude"));
    let mut shown = Vec::new();
    describe(parser.feed(failed), &mut shown);
    assert_eq!(shown, [""; 0]);
    describe(parser.feed_bytes(b"\xC3"), &mut shown);
    assert_eq!(shown, [format!("{:?}", Reason::WrongType(CallPart::Question))]);
}

#[test]
fn a_key_without_a_value_is_no_part_of_the_next_key() {
    let message = "<tool_call>AskUserQuestion\n<arg_key>head</arg_key><arg_key>question</arg_key><arg_value>Q?</arg_value>\
        <arg_key>er</arg_key>\n<arg_key>header</arg_key>\n<arg_value>H</arg_value></tool_call>";
    assert_eq!(end(policy("claude"), message), "[H] Q? -multiple +custom [QuestionWithoutList]");
}

#[test]
fn parameters_after_all_arguments_in_one_mean_nothing() {
    for after in ["<parameter=question>R?</parameter>", "<parameter=x>{</parameter>", "<parameter=options>[1"] {
        let message = format!(
            "<function=AskUserQuestion><parameter=arguments>{{\"questions\":[{{\"question\":\"Q?\"}}]}}</parameter>\
            {after}</parameter></function>"
        );
        assert_eq!(end(policy("claude"), &message), "Q? -multiple +custom []", "{message}");
    }
}

#[test]
fn a_parameter_that_is_a_text_may_begin_with_a_quote() {
    let ask = |attribute: &str, value: &str| {
        let tag = format!("<｜DSML｜parameter name=\"question\"{attribute}>{value}</｜DSML｜parameter>");
        end(policy("copilot"), &format!("<｜DSML｜invoke name=\"ask_user\">{tag}</｜DSML｜invoke>"))
    };
    for attribute in ["", " string=\"true\""] {
        assert_eq!(ask(attribute, " \"A\" or \"B\"?"), "\"A\" or \"B\"? -multiple +custom []");
        assert_eq!(ask(attribute, "\"A"), "\"A -multiple +custom []");
    }
    assert_eq!(ask(" string=\"false\"", " \"A\" or \"B\"?"), "A -multiple +custom []");
}

#[test]
fn a_parameter_that_ends_before_its_json_makes_the_call_malformed() {
    let malformed = format!("{:?}", Reason::Malformed(Note::IllFormedJson));
    for options in ["{\"A\":\"a\"", "[", "[\"A\"", "{", "{\"A\"", "[1"] {
        for rest in ["", "<parameter=header>H</parameter>"] {
            let message = format!(
                "<function=AskUserQuestion><parameter=question>Q?</parameter><parameter=options>{options}</parameter>{rest}</function>"
            );
            assert_eq!(end(policy("claude"), &message), malformed, "{message}");
        }
    }
}

#[test]
fn a_parameter_that_is_a_text_begins_with_a_character_that_is_cut() {
    let mut parser = Parser::new(policy("claude"));
    let mut shown = Vec::new();
    describe(parser.feed("<function=AskUserQuestion><parameter=header>H</parameter><parameter=question> "), &mut shown);
    assert_eq!(shown, [""; 0]);
    // It may still be a blank.
    describe(parser.feed_bytes(b"\xE3"), &mut shown);
    assert_eq!(shown, [""; 0]);
    describe(parser.feed_bytes(b"\x81"), &mut shown);
    assert_eq!(shown, ["Header \"H\""]);
}

#[test]
fn a_question_in_place_of_the_list_begins_with_a_character_that_is_cut() {
    let native = native(policy("hermes"));
    let message = Parser::new(policy("hermes"));
    for (mut parser, start, end) in [
        (native, r#"{"question":"Q?","questions":" "#, "\"}"),
        (
            message,
            "<function=clarify><parameter=question>Q?</parameter><parameter=questions> ",
            "</parameter></function>",
        ),
    ] {
        let mut shown = Vec::new();
        describe(parser.feed(start), &mut shown);
        assert_eq!(shown, ["Question \"Q?\""], "{start}");
        // It may still be a blank.
        describe(parser.feed_bytes(b"\xE3"), &mut shown);
        assert_eq!(shown[1..], [""; 0], "{start}");
        // Whatever it becomes, the question before it has ended.
        describe(parser.feed_bytes(b"\x81"), &mut shown);
        assert_eq!(shown[1..], ["Question \"\""], "{start}");
        describe(parser.feed_bytes(b"\x82"), &mut shown);
        assert_eq!(shown[2..], ["Question \"あ\""], "{start}");
        describe(parser.feed(end), &mut shown);
        describe(parser.finish(), &mut shown);
        let asked = "Q? -multiple +custom | あ -multiple +custom [QuestionsAsText]";
        assert_eq!(shown[3..], ["Question \"\"", asked], "{start}");
    }
}

#[test]
fn a_string_in_a_list_begins_with_a_character_that_is_cut() {
    for (shape, start, shown) in [
        ("copilot", r#"{"question":"Q?","choices":["  "#, &["Suggestion \"  \""][..]),
        ("hermes", r#"{"question":"Q?","questions":["  "#, &["Question \"\"", "Question \"  \""]),
    ] {
        let mut parser = native(policy(shape));
        let mut out = Vec::new();
        describe(parser.feed(start), &mut out);
        // It may still be a blank.
        describe(parser.feed_bytes(b"\xE3"), &mut out);
        assert_eq!(out, ["Question \"Q?\""], "{start}");
        describe(parser.feed_bytes(b"\x81"), &mut out);
        assert_eq!(out[1..], *shown, "{start}");
    }
}

#[test]
fn the_state_in_a_character_of_a_parameter_does_not_depend_on_the_cut() {
    for parameter in ["question", "questions", "header", "options", "multiSelect", "x"] {
        let start = format!("<function=AskUserQuestion><parameter={parameter}>");
        let stream = [start.as_bytes(), " 😀\u{3000}あ".as_bytes()].concat();
        let state = |cut: usize, end: usize| {
            let mut parser = Parser::new(policy("claude"));
            drop(parser.feed_bytes(&stream[..cut]));
            drop(parser.feed_bytes(&stream[cut..end]));
            parser.checkpoint()
        };
        for end in start.len()..=stream.len() {
            for cut in start.len()..end {
                assert!(state(cut, end) == state(end, end), "{parameter}: {end} bytes cut at {cut}");
            }
        }
    }
}

/// The rest of such a call is no text of the message.
#[test]
fn a_parameter_after_a_failure_ends_where_it_would_have_ended() {
    const QUESTION: &str = "<parameter=question>Q?</parameter>";
    const LIST: &str = "<parameter=questions>[{\"question\":\"Q?\"}]</parameter>";
    let repeated = format!("{:?}", Reason::Malformed(Note::RepeatedKey));
    let rest = |shape: &str, start: &str, key: &str, value: &str| {
        let policy = policy(shape);
        let tool = policy.shapes().iter().next().unwrap().tools().next().unwrap().to_owned();
        let message = format!("<function={tool}>{start}<parameter={key}>{value}</parameter></function> and");
        let ends = ends(policy, &message);
        let [end, text] = &ends[..] else { panic!("{ends:?}: {message}") };
        assert_eq!(*end, repeated, "{message}");
        text["text ".len()..].to_owned()
    };
    let twice = [QUESTION, QUESTION].concat();
    let json = r#"["</function>"]"#;
    let cut = r#""]</parameter></function> and"#;
    assert_eq!(rest("claude", &twice, "options", json), " and");
    assert_eq!(rest("claude", &twice, "questions", json), " and");
    assert_eq!(rest("claude", &twice, "multiSelect", "\"</function>\""), " and");
    // As in any other call, no text is JSON, and what means nothing is none either.
    assert_eq!(rest("claude", &twice, "header", json), cut);
    assert_eq!(rest("claude", &twice, "multiSelect", json), cut);
    assert_eq!(rest("claude", &twice, "other", json), cut);
    assert_eq!(rest("claude", QUESTION, "question", json), cut);
    assert_eq!(rest("claude", LIST, "questions", json), " and");
    // Beside a list, a map or lines the keys of a question mean nothing.
    assert_eq!(rest("claude", &[LIST, LIST].concat(), "options", json), cut);
    let title = "<parameter=message>T</parameter>".repeat(2);
    assert_eq!(rest("mcp", &title, "enum", json), cut);
    let lines = "shape s\ntool ask_s\ntitle message\nlines lines\ntext text\noptions enum";
    assert_eq!(rest(lines, &title, "enum", json), cut);
    let one = "shape s\ntool ask_s\ntitle message\ntext text\noptions enum\ndetail a.b";
    assert_eq!((rest(one, &title, "enum", json), rest(one, &title, "a", json)), (" and".into(), " and".into()));
    let form = "<parameter=requestedSchema>{\"properties\":{\"a\":{\"title\":\"A\",\"title\":\"A\"}}}</parameter>";
    assert_eq!(rest("ask_user", form, "requestedSchema", json), " and");
    assert_eq!(rest("ask_user", form, "questions", json), cut);
}

#[test]
fn a_call_that_failed_in_a_form_resumes() {
    let message = "<function=ask_user><parameter=requestedSchema>{\"properties\":{\"a\":{\"title\":\"A\",\"title\":\"A\"}}}</parameter>\
        <parameter=questions>[\"</function>\"]</parameter></function> and";
    let policy = Arc::new(policy("ask_user"));
    let whole = events(Parser::new(policy.clone()), [message.as_bytes()]);
    for cut in 0..=message.len() {
        let mut parser = Parser::new(policy.clone());
        let mut shown = Vec::new();
        describe(parser.feed(&message[..cut]), &mut shown);
        let mut parser = Parser::resume(policy.clone(), parser.checkpoint()).unwrap();
        describe(parser.feed(&message[cut..]), &mut shown);
        describe(parser.finish(), &mut shown);
        assert_eq!(shown, whole, "cut at {cut}");
    }
}

#[test]
fn a_line_end_in_a_parameter_that_is_kept_counts_as_two_bytes() {
    let with = |answer: usize| {
        let limits = Limits { answer, suggestions: 2, ..Limits::default() };
        let message =
            "<function=AskUserQuestion><parameter=header>1\n2</parameter><parameter=question>Q</parameter></function>";
        end(policy("claude").with_limits(limits), message)
    };
    // As JSON: `,"header":"1\n2"`
    assert_eq!(with(15), format!("{:?}", Reason::TooLong { part: CallPart::Suggestions, limit: 15 }));
    assert_eq!(with(16), "[1\n2] Q -multiple +custom [QuestionWithoutList]");
}

// Arguments.

#[test]
fn white_space_may_come_before_a_code_fence() {
    for blank in ["", " ", "\n", "\r\n\t "] {
        let arguments = format!("{blank}```json\n{{\"questions\":[{{\"question\":\"Q?\"}}]}}\n```");
        let read = read(native(policy("claude")), &arguments).unwrap();
        assert_eq!(read, (vec!["Q? -multiple +custom".to_owned()], vec![Note::FencedArguments]), "{arguments:?}");
    }
}

#[test]
fn lines_that_are_no_string_mean_nothing() {
    let limits = Limits { answer: 2, suggestions: 2, ..Limits::default() };
    let both = "shape s\ntool ask_s\nlines l\nquestions q\ntext t";
    for value in ["123456", "true", "false", "null", "[\"[question] R?\"]", "{}", "{\"l\":\"[question] R?\"}"] {
        let alone = limited("droid", limits, &format!(r#"{{"questionnaire":{value}}}"#));
        assert_eq!(alone, Err(Reason::MissingParameter), "{value}");
        let beside = limited(both, limits, &format!(r#"{{"l":{value},"q":[{{"t":"Q?"}}]}}"#));
        assert_eq!(beside, Ok(vec!["Q?".to_owned()]), "{value}");
    }
}

#[test]
fn a_string_in_an_array_in_a_map_of_questions_is_no_question() {
    for list in [r#"["Which?",{"question":"Q?"}]"#, r#"[{"question":"Q?"},"{\"question\":\"Which?\"}"]"#] {
        let arguments = format!(r#"{{"questions":{{"item":{list}}}}}"#);
        let (lines, notes) = read(native(policy("claude")), &arguments).unwrap();
        assert_eq!(lines, ["Q? -multiple +custom"], "{arguments}");
        assert_eq!(notes, [Note::QuestionsAsObject, Note::UnreadableQuestion], "{arguments}");
    }
}

#[test]
fn a_key_that_becomes_an_id_or_a_label_has_less_than_512_bytes() {
    let [x, é] = [|len: usize| "x".repeat(len), |len: usize| "x".repeat(len - 2) + "é"];
    for key in [x(511), é(511), x(510)] {
        let id = lines("claude", &format!(r#"{{"questions":{{"{key}":{{"question":"Q?"}}}}}}"#));
        assert_eq!(id, Ok(vec![format!("{{{key}}} Q? -multiple +custom")]));
        let label = lines("claude", &format!(r#"{{"question":"Q?","options":{{"{key}":"d"}}}}"#));
        assert_eq!(label, Ok(vec![format!("Q? -multiple +custom; {key}: d")]));
        let label = lines("claude", &format!(r#"{{"question":"Q?","options":{{"{key}":{{"description":"d"}}}}}}"#));
        assert_eq!(label, Ok(vec![format!("Q? -multiple +custom; {key}: d")]));
    }
    for key in [x(512), é(512), é(513), x(600)] {
        let part = |arguments: String| match lines("claude", &arguments) {
            Err(Reason::TooLong { part, .. }) => part,
            end => panic!("{end:?}"),
        };
        assert_eq!(part(format!(r#"{{"questions":{{"{key}":{{"question":"Q?"}}}}}}"#)), CallPart::Header);
        assert_eq!(part(format!(r#"{{"question":"Q?","options":{{"{key}":"d"}}}}"#)), CallPart::Answer);
        assert_eq!(part(format!(r#"{{"question":"Q?","options":{{"{key}":{{}}}}}}"#)), CallPart::Answer);
    }
}

#[test]
fn a_path_of_the_call_or_of_a_question_may_have_any_number_of_keys() {
    let shape = "shape s\ntool ask_s\ntitle a.b.c\nquestions d.e.f.g\ntext h.i.j\noptions h.i.k.l\nlabel m";
    let arguments = r#"{"d":{"e":{"f":{"g":[{"h":{"i":{"j":"Q?","k":{"l":[{"m":"A"}]}}}}]}}},"a":{"b":{"c":"T"}}}"#;
    let shown = events(native(policy(shape)), [arguments.as_bytes()]);
    assert_eq!(shown, ["Question \"Q?\"", "Suggestion \"A\"", "Title \"T\"", "Q?; A []"]);
}

#[test]
fn a_list_of_words_has_as_many_as_there_can_be_suggestions_or_questions() {
    let limits = |suggestions, questions| Limits { suggestions, questions, ..Limits::default() };
    for limits in [limits(3, 1), limits(1, 3)] {
        let defaults = limited("mcp", limits, &form(r#""default":["1","2","3","4"]"#, ""));
        assert_eq!(defaults, Ok(vec!["{p} P? -multiple -custom -required =1 =2 =3".to_owned()]));
        for (nulls, named) in [("null,null", "C=c"), ("null,null,null", "c")] {
            let names = nulls.replace("null", r#""x""#) + r#","C""#;
            let fields = format!(r#""enum":[{nulls},"c"],"enumNames":[{names}]"#);
            let line = format!("{{p}} P? -multiple -custom -required; {named}");
            assert_eq!(limited("mcp", limits, &form(&fields, "")), Ok(vec![line]), "{fields}");
        }
        for (ids, required) in [(r#""x","y","p""#, '+'), (r#""x","y","z","p""#, '-')] {
            let line = format!("{{p}} P? -multiple -custom {required}required");
            let end = limited("mcp", limits, &form(r#""x":1"#, &format!(r#","required":[{ids}]"#)));
            assert_eq!(end, Ok(vec![line]), "{ids}");
        }
    }
}

/// Returns a form with one question, which has these keys.
fn form(keys: &str, more: &str) -> String {
    format!(r#"{{"requestedSchema":{{"properties":{{"p":{{"title":"P?",{keys}}}}}{more}}}}}"#)
}

#[test]
fn a_second_name_of_a_flag_means_nothing_and_so_is_no_repair() {
    let shape = "shape s\ntool ask_s\ntext q\nmultiple a b\ncustom c d\nrequired e f";
    for (arguments, end) in [
        (r#"{"q":"Q?","a":true,"b":"no","c":true,"d":0,"e":true,"f":"no"}"#, Ok("Q? +multiple +custom +required")),
        (r#"{"q":"Q?","e":null,"f":true}"#, Ok("Q? +required")),
        (r#"{"q":"Q?","e":null,"f":"yes"}"#, Err(Reason::Malformed(Note::FlagAsText))),
        (r#"{"q":"Q?","f":"yes","e":true}"#, Err(Reason::Malformed(Note::FlagAsText))),
    ] {
        let read = read(native(policy(shape).with_malformed(Malformed::Reject)), arguments);
        assert_eq!(read, end.map(|line| (vec![line.to_owned()], vec![])), "{arguments}");
    }
}

#[test]
fn arguments_that_end_in_a_mode_are_cut_in_it() {
    for (arguments, part) in [
        (r#"{"questions":[{"question":"Q?","options":[{"label":"A","mode":"co"#, CallPart::Mode),
        (r#"{"questions":[{"question":"Q?","options":[{"label":"A","mode":""#, CallPart::Mode),
        (r#"{"questions":[{"question":"Q?","options":[{"label":"A","mode":"co""#, CallPart::Parameters),
        (r#"{"questions":[{"question":"Q?","options":[{"label":"A","mode":"#, CallPart::Parameters),
    ] {
        assert_eq!(lines("opencode", arguments), Err(Reason::Truncated(part)), "{arguments}");
    }
}

#[test]
fn what_was_kept_is_shown_before_the_text_however_the_arguments_are_cut() {
    let arguments = r#"{"options":["A","B"],"header":"H","question":"Q?"}"#;
    let shown = [
        "Header \"H\"",
        "Suggestion \"A\"",
        "Suggestion \"B\"",
        "Question \"Q?\"",
        "Question \"\"",
        "[H] Q? -multiple +custom; A; B [QuestionWithoutList, SuggestionAsText]",
    ];
    let policy = Arc::new(policy("claude"));
    for cut in 0..=arguments.find("Q?").unwrap() {
        let (one, two) = arguments.as_bytes().split_at(cut);
        assert_eq!(events(native(policy.clone()), [one, two]), shown, "cut at {cut}");
    }
}

#[test]
fn json_in_a_string_is_shown_in_the_order_in_which_its_values_end() {
    let question = r#"[{"question":"Q?","options":[1,22]}]"#;
    let arguments = format!(r#"{{"questions":{}}}"#, serde_json::to_string(question).unwrap());
    let mut parser = native(policy("claude"));
    let mut shown = Vec::new();
    let mut events = parser.feed(&arguments);
    while let Some(event) = events.next() {
        let Event::Partial(call) = event else { panic!("{event:?}") };
        shown.push(call.questions().iter().map(line).collect::<String>());
    }
    // Whether it takes several answers is known when the question has ended.
    assert_eq!(shown, ["Q? +custom", "Q? +custom; 1", "Q? +custom; 1; 22", "Q? -multiple +custom; 1; 22"]);
}

// Checkpoints.

/// Asserts that arguments mean the same if they are resumed from a checkpoint after that many
/// bytes.
fn resumes(policy: Policy, arguments: &str, after: impl IntoIterator<Item = usize>) {
    let policy = Arc::new(policy);
    let whole = events(native(policy.clone()), [arguments.as_bytes()]).pop();
    for cut in after {
        let (one, two) = arguments.as_bytes().split_at(cut);
        let mut parser = native(policy.clone());
        drop(parser.feed_bytes(one));
        let parser = Parser::resume(policy.clone(), parser.checkpoint())
            .unwrap_or_else(|error| panic!("{error}: {:?}", arguments.get(..cut)));
        assert_eq!(events(parser, [two]).pop(), whole, "{arguments} after {cut} bytes");
    }
}

#[test]
fn arguments_resume_in_keys_and_words_of_any_length() {
    let limits = Limits { answer: 1, suggestions: 2, ..Limits::default() };
    for end in ["", "x", "é", "😀", "xé", "x😀", "xxé", "xx😀"] {
        let key = "x".repeat(509) + end;
        let arguments = format!(r#"{{"questions":[{{"{key}x":1,"question":"Q?"}}]}}"#);
        resumes(policy("claude"), &arguments, 500..=arguments.len());
        let kind = "x".repeat(29) + end;
        let arguments = format!(r#"{{"questions":[{{"question":"Q?","type":"{kind}x"}}]}}"#);
        resumes(policy("gemini").with_limits(limits), &arguments, 0..=arguments.len());
    }
}

#[test]
fn arguments_resume_in_paths_of_any_length() {
    let keys = [200, 150, 100].map(|len| "k".repeat(len));
    let shape = format!("shape s\ntool ask_s\ntext {}\ntitle x", keys.join("."));
    let arguments = format!(r#"{{"{}":{{"{}":{{"{}":"Q?"}}}}}}"#, keys[0], keys[1], keys[2]);
    resumes(policy(&shape), &arguments, (0..=arguments.len()).step_by(5));
    // The keys of options are kept with the paths that they are in.
    let shape = shape + "\nquestions q\noptions o\ndescription d";
    let option = "o".repeat(511);
    let question = &arguments[1..arguments.len() - 1];
    let arguments = format!(r#"{{"q":[{{{question},"o":{{"{option}":{{"d":"d"}}}}}}]}}"#);
    resumes(policy(&shape), &arguments, (0..=arguments.len()).step_by(5));
}

#[test]
fn parameters_resume_after_any_number_of_blanks() {
    for limit in 3..7 {
        let limits =
            Limits { question: limit, answer: 1, suggestions: 2, header: 1, description: 1, ..Limits::default() };
        let policy = Arc::new(policy("copilot").with_limits(limits));
        for blank in [" ", "\u{A0}", "\u{3000}"] {
            let message = format!("<function=ask_user><parameter=question>Q{}", blank.repeat(12));
            for cut in 0..=message.len() {
                let mut parser = Parser::new(policy.clone());
                drop(parser.feed_bytes(&message.as_bytes()[..cut]));
                let parser = Parser::resume(policy.clone(), parser.checkpoint()).unwrap();
                let rest = message.as_bytes()[cut..].iter().map(core::slice::from_ref);
                let end = events(parser, rest.chain([&b"</parameter></function>"[..]])).pop();
                assert_eq!(end.as_deref(), Some("Q -multiple +custom []"), "{message:?} after {cut} bytes");
            }
        }
    }
}

#[test]
fn a_forged_key_word_or_path_that_is_too_long_is_refused() {
    let limits = Limits { answer: 1, suggestions: 2, ..Limits::default() };
    let policy = Arc::new(policy("mcp").with_limits(limits));
    let mut parser = native(policy.clone());
    drop(parser.feed(r#"{"requestedSchema":{"properties":{"a":{"type":"x"#));
    let stored = serde_json::to_value(parser.checkpoint()).unwrap();
    let places = paths(&stored);
    let is_resumed = |field: &str, len: usize| {
        let place = places.iter().find(|path| path.ends_with(&format!("reader/Shape/{field}"))).unwrap();
        let mut forged = stored.clone();
        *forged.pointer_mut(place).unwrap() = "x".repeat(len).into();
        let checkpoint = serde_json::from_value::<Checkpoint>(forged).unwrap().with_valid_checksum();
        match Parser::resume(policy.clone(), checkpoint) {
            Ok(_) => true,
            Err(error) => {
                assert_eq!(error, ResumeError::Corrupt);
                false
            }
        }
    };
    for (field, most) in [("key", 516), ("pending", 35), ("paths", 4 * 516)] {
        assert!(is_resumed(field, most) && !is_resumed(field, most + 1), "{field}");
    }
}
