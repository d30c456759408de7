//! Golden messages: replies as models write them, and what they mean, cut in every way.
//!
//! `tests/golden/NAME.md` is a message, byte for byte. `NAME.json` says what comes out of it, as `docs/format.md` has it: neighbouring
//! text joined, the pieces of one opaque call joined, partials left out. A `NAME` that ends in `.strict`, `.outside-code` or `.decoded`
//! is read under that policy.
//!
//! The expectations were written by reasoning from the page, not by running the parser. If one fails, the page decides who is right.

mod common;

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use common::reference::{Rules, describe};
use common::{note, policy, show};
use followup::testing::assert_chunk_invariant;
use followup::{Event, Parser, Policy, Suggestions};
use serde_json::{Map, Value};

/// Messages below this length are cut in three everywhere.
const IN_THREE: usize = 600;

/// One message, and what it means.
struct Golden {
    name: String,
    message: Vec<u8>,
    meant: Vec<Said>,
    rules: Rules,
}

/// An event of the normal form.
#[derive(Clone, Debug, PartialEq)]
enum Said {
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
fn messages_mean_what_is_written_down() {
    let all = goldens();
    assert!(all.len() >= 30, "only {} pairs in tests/golden", all.len());
    let next = AtomicUsize::new(0);
    let work = || {
        let mut wrong = String::new();
        while let Some(golden) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Err(difference) = golden.check() {
                wrong += &difference;
            }
        }
        wrong
    };
    let wrong: String = thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|thread| thread.join().expect("a message makes the parser panic")).collect()
    });
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// The reader that sees the whole message at once shows the same, and in the same order; and each partial extends the one before it.
#[test]
fn the_reference_reader_agrees() {
    for golden in goldens() {
        let meant = describe(&common::expected(&golden.message, &golden.rules));
        let mut parser = Parser::new(policy(&golden.rules));
        let whole = describe(&show(&mut parser, [&*golden.message]));
        assert!(whole == meant, "{}, whole\nexpected:\n{meant}\ngot:\n{whole}", golden.name);
        let bytes = describe(&show(&mut parser, golden.message.chunks(1)));
        assert!(bytes == meant, "{}, byte by byte\nexpected:\n{meant}\ngot:\n{bytes}", golden.name);
    }
}

impl Golden {
    /// Feeds the message in every way; says what differs the first time something does.
    fn check(&self) -> Result<(), String> {
        let message = &*self.message;
        let mut parser = Parser::new(self.policy());
        self.compare(&read(&mut parser, &[message]), "whole")?;
        assert_chunk_invariant(message, |chunks| read(&mut parser, chunks));
        if message.len() < IN_THREE {
            for (first, second) in
                (1..message.len()).flat_map(|first| (first + 1..message.len()).map(move |s| (first, s)))
            {
                let said = read(&mut parser, &[&message[..first], &message[first..second], &message[second..]]);
                self.compare(&said, format_args!("cut at {first} and {second}"))?;
            }
        }
        Ok(())
    }

    fn policy(&self) -> Policy {
        let Rules { strict, outside_code, decode_entities, .. } = self.rules;
        let mut policy = Policy::new();
        if strict {
            policy = policy.repairs(followup::Repairs::Reject);
        }
        if outside_code {
            policy = policy.calls(followup::Calls::OutsideCode);
        }
        if decode_entities {
            policy = policy.entities(followup::Entities::Decoded);
        }
        policy
    }

    fn compare(&self, said: &[Said], how: impl fmt::Display) -> Result<(), String> {
        if said == self.meant {
            return Ok(());
        }
        let same = self.meant.iter().zip(said).take_while(|(meant, said)| meant == said).count();
        let show = |events: &[Said]| events.get(same).map_or("nothing".to_owned(), |event| format!("{event:?}"));
        let (meant, got) = (show(&self.meant), show(said));
        Err(format!("{}.md, {how}: event {same} differs\n  expected: {meant}\n  got:      {got}\n", self.name))
    }
}

/// The normal form of what a parser says.
fn read(parser: &mut Parser, chunks: &[&[u8]]) -> Vec<Said> {
    let mut said = Vec::new();
    for chunk in chunks {
        let mut events = parser.feed_bytes(chunk);
        while let Some(event) = events.next() {
            add(&mut said, event);
        }
    }
    let mut events = parser.finish();
    while let Some(event) = events.next() {
        add(&mut said, event);
    }
    said
}

fn add(said: &mut Vec<Said>, event: Event<'_>) {
    match (event, said.last_mut()) {
        (Event::Text(more), Some(Said::Text(text))) => text.push_str(more),
        (Event::Text(text), _) => said.push(Said::Text(text.to_owned())),
        (Event::Opaque(piece), Some(Said::Opaque { raw, .. })) if !piece.start => raw.push_str(piece.raw),
        (Event::Opaque(piece), _) => {
            assert!(piece.start, "a piece of no call: {piece:?}");
            said.push(Said::Opaque { tool: piece.tool.to_owned(), raw: piece.raw.to_owned() });
        }
        (Event::Partial(_), _) => {}
        (Event::Complete(call), _) => said.push(Said::Complete {
            span: (call.span().start, call.span().end),
            question: call.question().to_owned(),
            suggest: owned(call.suggestions()),
            notes: call.notes().iter().map(|n| note(*n).to_owned()).collect(),
        }),
        (Event::Rejected(call), _) => said.push(Said::Rejected {
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

/// All pairs in the directory, by name.
fn goldens() -> Vec<Golden> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let (mut messages, mut meanings) = (BTreeMap::new(), BTreeMap::new());
    for entry in fs::read_dir(&directory).expect("tests/golden") {
        let file = entry.expect("tests/golden").file_name().into_string().expect("a file name in Unicode");
        let content = || fs::read(directory.join(&file)).expect(&file);
        match file.rsplit_once('.') {
            Some((name, "md")) => drop(messages.insert(name.to_owned(), content())),
            Some((name, "json")) => drop(meanings.insert(name.to_owned(), content())),
            _ if file == ".gitattributes" => {}
            _ => panic!("tests/golden/{file} is neither a message (.md) nor its meaning (.json)"),
        }
    }
    let mut goldens = Vec::new();
    for (name, message) in messages {
        let Some(json) = meanings.remove(&name) else { panic!("tests/golden/{name}.md has no {name}.json") };
        goldens.push(Golden { message, meant: meaning(&name, &json), rules: rules(&name), name });
    }
    if let Some(name) = meanings.keys().next() {
        panic!("tests/golden/{name}.json has no {name}.md");
    }
    goldens
}

/// The policy a message is read under.
fn rules(name: &str) -> Rules {
    let default = Rules::default();
    match name.split_once('.') {
        None => default,
        Some((_, "strict")) => Rules { strict: true, ..default },
        Some((_, "outside-code")) => Rules { outside_code: true, ..default },
        Some((_, "decoded")) => Rules { decode_entities: true, ..default },
        Some((_, other)) => panic!("tests/golden/{name}.md: there is no policy {other:?}"),
    }
}

fn meaning(name: &str, json: &[u8]) -> Vec<Said> {
    let wrong = |why: &str| -> ! { panic!("tests/golden/{name}.json: {why}") };
    let events = match serde_json::from_slice(json) {
        Ok(Value::Array(events)) => events,
        Ok(_) => wrong("this is no list"),
        Err(error) => wrong(&error.to_string()),
    };
    let said = |event: &Value| {
        event.as_object().and_then(one_event).unwrap_or_else(|| wrong(&format!("this is no event:\n{event:#}")))
    };
    events.iter().map(said).collect()
}

/// An event, if it has exactly the keys that it should have.
fn one_event(event: &Map<String, Value>) -> Option<Said> {
    let text = |key: &str| Some(event.get(key)?.as_str()?.to_owned());
    let list = |key: &str| event.get(key)?.as_array();
    let span = || match &**list("span")? {
        [start, end] => Some((start.as_u64()?, end.as_u64()?)),
        _ => None,
    };
    let suggest = || list("suggest")?.iter().map(|one| suggestion(one.as_object()?)).collect::<Option<_>>();
    let notes = || list("notes")?.iter().map(|note| note.as_str().map(str::to_owned)).collect::<Option<_>>();
    let (said, keys) = match event.get("event")?.as_str()? {
        "text" => (Said::Text(text("text")?), 2),
        "opaque" => (Said::Opaque { tool: text("tool")?, raw: text("raw")? }, 3),
        "complete" => {
            (Said::Complete { span: span()?, question: text("question")?, suggest: suggest()?, notes: notes()? }, 5)
        }
        "rejected" => {
            let question = optional(event.get("question")?)?;
            let (reason, message) = (text("reason")?, text("message")?);
            (Said::Rejected { span: span()?, reason, message, question, suggest: suggest()? }, 6)
        }
        _ => return None,
    };
    (event.len() == keys).then_some(said)
}

fn suggestion(one: &Map<String, Value>) -> Option<(String, Option<String>)> {
    let suggestion = (one.get("answer")?.as_str()?.to_owned(), optional(one.get("mode")?)?);
    (one.len() == 2).then_some(suggestion)
}

/// A text, or null.
fn optional(value: &Value) -> Option<Option<String>> {
    match value {
        Value::Null => Some(None),
        Value::String(text) => Some(Some(text.clone())),
        _ => None,
    }
}
