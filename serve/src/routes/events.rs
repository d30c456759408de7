//! The events of a conversation, as they happen.

use std::convert::Infallible;
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

use crate::conversation::{Read, Reader};
use crate::errors::Failure;
use crate::service::Shared;

/// Where a browser has seen the last event; one that reconnects says so by itself.
const LAST: HeaderName = HeaderName::from_static("last-event-id");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    #[serde(default, rename = "last-event-id")]
    last: Option<String>,
}

pub(super) async fn events(
    State(shared): State<Arc<Shared>>,
    id: Result<Path<String>, PathRejection>,
    wanted: Result<Query<Wanted>, QueryRejection>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    shared.check_running()?;
    let conversation = shared.store.get(&id?)?;
    let Query(Wanted { last }) = wanted?;
    let last = headers.get(LAST).and_then(|last| last.to_str().ok()).or(last.as_deref());
    let position = last.and_then(|last| conversation.position(last));
    let limit = shared.settings.limits.readers;
    let reader = conversation.reader().ok_or_else(|| Failure::too_many_readers(limit))?;
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-store"),
        // Proxies would wait until they have more.
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    let reading = Reading { shared, reader, position, greeted: false, ended: false };
    Ok((headers, Body::from_stream(stream(reading))).into_response())
}

/// A reader, and where it is. Nothing else is kept for it: it looks into the conversation when it has sent what it had.
struct Reading {
    shared: Arc<Shared>,
    reader: Reader,
    position: Option<u64>,
    greeted: bool,
    ended: bool,
}

fn stream(reading: Reading) -> impl Stream<Item = Result<Bytes, Infallible>> {
    unfold(reading, async |mut reading| {
        let frame = reading.next().await?;
        Some((Ok(frame), reading))
    })
}

impl Reading {
    async fn next(&mut self) -> Option<Bytes> {
        if self.ended {
            return None;
        }
        // So that the response begins also where there is nothing to say yet.
        if !std::mem::replace(&mut self.greeted, true) && self.position.is_some() {
            return Some(Bytes::from_static(b": go on\n\n"));
        }
        loop {
            match self.reader.conversation.read(self.position) {
                Read::Events(events, last) => {
                    self.position = Some(last);
                    return Some(events);
                }
                Read::Gone(event) => {
                    self.ended = true;
                    return Some(event);
                }
                Read::Nothing => {}
            }
            tokio::select! {
                biased;
                () = self.shared.ending.cancelled() => {
                    self.ended = true;
                    return Some(Bytes::from_static(b": the service ends\n\n"));
                }
                () = self.reader.changed() => {}
                () = tokio::time::sleep(self.shared.settings.heartbeat) => return Some(Bytes::from_static(b":\n\n")),
            }
        }
    }
}
