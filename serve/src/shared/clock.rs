//! The time of the store, as a replica knows it.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// The time of the store, by what it last said. It is never ahead, unless the store's clock was set back.
#[derive(Default)]
pub(super) struct StoreClock {
    /// When the store was last heard, and its time then, in milliseconds.
    heard: Mutex<Option<(Instant, u64)>>,
}

impl StoreClock {
    /// The store has said its time.
    pub(super) fn set(&self, milliseconds: u64) {
        *self.heard.lock() = Some((Instant::now(), milliseconds));
    }

    /// Returns the time of the store after this duration, in milliseconds; 0 if it has not been heard yet.
    pub(super) fn after(&self, duration: Duration) -> u64 {
        let heard = *self.heard.lock();
        heard.map_or(0, |(since, then)| {
            then.saturating_add(u64::try_from((since.elapsed() + duration).as_millis()).unwrap_or(u64::MAX))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_goes_on_from_what_was_heard_last() {
        let clock = StoreClock::default();
        assert_eq!(clock.after(Duration::from_secs(2)), 0);
        for heard in [5000, 1000] {
            clock.set(heard);
            let after = clock.after(Duration::from_secs(2));
            assert!((heard + 2000..heard + 60_000).contains(&after), "{after}");
        }
    }
}
