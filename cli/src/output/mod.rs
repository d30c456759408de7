//! Where the events of a message are written: as plain text, on a terminal, or as JSON.

mod block;
mod flow;
pub(crate) mod json;
pub(crate) mod opaque;
pub(crate) mod plain;
pub(crate) mod terminal;

use std::io;

use followup::{Event, wire};

use crate::events::EmittedAt;

/// A writer of events.
pub(crate) trait Output {
    fn event(&mut self, event: Event<'_>, emitted: EmittedAt) -> io::Result<()>;

    /// Writes an error in a provider's stream, which continues.
    fn error(&mut self, error: wire::Error<'_>, emitted: EmittedAt) -> io::Result<()>;

    /// Makes the events of a chunk visible, before the next chunk is waited for.
    fn flush(&mut self) -> io::Result<()>;

    /// Ends the message, or interrupts it for something else to be written.
    fn finish(&mut self) -> io::Result<()>;
}

/// Returns whether output may be coloured, unless it is forbidden by the option or by `NO_COLOR`.
pub(crate) fn colour(no_color: bool) -> bool {
    // https://no-color.org: the variable counts unless it is empty.
    !no_color && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
