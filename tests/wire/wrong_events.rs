//! Events that are wrong, and the other calls of the same body.

use followup::wire::{Error, Events, Format, Limits, ResponseParser};
use followup::{Event, Policy, Shape};
use serde_json::Value;

use crate::laws::{POLICY, Received, joined};

/// A summary of every event but partials.
fn summaries(parser: &mut ResponseParser, body: &[u8], size: usize) -> Vec<String> {
    let mut summaries = Vec::new();
    let mut take = |mut events: Events<'_>| {
        while let Some(event) = events.next() {
            summaries.push(match event {
                Ok(Event::Partial(_)) => continue,
                Ok(Event::Text(text)) => format!("text {text}"),
                Ok(Event::Opaque(piece)) => {
                    let starts = if piece.start { " begins" } else { "" };
                    format!("{} {}{starts} {}", piece.tool, piece.id.unwrap_or("-"), piece.raw).trim_end().to_owned()
                }
                Ok(Event::Complete(call)) => {
                    let answers: Vec<&str> = call.suggestions().iter().map(|one| one.answer).collect();
                    let (index, id, answers) = (call.index(), call.id().unwrap_or("-"), answers.join("|"));
                    let notes: String = call.notes().iter().map(|note| format!(" ({note:?})")).collect();
                    format!("{index} {id} asks {} {answers}", call.question()).trim_end().to_owned() + &notes
                }
                Ok(Event::Rejected(call)) => {
                    format!("{} {} is rejected: {}", call.index(), call.id().unwrap_or("-"), call.reason().code())
                }
                Err(Error::TooManyCalls(tool)) => format!("too many: {tool}"),
                Err(error) => format!("error {}", error.code()),
            });
        }
    };
    body.chunks(size).for_each(|chunk| take(parser.feed(chunk)));
    take(parser.finish());
    summaries
}

const ASK: &str = "ask_followup_question";

/// A member of a JSON object, with a comma; empty if the text is.
fn field(name: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{}:{},", Value::from(name), Value::from(text)) }
}

/// Anthropic: the start, a delta and the stop of a content block.
fn block_start(index: usize, id: &str, name: &str) -> String {
    let (id, name) = (field("id", id), field("name", name));
    let block = format!("{{{id}{name}\"type\":\"tool_use\",\"input\":{{}}}}");
    format!(r#"{{"type":"content_block_start","index":{index},"content_block":{block}}}"#)
}

fn block_delta(index: usize, json: &str) -> String {
    let delta = format!(r#"{{"type":"input_json_delta","partial_json":{}}}"#, Value::from(json));
    format!(r#"{{"type":"content_block_delta","index":{index},"delta":{delta}}}"#)
}

fn block_stop(index: usize) -> String {
    format!(r#"{{"type":"content_block_stop","index":{index}}}"#)
}

/// OpenAI chat: a delta of a call, and the end of the message.
fn chat(index: usize, id: &str, name: &str, arguments: &str) -> String {
    let function = format!("{{{}\"arguments\":{}}}", field("name", name), Value::from(arguments));
    let call = format!("{{{}\"index\":{index},\"function\":{function}}}", field("id", id));
    format!(r#"{{"choices":[{{"index":0,"delta":{{"tool_calls":[{call}]}}}}]}}"#)
}

const CHAT_END: &str = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#;

/// OpenAI Responses: an item that is added or done, and its arguments, a delta or done.
fn item(kind: &str, index: usize, id: &str, name: &str, arguments: &str) -> String {
    let item = format!(
        "{{{}{}\"type\":\"function_call\",\"id\":\"item_{index}\",\"arguments\":{}}}",
        field("call_id", id),
        field("name", name),
        Value::from(arguments)
    );
    format!(r#"{{"type":"response.output_item.{kind}","output_index":{index},"item":{item}}}"#)
}

fn arguments(kind: &str, index: usize, text: &str) -> String {
    let name = if kind == "done" { "arguments" } else { "delta" };
    let text = field(name, text);
    format!(
        r#"{{{text}"type":"response.function_call_arguments.{kind}","item_id":"item_{index}","output_index":{index}}}"#
    )
}

fn sse_body(events: &[String]) -> Vec<u8> {
    events.iter().map(|event| format!("data: {event}\n\n")).collect::<String>().into_bytes()
}

/// Parses the events whole and byte by byte.
#[track_caller]
fn check(what: &str, format: Format, limits: Limits, sent: &[String], expected: &[&str]) {
    let mut parser = ResponseParser::new(format, POLICY.clone()).with_limits(limits);
    assert_eq!(summaries(&mut parser, &sse_body(sent), usize::MAX), expected, "{what}");
    assert_eq!(summaries(&mut parser, &sse_body(sent), 1), expected, "{what}, byte by byte");
}

const Q: &str = r#"{"question":"Q?"}"#;

/// A call of each tool of the built-in shapes, and one of `ask_followup_question`.
const EACH_TOOL: [(&str, &str); 20] = [
    ("AskUserQuestion", r#"{"questions":[{"question":"Q?","options":[{"label":"A"},{"label":"B"}]}]}"#),
    ("request_user_input", r#"{"questions":[{"header":"H","id":"i","options":[{"label":"A"}],"question":"Q?"}]}"#),
    ("vscode_askQuestions", r#"{"questions":[{"header":"H","question":"Q?","options":[{"label":"A"}]}]}"#),
    ("askQuestions", r#"{"questions":[{"header":"H","question":"Q?"}]}"#),
    ("copilot_askQuestions", r#"{"questions":[{"header":"H","question":"Q?"}]}"#),
    ("AskQuestion", r#"{"questions":[{"id":"i","prompt":"Q?","options":[{"id":"1","label":"A"}]}]}"#),
    ("cursor/ask_question", r#"{"questions":[{"id":"i","prompt":"Q?","options":[{"id":"1","label":"A"}]}]}"#),
    ("ask_user", r#"{"question":"Q?","choices":["A","B"]}"#),
    ("question", r#"{"questions":[{"question":"Q?","header":"H","options":[{"label":"A"}]}]}"#),
    ("ask_question", r#"{"question":"Q?","options":["A","B"]}"#),
    ("ask_user_question", r#"{"questions":[{"question":"Q?","header":"H","options":[{"label":"A"},{"label":"B"}]}]}"#),
    ("elicitation/create", r#"{"message":"m","requestedSchema":{"properties":{"f":{"type":"string","title":"Q?"}}}}"#),
    ("clarify", r#"{"question":"Q?","choices":["A"]}"#),
    ("ask", r#"{"questions":[{"id":"i","question":"Q?","options":[{"label":"A"}]}]}"#),
    ("questionnaire", r#"{"questions":[{"id":"i","prompt":"Q?","options":[{"value":"a","label":"A"}]}]}"#),
    ("AskUser", r#"{"questionnaire":"1. [question] Q?\n[option] A"}"#),
    ("droid.ask_user", r#"{"questions":[{"index":1,"topic":"T","question":"Q?","options":["A"]}]}"#),
    ("askForConfirmation", r#"{"message":"Q?"}"#),
    ("session/request_permission", r#"{"toolCall":{"title":"Q?"},"options":[{"optionId":"a","name":"A"}]}"#),
    (ASK, r#"{"question":"Q?","follow_up":[{"text":"A","mode":null}]}"#),
];

#[test]
fn the_default_policy_asks_every_tool_of_one_body() {
    for shape in Shape::built_in_names().filter_map(Shape::built_in) {
        assert!(shape.tools().all(|tool| EACH_TOOL.iter().any(|(known, _)| *known == tool)), "{}", shape.name());
    }
    let calls = || EACH_TOOL.iter().enumerate().map(|(i, (tool, arguments))| (i, format!("c{i}"), *tool, *arguments));
    let mut openai: Vec<String> = Vec::new();
    let mut anthropic: Vec<String> = Vec::new();
    for (i, id, tool, arguments) in calls() {
        let (one, two) = arguments.split_at(arguments.len() / 2);
        openai.extend([chat(i, &id, tool, one), chat(i, "", "", two)]);
        anthropic.extend([block_start(i, &id, tool), block_delta(i, one), block_delta(i, two), block_stop(i)]);
    }
    openai.push(CHAT_END.to_owned());
    for (format, sent) in [(Format::OpenAiChat, openai), (Format::Anthropic, anthropic)] {
        for size in [1, 7, usize::MAX] {
            let mut received = Received::default();
            let mut parser = ResponseParser::new(format, Policy::new());
            sse_body(&sent).chunks(size).for_each(|chunk| received.take(parser.feed(chunk)));
            received.take(parser.finish());
            assert_eq!((&*received.unexpected, &*received.others, &*received.prose), (&[][..], &[][..], ""));
            let asked = received.asks.values().map(|ask| (ask.id.clone().unwrap(), &*ask.tool, &*ask.question));
            let expected = calls().map(|(_, id, tool, _)| (id, tool, "Q?"));
            assert_eq!(asked.collect::<Vec<_>>(), expected.collect::<Vec<_>>(), "{format}, {size}");
        }
    }
}

#[test]
fn a_wrong_block_affects_no_other_call() {
    let check = |what: &str, sent: &[String], expected: &[&str]| {
        check(what, Format::Anthropic, Limits::default(), sent, expected)
    };
    check(
        "a stop before the start",
        &[block_stop(0), block_start(0, "a", ASK), block_delta(0, Q), block_stop(0)],
        &["0 a asks Q?"],
    );
    check(
        "a stop of another block",
        &[block_start(0, "a", ASK), block_stop(7), block_delta(0, Q), block_stop(0)],
        &["0 a asks Q?"],
    );
    check("no stop", &[block_start(0, "a", ASK), block_delta(0, Q)], &["0 a asks Q?"]);
    check(
        "final twice",
        &[block_start(0, "a", ASK), block_delta(0, Q), block_stop(0), block_stop(0)],
        &["0 a asks Q?"],
    );
    check(
        "a delta after the end",
        &[block_start(0, "a", ASK), block_delta(0, Q), block_stop(0), block_delta(0, "}")],
        &["0 a asks Q?"],
    );
    check(
        "a delta at an unknown index goes to no other call",
        &[block_start(0, "a", ASK), block_delta(5, "no"), block_delta(0, Q), block_stop(0)],
        &["0 a asks Q?", "error orphan"],
    );
    check("arguments of no call", &[block_delta(3, Q), block_stop(3)], &["error orphan"]);
    check(
        "arguments of no call, and a call",
        &[block_delta(3, "no"), block_start(0, "a", ASK), block_delta(0, Q), block_stop(0)],
        &["0 a asks Q?", "error orphan"],
    );
    check(
        "two starts with one id",
        &[block_start(0, "a", ASK), block_start(0, "a", ASK), block_delta(0, Q), block_stop(0)],
        &["0 a asks Q?"],
    );
    check(
        "two starts with one id, at another index",
        &[
            block_start(0, "a", ASK),
            block_delta(0, Q),
            block_stop(0),
            block_start(1, "a", ASK),
            block_delta(1, Q),
            block_stop(1),
        ],
        &["0 a asks Q?", "1 a asks Q?"],
    );
    check(
        "two starts with one id and different names",
        &[block_start(0, "a", "lookup"), block_start(1, "a", ASK), block_delta(1, Q), block_stop(1), block_stop(0)],
        &["lookup a begins", "0 a asks Q?", "lookup a {}"],
    );
    check(
        "two blocks with one index",
        &[
            block_start(0, "a", ASK),
            block_start(0, "b", "lookup"),
            block_delta(0, "{}"),
            block_stop(0),
            block_delta(0, Q),
        ],
        &["lookup b begins", "lookup b {}", "0 a is rejected: truncated"],
    );
    check("no name", &[block_start(0, "a", ""), block_delta(0, Q), block_stop(0)], &["error orphan"]);
    check("no id", &[block_start(0, "", ASK), block_delta(0, Q), block_stop(0)], &["0 - asks Q?"]);
    check(
        "no arguments",
        &[block_start(0, "a", ASK), block_stop(0), block_start(1, "b", "lookup"), block_stop(1)],
        &["0 a is rejected: missing_parameter", "lookup b begins", "lookup b {}"],
    );
}

#[test]
fn a_wrong_chat_chunk_affects_no_other_call() {
    let check = |what: &str, sent: &[String], expected: &[&str]| {
        check(what, Format::OpenAiChat, Limits::default(), sent, expected)
    };
    let end = || CHAT_END.to_owned();
    check(
        "an id that changes",
        &[chat(0, "a", ASK, "{\"question\""), chat(0, "b", "", ":\"Q?\"}"), end()],
        &["0 a asks Q?"],
    );
    check(
        "an id that comes late",
        &[chat(0, "", ASK, "{\"question\""), chat(0, "b", "", ":\"Q?\"}"), end()],
        &["0 b asks Q?"],
    );
    check(
        "an id of another tool that comes late",
        &[chat(0, "", "lookup", "{"), chat(0, "b", "", "}"), end()],
        &["lookup - begins", "lookup - {", "lookup - }"],
    );
    check(
        "a name after the arguments",
        &[chat(0, "a", "", "{\"question\""), chat(0, "", ASK, ":"), chat(0, "", "", "\"Q?\"}"), end()],
        &["0 a asks Q?"],
    );
    check(
        "a name of another tool after the arguments",
        &[chat(0, "a", "", "{\"p\""), chat(0, "", "lookup", ":1}"), end()],
        &["lookup a begins", "lookup a {\"p\"", "lookup a :1}"],
    );
    check(
        "one index and one id, another name: another call",
        &[chat(0, "a", "lookup", "{}"), chat(0, "a", ASK, Q), end()],
        &["lookup a begins", "lookup a {}", "0 a asks Q?"],
    );
    check("a name that never comes", &[chat(0, "a", "", Q), end()], &["error orphan"]);
    check("a delta after the end", &[chat(0, "a", ASK, Q), end(), chat(0, "", "", "}"), end()], &["0 a asks Q?"]);
    check(
        "another call after the end",
        &[chat(0, "a", ASK, Q), end(), chat(0, "b", ASK, Q), end()],
        &["0 a asks Q?", "1 b asks Q?"],
    );
    check(
        "another call after the end, without ids",
        &[chat(0, "", ASK, Q), end(), chat(0, "", ASK, Q), end()],
        &["0 - asks Q?", "1 - asks Q?"],
    );
    check(
        "all calls at one index, without ids",
        &[chat(0, "", "lookup", "{\"p\":1}"), chat(0, "", ASK, Q), chat(0, "", ASK, Q), end()],
        &["lookup - begins", "lookup - {\"p\":1}", "0 - asks Q?", "1 - asks Q?"],
    );
    check(
        "all calls with one id",
        &[
            chat(0, "null", "lookup", "{\"p\":1}"),
            chat(1, "null", ASK, "{\"question\":"),
            chat(1, "null", "", "\"Q?\"}"),
            end(),
        ],
        &["lookup null begins", "lookup null {\"p\":1}", "0 null asks Q?"],
    );
    check(
        "a name in every delta",
        &[
            chat(0, "", ASK, "{\"question\""),
            chat(0, "", ASK, ":"),
            chat(0, "", ASK, "\"Q?\"}"),
            chat(0, "", ASK, ""),
            end(),
        ],
        &["0 - asks Q?"],
    );
    check(
        "arguments with an id before their name, while another call is open",
        &[
            chat(0, "a", ASK, "{\"question\""),
            chat(1, "b", "", "{\"p\""),
            chat(0, "", "", ":\"Q?\"}"),
            chat(1, "", "lookup", ":1}"),
            end(),
        ],
        &["lookup b begins", "lookup b {\"p\"", "lookup b :1}", "0 a asks Q?"],
    );
    check("an id before the name", &[chat(0, "a", "", ""), chat(0, "", ASK, Q), end()], &["0 a asks Q?"]);
    check(
        "the end of a message that became too long",
        &[chat(0, "a", ASK, ""), CHAT_END.replace("tool_calls", "length")],
        &["0 a is rejected: truncated"],
    );
    check(
        "an event that is lost in the middle of a call",
        &[
            chat(0, "a", ASK, "{\"question\":\"Delete "),
            "{\"choices\":[{".to_owned(),
            chat(0, "", "", "all?\"}"),
            chat(1, "b", ASK, Q),
            end(),
        ],
        &["error unreadable", "0 a is rejected: malformed", "1 b asks Q?"],
    );
    check(
        "something that is no event in the middle of a call",
        &[chat(0, "a", ASK, "{\"question\":"), "<html>".to_owned(), chat(0, "", "", "\"Q?\"}"), end()],
        &["error unreadable", "0 a asks Q?"],
    );
    check(
        "an unknown index goes to the last call",
        &[chat(0, "a", ASK, ""), chat(9, "", "", Q), end()],
        &["0 a asks Q?"],
    );
    check("an empty object first", &[chat(0, "a", ASK, "{}"), chat(0, "", "", Q), end()], &["0 a asks Q?"]);
    check(
        "an empty object of another tool first",
        &[chat(0, "a", "lookup", "{}"), chat(0, "", "", "{\"p\":1}"), end()],
        &["lookup a begins", "lookup a {\"p\":1}"],
    );
    check(
        "an empty object in pieces",
        &[chat(0, "a", "lookup", "{"), chat(0, "", "", "}"), end()],
        &["lookup a begins", "lookup a {", "lookup a }"],
    );
    check("no arguments at all", &[chat(0, "a", ASK, ""), end()], &["0 a is rejected: missing_parameter"]);
    check("cut off without arguments", &[chat(0, "a", ASK, "")], &["0 a is rejected: truncated"]);
}

#[test]
fn a_wrong_output_item_affects_no_other_call() {
    let check = |what: &str, sent: &[String], expected: &[&str]| {
        check(what, Format::OpenAiResponses, Limits::default(), sent, expected)
    };
    let added = |index, id| item("added", index, id, ASK, "");
    let other = r#"{"question":"No?"}"#;
    check(
        "done contradicts",
        &[added(0, "a"), arguments("delta", 0, Q), arguments("done", 0, other), item("done", 0, "a", ASK, other)],
        &["0 a is rejected: malformed"],
    );
    check(
        "done is written in another way",
        &[added(0, "a"), arguments("delta", 0, Q), arguments("done", 0, r#"{ "\u0071uestion" : "Q?" }"#)],
        &["0 a asks Q?"],
    );
    check(
        "a delta was lost, and done has it",
        &[added(0, "a"), arguments("delta", 0, "{\"question"), "{\"type\":".to_owned(), arguments("done", 0, Q)],
        &["error unreadable", "0 a asks Q?"],
    );
    check(
        "done has less",
        &[added(0, "a"), arguments("delta", 0, Q), arguments("done", 0, "{")],
        &["0 a is rejected: malformed"],
    );
    check(
        "never added, and done without a name",
        &[arguments("delta", 0, "{\"question\":"), arguments("done", 0, Q), item("done", 0, "a", ASK, Q)],
        &["0 a asks Q?"],
    );
    check(
        "done without arguments, and the item with them",
        &[added(0, "a"), arguments("done", 0, ""), item("done", 0, "a", ASK, Q)],
        &["0 a asks Q?"],
    );
    check(
        "done has more",
        &[added(0, "a"), arguments("delta", 0, "{\"question\""), arguments("done", 0, Q)],
        &["0 a asks Q?"],
    );
    check("done has nothing", &[added(0, "a"), arguments("delta", 0, Q), arguments("done", 0, "")], &["0 a asks Q?"]);
    check(
        "done twice",
        &[added(0, "a"), arguments("done", 0, Q), arguments("done", 0, Q), item("done", 0, "a", ASK, Q)],
        &["0 a asks Q?"],
    );
    check(
        "added twice",
        &[added(0, "a"), added(0, "a"), arguments("delta", 0, Q), arguments("done", 0, Q)],
        &["0 a asks Q?"],
    );
    check("never added", &[arguments("delta", 0, Q), item("done", 0, "a", ASK, Q)], &["0 a asks Q?"]);
    check(
        "added late",
        &[
            arguments("delta", 0, "{\"quest"),
            added(0, "a"),
            arguments("delta", 0, "ion\":\"Q?\"}"),
            item("done", 0, "a", ASK, Q),
        ],
        &["0 a asks Q?"],
    );
    check(
        "done before it is added",
        &[item("done", 0, "a", ASK, Q), added(0, "a"), arguments("delta", 0, Q)],
        &["0 a asks Q?"],
    );
    check("arguments of no call", &[arguments("delta", 4, Q), arguments("done", 4, Q)], &["error orphan"]);
    check(
        "half a pair at the end of the deltas, all of it in the end",
        &[
            added(0, "a"),
            arguments("delta", 0, "{\"question\":\"Q @").replace('@', "\\ud83d"),
            arguments("done", 0, "{\"question\":\"Q 😀\"}"),
        ],
        &["0 a asks Q 😀"],
    );
}

#[test]
fn a_wrong_part_affects_no_other_call() {
    let part = |call: &str| format!(r#"{{"candidates":[{{"content":{{"parts":[{{"functionCall":{{{call}}}}}]}}}}]}}"#);
    let named = |more: &str| part(&format!("\"name\":\"{ASK}\",{more}"));
    let start = || named(r#""willContinue":true"#);
    let value = r#""partialArgs":[{"jsonPath":"$.question","stringValue":"Q?"}]"#;
    let whole = format!("\"args\":{Q}");
    let check =
        |what: &str, sent: &[String], expected: &[&str]| check(what, Format::Gemini, Limits::default(), sent, expected);
    check(
        "a call that never ends",
        &[start(), part(&format!("{value},\"willContinue\":true"))],
        &["0 - is rejected: truncated"],
    );
    check("a part of no call", &[part(value), named(&whole)], &["error orphan", "0 - asks Q?"]);
    check("the end of no call", &[part(""), named(&whole), part("")], &["0 - asks Q?"]);
    check("no arguments", &[named(r#""args":{}"#)], &["0 - is rejected: missing_parameter"]);
    let with_id = format!("\"id\":\"a\",{whole}");
    check("one call twice", &[named(&with_id), named(&with_id)], &["0 a asks Q?"]);
    let other = named("\"id\":\"a\",\"args\":{\"question\":\"And?\"}");
    check("one id for two calls", &[named(&with_id), other], &["0 a asks Q?", "1 a asks And?"]);
    check(
        "an empty object, and then values",
        &[named("\"args\":{},\"willContinue\":true"), part(value)],
        &["0 - asks Q?"],
    );
    let again = value.replace("Q?", " more?");
    check(
        "a value that is left and written again",
        &[start(), part(&format!("{value},\"willContinue\":true")), part(&again)],
        &["0 - is rejected: malformed"],
    );
    check("a name that is repeated", &[start(), named(value)], &["0 - asks Q?"]);
}

#[test]
fn a_call_beyond_the_limit_is_an_error_and_affects_no_other() {
    let small = Limits::default().with_open_calls(2);
    let none = Limits::default().with_open_calls(0);
    let end = || CHAT_END.to_owned();
    let two = [chat(0, "a", ASK, "{\"question\""), chat(1, "b", "lookup", "{")];
    let rest = [chat(0, "", "", ":\"Q?\"}"), chat(1, "", "", "}"), end()];
    let third = [chat(2, "c", "third", ""), chat(2, "", "", "{\"x\":1}")];
    let sent: Vec<String> = [&two[..], &third, &rest].concat();
    check(
        "chat",
        Format::OpenAiChat,
        small,
        &sent,
        &["lookup b begins", "lookup b {", "too many: third", "lookup b }", "0 a asks Q?"],
    );
    check("none", Format::OpenAiChat, none, &[chat(0, "a", ASK, Q), end()], &["too many: ask_followup_question"]);

    let sent = [
        block_start(0, "a", ASK),
        block_start(1, "b", "lookup"),
        block_start(2, "c", "third"),
        block_delta(2, "{\"x\":1}"),
        block_stop(2),
        block_delta(1, "{}"),
        block_delta(0, Q),
        block_stop(0),
        block_stop(1),
    ];
    check(
        "blocks",
        Format::Anthropic,
        small,
        &sent,
        &["lookup b begins", "too many: third", "0 a asks Q?", "lookup b {}"],
    );
}

#[test]
fn the_limit_counts_only_open_calls() {
    let small = Limits::default().with_open_calls(2);
    let end = || CHAT_END.to_owned();
    let sent: Vec<String> =
        (0..200).flat_map(|i| [block_start(i, &format!("id{i}"), ASK), block_delta(i, Q), block_stop(i)]).collect();
    let expected: Vec<String> = (0..200).map(|i| format!("{i} id{i} asks Q?")).collect();
    check(
        "one after the other",
        Format::Anthropic,
        small,
        &sent,
        &expected.iter().map(|line| &**line).collect::<Vec<_>>(),
    );

    let sent: Vec<String> = (0..65).map(|i| chat(i, &format!("id{i}"), ASK, Q)).chain([end()]).collect();
    let mut expected = vec!["too many: ask_followup_question".to_owned()];
    expected.extend((0..64).map(|i| format!("{i} id{i} asks Q?")));
    check(
        "65 at once",
        Format::OpenAiChat,
        Limits::default(),
        &sent,
        &expected.iter().map(|line| &**line).collect::<Vec<_>>(),
    );
}

#[test]
fn an_event_of_17_megabytes_is_skipped_and_the_next_is_parsed() {
    let long = chat(0, "a", "lookup", &"x".repeat(17 << 20));
    let sent = [chat(0, "b", ASK, Q), long, chat(1, "c", ASK, Q), CHAT_END.to_owned()];
    let body = sse_body(&sent);
    let mut parser = ResponseParser::new(Format::OpenAiChat, POLICY.clone());
    for size in [usize::MAX, 4 << 10] {
        assert_eq!(summaries(&mut parser, &body, size), ["error too_long", "0 b asks Q?", "1 c asks Q?"]);
    }
}

/// The events do not depend on how much of the body has arrived when its format is detected.
#[test]
fn a_format_detected_late_gives_the_same_events_for_every_cut() {
    let limits = Limits::default().with_event(200);
    let end = CHAT_END.to_owned();
    for before in
        [": ping\n\n".repeat(40), "data: {}\n\n".repeat(40), format!("data: {}\n\n", "x".repeat(300)), "\n".repeat(300)]
    {
        let body = [before.as_bytes(), &sse_body(&[chat(0, "a", ASK, Q), end.clone()])].concat();
        let mut auto = ResponseParser::auto(POLICY.clone()).with_limits(limits);
        let whole = joined(&mut auto, [&*body]);
        assert_eq!(joined(&mut auto, body.chunks(1)), whole, "{before}");
    }
}
