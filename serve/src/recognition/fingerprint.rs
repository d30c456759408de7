//! Hashes of conversations, in which only what is said counts.

use std::fmt;
use std::hash::Hash;
use std::num::ParseIntError;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use siphasher::sip128::{Hasher128, SipHasher13};

use super::agent_request::AgentRequest;
use crate::chat::{MessagePart, NormalMessage, Speaker};

/// A hash of 128 bits, with a secret key. It serializes to hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub(crate) struct Fingerprint(u128);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl From<Fingerprint> for String {
    fn from(fingerprint: Fingerprint) -> String {
        fingerprint.to_string()
    }
}

impl TryFrom<String> for Fingerprint {
    type Error = ParseIntError;

    fn try_from(digits: String) -> Result<Fingerprint, ParseIntError> {
        u128::from_str_radix(&digits, 16).map(Fingerprint)
    }
}

/// Creates fingerprints with a key.
pub(super) struct Fingerprints(SipHasher13);

/// The fingerprints of the conversation that a request shows.
#[derive(Debug, Default)]
pub(super) struct Chain {
    /// The messages of the model, the last one first.
    pub(super) answers: Vec<ShownAnswer>,
    /// The whole conversation; `None` if the request shows none.
    pub(super) whole: Option<Fingerprint>,
    /// The response that the request follows.
    pub(super) previous: Option<Fingerprint>,
}

/// A message of the model in a request.
#[derive(Debug)]
pub(super) struct ShownAnswer {
    /// Everything before it.
    pub(super) before: Fingerprint,
    pub(super) said: Fingerprint,
    /// The items of it that are only named.
    pub(super) references: Vec<Fingerprint>,
}

impl Fingerprints {
    pub(super) fn new(key: &[u8; 16]) -> Fingerprints {
        Fingerprints(SipHasher13::new_with_key(key))
    }

    fn of(&self, value: impl Hash) -> Fingerprint {
        let mut hasher = self.0;
        value.hash(&mut hasher);
        Fingerprint(hasher.finish128().as_u128())
    }

    /// Returns the fingerprint of an id that the provider gave.
    pub(super) fn of_id(&self, id: &str) -> Fingerprint {
        self.of(("id", id))
    }

    /// Returns the fingerprint of one message, or of several in a row.
    ///
    /// White space does not count, nor does how arguments are written, because agents change both.
    /// Ids do not count: some agents make new ones.
    pub(super) fn of_parts<'a>(&self, parts: impl Iterator<Item = &'a MessagePart>) -> Fingerprint {
        let (mut text, mut others) = (String::new(), String::new());
        for part in parts {
            match part {
                MessagePart::Text(more) => text.extend(more.split_whitespace()),
                MessagePart::Call { name, arguments } => {
                    others.push_str(&format!("\ncall {name:?} "));
                    canonical(arguments, &mut others);
                }
                MessagePart::Result { text, .. } => {
                    others.push_str("\nresult ");
                    others.extend(text.split_whitespace());
                }
                MessagePart::Reference(id) => others.push_str(&format!("\nitem {id:?}")),
                MessagePart::Other(value) => {
                    others.push_str("\nother ");
                    canonical(value, &mut others);
                }
            }
        }
        self.of((text, others))
    }

    /// Returns the fingerprints of the conversation that a request shows.
    pub(super) fn chain(&self, request: &AgentRequest) -> Chain {
        let previous = request.previous.as_deref().map(|id| self.of_id(id));
        let mut answers = Vec::new();
        let mut before = self.of((format!("{:?}", request.format), previous));
        // Several messages of the model in a row are one: an agent may have split it.
        for turn in request.said.chunk_by(|one, next| one.by == Speaker::Model && next.by == Speaker::Model) {
            let by = turn.first().map_or(Speaker::User, |said| said.by);
            let parts = || turn.iter().flat_map(|said: &NormalMessage| &said.parts);
            let said = self.of_parts(parts());
            if by == Speaker::Model {
                let references = parts().filter_map(|part| match part {
                    MessagePart::Reference(id) => Some(self.of_id(id)),
                    _ => None,
                });
                answers.push(ShownAnswer { before, said, references: references.collect() });
            }
            before = self.of((before, by == Speaker::Model, said));
        }
        answers.reverse();
        Chain { answers, whole: (!request.said.is_empty()).then_some(before), previous }
    }
}

/// Writes a value so that equal values are equal texts, in whatever form they were sent.
fn canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|(name, _)| *name);
            out.push('{');
            // An agent marks other messages to be cached with each request.
            for (name, value) in fields.into_iter().filter(|(name, _)| *name != "cache_control") {
                out.push_str(&format!("{name:?}:"));
                canonical(value, out);
                out.push(',');
            }
            out.push('}');
        }
        Value::Array(elements) => {
            out.push('[');
            for element in elements {
                canonical(element, out);
                out.push(',');
            }
            out.push(']');
        }
        // JavaScript writes 1.0 as 1.
        Value::Number(number) => match number.as_f64() {
            Some(float) if float.fract() == 0.0 && float.abs() < 9e15 => out.push_str(&format!("{float:.0}")),
            _ => out.push_str(&number.to_string()),
        },
        other => out.push_str(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::chat::ApiFormat;

    fn chain(fingerprints: &Fingerprints, messages: &Value) -> Chain {
        let body = json!({"messages": messages}).to_string();
        fingerprints.chain(&AgentRequest::parse(ApiFormat::OpenAiChat, body.as_bytes()).unwrap())
    }

    #[test]
    fn only_what_is_said_counts() {
        let fingerprints = Fingerprints::new(&[7; 16]);
        let messages = |system: &str, user: &str, id: &str, arguments: &str, result: &str| {
            json!([
                {"role": "system", "content": system},
                {"role": "user", "content": user},
                {"role": "assistant", "content": null, "tool_calls": [{"id": id, "function": {"name": "f", "arguments": arguments}}]},
                {"role": "tool", "tool_call_id": id, "content": result},
            ])
        };
        let whole = |messages: &Value| chain(&fingerprints, messages).whole.unwrap();
        let first = whole(&messages("It is 9:00.", "Build it.", "a", r#"{"x":1,"y":[2.0]}"#, "done"));
        let same = whole(&messages("It is 9:05.", " Build  it.\n", "b", r#"{ "y": [2], "x": 1.0 }"#, "done\n"));
        assert_eq!(first, same);
        for other in [
            messages("", "Build that.", "a", r#"{"x":1,"y":[2]}"#, "done"),
            messages("", "Build it.", "a", r#"{"x":2,"y":[2]}"#, "done"),
            messages("", "Build it.", "a", r#"{"x":1,"y":[2]}"#, "failed"),
        ] {
            assert_ne!(first, whole(&other), "{other}");
        }
    }

    #[test]
    fn what_a_request_extends_has_the_same_fingerprint() {
        let fingerprints = Fingerprints::new(&[7; 16]);
        let all = json!([
            {"role": "user", "content": "1"}, {"role": "assistant", "content": "2"}, {"role": "user", "content": "3"},
            {"role": "assistant", "content": "4"}, {"role": "assistant", "content": "5"}, {"role": "user", "content": "6"},
        ]);
        let upto = |end: usize| chain(&fingerprints, &all.as_array().unwrap()[..end].to_vec().into());
        let answers = upto(6).answers;
        assert_eq!((answers[0].before, answers[1].before), (upto(3).whole.unwrap(), upto(1).whole.unwrap()));
        let merged = [MessagePart::Text("45".into())];
        assert_eq!(answers[0].said, fingerprints.of_parts(merged.iter()), "two messages in a row are one");
    }

    #[test]
    fn users_and_models_are_told_apart() {
        let fingerprints = Fingerprints::new(&[7; 16]);
        let whole = |by: [&str; 2]| {
            let said = json!([{"role": by[0], "content": "1"}, {"role": by[1], "content": "2"}]);
            chain(&fingerprints, &said).whole
        };
        assert_ne!(whole(["user", "user"]), whole(["user", "assistant"]));
        assert_ne!(whole(["user", "user"]), whole(["assistant", "assistant"]));
        assert_eq!(chain(&fingerprints, &json!([])).whole, None);
    }
}
