//! `POST /conversations/ID/retry`: sends again what the provider did not accept.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use super::body::json_response;
use crate::app_state::AppState;
use crate::error::ApiError;
use crate::turns::continuing;

pub(super) async fn retry(
    State(state): State<Arc<AppState>>,
    id: Result<Path<String>, PathRejection>,
) -> Result<Response, ApiError> {
    let id = id?;
    // What is refused begins no turn, so it must leave what tells whose conversation this is.
    state.store.get_for_change(&id).await?.check_retry()?;
    let conversation = state.store.get_for_turn(&id).await?;
    continuing::retry(&state, &conversation)?;
    Ok((StatusCode::ACCEPTED, json_response("{}")).into_response())
}
