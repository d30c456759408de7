//! The model's message as the service saw it, to be compared with what the next request shows.

use serde_json::{Value, json};

use super::api_format::ApiFormat;
use super::event_data::EventData;
use super::message::AssistantMessage;
use super::normal_message::{MessagePart, NormalMessage, parsed};

/// Maximum number of parts of a message: texts, calls.
const MAX_PARTS: usize = 1024;

/// Reads the model's message from the body of a response.
pub(crate) struct AnswerReader {
    source: Source,
    format: ApiFormat,
    /// Maximum number of bytes of the message.
    limit: usize,
}

/// A message of the model.
#[derive(Debug, Default)]
pub(crate) struct ModelAnswer {
    pub(crate) parts: Vec<MessagePart>,
    /// The ids of the response and of its items, if the provider keeps them.
    pub(crate) response_id: Option<String>,
    pub(crate) item_ids: Vec<String>,
}

enum Source {
    /// The events of chat completions.
    Chat(Box<AssistantMessage>),
    /// Other events.
    Events(EventData, EventState),
    /// One JSON object.
    Whole(Vec<u8>),
    /// Nothing can be compared.
    Lost,
}

#[derive(Default)]
struct EventState {
    answer: ModelAnswer,
    /// The content blocks of Anthropic, by index, with the JSON of their input.
    blocks: Vec<(u64, Value, String)>,
    size: usize,
    is_done: bool,
    is_unreadable: bool,
}

impl AnswerReader {
    /// Returns a reader of a body of events, or of one JSON object.
    pub(crate) fn new(format: ApiFormat, is_stream: bool, limit: usize) -> AnswerReader {
        let source = match format {
            _ if !is_stream => Source::Whole(Vec::new()),
            ApiFormat::OpenAiChat => Source::Chat(Box::new(AssistantMessage::new(limit))),
            ApiFormat::OpenAiResponses | ApiFormat::Anthropic => {
                Source::Events(EventData::new(limit), EventState::default())
            }
        };
        AnswerReader { source, format, limit }
    }

    /// Consumes the next chunk of the body.
    pub(crate) fn feed(&mut self, chunk: &[u8]) {
        let format = self.format;
        let is_lost = match &mut self.source {
            Source::Chat(message) => {
                message.feed(chunk);
                false
            }
            Source::Events(events, state) => {
                let read = events.feed(chunk, |data| state.event(format, data));
                read.is_err() || state.is_unreadable || state.size > self.limit
            }
            Source::Whole(body) => {
                body.extend_from_slice(chunk);
                body.len() > self.limit
            }
            Source::Lost => false,
        };
        if is_lost {
            self.source = Source::Lost;
        }
    }

    /// Returns `true` if the last event of the stream has arrived: nothing follows it.
    pub(crate) fn is_done(&self) -> bool {
        match &self.source {
            Source::Chat(message) => message.is_done(),
            Source::Events(_, state) => state.is_done,
            Source::Whole(_) | Source::Lost => false,
        }
    }

    /// Returns the message; `None` if it was too long or not readable as a whole.
    pub(crate) fn finish(self) -> Option<ModelAnswer> {
        let format = self.format;
        match self.source {
            Source::Chat(message) => {
                let parts = NormalMessage::from_message(format, &message.into_json()?)?.parts;
                Some(ModelAnswer { parts, ..ModelAnswer::default() })
            }
            Source::Events(mut events, mut state) => {
                events.finish(|data| state.event(format, data));
                (!state.is_unreadable).then(|| state.finish())
            }
            Source::Whole(body) => ModelAnswer::from_response(format, &serde_json::from_slice(&body).ok()?),
            Source::Lost => None,
        }
    }
}

impl ModelAnswer {
    /// Reads a response that is not streamed.
    fn from_response(format: ApiFormat, response: &Value) -> Option<ModelAnswer> {
        match format {
            ApiFormat::OpenAiChat => {
                let parts = NormalMessage::from_message(format, response.pointer("/choices/0/message")?)?.parts;
                Some(ModelAnswer { parts, ..ModelAnswer::default() })
            }
            ApiFormat::Anthropic => {
                let parts = NormalMessage::from_message(format, response)?.parts;
                Some(ModelAnswer { parts, ..ModelAnswer::default() })
            }
            ApiFormat::OpenAiResponses => {
                let mut answer = ModelAnswer::default();
                answer.set_response(response);
                response["output"].is_array().then_some(answer)
            }
        }
    }

    /// Adds an item of the Responses API.
    fn add_item(&mut self, item: &Value) {
        if let Some(id) = item["id"].as_str() {
            self.item_ids.push(id.into());
        }
        if let Some(said) = NormalMessage::from_message(ApiFormat::OpenAiResponses, item) {
            self.parts.extend(said.parts);
        }
    }

    /// Takes over what a whole response holds.
    fn set_response(&mut self, response: &Value) {
        if let Some(id) = response["id"].as_str() {
            self.response_id = Some(id.into());
        }
        if let Some(output) = response["output"].as_array().filter(|output| !output.is_empty()) {
            self.parts.clear();
            self.item_ids.clear();
            output.iter().for_each(|item| self.add_item(item));
        }
    }
}

impl EventState {
    fn event(&mut self, format: ApiFormat, data: &[u8]) {
        let Ok(event) = serde_json::from_slice::<Value>(data) else {
            // It may have been a part of the message. Some servers end every stream like this.
            self.is_unreadable |= data != b"[DONE]";
            return;
        };
        match format {
            ApiFormat::Anthropic => self.anthropic(event, data.len()),
            ApiFormat::OpenAiResponses => self.responses(&event, data.len()),
            ApiFormat::OpenAiChat => {}
        }
        self.is_unreadable |= self.blocks.len() > MAX_PARTS || self.answer.parts.len() > MAX_PARTS;
    }

    fn anthropic(&mut self, mut event: Value, size: usize) {
        let index = event["index"].as_u64().unwrap_or_default();
        match event["type"].as_str() {
            Some("content_block_start") => {
                self.size += size;
                self.blocks.push((index, event["content_block"].take(), String::new()));
            }
            Some("content_block_delta") => {
                let delta = &event["delta"];
                let Some((.., input)) = self.blocks.iter_mut().rev().find(|(one, ..)| *one == index) else {
                    return;
                };
                let text = |name: &str| delta[name].as_str().unwrap_or_default();
                match delta["type"].as_str() {
                    Some("text_delta") => {
                        input.push_str(text("text"));
                        self.size += text("text").len();
                    }
                    Some("input_json_delta") => {
                        input.push_str(text("partial_json"));
                        self.size += text("partial_json").len();
                    }
                    _ => {}
                }
            }
            Some("message_stop") => self.is_done = true,
            _ => {}
        }
    }

    fn responses(&mut self, event: &Value, size: usize) {
        match event["type"].as_str() {
            Some("response.created") => self.answer.response_id = event["response"]["id"].as_str().map(str::to_owned),
            Some("response.output_item.done") => {
                self.size += size;
                self.answer.add_item(&event["item"]);
            }
            Some("response.completed" | "response.incomplete" | "response.failed") => {
                self.answer.set_response(&event["response"]);
                self.is_done = true;
            }
            _ => {}
        }
    }

    fn finish(mut self) -> ModelAnswer {
        let mut blocks = Vec::new();
        for (_, mut block, added) in self.blocks {
            match block["type"].as_str() {
                Some("text") => block["text"] = (block["text"].as_str().unwrap_or_default().to_owned() + &added).into(),
                Some("tool_use" | "server_tool_use" | "mcp_tool_use") if !added.is_empty() => {
                    block["input"] = parsed(&added.into())
                }
                _ => {}
            }
            blocks.push(block);
        }
        if let Some(said) =
            NormalMessage::from_message(ApiFormat::Anthropic, &json!({"role": "assistant", "content": blocks}))
        {
            self.answer.parts.extend(said.parts);
        }
        self.answer
    }
}

#[cfg(test)]
mod tests {
    use followup_testing::Chunking;

    use super::*;

    fn read(format: ApiFormat, is_stream: bool, body: &str, cut: Chunking) -> Option<ModelAnswer> {
        let mut reader = AnswerReader::new(format, is_stream, 1 << 20);
        cut.chunks(body.as_bytes()).for_each(|chunk| reader.feed(chunk));
        reader.finish()
    }

    /// The same message in every format, streamed and not.
    fn bodies() -> Vec<(ApiFormat, bool, String)> {
        let call = json!({"index": 0, "id": "c", "function": {"name": "f", "arguments": "{\"b\":1, "}});
        let more = json!({"index": 0, "function": {"arguments": "\"a\":2}"}});
        let chat = format!(
            "data: {}\n\ndata: {}\n\ndata: {}\n\ndata: [DONE]\n\n",
            json!({"choices": [{"delta": {"content": "Hi. "}}]}),
            json!({"choices": [{"delta": {"tool_calls": [call]}}]}),
            json!({"choices": [{"delta": {"tool_calls": [more]}}]}),
        );
        let event = |data: Value| format!("event: {}\r\ndata: {data}\r\n\r\n", data["type"].as_str().unwrap());
        let anthropic = [
            json!({"type": "message_start", "message": {"content": []}}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi. "}}),
            json!({"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "name": "f", "input": {}}}),
            json!({"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "{\"b\":1, "}}),
            json!({"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "\"a\":2}"}}),
            json!({"type": "message_stop"}),
        ];
        let items = json!([
            {"type": "message", "id": "m", "role": "assistant", "content": [{"type": "output_text", "text": "Hi. "}]},
            {"type": "function_call", "id": "fc", "call_id": "c", "name": "f", "arguments": "{\"b\":1, \"a\":2}"},
        ]);
        let responses = [
            json!({"type": "response.created", "response": {"id": "resp"}}),
            json!({"type": "response.output_item.done", "item": items[0]}),
            json!({"type": "response.output_item.done", "item": items[1]}),
            json!({"type": "response.completed", "response": {"id": "resp", "output": []}}),
        ];
        let message = json!({"role": "assistant", "content": "Hi. ",
            "tool_calls": [{"function": {"name": "f", "arguments": "{\"a\":2,\"b\":1}"}}]});
        let content =
            json!([{"type": "text", "text": "Hi. "}, {"type": "tool_use", "name": "f", "input": {"a": 2, "b": 1}}]);
        vec![
            (ApiFormat::OpenAiChat, true, chat),
            (ApiFormat::Anthropic, true, anthropic.into_iter().map(event).collect()),
            (ApiFormat::OpenAiResponses, true, responses.into_iter().map(event).collect()),
            (ApiFormat::OpenAiChat, false, json!({"choices": [{"message": message}]}).to_string()),
            (ApiFormat::Anthropic, false, json!({"role": "assistant", "content": content}).to_string()),
            (ApiFormat::OpenAiResponses, false, json!({"id": "resp", "output": items}).to_string()),
        ]
    }

    #[test]
    fn a_message_is_the_same_in_every_format_and_for_every_cut() {
        let arguments = json!({"a": 2, "b": 1});
        let expected = vec![MessagePart::Text("Hi. ".into()), MessagePart::Call { name: "f".into(), arguments }];
        for (format, is_stream, body) in bodies() {
            for cut in [Chunking::AsItArrives, Chunking::Every(1), Chunking::Random(7)] {
                let answer = read(format, is_stream, &body, cut).unwrap();
                assert_eq!(answer.parts, expected, "{format:?} {is_stream} {cut:?}");
                if format == ApiFormat::OpenAiResponses {
                    assert_eq!((answer.response_id.as_deref(), answer.item_ids.len()), (Some("resp"), 2));
                }
            }
        }
    }

    #[test]
    fn the_last_event_ends_a_stream() {
        for (format, is_stream, body) in bodies() {
            let mut reader = AnswerReader::new(format, is_stream, 1 << 20);
            let (start, last) = body.split_at(body.trim_end().len() - 5);
            reader.feed(start.as_bytes());
            assert!(!reader.is_done(), "{format:?}");
            reader.feed(last.as_bytes());
            assert_eq!(reader.is_done(), is_stream, "{format:?}");
        }
    }

    #[test]
    fn an_unreadable_or_too_long_body_yields_no_message() {
        for (format, is_stream, body) in bodies() {
            let broken = if is_stream { format!("data: {{\n\n{body}") } else { body[1..].to_owned() };
            assert!(read(format, is_stream, &broken, Chunking::AsItArrives).is_none(), "{format:?}");
            let mut small = AnswerReader::new(format, is_stream, 10);
            Chunking::Every(5).chunks(body.as_bytes()).for_each(|chunk| small.feed(chunk));
            assert!(small.finish().is_none(), "{format:?}");
        }
    }
}
