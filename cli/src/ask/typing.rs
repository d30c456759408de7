//! Waits for a line on the terminal for a limited time.

use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
#[cfg(unix)]
use std::sync::atomic::Ordering;
use std::time::Duration;

#[cfg(unix)]
use super::screen::jobs::can_be_continued;

/// What was typed within the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Typing {
    Nothing,
    /// A line that was not ended within the time. It is discarded. Or the program was suspended.
    Begun,
    /// A line, or the end of the input.
    Line,
}

/// Returns whether [`wait`] works for this terminal: some systems can wait for files only.
#[cfg(unix)]
pub(super) fn can_wait(tty: &File) -> bool {
    is_readable(tty, Duration::ZERO).is_ok()
}

/// Returns a flag that is set as soon as the user suspends the program by a key.
#[cfg(unix)]
pub(super) fn suspension() -> io::Result<Arc<AtomicBool>> {
    use signal_hook::consts::SIGTSTP;
    use signal_hook::flag;
    let was_suspended = Arc::new(AtomicBool::new(false));
    flag::register(SIGTSTP, Arc::clone(&was_suspended))?;
    // Then the program is suspended.
    let suspends = Arc::new(AtomicBool::new(can_be_continued()));
    flag::register_conditional_default(SIGTSTP, suspends)?;
    Ok(was_suspended)
}

#[cfg(not(unix))]
pub(super) fn suspension() -> io::Result<Arc<AtomicBool>> {
    Ok(Arc::default())
}

/// Waits for a line.
#[cfg(unix)]
pub(super) fn wait(tty: &File, time: Duration, was_suspended: &AtomicBool) -> io::Result<Typing> {
    if is_readable(tty, time)? {
        return Ok(Typing::Line);
    }
    // The time in which the program was suspended counts, but whoever suspended it is there.
    if was_suspended.load(Ordering::Relaxed) {
        return Ok(Typing::Begun);
    }
    // A terminal that reads lines does not report an incomplete one.
    use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
    let by_line = tcgetattr(tty)?;
    let mut by_key = by_line.clone();
    by_key.local_modes.remove(LocalModes::ICANON);
    tcsetattr(tty, OptionalActions::Now, &by_key)?;
    let is_begun = is_readable(tty, Duration::ZERO);
    // The system would hand over the beginning as it is, and no key could erase it any more.
    let then = if matches!(is_begun, Ok(true)) { OptionalActions::Flush } else { OptionalActions::Now };
    tcsetattr(tty, then, &by_line)?;
    Ok(if is_begun? { Typing::Begun } else { Typing::Nothing })
}

/// Waits until there is something to read, and returns whether there is.
#[cfg(unix)]
fn is_readable(tty: &File, time: Duration) -> io::Result<bool> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let end = std::time::Instant::now() + time;
    loop {
        let left = end.saturating_duration_since(std::time::Instant::now());
        let timeout = Timespec::try_from(left).map_err(io::Error::other)?;
        let mut polled = [PollFd::new(tty, PollFlags::IN)];
        match poll(&mut polled, Some(&timeout)) {
            Ok(_) if polled[0].revents().contains(PollFlags::NVAL) => return Err(io::ErrorKind::Unsupported.into()),
            Ok(ready) => return Ok(ready > 0),
            // A signal has come, such as the one that continues a suspended program.
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(not(unix))]
pub(super) fn can_wait(_: &File) -> bool {
    false
}

#[cfg(not(unix))]
pub(super) fn wait(_: &File, _: Duration, _: &AtomicBool) -> io::Result<Typing> {
    Ok(Typing::Line)
}
