//! What is answered where.

mod answer;
mod conversations;
mod events;
mod guard;
mod health;
mod page;
mod play;
mod push;
pub(crate) mod relay;

use std::sync::Arc;

use axum::Router;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::http::{Method, Uri, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};

use crate::errors::Failure;
use crate::service::Shared;

/// What is answered where. Everything that is not is told why, as JSON.
pub(crate) fn all(shared: &Arc<Shared>) -> Router {
    Router::new()
        .route(relay::PATH, post(relay::relay))
        .route("/conversations", get(conversations::list).post(push::push))
        .route("/conversations/{id}", get(conversations::snapshot).delete(conversations::remove))
        .route("/conversations/{id}/events", get(events::events))
        .route("/conversations/{id}/answer", post(answer::answer))
        .route("/demo", get(play::list).post(play::play))
        .route(health::PATH, get(health::health))
        .route("/metrics", get(health::metrics))
        .route("/", get(page::index))
        .route("/assets/{*name}", get(page::asset))
        .fallback(async |uri: Uri| Failure::not_found(format!("there is nothing at {}", uri.path())))
        .method_not_allowed_fallback(async |method: Method, uri: Uri| Failure::method(method.as_str(), uri.path()))
        .layer(from_fn_with_state(shared.clone(), guard::guard))
        .with_state(shared.clone())
}

/// JSON that is there already.
fn json(body: impl Into<axum::body::Body>) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], body.into()).into_response()
}

impl From<PathRejection> for Failure {
    fn from(rejection: PathRejection) -> Failure {
        Failure::bad_request(format!("the path can't be read: {}", rejection.body_text()))
    }
}

impl From<QueryRejection> for Failure {
    fn from(rejection: QueryRejection) -> Failure {
        Failure::bad_request(format!("the query can't be read: {}", rejection.body_text()))
    }
}
