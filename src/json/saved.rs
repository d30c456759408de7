//! What is stored of a machine, and whether some stream leads to it.

use alloc::sync::Arc;

use super::arguments::{Arguments, Role, Within, list_of, role_of};
use super::reader::{Expect, Number, Reader};
use super::{Busy, Machine};
use crate::call::{Call, Openness, Written};
use crate::{Entities, Policy};

/// The state of a machine between two chunks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Saved {
    arguments: Arguments,
    call: Call,
}

impl Machine {
    pub(crate) fn save(&self) -> Saved {
        Saved { arguments: self.busy.arguments.clone(), call: self.busy.call.clone() }
    }

    /// The machine that was saved after `read` bytes, with those of `tail` behind them; `None` if there was none.
    pub(crate) fn restore(policy: Arc<Policy>, saved: Saved, read: u64, tail: &[u8]) -> Option<Machine> {
        let Saved { arguments, call } = saved;
        let mut machine = Machine::new(policy);
        *machine.busy = Busy { arguments, call };
        machine.is_possible(read, tail).then_some(machine)
    }

    fn is_possible(&self, read: u64, tail: &[u8]) -> bool {
        let Busy { arguments, call } = &*self.busy;
        let openness = call.openness();
        let markup = openness.follow_up || openness.body_open || openness.tick || openness.bare;
        let fits = if openness.wrong {
            *arguments == Arguments::NEW
        } else {
            arguments.is_possible()
                && arguments.fits(&openness)
                && (!arguments.is_begun() || (arguments.is_new() && *call == Call::NEW))
        };
        read <= u64::MAX / 2
            && call.start == 0
            && !markup
            && fits
            && call.is_possible(read, !tail.is_empty(), &self.policy, Written::Json, Entities::Raw)
    }
}

impl Arguments {
    fn is_possible(&self) -> bool {
        self.reader.is_possible()
            && self.key.is_possible()
            && self.are_within_possible()
            && self.is_role_possible()
            && (self.list.is_some() || (self.within.len() <= 1 && self.role != Role::List))
            && !self.whole
    }

    /// Whether what is open fits what the JSON has open.
    fn are_within_possible(&self) -> bool {
        let kinds = self.within.iter().zip(0..).all(|(within, i)| {
            let object = !matches!(within, Within::Items);
            self.reader.nest.is_object(i) == object
        });
        let first = match self.within.first() {
            None => self.reader.depth() == 0,
            Some(first) => *first == Within::Parameters,
        };
        let inner = self.within.windows(2).enumerate().all(|(i, pair)| match (pair[0], pair[1]) {
            (Within::Parameters, inner) => i == 0 && inner != Within::Parameters,
            (Within::Entries { map: true }, Within::Items | Within::Suggestion { .. }) => true,
            (Within::Items, Within::Suggestion { .. }) => true,
            _ => false,
        });
        first && inner && kinds && self.within.len() <= self.reader.depth()
    }

    fn is_role_possible(&self) -> bool {
        let Some(&within) = self.within.last() else {
            return match self.role {
                Role::Arguments => *self == Arguments::NEW,
                role => role == Role::Nothing && self.reader.is_closed(),
            };
        };
        let skips = self.reader.depth() > self.within.len();
        let next = !skips && self.is_key_next();
        let reading = !skips && self.reader.is_in_value();
        let fits_key = self.role == role_of(within, &self.key);
        let list = within != Within::Parameters || !(next || reading) || self.list == list_of(&self.key);
        list && match self.role {
            _ if next => {
                fits_key && (self.role != Role::Entry { named: true } || within == Within::Entries { map: true })
            }
            Role::Nothing => true,
            _ if !reading => false,
            Role::Question | Role::List | Role::Answer | Role::Mode => fits_key,
            Role::Item => within == Within::Items || role_of(within, &self.key) == Role::Entry { named: true },
            Role::Arguments | Role::Entry { .. } => false,
        }
    }

    /// Whether the value of a key comes next.
    fn is_key_next(&self) -> bool {
        match self.reader.expect {
            Expect::Colon => true,
            Expect::Value => self.reader.nest.innermost() == Some(true),
            _ => false,
        }
    }

    /// Whether nothing has come but the brace in front, if that.
    fn is_begun(&self) -> bool {
        self.within.is_empty() && !self.reader.is_closed()
            || self.within.len() == 1 && self.reader.depth() == 1 && self.reader.expect == Expect::KeyOrEnd
    }

    /// Whether all is as it is then.
    fn is_new(&self) -> bool {
        let Arguments { reader, within, role, .. } = self.clone();
        *self == Arguments { reader, within, role, ..Arguments::NEW }
    }

    /// Whether what is open of the call is what this reads.
    fn fits(&self, call: &Openness) -> bool {
        let reading = if self.reader.is_in_value() { self.role } else { Role::Nothing };
        let string = matches!(self.reader.expect, Expect::String { .. });
        let skips = self.reader.depth() > self.within.len();
        let begins = self.reader.expect == Expect::KeyOrEnd && !skips;
        let suggestion = match self.within.last() {
            Some(Within::Suggestion { answerable: true, .. }) if begins => Some(false),
            Some(Within::Suggestion { answered, answerable }) => {
                let open = if reading == Role::Answer {
                    *answerable && !answered && !call.provisional && call.value.is_some()
                } else {
                    // Nothing has been tried for its answer, or something that has ended.
                    call.provisional == (call.value == Some(false))
                        && (call.provisional || call.value.is_none())
                        && (*answerable || call.provisional)
                        && (!answered || !call.provisional)
                        && *answered >= call.listed
                        && (!answered || call.answered)
                };
                Some(open)
            }
            _ => None,
        };
        let value = match reading {
            Role::Question => call.asked && call.value.is_some() && !call.suggestion,
            Role::Item => call.value.is_some() && !call.provisional,
            _ => suggestion.is_some() || call.value.is_none(),
        };
        value
            && suggestion.unwrap_or(true)
            && call.suggestion == (suggestion.is_some() || reading == Role::Item)
            && (!call.mode || reading == Role::Mode)
            && (string || !matches!(reading, Role::Mode | Role::List))
            && call.list == (reading == Role::List)
            && call.gave == (call.given || self.given.is_any())
            && (self.within.len() > 1 || !call.given)
            && call.behind == (self.reader.expect == Expect::Ignored)
            && (call.as_object || !self.within.iter().any(|within| matches!(within, Within::Entries { .. })))
    }
}

impl Reader {
    fn is_possible(&self) -> bool {
        if !self.nest.is_possible() {
            return false;
        }
        let innermost = self.nest.innermost();
        let place = match self.expect {
            Expect::Value | Expect::Behind | Expect::Ignored if innermost.is_none() => true,
            Expect::KeyOrEnd | Expect::Key | Expect::Colon | Expect::String { key: true } => innermost == Some(true),
            Expect::ItemOrEnd => innermost == Some(false),
            Expect::Value | Expect::CommaOrEnd | Expect::String { key: false } | Expect::Literal => innermost.is_some(),
            Expect::Number(number) => innermost.is_some() && number != Number::Start,
            Expect::Ended | Expect::Behind | Expect::Ignored | Expect::IllFormed => false,
        };
        let begun = match self.expect {
            Expect::String { .. } => self.begun.is_empty() || self.begun.is_escape(),
            Expect::Literal => self.begun.is_literal(),
            _ => self.begun.is_empty(),
        };
        place && begun && !self.plain
    }
}
