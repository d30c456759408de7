//! Starts, stops and asks Redis servers.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

/// A Redis server on a free port. It is killed when dropped.
pub(crate) struct RedisServer {
    child: Child,
    pub(crate) port: u16,
    args: Vec<String>,
}

/// Returns `true` if there is a Redis server on this machine. Says so if there is none.
///
/// # Panics
///
/// In CI, where these tests are never skipped.
pub(crate) fn has_redis() -> bool {
    static IS_THERE: OnceLock<bool> = OnceLock::new();
    let is_there = *IS_THERE.get_or_init(|| {
        let found = Command::new("redis-server").arg("--version").stdout(Stdio::null()).status();
        found.is_ok_and(|status| status.success())
    });
    if !is_there {
        assert!(std::env::var_os("CI").is_none(), "there is no redis-server, which CI installs");
        let name = std::thread::current().name().unwrap_or_default().to_owned();
        // The test harness shows what a test prints only if it fails.
        let _ = writeln!(std::io::stderr(), "skipped, because there is no redis-server: {name}");
    }
    is_there
}

/// Returns a port that is free, and no other one that it has returned.
///
/// It is below those that the system gives to connections, so that none takes it before the server
/// listens.
pub(crate) fn free_port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let first = std::process::id().wrapping_mul(97);
    loop {
        let at = first.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % 12_000;
        let port = 20_000 + u16::try_from(at).unwrap();
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

impl RedisServer {
    /// Starts a server that keeps everything in memory; `None` if there is no Redis.
    pub(crate) fn start(args: &[&str]) -> Option<RedisServer> {
        RedisServer::start_at(free_port(), args)
    }

    /// The same, on this port.
    pub(crate) fn start_at(port: u16, args: &[&str]) -> Option<RedisServer> {
        has_redis().then(|| {
            let args = args.iter().map(|arg| (*arg).to_owned()).collect();
            RedisServer { child: spawn(port, &args), port, args }.up()
        })
    }

    fn up(mut self) -> RedisServer {
        self.wait();
        self
    }

    fn wait(&mut self) {
        is_listening(self.port);
        assert!(self.child.try_wait().unwrap().is_none(), "redis-server has ended");
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Returns `true` if the server runs.
    pub(crate) fn is_up(&self) -> bool {
        TcpStream::connect(("127.0.0.1", self.port)).is_ok()
    }

    /// Kills the server. Everything in it is lost.
    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Starts the server again, on the same port.
    pub(crate) fn restart(&mut self) {
        self.child = spawn(self.port, &self.args);
        self.wait();
    }

    /// Sends a command that must succeed.
    #[track_caller]
    pub(crate) fn tell(&self, command: &str) {
        let answer = self.ask(command);
        assert!(!answer.starts_with('-'), "{command}: {answer}");
    }

    /// Returns how often a command ran since `CONFIG RESETSTAT`, also in scripts.
    pub(crate) fn calls(&self, command: &str) -> u64 {
        let all = self.ask("INFO commandstats");
        let calls = all.split_once(&format!("cmdstat_{command}:calls=")).map_or("0", |(_, rest)| rest);
        calls.split(',').next().unwrap().parse().unwrap()
    }

    /// Returns the number of connections that replicas have to this server.
    pub(crate) fn connections_of_replicas(&self) -> usize {
        let count = |kind| {
            let clients = self.ask(&format!("CLIENT LIST TYPE {kind}"));
            clients.lines().filter(|line| line.contains(" resp=3")).count()
        };
        count("normal") + count("pubsub")
    }

    /// Sends a command without spaces in its arguments. Returns the answer as the server sends it.
    pub(crate) fn ask(&self, command: &str) -> String {
        ask(self.port, command)
    }
}

/// Waits until a server listens on a port.
pub(crate) fn is_listening(port: u16) {
    for _ in 0..2000 {
        if TcpStream::connect(("127.0.0.1", port)).is_ok() {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("redis-server does not listen");
}

/// Sends a command without spaces in its arguments. Returns the answer as the server sends it.
///
/// A server that changes its role closes its connections, so this is tried again.
pub(crate) fn ask(port: u16, command: &str) -> String {
    for _ in 0..2000 {
        if let Ok(answer) = try_to_ask(port, command) {
            return answer;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("redis-server does not answer {command}");
}

fn try_to_ask(port: u16, command: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    stream.write_all(format!("{command}\r\n").as_bytes())?;
    stream.shutdown(Shutdown::Write)?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer.trim_end().to_owned())
}

fn spawn(port: u16, args: &Vec<String>) -> Child {
    let mut command = Command::new("redis-server");
    command.args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]);
    // A copy writes no file either.
    command.args(["--repl-diskless-load", "swapdb"]).args(args);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.kill();
    }
}
