//! `POST /conversations/ID/answer`: an action of the user.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use followup::dialogue::{Answer, FormAnswer, IMAGE_LIMIT, Image, Reply};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::body::{json_response, parse_json, read_own};
use super::reply_format::ReplyFormat;
use crate::app_state::AppState;
use crate::conversation::Readiness;
use crate::conversation::user_action::{ActionOutcome, UserAction};
use crate::error::ApiError;
use crate::turns::continuing::continue_with;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerBody {
    number: Option<u64>,
    suggestion: Option<usize>,
    text: Option<String>,
    #[serde(default)]
    cancel: bool,
    #[serde(default)]
    decline: bool,
    #[serde(default)]
    discuss: bool,
    #[serde(default)]
    time_out: bool,
    /// With `discuss` and `time_out`, the answers so far.
    form: Option<Vec<FormAnswer>>,
    guide: Option<String>,
    #[serde(default)]
    images: Vec<String>,
    #[serde(default)]
    format: ReplyFormat,
}

/// The response: the reply to this question, and the messages with all replies to the turn.
#[derive(Serialize)]
struct AnswerResponse<'a> {
    reply: &'a Reply,
    messages: Vec<Value>,
    waiting: usize,
    continued: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

pub(super) async fn answer(
    State(state): State<Arc<AppState>>,
    id: Result<Path<String>, PathRejection>,
    request: Request,
) -> Result<Response, ApiError> {
    let id = id?;
    // Before the body is read, which may be large.
    state.store.get(&id).await?;
    let (parts, body) = request.into_parts();
    let (bytes, counted) = read_own(&state, &parts.headers, body).await?;
    let body: AnswerBody = parse_json(&bytes)?;
    drop((bytes, counted));
    let format = body.format.0;
    let image = |(index, url): (usize, &String)| {
        Image::from_data_url(url, IMAGE_LIMIT).map_err(|error| ApiError::bad_image(index, &error))
    };
    let images = body.images.iter().enumerate().map(image).collect::<Result<Vec<_>, _>>()?;
    let action = action(body)?;
    let (conversation, outcome) = state.store.perform(&id, action, images, format).await?;
    let ActionOutcome { reply, messages, waiting, is_sent } = outcome;
    let (continued, why) = match continue_with(&state, &conversation, &reply) {
        Ok(()) => (true, None),
        // Another replica does it, which has the conversation.
        Err(_) if is_sent => (true, None),
        Err(Readiness::Blocked(why)) => (false, Some(why)),
        Err(_) => (false, None),
    };
    state.store.confirm(&conversation, &reply, format).await?;
    // All of it serializes to JSON.
    let response = serde_json::to_vec(&AnswerResponse { reply: &reply, messages, waiting, continued, why });
    Ok(json_response(response.unwrap_or_default()))
}

/// Returns the action that the fields stand for. Any other combination of fields is an error.
fn action(body: AnswerBody) -> Result<UserAction, ApiError> {
    let AnswerBody { number, suggestion, text, cancel, decline, discuss, time_out, form, guide, images, .. } = body;
    let usage = || ApiError::bad_request(USAGE);
    let (has_images, ends) = (!images.is_empty(), [cancel, decline, discuss, time_out].contains(&true));
    let has_answers_so_far = form.is_some() && (discuss || time_out);
    let kinds = [
        cancel,
        decline,
        discuss,
        time_out,
        form.is_some() && !has_answers_so_far,
        guide.is_some(),
        suggestion.is_some() || text.is_some(),
    ];
    if kinds.iter().filter(|&&kind| kind).count() != 1 || ends && has_images {
        return Err(usage());
    }
    let is_blank = |text: &str| text.trim().is_empty() && !has_images;
    if text.as_deref().or(guide.as_deref()).is_some_and(is_blank) {
        return Err(ApiError::bad_request("the text is empty: write something, or send an image with it"));
    }
    let is_unanswered = |answers: &[FormAnswer]| !has_images && !answers.iter().any(FormAnswer::is_answered);
    if !has_answers_so_far && form.as_deref().is_some_and(is_unanswered) {
        return Err(ApiError::bad_request(
            "nothing is answered: answer a question of the form, or cancel or decline it",
        ));
    }
    let Some(number) = number else {
        return guide.map(|text| UserAction::Guide { text }).ok_or_else(usage);
    };
    let answer = match (suggestion, text, form) {
        (None, None, None) if cancel => return Ok(UserAction::Cancel { number }),
        (None, None, None) if decline => return Ok(UserAction::Decline { number }),
        (None, None, form) if discuss => return Ok(UserAction::Discuss { number, answers: form.unwrap_or_default() }),
        (None, None, form) if time_out => return Ok(UserAction::TimeOut { number, answers: form.unwrap_or_default() }),
        (Some(suggestion), None, None) => Answer::Suggestion(suggestion),
        (Some(suggestion), Some(text), None) => Answer::Edited { suggestion, text },
        (None, Some(text), None) => Answer::Text(text),
        (None, None, Some(answers)) => Answer::Form(answers),
        _ => return Err(usage()),
    };
    Ok(UserAction::Answer { number, answer })
}

const USAGE: &str = "\
an answer has a \"number\" and one of: \"suggestion\":I, \"suggestion\":I with \"text\":S, \"text\":S, \
\"form\":[{\"picked\":[I],\"text\":S,\"note\":S}…], or without images \"cancel\":true, \"decline\":true, \
\"discuss\":true or \"time_out\":true (the last two with the \"form\" so far, if there is any); \
when the dialogue has stopped, \"guide\":S without a number";
