//! The transcript printed after the screen is left: everything that was read and answered.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Effects, Style};
use ratatui::style::{Color, Modifier};
use ratatui::text::Line;

/// Returns the rows with their styles as ANSI sequences.
pub(super) fn ansi(rows: &[Line<'_>]) -> String {
    let mut text = String::new();
    for row in rows {
        for span in &row.spans {
            let style = style(row.style.patch(span.style));
            // Writing to a string never fails.
            let _ = write!(text, "{style}{}{style:#}", span.content);
        }
        text.push_str("\r\n");
    }
    text
}

fn style(style: ratatui::style::Style) -> Style {
    let colour = style.fg.and_then(|colour| match colour {
        Color::Red => Some(AnsiColor::Red),
        Color::Green => Some(AnsiColor::Green),
        Color::Yellow => Some(AnsiColor::Yellow),
        Color::Magenta => Some(AnsiColor::Magenta),
        Color::Cyan => Some(AnsiColor::Cyan),
        // The theme has no others.
        _ => None,
    });
    let effects = [
        (Modifier::BOLD, Effects::BOLD),
        (Modifier::DIM, Effects::DIMMED),
        (Modifier::ITALIC, Effects::ITALIC),
        (Modifier::UNDERLINED, Effects::UNDERLINE),
        (Modifier::CROSSED_OUT, Effects::STRIKETHROUGH),
    ];
    let effects = effects.iter().filter(|(modifier, _)| style.add_modifier.contains(*modifier));
    Style::new()
        .fg_color(colour.map(Into::into))
        .effects(effects.fold(Effects::new(), |all, (_, effect)| all | *effect))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::style::Style;
    use ratatui::text::Span;

    #[test]
    fn styles_become_ansi_sequences() {
        let bold = Style::new().fg(Color::Cyan).add_modifier(Modifier::BOLD);
        let rows = [Line::from(vec![Span::raw("a "), Span::styled("b", bold)]), Line::default()];
        assert_eq!(ansi(&rows), "a \u{1B}[1m\u{1B}[36mb\u{1B}[0m\r\n\r\n");
    }
}
