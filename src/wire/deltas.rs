//! What one payload says, whoever sent it.

use alloc::string::String;
use alloc::vec::Vec;

/// A piece of text in [`Deltas`].
///
/// A model's server that thinks in UTF-16 may cut a delta in the middle of a surrogate pair, and escape both halves. So text may hold
/// halves until it is certain what stands next to them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Fragment {
    start: usize,
    end: usize,
    /// It is in `halves`, not in `text`.
    has_halves: bool,
}

impl Fragment {
    pub(super) fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// A range of the text of [`Deltas`].
pub(super) type Part = (usize, usize);

/// One thing that a payload says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Delta {
    /// More prose.
    Text(Fragment),
    /// A call begins, goes on, or is final.
    Call(Call),
    /// Every call is final. `cut`: because there may be no more of the message.
    Final { cut: bool },
    /// The provider says that something went wrong.
    Error(Fragment),
}

/// What a payload says of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Call {
    /// The provider says that a call begins here.
    pub(super) begins: bool,
    /// Which of the message's calls, or blocks, or items it is.
    pub(super) index: Option<u64>,
    /// The index may be wrong: many servers send this format, and not all as documented.
    pub(super) loose: bool,
    /// What the provider calls it in its other events, if that is not its id.
    pub(super) item: Fragment,
    pub(super) id: Fragment,
    pub(super) name: Fragment,
    pub(super) arguments: Arguments,
    /// It is final.
    pub(super) ends: bool,
}

/// What a payload says of the arguments of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Arguments {
    #[default]
    Nothing,
    /// They go on.
    More(Fragment),
    /// This is all of them, whether they have come before or not.
    All(Fragment),
}

/// How many things one payload may say. They take much more memory than the few bytes they may be written in, and no provider comes near it. It is
/// more than a list of 1,024 parts can say, four things each at the most, so that Gemini's, which changes the call that is open, is never one too many.
const MOST: usize = 5_000;

/// How much memory is kept from payload to payload.
pub(super) const KEPT: usize = 64 << 10;

impl Arguments {
    pub(super) fn fragment(self) -> Fragment {
        match self {
            Arguments::Nothing => Fragment::default(),
            Arguments::More(fragment) | Arguments::All(fragment) => fragment,
        }
    }
}

/// What one payload says, in order. The memory is used again for the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Deltas {
    /// All text.
    pub(super) text: String,
    /// Text with halves of surrogate pairs, each as three bytes, as if it were a character.
    halves: Vec<u8>,
    pub(super) list: Vec<Delta>,
}

impl Deltas {
    pub(super) fn clear(&mut self) {
        // Not what one long payload needed.
        self.text.clear();
        self.text.shrink_to(KEPT);
        self.halves.clear();
        self.halves.shrink_to(KEPT);
        self.list.clear();
        self.list.shrink_to(KEPT / size_of::<Delta>());
    }

    /// One more than there may be tells that there are [too many](Deltas::has_too_many); no more are kept.
    pub(super) fn push(&mut self, delta: Delta) {
        if !self.has_too_many() {
            self.list.push(delta);
        }
    }

    /// Whether a payload says more than it may.
    pub(super) fn has_too_many(&self) -> bool {
        self.list.len() > MOST
    }

    pub(super) fn push_text(&mut self, text: &[u8]) {
        if !text.is_empty() {
            let fragment = self.keep(text);
            self.push(Delta::Text(fragment));
        }
    }

    pub(super) fn keep(&mut self, bytes: &[u8]) -> Fragment {
        match core::str::from_utf8(bytes) {
            Ok(text) => {
                let start = self.text.len();
                self.text.push_str(text);
                Fragment { start, end: self.text.len(), has_halves: false }
            }
            Err(_) => {
                let start = self.halves.len();
                self.halves.extend_from_slice(bytes);
                Fragment { start, end: self.halves.len(), has_halves: true }
            }
        }
    }

    /// Whether there is nothing in it, or only blanks.
    pub(super) fn is_blank(&self, fragment: Fragment) -> bool {
        self.plain(fragment).is_some_and(|text| text.trim_ascii().is_empty())
    }

    /// The text of a fragment without halves of surrogate pairs.
    pub(super) fn plain(&self, fragment: Fragment) -> Option<&str> {
        (!fragment.has_halves).then(|| &self.text[fragment.start..fragment.end])
    }

    /// A part of the text as a fragment.
    pub(super) fn part(&self, (start, end): Part) -> Fragment {
        Fragment { start, end, has_halves: false }
    }

    /// The text of a fragment that stands alone.
    pub(super) fn whole(&mut self, fragment: Fragment) -> Part {
        if !fragment.has_halves {
            return (fragment.start, fragment.end);
        }
        let mut half = None;
        let (start, _) = self.join(&mut half, fragment);
        self.end_half(&mut half);
        (start, self.text.len())
    }

    /// The text of a fragment that goes on with what ended in half a pair, and may end in half a pair.
    pub(super) fn join(&mut self, half: &mut Option<u16>, fragment: Fragment) -> Part {
        if fragment.is_empty() {
            return (0, 0);
        }
        if half.is_none() && !fragment.has_halves {
            return (fragment.start, fragment.end);
        }
        let start = self.text.len();
        if !fragment.has_halves {
            self.end_half(half);
            self.text.extend_from_within(fragment.start..fragment.end);
            return (start, self.text.len());
        }
        let halves = core::mem::take(&mut self.halves);
        let mut rest = &halves[fragment.start..fragment.end];
        while !rest.is_empty() {
            let good = match core::str::from_utf8(rest) {
                Ok(text) => text,
                Err(error) => core::str::from_utf8(&rest[..error.valid_up_to()]).unwrap_or_default(),
            };
            if !good.is_empty() {
                self.end_half(half);
                self.text.push_str(good);
                rest = &rest[good.len()..];
                continue;
            }
            let unit = match *rest {
                [0xED, b @ 0xA0..=0xBF, c @ 0x80..=0xBF, ..] => 0xD000 | u16::from(b & 0x3F) << 6 | u16::from(c & 0x3F),
                // Nothing else is left by a JSON string.
                _ => 0xFFFD,
            };
            rest = &rest[rest.len().min(3)..];
            match (half.take(), unit) {
                (Some(high), 0xDC00..=0xDFFF) => {
                    self.text
                        .extend(char::decode_utf16([high, unit]).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)));
                }
                (before, unit) => {
                    self.text.extend(before.map(|_| char::REPLACEMENT_CHARACTER));
                    match unit {
                        0xD800..=0xDBFF => *half = Some(unit),
                        _ => self.text.push(char::REPLACEMENT_CHARACTER),
                    }
                }
            }
        }
        self.halves = halves;
        (start, self.text.len())
    }

    /// What ended in half a pair goes on with something else: U+FFFD.
    fn end_half(&mut self, half: &mut Option<u16>) {
        self.text.extend(half.take().map(|_| char::REPLACEMENT_CHARACTER));
    }

    /// The text of what ended in half a pair and has ended.
    pub(super) fn rest(&mut self, half: &mut Option<u16>) -> Part {
        let start = self.text.len();
        self.end_half(half);
        (start, self.text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the pieces, in which `+` and `-` are the halves of 😀, add up to.
    fn joined(pieces: &[&str]) -> String {
        let (mut deltas, mut half, mut all) = (Deltas::default(), None, String::new());
        for piece in pieces {
            let mut bytes = Vec::new();
            for byte in piece.bytes() {
                match byte {
                    b'+' => bytes.extend(b"\xED\xA0\xBD"),
                    b'-' => bytes.extend(b"\xED\xB8\x80"),
                    byte => bytes.push(byte),
                }
            }
            let fragment = deltas.keep(&bytes);
            let (start, end) = deltas.join(&mut half, fragment);
            all.push_str(&deltas.text[start..end]);
        }
        let (start, end) = deltas.rest(&mut half);
        all + &deltas.text[start..end]
    }

    #[test]
    fn halves_of_a_pair_meet_across_deltas() {
        for (pieces, text) in [
            (&["a+", "-b"][..], "a😀b"),
            (&["a+-b"], "a😀b"),
            (&["+", "", "-"], "😀"),
            (&["+", "x"], "\u{FFFD}x"),
            (&["-", "é+"], "\u{FFFD}é\u{FFFD}"),
            (&["+", "+-"], "\u{FFFD}😀"),
            (&["+-", "-"], "😀\u{FFFD}"),
            (&["plain", " text"], "plain text"),
        ] {
            assert_eq!(joined(pieces), text, "{pieces:?}");
        }
    }
}
