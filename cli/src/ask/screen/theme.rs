//! How the parts of the screen look.
//!
//! Only the terminal's own sixteen colours, so that it is readable on light and dark ones; and nothing is said by a colour alone.

use ratatui::style::{Color, Modifier, Style};

/// Styles. Without colours, what is bold, dim, underlined or reversed stays so.
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

    /// The mark of a call that is still being written.
    pub(super) fn growing(self) -> Style {
        self.with(Color::Yellow).add_modifier(Modifier::BOLD)
    }

    /// The mark of a question that is open, or was answered.
    pub(super) fn asked(self) -> Style {
        self.with(Color::Green).add_modifier(Modifier::BOLD)
    }

    /// What went wrong.
    pub(super) fn wrong(self) -> Style {
        self.with(Color::Red)
    }

    pub(super) fn number(self) -> Style {
        self.with(Color::Cyan)
    }

    pub(super) fn mode(self) -> Style {
        self.with(Color::Magenta)
    }

    /// The suggestion that Enter takes.
    pub(super) fn chosen(self) -> Style {
        self.with(Color::Green).add_modifier(Modifier::BOLD)
    }

    /// What matters less.
    pub(super) fn dim(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    /// A key, in what says what it does.
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
