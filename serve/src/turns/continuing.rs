//! The continuation of an answered turn: asks the provider, or plays the next recording.

use std::sync::Arc;

use axum::http::{HeaderMap, header};
use bytes::Bytes;
use followup::dialogue::{MessageFormat, Reply};
use serde_json::Value;
use tokio::sync::mpsc;

use super::player;
use super::relay::{is_event_stream, prepare_continuation, read_to_end};
use crate::app_state::AppState;
use crate::chat::ChatRequest;
use crate::conversation::continuation::{Continuation, NextRequest};
use crate::conversation::turn::Turn;
use crate::conversation::{Conversation, Readiness};
use crate::upstream::ProviderResponse;

/// Continues conversations whose turn has ended, until the service shuts down.
///
/// A turn may end with everything answered: its calls were rejected, or its user was faster than
/// its end.
pub(crate) async fn continue_ended_turns(
    state: Arc<AppState>,
    mut ended_turns: mpsc::UnboundedReceiver<Arc<Conversation>>,
) {
    loop {
        tokio::select! {
            () = state.shutdown.cancelled() => return,
            ended = ended_turns.recv() => match ended {
                // If it can't continue, the answer to its last question says why.
                Some(conversation) => drop(continue_if_ready(&state, &conversation)),
                None => return,
            },
        }
    }
}

/// Begins the next turn if everything in the last one has been answered.
///
/// # Errors
///
/// If the conversation can't continue, or not yet.
pub(crate) fn continue_if_ready(state: &Arc<AppState>, conversation: &Arc<Conversation>) -> Result<(), Readiness> {
    if state.shutdown.is_cancelled() {
        return Err(Readiness::Blocked("the service is shutting down".into()));
    }
    let (turn, continuation, replies) = Turn::begin_continuation(conversation)?;
    match continuation {
        Continuation::Nothing | Continuation::Unavailable(_) => turn.end(true),
        Continuation::Recording(script) => state.spawn(player::play(state.clone(), turn, script)),
        Continuation::Provider(next) => state.spawn(ask_provider(state.clone(), turn, *next, replies)),
    }
    Ok(())
}

/// Sends the model's message and the user's replies to the provider; reads its answer into a turn.
async fn ask_provider(state: Arc<AppState>, mut turn: Turn, next: NextRequest, replies: Vec<Reply>) {
    let NextRequest { headers, request, message } = next;
    let mut messages = vec![message];
    messages.extend(Reply::messages_of(&replies, MessageFormat::OpenAiChat));
    match send(&state, &headers, &request, &messages).await {
        Ok((response, body)) => {
            prepare_continuation(&state, &mut turn, headers, &body);
            read_to_end(&state, turn, response).await;
        }
        Err(message) => {
            turn.error("upstream", &message);
            turn.end(true);
        }
    }
}

/// Returns the response and the body that was sent.
///
/// # Errors
///
/// A sentence for people, if the provider does not answer with a stream of events.
async fn send(
    state: &AppState,
    headers: &HeaderMap,
    request: &ChatRequest,
    messages: &[Value],
) -> Result<(ProviderResponse, Bytes), String> {
    let upstream = state.upstream.as_ref().ok_or("there is no provider")?;
    let body = request.with_messages(messages).ok_or("the request had no list of messages to append to")?;
    let (size, limit) = (body.len(), state.settings.limits.body);
    if size > limit {
        return Err(format!("the next request would have {size} bytes, and may have at most {limit} (--limit-body)"));
    }
    let body = Bytes::from(body);
    let response = match upstream.send(headers.clone(), body.clone()).await {
        Ok(response) if response.status().is_success() && is_event_stream(response.headers()) => response,
        Ok(response) => {
            state.metrics.upstream_error();
            return Err(describe(state, response).await);
        }
        Err(error) => {
            state.metrics.upstream_error();
            return Err(error.to_string());
        }
    };
    Ok((response, body))
}

/// Describes a response that is not a stream of events, with the beginning of its body.
async fn describe(state: &AppState, mut response: ProviderResponse) -> String {
    const MAX_SHOWN: usize = 1000;
    let status = response.status();
    let content_type = response.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let content_type = content_type.unwrap_or("no content type").to_owned();
    let mut body = Vec::new();
    let read = async {
        while body.len() < MAX_SHOWN
            && let Ok(Some(chunk)) = response.chunk().await
        {
            body.extend_from_slice(&chunk[..chunk.len().min(MAX_SHOWN)]);
        }
    };
    // The part of a slow body that has arrived is shown.
    let _ = tokio::time::timeout(state.settings.upstream_timeout, read).await;
    body.truncate(MAX_SHOWN);
    let body = String::from_utf8_lossy(&body);
    format!("the provider answered {status}, and not with a stream of events ({content_type}): {}", body.trim())
}
