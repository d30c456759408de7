//! The memory that all conversations and requests take together, as an estimate.

use prometheus_client::metrics::gauge::Gauge;

/// Counts the bytes that conversations and running requests take.
#[derive(Clone, Debug, Default)]
pub(crate) struct MemoryCounter(Gauge);

/// Bytes that are counted until it is dropped.
#[derive(Debug)]
pub(crate) struct CountedMemory {
    counter: MemoryCounter,
    bytes: usize,
}

impl MemoryCounter {
    /// Returns the gauge of the metrics.
    pub(crate) fn gauge(&self) -> Gauge {
        self.0.clone()
    }

    /// Returns the bytes that are counted.
    pub(crate) fn used(&self) -> usize {
        usize::try_from(self.0.get()).unwrap_or_default()
    }

    /// Counts bytes until the returned value is dropped.
    pub(crate) fn count(&self, bytes: usize) -> CountedMemory {
        let mut counted = CountedMemory { counter: self.clone(), bytes: 0 };
        counted.set(bytes);
        counted
    }
}

impl CountedMemory {
    /// Returns the number of bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Replaces the number of bytes.
    pub(crate) fn set(&mut self, bytes: usize) {
        let before = std::mem::replace(&mut self.bytes, bytes);
        let signed = |bytes: usize| i64::try_from(bytes).unwrap_or(i64::MAX);
        self.counter.0.inc_by(signed(bytes) - signed(before));
    }
}

impl Drop for CountedMemory {
    fn drop(&mut self) {
        self.set(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_counted_until_they_are_dropped() {
        let counter = MemoryCounter::default();
        let mut one = counter.count(0);
        let two = counter.count(10);
        one.set(5);
        one.set(3);
        assert_eq!(counter.used(), 13);
        drop(two);
        assert_eq!(counter.used(), 3);
        drop(one);
        assert_eq!(counter.used(), 0);
    }
}
