//! What every request meets first, and every response last.

use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http_body_util::LengthLimitError;
use serde::de::DeserializeOwned;

use super::{health, page, relay};
use crate::auth;
use crate::errors::Failure;
use crate::service::Shared;

/// What browsers are told with everything that is the service's own.
const OWN: [(HeaderName, &str); 6] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src data: blob:; connect-src 'self'; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-embedder-policy"), "require-corp"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

pub(super) async fn guard(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let is_page = page::is_of_page(path);
    let is_public = is_page || path == health::PATH;
    let is_relay = path == relay::PATH;
    let allowed = auth::check(&shared.settings, request.headers(), is_public);
    let mut response = match allowed {
        Ok(()) => next.run(request).await,
        Err(failure) => failure.into_response(),
    };
    // What is relayed is not the service's own.
    if !is_relay {
        let headers = response.headers_mut();
        for (name, value) in OWN {
            headers.insert(name, HeaderValue::from_static(value));
        }
        // As the page has it, which says itself when it is new.
        headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    }
    response
}

/// The body of a request, if it is no longer than the limit.
pub(super) async fn body(headers: &HeaderMap, body: Body, limit: usize) -> Result<Bytes, Failure> {
    let length = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > limit as u64) {
        return Err(Failure::body_too_large(limit));
    }
    to_bytes(body, limit).await.map_err(|error| match std::error::Error::source(&error) {
        Some(source) if source.is::<LengthLimitError>() => Failure::body_too_large(limit),
        _ => Failure::bad_request(format!("the request's body can't be read: {error}")),
    })
}

/// The JSON in a body. What is wrong with it is said with its place.
pub(super) fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Failure> {
    serde_json::from_slice(body)
        .map_err(|error| Failure::bad_request(format!("the body is not what it should be: {error}")))
}
