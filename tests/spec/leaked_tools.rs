//! Calls of question tools in a model's own envelope mean what docs/question-tools.md says.
//!
//! They arrive in the text.

use std::collections::BTreeMap;

use followup::{
    CallPart, Envelope, Envelopes, Event, Events, Malformed, Note, Parser, Policy, Reason, Shape, Shapes, Suggestions,
};
use followup_testing::{ToolExample, tool_examples};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::shapes::{line, read as read_native};

/// What a message has: its text, other tools' calls, and questions.
#[derive(Clone, Debug, PartialEq)]
enum Part {
    Text(String),
    Opaque(String),
    Asked { tool: String, questions: Vec<String>, notes: Vec<Note> },
    Rejected { tool: String, reason: Reason, envelope: Option<Envelope>, questions: Vec<String> },
}
use Part::{Asked, Opaque, Rejected, Text};

fn read(policy: Policy, message: &str) -> Vec<Part> {
    let mut parser = Parser::new(policy);
    let mut parts = Vec::new();
    collect(parser.feed(message), &mut parts);
    collect(parser.finish(), &mut parts);
    parts
}

fn collect(mut events: Events<'_>, parts: &mut Vec<Part>) {
    while let Some(event) = events.next() {
        match event {
            Event::Text(text) => match parts.last_mut() {
                Some(Text(last)) => last.push_str(text),
                _ => parts.push(Text(text.to_owned())),
            },
            Event::Opaque(opaque) if opaque.start => parts.push(Opaque(opaque.tool.to_owned())),
            Event::Opaque(_) | Event::Partial(_) => {}
            Event::Complete(call) => parts.push(Asked {
                tool: call.tool().to_owned(),
                questions: call.questions().iter().map(line).collect(),
                notes: call.notes().to_vec(),
            }),
            Event::Rejected(call) => parts.push(Rejected {
                tool: call.tool().to_owned(),
                reason: call.reason(),
                envelope: call.envelope(),
                questions: call.questions().iter().map(line).collect(),
            }),
        }
    }
}

fn shapes(names: &[&str]) -> Shapes {
    Shapes::new(names.iter().map(|name| Shape::built_in(name).unwrap()))
}

/// All families, and shapes that were chosen, generic ones as well.
fn policy() -> Policy {
    let chosen = shapes(&["claude", "codex", "gemini", "cline", "droid", "mcp"]);
    Policy::new().with_envelopes(Envelopes::all()).with_shapes(chosen)
}

/// The parameters of a call, in the order of the alphabet, as text or as JSON.
fn parameters(arguments: &str) -> Vec<(String, String, bool)> {
    let escaped = arguments.replace('\n', "\\n");
    let members: BTreeMap<String, Box<RawValue>> = serde_json::from_str(&escaped).unwrap();
    let parameter = |(key, value): (String, Box<RawValue>)| match serde_json::from_str(value.get()).unwrap() {
        Value::String(text) => (key, text, true),
        _ => (key, value.get().to_owned(), false),
    };
    members.into_iter().map(parameter).collect()
}

/// Writes a call in each form of each family.
fn leaked(tool: &str, arguments: &str) -> Vec<(Envelope, String)> {
    [leaked_parameters(tool, arguments), leaked_json(tool, arguments)].concat()
}

/// Writes a call in each form whose parameters are text.
fn leaked_parameters(tool: &str, arguments: &str) -> Vec<(Envelope, String)> {
    with_parameters(tool, &parameters(arguments))
}

/// Writes a call with these parameters in each form that has them.
fn with_parameters(tool: &str, parameters: &[(String, String, bool)]) -> Vec<(Envelope, String)> {
    let each = |write: &dyn Fn(&str, &str, bool) -> String| -> String {
        parameters.iter().map(|(key, value, is_text)| write(key, value, *is_text)).collect()
    };
    let function = each(&|key, value, _| format!("<parameter={key}>\n{value}\n</parameter>\n"));
    let invoke = each(&|key, value, _| format!("<parameter name=\"{key}\">{value}</parameter>"));
    let dsml = each(&|key, value, is_text| {
        format!("<｜DSML｜parameter name=\"{key}\" string=\"{is_text}\">{value}</｜DSML｜parameter>\n")
    });
    let glm = each(&|key, value, _| format!("<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>\n"));
    vec![
        (Envelope::FunctionXml, format!("<tool_call>\n<function={tool}>\n{function}</function>\n</tool_call>")),
        (Envelope::FunctionXml, format!("<function={tool}>{function}</function>")),
        (Envelope::Invoke, format!("<function_calls><invoke name=\"{tool}\">{invoke}</invoke></function_calls>")),
        (
            Envelope::Dsml,
            format!("<｜DSML｜tool_calls><｜DSML｜invoke name=\"{tool}\">{dsml}</｜DSML｜invoke></｜DSML｜tool_calls>"),
        ),
        (Envelope::Glm, format!("<tool_call>{tool}\n{glm}</tool_call>")),
    ]
}

/// Writes a call in each form whose arguments are JSON.
fn leaked_json(tool: &str, arguments: &str) -> Vec<(Envelope, String)> {
    let text = serde_json::to_string(arguments).unwrap();
    let object = format!("{{\"name\": \"{tool}\", \"arguments\": {arguments}}}");
    vec![
        (Envelope::FunctionXml, format!("<function={tool}>{arguments}</function>")),
        (Envelope::FunctionXml, format!("<function={tool}><parameter=arguments>{arguments}</parameter></function>")),
        (Envelope::Hermes, format!("<tool_call>\n{object}\n</tool_call>")),
        (Envelope::Hermes, format!("<tool_call>{{\"arguments\": {arguments}, \"name\": \"{tool}\"}}</tool_call>")),
        (Envelope::Hermes, format!("<tool_call>{{\"name\": \"{tool}\", \"arguments\": {text}}}</tool_call>")),
        (
            Envelope::Hermes,
            format!("<tool_call>{{\"function\": {{\"name\": \"{tool}\", \"arguments\": {text}}}}}</tool_call>"),
        ),
        (Envelope::Hermes, format!("<tool_call name=\"{tool}\">{arguments}</tool_call>")),
        (Envelope::Hermes, format!("<tool_call>\n```json\n{object}\n```\n</tool_call>")),
        (Envelope::BareJson, object.clone()),
        (Envelope::BareJson, format!("{{\"type\": \"function\", \"name\": \"{tool}\", \"parameters\": {arguments}}}")),
        (Envelope::Invoke, format!("<invoke name=\"{tool}\">{arguments}</invoke>")),
        (Envelope::Dsml, format!("<｜DSML｜invoke name=\"{tool}\">{arguments}</｜DSML｜invoke>")),
        (
            Envelope::Harmony,
            format!(
                "<|start|>assistant<|channel|>commentary to=functions.{tool} <|constrain|>json<|message|>{arguments}<|call|>"
            ),
        ),
        (
            Envelope::Kimi,
            format!(
                "<|tool_calls_section_begin|><|tool_call_begin|>functions.{tool}:0<|tool_call_argument_begin|>{arguments}<|tool_call_end|><|tool_calls_section_end|>"
            ),
        ),
        (Envelope::Mistral, format!("[TOOL_CALLS]{tool}[ARGS]{arguments}")),
        (Envelope::Mistral, format!("[TOOL_CALLS][{object}]")),
        (
            Envelope::Deepseek,
            format!(
                "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>{tool}\n```json\n{arguments}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
            ),
        ),
        (Envelope::Deepseek, format!("<｜tool▁call▁begin｜>{tool}<｜tool▁sep｜>{arguments}<｜tool▁call▁end｜>")),
        (Envelope::Llama, format!("<|python_tag|>{object}<|eom_id|>")),
    ]
}

const CALLS: [(&str, &str); 5] = [
    (
        "AskUserQuestion",
        r#"{"questions":[{"question":"Where to?\nSea?","header":"Place","options":[{"label":"Sea","description":"a \"wet\" one","preview":"~~"},{"label":"Hills (Recommended)","description":"</parameter>"}],"multiSelect":true},{"question":"When?","header":"T","options":[{"label":"A"},{"label":"B"}]}]}"#,
    ),
    (
        "request_user_input",
        r#"{"questions":[{"header":"Name","id":"name","options":[{"description":"short","label":"Al"}],"question":"Which?"}]}"#,
    ),
    (
        "ask_user",
        r#"{"questions":[{"question":"Sure?","header":"S","type":"yesno"},{"question":"Name?","header":"N","type":"text","placeholder":"Al"}]}"#,
    ),
    ("ask_question", r#"{"question":"Which way, é or \\n?","options":["A","B"]}"#),
    ("AskUser", r#"{"questionnaire":"1. [question] Which? (multi)\n[topic] T\n[option] A\n[option] B"}"#),
];

#[test]
fn a_call_in_an_envelope_means_what_its_arguments_mean_natively() {
    CALLS.iter().for_each(|(tool, arguments)| check_leaked(&policy(), tool, arguments));
}

/// The examples of docs/question-tools.md, each read by its shape alone.
#[test]
fn the_call_of_every_built_in_tool_in_an_envelope_means_what_its_arguments_mean_natively() {
    let examples = tool_examples(include_str!("../../docs/question-tools.md"));
    let has_one = |name| examples.iter().any(|example| example.shape.name() == name);
    assert_eq!(Shape::built_in_names().filter(|name| !has_one(*name)).collect::<Vec<_>>(), [""; 0]);
    for ToolExample { shape, arguments, .. } in examples {
        let policy = Policy::new().with_envelopes(Envelopes::all()).with_shapes(Shapes::new([shape.clone()]));
        shape.tools().for_each(|tool| check_leaked(&policy, tool, arguments));
    }
}

/// Checks that a call means the same natively and in each form of each family. As bare JSON, a form
/// is text: no key of its call is that of a question.
fn check_leaked(policy: &Policy, tool: &str, arguments: &str) {
    let native = Parser::arguments_of(tool, policy.clone()).unwrap();
    let (questions, notes) = read_native(native, arguments).unwrap_or_else(|reason| panic!("{reason}: {arguments}"));
    assert_eq!(notes, [], "{tool}");
    for (family, message) in leaked(tool, arguments) {
        let twice = format!("Hi\n{message}\n{message}\nEnd");
        if family == Envelope::BareJson && arguments.contains("\"requestedSchema\"") {
            assert_eq!(read(policy.clone(), &twice), [Text(twice.clone())], "{message}");
            continue;
        }
        let asked = Asked { tool: tool.to_owned(), questions: questions.clone(), notes: vec![Note::Envelope(family)] };
        assert_eq!(read(policy.clone(), &message), std::slice::from_ref(&asked), "{family}: {message}");
        // Text around it is text, and the next call is another one.
        let parts = [Text("Hi\n".into()), asked.clone(), Text("\n".into()), asked, Text("\nEnd".into())];
        assert_eq!(read(policy.clone(), &twice), parts, "{family}: {twice}");
    }
}

/// Keys with their values.
type Members = [(&'static str, &'static str)];

/// Calls that are one question, and what they are asked as in any order of their keys.
const SINGLE: [(&str, &Members, &str); 8] = [
    (
        "request_user_input",
        &[("header", r#""Store""#), ("id", r#""db""#), ("question", r#""Which?""#), ("options", r#"["A","B"]"#)],
        "{db} [Store] Which? -multiple +custom; A; B",
    ),
    (
        "AskUserQuestion",
        &[("options", r#"[{"label":"</parameter>","description":"\u00e9 \"}"},"B"]"#), ("question", r#""1""#)],
        "1 -multiple +custom; </parameter>: é \"}; B",
    ),
    (
        "AskUserQuestion",
        &[("multiSelect", "true"), ("header", r#""a \"wet\" \\ one\n\u0001é""#), ("question", r#""Q é""#)],
        "[a \"wet\" \\ one\n\u{1}é] Q é +multiple +custom",
    ),
    (
        "AskUserQuestion",
        &[("multiSelect", "false"), ("header", r#""null""#), ("options", r#""A\nB""#), ("question", r#""Q""#)],
        "[null] Q -multiple +custom; A; B",
    ),
    (
        "AskUserQuestion",
        &[("multiSelect", "null"), ("header", r#""""#), ("options", "null"), ("question", r#""Q""#)],
        "Q -multiple +custom",
    ),
    (
        "AskUserQuestion",
        &[("options", r#"["A","B"]"#), ("header", r#""H""#), ("question", r#""""#)],
        "[H] H -multiple +custom; A; B",
    ),
    ("ask_user", &[("type", r#""yesno""#), ("header", r#""true""#), ("question", r#""Q""#)], "[true] Q <yesno>"),
    ("ask_user", &[("placeholder", "7"), ("question", r#""Q""#), ("x", r#""y""#)], "Q (7)"),
];

/// Returns all orders of the elements.
fn orders<T: Clone>(all: &[T]) -> Vec<Vec<T>> {
    if all.is_empty() {
        return vec![Vec::new()];
    }
    let first = |i: usize| {
        let mut rest = all.to_vec();
        let one = rest.remove(i);
        orders(&rest).into_iter().map(move |rest| [vec![one.clone()], rest].concat())
    };
    (0..all.len()).flat_map(first).collect()
}

#[test]
fn the_keys_of_a_question_mean_the_same_in_any_order_natively_and_as_parameters() {
    for (tool, members, expected) in SINGLE {
        for members in orders(members) {
            let written: Vec<String> = members.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
            let arguments = format!("{{{}}}", written.join(","));
            let (questions, notes) = read_native(Parser::arguments_of(tool, policy()).unwrap(), &arguments).unwrap();
            assert!(questions[0].starts_with(expected), "{arguments}: {questions:?}");
            let text = |value: &str| match serde_json::from_str(value).unwrap() {
                Value::String(text) => (text, true),
                _ => (value.to_owned(), false),
            };
            let parameters: Vec<_> = members.iter().map(|(key, value)| (key.to_string(), text(value))).collect();
            let parameters: Vec<_> = parameters.into_iter().map(|(key, (value, is))| (key, value, is)).collect();
            for (family, message) in with_parameters(tool, &parameters) {
                let notes = [Note::Envelope(family)].into_iter().chain(notes.clone()).collect();
                let asked = Asked { tool: tool.to_owned(), questions: questions.clone(), notes };
                assert_eq!(read(policy(), &message), [asked], "{family}: {message}");
            }
        }
    }
}

#[test]
fn a_repair_in_an_envelope_has_its_note_and_the_family() {
    let question = r#"{"question":"Q?","options":[{"label":"A"},{"label":"B"}]}"#;
    let text = serde_json::to_string(&format!("[{question}]")).unwrap();
    let fenced = serde_json::to_string(&format!("```json\n{{\"questions\":[{question}]}}\n```")).unwrap();
    for (arguments, note) in [
        (fenced, Note::FencedArguments),
        (format!("{{\"questions\":{text}}}"), Note::QuestionsAsText),
        (format!("{{\"questions\":{question}}}"), Note::QuestionsAsObject),
        (question.to_owned(), Note::QuestionWithoutList),
        (r#"{"questions":[{"question":"Q?","options":["A","B"]}]}"#.to_owned(), Note::SuggestionAsText),
    ] {
        let message = format!("<tool_call>{{\"name\":\"AskUserQuestion\",\"arguments\":{arguments}}}</tool_call>");
        let [Asked { questions, notes, .. }] = &read(policy(), &message)[..] else { panic!("{message}") };
        assert_eq!(questions, &["Q? -multiple +custom; A; B"], "{message}");
        assert_eq!(notes, &[Note::Envelope(Envelope::Hermes), note], "{message}");
    }
}

/// The end of a call of ours: why it is rejected, its question, its suggestions with their modes,
/// its notes.
type End = (Option<Reason>, Option<String>, Vec<(String, Option<String>)>, Vec<Note>);

/// Reads the one call of a stream, in chunks of this size. Nothing else may come.
fn end(mut parser: Parser, stream: &str, size: usize) -> End {
    let suggestions = |all: Suggestions<'_>| -> Vec<_> {
        all.iter().map(|one| (one.answer.to_owned(), one.mode.map(str::to_owned))).collect()
    };
    let mut ends = Vec::new();
    let mut add = |event: Event<'_>| match event {
        Event::Partial(_) => {}
        Event::Complete(call) => {
            ends.push((None, Some(call.question().to_owned()), suggestions(call.suggestions()), call.notes().to_vec()))
        }
        Event::Rejected(call) => ends.push((
            Some(call.reason()),
            call.question().map(str::to_owned),
            suggestions(call.suggestions()),
            call.envelope().map(Note::Envelope).into_iter().collect(),
        )),
        event => panic!("{event:?}: {stream}"),
    };
    stream.as_bytes().chunks(size).for_each(|chunk| parser.feed_bytes(chunk).for_each(&mut add));
    parser.finish().for_each(&mut add);
    <[End; 1]>::try_from(ends).unwrap_or_else(|ends| panic!("{ends:?}: {stream}"))[0].clone()
}

/// Odd arguments, their keys in the order of the alphabet, and the notes that are missing where the
/// parameters are text.
///
/// There JSON is no repair (`SuggestionsAsText`), and no string holds a raw control character.
const ODD: [(&str, &[Note]); 29] = [
    (r#"{"question":"Q?","follow_up":["A"," B ",1,true,null]}"#, &[]),
    (r#"{"question":"Q?","follow_up":[{"answer":"A"},{"label":"B","mode":"m"},{"text":" ","answer":"C"}]}"#, &[]),
    (r#"{"question":"Q?","follow_up":[{"mode":"m","text":"A"},{"text":"B","mode":null},{"text":"C","mode":7}]}"#, &[]),
    (r#"{"question":"Q?","follow_up":[{"x":"A"},["B"],"C"]}"#, &[]),
    (r#"{"question":"Q?","follow_up":{"text":"A","mode":"m"}}"#, &[]),
    (r#"{"question":"Q?","follow_up":{"0":"A","1":{"text":"B","mode":"m"},"x":"C"}}"#, &[]),
    (r#"{"question":"Q?","follow_up":{"suggest":["A","B"]}}"#, &[]),
    (r#"{"question":"Q?","follow_up":{"x":"A"}}"#, &[]),
    (r#"{"question":"Q?","follow_up":"[\"A\",{\"text\":\"B\",\"mode\":\"m\"}]"}"#, &[Note::SuggestionsAsText]),
    (r#"{"question":"Q?","follow_up":"{\"text\":\"A\"}"}"#, &[Note::SuggestionsAsText]),
    (r#"{"question":"Q?","follow_up":"[\"A\", B]"}"#, &[]),
    (r#"{"question":"Q?","follow_up":"<suggest mode=\"m\">A</suggest>\n<suggest>B</suggest>"}"#, &[]),
    (r#"{"question":"Q?","follow_up":"<suggest>A<suggest>B &amp; C"}"#, &[]),
    (r#"{"question":"Q?","follow_up":"<options>[\"A\",\"B\"]</options>"}"#, &[]),
    (r#"{"question":"Q?","follow_up":"A\n\n - B \n"}"#, &[]),
    (r#"{"question":"Q?","follow_up":" \n"}"#, &[]),
    (r#"{"question":"Q?","follow_up":""}"#, &[]),
    (r#"{"question":"Q?","follow_up":null}"#, &[]),
    (r#"{"follow_up":["A"],"question":"Q?","suggestions":["B"]}"#, &[]),
    (r#"{"question":"Q?","options":["A",{"label":"B"}]}"#, &[]),
    (r#"{"question":"Q?","suggest":["A","B"]}"#, &[]),
    (r#"{"options":["A"],"question":"Q?","suggestion":{"answer":"B"}}"#, &[]),
    (r#"{"follow_up":["A"],"question":"Q?","x":{"question":"R"}}"#, &[]),
    (r#"{"question":7,"follow_up":["A"]}"#, &[]),
    (r#"{"question":" ","follow_up":["A"]}"#, &[]),
    (r#"{"question":" \u00e9\ud83d\ude00 \"Q\"\t\u000a\\ ","follow_up":["\u00e9","\u003cb>","a\u0020"]}"#, &[]),
    (r#"{"question":"é < b & `x` &lt;","follow_up":["</parameter","<b>","&amp;"]}"#, &[]),
    ("{\"question\":\"Q\n?\",\"follow_up\":[\"A\"]}", &[Note::IllFormedString]),
    ("{\"question\":\"Q?\",\"follow_up\":\"A\nB\"}", &[Note::IllFormedString]),
];

#[test]
fn odd_arguments_of_ours_in_an_envelope_mean_what_they_mean_natively() {
    const TOOL: &str = "ask_followup_question";
    for (arguments, not_in_text) in ODD {
        let (reason, question, suggestions, notes) = end(Parser::arguments(policy()), arguments, arguments.len());
        for (is_text, calls) in [(true, leaked_parameters(TOOL, arguments)), (false, leaked_json(TOOL, arguments))] {
            for (family, message) in calls {
                let notes = notes.iter().filter(|note| !is_text || !not_in_text.contains(note));
                let notes = [Note::Envelope(family)].into_iter().chain(notes.copied()).collect();
                let expected = (reason, question.clone(), suggestions.clone(), notes);
                for size in [message.len(), 1] {
                    assert_eq!(end(Parser::new(policy()), &message, size), expected, "{family}: {message}");
                }
            }
        }
    }
}

/// The text of a parameter has no type: what is no list is text.
#[test]
fn a_value_of_another_type_is_text_in_a_parameter() {
    const TOOL: &str = "ask_followup_question";
    for (arguments, native, question, suggestions, note) in [
        (r#"{"question":null}"#, Reason::MissingParameter, "null", &[][..], None),
        (r#"{"question":["Q"]}"#, Reason::WrongType(CallPart::Question), r#"["Q"]"#, &[], None),
        (
            r#"{"question":"Q","follow_up":7}"#,
            Reason::WrongType(CallPart::Suggestions),
            "Q",
            &["7"],
            Some(Note::SuggestionsAsText),
        ),
    ] {
        assert_eq!(end(Parser::arguments(policy()), arguments, 1).0, Some(native), "{arguments}");
        for (family, message) in leaked_parameters(TOOL, arguments) {
            let suggestions = suggestions.iter().map(|&answer| (answer.to_owned(), None)).collect();
            let notes = [Note::Envelope(family)].into_iter().chain(note).collect();
            let expected = (None, Some(question.to_owned()), suggestions, notes);
            assert_eq!(end(Parser::new(policy()), &message, message.len()), expected, "{family}: {message}");
        }
    }
}

/// Returns the questions and notes of one call with these parameters.
fn of_parameters(tool: &str, names: &[&str], parameters: &[(&str, &str)]) -> (Vec<String>, Vec<Note>) {
    let policy = Policy::new().with_shapes(shapes(names));
    let write = |form: &dyn Fn(&str, &str) -> String| -> String {
        parameters.iter().map(|(key, value)| form(key, value)).collect()
    };
    let function = write(&|key, value| format!("<parameter={key}>{value}</parameter>"));
    let glm = write(&|key, value| format!("<arg_key>\n{key} </arg_key><arg_value>{value}</arg_value>"));
    let mut read = [format!("<function={tool}>{function}</function>"), format!("<tool_call>{tool}\n{glm}</tool_call>")]
        .map(|message| match read(policy.clone(), &message).pop() {
            Some(Asked { questions, mut notes, .. }) => {
                assert!(matches!(notes.remove(0), Note::Envelope(_)), "{message}");
                (questions, notes)
            }
            other => panic!("{other:?}: {message}"),
        });
    assert_eq!(read[0], read[1]);
    core::mem::take(&mut read[0])
}

#[test]
fn each_parameter_is_a_key_of_the_call() {
    let copilot = |parameters: &[(&str, &str)]| of_parameters("ask_user", &["copilot"], parameters);
    let ask = [("question", "\n [1] or \"2\"? \n"), ("choices", " [\"A\", \"B\"]\n"), ("allow_freeform", "\nfalse\n")];
    assert_eq!(copilot(&ask), (vec!["[1] or \"2\"? -multiple -custom; A; B".to_owned()], vec![]));

    // A string around JSON is decoded, as natively; lines are options.
    let (questions, notes) = copilot(&[("choices", r#""[\"A\", \"B\"]""#), ("question", "Q?")]);
    assert_eq!((questions, notes), (vec!["Q? -multiple +custom; A; B".to_owned()], vec![Note::SuggestionsAsText]));
    let (questions, notes) = copilot(&[("question", "Q?"), ("choices", "\nA\n\n B \n")]);
    assert_eq!((questions, notes), (vec!["Q? -multiple +custom; A; B".to_owned()], vec![Note::SuggestionsAsText]));

    // Blank values, `null` and `None` are none; unknown keys mean nothing.
    for nothing in ["", " \n", "null", "\nNone\n", "NULL"] {
        let read = copilot(&[("question", "Q?"), ("why", "[{"), ("choices", nothing)]);
        assert_eq!(read, (vec!["Q? -multiple +custom".to_owned()], vec![]), "{nothing:?}");
    }

    let claude = |parameters: &[(&str, &str)]| of_parameters("AskUserQuestion", &["claude"], parameters);
    let object = r#"{"question":"Q?","options":[{"label":"A"},{"label":"B"}]}"#;
    assert_eq!(claude(&[("questions", object)]).1, [Note::QuestionsAsObject]);
    assert_eq!(claude(&[("questions", "Only text")]).1, [Note::QuestionsAsText]);
    let single = [("question", "Q?"), ("options", r#"["A","B"]"#), ("multiSelect", "True")];
    let (questions, notes) = claude(&single);
    assert_eq!(questions, ["Q? +multiple +custom; A; B"]);
    assert_eq!(notes, [Note::QuestionWithoutList, Note::SuggestionAsText]);

    let droid = of_parameters("AskUser", &["droid"], &[("questionnaire", "\n[question] Q?\n[option] A\n")]);
    assert_eq!(droid, (vec!["Q? -multiple +custom; A".to_owned()], vec![]));
}

#[test]
fn a_blank_parameter_before_the_text_is_nothing() {
    let shape = "shape poll\ntool ask_poll\nquestions list\ntext text\noptions options\ndefault first second\n";
    let policy = Policy::new().with_shapes(Shapes::new([Shape::parse(shape).unwrap()]));
    let blank = "<parameter=first> </parameter>";
    let text = "<parameter=text>Q?</parameter>";
    for before in [format!("{blank}{text}"), format!("{text}{blank}")] {
        let message = format!("<function=ask_poll>{before}<parameter=second>[\"x\"]</parameter></function>");
        let Some(Asked { questions, .. }) = read(policy.clone(), &message).pop() else { panic!("{message}") };
        assert_eq!(questions, ["Q? =x"], "{message}");
    }
}

/// "`arguments`, `input`, `parameters`, `args`, if no other parameter came before": and if the tool
/// has no parameter of that name.
#[test]
fn only_the_first_parameter_holds_all_arguments_and_only_under_a_name_that_says_so() {
    let (all, question) = (r#"{"question": "R?"}"#, ("question", "Q?"));
    let copilot = |parameters: &[(&str, &str)]| of_parameters("ask_user", &["copilot"], parameters).0;
    let [asked, other] = ["Q?", "R?"].map(|text| vec![format!("{text} -multiple +custom")]);
    for name in ["arguments", "input", "parameters", "args"] {
        assert_eq!(copilot(&[(name, all)]), other, "{name}");
        assert_eq!(copilot(&[question, (name, all)]), asked, "{name}");
    }
    assert_eq!(copilot(&[question, ("x", all)]), asked);
    assert_eq!(copilot(&[("x", all), question]), asked);

    let shape = Shape::parse("shape own\ntool own\ntext input\n").unwrap();
    let message = format!("<function=own><parameter=input>{all}</parameter></function>");
    let [Asked { questions, .. }] = &read(Policy::new().with_shapes(Shapes::new([shape])), &message)[..] else {
        panic!("{message}")
    };
    assert!(questions[0].starts_with(all), "{questions:?}");
}

#[test]
fn a_parameter_without_its_close_tag_ends_at_the_next_one() {
    let message = "<function=ask_user><parameter=question>Q?<parameter=choices>[\"A\"]</parameter></function>";
    let [Asked { questions, notes, .. }] = &read(Policy::new().with_shapes(shapes(&["copilot"])), message)[..] else {
        panic!("{message}")
    };
    assert_eq!(questions, &["Q? -multiple +custom; A"]);
    assert_eq!(notes, &[Note::Envelope(Envelope::FunctionXml), Note::UnclosedParameter]);
}

#[test]
fn what_cannot_be_asked_is_rejected_with_its_envelope() {
    let hermes = |arguments: &str| format!("<tool_call>{{\"name\":\"AskUserQuestion\",{arguments}");
    let xml = |parameters: &str| format!("<function=AskUserQuestion>{parameters}");
    let malformed = Reason::Malformed(Note::IllFormedJson);
    for (message, reason, questions) in [
        (hermes("\"x\":1}</tool_call>"), Reason::MissingParameter, &[][..]),
        (hermes("\"arguments\":{}}</tool_call>"), Reason::MissingParameter, &[]),
        (hermes("\"arguments\":7}</tool_call>"), Reason::WrongType(CallPart::Arguments), &[]),
        (hermes("\"arguments\":{\"questions\":7}}</tool_call>"), Reason::WrongType(CallPart::Questions), &[]),
        (hermes("\"arguments\":{\"questions\":[{\"question\":\"Q\",]}}</tool_call>"), malformed, &["Q"]),
        (hermes("\"arguments\":\"{} and\"}</tool_call>"), Reason::Malformed(Note::TextAfterArguments), &[]),
        (
            hermes("\"arguments\":{\"questions\":[{\"question\":\"Q\",\"question\":\"R\"}]}}</tool_call>"),
            Reason::Malformed(Note::RepeatedKey),
            &["Q"],
        ),
        (hermes("\"arguments\":{\"questions\":[{\"question\":\"Q"), Reason::Truncated(CallPart::Question), &["Q"]),
        (hermes("\"arguments\":{\"questions\":[{\"question\":\"Q\""), Reason::Truncated(CallPart::Parameters), &["Q"]),
        (xml("</function>"), Reason::MissingParameter, &[]),
        (xml(""), Reason::Truncated(CallPart::Opening), &[]),
        (xml("<parameter=header>H</parameter></function>"), Reason::MissingParameter, &[]),
        (xml("<parameter=questions>[{\"question\":\"Q\"</parameter></function>"), malformed, &["Q"]),
        (xml("<parameter=questions>[{\"question\":\"Q"), Reason::Truncated(CallPart::Question), &["Q"]),
        (xml("<parameter=question>Q "), Reason::Truncated(CallPart::Question), &["Q"]),
        (xml("<parameter=questi"), Reason::Truncated(CallPart::Opening), &[]),
        (
            xml("<parameter=questions>[]</parameter><parameter=questions>[]</parameter></function>"),
            Reason::Malformed(Note::RepeatedKey),
            &[],
        ),
    ] {
        let [Rejected { tool, reason: why, envelope, questions: read }] = &read(policy(), &message)[..] else {
            panic!("{message}: {:?}", read(policy(), &message))
        };
        assert_eq!((tool.as_str(), *why), ("AskUserQuestion", reason), "{message}");
        let read: Vec<&str> = read.iter().map(|line| line.split([' ', ';']).next().unwrap()).collect();
        assert_eq!(read, questions, "{message}");
        assert!(envelope.is_some(), "{message}");
    }
}

#[test]
fn after_a_failure_the_call_ends_where_it_would_have_ended() {
    let bad = r#"{"questions":[{"question":{}}],"x":{"y":["}",1]}}"#;
    for (_, message) in leaked("AskUserQuestion", bad) {
        let message = format!("{message} and");
        let parts = read(policy(), &message);
        let [Rejected { reason, .. }, Text(rest)] = &parts[..] else { panic!("{parts:?}: {message}") };
        assert_eq!((*reason, &**rest), (Reason::WrongType(CallPart::Question), " and"), "{message}");
    }
}

#[test]
fn a_call_that_the_stream_ends_between_parameters_is_asked_if_it_has_a_question() {
    let message = "<function=AskUserQuestion><parameter=questions>[{\"question\":\"Q?\",\"options\":[{\"label\":\"A\"},{\"label\":\"B\"}]}]</parameter>";
    let asked = Asked {
        tool: "AskUserQuestion".into(),
        questions: vec!["Q? -multiple +custom; A; B".into()],
        notes: vec![Note::Envelope(Envelope::FunctionXml), Note::StreamEnded],
    };
    assert_eq!(read(policy(), message), [asked]);
}

#[test]
fn a_generic_name_counts_only_if_its_shape_was_chosen() {
    let chosen = ["ask_user", "opencode", "cline", "hermes", "omp", "pi"];
    for (tool, key) in [
        ("ask_user", "question"),
        ("question", "question"),
        ("ask_question", "question"),
        ("clarify", "question"),
        ("ask", "question"),
        ("questionnaire", "prompt"),
    ] {
        let arguments = format!("{{\"{key}\": \"Which?\"}}");
        let invoke = format!("<invoke name=\"{tool}\"><parameter name=\"{key}\">Which?</parameter></invoke>");
        let bare = format!("{{\"name\": \"{tool}\", \"arguments\": {arguments}}}");
        let harmony = format!("<|channel|>commentary to=functions.{tool}<|message|>{arguments}<|call|>");
        for message in [&invoke, &harmony] {
            assert_eq!(read(Policy::new(), message), [Opaque(tool.to_owned())], "{message}");
        }
        assert_eq!(read(Policy::new(), &bare), [Text(bare.clone())]);
        let policy = Policy::new().with_shapes(shapes(&chosen));
        for message in [invoke, bare, harmony] {
            let parts = read(policy.clone(), &message);
            assert!(matches!(&parts[..], [Asked { tool: asked, .. }] if asked == tool), "{message}: {parts:?}");
        }
    }
    // By default, every other name counts.
    let shapes: Vec<Shape> = Shapes::default().iter().collect();
    for tool in shapes.iter().filter(|shape| !shape.is_generic()).flat_map(Shape::tools) {
        if tool == "ask_user" {
            continue;
        }
        let message = format!("<invoke name=\"{tool}\"></invoke>");
        assert!(matches!(&read(Policy::new(), &message)[..], [Rejected { tool: one, .. }] if one == tool), "{tool}");
    }
}

#[test]
fn other_names_stay_what_they_were() {
    let message = |tool: &str| format!("<invoke name=\"{tool}\"><parameter name=\"questions\">[]</parameter></invoke>");
    let none = Policy::new().with_shapes(Shapes::none());
    assert_eq!(read(none, &message("AskUserQuestion")), [Opaque("AskUserQuestion".into())]);
    assert_eq!(read(Policy::new(), &message("AskUserQuestions")), [Opaque("AskUserQuestions".into())]);
    let definition = "{\"name\": \"AskUserQuestion\", \"description\": \"Asks\", \"parameters\": {\"questions\": []}}";
    assert_eq!(read(policy(), definition), [Text(definition.into())]);
    let schema = "{\"name\": \"AskUserQuestion\", \"parameters\": {\"type\": \"object\", \"properties\": {\"questions\": {\"type\": \"array\"}}}}";
    assert_eq!(read(policy(), schema), [Text(schema.into())]);
    let strict = Policy::new().with_malformed(Malformed::Reject);
    assert_eq!(read(strict, &message("AskUserQuestion")), [Text(message("AskUserQuestion"))]);
}
