//! A serialized event: the bytes of a server-sent event.

use std::fmt::Display;
use std::io::Write;

use bytes::Bytes;
use serde::Serialize;

use super::event::ConversationEvent;
use super::event_id::EventId;

/// A serialized event, as every reader gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) id: EventId,
    pub(crate) bytes: Bytes,
}

impl Frame {
    /// Serializes an event.
    pub(crate) fn new(id: EventId, event: &ConversationEvent<'_>) -> Frame {
        // All events serialize to an object with one field.
        let tagged = serde_json::to_vec(event).unwrap_or_default();
        let name = event.name();
        // Between `{"NAME":` and `}`.
        let data = tagged.get(name.len() + 4..tagged.len() - 1).unwrap_or_default();
        Frame { id, bytes: frame_of(id, name, data) }
    }

    /// Returns a frame of what [`name_and_data`](Frame::name_and_data) has returned.
    pub(crate) fn from_parts(id: EventId, name: &str, data: &[u8]) -> Frame {
        Frame { id, bytes: frame_of(id, name, data) }
    }

    /// Returns the event's name, and its data as one line of JSON.
    pub(crate) fn name_and_data(&self) -> (&str, &[u8]) {
        let text = std::str::from_utf8(&self.bytes).unwrap_or_default();
        let parts = text.split_once("\nevent: ").and_then(|(_, rest)| rest.split_once("\ndata: "));
        let (name, data) = parts.unwrap_or_default();
        (name, data.trim_end_matches('\n').as_bytes())
    }
}

/// Returns the event with this name and this data.
///
/// # Errors
///
/// If there is no such event.
pub(crate) fn parse_event(name: &str, data: &str) -> serde_json::Result<ConversationEvent<'static>> {
    let name = serde_json::to_string(name)?;
    serde_json::from_str(&format!("{{{name}:{data}}}"))
}

/// Serializes what is not an event of the log: a snapshot, or an event of the list.
pub(crate) fn frame(id: impl Display, name: &str, data: &impl Serialize) -> Bytes {
    // All of it serializes to JSON.
    frame_of(id, name, &serde_json::to_vec(data).unwrap_or_default())
}

/// Returns a server-sent event. Its data is one line, because compact JSON holds no line ends.
fn frame_of(id: impl Display, name: &str, data: &[u8]) -> Bytes {
    let mut frame = Vec::with_capacity(data.len() + name.len() + 48);
    // Writing to memory does not fail.
    let _ = write!(frame, "id: {id}\nevent: {name}\ndata: ");
    frame.extend_from_slice(data);
    frame.extend_from_slice(b"\n\n");
    frame.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_written_as_its_name_and_data_and_read_back() {
        let id = EventId { epoch: 3, number: 4 };
        let event = ConversationEvent::Text { text: "a\n\ndata: \"b\"".into() };
        let frame = Frame::new(id, &event);
        assert_eq!(frame.bytes, "id: 3-4\nevent: text\ndata: {\"text\":\"a\\n\\ndata: \\\"b\\\"\"}\n\n");
        let (name, data) = frame.name_and_data();
        assert_eq!((name, data), ("text", &br#"{"text":"a\n\ndata: \"b\""}"#[..]));
        assert_eq!(Frame::from_parts(id, name, data), frame);
        assert_eq!(parse_event(name, std::str::from_utf8(data).unwrap()).unwrap(), event);
    }

    #[test]
    fn what_is_no_event_is_an_error() {
        for (name, data) in [("later", "{}"), ("text", "{}"), ("text", "{\"text\":1}"), ("te\"xt", "{}"), ("text", "")]
        {
            assert!(parse_event(name, data).is_err(), "{name} {data}");
        }
    }
}
