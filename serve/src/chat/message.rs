//! The model's message, rebuilt verbatim from its stream so that it can be sent back.

use serde::Deserialize;
use serde_json::{Value, json};

use super::event_data::EventData;

/// Maximum number of tool calls in a message.
const MAX_CALLS: usize = 1024;

/// Builds the message from the chunks of an OpenAI stream.
///
/// The parser's events can't be used for this: they carry what a call means, not how it was
/// written.
#[derive(Debug)]
pub(crate) struct AssistantMessage {
    events: EventData,
    content: String,
    calls: Vec<ToolCall>,
    /// Maximum number of bytes of the message.
    limit: usize,
    size: usize,
    /// Nothing was unreadable or too long so far.
    is_intact: bool,
    /// The last event of the stream has arrived.
    is_done: bool,
}

#[derive(Debug)]
struct ToolCall {
    index: u64,
    id: String,
    name: String,
    arguments: String,
}

#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: Option<Vec<Choice>>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    index: u64,
    #[serde(default)]
    delta: Option<Delta>,
}

#[derive(Deserialize)]
struct Delta {
    #[serde(default)]
    content: Option<String>,
    #[serde(default)]
    tool_calls: Option<Vec<CallDelta>>,
}

#[derive(Deserialize)]
struct CallDelta {
    #[serde(default)]
    index: Option<u64>,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    function: Option<FunctionDelta>,
}

#[derive(Default, Deserialize)]
struct FunctionDelta {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    arguments: Option<String>,
}

impl AssistantMessage {
    /// Returns a message of at most `limit` bytes.
    pub(crate) fn new(limit: usize) -> AssistantMessage {
        AssistantMessage {
            events: EventData::new(limit),
            content: String::new(),
            calls: Vec::new(),
            limit,
            size: 0,
            is_intact: true,
            is_done: false,
        }
    }

    /// Consumes the next chunk of the response's body.
    pub(crate) fn feed(&mut self, chunk: &[u8]) {
        if self.is_intact {
            let mut events = std::mem::replace(&mut self.events, EventData::new(self.limit));
            self.is_intact = events.feed(chunk, |data| self.event(data)).is_ok() && self.is_intact;
            self.events = events;
        }
    }

    /// Returns `true` if the last event of the stream has arrived.
    pub(crate) fn is_done(&self) -> bool {
        self.is_done
    }

    fn event(&mut self, data: &[u8]) {
        if data == b"[DONE]" {
            self.is_done = true;
            return;
        }
        // An unreadable event may have been a part of the message.
        let Ok(chunk) = serde_json::from_slice::<Chunk>(data) else {
            self.is_intact = false;
            return;
        };
        let choices = chunk.choices.into_iter().flatten();
        for delta in choices.filter(|choice| choice.index == 0).filter_map(|choice| choice.delta) {
            if let Some(content) = delta.content {
                self.size += content.len();
                self.content.push_str(&content);
            }
            for call in delta.tool_calls.into_iter().flatten() {
                self.call(call);
            }
        }
        self.is_intact = self.is_intact && self.size <= self.limit && self.calls.len() <= MAX_CALLS;
    }

    fn call(&mut self, delta: CallDelta) {
        let FunctionDelta { name, arguments } = delta.function.unwrap_or_default();
        let (name, id) = (name.unwrap_or_default(), delta.id.unwrap_or_default());
        let index = delta.index.unwrap_or_else(|| self.calls.last().map_or(0, |call| call.index));
        let open = self.calls.iter_mut().rev().find(|call| call.index == index);
        // Some servers give all calls the same index: a name with a new id begins another call.
        let open = open.filter(|call| name.is_empty() || id.is_empty() || id == call.id);
        let arguments = arguments.unwrap_or_default();
        self.size += arguments.len() + name.len() + id.len();
        match open {
            Some(call) => {
                call.arguments.push_str(&arguments);
                if call.name.is_empty() {
                    call.name = name;
                }
                if call.id.is_empty() {
                    call.id = id;
                }
            }
            None => self.calls.push(ToolCall { index, id, name, arguments }),
        }
    }

    /// Returns the message; `None` if it was too long or not readable as a whole.
    pub(crate) fn into_json(mut self) -> Option<Value> {
        if self.is_intact {
            let mut events = std::mem::replace(&mut self.events, EventData::new(0));
            events.finish(|data| self.event(data));
        }
        if !self.is_intact {
            return None;
        }
        let calls = self.calls.iter().map(|call| {
            json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}})
        });
        let calls: Vec<Value> = calls.collect();
        let content = if self.content.is_empty() && !calls.is_empty() { Value::Null } else { self.content.into() };
        let mut message = json!({"role": "assistant", "content": content});
        if !calls.is_empty() {
            message["tool_calls"] = calls.into();
        }
        Some(message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use followup_testing::Chunking;

    fn message_of(body: &str, chunking: Chunking) -> Option<Value> {
        let mut message = AssistantMessage::new(1 << 20);
        chunking.chunks(body.as_bytes()).for_each(|chunk| message.feed(chunk));
        message.into_json()
    }

    const BODY: &str = concat!(
        "\u{FEFF}: a comment\r\n\r\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hm. \"}}]}\r\n\r\n",
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"\"}}]}}]}\n\n",
        "data:{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\n",
        "data: \"function\":{\"arguments\":\"{\\\"x\\\":\"}}]}}]}\r\r",
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":1,\"id\":\"b\",\"function\":{\"name\":\"g\",\"arguments\":\"{}\"}}]}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"content\":null,\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"1}\"}}]}}]}\n\n",
        "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"another choice\"}}],\"usage\":null}\n\n",
        "event: x\ndata: {\"choices\":[]}\n\ndata: {\"choices\":null,\"usage\":{}}\n\ndata: [DONE]\n\n",
    );

    #[test]
    fn the_message_is_the_same_for_every_cut_of_the_stream() {
        let expected = json!({"role": "assistant", "content": "Hm. ", "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{\"x\":1}"}},
            {"id": "b", "type": "function", "function": {"name": "g", "arguments": "{}"}},
        ]});
        for cut in
            [Chunking::AsItArrives, Chunking::Every(1), Chunking::Every(7), Chunking::Random(1), Chunking::Random(2)]
        {
            assert_eq!(message_of(BODY, cut), Some(expected.clone()), "{cut:?}");
        }
    }

    #[test]
    fn calls_with_the_same_index_are_told_apart_by_their_id() {
        let call = |id: &str, name: &str, arguments: &str| {
            format!(
                "data: {{\"choices\":[{{\"delta\":{{\"tool_calls\":[{{\"index\":0,\"id\":\"{id}\",\"function\":{{\"name\":\"{name}\",\"arguments\":\"{arguments}\"}}}}]}}}}]}}\n\n"
            )
        };
        let body = [call("a", "f", "1"), call("", "", "2"), call("new", "", "3"), call("b", "f", "4")].concat();
        let message = message_of(&body, Chunking::AsItArrives).unwrap();
        let calls: Vec<_> =
            message["tool_calls"].as_array().unwrap().iter().map(|one| &one["function"]["arguments"]).collect();
        assert_eq!(calls, ["123", "4"]);
        assert_eq!(message["content"], Value::Null);
    }

    #[test]
    fn an_unreadable_or_too_long_stream_yields_no_message() {
        assert_eq!(message_of("data: {\"choices\":\n\n", Chunking::AsItArrives), None);
        assert_eq!(message_of("data: <html>\n\n", Chunking::AsItArrives), None);
        let mut long = AssistantMessage::new(10);
        long.feed(b"data: 0123456789");
        assert_eq!(long.into_json(), None);
        let mut long = AssistantMessage::new(60);
        for _ in 0..20 {
            long.feed(b"data: {\"choices\":[{\"delta\":{\"content\":\"0123\"}}]}\n\n");
        }
        assert_eq!(long.into_json(), None);
        assert_eq!(message_of("", Chunking::AsItArrives), Some(json!({"role": "assistant", "content": ""})));
    }
}
