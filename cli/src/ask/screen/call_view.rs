//! A call on the screen: the question, the choices, and how the call ended.

use followup::Suggestions;
use followup::dialogue::Question;
use ratatui::style::Style;
use ratatui::text::Span;

use super::markdown::Markdown;
use super::part::{Part, PartBody};
use super::plain_text::PlainText;
use super::theme::Theme;
use crate::sanitize::{one_line, sanitize};

/// The state of a call. The numbers are those of the dialogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallState {
    Growing,
    /// Complete, and waiting for its turn.
    Waiting(u64),
    /// Being asked.
    Open(u64),
    /// Answered, cancelled or rejected.
    Ended,
}

/// A call as the parts of the document that show it.
#[derive(Debug)]
pub(super) struct CallView {
    /// The index of the call in the message.
    pub(super) index: u64,
    pub(super) state: CallState,
    question: Part,
    /// The length in bytes of the text in `question`.
    question_len: usize,
    blank: Part,
    suggestions: Vec<SuggestionView>,
    own_answer: Part,
    /// Shown instead of the call while another question is open.
    placeholder: Part,
    /// Notes about repairs, and advice.
    notes: Vec<Part>,
    /// Shown instead of the notes.
    folded_notes: Part,
    /// How the call ended.
    ending: Vec<Part>,
}

#[derive(Debug)]
struct SuggestionView {
    part: Part,
    /// The length in bytes of the text in `part`.
    len: usize,
}

/// The index of a choice: a suggestion, or after the last one, an answer in one's own words.
pub(super) type Choice = usize;

impl CallView {
    pub(super) fn new(index: u64, theme: Theme) -> CallView {
        let bare = |text, style| Part::bare(PartBody::Plain(PlainText::new(text, style)));
        CallView {
            index,
            state: CallState::Growing,
            question: Part::beside(Span::styled("? ", theme.growing()), PartBody::Markdown(Markdown::default())),
            question_len: 0,
            blank: bare("", Style::new()),
            suggestions: Vec::new(),
            own_answer: Part::plain(Span::styled("  ✎  ", theme.number()), "In your own words…", theme.dim()),
            placeholder: bare("… another question, for when this one is answered", theme.dim()),
            notes: Vec::new(),
            folded_notes: bare("", theme.dim()),
            ending: Vec::new(),
        }
    }

    /// Updates the view to the current state of the call, which extends the previous state.
    pub(super) fn update(&mut self, question: Option<&str>, suggestions: Suggestions<'_>, theme: Theme) {
        if let (Some(more), PartBody::Markdown(markdown)) =
            (question.and_then(|question| question.get(self.question_len..)), &mut self.question.body)
        {
            markdown.push(more);
            self.question_len += more.len();
        }
        // Only the newest suggestion can have changed.
        for i in self.suggestions.len().saturating_sub(1)..suggestions.len() {
            let Some(suggestion) = suggestions.get(i) else { break };
            if i == self.suggestions.len() {
                let number = Span::styled(format!("  {:<2} ", i + 1), theme.number());
                let part = Part::beside(number, PartBody::Markdown(Markdown::default()));
                self.suggestions.push(SuggestionView { part, len: 0 });
            }
            if let Some(SuggestionView { part: Part { body: PartBody::Markdown(markdown), .. }, len }) =
                self.suggestions.get_mut(i)
            {
                let mode = suggestion.mode.map(|mode| format!("[{}] ", sanitize(&one_line(mode))));
                markdown.set_lead(Span::styled(mode.unwrap_or_default(), theme.mode()));
                if let Some(more) = suggestion.answer.get(*len..) {
                    markdown.push(more);
                    *len += more.len();
                }
            }
        }
    }

    /// Ends the growth of the call.
    fn finish(&mut self, style: Style) {
        self.question.mark.style = style;
        self.question.finish();
        self.suggestions.iter_mut().for_each(|suggestion| suggestion.part.finish());
    }

    /// Marks the call as complete. It waits for its turn.
    pub(super) fn complete(&mut self, question: &Question, notes: impl Iterator<Item = String>, theme: Theme) {
        self.finish(theme.asked());
        self.state = CallState::Waiting(question.number);
        let advice = question.advice.iter().map(|finding| format!("advice: {finding}"));
        for note in notes.map(|note| format!("note: {note}")).chain(advice) {
            self.notes.push(Part::plain(Span::raw("  "), &note, theme.dim()));
        }
        let text = match self.notes.len() {
            1 => "1 note: n shows it".to_owned(),
            count => format!("{count} notes: n shows them"),
        };
        self.folded_notes = Part::plain(Span::styled("▸ ", theme.dim()), &text, theme.dim());
    }

    pub(super) fn has_notes(&self) -> bool {
        !self.notes.is_empty()
    }

    /// Marks the call as answered with `text`, and appends the remarks.
    pub(super) fn answered(&mut self, text: &str, remarks: &[String], theme: Theme) {
        self.state = CallState::Ended;
        self.notes.clear();
        self.ending.push(Part::plain(Span::styled("✓ ", theme.asked()), text, theme.strong()));
        for line in remarks {
            self.ending.push(Part::plain(Span::raw("  "), line, theme.dim()));
        }
    }

    /// Marks the call as left unanswered.
    pub(super) fn cancelled(&mut self, theme: Theme) {
        self.state = CallState::Ended;
        self.ending.push(Part::plain(Span::styled("✗ ", theme.wrong()), "not answered", theme.wrong()));
    }

    /// Marks the call as rejected.
    ///
    /// `reason` is for the person, `correction` for the model.
    pub(super) fn rejected(&mut self, reason: &str, correction: &str, theme: Theme) {
        self.finish(theme.wrong());
        self.state = CallState::Ended;
        self.ending.push(Part::plain(Span::styled("✗ ", theme.wrong()), &format!("rejected: {reason}"), theme.wrong()));
        let told = if correction == reason {
            "so the model is told".into()
        } else {
            format!("the model is told: {correction}")
        };
        self.ending.push(Part::plain(Span::raw("  "), &told, theme.dim()));
    }

    /// Returns the parts from top to bottom, each with its choice.
    ///
    /// With `hide_unasked`, a call that is not asked yet shows only its placeholder, so that one
    /// question is visible at a time and nothing moves.
    pub(super) fn parts(
        &mut self,
        hide_unasked: bool,
        show_notes: bool,
    ) -> impl Iterator<Item = (&mut Part, Option<Choice>)> {
        let is_hidden = hide_unasked && matches!(self.state, CallState::Growing | CallState::Waiting(_));
        let is_open = matches!(self.state, CallState::Open(_));
        let own_answer = self.suggestions.len();
        let blank = (own_answer > 0 || is_open).then_some((&mut self.blank, None));
        let suggestions =
            self.suggestions.iter_mut().enumerate().map(move |(i, one)| (&mut one.part, is_open.then_some(i)));
        let is_folded = !show_notes && !self.notes.is_empty();
        let folded_notes = is_folded.then_some(&mut self.folded_notes);
        let notes = if show_notes { self.notes.as_mut_slice() } else { &mut [] };
        let shown = std::iter::once((&mut self.question, None))
            .chain(blank)
            .chain(suggestions)
            .chain(is_open.then_some((&mut self.own_answer, Some(own_answer))))
            .chain(folded_notes.map(|part| (part, None)))
            .chain(notes.iter_mut().map(|part| (part, None)))
            .chain(self.ending.iter_mut().map(|part| (part, None)));
        let placeholder = is_hidden.then_some((&mut self.placeholder, None));
        shown.take_while(move |_| !is_hidden).chain(placeholder)
    }
}
