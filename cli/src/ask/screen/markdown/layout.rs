//! From the events of Markdown to rows.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Tag, TagEnd};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::{parser, shown};
use crate::ask::screen::theme::Theme;
use crate::ask::screen::wrap::{columns, shortened, wrap};

/// Adds the rows of blocks, with an empty one between them and those that are there.
pub(super) fn lay_out(source: &str, width: usize, theme: Theme, rows: &mut Vec<Line<'static>>) {
    let mut layout = Layout::new(source, width, theme, rows);
    for (event, range) in parser(source).into_offset_iter() {
        layout.event(event, range);
    }
    layout.close();
}

#[derive(Debug)]
enum Kind {
    Document,
    Quote,
    /// Its items are apart from each other if there are paragraphs in them.
    List {
        loose: bool,
    },
    Item {
        mark: String,
    },
}

/// What blocks are in.
#[derive(Debug)]
struct Frame {
    kind: Kind,
    /// A row of it has been laid out, and with it of all it is in.
    filled: bool,
}

/// What stands before the next row of a paragraph or another block without blocks in it, and before those behind it.
#[derive(Debug)]
struct Leaf {
    first: Vec<Span<'static>>,
    rest: Vec<Span<'static>>,
}

/// A link or an image that is open.
#[derive(Debug)]
struct Link {
    destination: String,
    title: String,
    /// Where its text begins among that of links.
    begin: usize,
}

#[derive(Debug)]
struct Layout<'a> {
    source: &'a str,
    width: usize,
    theme: Theme,
    rows: &'a mut Vec<Line<'static>>,
    frames: Vec<Frame>,
    /// None before its first row.
    leaf: Option<Leaf>,
    /// The styles that are open, each on top of those before.
    styles: Vec<Style>,
    /// The line that is not in rows yet.
    line: Vec<Span<'static>>,
    links: Vec<Link>,
    /// The text that has come while links were open.
    linked: String,
    /// The lines of a block of code or HTML.
    verbatim: Option<String>,
    /// They are code.
    code: bool,
}

impl<'a> Layout<'a> {
    fn new(source: &'a str, width: usize, theme: Theme, rows: &'a mut Vec<Line<'static>>) -> Layout<'a> {
        let document = Frame { kind: Kind::Document, filled: !rows.is_empty() };
        Layout {
            source,
            width,
            theme,
            rows,
            frames: vec![document],
            leaf: None,
            styles: Vec::new(),
            line: Vec::new(),
            links: Vec::new(),
            linked: String::new(),
            verbatim: None,
            code: false,
        }
    }

    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag, range),
            Event::Code(text) => self.text(&shown(&text), self.style().patch(self.theme.code())),
            Event::SoftBreak | Event::HardBreak => self.end_line(),
            Event::Rule => self.rule(),
            Event::TaskListMarker(done) => self.task(done),
            Event::Text(text)
            | Event::Html(text)
            | Event::InlineHtml(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::FootnoteReference(text) => match &mut self.verbatim {
                Some(lines) => lines.push_str(&shown(&text)),
                None => self.lines(&shown(&text)),
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
            _ => {
                self.close();
                self.start_block(tag, range);
            }
        }
    }

    fn start_block(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Paragraph => self.loosen(),
            Tag::Heading { .. } => self.push_style(self.theme.strong()),
            Tag::BlockQuote(_) => self.push(Kind::Quote),
            Tag::List(_) => self.push(Kind::List { loose: false }),
            Tag::Item => {
                let mark = mark(self.source.get(range).unwrap_or_default());
                self.push(Kind::Item { mark });
            }
            Tag::CodeBlock(kind) => self.start_code(&kind),
            Tag::HtmlBlock => self.verbatim = Some(String::new()),
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
                    // Nothing but its mark.
                    self.text(shown(self.source.get(range).unwrap_or_default()).trim(), self.style());
                }
                self.close();
                self.styles.pop();
            }
            TagEnd::CodeBlock | TagEnd::HtmlBlock => self.end_verbatim(),
            TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Item => {
                self.close();
                self.pop();
            }
            _ => self.close(),
        }
    }

    fn start_code(&mut self, kind: &CodeBlockKind<'_>) {
        self.code = true;
        self.verbatim = Some(String::new());
        if let CodeBlockKind::Fenced(language) = kind {
            // A model may put anything there.
            self.text(&shown(language), self.theme.dim());
        }
        if !self.line.is_empty() {
            self.end_line();
        }
    }

    fn end_verbatim(&mut self) {
        let lines = self.verbatim.take().unwrap_or_default();
        let style = if self.code { self.style().patch(self.theme.code()) } else { self.style() };
        let lines = lines.strip_suffix('\n').unwrap_or(&lines);
        // A fence without anything in it is seen as an empty line.
        if !lines.is_empty() || self.leaf.is_none() {
            for line in lines.split('\n') {
                self.text(line, style);
                self.end_line();
            }
        }
        self.close();
        self.code = false;
    }

    fn rule(&mut self) {
        self.close();
        let room = self.width.saturating_sub(columns(&self.before(self.frames.len())));
        self.text(&"─".repeat(room.clamp(1, LONGEST_RULE)), self.theme.dim());
        self.close();
    }

    /// The item has a box.
    fn task(&mut self, done: bool) {
        let Some(Frame { kind: Kind::Item { mark }, filled: false }) = self.frames.last_mut() else { return };
        if mark == BULLET {
            mark.clear();
        }
        mark.push_str(if done { "☑ " } else { "☐ " });
    }

    fn start_link(&mut self, destination: &str, title: &str) {
        let (destination, title) = (shown(destination), shown(title));
        self.links.push(Link { destination, title, begin: self.linked.len() });
    }

    /// Shows where it leads, unless that is its text.
    fn end_link(&mut self, image: bool) {
        let Some(Link { destination, title, begin }) = self.links.pop() else { return };
        let text = self.linked.get(begin..).unwrap_or_default();
        let (is_text, is_empty) = (!image && text == destination, !image && text.is_empty());
        let behind = match (destination.is_empty() || is_text, title.is_empty()) {
            (true, true) => String::new(),
            (true, false) => format!("(\"{title}\")"),
            (false, true) => format!("({destination})"),
            (false, false) => format!("({destination} \"{title}\")"),
        };
        if self.links.is_empty() {
            self.linked.clear();
        }
        if !behind.is_empty() {
            let blank = if self.line.is_empty() { "" } else { " " };
            self.text(&format!("{blank}{behind}"), self.style().patch(self.theme.dim()));
        } else if is_empty {
            // Nothing would be left of it.
            self.text("[]()", self.style());
        }
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or_default()
    }

    fn push_style(&mut self, style: Style) {
        self.styles.push(self.style().patch(style));
    }

    /// Text that may have several lines: HTML among other text.
    fn lines(&mut self, text: &str) {
        let style = self.style();
        for (at, line) in text.split('\n').enumerate() {
            if at > 0 {
                self.end_line();
            }
            self.text(line, style);
        }
    }

    fn text(&mut self, text: &str, style: Style) {
        if !self.links.is_empty() {
            self.linked.push_str(text);
        }
        if !text.is_empty() {
            self.line.push(Span::styled(text.to_owned(), style));
        }
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let leaf = match self.leaf.take() {
            Some(leaf) => leaf,
            None => self.open(),
        };
        self.rows.extend(wrap(&line, self.width, &leaf.first, &leaf.rest));
        self.leaf = Some(Leaf { first: leaf.rest.clone(), rest: leaf.rest });
    }

    /// Ends the block that is open, if it has no blocks in it.
    fn close(&mut self) {
        if !self.line.is_empty() {
            self.end_line();
        }
        self.leaf = None;
    }

    fn push(&mut self, kind: Kind) {
        self.frames.push(Frame { kind, filled: false });
    }

    fn pop(&mut self) {
        let empty = self.frames.last().is_some_and(|frame| !frame.filled && !matches!(frame.kind, Kind::List { .. }));
        if empty {
            // There is only its mark.
            self.end_line();
            self.close();
        }
        self.frames.pop();
    }

    /// There is a paragraph in the list.
    fn loosen(&mut self) {
        if let [.., Frame { kind: Kind::List { loose }, .. }, Frame { kind: Kind::Item { .. }, .. }] =
            self.frames.as_mut_slice()
        {
            *loose = true;
        }
    }

    /// Begins the first row of a block, with an empty one above it where there should be.
    fn open(&mut self) -> Leaf {
        let filled = self.frames.partition_point(|frame| frame.filled);
        if self.is_loose(filled) {
            let blank = trimmed(self.before(filled));
            self.rows.push(Line::from(blank));
        }
        let (mut first, mut rest) = (self.marks(filled), self.before(self.frames.len()));
        if self.code {
            first.push(CODE_INDENT.into());
            rest.push(CODE_INDENT.into());
        }
        rest = shortened(&rest, self.width);
        if !self.frames.iter().skip(filled).any(|frame| matches!(frame.kind, Kind::Item { .. })) {
            first = rest.clone();
        }
        for frame in self.frames.iter_mut().skip(filled) {
            frame.filled = true;
        }
        Leaf { first, rest }
    }

    /// Whether what follows in the innermost of so many frames stands apart from what is there.
    fn is_loose(&self, filled: usize) -> bool {
        match self.frames.get(..filled) {
            Some([.., Frame { kind: Kind::List { loose }, .. }])
            | Some([.., Frame { kind: Kind::List { loose }, .. }, Frame { kind: Kind::Item { .. }, .. }]) => *loose,
            frames => frames.is_some_and(|frames| !frames.is_empty()),
        }
    }

    /// What stands before rows in the outer frames, as far as it leaves room.
    fn before(&self, depth: usize) -> Vec<Span<'static>> {
        let mut before = Vec::new();
        let mut wide = 0;
        for frame in self.frames.iter().take(depth) {
            if wide >= self.width {
                break;
            }
            if let Some(part) = self.part(frame) {
                wide += columns(std::slice::from_ref(&part));
                before.push(part);
            }
        }
        shortened(&before, self.width)
    }

    /// What stands before the first row of everything in which there is none yet.
    fn marks(&self, filled: usize) -> Vec<Span<'static>> {
        let mut marks = self.before(filled);
        let mut room = (self.width / 3).saturating_sub(columns(&marks));
        for frame in self.frames.iter().skip(filled) {
            if let Kind::Item { mark } = &frame.kind {
                marks.push(mark.clone().into());
                continue;
            }
            // How deep it is says less than what is there.
            if let Some(part) = self.part(frame)
                && let Some(left) = room.checked_sub(columns(std::slice::from_ref(&part)))
            {
                room = left;
                marks.push(part);
            }
        }
        marks
    }

    /// What a frame puts before its rows.
    fn part(&self, frame: &Frame) -> Option<Span<'static>> {
        match &frame.kind {
            Kind::Document | Kind::List { .. } => None,
            Kind::Quote => Some(Span::styled(QUOTE, self.theme.dim())),
            Kind::Item { mark } => Some(" ".repeat(columns(&[mark.as_str().into()])).into()),
        }
    }
}

/// An item's number as the model wrote it, or a bullet.
fn mark(item: &str) -> String {
    let item = item.trim_start();
    let number = item.trim_start_matches(|char: char| char.is_ascii_digit());
    let digits = item.get(..item.len() - number.len()).unwrap_or_default();
    match number.chars().next() {
        Some(end @ ('.' | ')')) if !digits.is_empty() => format!("{digits}{end} "),
        _ => BULLET.to_owned(),
    }
}

/// Without the blanks at its end.
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
const LONGEST_RULE: usize = 40;
