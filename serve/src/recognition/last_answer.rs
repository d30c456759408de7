//! The model's message after a conversation's last request, and whether a request shows it.

use serde::{Deserialize, Serialize};

use super::fingerprint::{Fingerprint, ShownAnswer};

/// The model's message after a conversation's last request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum LastAnswer {
    Streaming,
    /// It can't be read.
    Unknown,
    Known {
        said: Fingerprint,
        items: Vec<Fingerprint>,
        /// An agent may have got less of it, or more.
        is_cut_off: bool,
    },
}

/// Whether a request shows an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    Exact,
    /// The answer is not known, or not as a whole.
    Possible,
    None,
}

impl LastAnswer {
    /// Returns whether a request shows this answer; `None` if that is not known yet.
    pub(super) fn fit(&self, shown: &ShownAnswer) -> Option<Fit> {
        let (is_same, is_cut_off) = match self {
            LastAnswer::Streaming => return None,
            LastAnswer::Unknown => return Some(Fit::Possible),
            LastAnswer::Known { items, is_cut_off, .. } if !shown.references.is_empty() => {
                (shown.references.iter().all(|item| items.contains(item)), *is_cut_off)
            }
            LastAnswer::Known { said, is_cut_off, .. } => (*said == shown.said, *is_cut_off),
        };
        Some(match (is_same, is_cut_off) {
            (true, _) => Fit::Exact,
            (false, true) => Fit::Possible,
            (false, false) => Fit::None,
        })
    }
}
