//! Starts and stops the program.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStderr, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

/// A running service. It is killed when dropped.
pub(crate) struct Service {
    child: Child,
    /// Where it wrote its address. Kept open, so that the service can write to it.
    out: BufReader<Box<dyn Read + Send + Sync>>,
    /// `127.0.0.1:PORT`.
    pub(crate) address: String,
}

pub(crate) fn command(args: &[&str]) -> Command {
    command_of(env!("CARGO_BIN_EXE_followup"), args)
}

/// The same, of a program that was built elsewhere.
pub(crate) fn command_of(program: &str, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.arg("serve").args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    for name in [
        "FOLLOWUP_TOKEN",
        "FOLLOWUP_UPSTREAM_KEY",
        "FOLLOWUP_STORE",
        "RUST_BACKTRACE",
        "http_proxy",
        "HTTP_PROXY",
        "ALL_PROXY",
        "all_proxy",
    ] {
        command.env_remove(name);
    }
    command
}

/// Raises the limit of open files.
///
/// A thousand conversations have thousands of connections, also in this process.
pub(crate) fn raise_open_files() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).unwrap();
}

impl Service {
    pub(crate) fn start(args: &[&str]) -> Service {
        Service::start_by(&mut command(args))
    }

    pub(crate) fn start_by(command: &mut Command) -> Service {
        Service::spawn(command.stderr(Stdio::inherit()))
    }

    /// Starts a service that is not expected to start without a word. Returns its standard error.
    pub(crate) fn start_warning(args: &[&str]) -> (Service, ChildStderr) {
        let mut service = Service::spawn(&mut command(args));
        let errors = service.child.stderr.take().unwrap();
        (service, errors)
    }

    /// Starts a service whose standard output nobody reads. It writes its address on standard
    /// error.
    pub(crate) fn start_unread(args: &[&str]) -> Service {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = command(args);
        let line = "followup: listening on http://";
        Service::spawn_to(command.stdout(writer), line, |child| Box::new(child.stderr.take().unwrap()))
    }

    fn spawn(command: &mut Command) -> Service {
        Service::spawn_to(command, "listening on http://", |child| Box::new(child.stdout.take().unwrap()))
    }

    /// Starts a service that writes its address to `out`, after this beginning of a line.
    fn spawn_to(
        command: &mut Command,
        before: &str,
        out: impl FnOnce(&mut Child) -> Box<dyn Read + Send + Sync>,
    ) -> Service {
        let mut child = command.args(["--listen", "127.0.0.1:0"]).spawn().unwrap();
        let out = BufReader::new(out(&mut child));
        let mut service = Service { address: String::new(), child, out };
        let mut line = String::new();
        service.out.read_line(&mut line).unwrap();
        let address = line.trim_end().strip_prefix(before).unwrap_or_else(|| panic!("{line:?}"));
        service.address = address.to_owned();
        service
    }

    /// Starts a service with the test provider as its upstream.
    pub(crate) fn relay(args: &[&str]) -> Service {
        let upstream = crate::upstream::upstream();
        let base = format!("http://{}/v1", upstream.address);
        Service::start(&[&["--upstream", &base], args].concat())
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Kills the process, as a crash would.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits for the exit. Returns the exit code.
    pub(crate) fn wait(&mut self) -> Option<i32> {
        for _ in 0..12_000 {
            if let Some(ended) = self.child.try_wait().unwrap() {
                return ended.code();
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        panic!("the deadline has passed");
    }

    /// Returns the number of open files; on Linux only.
    pub(crate) fn open_files(&self) -> Option<usize> {
        Some(std::fs::read_dir(format!("/proc/{}/fd", self.child.id())).ok()?.count())
    }

    /// Returns the time that the processor has spent on it so far, in seconds; on Linux only.
    pub(crate) fn cpu_time(&self) -> Option<f64> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).ok()?;
        // The name of the program, in parentheses, may hold spaces.
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
        let ticks = fields.next()?.parse::<f64>().ok()? + fields.next()?.parse::<f64>().ok()?;
        Some(ticks / rustix::param::clock_ticks_per_second() as f64)
    }

    /// Returns the peak memory in KiB; on Linux only.
    pub(crate) fn peak_memory(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
        line.split_whitespace().nth(1)?.parse().ok()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns whether `FOLLOWUP_SWEEP` is not set: then a test tries as much as takes a few seconds.
pub(crate) fn is_short() -> bool {
    std::env::var_os("FOLLOWUP_SWEEP").is_none()
}
