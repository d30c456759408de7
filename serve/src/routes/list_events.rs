//! `GET /conversations/events`: the list of conversations as it changes.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderName, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::Stream;
use futures_util::stream::unfold;
use serde_json::json;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::app_state::AppState;
use crate::conversation::frame;
use crate::error::ApiError;
use crate::local_store::ListReader;

/// Minimum time between two batches of events. Changes meanwhile are sent together.
const PAUSE: Duration = Duration::from_millis(100);

pub(super) async fn events(State(state): State<Arc<AppState>>) -> Result<Response, ApiError> {
    state.check_running()?;
    let limit = state.settings.limits.readers;
    let reader = state.store.local().list_reader().ok_or_else(|| ApiError::too_many_list_readers(limit))?;
    // Before the list is read, so that no change is missed.
    let changed = state.store.local().changes().subscribe();
    state.store.refresh_list().await;
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-store"),
        // Keeps proxies from buffering the stream.
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    let stream = ListStream {
        state,
        changed,
        known: None,
        batches: 0,
        next_batch: Instant::now(),
        has_ended: false,
        _reader: reader,
    };
    Ok((headers, Body::from_stream(stream.into_stream())).into_response())
}

/// The events that one reader of the list gets.
///
/// Nothing is queued: it compares the list with what the reader knows, whenever the connection has
/// taken what it had.
struct ListStream {
    state: Arc<AppState>,
    changed: watch::Receiver<()>,
    /// The version of each conversation that the reader knows; `None` before the first event.
    known: Option<HashMap<String, u64>>,
    /// Number of batches so far: the id of their events.
    batches: u64,
    /// When the next batch may be sent.
    next_batch: Instant,
    has_ended: bool,
    _reader: ListReader,
}

impl ListStream {
    fn into_stream(self) -> impl Stream<Item = Result<Bytes, Infallible>> {
        unfold(self, async |mut stream| Some((Ok(stream.next().await?), stream)))
    }

    async fn next(&mut self) -> Option<Bytes> {
        if self.has_ended {
            return None;
        }
        if self.known.is_none() {
            return Some(self.list());
        }
        let shutdown = self.state.shutdown.clone();
        let heartbeat = self.state.settings.heartbeat;
        let batch = async {
            loop {
                tokio::time::sleep_until(self.next_batch).await;
                // This can't fail: the store keeps the sender.
                let _ = self.changed.changed().await;
                let batch = self.batch();
                self.next_batch = Instant::now() + PAUSE;
                if !batch.is_empty() {
                    return batch;
                }
            }
        };
        tokio::select! {
            biased;
            () = shutdown.cancelled() => {
                self.has_ended = true;
                Some(Bytes::from_static(b": the service is shutting down\n\n"))
            }
            batch = batch => Some(batch),
            () = tokio::time::sleep(heartbeat) => Some(Bytes::from_static(b":\n\n")),
        }
    }

    /// Returns the first event: the whole list.
    fn list(&mut self) -> Bytes {
        // Before the entries are read, which are of these versions or newer ones.
        let versions = self.state.store.versions();
        let list = json!({"service": self.state.service_id, "conversations": self.state.store.summaries()});
        let event = frame("list-0", "list", &list);
        self.known = Some(versions);
        event
    }

    /// Returns the events since the last call.
    fn batch(&mut self) -> Bytes {
        let known = self.known.get_or_insert_default();
        let versions = self.state.store.versions();
        let removed: Vec<String> = known.keys().filter(|id| !versions.contains_key(*id)).cloned().collect();
        self.batches += 1;
        let event_id = format!("list-{}", self.batches);
        let mut changed: Vec<_> = versions
            .into_iter()
            .filter(|(id, version)| known.get(id) != Some(version))
            .filter_map(|(id, version)| Some((self.state.store.summary(&id)?, version)))
            .collect();
        changed.sort_by_key(|(summary, _)| summary.updated_at);
        let mut events = Vec::new();
        for id in removed {
            events.extend_from_slice(&frame(&*event_id, "removed", &json!({"id": id})));
            known.remove(&id);
        }
        for (summary, version) in changed {
            events.extend_from_slice(&frame(&*event_id, "conversation", &summary));
            known.insert(summary.id, version);
        }
        events.into()
    }
}
