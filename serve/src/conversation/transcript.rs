//! The transcript of a conversation: applies events exactly as a page does.

use std::collections::{BTreeMap, VecDeque};

use serde::{Serialize, Serializer};

use super::event::{ConversationEvent, GrownField, UserReply};
use super::item::{CallItem, CallState, Item, RepliedItem};
use super::item_list::ItemList;
use super::outcome::Delivery;

/// What a page shows of a conversation, within a limit of bytes.
#[derive(Debug)]
pub(super) struct Transcript {
    items: ItemList,
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
            items: ItemList::new(limit, 0),
            growing: Vec::new(),
            opaque: VecDeque::new(),
            unanswered: BTreeMap::new(),
        }
    }

    /// Returns the transcript with these items, which another one has serialized to.
    pub(super) fn restore(items: Vec<Item>, dropped: u64, limit: usize) -> Transcript {
        let mut transcript = Transcript { items: ItemList::new(limit, dropped), ..Transcript::new(limit) };
        for item in items {
            let key = transcript.items.next_key();
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
            transcript.items.push(item);
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
        self.items.newest_first().find_map(|(_, item)| match item {
            Item::Call(call) if call.number == Some(number) => Some(call),
            _ => None,
        })
    }

    /// Returns how many bytes of the oldest items have been dropped.
    pub(super) fn dropped(&self) -> u64 {
        self.items.dropped()
    }

    /// Returns the approximate memory of the items.
    pub(super) fn memory(&self) -> usize {
        self.items.size()
    }

    /// Applies an event.
    pub(super) fn apply(&mut self, event: &ConversationEvent<'_>) {
        match event {
            ConversationEvent::Turn { index } => {
                self.growing.clear();
                self.opaque.clear();
                self.items.push(Item::Turn { index: *index });
            }
            ConversationEvent::Text { text } => self.text(text),
            ConversationEvent::Opaque { tool, raw, start, id } => self.opaque(tool, raw, *start, id.as_deref()),
            ConversationEvent::Partial { call, field, delta } => self.partial(*call, field, delta),
            ConversationEvent::FormPartial(partial) => {
                self.append_to_call(partial.call, |call| call.append_form(partial))
            }
            ConversationEvent::Complete(asked) => {
                let key = self.end_call(asked.call, |call| {
                    call.state = CallState::Complete;
                    call.question = asked.question.clone().into_owned();
                    call.suggest.clone_from(&asked.suggest);
                    call.notes.clone_from(&asked.notes);
                    call.envelope = asked.envelope.as_deref().map(str::to_owned);
                    call.form = asked.form.as_deref().map(|form| Box::new(form.clone().into()));
                    (call.number, call.open, call.can_discuss) =
                        (Some(asked.number), Some(asked.open), asked.can_discuss);
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
                self.items.push(Item::Error { kind: kind.to_string(), message: message.to_string() });
            }
            ConversationEvent::End { index, cut_off } => {
                self.items.push(Item::End { index: *index, cut_off: *cut_off });
            }
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
        let has_grown = self.items.append_to_last(|item| {
            let Item::Text { text } = item else { return None };
            text.push_str(more);
            Some(more.len())
        });
        if !has_grown {
            self.items.push(Item::Text { text: more.into() });
        }
    }

    fn opaque(&mut self, tool: &str, more: &str, start: bool, id: Option<&str>) {
        let open = self.opaque.iter().rev().find(|(one, _)| one.as_deref() == id).filter(|_| !start);
        let has_grown = open.is_some_and(|&(_, key)| {
            self.items.append(key, |item| {
                let Item::Opaque { raw, .. } = item else { return None };
                raw.push_str(more);
                Some(more.len())
            })
        });
        if has_grown {
            return;
        }
        let id = id.map(str::to_owned);
        let key = self.items.push(Item::Opaque { tool: tool.into(), raw: more.into(), id: id.clone() });
        self.note_opaque(id, key);
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
        self.append_to_call(call, |call| match field {
            GrownField::Question => call.append_question(delta),
            GrownField::Suggest { index, mode } => call.append_suggestion(*index, mode.as_deref(), delta),
        });
    }

    /// Appends to a call. `append` returns by how many bytes the call has grown.
    fn append_to_call(&mut self, call: u64, append: impl FnOnce(&mut CallItem) -> usize) {
        let key = match self.growing.iter().find(|(one, _)| *one == call) {
            Some((_, Some(key))) => *key,
            Some((_, None)) => return,
            None => {
                let key = self.items.push(Item::Call(CallItem::new(call)));
                self.growing.push((call, Some(key)));
                key
            }
        };
        self.items.append(key, |item| {
            let Item::Call(call) = item else { return None };
            Some(append(call))
        });
    }

    /// Ends a call with that change. Returns the key of its item.
    fn end_call(&mut self, call: u64, end: impl FnOnce(&mut CallItem)) -> u64 {
        let index = self.growing.iter().position(|(one, _)| *one == call);
        let key = index.and_then(|index| self.growing.swap_remove(index).1);
        let key = key.unwrap_or_else(|| self.items.push(Item::Call(CallItem::new(call))));
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
                self.items.push(Item::Replied(RepliedItem { reply: Box::new(replied.clone()), delivery: None }));
            }
        }
    }

    /// Sets the delivery of answers by the numbers of their questions, and of the latest guidance.
    fn delivery(&mut self, numbers: &[u64], guidance: bool, delivery: &Delivery) {
        let mut is_next = guidance;
        let mut concerns = |item: &Item| match item {
            Item::Call(call) => call.number.is_some_and(|number| numbers.contains(&number)),
            Item::Replied(_) => std::mem::take(&mut is_next),
            _ => false,
        };
        let concerned = self.items.newest_first().filter(|(_, item)| concerns(item));
        let keys: Vec<u64> = concerned.map(|(key, _)| key).collect();
        for key in keys {
            self.items.change(key, |item| {
                if let Item::Call(CallItem { delivery: place, .. })
                | Item::Replied(RepliedItem { delivery: place, .. }) = item
                {
                    *place = Some(Box::new(delivery.clone()));
                }
            });
        }
    }

    fn change_call(&mut self, key: u64, change: impl FnOnce(&mut CallItem)) {
        self.items.change(key, |item| {
            if let Item::Call(call) = item {
                change(call);
            }
        });
    }

    /// Drops the oldest items until the rest is within the limit.
    fn shrink(&mut self) {
        let dropped = self.items.shrink(|key| self.growing.iter().any(|(_, one)| *one == Some(key)));
        for key in dropped {
            if let Some((_, one)) = self.growing.iter_mut().find(|(_, one)| *one == Some(key)) {
                *one = None;
            }
        }
    }
}

impl Serialize for Transcript {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.items.iter())
    }
}

#[cfg(test)]
#[path = "transcript_tests.rs"]
mod tests;
