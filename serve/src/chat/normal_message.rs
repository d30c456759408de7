//! Messages in the normal form in which they are compared: who said what, in every format.

use serde_json::Value;

use super::api_format::ApiFormat;

/// A message of a conversation.
#[derive(Debug, PartialEq)]
pub(crate) struct NormalMessage {
    pub(crate) by: Speaker,
    pub(crate) parts: Vec<MessagePart>,
}

/// Who says a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Speaker {
    Model,
    /// The user, or a tool that the model called.
    User,
}

/// A part of a message.
#[derive(Debug, PartialEq)]
pub(crate) enum MessagePart {
    Text(String),
    Call {
        name: String,
        arguments: Value,
    },
    Result {
        call_id: Option<String>,
        text: String,
    },
    /// The id of an item that the provider keeps.
    Reference(String),
    /// An image, a file.
    Other(Value),
}

impl NormalMessage {
    /// Converts an element of a request's list of messages.
    ///
    /// `None` for what is not part of the conversation: instructions, which may change from request
    /// to request, and the model's thoughts, which agents leave out.
    pub(crate) fn from_message(format: ApiFormat, message: &Value) -> Option<NormalMessage> {
        match format {
            ApiFormat::OpenAiChat => NormalMessage::from_chat(message),
            ApiFormat::Anthropic => NormalMessage::from_anthropic(message),
            ApiFormat::OpenAiResponses => NormalMessage::from_item(message),
        }
    }

    fn from_chat(message: &Value) -> Option<NormalMessage> {
        let by = match text_of(&message["role"]) {
            "system" | "developer" => return None,
            "assistant" => Speaker::Model,
            "tool" | "function" => {
                let result =
                    MessagePart::Result { call_id: id(&message["tool_call_id"]), text: joined(&message["content"]) };
                return Some(NormalMessage { by: Speaker::User, parts: vec![result] });
            }
            _ => Speaker::User,
        };
        let mut parts = content(&message["content"]);
        for call in elements(&message["tool_calls"]) {
            let call = if call["custom"].is_object() { &call["custom"] } else { &call["function"] };
            let arguments = if call["input"].is_string() { &call["input"] } else { &call["arguments"] };
            parts.push(MessagePart::Call { name: text_of(&call["name"]).into(), arguments: parsed(arguments) });
        }
        Some(NormalMessage { by, parts })
    }

    fn from_anthropic(message: &Value) -> Option<NormalMessage> {
        let by = match text_of(&message["role"]) {
            "system" => return None,
            "assistant" => Speaker::Model,
            _ => Speaker::User,
        };
        Some(NormalMessage { by, parts: content(&message["content"]) })
    }

    /// Converts an item of the Responses API.
    fn from_item(item: &Value) -> Option<NormalMessage> {
        let model = |part| Some(NormalMessage { by: Speaker::Model, parts: vec![part] });
        let user = |part| Some(NormalMessage { by: Speaker::User, parts: vec![part] });
        let name = || text_of(&item["name"]).to_owned();
        match text_of(&item["type"]) {
            "" | "message" => NormalMessage::from_chat(item),
            "function_call" => model(MessagePart::Call { name: name(), arguments: parsed(&item["arguments"]) }),
            "custom_tool_call" => model(MessagePart::Call { name: name(), arguments: item["input"].clone() }),
            "item_reference" => model(MessagePart::Reference(text_of(&item["id"]).into())),
            "reasoning" => None,
            output if output.ends_with("_output") => {
                user(MessagePart::Result { call_id: id(&item["call_id"]), text: joined(&item["output"]) })
            }
            call if call.ends_with("_call") => None,
            _ => user(MessagePart::Other(item.clone())),
        }
    }
}

/// Converts a message's content: a text, or a list of parts.
fn content(content: &Value) -> Vec<MessagePart> {
    if let Some(text) = content.as_str() {
        return vec![MessagePart::Text(text.into())];
    }
    elements(content).filter_map(part).collect()
}

fn part(part: &Value) -> Option<MessagePart> {
    Some(match text_of(&part["type"]) {
        "text" | "input_text" | "output_text" => MessagePart::Text(text_of(&part["text"]).into()),
        "refusal" => MessagePart::Text(text_of(&part["refusal"]).into()),
        "tool_use" => MessagePart::Call { name: text_of(&part["name"]).into(), arguments: part["input"].clone() },
        "tool_result" => MessagePart::Result { call_id: id(&part["tool_use_id"]), text: joined(&part["content"]) },
        "thinking" | "redacted_thinking" => return None,
        _ => MessagePart::Other(part.clone()),
    })
}

/// Returns the text of a content, its parts on lines of their own.
fn joined(content: &Value) -> String {
    if let Some(text) = content.as_str() {
        return text.into();
    }
    let texts = elements(content).filter_map(|part| part["text"].as_str());
    texts.collect::<Vec<_>>().join("\n")
}

/// Parses arguments, which most formats hold as a string.
pub(super) fn parsed(arguments: &Value) -> Value {
    match arguments.as_str().map(str::trim) {
        Some("") => Value::Object(serde_json::Map::new()),
        Some(text) => serde_json::from_str(text).unwrap_or_else(|_| text.into()),
        None => arguments.clone(),
    }
}

fn text_of(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn id(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn elements(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
