//! The metrics of the service, in the text format of OpenMetrics.

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;

use crate::memory::MemoryCounter;
use crate::reach::Reach;

type Label = [(&'static str, &'static str); 1];

/// The metrics of the service.
///
/// No label holds a value from outside, so the number of series is bounded.
pub(crate) struct Metrics {
    registry: Registry,
    pub(crate) readers: Gauge,
    pub(crate) list_readers: Gauge,
    conversations: Gauge,
    turns: Family<Label, Counter>,
    events: Family<Label, Counter>,
    envelopes: Family<Label, Counter>,
    bytes: Counter<u64, AtomicU64>,
    answers: Family<Label, Counter>,
    deliveries: Family<Label, Counter>,
    retries: Counter,
    upstream_errors: Counter,
    store_errors: Counter,
    unstored: Counter,
    taken_over: Counter,
    store: Gauge,
    turn_seconds: Histogram,
    pub(crate) memory: MemoryCounter,
}

impl Metrics {
    pub(crate) fn new() -> Metrics {
        let mut metrics = Metrics {
            registry: Registry::with_prefix("followup"),
            readers: Gauge::default(),
            list_readers: Gauge::default(),
            conversations: Gauge::default(),
            turns: Family::default(),
            events: Family::default(),
            envelopes: Family::default(),
            bytes: Counter::default(),
            answers: Family::default(),
            deliveries: Family::default(),
            retries: Counter::default(),
            upstream_errors: Counter::default(),
            store_errors: Counter::default(),
            unstored: Counter::default(),
            taken_over: Counter::default(),
            store: Gauge::default(),
            memory: MemoryCounter::default(),
            // 50 ms to 7 minutes.
            turn_seconds: Histogram::new(exponential_buckets(0.05, 2.0, 14)),
        };
        let registry = &mut metrics.registry;
        registry.register("conversations", "Conversations held", metrics.conversations.clone());
        registry.register("readers", "Readers of conversations", metrics.readers.clone());
        registry.register("list_readers", "Readers of the list of conversations", metrics.list_readers.clone());
        registry.register("turns", "Messages of models that were started", metrics.turns.clone());
        registry.register("events", "Events of conversations", metrics.events.clone());
        registry.register("memory_bytes", "Estimated memory of conversations and requests", metrics.memory.gauge());
        registry.register("envelopes", "Questions that came as text, in a model's envelope", metrics.envelopes.clone());
        registry.register("bytes", "Bytes of messages that were read", metrics.bytes.clone());
        registry.register("answers", "What users did with questions", metrics.answers.clone());
        registry.register("deliveries", "What became of replies", metrics.deliveries.clone());
        registry.register("retries", "Requests that were tried again", metrics.retries.clone());
        registry.register("upstream_errors", "Requests that the provider failed", metrics.upstream_errors.clone());
        registry.register("store_errors", "Changes that the store refused", metrics.store_errors.clone());
        registry.register(
            "unstored",
            "Conversations dropped before the store had all of them",
            metrics.unstored.clone(),
        );
        registry.register("taken_over", "Conversations taken over from a dead replica", metrics.taken_over.clone());
        registry.register("turn_seconds", "How long messages took", metrics.turn_seconds.clone());
        metrics
    }

    /// The same, with how much of the store is reached.
    pub(crate) fn with_store() -> Metrics {
        let mut metrics = Metrics::new();
        let help = "How much of the store is reached: 2 all, 1 a part, 0 nothing";
        metrics.registry.register("store", help, metrics.store.clone());
        metrics
    }

    pub(crate) fn turn_started(&self, source: &'static str) {
        self.turns.get_or_create(&[("source", source)]).inc();
    }

    pub(crate) fn event(&self, event: &'static str) {
        self.events.get_or_create(&[("event", event)]).inc();
    }

    pub(crate) fn envelope(&self, family: &'static str) {
        self.envelopes.get_or_create(&[("family", family)]).inc();
    }

    pub(crate) fn bytes(&self, bytes: usize) {
        self.bytes.inc_by(bytes as u64);
    }

    pub(crate) fn answer(&self, kind: &'static str) {
        self.answers.get_or_create(&[("kind", kind)]).inc();
    }

    pub(crate) fn delivery(&self, state: &'static str) {
        self.deliveries.get_or_create(&[("state", state)]).inc();
    }

    pub(crate) fn retry(&self) {
        self.retries.inc();
    }

    pub(crate) fn upstream_error(&self) {
        self.upstream_errors.inc();
    }

    pub(crate) fn store_error(&self) {
        self.store_errors.inc();
    }

    pub(crate) fn unstored(&self) {
        self.unstored.inc();
    }

    pub(crate) fn taken_over(&self) {
        self.taken_over.inc();
    }

    pub(crate) fn turn_ended(&self, took: Duration) {
        self.turn_seconds.observe(took.as_secs_f64());
    }

    /// Sets how much of the store is reached.
    pub(crate) fn set_reach(&self, reach: Reach) {
        self.store.set(match reach {
            Reach::All => 2,
            Reach::Part => 1,
            Reach::Nothing => 0,
        });
    }

    /// Returns all metrics in the text format that Prometheus scrapes.
    pub(crate) fn text(&self, conversations: usize) -> String {
        self.conversations.set(i64::try_from(conversations).unwrap_or(i64::MAX));
        let mut text = String::new();
        // Writing to memory does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}
