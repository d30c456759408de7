//! One record: a line with a JSON object that holds a message, and the events of that message.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::mem;
use std::sync::Arc;

use followup::{Event, Opaque, Parser, Policy};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::error::Category;
use serde_json::value::RawValue;

use crate::chunks::Cut;
use crate::output::json::EventLine;
use crate::sanitize::escape_json;

/// A reader of records.
#[derive(Debug)]
pub(super) struct RecordReader {
    parser: Parser,
    /// The name of the field that holds the message.
    field: String,
}

impl RecordReader {
    pub(super) fn new(policy: Arc<Policy>, field: String) -> RecordReader {
        RecordReader { parser: Parser::new(policy), field }
    }

    /// Reads a line, and appends one line to `out`.
    ///
    /// # Errors
    ///
    /// Returns the reason if the line can't be read; nothing is appended then.
    pub(super) fn read(&mut self, line: &[u8], number: u64, cut: Cut, out: &mut Vec<u8>) -> Result<(), String> {
        // Some programs write a byte order mark at the beginning of a file.
        let line = line.strip_prefix(b"\xEF\xBB\xBF").filter(|_| number == 1).unwrap_or(line);
        // Most lines are valid UTF-8, which `from_utf8` checks fastest.
        let line = str::from_utf8(line).map_or_else(|_| String::from_utf8_lossy(line), Cow::Borrowed);
        let fields = fields(&line, &self.field)?;
        let message = message(fields.message, &self.field)?;
        self.write(fields.id, &message, cut, out).map_err(|error| error.to_string())
    }

    fn write(&mut self, id: Option<&RawValue>, message: &[u8], cut: Cut, out: &mut Vec<u8>) -> io::Result<()> {
        out.extend_from_slice(b"{\"id\":");
        // The id is copied verbatim, so that a number of any size and precision is preserved.
        escape_json(out, id.map_or("null", RawValue::get))?;
        out.extend_from_slice(b",\"events\":[");
        let mut joined = EventJoiner { out, pending: Pending::Nothing, text: String::new(), is_first: true };
        for chunk in cut.pieces(message) {
            let mut events = self.parser.feed_bytes(chunk);
            while let Some(event) = events.next() {
                joined.event(event)?;
            }
        }
        let mut events = self.parser.finish();
        while let Some(event) = events.next() {
            joined.event(event)?;
        }
        joined.flush()?;
        out.extend_from_slice(b"]}\n");
        Ok(())
    }
}

/// A writer of events that joins the pieces of text and opaque calls, and drops partials.
struct EventJoiner<'a> {
    out: &'a mut Vec<u8>,
    pending: Pending,
    /// The joined pieces of the pending event.
    text: String,
    is_first: bool,
}

/// The event whose pieces are being joined.
enum Pending {
    Nothing,
    Text,
    /// A call of the tool with this name.
    Opaque(String),
}

impl EventJoiner<'_> {
    fn event(&mut self, event: Event<'_>) -> io::Result<()> {
        match event {
            Event::Partial(_) => {}
            Event::Text(text) => {
                if !matches!(self.pending, Pending::Text) {
                    self.flush()?;
                    self.pending = Pending::Text;
                }
                self.text.push_str(text);
            }
            Event::Opaque(piece) => {
                if piece.start {
                    self.flush()?;
                    self.pending = Pending::Opaque(piece.tool.to_owned());
                }
                self.text.push_str(piece.raw);
            }
            Event::Complete(_) | Event::Rejected(_) => {
                self.flush()?;
                self.line(event)?;
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        let text = mem::take(&mut self.text);
        match mem::replace(&mut self.pending, Pending::Nothing) {
            Pending::Nothing => {}
            Pending::Text => self.line(Event::Text(&text))?,
            Pending::Opaque(tool) => {
                self.line(Event::Opaque(Opaque { tool: &tool, raw: &text, start: true, id: None }))?
            }
        }
        // The buffer is reused.
        self.text = text;
        self.text.clear();
        Ok(())
    }

    fn line(&mut self, event: Event<'_>) -> io::Result<()> {
        if !mem::take(&mut self.is_first) {
            self.out.push(b',');
        }
        EventLine { event, emitted: None }.write(self.out)
    }
}

/// The fields of a record that matter, as raw JSON.
#[derive(Default)]
struct Fields<'a> {
    id: Option<&'a RawValue>,
    message: Option<&'a RawValue>,
}

fn fields<'a>(line: &'a str, field: &str) -> Result<Fields<'a>, String> {
    let mut json = serde_json::Deserializer::from_str(line);
    let fields = FieldsSeed { field }.deserialize(&mut json).and_then(|fields| json.end().map(|()| fields));
    fields.map_err(|error| {
        let column = error.column();
        let message = error.to_string();
        // To the deserializer every line is line 1.
        let message = message.strip_suffix(&format!(" at line 1 column {column}")).unwrap_or(&message);
        match error.classify() {
            Category::Data => format!("not a JSON object: {message}"),
            _ => format!("not JSON: {message} at column {column}"),
        }
    })
}

/// Deserializes [`Fields`], with the message in `field`.
struct FieldsSeed<'f> {
    field: &'f str,
}

impl<'a> DeserializeSeed<'a> for FieldsSeed<'_> {
    type Value = Fields<'a>;

    fn deserialize<D: Deserializer<'a>>(self, json: D) -> Result<Fields<'a>, D::Error> {
        json.deserialize_map(self)
    }
}

impl<'a> Visitor<'a> for FieldsSeed<'_> {
    type Value = Fields<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<Fields<'a>, A::Error> {
        let mut fields = Fields::default();
        while let Some(Key(key)) = map.next_key()? {
            let (is_id, is_message) = (key == "id", key == self.field);
            if !is_id && !is_message {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let value = Some(map.next_value::<&RawValue>()?);
            if is_id {
                fields.id = value;
            }
            if is_message {
                fields.message = value;
            }
        }
        Ok(fields)
    }
}

/// A key, borrowed where possible: serde deserializes a plain `Cow` as owned.
#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

/// Returns the message as bytes.
fn message<'a>(value: Option<&'a RawValue>, field: &str) -> Result<Cow<'a, [u8]>, String> {
    let Some(value) = value else {
        return Err(format!("no field {field:?} (--field names another)"));
    };
    let value = value.get();
    if let Ok(Key(text)) = serde_json::from_str(value) {
        return Ok(match text {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        });
    }
    let kind = match value.as_bytes().first() {
        // A lone surrogate is valid JSON; JavaScript writes it when it cuts a string.
        Some(b'"') => match serde_json::from_str(value) {
            Ok(LossyString(bytes)) => return Ok(Cow::Owned(bytes)),
            Err(error) => return Err(format!("field {field:?} can't be read: {error}")),
        },
        Some(b'{') => "an object",
        Some(b'[') => "a list",
        Some(b't' | b'f') => "true or false",
        Some(b'n') => "null",
        _ => "a number",
    };
    Err(format!("field {field:?} is {kind}, not a string"))
}

/// A string in which each lone surrogate becomes U+FFFD.
struct LossyString(Vec<u8>);

impl<'a> Deserialize<'a> for LossyString {
    fn deserialize<D: Deserializer<'a>>(json: D) -> Result<LossyString, D::Error> {
        struct Bytes;

        impl Visitor<'_> for Bytes {
            type Value = LossyString;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<LossyString, E> {
                let mut text = Vec::with_capacity(bytes.len());
                let mut rest = bytes;
                // serde_json encodes a lone surrogate as three bytes that begin like this; nothing
                // else does.
                while let Some(start) = rest.windows(3).position(|three| three[0] == 0xED && three[1] >= 0xA0) {
                    text.extend_from_slice(&rest[..start]);
                    text.extend_from_slice("\u{FFFD}".as_bytes());
                    rest = &rest[start + 3..];
                }
                text.extend_from_slice(rest);
                Ok(LossyString(text))
            }
        }

        json.deserialize_bytes(Bytes)
    }
}
