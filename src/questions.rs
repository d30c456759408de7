//! Views of the questions of a call.

use core::fmt;
use core::hash::{Hash, Hasher};
use core::iter::FusedIterator;
use core::ops::Range;

use crate::call::form::{OptionText, QuestionText};
use crate::call::{Call, View};
use crate::shape::QuestionKind;

/// One question of a call, with its suggestions.
///
/// What a call of `ask_followup_question` can't have is `None`. In a [`Partial`](crate::Partial),
/// `None` also means that it is not known yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Question<'a> {
    /// The question so far. It is empty if only its header or suggestions are known.
    pub text: &'a str,
    /// Its suggested answers.
    pub suggestions: Suggestions<'a>,
    /// The id under which the answer goes back.
    pub id: Option<&'a str>,
    /// A short title of the question.
    pub header: Option<&'a str>,
    /// A text below the question.
    pub detail: Option<&'a str>,
    /// A hint in the empty field of the user's own answer.
    pub placeholder: Option<&'a str>,
    /// What it asks for, if it is not a choice.
    pub kind: Option<QuestionKind>,
    /// Whether several suggestions can be chosen.
    pub multiple: Option<bool>,
    /// Whether the user can answer in words of their own.
    pub custom: Option<bool>,
    /// Whether it has to be answered, if the tool says so.
    pub required: Option<bool>,
    /// The answers that are chosen at first.
    pub defaults: Defaults<'a>,
}

/// The questions of a call, in order. A call of `ask_followup_question` has one.
///
/// ```
/// use followup::{Event, Parser};
///
/// let mut parser = Parser::default();
/// let message = "<ask_followup_question><question>Q?</question>\
///     <suggest>A</suggest></ask_followup_question>";
/// parser.feed(message).for_each(|event| {
///     if let Event::Complete(call) = event {
///         assert_eq!(call.questions().len(), 1);
///         let question = call.questions().get(0).unwrap();
///         assert_eq!((question.text, question.suggestions.len()), ("Q?", 1));
///     }
/// });
/// ```
#[derive(Clone, Copy)]
pub struct Questions<'a> {
    call: &'a Call,
    view: View,
}

impl<'a> Questions<'a> {
    /// Returns the questions of a call.
    pub(crate) fn new(call: &'a Call, view: View) -> Questions<'a> {
        Questions { call, view }
    }

    /// Returns the number of questions. O(1).
    pub fn len(&self) -> usize {
        match self.call.form() {
            Some(form) => form.question_count(self.view),
            None => usize::from(self.get(0).is_some()),
        }
    }

    /// Returns `true` if there are no questions.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the question at this index, from 0; `None` if there are no more. O(1).
    pub fn get(&self, index: usize) -> Option<Question<'a>> {
        let suggestions = Suggestions { call: self.call, view: self.view, question: index };
        let defaults = Defaults { call: self.call, question: index };
        let Some(form) = self.call.form() else {
            let text = self.call.question(self.view);
            let exists = index == 0 && (text.is_some() || !suggestions.is_empty());
            return exists.then(|| Question {
                text: text.unwrap_or_default(),
                suggestions,
                id: None,
                header: None,
                detail: None,
                placeholder: None,
                kind: None,
                multiple: Some(false),
                custom: Some(true),
                required: None,
                defaults,
            });
        };
        let question = form.questions().get(index).filter(|_| index < self.len())?;
        let text = |text| form.view(question.text(text), self.view);
        Some(Question {
            text: text(QuestionText::Text).unwrap_or_default(),
            suggestions,
            id: form.view(question.text(QuestionText::Id), View::Whole),
            header: text(QuestionText::Header),
            detail: text(QuestionText::Detail),
            placeholder: form.view(question.text(QuestionText::Placeholder), View::Whole),
            kind: question.kind,
            multiple: question.multiple,
            custom: question.custom,
            required: question.required,
            defaults,
        })
    }

    /// Returns an iterator over the questions, in order.
    pub fn iter(&self) -> QuestionsIter<'a> {
        self.into_iter()
    }
}

/// The answers of a question that are chosen at first.
#[derive(Clone, Copy)]
pub struct Defaults<'a> {
    call: &'a Call,
    question: usize,
}

impl<'a> Defaults<'a> {
    /// Returns the number of answers. O(1).
    pub fn len(&self) -> usize {
        self.call.form().map_or(0, |form| form.defaults(self.question).len())
    }

    /// Returns `true` if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the answer at this index, from 0; `None` if there are no more. O(1).
    pub fn get(&self, index: usize) -> Option<&'a str> {
        let form = self.call.form()?;
        form.defaults(self.question).get(index).map(|&range| form.slice(range))
    }

    /// Returns an iterator over them, in order.
    pub fn iter(&self) -> DefaultsIter<'a> {
        self.into_iter()
    }
}

/// One suggested answer.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Suggestion<'a> {
    /// The text of the answer. That of `ask_followup_question` is trimmed.
    ///
    /// It is not empty, except that of the newest suggestion in a [`Partial`](crate::Partial) of a
    /// stream of bytes.
    pub answer: &'a str,
    /// The mode to which the agent should change with this answer.
    pub mode: Option<&'a str>,
    /// What the answer means.
    pub description: Option<&'a str>,
    /// What goes back to the model, if it is not the answer.
    pub value: Option<&'a str>,
    /// What the answer would lead to, as Markdown.
    pub preview: Option<&'a str>,
    /// The model recommends it.
    pub recommended: bool,
}

/// What is not there is left out.
impl fmt::Debug for Suggestion<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Suggestion");
        debug.field("answer", &self.answer).field("mode", &self.mode);
        let parts = [("description", self.description), ("value", self.value), ("preview", self.preview)];
        for (name, part) in parts {
            if part.is_some() {
                debug.field(name, &part);
            }
        }
        if self.recommended {
            debug.field("recommended", &true);
        }
        debug.finish()
    }
}

/// The suggestions of a question, in order. Copying it copies a few words, not the suggestions.
///
/// ```
/// use followup::{Event, Parser};
///
/// let mut parser = Parser::default();
/// let message = "<ask_followup_question><question>Q?</question><follow_up>\
///     <suggest>A</suggest><suggest mode='code'>B</suggest></follow_up></ask_followup_question>";
/// parser.feed(message).for_each(|event| {
///     if let Event::Complete(call) = event {
///         let suggestions = call.suggestions();
///         assert_eq!(suggestions.len(), 2);
///         assert_eq!(suggestions.get(1).unwrap().mode, Some("code"));
///         let answers: Vec<_> = suggestions.iter().map(|s| s.answer).collect();
///         assert_eq!(answers, ["A", "B"]);
///     }
/// });
/// ```
#[derive(Clone, Copy)]
pub struct Suggestions<'a> {
    call: &'a Call,
    view: View,
    /// The index of their question.
    question: usize,
}

impl<'a> Suggestions<'a> {
    /// Returns the suggestions of the first question.
    pub(crate) fn of_first(call: &'a Call, view: View) -> Suggestions<'a> {
        Suggestions { call, view, question: 0 }
    }

    /// Returns the number of suggestions. O(1).
    pub fn len(&self) -> usize {
        match self.call.form() {
            Some(form) => form.option_count(self.question, self.view),
            None => self.call.suggestions(self.view),
        }
    }

    /// Returns `true` if there are no suggestions.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the suggestion at index `i`, from 0; `None` if there are no more. O(1).
    pub fn get(&self, i: usize) -> Option<Suggestion<'a>> {
        let Some(form) = self.call.form() else {
            let (answer, mode) = self.call.suggestion(i, self.view)?;
            return Some(Suggestion {
                answer,
                mode,
                description: None,
                value: None,
                preview: None,
                recommended: false,
            });
        };
        let option = form.options(self.question).get(i).filter(|_| i < self.len())?;
        let text = |text| form.view(option.text(text), self.view);
        Some(Suggestion {
            answer: text(OptionText::Label).unwrap_or_default(),
            mode: form.view(option.text(OptionText::Mode), View::Whole),
            description: text(OptionText::Description),
            value: form.view(option.text(OptionText::Value), View::Whole),
            preview: text(OptionText::Preview),
            recommended: option.recommended,
        })
    }

    /// Returns an iterator over the suggestions, in order.
    pub fn iter(&self) -> SuggestionsIter<'a> {
        self.into_iter()
    }
}

/// Makes views lists: with an iterator, and with the comparison, hash and `Debug` of their items.
macro_rules! lists {
    ($($view:ident of $item:ty, $(#[$doc:meta])* $iter:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $iter<'a> {
            all: $view<'a>,
            /// The indexes of the items that are left.
            left: Range<usize>,
        }

        impl<'a> IntoIterator for $view<'a> {
            type Item = $item;
            type IntoIter = $iter<'a>;

            fn into_iter(self) -> $iter<'a> {
                $iter { all: self, left: 0..self.len() }
            }
        }

        impl<'a> Iterator for $iter<'a> {
            type Item = $item;

            fn next(&mut self) -> Option<$item> {
                self.left.next().and_then(|index| self.all.get(index))
            }

            fn nth(&mut self, n: usize) -> Option<$item> {
                self.left.nth(n).and_then(|index| self.all.get(index))
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                self.left.size_hint()
            }

            fn last(mut self) -> Option<$item> {
                self.next_back()
            }
        }

        impl<'a> DoubleEndedIterator for $iter<'a> {
            fn next_back(&mut self) -> Option<$item> {
                self.left.next_back().and_then(|index| self.all.get(index))
            }
        }

        impl ExactSizeIterator for $iter<'_> {}

        impl FusedIterator for $iter<'_> {}

        impl PartialEq for $view<'_> {
            fn eq(&self, other: &Self) -> bool {
                self.iter().eq(other.iter())
            }
        }

        impl Eq for $view<'_> {}

        impl Hash for $view<'_> {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.iter().for_each(|one| one.hash(state));
            }
        }

        impl fmt::Debug for $view<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_list().entries(self.iter()).finish()
            }
        }
    )*};
}

lists! {
    Questions of Question<'a>,
    /// An iterator over the [`Questions`] of a call.
    QuestionsIter;

    Suggestions of Suggestion<'a>,
    /// An iterator over the [`Suggestions`] of a question.
    SuggestionsIter;

    Defaults of &'a str,
    /// An iterator over the [`Defaults`] of a question.
    DefaultsIter;
}
