//! What is open of a call.

use super::Range;
use super::value::Value;
use crate::reason::Reason;

/// What is open of a call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Open {
    Nothing,
    Question(Value),
    Suggestion(OpenSuggestion),
    /// A text that becomes suggestions once it is complete. Nothing of one that is `too_long` is
    /// kept.
    List {
        value: Value,
        too_long: bool,
    },
    /// Something went wrong. From here on nothing is read.
    Failed(Reason),
}

/// The suggestion that is open.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct OpenSuggestion {
    pub(super) listing: Listing,
    pub(super) answer: AnswerState,
    pub(super) mode: ModeState,
    /// Where its modes begin in their arena.
    pub(super) modes: usize,
}

/// Whether the open suggestion is one of the call's suggestions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Listing {
    /// It is not certain to exist.
    Uncertain,
    /// It is the last of them.
    Listed,
    /// It is beyond the limit: all that is kept is whether it would exist.
    Surplus,
}

/// The answer of the open suggestion.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum AnswerState {
    Reading(Value, Visibility),
    /// It has ended, or there was none.
    Ended,
}

/// Whether the answer that is being read is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Visibility {
    /// It is shown while it grows.
    Growing,
    /// It is not certain to be the answer, or is kept whole or not at all: it is not shown.
    Provisional,
    /// The same, and it is longer than its limit.
    TooLong,
}

/// The mode of the open suggestion.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum ModeState {
    Unknown,
    /// An element that is being read into the arena of modes.
    Reading(Value),
    Known(Range),
}
