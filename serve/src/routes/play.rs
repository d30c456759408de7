//! The recorded messages, and playing them.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::json;

use super::{guard, json};
use crate::conversation::{Source, Turn};
use crate::demo::{self, MESSAGES, Script};
use crate::errors::Failure;
use crate::service::Shared;
use crate::settings::Pace;

/// The longest that may be waited between two chunks.
const LONGEST: u64 = 60_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    message: String,
    chunk: Option<String>,
    delay: Option<u64>,
}

pub(super) async fn list(State(shared): State<Arc<Shared>>) -> Result<Response, Failure> {
    let Pace { chunk, delay } = pace(&shared)?;
    let messages: Vec<_> = MESSAGES.iter().map(|one| json!({"name": one.name, "title": one.title})).collect();
    let delay = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
    Ok(json(json!({"messages": messages, "chunk": chunk.to_string(), "delay": delay}).to_string()))
}

pub(super) async fn play(State(shared): State<Arc<Shared>>, request: Request) -> Result<Response, Failure> {
    shared.check_running()?;
    let Pace { chunk, delay } = pace(&shared)?;
    let (parts, body) = request.into_parts();
    let wanted: Wanted = guard::read(&guard::body(&parts.headers, body, shared.settings.limits.body).await?)?;
    let message = MESSAGES.iter().find(|one| one.name == wanted.message).ok_or_else(|| {
        let names: Vec<_> = MESSAGES.iter().map(|one| one.name).collect();
        Failure::not_found(format!("there is no recorded message of that name: it is one of {}", names.join(", ")))
    })?;
    let chunk = match wanted.chunk {
        Some(chunk) => chunk.parse().map_err(|error| {
            Failure::bad_request(format!("chunk: {error}; it is a number of bytes, or random:SEED"))
        })?,
        None => chunk,
    };
    let delay = match wanted.delay {
        Some(delay) if delay > LONGEST => {
            return Err(Failure::bad_request(format!("delay: {delay} ms is more than {LONGEST}")));
        }
        Some(delay) => Duration::from_millis(delay),
        None => delay,
    };
    let (conversation, _) = shared.store.get_or_make(None)?;
    let script = Script::new(message, Pace { chunk, delay });
    let turn = Turn::begin(&shared, &conversation, Some(script.wire()), Source::Demo)?;
    shared.spawn(demo::play(shared.clone(), turn, script));
    Ok((StatusCode::CREATED, json(json!({"id": conversation.id()}).to_string())).into_response())
}

fn pace(shared: &Shared) -> Result<Pace, Failure> {
    shared
        .settings
        .demo
        .ok_or_else(|| Failure::not_found("there are no recorded messages: start the service with --demo"))
}
