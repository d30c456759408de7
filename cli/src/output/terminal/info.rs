//! What is known about the terminal: its size, and whether it reflows.

use std::io::{self, IsTerminal};

/// The properties of a terminal. They may change at any time.
pub(crate) trait TerminalInfo {
    /// Returns the numbers of columns and lines.
    fn size(&self) -> (usize, usize);

    /// Returns whether a terminal made narrower wraps lines that no longer fit, or cuts them.
    fn reflows(&self) -> bool;
}

/// The terminal on which the program runs.
#[derive(Debug)]
pub(crate) struct RealTerminal {
    reflows: bool,
}

impl RealTerminal {
    /// Returns the terminal of standard output; `None` if it is not one whose cursor can be moved.
    pub(crate) fn stdout() -> Option<RealTerminal> {
        if !io::stdout().is_terminal() {
            return None;
        }
        #[cfg(windows)]
        if !crossterm::ansi_support::supports_ansi() {
            return None;
        }
        let variable = |name| std::env::var(name).unwrap_or_default();
        let term = variable("TERM");
        if term == "dumb" {
            return None;
        }
        // Nearly all terminals wrap lines that no longer fit. These cut them; a program can't ask.
        let cuts = ["linux", "rxvt", "st-", "screen"].iter().any(|name| term.starts_with(name))
            || !variable("XTERM_VERSION").is_empty();
        let tmux = !variable("TMUX").is_empty();
        Some(RealTerminal { reflows: tmux || !cuts })
    }
}

impl TerminalInfo for RealTerminal {
    fn size(&self) -> (usize, usize) {
        match crossterm::terminal::size() {
            // Some terminals report a size of 0 instead of an error.
            Ok((columns @ 1.., lines @ 1..)) => (columns.into(), lines.into()),
            _ => (80, 24),
        }
    }

    fn reflows(&self) -> bool {
        self.reflows
    }
}
