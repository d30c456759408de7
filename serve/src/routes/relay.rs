//! `POST /v1/chat/completions`: relays a request to the provider, and its response to the caller.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use followup::wire;

use super::body::read_limited;
use crate::app_state::AppState;
use crate::conversation::request_content::RequestContent;
use crate::conversation::turn::{Turn, TurnSource};
use crate::error::ApiError;
use crate::turns::relay::{is_event_stream, prepare_continuation, relayed_body};
use crate::upstream::end_to_end;

pub(super) const PATH: &str = "/v1/chat/completions";

/// Names the conversation in the request and in the response.
const CONVERSATION: HeaderName = HeaderName::from_static("x-followup-conversation");

pub(super) async fn relay(State(state): State<Arc<AppState>>, request: Request) -> Result<Response, ApiError> {
    state.check_running()?;
    let upstream = state.upstream.as_ref().ok_or_else(ApiError::no_upstream)?;
    let (parts, body) = request.into_parts();
    let id = conversation_id(&parts.headers)?;
    if let Some(id) = id {
        // Checked before the provider is sent anything.
        match state.store.get(id) {
            Ok(conversation) => conversation.check_free()?,
            Err(error) if error.code() == "not_found" => {}
            Err(error) => return Err(error),
        }
    }
    let body = read_limited(&parts.headers, body, state.settings.limits.body).await?;
    let headers = upstream.headers(&parts.headers);
    let response = match upstream.send(headers.clone(), body.clone()).await {
        Ok(response) => response,
        Err(error) => {
            state.metrics.upstream_error();
            return Err(error);
        }
    };
    let mut head = (response.status(), end_to_end(response.headers()));
    let mut turn = None;
    if is_event_stream(response.headers()) {
        let (conversation, _) = state.store.get_or_create(id)?;
        let name = HeaderValue::from_str(conversation.id()).map_err(|_| ApiError::bad_id())?;
        head.1.insert(CONVERSATION, name);
        let mut started =
            Turn::begin(&conversation, Some(wire::Format::OpenAiChat), TurnSource::Relay, RequestContent::default())?;
        if let Some(encoding) = encoding(response.headers()) {
            started.set_unreadable(
                "encoded",
                &format!("the provider's stream is forwarded, but can't be read: its content-encoding is {encoding}"),
            );
        } else {
            prepare_continuation(&state, &mut started, headers, &body);
        }
        turn = Some(started);
    }
    let body = Body::from_stream(relayed_body(state, turn, response));
    Ok(with_head(head, body))
}

fn with_head((status, headers): (StatusCode, HeaderMap), body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

/// Returns the id of the conversation that the caller names.
fn conversation_id(headers: &HeaderMap) -> Result<Option<&str>, ApiError> {
    headers.get(CONVERSATION).map(|id| id.to_str().map_err(|_| ApiError::bad_id())).transpose()
}

/// Returns the body's encoding, if the provider compressed it although it was asked not to.
fn encoding(headers: &HeaderMap) -> Option<&str> {
    let encoding = headers.get(header::CONTENT_ENCODING)?.to_str().unwrap_or("encoded").trim();
    (!encoding.is_empty() && !encoding.eq_ignore_ascii_case("identity")).then_some(encoding)
}
