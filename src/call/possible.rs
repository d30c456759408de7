//! What a stored call must be.

use smallvec::SmallVec;

use super::view::Shown;
use super::{Body, Call, List, Open};
use crate::event::{Part, Suggested};
use crate::note::Note;
use crate::reason::{Place, Reason};
use crate::{Entities, Policy, Repairs};

impl Call {
    /// Whether `bytes` bytes of a stream can lead to this call. `foreseen`: a character has begun to come behind them.
    pub(crate) fn is_possible(
        &self,
        bytes: u64,
        foreseen: bool,
        policy: &Policy,
        written: Written,
        entities: Entities,
    ) -> bool {
        // A U+FFFD may stand for one byte that was ill-formed; all others were there.
        let least = |text: &str| text.len() - 2 * text.matches(char::REPLACEMENT_CHARACTER).count();
        let opening = match written {
            Written::Markup => "<ask_followup_question>".len(),
            Written::Json => 0,
        };
        bytes >= (opening + least(&self.text) + least(&self.modes)) as u64
            && self.are_parts_possible(policy)
            && self.are_arenas_full()
            && self.is_shown()
            && self.is_open_possible(foreseen, policy)
            && self.are_notes_possible(policy, written)
            && self.is_wrong_possible(policy, written)
            && self.entities == entities
            && (written == Written::Json || self.given == self.gave())
            && match &self.list {
                List::Text { text, value } => {
                    (written == Written::Json || text.is_empty() || text.starts_with('['))
                        && value.start == 0
                        && value.certain == text.trim_end().len()
                        && value.is_possible(text, policy.limits.list(), Entities::Raw)
                }
                List::No | List::TooLong => true,
            }
    }

    /// Whether every byte of the arenas is part of something.
    fn are_arenas_full(&self) -> bool {
        let own = self.value.as_ref().filter(|value| value.exists).map(|value| (value.start, value.certain));
        let ends = |part: &Part| if Some(*part) == own { part.0 } else { part.1 };
        let answers = self.suggestions.iter().map(|one| ends(&one.answer));
        let text = answers.chain(self.question.iter().map(ends)).fold(self.bare, usize::max);
        let open = self.open.as_ref().and_then(|open| open.mode);
        let modes =
            self.suggestions.iter().filter_map(|one| one.mode).chain(open).map(|mode| mode.1).max().unwrap_or(0);
        text == self.value.as_ref().map_or(self.text.len(), |value| value.start)
            && modes == self.mode.as_ref().map_or(self.modes.len(), |mode| mode.start)
            && self.open.as_ref().is_none_or(|open| self.is_open_mode_possible(open))
    }

    /// Whether the modes of the open suggestion begin behind those of the others.
    fn is_open_mode_possible(&self, open: &Open) -> bool {
        let others =
            &self.suggestions[..self.suggestions.len() - usize::from(open.listed && !self.suggestions.is_empty())];
        let end = others.iter().filter_map(|one| one.mode).map(|mode| mode.1).max().unwrap_or(0);
        open.modes == end && open.mode.is_none_or(|mode| mode.0 == end)
    }

    /// Whether the notes are those that a call has before its end, each once.
    fn are_notes_possible(&self, policy: &Policy, written: Written) -> bool {
        let open = |note: &Note| match note {
            Note::RepeatedQuestion | Note::SuggestionsDropped | Note::UnreadableList => true,
            Note::RepeatedSuggestions | Note::UnreadableSuggestion => written == Written::Json,
            Note::IllFormedString
            | Note::TextBehindArguments
            | Note::SuggestionsAsObject
            | Note::SuggestionsAsText
            | Note::UnclosedOptions => written == Written::Json && policy.repairs == Repairs::Make,
            Note::UnclosedQuestion => written == Written::Markup && policy.repairs == Repairs::Make,
            Note::UnclosedSuggestion | Note::StrayCloseTag | Note::TagInCode | Note::OutsideFollowUp => {
                policy.repairs == Repairs::Make
            }
            Note::UnclosedFollowUp
            | Note::UnclosedCall
            | Note::StreamEnded
            | Note::BareQuestion
            | Note::OnlyNamed
            | Note::IllFormedJson
            | Note::PartLost => false,
        };
        self.notes.iter().enumerate().all(|(i, note)| open(note) && !self.notes[..i].contains(note))
    }

    /// Whether what went wrong is something that does before a call's end.
    fn is_wrong_possible(&self, policy: &Policy, written: Written) -> bool {
        let strict = policy.repairs == Repairs::Reject;
        match (self.wrong, written) {
            (None, _) => true,
            (Some(Reason::Malformed(note)), Written::Markup) => {
                strict
                    && matches!(
                        note,
                        Note::UnclosedQuestion
                            | Note::UnclosedSuggestion
                            | Note::StrayCloseTag
                            | Note::TagInCode
                            | Note::OutsideFollowUp
                    )
            }
            (Some(Reason::Malformed(Note::IllFormedJson)), Written::Json) => true,
            (Some(Reason::Malformed(note)), Written::Json) => {
                strict
                    && matches!(
                        note,
                        Note::IllFormedString
                            | Note::TextBehindArguments
                            | Note::SuggestionsAsObject
                            | Note::SuggestionsAsText
                            | Note::OutsideFollowUp
                    )
            }
            (Some(Reason::TooLong { place, limit }), _) => match place {
                Place::Question => limit == policy.limits.question,
                Place::Answer | Place::Mode => limit == policy.limits.answer,
                Place::Opening | Place::Parameters | Place::Options | Place::Suggestions | Place::Arguments => false,
            },
            (Some(Reason::WrongType(Place::Arguments)), Written::Json) => {
                self.notes.is_empty() && self.question.is_none() && self.suggestions.is_empty() && !self.asked
            }
            (Some(Reason::WrongType(place)), Written::Json) => matches!(place, Place::Question | Place::Suggestions),
            (Some(Reason::WrongType(_)), Written::Markup)
            | (Some(Reason::MissingParameter | Reason::Truncated(_)), _) => false,
        }
    }

    /// Whether a suggestion has existed.
    fn gave(&self) -> bool {
        !self.suggestions.is_empty() || self.notes.contains(&Note::SuggestionsDropped)
    }

    /// Whether the ranges lie in their arenas one behind the other, trimmed and within the limits.
    fn are_parts_possible(&self, policy: &Policy) -> bool {
        let limits = &policy.limits;
        let newest_open = self.value.as_ref().map(|value| value.start);
        let text = |(start, end): Part, limit: usize| {
            // What is still open may be known to exist without being known, or end in blanks.
            let open = newest_open == Some(start);
            self.text.get(start..end).is_some_and(|text| {
                let trimmed = if open { text.trim_start() } else { text.trim() };
                text.len() <= limit && trimmed.len() == text.len() && (open || !text.is_empty())
            })
        };
        let mode =
            |part: Part| self.modes.get(part.0..part.1).is_some_and(|mode| !mode.is_empty() && mode.trim() == mode);
        let modes: SmallVec<[Part; 4]> = self.suggestions.iter().filter_map(|one| one.mode).collect();
        let answers = self.suggestions.iter().map(|one| one.answer);
        let bare = self.text.get(..self.bare).is_some_and(|bare| bare.trim() == bare)
            && self.bare <= limits.bare.saturating_mul(3);
        bare && self
            .question
            .is_none_or(|question| self.asked && question.0 >= self.bare && text(question, limits.question))
            && self.suggestions.len() <= limits.suggestions
            && self.suggestions.iter().all(|one| one.answer.0 >= self.bare && text(one.answer, limits.answer))
            && modes.iter().all(|&part| mode(part))
            && modes.is_sorted_by(|a, b| a.1 <= b.0)
            && answers.is_sorted_by(|a, b| a.1 <= b.0)
            && self
                .question
                .is_none_or(|q| self.suggestions.iter().all(|one| one.answer.1 <= q.0 || q.1 <= one.answer.0))
    }

    /// Whether all that is certain has been shown, as it has between two chunks.
    fn is_shown(&self) -> bool {
        let len = |(start, end): Part| end - start;
        // The newest may only be known to exist, which does not show.
        let hidden = |one: &&Suggested| len(one.answer) == 0 && one.mode.is_none();
        let shown = self.suggestions.len() - usize::from(self.suggestions.last().filter(hidden).is_some());
        let newest = shown.checked_sub(1).map(|i| self.suggestions[i]);
        self.shown
            == Shown {
                question: self.question.map_or(0, len),
                suggestions: shown,
                newest: newest.map_or((0, false), |one| (len(one.answer), one.mode.is_some())),
            }
    }

    /// Whether what is open fits together. Which of it is open at which place, the syntax knows.
    fn is_open_possible(&self, foreseen: bool, policy: &Policy) -> bool {
        if self.wrong.is_some() {
            return self.value.is_none() && self.mode.is_none() && self.open.is_none() && matches!(self.list, List::No);
        }
        let value_fits = self.value.as_ref().is_none_or(|value| {
            let limit = match &self.open {
                None => policy.limits.question,
                Some(open) if open.surplus => 0,
                Some(_) => policy.limits.answer,
            };
            let surplus = self.open.as_ref().is_some_and(|open| open.surplus);
            let known = value.certain > value.start || surplus || foreseen || !value.begun.is_empty();
            let question = value.exists.then_some((value.start, value.certain));
            value.is_possible(&self.text, limit, self.entities)
                && (!value.exists || known)
                && (self.open.is_some() || self.question == question)
        });
        let mode_fits = self.mode.as_ref().is_none_or(|mode| {
            let known = !mode.exists || mode.certain > mode.start || !mode.begun.is_empty();
            self.open.is_some() && known && mode.is_possible(&self.modes, policy.limits.answer, self.entities)
        });
        value_fits && mode_fits && self.open.as_ref().is_none_or(|open| self.is_suggestion_possible(open, policy))
    }

    /// What is open of the call.
    pub(crate) fn openness(&self) -> Openness {
        Openness {
            wrong: self.wrong.is_some(),
            value: self.value.as_ref().map(|value| value.exists),
            mode: self.mode.is_some(),
            suggestion: self.open.is_some(),
            provisional: self.open.as_ref().is_some_and(|open| open.provisional),
            answered: self.open.as_ref().is_some_and(|open| open.listed || open.surplus),
            listed: self.open.as_ref().is_some_and(|open| open.listed),
            list: !matches!(self.list, List::No),
            body_open: self.body != Body::Other,
            follow_up: self.follow_up,
            tick: self.tick,
            asked: self.asked,
            bare: self.bare > 0,
            given: self.given,
            gave: self.gave(),
            behind: self.notes.contains(&Note::TextBehindArguments),
            as_object: self.notes.contains(&Note::SuggestionsAsObject),
            repeated: self.question.is_some() && self.notes.contains(&Note::RepeatedQuestion),
        }
    }

    fn is_suggestion_possible(&self, open: &Open, policy: &Policy) -> bool {
        let newest = self.suggestions.last().filter(|_| open.listed);
        let answer = self.value.as_ref().filter(|value| value.exists && !open.provisional && !open.surplus);
        let blank = self.value.as_ref().is_some_and(|value| !value.exists);
        open.listed == newest.is_some()
            && !(open.listed && (blank || open.provisional))
            && newest.is_none_or(|newest| newest.mode == open.mode)
            && answer.is_none_or(|value| newest.is_some_and(|newest| newest.answer == (value.start, value.certain)))
            && open.mode.is_none_or(|(start, end)| self.modes.get(start..end).is_some_and(|mode| !mode.is_empty()))
            && (!open.passed || open.provisional)
            && (!open.surplus
                || (!open.listed && open.mode.is_none() && self.suggestions.len() >= policy.limits.suggestions))
            && (open.listed || open.surplus || self.suggestions.len() < policy.limits.suggestions)
    }
}

/// What a call is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    Markup,
    Json,
}

/// What is open of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Openness {
    /// Something went wrong, so that nothing is.
    pub(crate) wrong: bool,
    /// A value, and whether it is more than blank.
    pub(crate) value: Option<bool>,
    /// A nested mode.
    pub(crate) mode: bool,
    pub(crate) suggestion: bool,
    /// The value is the suggestion's answer only if no `<content>` comes.
    pub(crate) provisional: bool,
    /// The suggestion has an answer, or is one too many.
    pub(crate) answered: bool,
    /// The suggestion is certain to exist.
    pub(crate) listed: bool,
    /// A list.
    pub(crate) list: bool,
    /// The body of a `follow_up`, blank or a list so far.
    pub(crate) body_open: bool,
    pub(crate) follow_up: bool,
    pub(crate) tick: bool,
    /// There has been a `<question>`.
    pub(crate) asked: bool,
    /// There was text in front of the first parameter.
    pub(crate) bare: bool,
    /// A suggestion has existed in the list that is open.
    pub(crate) given: bool,
    /// A suggestion has existed.
    pub(crate) gave: bool,
    /// Something stood behind the arguments.
    pub(crate) behind: bool,
    /// A list of suggestions was an object.
    pub(crate) as_object: bool,
    /// There is a question, and there has been another `<question>`.
    pub(crate) repeated: bool,
}
