//! The limits of a call.

/// The limits of a call, in bytes of text unless stated otherwise.
///
/// A limit counts the stream, never a chunk: whether it is exceeded does not depend on how the
/// stream is cut. Together the limits bound the memory of a parser, which holds at most one call,
/// and no more of it than they allow.
///
/// Unlike the other types of the configuration, this one has public fields, and can be written in
/// full: any number is valid, and a program that sets all limits has to decide about a new one.
///
/// ```
/// use followup::{Event, Limits, Parser, Policy, Reason};
///
/// let message = "<ask_followup_question><question>12345</question></ask_followup_question>";
/// let ends = |limits: Limits| {
///     let mut end = "open";
///     Parser::new(Policy::new().with_limits(limits)).feed(message).for_each(|event| match event {
///         Event::Complete(_) => end = "complete",
///         Event::Rejected(call) => {
///             assert!(matches!(call.reason(), Reason::TooLong { limit: 4, .. }));
///             end = "rejected";
///         }
///         _ => {}
///     });
///     end
/// };
/// assert_eq!(ends(Limits::default()), "complete");
/// assert_eq!(ends(Limits { question: 5, ..Limits::default() }), "complete");
/// assert_eq!(ends(Limits { question: 4, ..Limits::default() }), "rejected");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default, deny_unknown_fields))]
pub struct Limits {
    /// The length of a question, trimmed. Default 100 KiB. A call with a longer one is rejected.
    pub question: usize,
    /// The length of an answer, or of a nested mode, trimmed. Default 16 KiB.
    ///
    /// A call with a longer one is rejected.
    pub answer: usize,
    /// The number of suggestions. Default 32. Later ones are dropped, with a note.
    pub suggestions: usize,
    /// The length of a tag with its attributes, from `<` to `>`. Default 256. A longer one is text.
    pub tag: usize,
    /// The length of a call that is not certain yet. Default 2 KiB.
    ///
    /// If no parameter's tag ends within so many bytes after an opening tag, no call begins there:
    /// the tag is text, and what follows it is read. The header of an envelope is text if it is
    /// longer, and so is the space after a call in an envelope.
    pub unconfirmed: usize,
    /// The number of questions in a call. Default 16. Later ones are dropped, with a note.
    ///
    /// A call of `ask_followup_question` has one.
    pub questions: usize,
    /// The length of the header, or of the id, of a question. Default 1 KiB.
    ///
    /// A call with a longer one is rejected.
    pub header: usize,
    /// The length of a suggestion's description or preview, or of the text below a question.
    ///
    /// Default 16 KiB.
    ///
    /// A call with a longer one is rejected.
    pub description: usize,
    /// The length of all texts of a call together, also of those that are dropped. Default 1 MiB.
    ///
    /// A call with more is rejected. It is not for a call of `ask_followup_question`, whose other
    /// limits bound it.
    pub texts: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            question: 100 << 10,
            answer: 16 << 10,
            suggestions: 32,
            tag: 256,
            unconfirmed: 2 << 10,
            questions: 16,
            header: 1 << 10,
            description: 16 << 10,
            texts: 1 << 20,
        }
    }
}

impl Limits {
    /// Returns the limit of a JSON list's text, which has room for all suggestions together.
    pub(crate) fn list(&self) -> usize {
        self.answer.saturating_mul(self.suggestions)
    }
}
