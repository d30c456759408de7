//! The messages that carry replies to a model's API.

use alloc::vec::Vec;
use core::{iter, slice};

use serde_json::{Value, json};

use super::image::Image;
use super::reply::Reply;

/// The API that messages are for.
///
/// For another API, the caller writes the result of a call, from the `id` and the `text` of the
/// [`Reply`]. Gemini's and Ollama's results also have the name of the tool, which
/// [`Complete::tool`](crate::Complete::tool) returns. A custom tool's result for OpenAI Responses is
/// the caller's as well: it is a `custom_tool_call_output`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MessageFormat {
    /// OpenAI chat completions.
    OpenAiChat,
    /// OpenAI Responses.
    OpenAiResponses,
    /// Anthropic messages.
    Anthropic,
}

impl Reply {
    /// Returns the messages that carry this reply, if it is the only one of its turn.
    ///
    /// For OpenAI Responses these are input items. A native call is answered by its result under
    /// its id, any other by a message of the user. For several replies there is
    /// [`messages_of`](Reply::messages_of).
    ///
    /// ```
    /// use followup::Parser;
    /// use followup::dialogue::{Answer, Dialogue, MessageFormat};
    ///
    /// let (mut parser, mut dialogue) = (Parser::default(), Dialogue::default());
    /// let mut events = parser.feed(
    ///     "<ask_followup_question><question>Tea?</question></ask_followup_question>",
    /// );
    /// while let Some(event) = events.next() {
    ///     dialogue.event(event);
    /// }
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
    /// then what the user says to calls without an id:
    ///
    /// * OpenAI chat completions: a `tool` message for each result, then the user's messages. A
    ///   `tool` message can't have images, so they follow in a message of the user.
    /// * OpenAI Responses: a `function_call_output` for each result, with its images, then the
    ///   messages.
    /// * Anthropic: one message of the user, with a `tool_result` for each result and its images,
    ///   then the rest. A result that the tool's host marks as an error has `is_error` and no
    ///   images, which are an error there: they follow with the rest. A blank text is an error
    ///   there, too, and is left out; if nothing is left, there is no message.
    ///
    /// Images keep their order; OpenAI gets their data URLs unchanged. Cost: linear; a copy of the
    /// texts and images.
    ///
    /// ```
    /// use followup::Parser;
    /// use followup::dialogue::{Answer, Dialogue, MessageFormat, Reply};
    ///
    /// let call = "<ask_followup_question><question>Sure?</question></ask_followup_question>";
    /// let (mut parser, mut dialogue) = (Parser::default(), Dialogue::default());
    /// let message = call.repeat(2);
    /// let mut events = parser.feed(&message);
    /// while let Some(event) = events.next() {
    ///     dialogue.event(event);
    /// }
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
    let content: Vec<Value> = results.chain(rest).collect();
    if content.is_empty() { Vec::new() } else { [json!({"role": "user", "content": content})].into() }
}

/// Returns the text, unless it is blank, which is an error there.
fn anthropic_text(reply: &Reply) -> impl Iterator<Item = Value> {
    (!reply.text.trim().is_empty()).then(|| json!({"type": "text", "text": reply.text})).into_iter()
}

fn anthropic_images(reply: &Reply) -> impl Iterator<Item = Value> {
    reply.images.iter().map(|image| {
        let source = json!({"type": "base64", "media_type": image.media_type(), "data": image.base64()});
        json!({"type": "image", "source": source})
    })
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;
    use crate::dialogue::{IMAGE_LIMIT, ReplyKind};

    fn reply(id: Option<&str>, text: &str, images: &[&str]) -> Reply {
        let images = images.iter().map(|url| Image::from_data_url(url, IMAGE_LIMIT).unwrap()).collect();
        let (kind, id) = (ReplyKind::Answer, id.map(ToString::to_string));
        Reply { kind, number: None, id, text: text.into(), images, mode: None, is_error: false }
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
    fn no_replies_are_no_messages() {
        for format in [MessageFormat::OpenAiChat, MessageFormat::OpenAiResponses, MessageFormat::Anthropic] {
            assert!(Reply::messages_of(&[], format).is_empty());
        }
    }
}
