//! Whether a machine's state is one that some stream leads to.
//!
//! A stored checkpoint may come from anywhere. What is checked here is every invariant that the rest of the code
//! relies on, and those that tie the parts of the state to each other.

use super::code::{Code, FenceLine, Mark};
use super::grammar::{self, Read};
use super::inside::{Nested, Spot};
use super::name::Name;
use super::{Look, Machine, State};
use crate::Calls;
use crate::call::{Openness, Written};

impl Machine {
    /// Whether a stream of `read` bytes, and then those of `tail`, can lead here.
    pub(crate) fn is_possible(&self, read: u64, tail: &[u8]) -> bool {
        // No stream is so long that counting on would overflow.
        read <= u64::MAX / 2
            && self.calls <= read / "<ask_followup_question>".len() as u64
            && self.is_carry_possible(read, tail)
            && self.is_state_possible(read, tail)
    }

    fn is_state_possible(&self, read: u64, tail: &[u8]) -> bool {
        let tools = &self.policy.tools;
        match &self.state {
            State::Prose(code) => code.is_possible(self.policy.calls == Calls::Anywhere, read),
            State::Opaque { tool, parameter } => {
                let known = !tools.tools.name(*tool).is_empty();
                known && parameter.is_none_or(|parameter| !tools.parameters.name(parameter).is_empty())
            }
            State::Call(spot @ Spot::Opened { .. }) => self.is_opened_possible(*spot, read, tail),
            State::Call(spot) => {
                let (call, policy) = (&self.busy.call, &*self.policy);
                let is_possible =
                    |bytes| call.is_possible(bytes, !tail.is_empty(), policy, Written::Markup, policy.entities);
                read.checked_sub(call.start).is_some_and(is_possible) && spot.is_possible(call.openness())
            }
            State::Ended { .. } | State::Demoted { .. } => false,
        }
    }

    fn is_opened_possible(&self, spot: Spot, read: u64, tail: &[u8]) -> bool {
        let Spot::Opened { body, opening, blank } = spot else { return false };
        let (call, held) = (&self.busy.call, &*self.busy.held);
        let mut fresh = crate::call::Call::of(self.policy.entities);
        fresh.restart(call.start);
        let Some((tag, text)) = held.split_at_checked(opening) else { return false };
        let opens = match grammar::read_last(tag.as_bytes(), self.tools()) {
            Read::Tag(tag, len) => len == opening && tag.name == Name::Ask && !tag.empty,
            _ => false,
        };
        // Where the body's text ends in the stream.
        let end = if self.carry.is_empty() { read } else { self.carry.start };
        // What a carry begins with, or a character that is no part of a tag.
        let behind = match (self.carry.is_empty(), tail.is_empty()) {
            (false, _) => "<",
            (true, false) => "\u{FFFD}",
            (true, true) => "",
        };
        opens
            && *call == fresh
            && may_be(tag, call.start, body)
            && body - call.start <= self.policy.limits.tag as u64
            && may_be(text, body, end)
            && blank == text.trim_start().is_empty()
            && self.holds_no_tag(text, behind)
            && !self.is_hopeless(read, tail)
    }

    /// Whether no `<` in the text begins a tag, where it goes on like that.
    fn holds_no_tag(&self, text: &str, behind: &str) -> bool {
        memchr::memchr_iter(b'<', text.as_bytes()).all(|at| {
            let rest = &text.as_bytes()[at..];
            let look = |bytes: &[u8]| matches!(self.look(bytes, false, false, |n| n as u64), Look::Text);
            match memchr::memchr(b'<', &rest[1..]) {
                Some(next) => look(&rest[..next + 2]),
                None => look(&[rest, behind.as_bytes()].concat()),
            }
        })
    }

    fn is_carry_possible(&self, read: u64, tail: &[u8]) -> bool {
        let carry = &self.carry;
        if carry.is_empty() {
            return *carry == crate::carry::Carry::default();
        }
        let Ok(text) = core::str::from_utf8(carry.bytes()) else { return false };
        let behind_value = matches!(self.state, State::Call(spot) if spot.place().is_some() && !matches!(spot, Spot::Opened { .. } | Spot::Options));
        let tick =
            if behind_value { carry.shown || carry.behind_tick == self.busy.call.tick } else { !carry.behind_tick };
        let Some(len) = read.checked_sub(carry.start) else { return false };
        let mut then = carry.clone();
        let whole = then.len();
        if !tail.is_empty() {
            then.extend("\u{FFFD}");
        }
        let len_of = |n: usize| if n <= whole { len } else { len + tail.len() as u64 };
        let look = self.look(then.bytes(), carry.behind_tick, false, len_of);
        text.starts_with('<')
            && memchr::memchr(b'<', &text.as_bytes()[1..]).is_none()
            && may_be(text, carry.start, read)
            && tick
            && match look {
                Look::Held { in_attributes } => !carry.shown && carry.in_attributes == in_attributes,
                Look::Shown { in_attributes } => carry.shown && carry.in_attributes == in_attributes,
                Look::Text => carry.shown && !tail.is_empty(),
                Look::Tag { .. } => false,
            }
    }
}

impl Spot {
    /// Whether this is open of the call at this place.
    fn is_possible(self, call: Openness) -> bool {
        let Openness {
            wrong,
            value,
            mode,
            suggestion,
            provisional,
            answered,
            listed,
            list,
            body_open,
            follow_up,
            tick,
            asked,
            repeated,
            ..
        } = call;
        let in_value = !matches!(self, Spot::Opened { .. } | Spot::Between | Spot::Options);
        let list_fits = match self {
            Spot::Between => (follow_up || !body_open) && (wrong || list == body_open),
            Spot::Options => !body_open,
            _ => !list && !body_open,
        };
        if !list_fits || (tick && !in_value) {
            return false;
        }
        if wrong {
            return true;
        }
        let (some, none) = (value.is_some(), value.is_none());
        // Behind a `<content>`, there is an answer if one was not blank; in front of one, none is certain.
        let nested_fits = |nested: Nested| match nested {
            Nested { content: false, answered } => !answered && !listed,
            Nested { content: true, answered: true } => answered,
            Nested { content: true, answered: false } => true,
        };
        let outside_elements = |nested: Nested| {
            let settled = !nested.content || nested.answered || !listed;
            suggestion && some == provisional && provisional != nested.content && settled && nested_fits(nested)
        };
        match self {
            Spot::Opened { .. } => false,
            // Without a suggestion there is no mode.
            Spot::Between | Spot::Options => none && !suggestion,
            Spot::Question => !suggestion && asked && (some || repeated),
            Spot::Suggestion => value == Some(false) && !mode && suggestion && !provisional,
            Spot::Answer => some && !mode && suggestion && !provisional,
            Spot::Nested(nested) => !mode && outside_elements(nested),
            Spot::Content(nested) => {
                let answer = if nested.answered { none && answered } else { some };
                !mode && suggestion && answer && !provisional && nested.content
            }
            Spot::Mode(nested) => outside_elements(nested),
        }
    }
}

/// Whether this may be the text of the stream's bytes from `start` to `end`: as long, but for every U+FFFD, which
/// stands for one to three bytes.
fn may_be(text: &str, start: u64, end: u64) -> bool {
    let replaced = text.matches(char::REPLACEMENT_CHARACTER).count() as u64;
    let (least, most) = (text.len() as u64 - 2 * replaced, text.len() as u64);
    end.checked_sub(start).is_some_and(|len| (least..=most).contains(&len))
}

impl Code {
    fn is_possible(self, ignored: bool, read: u64) -> bool {
        if ignored {
            return self == Code::Ignored;
        }
        let run_fits = |run: u32| run > 0 && (u64::from(run) <= read);
        match self {
            Code::Ignored => false,
            Code::Plain { line_start } => line_start || read > 0,
            Code::Opening { mark, run, line_start } => run_fits(run) && (mark == Mark::Tick || line_start),
            Code::Span { ticks, run, blank_line } => {
                run_fits(ticks) && u64::from(ticks) + u64::from(run) < read && !(run > 0 && blank_line)
            }
            Code::FenceInfo { run, .. } => run >= 3 && run_fits(run),
            Code::Fence { least, line, .. } => {
                least >= 3
                    && u64::from(least) < read
                    && match line {
                        FenceLine::Marks(run) => run_fits(run),
                        FenceLine::Blank | FenceLine::Closing | FenceLine::Other => true,
                    }
            }
            Code::Thinking { .. } => read >= "<think>".len() as u64,
        }
    }
}
