//! Events as JSON, one a line.

use std::fmt::Display;
use std::io::{self, BufWriter, Write};

use followup::wire::Error;
use followup::{Event, Field, Note, Suggestions};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::Output;
use crate::stream::When;
use crate::visible::escape_json;

pub(super) struct Json<W: Write> {
    out: BufWriter<W>,
    partials: bool,
}

impl<W: Write> Json<W> {
    pub(super) fn new(out: W, partials: bool) -> Json<W> {
        Json { out: BufWriter::new(out), partials }
    }
}

impl<W: Write> Output for Json<W> {
    fn event(&mut self, event: Event<'_>, when: When) -> io::Result<()> {
        if !self.partials && matches!(event, Event::Partial(_)) {
            return Ok(());
        }
        Line { event, when: Some(when) }.write(&mut self.out)?;
        self.out.write_all(b"\n")
    }

    fn error(&mut self, error: Error<'_>, when: When) -> io::Result<()> {
        ErrorLine { error, when }.serialize(&mut serde_json::Serializer::with_formatter(&mut self.out, Escaped))?;
        self.out.write_all(b"\n")
    }

    // Not after every event: those of one chunk happen at the same time.
    fn pause(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn end(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// An event as one JSON object.
#[derive(Debug)]
pub(super) struct Line<'a> {
    pub(super) event: Event<'a>,
    /// Left out of records, where a message is there all at once.
    pub(super) when: Option<When>,
}

impl Line<'_> {
    /// Writes it, without an end of line.
    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        Ok(self.serialize(&mut serde_json::Serializer::with_formatter(out, Escaped))?)
    }
}

/// Writes strings so that one line stays one line, and does no harm on a terminal.
struct Escaped;

impl serde_json::ser::Formatter for Escaped {
    fn write_string_fragment<W: Write + ?Sized>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        escape_json(out, fragment)
    }
}

impl Serialize for Line<'_> {
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
                map.serialize_entry("call", &call.nth())?;
                serialize_id(&mut map, call.id())?;
                let field = match call.field() {
                    Field::Question => "question",
                    Field::Suggestion => "suggest",
                };
                map.serialize_entry("field", field)?;
                map.serialize_entry("delta", call.delta())?;
                map.serialize_entry("question", call.question().unwrap_or_default())?;
                map.serialize_entry("suggest", &Suggest(call.suggestions()))?;
            }
            Event::Complete(call) => {
                map.serialize_entry("event", "complete")?;
                map.serialize_entry("call", &call.nth())?;
                serialize_id(&mut map, call.id())?;
                map.serialize_entry("span", &[call.span().start, call.span().end])?;
                map.serialize_entry("question", call.question())?;
                map.serialize_entry("suggest", &Suggest(call.suggestions()))?;
                map.serialize_entry("notes", &Notes(call.notes()))?;
            }
            Event::Rejected(call) => {
                map.serialize_entry("event", "rejected")?;
                map.serialize_entry("call", &call.nth())?;
                serialize_id(&mut map, call.id())?;
                map.serialize_entry("span", &[call.span().start, call.span().end])?;
                map.serialize_entry("reason", call.reason().code())?;
                map.serialize_entry("message", &Shown(call.reason()))?;
                map.serialize_entry("question", &call.question())?;
                map.serialize_entry("suggest", &Suggest(call.suggestions()))?;
            }
        }
        if let Some(when) = self.when {
            serialize_when(&mut map, when)?;
        }
        map.end()
    }
}

/// What went wrong, as one JSON object.
struct ErrorLine<'a> {
    error: Error<'a>,
    when: When,
}

impl Serialize for ErrorLine<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("event", "error")?;
        map.serialize_entry("kind", self.error.code())?;
        match self.error {
            Error::Provider(message) => map.serialize_entry("message", message)?,
            ref error => map.serialize_entry("message", &Shown(error))?,
        }
        if let Some(data) = self.error.data() {
            map.serialize_entry("data", data)?;
        }
        serialize_when(&mut map, self.when)?;
        map.end()
    }
}

/// The provider's id of a native call stands beside its number.
fn serialize_id<M: SerializeMap>(map: &mut M, id: Option<&str>) -> Result<(), M::Error> {
    id.map_or(Ok(()), |id| map.serialize_entry("id", id))
}

fn serialize_when<M: SerializeMap>(map: &mut M, When { at, end }: When) -> Result<(), M::Error> {
    map.serialize_entry("at", &at)?;
    if end { map.serialize_entry("end", &true) } else { Ok(()) }
}

struct Suggest<'a>(Suggestions<'a>);

impl Serialize for Suggest<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct One<'a> {
            answer: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            mode: Option<&'a str>,
        }
        serializer.collect_seq(self.0.iter().map(|one| One { answer: one.answer, mode: one.mode }))
    }
}

struct Notes<'a>(&'a [Note]);

impl Serialize for Notes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(Shown))
    }
}

/// Something as people read it.
struct Shown<T>(T);

impl<T: Display> Serialize for Shown<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}
