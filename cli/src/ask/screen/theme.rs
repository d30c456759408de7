//! The styles of the screen.
//!
//! Only the terminal's own sixteen colours are used, which are readable on light and dark
//! backgrounds, and colour alone never carries information.

use ratatui::style::{Color, Modifier, Style};

/// The styles. Without colours, bold, dim and underlined text remains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Theme {
    colour: bool,
}

impl Theme {
    pub(super) fn new(colour: bool) -> Theme {
        Theme { colour }
    }

    fn with(self, colour: Color) -> Style {
        if self.colour { Style::new().fg(colour) } else { Style::new() }
    }

    /// The mark of a growing call.
    pub(super) fn growing(self) -> Style {
        self.with(Color::Yellow).add_modifier(Modifier::BOLD)
    }

    /// The mark of an open or answered question.
    pub(super) fn asked(self) -> Style {
        self.with(Color::Green).add_modifier(Modifier::BOLD)
    }

    /// Errors and rejections.
    pub(super) fn wrong(self) -> Style {
        self.with(Color::Red)
    }

    pub(super) fn number(self) -> Style {
        self.with(Color::Cyan)
    }

    pub(super) fn mode(self) -> Style {
        self.with(Color::Magenta)
    }

    /// The selected choice.
    pub(super) fn chosen(self) -> Style {
        self.with(Color::Green).add_modifier(Modifier::BOLD)
    }

    /// Secondary text.
    pub(super) fn dim(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    /// The name of a key in a hint.
    pub(super) fn key(self) -> Style {
        self.with(Color::Cyan).add_modifier(Modifier::BOLD)
    }

    pub(super) fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    pub(super) fn emphasis(self) -> Style {
        Style::new().add_modifier(Modifier::ITALIC)
    }

    pub(super) fn struck(self) -> Style {
        Style::new().add_modifier(Modifier::CROSSED_OUT)
    }

    pub(super) fn code(self) -> Style {
        self.with(Color::Cyan)
    }

    pub(super) fn link(self) -> Style {
        Style::new().add_modifier(Modifier::UNDERLINED)
    }
}
