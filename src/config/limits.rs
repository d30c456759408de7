//! How much of a stream a call may take.

/// The limits of a call. Plain data; every limit counts the stream, never a chunk, so
/// passing one never depends on how the stream was cut.
///
/// Together they bound the memory of a parser: it never holds more than one call, and of that
/// no more than the limits allow.
///
/// ```
/// use followup::{Event, Limits, Parser, Policy, Reason};
///
/// let message = "<ask_followup_question><question>12345</question></ask_followup_question>";
/// let ends = |limits: Limits| {
///     let mut parser = Parser::new(Policy::new().with_limits(limits));
///     let mut events = parser.feed(message);
///     while let Some(event) = events.next() {
///         match event {
///             Event::Complete(_) => return "complete",
///             Event::Rejected(call) => {
///                 assert!(matches!(call.reason(), Reason::TooLong { limit: 4, .. }));
///                 return "rejected";
///             }
///             _ => {}
///         }
///     }
///     "open"
/// };
/// assert_eq!(ends(Limits::default()), "complete");
/// assert_eq!(ends(Limits { question: 5, ..Limits::default() }), "complete");
/// assert_eq!(ends(Limits { question: 4, ..Limits::default() }), "rejected");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default, deny_unknown_fields))]
pub struct Limits {
    /// Bytes of a question's text, trimmed. Default 100 KiB. A longer one is rejected.
    pub question: usize,
    /// Bytes of one answer's text (or one nested mode's), trimmed. Default 16 KiB. A longer one is rejected.
    pub answer: usize,
    /// Suggestions kept of one call. Default 32. Later ones are dropped, with a note.
    pub suggestions: usize,
    /// Bytes of one tag with its attributes, from `<` to `>`. Default 256. A longer one is text.
    pub tag: usize,
    /// Bytes behind an opening tag before it is taken for prose, if no parameter's tag ends
    /// within them. Default 2 KiB. Then the opening tag is text.
    pub bare: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { question: 100 << 10, answer: 16 << 10, suggestions: 32, tag: 256, bare: 2 << 10 }
    }
}

impl Limits {
    /// The most bytes the text of a JSON list may have: room for all suggestions together.
    pub(crate) fn list(&self) -> usize {
        self.answer.saturating_mul(self.suggestions)
    }
}
