//! The relay: forwards a provider's stream to the caller, and feeds it to a turn on its way.

use std::io;
use std::sync::Arc;

use axum::http::{HeaderMap, header};
use bytes::Bytes;
use futures_util::Stream;
use futures_util::stream::unfold;

use crate::app_state::AppState;
use crate::chat::{AssistantMessage, ChatRequest};
use crate::conversation::continuation::PendingContinuation;
use crate::conversation::turn::Turn;
use crate::upstream::ProviderResponse;

/// Returns `true` if the body is a stream of server-sent events.
pub(crate) fn is_event_stream(headers: &HeaderMap) -> bool {
    let content_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media_type = content_type.split(';').next().unwrap_or_default();
    media_type.trim().eq_ignore_ascii_case("text/event-stream")
}

/// With `--continue`, keeps what the next request to the provider needs.
pub(crate) fn prepare_continuation(state: &AppState, turn: &mut Turn, headers: HeaderMap, body: &Bytes) {
    if state.settings.auto_continue {
        turn.set_continuation(match ChatRequest::parse(body) {
            Ok(request) => {
                let message = Box::new(AssistantMessage::new(state.settings.limits.body));
                PendingContinuation::Provider { headers, request: Arc::new(request), message }
            }
            Err(_) => PendingContinuation::Unavailable("the request was not a JSON object"),
        });
    }
}

/// A body on its way to the caller.
struct RelayedBody {
    state: Arc<AppState>,
    turn: Option<Turn>,
    response: ProviderResponse,
    /// Bytes still to come, if that is known.
    ///
    /// The turn then ends with the last of them, without waiting for the end of the body.
    remaining: Option<u64>,
    is_broken: bool,
}

/// Returns the provider's body as a stream of chunks, each fed to the turn before it is handed out.
///
/// A chunk is read only when the caller has taken the one before it, so a slow caller slows the
/// provider down (backpressure). When the caller disconnects, the stream is dropped, and the
/// provider's connection with it.
pub(crate) fn relayed_body(
    state: Arc<AppState>,
    turn: Option<Turn>,
    response: ProviderResponse,
) -> impl Stream<Item = io::Result<Bytes>> + use<> {
    let remaining = response.remaining();
    let mut body = RelayedBody { state, turn, response, remaining, is_broken: false };
    if remaining == Some(0) {
        body.end_turn();
    }
    unfold(body, async |mut body| Some((body.next().await?, body)))
}

impl RelayedBody {
    async fn next(&mut self) -> Option<io::Result<Bytes>> {
        if self.is_broken {
            return None;
        }
        match next_chunk(&self.state, &mut self.response).await {
            Ok(Some(chunk)) => {
                if let Some(turn) = &mut self.turn {
                    turn.feed(&chunk);
                }
                self.remaining = self.remaining.map(|remaining| remaining.saturating_sub(chunk.len() as u64));
                if self.remaining == Some(0) {
                    self.end_turn();
                }
                Some(Ok(chunk))
            }
            Ok(None) => {
                self.end_turn();
                None
            }
            Err(error) => {
                if let Some(mut turn) = self.turn.take() {
                    turn.error("upstream", &error);
                    turn.end(true);
                }
                self.is_broken = true;
                // An error breaks the caller's connection, as the provider's was broken.
                Some(Err(io::Error::other(error)))
            }
        }
    }

    fn end_turn(&mut self) {
        if let Some(turn) = self.turn.take() {
            turn.end(false);
        }
    }
}

async fn next_chunk(state: &AppState, response: &mut ProviderResponse) -> Result<Option<Bytes>, String> {
    let chunk = response.chunk().await;
    if chunk.is_err() {
        state.metrics.upstream_error();
    }
    chunk
}
