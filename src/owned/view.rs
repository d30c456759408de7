//! The whole of an open call, kept by whoever is sent what is new of it.

use alloc::string::String;
use alloc::vec::Vec;

use super::{Grown, Partial};

/// A call as far as it has been shown: what its partials add up to.
///
/// A call that ends extends it, so it is for the eye only: what may be acted on is in [`Complete`](super::Complete). Calls of a provider's stream may overlap;
/// then there is one view for each [`nth`](Partial::nth).
///
/// Cost: of a partial a copy of its delta, whatever the call has already.
///
/// ```
/// use followup::Parser;
/// use followup::owned::{Event, Reader, View};
///
/// let (mut reader, mut view) = (Reader::new(Parser::default()), View::default());
/// for chunk in ["<ask_followup_question><question>Tea", "?</question><suggest mode=\"ask\">No", " idea"] {
///     for event in reader.feed(chunk.into()) {
///         let Event::Partial(call) = event else { panic!("{event:?}") };
///         view.grow(&call);
///         assert!(view.is_whole(&call));
///     }
/// }
/// assert_eq!(view.question(), Some("Tea?"));
/// assert_eq!(view.suggestions().collect::<Vec<_>>(), [("No idea", Some("ask"))]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    question: String,
    suggestions: Vec<(String, Option<String>)>,
}

impl View {
    /// Adds what is new.
    pub fn grow(&mut self, partial: &Partial) {
        match &partial.grown {
            Grown::Question => self.question.push_str(&partial.delta),
            Grown::Suggestion { nth, mode } => {
                if *nth >= self.suggestions.len() {
                    self.suggestions.push(Default::default());
                }
                // Only the newest grows.
                if let Some((answer, known)) = self.suggestions.last_mut() {
                    answer.push_str(&partial.delta);
                    if known.is_none() {
                        *known = mode.as_deref().map(Into::into);
                    }
                }
            }
        }
    }

    /// Whether it has all that had been shown with this partial, which was the last that it was given. If not, one was missed.
    pub fn is_whole(&self, partial: &Partial) -> bool {
        match partial.grown {
            Grown::Question => self.question.len() == partial.len,
            Grown::Suggestion { nth, .. } => {
                let newest = self.suggestions.last().map_or(0, |(answer, _)| answer.len());
                self.suggestions.len() == nth.saturating_add(1) && newest == partial.len
            }
        }
    }

    /// The question so far; `None` until its first character is certain.
    pub fn question(&self) -> Option<&str> {
        Some(&*self.question).filter(|question| !question.is_empty())
    }

    /// The suggestions so far: each answer, with its mode. All but the last are as they will stay.
    pub fn suggestions(&self) -> impl ExactSizeIterator<Item = (&str, Option<&str>)> {
        self.suggestions.iter().map(|(answer, mode)| (&**answer, mode.as_deref()))
    }
}
