//! Where a choice is on the screen.

/// The index of a choice of a question.
///
/// A choice is an option, or after the last one, an answer in one's own words.
///
/// Of the review, it is the index of a question, or after the last one, to send the answers.
pub(super) type Choice = usize;

/// A choice of the open call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Spot {
    /// The index of its question; after the last one, the review.
    pub(super) step: usize,
    pub(super) choice: Choice,
}
