//! The paths of the protocol, one file each.

mod answer;
mod body;
mod conversations;
mod demo;
mod events;
mod guard;
mod health;
mod info;
mod list_events;
mod page;
mod pieces;
mod push;
mod relay;
mod replies;
mod reply_format;
mod retry;

use std::sync::Arc;

use axum::Router;
use axum::http::{Method, Uri};
use axum::middleware::from_fn_with_state;
use axum::routing::{any, get, patch, post};

use crate::app_state::AppState;
use crate::error::ApiError;

/// Returns the router. Unknown paths and methods are answered with an error as JSON.
pub(crate) fn router(state: &Arc<AppState>) -> Router {
    Router::new()
        .route(relay::ROUTE, any(relay::relay))
        .route(push::PATH, get(conversations::list).post(push::push))
        .route("/conversations/events", get(list_events::events))
        .route("/conversations/{id}", get(conversations::snapshot).delete(conversations::remove))
        .route("/conversations/{id}/turn", patch(pieces::push))
        .route("/conversations/{id}/events", get(events::events))
        .route("/conversations/{id}/answer", post(answer::answer))
        .route("/conversations/{id}/replies", get(replies::replies))
        .route("/conversations/{id}/retry", post(retry::retry))
        .route("/conversations/{id}/dismiss", post(conversations::dismiss))
        .route("/demo", get(demo::list).post(demo::play))
        .route("/info", get(info::info))
        .route(health::PATH, get(health::health))
        .route(health::READY_PATH, get(health::ready))
        .route("/metrics", get(health::metrics))
        .route("/", get(page::index))
        .route("/assets/{*name}", get(page::asset))
        .fallback(async |uri: Uri| ApiError::not_found(format!("there is nothing at {}", uri.path())))
        .method_not_allowed_fallback(async |method: Method, uri: Uri| ApiError::method(method.as_str(), uri.path()))
        .layer(from_fn_with_state(state.clone(), guard::guard))
        .with_state(state.clone())
}
