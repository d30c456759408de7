//! The time after which the first suggestion is taken, if nobody is there.

use std::time::Duration;

#[derive(Clone, Copy, Debug)]
pub(super) enum Countdown {
    /// Nothing is ever taken: it is not wanted, or somebody is there.
    Off,
    /// It runs for that long once a question is asked.
    Ready(Duration),
    /// It has run since then, on whatever clock there is.
    Running { all: Duration, since: Duration },
}

impl Countdown {
    pub(super) fn new(seconds: Option<u64>) -> Countdown {
        seconds.map_or(Countdown::Off, |seconds| Countdown::Ready(Duration::from_secs(seconds)))
    }

    /// A question is asked. From now on, if that is not known yet.
    pub(super) fn run(&mut self, now: Duration) {
        if let Countdown::Ready(all) = *self {
            *self = Countdown::Running { all, since: now };
        }
    }

    /// The question has ended.
    pub(super) fn rest(&mut self) {
        if let Countdown::Running { all, .. } = *self {
            *self = Countdown::Ready(all);
        }
    }

    /// How long it will still run, or would.
    pub(super) fn left(&self, now: Duration) -> Option<Duration> {
        match *self {
            Countdown::Running { all, since } => Some(all.saturating_sub(now.saturating_sub(since))),
            Countdown::Ready(all) => Some(all),
            Countdown::Off => None,
        }
    }

    /// How long until it shows another second.
    pub(super) fn next(&self, now: Duration) -> Option<Duration> {
        let Countdown::Running { .. } = self else { return None };
        self.left(now).map(|left| match left.subsec_nanos() {
            // Also when it has run out, should that not be seen: there is nothing to hurry for then.
            0 => Duration::from_secs(1),
            nanos => Duration::from_nanos(nanos.into()),
        })
    }
}

/// As whole seconds, the last of which is 1.
pub(super) fn seconds(left: Duration) -> u64 {
    left.as_secs() + u64::from(left.subsec_nanos() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_runs_once_a_question_is_asked_and_from_the_start_for_each() {
        let at = Duration::from_millis;
        let mut countdown = Countdown::new(Some(3));
        assert_eq!((countdown.left(at(500)), countdown.next(at(500))), (Some(at(3_000)), None));
        countdown.run(at(1_000));
        countdown.run(at(2_000));
        assert_eq!(countdown.left(at(2_500)), Some(at(1_500)));
        assert_eq!(seconds(at(1_500)), 2);
        assert_eq!(countdown.next(at(2_500)), Some(at(500)));
        assert_eq!(countdown.next(at(2_000)), Some(at(1_000)));
        assert_eq!((countdown.left(at(9_000)), countdown.next(at(9_000))), (Some(at(0)), Some(at(1_000))));
        countdown.rest();
        countdown.run(at(10_000));
        assert_eq!(countdown.left(at(11_000)), Some(at(2_000)));
        let mut off = Countdown::new(None);
        off.run(at(0));
        assert_eq!(off.left(at(0)), None);
    }
}
