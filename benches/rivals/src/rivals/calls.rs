//! What the hosts of tool call parsers do with them: they append the pieces of a call's arguments to each other.

use crate::message::Asked;
use crate::sink::Sink;

/// The call that is open.
#[derive(Debug, Default)]
pub(super) struct OpenCall {
    arguments: String,
    is_open: bool,
}

impl OpenCall {
    pub(super) fn begin(&mut self, sink: &mut impl Sink) {
        self.end(sink);
        self.is_open = true;
    }

    pub(super) fn grow(&mut self, arguments: &str, sink: &mut impl Sink) {
        if !arguments.is_empty() {
            self.arguments.push_str(arguments);
            sink.arguments(&self.arguments);
        }
    }

    /// A call of which nothing was seen before.
    pub(super) fn whole(&mut self, arguments: &str, sink: &mut impl Sink) {
        self.arguments.push_str(arguments);
        self.is_open = true;
        self.end(sink);
    }

    /// It ends where the next begins, or the message: not every parser says so before.
    pub(super) fn end(&mut self, sink: &mut impl Sink) {
        if std::mem::take(&mut self.is_open) {
            sink.complete(|| Asked::from_json(&self.arguments));
        }
        self.arguments.clear();
    }
}
