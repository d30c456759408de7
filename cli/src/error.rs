//! How the program ends.

use std::fmt::{self, Display};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use crate::visible::shown;

/// Says on standard error what went wrong, or may not be what was meant. Parts of it may come from a provider, a model or a file: nothing in it does anything to a terminal.
pub(crate) fn say(what: impl Display) {
    // `eprintln!` would panic where standard error is closed.
    let _ = writeln!(io::stderr(), "followup: {}", shown(&what.to_string()));
}

/// The exit status, as `--help` explains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Well,
    /// Something was rejected, or could not be read.
    Wrong,
    Usage,
    /// A signal has ended it, or a key that means the same.
    Signal(i32),
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(match status {
            Status::Well => 0,
            Status::Wrong => 1,
            // As clap has it for what it finds wrong itself.
            Status::Usage => 2,
            // As a shell has it.
            Status::Signal(signal) => u8::try_from(128 + signal).unwrap_or(u8::MAX),
        })
    }
}

/// What ends the program early.
#[derive(Debug)]
pub(crate) enum Error {
    /// Nobody reads the output any more.
    ClosedPipe,
    /// It was called in a way that can't be meant: what to do instead.
    Usage(String),
    /// Input that can't be read: which, why, and what to do.
    Unreadable(String),
    /// The output can't be written: a full disk.
    Unwritable(io::Error),
}

impl Error {
    pub(crate) fn status(&self) -> Status {
        match self {
            Error::ClosedPipe => Status::Well,
            Error::Usage(_) => Status::Usage,
            Error::Unreadable(_) | Error::Unwritable(_) => Status::Wrong,
        }
    }

    /// A file that can't be read. Says what to do where that is known.
    pub(crate) fn reading(path: &Path, error: &io::Error) -> Error {
        let path = path.display();
        Error::Unreadable(match error.kind() {
            io::ErrorKind::NotFound => format!("can't read {path}: there is no such file; check the path"),
            io::ErrorKind::IsADirectory => {
                format!("can't read {path}: it is a directory; name a file in it")
            }
            io::ErrorKind::PermissionDenied => {
                format!("can't read {path}: permission denied; you need the right to read it")
            }
            _ => format!("can't read {path}: {error}"),
        })
    }
}

/// Only writing the output fails with an error that is not wrapped where it happens.
impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Error::ClosedPipe,
            _ => Error::Unwritable(error),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::ClosedPipe => f.write_str("nobody reads the output"),
            Error::Usage(what) | Error::Unreadable(what) => f.write_str(what),
            Error::Unwritable(error) => write!(f, "can't write the output: {error}"),
        }
    }
}
