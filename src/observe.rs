//! Hooks for metrics and logs.

use crate::owned::event::Event;

/// Observes what a [`Reader`](crate::owned::Reader) parses. Every method does nothing by default.
///
/// The observer is a type parameter of the reader, and `()` by default, which costs nothing.
///
/// ```
/// use followup::Parser;
/// use followup::observe::Observer;
/// use followup::owned::{Event, Reader};
///
/// #[derive(Default)]
/// struct Counter {
///     bytes: usize,
///     asked: usize,
/// }
///
/// impl Observer for Counter {
///     fn on_chunk(&mut self, bytes: usize) {
///         self.bytes += bytes;
///     }
///     fn on_event(&mut self, event: &Event) {
///         self.asked += usize::from(matches!(event, Event::Complete(_)));
///     }
/// }
///
/// let call = "<ask_followup_question><question>Tea?</question></ask_followup_question>";
/// let mut reader = Reader::with_observer(Parser::default(), Counter::default());
/// assert_eq!(reader.feed(call.into()).count(), 2);
/// assert_eq!((reader.observer().bytes, reader.observer().asked), (call.len(), 1));
/// ```
pub trait Observer {
    /// A chunk of this many bytes was fed.
    fn on_chunk(&mut self, bytes: usize) {
        let _ = bytes;
    }

    /// This event is about to be returned to the caller.
    ///
    /// Events that are not taken are not reported.
    fn on_event(&mut self, event: &Event) {
        let _ = event;
    }

    /// This error in a provider's stream is about to be returned to the caller.
    #[cfg(feature = "wire")]
    fn on_error(&mut self, error: &crate::owned::error::Error) {
        let _ = error;
    }

    /// The stream has ended, and all of its events have been taken or dropped.
    fn on_finish(&mut self) {}
}

impl Observer for () {}

/// Reports to [`tracing`], in a span of its own: `followup`, at level `DEBUG`.
///
/// | level | event |
/// |---|---|
/// | `WARN` | an error in a provider's stream: its `code` |
/// | `INFO` | a call is complete: its index `call`, how many `suggestions` and `notes` it has |
/// | `INFO` | a call is rejected: its index `call`, the `reason` |
/// | `DEBUG` | the stream has ended: `bytes`, `calls` |
/// | `TRACE` | a chunk: `bytes` |
///
/// It never reports what the model wrote: that may be anything, and logs are kept.
#[cfg(feature = "tracing")]
#[derive(Clone, Debug)]
pub struct Tracing {
    span: tracing::Span,
    bytes: u64,
    calls: u64,
}

#[cfg(feature = "tracing")]
impl Tracing {
    /// Reports in a new span, a child of the current one.
    pub fn new() -> Tracing {
        Tracing::in_span(tracing::debug_span!("followup"))
    }

    /// Reports in `span`.
    pub fn in_span(span: tracing::Span) -> Tracing {
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
impl Observer for Tracing {
    fn on_chunk(&mut self, bytes: usize) {
        self.bytes += bytes as u64;
        tracing::trace!(parent: &self.span, bytes, "chunk");
    }

    fn on_event(&mut self, event: &Event) {
        match event {
            Event::Complete(call) => {
                self.calls += 1;
                let (suggestions, notes) = (call.suggestions.len(), call.notes.len());
                tracing::info!(parent: &self.span, call = call.index, suggestions, notes, "complete");
            }
            Event::Rejected(call) => {
                self.calls += 1;
                tracing::info!(parent: &self.span, call = call.index, reason = call.reason.code(), "rejected");
            }
            Event::Text(_) | Event::Opaque(_) | Event::Partial(_) => {}
        }
    }

    #[cfg(feature = "wire")]
    fn on_error(&mut self, error: &crate::owned::error::Error) {
        tracing::warn!(parent: &self.span, code = error.view().code(), "error");
    }

    fn on_finish(&mut self) {
        tracing::debug!(parent: &self.span, bytes = self.bytes, calls = self.calls, "end");
        (self.bytes, self.calls) = (0, 0);
    }
}
