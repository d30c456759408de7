//! Code in prose: spans, fences and thinking blocks, in which no call starts.
//!
//! Nothing here holds text back: what is code depends only on what came before.

use super::names::Name;

/// Where in the prose the stream stands, as far as code is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Code {
    /// Nobody asked: calls may start anywhere.
    Ignored,
    /// Outside code. `line_start`: nothing but blanks yet on this line.
    Plain { line_start: bool },
    /// In the run of marks that may open a span or a fence.
    Opening { mark: Mark, run: u32, line_start: bool },
    /// In a span of that many back-ticks; `run` of them have just come. `blank_line`: nothing but blanks since the last new line.
    Span { ticks: u32, run: u32, blank_line: bool },
    /// Behind the marks on the opening line of a fence.
    FenceInfo { mark: Mark, run: u32 },
    /// In a fence.
    Fence { mark: Mark, least: u32, line: FenceLine },
    /// In a thinking block, to its own close tag. `long`: `<thinking>`.
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

/// A line inside a fence, as far as it may close the fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum FenceLine {
    /// Nothing but blanks yet.
    Blank,
    /// In a run of marks behind blanks.
    Marks(u32),
    /// Behind enough marks, with nothing but blanks after them.
    Closing,
    /// Something else: it closes nothing.
    Other,
}

/// What a `<` may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Bracket {
    /// A call, or a thinking block.
    Plain,
    /// Nothing.
    Code,
    /// The end of the thinking block.
    Thinking { long: bool },
}

const MIDDLE: Code = Code::Plain { line_start: false };

impl Code {
    /// At the start of a stream.
    pub(super) fn at_start(ignored: bool) -> Code {
        if ignored { Code::Ignored } else { Code::Plain { line_start: true } }
    }

    /// The state after a call.
    pub(super) fn after_call(ignored: bool) -> Code {
        if ignored { Code::Ignored } else { MIDDLE }
    }

    /// What the next character may begin, if it is `<`.
    pub(super) fn at_bracket(self) -> Bracket {
        match self {
            Code::Thinking { long } => Bracket::Thinking { long },
            Code::Ignored => Bracket::Plain,
            other => match other.after(b'<') {
                Code::Plain { .. } => Bracket::Plain,
                _ => Bracket::Code,
            },
        }
    }

    pub(super) fn enter_thinking(&mut self, name: Name) {
        *self = Code::Thinking { long: name == Name::Thinking };
    }

    pub(super) fn leave_thinking(&mut self) {
        *self = MIDDLE;
    }

    /// Goes through text that is prose.
    pub(super) fn pass(&mut self, text: &str) {
        if !matches!(self, Code::Ignored | Code::Thinking { .. }) {
            *self = text.bytes().fold(*self, Code::after);
        }
    }

    fn after(self, byte: u8) -> Code {
        let blank = matches!(byte, b' ' | b'\t' | b'\r');
        match self {
            Code::Ignored | Code::Thinking { .. } => self,
            Code::Plain { line_start } => match (byte, Mark::of(byte)) {
                (b'\n', _) => Code::Plain { line_start: true },
                (_, Some(Mark::Tick)) => Code::Opening { mark: Mark::Tick, run: 1, line_start },
                (_, Some(Mark::Tilde)) if line_start => Code::Opening { mark: Mark::Tilde, run: 1, line_start },
                _ => Code::Plain { line_start: line_start && blank },
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
            Code::Span { blank_line: true, .. } if byte == b'\n' => Code::Plain { line_start: true },
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
                    _ if byte == b'\n' && closes => return Code::Plain { line_start: true },
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

    /// What a `<` behind the text may begin.
    fn after(text: &str) -> Bracket {
        let mut code = Code::at_start(false);
        code.pass(text);
        code.at_bracket()
    }

    #[test]
    fn spans_end_at_as_many_back_ticks_or_a_blank_line() {
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
    fn fences_end_at_a_line_of_their_like() {
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
