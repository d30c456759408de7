//! `PATCH /conversations/ID/turn`: pushes a body in pieces.

use std::sync::Arc;

use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, Request, State};
use axum::response::Response;
use serde::Deserialize;

use super::body::{json_response, read_own};
use super::push::wire_format;
use crate::app_state::AppState;
use crate::conversation::push_piece::Piece;
use crate::error::ApiError;

/// Maximum number of bytes of a message's name.
const MAX_NAME: usize = 64;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PieceQuery {
    message: String,
    offset: u64,
    #[serde(default)]
    last: bool,
    #[serde(default)]
    wire: Option<String>,
}

pub(super) async fn push(
    State(state): State<Arc<AppState>>,
    id: Result<Path<String>, PathRejection>,
    query: Result<Query<PieceQuery>, QueryRejection>,
    request: Request,
) -> Result<Response, ApiError> {
    state.check_running()?;
    let (id, Query(PieceQuery { message, offset, last, wire })) = (id?, query?);
    if !(1..=MAX_NAME).contains(&message.len()) {
        return Err(ApiError::bad_request(format!("message: a name of a message has 1 to {MAX_NAME} bytes")));
    }
    let wire = wire_format(wire.as_deref())?;
    let _permit = state.request_permit()?;
    state.store.local().check_memory()?;
    let (parts, body) = request.into_parts();
    let (body, _counted) = read_own(&state, &parts.headers, body).await?;
    let conversation = match offset {
        0 => state.store.get_for_first_piece(&id, &message).await?,
        // A later piece begins no message, so it creates no conversation for one.
        _ => state.store.get_for_piece(&id).await.map_err(|error| error.or_gap(&message))?,
    };
    let outcome = conversation.push_piece(Piece { message: &message, offset, bytes: &body, is_last: last, wire })?;
    if offset == 0 {
        // It was sent again, and the last writer may have died before it continued.
        conversation.may_continue_now();
    }
    // The next piece may be sent to another replica.
    state.store.flush(&conversation).await?;
    state.store.local().keep_within_memory();
    // All of it serializes to JSON.
    Ok(json_response(serde_json::to_vec(&outcome).unwrap_or_default()))
}
