//! The request of a caller, and the same with more messages.

use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

/// The body of a request. What is not changed keeps its bytes: a provider may know the beginning of a conversation by them.
#[derive(Debug)]
pub(crate) struct Request(Vec<(String, Box<RawValue>)>);

impl Request {
    /// The request in that body.
    ///
    /// # Errors
    ///
    /// If it is no JSON object.
    pub(crate) fn read(body: &[u8]) -> serde_json::Result<Request> {
        serde_json::from_slice(body)
    }

    /// The same with these messages behind its own. `None`: it has no list of messages.
    pub(crate) fn with(&self, messages: &[Value]) -> Option<Vec<u8>> {
        let (_, own) = self.0.iter().rev().find(|(name, _)| name == "messages")?;
        let mut all: Vec<Box<RawValue>> = serde_json::from_str(own.get()).ok()?;
        for message in messages {
            all.push(to_raw_value(message).ok()?);
        }
        let all = to_raw_value(&all).ok()?;
        let at = self.0.iter().position(|(name, _)| name == "messages")?;
        let others = self.0.iter().filter(|(name, _)| name != "messages");
        let mut fields: Vec<(&str, &RawValue)> = others.map(|(name, value)| (&**name, &**value)).collect();
        fields.insert(at, ("messages", &all));
        serde_json::to_vec(&Fields(&fields)).ok()
    }
}

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

impl<'de> Deserialize<'de> for Request {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Request, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Request;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Request, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Request(fields))
            }
        }
        deserializer.deserialize_map(Read)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_not_changed_keeps_its_bytes() {
        let body = br#"{"z":1.0, "messages": [{"role" : "user","content":"\u00e9"}],"a":{"y": [1 ,2]}}"#;
        let with = Request::read(body).unwrap().with(&[json!({"role": "user"})]).unwrap();
        let expected =
            r#"{"z":1.0,"messages":[{"role" : "user","content":"\u00e9"},{"role":"user"}],"a":{"y": [1 ,2]}}"#;
        assert_eq!(String::from_utf8(with).unwrap(), expected);
    }

    #[test]
    fn without_messages_there_is_nothing_to_append_to() {
        for body in ["{}", r#"{"messages":"hi"}"#, r#"{"messages":null}"#] {
            assert_eq!(Request::read(body.as_bytes()).unwrap().with(&[]), None, "{body}");
        }
        for body in ["", "[]", "null", "{", "\"messages\""] {
            assert!(Request::read(body.as_bytes()).is_err(), "{body}");
        }
    }

    #[test]
    fn of_two_lists_the_last_counts() {
        let request = Request::read(br#"{"messages":[1],"b":2,"messages":[3]}"#).unwrap();
        assert_eq!(request.with(&[json!(4)]).unwrap(), br#"{"messages":[3,4],"b":2}"#);
    }
}
