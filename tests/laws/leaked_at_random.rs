//! The guarantees, for calls of question tools in envelopes that are drawn at random.

use std::sync::Arc;

use followup::owned::Event;
use followup::{Checkpoint, Envelopes, Note, Parser, Policy, Shape, Shapes};

use crate::checkpoints::forgeries;
use crate::common::shapes::random::Random;
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

fn tools() -> Vec<(Shape, String)> {
    let shapes: Vec<_> = Shapes::default().iter().collect();
    shapes.iter().flat_map(|shape| shape.tools().map(|tool| (shape.clone(), tool.to_owned()))).collect()
}

fn with_shape(policy: &Policy, shape: &Shape) -> Arc<Policy> {
    let policy = policy.clone().with_shapes(Shapes::new([shape.clone()]));
    Arc::new(policy.with_envelopes(Envelopes::all()))
}

/// A message with a call in an envelope.
fn message(random: &mut Random, tool: &str) -> Vec<u8> {
    let named = |text: &str| text.replace("NAME", tool).into_bytes();
    if random.below(2) == 0 {
        let (before, after) = JSON[random.below(JSON.len())];
        return [named(before), arguments(random), named(after), b" x".to_vec()].concat();
    }
    let mut message = named(OPENERS[random.below(OPENERS.len())]);
    for _ in 0..random.below(12) {
        match random.below(4) {
            0 => message.extend(arguments(random)),
            _ => message.extend(PARAMETERS[random.below(PARAMETERS.len())].bytes()),
        }
    }
    message
}

fn each_message(seed: u64, mut check: impl FnMut(&mut Random, &Arc<Policy>, &[u8])) {
    let (mut random, tools) = (Random(seed), tools());
    for _ in 0..cases(20_000) {
        let (shape, tool) = &tools[random.below(tools.len())];
        let policy = with_shape(&policy(&mut random), shape);
        let message = message(&mut random, tool);
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
    let (mut random, tools) = (Random(23), tools());
    let mut compared = 0;
    for _ in 0..cases(60_000) {
        let (shape, tool) = &tools[random.below(tools.len())];
        let policy = with_shape(&policy(&mut random), shape);
        let arguments = arguments(&mut random);
        let Ok(text) = std::str::from_utf8(&arguments) else { continue };
        // With envelopes, the strict policy reads none.
        if !text.starts_with('{') || serde_json::from_str::<serde_json::Value>(text).is_err() || is_strict(&policy) {
            continue;
        }
        compared += 1;
        let native = end_of(&read(Parser::arguments_of(tool, policy.clone()).unwrap(), [text.as_bytes()], true).0);
        let string = serde_json::to_string(text).unwrap();
        let forms = JSON.iter().map(|(before, after)| format!("{before}{text}{after}"));
        for form in forms.chain([format!("{}{string}{}", TEXT.0, TEXT.1)]) {
            let message = form.replace("NAME", tool);
            assert_eq!(native, end_of(&read(Parser::new(policy.clone()), [message.as_bytes()], true).0), "{message}");
        }
    }
    assert!(compared > 10, "{compared}");
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
