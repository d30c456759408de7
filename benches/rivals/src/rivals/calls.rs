//! What a host of a tool call parser does with its output: append the pieces of a call's arguments.

use crate::call::Call;
use crate::sink::Sink;

/// The arguments of the open call, as far as they have arrived.
#[derive(Debug, Default)]
pub(super) struct OpenCall {
    arguments: String,
    is_open: bool,
}

impl OpenCall {
    pub(super) fn begin(&mut self, sink: &mut impl Sink) {
        self.close(sink);
        self.is_open = true;
    }

    pub(super) fn append(&mut self, arguments: &str, sink: &mut impl Sink) {
        if !arguments.is_empty() {
            self.arguments.push_str(arguments);
            sink.arguments(&self.arguments);
        }
    }

    /// Passes on a call that arrives in one piece.
    pub(super) fn complete(&mut self, arguments: &str, sink: &mut impl Sink) {
        self.arguments.push_str(arguments);
        self.is_open = true;
        self.close(sink);
    }

    /// Passes on the open call.
    ///
    /// It ends where the next call begins or the message ends; not every parser reports it earlier.
    pub(super) fn close(&mut self, sink: &mut impl Sink) {
        if std::mem::take(&mut self.is_open) {
            sink.complete(|| Call::from_json(&self.arguments));
        }
        self.arguments.clear();
    }
}
