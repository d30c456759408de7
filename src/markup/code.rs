//! Code in prose: spans, fences and thinking blocks, in which no call starts.
//!
//! Whether a byte is code depends only on the bytes before it, so no text has to wait.

use super::names::Name;
use crate::before::Before;
use crate::scan;

/// A position in prose: inside or outside code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Code {
    /// Not tracked, because calls may start anywhere.
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

const MIDDLE: Code = Code::Plain { before: Before::MIDDLE };

const LINE_START: Code = Code::Plain { before: Before::START };

impl Code {
    /// Returns the state at the start of a stream.
    pub(super) fn at_start(ignored: bool) -> Code {
        if ignored { Code::Ignored } else { LINE_START }
    }

    /// Returns the state after a call.
    pub(super) fn after_call(ignored: bool) -> Code {
        if ignored { Code::Ignored } else { MIDDLE }
    }

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

    /// Returns `true` outside code where nothing but space is before on the line.
    pub(super) fn is_line_start(self) -> bool {
        matches!(self, Code::Plain { before } if before.is_line_start())
    }

    pub(super) fn enter_thinking(&mut self, name: Name) {
        *self = Code::Thinking { long: name == Name::Thinking };
    }

    pub(super) fn leave_thinking(&mut self) {
        *self = MIDDLE;
    }

    /// Advances over prose.
    pub(super) fn pass(&mut self, text: &str) {
        match self {
            Code::Ignored | Code::Thinking { .. } => {}
            // Most of it is a `<` that begins nothing.
            Code::Plain { before } if text.len() < 8 && !text.bytes().any(|byte| matches!(byte, b'`' | b'~')) => {
                *before = before.after(text.as_bytes());
            }
            _ => {
                self.advance(text.as_bytes(), 0, &NoOpeners);
            }
        }
    }

    /// Advances over prose from `from` to the next byte that may begin a call, and returns its
    /// index; the length of the text if there is none.
    #[inline]
    pub(super) fn advance(&mut self, text: &[u8], from: usize, openers: &impl Openers) -> usize {
        let mut at = from;
        while at < text.len() {
            // Most bytes change nothing.
            match self {
                Code::Plain { before } if !openers.marker() => {
                    at = advance_plain(before, text, at, openers);
                    match text.get(at) {
                        Some(b'`' | b'~') => {}
                        _ => return at,
                    }
                }
                Code::Span { run: 0, blank_line: false, .. } | Code::Fence { line: FenceLine::Other, .. } => {
                    at += scan::plain_in_code(&text[at..]);
                }
                _ => {}
            }
            let Some(&byte) = text.get(at) else { break };
            let begins = match byte {
                b'<' => openers.bracket(&text[at + 1..]),
                b'{' => openers.json() && self.is_line_start(),
                b'[' => openers.marker() && self.at_bracket() == Bracket::Plain && !self.is_after_backtick(),
                _ => false,
            };
            if begins {
                return at;
            }
            *self = self.after(byte);
            at += 1;
        }
        at
    }

    fn after(self, byte: u8) -> Code {
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

/// What may begin a call in prose.
pub(super) trait Openers {
    /// Returns `true` if a `<` with this text after it may begin one.
    fn bracket(&self, rest: &[u8]) -> bool;
    /// Returns `true` if a `{` may, outside code at the start of a line.
    fn json(&self) -> bool;
    /// Returns `true` if a `[` may, outside code.
    fn marker(&self) -> bool;
}

/// Nothing begins a call.
struct NoOpeners;

impl Openers for NoOpeners {
    fn bracket(&self, _: &[u8]) -> bool {
        false
    }

    fn json(&self) -> bool {
        false
    }

    fn marker(&self) -> bool {
        false
    }
}

/// Advances outside code, to a byte that may begin a call or code, and returns its index.
#[inline]
fn advance_plain(before: &mut Before, text: &[u8], from: usize, openers: &impl Openers) -> usize {
    let (mut start, mut at, mut is_near) = (from, from, false);
    loop {
        let plain = scan::plain_in_prose(&text[at..], is_near);
        is_near = plain < 16;
        at += plain;
        let rest = &text[at..];
        match rest.first() {
            Some(b'<') if !openers.bracket(&rest[1..]) => at += 1,
            Some(b'{') if !openers.json() || !before.after(&text[start..at]).is_line_start() => at += 1,
            Some(b'~') if !before.after(&text[start..at]).is_line_start() => at += 1,
            Some(b'`') => match short_span(rest) {
                Some(len) => {
                    *before = Before::MIDDLE;
                    at += len;
                    start = at;
                }
                None => break,
            },
            _ => break,
        }
    }
    *before = before.after(&text[start..at]);
    at
}

/// Returns the length of the code span between single back-ticks that the text begins with;
/// `None` if it is not as simple as that.
#[inline]
fn short_span(text: &[u8]) -> Option<usize> {
    let inside = text.get(1..).filter(|inside| inside.first() != Some(&b'`'))?;
    let len = scan::plain_in_code(inside);
    let is_closed =
        inside.get(len) == Some(&b'`') && inside.get(len + 1).is_some_and(|after| !matches!(after, b'`' | b'<'));
    is_closed.then_some(len + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what a `<` after the text can begin.
    fn after(text: &str) -> Bracket {
        let mut code = Code::at_start(false);
        code.pass(text);
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
