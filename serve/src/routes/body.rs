//! Bodies of requests and responses.

use axum::body::{Body, to_bytes};
use axum::http::header::{self, HeaderMap};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http_body_util::LengthLimitError;
use serde::de::DeserializeOwned;

use crate::error::ApiError;

/// Reads the body of a request, up to a limit.
///
/// # Errors
///
/// `too_large`, at once if `content-length` says so; `body_timeout` if it pauses for too long;
/// `bad_request` if the connection breaks.
pub(super) async fn read_limited(headers: &HeaderMap, body: Body, limit: usize) -> Result<Bytes, ApiError> {
    let length = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > limit as u64) {
        return Err(ApiError::body_too_large(limit));
    }
    to_bytes(body, limit).await.map_err(|error| match std::error::Error::source(&error) {
        Some(source) if source.is::<LengthLimitError>() => ApiError::body_too_large(limit),
        _ => ApiError::body_unreadable(&error),
    })
}

/// Reads the body of a request for this service, up to a limit.
///
/// # Errors
///
/// As [`read_limited`], and `bad_request` if the body is compressed.
pub(super) async fn read_own(headers: &HeaderMap, body: Body, limit: usize) -> Result<Bytes, ApiError> {
    check_encoding(headers)?;
    read_limited(headers, body, limit).await
}

/// Fails if a body is compressed, because nothing here decompresses one.
pub(super) fn check_encoding(headers: &HeaderMap) -> Result<(), ApiError> {
    if headers.get_all(header::CONTENT_ENCODING).iter().all(|encoding| encoding == "identity") {
        return Ok(());
    }
    Err(ApiError::bad_request("the body is compressed, and can't be read: send it without a content-encoding"))
}

/// Parses JSON. The error names the line and column.
pub(super) fn parse_json<T: DeserializeOwned>(body: &[u8]) -> Result<T, ApiError> {
    serde_json::from_slice(body).map_err(|error| ApiError::bad_request(format!("the body is not valid: {error}")))
}

/// Returns a response with a body that is JSON already.
pub(super) fn json_response(body: impl Into<Body>) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], body.into()).into_response()
}
