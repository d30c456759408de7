//! Hostile checkpoints: what is stored is changed, and is refused or reads on as a parser does.

use std::sync::Arc;

use followup::{Checkpoint, Event, Events, Field, Parser, Policy, Suggestions};
use serde_json::{Value, json};

use crate::common::policy;
use crate::input::{CUT, Input};

/// An input that begins with this is a checkpoint as JSON, a [`CUT`], and what is fed to it. All others choose a stream whose checkpoint is
/// changed.
pub const JSON: u8 = b'{';

pub fn read(input: &[u8]) {
    if input.first() == Some(&JSON) {
        let (stored, next) = match input.iter().position(|&byte| byte == CUT) {
            Some(at) => (&input[..at], &input[at + 1..]),
            None => (input, &[][..]),
        };
        if let Ok(checkpoint) = serde_json::from_slice(stored) {
            reads_on(&Arc::new(Policy::new()), &checkpoint, next);
        }
        return;
    }
    let Some((&many, rest)) = input.split_first() else { return };
    let Some((changes, rest)) = rest.split_at_checked(usize::from(many % 8) * 3) else { return };
    let Some(input) = Input::of(rest) else { return };
    let chunks = input.chunks();
    let (before, next) = chunks.split_first().expect("there is always a chunk");
    let policy = Arc::new(policy(&input.rules));
    let mut parser = input.stream.parser(policy.clone());
    drop(parser.feed_bytes(before));
    let mut stored = serde_json::to_value(parser.checkpoint()).expect("it can be stored");
    for change in changes.chunks_exact(3) {
        let leaves = paths(&stored);
        let at = (usize::from(change[0]) * 256 + usize::from(change[1])) % leaves.len();
        if let Some(value) = stored.pointer_mut(&leaves[at]) {
            *value = hostile(change[2], value);
        }
    }
    if let Ok(checkpoint) = serde_json::from_value(stored) {
        reads_on(&policy, &checkpoint, &next.concat());
    }
}

/// What is resumed is what was stored; it reads on, and keeps what it says.
fn reads_on(policy: &Arc<Policy>, checkpoint: &Checkpoint, next: &[u8]) {
    let Ok(parser) = Parser::resume(policy.clone(), checkpoint.clone()) else { return };
    assert_eq!(parser.checkpoint(), *checkpoint);
    let (mut whole, mut cut) = (parser.clone(), parser);
    let (mut shown, mut shown_by_cut) = (Shown::default(), Shown::default());
    shown.take(whole.feed_bytes(next));
    next.chunks(1).for_each(|byte| shown_by_cut.take(cut.feed_bytes(byte)));
    assert_eq!(cut.checkpoint(), whole.checkpoint());
    Parser::resume(policy.clone(), whole.checkpoint()).expect("a parser made it");
    shown.take(whole.finish());
    shown_by_cut.take(cut.finish());
    assert_eq!(shown_by_cut.said, shown.said);
}

/// What a stream shows that did not begin here: no more can be known of the call that was open.
#[derive(Default)]
struct Shown {
    said: Vec<(String, String)>,
    open: Option<(String, Vec<String>)>,
}

fn answers(suggestions: Suggestions<'_>) -> Vec<String> {
    suggestions.iter().map(|one| one.answer.to_owned()).collect()
}

impl Shown {
    fn say(&mut self, what: String, text: &str) {
        match self.said.last_mut() {
            Some((last, said)) if *last == what => said.push_str(text),
            _ => self.said.push((what, text.to_owned())),
        }
    }

    fn take(&mut self, mut events: Events<'_>) {
        while let Some(event) = events.next() {
            match event {
                Event::Text(text) => self.say("text".to_owned(), text),
                Event::Opaque(piece) => self.say(format!("opaque {} {}", piece.tool, piece.start), piece.raw),
                Event::Partial(call) => {
                    let now = (call.question().unwrap_or_default().to_owned(), answers(call.suggestions()));
                    let newest = match call.field() {
                        Field::Question => &now.0,
                        Field::Suggestion => now.1.last().expect("a suggestion"),
                    };
                    assert!(newest.ends_with(call.delta()));
                    if let Some(before) = &self.open {
                        assert!(grows(before, &now), "{before:?} and then {now:?}");
                    }
                    let field = format!("{:?} {} {}", call.field(), call.nth(), now.1.len());
                    self.open = Some(now);
                    self.say(field, call.delta());
                }
                Event::Complete(call) => {
                    self.end(&(call.question().to_owned(), answers(call.suggestions())));
                    self.say(format!("{call:?}"), "");
                }
                Event::Rejected(call) => {
                    self.end(&(call.question().unwrap_or_default().to_owned(), answers(call.suggestions())));
                    self.say(format!("{call:?}"), "");
                }
            }
        }
    }

    fn end(&mut self, last: &(String, Vec<String>)) {
        if let Some(open) = self.open.take() {
            assert_eq!(open, *last, "a call ends with something else than was shown");
        }
    }
}

fn grows(before: &(String, Vec<String>), now: &(String, Vec<String>)) -> bool {
    let kept = before.1.len().saturating_sub(1);
    let newest = before.1.get(kept).is_none_or(|newest| now.1.get(kept).is_some_and(|now| now.starts_with(&**newest)));
    now.0.starts_with(&before.0) && now.1.len() >= before.1.len() && now.1[..kept] == before.1[..kept] && newest
}

/// Where values are.
fn paths(value: &Value) -> Vec<String> {
    let below = |key: String, value: &Value| paths(value).into_iter().map(move |path| format!("/{key}{path}"));
    let mut all = vec![String::new()];
    match value {
        Value::Object(fields) => all.extend(fields.iter().flat_map(|(key, value)| below(key.clone(), value))),
        Value::Array(items) => all.extend(items.iter().enumerate().flat_map(|(i, value)| below(i.to_string(), value))),
        _ => {}
    }
    all
}

/// What a hostile hand might write in its place.
fn hostile(choice: u8, value: &Value) -> Value {
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
        (_, Value::String(_)) => json!(NAMES[usize::from(choice) % NAMES.len()]),
        (_, Value::Number(_)) => json!(choice),
        _ => value.clone(),
    }
}

/// What stands in checkpoints.
const NAMES: [&str; 32] = [
    "<",
    "[",
    "Between",
    "Options",
    "Value",
    "ItemOrEnd",
    "KeyOrEnd",
    "Key",
    "Colon",
    "CommaOrEnd",
    "Literal",
    "Ended",
    "Behind",
    "Ignored",
    "IllFormed",
    "Arguments",
    "Question",
    "List",
    "Item",
    "Answer",
    "Mode",
    "Nothing",
    "FollowUp",
    "Suggest",
    "Parameters",
    "Items",
    "No",
    "TooLong",
    "Prose",
    "Opened",
    "Inside",
    "\\ud83d",
];
