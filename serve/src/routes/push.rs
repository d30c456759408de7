//! `POST /conversations`: pushes a body as the next turn of a conversation.

use std::sync::Arc;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use followup::wire;
use futures_util::StreamExt;
use serde::Deserialize;

use super::body::{check_encoding, json_response};
use crate::app_state::AppState;
use crate::conversation::request_content::RequestContent;
use crate::conversation::turn::{Turn, TurnSource};
use crate::error::ApiError;

pub(super) const PATH: &str = "/conversations";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PushQuery {
    #[serde(default)]
    wire: Option<String>,
    #[serde(default)]
    id: Option<String>,
}

pub(super) async fn push(
    State(state): State<Arc<AppState>>,
    query: Result<Query<PushQuery>, QueryRejection>,
    request: Request,
) -> Result<Response, ApiError> {
    state.check_running()?;
    let Query(PushQuery { wire, id }) = query?;
    let wire = wire_format(wire.as_deref())?;
    check_encoding(request.headers())?;
    let _permit = state.request_permit()?;
    state.store.local().check_memory()?;
    let (conversation, is_new) = match &id {
        Some(id) => state.store.get_or_create(id).await?,
        None => (state.store.create()?.in_use(), true),
    };
    let mut turn = Turn::begin(&conversation, wire, TurnSource::Push, RequestContent::default())?;
    let mut body = request.into_body().into_data_stream();
    while let Some(chunk) = body.next().await {
        match chunk {
            Ok(chunk) => turn.feed(&chunk),
            Err(error) => {
                turn.error("upstream", &format!("the body of the push ended too early: {error}"));
                turn.end(true);
                return Err(ApiError::body_unreadable(&error));
            }
        }
        state.store.local().keep_within_memory();
        if turn.is_gone() {
            turn.end(true);
            return Err(ApiError::no_conversation(conversation.id()));
        }
    }
    turn.end_whole()?;
    // If this replica was paused, it may not have heard yet that another one has cut the turn off.
    state.store.settle(&conversation).await?;
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    let location = format!("/conversations/{}", conversation.id());
    Ok((status, [(header::LOCATION, location)], json_response(conversation.snapshot())).into_response())
}

/// Returns the format of this name; `None` if it is to be detected.
pub(super) fn wire_format(name: Option<&str>) -> Result<Option<wire::Format>, ApiError> {
    match name {
        None | Some("auto") => Ok(None),
        Some(name) => {
            let format = name.parse::<wire::Format>();
            format.map(Some).map_err(|error| ApiError::bad_request(format!("wire: {error}, auto")))
        }
    }
}
