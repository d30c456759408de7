//! What comes out of a provider's stream: event by event, and in the normal form of the golden files.

use followup::wire::{Events, Response};
use followup::{Event, Suggestions};
use serde_json::{Map, Value, json};

/// Every event of a response, whole, as one line each.
pub fn lines<'c>(response: &mut Response, chunks: impl IntoIterator<Item = &'c [u8]>) -> Vec<String> {
    let mut lines = Vec::new();
    let mut take = |mut events: Events<'_>| {
        while let Some(event) = events.next() {
            lines.push(format!("{event:?}"));
        }
    };
    for chunk in chunks {
        take(response.feed(chunk));
    }
    take(response.finish());
    lines
}

/// The events of a response in normal form: neighbouring text joined, all pieces of a call joined where it began, partials left out.
pub fn normal<'c>(response: &mut Response, chunks: impl IntoIterator<Item = &'c [u8]>) -> Vec<Value> {
    let mut normal = Vec::new();
    for chunk in chunks {
        add(response.feed(chunk), &mut normal);
    }
    add(response.finish(), &mut normal);
    normal
}

fn add(mut events: Events<'_>, normal: &mut Vec<Value>) {
    while let Some(event) = events.next() {
        let said = match event {
            Err(error) => {
                let mut said = json!({"event": "error", "kind": error.code()});
                if let followup::wire::Error::Provider(message) = error {
                    said["message"] = message.into();
                }
                said
            }
            Ok(Event::Partial(_)) => continue,
            Ok(Event::Text(text)) => match normal.last_mut() {
                Some(last) if last["event"] == "text" => {
                    append(&mut last["text"], text);
                    continue;
                }
                _ => json!({"event": "text", "text": text}),
            },
            Ok(Event::Opaque(piece)) => {
                let same = |one: &&mut Value| {
                    one["event"] == "opaque"
                        && one["tool"] == piece.tool
                        && one.get("id").and_then(Value::as_str) == piece.id
                };
                match normal.iter_mut().rev().find(same) {
                    Some(call) if !piece.start => {
                        append(&mut call["raw"], piece.raw);
                        continue;
                    }
                    _ => {
                        assert!(piece.start, "a call begins with a start");
                        with_id(json!({"event": "opaque", "tool": piece.tool, "raw": piece.raw}), piece.id)
                    }
                }
            }
            Ok(Event::Complete(call)) => {
                let notes: Vec<String> = call.notes().iter().map(|note| snake_case(&format!("{note:?}"))).collect();
                let said = json!({"event": "complete", "call": call.nth(), "question": call.question(),
                    "suggest": suggest(call.suggestions()), "notes": notes});
                with_id(said, call.id())
            }
            Ok(Event::Rejected(call)) => {
                let said = json!({"event": "rejected", "call": call.nth(), "reason": call.reason().code(),
                    "question": call.question(), "suggest": suggest(call.suggestions())});
                with_id(said, call.id())
            }
        };
        normal.push(said);
    }
}

fn append(value: &mut Value, text: &str) {
    *value = format!("{}{text}", value.as_str().unwrap_or_default()).into();
}

fn with_id(mut said: Value, id: Option<&str>) -> Value {
    if let Some(id) = id {
        said["id"] = id.into();
    }
    said
}

fn suggest(suggestions: Suggestions<'_>) -> Vec<Value> {
    suggestions
        .iter()
        .map(|one| {
            let mut said = Map::from_iter([("answer".to_owned(), one.answer.into())]);
            said.extend(one.mode.map(|mode| ("mode".to_owned(), mode.into())));
            said.into()
        })
        .collect()
}

fn snake_case(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}
