//! `GET /healthz` and `GET /metrics`.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::body::json_response;
use crate::app_state::AppState;

pub(super) const PATH: &str = "/healthz";

pub(super) async fn health(State(state): State<Arc<AppState>>) -> Response {
    json_response(json!({"status": "ok", "conversations": state.store.local().len()}).to_string())
}

pub(super) async fn metrics(State(state): State<Arc<AppState>>) -> Response {
    const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    let text = state.metrics.text(state.store.local().len());
    ([(header::CONTENT_TYPE, CONTENT_TYPE)], text).into_response()
}
