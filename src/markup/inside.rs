//! Inside a call: what text and each tag does.

use super::machine::MarkupMachine;
use super::names::{Name, Side};
use super::state::{Body, Inside, Spot, State};
use super::tag::Tag;
use crate::config::Entities;
use crate::json::list;
use crate::note::Note;
use crate::signal::Signal;
use crate::utf8;

impl MarkupMachine {
    /// Appends text that is no tag to what is open.
    #[inline]
    pub(super) fn push_inside(&mut self, text: &str) {
        let State::Inside(Inside { spot, after_backtick, .. }) = &mut self.state else { return };
        let call = &mut self.busy.call;
        self.has_news = true;
        match spot {
            _ if text.is_empty() => return,
            Spot::Between(Body::Other) => return,
            Spot::Between(body) => {
                *body = text.chars().fold(*body, Body::after);
                return if *body == Body::Other { call.drop_list() } else { call.push_list(text, &self.policy) };
            }
            Spot::Options => return call.push_list(text, &self.policy),
            Spot::Suggestion if text.trim_start().is_empty() => {}
            Spot::Suggestion => {
                *spot = Spot::Answer;
                call.push(text, &self.policy);
            }
            Spot::Question | Spot::Answer | Spot::Nested { .. } | Spot::Content { .. } => call.push(text, &self.policy),
            Spot::Mode { .. } => call.push_mode(text, &self.policy),
        }
        *after_backtick = text.ends_with('`');
    }

    /// Makes the text before a `<` certain. Returns whether it ends in a back-tick.
    #[inline]
    pub(super) fn before_bracket(&mut self) -> bool {
        let State::Inside(Inside { after_backtick, .. }) = self.state else { return false };
        // Of a mode nothing shows before its end.
        if self.policy.entities == Entities::Decoded {
            self.busy.call.flush_entity(&self.policy);
            self.has_news = true;
        }
        after_backtick
    }

    /// Makes certain what does not depend on which character the incomplete UTF-8 sequence `tail`
    /// becomes.
    pub(super) fn foresee_inside(&mut self, tail: &[u8]) {
        let State::Inside(Inside { spot, .. }) = &mut self.state else { return };
        self.has_news = true;
        if *spot == Spot::Suggestion && !utf8::may_be_blank(tail) {
            *spot = Spot::Answer;
        }
        // Of a mode nothing shows before its end.
        if !matches!(spot, Spot::Mode { .. }) {
            self.busy.call.foresee_char(tail, &self.policy);
        }
    }

    /// Notes that an opening tag right after a back-tick was kept as text.
    pub(super) fn keep_in_code(&mut self) {
        self.repair(Note::TagInCode);
    }

    /// Ends the call where the stream cuts it.
    pub(super) fn cut_inside(&mut self, Inside { spot, .. }: Inside, end: u64) {
        self.has_news = true;
        match spot.place() {
            Some(place) => self.busy.call.cut(place, &self.policy),
            None => self.busy.call.end(true, &self.policy),
        }
        self.pending.clear();
        self.state = State::Ended { end, is_named: false };
    }

    /// Ends the call before a tool's opening tag.
    pub(super) fn end_by_tool(&mut self, end: u64) {
        self.has_news = true;
        self.repair(Note::UnclosedCall);
        self.read_body_list();
        self.end_call(end);
    }

    /// Acts on a tag, which ends at `end`. `text`: what it is written as.
    pub(super) fn act_inside(&mut self, tag: &Tag, text: &[u8], end: u64) -> Option<Signal> {
        let State::Inside(inside) = &mut self.state else { return None };
        inside.after_backtick = false;
        self.has_news = true;
        match inside.spot {
            Spot::Between(_) => self.between(tag, text, end),
            Spot::Question => self.in_question(tag, text, end),
            Spot::Suggestion if matches!(tag.name, Name::Content | Name::Mode) => {
                self.busy.call.hold_answer_back();
                self.in_nested(false, tag, text, end);
            }
            Spot::Suggestion | Spot::Answer => self.after_answer(tag, text, end),
            Spot::Nested { answered } => self.in_nested(answered, tag, text, end),
            Spot::Content { answered } => self.in_content(answered, tag, text, end),
            Spot::Mode { answered } => self.in_mode(answered, tag, text, end),
            Spot::Options => self.in_options(tag, text, end),
        }
        self.partial()
    }

    fn go(&mut self, to: Spot) {
        if let State::Inside(Inside { spot, .. }) = &mut self.state {
            *spot = to;
        }
    }

    pub(super) fn set_follow_up(&mut self, is_open: bool) {
        if let State::Inside(Inside { follow_up, .. }) = &mut self.state {
            *follow_up = is_open;
        }
    }

    fn is_in_follow_up(&self) -> bool {
        matches!(self.state, State::Inside(Inside { follow_up: true, .. }))
    }

    fn repair(&mut self, note: Note) {
        self.busy.call.repair(note, &self.policy);
    }

    fn between(&mut self, tag: &Tag, text: &[u8], end: u64) {
        match (tag.name, tag.side) {
            (Name::FollowUp, Side::Close) if self.is_in_follow_up() => {
                self.read_body_list();
                self.set_follow_up(false);
                return self.go(Spot::BETWEEN);
            }
            (Name::Ask, Side::Close) => return self.close(end),
            _ => {}
        }
        // What holds a tag of ours is no list.
        self.busy.call.drop_list();
        self.go(Spot::BETWEEN);
        match (tag.name, tag.side) {
            (Name::Question, Side::Open) => {
                self.busy.call.begin_question(tag.empty);
                if !tag.empty {
                    self.go(Spot::Question);
                }
            }
            (Name::FollowUp, Side::Open) => self.begin_follow_up(tag.empty),
            (Name::Suggest, Side::Open) => self.begin_suggestion(tag, text),
            (Name::Options, Side::Open) => {
                self.busy.call.begin_list();
                if tag.empty { self.read_options() } else { self.go(Spot::Options) }
            }
            (_, Side::Open) => {}
            (_, Side::Close) => self.repair(Note::StrayCloseTag),
        }
    }

    /// Begins a `follow_up`. They do not nest: one in another begins anew.
    pub(super) fn begin_follow_up(&mut self, empty: bool) {
        self.set_follow_up(!empty);
        if !empty {
            self.busy.call.begin_list();
            self.go(Spot::Between(Body::Blank));
        }
    }

    fn begin_suggestion(&mut self, tag: &Tag, text: &[u8]) {
        if !self.is_in_follow_up() {
            self.repair(Note::OutsideFollowUp);
        }
        if !tag.empty {
            let mode = tag.value.clone().and_then(|mode| core::str::from_utf8(text.get(mode)?).ok());
            self.busy.call.begin_suggestion(mode, &self.policy);
            self.go(Spot::Suggestion);
        }
    }

    fn close(&mut self, end: u64) {
        if self.is_in_follow_up() {
            self.repair(Note::UnclosedFollowUp);
            self.read_body_list();
        }
        self.end_call(end);
    }

    fn end_call(&mut self, end: u64) {
        self.busy.call.end(false, &self.policy);
        self.state = State::Ended { end, is_named: false };
    }

    fn in_question(&mut self, tag: &Tag, text: &[u8], end: u64) {
        let is_closed = tag.name == Name::Question;
        if !is_closed {
            self.repair(Note::UnclosedQuestion);
        }
        self.busy.call.end_question(&self.policy);
        self.go(Spot::BETWEEN);
        if !is_closed {
            self.between(tag, text, end);
        }
    }

    /// Ends the suggestion, at its own close tag or at one that ends more.
    fn after_answer(&mut self, tag: &Tag, text: &[u8], end: u64) {
        let is_closed = (tag.name, tag.side) == (Name::Suggest, Side::Close);
        if !is_closed {
            self.repair(Note::UnclosedSuggestion);
        }
        self.busy.call.end_suggestion(&self.policy);
        self.go(Spot::BETWEEN);
        if !is_closed {
            self.between(tag, text, end);
        }
    }

    fn in_nested(&mut self, answered: bool, tag: &Tag, text: &[u8], end: u64) {
        match (tag.name, tag.side) {
            (Name::Content, Side::Open) => {
                if !answered {
                    self.busy.call.begin_content();
                }
                if tag.empty { self.end_content(answered) } else { self.go(Spot::Content { answered }) }
            }
            (Name::Mode, Side::Open) if tag.empty => self.go(Spot::Nested { answered }),
            (Name::Mode, Side::Open) => {
                self.busy.call.begin_mode();
                self.go(Spot::Mode { answered });
            }
            (Name::Content | Name::Mode, Side::Close) => self.repair(Note::StrayCloseTag),
            _ => self.after_answer(tag, text, end),
        }
    }

    fn end_content(&mut self, answered: bool) {
        let answered = answered || self.busy.call.end_content(&self.policy);
        self.go(Spot::Nested { answered });
    }

    fn in_content(&mut self, answered: bool, tag: &Tag, text: &[u8], end: u64) {
        let is_closed = tag.name == Name::Content;
        if !is_closed {
            self.repair(Note::UnclosedSuggestion);
        }
        self.end_content(answered);
        if !is_closed {
            self.after_answer(tag, text, end);
        }
    }

    fn in_mode(&mut self, answered: bool, tag: &Tag, text: &[u8], end: u64) {
        let is_closed = tag.name == Name::Mode;
        if !is_closed {
            self.repair(Note::UnclosedSuggestion);
        }
        self.busy.call.end_mode(&self.policy);
        self.go(Spot::Nested { answered });
        if !is_closed {
            self.after_answer(tag, text, end);
        }
    }

    fn in_options(&mut self, tag: &Tag, text: &[u8], end: u64) {
        let is_closed = tag.name == Name::Options;
        if !is_closed {
            self.repair(Note::UnclosedOptions);
        }
        self.read_options();
        self.go(Spot::BETWEEN);
        if !is_closed {
            self.between(tag, text, end);
        }
    }

    /// Reads the text of `options`, which is complete: a list, or a mistake.
    fn read_options(&mut self) {
        if let Some(text) = self.busy.call.take_list() {
            self.read_list(&text);
        }
    }

    /// Reads the body of a `follow_up`, which is complete, if it is a list.
    fn read_body_list(&mut self) {
        if let Some(text) = self.busy.call.take_list()
            && !text.is_empty()
        {
            self.read_list(&text);
        }
    }

    fn read_list(&mut self, text: &str) {
        let call = &mut self.busy.call;
        if !list::read(text, &mut |item| call.keep_item(item, &self.policy)) {
            call.note(Note::UnreadableList);
        }
    }
}
