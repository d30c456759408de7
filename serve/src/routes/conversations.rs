//! The list of conversations, and one of them.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::json;

use super::json;
use crate::errors::Failure;
use crate::service::Shared;

pub(super) async fn list(State(shared): State<Arc<Shared>>) -> Response {
    json(json!({"conversations": shared.store.lines()}).to_string())
}

pub(super) async fn snapshot(
    State(shared): State<Arc<Shared>>,
    id: Result<Path<String>, PathRejection>,
) -> Result<Response, Failure> {
    Ok(json(shared.store.get(&id?)?.snapshot()))
}

pub(super) async fn remove(
    State(shared): State<Arc<Shared>>,
    id: Result<Path<String>, PathRejection>,
) -> Result<StatusCode, Failure> {
    shared.store.remove(&id?)?;
    Ok(StatusCode::NO_CONTENT)
}
