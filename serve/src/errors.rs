//! What callers are told when something can't be done.

use std::fmt;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use followup::dialogue::{AnswerErrorKind, GuideError, ImageError};
use serde_json::json;

/// Why a request can't be served: one word for programs, a sentence for people.
#[derive(Debug)]
pub(crate) struct Failure {
    status: StatusCode,
    code: &'static str,
    message: String,
    /// After how many seconds it may be otherwise.
    retry_after: Option<u32>,
}

impl Failure {
    fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Failure {
        Failure { status, code, message: message.into(), retry_after: None }
    }

    fn again(mut self, seconds: u32) -> Failure {
        self.retry_after = Some(seconds);
        self
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Failure {
        Failure::new(StatusCode::NOT_FOUND, "not_found", message)
    }

    pub(crate) fn no_conversation(id: &str) -> Failure {
        Failure::not_found(format!(
            "there is no conversation {id}: it never was, was deleted, or was not used for long"
        ))
    }

    pub(crate) fn method(method: &str, path: &str) -> Failure {
        let message = format!("{path} can't be used with {method}; the header `allow` says with what it can");
        Failure::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", message)
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Failure {
        Failure::new(StatusCode::BAD_REQUEST, "bad_request", message)
    }

    pub(crate) fn bad_id() -> Failure {
        let message = "that is no id of a conversation: it has 1 to 64 characters, of A-Z a-z 0-9 - _";
        Failure::new(StatusCode::BAD_REQUEST, "bad_id", message)
    }

    pub(crate) fn too_large(message: impl Into<String>) -> Failure {
        Failure::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message)
    }

    pub(crate) fn body_too_large(limit: usize) -> Failure {
        Failure::too_large(format!(
            "the request's body may have {limit} bytes: send less, or raise --limit-body of the service"
        ))
    }

    pub(crate) fn too_many_conversations(limit: usize) -> Failure {
        let message = format!(
            "all {limit} conversations are in use: try again when one has ended, delete one, or raise --limit-conversations"
        );
        Failure::new(StatusCode::SERVICE_UNAVAILABLE, "too_many_conversations", message).again(5)
    }

    pub(crate) fn too_many_readers(limit: usize) -> Failure {
        let message = format!("{limit} read this conversation already: close one, or raise --limit-readers");
        Failure::new(StatusCode::SERVICE_UNAVAILABLE, "too_many_readers", message).again(5)
    }

    pub(crate) fn busy(id: &str) -> Failure {
        let message = format!("the model is still writing in conversation {id}: wait until that has ended");
        Failure::new(StatusCode::CONFLICT, "busy", message)
    }

    /// The question of that number can't be answered.
    pub(crate) fn answer(number: u64, kind: AnswerErrorKind) -> Failure {
        let (status, code) = match kind {
            AnswerErrorKind::AlreadyAnswered => (StatusCode::CONFLICT, "already_answered"),
            AnswerErrorKind::AlreadyCancelled => (StatusCode::CONFLICT, "already_cancelled"),
            AnswerErrorKind::NotYetAsked => (StatusCode::CONFLICT, "not_yet_asked"),
            AnswerErrorKind::NoSuchSuggestion { .. } => (StatusCode::UNPROCESSABLE_ENTITY, "no_such_suggestion"),
            _ => (StatusCode::NOT_FOUND, "not_asked"),
        };
        Failure::new(status, code, format!("question {number}: {kind}"))
    }

    pub(crate) fn not_stopped(error: &GuideError) -> Failure {
        Failure::new(StatusCode::CONFLICT, "not_stopped", error.to_string())
    }

    pub(crate) fn bad_image(nth: usize, error: &ImageError) -> Failure {
        Failure::new(StatusCode::UNPROCESSABLE_ENTITY, "bad_image", format!("image {nth} (from 0): {error}"))
    }

    pub(crate) fn unauthorized() -> Failure {
        let message = "this service wants its token: send `authorization: Bearer TOKEN` or `x-followup-token: TOKEN`";
        Failure::new(StatusCode::UNAUTHORIZED, "unauthorized", message)
    }

    pub(crate) fn forbidden(message: impl Into<String>) -> Failure {
        Failure::new(StatusCode::FORBIDDEN, "forbidden", message)
    }

    pub(crate) fn no_upstream() -> Failure {
        let message = "there is no provider to relay to: start the service with --upstream URL";
        Failure::new(StatusCode::SERVICE_UNAVAILABLE, "no_upstream", message)
    }

    pub(crate) fn upstream_unreachable(why: &dyn fmt::Display) -> Failure {
        Failure::new(StatusCode::BAD_GATEWAY, "upstream_unreachable", format!("the provider can't be reached: {why}"))
    }

    pub(crate) fn upstream_timeout(seconds: f64) -> Failure {
        let message = format!("the provider has not answered for {seconds} s: see --upstream-timeout");
        Failure::new(StatusCode::GATEWAY_TIMEOUT, "upstream_timeout", message)
    }

    pub(crate) fn shutting_down() -> Failure {
        let message = "the service is about to end: try again when it is back";
        Failure::new(StatusCode::SERVICE_UNAVAILABLE, "shutting_down", message).again(5)
    }

    pub(crate) fn no_random(why: &dyn fmt::Display) -> Failure {
        let message = format!("this machine gives no random numbers: {why}");
        Failure::new(StatusCode::INTERNAL_SERVER_ERROR, "no_random", message)
    }

    pub(crate) fn code(&self) -> &'static str {
        self.code
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let body = json!({"error": {"code": self.code, "message": self.message}}).to_string();
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
