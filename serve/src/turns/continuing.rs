//! The continuation of an answered turn: asks the provider, or plays the next recording.

use std::sync::Arc;

use followup::dialogue::{MessageFormat, Reply};
use tokio::sync::mpsc;

use super::player;
use super::problem::describe;
use super::relay::{is_event_stream, prepare_continuation};
use crate::app_state::AppState;
use crate::conversation::continuation::{Continuation, ContinuationRequest, NextRequest};
use crate::conversation::turn::Turn;
use crate::conversation::{Conversation, Readiness};
use crate::error::ApiError;
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

/// Begins the next turn if this was the last reply that was missing.
///
/// # Errors
///
/// If the conversation can't continue, or not yet.
pub(crate) fn continue_with(
    state: &Arc<AppState>,
    conversation: &Arc<Conversation>,
    reply: &Reply,
) -> Result<(), Readiness> {
    match continue_if_ready(state, conversation) {
        // The end of the turn has done it since the reply was given.
        Err(_) if conversation.sends(reply) => Ok(()),
        continued => continued,
    }
}

/// Tries again what failed: sends the same request again.
///
/// # Errors
///
/// If nothing has failed since the agent's last request, or the service is shutting down.
pub(crate) fn retry(state: &Arc<AppState>, conversation: &Arc<Conversation>) -> Result<(), ApiError> {
    state.check_running()?;
    let (turn, request) = Turn::begin_retry(conversation)?;
    state.metrics.retry();
    state.spawn(send_replies(state.clone(), turn, request));
    Ok(())
}

/// Sends the model's message and the user's replies to the provider; reads its answer into a turn.
async fn ask_provider(state: Arc<AppState>, turn: Turn, next: NextRequest, replies: Vec<Reply>) {
    match with_replies(next, &replies, state.settings.limits.body) {
        Ok(request) => {
            drop(replies);
            send_replies(state, turn, request).await;
        }
        Err(why) => turn.fail(&why, None),
    }
}

/// Returns the next request with the model's message and the replies to it.
///
/// # Errors
///
/// A sentence for people, if there can't be one.
fn with_replies(next: NextRequest, replies: &[Reply], limit: usize) -> Result<ContinuationRequest, String> {
    let NextRequest { headers, request, message } = next;
    let mut messages = vec![message];
    messages.extend(Reply::messages_of(replies, MessageFormat::OpenAiChat));
    let body = request.with_messages(&messages).ok_or("the request had no list of messages to append to")?;
    let size = body.len();
    if size > limit {
        return Err(format!(
            "the next request is too large: it would have {size} bytes, and may have at most {limit} (--limit-body)"
        ));
    }
    Ok(ContinuationRequest { headers, body: body.into() })
}

/// Sends a request with replies, and reads its answer into the turn.
///
/// It is kept until that has ended.
async fn send_replies(state: Arc<AppState>, mut turn: Turn, request: ContinuationRequest) {
    // Besides what the conversation keeps.
    let _taken = state.metrics.memory.count(request.body.len());
    // From here on, no other replica sends these replies, even if this one dies.
    if !is_to_send(&state, &turn).await {
        return turn.end(true);
    }
    let mut response = match send(&state, &request).await {
        Ok(response) => response,
        Err(why) => return turn.fail(&why, Some(request)),
    };
    turn.sent();
    prepare_continuation(&state, &mut turn, request.headers.clone(), &request.body);
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) => {
                turn.feed(&chunk);
                state.store.local().keep_within_memory();
                // Whatever the connection does after its last event, the message is whole.
                if turn.is_done() {
                    return turn.end(false);
                }
            }
            Ok(None) => return turn.end(false),
            Err(why) => {
                state.metrics.upstream_error();
                return turn.fail(&why, Some(request));
            }
        }
        if turn.is_gone() {
            return turn.end(true);
        }
    }
}

/// Waits until the store has the beginning of a turn.
///
/// Returns `false` if another replica has become the writer, which sends the replies.
async fn is_to_send(state: &AppState, turn: &Turn) -> bool {
    if !turn.is_stored().await {
        return false;
    }
    state.store.rule_out_other_writers(turn.conversation()).await;
    turn.is_stored().await
}

/// Returns the provider's response.
///
/// # Errors
///
/// A sentence for people, if the provider does not answer with a stream of events.
async fn send(state: &AppState, request: &ContinuationRequest) -> Result<ProviderResponse, String> {
    let upstream = state.upstream.as_ref().ok_or("there is no provider")?;
    // Another replica may have kept the request, without the key.
    let headers = upstream.headers_of_turn(&request.headers);
    let why = match upstream.send(headers, request.body.clone()).await {
        Ok(response) if response.status().is_success() && is_event_stream(response.headers()) => return Ok(response),
        Ok(response) => describe(response, state.settings.upstream_timeout).await,
        Err(error) => error.to_string(),
    };
    state.metrics.upstream_error();
    Err(why)
}
