//! Outside the calls that are ours: prose, and other tools' calls.

use super::code::{Bracket, Code};
use super::grammar::Tag;
use super::name::{Name, Side};
use super::{Look, Machine, State};
use crate::carry::Begun;
use crate::syntax::{Piece, Signal, Source};

impl Machine {
    /// Goes through what is shown as it stands, to the next tag that is not.
    pub(super) fn run_outside(&mut self, piece: &Piece<'_>, pos: &mut usize) -> Option<Signal> {
        let (text, from) = (piece.text, *pos);
        let mut at = from;
        let until = loop {
            let bracket = self.next_bracket(text.as_bytes(), at);
            self.pass(&text[at..bracket]);
            if bracket == text.len() {
                *pos = bracket;
                break bracket;
            }
            match self.look(&text.as_bytes()[bracket..], false, false, |n| {
                piece.at(bracket + n).wrapping_sub(piece.at(bracket))
            }) {
                Look::Text => {
                    at = bracket + 1;
                    self.pass("<");
                }
                Look::Tag { tag, len, shown: true } => {
                    at = bracket + len;
                    self.pass(&text[bracket..at]);
                    let said = self.shown_as(Source::Piece(from, at));
                    self.act_shown(&tag);
                    // What comes behind another tool's call is shown as something else.
                    if matches!(tag.name, Name::Tool(_)) {
                        *pos = at;
                        return said;
                    }
                }
                Look::Tag { tag, len, shown: false } if bracket == from => {
                    let end = bracket + len;
                    if self.ends_before(&tag, piece.at(end)) {
                        self.end_before(piece.at(bracket));
                        return None;
                    }
                    *pos = end;
                    return self.act(
                        &tag,
                        &text[bracket..end],
                        piece.at(bracket),
                        piece.at(end),
                        Source::Piece(bracket, end),
                    );
                }
                Look::Tag { .. } => {
                    *pos = bracket;
                    break bracket;
                }
                Look::Held { in_attributes } => {
                    let begun = Begun { start: piece.at(bracket), in_attributes, ..Begun::default() };
                    self.carry.begin(&text[bracket..], begun);
                    *pos = text.len();
                    break bracket;
                }
                Look::Shown { in_attributes } => {
                    self.pass(&text[bracket..]);
                    let begun = Begun { start: piece.at(bracket), in_attributes, shown: true, ..Begun::default() };
                    self.carry.begin(&text[bracket..], begun);
                    *pos = text.len();
                    break text.len();
                }
            }
        };
        if until > from { self.shown_as(Source::Piece(from, until)) } else { None }
    }

    /// Where the next `<` is that may mean something.
    fn next_bracket(&self, text: &[u8], from: usize) -> usize {
        match self.state {
            State::Prose(Code::Ignored) => self.policy.tools.next_tag(text, from),
            _ => memchr::memchr(b'<', &text[from..]).map_or(text.len(), |found| from + found),
        }
    }

    /// Acts on a tag whose text is shown like any other.
    pub(super) fn act_shown(&mut self, tag: &Tag) {
        match (&mut self.state, tag.name, tag.side) {
            (State::Prose(code @ Code::Thinking { .. }), ..) => code.leave_thinking(),
            (State::Prose(code), name, _) => code.enter_thinking(name),
            (State::Opaque { parameter, .. }, Name::Parameter(name), Side::Open) => *parameter = Some(name),
            (State::Opaque { parameter, .. }, Name::Parameter(_), Side::Close) => *parameter = None,
            (State::Opaque { .. }, ..) => self.state = self.behind_call(),
            (State::Call(_), ..) => self.keep_in_code(),
            (State::Ended { .. } | State::Demoted { .. }, ..) => {}
        }
    }

    pub(super) fn bracket(&self) -> Bracket {
        match self.state {
            State::Prose(code) => code.at_bracket(),
            _ => Bracket::Plain,
        }
    }
}
