//! Errors as callers get them: a status, a code, and a message.

use std::fmt;

use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use followup::dialogue::{AnswerErrorKind, GuideError, ImageError};
use serde_json::json;

use crate::paced_body::RequestBodyError;

/// Why a request failed: a code for programs, a sentence for people.
#[derive(Debug)]
pub(crate) struct ApiError {
    status: StatusCode,
    code: &'static str,
    message: String,
    /// Seconds after which a retry may succeed.
    retry_after: Option<u32>,
    /// The offset from which on a message has to be sent.
    offset: Option<u64>,
    /// The answer that a question has already.
    answer: Option<String>,
}

impl ApiError {
    fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> ApiError {
        ApiError { status, code, message: message.into(), retry_after: None, offset: None, answer: None }
    }

    fn with_retry_after(mut self, seconds: u32) -> ApiError {
        self.retry_after = Some(seconds);
        self
    }

    pub(crate) fn not_found(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::NOT_FOUND, "not_found", message)
    }

    pub(crate) fn no_conversation(id: &str) -> ApiError {
        ApiError::not_found(format!(
            "there is no conversation {id}: it never existed, was deleted, or was dropped after being idle"
        ))
    }

    pub(crate) fn method(method: &str, path: &str) -> ApiError {
        let message =
            format!("{path} does not support {method}; the header `allow` lists the methods that it supports");
        ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", message)
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::BAD_REQUEST, "bad_request", message)
    }

    pub(crate) fn bad_id() -> ApiError {
        let message =
            "that is not a conversation id: an id has 1 to 64 characters, of A-Z a-z 0-9 - _, and is not `events`";
        ApiError::new(StatusCode::BAD_REQUEST, "bad_id", message)
    }

    pub(crate) fn too_large(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message)
    }

    pub(crate) fn body_too_large(limit: usize) -> ApiError {
        ApiError::too_large(format!(
            "the request's body may have at most {limit} bytes: send less, or raise the service's --limit-body"
        ))
    }

    /// The body of a request can't be read to its end.
    pub(crate) fn body_unreadable(error: &(dyn std::error::Error + 'static)) -> ApiError {
        match RequestBodyError::find(error) {
            Some(paused @ RequestBodyError::Paused(_)) => {
                let message = format!("{paused}: send it without such pauses, or raise --body-timeout");
                ApiError::new(StatusCode::REQUEST_TIMEOUT, "body_timeout", message)
            }
            _ => ApiError::bad_request(format!("the request's body can't be read to its end: {error}")),
        }
    }

    pub(crate) fn too_many_requests(limit: usize) -> ApiError {
        let message = format!(
            "{limit} requests are relayed or pushed at the moment: try again when one has ended, or raise --limit-requests"
        );
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "too_many_requests", message).with_retry_after(1)
    }

    pub(crate) fn too_many_conversations(limit: usize) -> ApiError {
        let message = format!(
            "all {limit} conversations are in use: try again when one has ended, delete one, or raise --limit-conversations"
        );
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "too_many_conversations", message).with_retry_after(5)
    }

    pub(crate) fn memory_full(limit: usize) -> ApiError {
        let message = format!(
            "the conversations and requests take {limit} bytes, and all are in use: try again when one has ended, delete one, or raise --max-memory"
        );
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "memory_full", message).with_retry_after(5)
    }

    pub(crate) fn too_many_readers(limit: usize) -> ApiError {
        let message = format!("this conversation already has {limit} readers: close one, or raise --limit-readers");
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "too_many_readers", message).with_retry_after(5)
    }

    pub(crate) fn too_many_list_readers(limit: usize) -> ApiError {
        let message = format!("the list already has {limit} readers: close one, or raise --limit-readers");
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "too_many_readers", message).with_retry_after(5)
    }

    pub(crate) fn busy(id: &str) -> ApiError {
        let message = format!("the model is still writing in conversation {id}: wait until the message has ended");
        ApiError::new(StatusCode::CONFLICT, "busy", message)
    }

    /// A piece of a message comes before the one at this offset.
    pub(crate) fn gap(message: &str, offset: u64) -> ApiError {
        let text = format!("message {message}: the piece at offset {offset} is missing; send it first");
        ApiError { offset: Some(offset), ..ApiError::new(StatusCode::CONFLICT, "gap", text) }
    }

    /// Turns the error "no such conversation" into "nothing of this message is here".
    pub(crate) fn or_gap(self, message: &str) -> ApiError {
        if self.code == "not_found" { ApiError::gap(message, 0) } else { self }
    }

    /// Question `number` can't be answered.
    pub(crate) fn answer(number: u64, kind: AnswerErrorKind) -> ApiError {
        let (status, code) = match kind {
            AnswerErrorKind::AlreadyAnswered
            | AnswerErrorKind::AlreadyCancelled
            | AnswerErrorKind::AlreadyDeclined
            | AnswerErrorKind::AlreadyDiscussed
            | AnswerErrorKind::AlreadyTimedOut
            | AnswerErrorKind::NotYetAsked => (StatusCode::CONFLICT, kind.code()),
            AnswerErrorKind::NoSuchSuggestion { .. } | AnswerErrorKind::NoDiscussion => {
                (StatusCode::UNPROCESSABLE_ENTITY, kind.code())
            }
            AnswerErrorKind::NotAsked => (StatusCode::NOT_FOUND, kind.code()),
            _ => (StatusCode::UNPROCESSABLE_ENTITY, "bad_answer"),
        };
        ApiError::new(status, code, format!("question {number}: {kind}"))
    }

    /// Question `number` was closed by the agent's next request.
    pub(crate) fn answered_elsewhere(number: u64) -> ApiError {
        let message = format!("question {number}: the agent has sent its next request, and needs no answer any more");
        ApiError::new(StatusCode::CONFLICT, "answered_elsewhere", message)
    }

    /// Question `number` was dismissed.
    pub(crate) fn dismissed(number: u64) -> ApiError {
        ApiError::new(StatusCode::CONFLICT, "dismissed", format!("question {number}: it was dismissed"))
    }

    pub(crate) fn not_stopped(error: &GuideError) -> ApiError {
        ApiError::new(StatusCode::CONFLICT, "not_stopped", error.to_string())
    }

    pub(crate) fn nothing_to_retry() -> ApiError {
        let message = "there is nothing to try again: no answer failed on its way, or the agent has gone on since";
        ApiError::new(StatusCode::CONFLICT, "nothing_to_retry", message)
    }

    pub(crate) fn bad_image(index: usize, error: &ImageError) -> ApiError {
        ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "bad_image", format!("image {index} (from 0): {error}"))
    }

    pub(crate) fn unauthorized() -> ApiError {
        let message =
            "this service requires its token: send `authorization: Bearer TOKEN` or `x-followup-token: TOKEN`";
        ApiError::new(StatusCode::UNAUTHORIZED, "unauthorized", message)
    }

    pub(crate) fn forbidden(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::FORBIDDEN, "forbidden", message)
    }

    pub(crate) fn no_upstream() -> ApiError {
        let message = "there is no provider to relay to: start the service with --upstream URL";
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "no_upstream", message)
    }

    pub(crate) fn upstream_unreachable(why: &dyn fmt::Display) -> ApiError {
        ApiError::new(StatusCode::BAD_GATEWAY, "upstream_unreachable", format!("the provider can't be reached: {why}"))
    }

    pub(crate) fn upstream_timeout(seconds: f64) -> ApiError {
        let message = format!("the provider has not answered for {seconds} s: see --upstream-timeout");
        ApiError::new(StatusCode::GATEWAY_TIMEOUT, "upstream_timeout", message)
    }

    pub(crate) fn shutting_down() -> ApiError {
        let message = "the service is shutting down: try again when it is back";
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "shutting_down", message).with_retry_after(5)
    }

    /// Another replica is writing a turn of a conversation.
    pub(crate) fn elsewhere(id: &str) -> ApiError {
        let message = format!(
            "the model is still writing in conversation {id}, through another replica of the service: try again when the message has ended"
        );
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "elsewhere", message).with_retry_after(1)
    }

    /// Another replica has become the writer of a conversation, and a change is lost.
    pub(crate) fn taken_over(id: &str) -> ApiError {
        let message = format!(
            "another replica of the service has taken over conversation {id} meanwhile, and this change is lost: \
             try again"
        );
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "elsewhere", message).with_retry_after(1)
    }

    /// Another replica has the key of a request that failed.
    pub(crate) fn key_elsewhere() -> ApiError {
        let message = "only the replica of the service that sent the request has its key: try again through that \
                       one, or let your agent send the replies";
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "elsewhere", message)
    }

    pub(crate) fn store_away() -> ApiError {
        let message = "the store of the conversations can't be reached: nothing was changed; try again in a moment";
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "store_unavailable", message).with_retry_after(1)
    }

    /// The store refuses a change.
    pub(crate) fn store_refused(why: &dyn fmt::Display) -> ApiError {
        let message = format!("nothing was changed: {why}");
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "store_unavailable", message).with_retry_after(5)
    }

    /// The store had lost a conversation, and has just got it back.
    pub(crate) fn store_restored(id: &str) -> ApiError {
        let message = format!(
            "the store had lost conversation {id}, and has it again from a replica: nothing was changed; try again in some seconds"
        );
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "store_unavailable", message).with_retry_after(5)
    }

    pub(crate) fn store_unreadable(why: &dyn fmt::Display) -> ApiError {
        let message = format!("what the store has of the conversation can't be read: {why}");
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "store_unreadable", message)
    }

    /// Question `number` has been answered, perhaps through another replica.
    pub(crate) fn answered(number: u64, answer: Option<String>) -> ApiError {
        let error = ApiError::answer(number, AnswerErrorKind::AlreadyAnswered);
        ApiError { answer, ..error }
    }

    /// Adds the answer that the question has already.
    ///
    /// It does so if that is what is wrong and the answer is not known yet.
    pub(crate) fn with_answer(mut self, answer: impl FnOnce() -> Option<String>) -> ApiError {
        if self.code == "already_answered" && self.answer.is_none() {
            self.answer = answer();
        }
        self
    }

    /// The answer to question `number` was accepted, and has not been given yet.
    pub(crate) fn answer_pending(number: u64) -> ApiError {
        let message = format!("question {number}: the answer was accepted, and takes longer than usual to be given");
        ApiError::new(StatusCode::GATEWAY_TIMEOUT, "answer_pending", message)
    }

    pub(crate) fn no_random(why: &dyn fmt::Display) -> ApiError {
        let message = format!("the system provides no random numbers: {why}");
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "no_random", message)
    }

    /// Returns the code for programs.
    pub(crate) fn code(&self) -> &'static str {
        self.code
    }

    /// Returns `true` if another replica is writing a turn of the conversation.
    pub(crate) fn is_elsewhere(&self) -> bool {
        self.code() == "elsewhere"
    }

    /// Returns `true` if there is no such question, or it does not wait for an answer.
    pub(crate) fn is_not_asked(&self) -> bool {
        self.code() == "not_asked"
    }

    /// Returns `true` if it lies at the store, or another replica.
    pub(crate) fn is_of_store(&self) -> bool {
        matches!(self.code(), "store_unavailable" | "store_unreadable" | "elsewhere" | "not_found")
    }

    /// Returns `true` if the same request may succeed in a moment, without any change.
    pub(crate) fn may_pass(&self) -> bool {
        matches!(self.code(), "store_unavailable" | "too_many_conversations")
    }

    /// Returns `true` if the provider is at fault.
    pub(crate) fn is_of_upstream(&self) -> bool {
        matches!(self.status, StatusCode::BAD_GATEWAY | StatusCode::GATEWAY_TIMEOUT)
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut error = json!({"code": self.code, "message": self.message});
        if let Some(offset) = self.offset {
            error["offset"] = offset.into();
        }
        if let Some(answer) = self.answer {
            error["answer"] = answer.into();
        }
        let body = json!({"error": error}).to_string();
        let mut response = (self.status, [(header::CONTENT_TYPE, "application/json")], body).into_response();
        let headers = response.headers_mut();
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

impl From<PathRejection> for ApiError {
    fn from(rejection: PathRejection) -> ApiError {
        ApiError::bad_request(format!("the path can't be read: {}", rejection.body_text()))
    }
}

impl From<QueryRejection> for ApiError {
    fn from(rejection: QueryRejection) -> ApiError {
        ApiError::bad_request(format!("the query can't be read: {}", rejection.body_text()))
    }
}
