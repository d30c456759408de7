//! The relay: what the provider streams goes on to the caller, and is read on its way.

use std::io;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request as Call, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use bytes::Bytes;
use followup::wire::Format;
use futures_util::Stream;
use futures_util::stream::unfold;

use super::guard;
use crate::continuing::{Message, Request};
use crate::conversation::{Source, Turn};
use crate::errors::Failure;
use crate::onward::Following;
use crate::service::Shared;
use crate::upstream::{all_of, end_to_end};

pub(super) const PATH: &str = "/v1/chat/completions";

/// Names the conversation, in the request and in the response.
const CONVERSATION: HeaderName = HeaderName::from_static("x-followup-conversation");

pub(super) async fn relay(State(shared): State<Arc<Shared>>, call: Call) -> Result<Response, Failure> {
    shared.check_running()?;
    let upstream = shared.upstream.as_ref().ok_or_else(Failure::no_upstream)?;
    let (parts, body) = call.into_parts();
    let id = conversation(&parts.headers)?;
    if let Some(id) = id {
        // Before the provider has any work.
        match shared.store.get(id) {
            Ok(conversation) => conversation.check_free()?,
            Err(failure) if failure.code() == "not_found" => {}
            Err(failure) => return Err(failure),
        }
    }
    let body = guard::body(&parts.headers, body, shared.settings.limits.body).await?;
    let headers = upstream.headers(&parts.headers);
    let response = match upstream.send(headers.clone(), body.clone()).await {
        Ok(response) => response,
        Err(failure) => {
            shared.metrics.upstream_error();
            return Err(failure);
        }
    };
    let mut head = (response.status(), end_to_end(response.headers()));
    let mut turn = None;
    if is_event_stream(response.headers()) {
        let (conversation, _) = shared.store.get_or_make(id)?;
        let name = HeaderValue::from_str(conversation.id()).map_err(|_| Failure::bad_id())?;
        head.1.insert(CONVERSATION, name);
        let mut one = Turn::begin(&shared, &conversation, Some(Format::OpenAiChat), Source::Relay)?;
        if let Some(encoding) = encoding(response.headers()) {
            one.unreadable(
                "encoded",
                &format!("the provider's stream is passed on, but can't be read: it is {encoding}"),
            );
        } else {
            keep_for_later(&shared, &mut one, headers, &body);
        }
        turn = Some(one);
    }
    let body = Body::from_stream(relayed(shared, turn, response));
    Ok(with_head(head, body))
}

fn with_head((status, headers): (StatusCode, HeaderMap), body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

/// The conversation that the caller names.
fn conversation(headers: &HeaderMap) -> Result<Option<&str>, Failure> {
    headers.get(CONVERSATION).map(|id| id.to_str().map_err(|_| Failure::bad_id())).transpose()
}

/// Whether the body is one of server-sent events.
pub(crate) fn is_event_stream(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("text/event-stream"))
}

/// How the body is encoded, if it is: the provider was asked not to.
fn encoding(headers: &HeaderMap) -> Option<&str> {
    let encoding = headers.get(header::CONTENT_ENCODING)?.to_str().unwrap_or("encoded").trim();
    (!encoding.is_empty() && !encoding.eq_ignore_ascii_case("identity")).then_some(encoding)
}

/// With `--continue`: what is needed to ask the provider again is kept.
pub(crate) fn keep_for_later(shared: &Shared, turn: &mut Turn, headers: HeaderMap, body: &Bytes) {
    if shared.settings.goes_on {
        turn.follow(match Request::read(body) {
            Ok(request) => {
                let message = Message::new(shared.settings.limits.body);
                Following::Relay(headers, Arc::new(request), Box::new(message))
            }
            Err(_) => Following::Cannot("the request was no JSON object"),
        });
    }
}

/// A body on its way to the caller.
struct Relayed {
    shared: Arc<Shared>,
    turn: Option<Turn>,
    response: reqwest::Response,
    /// How much of it is still to come, if that is known: then nobody asks whether there is more behind it.
    left: Option<u64>,
    broken: bool,
}

/// The provider's bytes, as they are asked for: what comes is read, and then passed on.
///
/// Nothing is asked for that the caller has not taken, so that whoever reads slowly is written to slowly. When the caller leaves, this is dropped, and the
/// provider's connection with it.
fn relayed(
    shared: Arc<Shared>,
    turn: Option<Turn>,
    response: reqwest::Response,
) -> impl Stream<Item = io::Result<Bytes>> + use<> {
    let left = response.content_length();
    let mut relayed = Relayed { shared, turn, response, left, broken: false };
    if left == Some(0) {
        relayed.end();
    }
    unfold(relayed, async |mut relayed| Some((relayed.next().await?, relayed)))
}

impl Relayed {
    async fn next(&mut self) -> Option<io::Result<Bytes>> {
        if self.broken {
            return None;
        }
        match next(&self.shared, &mut self.response).await {
            Ok(Some(chunk)) => {
                if let Some(turn) = &mut self.turn {
                    turn.feed(&chunk);
                }
                self.left = self.left.map(|left| left.saturating_sub(chunk.len() as u64));
                if self.left == Some(0) {
                    self.end();
                }
                Some(Ok(chunk))
            }
            Ok(None) => {
                self.end();
                None
            }
            Err(why) => {
                if let Some(mut turn) = self.turn.take() {
                    turn.error("upstream", &why);
                    turn.end(true);
                }
                self.broken = true;
                // The caller's connection breaks as the provider's did.
                Some(Err(io::Error::other(why)))
            }
        }
    }

    fn end(&mut self) {
        if let Some(turn) = self.turn.take() {
            turn.end(false);
        }
    }
}

/// Reads a body for which there is no caller.
pub(crate) async fn read_all(shared: &Shared, mut turn: Turn, mut response: reqwest::Response) {
    loop {
        match next(shared, &mut response).await {
            Ok(Some(chunk)) => turn.feed(&chunk),
            Ok(None) => return turn.end(false),
            Err(why) => {
                turn.error("upstream", &why);
                return turn.end(true);
            }
        }
        if turn.is_gone() {
            return turn.end(true);
        }
    }
}

/// The next chunk of the provider's body, or why there is none.
async fn next(shared: &Shared, response: &mut reqwest::Response) -> Result<Option<Bytes>, String> {
    let patience = shared.settings.upstream_timeout;
    let why = match tokio::time::timeout(patience, response.chunk()).await {
        Ok(Ok(chunk)) => return Ok(chunk),
        Ok(Err(error)) => format!("the provider's connection broke: {}", all_of(&error.without_url())),
        Err(_) => format!("the provider has sent nothing for {} s", patience.as_secs_f64()),
    };
    shared.metrics.upstream_error();
    Err(why)
}
