//! The countdown of `--auto-answer`, after which the first suggestion is taken.

use std::time::Duration;

/// A countdown. Times are durations since the start of the caller's clock.
#[derive(Clone, Copy, Debug)]
pub(super) enum Countdown {
    /// Not requested, or stopped because a person is there.
    Off,
    /// Ready to run for this long when a question is asked.
    Ready(Duration),
    Running {
        total: Duration,
        since: Duration,
    },
}

impl Countdown {
    pub(super) fn new(seconds: Option<u64>) -> Countdown {
        seconds.map_or(Countdown::Off, |seconds| Countdown::Ready(Duration::from_secs(seconds)))
    }

    /// Starts the countdown, unless it is running.
    pub(super) fn run(&mut self, now: Duration) {
        if let Countdown::Ready(total) = *self {
            *self = Countdown::Running { total, since: now };
        }
    }

    /// Resets the countdown for the next question.
    pub(super) fn reset(&mut self) {
        if let Countdown::Running { total, .. } = *self {
            *self = Countdown::Ready(total);
        }
    }

    /// Returns the time left; `None` if the countdown is off.
    pub(super) fn left(&self, now: Duration) -> Option<Duration> {
        match *self {
            Countdown::Running { total, since } => Some(total.saturating_sub(now.saturating_sub(since))),
            Countdown::Ready(total) => Some(total),
            Countdown::Off => None,
        }
    }

    /// Returns how long until the number of seconds changes; `None` unless it is running.
    pub(super) fn next_tick(&self, now: Duration) -> Option<Duration> {
        let Countdown::Running { .. } = self else { return None };
        self.left(now).map(|left| match left.subsec_nanos() {
            // This includes a countdown that has run out while it was not visible.
            0 => Duration::from_secs(1),
            nanos => Duration::from_nanos(nanos.into()),
        })
    }
}

/// Rounds up to whole seconds.
pub(super) fn seconds(left: Duration) -> u64 {
    left.as_secs() + u64::from(left.subsec_nanos() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_countdown_starts_anew_for_each_question() {
        let at = Duration::from_millis;
        let mut countdown = Countdown::new(Some(3));
        assert_eq!((countdown.left(at(500)), countdown.next_tick(at(500))), (Some(at(3_000)), None));
        countdown.run(at(1_000));
        countdown.run(at(2_000));
        assert_eq!(countdown.left(at(2_500)), Some(at(1_500)));
        assert_eq!(seconds(at(1_500)), 2);
        assert_eq!(countdown.next_tick(at(2_500)), Some(at(500)));
        assert_eq!(countdown.next_tick(at(2_000)), Some(at(1_000)));
        assert_eq!((countdown.left(at(9_000)), countdown.next_tick(at(9_000))), (Some(at(0)), Some(at(1_000))));
        countdown.reset();
        countdown.run(at(10_000));
        assert_eq!(countdown.left(at(11_000)), Some(at(2_000)));
        let mut off = Countdown::new(None);
        off.run(at(0));
        assert_eq!(off.left(at(0)), None);
    }
}
