//! Draws the screen: the document, below it what is being written, and a line that says which keys there are.

use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::app::{App, Drawn};
use super::asking::{Asking, Focus};
use super::countdown::seconds;
use super::wrap::wrap;

/// Draws all of it. Says where the cursor is, if one is to be seen, and where things are.
pub(super) fn draw(app: &mut App, now: Duration, area: Rect, buffer: &mut Buffer) -> (Option<Position>, Drawn) {
    let mut rest = area;
    // From the bottom up, and what matters most first.
    let hints_area = take_below(&mut rest, usize::from(area.height > 2));
    let pane = lines(app, now, usize::from(area.width));
    let draft_rows = app.asking.as_ref().and_then(Asking::draft).map_or(0, |draft| {
        let most = usize::from(rest.height / 2).max(1);
        draft.height(usize::from(area.width)).min(most)
    });
    let draft = take_below(&mut rest, draft_rows);
    let room = usize::from(rest.height.saturating_sub(1)).min(pane.len());
    let pane_area = take_below(&mut rest, room);
    for (line, y) in pane.iter().zip(pane_area.y..pane_area.bottom()) {
        buffer.set_line(area.x, y, line, area.width);
    }
    let cursor = app.asking.as_mut().and_then(Asking::draft_mut).and_then(|editor| editor.draw(draft, buffer));

    let selected = app.asking.as_ref().map_or(0, |asking| asking.selected);
    let layout = app.document.layout(usize::from(rest.width), selected);
    let top = app.scroll.top(&layout, rest);
    app.document.draw(top, selected, rest, buffer);
    let drawn = Drawn { document: rest, top, layout, draft };
    hints(app, &drawn, hints_area, buffer);
    (cursor, drawn)
}

/// Takes rows from the bottom of an area.
fn take_below(area: &mut Rect, rows: usize) -> Rect {
    let rows = u16::try_from(rows).unwrap_or(u16::MAX).min(area.height);
    area.height -= rows;
    Rect { y: area.bottom(), height: rows, ..*area }
}

/// What stands between the document and what is being written.
fn lines(app: &App, now: Duration, width: usize) -> Vec<Line<'static>> {
    let theme = app.theme;
    let mut lines = Vec::new();
    let mut say = |text: &str, style: Style| lines.extend(wrap(&[Span::styled(text, style)], width, &[], &[]));
    if app.help {
        say(&rule("Keys", width), theme.dim());
        KEYS.iter().for_each(|line| say(line, Style::new()));
        return lines;
    }
    let title = app.asking.as_ref().and_then(title);
    let countdown = app.left(now);
    if title.is_some() || countdown.is_some() || app.notice.is_some() || !app.images.is_empty() {
        say(&rule(title.as_deref().unwrap_or_default(), width), theme.dim());
    }
    if let Some(left) = countdown {
        let text = format!("Takes suggestion 1 in {} s. Any key stops that.", seconds(left));
        say(&text, theme.growing());
    }
    for attached in &app.images {
        say(&format!("+ {}", attached.label), theme.number());
    }
    if let Some(notice) = &app.notice {
        say(notice, theme.wrong());
    }
    lines
}

fn title(asking: &Asking) -> Option<String> {
    Some(match &asking.focus {
        Focus::Choices => return None,
        Focus::Draft(choice) if *choice < asking.own() => format!("Suggestion {}, changed", choice + 1),
        Focus::Draft(_) => "Your answer".into(),
        Focus::Image(..) => "Path of an image (PNG, JPEG, GIF or WebP)".into(),
        Focus::Leave => "Leave the question unanswered?".into(),
    })
}

fn rule(title: &str, width: usize) -> String {
    if title.is_empty() {
        return "─".repeat(width);
    }
    let title = format!("── {title} ");
    let rest = width.saturating_sub(Span::raw(&*title).width());
    title + &"─".repeat(rest)
}

/// A key, and what it does.
type Hint = (&'static str, &'static str);

/// The last line: as many of the keys as fit, those that matter most first; and how much is out of sight.
fn hints(app: &App, drawn: &Drawn, area: Rect, buffer: &mut Buffer) {
    if area.is_empty() {
        return;
    }
    let theme = app.theme;
    let width = usize::from(area.width);
    let aside = aside(app, drawn, width);
    let mut room = width.saturating_sub(Span::raw(&*aside).width());
    let mut line = Line::default();
    for (key, does) in hints_for(app) {
        let between = if line.spans.is_empty() { "" } else { "  " };
        let wide = Span::raw(between).width() + Span::raw(*key).width() + 1 + Span::raw(*does).width();
        // One column stays free before what stands on the right.
        let Some(left) = room.checked_sub(wide).filter(|_| wide < room || aside.is_empty()) else { break };
        room = left;
        line.spans.extend([
            Span::raw(between),
            Span::styled(*key, theme.key()),
            Span::styled(format!(" {does}"), theme.dim()),
        ]);
    }
    buffer.set_line(area.x, area.y, &line, area.width);
    let x = area.right().saturating_sub(u16::try_from(Span::raw(&*aside).width()).unwrap_or(u16::MAX)).max(area.x);
    buffer.set_stringn(x, area.y, &aside, width, theme.growing());
}

/// What is out of sight, and what is still to come; in few words where there is little room.
fn aside(app: &App, drawn: &Drawn, width: usize) -> String {
    let Drawn { document, top, layout, .. } = drawn;
    let is_narrow = width < NARROW;
    let said = |long: String, short: String| if is_narrow { short } else { long };
    let mut parts = Vec::new();
    if let Some(hidden @ 1..) = layout.question.map(|question| top.saturating_sub(question.begin)) {
        parts.push(format!("▲ {hidden}"));
    }
    if let below @ 1.. = layout.rows.saturating_sub(top + usize::from(document.height)) {
        parts.push(said(format!("▼ {below} more"), format!("▼ {below}")));
    }
    match app.waiting() {
        0 => {}
        1 => parts.push(said("1 more question".into(), "1 ?".into())),
        many => parts.push(said(format!("{many} more questions"), format!("{many} ?"))),
    }
    if !app.ended && app.asking.is_none() {
        let text = if layout.rows == 0 { "waiting…" } else { "being written…" };
        parts.push(said(text.into(), "…".into()));
    }
    parts.join(if is_narrow { " " } else { " · " })
}

/// Below that width there is room for little more than one key.
const NARROW: usize = 40;

fn hints_for(app: &App) -> &'static [Hint] {
    if app.help {
        return &[("any key", "closes this")];
    }
    let Some(asking) = &app.asking else {
        return &[("PgUp PgDn", "scroll"), ("Ctrl-C", "quit"), ("?", "keys")];
    };
    match &asking.focus {
        Focus::Choices => &[
            ("↑ ↓", "choose"),
            ("Enter", "take"),
            ("e", "edit"),
            ("w", "write"),
            ("i", "image"),
            ("Esc", "leave"),
            ("?", "keys"),
            ("1-9", "take"),
            ("PgUp PgDn", "scroll"),
        ],
        Focus::Draft(_) => &[("Enter", "send"), ("Alt-Enter", "new line"), ("Esc", "back"), ("Ctrl-O", "image")],
        Focus::Image(..) => &[("Enter", "attach"), ("Esc", "back"), ("Backspace", "on nothing: the last one away")],
        Focus::Leave => &[("y Esc", "leave it"), ("any other key", "back to it")],
    }
}

const KEYS: [&str; 12] = [
    "↑ ↓          choose (k j, Home, End)",
    "Enter        take what is chosen",
    "1 to 9       take that suggestion",
    "e            change it first",
    "w, Tab       write your own answer",
    "i, Ctrl-O    send an image with the answer",
    "Esc          back; leave the question unanswered",
    "Ctrl-C       quit",
    "PgUp PgDn    scroll (also the wheel, Ctrl-Home, Ctrl-End)",
    "Mouse        click to take; with Shift to mark text",
    "In what you write: Enter sends, Alt-Enter or Ctrl-J begins a line,",
    "Ctrl-Z and Ctrl-Y undo and redo, Ctrl-W Ctrl-U Ctrl-K delete.",
];
