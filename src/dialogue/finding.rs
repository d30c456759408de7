//! What the rules of a host find wrong with a question.

use alloc::format;
use alloc::string::String;
use core::fmt;

use serde::{Deserialize, Serialize};

/// Something that a host may object to in a question. Suggestions are counted from 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "finding")]
#[non_exhaustive]
pub enum Finding {
    /// There are fewer suggestions than there should be.
    TooFew {
        /// The number of suggestions.
        suggestions: usize,
        /// The smallest number there should be.
        least: usize,
    },
    /// There are more suggestions than there should be.
    TooMany {
        /// The number of suggestions.
        suggestions: usize,
        /// The largest number there should be.
        most: usize,
    },
    /// A suggestion has a placeholder, which the user would have to fill in.
    ///
    /// Found are `[…]` and `<…>` around what is to be filled in (`[path]`, `<your name>`,
    /// `<API_KEY>`), `{{…}}`, words that begin with `your-` or `your_`, `path/to/…`, `TBD`, and
    /// `TODO`, `FIXME` or an ellipsis in place of a value. Code in back-ticks has none.
    Placeholder {
        /// The index of the suggestion.
        suggestion: usize,
        /// The placeholder as it is written.
        placeholder: String,
    },
    /// A suggestion has the same answer and mode as an earlier one.
    Duplicate {
        /// The index of the suggestion.
        suggestion: usize,
        /// The index of the earlier one.
        of: usize,
    },
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Finding::TooFew { suggestions, least } => {
                write!(f, "{}, and should be at least {least}", counted(*suggestions))
            }
            Finding::TooMany { suggestions, most } => {
                write!(f, "{}, and should be at most {most}", counted(*suggestions))
            }
            Finding::Placeholder { suggestion, placeholder } => {
                write!(f, "suggestion {} has a placeholder, {placeholder}", from_one(*suggestion))
            }
            Finding::Duplicate { suggestion, of } => {
                write!(f, "suggestion {} is the same as suggestion {}", from_one(*suggestion), from_one(*of))
            }
        }
    }
}

fn counted(suggestions: usize) -> String {
    match suggestions {
        1 => "there is 1 suggestion".into(),
        _ => format!("there are {suggestions} suggestions"),
    }
}

/// Returns an index as people count. It may be any number, because findings are stored.
pub(super) fn from_one(index: usize) -> usize {
    index.saturating_add(1)
}
