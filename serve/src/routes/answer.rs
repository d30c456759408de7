//! What the user says.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use followup::dialogue::{Answer, IMAGE_LIMIT, Image, MessageFormat, Reply};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{guard, json};
use crate::conversation::{Answered, Given, Next};
use crate::errors::Failure;
use crate::onward;
use crate::service::Shared;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Body {
    number: Option<u64>,
    suggestion: Option<usize>,
    text: Option<String>,
    #[serde(default)]
    cancel: bool,
    guide: Option<String>,
    #[serde(default)]
    images: Vec<String>,
    #[serde(default)]
    format: Wanted,
}

#[derive(Clone, Copy, Default, Deserialize)]
enum Wanted {
    #[default]
    #[serde(rename = "openai-chat")]
    OpenAiChat,
    #[serde(rename = "openai-responses")]
    OpenAiResponses,
    #[serde(rename = "anthropic")]
    Anthropic,
}

#[derive(Serialize)]
struct Taken {
    reply: Reply,
    messages: Vec<Value>,
    waiting: usize,
    continued: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

pub(super) async fn answer(
    State(shared): State<Arc<Shared>>,
    id: Result<Path<String>, PathRejection>,
    request: Request,
) -> Result<Response, Failure> {
    let conversation = shared.store.get(&id?)?;
    let (parts, body) = request.into_parts();
    let body: Body = guard::read(&guard::body(&parts.headers, body, shared.settings.limits.body).await?)?;
    let format = match body.format {
        Wanted::OpenAiChat => MessageFormat::OpenAiChat,
        Wanted::OpenAiResponses => MessageFormat::OpenAiResponses,
        Wanted::Anthropic => MessageFormat::Anthropic,
    };
    let image = |(nth, url): (usize, &String)| {
        Image::from_data_url(url, IMAGE_LIMIT).map_err(|error| Failure::bad_image(nth, &error))
    };
    let images = body.images.iter().enumerate().map(image).collect::<Result<Vec<_>, _>>()?;
    let given = given(body)?;
    let Answered { reply, messages, waiting } = conversation.take(given, images, format)?;
    let (continued, why) = match onward::go_on(&shared, &conversation) {
        Ok(()) => (true, None),
        Err(Next::Cannot(why)) => (false, Some(why)),
        Err(_) => (false, None),
    };
    // Everything in it is JSON.
    let taken = serde_json::to_vec(&Taken { reply, messages, waiting, continued, why });
    Ok(json(taken.unwrap_or_default()))
}

/// What the user did. Two things at once mean nothing.
fn given(body: Body) -> Result<Given, Failure> {
    let Body { number, suggestion, text, cancel, guide, images, .. } = body;
    let has_images = !images.is_empty();
    let is_blank = |text: &str| text.trim().is_empty() && !has_images;
    let (number, answer) = match (number, suggestion, text, cancel, guide) {
        (Some(number), None, None, true, None) if !has_images => return Ok(Given::Cancel { number }),
        (None, None, None, false, Some(text)) if !is_blank(&text) => return Ok(Given::Guide { text }),
        (Some(number), Some(suggestion), None, false, None) => (number, Answer::Suggestion(suggestion)),
        (Some(number), Some(suggestion), Some(text), false, None) if !is_blank(&text) => {
            (number, Answer::Edited { suggestion, text })
        }
        (Some(number), None, Some(text), false, None) if !is_blank(&text) => (number, Answer::Text(text)),
        (_, _, Some(text), _, None) | (_, _, None, _, Some(text)) if is_blank(&text) => {
            return Err(Failure::bad_request("the text is empty: say something, or send an image with it"));
        }
        _ => return Err(Failure::bad_request(WANTED)),
    };
    Ok(Given::Answer { number, answer })
}

const WANTED: &str = "\
an answer has a \"number\" and one of: \"suggestion\":I, \"suggestion\":I with \"text\":S, \"text\":S, or \"cancel\":true (without images); \
when the dialogue has stopped, \"guide\":S without a number";
