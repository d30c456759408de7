//! Code in prose: spans, fences and thinking blocks, in which no call starts.
//!
//! Whether a byte is code depends only on the bytes before it, so no text has to wait.

use crate::before::Before;

/// A position in prose: inside or outside code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Code {
    /// Not tracked: calls may start anywhere, and no envelope is read.
    Ignored,
    /// Outside code.
    Plain { before: Before },
    /// In a run of marks that may open a span or a fence.
    Opening { mark: Mark, run: u32, line_start: bool },
    /// In a span between runs of `ticks` back-ticks.
    ///
    /// `run`: the number of back-ticks right before. `blank_line`: the line so far is blank, and is
    /// not the first of the span.
    Span { ticks: u32, run: u32, blank_line: bool },
    /// After the marks, on the opening line of a fence.
    FenceInfo { mark: Mark, run: u32 },
    /// In a fence, which at least `least` marks close.
    Fence { mark: Mark, least: u32, line: FenceLine },
    /// In a thinking block, up to its own close tag. `long`: `<thinking>`, not `<think>`.
    Thinking { long: bool },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Mark {
    Tick,
    Tilde,
}

impl Mark {
    fn of(byte: u8) -> Option<Mark> {
        match byte {
            b'`' => Some(Mark::Tick),
            b'~' => Some(Mark::Tilde),
            _ => None,
        }
    }

    pub(super) fn byte(self) -> u8 {
        match self {
            Mark::Tick => b'`',
            Mark::Tilde => b'~',
        }
    }
}

/// The line so far inside a fence, which may close the fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum FenceLine {
    /// Blank.
    Blank,
    /// Blanks, then this number of marks.
    Marks(u32),
    /// Enough marks to close the fence, then blanks.
    Closing,
    /// Anything else: the line does not close the fence.
    Other,
}

/// What a `<` can begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Bracket {
    /// A call, or a thinking block.
    Plain,
    /// Nothing.
    Code,
    /// The end of the thinking block.
    Thinking { long: bool },
}

/// The position after a call.
pub(super) const MIDDLE: Code = Code::Plain { before: Before::MIDDLE };

/// The position at the start of a stream.
pub(super) const LINE_START: Code = Code::Plain { before: Before::START };

impl Code {
    /// Returns what the next character can begin if it is `<`.
    pub(super) fn at_bracket(self) -> Bracket {
        match self {
            Code::Thinking { long } => Bracket::Thinking { long },
            Code::Ignored | Code::Plain { .. } => Bracket::Plain,
            other => match other.after(b'<') {
                Code::Plain { .. } => Bracket::Plain,
                _ => Bracket::Code,
            },
        }
    }

    /// Returns `true` in code where only a back-tick or a line end matters.
    pub(super) fn is_inside(self) -> bool {
        matches!(self, Code::Span { run: 0, blank_line: false, .. } | Code::Fence { line: FenceLine::Other, .. })
    }

    /// Returns `true` right after a back-tick.
    pub(super) fn is_after_backtick(self) -> bool {
        match self {
            Code::Opening { mark, .. } => mark == Mark::Tick,
            Code::Span { run, .. } => run > 0,
            _ => false,
        }
    }

    /// Returns `true` outside code and not right after a back-tick.
    pub(super) fn may_start_envelope(self) -> bool {
        self.at_bracket() == Bracket::Plain && !self.is_after_backtick()
    }

    /// Returns `true` outside code where nothing but space is before on the line.
    pub(super) fn is_line_start(self) -> bool {
        matches!(self, Code::Plain { before } if before.is_line_start())
    }

    /// Returns what is before the next byte of prose.
    #[inline]
    pub(super) fn before(self) -> Before {
        if let Code::Plain { before } = self { before } else { Before::MIDDLE }
    }

    /// Sets what is before the next byte of prose.
    #[inline]
    pub(super) fn set_before(&mut self, new: Before) {
        if let Code::Plain { before } = self {
            *before = new;
        }
    }

    /// Returns the state after one more byte.
    pub(super) fn after(self, byte: u8) -> Code {
        let blank = matches!(byte, b' ' | b'\t' | b'\r');
        match self {
            Code::Ignored | Code::Thinking { .. } => self,
            Code::Plain { before } => match Mark::of(byte) {
                Some(mark) if mark == Mark::Tick || before.is_line_start() => {
                    Code::Opening { mark, run: 1, line_start: before.is_line_start() }
                }
                _ => Code::Plain { before: before.push(byte) },
            },
            Code::Opening { mark, run, line_start } if Mark::of(byte) == Some(mark) => {
                Code::Opening { mark, run: run.saturating_add(1), line_start }
            }
            Code::Opening { mark, run, line_start: true } if run >= 3 => Code::FenceInfo { mark, run }.after(byte),
            Code::Opening { mark: Mark::Tilde, .. } => MIDDLE.after(byte),
            Code::Opening { run, .. } => Code::Span { ticks: run, run: 0, blank_line: false }.after(byte),
            Code::Span { ticks, run, .. } if byte == b'`' => {
                Code::Span { ticks, run: run.saturating_add(1), blank_line: false }
            }
            Code::Span { ticks, run, .. } if run == ticks => MIDDLE.after(byte),
            Code::Span { blank_line: true, .. } if byte == b'\n' => LINE_START,
            Code::Span { ticks, blank_line, .. } => {
                Code::Span { ticks, run: 0, blank_line: byte == b'\n' || (blank_line && blank) }
            }
            Code::FenceInfo { mark, run } => match byte {
                b'\n' => Code::Fence { mark, least: run, line: FenceLine::Blank },
                b'`' if mark == Mark::Tick => Code::Span { ticks: run, run: 1, blank_line: false },
                _ => self,
            },
            Code::Fence { mark, least, line } => {
                let is_mark = Mark::of(byte) == Some(mark);
                let closes = match line {
                    FenceLine::Marks(run) => run >= least,
                    FenceLine::Closing => true,
                    FenceLine::Blank | FenceLine::Other => false,
                };
                let line = match line {
                    _ if byte == b'\n' && closes => return LINE_START,
                    _ if byte == b'\n' => FenceLine::Blank,
                    FenceLine::Blank if is_mark => FenceLine::Marks(1),
                    FenceLine::Marks(run) if is_mark => FenceLine::Marks(run.saturating_add(1)),
                    FenceLine::Marks(_) | FenceLine::Closing if blank && closes => FenceLine::Closing,
                    FenceLine::Blank if blank => FenceLine::Blank,
                    _ => FenceLine::Other,
                };
                Code::Fence { mark, least, line }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what a `<` after the text can begin.
    fn after(text: &str) -> Bracket {
        let mut code = LINE_START;
        code.pass(text.as_bytes());
        code.at_bracket()
    }

    #[test]
    fn a_span_ends_at_equally_many_back_ticks_or_a_blank_line() {
        for (text, bracket) in [
            ("", Bracket::Plain),
            ("`", Bracket::Code),
            ("`a", Bracket::Code),
            ("`a`", Bracket::Plain),
            ("`a``", Bracket::Code),
            ("``a` b``", Bracket::Plain),
            ("`a\nb", Bracket::Code),
            ("`a\n \t\r\nb", Bracket::Plain),
            ("`a\n b\n", Bracket::Code),
            ("x ```a", Bracket::Code),
            ("x ```a```", Bracket::Plain),
            ("```a``` b", Bracket::Plain),
        ] {
            assert_eq!(after(text), bracket, "{text:?}");
        }
    }

    #[test]
    fn a_fence_ends_at_a_line_of_at_least_as_many_of_its_marks() {
        for (text, bracket) in [
            ("```\n", Bracket::Code),
            ("```\n\n\n", Bracket::Code),
            ("```rust\nx\n```", Bracket::Code),
            ("```rust\nx\n```\n", Bracket::Plain),
            ("  ```\nx\n ``` \t\r\n", Bracket::Plain),
            ("````\n```\n", Bracket::Code),
            ("```\n`````\n", Bracket::Plain),
            ("```\n``` x\n", Bracket::Code),
            ("```\n~~~\n", Bracket::Code),
            ("~~~\n```\n~~~\n", Bracket::Plain),
            ("~~~ `x`\n", Bracket::Code),
            ("~~", Bracket::Plain),
            ("~~~", Bracket::Code),
            ("x ~~~\n", Bracket::Plain),
            ("x ```\n\n", Bracket::Plain),
        ] {
            assert_eq!(after(text), bracket, "{text:?}");
        }
    }
}
