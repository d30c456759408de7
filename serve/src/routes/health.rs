//! Whether the service is well, and what it counts.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::json;
use crate::service::Shared;

pub(super) const PATH: &str = "/healthz";

pub(super) async fn health(State(shared): State<Arc<Shared>>) -> Response {
    json(json!({"status": "ok", "conversations": shared.store.len()}).to_string())
}

pub(super) async fn metrics(State(shared): State<Arc<Shared>>) -> Response {
    const KIND: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    let text = shared.metrics.text(shared.store.len());
    ([(header::CONTENT_TYPE, KIND)], text).into_response()
}
