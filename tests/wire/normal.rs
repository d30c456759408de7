//! The events of a provider's stream, as lines or in the form of the golden files.

use followup::wire::{Events, ResponseParser};
use followup::{Event, Question, Suggestions};
use serde_json::{Map, Value, json};

/// Every event of a body, one line each.
pub fn lines<'c>(parser: &mut ResponseParser, chunks: impl IntoIterator<Item = &'c [u8]>) -> Vec<String> {
    let mut lines = Vec::new();
    let mut take = |mut events: Events<'_>| {
        while let Some(event) = events.next() {
            lines.push(format!("{event:?}"));
        }
    };
    for chunk in chunks {
        take(parser.feed(chunk));
    }
    take(parser.finish());
    lines
}

/// The events of a body in normalized form.
///
/// Neighbouring text is joined, as are all pieces of a call where it started; partials are left
/// out.
pub fn normalized<'c>(parser: &mut ResponseParser, chunks: impl IntoIterator<Item = &'c [u8]>) -> Vec<Value> {
    let mut normalized = Vec::new();
    for chunk in chunks {
        add(parser.feed(chunk), &mut normalized);
    }
    add(parser.finish(), &mut normalized);
    normalized
}

fn add(mut events: Events<'_>, normalized: &mut Vec<Value>) {
    while let Some(event) = events.next() {
        let value = match event {
            Err(error) => {
                let mut value = json!({"event": "error", "kind": error.code()});
                if let followup::wire::Error::Provider(message) = error {
                    value["message"] = message.into();
                }
                value
            }
            Ok(Event::Partial(_)) => continue,
            Ok(Event::Text(text)) => match normalized.last_mut() {
                Some(last) if last["event"] == "text" => {
                    append(&mut last["text"], text);
                    continue;
                }
                _ => json!({"event": "text", "text": text}),
            },
            Ok(Event::Opaque(piece)) => {
                let is_same_call = |one: &&mut Value| {
                    one["event"] == "opaque"
                        && one["tool"] == piece.tool
                        && one.get("id").and_then(Value::as_str) == piece.id
                };
                match normalized.iter_mut().rev().find(is_same_call) {
                    Some(call) if !piece.start => {
                        append(&mut call["raw"], piece.raw);
                        continue;
                    }
                    _ => {
                        assert!(piece.start, "the first piece of a call is its start");
                        with_id(json!({"event": "opaque", "tool": piece.tool, "raw": piece.raw}), piece.id)
                    }
                }
            }
            Ok(Event::Complete(call)) => {
                let notes: Vec<String> = call.notes().iter().map(|note| snake_case(&format!("{note:?}"))).collect();
                let value = json!({"event": "complete", "call": call.index(), "question": call.question(),
                    "suggest": suggest(call.suggestions()), "notes": notes});
                with_id(value, call.id())
            }
            Ok(Event::Rejected(call)) => {
                let value = json!({"event": "rejected", "call": call.index(), "reason": call.reason().code(),
                    "question": call.question(), "suggest": suggest(call.suggestions())});
                with_id(value, call.id())
            }
        };
        normalized.push(value);
    }
}

/// The complete calls of other tools than `ask_followup_question`, with all their questions.
pub fn forms<'c>(parser: &mut ResponseParser, chunks: impl IntoIterator<Item = &'c [u8]>) -> Vec<Value> {
    let mut forms = Vec::new();
    let mut take = |mut events: Events<'_>| {
        while let Some(event) = events.next() {
            if let Ok(Event::Complete(call)) = event
                && let Some(shape) = call.shape()
            {
                let questions: Vec<Value> = call.questions().iter().map(|question| form_question(&question)).collect();
                let form = json!({"call": call.index(), "tool": call.tool(), "shape": shape, "title": call.title(),
                    "questions": questions});
                forms.push(present(form));
            }
        }
    };
    for chunk in chunks {
        take(parser.feed(chunk));
    }
    take(parser.finish());
    forms
}

fn form_question(question: &Question<'_>) -> Value {
    let defaults: Vec<&str> = question.defaults.iter().collect();
    let suggestions: Vec<Value> = question
        .suggestions
        .iter()
        .map(|suggestion| {
            present(json!({"answer": suggestion.answer, "mode": suggestion.mode, "value": suggestion.value,
                "description": suggestion.description, "preview": suggestion.preview,
                "recommended": suggestion.recommended.then_some(true)}))
        })
        .collect();
    present(json!({"text": question.text, "id": question.id, "header": question.header, "detail": question.detail,
        "placeholder": question.placeholder, "kind": question.kind.map(|kind| kind.name()),
        "multiple": question.multiple, "custom": question.custom, "required": question.required,
        "defaults": (!defaults.is_empty()).then_some(defaults), "suggestions": suggestions}))
}

/// Leaves out what is not there.
fn present(mut value: Value) -> Value {
    value.as_object_mut().expect("an object").retain(|_, field| !field.is_null());
    value
}

fn append(value: &mut Value, text: &str) {
    *value = format!("{}{text}", value.as_str().unwrap_or_default()).into();
}

fn with_id(mut value: Value, id: Option<&str>) -> Value {
    if let Some(id) = id {
        value["id"] = id.into();
    }
    value
}

fn suggest(suggestions: Suggestions<'_>) -> Vec<Value> {
    suggestions
        .iter()
        .map(|suggestion| {
            let mut value = Map::from_iter([("answer".to_owned(), suggestion.answer.into())]);
            value.extend(suggestion.mode.map(|mode| ("mode".to_owned(), mode.into())));
            value.into()
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
