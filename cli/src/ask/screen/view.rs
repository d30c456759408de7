//! Draws the screen: the document, below it what is being written, and a line that says which keys there are.

use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::app::{App, Drawn};
use super::asking::{Asking, Focus};
use super::countdown::seconds;
use super::editor::Editor;
use super::wrap::wrap;

/// Draws all of it. Says where the cursor is, if one is to be seen, and where things are.
pub(super) fn draw(app: &mut App, now: Duration, area: Rect, buffer: &mut Buffer) -> (Option<Position>, Drawn) {
    let mut rest = area;
    // From the bottom up, and what matters most first.
    let hints_area = take_below(&mut rest, usize::from(area.height > 2));
    let (pane, countdown_row) = lines(app, now, usize::from(area.width));
    let draft_rows = app.asking.as_ref().and_then(Asking::draft).map_or(0, |draft| {
        let most = usize::from(rest.height / 2).max(1);
        draft.height(usize::from(area.width)).min(most)
    });
    let draft = take_below(&mut rest, draft_rows);
    let room = usize::from(rest.height.saturating_sub(1)).min(pane.len());
    let pane_area = take_below(&mut rest, room);
    // What comes last matters most.
    let hidden = if app.help { 0 } else { pane.len() - room };
    for (line, y) in pane.iter().skip(hidden).zip(pane_area.y..pane_area.bottom()) {
        buffer.set_line(area.x, y, line, area.width);
    }
    let countdown = countdown_row.is_some_and(|row| row >= hidden && area.width > 0);
    let cursor = app.asking.as_mut().and_then(Asking::draft_mut).and_then(|editor| editor.draw(draft, buffer));

    let selected = app.asking.as_ref().map_or(0, |asking| asking.selected);
    let layout = app.document.layout(usize::from(rest.width), selected);
    let top = app.scroll.top(&layout, rest);
    // What is marked can be taken.
    app.document.draw(top, Some(selected).filter(|_| app.is_live), rest, buffer);
    let drawn = Drawn { document: rest, top, layout, draft, countdown };
    hints(app, &drawn, hints_area, buffer);
    (cursor, drawn)
}

/// Takes rows from the bottom of an area.
fn take_below(area: &mut Rect, rows: usize) -> Rect {
    let rows = u16::try_from(rows).unwrap_or(u16::MAX).min(area.height);
    area.height -= rows;
    Rect { y: area.bottom(), height: rows, ..*area }
}

/// What stands between the document and what is being written; and in which of the rows the countdown is.
fn lines(app: &App, now: Duration, width: usize) -> (Vec<Line<'static>>, Option<usize>) {
    let theme = app.theme;
    let mut lines = Vec::new();
    if app.help {
        lines.extend(said(&rule("Keys", width), theme.dim(), width));
        KEYS.iter().for_each(|line| lines.extend(said(line, Style::new(), width)));
        return (lines, None);
    }
    let asking = app.asking.as_ref();
    lines.extend(images(app).iter().flat_map(|line| said(line, theme.number(), width)));
    if let Some(hint) = asking.and_then(hint) {
        lines.extend(said(&hint, theme.dim(), width));
    }
    if let Some(notice) = &app.notice {
        let rows = said(notice, theme.wrong(), width);
        let is_cut = rows.len() > NOTICE;
        lines.extend(rows.into_iter().take(NOTICE));
        if let Some(last) = lines.last_mut().filter(|_| is_cut) {
            last.push_span(Span::styled("…", theme.wrong()));
        }
    }
    let mut countdown = app.left(now).map(|left| {
        let text = format!("In {} s: takes suggestion 1. Any key stops that.", seconds(left));
        lines.extend(said(&text, theme.growing(), width).into_iter().take(1));
        lines.len() - 1
    });
    let title = asking.and_then(title);
    if title.is_some() || !lines.is_empty() {
        let rule = said(&rule(title.as_deref().unwrap_or_default(), width), theme.dim(), width);
        countdown = countdown.map(|row| row + rule.len());
        lines.splice(0..0, rule);
    }
    (lines, countdown)
}

/// No notice is longer: it would hide the question.
const NOTICE: usize = 3;

fn said(text: &str, style: Style, width: usize) -> Vec<Line<'static>> {
    wrap(&[Span::styled(text, style)], width, &[], &[])
}

/// The images that go with the answer; not so many that they hide the question.
fn images(app: &App) -> Vec<String> {
    match &*app.images {
        few if few.len() <= 3 => few.iter().map(|attached| format!("+ {}", attached.label)).collect(),
        [.., last] => vec![format!("+ {} images, the last of them {}", app.images.len(), last.label)],
        [] => Vec::new(),
    }
}

/// What the person may not know of what is selected, or being written.
fn hint(asking: &Asking) -> Option<String> {
    match asking.focus {
        Focus::Choices if asking.selected < asking.own() && asking.is_changed(asking.selected) => {
            Some("You have changed it: e goes on with that, Enter takes it as it was suggested.".into())
        }
        Focus::Choices if asking.is_changed(asking.own()) => {
            Some("You have begun an answer of your own: w goes on with it.".into())
        }
        Focus::Draft(_) => {
            let unseen = asking.draft().map_or(0, Editor::unseen);
            let what = if unseen == 1 { "is 1 character" } else { "are several characters" };
            (unseen > 0).then(|| format!("There {what} in it that can't be seen."))
        }
        Focus::Choices | Focus::Image(..) | Focus::Leave => None,
    }
}

fn title(asking: &Asking) -> Option<String> {
    Some(match &asking.focus {
        Focus::Choices => return None,
        Focus::Draft(choice) if *choice < asking.own() => format!("Suggestion {}, changed", choice + 1),
        Focus::Draft(_) => "Your answer".into(),
        Focus::Image(..) => "Path of an image (PNG, JPEG, GIF or WebP)".into(),
        Focus::Leave if asking.has_drafts() => "Leave the question unanswered, and lose what you have written?".into(),
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
        let lines = if below == 1 { "line" } else { "lines" };
        parts.push(said(format!("▼ {below} {lines}"), format!("▼ {below}")));
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
            ("?", "keys"),
            ("Esc", "leave"),
            ("i", "image"),
            ("PgUp PgDn", "scroll"),
            ("Ctrl-C", "quit"),
        ],
        Focus::Draft(_) => &[("Enter", "send"), ("Alt-Enter", "new line"), ("Esc", "back"), ("Ctrl-O", "image")],
        Focus::Image(..) => {
            &[("Enter", "attach"), ("Esc", "back"), ("Backspace", "(in the empty field) removes the last image")]
        }
        Focus::Leave => &[("y", "leave it"), ("any other key", "goes back")],
    }
}

const KEYS: [&str; 12] = [
    "↑ ↓          choose (k j, Home, End)",
    "Enter        take what is chosen",
    "1 to 9       take that suggestion",
    "e            edit it before it is sent",
    "w, Tab       write your own answer",
    "i, Ctrl-O    send an image with the answer",
    "Esc          back; leave the question unanswered",
    "Ctrl-C       quit",
    "PgUp PgDn    scroll (also the wheel, Ctrl-Home, Ctrl-End)",
    "Mouse        click to take; hold Shift to select text",
    "In what you write: Enter sends, Alt-Enter or Ctrl-J begins a line,",
    "Ctrl-Z and Ctrl-Y undo and redo, Ctrl-W Ctrl-U Ctrl-K delete.",
];
