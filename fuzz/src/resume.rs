//! Damaged and forged checkpoints: each is an error, or a parser that stays within the limits.

use std::sync::Arc;

use followup::{Checkpoint, Parser, Policy};
use serde_json::{Value, json};

use crate::common::policy;
use crate::common::stored::paths;
use crate::common::within_limits::check_views;
use crate::input::{CUT, Input};

/// The first byte of an input that is a checkpoint as JSON, a [`CUT`], and the rest of the stream.
///
/// Other inputs choose a stream whose checkpoint is changed.
pub const JSON: u8 = b'{';

pub fn read(input: &[u8]) {
    if input.first() == Some(&JSON) {
        let (stored, rest) = match input.iter().position(|&byte| byte == CUT) {
            Some(at) => (&input[..at], &input[at + 1..]),
            None => (input, &[][..]),
        };
        if let Ok(checkpoint) = serde_json::from_slice(stored) {
            stays_within_the_limits(&Arc::new(Policy::new()), checkpoint, rest);
        }
        return;
    }
    let Some((&many, rest)) = input.split_first() else { return };
    let Some((changes, rest)) = rest.split_at_checked(usize::from(many % 8) * 3) else { return };
    let Some(input) = Input::of(rest) else { return };
    let chunks = input.chunks();
    let (before, after) = chunks.split_first().expect("there is always a chunk");
    let policy = Arc::new(policy(&input.rules));
    let mut parser = input.stream.parser(policy.clone());
    drop(parser.feed_bytes(before));
    let mut stored = serde_json::to_value(parser.checkpoint()).expect("it can be stored");
    for change in changes.chunks_exact(3) {
        let paths = paths(&stored);
        let at = (usize::from(change[0]) * 256 + usize::from(change[1])) % paths.len();
        if let Some(value) = stored.pointer_mut(&paths[at]) {
            *value = changed(change[2], value);
        }
    }
    if let Ok(checkpoint) = serde_json::from_value(stored) {
        stays_within_the_limits(&policy, checkpoint, &after.concat());
    }
}

/// Resumes a checkpoint and feeds it the rest, whole and byte by byte.
///
/// No call may exceed the limits.
fn stays_within_the_limits(policy: &Arc<Policy>, checkpoint: Checkpoint, rest: &[u8]) {
    // A damaged one is an error; a forged one has a valid checksum.
    let _ = Parser::resume(policy.clone(), checkpoint.clone());
    let Ok(mut parser) = Parser::resume(policy.clone(), checkpoint.with_valid_checksum()) else { return };
    let mut byte_by_byte = parser.clone();
    let limits = *parser.limits();
    check_views(&limits, parser.feed_bytes(rest));
    check_views(&limits, parser.finish());
    rest.chunks(1).for_each(|byte| check_views(&limits, byte_by_byte.feed_bytes(byte)));
    check_views(&limits, byte_by_byte.finish());
}

/// Returns a value to put in the place of another.
fn changed(choice: u8, value: &Value) -> Value {
    match (choice, value) {
        (0, _) => Value::Null,
        (1, Value::Bool(now)) => json!(!now),
        (2..=17, Value::Number(now)) => {
            json!(now.as_u64().unwrap_or_default().wrapping_add(u64::from(choice)).wrapping_sub(9))
        }
        (18, _) => json!(u64::MAX),
        (19, _) => json!(u32::MAX),
        (20, _) => json!(0),
        (21, _) => json!(""),
        (22, _) => json!([]),
        (23, _) => json!({}),
        (24, Value::String(now)) => json!(now.chars().skip(1).collect::<String>()),
        (25, Value::String(now)) => json!(format!("{now}x")),
        (26, Value::String(now)) => json!(format!("é{now}")),
        (27, Value::Array(now)) => now.iter().skip(1).cloned().collect(),
        (28, Value::Array(now)) => now.iter().chain(now.last()).cloned().collect(),
        (29, Value::Array(now)) => now.iter().rev().cloned().collect(),
        (30, Value::Object(now)) => now.iter().skip(1).map(|(key, value)| (key.clone(), value.clone())).collect(),
        (_, Value::String(_)) => json!(STRINGS[usize::from(choice) % STRINGS.len()]),
        (_, Value::Number(_)) => json!(choice),
        _ => value.clone(),
    }
}

/// Strings that may occur in checkpoints.
const STRINGS: [&str; 8] = ["<", "[", "x", " ", "question", "\\ud83d", "\u{3000}", "<ask_followup_question>"];
