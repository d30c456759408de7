//! The request of an agent, which shows the conversation so far.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::chat::{ApiFormat, MessagePart, NormalMessage, Speaker};
use crate::conversation::request_content::{RequestContent, ShownReply};

/// Maximum number of bytes of a title.
const MAX_TITLE: usize = 1000;

/// Maximum number of commas in a request, and so about that of elements. Long prose has far fewer.
const MAX_COMMAS: usize = 1 << 20;

/// The request of an agent.
#[derive(Debug)]
pub(crate) struct AgentRequest {
    pub(crate) format: ApiFormat,
    /// The conversation so far, without instructions.
    pub(crate) said: Vec<NormalMessage>,
    /// The id of the response that the request follows, if the provider keeps the conversation.
    pub(crate) previous: Option<String>,
}

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow, default)]
    messages: Option<&'a RawValue>,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
    #[serde(default)]
    previous_response_id: Option<String>,
}

impl AgentRequest {
    /// Parses the body of a request; `None` if it is not what its format says.
    pub(crate) fn parse(format: ApiFormat, body: &[u8]) -> Option<AgentRequest> {
        // Parsed elements take far more memory than their bytes.
        if body.iter().filter(|&&byte| byte == b',').count() > MAX_COMMAS {
            return None;
        }
        let body: Body<'_> = serde_json::from_slice(body).ok()?;
        let list = match format {
            ApiFormat::OpenAiResponses => body.input,
            ApiFormat::OpenAiChat | ApiFormat::Anthropic => body.messages,
        };
        let list = list.map_or("[]", RawValue::get);
        let said = if let Ok(text) = serde_json::from_str::<String>(list) {
            vec![NormalMessage { by: Speaker::User, parts: vec![MessagePart::Text(text)] }]
        } else {
            // One after the other, because a parsed message takes several times its bytes.
            let messages: Vec<&RawValue> = serde_json::from_str(list).ok()?;
            let said = |message: &&RawValue| {
                let message: Value = serde_json::from_str(message.get()).ok()?;
                NormalMessage::from_message(format, &message)
            };
            messages.iter().filter_map(said).collect()
        };
        let previous = body.previous_response_id.filter(|_| format == ApiFormat::OpenAiResponses);
        Some(AgentRequest { format, said, previous })
    }

    /// Returns what the request shows of the conversation.
    pub(crate) fn content(&self) -> RequestContent {
        let title = self.said.iter().filter(|said| said.by == Speaker::User).find_map(|said| {
            let texts =
                said.parts.iter().filter_map(|part| if let MessagePart::Text(text) = part { Some(text) } else { None });
            texts.map(|text| text.trim()).find(|text| !text.is_empty())
        });
        let title = title.map(|title| prefix(title, MAX_TITLE).to_owned());
        let last = self.said.iter().rposition(|said| said.by == Speaker::Model);
        let after = match (last, &self.previous) {
            (Some(last), _) => &self.said[last + 1..],
            (None, Some(_)) => &self.said[..],
            (None, None) => &[],
        };
        let reply = |part: &MessagePart| match part {
            MessagePart::Result { call_id, text } => Some(ShownReply { call_id: call_id.clone(), text: text.clone() }),
            MessagePart::Text(text) => Some(ShownReply { call_id: None, text: text.clone() }),
            MessagePart::Call { .. } | MessagePart::Reference(_) | MessagePart::Other(_) => None,
        };
        RequestContent { title, replies: after.iter().flat_map(|said| &said.parts).filter_map(reply).collect() }
    }
}

/// Returns the first `len` bytes of a text, or fewer, so that no character is cut.
fn prefix(text: &str, len: usize) -> &str {
    let end = (0..=len.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn content(format: ApiFormat, body: &Value) -> RequestContent {
        AgentRequest::parse(format, body.to_string().as_bytes()).unwrap().content()
    }

    fn shown(title: &str, replies: &[(Option<&str>, &str)]) -> RequestContent {
        let reply = |(call_id, text): &(Option<&str>, &str)| ShownReply {
            call_id: call_id.map(str::to_owned),
            text: (*text).to_owned(),
        };
        RequestContent { title: Some(title.into()), replies: replies.iter().map(reply).collect() }
    }

    #[test]
    fn a_chat_request_shows_title_and_replies() {
        let body = json!({"messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [{"type": "image_url"}, {"type": "text", "text": " Build it. "}]},
            {"role": "assistant", "content": null, "tool_calls": [{"id": "a"}, {"id": "b"}]},
            {"role": "tool", "tool_call_id": "a", "content": "yes"},
            {"role": "tool", "tool_call_id": "b", "content": [{"type": "text", "text": "1"}, {"type": "text", "text": "2"}]},
            {"role": "user", "content": "Go on."},
        ]});
        let expected = shown("Build it.", &[(Some("a"), "yes"), (Some("b"), "1\n2"), (None, "Go on.")]);
        assert_eq!(content(ApiFormat::OpenAiChat, &body), expected);
    }

    #[test]
    fn a_request_of_anthropic_shows_title_and_replies() {
        let body = json!({"system": "Be brief.", "messages": [
            {"role": "user", "content": "Build it."},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "ask", "input": {}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "yes"}]},
                {"type": "tool_result", "tool_use_id": "b", "content": "no"},
                {"type": "text", "text": "Go on."}]},
        ]});
        let expected = shown("Build it.", &[(Some("a"), "yes"), (Some("b"), "no"), (None, "Go on.")]);
        assert_eq!(content(ApiFormat::Anthropic, &body), expected);
    }

    #[test]
    fn a_request_of_responses_shows_title_and_replies() {
        let body = json!({"instructions": "Be brief.", "input": [
            {"role": "developer", "content": "Be brief."},
            {"role": "user", "content": [{"type": "input_text", "text": "Build it."}]},
            {"type": "reasoning", "id": "r", "summary": []},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hm."}]},
            {"type": "function_call", "call_id": "a", "name": "ask", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "a", "output": "yes"},
            {"role": "user", "content": "Go on."},
        ]});
        let expected = shown("Build it.", &[(Some("a"), "yes"), (None, "Go on.")]);
        assert_eq!(content(ApiFormat::OpenAiResponses, &body), expected);
        let followed = json!({"previous_response_id": "resp_1", "input": [
            {"type": "function_call_output", "call_id": "a", "output": [{"type": "input_text", "text": "yes"}]}]});
        let followed = content(ApiFormat::OpenAiResponses, &followed);
        assert_eq!(followed.replies, shown("", &[(Some("a"), "yes")]).replies);
        let first = content(ApiFormat::OpenAiResponses, &json!({"input": "Build it."}));
        assert_eq!(first, shown("Build it.", &[]), "there is no message of the model that it replies to");
    }

    #[test]
    fn any_other_body_shows_nothing() {
        for body in ["", "1", "null", "{", r#"{"messages":1}"#] {
            assert!(AgentRequest::parse(ApiFormat::OpenAiChat, body.as_bytes()).is_none(), "{body}");
        }
        let odd =
            json!({"messages": [1, null, {}, {"role": 1}, {"role": "assistant", "tool_calls": {}, "content": 5}]});
        assert_eq!(content(ApiFormat::OpenAiChat, &odd), RequestContent::default());
        assert_eq!(content(ApiFormat::Anthropic, &json!({})), RequestContent::default());
        let many = format!("{{\"messages\":[{}{{}}]}}", "{},".repeat(MAX_COMMAS + 1));
        assert!(AgentRequest::parse(ApiFormat::OpenAiChat, many.as_bytes()).is_none());
        let long = json!({"messages": [{"role": "user", "content": "ä".repeat(2000)}]});
        assert_eq!(content(ApiFormat::OpenAiChat, &long).title.unwrap().len(), MAX_TITLE);
    }
}
