//! The items of a transcript in order, within a limit of bytes.

use std::collections::VecDeque;

use super::item::Item;

/// Items with ascending keys, by which they are found after others have been dropped.
///
/// The oldest are dropped first. Questions that wait for an answer are never dropped.
#[derive(Debug)]
pub(super) struct ItemList {
    items: VecDeque<(u64, Item)>,
    next_key: u64,
    /// The sum of the items' sizes.
    size: usize,
    limit: usize,
    /// Bytes of items that were dropped.
    dropped: u64,
}

impl ItemList {
    /// Returns a list without items, of which so many bytes have been dropped.
    pub(super) fn new(limit: usize, dropped: u64) -> ItemList {
        ItemList { items: VecDeque::new(), next_key: 0, size: 0, limit, dropped }
    }

    /// Returns the key of the next item.
    pub(super) fn next_key(&self) -> u64 {
        self.next_key
    }

    /// Returns the sum of the items' sizes.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Returns how many bytes of the oldest items have been dropped.
    pub(super) fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Returns the items, the oldest first.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Item> {
        self.items.iter().map(|(_, item)| item)
    }

    /// Returns the items with their keys, the newest first.
    pub(super) fn newest_first(&self) -> impl Iterator<Item = (u64, &Item)> {
        self.items.iter().rev().map(|(key, item)| (*key, item))
    }

    /// Appends an item. Returns its key.
    pub(super) fn push(&mut self, item: Item) -> u64 {
        let key = self.next_key;
        self.size += item.size();
        self.items.push_back((key, item));
        self.next_key += 1;
        key
    }

    /// Appends to the last item, as [`append`](ItemList::append) does.
    pub(super) fn append_to_last(&mut self, append: impl FnOnce(&mut Item) -> Option<usize>) -> bool {
        let grown = self.items.back_mut().and_then(|(_, item)| append(item));
        self.size += grown.unwrap_or_default();
        grown.is_some()
    }

    /// Appends to an item. Returns whether it did.
    ///
    /// `append` returns by how many bytes the item has grown, because these are few; `None` if it
    /// can't be appended to in this way.
    pub(super) fn append(&mut self, key: u64, append: impl FnOnce(&mut Item) -> Option<usize>) -> bool {
        let grown = self.get_mut(key).and_then(append);
        self.size += grown.unwrap_or_default();
        grown.is_some()
    }

    /// Changes an item, unless it was dropped.
    pub(super) fn change(&mut self, key: u64, change: impl FnOnce(&mut Item)) {
        if let Some(item) = self.get_mut(key) {
            let before = item.size();
            change(item);
            let after = item.size();
            self.size = self.size - before + after;
        }
    }

    fn get_mut(&mut self, key: u64) -> Option<&mut Item> {
        let index = self.items.binary_search_by_key(&key, |(key, _)| *key).ok()?;
        self.items.get_mut(index).map(|(_, item)| item)
    }

    /// Drops the oldest items until the rest is within the limit. Returns the keys of those.
    ///
    /// Calls that are still being written are dropped last; questions that wait for an answer
    /// never, because they have a limit of their own.
    pub(super) fn shrink(&mut self, is_growing: impl Fn(u64) -> bool) -> Vec<u64> {
        let mut dropped = Vec::new();
        while self.size > self.limit {
            let awaits_answer = |item: &Item| matches!(item, Item::Call(call) if call.awaits_answer());
            let oldest = self.items.iter().position(|(key, item)| !awaits_answer(item) && !is_growing(*key));
            let Some(index) = oldest.or_else(|| self.items.iter().position(|(_, item)| !awaits_answer(item))) else {
                break;
            };
            let excess = self.size - self.limit;
            // This removes at least half of a long text, so that its beginning is not dropped byte
            // by byte.
            let removed = self.items.get_mut(index).map_or(0, |(_, item)| item.truncate_front(excess));
            if removed > 0 {
                self.count_dropped(removed);
            } else if let Some((key, item)) = self.items.remove(index) {
                self.count_dropped(item.size());
                dropped.push(key);
            }
        }
        dropped
    }

    fn count_dropped(&mut self, bytes: usize) {
        self.size -= bytes;
        self.dropped += bytes as u64;
    }
}
