//! The guarantees, for calls of question tools in envelopes that are drawn at random.

use std::collections::BTreeMap;
use std::sync::Arc;

use followup::owned::Event;
use followup::{Checkpoint, Envelopes, Limits, Note, Parser, Policy, Shape, Shapes};

use crate::checkpoints::forgeries;
use crate::common::shapes::random::{self, Random};
use crate::common::shapes::table::Table;
use crate::common::stored::paths;
use crate::common::sweep::{Sweep, cases};
use crate::leaked_tools::{MESSAGES, Shown, policies, read, read_on};
use crate::shapes::{arguments, policy};

/// What comes before and after arguments. `NAME` is the name of the tool.
const JSON: [(&str, &str); 7] = [
    ("<tool_call>{\"name\": \"NAME\", \"arguments\": ", "}</tool_call>"),
    ("<tool_call>\n{\"arguments\": ", ", \"name\": \"NAME\"}\n</tool_call>"),
    ("<|channel|>commentary to=functions.NAME<|message|>", "<|call|>"),
    ("<|tool_call_begin|>NAME:0<|tool_call_argument_begin|>", "<|tool_call_end|>"),
    ("<function=NAME>", "</function>"),
    ("<tool_call>NAME\n", "</tool_call>"),
    ("[TOOL_CALLS]NAME[ARGS]", ""),
];

/// The same, for arguments in a string.
const TEXT: (&str, &str) = ("<tool_call>{\"name\": \"NAME\", \"arguments\": ", "}</tool_call>");

/// Pieces of a call with parameters.
const PARAMETERS: [&str; 34] = [
    "<parameter=question>",
    "<parameter=questions>",
    "<parameter=options>",
    "<parameter=choices>",
    "<parameter=type>",
    "<parameter=multiSelect>",
    "<parameter=header>",
    "<parameter=arguments>",
    "<parameter=questionnaire>",
    "<parameter=requestedSchema>",
    "<parameter=default>",
    "<parameter name=\"question\" string=\"false\">",
    "<parameter=x>",
    "</parameter>",
    "</function>",
    "</invoke>",
    "</tool_call>",
    "<arg_key>question</arg_key>",
    "<arg_key> options",
    "</arg_key>",
    "<arg_value>",
    "</arg_value>",
    "Which é?",
    " \n",
    "\u{2003}",
    "null",
    "true",
    "\"text\"",
    "\"[\\\"a\\\"]\"",
    "[question] Q? (multi)\n[option] A",
    "[{\"question\":\"Q\",\"options\":[\"A\"]}]",
    "{\"question\":\"Q\"",
    "}]",
    "<",
];

const OPENERS: [&str; 4] = ["<function=NAME>", "<invoke name=NAME>", "<tool_call>NAME\n", "<tool_call name='NAME'>"];

/// A tool of a shape.
struct Tool {
    shape: Shape,
    name: String,
    /// The text of the shape, if it was drawn.
    drawn: Option<Table>,
}

impl Tool {
    fn drawn(random: &mut Random) -> Tool {
        let shape = random::shape(random);
        let (name, drawn) = (shape.tools().next().unwrap().to_owned(), Some(Table::new(shape.text())));
        Tool { shape, name, drawn }
    }

    /// Returns a built-in tool, or one of three times a tool of a shape drawn at random.
    fn any(random: &mut Random, built_in: &[(Shape, String)]) -> Tool {
        if random.one_in(3) {
            return Tool::drawn(random);
        }
        let (shape, name) = built_in[random.below(built_in.len())].clone();
        Tool { shape, name, drawn: None }
    }

    fn arguments(&self, random: &mut Random) -> Vec<u8> {
        match &self.drawn {
            Some(table) => random::arguments(random, table),
            None => arguments(random),
        }
    }

    /// Returns a piece of a call with parameters: of two pieces for a drawn shape, one is one of
    /// its keys.
    fn piece(&self, random: &mut Random) -> String {
        if let Some(table) = self.drawn.as_ref().filter(|_| random.one_in(2)) {
            let keys: Vec<String> = table.all_keys().into_iter().flat_map(|(_, keys)| keys).collect();
            if !keys.is_empty() {
                return format!("<parameter={}>", keys[random.below(keys.len())]);
            }
        }
        PARAMETERS[random.below(PARAMETERS.len())].to_owned()
    }
}

fn built_in_tools() -> Vec<(Shape, String)> {
    let shapes: Vec<_> = Shapes::default().iter().collect();
    shapes.iter().flat_map(|shape| shape.tools().map(|tool| (shape.clone(), tool.to_owned()))).collect()
}

fn with_shape(policy: &Policy, shape: &Shape) -> Arc<Policy> {
    let policy = policy.clone().with_shapes(Shapes::new([shape.clone()]));
    Arc::new(policy.with_envelopes(Envelopes::all()))
}

/// A message with a call in an envelope.
fn message(random: &mut Random, tool: &Tool) -> Vec<u8> {
    let named = |text: &str| text.replace("NAME", &tool.name).into_bytes();
    if random.below(2) == 0 {
        let (before, after) = JSON[random.below(JSON.len())];
        return [named(before), tool.arguments(random), named(after), b" x".to_vec()].concat();
    }
    let mut message = named(OPENERS[random.below(OPENERS.len())]);
    for _ in 0..random.below(12) {
        match random.below(4) {
            0 => message.extend(tool.arguments(random)),
            _ => message.extend(tool.piece(random).bytes()),
        }
    }
    message
}

fn each_message(seed: u64, mut check: impl FnMut(&mut Random, &Arc<Policy>, &[u8])) {
    let (mut random, built_in) = (Random(seed), built_in_tools());
    for _ in 0..cases(20_000) {
        let tool = Tool::any(&mut random, &built_in);
        let policy = with_shape(&policy(&mut random), &tool.shape);
        let message = message(&mut random, &tool);
        check(&mut random, &policy, &message);
    }
}

#[test]
fn a_message_means_the_same_however_it_is_cut() {
    each_message(17, |random, policy, message| {
        let parser = || Parser::new(policy.clone());
        let context = || String::from_utf8_lossy(message).into_owned();
        let (whole, _) = read(parser(), [message], true);
        assert_eq!(whole, read(parser(), message.chunks(1), true).0, "{}", context());
        let at = random.below(message.len() + 1);
        assert_eq!(whole, read(parser(), [&message[..at], &message[at..]], true).0, "{}", context());
    });
}

#[test]
fn the_state_depends_on_the_bytes_alone_and_a_checkpoint_resumes() {
    each_message(19, |random, policy, message| {
        let parser = || Parser::new(policy.clone());
        let (before, rest) = message.split_at(random.below(message.len() + 1));
        let context = || format!("{:?} then {:?}", String::from_utf8_lossy(before), String::from_utf8_lossy(rest));
        let (shown, whole) = read(parser(), [before], false);
        let (in_bytes, bytewise) = read(parser(), before.chunks(1), false);
        assert_eq!(shown, in_bytes, "{}", context());
        assert_eq!(whole.checkpoint(), bytewise.checkpoint(), "{}", context());
        let stored = serde_json::to_string(&whole.checkpoint()).unwrap();
        let resumed = Parser::resume(policy.clone(), serde_json::from_str(&stored).unwrap());
        let resumed = resumed.unwrap_or_else(|error| panic!("{error}: {}: {stored}", context()));
        let expected = read(parser(), [message], true).0;
        assert_eq!(expected, read_on(shown, resumed, [rest], true).0, "{}", context());
    });
}

/// Arguments that are JSON mean the same natively and in every envelope of JSON.
#[test]
fn arguments_in_an_envelope_mean_what_they_mean_natively() {
    let (mut random, built_in) = (Random(23), built_in_tools());
    let mut compared = [0; 2];
    for _ in 0..cases(60_000) {
        let tool = Tool::any(&mut random, &built_in);
        let policy = with_shape(&policy(&mut random), &tool.shape);
        let arguments = tool.arguments(&mut random);
        let Ok(text) = std::str::from_utf8(&arguments) else { continue };
        // With envelopes, the strict policy reads none.
        if !text.starts_with('{') || serde_json::from_str::<serde_json::Value>(text).is_err() || is_strict(&policy) {
            continue;
        }
        // Arguments before the name wait for it, within this limit.
        if text.len() + 64 > Limits::default().unconfirmed {
            continue;
        }
        compared[usize::from(tool.drawn.is_some())] += 1;
        let native = native_end(&tool, &policy, text);
        let string = serde_json::to_string(text).unwrap();
        let forms = JSON.iter().map(|(before, after)| format!("{before}{text}{after}"));
        for form in forms.chain([format!("{}{string}{}", TEXT.0, TEXT.1)]) {
            let message = form.replace("NAME", &tool.name);
            let context = || format!("{}\n{message}", tool.shape.text());
            assert_eq!(
                native,
                end_of(&read(Parser::new(policy.clone()), [message.as_bytes()], true).0),
                "{}",
                context()
            );
        }
    }
    assert!(compared.iter().all(|&count| count > 10), "{compared:?}");
}

/// A member of arguments: its key, and its value as a parameter and as JSON.
struct Member {
    key: String,
    parameter: String,
    json: String,
}

fn object(members: &[Member]) -> String {
    let written = members.iter().map(|Member { key, json, .. }| format!("{}:{json}", quoted(key)));
    format!("{{{}}}", written.collect::<Vec<_>>().join(","))
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

/// Returns the keys of the call and of the question with their roles, in any order.
///
/// Each is left out at random, but for the first name of the text and of the questions.
fn keys(random: &mut Random, table: &Table) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for (role, keys) in table.all_keys() {
        if matches!(&*role, "label" | "description" | "value" | "mode" | "preview" | "recommended") {
            continue;
        }
        let is_needed = matches!(&*role, "text" | "questions" | "question-map");
        for (i, key) in keys.into_iter().enumerate() {
            if is_needed && i == 0 || random.one_in(if i == 0 { 2 } else { 4 }) {
                all.push((role.clone(), key));
            }
        }
    }
    if table.form(FORM).is_some() && random.one_in(3) {
        all.push((FORM.to_owned(), FORM.to_owned()));
    }
    for i in (1..all.len()).rev() {
        all.swap(i, random.below(i + 1));
    }
    all
}

/// The key of a form.
const FORM: &str = "requestedSchema";

/// Draws members with these keys, each with a value that is no other in a parameter: a word, a text
/// without white space around it, or JSON.
///
/// The keys of a path are in its object, or are one key with points.
fn members(random: &mut Random, table: &Table, keys: &[(String, String)]) -> Vec<Member> {
    let mut members: Vec<Member> = Vec::new();
    for (role, key) in keys {
        let first = key.split('.').next().unwrap();
        if first == key || random.one_in(8) {
            let value = if role == FORM { Some(form(random, table)) } else { value(random, table, role) };
            members.extend(value.map(|(parameter, json)| Member { key: key.clone(), parameter, json }));
        } else if !members.iter().any(|member| member.key == first) {
            let inside = |(role, key): &(String, String)| {
                Some((role.clone(), key.strip_prefix(first)?.strip_prefix('.')?.to_owned()))
            };
            let inside: Vec<_> = keys.iter().filter_map(inside).collect();
            let json = object(&self::members(random, table, &inside));
            let json = in_a_string(random, json);
            members.push(Member { key: first.to_owned(), parameter: json.clone(), json });
        }
    }
    members
}

/// Draws the object of a form, as the shape that reads it has it.
fn form(random: &mut Random, table: &Table) -> (String, String) {
    let form = table.form(FORM).unwrap();
    let keys: Vec<_> = keys(random, &form).into_iter().filter(|(_, key)| key.starts_with(FORM)).collect();
    // Its path is one object, or else a key with points, which is no form.
    match members(random, &form, &keys).into_iter().find(|member| member.key == FORM) {
        Some(Member { parameter, json, .. }) => (parameter, json),
        None => ("{}".to_owned(), "{}".to_owned()),
    }
}

/// Returns JSON, which one time of six is in a string.
fn in_a_string(random: &mut Random, json: String) -> String {
    if random.one_in(6) { quoted(&json) } else { json }
}

/// Draws a value of a role, as a parameter and as JSON.
fn value(random: &mut Random, table: &Table, role: &str) -> Option<(String, String)> {
    const WORDS: [&str; 4] = ["yesno", "text", "number", "choice"];
    const PLAIN: [&str; 7] =
        ["Which?", "A (Recommended)", "é😀 B", "one\ntwo", "true", "1. [question] Q? (multi)", "a\\nb\\"];
    Some(match role {
        "multiple" | "custom" | "required" => {
            let flag = random.pick(&["true", "false"]);
            (flag.to_owned(), flag.to_owned())
        }
        "recommended-index" => ("1".to_owned(), "1".to_owned()),
        "kind" => {
            let word = random.pick(&WORDS);
            (word.to_owned(), quoted(word))
        }
        "options" | "questions" | "question-map" | "names" | "default" | "required-ids" => {
            let value = random::value(random, table, role);
            let is_json = value.starts_with(['[', '{', '"']);
            if !is_json || serde_json::from_str::<serde_json::Value>(&value).is_err() {
                return None;
            }
            (value.clone(), value)
        }
        _ => {
            let text = random.pick(&PLAIN);
            (text.to_owned(), quoted(text))
        }
    })
}

/// Parameters mean what the JSON with these members means natively.
#[test]
fn parameters_mean_what_the_members_of_arguments_mean_natively() {
    let (mut random, built_in) = (Random(29), built_in_tools());
    let mut asked: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..cases(60_000) {
        let tool = Tool::any(&mut random, &built_in);
        let policy = with_shape(&policy(&mut random), &tool.shape);
        let table = Table::new(tool.shape.text());
        let keys = keys(&mut random, &table);
        let members = members(&mut random, &table, &keys);
        if members.is_empty() || is_strict(&policy) {
            continue;
        }
        let json = object(&members);
        let native = native_end(&tool, &policy, &json);
        *asked.entry(tool.shape.name().to_owned()).or_default() += usize::from(matches!(native, Event::Complete(_)));
        let written = |before: &str, between: &str, after: &str| -> String {
            let one = |member: &Member| format!("{before}{}{between}{}{after}", member.key, member.parameter);
            members.iter().map(one).collect()
        };
        for message in [
            format!("<function=NAME>{}</function>", written("<parameter=", ">", "</parameter>")),
            format!("<tool_call>NAME\n{}</tool_call>", written("<arg_key>", "</arg_key><arg_value>", "</arg_value>")),
        ] {
            let message = message.replace("NAME", &tool.name);
            let end = end_of(&read(Parser::new(policy.clone()), [message.as_bytes()], true).0);
            assert_eq!(native, end, "{}\n{json}\n{message}", tool.shape.text());
        }
    }
    for name in Shape::built_in_names().chain(["drawn"]) {
        assert!(asked.get(name).is_some_and(|&count| count > 0), "{name}: {asked:?}");
    }
}

/// Returns the last event of arguments that are read natively.
fn native_end(tool: &Tool, policy: &Arc<Policy>, arguments: &str) -> Event {
    let parser = Parser::arguments_of(&tool.name, policy.clone()).unwrap();
    end_of(&read(parser, [arguments.as_bytes()], true).0)
}

fn is_strict(policy: &Arc<Policy>) -> bool {
    let parser = Parser::new(policy.clone());
    let (shown, _) = read(parser, ["<invoke name=\"f\"></invoke>".as_bytes()], true);
    shown.texts.contains_key("text")
}

/// Returns what came of the one call, apart from where it was.
fn end_of(shown: &Shown) -> Event {
    let [end] = &shown.ends[..] else { panic!("{shown:?}") };
    match end.clone() {
        Event::Complete(mut call) => {
            (call.span, call.native) = (0..0, false);
            call.notes.retain(|note| !matches!(note, Note::Envelope(_)));
            Event::Complete(call)
        }
        Event::Rejected(mut call) => {
            (call.span, call.native, call.envelope) = (0..0, false, None);
            Event::Rejected(call)
        }
        event => panic!("{event:?}"),
    }
}

/// With a forged checksum, a changed value leads to nothing worse than a wrong view.
#[test]
fn a_forged_checkpoint_is_an_error_or_a_parser_that_reads_on() {
    let mut sweep = Sweep::sampled(2, 400);
    let policy = &policies()[1];
    for message in MESSAGES.map(str::as_bytes) {
        for at in (0..message.len()).step_by(7) {
            let mut parser = Parser::new(policy.clone());
            drop(parser.feed_bytes(&message[..at]));
            let stored = serde_json::to_value(parser.checkpoint()).unwrap();
            let places = paths(&stored);
            let elsewhere = places.iter().step_by(5).map(|path| stored.pointer(path).unwrap().clone());
            let values: Vec<serde_json::Value> = forgeries().into_iter().chain(elsewhere).collect();
            for (path, value) in places.iter().flat_map(|path| values.iter().map(move |value| (path, value))) {
                if !sweep.tries(2) {
                    continue;
                }
                let mut forged = stored.clone();
                *forged.pointer_mut(path).unwrap() = value.clone();
                let Ok(checkpoint) = serde_json::from_value::<Checkpoint>(forged) else { continue };
                let Ok(parser) = Parser::resume(policy.clone(), checkpoint.with_valid_checksum()) else { continue };
                for rest in [&message[at..], b"", b"\xE3", b"\"}]}</tool_call>", b"</parameter></function> x"] {
                    let mut parser = parser.clone();
                    parser.feed_bytes(rest).for_each(|event| drop(format!("{event:?}")));
                    parser.finish().for_each(|event| drop(format!("{event:?}")));
                }
            }
        }
    }
}
