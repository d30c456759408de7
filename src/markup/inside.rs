//! Inside a call: what each tag does.

use super::grammar::Tag;
use super::name::{Name, Side};
use super::{Look, Machine, State};
use crate::Entities;
use crate::call::End;
use crate::carry::Begun;
use crate::entity;
use crate::note::Note;
use crate::reason::Place;
use crate::scan;
use crate::syntax::{Piece, Signal};

/// Where in a call the machine stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Spot {
    /// Behind the opening tag, which is `opening` bytes long and ends at `body`: it is not certain yet that this is a call.
    Opened {
        body: u64,
        opening: usize,
        blank: bool,
    },
    /// Between the parameters; in a `follow_up` or not.
    Between,
    Question,
    /// Behind a suggestion's opening tag, with nothing but blanks yet.
    Suggestion,
    /// In a suggestion that is plain text.
    Answer,
    /// In a nested suggestion, outside its elements.
    Nested(Nested),
    /// In a nested suggestion's `<content>`.
    Content(Nested),
    /// In a nested suggestion's `<mode>`.
    Mode(Nested),
    Options,
}

/// What a nested suggestion has had so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Nested {
    /// There was a `<content>`.
    pub(crate) content: bool,
    /// There was one that is not blank: it is the answer.
    pub(crate) answered: bool,
}

impl Spot {
    /// Which value the stream cuts if it ends here.
    pub(super) fn place(self) -> Option<Place> {
        match self {
            Spot::Opened { .. } => Some(Place::Opening),
            Spot::Between => None,
            Spot::Question => Some(Place::Question),
            Spot::Suggestion | Spot::Answer | Spot::Nested(_) | Spot::Content(_) => Some(Place::Answer),
            Spot::Mode(_) => Some(Place::Mode),
            Spot::Options => Some(Place::Options),
        }
    }
}

impl Machine {
    /// Goes on inside a call, to the next tag.
    pub(super) fn run_inside(&mut self, piece: &Piece<'_>, pos: &mut usize) -> Option<Signal> {
        let (text, from) = (piece.text, *pos);
        let bracket = scan::bracket(&text.as_bytes()[from..]).map_or(text.len(), |i| from + i);
        self.pass_inside(&text[from..bracket]);
        *pos = bracket;
        if bracket == text.len() {
            return None;
        }
        self.settle_entity();
        let behind_tick = self.busy.call.tick;
        match self.look(&text.as_bytes()[bracket..], behind_tick, false, |n| piece.at(bracket + n) - piece.at(bracket))
        {
            Look::Text => {
                *pos = bracket + 1;
                self.pass_inside("<");
            }
            Look::Tag { tag, len, shown: true } => {
                *pos = bracket + len;
                self.pass_inside(&text[bracket..*pos]);
                self.act_shown(&tag);
            }
            Look::Tag { tag, len, shown: false } if self.ends_before(&tag, piece.at(bracket + len)) => {
                self.end_before(piece.at(bracket));
            }
            Look::Tag { tag, len, shown: false } => {
                *pos = bracket + len;
                return self.act_inside(&tag, &text[bracket..*pos], piece.at(*pos));
            }
            Look::Held { in_attributes } => {
                let begun = Begun { start: piece.at(bracket), behind_tick, in_attributes, shown: false };
                self.carry.begin(&text[bracket..], begun);
                *pos = text.len();
            }
            Look::Shown { in_attributes } => {
                self.pass_inside(&text[bracket..]);
                let begun = Begun { start: piece.at(bracket), behind_tick, in_attributes, shown: true };
                self.carry.begin(&text[bracket..], begun);
                *pos = text.len();
            }
        }
        None
    }

    /// Goes through text that is no tag, inside a call.
    #[inline]
    pub(super) fn pass_inside(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let call = &mut self.busy.call;
        let State::Call(spot) = &mut self.state else { return };
        match spot {
            Spot::Opened { .. } => return self.pass_opened(text),
            Spot::Between => return call.pass_between(text, &self.policy.limits),
            Spot::Options => return call.push_list(text, &self.policy.limits),
            Spot::Suggestion if text.trim_start().is_empty() => {}
            Spot::Suggestion => {
                *spot = Spot::Answer;
                call.push(text, &self.policy);
            }
            Spot::Question | Spot::Answer | Spot::Nested(_) | Spot::Content(_) => call.push(text, &self.policy),
            Spot::Mode(_) => call.push_mode(text, &self.policy),
        }
        call.tick = text.ends_with('`');
    }

    /// What had begun like an entity goes no further: it is text.
    #[inline]
    pub(super) fn settle_entity(&mut self) {
        // Of a mode nothing shows before its end.
        if self.policy.entities == Entities::Decoded {
            self.busy.call.settle(&self.policy);
        }
    }

    /// The bytes of a character have begun to come.
    pub(super) fn foresee_inside(&mut self, begun: &[u8]) {
        let State::Call(spot) = &mut self.state else { return };
        if *spot == Spot::Suggestion && !entity::may_be_blank(begun) {
            *spot = Spot::Answer;
        }
        // Of a mode nothing shows before its end.
        if !matches!(spot, Spot::Mode(_)) {
            self.busy.call.foresee_char(begun, &self.policy);
        }
    }

    /// An opening tag right behind a back-tick was kept as text.
    pub(super) fn keep_in_code(&mut self) {
        self.busy.call.repair(Note::TagInCode, &self.policy);
    }

    /// Acts on a tag inside a call; it ends at `end`.
    pub(super) fn act_inside(&mut self, tag: &Tag, text: &str, end: u64) -> Option<Signal> {
        self.take(tag, text, end);
        self.partial()
    }

    /// The same, without saying anything.
    pub(super) fn take(&mut self, tag: &Tag, text: &str, end: u64) {
        let State::Call(spot) = self.state else { return };
        self.busy.call.tick = false;
        match spot {
            Spot::Opened { .. } => {}
            Spot::Between => self.between(tag, text, end),
            Spot::Question => self.in_question(tag, text, end),
            Spot::Suggestion => self.in_suggestion(tag, text, end),
            Spot::Answer => self.behind_answer(tag, text, end),
            Spot::Nested(nested) => self.in_nested(nested, tag, text, end),
            Spot::Content(nested) => self.in_content(nested, tag, text, end),
            Spot::Mode(nested) => self.in_mode(nested, tag, text, end),
            Spot::Options => self.in_options(tag, text, end),
        }
    }

    fn go(&mut self, spot: Spot) {
        self.state = State::Call(spot);
    }

    fn repair(&mut self, note: Note) {
        self.busy.call.repair(note, &self.policy);
    }

    fn between(&mut self, tag: &Tag, text: &str, end: u64) {
        let call = &mut self.busy.call;
        match (tag.name, tag.side) {
            (Name::FollowUp, Side::Close) if call.follow_up => {
                call.read_list(&self.policy);
                call.follow_up = false;
                return call.end_list();
            }
            (Name::Ask, Side::Close) => return self.close(end),
            _ => {}
        }
        call.end_list();
        match (tag.name, tag.side) {
            (Name::Question, Side::Open) => {
                call.begin_question(tag.empty);
                if !tag.empty {
                    self.go(Spot::Question);
                }
            }
            (Name::FollowUp, Side::Open) => self.begin_follow_up(tag),
            (Name::Suggest, Side::Open) => self.begin_suggestion(tag, text),
            (Name::Options, Side::Open) => {
                call.begin_list();
                if tag.empty {
                    call.read_options(&self.policy);
                } else {
                    self.go(Spot::Options);
                }
            }
            (_, Side::Open) => {}
            (_, Side::Close) => self.repair(Note::StrayCloseTag),
        }
    }

    fn begin_follow_up(&mut self, tag: &Tag) {
        // They do not nest: one in another begins anew.
        let call = &mut self.busy.call;
        call.follow_up = false;
        if !tag.empty {
            call.begin_follow_up();
        }
    }

    fn begin_suggestion(&mut self, tag: &Tag, text: &str) {
        if !self.busy.call.follow_up {
            self.repair(Note::OutsideFollowUp);
        }
        if tag.empty {
            return self.go(Spot::Between);
        }
        let mode = tag.mode.and_then(|(start, end)| text.get(start..end));
        self.busy.call.begin_suggestion(mode, &self.policy);
        self.go(Spot::Suggestion);
    }

    fn close(&mut self, end: u64) {
        let call = &mut self.busy.call;
        if call.follow_up {
            call.repair(Note::UnclosedFollowUp, &self.policy);
            call.read_list(&self.policy);
        }
        call.end(End::Closed, &self.policy);
        self.state = State::Ended { end };
    }

    fn in_question(&mut self, tag: &Tag, text: &str, end: u64) {
        let closed = tag.name == Name::Question;
        if !closed {
            self.repair(Note::UnclosedQuestion);
        }
        self.busy.call.end_question(&self.policy);
        self.go(Spot::Between);
        if !closed {
            self.between(tag, text, end);
        }
    }

    fn in_suggestion(&mut self, tag: &Tag, text: &str, end: u64) {
        if matches!(tag.name, Name::Content | Name::Mode) {
            self.busy.call.hold_back();
            self.in_nested(Nested::default(), tag, text, end);
        } else {
            self.behind_answer(tag, text, end);
        }
    }

    /// The suggestion ends, by its own close tag or by one that ends more.
    fn behind_answer(&mut self, tag: &Tag, text: &str, end: u64) {
        let closed = (tag.name, tag.side) == (Name::Suggest, Side::Close);
        if !closed {
            self.repair(Note::UnclosedSuggestion);
        }
        self.busy.call.end_suggestion(&self.policy);
        self.go(Spot::Between);
        if !closed {
            self.between(tag, text, end);
        }
    }

    fn in_nested(&mut self, nested: Nested, tag: &Tag, text: &str, end: u64) {
        match (tag.name, tag.side) {
            (Name::Content, Side::Open) => {
                if !nested.answered {
                    self.busy.call.begin_content();
                }
                let nested = Nested { content: true, ..nested };
                if tag.empty { self.end_content(nested) } else { self.go(Spot::Content(nested)) }
            }
            (Name::Mode, Side::Open) => {
                if tag.empty {
                    return self.go(Spot::Nested(nested));
                }
                self.busy.call.begin_mode();
                self.go(Spot::Mode(nested));
            }
            (Name::Content | Name::Mode, Side::Close) => self.repair(Note::StrayCloseTag),
            _ => self.behind_answer(tag, text, end),
        }
    }

    fn end_content(&mut self, nested: Nested) {
        let answered = nested.answered || self.busy.call.end_content(&self.policy);
        self.go(Spot::Nested(Nested { answered, ..nested }));
    }

    fn in_content(&mut self, nested: Nested, tag: &Tag, text: &str, end: u64) {
        if tag.name == Name::Content {
            return self.end_content(nested);
        }
        self.repair(Note::UnclosedSuggestion);
        self.end_content(nested);
        self.behind_answer(tag, text, end);
    }

    fn in_mode(&mut self, nested: Nested, tag: &Tag, text: &str, end: u64) {
        let closed = tag.name == Name::Mode;
        if !closed {
            self.repair(Note::UnclosedSuggestion);
        }
        self.busy.call.end_mode(&self.policy);
        self.go(Spot::Nested(nested));
        if !closed {
            self.behind_answer(tag, text, end);
        }
    }

    fn in_options(&mut self, tag: &Tag, text: &str, end: u64) {
        self.go(Spot::Between);
        let closed = tag.name == Name::Options;
        if !closed {
            self.repair(Note::UnclosedOptions);
        }
        self.busy.call.read_options(&self.policy);
        if !closed {
            self.between(tag, text, end);
        }
    }
}
