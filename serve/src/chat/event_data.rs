//! The data of server-sent events, from a body in chunks.

/// Splits a body into events, and returns the data of each.
#[derive(Debug)]
pub(super) struct EventData {
    /// The incomplete line.
    line: Vec<u8>,
    /// The data of the incomplete event.
    data: Vec<u8>,
    /// The last byte was a carriage return: a line feed after it belongs to the same line end.
    after_return: bool,
    /// Maximum number of bytes of an event.
    limit: usize,
}

/// An event is longer than the limit.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong;

impl EventData {
    pub(super) fn new(limit: usize) -> EventData {
        EventData { line: Vec::new(), data: Vec::new(), after_return: false, limit }
    }

    /// Consumes the next chunk, and calls `event` with the data of each event that has ended.
    ///
    /// # Errors
    ///
    /// If an event is too long. The rest of the body can't be read then.
    pub(super) fn feed(&mut self, mut chunk: &[u8], mut event: impl FnMut(&[u8])) -> Result<(), TooLong> {
        while let Some(&first) = chunk.first() {
            if std::mem::take(&mut self.after_return) && first == b'\n' {
                chunk = &chunk[1..];
                continue;
            }
            let end = chunk.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            self.line.extend_from_slice(&chunk[..end.unwrap_or(chunk.len())]);
            if self.line.len() + self.data.len() > self.limit {
                return Err(TooLong);
            }
            let Some(end) = end else { return Ok(()) };
            self.after_return = chunk[end] == b'\r';
            chunk = &chunk[end + 1..];
            self.end_line(&mut event);
        }
        Ok(())
    }

    /// Ends the body, and calls `event` with the data of an event that has no blank line after it.
    pub(super) fn finish(&mut self, mut event: impl FnMut(&[u8])) {
        if !self.line.is_empty() {
            self.end_line(&mut event);
        }
        self.end_line(&mut event);
    }

    fn end_line(&mut self, event: &mut impl FnMut(&[u8])) {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            let data = std::mem::take(&mut self.data);
            if !data.is_empty() {
                event(&data);
            }
            return;
        }
        let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&line);
        if let Some(data) = line.strip_prefix(b"data:") {
            if !self.data.is_empty() {
                self.data.push(b'\n');
            }
            self.data.extend_from_slice(data.strip_prefix(b" ").unwrap_or(data));
        }
    }
}
