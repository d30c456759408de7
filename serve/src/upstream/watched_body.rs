//! The body of a request to the provider, and when a piece of it was last sent.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use parking_lot::Mutex;
use tokio::time::{Instant, sleep_until};

/// A body that records when it was last read.
pub(super) struct WatchedBody {
    body: Body,
    read_at: Arc<Mutex<Instant>>,
}

/// When a body was last read.
pub(super) struct ReadTime(Arc<Mutex<Instant>>);

impl WatchedBody {
    pub(super) fn new(body: Body) -> (WatchedBody, ReadTime) {
        let read_at = Arc::new(Mutex::new(Instant::now()));
        (WatchedBody { body, read_at: read_at.clone() }, ReadTime(read_at))
    }
}

impl ReadTime {
    /// Waits until the body has not been read for that long.
    pub(super) async fn stalled(&self, timeout: Duration) {
        loop {
            let deadline = *self.0.lock() + timeout;
            if deadline <= Instant::now() {
                return;
            }
            sleep_until(deadline).await;
        }
    }
}

impl hyper::body::Body for WatchedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        if frame.is_ready() {
            *self.read_at.lock() = Instant::now();
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
