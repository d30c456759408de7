//! Forged checkpoints of calls in envelopes: what can't occur between two pieces is an error.

use std::sync::Arc;

use followup::{Checkpoint, Envelopes, Limits, Parser, Policy, ResumeError};
use serde_json::{Value, json};

use crate::common::stored::paths;

fn policy() -> Arc<Policy> {
    let limits = Limits { bare: 100, tag: 60, ..Limits::default() };
    Arc::new(Policy::new().with_envelopes(Envelopes::all()).with_limits(limits))
}

/// Returns the checkpoint after this text, as it is stored.
fn stored(text: &str) -> Value {
    let mut parser = Parser::new(policy());
    drop(parser.feed(text));
    serde_json::to_value(parser.checkpoint()).unwrap()
}

/// Returns where the envelope is in a stored checkpoint.
fn envelope(stored: &Value) -> String {
    let of_envelope = |path: &String| stored.pointer(path).is_some_and(|value| value.get("has_gap").is_some());
    paths(stored).into_iter().find(of_envelope).expect("an envelope is open")
}

/// Resumes from a checkpoint in which one value of the envelope is another one.
fn resume(stored: &Value, field: &str, value: Value) -> Result<Parser, ResumeError> {
    let mut forged = stored.clone();
    let path = envelope(stored) + field;
    *forged.pointer_mut(&path).unwrap_or_else(|| panic!("no {path} in {stored}")) = value;
    let checkpoint: Checkpoint = serde_json::from_value(forged).unwrap_or_else(|error| panic!("{path}: {error}"));
    Parser::resume(policy(), checkpoint.with_valid_checksum())
}

const CALL: &str = "<tool_call>{\"name\":\"ask_followup_question\",\"arguments\":{\"question\":\"Q";
/// The header of a call whose name has come.
const HEADER: &str = "<tool_call>f";

/// A call of a question tool.
const SHAPED: &str = "<function=AskUserQuestion>{\"questions\":[{\"question\":\"Q";

/// What closes that call.
const REST: &str = "\",\"options\":[\"A\"]}]}</function>x";

fn is_corrupt(resumed: Result<Parser, ResumeError>) -> bool {
    resumed.is_err_and(|error| error == ResumeError::Corrupt)
}

#[test]
fn what_is_held_back_is_no_longer_than_the_limits_of_a_header_and_of_a_tag() {
    let stored = stored(HEADER);
    for (len, is_accepted) in [(160, true), (161, false)] {
        assert_eq!(resume(&stored, "/held", json!("x".repeat(len))).is_ok(), is_accepted, "{len}");
    }
}

#[test]
fn an_envelope_begins_and_ends_before_the_checkpoint() {
    let stored = stored(CALL);
    let read = CALL.len();
    for field in ["/start", "/end"] {
        assert!(resume(&stored, field, json!(read)).is_ok(), "{field}");
        assert!(is_corrupt(resume(&stored, field, json!(read + 1))), "{field}");
    }
}

#[test]
fn what_holds_inside_a_piece_only_is_corrupt() {
    for text in [CALL, HEADER, SHAPED] {
        for field in ["/lent", "/ends_here"] {
            assert!(resume(&stored(text), field, json!(false)).is_ok(), "{field}");
            assert!(is_corrupt(resume(&stored(text), field, json!(true))), "{field}");
        }
    }
    assert!(is_corrupt(resume(&stored(CALL), "/reader/Own/whole", json!(true))));
    assert!(is_corrupt(resume(&stored(CALL), "/object/lexer/plain", json!(true))));
}

#[test]
fn a_name_or_a_key_that_cannot_be_one_is_corrupt() {
    let text = |len: usize| json!("x".repeat(len));
    let bytes = |len: usize| json!(vec![b'x'; len]);
    for name in ["", "f", "_", "a1:/.-"] {
        assert!(resume(&stored(HEADER), "/name/text", json!(name)).is_ok(), "{name:?}");
    }
    for name in ["1", " f", "f g", "é", "-"] {
        assert!(is_corrupt(resume(&stored(HEADER), "/name/text", json!(name))), "{name:?}");
    }
    for (field, longest) in [("/key/bytes", 16), ("/object/key/bytes", 16)] {
        assert!(resume(&stored(CALL), field, bytes(longest)).is_ok(), "{field}");
        assert!(is_corrupt(resume(&stored(CALL), field, bytes(longest + 1))), "{field}");
    }
    assert!(is_corrupt(resume(&stored(HEADER), "/name/text", text(129))));
    assert!(is_corrupt(resume(&stored(SHAPED), "/reader/Shape/key", text(521))));
}

#[test]
fn a_call_that_is_certain_is_not_read_as_bare_json() {
    assert!(is_corrupt(resume(&stored(CALL), "/object/is_bare", json!(true))));
    let bare = stored("{\"name\":\"ask_followup_question\"");
    assert_eq!(bare.pointer(&(envelope(&bare) + "/object/is_bare")), Some(&json!(true)));
    assert!(resume(&bare, "/object/is_bare", json!(true)).is_ok());
}

#[test]
fn what_reads_the_arguments_belongs_to_the_name() {
    for (text, names) in [
        (CALL, [("ask_followup_question", true), ("AskUserQuestion", false), ("f", false)]),
        (SHAPED, [("AskUserQuestion", true), ("ask_followup_question", false), ("f", false)]),
    ] {
        for (name, is_accepted) in names {
            let resumed = resume(&stored(text), "/name/text", json!(name));
            assert_eq!(resumed.is_ok(), is_accepted, "{name} in {text}");
        }
    }
}

#[test]
fn a_stored_call_of_a_question_tool_goes_on_as_it_would_have() {
    let mut parser = Parser::new(policy());
    drop(parser.feed(SHAPED));
    let checkpoint = parser.checkpoint();
    let stored: Checkpoint = serde_json::from_value(serde_json::to_value(&checkpoint).unwrap()).unwrap();
    assert_eq!(stored, checkpoint);
    let mut resumed = Parser::resume(policy(), stored).unwrap();
    let ends = |parser: &mut Parser| {
        let mut shown = String::new();
        let mut events = parser.feed(REST);
        while let Some(event) = events.next() {
            shown += &format!("{event:?}\n");
        }
        shown
    };
    let expected = ends(&mut parser);
    assert!(expected.contains("Complete"), "{expected}");
    assert_eq!(ends(&mut resumed), expected);
}
