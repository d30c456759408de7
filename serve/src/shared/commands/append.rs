//! What is appended to the logs of conversations, as arguments of a script, and the result.

use std::sync::Arc;

use crate::shared::script::Call;

use crate::conversation::{Batch, EventId};
use crate::shared::keys::Keys;

/// What is appended to the log of a conversation.
#[derive(Clone)]
pub(super) struct Append {
    pub(super) id: String,
    pub(super) batch: Arc<Batch>,
}

/// The result of an append.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Appended {
    Done,
    /// Another replica has become the writer.
    Lost,
    /// The log ends with another event than expected.
    Gap(Option<EventId>),
}

impl Append {
    /// Adds the keys and the arguments to a call of the script.
    pub(super) fn add_to(&self, call: &mut Call<'_>, keys: &Keys) {
        let Append { id, batch } = self;
        call.key(keys.log(id)).key(keys.state(id)).key(keys.bell(id));
        let entries: Vec<_> = batch.entries().collect();
        let of_entries: usize = entries.iter().map(|entry| 3 + 2 * entry.events.len()).sum();
        call.arg(9 + 2 * batch.set.len() + batch.removed.len() + of_entries);
        call.arg(batch.epoch).arg(batch.number).arg(batch.after.to_string()).arg(batch.last.to_string());
        call.arg(if batch.replaces { "replace" } else { "append" });
        call.arg(if batch.restores { "restore" } else { "" });
        call.arg(batch.dropped_before.map(|id| id.to_string()).unwrap_or_default());
        call.arg(batch.set.len());
        for (name, value) in &batch.set {
            call.arg(*name).arg(&**value);
        }
        call.arg(batch.removed.len());
        for name in &batch.removed {
            call.arg(&**name);
        }
        for entry in entries {
            call.arg(entry.last.to_string()).arg(entry.after.to_string()).arg(entry.events.len());
            for (name, data) in entry.events {
                call.arg(name).arg(data);
            }
        }
    }
}

impl Appended {
    /// Returns the result that the script tells, with the id that the log ends with.
    pub(super) fn new(outcome: &str, last: &str) -> Appended {
        match outcome {
            "ok" => Appended::Done,
            "lost" => Appended::Lost,
            _ => Appended::Gap(last.parse().ok()),
        }
    }
}
