//! The replies of a conversation, numbered for agents that collect them.

use std::collections::VecDeque;
use std::sync::Arc;

use followup::dialogue::{Image, Reply, ReplyKind};
use serde::{Deserialize, Serialize};

use super::overhead::REPLY_OVERHEAD;

/// Maximum number of replies that are kept.
const MAX_REPLIES: usize = 1024;

/// The state of a reply on its way to the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Progress {
    /// Whether the service sends it is not known yet.
    Undecided,
    /// The service sends it, or has sent it in the turn that is streaming.
    Sending,
    /// It waits for the agent to collect it.
    Pending,
    Collected,
    Sent,
    /// It was not delivered.
    Failed {
        retry: bool,
    },
}

/// The latest replies to the model, within limits, numbered from 1.
///
/// A reply is kept after it was collected, because the connection of the agent may have broken.
#[derive(Debug)]
pub(super) struct ReplyLog {
    entries: VecDeque<LoggedReply>,
    /// Number of replies so far.
    count: u64,
    /// Number of replies before the newest turn.
    before_turn: u64,
    /// Bytes of the replies that are kept, and their maximum.
    size: usize,
    limit: usize,
    /// The replies that were dropped before anybody got them.
    lost: ReplySet,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct LoggedReply {
    pub(super) sequence: u64,
    pub(super) reply: Arc<Reply>,
    pub(super) progress: Progress,
}

/// The replies that are kept, as data.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct StoredReplies {
    /// Each with its number.
    replies: Vec<(u64, Progress, Reply)>,
    count: u64,
    before_turn: u64,
}

/// Replies of the user: the numbers of their questions, and whether guidance is one of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ReplySet {
    pub(super) numbers: Vec<u64>,
    pub(super) guidance: bool,
}

impl ReplySet {
    pub(super) fn insert(&mut self, reply: &Reply) {
        match (reply.number, reply.kind) {
            (Some(number), _) => self.numbers.push(number),
            (None, ReplyKind::Guidance) => self.guidance = true,
            // Readers see a correction as a rejected call, which has no delivery.
            (None, _) => {}
        }
    }
}

impl ReplyLog {
    /// Returns a log that keeps at most `limit` bytes.
    pub(super) fn new(limit: usize) -> ReplyLog {
        let (entries, lost) = (VecDeque::new(), ReplySet::default());
        ReplyLog { entries, count: 0, before_turn: 0, size: 0, limit, lost }
    }

    /// Returns the replies as data.
    pub(super) fn stored(&self) -> StoredReplies {
        let stored = |entry: &LoggedReply| (entry.sequence, entry.progress, (*entry.reply).clone());
        let replies = self.entries.iter().map(stored).collect();
        StoredReplies { replies, count: self.count, before_turn: self.before_turn }
    }

    /// Returns the log with these replies. It keeps at most `limit` bytes of further ones.
    pub(super) fn restore(stored: StoredReplies, limit: usize) -> ReplyLog {
        let StoredReplies { replies, count, before_turn } = stored;
        let entry = |(sequence, progress, reply)| LoggedReply { sequence, reply: Arc::new(reply), progress };
        let entries: VecDeque<_> = replies.into_iter().map(entry).collect();
        let size = entries.iter().map(|entry| size_of(&entry.reply)).sum();
        ReplyLog { entries, count, before_turn, size, limit, lost: ReplySet::default() }
    }

    /// Returns the number of a reply that is kept.
    pub(super) fn number_of(&self, reply: &Arc<Reply>) -> Option<u64> {
        self.entries.iter().find(|entry| Arc::ptr_eq(&entry.reply, reply)).map(|entry| entry.sequence)
    }

    /// Returns the reply to a question, if it is kept.
    pub(super) fn reply_to(&self, number: u64) -> Option<&Arc<Reply>> {
        self.entries.iter().map(|entry| &entry.reply).find(|reply| reply.number == Some(number))
    }

    /// Returns the approximate memory of the replies.
    pub(super) fn memory(&self) -> usize {
        self.size
    }

    /// Returns the number of replies so far.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    pub(super) fn begin_turn(&mut self) {
        self.before_turn = self.count;
    }

    /// Appends a reply, and drops the oldest ones that exceed the limits.
    pub(super) fn push(&mut self, reply: Arc<Reply>) {
        self.count += 1;
        self.size += size_of(&reply);
        self.entries.push_back(LoggedReply { sequence: self.count, reply, progress: Progress::Undecided });
        while self.entries.len() > 1 && (self.size > self.limit || self.entries.len() > MAX_REPLIES) {
            let Some(oldest) = self.entries.pop_front() else { return };
            self.size -= size_of(&oldest.reply);
            if matches!(oldest.progress, Progress::Undecided | Progress::Pending | Progress::Failed { .. }) {
                self.lost.insert(&oldest.reply);
            }
        }
    }

    /// Returns the replies after the one with this number.
    ///
    /// All of them if there was no such reply: its number is of an earlier conversation with the
    /// same id.
    pub(super) fn after(&self, sequence: u64) -> impl Iterator<Item = &LoggedReply> {
        let sequence = if sequence > self.count { 0 } else { sequence };
        self.entries.iter().filter(move |entry| entry.sequence > sequence)
    }

    /// Returns the replies to the newest turn.
    pub(super) fn of_turn(&self) -> impl Iterator<Item = &LoggedReply> {
        self.after(self.before_turn)
    }

    /// Returns `true` if a reply waits to be collected.
    pub(super) fn has_pending(&self) -> bool {
        self.entries.iter().any(|entry| entry.progress == Progress::Pending)
    }

    /// Returns all replies.
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &LoggedReply> {
        self.entries.iter()
    }

    /// Sets the progress of the replies that match. Returns which of the user's have changed.
    pub(super) fn advance(&mut self, matches: impl Fn(&LoggedReply) -> bool, to: Progress) -> ReplySet {
        let mut changed = ReplySet::default();
        for entry in self.entries.iter_mut() {
            if entry.progress != to && matches(entry) {
                entry.progress = to;
                changed.insert(&entry.reply);
            }
        }
        changed
    }

    /// Returns the replies that were dropped before anybody got them, since the last call.
    pub(super) fn take_lost(&mut self) -> ReplySet {
        std::mem::take(&mut self.lost)
    }
}

fn size_of(reply: &Reply) -> usize {
    REPLY_OVERHEAD + reply.text.len() + size_of_images(&reply.images)
}

/// Returns the bytes of images as data URLs.
pub(super) fn size_of_images(images: &[Image]) -> usize {
    images.iter().map(|image| image.data_url().len()).sum()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn reply(number: u64, text: &str) -> Arc<Reply> {
        let reply = json!({"kind": "answer", "number": number, "text": text});
        Arc::new(serde_json::from_value(reply).unwrap())
    }

    fn numbers<'a>(replies: impl Iterator<Item = &'a LoggedReply>) -> Vec<u64> {
        replies.map(|entry| entry.sequence).collect()
    }

    #[test]
    fn replies_are_numbered_and_read_from_any_of_them() {
        let mut log = ReplyLog::new(1 << 20);
        log.push(reply(0, "a"));
        log.begin_turn();
        log.push(reply(1, "b"));
        log.push(reply(2, "c"));
        assert_eq!(numbers(log.after(0)), [1, 2, 3]);
        assert_eq!(numbers(log.after(2)), [3]);
        assert!(numbers(log.after(3)).is_empty());
        assert_eq!(numbers(log.of_turn()), [2, 3]);
        assert_eq!(numbers(log.after(4)), [1, 2, 3], "a number that this conversation has not reached");
    }

    #[test]
    fn the_oldest_replies_are_dropped_and_named_unless_somebody_got_them() {
        let mut log = ReplyLog::new(2 * (REPLY_OVERHEAD + 1));
        (0..2).for_each(|number| log.push(reply(number, "x")));
        assert_eq!(log.advance(|entry| entry.sequence == 1, Progress::Collected).numbers, [0]);
        assert_eq!(log.take_lost(), ReplySet::default());
        (2..4).for_each(|number| log.push(reply(number, "x")));
        assert_eq!(numbers(log.iter()), [3, 4]);
        assert_eq!(log.take_lost(), ReplySet { numbers: vec![1], guidance: false });
        log.push(reply(4, &"x".repeat(10_000)));
        assert_eq!(numbers(log.iter()), [5], "the newest is always kept");
        let mut many = ReplyLog::new(usize::MAX);
        (0..3000).for_each(|number| many.push(reply(number, "")));
        assert_eq!((many.iter().count(), many.count()), (MAX_REPLIES, 3000));
    }
}
