//! The last line of the screen: as many keys as fit, and what is hidden.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::app::App;
use super::drawn::DrawnFrame;
use super::open_question::{Focus, OpenQuestion};

/// A key, and its effect.
type Hint = (&'static str, &'static str);

/// Draws the last line.
pub(super) fn draw(app: &App, drawn: &DrawnFrame, help_below: usize, area: Rect, buffer: &mut Buffer) {
    if area.is_empty() {
        return;
    }
    let theme = app.theme;
    let width = usize::from(area.width);
    let aside = aside(app, drawn, help_below, width);
    let aside_width = Span::raw(&*aside).width();
    // One column stays free before the text on the right.
    let room = width.saturating_sub(aside_width + usize::from(!aside.is_empty()));
    let mut line = Line::default();
    for (key, does) in fitting(hints(app), room) {
        let between = if line.spans.is_empty() { "" } else { BETWEEN };
        let does = Span::styled(format!(" {does}"), theme.dim());
        line.spans.extend([Span::raw(between), Span::styled(*key, theme.key()), does]);
    }
    buffer.set_line(area.x, area.y, &line, area.width);
    let x = area.right().saturating_sub(u16::try_from(aside_width).unwrap_or(u16::MAX)).max(area.x);
    buffer.set_stringn(x, area.y, &aside, width, theme.growing());
}

const BETWEEN: &str = "  ";

/// Returns the first hints, as many as fit.
///
/// The key for the list of keys is always among them, because the others can be found there.
fn fitting(hints: Vec<&'static Hint>, mut room: usize) -> Vec<&'static Hint> {
    let columns = |(key, does): &Hint| Span::raw(*key).width() + 1 + Span::raw(*does).width();
    let list = hints.iter().position(|hint| hint.1 == LIST_OF_KEYS);
    let mut fitting = Vec::new();
    let mut is_full = false;
    for (i, hint) in hints.iter().copied().enumerate() {
        let between = if fitting.is_empty() { 0 } else { BETWEEN.len() };
        let reserved = list.filter(|&list| i < list).map_or(0, |list| BETWEEN.len() + columns(hints[list]));
        let left = room.checked_sub(between + columns(hint)).filter(|&left| left >= reserved);
        match left.filter(|_| !is_full || Some(i) == list) {
            Some(left) => {
                room = left;
                fitting.push(hint);
            }
            None => is_full = true,
        }
    }
    fitting
}

/// Returns the keys to mention, the most important first.
fn hints(app: &App) -> Vec<&'static Hint> {
    let step = app.open_question.as_ref().and_then(OpenQuestion::step);
    let (allows_text, allows_note) = step.map_or((true, false), |step| (step.allows_text, step.allows_note));
    let is_possible = |hint: &&Hint| match hint.1 {
        "edit" | "write" => allows_text,
        "add a note" => allows_note,
        "image" => app.sends_images,
        _ => true,
    };
    let mut hints: Vec<&Hint> = hints_for(app).iter().filter(is_possible).collect();
    let after_list = hints.iter().position(|hint| hint.1 == LIST_OF_KEYS).map_or(hints.len(), |list| list + 1);
    hints.splice(after_list..after_list, fold_hints(app));
    hints
}

/// Describes what is hidden and what is still to come, briefly on a narrow screen.
fn aside(app: &App, drawn: &DrawnFrame, help_below: usize, width: usize) -> String {
    let DrawnFrame { document, top, layout, .. } = drawn;
    let is_narrow = width < NARROW;
    if app.help {
        return if help_below > 0 { format!("▼ {help_below}") } else { String::new() };
    }
    let text = |long: String, short: String| if is_narrow { short } else { long };
    let mut parts = Vec::new();
    if let Some(hidden @ 1..) = layout.question.map(|question| top.saturating_sub(question.begin)) {
        parts.push(format!("▲ {hidden}"));
    }
    if let below @ 1.. = layout.rows.saturating_sub(top + usize::from(document.height)) {
        let lines = if below == 1 { "line" } else { "lines" };
        parts.push(text(format!("▼ {below} {lines}"), format!("▼ {below}")));
    }
    match app.waiting() {
        0 => {}
        1 => parts.push(text("1 more question".into(), "1 ?".into())),
        many => parts.push(text(format!("{many} more questions"), format!("{many} ?"))),
    }
    if !app.has_ended && app.open_question.is_none() {
        let status = if layout.rows == 0 { "waiting…" } else { "being written…" };
        parts.push(text(status.into(), "…".into()));
    }
    parts.join(if is_narrow { " " } else { " · " })
}

/// Below this width there is room for little more than one key.
const NARROW: usize = 40;

/// Returns the keys that show what is folded away.
fn fold_hints(app: &App) -> impl Iterator<Item = &'static Hint> {
    let open = app.open_question.as_ref();
    let is_key = !app.help && open.is_none_or(|open| matches!(open.focus, Focus::Choices) && !open.is_own_selected());
    let calls = (is_key && app.document.has_other_calls()).then_some(&("o", "other calls"));
    let notes = (is_key && app.document.has_notes()).then_some(&("n", "notes"));
    calls.into_iter().chain(notes)
}

fn hints_for(app: &App) -> &'static [Hint] {
    if app.help {
        return &[("any key", "closes this"), ("↑ ↓", "scroll")];
    }
    let Some(open) = &app.open_question else {
        return &[("PgUp PgDn", "scroll"), ("Ctrl-C", "quit"), ("?", LIST_OF_KEYS)];
    };
    match &open.focus {
        Focus::Choices if open.is_at_review() => &[
            ("Enter", "send"),
            ("Shift-Tab", "back"),
            ("↑ ↓", "choose"),
            ("?", LIST_OF_KEYS),
            ("Esc", "leave"),
            ("i", "image"),
        ],
        Focus::Choices if open.is_own_selected() => &[
            ("type", "your answer"),
            ("↑ ↓", "choose"),
            ("F1", LIST_OF_KEYS),
            ("Esc", "leave"),
            ("PgUp PgDn", "scroll"),
            ("Ctrl-C", "quit"),
        ],
        Focus::Choices if open.step().is_some_and(|step| step.is_multiple) => &[
            ("Space", "tick"),
            ("Enter", "next"),
            ("↑ ↓", "choose"),
            ("w", "write"),
            ("?", LIST_OF_KEYS),
            ("a", "add a note"),
            ("Shift-Tab", "back"),
            ("/", "filter"),
            ("Esc", "leave"),
        ],
        Focus::Choices if open.has_review() => &[
            ("↑ ↓", "choose"),
            ("Enter", "take"),
            ("Tab", "next"),
            ("w", "write"),
            ("?", LIST_OF_KEYS),
            ("a", "add a note"),
            ("Shift-Tab", "back"),
            ("/", "filter"),
            ("Esc", "leave"),
        ],
        Focus::Choices if open.own_answer() > LONG_LIST => &[
            ("↑ ↓", "choose"),
            ("Enter", "take"),
            ("/", "filter"),
            ("e", "edit"),
            ("w", "write"),
            ("?", LIST_OF_KEYS),
            ("a", "add a note"),
            ("Esc", "leave"),
        ],
        Focus::Choices => &[
            ("↑ ↓", "choose"),
            ("Enter", "take"),
            ("e", "edit"),
            ("w", "write"),
            ("?", LIST_OF_KEYS),
            ("a", "add a note"),
            ("Esc", "leave"),
            ("i", "image"),
            ("PgUp PgDn", "scroll"),
            ("Ctrl-C", "quit"),
        ],
        Focus::Draft(_) | Focus::Note if open.has_review() => &[
            ("Enter", "next"),
            ("Esc", "choices"),
            ("Alt-Enter", "new line"),
            ("Shift-Tab", "back"),
            ("F1", LIST_OF_KEYS),
        ],
        Focus::Draft(_) | Focus::Note => {
            &[("Enter", "send"), ("Esc", "back"), ("Alt-Enter", "new line"), ("Ctrl-O", "image"), ("F1", LIST_OF_KEYS)]
        }
        Focus::Image(..) => &[
            ("Enter", "attach"),
            ("Tab", "complete"),
            ("Esc", "back"),
            ("F1", LIST_OF_KEYS),
            ("Backspace", "(in the empty field) removes the last image"),
        ],
        Focus::Filter(_) => &[("Enter", "take"), ("↑ ↓", "choose"), ("Esc", "show all"), ("F1", LIST_OF_KEYS)],
        Focus::ConfirmCancel if open.can_discuss() => {
            &[("y", "leave it"), ("d", "decline"), ("c", "talk about it"), ("any other key", "goes back")]
        }
        Focus::ConfirmCancel if open.can_decline() => {
            &[("y", "leave it"), ("d", "decline"), ("any other key", "goes back")]
        }
        Focus::ConfirmCancel => &[("y", "leave it"), ("any other key", "goes back")],
        Focus::ConfirmAnswer(..) => &[("y", "yes"), ("any other key", "goes back")],
    }
}

/// What the key for the list of keys does.
const LIST_OF_KEYS: &str = "keys";

/// Filtering is mentioned with more suggestions than this, which have numbers of two digits.
const LONG_LIST: usize = 9;
