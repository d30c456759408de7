//! A call on the screen: its questions, and how the call ended.

use followup::Questions;
use followup::dialogue::Question;
use ratatui::style::Style;
use ratatui::text::Span;

use super::growing_part::GrowingPart;
use super::open_question::OpenQuestion;
use super::part::{Part, PartBody};
use super::plain_text::PlainText;
use super::question_part::Kind;
use super::question_view::QuestionView;
use super::review;
use super::spot::Spot;
use super::theme::Theme;

/// The state of a call. The numbers are those of the dialogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallState {
    Growing,
    /// Complete, and waiting for its turn.
    Waiting(u64),
    /// Being asked.
    Open(u64),
    /// Answered, cancelled, declined or rejected.
    Ended,
}

/// A call as the parts of the document that show it.
#[derive(Debug)]
pub(super) struct CallView {
    /// The index of the call in the message.
    pub(super) index: u64,
    pub(super) state: CallState,
    kind: Kind,
    /// The text above all questions.
    title: GrowingPart,
    /// It came after a question, so it is shown below them: nothing moves.
    is_title_last: bool,
    title_gap: Part,
    questions: Vec<QuestionView>,
    /// Which questions can be answered in the user's own words.
    allows_text: Vec<bool>,
    /// The answers, while they are reviewed.
    ///
    /// A title, a row for each question, and one to send them.
    review: Vec<Part>,
    /// Shown instead of the call while another question is open.
    placeholder: Part,
    /// Notes about repairs, and advice.
    notes: Vec<Part>,
    /// Shown instead of the notes.
    folded_notes: Part,
    /// How the call ended.
    ending: Vec<Part>,
}

/// A part of a call, and what it belongs to.
pub(super) struct CallPart<'p> {
    pub(super) part: &'p mut Part,
    /// The index of the question of an open call; after the last one, the review.
    pub(super) step: Option<usize>,
    pub(super) spot: Option<Spot>,
    /// Whether it has the mark of its choice.
    pub(super) has_mark: bool,
}

impl CallPart<'_> {
    /// Returns a part that belongs to no question.
    fn of_call(part: &mut Part) -> CallPart<'_> {
        CallPart { part, step: None, spot: None, has_mark: false }
    }
}

impl CallView {
    /// Returns the view of a call: `shape` is that of its tool, if it has one.
    pub(super) fn new(index: u64, shape: Option<&str>, theme: Theme) -> CallView {
        let bare = |text| Part::bare(PartBody::Plain(PlainText::new(text, theme.dim())));
        let kind = if shape.is_some() { Kind::Form } else { Kind::Followup };
        CallView {
            index,
            state: CallState::Growing,
            kind,
            title: GrowingPart::plain(Span::raw(""), theme.strong()),
            is_title_last: false,
            title_gap: bare(""),
            questions: vec![QuestionView::new(kind, 0, theme)],
            allows_text: Vec::new(),
            review: Vec::new(),
            placeholder: bare("… another question, for when this one is answered"),
            notes: Vec::new(),
            folded_notes: bare(""),
            ending: Vec::new(),
        }
    }

    /// Updates the view to the current state of the call, which extends the previous state.
    pub(super) fn update(&mut self, title: Option<&str>, questions: Questions<'_>, is_complete: bool, theme: Theme) {
        self.title.extend_to(title.unwrap_or_default());
        self.is_title_last = self.title.is_empty() && !questions.is_empty() || self.is_title_last;
        // Only the last question can have changed, until the call ends.
        let first = if is_complete { 0 } else { self.questions.len().saturating_sub(1) };
        for index in first..questions.len() {
            let Some(question) = questions.get(index) else { break };
            if index == self.questions.len() {
                self.questions.push(QuestionView::new(self.kind, index, theme));
            }
            let is_growing = !is_complete && index + 1 == questions.len();
            if let Some(view) = self.questions.get_mut(index) {
                view.update(&question, is_growing, theme);
            }
        }
    }

    /// Ends the growth of the call.
    fn finish(&mut self, style: Style) {
        self.title.part.finish();
        self.questions.iter_mut().for_each(|question| question.finish(style));
    }

    /// Marks the call as complete. It waits for its turn.
    pub(super) fn complete(&mut self, question: &Question, notes: impl Iterator<Item = String>, theme: Theme) {
        self.finish(theme.asked());
        self.state = CallState::Waiting(question.number);
        let advice = question.advice.iter().map(|finding| format!("advice: {finding}"));
        let questions = question.form.iter().flat_map(|form| form.questions.iter().enumerate());
        let of_form = questions.flat_map(|(index, question)| {
            question.advice.iter().map(move |finding| format!("advice: question {}: {finding}", index + 1))
        });
        for note in notes.map(|note| format!("note: {note}")).chain(advice).chain(of_form) {
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

    /// Shows what is picked in the open call, and the review.
    pub(super) fn show_answers(&mut self, open: &OpenQuestion, theme: Theme) {
        for (index, (view, step)) in self.questions.iter_mut().zip(&open.steps).enumerate() {
            view.show_picked(step, index == open.current, theme);
        }
        self.allows_text.clear();
        self.allows_text.extend(open.steps.iter().map(|step| step.allows_text));
        self.review = if open.is_at_review() { review::parts(open, theme) } else { Vec::new() };
    }

    /// Marks the call as answered: `answers` are for people. Appends the remarks.
    pub(super) fn answered(&mut self, answers: &[String], remarks: &[String], theme: Theme) {
        self.state = CallState::Ended;
        self.notes.clear();
        for answer in answers {
            self.ending.push(Part::plain(Span::styled("✓ ", theme.asked()), answer, theme.strong()));
        }
        for line in remarks {
            self.ending.push(Part::plain(Span::raw("  "), line, theme.dim()));
        }
    }

    /// Marks the call as not answered; `how` is for people.
    pub(super) fn unanswered(&mut self, how: &str, theme: Theme) {
        self.state = CallState::Ended;
        self.ending.push(Part::plain(Span::styled("✗ ", theme.wrong()), how, theme.wrong()));
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

    /// Visits the parts from top to bottom.
    ///
    /// With `hide_unasked`, a call that is not asked yet shows only its placeholder, so that one
    /// call is visible at a time and nothing moves.
    pub(super) fn visit(&mut self, hide_unasked: bool, show_notes: bool, visit: &mut dyn FnMut(CallPart<'_>)) {
        let is_open = matches!(self.state, CallState::Open(_));
        if hide_unasked && matches!(self.state, CallState::Growing | CallState::Waiting(_)) {
            return visit(CallPart::of_call(&mut self.placeholder));
        }
        let shows_title = !self.title.is_empty();
        if shows_title && !self.is_title_last {
            visit(CallPart::of_call(&mut self.title.part));
            visit(CallPart::of_call(&mut self.title_gap));
        }
        for (index, question) in self.questions.iter_mut().enumerate() {
            let allows_text = self.allows_text.get(index) == Some(&true);
            let step = is_open.then_some(index);
            question.visit(is_open, allows_text, &mut |shown| {
                let spot = step.zip(shown.choice).map(|(step, choice)| Spot { step, choice });
                visit(CallPart { part: shown.part, step, spot, has_mark: shown.has_mark });
            });
        }
        if shows_title && self.is_title_last {
            visit(CallPart::of_call(&mut self.title_gap));
            visit(CallPart::of_call(&mut self.title.part));
        }
        if is_open {
            let step = self.questions.len();
            for (row, part) in self.review.iter_mut().enumerate() {
                let choice = row.checked_sub(review::TITLE);
                let spot = choice.map(|choice| Spot { step, choice });
                visit(CallPart { part, step: Some(step), spot, has_mark: true });
            }
        }
        let last = is_open.then(|| self.questions.len().saturating_sub(1));
        let mut plain = |part| visit(CallPart { part, step: last, spot: None, has_mark: false });
        if show_notes {
            self.notes.iter_mut().for_each(&mut plain);
        } else if !self.notes.is_empty() {
            plain(&mut self.folded_notes);
        }
        self.ending.iter_mut().for_each(&mut plain);
    }
}
