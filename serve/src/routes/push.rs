//! A body that is pushed: the next message of a conversation.

use std::sync::Arc;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use followup::wire::Format;
use futures_util::StreamExt;
use serde::Deserialize;

use super::json;
use crate::conversation::{Source, Turn};
use crate::errors::Failure;
use crate::service::Shared;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    #[serde(default)]
    wire: Option<String>,
    #[serde(default)]
    id: Option<String>,
}

pub(super) async fn push(
    State(shared): State<Arc<Shared>>,
    wanted: Result<Query<Wanted>, QueryRejection>,
    request: Request,
) -> Result<Response, Failure> {
    shared.check_running()?;
    let Query(Wanted { wire, id }) = wanted?;
    let wire = match wire.as_deref() {
        None | Some("auto") => None,
        Some(name) => {
            Some(name.parse::<Format>().map_err(|error| Failure::bad_request(format!("wire: {error}, auto")))?)
        }
    };
    if request.headers().get(header::CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity") {
        return Err(Failure::bad_request("the body is encoded, and can't be read: send it as it is"));
    }
    let (conversation, is_new) = shared.store.get_or_make(id.as_deref())?;
    let mut turn = Turn::begin(&shared, &conversation, wire, Source::Push)?;
    let mut body = request.into_body().into_data_stream();
    while let Some(chunk) = body.next().await {
        match chunk {
            Ok(chunk) => turn.feed(&chunk),
            Err(error) => {
                turn.error("upstream", &format!("the connection of who pushed it broke: {error}"));
                turn.end(true);
                return Err(Failure::bad_request(format!("the body can't be read to its end: {error}")));
            }
        }
        if turn.is_gone() {
            turn.end(true);
            return Err(Failure::no_conversation(conversation.id()));
        }
    }
    turn.end(false);
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    let location = format!("/conversations/{}", conversation.id());
    Ok((status, [(header::LOCATION, location)], json(conversation.snapshot())).into_response())
}
