//! `GET /conversations/ID/replies`: the replies that an agent collects.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::http::Method;
use axum::response::Response;
use serde::Deserialize;

use super::body::json_response;
use super::reply_format::ReplyFormat;
use crate::app_state::AppState;
use crate::error::ApiError;

/// Maximum number of seconds that a request waits for a reply.
const MAX_WAIT: f64 = 60.0;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RepliesQuery {
    #[serde(default)]
    after: u64,
    #[serde(default)]
    wait: f64,
    #[serde(default)]
    format: ReplyFormat,
}

pub(super) async fn replies(
    State(state): State<Arc<AppState>>,
    id: Result<Path<String>, PathRejection>,
    query: Result<Query<RepliesQuery>, QueryRejection>,
    method: Method,
) -> Result<Response, ApiError> {
    state.check_running()?;
    let id = id?;
    // A request without a body in its response must not mark replies as collected.
    if method == Method::HEAD {
        state.store.get(&id).await?;
        return Ok(json_response(Body::empty()));
    }
    let conversation = match state.store.get_for_change(&id).await {
        Err(error) if error.is_elsewhere() => state.store.get(&id).await?.in_use(),
        conversation => conversation?,
    };
    let Query(RepliesQuery { after, wait, format }) = query?;
    if !(0.0..=MAX_WAIT).contains(&wait) {
        return Err(ApiError::bad_request(format!("wait: it should be a number of seconds from 0 to {MAX_WAIT}")));
    }
    if wait > 0.0 {
        let limit = state.settings.limits.readers;
        let mut reader = conversation.reader().ok_or_else(|| ApiError::too_many_readers(limit))?;
        // After the time, and when the service shuts down, there may be none.
        tokio::select! {
            () = reader.reply_after(after) => {}
            () = tokio::time::sleep(Duration::from_secs_f64(wait)) => {}
            () = state.shutdown.cancelled() => {}
        }
    }
    let conversation = state.store.get_for_change(&id).await?;
    Ok(json_response(conversation.collect_replies(after, format.0)?))
}
