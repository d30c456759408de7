//! What one payload says, in the same terms for every provider.

use alloc::string::String;
use alloc::vec::Vec;

use super::json_text::{JsonText, unescape, unescape_text};

/// A piece of text in [`Deltas`].
///
/// A server that works in UTF-16 may cut a delta inside a surrogate pair and escape both halves. A
/// fragment may therefore hold single surrogates, until it is known what follows them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Fragment {
    start: usize,
    end: usize,
    /// The range is one of `Deltas::with_surrogates`, not of `Deltas::text`.
    has_surrogates: bool,
}

impl Fragment {
    pub(super) fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Returns the fragment without its first bytes, which are as many as it has or fewer.
    pub(super) fn skip(self, bytes: usize) -> Fragment {
        Fragment { start: self.start + bytes, ..self }
    }
}

/// A range of `Deltas::text`, as start and end. (`Range` is not `Copy`.)
pub(super) type TextRange = (usize, usize);

/// One statement of a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Delta {
    /// More prose.
    Text(TextDelta),
    /// More reasoning.
    Reasoning(TextDelta),
    /// A call starts, continues, or is final.
    Call(CallDelta),
    /// Every call is final. `truncated`: because the message reached a length limit or a filter.
    AllFinal { truncated: bool },
    /// The message ends here, as documented. Calls are final by themselves.
    End,
    /// What follows in the payload is the whole message, of which any part may have come before.
    WholeMessage,
    /// The provider reports an error.
    Error(Fragment),
    /// The message has failed. It is reported unless an error has been.
    Failed(Fragment),
    /// A part of the payload that is not what is documented, and is skipped.
    Unreadable(Fragment),
}

/// What a payload says about the prose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TextDelta {
    pub(super) text: Fragment,
    /// The part of the message that it belongs to, if the provider may repeat that.
    pub(super) key: Option<PartKey>,
    pub(super) extent: TextExtent,
}

/// How much of a part of the message a text is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum TextExtent {
    /// The next piece.
    #[default]
    More,
    /// All of it, whether it has been sent in pieces before or not.
    All,
    /// All of it, in the [whole message](Delta::WholeMessage), which may number it in another way.
    AllInMessage,
}

/// How a provider numbers the parts of a message's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct PartKey {
    /// The output item or content block; `None` if they have no numbers.
    pub(super) item: Option<u64>,
    pub(super) content: u64,
}

/// What a payload says about a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CallDelta {
    /// The provider says that a call starts here.
    pub(super) starts: bool,
    /// The index of the call, content block or output item.
    pub(super) index: Option<u64>,
    /// The index may be wrong, and pieces of arguments may repeat those before.
    ///
    /// Many servers send this format, and some not as documented.
    pub(super) loose_index: bool,
    /// The name the provider has for the call in its other events, where that is not `id`.
    pub(super) item_id: Fragment,
    pub(super) id: Fragment,
    pub(super) name: Fragment,
    /// The provider runs the tool, so the call asks the user nothing.
    pub(super) runs_there: bool,
    pub(super) arguments: ArgumentsDelta,
    /// The call is final after this.
    pub(super) is_final: bool,
    /// It is a call of the [whole message](Delta::WholeMessage), and may have come before.
    pub(super) may_repeat: bool,
}

/// What a payload says about the arguments of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ArgumentsDelta {
    #[default]
    None,
    /// The next piece.
    More(Fragment),
    /// All of them, whether they have been sent in pieces before or not.
    All(Fragment),
}

impl ArgumentsDelta {
    pub(super) fn fragment(self) -> Fragment {
        match self {
            ArgumentsDelta::None => Fragment::default(),
            ArgumentsDelta::More(fragment) | ArgumentsDelta::All(fragment) => fragment,
        }
    }
}

/// The number of deltas that one payload may have.
///
/// A delta takes much more memory than the few bytes it may be written in, and no provider comes
/// near this number. A list of 1,024 parts with four deltas each fits, so that Gemini's parser,
/// which keeps state about the open call, never has a delta refused.
pub(super) const MAX_DELTAS: usize = 5_000;

/// The bytes of each buffer that are kept from one payload to the next.
pub(super) const RETAINED: usize = 64 << 10;

/// The deltas of one payload, in order. The memory is reused for the next payload.
#[derive(Clone, Debug, Default)]
pub(super) struct Deltas {
    /// All text.
    pub(super) text: String,
    /// Text with single surrogates, each as three bytes, as if UTF-8 could encode it.
    with_surrogates: Vec<u8>,
    pub(super) list: Vec<Delta>,
    /// Reasoning is stored. Otherwise it is no delta.
    pub(super) reads_reasoning: bool,
}

impl Deltas {
    /// Removes everything, and frees what only a long payload needed.
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.text.shrink_to(RETAINED);
        self.with_surrogates.clear();
        self.with_surrogates.shrink_to(RETAINED);
        self.list.clear();
        self.list.shrink_to(RETAINED / size_of::<Delta>());
    }

    /// Appends a delta. One more than allowed is stored, to tell that there are [too many].
    ///
    /// [too many]: Deltas::has_too_many
    pub(super) fn push(&mut self, delta: Delta) {
        if !self.has_too_many() {
            self.list.push(delta);
        }
    }

    /// Returns whether the payload has more deltas than allowed.
    pub(super) fn has_too_many(&self) -> bool {
        self.list.len() > MAX_DELTAS
    }

    /// Appends a delta of prose that the provider never repeats, unless it is empty.
    pub(super) fn push_text<'t>(&mut self, text: impl Into<JsonText<'t>>) {
        self.push_text_delta(text.into(), None, TextExtent::More);
    }

    /// Appends text of a part of the message, unless it is empty.
    pub(super) fn push_part<'t>(&mut self, key: PartKey, text: impl Into<JsonText<'t>>, extent: TextExtent) {
        self.push_text_delta(text.into(), Some(key), extent);
    }

    /// Appends reasoning, unless it is empty or not read.
    ///
    /// `key`: its part, if the provider may repeat that.
    pub(super) fn push_reasoning<'t>(
        &mut self,
        key: Option<PartKey>,
        text: impl Into<JsonText<'t>>,
        extent: TextExtent,
    ) {
        let text = text.into();
        if self.reads_reasoning && !text.is_empty() {
            let text = self.store(text);
            self.push(Delta::Reasoning(TextDelta { text, key, extent }));
        }
    }

    fn push_text_delta(&mut self, text: JsonText<'_>, key: Option<PartKey>, extent: TextExtent) {
        if !text.is_empty() {
            let text = self.store(text);
            self.push(Delta::Text(TextDelta { text, key, extent }));
        }
    }

    /// Appends a delta of prose that is stored already, unless it is empty.
    pub(super) fn push_stored_text(&mut self, text: Fragment) {
        if !text.is_empty() {
            self.push(Delta::Text(TextDelta { text, ..TextDelta::default() }));
        }
    }

    /// Appends a delta of reasoning that is stored already, unless it is empty.
    pub(super) fn push_stored_reasoning(&mut self, text: Fragment) {
        if !text.is_empty() {
            self.push(Delta::Reasoning(TextDelta { text, ..TextDelta::default() }));
        }
    }

    /// Makes room for more text.
    ///
    /// Long text grows by an eighth at a time, to take no more than it must.
    fn reserve(&mut self, more: usize) {
        let needed = self.text.len() + more;
        if needed > self.text.capacity() && needed > RETAINED {
            self.text.reserve_exact(more.max(self.text.len() / 8));
        }
    }

    /// Stores text, which may hold single surrogates.
    pub(super) fn store<'t>(&mut self, text: impl Into<JsonText<'t>>) -> Fragment {
        let (text, start) = (text.into(), self.text.len());
        self.reserve(text.max_len());
        let is_text = match text {
            JsonText::Plain(bytes) => core::str::from_utf8(bytes).map(|text| self.text.push_str(text)).is_ok(),
            JsonText::Escaped(inside) => unescape_text(inside, &mut self.text),
        };
        if is_text {
            return Fragment { start, end: self.text.len(), has_surrogates: false };
        }
        self.text.truncate(start);
        let start = self.with_surrogates.len();
        match text {
            JsonText::Plain(bytes) => self.with_surrogates.extend_from_slice(bytes),
            JsonText::Escaped(inside) => unescape(inside, &mut self.with_surrogates),
        }
        Fragment { start, end: self.with_surrogates.len(), has_surrogates: true }
    }

    /// Returns whether the fragment is empty or white space.
    pub(super) fn is_blank(&self, fragment: Fragment) -> bool {
        self.plain_text(fragment).is_some_and(|text| text.trim_ascii().is_empty())
    }

    /// Returns the text of a fragment; `None` if it holds single surrogates.
    pub(super) fn plain_text(&self, fragment: Fragment) -> Option<&str> {
        (!fragment.has_surrogates).then(|| &self.text[fragment.start..fragment.end])
    }

    /// Returns the bytes of a fragment, in which single surrogates are three bytes each.
    pub(super) fn bytes(&self, fragment: Fragment) -> &[u8] {
        let all = if fragment.has_surrogates { &*self.with_surrogates } else { self.text.as_bytes() };
        &all[fragment.start..fragment.end]
    }

    /// Returns a range of the text as a fragment.
    pub(super) fn fragment(&self, (start, end): TextRange) -> Fragment {
        Fragment { start, end, has_surrogates: false }
    }

    /// Returns the text of a fragment without neighbours. Single surrogates become U+FFFD.
    pub(super) fn resolve(&mut self, fragment: Fragment) -> TextRange {
        if !fragment.has_surrogates {
            return (fragment.start, fragment.end);
        }
        let mut pending = None;
        let (start, _) = self.join(&mut pending, fragment);
        self.replace_pending(&mut pending);
        (start, self.text.len())
    }

    /// Returns the text of a fragment that continues a sequence of them.
    ///
    /// `pending` is the high surrogate that the sequence ended in before, and then the one that it
    /// ends in now.
    pub(super) fn join(&mut self, pending: &mut Option<u16>, fragment: Fragment) -> TextRange {
        if fragment.is_empty() {
            return (0, 0);
        }
        if pending.is_none() && !fragment.has_surrogates {
            return (fragment.start, fragment.end);
        }
        let start = self.text.len();
        if !fragment.has_surrogates {
            self.replace_pending(pending);
            self.text.extend_from_within(fragment.start..fragment.end);
            return (start, self.text.len());
        }
        let with_surrogates = core::mem::take(&mut self.with_surrogates);
        let mut rest = &with_surrogates[fragment.start..fragment.end];
        while !rest.is_empty() {
            let valid = match core::str::from_utf8(rest) {
                Ok(text) => text,
                Err(error) => core::str::from_utf8(&rest[..error.valid_up_to()]).unwrap_or_default(),
            };
            if !valid.is_empty() {
                self.replace_pending(pending);
                self.text.push_str(valid);
                rest = &rest[valid.len()..];
                continue;
            }
            let unit = match *rest {
                [0xED, b @ 0xA0..=0xBF, c @ 0x80..=0xBF, ..] => 0xD000 | u16::from(b & 0x3F) << 6 | u16::from(c & 0x3F),
                // The decoder of JSON strings leaves nothing else that is not UTF-8.
                _ => 0xFFFD,
            };
            rest = &rest[rest.len().min(3)..];
            match (pending.take(), unit) {
                (Some(high), 0xDC00..=0xDFFF) => {
                    self.text
                        .extend(char::decode_utf16([high, unit]).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)));
                }
                (before, unit) => {
                    self.text.extend(before.map(|_| char::REPLACEMENT_CHARACTER));
                    match unit {
                        0xD800..=0xDBFF => *pending = Some(unit),
                        _ => self.text.push(char::REPLACEMENT_CHARACTER),
                    }
                }
            }
        }
        self.with_surrogates = with_surrogates;
        (start, self.text.len())
    }

    /// Returns the text that the end of a sequence adds: U+FFFD for a pending surrogate.
    pub(super) fn finish(&mut self, pending: &mut Option<u16>) -> TextRange {
        let start = self.text.len();
        self.replace_pending(pending);
        (start, self.text.len())
    }

    /// Appends U+FFFD for a surrogate whose other half did not follow.
    fn replace_pending(&mut self, pending: &mut Option<u16>) {
        self.text.extend(pending.take().map(|_| char::REPLACEMENT_CHARACTER));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Joins the pieces, in which `+` and `-` stand for the high and the low surrogate of 😀.
    fn joined(pieces: &[&str]) -> String {
        let (mut deltas, mut pending, mut all) = (Deltas::default(), None, String::new());
        for piece in pieces {
            let mut bytes = Vec::new();
            for byte in piece.bytes() {
                match byte {
                    b'+' => bytes.extend(b"\xED\xA0\xBD"),
                    b'-' => bytes.extend(b"\xED\xB8\x80"),
                    byte => bytes.push(byte),
                }
            }
            let fragment = deltas.store(&bytes);
            let (start, end) = deltas.join(&mut pending, fragment);
            all.push_str(&deltas.text[start..end]);
        }
        let (start, end) = deltas.finish(&mut pending);
        all + &deltas.text[start..end]
    }

    #[test]
    fn surrogates_pair_up_across_fragments() {
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
