//! A question on the screen: its text, its options, and what is picked.

use followup::Question;
use ratatui::style::Style;
use ratatui::text::Span;

use super::growing_part::GrowingPart;
use super::option_view::{OptionView, box_of};
use super::part::{Part, PartBody};
use super::plain_text::PlainText;
use super::question_part::{Kind, QuestionPart};
use super::step::Step;
use super::theme::Theme;
use crate::sanitize::one_line;

/// A question as the parts of the document that show it.
#[derive(Debug)]
pub(super) struct QuestionView {
    kind: Kind,
    /// Separates it from the question before.
    gap: Option<Part>,
    text: GrowingPart,
    header: GrowingPart,
    required: Option<Part>,
    detail: GrowingPart,
    blank: Part,
    options: Vec<OptionView>,
    own_answer: Part,
    /// What `own_answer` shows.
    own_text: Option<String>,
    /// The note that was written, and what it shows.
    note: Option<(Part, String)>,
    /// Whether several options can be picked; `None` while that is not known.
    multiple: Option<bool>,
}

impl QuestionView {
    pub(super) fn new(kind: Kind, index: usize, theme: Theme) -> QuestionView {
        let blank = || Part::bare(PartBody::Plain(PlainText::new("", Style::new())));
        let mut text = GrowingPart::markdown(Span::styled("? ", theme.growing()));
        if let (Kind::Form, PartBody::Markdown(markdown)) = (kind, &mut text.part.body) {
            // There is a row for the text, which may come after the options.
            markdown.set_lead(Span::raw(""));
        }
        QuestionView {
            kind,
            gap: (index > 0).then(blank),
            text,
            header: GrowingPart::plain(Span::raw("  "), theme.number()),
            required: None,
            detail: GrowingPart::markdown(Span::raw("  ")),
            blank: blank(),
            options: Vec::new(),
            own_answer: Part::plain(Span::styled("  ✎  ", theme.number()), "In your own words…", theme.dim()),
            own_text: None,
            note: None,
            multiple: None,
        }
    }

    /// Updates the view to the current state of the question, which extends the previous state.
    ///
    /// The last question may still grow.
    pub(super) fn update(&mut self, question: &Question<'_>, is_growing: bool, theme: Theme) {
        self.text.extend_to(question.text);
        if self.kind == Kind::Form {
            self.header.extend_to(question.header.unwrap_or_default());
            self.detail.extend_to(question.detail.unwrap_or_default());
            if question.required == Some(true) && self.required.is_none() {
                self.required = Some(Part::plain(Span::raw("  "), "required", theme.mode()));
            }
            self.multiple = self.multiple.or(question.multiple);
        }
        // Of a form, something may become known of every option.
        let first = if self.kind == Kind::Form { 0 } else { self.options.len().saturating_sub(1) };
        for index in first..question.suggestions.len() {
            let Some(suggestion) = question.suggestions.get(index) else { break };
            if index == self.options.len() {
                self.options.push(OptionView::new(self.kind, index, theme));
            }
            let is_last = index + 1 == question.suggestions.len();
            if let Some(option) = self.options.get_mut(index) {
                option.update(&suggestion, is_growing && is_last, theme);
                option.set_box(self.multiple, false);
            }
        }
    }

    /// Ends the growth of the question.
    pub(super) fn finish(&mut self, style: Style) {
        self.text.part.mark.style = style;
        [&mut self.text, &mut self.header, &mut self.detail].into_iter().for_each(|text| text.part.finish());
        self.options.iter_mut().for_each(OptionView::finish);
    }

    /// Shows what is picked.
    pub(super) fn show_picked(&mut self, step: &Step, is_current: bool, theme: Theme) {
        if self.kind != Kind::Form {
            return;
        }
        let is_answered = step.is_answered();
        let (mark, style) = if is_answered && !is_current { ("✓ ", theme.asked()) } else { ("? ", theme.asked()) };
        self.text.part.mark = Span::styled(mark, style);
        for (choice, option) in self.options.iter_mut().enumerate() {
            option.set_box(Some(step.is_multiple), step.is_picked(choice));
            option.shows_preview = is_current && step.selected == choice;
        }
        let own_text = step.own_text();
        if own_text.is_none() || self.own_text != own_text {
            self.own_answer = own_answer(step, own_text.as_deref(), theme);
            self.own_text = own_text;
        }
        self.show_note(step.note_text(), theme);
    }

    /// Shows the note below the choices.
    fn show_note(&mut self, note: Option<String>, theme: Theme) {
        if self.note.as_ref().map(|(_, text)| text) != note.as_ref() {
            let part = |text: &str| Part::plain(Span::raw("        "), &format!("note: {text}"), theme.mode());
            self.note = note.map(|text| (part(&text), text));
        }
    }

    /// Visits the parts from top to bottom. `is_open` is whether the question can be answered.
    pub(super) fn visit(&mut self, is_open: bool, allows_text: bool, visit: &mut dyn FnMut(QuestionPart<'_>)) {
        let own_answer = self.options.len();
        let mut plain = |part| visit(QuestionPart { part, choice: None, has_mark: false });
        self.gap.iter_mut().for_each(&mut plain);
        plain(&mut self.text.part);
        if !self.header.is_empty() {
            plain(&mut self.header.part);
        }
        self.required.iter_mut().for_each(&mut plain);
        if !self.detail.is_empty() {
            plain(&mut self.detail.part);
        }
        if own_answer > 0 || is_open {
            plain(&mut self.blank);
        }
        for (index, option) in self.options.iter_mut().enumerate() {
            let choice = is_open.then_some(index);
            visit(QuestionPart { part: &mut option.label.part, choice, has_mark: true });
            if !option.description.is_empty() {
                visit(QuestionPart { part: &mut option.description.part, choice, has_mark: false });
            }
        }
        if is_open && allows_text {
            visit(QuestionPart { part: &mut self.own_answer, choice: Some(own_answer), has_mark: true });
        }
        if is_open && let Some((part, _)) = &mut self.note {
            visit(QuestionPart { part, choice: None, has_mark: false });
        }
        if is_open && let Some(option) = self.options.iter_mut().find(|option| option.shows_preview) {
            option.visit_preview(visit);
        }
    }
}

/// Returns the row of the user's own words in a form: what is written, or a hint.
fn own_answer(step: &Step, text: Option<&str>, theme: Theme) -> Part {
    // A field without options has nothing to choose from.
    let multiple = (step.own_answer() > 0).then_some(step.is_multiple);
    let mark = Span::styled(format!(" {} ✎  ", box_of(multiple, text.is_some())), theme.number());
    match (text, step.placeholder()) {
        (Some(text), _) => Part::plain(mark, text, Style::new()),
        (None, "") if multiple.is_none() => Part::plain(mark, "Your answer…", theme.dim()),
        (None, "") => Part::plain(mark, "In your own words…", theme.dim()),
        (None, hint) => Part::plain(mark, &one_line(hint), theme.dim()),
    }
}
