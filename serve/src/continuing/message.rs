//! What the model said, as the provider wants it back: its text and its native calls, as they were sent.

use serde::Deserialize;
use serde_json::{Value, json};

/// How many calls a message may have.
const CALLS: usize = 1024;

/// Reads a stream of OpenAI's, as it arrives, into the message that it is.
///
/// The library's events say what the calls mean, and no more how they were written.
#[derive(Debug)]
pub(crate) struct Message {
    /// A line that has not ended.
    line: Vec<u8>,
    /// The data of an event that has not ended.
    data: Vec<u8>,
    /// The last byte ended a line, and was a carriage return: a line feed behind it belongs to it.
    after_return: bool,
    content: String,
    calls: Vec<Call>,
    /// How many bytes it may have.
    limit: usize,
    size: usize,
    is_whole: bool,
}

#[derive(Debug)]
struct Call {
    index: u64,
    id: String,
    name: String,
    arguments: String,
}

#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: Vec<Choice>,
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

impl Message {
    /// A message of that many bytes at the most.
    pub(crate) fn new(limit: usize) -> Message {
        Message {
            line: Vec::new(),
            data: Vec::new(),
            after_return: false,
            content: String::new(),
            calls: Vec::new(),
            limit,
            size: 0,
            is_whole: true,
        }
    }

    /// Takes the next chunk of the body.
    pub(crate) fn feed(&mut self, mut chunk: &[u8]) {
        while let (Some(&first), true) = (chunk.first(), self.is_whole) {
            if std::mem::take(&mut self.after_return) && first == b'\n' {
                chunk = &chunk[1..];
                continue;
            }
            let Some(end) = chunk.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
                self.line.extend_from_slice(chunk);
                self.is_whole = self.line.len() + self.data.len() <= self.limit;
                return;
            };
            self.line.extend_from_slice(&chunk[..end]);
            self.after_return = chunk[end] == b'\r';
            chunk = &chunk[end + 1..];
            self.line();
        }
    }

    /// A line has ended.
    fn line(&mut self) {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            let data = std::mem::take(&mut self.data);
            return self.event(&data);
        }
        let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&line);
        if let Some(data) = line.strip_prefix(b"data:") {
            if !self.data.is_empty() {
                self.data.push(b'\n');
            }
            self.data.extend_from_slice(data.strip_prefix(b" ").unwrap_or(data));
            self.is_whole = self.is_whole && self.data.len() <= self.limit;
        }
    }

    fn event(&mut self, data: &[u8]) {
        if data.is_empty() || data == b"[DONE]" {
            return;
        }
        // An event that can't be read may have been a part of the message.
        let Ok(chunk) = serde_json::from_slice::<Chunk>(data) else {
            self.is_whole = false;
            return;
        };
        for delta in chunk.choices.into_iter().filter(|choice| choice.index == 0).filter_map(|choice| choice.delta) {
            if let Some(content) = delta.content {
                self.size += content.len();
                self.content.push_str(&content);
            }
            for call in delta.tool_calls.into_iter().flatten() {
                self.call(call);
            }
        }
        self.is_whole = self.is_whole && self.size <= self.limit && self.calls.len() <= CALLS;
    }

    fn call(&mut self, delta: CallDelta) {
        let FunctionDelta { name, arguments } = delta.function.unwrap_or_default();
        let (name, id) = (name.unwrap_or_default(), delta.id.unwrap_or_default());
        let index = delta.index.unwrap_or_else(|| self.calls.last().map_or(0, |call| call.index));
        let open = self.calls.iter_mut().rev().find(|call| call.index == index);
        // Some servers give all calls the same index: a name with another id is another call.
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
            None => self.calls.push(Call { index, id, name, arguments }),
        }
    }

    /// The message. `None`: it is not whole, or too long.
    pub(crate) fn into_json(mut self) -> Option<Value> {
        if !self.line.is_empty() {
            self.line();
        }
        let data = std::mem::take(&mut self.data);
        self.event(&data);
        if !self.is_whole {
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
    use crate::Cut;

    fn message(body: &str, cut: Cut) -> Option<Value> {
        let mut message = Message::new(1 << 20);
        cut.pieces(body.as_bytes()).for_each(|piece| message.feed(piece));
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
        "event: x\ndata: {\"choices\":[]}\n\ndata: [DONE]\n\n",
    );

    #[test]
    fn a_message_is_what_was_sent_however_it_is_cut() {
        let expected = json!({"role": "assistant", "content": "Hm. ", "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{\"x\":1}"}},
            {"id": "b", "type": "function", "function": {"name": "g", "arguments": "{}"}},
        ]});
        for cut in [Cut::AsItArrives, Cut::Every(1), Cut::Every(7), Cut::Random(1), Cut::Random(2)] {
            assert_eq!(message(BODY, cut), Some(expected.clone()), "{cut:?}");
        }
    }

    #[test]
    fn calls_at_one_index_are_told_apart() {
        let call = |id: &str, name: &str, arguments: &str| {
            format!(
                "data: {{\"choices\":[{{\"delta\":{{\"tool_calls\":[{{\"index\":0,\"id\":\"{id}\",\"function\":{{\"name\":\"{name}\",\"arguments\":\"{arguments}\"}}}}]}}}}]}}\n\n"
            )
        };
        let body = [call("a", "f", "1"), call("", "", "2"), call("new", "", "3"), call("b", "f", "4")].concat();
        let message = message(&body, Cut::AsItArrives).unwrap();
        let calls: Vec<_> =
            message["tool_calls"].as_array().unwrap().iter().map(|one| &one["function"]["arguments"]).collect();
        assert_eq!(calls, ["123", "4"]);
        assert_eq!(message["content"], Value::Null);
    }

    #[test]
    fn what_is_not_whole_is_no_message() {
        assert_eq!(message("data: {\"choices\":\n\n", Cut::AsItArrives), None);
        assert_eq!(message("data: <html>\n\n", Cut::AsItArrives), None);
        let mut long = Message::new(10);
        long.feed(b"data: 0123456789");
        assert_eq!(long.into_json(), None);
        let mut long = Message::new(60);
        for _ in 0..20 {
            long.feed(b"data: {\"choices\":[{\"delta\":{\"content\":\"0123\"}}]}\n\n");
        }
        assert_eq!(long.into_json(), None);
        assert_eq!(message("", Cut::AsItArrives), Some(json!({"role": "assistant", "content": ""})));
    }
}
