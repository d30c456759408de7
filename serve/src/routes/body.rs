//! Bodies of requests and responses.

use axum::body::Body;
use axum::http::header::{self, HeaderMap};
use axum::response::{IntoResponse, Response};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use serde::de::DeserializeOwned;

use crate::app_state::AppState;
use crate::error::ApiError;
use crate::memory::CountedMemory;

/// After how many bytes of a body it is checked whether there is memory for it.
const CHECKED: usize = 64 << 10;

/// Reads the body of a request, up to the limit of the settings.
///
/// Its bytes are counted as they arrive, and until the returned value is dropped.
///
/// # Errors
///
/// `too_large`, at once if `content-length` says so; `memory_full`; `body_timeout` if it pauses for
/// too long; `bad_request` if the connection breaks.
pub(super) async fn read_limited(
    state: &AppState,
    headers: &HeaderMap,
    mut body: Body,
) -> Result<(Bytes, CountedMemory), ApiError> {
    let limit = state.settings.limits.body;
    let length = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > limit as u64) {
        return Err(ApiError::body_too_large(limit));
    }
    let (mut bytes, mut counted) = (BytesMut::new(), state.metrics.memory.count(0));
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| ApiError::body_unreadable(&error))?;
        // Trailers are dropped.
        let Ok(chunk) = frame.into_data() else { continue };
        if chunk.len() > limit - bytes.len() {
            return Err(ApiError::body_too_large(limit));
        }
        let checked = bytes.len() / CHECKED;
        bytes.extend_from_slice(&chunk);
        counted.set(bytes.len());
        if bytes.len() / CHECKED > checked {
            state.store.local().check_memory()?;
        }
    }
    Ok((bytes.freeze(), counted))
}

/// Reads the body of a request for this service, as [`read_limited`] does.
///
/// # Errors
///
/// As [`read_limited`], and `bad_request` if the body is compressed.
pub(super) async fn read_own(
    state: &AppState,
    headers: &HeaderMap,
    body: Body,
) -> Result<(Bytes, CountedMemory), ApiError> {
    check_encoding(headers)?;
    read_limited(state, headers, body).await
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
