//! The programs that run together with this one, as the job of a shell.
//!
//! The screen reads Ctrl-C and Ctrl-Z as keys, so that drafts are safe. What the terminal would
//! have done for the other programs of the pipe is done here.

/// Returns whether there is a shell that can continue this program after it has been stopped.
///
/// The system ignores Ctrl-Z in the same case: a stopped program could not be continued.
#[cfg(unix)]
pub(super) fn can_be_continued() -> bool {
    use rustix::process::{getpgrp, getppid, getsid};
    let Ok(session) = getsid(None) else { return false };
    let is_in_session = |parent| getsid(Some(parent)).is_ok_and(|parents| parents == session);
    // A shell with job control gives a job a group of its own.
    getpgrp() != session && getppid().is_some_and(is_in_session)
}

/// Suspends the programs of the job. For this one, that is only the signal to do so.
#[cfg(unix)]
pub(super) fn suspend() {
    let _ = rustix::process::kill_current_process_group(rustix::process::Signal::TSTP);
}

/// Stops this program until it is continued.
#[cfg(unix)]
pub(super) fn stop() {
    let _ = signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP);
}

/// Interrupts the programs of the job.
///
/// A program that writes nothing would not notice the end of this one.
#[cfg(unix)]
pub(super) fn interrupt() {
    let _ = rustix::process::kill_current_process_group(rustix::process::Signal::INT);
}

#[cfg(not(unix))]
pub(super) fn can_be_continued() -> bool {
    false
}

#[cfg(not(unix))]
pub(super) fn suspend() {}

#[cfg(not(unix))]
pub(super) fn stop() {}

#[cfg(not(unix))]
pub(super) fn interrupt() {}
