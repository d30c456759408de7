//! Errors and exit statuses of the program, and reports on standard error.

use std::fmt::{self, Display};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use crate::plain_words::io_error;
use crate::sanitize::sanitize;

/// Prints an error or a warning on standard error.
///
/// The message is sanitized, because it may quote a provider, a model or a file.
pub(crate) fn report(message: impl Display) {
    // `eprintln!` would panic if standard error is closed.
    let _ = writeln!(io::stderr(), "followup: {}", sanitize(&message.to_string()));
}

/// The exit status, as `--help` explains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Success,
    /// Something was rejected, or could not be read.
    Failure,
    Usage,
    /// Ended by this signal, or by a key with the same meaning.
    Signal(i32),
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(match status {
            Status::Success => 0,
            Status::Failure => 1,
            // The status with which clap exits for usage errors.
            Status::Usage => 2,
            // The convention of shells.
            Status::Signal(signal) => u8::try_from(128 + signal).unwrap_or(u8::MAX),
        })
    }
}

/// An error that ends the program.
#[derive(Debug)]
pub(crate) enum Error {
    /// The reader of the output has gone.
    ClosedPipe,
    /// A wrong command line. The message says what to do instead.
    Usage(String),
    /// Unreadable input. The message says which, why, and what to do.
    Unreadable(String),
    /// The output can't be written, for example because the disk is full.
    Unwritable(io::Error),
}

impl Error {
    pub(crate) fn status(&self) -> Status {
        match self {
            Error::ClosedPipe => Status::Success,
            Error::Usage(_) => Status::Usage,
            Error::Unreadable(_) | Error::Unwritable(_) => Status::Failure,
        }
    }

    /// Returns the error for a file that can't be read, with a remedy for the common causes.
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
            _ => format!("can't read {path}: {}", io_error(error)),
        })
    }
}

/// Converts errors of writing the output. Every other I/O error is converted where it occurs.
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
            Error::ClosedPipe => f.write_str("the reader of the output has gone"),
            Error::Usage(message) | Error::Unreadable(message) => f.write_str(message),
            Error::Unwritable(error) => write!(f, "can't write the output: {}", io_error(error)),
        }
    }
}
