//! The messages that carry replies to a model's API.

use alloc::vec::Vec;
use core::{iter, slice};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::image::Image;
use super::reply::Reply;
use crate::config::ASK;

/// The API that messages are for.
///
/// For another API, the caller writes the result of a call, from the `id`, the `tool` and the
/// `text` of the [`Reply`]. A custom tool's result for OpenAI Responses is the caller's as well: it
/// is a `custom_tool_call_output`, which [`Reply::messages`] does not write. Only the caller's own
/// list of tools tells which ones are custom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum MessageFormat {
    /// OpenAI chat completions.
    ///
    /// Also the APIs that accept the same messages, such as Cohere's version 2.
    #[serde(rename = "openai-chat")]
    OpenAiChat,
    /// OpenAI Responses.
    #[serde(rename = "openai-responses")]
    OpenAiResponses,
    /// Anthropic messages.
    Anthropic,
    /// Gemini `generateContent`.
    Gemini,
    /// Amazon Bedrock `Converse`, as the JSON of its HTTP API.
    BedrockConverse,
    /// Ollama `/api/chat`.
    Ollama,
}

impl MessageFormat {
    /// All formats.
    pub const ALL: [MessageFormat; 6] = [
        MessageFormat::OpenAiChat,
        MessageFormat::OpenAiResponses,
        MessageFormat::Anthropic,
        MessageFormat::Gemini,
        MessageFormat::BedrockConverse,
        MessageFormat::Ollama,
    ];

    /// Returns the name of the format, by which [`named`](MessageFormat::named) finds it.
    pub fn name(self) -> &'static str {
        match self {
            MessageFormat::OpenAiChat => "openai-chat",
            MessageFormat::OpenAiResponses => "openai-responses",
            MessageFormat::Anthropic => "anthropic",
            MessageFormat::Gemini => "gemini",
            MessageFormat::BedrockConverse => "bedrock-converse",
            MessageFormat::Ollama => "ollama",
        }
    }

    /// Returns the format with this name; `None` if there is none.
    ///
    /// ```
    /// use followup::dialogue::MessageFormat;
    ///
    /// assert_eq!(MessageFormat::named("ollama"), Some(MessageFormat::Ollama));
    /// assert!(MessageFormat::ALL.iter().all(|one| MessageFormat::named(one.name()) == Some(*one)));
    /// ```
    pub fn named(name: &str) -> Option<MessageFormat> {
        MessageFormat::ALL.into_iter().find(|format| format.name() == name)
    }
}

impl Reply {
    /// Returns the name of the tool, if the call is a native one.
    fn native_tool(&self) -> Option<&str> {
        // A reply with an id and no name was not made by a dialogue.
        self.tool.as_deref().or_else(|| self.id.as_ref().map(|_| ASK))
    }

    /// Returns the text, unless it is blank.
    fn visible_text(&self) -> Option<&str> {
        Some(&*self.text).filter(|text| !text.trim().is_empty())
    }

    /// Returns the messages that carry this reply, if it is the only one of its turn.
    ///
    /// For OpenAI Responses these are input items, for Gemini contents. A native call is answered
    /// by its result, under its id or its tool's name, any other by a message of the user. For
    /// several replies there is [`messages_of`](Reply::messages_of).
    ///
    /// ```
    /// use followup::Parser;
    /// use followup::dialogue::{Answer, Dialogue, MessageFormat};
    ///
    /// let (mut parser, mut dialogue) = (Parser::default(), Dialogue::default());
    /// let call = "<ask_followup_question><question>Tea?</question></ask_followup_question>";
    /// parser.feed(call).for_each(|event| drop(dialogue.event(event)));
    /// let reply = dialogue.answer(0, Answer::Text("Yes".into()), Vec::new())?;
    /// let message = r#"{"content":"<answer>\nYes\n</answer>","role":"user"}"#;
    /// assert_eq!(reply.messages(MessageFormat::OpenAiChat)[0].to_string(), message);
    /// # Ok::<(), followup::dialogue::AnswerError>(())
    /// ```
    pub fn messages(&self, format: MessageFormat) -> Vec<Value> {
        Reply::messages_of(slice::from_ref(self), format)
    }

    /// Returns the messages with all replies of one turn.
    ///
    /// Send them right after the model's message.
    ///
    /// The APIs refuse a conversation in which the results of a turn's native calls are not
    /// together or one is missing. So collect the replies until every call has one, and add the
    /// results of other tools. The results of native calls come first, in the order of the replies,
    /// then what the user says to the other calls. Where the API finds a call by its id, a call
    /// without one counts as such a call; Gemini and Ollama need only the name of the tool.
    ///
    /// * OpenAI chat completions: a `tool` message for each result, then the user's messages. A
    ///   `tool` message can't have images, so they follow in a message of the user.
    /// * OpenAI Responses: a `function_call_output` for each result, with its images, then the
    ///   messages.
    /// * Anthropic: one message of the user, with a `tool_result` for each result and its images,
    ///   then the rest. A result that the tool's host marks as an error has `is_error` and no
    ///   images, which are an error there: they follow with the rest. A blank text is an error
    ///   there, too, and is left out; if nothing is left, there is no message.
    /// * Gemini: one content of the user with a [`functionResponse`][gemini] for each result,
    ///   `{"output": …}` or, if the tool's host marks it as an error, `{"error": …}`, and nothing
    ///   else: there have to be as many parts as calls. The rest follows in another content, with
    ///   the images as `inlineData`, because only Gemini 3 and later accept images inside a result.
    ///   A blank text is left out there.
    /// * Bedrock Converse: one message of the user, with a [`toolResult`][bedrock] for each result
    ///   and its images, then the rest, as for Anthropic. A result that is an error has `status`,
    ///   which only some models accept. The images are base64, as the HTTP API has them; for an SDK
    ///   that takes bytes, decode them.
    /// * Ollama: a [`tool`][ollama] message for each result, with the name of the tool and the id
    ///   of the call, if it has one, then the user's messages, with the images as base64. The
    ///   images of a result follow in a message of the user.
    ///
    /// Images keep their order; OpenAI gets their data URLs unchanged. Cost: linear; a copy of the
    /// texts and images.
    ///
    /// [gemini]: https://ai.google.dev/gemini-api/docs/function-calling
    /// [bedrock]: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolResultBlock.html
    /// [ollama]: https://docs.ollama.com/capabilities/tool-calling
    ///
    /// ```
    /// use followup::Parser;
    /// use followup::dialogue::{Answer, Dialogue, MessageFormat, Reply};
    ///
    /// let call = "<ask_followup_question><question>Sure?</question></ask_followup_question>";
    /// let (mut parser, mut dialogue) = (Parser::default(), Dialogue::default());
    /// let message = call.repeat(2);
    /// parser.feed(&message).for_each(|event| drop(dialogue.event(event)));
    /// let mut replies = Vec::new();
    /// while let Some(number) = dialogue.question().map(|open| open.number) {
    ///     replies.push(dialogue.answer(number, Answer::Text("Yes".into()), Vec::new())?);
    /// }
    /// let messages = Reply::messages_of(&replies, MessageFormat::Anthropic);
    /// assert_eq!((messages.len(), messages[0]["content"].as_array().map(Vec::len)), (1, Some(2)));
    /// # Ok::<(), followup::dialogue::AnswerError>(())
    /// ```
    pub fn messages_of(replies: &[Reply], format: MessageFormat) -> Vec<Value> {
        match format {
            MessageFormat::OpenAiChat => openai_chat(replies),
            MessageFormat::OpenAiResponses => openai_responses(replies),
            MessageFormat::Anthropic => anthropic(replies),
            MessageFormat::Gemini => gemini(replies),
            MessageFormat::BedrockConverse => bedrock_converse(replies),
            MessageFormat::Ollama => ollama(replies),
        }
    }
}

fn openai_chat(replies: &[Reply]) -> Vec<Value> {
    let results = replies.iter().filter_map(|reply| {
        let id = reply.id.as_deref()?;
        Some(json!({"role": "tool", "tool_call_id": id, "content": reply.text}))
    });
    results.chain(replies.iter().filter_map(openai_chat_user)).collect()
}

/// Returns the user's part of a reply: all of it, or the images that a `tool` message can't have.
fn openai_chat_user(reply: &Reply) -> Option<Value> {
    let image = |image: &Image| json!({"type": "image_url", "image_url": {"url": image.data_url()}});
    let images = reply.images.iter().map(image);
    let content = match (&reply.id, reply.images.is_empty()) {
        (Some(_), true) => return None,
        (Some(_), false) => images.collect(),
        (None, true) => Value::from(&*reply.text),
        (None, false) => iter::once(json!({"type": "text", "text": reply.text})).chain(images).collect(),
    };
    Some(json!({"role": "user", "content": content}))
}

fn openai_responses(replies: &[Reply]) -> Vec<Value> {
    let results = replies.iter().filter_map(|reply| {
        let id = reply.id.as_deref()?;
        Some(json!({"type": "function_call_output", "call_id": id, "output": openai_responses_content(reply)}))
    });
    let messages = replies
        .iter()
        .filter(|reply| reply.id.is_none())
        .map(|reply| json!({"type": "message", "role": "user", "content": openai_responses_content(reply)}));
    results.chain(messages).collect()
}

fn openai_responses_content(reply: &Reply) -> Value {
    if reply.images.is_empty() {
        return Value::from(&*reply.text);
    }
    let image = |image: &Image| json!({"type": "input_image", "image_url": image.data_url()});
    iter::once(json!({"type": "input_text", "text": reply.text})).chain(reply.images.iter().map(image)).collect()
}

fn anthropic(replies: &[Reply]) -> Vec<Value> {
    let results = replies.iter().filter_map(|reply| {
        let id = reply.id.as_deref()?;
        if !reply.is_error {
            let content: Vec<Value> = anthropic_text(reply).chain(anthropic_images(reply)).collect();
            return Some(json!({"type": "tool_result", "tool_use_id": id, "content": content}));
        }
        let content: Vec<Value> = anthropic_text(reply).collect();
        Some(json!({"type": "tool_result", "tool_use_id": id, "content": content, "is_error": true}))
    });
    let rest = replies.iter().flat_map(|reply| {
        let text = anthropic_text(reply).filter(|_| reply.id.is_none());
        text.chain(anthropic_images(reply).filter(|_| reply.id.is_none() || reply.is_error))
    });
    user_message("content", results.chain(rest).collect()).into_iter().collect()
}

/// Returns a message of the user with this content under this key, unless it is empty.
fn user_message(key: &str, content: Vec<Value>) -> Option<Value> {
    (!content.is_empty()).then(|| json!({"role": "user", key: content}))
}

/// Returns the text, unless it is blank, which is an error there.
fn anthropic_text(reply: &Reply) -> impl Iterator<Item = Value> {
    reply.visible_text().map(|text| json!({"type": "text", "text": text})).into_iter()
}

fn anthropic_images(reply: &Reply) -> impl Iterator<Item = Value> {
    reply.images.iter().map(|image| {
        let source = json!({"type": "base64", "media_type": image.media_type(), "data": image.base64()});
        json!({"type": "image", "source": source})
    })
}

/// Returns the contents for Gemini.
///
/// Its documentation names the keys `output` and `error`. It refuses a content with results that
/// has not as many parts as there were calls
/// (<https://github.com/google-gemini/gemini-cli/issues/16135>), and images inside a result with
/// "Multimodal function responses are not supported for this model" before Gemini 3
/// (<https://ai.google.dev/gemini-api/docs/function-calling#multimodal>).
fn gemini(replies: &[Reply]) -> Vec<Value> {
    let results = replies.iter().filter_map(|reply| {
        let key = if reply.is_error { "error" } else { "output" };
        let mut result = json!({"name": reply.native_tool()?, "response": {key: reply.text}});
        if let Some(id) = &reply.id {
            result["id"] = json!(id);
        }
        Some(json!({"functionResponse": result}))
    });
    let rest = replies.iter().flat_map(|reply| {
        let text = reply.visible_text().filter(|_| reply.native_tool().is_none());
        let images = reply
            .images
            .iter()
            .map(|image| json!({"inlineData": {"mimeType": image.media_type(), "data": image.base64()}}));
        text.map(|text| json!({"text": text})).into_iter().chain(images)
    });
    [user_message("parts", results.collect()), user_message("parts", rest.collect())].into_iter().flatten().collect()
}

/// Returns the message for Bedrock Converse, which wants the user and the model to take turns.
///
/// A blank text is an error in the message, but not in a result; an error needs some content. What
/// goes for images in an error is what Anthropic's models want.
fn bedrock_converse(replies: &[Reply]) -> Vec<Value> {
    let results = replies.iter().filter_map(|reply| {
        let id = reply.id.as_deref()?;
        let result = if reply.is_error {
            json!({"toolUseId": id, "content": [{"text": reply.text}], "status": "error"})
        } else {
            let content: Vec<Value> = bedrock_text(reply).chain(bedrock_images(reply)).collect();
            json!({"toolUseId": id, "content": content})
        };
        Some(json!({"toolResult": result}))
    });
    let rest = replies.iter().flat_map(|reply| {
        let text = bedrock_text(reply).filter(|_| reply.id.is_none());
        text.chain(bedrock_images(reply).filter(|_| reply.id.is_none() || reply.is_error))
    });
    user_message("content", results.chain(rest).collect()).into_iter().collect()
}

fn bedrock_text(reply: &Reply) -> impl Iterator<Item = Value> {
    reply.visible_text().map(|text| json!({"text": text})).into_iter()
}

/// Returns the images as `ImageBlock`s, whose format is `png`, `jpeg`, `gif` or `webp`.
fn bedrock_images(reply: &Reply) -> impl Iterator<Item = Value> {
    reply.images.iter().map(|image| {
        let media_type = image.media_type();
        let format = media_type.strip_prefix("image/").unwrap_or(media_type);
        json!({"image": {"format": format, "source": {"bytes": image.base64()}}})
    })
}

fn ollama(replies: &[Reply]) -> Vec<Value> {
    let results = replies.iter().filter_map(|reply| {
        let mut message = json!({"role": "tool", "tool_name": reply.native_tool()?, "content": reply.text});
        if let Some(id) = &reply.id {
            message["tool_call_id"] = json!(id);
        }
        Some(message)
    });
    let users = replies.iter().filter_map(|reply| {
        let images: Vec<_> = reply.images.iter().map(Image::base64).collect();
        let content = match reply.native_tool() {
            Some(_) if images.is_empty() => return None,
            Some(_) => "",
            None => &*reply.text,
        };
        let mut message = json!({"role": "user", "content": content});
        if !images.is_empty() {
            message["images"] = json!(images);
        }
        Some(message)
    });
    results.chain(users).collect()
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;
    use crate::dialogue::{IMAGE_LIMIT, ReplyKind};

    fn reply(id: Option<&str>, text: &str, images: &[&str]) -> Reply {
        let images = images.iter().map(|url| Image::from_data_url(url, IMAGE_LIMIT).unwrap()).collect();
        let (kind, id) = (ReplyKind::Answer, id.map(ToString::to_string));
        let tool = id.as_ref().map(|_| "ask".into());
        Reply { kind, number: None, id, tool, text: text.into(), images, mode: None, is_error: false }
    }

    /// Returns the reply to a native call without an id.
    fn reply_without_id(tool: &str, text: &str, images: &[&str]) -> Reply {
        Reply { tool: Some(tool.into()), ..reply(None, text, images) }
    }

    const GIF: &str = "data:image/gif;base64,R0lGODlh";
    const JPEG: &str = "data:image/jpg;base64,/9j/";

    /// Replies to native calls and to calls in markup, with and without images.
    fn turn() -> [Reply; 4] {
        [
            reply(Some("a"), "One", &[GIF, JPEG]),
            reply(None, "Two", &[JPEG]),
            reply(Some("b"), "Three", &[]),
            reply(None, "Four", &[]),
        ]
    }

    #[test]
    fn openai_chat_has_all_results_before_the_users_messages() {
        assert_eq!(
            Reply::messages_of(&turn(), MessageFormat::OpenAiChat),
            [
                json!({"role": "tool", "tool_call_id": "a", "content": "One"}),
                json!({"role": "tool", "tool_call_id": "b", "content": "Three"}),
                json!({"role": "user", "content": [
                    {"type": "image_url", "image_url": {"url": "data:image/gif;base64,R0lGODlh"}},
                    {"type": "image_url", "image_url": {"url": "data:image/jpg;base64,/9j/"}},
                ]}),
                json!({"role": "user", "content": [
                    {"type": "text", "text": "Two"},
                    {"type": "image_url", "image_url": {"url": "data:image/jpg;base64,/9j/"}},
                ]}),
                json!({"role": "user", "content": "Four"}),
            ]
        );
    }

    #[test]
    fn openai_responses_has_all_outputs_before_the_users_messages() {
        assert_eq!(
            Reply::messages_of(&turn(), MessageFormat::OpenAiResponses),
            [
                json!({"type": "function_call_output", "call_id": "a", "output": [
                    {"type": "input_text", "text": "One"},
                    {"type": "input_image", "image_url": "data:image/gif;base64,R0lGODlh"},
                    {"type": "input_image", "image_url": "data:image/jpg;base64,/9j/"},
                ]}),
                json!({"type": "function_call_output", "call_id": "b", "output": "Three"}),
                json!({"type": "message", "role": "user", "content": [
                    {"type": "input_text", "text": "Two"},
                    {"type": "input_image", "image_url": "data:image/jpg;base64,/9j/"},
                ]}),
                json!({"type": "message", "role": "user", "content": "Four"}),
            ]
        );
    }

    #[test]
    fn anthropic_has_one_message_and_all_results_first_in_it() {
        assert_eq!(
            Reply::messages_of(&turn(), MessageFormat::Anthropic),
            [json!({"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": [
                    {"type": "text", "text": "One"},
                    {"type": "image", "source": {"type": "base64", "media_type": "image/gif", "data": "R0lGODlh"}},
                    {"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": "/9j/"}},
                ]},
                {"type": "tool_result", "tool_use_id": "b", "content": [{"type": "text", "text": "Three"}]},
                {"type": "text", "text": "Two"},
                {"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": "/9j/"}},
                {"type": "text", "text": "Four"},
            ]})]
        );
    }

    /// Anthropic refuses images in a result that is an error.
    #[test]
    fn anthropic_has_the_images_of_an_error_after_the_results() {
        let error = Reply { is_error: true, ..reply(Some("a"), "No", &[GIF]) };
        assert_eq!(
            Reply::messages_of(&[error, reply(Some("b"), "Yes", &[])], MessageFormat::Anthropic),
            [json!({"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "No"}], "is_error": true},
                {"type": "tool_result", "tool_use_id": "b", "content": [{"type": "text", "text": "Yes"}]},
                {"type": "image", "source": {"type": "base64", "media_type": "image/gif", "data": "R0lGODlh"}},
            ]})]
        );
    }

    #[test]
    fn anthropic_is_told_that_a_result_is_an_error() {
        let declined = Reply { is_error: true, ..reply(Some("a"), "No", &[]) };
        let content = json!([{"type": "text", "text": "No"}]);
        assert_eq!(
            Reply::messages_of(&[declined.clone(), reply(Some("b"), "No", &[])], MessageFormat::Anthropic),
            [json!({"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": content, "is_error": true},
                {"type": "tool_result", "tool_use_id": "b", "content": content},
            ]})]
        );
        assert_eq!(
            declined.messages(MessageFormat::OpenAiChat),
            [json!({"role": "tool", "tool_call_id": "a", "content": "No"})]
        );
    }

    #[test]
    fn anthropic_gets_no_blank_text() {
        let blank = [reply(Some("a"), "", &[]), reply(None, " \n", &[GIF])];
        assert_eq!(
            Reply::messages_of(&blank, MessageFormat::Anthropic),
            [json!({"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": []},
                {"type": "image", "source": {"type": "base64", "media_type": "image/gif", "data": "R0lGODlh"}},
            ]})]
        );
        assert!(reply(None, "", &[]).messages(MessageFormat::Anthropic).is_empty());
    }

    #[test]
    fn gemini_has_all_results_in_a_content_of_their_own() {
        assert_eq!(
            Reply::messages_of(&turn(), MessageFormat::Gemini),
            [
                json!({"role": "user", "parts": [
                    {"functionResponse": {"id": "a", "name": "ask", "response": {"output": "One"}}},
                    {"functionResponse": {"id": "b", "name": "ask", "response": {"output": "Three"}}},
                ]}),
                json!({"role": "user", "parts": [
                    {"inlineData": {"mimeType": "image/gif", "data": "R0lGODlh"}},
                    {"inlineData": {"mimeType": "image/jpeg", "data": "/9j/"}},
                    {"text": "Two"},
                    {"inlineData": {"mimeType": "image/jpeg", "data": "/9j/"}},
                    {"text": "Four"},
                ]}),
            ]
        );
    }

    #[test]
    fn gemini_finds_a_call_without_an_id_by_the_name_of_its_tool() {
        let declined = Reply { is_error: true, ..reply_without_id("ask", "No", &[]) };
        assert_eq!(
            Reply::messages_of(&[declined, reply_without_id("question", "", &[])], MessageFormat::Gemini),
            [json!({"role": "user", "parts": [
                {"functionResponse": {"name": "ask", "response": {"error": "No"}}},
                {"functionResponse": {"name": "question", "response": {"output": ""}}},
            ]})]
        );
    }

    #[test]
    fn gemini_gets_no_blank_text() {
        let blank = [reply(None, "", &[]), reply(None, " \n", &[GIF])];
        assert_eq!(
            Reply::messages_of(&blank, MessageFormat::Gemini),
            [json!({"role": "user", "parts": [{"inlineData": {"mimeType": "image/gif", "data": "R0lGODlh"}}]})]
        );
        assert!(blank[0].messages(MessageFormat::Gemini).is_empty());
    }

    #[test]
    fn bedrock_converse_has_one_message_and_all_results_first_in_it() {
        assert_eq!(
            Reply::messages_of(&turn(), MessageFormat::BedrockConverse),
            [json!({"role": "user", "content": [
                {"toolResult": {"toolUseId": "a", "content": [
                    {"text": "One"},
                    {"image": {"format": "gif", "source": {"bytes": "R0lGODlh"}}},
                    {"image": {"format": "jpeg", "source": {"bytes": "/9j/"}}},
                ]}},
                {"toolResult": {"toolUseId": "b", "content": [{"text": "Three"}]}},
                {"text": "Two"},
                {"image": {"format": "jpeg", "source": {"bytes": "/9j/"}}},
                {"text": "Four"},
            ]})]
        );
    }

    #[test]
    fn bedrock_converse_is_told_of_an_error_and_has_its_images_after_the_results() {
        let error = |text| Reply { is_error: true, ..reply(Some("a"), text, &[GIF]) };
        for text in ["No", ""] {
            assert_eq!(
                Reply::messages_of(&[error(text), reply(Some("b"), "Yes", &[])], MessageFormat::BedrockConverse),
                [json!({"role": "user", "content": [
                    {"toolResult": {"toolUseId": "a", "content": [{"text": text}], "status": "error"}},
                    {"toolResult": {"toolUseId": "b", "content": [{"text": "Yes"}]}},
                    {"image": {"format": "gif", "source": {"bytes": "R0lGODlh"}}},
                ]})]
            );
        }
    }

    #[test]
    fn bedrock_converse_gets_no_blank_text() {
        let blank = [reply(Some("a"), "", &[]), reply(None, " \n", &[GIF])];
        assert_eq!(
            Reply::messages_of(&blank, MessageFormat::BedrockConverse),
            [json!({"role": "user", "content": [
                {"toolResult": {"toolUseId": "a", "content": []}},
                {"image": {"format": "gif", "source": {"bytes": "R0lGODlh"}}},
            ]})]
        );
        assert!(reply(None, "", &[]).messages(MessageFormat::BedrockConverse).is_empty());
    }

    #[test]
    fn ollama_has_all_results_before_the_users_messages() {
        let [first, second, third, fourth] = turn();
        let replies = [first, second, third, fourth, reply_without_id("question", "Five", &[])];
        assert_eq!(
            Reply::messages_of(&replies, MessageFormat::Ollama),
            [
                json!({"role": "tool", "tool_name": "ask", "tool_call_id": "a", "content": "One"}),
                json!({"role": "tool", "tool_name": "ask", "tool_call_id": "b", "content": "Three"}),
                json!({"role": "tool", "tool_name": "question", "content": "Five"}),
                json!({"role": "user", "content": "", "images": ["R0lGODlh", "/9j/"]}),
                json!({"role": "user", "content": "Two", "images": ["/9j/"]}),
                json!({"role": "user", "content": "Four"}),
            ]
        );
    }

    #[test]
    fn a_call_without_an_id_is_answered_by_the_user_where_an_id_is_needed() {
        let reply = reply_without_id("ask", "Yes", &[]);
        let text = json!([{"type": "text", "text": "Yes"}]);
        for (format, message) in [
            (MessageFormat::OpenAiChat, json!({"role": "user", "content": "Yes"})),
            (MessageFormat::OpenAiResponses, json!({"type": "message", "role": "user", "content": "Yes"})),
            (MessageFormat::Anthropic, json!({"role": "user", "content": text})),
            (MessageFormat::BedrockConverse, json!({"role": "user", "content": [{"text": "Yes"}]})),
        ] {
            assert_eq!(reply.messages(format), [message], "{format:?}");
        }
    }

    /// Packages and stored data may have replies that no dialogue made.
    #[test]
    fn a_reply_with_an_id_and_no_tool_is_one_of_ask_followup_question() {
        let reply = Reply { tool: None, ..reply(Some("a"), "Yes", &[]) };
        let name = |format, path| reply.messages(format)[0].pointer(path).cloned();
        assert_eq!(name(MessageFormat::Gemini, "/parts/0/functionResponse/name"), Some(json!(ASK)));
        assert_eq!(name(MessageFormat::Ollama, "/tool_name"), Some(json!(ASK)));
    }

    #[test]
    fn no_replies_are_no_messages() {
        for format in MessageFormat::ALL {
            assert!(Reply::messages_of(&[], format).is_empty());
        }
    }

    #[test]
    fn a_format_is_stored_as_its_name() {
        for format in MessageFormat::ALL {
            assert_eq!(serde_json::to_value(format).unwrap(), json!(format.name()));
        }
    }
}
