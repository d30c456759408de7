//! Limits of a provider's stream.

/// The limits of a [`ResponseParser`](super::ResponseParser), beside those of a call.
///
/// Each counts the stream, never a chunk, so what passes one never depends on how the body was cut.
/// With the
/// [limits of a call](crate::Limits) they bound the memory of the parser.
///
/// ```
/// use followup::Policy;
/// use followup::wire::{Error, Format, Limits, ResponseParser};
///
/// let limits = Limits::default().with_event(20);
/// let mut parser = ResponseParser::new(Format::OpenAiChat, Policy::new()).with_limits(limits);
/// let mut events = parser.feed(b"data: {\"an event\":\"of more than twenty bytes\"}\n\n");
/// assert_eq!(events.next(), Some(Err(Error::TooLong(20))));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default, deny_unknown_fields))]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of one event of the stream. Default 8 MiB.
    ///
    /// A longer one is skipped, with an error.
    pub event: usize,
    /// Native calls of one message that are open at once. Default 64.
    ///
    /// Further ones are skipped, with an error. No more calls than this
    /// [wait for the end](super#from-stream-to-event) of the body, either.
    pub open_calls: usize,
    /// Bytes of the arguments of all calls that ask a question and are open, together.
    ///
    /// Default 4 MiB.
    ///
    /// The call that exceeds it is rejected, with an error. The calls that wait for the end of the
    /// body may be as long.
    pub arguments: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { event: 8 << 20, open_calls: 64, arguments: 4 << 20 }
    }
}

impl Limits {
    /// Sets the limit of one event, in bytes.
    #[must_use]
    pub fn with_event(self, event: usize) -> Limits {
        Limits { event, ..self }
    }

    /// Sets the limit of native calls that are open at once.
    #[must_use]
    pub fn with_open_calls(self, open_calls: usize) -> Limits {
        Limits { open_calls, ..self }
    }

    /// Sets the limit of the arguments of all open calls together, in bytes.
    #[must_use]
    pub fn with_arguments(self, arguments: usize) -> Limits {
        Limits { arguments, ..self }
    }
}
