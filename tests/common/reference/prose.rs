//! Prose, code in it, and where a call starts.

use super::words::Side::{Close, Open};
use super::words::{Shape, is_tag_space};
use super::{Atom, Code, Reader, Rules};
use crate::common::envelopes::Prose;

impl Reader<'_> {
    pub fn text(&mut self, from: usize, to: usize) {
        for index in from..to {
            self.shown.push(Atom::Text(self.chars[index].c));
        }
    }

    /// "Outside calls the tags are `<ask_followup_question>` and the other tools' opening tags.
    /// Everything else is text."
    ///
    /// Decided: a call of another tool does not start in code either.
    pub(super) fn prose(&mut self) {
        let mut code = Code::Outside;
        // The end of the last call.
        let mut call_ends = None;
        // Before this index is text that was tried and is no header of an envelope: no call starts
        // there.
        let mut tried = 0;
        // Before this index no envelope starts.
        let mut no_envelope_before = 0;
        let mut index = 0;
        while let Some(c) = self.peek(index) {
            let is_outside = matches!(code, Code::Outside);
            // "By default calls may start anywhere."
            if c == '<' && index >= tried && (is_outside || !self.rules.outside_code) {
                // "After a call, prose continues in the middle of a line and outside code."
                if let Some(tag) = self.ask_open(index) {
                    no_envelope_before = 0;
                    let body = tag.end;
                    if let Some(end) = self.call(index, tag) {
                        index = end;
                        code = Code::Outside;
                        call_ends = Some(index);
                        continue;
                    }
                    // "None starts after an `<ask_followup_question>` that was only named, in as
                    // much text as the `unconfirmed` limit, or up to the next tool's opening tag
                    // with which a call may start." The tag is text, in which no call starts.
                    let limit = self.offset(body).saturating_add(self.rules.unconfirmed);
                    let beyond = |index: &usize| self.offset(*index) + self.chars[*index].c.len_utf8() > limit;
                    no_envelope_before = (body..self.chars.len()).find(beyond).unwrap_or(self.chars.len());
                    tried = body;
                } else if let Some((tool, end)) = self.tool_open(index) {
                    no_envelope_before = 0;
                    index = self.opaque(index, tool, end);
                    call_ends = Some(index);
                    code = Code::Outside;
                    continue;
                }
            }
            // "In prose, at its opener, but not in a code span or code fence, whatever the policy
            // says about markup, not right after a back-tick, and under `OutsideCode` not in a
            // thinking block."
            let line_begins = self.line_begins(index, call_ends);
            let is_after_back_tick = self.is_after_back_tick(index) && call_ends != Some(index);
            let may_be_envelope = index >= tried && index >= no_envelope_before && is_outside && !is_after_back_tick;
            let may_be_tag = c == '<' && index >= tried && (is_outside || !self.rules.outside_code);
            if may_be_envelope {
                match self.envelopes(index, line_begins) {
                    Prose::GoesOn => {}
                    // "Then it is `Text`, in which only back-ticks and tildes mean something"
                    Prose::After(end) => tried = end,
                    Prose::AfterCall(end, text, between) => {
                        index = end;
                        // "What follows a call is neither in code nor right after a back-tick",
                        // unless an opener ended it. "What follows that fence is not right after a
                        // back-tick."
                        call_ends = between.is_none_or(|from| from == end).then_some(end);
                        code = between.map_or(Code::Outside, |from| self.code_after(from, end));
                        tried = text;
                        continue;
                    }
                }
            }
            let next;
            (code, next) = self.code_step(code, index, line_begins, index >= tried);
            // "in what was an incomplete tag and is no tag"
            if may_be_tag {
                tried = tried.max(self.end_of_no_tag(index, may_be_envelope));
            }
            self.text(index, next);
            index = next;
        }
    }

    /// Returns the index up to which what begins at `at` may be an opening tag that is incomplete.
    pub(super) fn end_of_no_tag(&self, index: usize, may_be_envelope: bool) -> usize {
        if self.put_in.is_some() {
            return index;
        }
        // The header of an envelope has a limit of its own.
        let header = Rules { tag: self.rules.tag.min(self.rules.unconfirmed), ..self.rules.clone() };
        let is_incomplete = |end: &usize| {
            let before = |rules| Reader { chars: self.chars[..*end].to_vec(), ..Reader::new(b"", rules) };
            before(self.rules).is_beginning_of_a_tools_opening_tag(index)
                || may_be_envelope && before(&header).is_beginning_of_an_opener(index)
        };
        (index + 1..=self.chars.len()).take_while(is_incomplete).last().unwrap_or(index)
    }

    /// Returns the code after what is at `at`, and the index after that.
    pub(super) fn code_step(&self, code: Code, index: usize, line_begins: bool, may_be_tag: bool) -> (Code, usize) {
        match code {
            Code::Outside => self.code_begins(index, line_begins, may_be_tag).unwrap_or((code, index + 1)),
            // "from a run of back-ticks to a run of as many, or to a blank line"
            Code::Span { ticks } => match self.peek(index) {
                Some('`') => {
                    let run = self.run(index, '`');
                    (if run == ticks { Code::Outside } else { code }, index + run)
                }
                Some('\n') if self.is_blank_line(index + 1) => (Code::Outside, index + 1),
                _ => (code, index + 1),
            },
            // "to a line that holds nothing but one run of at least as many of the same (and tag
            // space)"
            Code::Fence { of, long } => match self.closing_fence(index, of, long) {
                Some(end) if index > 0 && self.peek(index - 1) == Some('\n') => (Code::Outside, end),
                _ => (code, index + 1),
            },
            // "from `<think>` or `<thinking>` to its own close tag"
            Code::Thinking { name } => match self.shape(index, Close, name, false) {
                Shape::Tag { end, .. } => (Code::Outside, end),
                _ => (code, index + 1),
            },
        }
    }

    /// Returns the code after text that begins in the middle of a line, outside code.
    ///
    /// Decided: no thinking block begins there.
    pub(super) fn code_after(&self, from: usize, to: usize) -> Code {
        let (mut code, mut index) = (Code::Outside, from);
        while index < to {
            (code, index) = self.code_step(code, index, self.line_begins(index, Some(from)), false);
        }
        code
    }

    /// Returns whether an envelope may start after such text.
    pub fn may_start_after(&self, from: usize, to: usize) -> bool {
        let is_after_back_tick = to > from && self.is_after_back_tick(to);
        matches!(self.code_after(from, to), Code::Outside) && !is_after_back_tick
    }

    /// "a line that begins (after tag space)". "After a call, prose continues
    /// in the middle of a line".
    pub(super) fn line_begins(&self, index: usize, call_ends: Option<usize>) -> bool {
        for before in 0..=index {
            if index == before {
                return true;
            }
            match self.chars[index - before - 1].c {
                _ if call_ends == Some(index - before) => return false,
                '\n' => return true,
                c if is_tag_space(c) => {}
                _ => return false,
            }
        }
        true
    }

    /// Returns the code that begins here, and the index after its back-ticks, tildes or tag.
    pub(super) fn code_begins(&self, index: usize, line_begins: bool, may_be_tag: bool) -> Option<(Code, usize)> {
        match self.peek(index)? {
            // "a line that begins (after tag space) with three or more back-ticks or tildes"
            '`' => {
                let run = self.run(index, '`');
                let rest_of_line = self.chars[index + run..].iter().take_while(|c| c.c != '\n');
                // "A back-tick on the opening line after back-ticks makes it a code span instead."
                let is_fence = line_begins && run >= 3 && rest_of_line.into_iter().all(|c| c.c != '`');
                let code = match is_fence {
                    true => Code::Fence { of: '`', long: run },
                    false => Code::Span { ticks: run },
                };
                Some((code, index + run))
            }
            // Decided: back-ticks after tildes change nothing, as there is no code span of tildes.
            '~' => {
                let run = self.run(index, '~');
                let fence = Code::Fence { of: '~', long: run };
                (line_begins && run >= 3).then_some((fence, index + run))
            }
            // Decided: these two have tag space before `>` at most, as other tools' tags, and are
            // tags also right before a back-tick.
            '<' if self.rules.outside_code && may_be_tag => {
                ["think", "thinking"].into_iter().find_map(|name| match self.shape(index, Open, name, false) {
                    Shape::Tag { end, .. } => Some((Code::Thinking { name }, end)),
                    _ => None,
                })
            }
            _ => None,
        }
    }

    pub fn run(&self, index: usize, of: char) -> usize {
        self.chars[index..].iter().take_while(|c| c.c == of).count()
    }

    /// A blank line holds nothing but tag space.
    pub(super) fn is_blank_line(&self, from: usize) -> bool {
        let mut line = self.chars[from..].iter().take_while(|c| c.c != '\n');
        let ends = self.chars[from..].iter().any(|c| c.c == '\n');
        ends && line.all(|c| is_tag_space(c.c))
    }

    /// Returns the end of this line, if the rest of it is a closing fence.
    ///
    /// Decided: the back-ticks or tildes are one run.
    pub(super) fn closing_fence(&self, from: usize, of: char, long: usize) -> Option<usize> {
        let skip_spaces = |mut index: usize| {
            while matches!(self.peek(index), Some(' ' | '\t' | '\r')) {
                index += 1;
            }
            index
        };
        let fence = skip_spaces(from);
        let run = self.run(fence, of);
        let end = skip_spaces(fence + run);
        (run >= long && matches!(self.peek(end), None | Some('\n'))).then_some(end)
    }

    // --------------------------------------------------------------------------------- other tools

    /// "A call of another tool is `Opaque`, from its opening tag on."
    pub(super) fn opaque(&mut self, start: usize, tool: String, after_tag: usize) -> usize {
        let mut index = after_tag;
        while let Some(c) = self.peek(index) {
            if c == '<' {
                // "Outside parameters the call ends after its own close tag, or before any tool's
                // opening tag (`ask_followup_question` and the same tool again included), or with
                // the stream."
                if self.ask_open(index).is_some() || self.tool_open(index).is_some() {
                    break;
                }
                if let Shape::Tag { end, .. } = self.shape(index, Close, &tool, false) {
                    index = end;
                    break;
                }
                if let Some(end) = self.parameter_of_other_tool(index) {
                    index = end;
                    continue;
                }
            }
            index += 1;
        }
        for c in &self.chars[start..index] {
            self.shown.push(Atom::Opaque { index: self.opaques, tool: tool.clone(), c: c.c });
        }
        self.opaques += 1;
        index
    }

    /// "Inside, a parameter's opening tag starts a value that ends at that parameter's own close
    /// tag only."
    pub(super) fn parameter_of_other_tool(&self, index: usize) -> Option<usize> {
        for parameter in &self.rules.parameters {
            if let Shape::Tag { end, .. } = self.shape(index, Open, parameter, false) {
                for inside in end..self.chars.len() {
                    if let Shape::Tag { end, .. } = self.shape(inside, Close, parameter, false) {
                        return Some(end);
                    }
                }
                return Some(self.chars.len());
            }
        }
        None
    }
}
