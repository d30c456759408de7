//! `jiter`: reads JSON that may end anywhere. The arguments so far are kept, and read again from their start with each delta.

use jiter::{Jiter, JiterResult, JsonValue, PartialMode};

use super::Reader;
use crate::format::Format;
use crate::message::{Asked, Suggestion};
use crate::sink::Sink;

/// Into values.
#[derive(Debug, Default)]
pub(super) struct Values(Vec<u8>);

/// With its iterator, by a reader that knows the arguments. The tape, into which it unescapes strings, is used again.
#[derive(Debug, Default)]
pub(super) struct Iterated {
    json: Vec<u8>,
    tape: Vec<u8>,
    open: Asked,
}

impl Reader for Values {
    fn name(&self) -> &'static str {
        "jiter"
    }

    fn format(&self) -> Format {
        Format::Arguments
    }

    fn read<S: Sink>(&mut self, chunks: &[&str], sink: &mut S) {
        self.0.clear();
        for chunk in chunks {
            self.0.extend_from_slice(chunk.as_bytes());
            match JsonValue::parse_with_config(&self.0, false, PartialMode::TrailingStrings) {
                Ok(arguments) => sink.question(text(&arguments, "question").unwrap_or_default()),
                Err(error) => return sink.failed(error),
            }
        }
        match JsonValue::parse(&self.0, false) {
            Ok(arguments) => sink.complete(|| asked(&arguments)),
            Err(error) => sink.failed(error),
        }
    }
}

fn get<'a>(object: &'a JsonValue<'_>, key: &str) -> Option<&'a JsonValue<'a>> {
    match object {
        JsonValue::Object(fields) => fields.iter().find(|(name, _)| name == key).map(|(_, value)| value),
        _ => None,
    }
}

fn text<'a>(object: &'a JsonValue<'_>, key: &str) -> Option<&'a str> {
    match get(object, key) {
        Some(JsonValue::Str(text)) => Some(text),
        _ => None,
    }
}

fn asked(arguments: &JsonValue<'_>) -> Asked {
    let suggestions = match get(arguments, "follow_up") {
        Some(JsonValue::Array(suggestions)) => &***suggestions,
        _ => &[],
    };
    let owned = |object, key| text(object, key).map(str::to_owned);
    Asked {
        question: owned(arguments, "question").unwrap_or_default(),
        suggestions: suggestions
            .iter()
            .map(|one| Suggestion { text: owned(one, "text").unwrap_or_default(), mode: owned(one, "mode") })
            .collect(),
    }
}

impl Reader for Iterated {
    fn name(&self) -> &'static str {
        "jiter, iterator"
    }

    fn format(&self) -> Format {
        Format::Arguments
    }

    fn read<S: Sink>(&mut self, chunks: &[&str], sink: &mut S) {
        self.json.clear();
        let mut end = Ok(());
        for chunk in chunks {
            self.json.extend_from_slice(chunk.as_bytes());
            let mut json = Jiter::with_tape(&self.json, std::mem::take(&mut self.tape)).with_allow_partial_strings();
            self.open.question.clear();
            self.open.suggestions.clear();
            // An error is where the arguments end so far: only the last counts.
            end = iterate(&mut json, &mut self.open);
            self.tape = json.into_tape();
            sink.question(&self.open.question);
        }
        match end {
            Ok(()) => sink.complete(|| self.open.clone()),
            Err(error) => sink.failed(error.error_type),
        }
    }
}

fn iterate(json: &mut Jiter<'_>, call: &mut Asked) -> JiterResult<()> {
    let mut key = json.next_object()?.map(Key::of);
    while let Some(name) = key {
        match name {
            Key::Question => call.question.push_str(json.next_str()?),
            Key::FollowUp => {
                let mut element = json.next_array()?;
                while element.is_some() {
                    suggestion(json, call)?;
                    element = json.array_step()?;
                }
            }
            _ => json.next_skip()?,
        }
        key = json.next_key()?.map(Key::of);
    }
    json.finish()
}

fn suggestion(json: &mut Jiter<'_>, call: &mut Asked) -> JiterResult<()> {
    call.suggestions.push(Suggestion::default());
    let mut key = json.next_object()?.map(Key::of);
    while let Some(name) = key {
        let value = json.peek()?;
        let text = if value == jiter::Peek::String { Some(json.known_str()?.to_owned()) } else { None };
        if text.is_none() {
            json.known_skip(value)?;
        }
        if let Some(last) = call.suggestions.last_mut() {
            match name {
                Key::Text => last.text = text.unwrap_or_default(),
                Key::Mode => last.mode = text,
                _ => {}
            }
        }
        key = json.next_key()?.map(Key::of);
    }
    Ok(())
}

/// A key, which does not borrow the iterator.
#[derive(Clone, Copy)]
enum Key {
    Question,
    FollowUp,
    Text,
    Mode,
    Other,
}

impl Key {
    fn of(name: &str) -> Key {
        match name {
            "question" => Key::Question,
            "follow_up" => Key::FollowUp,
            "text" => Key::Text,
            "mode" => Key::Mode,
            _ => Key::Other,
        }
    }
}
