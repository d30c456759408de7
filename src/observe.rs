//! Hooks for metrics and logs.

use crate::owned::Event;

/// Is told what a [`Reader`](crate::owned::Reader) reads. All methods do nothing unless they are written.
///
/// It is a type parameter, and `()` by default: where nobody observes, nothing is left of it when it is compiled.
///
/// ```
/// use followup::Parser;
/// use followup::observe::Observe;
/// use followup::owned::{Event, Reader};
///
/// #[derive(Default)]
/// struct Counted {
///     bytes: usize,
///     asked: usize,
/// }
///
/// impl Observe for Counted {
///     fn chunk(&mut self, bytes: usize) {
///         self.bytes += bytes;
///     }
///     fn event(&mut self, event: &Event) {
///         self.asked += usize::from(matches!(event, Event::Complete(_)));
///     }
/// }
///
/// let call = "<ask_followup_question><question>Tea?</question></ask_followup_question>";
/// let mut reader = Reader::observed(Parser::default(), Counted::default());
/// assert_eq!(reader.feed(call.into()).count(), 2);
/// assert_eq!((reader.observer().bytes, reader.observer().asked), (call.len(), 1));
/// ```
pub trait Observe {
    /// A chunk of so many bytes is about to be read.
    fn chunk(&mut self, bytes: usize) {
        let _ = bytes;
    }

    /// This came of it, and is about to be given to whoever reads. Events that nobody takes are not told.
    fn event(&mut self, event: &Event) {
        let _ = event;
    }

    /// This went wrong in a provider's stream.
    #[cfg(feature = "wire")]
    fn error(&mut self, error: &crate::owned::Error) {
        let _ = error;
    }

    /// The stream has ended, and all of it has been read.
    fn finish(&mut self) {}
}

impl Observe for () {}

/// Tells [`tracing`] what happens, inside of a span of its own: `followup`, at level `DEBUG`.
///
/// | level | event |
/// |---|---|
/// | `WARN` | something went wrong in a provider's stream: its `code` |
/// | `INFO` | a call is complete: its number `call`, the number of `suggestions`, its `notes`; or rejected: the `reason` |
/// | `DEBUG` | the stream has ended: `bytes`, `calls` |
/// | `TRACE` | a chunk: `bytes` |
///
/// What the model wrote is never told: it may be anything, and logs are kept.
#[cfg(feature = "tracing")]
#[derive(Clone, Debug)]
pub struct Tracing {
    span: tracing::Span,
    bytes: u64,
    calls: u64,
}

#[cfg(feature = "tracing")]
impl Tracing {
    /// In a span of its own, inside of the one that is current.
    pub fn new() -> Tracing {
        Tracing::within(tracing::debug_span!("followup"))
    }

    /// In that span.
    pub fn within(span: tracing::Span) -> Tracing {
        Tracing { span, bytes: 0, calls: 0 }
    }
}

#[cfg(feature = "tracing")]
impl Default for Tracing {
    fn default() -> Tracing {
        Tracing::new()
    }
}

#[cfg(feature = "tracing")]
impl Observe for Tracing {
    fn chunk(&mut self, bytes: usize) {
        self.bytes += bytes as u64;
        tracing::trace!(parent: &self.span, bytes, "chunk");
    }

    fn event(&mut self, event: &Event) {
        match event {
            Event::Complete(call) => {
                self.calls += 1;
                let (suggestions, notes) = (call.suggestions.len(), call.notes.len());
                tracing::info!(parent: &self.span, call = call.nth, suggestions, notes, "complete");
            }
            Event::Rejected(call) => {
                self.calls += 1;
                tracing::info!(parent: &self.span, call = call.nth, reason = call.reason.code(), "rejected");
            }
            Event::Text(_) | Event::Opaque(_) | Event::Partial(_) => {}
        }
    }

    #[cfg(feature = "wire")]
    fn error(&mut self, error: &crate::owned::Error) {
        tracing::warn!(parent: &self.span, code = error.view().code(), "error");
    }

    fn finish(&mut self) {
        tracing::debug!(parent: &self.span, bytes = self.bytes, calls = self.calls, "end");
        (self.bytes, self.calls) = (0, 0);
    }
}
