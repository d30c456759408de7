//! JSON lines: values one after the other, each in a line or in several.

use super::events::max_line;
use super::{BracketScanner, Frame, Frames, Framing, append, frame};

/// The current JSON value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct JsonValue {
    brackets: BracketScanner,
    /// The value is longer than the limit, and is skipped to its end.
    too_long: bool,
}

impl JsonValue {
    /// Returns the payload that the end of the body completes.
    pub(super) fn finish<'b>(&mut self, buffer: &'b [u8], limit: usize) -> Option<Frame<'b>> {
        self.too_long |= without_line_end(buffer).len() > limit;
        frame(buffer, self.too_long)
    }

    pub(super) fn is_in_bounds(self) -> bool {
        self.brackets.is_in_bounds()
    }
}

impl Frames {
    /// Consumes the chunk up to the end of the next value.
    pub(super) fn next_line<'f, 'c: 'f>(&'f mut self, chunk: &mut &'c [u8]) -> Option<Frame<'f>> {
        let Framing::Lines(value) = &mut self.framing else { return None };
        while !chunk.is_empty() {
            // A value may span lines, as long as the next line does not begin like a value of its
            // own.
            if value.brackets.depth > 0 && self.buffer.ends_with(b"\n") && chunk[0] == b'{' {
                self.lent = true;
                return value.finish(&self.buffer, self.limit);
            }
            // Another value may follow in the same line.
            let (line, rest) = chunk.split_at(value.brackets.push_value_in_line(chunk));
            *chunk = rest;
            let is_line_over = line.ends_with(b"\n") && (value.brackets.depth == 0 || value.brackets.in_string);
            let complete = is_line_over || value.brackets.is_closed();
            if complete && self.buffer.is_empty() && without_line_end(line).len() <= self.limit {
                *value = JsonValue::default();
                if line.trim_ascii().is_empty() {
                    continue;
                }
                return frame(line, false);
            }
            value.too_long |= self.buffer.len() + line.len() > self.limit.saturating_add(2);
            if value.too_long {
                // Only the last byte is needed: it tells whether a line begins next.
                self.buffer.clear();
                self.buffer.extend(line.last());
            } else {
                append(&mut self.buffer, line, max_line(self.limit));
            }
            value.too_long |= complete && without_line_end(&self.buffer).len() > self.limit;
            if complete && (value.too_long || !self.buffer.trim_ascii().is_empty()) {
                self.lent = true;
                return frame(&self.buffer, value.too_long);
            }
            if complete {
                self.buffer.clear();
                *value = JsonValue::default();
            }
        }
        None
    }
}

/// Returns a line without its line end.
fn without_line_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}
