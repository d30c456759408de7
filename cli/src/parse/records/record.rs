//! One line: a JSON object with a message in it, and what happens in the message.

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
use crate::parse::json::Line;
use crate::visible::escape_json;

/// Reads records, one at a time.
#[derive(Debug)]
pub(super) struct Record {
    parser: Parser,
    /// Where the message is.
    field: String,
}

impl Record {
    pub(super) fn new(policy: Arc<Policy>, field: String) -> Record {
        Record { parser: Parser::new(policy), field }
    }

    /// Reads a line and adds one to `out`. Says what is wrong with a line that can't be read, and adds nothing.
    pub(super) fn read(&mut self, line: &[u8], number: u64, cut: Cut, out: &mut Vec<u8>) -> Result<(), String> {
        // Some programs begin a file with a byte order mark.
        let line = line.strip_prefix(b"\xEF\xBB\xBF").filter(|_| number == 1).unwrap_or(line);
        // Nearly always it is text, and then this is the quickest to know it.
        let line = str::from_utf8(line).map_or_else(|_| String::from_utf8_lossy(line), Cow::Borrowed);
        let fields = fields(&line, &self.field)?;
        let message = message(fields.message, &self.field)?;
        self.write(fields.id, &message, cut, out).map_err(|error| error.to_string())
    }

    fn write(&mut self, id: Option<&RawValue>, message: &[u8], cut: Cut, out: &mut Vec<u8>) -> io::Result<()> {
        out.extend_from_slice(b"{\"id\":");
        // As it was written: a number of any size and precision comes back the same.
        escape_json(out, id.map_or("null", RawValue::get))?;
        out.extend_from_slice(b",\"events\":[");
        let mut joined = Joined { out, last: Last::Nothing, text: String::new(), any: false };
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

/// Events on their way out: text and opaque calls wait until they are whole, partials go nowhere.
struct Joined<'a> {
    out: &'a mut Vec<u8>,
    last: Last,
    /// The pieces of it.
    text: String,
    any: bool,
}

enum Last {
    Nothing,
    Text,
    /// A call of this tool.
    Opaque(String),
}

impl Joined<'_> {
    fn event(&mut self, event: Event<'_>) -> io::Result<()> {
        match event {
            Event::Partial(_) => {}
            Event::Text(text) => {
                if !matches!(self.last, Last::Text) {
                    self.flush()?;
                    self.last = Last::Text;
                }
                self.text.push_str(text);
            }
            Event::Opaque(piece) => {
                if piece.start {
                    self.flush()?;
                    self.last = Last::Opaque(piece.tool.to_owned());
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
        match mem::replace(&mut self.last, Last::Nothing) {
            Last::Nothing => {}
            Last::Text => self.line(Event::Text(&text))?,
            Last::Opaque(tool) => {
                self.line(Event::Opaque(Opaque { tool: &tool, raw: &text, start: true, id: None }))?
            }
        }
        // To be filled again.
        self.text = text;
        self.text.clear();
        Ok(())
    }

    fn line(&mut self, event: Event<'_>) -> io::Result<()> {
        if mem::replace(&mut self.any, true) {
            self.out.push(b',');
        }
        Line { event, when: None }.write(self.out)
    }
}

/// What matters of a record, unread.
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
        let what = error.to_string();
        // It is one line to us, and has another number.
        let what = what.strip_suffix(&format!(" at line 1 column {column}")).unwrap_or(&what);
        match error.classify() {
            Category::Data => format!("not a JSON object: {what}"),
            _ => format!("not JSON: {what} at column {column}"),
        }
    })
}

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
            let (id, message) = (key == "id", key == self.field);
            if !id && !message {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let value = Some(map.next_value::<&RawValue>()?);
            if id {
                fields.id = value;
            }
            if message {
                fields.message = value;
            }
        }
        Ok(fields)
    }
}

/// `Cow` alone would always be owned.
#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

/// The message, as the bytes of a stream.
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
        // Half of a surrogate pair is valid JSON; JavaScript cuts strings so.
        Some(b'"') => match serde_json::from_str(value) {
            Ok(Halves(bytes)) => return Ok(Cow::Owned(bytes)),
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

/// A string with halves of surrogate pairs, each of which becomes U+FFFD.
struct Halves(Vec<u8>);

impl<'a> Deserialize<'a> for Halves {
    fn deserialize<D: Deserializer<'a>>(json: D) -> Result<Halves, D::Error> {
        struct Bytes;

        impl Visitor<'_> for Bytes {
            type Value = Halves;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Halves, E> {
                let mut whole = Vec::with_capacity(bytes.len());
                let mut rest = bytes;
                // A half comes as three bytes that begin so, and nothing else does.
                while let Some(at) = rest.windows(3).position(|three| three[0] == 0xED && three[1] >= 0xA0) {
                    whole.extend_from_slice(&rest[..at]);
                    whole.extend_from_slice("\u{FFFD}".as_bytes());
                    rest = &rest[at + 3..];
                }
                whole.extend_from_slice(rest);
                Ok(Halves(whole))
            }
        }

        json.deserialize_bytes(Bytes)
    }
}
