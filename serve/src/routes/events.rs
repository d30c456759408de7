//! `GET /conversations/ID/events`: the events of a conversation as they happen.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderName, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::Stream;
use futures_util::stream::unfold;
use serde::Deserialize;

use crate::app_state::AppState;
use crate::conversation::{EventId, ReadResult, Reader};
use crate::error::ApiError;

/// Id of the last event that a reader has seen. A browser that reconnects sends it by itself.
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EventsQuery {
    #[serde(default, rename = "last-event-id")]
    last: Option<String>,
}

pub(super) async fn events(
    State(state): State<Arc<AppState>>,
    id: Result<Path<String>, PathRejection>,
    query: Result<Query<EventsQuery>, QueryRejection>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    state.check_running()?;
    let conversation = state.store.get(&id?).await?;
    let Query(EventsQuery { last }) = query?;
    let last = headers.get(LAST_EVENT_ID).and_then(|last| last.to_str().ok()).or(last.as_deref());
    let last: Option<EventId> = last.and_then(|last| last.parse().ok());
    let limit = state.settings.limits.readers;
    let mut reader = conversation.reader().ok_or_else(|| ApiError::too_many_readers(limit))?;
    tokio::select! {
        () = state.store.begin_reading(&mut reader, last) => {}
        // It may wait for longer than a shutdown may take.
        () = state.shutdown.cancelled() => state.check_running()?,
    }
    let last = last.filter(|&last| conversation.has_events_after(last));
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-store"),
        // Keeps proxies from buffering the stream.
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    let stream = EventStream { state, reader, last, has_begun: false, has_ended: false };
    Ok((headers, Body::from_stream(stream.into_stream())).into_response())
}

/// The events that one reader gets.
///
/// Nothing is queued: it looks into the conversation whenever the connection has taken what it had.
struct EventStream {
    state: Arc<AppState>,
    reader: Reader,
    /// The last event that the reader has got.
    last: Option<EventId>,
    has_begun: bool,
    has_ended: bool,
}

impl EventStream {
    fn into_stream(self) -> impl Stream<Item = Result<Bytes, Infallible>> {
        unfold(self, async |mut stream| Some((Ok(stream.next().await?), stream)))
    }

    async fn next(&mut self) -> Option<Bytes> {
        if self.has_ended {
            return None;
        }
        // Begins the response even if there is no event yet.
        if !std::mem::replace(&mut self.has_begun, true) && self.last.is_some() {
            return Some(Bytes::from_static(b": resumed\n\n"));
        }
        // One for the whole call: not every change of the conversation is an event.
        let mut heartbeat = pin!(tokio::time::sleep(self.state.settings.heartbeat));
        loop {
            match self.reader.conversation.read(self.last) {
                ReadResult::Events(events, last) => {
                    self.last = Some(last);
                    return Some(events);
                }
                ReadResult::Gone(event) => {
                    self.has_ended = true;
                    return Some(event);
                }
                ReadResult::Nothing => {}
            }
            tokio::select! {
                biased;
                () = self.state.shutdown.cancelled() => {
                    self.has_ended = true;
                    return Some(Bytes::from_static(b": the service is shutting down\n\n"));
                }
                () = &mut heartbeat => return Some(Bytes::from_static(b":\n\n")),
                () = self.reader.changed() => {}
            }
        }
    }
}
