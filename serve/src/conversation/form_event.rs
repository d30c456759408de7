//! How a form grows: the partials of a call of another question tool, as readers receive them.

use std::borrow::Cow;

use followup::{Field, Partial, QuestionKind, Suggestion};
use serde::{Deserialize, Serialize};

/// What is new in a form that grows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct FormPartial<'a> {
    pub(crate) call: u64,
    pub(crate) tool: Cow<'a, str>,
    /// The index of the question. It means nothing for a title.
    pub(crate) question: usize,
    /// The index of the option, if one has grown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) option: Option<usize>,
    pub(crate) field: FormField,
    /// The text to append to the field. It may be empty.
    pub(crate) delta: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "QuestionFacts::is_empty")]
    pub(crate) known: QuestionFacts<'a>,
    #[serde(default, skip_serializing_if = "OptionFacts::is_empty")]
    pub(crate) known_option: OptionFacts<'a>,
}

/// A text of a form, of a question, or of an option, that grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FormField {
    /// The text above all questions.
    Title,
    Text,
    Header,
    Detail,
    Label,
    Description,
    Preview,
}

/// What has become known of a question, apart from its growing texts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct QuestionFacts<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) placeholder: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<QuestionKind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) multiple: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) custom: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) required: Option<bool>,
    /// Further defaults.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) defaults: Vec<Cow<'a, str>>,
}

/// What has become known of an option, apart from its growing texts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct OptionFacts<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mode: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) recommended: bool,
}

impl QuestionFacts<'_> {
    fn is_empty(&self) -> bool {
        *self == QuestionFacts::default()
    }
}

impl OptionFacts<'_> {
    fn is_empty(&self) -> bool {
        *self == OptionFacts::default()
    }
}

/// Which facts readers have of the forms that grow, so that each is sent once.
#[derive(Debug, Default)]
pub(super) struct SentFacts {
    calls: Vec<SentOfCall>,
}

/// The facts that were sent of a call's newest question.
#[derive(Debug, Default)]
struct SentOfCall {
    call: u64,
    question: usize,
    has_id: bool,
    has_placeholder: bool,
    kind: Option<QuestionKind>,
    multiple: Option<bool>,
    custom: Option<bool>,
    required: Option<bool>,
    defaults: usize,
    options: Vec<SentOfOption>,
}

#[derive(Clone, Copy, Debug, Default)]
struct SentOfOption {
    has_value: bool,
    has_mode: bool,
    recommended: bool,
}

impl SentFacts {
    /// Forgets all calls, because a turn begins.
    pub(super) fn clear(&mut self) {
        self.calls.clear();
    }

    /// Forgets a call that has ended.
    pub(super) fn end(&mut self, call: u64) {
        self.calls.retain(|one| one.call != call);
    }

    /// Returns what is new in a form, with the facts that have not been sent.
    pub(super) fn partial<'a>(&mut self, call: &Partial<'a>) -> FormPartial<'a> {
        let (question, option) = (call.question_index(), call.suggestion_index());
        let field = match call.field() {
            Field::Title => FormField::Title,
            Field::Header => FormField::Header,
            Field::Detail => FormField::Detail,
            Field::Suggestion => FormField::Label,
            Field::Description => FormField::Description,
            Field::Preview => FormField::Preview,
            _ => FormField::Text,
        };
        if field == FormField::Title {
            let (call, tool, delta) = (call.index(), call.tool().into(), call.delta().into());
            let (known, known_option) = (QuestionFacts::default(), OptionFacts::default());
            return FormPartial { call, tool, question, option, field, delta, known, known_option };
        }
        let sent = self.of(call.index(), question);
        let view = call.questions().get(question);
        let suggestion = option.and_then(|option| view.and_then(|view| view.suggestions.get(option)));
        FormPartial {
            call: call.index(),
            tool: call.tool().into(),
            question,
            option,
            field,
            delta: call.delta().into(),
            known: view.map(|view| sent.news(&view)).unwrap_or_default(),
            known_option: suggestion.map(|one| sent.option_news(option.unwrap_or(0), one)).unwrap_or_default(),
        }
    }

    fn of(&mut self, call: u64, question: usize) -> &mut SentOfCall {
        let index = self.calls.iter().position(|one| one.call == call).unwrap_or_else(|| {
            self.calls.push(SentOfCall { call, question, ..SentOfCall::default() });
            self.calls.len() - 1
        });
        let sent = &mut self.calls[index];
        if sent.question != question {
            *sent = SentOfCall { call, question, ..SentOfCall::default() };
        }
        sent
    }
}

impl SentOfCall {
    /// Returns the facts of the question that are new, and counts them as sent.
    fn news<'a>(&mut self, question: &followup::Question<'a>) -> QuestionFacts<'a> {
        let defaults: Vec<_> = question.defaults.iter().skip(self.defaults).map(Cow::Borrowed).collect();
        self.defaults += defaults.len();
        QuestionFacts {
            id: question.id.filter(|_| !std::mem::replace(&mut self.has_id, true)).map(Cow::Borrowed),
            placeholder: question
                .placeholder
                .filter(|_| !std::mem::replace(&mut self.has_placeholder, true))
                .map(Cow::Borrowed),
            kind: news(&mut self.kind, question.kind),
            multiple: news(&mut self.multiple, question.multiple),
            custom: news(&mut self.custom, question.custom),
            required: news(&mut self.required, question.required),
            defaults,
        }
    }

    fn option_news<'a>(&mut self, index: usize, option: Suggestion<'a>) -> OptionFacts<'a> {
        if self.options.len() <= index {
            self.options.resize(index + 1, SentOfOption::default());
        }
        let sent = &mut self.options[index];
        OptionFacts {
            value: option.value.filter(|_| !std::mem::replace(&mut sent.has_value, true)).map(Cow::Borrowed),
            mode: option.mode.filter(|_| !std::mem::replace(&mut sent.has_mode, true)).map(Cow::Borrowed),
            recommended: option.recommended && !std::mem::replace(&mut sent.recommended, true),
        }
    }
}

/// Returns what is known now and was not before.
fn news<T: Copy + PartialEq>(sent: &mut Option<T>, now: Option<T>) -> Option<T> {
    let before = std::mem::replace(sent, now);
    now.filter(|_| before != now)
}
