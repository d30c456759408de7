//! The ids of a conversation's events.

use std::fmt;
use std::str::FromStr;

/// The id of an event. The ids of a conversation's events ascend.
///
/// Each writer of a conversation has an epoch of its own, and numbers its events from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct EventId {
    pub(crate) epoch: u64,
    pub(crate) number: u64,
}

impl EventId {
    /// Returns the id before the first event of an epoch.
    pub(crate) fn start(epoch: u64) -> EventId {
        EventId { epoch, number: 0 }
    }

    pub(crate) fn next(self) -> EventId {
        EventId { number: self.number + 1, ..self }
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.epoch, self.number)
    }
}

/// The text is not the id of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoEventId;

impl FromStr for EventId {
    type Err = NoEventId;

    fn from_str(text: &str) -> Result<EventId, NoEventId> {
        let (epoch, number) = text.split_once('-').ok_or(NoEventId)?;
        let parse = |digits: &str| match digits.bytes().all(|byte| byte.is_ascii_digit()) {
            true => digits.parse().map_err(|_| NoEventId),
            false => Err(NoEventId),
        };
        Ok(EventId { epoch: parse(epoch)?, number: parse(number)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_back_and_nothing_else_is_an_id() {
        let id = EventId { epoch: u64::MAX, number: 7 };
        assert_eq!(id.to_string().parse(), Ok(id));
        for other in ["", "-", "1", "1-", "-1", "+1-1", "1-+1", "1-1-1", "a-1", "1- 1", "18446744073709551616-0"] {
            assert_eq!(other.parse::<EventId>(), Err(NoEventId), "{other}");
        }
    }

    #[test]
    fn a_later_epoch_comes_after_every_number_of_an_earlier_one() {
        assert!(EventId::start(2) > EventId { epoch: 1, number: u64::MAX });
        assert!(EventId::start(2).next() > EventId::start(2));
    }
}
