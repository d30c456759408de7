//! A call on the screen: the question, what can be chosen, and what became of it.

use followup::Suggestions;
use followup::dialogue::Question;
use ratatui::style::Style;
use ratatui::text::Span;

use super::markdown::Markdown;
use super::part::{Body, Part};
use super::plain::Plain;
use super::theme::Theme;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Growing,
    /// It can be asked, under that number of the dialogue, when it is its turn.
    Waiting(u64),
    /// It is being asked.
    Open(u64),
    /// It was answered, or can't be asked.
    Ended,
}

#[derive(Debug)]
pub(super) struct Call {
    /// Which call of the message it is.
    pub(super) nth: u64,
    pub(super) state: State,
    question: Part,
    /// So many bytes of the question are in it.
    known: usize,
    blank: Part,
    suggestions: Vec<Suggestion>,
    own: Part,
    /// Stands in its place while another question is open.
    later: Part,
    ending: Vec<Part>,
}

#[derive(Debug)]
struct Suggestion {
    part: Part,
    known: usize,
}

/// What can be chosen of a question: a suggestion, from 0, or, behind the last, an answer in one's own words.
pub(super) type Choice = usize;

impl Call {
    pub(super) fn new(nth: u64, theme: Theme) -> Call {
        let bare = |text, style| Part::bare(Body::Plain(Plain::new(text, style)));
        Call {
            nth,
            state: State::Growing,
            question: Part::beside(Span::styled("? ", theme.growing()), Body::Markdown(Markdown::default())),
            known: 0,
            blank: bare("", Style::new()),
            suggestions: Vec::new(),
            own: Part::plain(Span::styled("  ✎  ", theme.number()), "In your own words…", theme.dim()),
            later: bare("… another question, for when this one is answered", theme.dim()),
            ending: Vec::new(),
        }
    }

    /// Takes over what is known of the call. It extends what was known before.
    pub(super) fn grow(&mut self, question: Option<&str>, suggestions: Suggestions<'_>, theme: Theme) {
        if let (Some(more), Body::Markdown(markdown)) =
            (question.and_then(|question| question.get(self.known..)), &mut self.question.body)
        {
            markdown.push(more);
            self.known += more.len();
        }
        // All but the newest are as they were.
        for i in self.suggestions.len().saturating_sub(1)..suggestions.len() {
            let Some(suggestion) = suggestions.get(i) else { break };
            if i == self.suggestions.len() {
                let number = Span::styled(format!("  {:<2} ", i + 1), theme.number());
                self.suggestions.push(Suggestion { part: Part::plain(number, "", Style::new()), known: 0 });
            }
            if let Some(Suggestion { part: Part { body: Body::Plain(plain), .. }, known }) = self.suggestions.get_mut(i)
            {
                plain.lead(suggestion.mode.map(|mode| (format!("[{}] ", one_line(mode)), theme.mode())));
                if let Some(more) = suggestion.answer.get(*known..) {
                    plain.push(more);
                    *known += more.len();
                }
            }
        }
    }

    fn end(&mut self, style: Style) {
        self.question.mark.style = style;
        self.question.finish();
        self.suggestions.iter_mut().for_each(|suggestion| suggestion.part.finish());
    }

    /// It is complete: it will be asked.
    pub(super) fn wait(&mut self, question: &Question, notes: impl Iterator<Item = String>, theme: Theme) {
        self.end(theme.asked());
        self.state = State::Waiting(question.number);
        let advice = question.advice.iter().map(|finding| format!("advice: {finding}"));
        for note in notes.map(|note| format!("note: {note}")).chain(advice) {
            self.ending.push(Part::plain(Span::raw("  "), &note, theme.dim()));
        }
    }

    /// It was answered with that; `more` says what else there is to say.
    pub(super) fn answered(&mut self, text: &str, more: &[String], theme: Theme) {
        self.state = State::Ended;
        self.ending.clear();
        self.ending.push(Part::plain(Span::styled("✓ ", theme.asked()), text, theme.strong()));
        for line in more {
            self.ending.push(Part::plain(Span::raw("  "), line, theme.dim()));
        }
    }

    pub(super) fn left(&mut self, theme: Theme) {
        self.state = State::Ended;
        self.ending.push(Part::plain(Span::styled("✗ ", theme.wrong()), "not answered", theme.wrong()));
    }

    /// It can't be asked.
    pub(super) fn rejected(&mut self, why: &str, told: &str, theme: Theme) {
        self.end(theme.wrong());
        self.state = State::Ended;
        self.ending.push(Part::plain(Span::styled("✗ ", theme.wrong()), &format!("rejected: {why}"), theme.wrong()));
        let told = if told == why { "so the model is told".into() } else { format!("the model is told: {told}") };
        self.ending.push(Part::plain(Span::raw("  "), &told, theme.dim()));
    }

    /// Its parts from top to bottom, each with what it lets one choose. Those of a question that is not yet asked are hidden while another is,
    /// so that there is one at a time and nothing moves.
    pub(super) fn parts(&mut self, hidden: bool) -> impl Iterator<Item = (&mut Part, Option<Choice>)> {
        let hidden = hidden && matches!(self.state, State::Growing | State::Waiting(_));
        let is_open = matches!(self.state, State::Open(_));
        let own = self.suggestions.len();
        let blank = (own > 0 || is_open).then_some((&mut self.blank, None));
        let suggestions =
            self.suggestions.iter_mut().enumerate().map(move |(i, one)| (&mut one.part, is_open.then_some(i)));
        let shown = std::iter::once((&mut self.question, None))
            .chain(blank)
            .chain(suggestions)
            .chain(is_open.then_some((&mut self.own, Some(own))))
            .chain(self.ending.iter_mut().map(|part| (part, None)));
        let instead = hidden.then_some((&mut self.later, None));
        shown.take_while(move |_| !hidden).chain(instead)
    }
}

fn one_line(mode: &str) -> String {
    mode.split_whitespace().collect::<Vec<_>>().join(" ")
}
