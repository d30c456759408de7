//! The relay: forwards a provider's stream to the caller, and feeds it to a turn on its way.

use std::io;
use std::sync::Arc;

use axum::http::{HeaderMap, header};
use bytes::Bytes;
use futures_util::Stream;
use futures_util::stream::unfold;
use tokio::sync::OwnedSemaphorePermit;

use crate::app_state::AppState;
use crate::chat::{AnswerReader, ApiFormat, AssistantMessage, ChatRequest};
use crate::conversation::continuation::PendingContinuation;
use crate::conversation::turn::Turn;
use crate::memory::CountedMemory;
use crate::recognition::AnswerRecord;
use crate::upstream::ProviderResponse;

/// How a provider sends a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyKind {
    /// In pieces, as server-sent events.
    EventStream,
    /// As one JSON object.
    Json,
}

impl BodyKind {
    /// Returns how a response holds a message of a model; `None` if it holds none.
    pub(crate) fn of(response: &ProviderResponse) -> Option<BodyKind> {
        if !response.status().is_success() {
            return None;
        }
        match media_type(response.headers()) {
            one if one.eq_ignore_ascii_case("text/event-stream") => Some(BodyKind::EventStream),
            one if one.eq_ignore_ascii_case("application/json") => Some(BodyKind::Json),
            _ => None,
        }
    }
}

fn media_type(headers: &HeaderMap) -> &str {
    let content_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    content_type.split(';').next().unwrap_or_default().trim()
}

/// Returns `true` if the body is a stream of server-sent events.
pub(crate) fn is_event_stream(headers: &HeaderMap) -> bool {
    media_type(headers).eq_ignore_ascii_case("text/event-stream")
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

/// Returns why the service can't continue after such a message; `None` if it can.
pub(crate) fn cannot_continue(format: ApiFormat, kind: BodyKind) -> Option<&'static str> {
    match (format, kind) {
        (ApiFormat::OpenAiChat, BodyKind::EventStream) => None,
        (ApiFormat::OpenAiChat, BodyKind::Json) => {
            Some("the service continues only messages that are streamed: your agent has to send the replies")
        }
        (ApiFormat::OpenAiResponses | ApiFormat::Anthropic, _) => {
            Some("the service continues only chat completions: your agent has to send the replies")
        }
    }
}

/// A turn whose bytes are on their way to the caller.
pub(crate) struct RelayedTurn {
    /// `None` once it has ended.
    turn: Option<Turn>,
    /// `None` if the answer can't be read.
    answer: Option<AnswerReader>,
    record: Option<AnswerRecord>,
    /// What the request takes.
    _taken: CountedMemory,
}

impl RelayedTurn {
    pub(crate) fn new(
        turn: Turn,
        answer: Option<AnswerReader>,
        record: Option<AnswerRecord>,
        taken: CountedMemory,
    ) -> RelayedTurn {
        RelayedTurn { turn: Some(turn), answer, record, _taken: taken }
    }

    fn feed(&mut self, chunk: &[u8]) {
        if let Some(turn) = &mut self.turn {
            turn.feed(chunk);
        }
        if let Some(answer) = &mut self.answer {
            answer.feed(chunk);
        }
    }

    /// Returns `true` if the last event of the stream has arrived.
    fn is_done(&self) -> bool {
        self.answer.as_ref().is_some_and(AnswerReader::is_done)
    }

    fn end(mut self) {
        if let Some(turn) = self.turn.take() {
            turn.end(false);
        }
        if let Some(record) = self.record.take() {
            record.finish(self.answer.take().and_then(AnswerReader::finish), false);
        }
    }

    fn fail(mut self, error: &str) {
        if let Some(mut turn) = self.turn.take() {
            turn.error("upstream", error);
            turn.end(true);
        }
    }
}

impl Drop for RelayedTurn {
    /// The caller has left, or the provider's connection broke.
    fn drop(&mut self) {
        // First, so that a request that waits for the answer can begin the next turn.
        drop(self.turn.take());
        if let Some(record) = self.record.take() {
            record.finish(self.answer.take().and_then(AnswerReader::finish), true);
        }
    }
}

/// A body on its way to the caller.
struct RelayedBody {
    state: Arc<AppState>,
    turn: Option<RelayedTurn>,
    response: ProviderResponse,
    /// Bytes still to come, if that is known.
    ///
    /// The turn then ends with the last of them, without waiting for the end of the body.
    remaining: Option<u64>,
    is_broken: bool,
    /// Counts the request until its response has been sent.
    _permit: OwnedSemaphorePermit,
}

/// Returns the provider's body as a stream of chunks, each fed to the turn before it is handed out.
///
/// A chunk is read only when the caller has taken the one before it, so a slow caller slows the
/// provider down (backpressure). When the caller disconnects, the stream is dropped, and the
/// provider's connection with it.
pub(crate) fn relayed_body(
    state: Arc<AppState>,
    turn: Option<RelayedTurn>,
    response: ProviderResponse,
    permit: OwnedSemaphorePermit,
) -> impl Stream<Item = io::Result<Bytes>> + use<> {
    let remaining = response.remaining();
    let mut body = RelayedBody { state, turn, response, remaining, is_broken: false, _permit: permit };
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
                    self.state.store.local().keep_within_memory();
                }
                self.remaining = self.remaining.map(|remaining| remaining.saturating_sub(chunk.len() as u64));
                // The caller may send its next request as soon as it has the last event.
                if self.remaining == Some(0) || self.turn.as_ref().is_some_and(RelayedTurn::is_done) {
                    self.end_turn();
                }
                Some(Ok(chunk))
            }
            Ok(None) => {
                self.end_turn();
                None
            }
            Err(error) => {
                if let Some(turn) = self.turn.take() {
                    turn.fail(&error);
                }
                self.is_broken = true;
                // An error breaks the caller's connection, as the provider's was broken.
                Some(Err(io::Error::other(error)))
            }
        }
    }

    fn end_turn(&mut self) {
        if let Some(turn) = self.turn.take() {
            turn.end();
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
