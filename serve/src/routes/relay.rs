//! `/v1/…`: relays a request to the provider, and its response to the caller.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Uri, header};
use axum::response::Response;
use bytes::Bytes;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;

use super::body::read_limited;
use crate::app_state::AppState;
use crate::chat::{AnswerReader, ApiFormat};
use crate::conversation::continuation::PendingContinuation;
use crate::conversation::turn::{Turn, TurnSource};
use crate::conversation::{Conversation, InUse};
use crate::error::ApiError;
use crate::local_store::check_id;
use crate::recognition::ShownConversation;
use crate::turns::relay::{BodyKind, RelayedTurn, cannot_continue, prepare_continuation, relayed_body};
use crate::upstream::{ProviderResponse, Upstream, end_to_end};

/// Everything below this path is relayed.
const PREFIX: &str = "/v1/";
pub(super) const ROUTE: &str = "/v1/{*path}";

/// Marks a response that comes from the provider.
#[derive(Clone, Copy)]
pub(super) struct Relayed;

/// Names the conversation in the request and in the response.
const CONVERSATION: HeaderName = HeaderName::from_static("x-followup-conversation");

/// Maximum number of bytes of a request that is read at once.
///
/// Other tasks need not wait for a longer one.
const MAX_QUICK: usize = 128 << 10;

/// How long a caller waits for its conversation.
///
/// It waits for the end of its last message, and for the store.
const MAX_WAIT: Duration = Duration::from_millis(2500);

/// How long a caller waits before it looks again whether a message has ended on another replica.
const PAUSE: Duration = Duration::from_millis(20);

/// Bytes that a turn takes while it streams: the connections, the parser.
const TURN_OVERHEAD: usize = 64 << 10;

pub(super) async fn relay(State(state): State<Arc<AppState>>, request: Request) -> Result<Response, ApiError> {
    state.check_running()?;
    let upstream = state.upstream.as_ref().ok_or_else(ApiError::no_upstream)?;
    let permit = state.request_permit()?;
    let (parts, body) = request.into_parts();
    // The slash belongs to the path that is appended to the base URL.
    let path = &parts.uri.path()[PREFIX.len() - 1..];
    let uri = upstream.uri(path, parts.uri.query())?;
    match ApiFormat::of(&parts.method, path) {
        Some(format) => relay_turn(&state, upstream, format, uri, &parts, body, permit).await,
        None => {
            let headers = upstream.headers(&parts.headers);
            let sent = upstream.forward(parts.method, uri, headers, body).await;
            let response = count_error(&state, sent)?;
            let head = (response.status(), end_to_end(response.headers()));
            Ok(with_head(head, Body::from_stream(relayed_body(state, None, response, permit))))
        }
    }
}

/// Relays a request whose answer is a message of a model: the next turn of a conversation.
async fn relay_turn(
    state: &Arc<AppState>,
    upstream: &Upstream,
    format: ApiFormat,
    uri: Uri,
    parts: &Parts,
    body: Body,
    permit: OwnedSemaphorePermit,
) -> Result<Response, ApiError> {
    let id = conversation_id(&parts.headers)?;
    // Checked before the provider is sent anything.
    id.map(check_id).transpose()?;
    state.store.local().check_memory()?;
    let (body, mut taken) = read_limited(state, &parts.headers, body).await?;
    taken.set(TURN_OVERHEAD + body.len());
    let headers = upstream.headers_of_turn(&parts.headers);
    let sent = upstream.forward(parts.method.clone(), uri, headers.clone(), body.clone().into());
    let read = read_request(state, format, body.clone());
    let (sent, shown) = match state.store.local().check_room() {
        // The provider is working meanwhile.
        Ok(()) => tokio::join!(sent, read),
        Err(full) => {
            let shown = read.await;
            if !is_here(state, id, &shown).await {
                return Err(full);
            }
            (sent.await, shown)
        }
    };
    let response = count_error(state, sent)?;
    let mut head = (response.status(), end_to_end(response.headers()));
    let mut turn = None;
    // What the provider has answered is never thrown away, even if there is no room for a turn.
    if let Some(kind) = BodyKind::of(&response)
        && let Ok(mut started) = begin_turn(state, id, format, &shown).await
    {
        let conversation = started.conversation().clone();
        let name = HeaderValue::from_str(conversation.id()).map_err(|_| ApiError::bad_id())?;
        head.1.insert(CONVERSATION, name);
        let record = state.recognizer.record(&shown, &conversation);
        let mut answer = None;
        if let Some(encoding) = encoding(response.headers()) {
            started.set_unreadable(
                "encoded",
                &format!("the provider's answer is forwarded, but can't be read: its content-encoding is {encoding}"),
            );
        } else {
            answer = Some(AnswerReader::new(format, kind == BodyKind::EventStream, state.settings.limits.kept));
            match cannot_continue(format, kind) {
                None => prepare_continuation(state, &mut started, headers, &body),
                Some(why) if state.settings.auto_continue => {
                    started.set_continuation(PendingContinuation::Unavailable(why));
                }
                Some(_) => {}
            }
        }
        // From now on the request is kept only to be continued.
        taken.set(TURN_OVERHEAD + if state.settings.auto_continue { body.len() } else { 0 });
        turn = Some(RelayedTurn::new(started, answer, record, taken));
    }
    Ok(with_head(head, Body::from_stream(relayed_body(state.clone(), turn, response, permit))))
}

/// Returns `true` if the conversation is in this process, and so needs no room.
///
/// It is the one that the caller names or the request extends.
async fn is_here(state: &AppState, id: Option<&str>, shown: &ShownConversation) -> bool {
    match id {
        Some(id) => state.store.local().find(id).is_some(),
        None => state.recognizer.find(shown).await.is_some(),
    }
}

/// Reads what a request shows of its conversation.
async fn read_request(state: &AppState, format: ApiFormat, body: Bytes) -> ShownConversation {
    let recognizer = state.recognizer.clone();
    if body.len() <= MAX_QUICK {
        return recognizer.read(format, &body);
    }
    // A panic would be a bug; the turn then has a new conversation.
    tokio::task::spawn_blocking(move || recognizer.read(format, &body)).await.unwrap_or_default()
}

/// Begins a turn in the conversation that the caller names or the request extends, or in a new one.
///
/// A conversation in which another turn is streaming is left alone: the caller gets a new one. So
/// it does if the conversation is in a store that does not answer at once.
async fn begin_turn(
    state: &AppState,
    id: Option<&str>,
    format: ApiFormat,
    shown: &ShownConversation,
) -> Result<Turn, ApiError> {
    let begin = |conversation: &Arc<Conversation>| {
        Turn::begin(conversation, Some(format.wire()), TurnSource::Relay, shown.content.clone())
    };
    let known = match timeout(MAX_WAIT, known_conversation(state, id, shown)).await {
        Ok(known) => known?,
        Err(_) => None,
    };
    match known.as_deref().map(begin) {
        Some(Ok(turn)) => Ok(turn),
        // It has become busy, or was deleted.
        Some(Err(_)) | None => begin(&state.store.create()?),
    }
}

/// Returns the conversation that the caller names or the request extends.
///
/// `None` unless this replica may change it.
async fn known_conversation(
    state: &AppState,
    id: Option<&str>,
    shown: &ShownConversation,
) -> Result<Option<InUse>, ApiError> {
    if let Some(id) = id {
        state.recognizer.settle(shown, id).await;
    }
    let found = match id {
        Some(_) => None,
        None => match find(state, shown).await {
            Some(found) => Some(found),
            None => return Ok(None),
        },
    };
    loop {
        let conversation = match (id, &found) {
            (Some(id), _) => state.store.get_or_create(id).await.map(|(conversation, _)| conversation),
            (None, Some(found)) => state.store.get_for_turn(found).await,
            (None, None) => return Ok(None),
        };
        match conversation {
            Ok(conversation) => return Ok(Some(conversation)),
            // What another replica wrote last is about to be in the store.
            Err(error) if error.is_of_store() && (found.is_some() || shows(state, shown, id).await) => {
                tokio::time::sleep(PAUSE).await;
            }
            Err(error) if error.is_of_store() => return Ok(None),
            Err(error) => return Err(error),
        }
    }
}

/// Returns the id of the conversation that a request extends.
async fn find(state: &AppState, shown: &ShownConversation) -> Option<String> {
    let here = state.recognizer.find(shown).await;
    match (here, state.store.shared()) {
        // Another replica may have relayed a later turn.
        (Some(here), Some(shared)) if !shared.is_current(&here).await => shared.recognize(shown).await,
        (None, Some(shared)) => shared.recognize(shown).await,
        (here, _) => here.map(|conversation| conversation.id().to_owned()),
    }
}

/// Returns `true` if a request shows the last message of this conversation.
///
/// Another replica relayed it.
async fn shows(state: &AppState, shown: &ShownConversation, id: Option<&str>) -> bool {
    let Some(shared) = state.store.shared() else { return false };
    shared.recognize(shown).await.as_deref() == id
}

fn count_error(state: &AppState, sent: Result<ProviderResponse, ApiError>) -> Result<ProviderResponse, ApiError> {
    if sent.as_ref().is_err_and(ApiError::is_of_upstream) {
        state.metrics.upstream_error();
    }
    sent
}

fn with_head((status, headers): (axum::http::StatusCode, HeaderMap), body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response.extensions_mut().insert(Relayed);
    response
}

/// Returns the id of the conversation that the caller names.
fn conversation_id(headers: &HeaderMap) -> Result<Option<&str>, ApiError> {
    headers.get(CONVERSATION).map(|id| id.to_str().map_err(|_| ApiError::bad_id())).transpose()
}

/// Returns the body's encoding, if the provider compressed it although it was asked not to.
fn encoding(headers: &HeaderMap) -> Option<&str> {
    let encodings = headers.get_all(header::CONTENT_ENCODING).iter().map(|one| one.to_str().unwrap_or("encoded"));
    encodings.map(str::trim).find(|one| !one.is_empty() && !one.eq_ignore_ascii_case("identity"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_encoded_if_any_header_says_so() {
        let encoding_of = |values: &[&'static str]| {
            let headers = values.iter().map(|value| (header::CONTENT_ENCODING, HeaderValue::from_static(value)));
            encoding(&headers.collect()).map(str::to_owned)
        };
        for plain in [&[][..], &[""], &["identity"], &["Identity", ""]] {
            assert_eq!(encoding_of(plain), None, "{plain:?}");
        }
        for encoded in [&["gzip"][..], &["identity", "gzip"], &["gzip", "identity"], &["", " gzip "]] {
            assert_eq!(encoding_of(encoded).as_deref(), Some("gzip"), "{encoded:?}");
        }
    }
}
