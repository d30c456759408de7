//! A line on standard error that shows how much of the records has been read.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// The shortest time between two updates.
const INTERVAL: Duration = Duration::from_millis(100);

/// A progress line, which is rewritten in place, and erased on drop.
#[derive(Debug)]
pub(super) struct Progress {
    /// The length of the input; `None` if unknown.
    length: Option<u64>,
    begin: Instant,
    last_update: Instant,
    is_enabled: bool,
    is_drawn: bool,
}

impl Progress {
    /// Shown only if standard error is a terminal, and the records are not written to one.
    pub(super) fn new(length: Option<u64>) -> Progress {
        let now = Instant::now();
        let is_enabled = io::stderr().is_terminal() && !io::stdout().is_terminal();
        Progress { length, begin: now, last_update: now, is_enabled, is_drawn: false }
    }

    /// Shows that this many records and bytes have been read so far.
    pub(super) fn update(&mut self, records: u64, bytes: u64) {
        if !self.is_enabled || self.last_update.elapsed() < INTERVAL {
            return;
        }
        self.last_update = Instant::now();
        let columns = crossterm::terminal::size().map_or(80, |(columns, _)| columns.into());
        let line = line(records, bytes, self.length, self.begin.elapsed());
        // A line that fills its row would wrap, and could not be rewritten.
        let line: String = line.chars().take(usize::saturating_sub(columns, 1)).collect();
        self.is_drawn = true;
        let _ = write!(io::stderr(), "\r\x1B[K{line}");
    }

    /// Erases the line, for other output.
    pub(super) fn clear(&mut self) {
        if std::mem::take(&mut self.is_drawn) {
            let _ = write!(io::stderr(), "\r\x1B[K");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

fn line(records: u64, bytes: u64, length: Option<u64>, elapsed: Duration) -> String {
    let rate = bytes as f64 / elapsed.as_secs_f64().max(0.001);
    let (read, speed) = (mib(bytes as f64), mib(rate));
    match length {
        None => format!("{records} records, {read} ({speed}/s)"),
        Some(length) => {
            let left = length.saturating_sub(bytes) as f64 / rate.max(1.0);
            format!("{records} records, {read} of {} ({speed}/s, {left:.0} s to go)", mib(length as f64))
        }
    }
}

fn mib(bytes: f64) -> String {
    format!("{:.1} MiB", bytes / f64::from(1 << 20))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_shows_the_records_the_bytes_the_speed_and_the_time_left() {
        let second = Duration::from_secs(1);
        assert_eq!(line(7, 3 << 20, None, second), "7 records, 3.0 MiB (3.0 MiB/s)");
        let of = line(7, 3 << 20, Some(12 << 20), second);
        assert_eq!(of, "7 records, 3.0 MiB of 12.0 MiB (3.0 MiB/s, 3 s to go)");
        assert_eq!(line(0, 0, Some(1), Duration::ZERO), "0 records, 0.0 MiB of 0.0 MiB (0.0 MiB/s, 1 s to go)");
    }
}
