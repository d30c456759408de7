//! What a piece of the stream ends in the middle of.

use alloc::boxed::Box;
use alloc::vec::Vec;

/// So many bytes of it are kept in place: `<ask_followup_question>` and a character.
pub(crate) const INLINE: usize = 24;

/// The beginning of a tag, from its `<` on, kept until it is decided. It holds no second `<`, so if it turns out to be no
/// tag, all of it is text and nothing of it is looked at again.
///
/// Its bytes are whole characters. (A `SmallVec` would have to be asked at every turn where they are.)
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(from = "Stored", into = "Stored"))]
pub(crate) struct Carry {
    few: [u8; INLINE],
    /// All bytes, when they are too many. Kept when they are few again, for the next time. One word.
    #[expect(clippy::box_collection)]
    many: Option<Box<Vec<u8>>>,
    /// Where in the stream the `<` stands.
    pub(crate) start: u64,
    /// How many the few are; [`Carry::MANY`]: they are the many.
    len: u8,
    /// The `<` stands right behind a back-tick.
    pub(crate) behind_tick: bool,
    /// Only a `<` or a `>` can decide it, unless it is near the limit: it has come to its attributes.
    pub(crate) in_attributes: bool,
    /// Its text is shown already, because it is the same whether it becomes a tag or not.
    pub(crate) shown: bool,
}

/// How a carry begins.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Begun {
    pub(crate) start: u64,
    pub(crate) behind_tick: bool,
    pub(crate) in_attributes: bool,
    pub(crate) shown: bool,
}

impl Carry {
    const MANY: u8 = u8::MAX;

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes().len()
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        match (self.few.get(..usize::from(self.len)), &self.many) {
            (Some(few), _) => few,
            (None, Some(many)) => many,
            (None, None) => &[],
        }
    }

    /// Its text. It is cut between characters only, so it is always all of the bytes.
    pub(crate) fn text(&self) -> &str {
        core::str::from_utf8(self.bytes()).unwrap_or_default()
    }

    pub(crate) fn begin(&mut self, text: &str, Begun { start, behind_tick, in_attributes, shown }: Begun) {
        self.clear();
        (self.start, self.behind_tick, self.in_attributes, self.shown) = (start, behind_tick, in_attributes, shown);
        self.extend(text);
    }

    #[inline]
    pub(crate) fn extend(&mut self, text: &str) {
        self.push(text.as_bytes());
    }

    #[inline]
    fn push(&mut self, more: &[u8]) {
        let len = usize::from(self.len);
        match self.few.get_mut(len..len + more.len()) {
            Some(room) => {
                room.copy_from_slice(more);
                self.len += more.len() as u8;
            }
            None => self.push_many(more),
        }
    }

    #[cold]
    fn push_many(&mut self, more: &[u8]) {
        let many = self.many.get_or_insert_default();
        if let Some(few) = self.few.get(..usize::from(self.len)) {
            many.clear();
            many.extend_from_slice(few);
            self.len = Carry::MANY;
        }
        many.extend_from_slice(more);
    }

    /// How many bytes of the stream it has, if it ends at `end`. One that began in text that is read again may seem to begin too early, even in
    /// front of the stream, and so longer than it is (see `Again::held_piece`).
    pub(crate) fn len_to(&self, end: u64) -> u64 {
        end.wrapping_sub(self.start)
    }

    /// Leaves the first so many bytes.
    pub(crate) fn truncate(&mut self, len: usize) {
        match &mut self.many {
            Some(many) if self.len == Carry::MANY && len > INLINE => many.truncate(len),
            Some(many) if self.len == Carry::MANY => {
                self.few[..len].copy_from_slice(&many[..len]);
                self.len = len as u8;
            }
            _ => self.len = self.len.min(len as u8),
        }
    }

    pub(crate) fn clear(&mut self) {
        (self.len, self.start) = (0, 0);
        (self.behind_tick, self.in_attributes, self.shown) = (false, false, false);
    }
}

impl PartialEq for Carry {
    fn eq(&self, other: &Carry) -> bool {
        let parts = |one: &Carry| (one.start, one.behind_tick, one.in_attributes, one.shown);
        self.bytes() == other.bytes() && parts(self) == parts(other)
    }
}

impl Eq for Carry {}

/// A carry as it is stored.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct Stored {
    bytes: Vec<u8>,
    start: u64,
    behind_tick: bool,
    in_attributes: bool,
    shown: bool,
}

#[cfg(feature = "serde")]
impl From<Stored> for Carry {
    fn from(Stored { bytes, start, behind_tick, in_attributes, shown }: Stored) -> Carry {
        let mut carry = Carry { start, behind_tick, in_attributes, shown, ..Carry::default() };
        carry.push(&bytes);
        carry
    }
}

#[cfg(feature = "serde")]
impl From<Carry> for Stored {
    fn from(carry: Carry) -> Stored {
        let Carry { start, behind_tick, in_attributes, shown, .. } = carry;
        Stored { bytes: carry.bytes().to_vec(), start, behind_tick, in_attributes, shown }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::borrow::ToOwned;
    use alloc::string::String;

    #[test]
    fn it_holds_what_was_put_in_however_much_and_keeps_what_is_left() {
        let text = "<".to_owned() + &"é".repeat(40);
        for cuts in [1, 2, 3, 7, 11, 23, 30] {
            let mut carry = Carry::default();
            for _ in 0..2 {
                carry.begin("<", Begun { start: 7, shown: true, ..Begun::default() });
                let mut have = String::from("<");
                for piece in text.as_bytes()[1..].chunks(2 * cuts) {
                    let piece = core::str::from_utf8(piece).unwrap();
                    carry.extend(piece);
                    have.push_str(piece);
                    assert_eq!((carry.text(), carry.len()), (&*have, have.len()));
                    assert!(carry == carry.clone() && carry.start == 7 && carry.shown);
                }
                for left in (0..=40).rev() {
                    carry.truncate(1 + 2 * left);
                    assert_eq!(carry.text(), &text[..1 + 2 * left]);
                    carry.extend("x");
                    assert_eq!(carry.len(), 2 + 2 * left);
                }
                carry.clear();
                assert!(carry.is_empty() && carry.text().is_empty() && !carry.shown);
            }
        }
    }
}
