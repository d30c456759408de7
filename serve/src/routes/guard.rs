//! The middleware around all paths.
//!
//! Access control and the pace of bodies are before them, security headers after them.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::relay::Relayed;
use super::{health, page, push};
use crate::app_state::AppState;
use crate::auth;
use crate::paced_body::PacedBody;

/// Headers of every response that does not come from the provider.
const SECURITY_HEADERS: [(HeaderName, &str); 6] = [
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

/// Returns `true` if a browser shows or runs the response, instead of handing it to a script.
///
/// What a provider sends must not act with the rights of the page then.
fn is_opened(headers: &HeaderMap) -> bool {
    headers.get_all("sec-fetch-dest").iter().any(|destination| destination != "empty")
}

pub(super) async fn guard(State(state): State<Arc<AppState>>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let is_page = page::is_page_path(path);
    let is_public = is_page || path == health::PATH || path == health::READY_PATH;
    let is_opened = is_opened(request.headers());
    let limits = &state.settings.limits;
    // What is pushed comes from a provider, whose model may think for minutes.
    let pause = if path == push::PATH { state.settings.upstream_timeout } else { limits.body_pause };
    let allowed = auth::check(&state.settings, request.headers(), is_public).and_then(|()| {
        // A link on another site may lead to the page.
        if is_page { Ok(()) } else { auth::check_site(request.headers()) }
    });
    let mut response = match allowed {
        Ok(()) => next.run(request.map(|body| Body::new(PacedBody::new(body, pause)))).await,
        Err(error) => error.into_response(),
    };
    let is_relayed = response.extensions_mut().remove::<Relayed>().is_some();
    let headers = response.headers_mut();
    if is_relayed {
        // A relayed response keeps the provider's headers.
        if is_opened {
            headers.append(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("sandbox"));
        }
    } else {
        for (name, value) in SECURITY_HEADERS {
            // The page has a policy of its own, which allows its inline scripts.
            headers.entry(name).or_insert(HeaderValue::from_static(value));
        }
        // The page's files are cached and revalidated; they set the header themselves.
        headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    }
    response
}
