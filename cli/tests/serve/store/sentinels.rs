//! A primary, its copy, and three sentinels that promote the copy when the primary is gone.

use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use super::redis_server::{RedisServer, ask, free_port, is_listening};
use crate::client::until;

/// How long the primary may be silent before it is taken for dead, in milliseconds.
const DOWN_AFTER: u64 = 1000;

/// The same where the test promotes the copy.
const PATIENT_DOWN_AFTER: u64 = 60_000;

/// Three sentinels and what they watch. Everything is killed when dropped.
pub(super) struct Sentinels {
    pub(super) primary: RedisServer,
    pub(super) copy: RedisServer,
    sentinels: Vec<Sentinel>,
    _folder: TempDir,
}

/// One sentinel. It is killed when dropped.
pub(super) struct Sentinel {
    child: Child,
    port: u16,
}

impl Sentinels {
    /// Starts everything; `None` if there is no Redis.
    pub(super) async fn start() -> Option<Sentinels> {
        Sentinels::start_with(DOWN_AFTER, "", "").await
    }

    /// The same, but the copy is promoted only by [`Sentinels::promote`].
    pub(super) async fn start_patient() -> Option<Sentinels> {
        Sentinels::start_with(PATIENT_DOWN_AFTER, "", "").await
    }

    /// The same, with sentinels that need this password.
    pub(super) async fn start_locked(password: &str) -> Option<Sentinels> {
        Sentinels::start_with(DOWN_AFTER, &format!("requirepass {password}\n"), &format!("AUTH {password}\r\n")).await
    }

    /// Starts everything, with more settings of the sentinels, and what is sent to them before a
    /// command.
    async fn start_with(down_after: u64, settings: &str, login: &str) -> Option<Sentinels> {
        let primary = RedisServer::start(&["--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1"])?;
        let copy = RedisServer::start(&["--replicaof", "127.0.0.1", &primary.port.to_string()])?;
        until(async || primary.ask("INFO replication").contains("state=online")).await;
        let folder = tempfile::tempdir().unwrap();
        let settings = format!(
            "sentinel monitor main 127.0.0.1 {} 2\nsentinel down-after-milliseconds main {down_after}\n\
             sentinel failover-timeout main 3000\n{settings}",
            primary.port
        );
        let start = |port| Sentinel::start(folder.path(), port, &format!("port {port}\n{settings}"));
        let sentinels = (0..3).map(|_| start(free_port())).collect();
        let all = Sentinels { primary, copy, sentinels, _folder: folder };
        for sentinel in &all.sentinels {
            until(async || {
                let known = ask(sentinel.port, &format!("{login}SENTINEL MASTER main"));
                fact(&known, "num-slaves") == Some("1") && fact(&known, "num-other-sentinels") == Some("2")
            })
            .await;
        }
        Some(all)
    }

    pub(super) fn url(&self) -> String {
        format!("redis+sentinel://{}/main", self.hosts())
    }

    /// Returns the addresses of the sentinels, as a URL has them.
    pub(super) fn hosts(&self) -> String {
        let hosts: Vec<_> = self.sentinels.iter().map(|sentinel| format!("127.0.0.1:{}", sentinel.port)).collect();
        hosts.join(",")
    }

    /// Lets the sentinels promote the copy.
    pub(super) async fn promote(&self) {
        until(async || {
            // Refused while they can't reach the copy, or are about to promote it.
            ask(self.sentinels[0].port, "SENTINEL FAILOVER main");
            self.copy.ask("ROLE").contains("master")
        })
        .await;
    }

    /// Waits until the copy has become the primary.
    pub(super) async fn promoted(&self) {
        until(async || self.copy.ask("ROLE").contains("master")).await;
    }

    /// Waits until the copy has everything that the primary has.
    pub(super) async fn replicated(&self) {
        let fact = |name: &str| {
            let facts = self.primary.ask("INFO replication");
            let value = facts.split_once(name).unwrap().1;
            value.split(['\r', ',']).next().unwrap().to_owned()
        };
        until(async || fact("offset=") == fact("master_repl_offset:")).await;
    }
}

/// Returns a fact that a sentinel states.
fn fact<'a>(known: &'a str, name: &str) -> Option<&'a str> {
    known.lines().skip_while(|line| *line != name).nth(2)
}

impl Sentinel {
    /// Starts a sentinel that listens on this port, by its settings.
    pub(super) fn start(folder: &std::path::Path, port: u16, settings: &str) -> Sentinel {
        let file = folder.join(format!("{port}.conf"));
        std::fs::write(&file, format!("bind 127.0.0.1\n{settings}")).unwrap();
        let mut command = Command::new("redis-server");
        command.arg(&file).arg("--sentinel").current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null());
        let sentinel = Sentinel { child: command.spawn().unwrap(), port };
        is_listening(port);
        sentinel
    }
}

impl Drop for Sentinel {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
