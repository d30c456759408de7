//! Inside a call: which tags mean something, and what text and each tag does.

use super::allowed::{NOTHING, TOOLS};
use super::lexed::{Name, Side, Tag};
use super::state::{Body, Inside, Position, Quotes};
use super::tag::{Allowed, Others, Set, TagNames};
use crate::call::Call;
use crate::config::{Entities, Policy};
use crate::json::list;
use crate::note::Note;
use crate::utf8;

const PARAMETERS: Set = Set::QUESTION.or(Set::FOLLOW_UP).or(Set::SUGGEST).or(Set::OPTIONS);

/// The tags that a list of suggestions consists of.
const LISTS: Set = Set::FOLLOW_UP.or(Set::SUGGEST).or(Set::OPTIONS).or(Set::CONTENT).or(Set::MODE);

/// Right after a back-tick, an opening tag that would end the value is text.
const ENDING: Set = Set::SUGGEST.or(Set::FOLLOW_UP);

/// The tags that confirm a call.
pub(super) const CONFIRMING: Allowed =
    Allowed { open: TagNames::hidden(PARAMETERS), close: TagNames::hidden(PARAMETERS.or(Set::ASK)), ..NOTHING };

/// The length of the shortest of them: `<suggest>`.
pub(super) const SHORTEST_CONFIRMING: usize = 9;

/// The tags between parameters: the tags that confirm a call, and the opening tags of tools.
pub(super) const BETWEEN: Allowed =
    Allowed { open: TagNames { hidden: PARAMETERS.or(Set::ASK), ..TOOLS }, ..CONFIRMING };

/// Reads the text and the tags of a call that is open.
pub(super) struct CallReader<'c> {
    pub(super) inside: &'c mut Inside,
    pub(super) call: &'c mut Call,
    pub(super) policy: &'c Policy,
}

impl CallReader<'_> {
    /// Appends text that is no tag to what is open.
    #[inline(always)] // Most of a call is text, which a machine appends in one place.
    pub(super) fn push(&mut self, text: &str) {
        let Inside { position, after_backtick, .. } = &mut *self.inside;
        let call = &mut *self.call;
        match position {
            _ if text.is_empty() => return,
            Position::Between(Body::Other) => return,
            Position::Between(body) => {
                *body = text.chars().fold(*body, Body::after);
                return if *body == Body::Other { call.drop_list() } else { call.push_list(text, self.policy) };
            }
            Position::Options => return call.push_list(text, self.policy),
            Position::Suggestion if text.trim_start().is_empty() => {}
            Position::Suggestion => {
                *position = Position::Answer;
                call.push(text, self.policy);
            }
            Position::Question | Position::Answer | Position::Nested { .. } | Position::Content { .. } => {
                call.push(text, self.policy)
            }
            Position::Mode { .. } => call.push_mode(text, self.policy),
        }
        *after_backtick = text.ends_with('`');
    }

    /// Makes the text before a `<` certain. Returns whether it ends in a back-tick.
    #[inline]
    pub(super) fn before_bracket(&mut self) -> bool {
        // A mode is shown only when it ends.
        if self.policy.entities == Entities::Decoded {
            self.call.flush_entity(self.policy);
        }
        self.inside.after_backtick
    }

    /// Makes certain what does not depend on the character that `tail` becomes.
    ///
    /// `tail` is the incomplete UTF-8 sequence.
    pub(super) fn foresee(&mut self, tail: &[u8]) {
        if self.inside.position == Position::Suggestion && !utf8::may_be_blank(tail) {
            self.inside.position = Position::Answer;
        }
        // A mode is shown only when it ends.
        if !matches!(self.inside.position, Position::Mode { .. }) {
            self.call.foresee_char(tail, self.policy);
        }
    }

    /// Notes that an opening tag right after a back-tick was kept as text.
    pub(super) fn keep_in_code(&mut self) {
        self.repair(Note::TagInCode);
    }

    /// Ends the call where the stream cuts it.
    pub(super) fn cut(&mut self) {
        match self.inside.position.part() {
            Some(part) => self.call.cut(part, self.policy),
            None => self.call.end(true, self.policy),
        }
    }

    /// Ends the call before a tool's opening tag.
    pub(super) fn end_by_tool(&mut self) {
        self.repair(Note::UnclosedCall);
        self.read_body_list();
        self.call.end(false, self.policy);
    }

    /// Acts on a tag. `text`: what it is written as. Returns `true` if the call has ended with it.
    pub(super) fn act(&mut self, tag: &Tag, text: &[u8]) -> bool {
        self.inside.after_backtick = false;
        match self.inside.position {
            Position::Suggestion if matches!(tag.name, Name::Content | Name::Mode) => {
                self.call.hold_answer_back();
                self.in_nested(false, tag, text)
            }
            Position::Nested { answered } => self.in_nested(answered, tag, text),
            _ => self.end_open(tag, text),
        }
    }

    /// Ends what is open, at its own close tag or at a tag that also ends what is around it.
    fn end_open(&mut self, tag: &Tag, text: &[u8]) -> bool {
        let position = self.inside.position;
        let (name, note) = match position {
            Position::Between(_) => return self.between(tag, text),
            Position::Question => (Name::Question, Note::UnclosedQuestion),
            Position::Suggestion | Position::Answer | Position::Nested { .. } => {
                (Name::Suggest, Note::UnclosedSuggestion)
            }
            Position::Content { .. } => (Name::Content, Note::UnclosedSuggestion),
            Position::Mode { .. } => (Name::Mode, Note::UnclosedSuggestion),
            Position::Options => (Name::Options, Note::UnclosedOptions),
        };
        let is_closed = (tag.name, tag.side) == (name, Side::Close);
        if !is_closed {
            self.repair(note);
        }
        self.go(Position::BETWEEN);
        match position {
            Position::Between(_) => {}
            Position::Question => self.call.end_question(self.policy),
            Position::Suggestion | Position::Answer | Position::Nested { .. } => self.call.end_suggestion(self.policy),
            Position::Content { answered } => self.end_content(answered),
            Position::Mode { answered } => {
                self.call.end_mode(self.policy);
                self.go(Position::Nested { answered });
            }
            Position::Options => self.read_options(),
        }
        !is_closed && self.end_open(tag, text)
    }

    fn go(&mut self, to: Position) {
        self.inside.position = to;
    }

    fn repair(&mut self, note: Note) {
        self.call.repair(note, self.policy);
    }

    fn between(&mut self, tag: &Tag, text: &[u8]) -> bool {
        match (tag.name, tag.side) {
            (Name::FollowUp, Side::Close) if self.inside.follow_up => {
                self.read_body_list();
                self.inside.follow_up = false;
                self.go(Position::BETWEEN);
                return false;
            }
            (Name::Ask, Side::Close) => {
                self.close();
                return true;
            }
            _ => {}
        }
        // A body with one of our tags is not a list.
        self.call.drop_list();
        self.go(Position::BETWEEN);
        match (tag.name, tag.side) {
            (Name::Question, Side::Open) => {
                self.call.begin_question(tag.empty);
                if !tag.empty {
                    self.go(Position::Question);
                }
            }
            (Name::FollowUp, Side::Open) => self.begin_follow_up(tag.empty),
            (Name::Suggest, Side::Open) => self.begin_suggestion(tag, text),
            (Name::Options, Side::Open) => {
                self.call.begin_list();
                if tag.empty { self.read_options() } else { self.go(Position::Options) }
            }
            (_, Side::Open) => {}
            (_, Side::Close) => self.repair(Note::StrayCloseTag),
        }
        false
    }

    /// Begins a `follow_up`. They do not nest: one in another begins anew.
    pub(super) fn begin_follow_up(&mut self, empty: bool) {
        self.inside.follow_up = !empty;
        if !empty {
            self.call.begin_list();
            self.go(Position::Between(Body::Blank));
        }
    }

    fn begin_suggestion(&mut self, tag: &Tag, text: &[u8]) {
        if !self.inside.follow_up {
            self.repair(Note::OutsideFollowUp);
        }
        if !tag.empty {
            let mode = tag.value.clone().and_then(|mode| core::str::from_utf8(text.get(mode)?).ok());
            self.call.begin_suggestion(mode, self.policy);
            self.go(Position::Suggestion);
        }
    }

    fn close(&mut self) {
        if self.inside.follow_up {
            self.repair(Note::UnclosedFollowUp);
            self.read_body_list();
        }
        self.call.end(false, self.policy);
    }

    fn in_nested(&mut self, answered: bool, tag: &Tag, text: &[u8]) -> bool {
        match (tag.name, tag.side) {
            (Name::Content, Side::Open) => {
                if !answered {
                    self.call.begin_content();
                }
                if tag.empty { self.end_content(answered) } else { self.go(Position::Content { answered }) }
            }
            (Name::Mode, Side::Open) if tag.empty => self.go(Position::Nested { answered }),
            (Name::Mode, Side::Open) => {
                self.call.begin_mode();
                self.go(Position::Mode { answered });
            }
            (Name::Content | Name::Mode, Side::Close) => self.repair(Note::StrayCloseTag),
            _ => return self.end_open(tag, text),
        }
        false
    }

    fn end_content(&mut self, answered: bool) {
        let answered = answered || self.call.end_content(self.policy);
        self.go(Position::Nested { answered });
    }

    /// Reads the text of `options`, which is complete: a list, or a mistake.
    fn read_options(&mut self) {
        if let Some(text) = self.call.take_list() {
            self.read_list(&text);
        }
    }

    /// Reads the body of a `follow_up`, which is complete, if it is a list.
    fn read_body_list(&mut self) {
        if let Some(text) = self.call.take_list()
            && !text.is_empty()
        {
            self.read_list(&text);
        }
    }

    fn read_list(&mut self, text: &str) {
        let call = &mut *self.call;
        if !list::read(text, &mut |item| call.keep_item(item, self.policy)) {
            call.note(Note::UnreadableList);
        }
    }
}

/// Returns the tags of a list of suggestions in a text of its own.
pub(super) fn in_list(inside: Inside, after_backtick: bool) -> Allowed {
    let Allowed { open, close, .. } = in_call(inside, after_backtick);
    let only = |names: TagNames| TagNames {
        hidden: names.hidden.and(LISTS),
        shown: names.shown.and(LISTS),
        others: Others::None,
    };
    Allowed { open: only(open), close: only(close), ..NOTHING }
}

/// Returns the tags of a call.
pub(super) fn in_call(Inside { position, .. }: Inside, after_backtick: bool) -> Allowed {
    let ends_suggestion = Set::SUGGEST.or(Set::FOLLOW_UP).or(Set::ASK);
    let elements = Set::CONTENT.or(Set::MODE);
    let (open, close) = match position {
        // In a string of a list, a tool is only named.
        Position::Between(Body::List(Quotes::Inside | Quotes::Escaped)) => return CONFIRMING,
        Position::Between(_) => return BETWEEN,
        Position::Question => (Set::FOLLOW_UP, Set::QUESTION.or(Set::ASK)),
        Position::Suggestion => (Set::SUGGEST.or(elements), ends_suggestion),
        Position::Answer => (Set::SUGGEST, ends_suggestion),
        Position::Nested { .. } => (Set::SUGGEST.or(elements), ends_suggestion.or(elements)),
        Position::Content { .. } => (Set::SUGGEST, ends_suggestion.or(Set::CONTENT)),
        Position::Mode { .. } => (Set::SUGGEST, ends_suggestion.or(Set::MODE)),
        Position::Options => (Set::NONE, Set::OPTIONS.or(Set::ASK)),
    };
    let shown = if after_backtick { open.and(ENDING) } else { Set::NONE };
    let open = TagNames { shown, ..TagNames::hidden(open.without(shown)) };
    Allowed { open, close: TagNames::hidden(close), ..NOTHING }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Tools;
    use crate::markup::lexed::{IncompleteTag, LexedTag};
    use crate::markup::tag::read;

    #[test]
    fn the_shortest_confirming_tag_is_as_short_as_the_grammar_has_it() {
        let LexedTag::Incomplete(IncompleteTag { more, .. }) =
            read::<nom::Streaming>(b"<", &CONFIRMING, &Tools::none(), 256)
        else {
            panic!("a bracket begins a tag")
        };
        assert_eq!(more + 1, SHORTEST_CONFIRMING);
    }
}
