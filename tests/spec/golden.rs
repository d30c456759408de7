//! Golden messages: replies as models write them, with their expected events, cut in every way.
//!
//! `tests/spec/golden/NAME.md` is a message, byte for byte. `NAME.json` has its events in the form
//! of `docs/format.md`: neighbouring text joined, the pieces of one opaque call joined, without
//! partials. A `NAME` that ends in `.strict`, `.outside-code`, `.decoded` or `.all-envelopes` is
//! parsed under that policy.
//!
//! The expected events were derived from the page, not from the parser. If one differs, the page
//! decides which is right.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::common::reference::{Rules, describe};
use crate::common::sweep::{Sweep, assert_chunk_invariant};
use crate::common::{markup, name, parse, policy};
use followup::{Envelopes, Event, Parser, Suggestions};
use serde_json::{Map, Value};

/// Messages below this length are cut in three at every two offsets.
const IN_THREE: usize = 600;

/// A message, and its expected events.
struct Golden {
    name: String,
    message: Vec<u8>,
    expected: Vec<GoldenEvent>,
    rules: Rules,
}

/// An event in the form of the files.
#[derive(Clone, Debug, PartialEq)]
enum GoldenEvent {
    Text(String),
    Opaque {
        tool: String,
        raw: String,
    },
    Complete {
        span: (u64, u64),
        question: String,
        suggest: Vec<(String, Option<String>)>,
        notes: Vec<String>,
    },
    Rejected {
        span: (u64, u64),
        reason: String,
        message: String,
        question: Option<String>,
        suggest: Vec<(String, Option<String>)>,
    },
}

#[test]
fn messages_have_the_expected_events_however_they_are_cut() {
    let all = goldens();
    assert!(all.len() >= 30, "only {} messages in tests/spec/golden", all.len());
    let next = AtomicUsize::new(0);
    let work = || {
        let mut differences = String::new();
        while let Some(golden) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Err(difference) = golden.check() {
                differences += &difference;
            }
        }
        differences
    };
    let differences: String = thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|thread| thread.join().expect("the parser panics")).collect()
    });
    assert!(differences.is_empty(), "\n{differences}");
}

#[test]
fn the_reference_reader_shows_the_same_in_the_same_order() {
    for golden in goldens() {
        let expected = describe(&markup(&golden.message, &golden.rules));
        let mut parser = Parser::new(policy(&golden.rules));
        let whole = describe(&parse(&mut parser, [&*golden.message]));
        assert!(whole == expected, "{}, whole\nexpected:\n{expected}\ngot:\n{whole}", golden.name);
        let bytes = describe(&parse(&mut parser, golden.message.chunks(1)));
        assert!(bytes == expected, "{}, byte by byte\nexpected:\n{expected}\ngot:\n{bytes}", golden.name);
    }
}

impl Golden {
    /// Feeds the message in every way. Returns the first difference.
    fn check(&self) -> Result<(), String> {
        let message = &*self.message;
        let mut parser = Parser::new(policy(&self.rules));
        self.compare(&events(&mut parser, &[message]), "whole")?;
        assert_chunk_invariant(message, |chunks| events(&mut parser, chunks));
        if message.len() < IN_THREE {
            let mut sweep = Sweep::new(2);
            let offsets =
                (1..message.len()).flat_map(|first| (first + 1..message.len()).map(move |second| (first, second)));
            for (first, second) in offsets.filter(|_| sweep.tries(2)) {
                let events = events(&mut parser, &[&message[..first], &message[first..second], &message[second..]]);
                self.compare(&events, format_args!("cut at {first} and {second}"))?;
            }
        }
        Ok(())
    }

    fn compare(&self, events: &[GoldenEvent], how: impl fmt::Display) -> Result<(), String> {
        if events == self.expected {
            return Ok(());
        }
        let same = self.expected.iter().zip(events).take_while(|(expected, event)| expected == event).count();
        let show = |events: &[GoldenEvent]| events.get(same).map_or("nothing".to_owned(), |event| format!("{event:?}"));
        let (expected, got) = (show(&self.expected), show(events));
        Err(format!("{}.md, {how}: event {same} differs\n  expected: {expected}\n  got:      {got}\n", self.name))
    }
}

/// Returns the events of a message in the form of the files.
fn events(parser: &mut Parser, chunks: &[&[u8]]) -> Vec<GoldenEvent> {
    let mut all = Vec::new();
    for chunk in chunks {
        let mut events = parser.feed_bytes(chunk);
        while let Some(event) = events.next() {
            add(&mut all, event);
        }
    }
    let mut events = parser.finish();
    while let Some(event) = events.next() {
        add(&mut all, event);
    }
    all
}

fn add(all: &mut Vec<GoldenEvent>, event: Event<'_>) {
    match (event, all.last_mut()) {
        (Event::Text(more), Some(GoldenEvent::Text(text))) => text.push_str(more),
        (Event::Text(text), _) => all.push(GoldenEvent::Text(text.to_owned())),
        (Event::Opaque(piece), Some(GoldenEvent::Opaque { raw, .. })) if !piece.start => raw.push_str(piece.raw),
        (Event::Opaque(piece), _) => {
            assert!(piece.start, "a piece of no call: {piece:?}");
            all.push(GoldenEvent::Opaque { tool: piece.tool.to_owned(), raw: piece.raw.to_owned() });
        }
        (Event::Partial(_), _) => {}
        (Event::Complete(call), _) => all.push(GoldenEvent::Complete {
            span: (call.span().start, call.span().end),
            question: call.question().to_owned(),
            suggest: owned(call.suggestions()),
            notes: call.notes().iter().map(|n| name(*n).to_owned()).collect(),
        }),
        (Event::Rejected(call), _) => all.push(GoldenEvent::Rejected {
            span: (call.span().start, call.span().end),
            reason: call.reason().code().to_owned(),
            message: call.reason().to_string(),
            question: call.question().map(str::to_owned),
            suggest: owned(call.suggestions()),
        }),
    }
}

fn owned(suggestions: Suggestions<'_>) -> Vec<(String, Option<String>)> {
    suggestions.iter().map(|s| (s.answer.to_owned(), s.mode.map(str::to_owned))).collect()
}

/// Returns all messages with their events, by name.
fn goldens() -> Vec<Golden> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/spec/golden");
    let (mut messages, mut expected) = (BTreeMap::new(), BTreeMap::new());
    for entry in fs::read_dir(&directory).expect("tests/spec/golden") {
        let file = entry.expect("tests/spec/golden").file_name().into_string().expect("a file name in Unicode");
        let content = || fs::read(directory.join(&file)).expect(&file);
        match file.rsplit_once('.') {
            Some((name, "md")) => drop(messages.insert(name.to_owned(), content())),
            Some((name, "json")) => drop(expected.insert(name.to_owned(), content())),
            _ if file == ".gitattributes" => {}
            _ => panic!("tests/spec/golden/{file} is neither a message (.md) nor its events (.json)"),
        }
    }
    let mut goldens = Vec::new();
    for (name, message) in messages {
        let Some(json) = expected.remove(&name) else { panic!("tests/spec/golden/{name}.md has no {name}.json") };
        goldens.push(Golden { message, expected: expected_events(&name, &json), rules: rules(&name), name });
    }
    if let Some(name) = expected.keys().next() {
        panic!("tests/spec/golden/{name}.json has no {name}.md");
    }
    goldens
}

/// Returns the rules of a message, by its name.
fn rules(name: &str) -> Rules {
    let default = Rules::default();
    match name.split_once('.') {
        None => default,
        Some((_, "strict")) => Rules { strict: true, ..default },
        Some((_, "outside-code")) => Rules { outside_code: true, ..default },
        Some((_, "all-envelopes")) => Rules { envelopes: Envelopes::all(), ..default },
        Some((_, "decoded")) => Rules { decode_entities: true, ..default },
        Some((_, other)) => panic!("tests/spec/golden/{name}.md: there is no policy {other:?}"),
    }
}

fn expected_events(name: &str, json: &[u8]) -> Vec<GoldenEvent> {
    let wrong = |why: &str| -> ! { panic!("tests/spec/golden/{name}.json: {why}") };
    let events = match serde_json::from_slice(json) {
        Ok(Value::Array(events)) => events,
        Ok(_) => wrong("not a list"),
        Err(error) => wrong(&error.to_string()),
    };
    let golden_event = |event: &Value| {
        event.as_object().and_then(one_event).unwrap_or_else(|| wrong(&format!("not an event:\n{event:#}")))
    };
    events.iter().map(golden_event).collect()
}

/// Returns an event; `None` unless it has exactly the keys of its kind.
fn one_event(event: &Map<String, Value>) -> Option<GoldenEvent> {
    let text = |key: &str| Some(event.get(key)?.as_str()?.to_owned());
    let list = |key: &str| event.get(key)?.as_array();
    let span = || match &**list("span")? {
        [start, end] => Some((start.as_u64()?, end.as_u64()?)),
        _ => None,
    };
    let suggest = || list("suggest")?.iter().map(|one| suggestion(one.as_object()?)).collect::<Option<_>>();
    let notes = || list("notes")?.iter().map(|note| note.as_str().map(str::to_owned)).collect::<Option<_>>();
    let (golden_event, keys) = match event.get("event")?.as_str()? {
        "text" => (GoldenEvent::Text(text("text")?), 2),
        "opaque" => (GoldenEvent::Opaque { tool: text("tool")?, raw: text("raw")? }, 3),
        "complete" => (
            GoldenEvent::Complete { span: span()?, question: text("question")?, suggest: suggest()?, notes: notes()? },
            5,
        ),
        "rejected" => {
            let question = optional(event.get("question")?)?;
            let (reason, message) = (text("reason")?, text("message")?);
            (GoldenEvent::Rejected { span: span()?, reason, message, question, suggest: suggest()? }, 6)
        }
        _ => return None,
    };
    (event.len() == keys).then_some(golden_event)
}

fn suggestion(one: &Map<String, Value>) -> Option<(String, Option<String>)> {
    let suggestion = (one.get("answer")?.as_str()?.to_owned(), optional(one.get("mode")?)?);
    (one.len() == 2).then_some(suggestion)
}

/// Returns a string or null.
fn optional(value: &Value) -> Option<Option<String>> {
    match value {
        Value::Null => Some(None),
        Value::String(text) => Some(Some(text.clone())),
        _ => None,
    }
}
