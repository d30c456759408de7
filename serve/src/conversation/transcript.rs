//! The transcript of a conversation: applies events exactly as a page does.

use std::collections::{BTreeMap, VecDeque};

use serde::{Serialize, Serializer};

use super::event::{ConversationEvent, GrownField, UserReply};
use super::item::{CallItem, CallState, Item, RepliedItem};
use super::outcome::Delivery;

/// The items of a conversation in order, within a limit of bytes.
///
/// The oldest are dropped first. Questions that wait for an answer are never dropped.
#[derive(Debug)]
pub(super) struct Transcript {
    /// The items with ascending keys, by which they are found after others have been dropped.
    items: VecDeque<(u64, Item)>,
    next_key: u64,
    /// The sum of the items' sizes.
    size: usize,
    limit: usize,
    /// Bytes of items that were dropped.
    dropped: u64,
    /// The unfinished calls of this turn, with their items' keys; `None` for a dropped item.
    growing: Vec<(u64, Option<u64>)>,
    /// The latest calls of other tools in this turn, by the provider's id, with their items' keys.
    opaque: VecDeque<(Option<String>, u64)>,
    /// The questions that wait for an answer, by their number, with the keys of their items.
    unanswered: BTreeMap<u64, u64>,
}

/// Maximum number of other tools' calls whose pieces are joined. A parser has no more of them open.
const MAX_OPAQUE: usize = 256;

impl Transcript {
    pub(super) fn new(limit: usize) -> Transcript {
        Transcript {
            items: VecDeque::new(),
            next_key: 0,
            size: 0,
            limit,
            dropped: 0,
            growing: Vec::new(),
            opaque: VecDeque::new(),
            unanswered: BTreeMap::new(),
        }
    }

    /// Returns the transcript with these items, which another one has serialized to.
    pub(super) fn restore(items: Vec<Item>, dropped: u64, limit: usize) -> Transcript {
        let mut transcript = Transcript { dropped, ..Transcript::new(limit) };
        for item in items {
            let key = transcript.next_key;
            match &item {
                Item::Turn { .. } => {
                    transcript.growing.clear();
                    transcript.opaque.clear();
                }
                Item::Opaque { id, .. } => transcript.note_opaque(id.clone(), key),
                Item::Call(call) if call.state == CallState::Growing => {
                    transcript.growing.push((call.call, Some(key)));
                }
                Item::Call(call) if call.awaits_answer() => {
                    transcript.unanswered.extend(call.number.map(|number| (number, key)));
                }
                _ => {}
            }
            transcript.push(item);
        }
        transcript
    }

    /// Returns the calls of the newest turn that have not ended.
    pub(super) fn growing(&self) -> impl Iterator<Item = u64> {
        self.growing.iter().map(|(call, _)| *call)
    }

    /// Returns `true` if a question waits for an answer.
    pub(super) fn awaits_answer(&self, number: u64) -> bool {
        self.unanswered.contains_key(&number)
    }

    /// Returns the call with the question of this number; `None` if it was dropped.
    pub(super) fn asked(&self, number: u64) -> Option<&CallItem> {
        self.items.iter().rev().find_map(|(_, item)| match item {
            Item::Call(call) if call.number == Some(number) => Some(call),
            _ => None,
        })
    }

    /// Returns how many bytes of the oldest items have been dropped.
    pub(super) fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Returns the approximate memory of the items.
    pub(super) fn memory(&self) -> usize {
        self.size
    }

    /// Applies an event.
    pub(super) fn apply(&mut self, event: &ConversationEvent<'_>) {
        match event {
            ConversationEvent::Turn { index } => {
                self.growing.clear();
                self.opaque.clear();
                self.push(Item::Turn { index: *index });
            }
            ConversationEvent::Text { text } => self.text(text),
            ConversationEvent::Opaque { tool, raw, start, id } => self.opaque(tool, raw, *start, id.as_deref()),
            ConversationEvent::Partial { call, field, delta } => self.partial(*call, field, delta),
            ConversationEvent::FormPartial(partial) => self.grow_call(partial.call, |call| call.grow_form(partial)),
            ConversationEvent::Complete(asked) => {
                let key = self.end_call(asked.call, |call| {
                    call.state = CallState::Complete;
                    call.question = asked.question.clone().into_owned();
                    call.suggest.clone_from(&asked.suggest);
                    call.notes.clone_from(&asked.notes);
                    call.envelope = asked.envelope.as_deref().map(str::to_owned);
                    call.form = asked.form.as_deref().map(|form| Box::new(form.clone().into()));
                    (call.number, call.open) = (Some(asked.number), Some(asked.open));
                });
                self.unanswered.insert(asked.number, key);
            }
            ConversationEvent::Rejected { call, reason, message, .. } => {
                self.end_call(*call, |call| {
                    call.state = CallState::Rejected;
                    (call.reason, call.message) = (Some(reason.to_string()), Some(message.to_string()));
                });
            }
            ConversationEvent::Error { kind, message } => {
                self.push(Item::Error { kind: kind.to_string(), message: message.to_string() });
            }
            ConversationEvent::End { index, cut_off } => self.push(Item::End { index: *index, cut_off: *cut_off }),
            ConversationEvent::Open { number } => {
                if let Some(&key) = self.unanswered.get(number) {
                    self.change_call(key, |call| call.open = Some(true));
                }
            }
            ConversationEvent::Replied(replied) => self.replied(replied),
            ConversationEvent::Closed { number, closing } => {
                if let Some(key) = self.unanswered.remove(number) {
                    self.change_call(key, |call| {
                        call.open = Some(false);
                        call.closed = Some(Box::new(closing.clone().into_owned()));
                    });
                }
            }
            ConversationEvent::Delivery { numbers, guidance, delivery } => self.delivery(numbers, *guidance, delivery),
            ConversationEvent::Gone {} => {}
        }
        self.shrink();
    }

    fn text(&mut self, more: &str) {
        match self.items.back_mut() {
            Some((_, Item::Text { text })) => {
                text.push_str(more);
                self.size += more.len();
            }
            _ => self.push(Item::Text { text: more.into() }),
        }
    }

    fn opaque(&mut self, tool: &str, more: &str, start: bool, id: Option<&str>) {
        let open = self.opaque.iter().rev().find(|(one, _)| one.as_deref() == id).filter(|_| !start);
        let item = open.map(|&(_, key)| key).and_then(|key| self.get_mut(key));
        if let Some(Item::Opaque { raw, .. }) = item {
            raw.push_str(more);
            self.size += more.len();
            return;
        }
        let id = id.map(str::to_owned);
        self.note_opaque(id.clone(), self.next_key);
        self.push(Item::Opaque { tool: tool.into(), raw: more.into(), id });
    }

    /// Remembers the item of another tool's call, to which its further pieces are appended.
    fn note_opaque(&mut self, id: Option<String>, key: u64) {
        self.opaque.retain(|(one, _)| *one != id);
        self.opaque.push_back((id, key));
        if self.opaque.len() > MAX_OPAQUE {
            self.opaque.pop_front();
        }
    }

    fn partial(&mut self, call: u64, field: &GrownField<'_>, delta: &str) {
        self.grow_call(call, |call| match field {
            GrownField::Question => call.grow_question(delta),
            GrownField::Suggest { index, mode } => call.grow_suggestion(*index, mode.as_deref(), delta),
        });
    }

    /// Lets a call grow, which returns by how many bytes it did.
    fn grow_call(&mut self, call: u64, grow: impl FnOnce(&mut CallItem) -> usize) {
        let key = match self.growing.iter().find(|(one, _)| *one == call) {
            Some((_, Some(key))) => *key,
            Some((_, None)) => return,
            None => {
                self.growing.push((call, Some(self.next_key)));
                self.push(Item::Call(CallItem::new(call)));
                self.next_key - 1
            }
        };
        // The size is updated by the difference, because a call grows by a few bytes at a time.
        if let Some(Item::Call(call)) = self.get_mut(key) {
            let grown = grow(call);
            self.size += grown;
        }
    }

    /// Ends a call with that change. Returns the key of its item.
    fn end_call(&mut self, call: u64, end: impl FnOnce(&mut CallItem)) -> u64 {
        let index = self.growing.iter().position(|(one, _)| *one == call);
        let key = index.and_then(|index| self.growing.swap_remove(index).1).unwrap_or_else(|| {
            self.push(Item::Call(CallItem::new(call)));
            self.next_key - 1
        });
        self.change_call(key, end);
        key
    }

    fn replied(&mut self, replied: &UserReply) {
        match replied.number {
            Some(number) => {
                if let Some(key) = self.unanswered.remove(&number) {
                    self.change_call(key, |call| {
                        call.open = Some(false);
                        call.answered = Some(Box::new(replied.clone()));
                    });
                }
            }
            None => {
                self.push(Item::Replied(RepliedItem { reply: Box::new(replied.clone()), delivery: None }));
            }
        }
    }

    /// Sets the delivery of answers by the numbers of their questions, and of the latest guidance.
    fn delivery(&mut self, numbers: &[u64], guidance: bool, delivery: &Delivery) {
        let mut is_next = guidance;
        let concerns = |item: &Item, is_next: &mut bool| match item {
            Item::Call(call) => call.number.is_some_and(|number| numbers.contains(&number)),
            Item::Replied(_) => std::mem::take(is_next),
            _ => false,
        };
        for (_, item) in self.items.iter_mut().rev().filter_map(|entry| {
            let is_concerned = concerns(&entry.1, &mut is_next);
            is_concerned.then_some(entry)
        }) {
            let before = item.size();
            if let Item::Call(CallItem { delivery: place, .. }) | Item::Replied(RepliedItem { delivery: place, .. }) =
                item
            {
                *place = Some(Box::new(delivery.clone()));
            }
            self.size = self.size - before + item.size();
        }
    }

    fn push(&mut self, item: Item) {
        self.size += item.size();
        self.items.push_back((self.next_key, item));
        self.next_key += 1;
    }

    fn get_mut(&mut self, key: u64) -> Option<&mut Item> {
        let index = self.items.binary_search_by_key(&key, |(key, _)| *key).ok()?;
        self.items.get_mut(index).map(|(_, item)| item)
    }

    fn change_call(&mut self, key: u64, change: impl FnOnce(&mut CallItem)) {
        if let Some(Item::Call(call)) = self.get_mut(key) {
            let before = call.size();
            change(call);
            let after = call.size();
            self.size = self.size - before + after;
        }
    }

    /// Drops the oldest items until the rest is within the limit.
    ///
    /// Calls that are still being written are dropped last; questions that wait for an answer
    /// never, because they have a limit of their own.
    fn shrink(&mut self) {
        while self.size > self.limit {
            let is_growing = |key: u64| self.growing.iter().any(|(_, one)| *one == Some(key));
            let awaits_answer = |item: &Item| matches!(item, Item::Call(call) if call.awaits_answer());
            let oldest = self.items.iter().position(|(key, item)| !awaits_answer(item) && !is_growing(*key));
            let Some(index) = oldest.or_else(|| self.items.iter().position(|(_, item)| !awaits_answer(item))) else {
                return;
            };
            let excess = self.size - self.limit;
            // This removes at least half of a long text, so that its beginning is not dropped byte
            // by byte.
            let removed = self.items.get_mut(index).map_or(0, |(_, item)| item.truncate_front(excess));
            if removed > 0 {
                self.count_dropped(removed);
            } else if let Some((key, item)) = self.items.remove(index) {
                self.count_dropped(item.size());
                if let Some((_, one)) = self.growing.iter_mut().find(|(_, one)| *one == Some(key)) {
                    *one = None;
                }
            }
        }
    }

    fn count_dropped(&mut self, bytes: usize) {
        self.size -= bytes;
        self.dropped += bytes as u64;
    }
}

impl Serialize for Transcript {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.items.iter().map(|(_, item)| item))
    }
}

#[cfg(test)]
#[path = "transcript_tests.rs"]
mod tests;
