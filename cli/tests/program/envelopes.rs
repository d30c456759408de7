//! Tests of `--envelopes`: calls that arrive as text, in a model's own envelope.

use serde_json::{Value, json};

use crate::common::{ends, run};
use crate::parse::{lines, succeeds};

const KIMI: &str = "Hm.\n<|tool_calls_section_begin|><|tool_call_begin|>functions.ask_followup_question:0\
    <|tool_call_argument_begin|>{\"question\": \"Which?\", \"follow_up\": [{\"text\": \"This\", \"mode\": null}]}\
    <|tool_call_end|><|tool_calls_section_end|>\n";

const FUNCTION_XML: &str = "<tool_call>\n<function=ask_followup_question>\n<parameter=question>\nWhich?\n</parameter>\n\
    </function>\n</tool_call>\n";

const LLAMA: &str = "<|python_tag|>{\"name\": \"ask_followup_question\", \"parameters\": {\"question\": \"Which?\"}}\n";

const TRUNCATED: &str = "<function=ask_followup_question>\n<parameter=question>\nWhi";

const MARKUP: &str = "<ask_followup_question><question>Which?</question></ask_followup_question>";

/// Returns the event that ends the only call; `null` if the message has none.
#[track_caller]
fn call(args: &[&str], message: &str) -> Value {
    let args: Vec<_> = ["parse", "--json", "--no-partials"].iter().chain(args).copied().collect();
    let output = run(&args, message);
    assert_eq!(output.stderr, b"");
    let events = lines(&String::from_utf8(output.stdout).unwrap());
    let mut calls = events.into_iter().filter(|event| event["event"] != "text");
    let first = calls.next().unwrap_or_default();
    assert_eq!(calls.next(), None);
    first
}

#[test]
fn a_call_in_an_envelope_has_its_family_and_a_note() {
    let call = call(&[], KIMI);
    assert_eq!((&call["event"], &call["question"]), (&json!("complete"), &json!("Which?")));
    assert_eq!(call["suggest"], json!([{"answer": "This"}]));
    assert_eq!(call["envelope"], "kimi");
    assert_eq!(call["notes"], json!(["the call came as text, in an envelope of the family kimi"]));
}

#[test]
fn a_call_as_markup_has_no_envelope() {
    assert_eq!(call(&[], MARKUP).get("envelope"), None);
}

#[test]
fn a_rejected_call_in_an_envelope_has_its_family() {
    let call = call(&[], TRUNCATED);
    assert_eq!((&call["event"], &call["reason"]), (&json!("rejected"), &json!("truncated")));
    assert_eq!(call["envelope"], "function-xml");
}

#[test]
fn only_the_named_families_are_read() {
    let family = |names: &str, message: &str| call(&["--envelopes", names], message)["envelope"].clone();
    for (names, kimi, function_xml, llama) in [
        ("default", json!("kimi"), json!("function-xml"), Value::Null),
        ("all", json!("kimi"), json!("function-xml"), json!("llama")),
        ("none", Value::Null, Value::Null, Value::Null),
        ("kimi", json!("kimi"), Value::Null, Value::Null),
        ("glm,kimi", json!("kimi"), Value::Null, Value::Null),
        ("default,llama", json!("kimi"), json!("function-xml"), json!("llama")),
    ] {
        assert_eq!(family(names, KIMI), kimi, "{names}");
        assert_eq!(family(names, FUNCTION_XML), function_xml, "{names}");
        assert_eq!(family(names, LLAMA), llama, "{names}");
    }
}

#[test]
fn an_envelope_that_is_not_read_is_text() {
    assert_eq!(succeeds(&["parse", "--envelopes", "none"], KIMI), KIMI);
    assert_eq!(succeeds(&["parse", "--strict"], KIMI), KIMI);
    assert_eq!(succeeds(&["parse", "--strict", "--envelopes", "none"], KIMI), KIMI);
}

#[test]
fn the_note_is_shown_to_people() {
    let shown = "Hm.\n? Which?\n\n  1. This\n  note: the call came as text, in an envelope of the family kimi\n";
    let out = succeeds(&["parse"], KIMI);
    assert!(out.starts_with(shown), "{out}");
}

#[test]
fn a_call_in_an_envelope_is_asked() {
    let (reply, _) = ends(&run(&["ask", "--answer", "1"], KIMI), 0);
    assert_eq!(reply, "<answer>\nThis\n</answer>\n");
    let (reply, _) = ends(&run(&["ask", "--answer", "1", "--envelopes", "none"], KIMI), 0);
    assert_eq!(reply, "");
}

#[test]
fn records_have_the_envelope_of_each_call() {
    let records: String = [KIMI, FUNCTION_XML, MARKUP]
        .iter()
        .enumerate()
        .map(|(id, content)| format!("{}\n", json!({"id": id, "content": content})))
        .collect();
    let families = |args: &[&str]| -> Vec<Value> {
        let args: Vec<_> = ["parse", "--records"].iter().chain(args).copied().collect();
        let lines = lines(&succeeds(&args, &records));
        let complete = |line: &Value| {
            let mut events = line["events"].as_array().unwrap().iter();
            events.find(|event| event["event"] == "complete").map_or(json!("no call"), |call| call["envelope"].clone())
        };
        lines.iter().map(complete).collect()
    };
    assert_eq!(families(&[]), [json!("kimi"), json!("function-xml"), Value::Null]);
    assert_eq!(families(&["--chunk", "1"]), families(&[]));
    assert_eq!(families(&["--envelopes", "kimi"]), [json!("kimi"), json!("no call"), Value::Null]);
}
