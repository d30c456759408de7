//! The names of the steps, above the editor and the keys.

use ratatui::text::{Line, Span};

use super::open_question::OpenQuestion;
use super::step::Step;
use super::theme::Theme;
use super::wrap::{columns, wrap};
use crate::sanitize::{one_line, sanitize};

/// The most columns of a name.
const NAME: usize = 16;

/// Returns the names of the steps, as a rule; `None` if there is only one.
///
/// Where there is no room, it is only the name of the current step.
pub(super) fn line(open: &OpenQuestion, width: usize, theme: Theme) -> Option<Line<'static>> {
    if !open.has_review() {
        return None;
    }
    let all = open.steps.iter().enumerate().map(|(index, step)| (mark(open, index), name(step)));
    let all: Vec<(&str, String)> = all.chain([(mark(open, open.steps.len()), "Review".into())]).collect();
    let mut spans = vec![Span::styled("── ", theme.dim())];
    for (mark, name) in &all {
        let style = if *mark == CURRENT { theme.chosen() } else { theme.dim() };
        spans.extend([Span::styled(format!("{mark} {name}"), style), Span::raw("  ")]);
    }
    if columns(&spans) > width {
        let (mark, name) = all.get(open.current)?;
        let place = format!(" {}/{}", open.current + 1, all.len());
        spans = vec![Span::styled(format!("{mark} {name}"), theme.chosen()), Span::styled(place, theme.dim())];
    } else {
        spans.pop();
        let rest = width.saturating_sub(columns(&spans) + 1);
        spans.push(Span::styled(format!(" {}", "─".repeat(rest)), theme.dim()));
    }
    Some(Line::from(spans))
}

const CURRENT: &str = "❯";

fn mark(open: &OpenQuestion, index: usize) -> &'static str {
    let step = open.steps.get(index);
    if index == open.current {
        CURRENT
    } else if step.is_some_and(Step::is_answered) {
        "✓"
    } else if step.is_some_and(|step| step.is_required) {
        "*"
    } else {
        "·"
    }
}

/// Returns the name of a step, cut if it is long.
fn name(step: &Step) -> String {
    let name = sanitize(&one_line(&step.name));
    let row = |width| wrap(&[Span::raw(name.as_str())], width, &[], &[]);
    match row(NAME) {
        rows if rows.len() > 1 => row(NAME - 1).into_iter().next().map(|row| format!("{row}…")).unwrap_or_default(),
        _ => name,
    }
}
