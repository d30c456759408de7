//! A Redis server for the tests.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A Redis server on a free port. It is killed when dropped.
pub(crate) struct RedisServer {
    child: Child,
    pub(crate) url: String,
}

impl RedisServer {
    /// Starts a server that keeps everything in memory.
    ///
    /// `None`, with a message, if there is no Redis.
    ///
    /// # Panics
    ///
    /// In CI, where these tests are never skipped.
    pub(crate) fn start() -> Option<RedisServer> {
        let found = Command::new("redis-server").arg("--version").stdout(Stdio::null()).status();
        if !found.is_ok_and(|status| status.success()) {
            assert!(std::env::var_os("CI").is_none(), "there is no redis-server, which CI installs");
            let name = std::thread::current().name().unwrap_or_default().to_owned();
            let _ = writeln!(std::io::stderr(), "skipped, because there is no redis-server: {name}");
            return None;
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new("redis-server");
        command.args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let server = RedisServer { child, url: format!("redis://127.0.0.1:{port}") };
        for _ in 0..2000 {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return Some(server);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("redis-server does not listen");
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
