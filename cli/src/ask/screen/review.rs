//! The review of the answers, before they are sent.

use ratatui::style::Style;
use ratatui::text::Span;

use super::open_question::OpenQuestion;
use super::part::{Part, PartBody};
use super::plain_text::PlainText;
use super::step::Step;
use super::theme::Theme;
use crate::ask::form_answers::shown_in_review;

/// The number of parts above the answers: a blank one, and a title.
pub(super) const TITLE: usize = 2;

/// Returns the parts of the review: the title, a row for each question, and one to send them.
pub(super) fn parts(open: &OpenQuestion, theme: Theme) -> Vec<Part> {
    let blank = Part::bare(PartBody::Plain(PlainText::new("", Style::new())));
    let title = Part::plain(Span::styled("? ", theme.asked()), "Send these answers?", theme.strong());
    let answers = open.steps.iter().map(Step::answer);
    let questions = open.question.form.iter().flat_map(|form| &form.questions);
    let rows = questions.zip(answers).enumerate().map(|(index, (question, answer))| {
        let style = if answer.is_answered() { Style::new() } else { theme.dim() };
        let row = shown_in_review((question, &answer));
        Part::plain(Span::styled(format!("  {:<2} ", index + 1), theme.number()), &row, style)
    });
    let send = Part::plain(Span::styled("  →  ", theme.number()), "Send", theme.strong());
    [blank, title].into_iter().chain(rows).chain([send]).collect()
}
