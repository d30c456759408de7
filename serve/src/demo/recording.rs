//! A recording: a message of a model, and the messages that follow when it has been answered.

use followup::wire;

use crate::settings::Pace;

/// A recorded message, and the messages that follow when it has been answered.
#[derive(Debug)]
pub(crate) struct Recording {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(super) parts: &'static [Part],
}

/// One message of a recording: the body of a response.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) wire: wire::Format,
    pub(super) body: &'static str,
}

/// The rest of a recording: the part to be played next, and those after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Script {
    recording: &'static Recording,
    /// Index of the part to be played next.
    next: usize,
    pace: Pace,
}

impl Script {
    /// Returns the whole recording.
    pub(crate) fn new(recording: &'static Recording, pace: Pace) -> Script {
        Script { recording, next: 0, pace }
    }

    /// Returns a recording from one of its parts on.
    pub(crate) fn at(recording: &'static Recording, next: usize, pace: Pace) -> Script {
        Script { recording, next, pace }
    }

    /// Returns the recording's name, and the index of the next part.
    pub(crate) fn position(&self) -> (&'static str, usize) {
        (self.recording.name, self.next)
    }

    pub(crate) fn pace(&self) -> Pace {
        self.pace
    }

    /// Returns the wire format of the next part.
    pub(crate) fn wire(&self) -> wire::Format {
        self.part().map_or(wire::Format::Text, |part| part.wire)
    }

    /// Returns the next part's body.
    pub(crate) fn body(&self) -> &'static str {
        self.part().map_or("", |part| part.body)
    }

    /// Returns what follows when the next part has been answered; `None` after the last part.
    pub(crate) fn rest(self) -> Option<Script> {
        let rest = Script { next: self.next + 1, ..self };
        rest.part().map(|_| rest)
    }

    fn part(&self) -> Option<&'static Part> {
        self.recording.parts.get(self.next)
    }
}
