//! The messages that carry replies to a provider.

use alloc::vec::Vec;
use core::iter;

use serde_json::{Value, json};

use super::image::Image;
use super::reply::Reply;

/// For whom messages are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// OpenAI chat completions.
    OpenAiChat,
    /// OpenAI Responses.
    OpenAiResponses,
    /// Anthropic messages.
    Anthropic,
}

/// The messages that carry the replies of one turn. The results of native calls come first, because every API wants them right behind the calls.
pub(super) fn messages(replies: &[Reply], format: Format) -> Vec<Value> {
    match format {
        Format::OpenAiChat => openai_chat(replies),
        Format::OpenAiResponses => openai_responses(replies),
        Format::Anthropic => anthropic(replies),
    }
}

fn openai_chat(replies: &[Reply]) -> Vec<Value> {
    let results = replies.iter().filter_map(|reply| {
        let id = reply.id.as_deref()?;
        Some(json!({"role": "tool", "tool_call_id": id, "content": reply.text}))
    });
    results.chain(replies.iter().filter_map(openai_chat_user)).collect()
}

/// What of a reply the user says: all, or the images that the result of a call can't have.
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
    let said = replies
        .iter()
        .filter(|reply| reply.id.is_none())
        .map(|reply| json!({"type": "message", "role": "user", "content": openai_responses_content(reply)}));
    results.chain(said).collect()
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
        let content: Vec<Value> = anthropic_content(reply).collect();
        Some(json!({"type": "tool_result", "tool_use_id": id, "content": content}))
    });
    let said = replies.iter().filter(|reply| reply.id.is_none()).flat_map(anthropic_content);
    let content: Vec<Value> = results.chain(said).collect();
    if content.is_empty() { Vec::new() } else { [json!({"role": "user", "content": content})].into() }
}

/// Its text, unless that is blank, which is an error there; and its images.
fn anthropic_content(reply: &Reply) -> impl Iterator<Item = Value> {
    let text = (!reply.text.trim().is_empty()).then(|| json!({"type": "text", "text": reply.text}));
    let images = reply.images.iter().map(|image| {
        let source = json!({"type": "base64", "media_type": image.media_type(), "data": image.base64()});
        json!({"type": "image", "source": source})
    });
    text.into_iter().chain(images)
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;
    use crate::dialogue::{IMAGE_LIMIT, ReplyKind};

    fn reply(id: Option<&str>, text: &str, images: &[&str]) -> Reply {
        let images = images.iter().map(|url| Image::from_data_url(url, IMAGE_LIMIT).unwrap()).collect();
        let (kind, id) = (ReplyKind::Answer, id.map(ToString::to_string));
        Reply { kind, number: None, id, text: text.into(), images, mode: None }
    }

    const GIF: &str = "data:image/gif;base64,R0lGODlh";
    const JPEG: &str = "data:image/jpg;base64,/9j/";

    /// Native calls and calls in markup, with images and without.
    fn turn() -> [Reply; 4] {
        [
            reply(Some("a"), "One", &[GIF, JPEG]),
            reply(None, "Two", &[JPEG]),
            reply(Some("b"), "Three", &[]),
            reply(None, "Four", &[]),
        ]
    }

    #[test]
    fn openai_chat_has_all_results_before_anything_of_the_users() {
        assert_eq!(
            Reply::messages_of(&turn(), Format::OpenAiChat),
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
    fn openai_responses_has_all_outputs_before_anything_of_the_users() {
        assert_eq!(
            Reply::messages_of(&turn(), Format::OpenAiResponses),
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
            Reply::messages_of(&turn(), Format::Anthropic),
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

    #[test]
    fn anthropic_gets_no_blank_text() {
        let blank = [reply(Some("a"), "", &[]), reply(None, " \n", &[GIF])];
        assert_eq!(
            Reply::messages_of(&blank, Format::Anthropic),
            [json!({"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": []},
                {"type": "image", "source": {"type": "base64", "media_type": "image/gif", "data": "R0lGODlh"}},
            ]})]
        );
        assert!(reply(None, "", &[]).messages(Format::Anthropic).is_empty());
    }

    #[test]
    fn no_replies_are_no_messages() {
        for format in [Format::OpenAiChat, Format::OpenAiResponses, Format::Anthropic] {
            assert!(Reply::messages_of(&[], format).is_empty());
        }
    }
}
