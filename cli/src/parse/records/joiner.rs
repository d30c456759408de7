//! The events of one record as a list in JSON, in the form that does not depend on the chunks.

use std::{io, mem};

use followup::wire::Error;
use followup::{Event, Opaque};

use crate::output::json::{ErrorLine, EventLine};

/// A writer of events that joins the pieces of text and opaque calls, and drops partials.
pub(super) struct EventJoiner<'a> {
    out: &'a mut Vec<u8>,
    pending: Pending,
    /// The joined pieces of the pending event.
    text: String,
    is_first: bool,
    /// The first error that is not one reported by the provider.
    unread: Option<String>,
}

/// The event whose pieces are being joined.
enum Pending {
    Nothing,
    Text,
    /// A part of another tool's call.
    Opaque {
        tool: String,
        id: Option<String>,
        start: bool,
    },
}

impl Pending {
    /// Returns whether the piece continues this event: native calls may overlap.
    fn is_continued_by(&self, piece: &Opaque<'_>) -> bool {
        match self {
            Pending::Opaque { tool, id, .. } => !piece.start && tool == piece.tool && id.as_deref() == piece.id,
            _ => false,
        }
    }
}

impl EventJoiner<'_> {
    pub(super) fn new(out: &mut Vec<u8>) -> EventJoiner<'_> {
        EventJoiner { out, pending: Pending::Nothing, text: String::new(), is_first: true, unread: None }
    }

    pub(super) fn event(&mut self, event: Result<Event<'_>, Error<'_>>) -> io::Result<()> {
        match event {
            Ok(Event::Partial(_)) => {}
            Ok(Event::Text(text)) => {
                if !matches!(self.pending, Pending::Text) {
                    self.flush()?;
                    self.pending = Pending::Text;
                }
                self.text.push_str(text);
            }
            Ok(Event::Opaque(piece)) => {
                if !self.pending.is_continued_by(&piece) {
                    self.flush()?;
                    let Opaque { tool, id, start, .. } = piece;
                    self.pending = Pending::Opaque { tool: tool.to_owned(), id: id.map(str::to_owned), start };
                }
                self.text.push_str(piece.raw);
            }
            Ok(event @ (Event::Complete(_) | Event::Rejected(_))) => {
                self.flush()?;
                self.line(event)?;
            }
            Err(error) => {
                self.flush()?;
                self.separate();
                ErrorLine { error, emitted: None }.write(self.out)?;
                if !matches!(error, Error::Provider(_)) {
                    self.unread.get_or_insert_with(|| error.to_string());
                }
            }
        }
        Ok(())
    }

    /// Writes what is pending. Returns why a part of the body could not be read, if so.
    pub(super) fn finish(mut self) -> io::Result<Option<String>> {
        self.flush()?;
        Ok(self.unread)
    }

    fn flush(&mut self) -> io::Result<()> {
        let text = mem::take(&mut self.text);
        match mem::replace(&mut self.pending, Pending::Nothing) {
            Pending::Nothing => {}
            Pending::Text => self.line(Event::Text(&text))?,
            Pending::Opaque { tool, id, start } => {
                self.line(Event::Opaque(Opaque { tool: &tool, raw: &text, start, id: id.as_deref() }))?;
            }
        }
        // The buffer is reused.
        self.text = text;
        self.text.clear();
        Ok(())
    }

    fn line(&mut self, event: Event<'_>) -> io::Result<()> {
        self.separate();
        EventLine { event, emitted: None }.write(self.out)
    }

    fn separate(&mut self) {
        if !mem::take(&mut self.is_first) {
            self.out.push(b',');
        }
    }
}
