//! The guarantees, for calls of question tools that arrive in the text, in a model's own envelope.

use std::collections::BTreeMap;
use std::sync::Arc;

use followup::owned::{CallView, Event, Reader};
use followup::{Checkpoint, Envelopes, Limits, Parser, Policy, Shape, Shapes};

use crate::common::sweep::Sweep;

/// Messages with calls of tools that have shapes, whole and broken, in every family.
pub const MESSAGES: [&str; 39] = [
    // JSON.
    "<tool_call>{\"name\": \"ask_followup_question\", \"arguments\": {\"question\": \"Q\\é\"}}</tool_call>",
    "<tool_call>{\"name\": \"AskUserQuestion\", \"arguments\": {\"questions\": \"[{\\\"question\\\": \\\"Q\\é\\\"}]\"}}</tool_call>",
    "<|channel|>commentary to=AskUserQuestion<|message|>{\"questions\": [{\"question\": 12é}]}<|call|>x",
    "Hi\n<tool_call>\n{\"name\": \"AskUserQuestion\", \"arguments\": {\"questions\": [{\"question\": \"Où?\", \"header\": \"W\", \"options\": [{\"label\": \"A é\", \"description\": \"d\"}, {\"description\": \"e\", \"label\": \"B\"}], \"multiSelect\": true}]}}\n</tool_call>\nEnd",
    "<tool_call>{\"arguments\": {\"questions\": [{\"question\": \"Q?\"}]}, \"name\": \"AskUserQuestion\"}</tool_call>x",
    "<tool_call>{\"name\": \"AskUserQuestion\", \"arguments\": \"{\\\"questions\\\": [{\\\"question\\\": \\\"Q \\\\u00e9?\\\", \\\"options\\\": [\\\"A\\\"]}]}\"}</tool_call>",
    "<tool_call>{\"name\": \"AskUserQuestion\", \"arguments\": {\"questions\": \"[{\\\"question\\\": \\\"Q\\\"}]\"}}</tool_call>",
    "<tool_call>{\"name\": \"AskUserQuestion\", \"arguments\": {\"questions\": 7, \"x\": [{}]}} </tool_call> x",
    "<tool_call>{\"name\": \"AskUserQuestion\", \"arguments\": {\"questions\": [{\"question\": \"Q\", }]}}</tool_call>x",
    "{\"name\": \"AskUserQuestion\", \"arguments\": {\"x\": 1, \"questions\": [{\"question\": \"Q\"}]}}",
    "{\"name\": \"AskUserQuestion\", \"parameters\": {\"type\": \"object\", \"properties\": {\"questions\": []}}}",
    "{\"name\": \"AskUserQuestions\", \"arguments\": {}}\n{\"name\": \"request_user_input:0\", \"arguments\": {\"questions\": [{\"id\": \"i\", \"question\": \"Q\"}]}}",
    "<|channel|>commentary to=functions.request_user_input <|constrain|>json<|message|>{\"questions\": [{\"header\": \"H\", \"id\": \"i\", \"options\": [{\"description\": \"d\", \"label\": \"L\"}], \"question\": \"Last é?\"}]}<|call|>x",
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.AskUserQuestion:0<|tool_call_argument_begin|>{\"question\": \"Q?\", \"options\": [\"A\"]} <|tool_call_end|><|tool_call_begin|>f:1<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>x",
    "[TOOL_CALLS]AskUserQuestion[ARGS]{\"questions\": [{\"question\": \"Q\"}]}x",
    "[TOOL_CALLS][{\"name\": \"AskUserQuestion\", \"arguments\": [{\"question\": \"Q\"}]}, {\"name\": \"ask_user\", \"arguments\": {\"question\": \"R\\\\n\"}}]",
    "<｜tool▁call▁begin｜>AskUserQuestion<｜tool▁sep｜>```json\n{\"questions\": [{\"question\": \"Q\"}]}\n```<｜tool▁call▁end｜>x",
    "<|python_tag|>{\"name\": \"AskUserQuestion\", \"parameters\": {\"questions\": []}}; {\"name\": \"ask_user\", \"parameters\": {\"question\": \"\\\\\"}}<|eom_id|>",
    // Parameters.
    "<tool_call>\n<function=AskUserQuestion>\n<parameter=questions>\n[{\"question\": \"Q</parameter>?\", \"options\": [{\"label\": \"A\"}]}]\n</parameter>\n</function>\n</tool_call>x",
    "<function=AskUserQuestion><parameter=question>\n Où  est\u{2003} ? \n</parameter><parameter=options>[\"A\", \"B\"] é</parameter><parameter=multiSelect> true </parameter></function>",
    "<function=AskUserQuestion><parameter=questions>[{\"question\": \"Q\"</parameter></function>x",
    "<function=AskUserQuestion><parameter=questions>Only text é</parameter><parameter=questions>[]</parameter></function>x",
    "<function=AskUserQuestion><parameter=arguments>{\"questions\": [{\"question\": \"Q\"}]} é</parameter><parameter=question>R</parameter></function>",
    "<function=AskUserQuestion>{\"questions\": [{\"question\": \"Q\"}]}</function>x",
    "<function=AskUserQuestion><parameter=question>Q <parameter=options>A\n\nB </function><b>",
    "<function_calls><invoke name=\"ask_user\"><parameter name=\"question\">Q\\n?\\</parameter><parameter name=\"choices\">null</parameter><parameter name=\"type\">yesno</parameter></invoke></function_calls>x",
    "<invoke name=\"AskUser\"><parameter name=\"questionnaire\">\n1. [question] Q?\n[option] A \n[option] B\n</parameter></invoke>",
    "<invoke name=\"AskUserQuestion\"></invoke> <invoke name=\"AskUserQuestion\"><parameter name=\"question\"> </parameter></invoke>",
    "<｜DSML｜tool_calls><｜DSML｜invoke name=\"AskUserQuestion\"><｜DSML｜parameter name=\"questions\" string=\"false\">\"[{\\\"question\\\": \\\"Q\\\"}]\"</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜tool_calls>x",
    "<｜DSML｜invoke name=\"ask_user\"><｜DSML｜parameter name=\"question\" string=\"false\">\"Q\\u00e9\" x</｜DSML｜parameter><｜DSML｜parameter name=\"placeholder\" string=\"false\">7</｜DSML｜parameter></｜DSML｜invoke>",
    "<tool_call>AskUserQuestion\n<arg_key>question</arg_key>\n<arg_value>Q?</arg_value>\n<arg_key> options\n</arg_key>\n<arg_value>[\"A\"]</arg_value>\n</tool_call>x",
    "<tool_call>AskUserQuestion</tool_call><tool_call>ask</tool_call>",
    // An escape that a character of several bytes ends.
    "<tool_call>{\"name\": \"AskUserQuestion\", \"arguments\": \"{\\\"questions\\é\\\": 1, \\\"question\\\": \\\"Q\\é\\\"}\"}</tool_call>x",
    "<tool_call>{\"arguments\": {\"question\": \"Q\\é\", \"b\\é\": 1}, \"name\": \"AskUserQuestion\"}</tool_call>x",
    // Parameters before the text of their question.
    "<function=request_user_input><parameter=header> St \"é\" \\\n.</parameter><parameter=id>db</parameter><parameter=options>[\"A</parameter>\", \"B\"] x</parameter><parameter=question>é?</parameter></function>x",
    "<tool_call>AskUserQuestion\n<arg_key>options</arg_key><arg_value>A\n B</arg_value><arg_key>multiSelect</arg_key><arg_value> Yes</arg_value><arg_key>question</arg_key><arg_value>\u{2003}Q?</arg_value></tool_call>x",
    "<｜DSML｜invoke name=\"AskUserQuestion\"><｜DSML｜parameter name=\"header\" string=\"false\">\"H\\u00e9\" x</｜DSML｜parameter><｜DSML｜parameter name=\"multiSelect\">maybe</｜DSML｜parameter><｜DSML｜parameter name=\"question\" string=\"false\">\"Q\"</｜DSML｜parameter></｜DSML｜invoke>x",
    "<function=AskUserQuestion><parameter=header> </parameter><parameter=options>None</parameter><parameter=header>H<parameter=question>Q</function>x",
    "<function=elicitation/create><parameter=requestedSchema>{\"properties\": {\"a\": {\"type\": \"boolean\", \"title\": \"T\"}}, \"required\": [\"a\"]}</parameter></function>",
];

pub fn policies() -> [Arc<Policy>; 2] {
    let names = ["claude", "codex", "gemini", "droid", "mcp"];
    let shapes = Shapes::new(names.map(|name| Shape::built_in(name).unwrap()));
    let policy = Policy::new().with_envelopes(Envelopes::all()).with_shapes(shapes);
    let limits =
        Limits { question: 4, answer: 1, suggestions: 1, questions: 1, header: 1, description: 1, ..Limits::default() };
    [Arc::new(policy.clone()), Arc::new(policy.with_limits(limits))]
}

/// What has been shown: texts by what they belong to, each of which only grows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shown {
    pub texts: BTreeMap<String, String>,
    calls: BTreeMap<u64, CallView>,
    pub ends: Vec<Event>,
}

impl Shown {
    fn add(&mut self, event: Event) {
        match event {
            Event::Text(text) => self.grow("text", &text),
            Event::Opaque(piece) => self.grow("opaque", &piece.raw),
            Event::Partial(partial) => {
                let view = self.calls.entry(partial.index).or_default();
                view.append(&partial);
                assert!(view.is_in_sync(&partial), "{partial:?}");
            }
            end => self.ends.push(end),
        }
    }

    fn grow(&mut self, name: &str, text: &str) {
        self.texts.entry(name.to_owned()).or_default().push_str(text);
    }

    /// Returns all texts that were shown.
    fn all(&self) -> BTreeMap<String, String> {
        let mut all = self.texts.clone();
        for (call, view) in &self.calls {
            for (i, question) in view.questions().iter().enumerate() {
                let mut add = |part: String, text: &str| all.insert(format!("{call} {i} {part}"), text.to_owned());
                add("text".into(), &question.text);
                add("header".into(), &question.header);
                add("detail".into(), &question.detail);
                for (j, one) in question.suggestions.iter().enumerate() {
                    add(format!("answer {j}"), &one.answer);
                    add(format!("description {j}"), &one.description);
                    add(format!("preview {j}"), &one.preview);
                }
            }
        }
        all.retain(|_, text| !text.is_empty());
        all
    }
}

/// Feeds the chunks to a parser, and returns what it shows.
pub fn read<'c>(parser: Parser, chunks: impl IntoIterator<Item = &'c [u8]>, ends: bool) -> (Shown, Parser) {
    read_on(Shown::default(), parser, chunks, ends)
}

pub fn read_on<'c>(
    mut shown: Shown,
    parser: Parser,
    chunks: impl IntoIterator<Item = &'c [u8]>,
    ends: bool,
) -> (Shown, Parser) {
    let mut reader = Reader::new(parser);
    for chunk in chunks {
        reader.feed(bytes::Bytes::copy_from_slice(chunk)).for_each(|event| shown.add(event));
    }
    if ends {
        reader.finish().for_each(|event| shown.add(event));
    }
    (shown, reader.into_parser())
}

#[test]
fn a_message_means_the_same_however_it_is_cut() {
    for (policy, message) in policies().iter().flat_map(|policy| MESSAGES.map(|message| (policy, message))) {
        let parser = || Parser::new(policy.clone());
        let bytes = message.as_bytes();
        let (whole, _) = read(parser(), [bytes], true);
        assert!(!whole.ends.is_empty() || message.contains("AskUserQuestions") || message.contains("type"));
        let (in_bytes, _) = read(parser(), bytes.chunks(1), true);
        assert_eq!(whole, in_bytes, "{message}");
        for at in 0..bytes.len() {
            let (in_two, _) = read(parser(), [&bytes[..at], &bytes[at..]], true);
            assert_eq!(whole, in_two, "{message} at {at}");
        }
    }
}

#[test]
fn the_state_depends_on_the_bytes_alone_and_a_checkpoint_resumes_anywhere() {
    // In the short form, after one byte in three, with each policy after other ones.
    let step = if Sweep::is_short() { 3 } else { 1 };
    let policies = policies();
    let all = policies.iter().enumerate().flat_map(|policy| MESSAGES.map(|message| (policy, message)));
    for ((i, policy), message) in all {
        let parser = || Parser::new(policy.clone());
        let bytes = message.as_bytes();
        let (expected, _) = read(parser(), [bytes], true);
        let mut bytewise = parser();
        for at in (i % step..=bytes.len()).step_by(step) {
            bytes[at.saturating_sub(step)..at].chunks(1).for_each(|byte| drop(bytewise.feed_bytes(byte)));
            let (shown, whole) = read(parser(), [&bytes[..at]], false);
            let checkpoint = whole.checkpoint();
            assert_eq!(checkpoint, bytewise.checkpoint(), "{message} at {at}");
            let stored = serde_json::to_string(&checkpoint).unwrap();
            let checkpoint: Checkpoint = serde_json::from_str(&stored).unwrap();
            let resumed = Parser::resume(policy.clone(), checkpoint)
                .unwrap_or_else(|error| panic!("{error}: {message} at {at}: {stored}"));
            let (resumed, _) = read_on(shown, resumed, [&bytes[at..]], true);
            assert_eq!(expected, resumed, "{message} at {at}");
        }
    }
}

/// What may follow any beginning of a message.
const NEXT: [&str; 36] = [
    "",
    "commentary to=f<|message|>{}x",
    "x",
    " ",
    "\n",
    "  x",
    "\"",
    "\\\"x",
    "n",
    "}",
    "]}]}}</tool_call>x",
    "\"}]}}</tool_call>x",
    ",\"label\":\"Z\"}]}]}}</tool_call>x",
    "\":\"Z\"}]}]}}</tool_call>",
    "\":\"Z\"}}</tool_call>",
    "\\\"Z\\\"}]}\"}</tool_call>",
    "\",\"arguments\":{\"question\":\"Z\"}}x",
    ":{\"question\":\"Z\"}}</tool_call>x",
    "\"question\":\"Z\"}}x",
    "{\"question\":\"Z\"}",
    "[{\"question\":\"Z\"}]</parameter></function>x",
    "</parameter></function>x",
    "</parameter></invoke>x",
    "</function>x",
    "</invoke>x",
    "</tool_call>x",
    "<parameter=question>Z</parameter></function>x",
    "><parameter=question>Z</parameter></function>x",
    "</arg_value></tool_call>x",
    "<arg_key>question</arg_key><arg_value>Z</arg_value></tool_call>x",
    "</｜DSML｜parameter></｜DSML｜invoke>x",
    "<|call|>x",
    "<|message|>{}x",
    "<｜tool▁call▁end｜>x",
    "<read_file>",
    "\u{2003}x",
];

/// What a beginning of it may be continued to, wherever it is cut.
const SPELLINGS: [&str; 10] = [
    "{\"name\": \"AskUserQuestion\", \"parameters\": {\"type\": \"object\", \"properties\": {\"questions\": []}, \"question\": \"Z\"}}",
    "<|tool_calls_section_end|>x",
    "<｜tool▁calls▁end｜>x",
    "<|eom_id|>x",
    "</function_calls>x",
    "</tool_call>x",
    "<|tool_call_section_end|>x",
    "<tool_call>AskUserQuestion\n<arg_key>question</arg_key><arg_value>Z</arg_value></tool_call>x",
    "<arg_key>question</arg_key><arg_value>Z</arg_value></tool_call>x",
    "<browser_action>",
];

/// Returns what is missing of a spelling after a text that ends in its beginning, if it does.
fn missing<'s>(prefix: &[u8], spelling: &'s str) -> &'s [u8] {
    let spelling = spelling.as_bytes();
    let has = (0..spelling.len()).rev().find(|&len| prefix.ends_with(&spelling[..len]));
    &spelling[has.unwrap_or(0)..]
}

/// After each byte, what is shown is the longest common prefix of what any continuation shows.
///
/// The end of a tag or of a token may follow, too, and the rest of the message itself.
#[test]
fn nothing_certain_is_held_back_and_nothing_is_taken_back() {
    let mut sweep = Sweep::sampled(1, 1);
    for (policy, message) in policies().iter().flat_map(|policy| MESSAGES.map(|message| (policy, message))) {
        let bytes = message.as_bytes();
        let parser = || Parser::new(policy.clone());
        for at in 0..bytes.len() {
            if !sweep.tries(1) {
                continue;
            }
            let (prefix, rest) = bytes.split_at(at);
            let (shown, _) = read(parser(), prefix.chunks(1), false);
            let ends = [b'>', b'|', b'"', b' '].map(|end| rest.iter().position(|byte| *byte == end));
            let tags = ends.into_iter().flatten().map(|end| &rest[..=end]);
            let heads: Vec<&[u8]> = tags.chain([&b""[..], b"\xA9", b"\x80\x83"]).collect();
            let mut common: Option<(BTreeMap<String, String>, Vec<Event>)> = None;
            let continuations =
                heads.iter().flat_map(|head| NEXT.iter().map(move |next| [head, next.as_bytes()].concat()));
            let completed = SPELLINGS.iter().map(|spelling| missing(prefix, spelling).to_vec());
            for next in continuations.chain(completed).chain([rest.to_vec()]) {
                let whole = read(parser(), [prefix, &next], true).0;
                common = Some(match common {
                    None => (whole.all(), whole.ends),
                    Some((texts, mut ends)) => {
                        let same = ends.iter().zip(&whole.ends).take_while(|(one, other)| one == other).count();
                        ends.truncate(same);
                        (longest_common(&texts, &whole.all()), ends)
                    }
                });
            }
            assert_eq!(
                (shown.all(), shown.ends),
                common.unwrap(),
                "{:?} of {message}",
                String::from_utf8_lossy(prefix)
            );
        }
    }
}

fn longest_common(one: &BTreeMap<String, String>, other: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let prefix = |(name, text): (&String, &String)| {
        let other = other.get(name)?;
        let same = text.chars().zip(other.chars()).take_while(|(one, other)| one == other);
        let len: usize = same.map(|(one, _)| one.len_utf8()).sum();
        (len > 0).then(|| (name.clone(), text[..len].to_owned()))
    };
    one.iter().filter_map(prefix).collect()
}
