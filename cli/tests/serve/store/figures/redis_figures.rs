//! What a Redis server says of itself.

use std::collections::BTreeMap;
use std::path::Path;

use super::load::Load;
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

/// The commands that a replica sends, and that run in none of its scripts.
///
/// It also sends `PEXPIRE` for its lease and for records, and `HMGET` to ask who the writer is.
/// These run in scripts, too, and are not counted.
const SENT: [&str; 8] = ["evalsha", "eval", "script", "get", "hget", "exists", "ssubscribe", "sunsubscribe"];

/// Those that replicas also send to a cluster. On one server, a script stores the records.
const SENT_TO_CLUSTER: [&str; 1] = ["set"];

#[test]
fn what_counts_as_sent_alone_runs_in_no_script() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../serve/src/shared/scripts");
    let mut checked = 0;
    for script in std::fs::read_dir(folder).unwrap() {
        let path = script.unwrap().path();
        // It runs once, when a replica starts.
        if path.ends_with("check.lua") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        for call in text.split("redis.call('").skip(1) {
            let command = call.split('\'').next().unwrap().to_lowercase();
            assert!(!SENT.contains(&&*command), "{command} runs in {}", path.display());
            checked += 1;
        }
    }
    assert!(checked > 50, "{checked}");
}

/// Prints how many commands the replicas have sent for an event, and which.
pub(super) fn print_sent(commands: &BTreeMap<String, f64>, load: Load, is_cluster: bool) {
    let events = load.events();
    let is_sent = |name: &str| SENT.contains(&name) || is_cluster && SENT_TO_CLUSTER.contains(&name);
    let scripts = commands.get("evalsha").copied().unwrap_or_default();
    let sent: f64 = commands.iter().filter(|(name, _)| is_sent(name)).map(|(_, calls)| calls).sum();
    let all: f64 = commands.values().sum();
    println!(
        "commands         {:.2} scripts per event; {:.2} with what is sent alone; {:.2} with those in scripts",
        scripts / events,
        sent / events,
        all / events
    );
    for (name, calls) in commands.iter().filter(|(_, calls)| **calls > events / 200.0) {
        println!("    {name:<12} {:.3} {}", calls / events, if is_sent(name) { "" } else { "mostly in scripts" });
    }
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
