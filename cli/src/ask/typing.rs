//! Waits for a line on the terminal for a limited time.

#[cfg(unix)]
use std::fs::File;
use std::io;
#[cfg(unix)]
use std::os::fd::AsFd;
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// What was typed within the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(unix), expect(dead_code, reason = "line by line, there is no countdown on Windows"))]
pub(super) enum Typing {
    Nothing,
    /// A line that was not ended within the time. It is discarded.
    Begun,
    /// Nothing, but the program was stopped and continued: somebody is there.
    Continued,
    /// A line, or the end of the input.
    Line,
}

/// Something can be read from this once the program was stopped and continued.
#[cfg(unix)]
pub(super) type Continued = UnixStream;

#[cfg(not(unix))]
pub(super) type Continued = ();

/// Returns whether [`wait`] works for this terminal: some systems can wait for files only.
#[cfg(unix)]
pub(super) fn can_wait(tty: &File) -> bool {
    readable([tty], Duration::ZERO).is_ok()
}

/// Watches from now on whether the program is continued after it was stopped.
#[cfg(unix)]
pub(super) fn watch_continued() -> io::Result<Continued> {
    let (continued, handler) = UnixStream::pair()?;
    signal_hook::low_level::pipe::register(signal_hook::consts::SIGCONT, handler)?;
    Ok(continued)
}

/// Returns whether the program was continued.
#[cfg(unix)]
pub(super) fn was_continued(continued: &Continued) -> bool {
    readable([continued], Duration::ZERO).is_ok_and(|[is_readable]| is_readable)
}

/// Waits for a line, or until the program is continued.
///
/// The time in which the program is stopped counts, so the wait may end as soon as it continues.
#[cfg(unix)]
pub(super) fn wait(tty: &File, time: Duration, continued: &Continued) -> io::Result<Typing> {
    // The signal alone may interrupt another thread, or come just before the wait.
    match readable([tty, continued], time) {
        Ok([true, _]) => Ok(Typing::Line),
        Ok([_, true]) => Ok(Typing::Continued),
        Ok(_) => Ok(if discard_unread(tty)? { Typing::Begun } else { Typing::Nothing }),
        // The other signals with a handler end the program.
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(Typing::Continued),
        Err(error) => Err(error),
    }
}

/// Discards what follows a line that was read, and returns whether there was anything.
///
/// Of pasted lines, all follow the first at once. But the terminal keeps only 4 KiB: the rest
/// follows once these are discarded.
#[cfg(unix)]
pub(super) fn discard_rest(tty: &File) -> io::Result<bool> {
    let mut is_any = false;
    loop {
        std::thread::sleep(PASTE_PAUSE);
        if !discard_unread(tty)? {
            return Ok(is_any);
        }
        is_any = true;
    }
}

/// The longest time between two lines that were pasted together.
///
/// A key that is held down may repeat as fast, and lines that were typed ahead may arrive together:
/// they can't be told from a paste.
#[cfg(unix)]
const PASTE_PAUSE: Duration = Duration::from_millis(50);

/// Discards what was typed and not read, also an incomplete line. Returns whether there was any.
#[cfg(unix)]
fn discard_unread(tty: &File) -> io::Result<bool> {
    // A terminal that reads lines does not report an incomplete one.
    use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
    let by_line = tcgetattr(tty)?;
    let mut by_key = by_line.clone();
    by_key.local_modes.remove(LocalModes::ICANON);
    tcsetattr(tty, OptionalActions::Now, &by_key)?;
    let unread = rustix::io::ioctl_fionread(tty);
    // The system would hand over the beginning as it is, and no key could erase it any more.
    let then = if matches!(unread, Ok(1..)) { OptionalActions::Flush } else { OptionalActions::Now };
    tcsetattr(tty, then, &by_line)?;
    Ok(unread? > 0)
}

/// Waits until there is something to read in one of these, and returns in which there is.
#[cfg(unix)]
fn readable<const N: usize>(files: [&dyn AsFd; N], time: Duration) -> io::Result<[bool; N]> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let timeout = Timespec::try_from(time).map_err(io::Error::other)?;
    let mut polled = files.map(|file| PollFd::from_borrowed_fd(file.as_fd(), PollFlags::IN));
    poll(&mut polled, Some(&timeout))?;
    if polled.iter().any(|file| file.revents().contains(PollFlags::NVAL)) {
        return Err(io::ErrorKind::Unsupported.into());
    }
    Ok(polled.map(|file| !file.revents().is_empty()))
}

#[cfg(not(unix))]
pub(super) fn can_wait<T>(_: &T) -> bool {
    false
}

#[cfg(not(unix))]
pub(super) fn discard_rest<T>(_: &T) -> io::Result<bool> {
    Ok(false)
}

#[cfg(not(unix))]
pub(super) fn watch_continued() -> io::Result<Continued> {
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn was_continued(_: &Continued) -> bool {
    false
}

#[cfg(not(unix))]
pub(super) fn wait<T>(_: &T, _: Duration, _: &Continued) -> io::Result<Typing> {
    Ok(Typing::Line)
}
