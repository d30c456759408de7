//! What a Redis server says of itself.

use std::collections::BTreeMap;

use crate::store::redis_server::RedisServer;

/// Returns the number of a field of `INFO`.
pub(super) fn info(redis: &RedisServer, section: &str, field: &str) -> f64 {
    let info = redis.ask(&format!("INFO {section}"));
    let value = info.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
    value.unwrap_or_else(|| panic!("{field}: {info}")).trim().parse().unwrap()
}

/// Returns the time that the server has used, in seconds.
pub(super) fn cpu_time(redis: &RedisServer) -> f64 {
    info(redis, "cpu", "used_cpu_user") + info(redis, "cpu", "used_cpu_sys")
}

/// Returns how often each command ran since `CONFIG RESETSTAT`, also in scripts.
pub(super) fn commands(redis: &RedisServer) -> BTreeMap<String, f64> {
    let info = redis.ask("INFO commandstats");
    let counted = info.lines().filter_map(|line| {
        let (name, figures) = line.strip_prefix("cmdstat_")?.split_once(":calls=")?;
        Some((name.to_owned(), figures.split(',').next()?.parse().ok()?))
    });
    counted.collect()
}

/// Returns the number of connections, except for the one that asks.
pub(super) fn connections(redis: &RedisServer) -> f64 {
    info(redis, "clients", "connected_clients") - 1.0
}

/// The memory of keys, in bytes.
#[derive(Default)]
pub(super) struct Memory {
    /// By what a key ends with.
    pub(super) keys: BTreeMap<String, usize>,
    /// The names and data of all events in logs.
    pub(super) events: usize,
}

/// Returns the memory of all keys.
pub(super) fn memory(redis: &RedisServer) -> Memory {
    let mut memory = Memory::default();
    for key in texts(&redis.ask("KEYS *")) {
        let answer = redis.ask(&format!("MEMORY USAGE {key} SAMPLES 0"));
        let kind = key.rsplit(['}', ':']).next().unwrap_or_default().to_owned();
        *memory.keys.entry(kind).or_default() += answer.trim_start_matches(':').parse::<usize>().unwrap();
        if key.ends_with(":log") {
            let answer = redis.ask(&format!("XRANGE {key} - +"));
            // An entry: its id, the field `<` and its value, then names and data of events.
            let is_id = |text: &&str| text.split_once('-').is_some_and(|(epoch, _)| epoch.parse::<u64>().is_ok());
            memory.events += texts(&answer).filter(|text| !is_id(text) && *text != "<").map(str::len).sum::<usize>();
        }
    }
    memory
}

/// Returns the texts in an answer, none of which holds a line break.
fn texts(answer: &str) -> impl Iterator<Item = &str> {
    answer.split("\r\n").filter(|line| !line.starts_with(['*', '$']))
}
