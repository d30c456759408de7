//! `jiter`: parses JSON that may end anywhere.
//!
//! The arguments so far are buffered, and parsed again with each delta.

use jiter::{Jiter, JiterResult, JsonValue, PartialMode};

use super::Reader;
use crate::call::{Call, Suggestion};
use crate::format::Format;
use crate::sink::Sink;

/// Parses arguments or a form into values.
#[derive(Debug)]
pub(super) struct Values {
    format: Format,
    json: Vec<u8>,
}

impl Values {
    pub(super) fn new(format: Format) -> Values {
        Values { format, json: Vec::new() }
    }
}

/// Uses the iterator, with code that knows the arguments.
///
/// The tape, to which strings are unescaped, is reused.
#[derive(Debug, Default)]
pub(super) struct WithIterator {
    json: Vec<u8>,
    tape: Vec<u8>,
    open: Call,
}

impl Reader for Values {
    fn name(&self) -> &'static str {
        "jiter"
    }

    fn format(&self) -> Format {
        self.format
    }

    fn read<S: Sink>(&mut self, chunks: &[&str], sink: &mut S) {
        let Values { format, json } = self;
        json.clear();
        for chunk in chunks {
            json.extend_from_slice(chunk.as_bytes());
            match JsonValue::parse_with_config(json, false, PartialMode::TrailingStrings) {
                Ok(arguments) => {
                    let question = question(&arguments, *format);
                    sink.question(question.and_then(|question| text(question, "question")).unwrap_or_default());
                }
                Err(error) => return sink.failed(error),
            }
        }
        match JsonValue::parse(json, false) {
            Ok(arguments) => sink.complete(|| call(&arguments, *format)),
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

fn list<'a>(object: &'a JsonValue<'_>, key: &str) -> &'a [JsonValue<'a>] {
    match get(object, key) {
        Some(JsonValue::Array(items)) => items,
        _ => &[],
    }
}

/// Returns the object with the text and the suggestions of the first question.
fn question<'a>(arguments: &'a JsonValue<'a>, format: Format) -> Option<&'a JsonValue<'a>> {
    if format == Format::Form { list(arguments, "questions").first() } else { Some(arguments) }
}

fn call(arguments: &JsonValue<'_>, format: Format) -> Call {
    let Some(question) = question(arguments, format) else { return Call::default() };
    let (options, label) = if format == Format::Form { ("options", "label") } else { ("follow_up", "text") };
    let owned = |object, key| text(object, key).map(str::to_owned);
    Call {
        question: owned(question, "question").unwrap_or_default(),
        suggestions: list(question, options)
            .iter()
            .map(|one| Suggestion { text: owned(one, label).unwrap_or_default(), mode: owned(one, "mode") })
            .collect(),
    }
}

impl Reader for WithIterator {
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
            // Before the last chunk, the error only says that the arguments are incomplete.
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

fn iterate(json: &mut Jiter<'_>, call: &mut Call) -> JiterResult<()> {
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

fn suggestion(json: &mut Jiter<'_>, call: &mut Call) -> JiterResult<()> {
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

/// A key that does not borrow the iterator.
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
