//! Events as JSON, one per line.

use std::fmt::Display;
use std::io::{self, BufWriter, Write};

use followup::wire::Error;
use followup::{Envelope, Event, Field, Note, Question, QuestionKind, Questions, Suggestion, Suggestions};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::Output;
use crate::events::EmittedAt;
use crate::sanitize::escape_json;

/// An [`Output`] as JSON Lines.
pub(crate) struct JsonOutput<W: Write> {
    out: BufWriter<W>,
    partials: bool,
}

impl<W: Write> JsonOutput<W> {
    pub(crate) fn new(out: W, partials: bool) -> JsonOutput<W> {
        JsonOutput { out: BufWriter::new(out), partials }
    }
}

impl<W: Write> Output for JsonOutput<W> {
    fn event(&mut self, event: Event<'_>, emitted: EmittedAt) -> io::Result<()> {
        if !self.partials && matches!(event, Event::Partial(_)) {
            return Ok(());
        }
        EventLine { event, emitted: Some(emitted) }.write(&mut self.out)?;
        self.out.write_all(b"\n")
    }

    fn error(&mut self, error: Error<'_>, emitted: EmittedAt) -> io::Result<()> {
        ErrorLine { error, emitted: Some(emitted) }.write(&mut self.out)?;
        self.out.write_all(b"\n")
    }

    // Once per chunk, not per event: the events of one chunk are emitted at the same time.
    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn finish(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// An event as one JSON object.
#[derive(Debug)]
pub(crate) struct EventLine<'a> {
    pub(crate) event: Event<'a>,
    /// `None` in records, which are read whole.
    pub(crate) emitted: Option<EmittedAt>,
}

impl EventLine<'_> {
    /// Writes the object, without a line end.
    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        Ok(self.serialize(&mut serde_json::Serializer::with_formatter(out, Escaped))?)
    }
}

/// A formatter that escapes control characters, so that one event is one line.
struct Escaped;

impl serde_json::ser::Formatter for Escaped {
    fn write_string_fragment<W: Write + ?Sized>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        escape_json(out, fragment)
    }
}

impl Serialize for EventLine<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self.event {
            Event::Text(text) => {
                map.serialize_entry("event", "text")?;
                map.serialize_entry("text", text)?;
            }
            Event::Opaque(piece) => {
                map.serialize_entry("event", "opaque")?;
                map.serialize_entry("tool", piece.tool)?;
                map.serialize_entry("raw", piece.raw)?;
                map.serialize_entry("start", &piece.start)?;
                serialize_id(&mut map, piece.id)?;
            }
            Event::Partial(call) => {
                map.serialize_entry("event", "partial")?;
                map.serialize_entry("call", &call.index())?;
                serialize_id(&mut map, call.id())?;
                let field = match call.field() {
                    Field::Question => "question",
                    Field::Suggestion => "suggest",
                    Field::Title => "title",
                    Field::Header => "header",
                    Field::Detail => "detail",
                    Field::Description => "description",
                    Field::Preview => "preview",
                    _ => "other",
                };
                map.serialize_entry("field", field)?;
                if call.shape().is_some() {
                    map.serialize_entry("in_question", &call.question_index())?;
                    if let Some(index) = call.suggestion_index() {
                        map.serialize_entry("in_suggest", &index)?;
                    }
                }
                map.serialize_entry("delta", call.delta())?;
                map.serialize_entry("question", call.question().unwrap_or_default())?;
                map.serialize_entry("suggest", &SuggestList(call.suggestions()))?;
                serialize_questions(&mut map, call.tool(), call.shape(), call.title(), call.questions())?;
            }
            Event::Complete(call) => {
                map.serialize_entry("event", "complete")?;
                map.serialize_entry("call", &call.index())?;
                serialize_id(&mut map, call.id())?;
                serialize_native(&mut map, call.is_native(), call.id())?;
                map.serialize_entry("span", &[call.span().start, call.span().end])?;
                map.serialize_entry("question", call.question())?;
                map.serialize_entry("suggest", &SuggestList(call.suggestions()))?;
                map.serialize_entry("notes", &Notes(call.notes()))?;
                serialize_questions(&mut map, call.tool(), call.shape(), call.title(), call.questions())?;
                serialize_envelope(&mut map, call.envelope())?;
            }
            Event::Rejected(call) => {
                map.serialize_entry("event", "rejected")?;
                map.serialize_entry("call", &call.index())?;
                serialize_id(&mut map, call.id())?;
                serialize_native(&mut map, call.is_native(), call.id())?;
                map.serialize_entry("span", &[call.span().start, call.span().end])?;
                map.serialize_entry("reason", call.reason().code())?;
                map.serialize_entry("message", &Displayed(call.reason()))?;
                map.serialize_entry("question", &call.question())?;
                map.serialize_entry("suggest", &SuggestList(call.suggestions()))?;
                serialize_questions(&mut map, call.tool(), call.shape(), call.title(), call.questions())?;
                serialize_envelope(&mut map, call.envelope())?;
            }
        }
        serialize_emitted(&mut map, self.emitted)?;
        map.end()
    }
}

/// An error as one JSON object.
#[derive(Debug)]
pub(crate) struct ErrorLine<'a> {
    pub(crate) error: Error<'a>,
    /// `None` in records, which are read whole.
    pub(crate) emitted: Option<EmittedAt>,
}

impl ErrorLine<'_> {
    /// Writes the object, without a line end.
    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        Ok(self.serialize(&mut serde_json::Serializer::with_formatter(out, Escaped))?)
    }
}

impl Serialize for ErrorLine<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("event", "error")?;
        map.serialize_entry("kind", self.error.code())?;
        match self.error {
            Error::Provider(message) => map.serialize_entry("message", message)?,
            ref error => map.serialize_entry("message", &Displayed(error))?,
        }
        if let Some(data) = self.error.data() {
            map.serialize_entry("data", data)?;
        }
        if let Some(format) = self.emitted.and_then(|emitted| emitted.format) {
            map.serialize_entry("format", format.name())?;
        }
        serialize_emitted(&mut map, self.emitted)?;
        map.end()
    }
}

/// Serializes the provider's id of a native call, if there is one.
fn serialize_id<M: SerializeMap>(map: &mut M, id: Option<&str>) -> Result<(), M::Error> {
    id.map_or(Ok(()), |id| map.serialize_entry("id", id))
}

/// Serializes that a call is native, if no id says so.
fn serialize_native<M: SerializeMap>(map: &mut M, is_native: bool, id: Option<&str>) -> Result<(), M::Error> {
    if is_native && id.is_none() { map.serialize_entry("native", &true) } else { Ok(()) }
}

/// Serializes the family of the envelope that a call came in, if it came in one.
fn serialize_envelope<M: SerializeMap>(map: &mut M, envelope: Option<Envelope>) -> Result<(), M::Error> {
    envelope.map_or(Ok(()), |family| map.serialize_entry("envelope", family.name()))
}

fn serialize_emitted<M: SerializeMap>(map: &mut M, emitted: Option<EmittedAt>) -> Result<(), M::Error> {
    let Some(emitted) = emitted else { return Ok(()) };
    map.serialize_entry("at", &emitted.offset)?;
    if emitted.at_end { map.serialize_entry("end", &true) } else { Ok(()) }
}

/// Serializes the tool and the questions of a call that a shape reads.
fn serialize_questions<M: SerializeMap>(
    map: &mut M,
    tool: &str,
    shape: Option<&str>,
    title: Option<&str>,
    questions: Questions<'_>,
) -> Result<(), M::Error> {
    let Some(shape) = shape else { return Ok(()) };
    map.serialize_entry("tool", tool)?;
    map.serialize_entry("shape", shape)?;
    title.map_or(Ok(()), |title| map.serialize_entry("title", title))?;
    map.serialize_entry("questions", &QuestionList(questions))
}

struct QuestionList<'a>(Questions<'a>);

impl Serialize for QuestionList<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(QuestionItem))
    }
}

/// A question as one JSON object. What is not there, or not known yet, is left out.
struct QuestionItem<'a>(Question<'a>);

impl Serialize for QuestionItem<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let question = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("question", question.text)?;
        let texts = [
            ("id", question.id),
            ("header", question.header),
            ("detail", question.detail),
            ("placeholder", question.placeholder),
            ("kind", question.kind.map(QuestionKind::name)),
        ];
        for (key, text) in texts {
            text.map_or(Ok(()), |text| map.serialize_entry(key, text))?;
        }
        let flags = [("multiple", question.multiple), ("custom", question.custom), ("required", question.required)];
        for (key, flag) in flags {
            flag.map_or(Ok(()), |flag| map.serialize_entry(key, &flag))?;
        }
        if !question.defaults.is_empty() {
            map.serialize_entry("default", &question.defaults.iter().collect::<Vec<_>>())?;
        }
        map.serialize_entry("suggest", &SuggestList(question.suggestions))?;
        map.end()
    }
}

struct SuggestList<'a>(Suggestions<'a>);

impl Serialize for SuggestList<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(SuggestItem))
    }
}

/// A suggestion as one JSON object. What is not there, or not known yet, is left out.
struct SuggestItem<'a>(Suggestion<'a>);

impl Serialize for SuggestItem<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let suggestion = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("answer", suggestion.answer)?;
        let texts = [
            ("mode", suggestion.mode),
            ("value", suggestion.value),
            ("description", suggestion.description),
            ("preview", suggestion.preview),
        ];
        for (key, text) in texts {
            text.map_or(Ok(()), |text| map.serialize_entry(key, text))?;
        }
        if suggestion.recommended {
            map.serialize_entry("recommended", &true)?;
        }
        map.end()
    }
}

struct Notes<'a>(&'a [Note]);

impl Serialize for Notes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(Displayed))
    }
}

/// A value serialized by its `Display`.
struct Displayed<T>(T);

impl<T: Display> Serialize for Displayed<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}
