//! An option of a question on the screen.

use followup::Suggestion;
use ratatui::text::Span;

use super::growing_part::GrowingPart;
use super::part::{Part, PartBody};
use super::question_part::{Kind, QuestionPart};
use super::theme::Theme;
use crate::ask::label::without_mark;
use crate::sanitize::{one_line, sanitize};

/// An option as the parts of the document that show it.
#[derive(Debug)]
pub(super) struct OptionView {
    kind: Kind,
    number: usize,
    pub(super) label: GrowingPart,
    pub(super) description: GrowingPart,
    preview: GrowingPart,
    preview_title: Part,
    pub(super) shows_preview: bool,
    is_recommended: bool,
    has_mode: bool,
    /// The box or button.
    drawn: &'static str,
}

/// The gutter of what belongs to an option of a form.
const INDENT: &str = "        ";

impl OptionView {
    pub(super) fn new(kind: Kind, index: usize, theme: Theme) -> OptionView {
        let number = index + 1;
        let mark = match kind {
            Kind::Followup => format!("  {number:<2} "),
            Kind::Form => mark("   ", number),
        };
        let mut label = GrowingPart::markdown(Span::styled(mark, theme.number()));
        if let PartBody::Markdown(markdown) = &mut label.part.body {
            // There is a row even for an empty label.
            markdown.set_lead(Span::raw(""));
        }
        OptionView {
            kind,
            number,
            label,
            description: GrowingPart::plain(Span::raw(INDENT), theme.dim()),
            preview: GrowingPart::markdown(Span::raw(INDENT)),
            preview_title: Part::plain(Span::raw("  "), &format!("── Preview of {number}"), theme.dim()),
            shows_preview: false,
            is_recommended: false,
            has_mode: false,
            drawn: "   ",
        }
    }

    /// Updates the view to the current state of the option, which extends the previous state.
    pub(super) fn update(&mut self, option: &Suggestion<'_>, is_growing: bool, theme: Theme) {
        if let PartBody::Markdown(markdown) = &mut self.label.part.body {
            if let (false, Some(mode)) = (self.has_mode, option.mode) {
                self.has_mode = true;
                markdown.set_lead(Span::styled(format!("[{}] ", sanitize(&one_line(mode))), theme.mode()));
            }
            if option.recommended && !self.is_recommended {
                self.is_recommended = true;
                markdown.set_tail(Span::styled("(recommended)", theme.mode()));
            }
        }
        match self.kind {
            Kind::Followup => self.label.extend_to(option.answer),
            Kind::Form => {
                self.label.extend_to(without_mark(option.answer, is_growing));
                self.description.extend_to(option.description.unwrap_or_default());
                self.preview.extend_to(option.preview.unwrap_or_default());
            }
        }
    }

    pub(super) fn finish(&mut self) {
        [&mut self.label, &mut self.description, &mut self.preview].into_iter().for_each(|text| text.part.finish());
    }

    /// Shows a check box or a radio button, or nothing while it is not known which.
    pub(super) fn set_box(&mut self, multiple: Option<bool>, is_picked: bool) {
        let drawn = box_of(multiple, is_picked);
        if self.kind == Kind::Form && self.drawn != drawn {
            self.drawn = drawn;
            self.label.part.mark.content = mark(drawn, self.number).into();
        }
    }

    /// Visits the parts of the preview.
    pub(super) fn visit_preview(&mut self, visit: &mut dyn FnMut(QuestionPart<'_>)) {
        if !self.preview.is_empty() {
            for part in [&mut self.preview_title, &mut self.preview.part] {
                visit(QuestionPart { part, choice: None, has_mark: false });
            }
        }
    }
}

/// Returns a check box or a radio button; blanks while it is not known which.
pub(super) fn box_of(multiple: Option<bool>, is_picked: bool) -> &'static str {
    match (multiple, is_picked) {
        (None, _) => "   ",
        (Some(true), false) => "[ ]",
        (Some(true), true) => "[x]",
        (Some(false), false) => "( )",
        (Some(false), true) => "(•)",
    }
}

/// Returns the gutter of an option of a form. Its first column is for the selection.
fn mark(drawn: &str, number: usize) -> String {
    format!(" {drawn} {number:<2} ")
}
