//! A form in a transcript: while it grows, and when it is whole.

use followup::dialogue::{Form, FormOption, FormQuestion};
use serde::{Deserialize, Serialize};

use super::form_event::{FormField, FormPartial};
use super::overhead::PART_OVERHEAD;

/// The questions of a call of another agent's tool. It serializes as a [`Form`] does.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct FormItem {
    tool: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    shape: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    questions: Vec<FormQuestion>,
}

impl From<Form> for FormItem {
    fn from(form: Form) -> FormItem {
        FormItem { tool: form.tool, shape: Some(form.shape), title: form.title, questions: form.questions }
    }
}

impl FormItem {
    pub(super) fn new(tool: &str) -> FormItem {
        FormItem { tool: tool.into(), shape: None, title: None, questions: Vec::new() }
    }

    /// Appends what is new. Returns by how many bytes the form has grown.
    pub(super) fn append(&mut self, partial: &FormPartial<'_>) -> usize {
        let mut grown = 0;
        if partial.field == FormField::Title {
            self.title.get_or_insert_default().push_str(&partial.delta);
            return partial.delta.len();
        }
        // Questions and options arrive in order, so an unknown index is the next one.
        if partial.question == self.questions.len() {
            self.questions.push(FormQuestion::default());
            grown += PART_OVERHEAD;
        }
        let Some(question) = self.questions.get_mut(partial.question) else { return grown };
        grown += learn(question, partial);
        let field = match partial.option {
            None => match partial.field {
                FormField::Header => question.header.get_or_insert_default(),
                FormField::Detail => question.detail.get_or_insert_default(),
                _ => &mut question.text,
            },
            Some(index) => {
                if index == question.options.len() {
                    question.options.push(FormOption::default());
                    grown += PART_OVERHEAD;
                }
                let Some(option) = question.options.get_mut(index) else { return grown };
                grown += learn_option(option, partial);
                match partial.field {
                    FormField::Description => option.description.get_or_insert_default(),
                    FormField::Preview => option.preview.get_or_insert_default(),
                    _ => &mut option.label,
                }
            }
        };
        field.push_str(&partial.delta);
        grown + partial.delta.len()
    }

    pub(super) fn size(&self) -> usize {
        let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let texts = self.tool.len() + text(&self.shape) + text(&self.title);
        PART_OVERHEAD + texts + self.questions.iter().map(size_of_question).sum::<usize>()
    }
}

/// Sets what became known of the question. Returns by how many bytes it has grown.
fn learn(question: &mut FormQuestion, partial: &FormPartial<'_>) -> usize {
    let known = &partial.known;
    question.kind = question.kind.or(known.kind);
    question.multiple = question.multiple.or(known.multiple);
    question.custom = question.custom.or(known.custom);
    question.required = question.required.or(known.required);
    question.defaults.extend(known.defaults.iter().map(|one| one.to_string()));
    known.defaults.iter().map(|one| PART_OVERHEAD + one.len()).sum::<usize>()
        + set(&mut question.id, known.id.as_deref())
        + set(&mut question.placeholder, known.placeholder.as_deref())
}

fn learn_option(option: &mut FormOption, partial: &FormPartial<'_>) -> usize {
    let known = &partial.known_option;
    option.recommended |= known.recommended;
    set(&mut option.value, known.value.as_deref()) + set(&mut option.mode, known.mode.as_deref())
}

/// Sets a text that was not known. Returns its length.
fn set(place: &mut Option<String>, text: Option<&str>) -> usize {
    let (None, Some(text)) = (&place, text) else { return 0 };
    *place = Some(text.into());
    text.len()
}

/// Returns the bytes that a question of the parser takes, approximately.
pub(super) fn size_of_asked(question: &followup::Question<'_>) -> usize {
    let text = |text: Option<&str>| text.map_or(0, str::len);
    let option = |one: followup::Suggestion<'_>| {
        PART_OVERHEAD + one.answer.len() + text(one.mode) + text(one.description) + text(one.value) + text(one.preview)
    };
    question.text.len()
        + text(question.header)
        + text(question.detail)
        + text(question.id)
        + text(question.placeholder)
        + question.defaults.iter().map(|one| PART_OVERHEAD + one.len()).sum::<usize>()
        + question.suggestions.iter().map(option).sum::<usize>()
}

fn size_of_question(question: &FormQuestion) -> usize {
    let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    PART_OVERHEAD
        + question.text.len()
        + text(&question.id)
        + text(&question.header)
        + text(&question.detail)
        + text(&question.placeholder)
        + question.defaults.iter().map(|one| PART_OVERHEAD + one.len()).sum::<usize>()
        + question.options.iter().map(size_of_option).sum::<usize>()
        + question.advice.len() * PART_OVERHEAD
}

fn size_of_option(option: &FormOption) -> usize {
    let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    PART_OVERHEAD
        + option.label.len()
        + text(&option.description)
        + text(&option.value)
        + text(&option.mode)
        + text(&option.preview)
}
