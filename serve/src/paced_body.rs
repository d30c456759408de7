//! The body of a request that must not pause for too long, so that a client can't hold the service.

use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use tokio::time::{Sleep, sleep};

/// The body of a request. It fails if nothing of it arrives for too long while it is read.
///
/// Time counts only while the body is being read, not while its receiver is slow.
pub(crate) struct PacedBody {
    body: Body,
    timeout: Duration,
    /// Since when the reader waits.
    pause: Option<Pin<Box<Sleep>>>,
}

/// Why the body of a request can't be read.
#[derive(Debug)]
pub(crate) enum RequestBodyError {
    /// Nothing arrived for that long.
    Paused(Duration),
    /// The client's connection broke.
    Broken(axum::Error),
}

impl PacedBody {
    pub(crate) fn new(body: Body, timeout: Duration) -> PacedBody {
        PacedBody { body, timeout, pause: None }
    }
}

impl hyper::body::Body for PacedBody {
    type Data = Bytes;
    type Error = RequestBodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, RequestBodyError>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            self.pause = None;
            return Poll::Ready(frame.map(|frame| frame.map_err(RequestBodyError::Broken)));
        }
        let timeout = self.timeout;
        let pause = self.pause.get_or_insert_with(|| Box::pin(sleep(timeout)));
        ready!(pause.as_mut().poll(context));
        Poll::Ready(Some(Err(RequestBodyError::Paused(timeout))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl RequestBodyError {
    /// Returns the error of a request's body among an error and its sources.
    pub(crate) fn find<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a RequestBodyError> {
        let mut next = Some(error);
        while let Some(error) = next {
            if let Some(found) = error.downcast_ref() {
                return Some(found);
            }
            next = error.source();
        }
        None
    }
}

impl fmt::Display for RequestBodyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RequestBodyError::Paused(timeout) => {
                write!(f, "nothing of the request's body has arrived for {} s", timeout.as_secs_f64())
            }
            RequestBodyError::Broken(error) => write!(f, "the request's body can't be read: {error}"),
        }
    }
}

impl Error for RequestBodyError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            RequestBodyError::Paused(_) => None,
            RequestBodyError::Broken(error) => Some(error),
        }
    }
}
