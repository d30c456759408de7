//! Answers to forms: what is chosen at first, and how they are shown to people.

use followup::dialogue::{Answer, AnswerErrorKind, Form, FormAnswer, FormOption, FormQuestion, Question};

use super::answers::answer_text;
use super::label::without_mark;
use crate::sanitize::one_line;

/// Returns a few words that stand for a question.
pub(super) fn name(question: &FormQuestion) -> String {
    one_line(question.header.as_deref().unwrap_or(&question.text))
}

/// Returns what is chosen at first: options by their label or value, or a text.
pub(super) fn default_answer(question: &FormQuestion) -> FormAnswer {
    let mut answer = FormAnswer::default();
    for default in &question.defaults {
        let is_default = |option: &FormOption| option.value.as_ref() == Some(default) || option.label == *default;
        let takes_more = answer.picked.is_empty() || question.multiple == Some(true);
        match question.options.iter().position(is_default) {
            Some(option) if takes_more && !answer.picked.contains(&option) => answer.picked.push(option),
            Some(_) => {}
            None if question.allows_text() && !answer.is_answered() => answer.text = Some(default.clone()),
            None => {}
        }
    }
    answer
}

/// Returns the answers that are given when nobody is there.
///
/// They are what is chosen at first, or else the first option. `None` if a question has neither.
pub(super) fn automatic_answers(form: &Form) -> Option<Answer> {
    let answers = form.questions.iter().map(|question| {
        let answer = default_answer(question);
        let first = (!question.options.is_empty()).then(|| FormAnswer::picked([0]));
        if answer.is_answered() { Some(answer) } else { first }
    });
    answers.collect::<Option<_>>().map(Answer::Form)
}

/// Returns whether a form is one question with one answer, which is not reviewed.
fn is_alone(form: &Form) -> bool {
    matches!(&*form.questions, [question] if question.multiple != Some(true))
}

/// Returns the answer for people: of a form, one line for each question.
pub(super) fn shown_answers(question: &Question, answer: &Answer) -> Vec<String> {
    match (answer, &question.form) {
        (Answer::Form(answers), Some(form)) if is_alone(form) => {
            form.questions.iter().zip(answers).filter_map(|(question, answer)| shown_answer(question, answer)).collect()
        }
        (Answer::Form(answers), Some(form)) => form.questions.iter().zip(answers).map(shown_in_review).collect(),
        _ => vec![answer_text(question, answer).to_owned()],
    }
}

/// Returns the answer to a question of a form, for people; `None` if there is none.
pub(super) fn shown_answer(question: &FormQuestion, answer: &FormAnswer) -> Option<String> {
    let labels = answer.picked.iter().filter_map(|&picked| question.options.get(picked));
    let labels = labels.map(|option| without_mark(&option.label, false));
    let text = answer.text.as_deref().filter(|text| !text.trim().is_empty());
    let all: Vec<&str> = labels.chain(text).collect();
    match answer.note.as_deref().filter(|note| !note.trim().is_empty()) {
        Some(note) if all.is_empty() => Some(note.to_owned()),
        Some(note) => Some(format!("{} (note: {note})", all.join(", "))),
        None => (!all.is_empty()).then(|| all.join(", ")),
    }
}

/// Returns the name of a question, and its answer.
pub(super) fn shown_in_review((question, answer): (&FormQuestion, &FormAnswer)) -> String {
    let missing = if question.required == Some(true) { "not answered (required)" } else { "not answered" };
    format!("{}: {}", name(question), shown_answer(question, answer).as_deref().unwrap_or(missing))
}

/// Returns the index of the question of a form because of which an answer was refused.
pub(super) fn refused_question(kind: AnswerErrorKind) -> Option<usize> {
    match kind {
        AnswerErrorKind::NoSuchOption { question, .. }
        | AnswerErrorKind::PickedTwice { question }
        | AnswerErrorKind::OnlyOne { question }
        | AnswerErrorKind::NoOwnText { question }
        | AnswerErrorKind::NotANumber { question }
        | AnswerErrorKind::NotAnswered { question } => Some(question),
        _ => None,
    }
}
