//! Completes Markdown that is cut off.
//!
//! Until `**Import**` is complete, it is two asterisks and a word. Shown like that, every bold word
//! would begin with asterisks that disappear. So open marks are shown as if they were closed, and
//! what may be an incomplete mark is not shown yet.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Tag, TagEnd};

use super::source::parser;

/// Closes the open marks of the last paragraph, and removes an incomplete mark at the end.
///
/// The source is that of the last block. The cost is linear in its length.
pub(super) fn completed(source: &str) -> String {
    let leaf = LastLeaf::of(source);
    match leaf.as_ref().map(|leaf| leaf.kind) {
        Some(LeafKind::Fenced { begin }) => without_fence(source, begin).to_owned(),
        Some(LeafKind::Verbatim) => source.to_owned(),
        _ => close(without_line_of_marks(without_marks(source, leaf.as_ref()))),
    }
}

/// The kind of a leaf block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LeafKind {
    Text,
    /// A heading, which ends with its line.
    Line,
    /// Code whose opening fence begins at this offset.
    Fenced {
        begin: usize,
    },
    /// Other code, or HTML.
    Verbatim,
}

/// The last leaf block, which holds no other blocks, if more text may continue it.
#[derive(Debug)]
struct LastLeaf {
    kind: LeafKind,
    end: usize,
    /// The ranges of text outside complete marks. Marks in them are open.
    texts: Vec<Range<usize>>,
    /// The number of complete marks around the current event.
    depth: usize,
}

impl LastLeaf {
    fn of(source: &str) -> Option<LastLeaf> {
        let mut last: Option<LastLeaf> = None;
        let mut ended = false;
        for (event, range) in parser(source).into_offset_iter() {
            match &event {
                Event::Rule => last = None,
                Event::End(tag) if is_block(*tag) => ended = true,
                // The parser adds the cells that a row lacks.
                Event::Start(Tag::TableCell) if range.is_empty() || range.start >= source.trim_end().len() => {}
                Event::Start(tag) if is_block(tag.to_end()) => {
                    let kind = match tag {
                        Tag::Heading { .. } => LeafKind::Line,
                        Tag::CodeBlock(CodeBlockKind::Fenced(_)) => LeafKind::Fenced { begin: range.start },
                        Tag::CodeBlock(_) | Tag::HtmlBlock => LeafKind::Verbatim,
                        _ => LeafKind::Text,
                    };
                    let end = if matches!(kind, LeafKind::Text | LeafKind::Line) { range.start } else { range.end };
                    (last, ended) = (Some(LastLeaf { kind, end, texts: Vec::new(), depth: 0 }), false);
                }
                _ => {
                    // Text directly in an item, after another block.
                    if last.is_none() || std::mem::take(&mut ended) {
                        last = Some(LastLeaf { kind: LeafKind::Text, end: range.start, texts: Vec::new(), depth: 0 });
                    }
                    if let Some(leaf) = &mut last {
                        leaf.add(&event, range);
                    }
                }
            }
        }
        last.filter(|leaf| leaf.may_continue(source))
    }

    fn add(&mut self, event: &Event<'_>, range: Range<usize>) {
        match (self.kind, event) {
            (LeafKind::Fenced { .. } | LeafKind::Verbatim, _) => return,
            (_, Event::Start(_)) => self.depth += 1,
            (_, Event::End(_)) => self.depth = self.depth.saturating_sub(1),
            (_, Event::Text(_)) if self.depth == 0 => match self.texts.last_mut() {
                Some(last) if last.end == range.start => last.end = range.end,
                _ => self.texts.push(range.clone()),
            },
            _ => {}
        }
        self.end = self.end.max(range.end);
    }

    fn may_continue(&self, source: &str) -> bool {
        let rest = source.get(self.end..).unwrap_or_default();
        let lines = match self.kind {
            LeafKind::Text => 1,
            LeafKind::Line => 0,
            LeafKind::Fenced { .. } | LeafKind::Verbatim => usize::MAX,
        };
        rest.trim().is_empty() && rest.matches('\n').count() <= lines
    }
}

fn is_block(tag: TagEnd) -> bool {
    !matches!(tag, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image)
}

/// Removes a last line that may become the closing fence.
fn without_fence(source: &str, begin: usize) -> &str {
    let fence = source.get(begin..).unwrap_or_default();
    let line = last_line(source);
    let mark = line.trim_start_matches([' ', '\t', '>']);
    let is_partial = fence.starts_with(mark) && mark.chars().all(|char| matches!(char, '`' | '~'));
    // The first line is the opening fence.
    if is_partial && source.len() - line.len() > begin && !is_fence(fence, mark) {
        return source.strip_suffix(mark).unwrap_or(source);
    }
    source
}

/// Returns whether the mark is as long as the opening fence.
fn is_fence(code: &str, mark: &str) -> bool {
    let first = code.chars().next();
    let fence = code.chars().take_while(|&char| Some(char) == first).count();
    mark.len() >= fence
}

fn last_line(source: &str) -> &str {
    source.rsplit('\n').next().unwrap_or_default()
}

/// Removes characters at the end that may be an incomplete mark.
fn without_marks<'a>(source: &'a str, leaf: Option<&LastLeaf>) -> &'a str {
    let Some(leaf) = leaf.filter(|leaf| leaf.end == source.len()) else { return source };
    if OpenMarks::of(source, leaf).is_code {
        return source.trim_end_matches('`');
    }
    let mut source = source;
    while source.ends_with(['*', '_', '~', '`', '[', '\\']) && !is_escaped(source, source.len() - 1) {
        let len = if source.ends_with("![") { 2 } else { 1 };
        source = source.get(..source.len() - len).unwrap_or_default();
    }
    match source.strip_suffix('!') {
        // It may begin an image unless it ends a word.
        Some(before) if !before.ends_with(|char: char| !char.is_whitespace()) => before,
        _ => source,
    }
}

/// Removes a last line of marks.
///
/// It may become a list, a heading, a rule, or a part of the block above.
fn without_line_of_marks(source: &str) -> &str {
    let line = last_line(source);
    if is_number(line.trim()) || line.split_ascii_whitespace().all(is_mark) {
        return source.strip_suffix(line).unwrap_or(source);
    }
    source
}

fn is_mark(word: &str) -> bool {
    let mut chars = word.chars();
    let first = chars.next();
    let is_run = first.is_some_and(|first| "-+*_=#>".contains(first)) && chars.all(|char| Some(char) == first);
    is_run
        || word.strip_suffix(['.', ')']).is_some_and(is_number)
        || ["[", "]", "[x", "[X", "[x]", "[X]"].contains(&word)
}

fn is_number(word: &str) -> bool {
    (1..=9).contains(&word.len()) && word.chars().all(|char| char.is_ascii_digit())
}

/// Closes the open marks of the last paragraph.
fn close(source: &str) -> String {
    let Some(leaf) = LastLeaf::of(source).filter(|leaf| matches!(leaf.kind, LeafKind::Text | LeafKind::Line)) else {
        return source.to_owned();
    };
    let open = OpenMarks::of(source, &leaf);
    let ends = open.ends();
    if ends.is_empty() {
        return source.to_owned();
    }
    let mut text = source.get(..open.end).unwrap_or_default();
    if open.is_code {
        // A blank keeps the closing mark as long as the opening one.
        let blank = if text.ends_with('`') { " " } else { "" };
        return format!("{text}{blank}{ends}");
    }
    if text.ends_with('\\') && !is_escaped(text, text.len() - 1) {
        // A backslash at the end is a line break, and must not escape the closing mark.
        text = text.strip_suffix('\\').unwrap_or(text);
    }
    format!("{}{ends}", text.trim_end())
}

/// The open marks at the end of a paragraph.
#[derive(Debug)]
struct OpenMarks<'a> {
    source: &'a str,
    /// The missing closing marks, the outermost first.
    ends: Vec<String>,
    /// The open brackets, each with its index in `ends` if it may begin a link.
    brackets: Vec<Option<usize>>,
    /// The index in `ends` of a link whose text is complete, and whose destination is not.
    link: Option<usize>,
    /// The length in bytes of the source to show.
    end: usize,
    /// Whether the innermost open mark is code.
    is_code: bool,
}

impl<'a> OpenMarks<'a> {
    fn of(source: &'a str, leaf: &LastLeaf) -> OpenMarks<'a> {
        let mut open =
            OpenMarks { source, ends: Vec::new(), brackets: Vec::new(), link: None, end: leaf.end, is_code: false };
        // The text of a link may span several lines, but models don't write such links.
        let line = if source.get(leaf.end..).is_some_and(|rest| rest.contains('\n')) {
            source.len()
        } else {
            source.len() - last_line(source).len()
        };
        let last_paren = source.rfind(')').unwrap_or(0);
        for range in &leaf.texts {
            let mut from = range.start;
            for (offset, mark) in source.get(range.clone()).unwrap_or_default().match_indices(MARKS) {
                let offset = range.start + offset;
                if offset < from || is_escaped(source, offset) {
                    continue;
                }
                match mark {
                    "[" if offset >= line => open.bracket(offset),
                    "]" if open.end_bracket(offset, last_paren) => return open,
                    "[" | "]" => {}
                    _ => {
                        let run = run(source.get(offset..range.end).unwrap_or_default());
                        from = offset + run.len();
                        if mark == "`" {
                            open.ends.push(run.to_owned());
                            open.is_code = true;
                            return open;
                        }
                        open.emphasis(offset, run);
                    }
                }
            }
        }
        open
    }

    fn emphasis(&mut self, offset: usize, run: &str) {
        let in_word =
            self.source.get(..offset).is_some_and(|before| before.ends_with(|char: char| char.is_ascii_alphanumeric()));
        // A single `~` mostly means "about", and a `*` after a word "times".
        if run != "~" && !(run == "*" && in_word) && may_open(self.source, offset, run) {
            self.ends.push(run.to_owned());
        }
    }

    fn bracket(&mut self, offset: usize) {
        let before = self.source.get(..offset).and_then(|before| before.chars().next_back());
        // After a word it is an index, as in `a[0]`.
        let is_link = !before.is_some_and(char::is_alphanumeric);
        self.brackets.push(is_link.then_some(self.ends.len()));
        if is_link {
            self.ends.push(LINK.to_owned());
        }
    }

    /// Returns whether the text of a link ends here, and its destination is incomplete.
    fn end_bracket(&mut self, offset: usize, last_paren: usize) -> bool {
        let Some(Some(begin)) = self.brackets.pop() else { return false };
        let rest = self.source.get(offset + 1..).unwrap_or_default();
        let is_empty = self.source.get(..offset).is_some_and(|before| before.ends_with('['));
        if !is_empty && (rest.is_empty() || (rest.starts_with('(') && last_paren < offset)) {
            (self.link, self.end) = (Some(begin), offset);
            return true;
        }
        if let Some(end) = self.ends.get_mut(begin) {
            end.clear();
        }
        false
    }

    /// Returns all closing marks, the innermost first.
    fn ends(&self) -> String {
        // Links can't be nested: only one is closed.
        let link = self.link.or_else(|| self.brackets.iter().rev().copied().flatten().next());
        let ends = self.ends.iter().enumerate().rev().filter(|&(index, end)| end != LINK || Some(index) == link);
        ends.map(|(_, end)| end.as_str()).collect()
    }
}

/// Returns the run of equal characters at the beginning of a text.
fn run(text: &str) -> &str {
    let rest = text.chars().next().map_or(text, |first| text.trim_start_matches(first));
    text.get(..text.len() - rest.len()).unwrap_or_default()
}

fn is_escaped(source: &str, offset: usize) -> bool {
    let before = source.get(..offset).unwrap_or_default();
    (before.len() - before.trim_end_matches('\\').len()) % 2 == 1
}

/// Returns whether a run of marks may open emphasis, by the rules of CommonMark.
fn may_open(source: &str, offset: usize, run: &str) -> bool {
    let mark = run.chars().next().unwrap_or_default();
    let before = source.get(..offset).unwrap_or_default().trim_end_matches(mark).chars().next_back();
    let after = source.get(offset + run.len()..).unwrap_or_default().trim_start_matches(mark).chars().next();
    let is_blank = |char: Option<char>| char.is_none_or(char::is_whitespace);
    let is_punctuation = |char: Option<char>| char.is_some_and(|char| !char.is_alphanumeric() && !char.is_whitespace());
    let is_left = !is_blank(after) && (!is_punctuation(after) || is_blank(before) || is_punctuation(before));
    // The underscores in snake_case open none.
    is_left && (mark != '_' || is_blank(before) || is_punctuation(before))
}

const MARKS: [char; 6] = ['`', '*', '_', '~', '[', ']'];
const LINK: &str = "]()";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_marks_are_closed() {
        let cases = [
            ("", ""),
            ("plain", "plain"),
            ("**Import", "**Import**"),
            ("**Important*", "**Important**"),
            ("**Important**", "**Important**"),
            ("**a *b", "**a *b***"),
            ("*a **b", "*a **b***"),
            ("***a** b", "***a** b*"),
            ("*em ", "*em*"),
            ("*em\nmore", "*em\nmore*"),
            ("*em\\\n", "*em*"),
            ("_em", "_em_"),
            ("~~x", "~~x~~"),
            ("~~x~", "~~x~~"),
            ("**a** b", "**a** b"),
            ("- a\n- **b", "- a\n- **b**"),
            ("- a\n  - b\n\n  *c", "- a\n  - b\n\n  *c*"),
            ("> **a\n> b", "> **a\n> b**"),
            ("# a *b", "# a *b*"),
            ("* item *a", "* item *a*"),
        ];
        check(&cases);
    }

    #[test]
    fn marks_in_code_and_after_backslashes_are_ignored() {
        let cases = [
            ("`cod", "`cod`"),
            ("`code`", "`code`"),
            ("`a *b", "`a *b`"),
            ("`a*", "`a*`"),
            ("`a` *b", "`a` *b*"),
            ("`` a ` b", "`` a ` b``"),
            ("`` a `", "`` a``"),
            ("`` ` ``", "`` ` ``"),
            ("*a `b *c", "*a `b *c`*"),
            ("\\*a", "\\*a"),
            ("a \\*", "a \\*"),
            ("\\\\*a", "\\\\*a*"),
            ("\\`a", "\\`a"),
            ("`a\\", "`a\\`"),
            ("```\n**a", "```\n**a"),
            ("    **a", "    **a"),
            ("<div>\n**a", "<div>\n**a"),
            ("```\na\n``", "```\na\n"),
            ("```\na\n```", "```\na\n```"),
            ("> ~~~\n> a\n> ~", "> ~~~\n> a\n> "),
            ("```\na\n~~", "```\na\n~~"),
            ("```\n-", "```\n-"),
            ("```r", "```r"),
        ];
        check(&cases);
    }

    #[test]
    fn a_link_is_text_until_its_destination_is_complete() {
        let cases = [
            ("[text", "[text]()"),
            ("[text]", "[text]()"),
            ("[text](", "[text]()"),
            ("[text](htt", "[text]()"),
            ("[text](a \"b", "[text]()"),
            ("[text](a)", "[text](a)"),
            ("**[text](a", "**[text]()**"),
            ("[a **b", "[a **b**]()"),
            ("[`a", "[`a`]()"),
            ("![alt](ur", "![alt]()"),
            ("[a [b", "[a [b]()"),
            ("[a] b", "[a] b"),
            ("[a](b c) d", "[a](b c) d"),
            ("[a *b](c) d", "[a *b](c) d"),
            ("[]", "[]"),
            ("[a\n", "[a\n"),
            ("[a\nb", "[a\nb"),
            ("array[0", "array[0"),
            ("\\[a", "\\[a"),
        ];
        check(&cases);
    }

    #[test]
    fn incomplete_marks_at_the_end_are_hidden() {
        let cases = [
            ("a *", "a "),
            ("a **", "a "),
            ("a `", "a "),
            ("a [", "a "),
            ("a !", "a "),
            ("a ![", "a "),
            ("a!", "a!"),
            ("a\\", "a"),
            ("a_", "a"),
            ("a\n-", "a\n"),
            ("a\n- ", "a\n"),
            ("a\n--", "a\n"),
            ("a\n==", "a\n"),
            ("a\n#", "a\n"),
            ("a\n12", "a\n"),
            ("a\n1.", "a\n"),
            ("a\n1. ", "a\n"),
            ("a\n1. **", "a\n"),
            ("> a\n> -", "> a\n"),
            ("> **a\n>", "> **a**"),
            ("- [", ""),
            ("- [ ]", ""),
            ("- [x] ", ""),
            ("- a\n- *", "- a\n"),
            ("**a\n-", "**a**"),
            ("***", ""),
            ("in 2024", "in 2024"),
            ("a\n-\n", "a\n-\n"),
            ("a\n-b", "a\n-b"),
        ];
        check(&cases);
    }

    #[test]
    fn characters_that_are_not_marks_stay() {
        let cases = [
            ("2 * 3", "2 * 3"),
            ("2 ** 3 __ 4", "2 ** 3 __ 4"),
            ("snake_case_na", "snake_case_na"),
            ("5* is", "5* is"),
            ("2*3", "2*3"),
            ("2**3", "2**3**"),
            ("どの**デー", "どの**デー**"),
            ("about ~5 or ~", "about ~5 or "),
            ("* item", "* item"),
            ("- **a\n- b", "- **a\n- b"),
            ("**a\n\n", "**a\n\n"),
            ("**a\n\nb", "**a\n\nb"),
            ("> **a\n>\n", "> **a\n>\n"),
            ("# **a\n", "# **a\n"),
            ("*a _b* c", "*a _b* c"),
            ("**a\n---\n", "**a\n---\n"),
        ];
        check(&cases);
    }

    fn check(cases: &[(&str, &str)]) {
        for (source, expected) in cases {
            assert_eq!(completed(source), *expected, "{source:?}");
        }
    }
}
