//! The time of the store, as a replica knows it.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// The store's time, estimated from its latest reply.
///
/// It is ahead of the store only if the store's clock was set back.
#[derive(Default)]
pub(super) struct StoreClock {
    /// When the latest reply came, and the store's time in it, in milliseconds.
    latest: Mutex<Option<(Instant, u64)>>,
}

impl StoreClock {
    /// Sets the store's time, which a reply has just given.
    pub(super) fn set(&self, milliseconds: u64) {
        *self.latest.lock() = Some((Instant::now(), milliseconds));
    }

    /// Returns the time of the store after this duration, in milliseconds.
    ///
    /// 0 before the first reply.
    pub(super) fn after(&self, duration: Duration) -> u64 {
        let latest = *self.latest.lock();
        latest.map_or(0, |(since, then)| {
            then.saturating_add(u64::try_from((since.elapsed() + duration).as_millis()).unwrap_or(u64::MAX))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_advances_from_the_latest_reply() {
        let clock = StoreClock::default();
        assert_eq!(clock.after(Duration::from_secs(2)), 0);
        for latest in [5000, 1000] {
            clock.set(latest);
            let after = clock.after(Duration::from_secs(2));
            assert!((latest + 2000..latest + 60_000).contains(&after), "{after}");
        }
    }
}
