//! A chat request whose list of messages can be extended.

use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

/// The body of a chat request.
///
/// Fields that are not changed keep their bytes, because providers cache prompts by prefix.
#[derive(Clone, Debug)]
pub(crate) struct ChatRequest(Vec<(String, Box<RawValue>)>);

impl ChatRequest {
    /// Parses a request's body.
    ///
    /// # Errors
    ///
    /// If the body is not a JSON object.
    pub(crate) fn parse(body: &[u8]) -> serde_json::Result<ChatRequest> {
        serde_json::from_slice(body)
    }

    /// Returns the bytes of the body.
    pub(crate) fn size(&self) -> usize {
        self.0.iter().map(|(name, value)| name.len() + value.get().len()).sum()
    }

    /// Returns the body with these messages after its own; `None` if it has no list of messages.
    pub(crate) fn with_messages(&self, messages: &[Value]) -> Option<Vec<u8>> {
        let (_, own) = self.0.iter().rev().find(|(name, _)| name == "messages")?;
        let mut all: Vec<Box<RawValue>> = serde_json::from_str(own.get()).ok()?;
        for message in messages {
            all.push(to_raw_value(message).ok()?);
        }
        let all = to_raw_value(&all).ok()?;
        let index = self.0.iter().position(|(name, _)| name == "messages")?;
        let others = self.0.iter().filter(|(name, _)| name != "messages");
        let mut fields: Vec<(&str, &RawValue)> = others.map(|(name, value)| (&**name, &**value)).collect();
        fields.insert(index, ("messages", &all));
        serde_json::to_vec(&Fields(&fields)).ok()
    }
}

/// Serializes fields in their order, which a map would not keep.
struct Fields<'a>(&'a [(&'a str, &'a RawValue)]);

impl Serialize for Fields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl Serialize for ChatRequest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields: Vec<(&str, &RawValue)> = self.0.iter().map(|(name, value)| (&**name, &**value)).collect();
        Fields(&fields).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ChatRequest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ChatRequest, D::Error> {
        struct RequestVisitor;
        impl<'de> Visitor<'de> for RequestVisitor {
            type Value = ChatRequest;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ChatRequest, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(ChatRequest(fields))
            }
        }
        deserializer.deserialize_map(RequestVisitor)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn unchanged_fields_keep_their_bytes() {
        let body = br#"{"z":1.0, "messages": [{"role" : "user","content":"\u00e9"}],"a":{"y": [1 ,2]}}"#;
        let extended = ChatRequest::parse(body).unwrap().with_messages(&[json!({"role": "user"})]).unwrap();
        let expected =
            r#"{"z":1.0,"messages":[{"role" : "user","content":"\u00e9"},{"role":"user"}],"a":{"y": [1 ,2]}}"#;
        assert_eq!(String::from_utf8(extended).unwrap(), expected);
    }

    #[test]
    fn a_request_without_a_list_of_messages_cannot_be_extended() {
        for body in ["{}", r#"{"messages":"hi"}"#, r#"{"messages":null}"#] {
            assert_eq!(ChatRequest::parse(body.as_bytes()).unwrap().with_messages(&[]), None, "{body}");
        }
        for body in ["", "[]", "null", "{", "\"messages\""] {
            assert!(ChatRequest::parse(body.as_bytes()).is_err(), "{body}");
        }
    }

    #[test]
    fn of_two_lists_of_messages_the_last_counts() {
        let request = ChatRequest::parse(br#"{"messages":[1],"b":2,"messages":[3]}"#).unwrap();
        assert_eq!(request.with_messages(&[json!(4)]).unwrap(), br#"{"messages":[3,4],"b":2}"#);
    }
}
