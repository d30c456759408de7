//! Runs the program, and checks how it ended.

use std::io::Write;
use std::process::{Child, Command, Output, Stdio};

pub(crate) fn followup() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_followup"));
    command.env_remove("NO_COLOR").env_remove("RUST_BACKTRACE");
    command
}

/// Runs the program with this standard input.
pub(crate) fn run(args: &[&str], stdin: impl AsRef<[u8]>) -> Output {
    let mut child = spawn(args);
    let mut to = child.stdin.take().unwrap();
    let stdin = stdin.as_ref().to_vec();
    // Another thread, because the program may write before it has read everything.
    let writer = std::thread::spawn(move || {
        // Fails if the program ends before it has read everything.
        let _ = to.write_all(&stdin);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

pub(crate) fn spawn(args: &[&str]) -> Child {
    let mut command = followup();
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Checks the exit status, and returns standard output and standard error.
#[track_caller]
pub(crate) fn ends(output: &Output, status: i32) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(status), "{out}{err}");
    (out, err)
}

/// Returns whether `FOLLOWUP_SWEEP` is not set: then a test tries as much as takes a few seconds.
pub(crate) fn is_short() -> bool {
    std::env::var_os("FOLLOWUP_SWEEP").is_none()
}
