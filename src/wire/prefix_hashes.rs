//! The hashes of a text and of its beginnings, to compare it with many that were not kept.

use core::cell::OnceCell;
use core::hash::Hasher;

use alloc::vec::Vec;

use crate::hash::Fnv;

/// A text whose hash is computed once, and only if it is needed.
pub(super) struct HashedText<'t> {
    text: &'t str,
    hash: OnceCell<Fnv>,
}

impl<'t> HashedText<'t> {
    pub(super) fn new(text: &'t str) -> HashedText<'t> {
        HashedText { text, hash: OnceCell::new() }
    }

    /// Returns whether the text has that length and hash.
    pub(super) fn is(&self, len: usize, hash: Fnv) -> bool {
        self.text.len() == len && *self.hash.get_or_init(|| hash_of(self.text)) == hash
    }
}

/// The hashes of the beginnings of a text that have certain lengths. They are computed together.
pub(super) struct PrefixHashes(Vec<(usize, Fnv)>);

impl PrefixHashes {
    pub(super) fn new(text: &str, lens: impl Iterator<Item = usize>) -> PrefixHashes {
        let mut lens: Vec<usize> = lens.filter(|&len| len <= text.len()).collect();
        lens.sort_unstable();
        lens.dedup();
        let (mut hash, mut start) = (Fnv::default(), 0);
        let hashes = lens.into_iter().map(|len| {
            hash.write(&text.as_bytes()[start..len]);
            start = len;
            (len, hash)
        });
        PrefixHashes(hashes.collect())
    }

    /// Returns whether the text has a beginning of that length with that hash.
    pub(super) fn contain(&self, len: usize, hash: Fnv) -> bool {
        self.0.binary_search_by_key(&len, |&(len, _)| len).is_ok_and(|i| self.0[i].1 == hash)
    }
}

pub(super) fn hash_of(text: &str) -> Fnv {
    let mut hash = Fnv::default();
    hash.write(text.as_bytes());
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hashes_of_beginnings_are_those_of_the_same_text() {
        let text = "Tea or coffee?";
        let hashes = PrefixHashes::new(text, [3, 0, 6, 3, 14, 15].into_iter());
        for len in 0..=text.len() {
            assert_eq!(hashes.contain(len, hash_of(&text[..len])), [0, 3, 6, 14].contains(&len), "{len}");
            assert!(!hashes.contain(len, hash_of("Tee")));
        }
        let hashed = HashedText::new(text);
        assert!(
            hashed.is(14, hash_of(text)) && !hashed.is(14, hash_of("Tea or coffee!")) && !hashed.is(3, hash_of("Tea"))
        );
    }
}
