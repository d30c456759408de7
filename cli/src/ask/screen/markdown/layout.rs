//! Lays out the events of a Markdown parser in rows.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Tag, TagEnd};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::source::{display, is_definition, parser};
use super::table::Table;
use crate::ask::screen::theme::Theme;
use crate::ask::screen::wrap::{columns, shortened, wrap};

/// Appends the rows of the blocks in `source`, after an empty row if there are rows.
///
/// The first of all rows begins with `lead`.
pub(super) fn lay_out(
    source: &str,
    width: usize,
    theme: Theme,
    lead: Option<&Span<'static>>,
    rows: &mut Vec<Line<'static>>,
) {
    let mut layout = RowLayout::new(source, width, theme, rows);
    layout.lead = lead.filter(|_| layout.rows.is_empty()).cloned();
    for (event, range) in parser(source).into_offset_iter() {
        layout.event(event, range);
    }
    layout.close();
}

/// The kind of a container block.
#[derive(Debug)]
enum ContainerKind {
    Document,
    Quote,
    /// The items of a loose list, which contain paragraphs, are separated by empty rows.
    List {
        is_loose: bool,
    },
    Item {
        mark: String,
    },
}

/// A container block, which holds other blocks.
#[derive(Debug)]
struct Container {
    kind: ContainerKind,
    /// Whether a row of it, and so of all containers around it, has been laid out.
    has_rows: bool,
}

/// The prefixes of the rows of a leaf block, which holds no other blocks.
#[derive(Debug)]
struct LeafPrefix {
    /// The prefix of the next row.
    first: Vec<Span<'static>>,
    /// The prefix of the rows after it.
    rest: Vec<Span<'static>>,
}

/// An open link or image.
#[derive(Debug)]
struct Link {
    destination: String,
    title: String,
    /// The offset of its text in `link_text`.
    begin: usize,
}

/// The state of the layout.
#[derive(Debug)]
struct RowLayout<'a> {
    source: &'a str,
    width: usize,
    theme: Theme,
    rows: &'a mut Vec<Line<'static>>,
    /// The open containers, the innermost last.
    containers: Vec<Container>,
    /// The open leaf block; `None` before its first row.
    leaf: Option<LeafPrefix>,
    /// The open styles, each patched onto those before.
    styles: Vec<Style>,
    /// The line that is not laid out yet.
    line: Vec<Span<'static>>,
    links: Vec<Link>,
    /// The text of the open links.
    link_text: String,
    /// The lines of an open block of code or HTML.
    verbatim: Option<String>,
    /// Whether the open block is code.
    is_code: bool,
    /// The open table.
    table: Option<Table>,
    /// What the first row begins with.
    lead: Option<Span<'static>>,
}

impl<'a> RowLayout<'a> {
    fn new(source: &'a str, width: usize, theme: Theme, rows: &'a mut Vec<Line<'static>>) -> RowLayout<'a> {
        let document = Container { kind: ContainerKind::Document, has_rows: !rows.is_empty() };
        RowLayout {
            source,
            width,
            theme,
            rows,
            containers: vec![document],
            leaf: None,
            styles: Vec::new(),
            line: Vec::new(),
            links: Vec::new(),
            link_text: String::new(),
            verbatim: None,
            is_code: false,
            table: None,
            lead: None,
        }
    }

    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag, range),
            Event::Code(text) => self.text(&display(&text), self.style().patch(self.theme.code())),
            Event::SoftBreak => self.soft_break(range),
            Event::HardBreak => self.end_line(),
            Event::Rule => self.rule(),
            Event::TaskListMarker(done) => self.task(done),
            Event::Text(text)
            | Event::Html(text)
            | Event::InlineHtml(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::FootnoteReference(text) => match &mut self.verbatim {
                Some(lines) => lines.push_str(&display(&text)),
                None => self.lines(&display(&text)),
            },
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Emphasis => self.push_style(self.theme.emphasis()),
            Tag::Strong => self.push_style(self.theme.strong()),
            Tag::Strikethrough => self.push_style(self.theme.struck()),
            Tag::Link { dest_url, title, .. } => {
                self.start_link(&dest_url, &title);
                self.push_style(self.theme.link());
            }
            Tag::Image { dest_url, title, .. } => {
                self.text("[image: ", self.style());
                self.start_link(&dest_url, &title);
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.start_row();
                }
                if matches!(tag, Tag::TableHead) {
                    self.push_style(self.theme.strong());
                }
            }
            Tag::TableCell => {}
            _ => {
                self.close();
                self.start_block(tag, range);
            }
        }
    }

    fn start_block(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Paragraph => self.mark_loose(),
            Tag::Heading { .. } => self.push_style(self.theme.strong()),
            Tag::BlockQuote(_) => self.push(ContainerKind::Quote),
            Tag::List(_) => self.push(ContainerKind::List { is_loose: false }),
            Tag::Item => {
                let mark = mark(self.source.get(range).unwrap_or_default());
                self.push(ContainerKind::Item { mark });
            }
            Tag::CodeBlock(kind) => self.start_code(&kind),
            Tag::HtmlBlock => self.verbatim = Some(String::new()),
            Tag::Table(alignments) => self.table = Some(Table::new(alignments)),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, range: Range<usize>) {
        match tag {
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                self.styles.pop();
            }
            TagEnd::Link => {
                self.styles.pop();
                self.end_link(false);
            }
            TagEnd::Image => {
                self.text("]", self.style());
                self.end_link(true);
            }
            TagEnd::Heading(_) => {
                if self.leaf.is_none() && self.line.is_empty() {
                    // The heading consists only of its mark.
                    self.text(display(self.source.get(range).unwrap_or_default()).trim(), self.style());
                }
                self.close();
                self.styles.pop();
            }
            TagEnd::CodeBlock | TagEnd::HtmlBlock => self.end_verbatim(),
            TagEnd::Table => self.end_table(range),
            TagEnd::TableHead => {
                self.styles.pop();
            }
            TagEnd::TableRow => {}
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.line);
                if let Some(table) = &mut self.table {
                    table.push(cell);
                }
            }
            TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Item => {
                self.close();
                self.pop();
            }
            _ => self.close(),
        }
    }

    fn start_code(&mut self, kind: &CodeBlockKind<'_>) {
        self.verbatim = Some(String::new());
        if let CodeBlockKind::Fenced(language) = kind
            && !language.is_empty()
        {
            // Despite its name it may be any text. It is no line of code, so it is not indented.
            self.text(&format!("── {}", display(language)), self.theme.dim());
            self.end_line();
            if let Some(LeafPrefix { first, rest }) = &mut self.leaf {
                first.push(CODE_INDENT.into());
                rest.push(CODE_INDENT.into());
            }
        }
        self.is_code = true;
    }

    /// Ends a line in the middle of a paragraph, which has no meaning of its own.
    fn soft_break(&mut self, range: Range<usize>) {
        let line = self.source.get(..range.start).and_then(|before| before.rsplit('\n').next()).unwrap_or_default();
        let next = self.source.get(range.end..).unwrap_or_default().trim_start_matches([' ', '>']);
        // What may become a definition must not move when it does.
        if is_definition(line) || next.starts_with('[') {
            self.end_line();
        } else if !self.line.is_empty() {
            self.text(" ", self.style());
        }
    }

    fn end_table(&mut self, range: Range<usize>) {
        let Some(table) = self.table.take() else { return };
        let mut leaf = self.open();
        leaf.first.splice(0..0, self.lead.take());
        let room = self.width.saturating_sub(columns(&leaf.first).max(columns(&leaf.rest)));
        self.leaf = Some(leaf);
        let source = self.source.get(range.clone()).unwrap_or_default();
        match table.lines(room, self.theme).filter(|_| table.shows_all_of(source)) {
            Some(lines) => lines.into_iter().for_each(|line| {
                self.line = line;
                self.end_line();
            }),
            None => {
                let source = display(self.source.get(range).unwrap_or_default());
                self.lines(source.trim_end());
            }
        }
        self.close();
    }

    fn end_verbatim(&mut self) {
        let lines = self.verbatim.take().unwrap_or_default();
        let style = if self.is_code { self.style().patch(self.theme.code()) } else { self.style() };
        let lines = lines.strip_suffix('\n').unwrap_or(&lines);
        // An empty code block is shown as an empty line.
        if !lines.is_empty() || self.leaf.is_none() {
            for line in lines.split('\n') {
                self.text(line, style);
                self.end_line();
            }
        }
        self.close();
        self.is_code = false;
    }

    fn rule(&mut self) {
        self.close();
        let room = self.width.saturating_sub(columns(&self.prefix(self.containers.len())));
        self.text(&"─".repeat(room.clamp(1, MAX_RULE_WIDTH)), self.theme.dim());
        self.close();
    }

    /// Gives the current item a check box.
    fn task(&mut self, is_done: bool) {
        let Some(Container { kind: ContainerKind::Item { mark }, has_rows: false }) = self.containers.last_mut() else {
            return;
        };
        if mark == BULLET {
            mark.clear();
        }
        mark.push_str(if is_done { "☑ " } else { "☐ " });
    }

    fn start_link(&mut self, destination: &str, title: &str) {
        let (destination, title) = (display(destination), display(title));
        self.links.push(Link { destination, title, begin: self.link_text.len() });
    }

    /// Appends the destination of the link, unless it is the text of the link.
    fn end_link(&mut self, is_image: bool) {
        let Some(Link { destination, title, begin }) = self.links.pop() else { return };
        let text = self.link_text.get(begin..).unwrap_or_default();
        let (is_text, is_empty) = (!is_image && text == destination, !is_image && text.is_empty());
        let target = match (destination.is_empty() || is_text, title.is_empty()) {
            (true, true) => String::new(),
            (true, false) => format!("(\"{title}\")"),
            (false, true) => format!("({destination})"),
            (false, false) => format!("({destination} \"{title}\")"),
        };
        if self.links.is_empty() {
            self.link_text.clear();
        }
        if !target.is_empty() {
            let blank = if self.line.is_empty() { "" } else { " " };
            self.text(&format!("{blank}{target}"), self.style().patch(self.theme.dim()));
        } else if is_empty {
            // Otherwise the link would be invisible.
            self.text("[]()", self.style());
        }
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or_default()
    }

    fn push_style(&mut self, style: Style) {
        self.styles.push(self.style().patch(style));
    }

    /// Appends text that may have several lines, such as inline HTML.
    fn lines(&mut self, text: &str) {
        let style = self.style();
        for (i, line) in text.split('\n').enumerate() {
            if i > 0 {
                self.end_line();
            }
            self.text(line, style);
        }
    }

    fn text(&mut self, text: &str, style: Style) {
        if !self.links.is_empty() {
            self.link_text.push_str(text);
        }
        if !text.is_empty() {
            self.line.push(Span::styled(text.to_owned(), style));
        }
    }

    fn end_line(&mut self) {
        let mut line = std::mem::take(&mut self.line);
        let mut leaf = match self.leaf.take() {
            Some(leaf) => leaf,
            None => self.open(),
        };
        if let Some(lead) = self.lead.take() {
            // In a paragraph it is text, which can be wrapped.
            if leaf.first.is_empty() { &mut line } else { &mut leaf.first }.insert(0, lead);
        }
        self.rows.extend(wrap(&line, self.width, &leaf.first, &leaf.rest));
        self.leaf = Some(LeafPrefix { first: leaf.rest.clone(), rest: leaf.rest });
    }

    /// Ends the open leaf block.
    fn close(&mut self) {
        if !self.line.is_empty() {
            self.end_line();
        }
        self.leaf = None;
    }

    fn push(&mut self, kind: ContainerKind) {
        self.containers.push(Container { kind, has_rows: false });
    }

    fn pop(&mut self) {
        let is_empty = self
            .containers
            .last()
            .is_some_and(|container| !container.has_rows && !matches!(container.kind, ContainerKind::List { .. }));
        if is_empty {
            // The container consists only of its mark.
            self.end_line();
            self.close();
        }
        self.containers.pop();
    }

    /// Marks the current list as loose, because an item contains a paragraph.
    fn mark_loose(&mut self) {
        if let [
            ..,
            Container { kind: ContainerKind::List { is_loose }, .. },
            Container { kind: ContainerKind::Item { .. }, .. },
        ] = self.containers.as_mut_slice()
        {
            *is_loose = true;
        }
    }

    /// Begins a leaf block, after an empty row where one separates it from the rows above.
    fn open(&mut self) -> LeafPrefix {
        let filled = self.containers.partition_point(|container| container.has_rows);
        if self.is_separated(filled) {
            let blank = trimmed(self.prefix(filled));
            self.rows.push(Line::from(blank));
        }
        let (mut first, mut rest) = (self.marks(filled), self.prefix(self.containers.len()));
        if self.is_code {
            first.push(CODE_INDENT.into());
            rest.push(CODE_INDENT.into());
        }
        rest = shortened(&rest, self.width);
        if !self.containers.iter().skip(filled).any(|container| matches!(container.kind, ContainerKind::Item { .. })) {
            first = rest.clone();
        }
        for container in self.containers.iter_mut().skip(filled) {
            container.has_rows = true;
        }
        LeafPrefix { first, rest }
    }

    /// Returns `true` if an empty row precedes the next block in the innermost `filled` container.
    fn is_separated(&self, filled: usize) -> bool {
        match self.containers.get(..filled) {
            Some([.., Container { kind: ContainerKind::List { is_loose }, .. }])
            | Some(
                [
                    ..,
                    Container { kind: ContainerKind::List { is_loose }, .. },
                    Container { kind: ContainerKind::Item { .. }, .. },
                ],
            ) => *is_loose,
            containers => containers.is_some_and(|containers| !containers.is_empty()),
        }
    }

    /// Returns the prefix of rows in the outer `depth` containers, as far as there is room.
    fn prefix(&self, depth: usize) -> Vec<Span<'static>> {
        let mut prefix = Vec::new();
        let mut width = 0;
        for container in self.containers.iter().take(depth) {
            if width >= self.width {
                break;
            }
            if let Some(part) = self.prefix_of(container) {
                width += columns(std::slice::from_ref(&part));
                prefix.push(part);
            }
        }
        shortened(&prefix, self.width)
    }

    /// Returns the prefix of the first row of all containers that have none yet.
    fn marks(&self, filled: usize) -> Vec<Span<'static>> {
        let mut marks = self.prefix(filled);
        let mut room = (self.width / 3).saturating_sub(columns(&marks));
        for container in self.containers.iter().skip(filled) {
            if let ContainerKind::Item { mark } = &container.kind {
                marks.push(mark.clone().into());
                continue;
            }
            // Where there is no room, the marks of items are more important than the depth.
            if let Some(part) = self.prefix_of(container)
                && let Some(left) = room.checked_sub(columns(std::slice::from_ref(&part)))
            {
                room = left;
                marks.push(part);
            }
        }
        marks
    }

    /// Returns the prefix that a container gives its rows.
    fn prefix_of(&self, container: &Container) -> Option<Span<'static>> {
        match &container.kind {
            ContainerKind::Document | ContainerKind::List { .. } => None,
            ContainerKind::Quote => Some(Span::styled(QUOTE, self.theme.dim())),
            ContainerKind::Item { mark } => Some(" ".repeat(columns(&[mark.as_str().into()])).into()),
        }
    }
}

/// Returns the mark of an item: its number as the model wrote it, or a bullet.
fn mark(item: &str) -> String {
    let item = item.trim_start();
    let number = item.trim_start_matches(|char: char| char.is_ascii_digit());
    let digits = item.get(..item.len() - number.len()).unwrap_or_default();
    match number.chars().next() {
        Some(end @ ('.' | ')')) if !digits.is_empty() => format!("{digits}{end} "),
        _ => BULLET.to_owned(),
    }
}

/// Removes the blanks at the end.
fn trimmed(mut spans: Vec<Span<'static>>) -> Vec<Span<'static>> {
    while let Some(last) = spans.pop() {
        let text = last.content.trim_end();
        if !text.is_empty() {
            spans.push(Span::styled(text.to_owned(), last.style));
            break;
        }
    }
    spans
}

const BULLET: &str = "• ";
const QUOTE: &str = "│ ";
const CODE_INDENT: &str = "  ";
const MAX_RULE_WIDTH: usize = 40;
