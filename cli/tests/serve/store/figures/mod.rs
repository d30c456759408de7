//! What the service costs with a store, not run by default.
//!
//! ```sh
//! cargo test --release -p followup-cli --test serve -- --ignored --nocapture --test-threads 1 figures
//! ```
//!
//! Everything runs on one machine: the provider, the clients, two replicas and Redis. So latencies
//! and speeds are compared within a run. `FOLLOWUP_LOAD` is the number of conversations,
//! `FOLLOWUP_TEXTS` that of the texts in each, and `FOLLOWUP_PAUSE` the milliseconds between two
//! texts. `FOLLOWUP_AWAY` is how many seconds the store is away, and `FOLLOWUP_OTHER` the program
//! of another build, whose throughput is compared. `FOLLOWUP_NODE` is the server's
//! `stream-node-max-bytes`.

mod cluster;
mod deaths;
mod failover;
mod load;
mod readers;
mod reconnects;
mod redis_figures;
mod relay;
mod throughput;

/// Returns a number from the environment.
fn number(name: &str, default: usize) -> usize {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

/// Returns the number of conversations where each has connections of its own to both replicas.
fn conversations() -> usize {
    number("FOLLOWUP_LOAD", 1000).min(500)
}

/// Runs a measurement. Its clients have two threads.
fn run(measurement: impl Future<Output = ()>) {
    crate::service::raise_open_files();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(measurement);
}
