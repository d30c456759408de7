//! The notice that a message had no question, which may mean that its format was wrong.

use followup::Event;
use followup::wire::Format;

use crate::error::report;
use crate::events::InputEvent;
use crate::input_format::InputFormat;

/// Watches the input for questions, and reports if there was none.
#[derive(Default)]
pub(super) struct NoQuestionNotice {
    has_question: bool,
    /// Whether the message begins like a provider's stream; `None` before its first text.
    looks_like_stream: Option<bool>,
}

impl NoQuestionNotice {
    pub(super) fn observe(&mut self, event: &InputEvent<'_>) {
        match event {
            InputEvent::Event(Event::Text(text)) if self.looks_like_stream.is_none() => {
                let begins = |begin: &str| text.trim_start().starts_with(begin);
                self.looks_like_stream = Some(["data:", "event:", "{\"", "[{"].into_iter().any(begins));
            }
            InputEvent::Event(Event::Complete(_) | Event::Rejected(_)) | InputEvent::Error(_) => {
                self.has_question = true;
            }
            _ => {}
        }
    }

    /// Reports on standard error if there was no question. `format` is how the input was read.
    pub(super) fn report(&self, format: InputFormat) {
        let is_text = format == InputFormat::Known(Format::Text);
        let hint = match self.looks_like_stream {
            Some(true) if is_text => "; it looks like what a provider streams: try --wire auto",
            _ => "",
        };
        if !self.has_question {
            report(format_args!("there was no question in it{hint}"));
        }
    }
}
