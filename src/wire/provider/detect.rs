//! Whose a payload is: the signs of every format, as a table.
//!
//! A new provider is a row here and a file beside this one.

use alloc::string::String;
use alloc::vec::Vec;

use serde::de::IgnoredAny;

use crate::wire::brackets::BracketScanner;
use crate::wire::format::Format;
use crate::wire::frames::OUTPUT_EVENT;

/// The signs of one format in a payload.
struct Signs {
    format: Format,
    /// Only this provider sends them: one decides.
    strong: &'static [Sign],
    /// Others send them too: one decides at the end of the body, if nothing else did.
    weak: &'static [Sign],
    /// The shapes of its errors. Many servers copy OpenAI's, so they decide at the end as well.
    errors: &'static [Sign],
}

/// Conditions that hold together.
type Sign = &'static [Condition];

/// A condition on a field, named by its path: `error/status` is the `status` in `error`.
///
/// A field that is `null` is not there.
enum Condition {
    Has(&'static str),
    IsObject(&'static str),
    IsList(&'static str),
    IsText(&'static str),
    IsOneOf(&'static str, &'static [&'static str]),
    BeginsWith(&'static str, &'static str),
}

use Condition::{BeginsWith, Has, IsList, IsObject, IsOneOf, IsText};

const COHERE_EVENTS: &[&str] = &[
    "message-start",
    "content-start",
    "content-delta",
    "content-end",
    "tool-plan-delta",
    "tool-call-start",
    "tool-call-delta",
    "tool-call-end",
    "citation-start",
    "citation-end",
    "message-end",
];

const COHERE_REASONS: &[&str] = &["COMPLETE", "STOP_SEQUENCE", "MAX_TOKENS", "TOOL_CALL", "ERROR", "TIMEOUT"];

/// The signs of every format. Where signs of two formats are in one payload, the first row counts.
const TABLE: &[Signs] = &[
    Signs {
        format: Format::Anthropic,
        strong: &[
            &[IsOneOf("type", &["message_start", "message_delta", "message_stop"])],
            &[BeginsWith("type", "content_block_")],
            // Not streamed.
            &[IsOneOf("type", &["message"]), IsList("content"), Has("role")],
        ],
        weak: &[&[IsOneOf("type", &["ping"])]],
        errors: &[&[IsOneOf("type", &["error"]), Has("error")]],
    },
    Signs {
        format: Format::OpenAiResponses,
        strong: &[&[BeginsWith("type", "response.")], &[IsOneOf("object", &["response"])]],
        weak: &[],
        errors: &[&[IsOneOf("type", &["error"])]],
    },
    Signs {
        format: Format::Gemini,
        strong: &[&[IsList("candidates")], &[IsObject("promptFeedback")], &[IsList("response/candidates")]],
        weak: &[&[Has("usageMetadata")], &[Has("modelVersion")], &[Has("response/usageMetadata")]],
        errors: &[&[Has("error/status")]],
    },
    Signs {
        format: Format::Bedrock,
        strong: &[
            &[IsObject("messageStart")],
            &[IsObject("contentBlockStart")],
            &[IsObject("contentBlockDelta")],
            &[IsObject("contentBlockStop")],
            &[IsObject("messageStop")],
            &[IsText("chunk/bytes")],
            // Not streamed.
            &[IsObject("output/message")],
            &[Has("internalServerException")],
            &[Has("modelStreamErrorException")],
            &[Has("modelTimeoutException")],
            &[Has("serviceUnavailableException")],
            &[Has("throttlingException")],
            &[Has("validationException")],
        ],
        weak: &[&[Has("metadata")]],
        errors: &[&[Has("__type")]],
    },
    Signs {
        format: Format::Cohere,
        strong: &[
            &[IsOneOf("type", COHERE_EVENTS), IsObject("delta")],
            &[IsOneOf("finish_reason", COHERE_REASONS), IsObject("message")],
        ],
        weak: &[&[IsOneOf("type", COHERE_EVENTS)]],
        errors: &[],
    },
    Signs {
        format: Format::GeminiInteractions,
        strong: &[
            &[BeginsWith("event_type", "interaction.")],
            &[BeginsWith("event_type", "step.")],
            &[BeginsWith("event_type", "content.")],
            &[IsOneOf("object", &["interaction"])],
        ],
        weak: &[],
        errors: &[&[IsOneOf("event_type", &["error"]), Has("error")]],
    },
    Signs { format: Format::OpenAiAssistants, strong: &[&[BeginsWith("object", "thread.")]], weak: &[], errors: &[] },
    Signs {
        format: Format::DashScope,
        strong: &[&[IsList("output/choices")], &[IsText("output/text"), Has("request_id")]],
        weak: &[&[IsObject("output"), Has("request_id")]],
        errors: &[&[Has("code"), IsText("message"), Has("request_id")]],
    },
    Signs {
        format: Format::Watsonx,
        strong: &[&[IsList("results"), Has("model_id")]],
        weak: &[],
        errors: &[&[IsList("errors"), Has("trace")]],
    },
    Signs {
        format: Format::Replicate,
        strong: &[&[Has(OUTPUT_EVENT)], &[Has("urls/get"), Has("version"), Has("status")]],
        weak: &[],
        errors: &[],
    },
    Signs {
        format: Format::Ollama,
        strong: &[&[Has("model"), IsObject("message"), Has("done")], &[Has("model"), IsText("response"), Has("done")]],
        weak: &[
            &[Has("model"), IsObject("message")],
            &[Has("model"), IsText("response")],
            &[Has("model"), Has("created_at")],
        ],
        errors: &[&[IsText("error")]],
    },
    Signs {
        format: Format::WorkersAi,
        // Only it pads its pieces with `p`.
        strong: &[
            &[IsText("response"), IsText("p")],
            &[Has("result/response"), Has("success")],
            &[IsList("result/choices"), Has("success")],
            &[IsOneOf("result/object", &["response"]), Has("success")],
        ],
        weak: &[&[IsText("response")]],
        errors: &[&[Has("success"), IsList("errors")]],
    },
    Signs {
        format: Format::OpenAiChat,
        strong: &[&[IsList("choices")], &[BeginsWith("object", "chat.completion")]],
        weak: &[],
        errors: &[
            &[Has("error")],
            // Of no provider in particular: gateways, and frameworks for servers.
            &[IsOneOf("object", &["error"])],
            &[IsText("message"), Has("code")],
            &[IsText("message"), Has("status")],
            &[IsText("message"), Has("request_id")],
            &[IsText("detail")],
            &[IsList("errors")],
        ],
    },
    // The arguments of a call, without a provider.
    Signs { format: Format::Json, strong: &[&[Has("question")], &[Has("follow_up")]], weak: &[], errors: &[] },
];

/// What one payload shows about its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::wire) enum Evidence {
    /// It has a strong sign of this format.
    Strong(Format),
    /// It is an error, in the shape of this format.
    Error(Format),
    /// It has a weak sign of this format.
    Weak(Format),
    /// It is a JSON object, or the beginning of one, without any sign.
    NoSign,
    /// It is something else.
    NoObject,
}

/// Returns what a payload shows. One that breaks off shows what it has up to there.
pub(in crate::wire) fn detect(payload: &str) -> Evidence {
    let Some(fields) = NamedFields::of(payload) else { return Evidence::NoObject };
    let first = |signs: fn(&Signs) -> &'static [Sign]| {
        let holds = |row: &&Signs| signs(row).iter().any(|sign| sign.iter().all(|condition| condition.holds(&fields)));
        TABLE.iter().find(holds).map(|row| row.format)
    };
    if let Some(format) = first(|row| row.strong) {
        Evidence::Strong(format)
    } else if let Some(format) = first(|row| row.errors) {
        Evidence::Error(format)
    } else if let Some(format) = first(|row| row.weak) {
        Evidence::Weak(format)
    } else {
        Evidence::NoSign
    }
}

impl Condition {
    fn path(&self) -> &'static str {
        match self {
            Has(path) | IsObject(path) | IsList(path) | IsText(path) | IsOneOf(path, _) | BeginsWith(path, _) => path,
        }
    }

    fn holds(&self, fields: &NamedFields<'_>) -> bool {
        let Some(value) = fields.at(self.path()) else { return false };
        let text = || serde_json::from_str::<String>(value).unwrap_or_default();
        match self {
            Has(_) => true,
            IsObject(_) => value.starts_with('{'),
            IsList(_) => value.starts_with('['),
            IsText(_) => value.starts_with('"'),
            IsOneOf(_, texts) => texts.contains(&&*text()),
            BeginsWith(_, prefix) => text().starts_with(prefix),
        }
    }
}

/// The fields of an object that the table names, as they are written. The last may break off.
///
/// Nothing else is kept, so that an object of many fields takes no memory.
struct NamedFields<'a>(Vec<(&'static str, &'a str)>);

impl<'a> NamedFields<'a> {
    /// Returns the fields of an object.
    ///
    /// `None` if it is none, or is ill-formed before it breaks off.
    fn of(json: &'a str) -> Option<NamedFields<'a>> {
        let json = json.trim_ascii_start();
        let is_usable = match serde_json::from_str::<IgnoredAny>(json) {
            Ok(_) => true,
            Err(error) => error.is_eof(),
        };
        if !is_usable || !json.starts_with('{') {
            return None;
        }
        let (mut fields, mut rest) = (Vec::new(), json);
        while let Some((key, value, after)) = next_field(rest) {
            if let Some(name) = known_key(key).filter(|name| fields.iter().all(|(known, _)| known != name)) {
                fields.push((name, value));
            }
            rest = after;
        }
        Some(NamedFields(fields))
    }

    /// Returns the value at a path of keys, as far as it is there.
    fn at(&self, path: &str) -> Option<&'a str> {
        let (key, rest) = path.split_once('/').map_or((path, None), |(key, rest)| (key, Some(rest)));
        let (_, value) = self.0.iter().find(|(known, _)| *known == key)?;
        match rest {
            None => Some(*value).filter(|value| !"null".starts_with(value)),
            Some(rest) => NamedFields::of(value)?.at(rest),
        }
    }
}

/// Returns the name in the table that a key is, written with its quotes and without escapes.
fn known_key(key: &str) -> Option<&'static str> {
    let key = key.strip_prefix('"')?.strip_suffix('"')?;
    let signs = TABLE.iter().flat_map(|row| [row.strong, row.weak, row.errors]).flatten();
    let mut names = signs.flat_map(|sign| sign.iter()).flat_map(|condition| condition.path().split('/'));
    names.find(|name| *name == key)
}

/// Returns the key and the value after a `{` or `,`, and what follows them.
fn next_field(rest: &str) -> Option<(&str, &str, &str)> {
    let rest = rest.get(1..)?.trim_ascii_start();
    let (key, after) = rest.split_at(value_len(rest));
    let value = after.strip_prefix(':')?.trim_ascii_start();
    let (value, after) = value.split_at(value_len(value));
    Some((key.trim_ascii_end(), value.trim_ascii_end(), after))
}

/// Returns the length of the value at the beginning of the text, and of white space after it.
fn value_len(text: &str) -> usize {
    let mut brackets = BracketScanner::default();
    let is_after = |byte: u8| {
        let is_after = brackets.depth == 0 && !brackets.in_string && matches!(byte, b',' | b':' | b'}' | b']');
        brackets.push(byte);
        is_after
    };
    text.bytes().position(is_after).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strong_sign_decides_before_an_error_and_an_error_before_a_weak_sign() {
        let both = r#"{"metadata":{},"error":{"message":"no"},"choices":[]}"#;
        assert_eq!(detect(both), Evidence::Strong(Format::OpenAiChat));
        assert_eq!(detect(r#"{"metadata":{},"error":{"message":"no"}}"#), Evidence::Error(Format::OpenAiChat));
        assert_eq!(detect(r#"{"metadata":{}}"#), Evidence::Weak(Format::Bedrock));
        assert_eq!(detect(r#"{"choices":null,"x":1}"#), Evidence::NoSign);
    }

    #[test]
    fn a_payload_that_breaks_off_shows_what_it_has() {
        assert_eq!(detect(r#"{"object":"chat.completion.chunk","cho"#), Evidence::Strong(Format::OpenAiChat));
        assert_eq!(detect(r#"{"model":"m","created_at":"2025","me"#), Evidence::Weak(Format::Ollama));
        assert_eq!(detect(r#"{"candidates":[{"content""#), Evidence::Strong(Format::Gemini));
        assert_eq!(detect(r#"{"error":{"status":"X"#), Evidence::Error(Format::Gemini));
        for none in
            [r#"{"choices"#, r#"{"choices":"#, r#"{"choices":n"#, r#"{"type":"response.x"#, r#"{"a:{}":"choices""#, "{"]
        {
            assert_eq!(detect(none), Evidence::NoSign, "{none}");
        }
        for none in [r#"{"choices":[],]"#, r#"{"choices":[]} x"#, "[]", "null", "", r#""choices""#] {
            assert_eq!(detect(none), Evidence::NoObject, "{none}");
        }
    }

    #[test]
    fn only_fields_of_the_object_itself_count() {
        for none in [
            r#"{"a":{"choices":[]},"b":"\"choices\":[]","c":[{"choices":[]}]}"#,
            r#"{"a":"choices","choices":null}"#,
            r#"{ "a" : [ ] , "b" : "}" }"#,
        ] {
            assert_eq!(detect(none), Evidence::NoSign, "{none}");
        }
        let last = "{ \"a\" : [ \"]\" , 1 ] ,\n\"b\":-1.5e3,\"c\":{\"d\":{}} ,\t\"choices\" : [ ] }";
        assert_eq!(detect(last), Evidence::Strong(Format::OpenAiChat));
    }

    #[test]
    fn a_path_leads_into_objects() {
        assert_eq!(detect(r#"{"error":{"status":"X"}}"#), Evidence::Error(Format::Gemini));
        assert_eq!(detect(r#"{"error":{"status":null}}"#), Evidence::Error(Format::OpenAiChat));
        assert_eq!(detect(r#"{"error":"status"}"#), Evidence::Error(Format::Ollama));
    }
}
