//! What the built-in templates are made of.

use alloc::borrow::Cow;

use crate::dialogue::template::model::{Template, TemplateEntry, TemplateOutcome, Text};

pub(super) const fn text(text: &'static str) -> Text {
    Cow::Borrowed(text)
}

/// Returns an entry with one text for everything that the user can answer.
pub(super) fn entry(picked: &'static str) -> TemplateEntry {
    TemplateEntry {
        picked: text(picked),
        several: None,
        yes: None,
        no: None,
        written: None,
        free: None,
        both: None,
        unanswered: None,
        none_of_several: None,
    }
}

/// Returns a reply with nothing but its text.
pub(super) const fn outcome(words: &'static str) -> TemplateOutcome {
    TemplateOutcome {
        text: text(words),
        entries: None,
        entry: None,
        answered: None,
        between_entries: None,
        default_answer: None,
        recommended: None,
        is_error: false,
    }
}

pub(super) fn said(words: &'static str) -> Option<TemplateOutcome> {
    Some(outcome(words))
}

pub(super) fn error(words: &'static str) -> Option<TemplateOutcome> {
    Some(TemplateOutcome { is_error: true, ..outcome(words) })
}

pub(in crate::dialogue::template) fn general() -> Template {
    Template {
        name: text("general"),
        json: false,
        answered: text("{entries}"),
        answered_own: None,
        between_entries: text("\n\n"),
        entry: TemplateEntry {
            unanswered: Some(text("Q: {question}\nA: (no answer)")),
            ..entry("Q: {question}\nA: {answer}{note}")
        },
        one: None,
        pick: text("{label}"),
        between_picks: text(", "),
        missing_header: text("Question {number}"),
        named: text("{id}"),
        note: text("\nNote: {note}"),
        preview: text("{preview}"),
        nothing: None,
        cancelled: None,
        declined: None,
        discussed: None,
        timed_out: None,
        rejected: None,
        parameter: text("questions"),
        form: None,
    }
}
