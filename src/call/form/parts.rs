//! The questions and options of a form, and their texts as ranges.

use smallvec::SmallVec;

use crate::call::{Addition, Field, Range};
use crate::config::Limits;
use crate::shape::QuestionKind;

/// A text of a question or an option. It is empty while nothing of it is certain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Slot {
    pub(super) start: usize,
    pub(super) end: usize,
    /// How much of it partials have shown.
    pub(super) shown: usize,
}

impl Slot {
    pub(crate) fn is_empty(self) -> bool {
        self.start == self.end
    }

    pub(super) fn range(self) -> Range {
        (self.start, self.end)
    }

    /// Returns what has not been shown, and counts it as shown.
    pub(super) fn next_delta(&mut self) -> Option<Range> {
        let shown = core::mem::replace(&mut self.shown, self.end - self.start);
        (shown < self.shown).then_some((self.start + shown, self.end))
    }

    pub(super) fn is_in_bounds(self, text: &str) -> bool {
        text.get(self.start..self.end).is_some_and(|text| text.is_char_boundary(self.shown))
    }
}

/// A text of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum QuestionText {
    Text,
    Header,
    Detail,
    Id,
    Placeholder,
}

/// A text of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum OptionText {
    Label,
    Description,
    Preview,
    Value,
    Mode,
}

/// A text of the call, or of the newest question or option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Place {
    Title,
    Question(QuestionText),
    Option(OptionText),
}

impl Place {
    /// Returns the field of its partials; `None` if it is shown only once it has ended.
    pub(super) fn field(self) -> Option<Field> {
        match self {
            Place::Title => Some(Field::Title),
            Place::Question(QuestionText::Text) => Some(Field::Question),
            Place::Question(QuestionText::Header) => Some(Field::Header),
            Place::Question(QuestionText::Detail) => Some(Field::Detail),
            Place::Option(OptionText::Label) => Some(Field::Suggestion),
            Place::Option(OptionText::Description) => Some(Field::Description),
            Place::Option(OptionText::Preview) => Some(Field::Preview),
            Place::Question(QuestionText::Id | QuestionText::Placeholder) => None,
            Place::Option(OptionText::Value | OptionText::Mode) => None,
        }
    }

    pub(super) fn grows(self) -> bool {
        self.field().is_some()
    }

    /// Returns how long the text may be.
    pub(crate) fn limit(self, limits: &Limits) -> usize {
        match self {
            Place::Question(QuestionText::Text) => limits.question,
            Place::Question(QuestionText::Header | QuestionText::Id) => limits.header,
            Place::Title | Place::Question(QuestionText::Detail | QuestionText::Placeholder) => limits.description,
            Place::Option(OptionText::Label | OptionText::Value | OptionText::Mode) => limits.answer,
            Place::Option(OptionText::Description | OptionText::Preview) => limits.description,
        }
    }
}

/// What is read of a question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct QuestionParts {
    pub(super) texts: [Slot; 5],
    pub(crate) multiple: Option<bool>,
    pub(crate) custom: Option<bool>,
    pub(crate) required: Option<bool>,
    pub(crate) kind: Option<QuestionKind>,
    pub(super) defaults: SmallVec<[Range; 1]>,
    /// The index of its first option.
    pub(super) first_option: usize,
    /// How many of its options partials have shown.
    pub(super) shown_options: usize,
    /// How many of its options are shown and can't change, because it is closed.
    pub(super) settled_options: usize,
    /// How many options the model has written, with those that are not kept.
    pub(super) written_options: u32,
    /// A partial has shown that it exists.
    pub(super) is_shown: bool,
    /// Something that is no growing text became known after the last partial.
    pub(super) has_news: bool,
    pub(super) is_closed: bool,
}

impl QuestionParts {
    pub(crate) fn text(&self, text: QuestionText) -> Slot {
        self.texts[text as usize]
    }

    /// Returns what is known of it that is no growing text.
    pub(crate) fn known(&self) -> impl PartialEq + use<> {
        let has_id = !self.text(QuestionText::Id).is_empty();
        (self.multiple, self.custom, self.required, self.kind, has_id)
    }

    /// Returns whether there is something to show of it, apart from its options.
    pub(super) fn has_text(&self) -> bool {
        !self.text(QuestionText::Text).is_empty() || !self.text(QuestionText::Header).is_empty()
    }

    /// Returns the next part of its own texts, and counts it as shown.
    pub(super) fn next_delta(&mut self) -> Option<Addition> {
        let mut delta = |text: QuestionText, field| Some((field, self.texts[text as usize].next_delta()?));
        let found = delta(QuestionText::Header, Field::Header).or_else(|| delta(QuestionText::Text, Field::Question));
        // A detail is shown below its question, so it waits for that.
        let has_text = !self.text(QuestionText::Text).is_empty();
        let found = found.or_else(|| {
            let detail = &mut self.texts[QuestionText::Detail as usize];
            if has_text { Some((Field::Detail, detail.next_delta()?)) } else { None }
        });
        if found.is_some() {
            self.has_news = false;
        }
        found
    }
}

/// What is read of an option.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct OptionParts {
    pub(super) texts: [Slot; 5],
    /// Its index among what the model wrote as options, with those that are not kept.
    pub(super) index: u32,
    pub(crate) recommended: bool,
    pub(crate) has_news: bool,
    pub(super) is_closed: bool,
}

impl OptionParts {
    pub(crate) fn text(&self, text: OptionText) -> Slot {
        self.texts[text as usize]
    }

    pub(super) fn next_delta(&mut self) -> Option<Addition> {
        let label = &mut self.texts[OptionText::Label as usize];
        if label.is_empty() {
            return None;
        }
        let place = (label.start, label.start);
        let texts = [
            (OptionText::Label, Field::Suggestion),
            (OptionText::Description, Field::Description),
            (OptionText::Preview, Field::Preview),
        ];
        let mut delta = |(text, field)| Some((field, self.texts[text as usize].next_delta()?));
        let found = texts.into_iter().find_map(&mut delta);
        let had_news = core::mem::take(&mut self.has_news);
        found.or(had_news.then_some((Field::Suggestion, place)))
    }
}
