//! The text received of a message, to check a repetition of it against.

use core::hash::Hasher;

use alloc::vec::Vec;

use super::deltas::{Deltas, PartKey, TextDelta, TextExtent, TextRange};
use super::prefix_hashes::{HashedText, PrefixHashes, hash_of};
use crate::hash::Fnv;

/// The parts of one message of which the text is remembered. No provider comes near it.
const MAX_PARTS: usize = 256;

/// The text of a message, without the text: enough to tell what a repetition adds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct MessageText {
    parts: Vec<TextPart>,
    /// The high surrogate that the text ends in.
    pending_surrogate: Option<u16>,
    /// A difference is no news: an event was lost, or one has been reported.
    may_differ: bool,
    /// The number of times that the provider has sent the whole message.
    repetitions: u64,
}

/// The text of one part. White space at either end makes no difference in a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct TextPart {
    key: PartKey,
    /// Length and hash of all of it.
    exact_len: usize,
    exact_hash: Fnv,
    /// Length and hash of the text after white space.
    len: usize,
    hash: Fnv,
    /// Length and hash of that text up to its last character that is not white space.
    solid_len: usize,
    solid_hash: Fnv,
    /// A part of it came in a delta.
    has_deltas: bool,
    /// The provider has sent all of it.
    is_over: bool,
    /// The last repetition of the whole message that had it.
    repeated_in: u64,
}

/// What a text adds to the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Added {
    Text(TextRange),
    /// It repeats a part, and differs from it, for the first time.
    Contradiction(TextRange),
}

impl MessageText {
    /// Appends a delta. Returns what it adds to the message.
    pub(super) fn apply(&mut self, delta: TextDelta, deltas: &mut Deltas) -> Added {
        match delta.key {
            Some(key) if delta.extent != TextExtent::More => {
                let (start, end) = deltas.resolve(delta.text);
                match self.check(key, &deltas.text[start..end], delta.extent) {
                    Some(known) => {
                        if start + known < end {
                            // The rest has the whole pair, its high surrogate included.
                            self.pending_surrogate = None;
                        }
                        Added::Text((start + known, end))
                    }
                    None if core::mem::replace(&mut self.may_differ, true) => Added::Text((start, start)),
                    None => Added::Contradiction((start, end)),
                }
            }
            key => {
                let range = deltas.join(&mut self.pending_surrogate, delta.text);
                if let Some(key) = key {
                    self.push(key, &deltas.text[range.0..range.1]);
                }
                Added::Text(range)
            }
        }
    }

    /// Notes that the whole message follows.
    pub(super) fn begin_repetition(&mut self) {
        self.repetitions += 1;
    }

    /// Returns whether no more is remembered than can be.
    pub(super) fn is_in_bounds(&self) -> bool {
        self.repetitions < u64::MAX / 2
            && self.parts.len() <= MAX_PARTS
            && self.parts.iter().all(|part| part.exact_len.max(part.len).max(part.solid_len) < usize::MAX / 2)
    }

    /// Notes that an event was lost, which may have been a delta.
    pub(super) fn note_lost_event(&mut self) {
        self.may_differ = true;
    }

    /// Returns the text that the end of the message adds.
    pub(super) fn finish(&mut self, deltas: &mut Deltas) -> TextRange {
        deltas.finish(&mut self.pending_surrogate)
    }

    fn push(&mut self, key: PartKey, text: &str) {
        let newest = self.parts.iter().rposition(|part| part.key == key).filter(|&i| !self.parts[i].is_over);
        if let Some(i) = newest.or_else(|| self.open(key)) {
            self.parts[i].push(text);
            self.parts[i].has_deltas = true;
        }
    }

    /// Compares all text of a part with what has come of it.
    ///
    /// Returns how much has come; `None` if it differs. A part may be numbered in another way in
    /// the whole message, so it may be any part there that begins it, but each of them once.
    fn check(&mut self, key: PartKey, all: &str, extent: TextExtent) -> Option<usize> {
        let has_text = |part: &TextPart| part.key == key && part.solid_len > 0;
        if all.trim().is_empty() && self.parts.iter().any(has_text) {
            return Some(all.len());
        }
        let repetition = Some(self.repetitions).filter(|_| extent == TextExtent::AllInMessage);
        let is_candidate = |part: &TextPart| repetition != Some(part.repeated_in);
        let may_be_renumbered = |part: &TextPart| repetition.is_some() || part.key.item.is_none() || key.item.is_none();
        let find = |is_match: &dyn Fn(&TextPart) -> bool| {
            self.parts.iter().rposition(|part| is_candidate(part) && is_match(part))
        };
        let same_key = find(&|part| part.key == key);
        let known_of = |i: usize| Some((i, self.parts[i].known_of(all)?));
        let trimmed = HashedText::new(all.trim());
        let equals = |part: &TextPart| trimmed.is(part.solid_len, part.solid_hash);
        let found = same_key
            .and_then(known_of)
            .or_else(|| find(&|part| may_be_renumbered(part) && equals(part)).and_then(known_of))
            .or_else(|| {
                if same_key.is_some() {
                    return None;
                }
                let is_open = |part: &&TextPart| !part.is_over && part.len > 0;
                let open = || self.parts.iter().filter(is_open);
                let exact = PrefixHashes::new(all, open().map(|part| part.exact_len));
                let text = PrefixHashes::new(all.trim_start(), open().map(|part| part.len));
                let begins = |part: &TextPart| {
                    is_open(&part)
                        && (exact.contain(part.exact_len, part.exact_hash) || text.contain(part.len, part.hash))
                };
                find(&|part| may_be_renumbered(part) && begins(part)).and_then(known_of)
            });
        let (i, known) = match (found, same_key) {
            (Some(found), _) => found,
            // A message without deltas is followed by another one.
            (None, Some(i)) if key.item.is_some() || self.parts[i].has_deltas => return None,
            // What is not remembered may have come.
            (None, _) => match self.open(key) {
                Some(i) => (i, 0),
                None => return Some(all.len()),
            },
        };
        let part = &mut self.parts[i];
        part.push(&all[known..]);
        part.is_over = true;
        part.repeated_in = repetition.unwrap_or(part.repeated_in);
        Some(known)
    }

    /// Adds a part; `None` if there are too many.
    fn open(&mut self, key: PartKey) -> Option<usize> {
        let hash = Fnv::default();
        let part = TextPart {
            key,
            exact_len: 0,
            exact_hash: hash,
            len: 0,
            hash,
            solid_len: 0,
            solid_hash: hash,
            has_deltas: false,
            is_over: false,
            repeated_in: 0,
        };
        (self.parts.len() < MAX_PARTS).then(|| {
            self.parts.push(part);
            self.parts.len() - 1
        })
    }
}

impl TextPart {
    fn push(&mut self, text: &str) {
        self.exact_len += text.len();
        self.exact_hash.write(text.as_bytes());
        let text = if self.len == 0 { text.trim_start() } else { text };
        let solid = text.trim_end();
        self.hash.write(solid.as_bytes());
        if !solid.is_empty() {
            (self.solid_len, self.solid_hash) = (self.len + solid.len(), self.hash);
        }
        self.hash.write(&text.as_bytes()[solid.len()..]);
        self.len += text.len();
    }

    /// Returns how many bytes of `all` have come; `None` if it does not begin with what has come.
    fn known_of(&self, all: &str) -> Option<usize> {
        if all.get(..self.exact_len).is_some_and(|prefix| hash_of(prefix) == self.exact_hash) {
            return Some(self.exact_len);
        }
        let text = all.trim_start();
        if text.get(..self.len).is_some_and(|prefix| hash_of(prefix) == self.hash) {
            Some(all.len() - text.len() + self.len)
        } else {
            self.equals(text.trim_end()).then_some(all.len())
        }
    }

    /// Returns whether a text without white space at its ends is what has come.
    fn equals(&self, trimmed: &str) -> bool {
        trimmed.len() == self.solid_len && hash_of(trimmed) == self.solid_hash
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: PartKey = PartKey { item: Some(0), content: 0 };

    fn received(pieces: &[&str]) -> MessageText {
        let mut text = MessageText::default();
        pieces.iter().for_each(|piece| text.push(KEY, piece));
        text
    }

    #[test]
    fn a_repetition_adds_what_has_not_come() {
        for (pieces, all, known) in [
            (&["Hel", "lo"][..], "Hello", Some(5)),
            (&["Hel"], "Hello", Some(3)),
            (&[], "Hello", Some(0)),
            (&["Hello"], "", Some(0)),
            (&["Hello"], " \n", Some(2)),
            (&[], "\n", Some(0)),
            (&["\n"], "\n\n", Some(1)),
            (&["\n"], "\n\nHello", Some(1)),
            (&["\n\n"], "\n", Some(1)),
            (&["\n", "\nHello", " ", "\n"], "Hello", Some(5)),
            (&["Hello"], "\nHello\n", Some(6)),
            (&["Hello "], "Hello  world", Some(6)),
            (&["é"], "éa", Some(2)),
            (&["Hello"], "Help", None),
            (&["Hello"], "Hell", None),
            (&["\u{E9}"], "e\u{301}", None),
        ] {
            assert_eq!(received(pieces).check(KEY, all, TextExtent::All), known, "{pieces:?} and {all:?}");
        }
    }

    #[test]
    fn a_whole_message_may_number_its_parts_in_another_way_and_has_each_once() {
        let other = PartKey { item: Some(1), content: 0 };
        let check = |text: &mut MessageText, key, all| text.check(key, all, TextExtent::AllInMessage);
        let repeated = |pieces: &[&str]| {
            let mut text = received(pieces);
            text.begin_repetition();
            text
        };
        assert_eq!(check(&mut repeated(&["Hello"]), other, "Hello"), Some(5));
        assert_eq!(check(&mut repeated(&["Hel"]), other, "Hello"), Some(3));
        assert_eq!(received(&["Hello"]).check(other, "Hello", TextExtent::All), Some(0));
        let mut text = repeated(&["One"]);
        for (key, known) in [(other, 3), (KEY, 0), (PartKey { item: Some(2), content: 0 }, 0)] {
            assert_eq!(check(&mut text, key, "One"), Some(known), "{key:?}");
        }
        text.begin_repetition();
        assert_eq!([KEY, other, KEY].map(|key| check(&mut text, key, "One")), [Some(3); 3]);
        assert_eq!(check(&mut repeated(&["One"]), KEY, "Two"), None);
    }
}
