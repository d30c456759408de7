//! The conversation as it stands: what a page shows. Every event is applied to it as a page applies it.

use std::collections::{BTreeMap, VecDeque};

use serde::{Serialize, Serializer};

use super::happened::{Grown, Happened, Replied};
use super::item::{Call, Item, State};

/// The items of a conversation, in order, up to a limit of bytes: the oldest are dropped first. Questions that are to be answered stay.
#[derive(Debug)]
pub(super) struct Items {
    /// Each with a key that grows, so that it is found again when others are gone.
    kept: VecDeque<(u64, Item)>,
    next: u64,
    bytes: usize,
    limit: usize,
    dropped: u64,
    /// The calls of this turn that are being written, and their items; `None` if that was dropped.
    growing: Vec<(u64, Option<u64>)>,
    /// The latest calls of other tools in this turn, by the provider's id.
    opaque: VecDeque<(Option<String>, u64)>,
    /// The questions that are to be answered, by their number.
    asked: BTreeMap<u64, u64>,
}

/// How many calls of other tools may be written at once for their pieces to be put together. A parser has no more open.
const OPAQUE: usize = 256;

impl Items {
    pub(super) fn new(limit: usize) -> Items {
        Items {
            kept: VecDeque::new(),
            next: 0,
            bytes: 0,
            limit,
            dropped: 0,
            growing: Vec::new(),
            opaque: VecDeque::new(),
            asked: BTreeMap::new(),
        }
    }

    /// How many bytes of the oldest items are no longer kept.
    pub(super) fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Takes what happened.
    pub(super) fn take(&mut self, happened: &Happened<'_>) {
        match happened {
            Happened::Turn { nth } => {
                self.growing.clear();
                self.opaque.clear();
                self.push(Item::Turn { nth: *nth });
            }
            Happened::Text { text } => self.text(text),
            Happened::Opaque { tool, raw, start, id } => self.opaque(tool, raw, *start, *id),
            Happened::Partial { call, grown, delta } => self.partial(*call, grown, delta),
            Happened::Complete(asked) => {
                let key = self.ended(asked.call, |call| {
                    call.state = State::Complete;
                    call.question = asked.question.into();
                    call.suggest.clone_from(&asked.suggest);
                    call.notes.clone_from(&asked.notes);
                    (call.number, call.open) = (Some(asked.number), Some(asked.open));
                });
                self.asked.insert(asked.number, key);
            }
            Happened::Rejected { call, reason, message, .. } => {
                self.ended(*call, |call| {
                    call.state = State::Rejected;
                    (call.reason, call.message) = (Some((*reason).into()), Some((*message).into()));
                });
            }
            Happened::Error { kind, message } => {
                self.push(Item::Error { kind: (*kind).into(), message: (*message).into() });
            }
            Happened::End { nth, cut_off } => self.push(Item::End { nth: *nth, cut_off: *cut_off }),
            Happened::Open { number } => {
                if let Some(&key) = self.asked.get(number) {
                    self.change_call(key, |call| call.open = Some(true));
                }
            }
            Happened::Replied(replied) => self.replied(replied),
            Happened::Gone {} => {}
        }
        self.shrink();
    }

    fn text(&mut self, more: &str) {
        match self.kept.back_mut() {
            Some((_, Item::Text { text })) => {
                text.push_str(more);
                self.bytes += more.len();
            }
            _ => self.push(Item::Text { text: more.into() }),
        }
    }

    fn opaque(&mut self, tool: &str, more: &str, start: bool, id: Option<&str>) {
        let open = self.opaque.iter().rev().find(|(one, _)| one.as_deref() == id).filter(|_| !start);
        let item = open.map(|&(_, key)| key).and_then(|key| self.get_mut(key));
        if let Some(Item::Opaque { raw, .. }) = item {
            raw.push_str(more);
            self.bytes += more.len();
            return;
        }
        let id = id.map(str::to_owned);
        self.opaque.retain(|(one, _)| *one != id);
        self.opaque.push_back((id.clone(), self.next));
        if self.opaque.len() > OPAQUE {
            self.opaque.pop_front();
        }
        self.push(Item::Opaque { tool: tool.into(), raw: more.into(), id });
    }

    fn partial(&mut self, call: u64, grown: &Grown<'_>, delta: &str) {
        let key = match self.growing.iter().find(|(one, _)| *one == call) {
            Some((_, Some(key))) => *key,
            Some((_, None)) => return,
            None => {
                self.growing.push((call, Some(self.next)));
                self.push(Item::Call(Call::new(call)));
                self.next - 1
            }
        };
        // Without counting all of it anew: it grows by a few bytes at a time.
        let Some(Item::Call(call)) = self.get_mut(key) else { return };
        let grown = match grown {
            Grown::Question => call.grow_question(delta),
            Grown::Suggest { nth, mode } => call.grow_suggestion(*nth, *mode, delta),
        };
        self.bytes += grown;
    }

    /// The call has ended, as that says. Its item's key.
    fn ended(&mut self, call: u64, end: impl FnOnce(&mut Call)) -> u64 {
        let at = self.growing.iter().position(|(one, _)| *one == call);
        let key = at.and_then(|at| self.growing.swap_remove(at).1).unwrap_or_else(|| {
            self.push(Item::Call(Call::new(call)));
            self.next - 1
        });
        self.change_call(key, end);
        key
    }

    fn replied(&mut self, replied: &Replied) {
        match replied.number {
            Some(number) => {
                if let Some(key) = self.asked.remove(&number) {
                    self.change_call(key, |call| {
                        call.open = Some(false);
                        call.answered = Some(Box::new(replied.clone()));
                    });
                }
            }
            None => self.push(Item::Replied(Box::new(replied.clone()))),
        }
    }

    fn push(&mut self, item: Item) {
        self.bytes += item.bytes();
        self.kept.push_back((self.next, item));
        self.next += 1;
    }

    fn get_mut(&mut self, key: u64) -> Option<&mut Item> {
        let at = self.kept.binary_search_by_key(&key, |(key, _)| *key).ok()?;
        self.kept.get_mut(at).map(|(_, item)| item)
    }

    fn change_call(&mut self, key: u64, change: impl FnOnce(&mut Call)) {
        if let Some(Item::Call(call)) = self.get_mut(key) {
            let before = call.bytes();
            change(call);
            let after = call.bytes();
            self.bytes = self.bytes - before + after;
        }
    }

    /// Drops the oldest until the rest is within the limit: calls that are being written last, and questions that are to be answered never. Those have
    /// limits of their own.
    fn shrink(&mut self) {
        while self.bytes > self.limit {
            let is_growing = |key: u64| self.growing.iter().any(|(_, one)| *one == Some(key));
            let is_asked = |item: &Item| matches!(item, Item::Call(call) if call.is_asked());
            let oldest = self.kept.iter().position(|(key, item)| !is_asked(item) && !is_growing(*key));
            let Some(at) = oldest.or_else(|| self.kept.iter().position(|(_, item)| !is_asked(item))) else { return };
            let over = self.bytes - self.limit;
            // Half of a long text at the least, so that its beginning is not dropped byte by byte.
            let cut = self.kept.get_mut(at).map_or(0, |(_, item)| item.cut(over));
            if cut > 0 {
                self.lose(cut);
            } else if let Some((key, item)) = self.kept.remove(at) {
                self.lose(item.bytes());
                if let Some((_, one)) = self.growing.iter_mut().find(|(_, one)| *one == Some(key)) {
                    *one = None;
                }
            }
        }
    }

    fn lose(&mut self, bytes: usize) {
        self.bytes -= bytes;
        self.dropped += bytes as u64;
    }
}

impl Serialize for Items {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.kept.iter().map(|(_, item)| item))
    }
}

#[cfg(test)]
#[path = "items_tests.rs"]
mod tests;
