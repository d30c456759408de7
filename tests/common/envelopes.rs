//! The reference reader of envelopes, as plain as possible.
//!
//! It is the oracle of the tests for the calls that arrive in the text in a model's own form.
//!
//! As in `reference`, of which this is a part, it sees the whole stream at once and reads text
//! twice where that is simpler. Its functions quote the sentences of `docs/format.md` (section
//! "Envelopes") that they implement, and where the page leaves something open a comment begins with
//! `Decided:`. JSON arguments are read by `arguments`.

mod by_choice;
mod calls;
mod headers;
mod objects;
mod tags;

/// What prose does at a character where an envelope could start.
pub(super) enum Prose {
    /// No envelope starts there.
    GoesOn,
    /// It is text up to this index: it was no header.
    After(usize),
    /// There were calls up to the first index. What follows is text up to the second: it was no
    /// header of one more call in the same wrapper. If an opener ended the last call, the text
    /// before it is prose from the third index on.
    AfterCall(usize, usize, Option<usize>),
}

const OUR_TOOL: &str = "ask_followup_question";
