//! `GET /healthz`, `GET /readyz` and `GET /metrics`.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::body::json_response;
use crate::app_state::AppState;
use crate::reach::Reach;

pub(super) const PATH: &str = "/healthz";
pub(super) const READY_PATH: &str = "/readyz";

pub(super) async fn health(State(state): State<Arc<AppState>>) -> Response {
    json_response(json!({"status": "ok", "conversations": state.store.local().len()}).to_string())
}

/// Responds whether this replica can do everything. Without the store it still relays.
pub(super) async fn ready(State(state): State<Arc<AppState>>) -> Response {
    let store = state.store.shared().map(|shared| match shared.reach() {
        Reach::All => "up",
        // The conversations on the other shards can be shown and answered.
        Reach::Part => "degraded",
        Reach::Nothing => "away",
    });
    let is_ready = !state.shutdown.is_cancelled() && store != Some("away");
    let status = if is_ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let body = json!({"status": if is_ready { "ready" } else { "not ready" }, "store": store});
    (status, json_response(body.to_string())).into_response()
}

pub(super) async fn metrics(State(state): State<Arc<AppState>>) -> Response {
    const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    if let Some(shared) = state.store.shared() {
        state.metrics.set_reach(shared.reach());
    }
    let text = state.metrics.text(state.store.local().len());
    ([(header::CONTENT_TYPE, CONTENT_TYPE)], text).into_response()
}
