//! Draws the screen: the document, below it the editor, and a last line with the keys.

use std::time::Duration;

use followup::dialogue::Answer;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::app::App;
use super::countdown::seconds;
use super::drawn::DrawnFrame;
use super::editor::Editor;
use super::footer;
use super::open_question::{Focus, OpenQuestion};
use super::spot::Spot;
use super::steps_bar;
use super::wrap::wrap;

/// Draws the screen. Returns the position of the cursor, if there is one, and of the parts.
pub(super) fn draw(app: &mut App, now: Duration, area: Rect, buffer: &mut Buffer) -> (Option<Position>, DrawnFrame) {
    let mut rest = area;
    // Rows are assigned from the bottom up, in the order of importance.
    let hints_area = take_below(&mut rest, usize::from(area.height > 2));
    let (pane, countdown_row) = lines(app, now, usize::from(area.width));
    let draft_rows = app.open_question.as_ref().and_then(OpenQuestion::draft).map_or(0, |draft| {
        let most = usize::from(rest.height / 2).max(1);
        draft.height(usize::from(area.width)).min(most)
    });
    let draft = take_below(&mut rest, draft_rows);
    let room = usize::from(rest.height.saturating_sub(1)).min(pane.len());
    let pane_area = take_below(&mut rest, room);
    // If there is no room for all lines, the last are the most important.
    let hidden = pane.len() - room;
    app.help_top = app.help_top.min(hidden);
    let hidden = if app.help { app.help_top } else { hidden };
    for (line, y) in pane.iter().skip(hidden).zip(pane_area.y..pane_area.bottom()) {
        buffer.set_line(area.x, y, line, area.width);
    }
    let countdown = countdown_row.is_some_and(|row| row >= hidden && area.width > 0);
    let cursor =
        app.open_question.as_mut().and_then(OpenQuestion::draft_mut).and_then(|editor| editor.draw(draft, buffer));

    app.document.show_open(app.open_question.as_ref());
    let selected = app.open_question.as_ref().map_or(Spot::default(), OpenQuestion::selected);
    let layout = app.document.layout(usize::from(rest.width), selected);
    let top = app.scroll.top(&layout, rest);
    // The selection is marked only once it can be taken.
    app.document.draw(top, Some(selected).filter(|_| app.is_answerable), rest, buffer);
    let drawn = DrawnFrame { document: rest, top, layout, draft, countdown };
    let help_below = if app.help { pane.len() - room - app.help_top } else { 0 };
    footer::draw(app, &drawn, help_below, hints_area, buffer);
    (cursor, drawn)
}

/// Splits rows off the bottom of an area.
fn take_below(area: &mut Rect, rows: usize) -> Rect {
    let rows = u16::try_from(rows).unwrap_or(u16::MAX).min(area.height);
    area.height -= rows;
    Rect { y: area.bottom(), height: rows, ..*area }
}

/// Returns the lines above the editor, and the index of the countdown among them.
fn lines(app: &App, now: Duration, width: usize) -> (Vec<Line<'static>>, Option<usize>) {
    let theme = app.theme;
    let mut lines = Vec::new();
    if app.help {
        lines.extend(wrapped(&rule("Keys", width), theme.dim(), width));
        let is_form = app.open_question.as_ref().is_some_and(OpenQuestion::has_review);
        let of_forms = if is_form { &FORM_KEYS[..] } else { &[] };
        let allows_note = app.open_question.as_ref().is_some_and(|open| open.steps.iter().any(|step| step.allows_note));
        let of_notes = allows_note.then_some(&NOTE_KEY);
        let of_talks = app.open_question.as_ref().is_some_and(OpenQuestion::can_discuss).then_some(&DISCUSS_KEY);
        of_forms
            .iter()
            .chain(of_talks)
            .chain(of_notes)
            .chain(&KEYS)
            .filter(|&&line| app.sends_images || line != IMAGE_KEY)
            .for_each(|line| lines.extend(wrapped(line, Style::new(), width)));
        return (lines, None);
    }
    let open = app.open_question.as_ref();
    lines.extend(images(app).iter().flat_map(|line| wrapped(line, theme.number(), width)));
    if let Some(hint) = open.and_then(hint) {
        lines.extend(wrapped(&hint, theme.dim(), width));
    }
    if let Some(notice) = &app.notice {
        let rows = wrapped(notice, theme.wrong(), width);
        let is_cut = rows.len() > MAX_NOTICE_ROWS;
        lines.extend(rows.into_iter().take(MAX_NOTICE_ROWS));
        if let Some(last) = lines.last_mut().filter(|_| is_cut) {
            last.push_span(Span::styled("…", theme.wrong()));
        }
    }
    let mut countdown = app.countdown_left(now).map(|left| {
        let what = match app.automatic_answer() {
            Some(Answer::Suggestion(_)) => "takes suggestion 1",
            _ if open.is_some_and(OpenQuestion::has_review) => "sends answers",
            _ => "sends an answer",
        };
        let text = format!("In {} s: {what}. Any key stops that.", seconds(left));
        lines.extend(wrapped(&text, theme.growing(), width).into_iter().take(1));
        lines.len() - 1
    });
    let title = open.and_then(title);
    if title.is_some() || !lines.is_empty() {
        let rule = wrapped(&rule(title.as_deref().unwrap_or_default(), width), theme.dim(), width);
        countdown = countdown.map(|row| row + rule.len());
        lines.splice(0..0, rule);
    }
    if let Some(bar) = open.and_then(|open| steps_bar::line(open, width, theme)) {
        countdown = countdown.map(|row| row + 1);
        lines.insert(0, bar);
    }
    (lines, countdown)
}

/// The maximum number of rows of a notice. A longer one would hide the question.
const MAX_NOTICE_ROWS: usize = 3;

fn wrapped(text: &str, style: Style, width: usize) -> Vec<Line<'static>> {
    wrap(&[Span::styled(text, style)], width, &[], &[])
}

/// Lists the images to send with the answer, in few enough lines not to hide the question.
fn images(app: &App) -> Vec<String> {
    match &*app.images {
        few if few.len() <= 3 => few.iter().map(|attached| format!("+ {}", attached.label)).collect(),
        [.., last] => vec![format!("+ {} images, the last of them {}", app.images.len(), last.label)],
        [] => Vec::new(),
    }
}

/// Returns a hint about the selection or the draft.
fn hint(open: &OpenQuestion) -> Option<String> {
    let selected = open.selected().choice;
    match open.focus {
        Focus::Choices if open.has_review() && open.first_digit.is_none() => None,
        Focus::Choices if open.first_digit.is_some() => {
            Some(format!("{}: Enter takes it, and another digit another one.", selected + 1))
        }
        Focus::Choices if open.step().is_some_and(|step| step.note_text().is_some()) => {
            Some("Your note goes with the option that you take: a continues with it.".into())
        }
        Focus::Choices if selected < open.own_answer() && open.has_draft(selected) => {
            Some("You have changed it: e continues with that, Enter takes it as it was suggested.".into())
        }
        Focus::Choices if open.has_draft(open.own_answer()) => {
            let key = if open.is_own_selected() { "typing" } else { "w" };
            Some(format!("You have begun an answer of your own: {key} continues with it."))
        }
        Focus::Draft(_) | Focus::Note => {
            let invisible = open.draft().map_or(0, Editor::count_invisible);
            let what = if invisible == 1 { "is 1 character" } else { "are several characters" };
            (invisible > 0).then(|| format!("There {what} in it that can't be seen."))
        }
        Focus::Filter(_) if open.filtered().is_some_and(|shown| shown.is_empty()) => {
            Some("No suggestion contains that.".into())
        }
        Focus::Choices | Focus::Image(..) | Focus::Filter(_) | Focus::ConfirmCancel | Focus::ConfirmAnswer(..) => None,
    }
}

/// Returns the title of the rule above the editor.
fn title(open: &OpenQuestion) -> Option<String> {
    Some(match &open.focus {
        Focus::Choices => return None,
        Focus::Draft(choice) if *choice < open.own_answer() => format!("Suggestion {}, changed", choice + 1),
        Focus::Draft(_) => "Your answer".into(),
        Focus::Note if open.has_review() => "A note with your answer".into(),
        Focus::Note => format!("A note with option {}, which Enter sends", open.selected().choice + 1),
        Focus::Image(..) => "Path of an image (PNG, JPEG, GIF or WebP)".into(),
        Focus::Filter(_) => "Suggestions that contain".into(),
        Focus::ConfirmCancel if open.has_drafts() => {
            "Leave the question unanswered, and lose what you have written?".into()
        }
        Focus::ConfirmAnswer(_, None) => {
            format!("Take suggestion {}, and lose what you have written?", open.selected().choice + 1)
        }
        Focus::ConfirmAnswer(_, Some(_)) => "Send this, and lose what you have written for other choices?".into(),
        Focus::ConfirmCancel if open.steps.len() > 1 => "Leave the questions unanswered?".into(),
        Focus::ConfirmCancel => "Leave the question unanswered?".into(),
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

const KEYS: [&str; 17] = [
    "↑ ↓          choose (k j, Home, End)",
    "Enter        take what is chosen",
    "1, 12, …     take that suggestion",
    "/            show only suggestions with a text",
    "e            edit it before it is sent",
    "w, Tab       write your own answer; on that choice, just type",
    IMAGE_KEY,
    "n, o         show notes; show other tools' calls in full",
    "Esc          back",
    "Esc, then y  leave the question unanswered",
    "Ctrl-C       quit",
    "?, F1        this list",
    "PgUp PgDn    scroll (also the wheel, Ctrl-Home, Ctrl-End)",
    "Mouse        click to take; hold Shift to select text",
    "In what you write: Enter sends, Alt-Enter or Ctrl-J begins a line,",
    "Ctrl-_ and Ctrl-Y undo and redo, Ctrl-W Ctrl-U Ctrl-K delete.",
    "Ctrl-Z       suspend",
];

/// The key that is listed if replies can have images.
const IMAGE_KEY: &str = "i, Ctrl-O    send an image with the answer; Tab completes its path";

/// The key of a question whose answer can have a note.
const NOTE_KEY: &str = "a            add a note to the option";

/// The keys of a call that has several questions, or one with several answers.
const FORM_KEYS: [&str; 3] = [
    "Space        tick, or take the tick away; Enter continues",
    "Tab, ← →     the other questions (Shift-Tab goes back)",
    "Esc, then d  decline to answer",
];

/// The key of a call whose tool has a reply for it.
const DISCUSS_KEY: &str = "Esc, then c  talk about it first";
