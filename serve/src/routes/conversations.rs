//! The list of conversations, one snapshot, dismissal, and deletion.
//!
//! The paths are `/conversations`, `/conversations/ID` and `/conversations/ID/dismiss`.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::json;

use super::body::json_response;
use crate::app_state::AppState;
use crate::error::ApiError;

pub(super) async fn list(State(state): State<Arc<AppState>>) -> Response {
    state.store.refresh_list().await;
    json_response(json!({"conversations": state.store.summaries()}).to_string())
}

pub(super) async fn snapshot(
    State(state): State<Arc<AppState>>,
    id: Result<Path<String>, PathRejection>,
) -> Result<Response, ApiError> {
    Ok(json_response(state.store.get(&id?).await?.snapshot()))
}

pub(super) async fn dismiss(
    State(state): State<Arc<AppState>>,
    id: Result<Path<String>, PathRejection>,
) -> Result<StatusCode, ApiError> {
    let conversation = state.store.get_for_change(&id?).await?;
    conversation.dismiss()?;
    state.store.settle(&conversation).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn remove(
    State(state): State<Arc<AppState>>,
    id: Result<Path<String>, PathRejection>,
) -> Result<StatusCode, ApiError> {
    state.store.remove(&id?).await?;
    Ok(StatusCode::NO_CONTENT)
}
