//! The library's golden streams, and their meaning according to `followup parse`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::client::Event;
use crate::page::append;

/// Returns all bodies: the wire format and the file.
pub(crate) fn all() -> Vec<(String, PathBuf)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/wire/bodies");
    let mut all = Vec::new();
    for provider in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        let wire = provider.file_name().unwrap().to_str().unwrap().to_owned();
        let bodies = fs::read_dir(&provider).unwrap().map(|entry| entry.unwrap().path());
        all.extend(
            bodies
                .filter(|path| path.extension().is_some_and(|extension| extension != "json"))
                .map(|body| (wire.clone(), body)),
        );
    }
    all.sort();
    assert!(all.len() >= 100, "{}", all.len());
    all
}

/// Returns the names and bytes of OpenAI's chat completions.
pub(crate) fn openai_chat() -> Vec<(String, Vec<u8>)> {
    let bodies = all().into_iter().filter(|(wire, _)| wire == "openai-chat");
    let named =
        bodies.map(|(_, path)| (path.file_stem().unwrap().to_str().unwrap().to_owned(), fs::read(path).unwrap()));
    named.collect()
}

/// Returns what `followup parse` prints for a body, in normal form.
pub(crate) fn meaning(wire: &str, body: &Path) -> Vec<Value> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_followup"));
    command.args(["parse", "--json", "--no-partials", "--wire", wire]).arg(body);
    let output = command.output().unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    let events = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    normalize(events.map(|event| (event["event"].as_str().unwrap().to_owned(), event)))
}

/// Returns the service's events in the same form.
pub(crate) fn normalized(events: &[Event]) -> Vec<Value> {
    normalize(events.iter().map(|event| (event.kind.clone(), event.data.clone())))
}

/// Joins texts and the pieces of other tools' calls, and keeps of each call only its end.
fn normalize(events: impl Iterator<Item = (String, Value)>) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    for (kind, data) in events {
        match &*kind {
            "text" => match all.last_mut() {
                Some(last) if last["event"] == "text" => append(&mut last["text"], &data["text"]),
                _ => all.push(json!({"event": "text", "text": data["text"]})),
            },
            "opaque" => {
                let open = all.iter_mut().rev().find(|one| one["event"] == "opaque" && one["id"] == data["id"]);
                match open.filter(|_| data["start"] == false) {
                    Some(one) => append(&mut one["raw"], &data["raw"]),
                    None => {
                        all.push(json!({"event": "opaque", "tool": data["tool"], "raw": data["raw"], "id": data["id"]}))
                    }
                }
            }
            "complete" => all.push(json!({"event": "complete", "call": data["call"], "id": data["id"],
                "question": data["question"], "suggest": data["suggest"], "notes": data["notes"]})),
            "rejected" => all.push(json!({"event": "rejected", "call": data["call"], "reason": data["reason"],
                "message": data["message"]})),
            "error" => all.push(json!({"event": "error", "kind": data["kind"], "message": data["message"]})),
            _ => {}
        }
    }
    all
}
