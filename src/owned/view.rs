//! The view of an open call, rebuilt from its partials.

use alloc::string::String;
use alloc::vec::Vec;

use super::event::{Field, Partial};

/// An open call as far as it has been shown: the sum of its partials.
///
/// It is for display only: act on [`Complete`](super::Complete). Calls of a provider's stream may
/// overlap; keep one view for each [`index`](Partial::index).
///
/// Cost of a partial: a copy of its delta, however long the call already is.
///
/// ```
/// use followup::Parser;
/// use followup::owned::{CallView, Event, Reader};
///
/// let (mut reader, mut view) = (Reader::new(Parser::default()), CallView::default());
/// let chunks =
///     ["<ask_followup_question><question>Tea", "?</question><suggest mode='ask'>No", " idea"];
/// for chunk in chunks {
///     for event in reader.feed(chunk.into()) {
///         let Event::Partial(partial) = event else { panic!("{event:?}") };
///         view.append(&partial);
///         assert!(view.is_in_sync(&partial));
///     }
/// }
/// assert_eq!(view.question(), Some("Tea?"));
/// assert_eq!(view.suggestions().collect::<Vec<_>>(), [("No idea", Some("ask"))]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallView {
    question: String,
    suggestions: Vec<(String, Option<String>)>,
}

impl CallView {
    /// Appends the delta of a partial.
    pub fn append(&mut self, partial: &Partial) {
        match &partial.field {
            Field::Question => self.question.push_str(&partial.delta),
            Field::Suggestion { index, mode } => {
                if *index >= self.suggestions.len() {
                    self.suggestions.push(Default::default());
                }
                // Only the newest suggestion grows.
                if let Some((answer, known)) = self.suggestions.last_mut() {
                    answer.push_str(&partial.delta);
                    if known.is_none() {
                        *known = mode.as_deref().map(Into::into);
                    }
                }
            }
        }
    }

    /// Returns whether the field that `partial` extends is as long as it should be after `partial`.
    ///
    /// Call it with the partial that was appended last: if it returns `false`, one was missed.
    pub fn is_in_sync(&self, partial: &Partial) -> bool {
        match partial.field {
            Field::Question => self.question.len() == partial.len,
            Field::Suggestion { index, .. } => {
                let newest = self.suggestions.last().map_or(0, |(answer, _)| answer.len());
                self.suggestions.len() == index.saturating_add(1) && newest == partial.len
            }
        }
    }

    /// Returns the question so far, or `None` until its first character is certain.
    pub fn question(&self) -> Option<&str> {
        Some(&*self.question).filter(|question| !question.is_empty())
    }

    /// Returns the suggestions so far, each answer with its mode. All but the last are final.
    pub fn suggestions(&self) -> impl ExactSizeIterator<Item = (&str, Option<&str>)> {
        self.suggestions.iter().map(|(answer, mode)| (&**answer, mode.as_deref()))
    }
}
