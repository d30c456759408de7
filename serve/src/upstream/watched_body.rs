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
    read_at: Arc<Mutex<Option<Instant>>>,
}

/// When a body was last read; `None` while its next piece is awaited from the caller.
pub(super) struct ReadTime(Arc<Mutex<Option<Instant>>>);

impl WatchedBody {
    pub(super) fn new(body: Body) -> (WatchedBody, ReadTime) {
        let read_at = Arc::new(Mutex::new(Some(Instant::now())));
        (WatchedBody { body, read_at: read_at.clone() }, ReadTime(read_at))
    }
}

impl ReadTime {
    /// Waits until the body has not been read for that long. Pauses of the caller do not count.
    pub(super) async fn stalled(&self, timeout: Duration) {
        loop {
            let read_at = *self.0.lock();
            let deadline = read_at.unwrap_or_else(Instant::now) + timeout;
            if read_at.is_some() && deadline <= Instant::now() {
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
        *self.read_at.lock() = frame.is_ready().then(Instant::now);
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use futures_util::StreamExt;
    use futures_util::stream::{once, pending};
    use http_body_util::BodyExt;

    use super::*;

    #[tokio::test]
    async fn a_pause_of_the_caller_is_none_of_the_provider() {
        let piece = async { Ok::<_, axum::Error>(Bytes::from_static(b"x")) };
        let (mut body, read_time) = WatchedBody::new(Body::from_stream(once(piece).chain(pending())));
        let is_stalled =
            async || tokio::time::timeout(Duration::from_millis(20), read_time.stalled(Duration::ZERO)).await.is_ok();
        assert!(is_stalled().await, "the provider does not read");
        assert!(body.frame().now_or_never().is_some());
        assert!(is_stalled().await, "the provider has a piece, and does not ask for the next");
        assert!(body.frame().now_or_never().is_none());
        assert!(!is_stalled().await, "the provider waits for the caller");
    }
}
