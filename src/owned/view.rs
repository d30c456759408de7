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
    title: String,
    questions: Vec<QuestionView>,
}

/// An open question as far as it has been shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct QuestionView {
    /// The header so far.
    pub header: String,
    /// The question so far.
    pub text: String,
    /// The text below the question so far.
    pub detail: String,
    /// The suggestions so far.
    pub suggestions: Vec<SuggestionView>,
}

/// A suggestion of an open question as far as it has been shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SuggestionView {
    /// The answer so far.
    pub answer: String,
    /// The mode, if it is known.
    pub mode: Option<String>,
    /// The description so far.
    pub description: String,
    /// The preview so far.
    pub preview: String,
}

impl QuestionView {
    /// Returns the suggestion at this index. It is created if it is the next one.
    fn suggestion(&mut self, index: usize) -> Option<&mut SuggestionView> {
        if index == self.suggestions.len() {
            self.suggestions.push(SuggestionView::default());
        }
        self.suggestions.get_mut(index)
    }
}

impl CallView {
    /// Appends the delta of a partial.
    pub fn append(&mut self, partial: &Partial) {
        if partial.field == Field::Title {
            return self.title.push_str(&partial.delta);
        }
        if partial.question == self.questions.len() {
            self.questions.push(QuestionView::default());
        }
        let Some(question) = self.questions.get_mut(partial.question) else { return };
        let text = match &partial.field {
            Field::Question => Some(&mut question.text),
            Field::Title => None,
            Field::Header => Some(&mut question.header),
            Field::Detail => Some(&mut question.detail),
            Field::Description(index) => question.suggestion(*index).map(|one| &mut one.description),
            Field::Preview(index) => question.suggestion(*index).map(|one| &mut one.preview),
            Field::Suggestion { index, mode } => question.suggestion(*index).map(|one| {
                if one.mode.is_none() {
                    one.mode = mode.as_deref().map(Into::into);
                }
                &mut one.answer
            }),
        };
        if let Some(text) = text {
            text.push_str(&partial.delta);
        }
    }

    /// Returns whether the field that `partial` extends is as long as it should be after `partial`.
    ///
    /// Call it with the partial that was appended last: if it returns `false`, one was missed.
    ///
    /// ```
    /// use followup::Parser;
    /// use followup::owned::{CallView, Event, Reader};
    ///
    /// let (mut reader, mut view) = (Reader::new(Parser::default()), CallView::default());
    /// drop(reader.feed("<ask_followup_question><question>Missed".into()));
    /// for event in reader.feed(" by the view".into()) {
    ///     if let Event::Partial(partial) = event {
    ///         view.append(&partial);
    ///         assert!(!view.is_in_sync(&partial));
    ///     }
    /// }
    /// assert_eq!(view.question(), Some(" by the view"));
    /// ```
    pub fn is_in_sync(&self, partial: &Partial) -> bool {
        if partial.field == Field::Title {
            return self.title.len() == partial.len;
        }
        let Some(question) = self.questions.get(partial.question) else { return false };
        let suggestion = |index: &usize| question.suggestions.get(*index);
        let text = match &partial.field {
            Field::Question => Some(&question.text),
            Field::Title => None,
            Field::Header => Some(&question.header),
            Field::Detail => Some(&question.detail),
            Field::Suggestion { index, .. } => suggestion(index).map(|one| &one.answer),
            Field::Description(index) => suggestion(index).map(|one| &one.description),
            Field::Preview(index) => suggestion(index).map(|one| &one.preview),
        };
        partial.question + 1 == self.questions.len() && text.is_some_and(|text| text.len() == partial.len)
    }

    /// Returns the text above all questions so far, or `None` until its first character is certain.
    pub fn title(&self) -> Option<&str> {
        Some(&*self.title).filter(|title| !title.is_empty())
    }

    /// Returns the questions so far. All but the last are final.
    pub fn questions(&self) -> &[QuestionView] {
        &self.questions
    }

    /// Returns the first question so far, or `None` until its first character is certain.
    pub fn question(&self) -> Option<&str> {
        self.questions.first().map(|question| &*question.text).filter(|question| !question.is_empty())
    }

    /// Returns the suggestions of the first question so far, each answer with its mode.
    ///
    /// All but the last are final.
    pub fn suggestions(&self) -> impl ExactSizeIterator<Item = (&str, Option<&str>)> {
        let suggestions = self.questions.first().map_or(&[][..], |question| &question.suggestions);
        suggestions.iter().map(|one| (&*one.answer, one.mode.as_deref()))
    }
}
