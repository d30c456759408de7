//! `/demo`: the list of recordings, and playing one.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::json;

use super::body::{json_response, parse_json, read_own};
use crate::app_state::AppState;
use crate::conversation::request_content::RequestContent;
use crate::conversation::turn::{Turn, TurnSource};
use crate::demo::{RECORDINGS, Script};
use crate::error::ApiError;
use crate::settings::Pace;
use crate::turns::player;

/// Maximum pause between two chunks, in milliseconds.
const MAX_DELAY: u64 = 60_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlayBody {
    message: String,
    chunk: Option<String>,
    delay: Option<u64>,
}

pub(super) async fn list(State(state): State<Arc<AppState>>) -> Result<Response, ApiError> {
    let Pace { chunk, delay } = pace(&state)?;
    let messages: Vec<_> =
        RECORDINGS.iter().map(|recording| json!({"name": recording.name, "title": recording.title})).collect();
    let delay = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
    Ok(json_response(json!({"messages": messages, "chunk": chunk.to_string(), "delay": delay}).to_string()))
}

pub(super) async fn play(State(state): State<Arc<AppState>>, request: Request) -> Result<Response, ApiError> {
    state.check_running()?;
    let Pace { chunk, delay } = pace(&state)?;
    let (parts, body) = request.into_parts();
    let (body, _counted) = read_own(&state, &parts.headers, body).await?;
    let wanted: PlayBody = parse_json(&body)?;
    let recording = RECORDINGS.iter().find(|recording| recording.name == wanted.message).ok_or_else(|| {
        let names: Vec<_> = RECORDINGS.iter().map(|recording| recording.name).collect();
        ApiError::not_found(format!("there is no recorded message of that name; the names are {}", names.join(", ")))
    })?;
    let chunk = match wanted.chunk {
        Some(chunk) => chunk.parse().map_err(|error| {
            ApiError::bad_request(format!("chunk: {error}; it should be a number of bytes, or random:SEED"))
        })?,
        None => chunk,
    };
    let delay = match wanted.delay {
        Some(delay) if delay > MAX_DELAY => {
            return Err(ApiError::bad_request(format!("delay: {delay} ms is more than {MAX_DELAY} ms")));
        }
        Some(delay) => Duration::from_millis(delay),
        None => delay,
    };
    state.store.local().check_memory()?;
    let conversation = state.store.create()?;
    let script = Script::new(recording, Pace { chunk, delay });
    let turn = Turn::begin(&conversation, Some(script.wire()), TurnSource::Demo, RequestContent::default())?;
    state.spawn(player::play(state.clone(), turn, script));
    Ok((StatusCode::CREATED, json_response(json!({"id": conversation.id()}).to_string())).into_response())
}

fn pace(state: &AppState) -> Result<Pace, ApiError> {
    state
        .settings
        .demo
        .ok_or_else(|| ApiError::not_found("there are no recorded messages: start the service with --demo"))
}
