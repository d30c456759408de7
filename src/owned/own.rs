//! From what is lent to what is owned.

use alloc::string::String;
use alloc::vec::Vec;

use bytes::Bytes;
use bytestring::ByteString;

use super::{Complete, Event, Grown, Opaque, Partial, Rejected, Suggestion};
use crate::{Field, Suggestions};

/// From so many bytes on, text is shared with its chunk: shorter ones are copied as fast, and hold nothing else in memory.
const SHARED: usize = 1 << 10;

/// No more than so many bytes of a chunk are kept in memory for each byte of its text that is shared.
const HELD: usize = 4;

/// Makes events owned. What most partials of a call have in common it copies once.
#[derive(Clone, Debug, Default)]
pub struct Own {
    id: ByteString,
    tool: ByteString,
    mode: ByteString,
}

impl Own {
    /// The event, owned. It was lent while the chunk was read.
    pub(super) fn event(&mut self, event: crate::Event<'_>, chunk: &Bytes) -> Event {
        match event {
            crate::Event::Text(text) => Event::Text(shared(text, chunk)),
            crate::Event::Opaque(piece) => Event::Opaque(Opaque {
                tool: again(&mut self.tool, piece.tool),
                raw: shared(piece.raw, chunk),
                start: piece.start,
                id: self.id(piece.id),
            }),
            crate::Event::Partial(call) => Event::Partial(self.partial(call)),
            crate::Event::Complete(call) => {
                let (question, suggestions) = whole(call.question(), call.suggestions());
                Event::Complete(Complete {
                    nth: call.nth(),
                    id: self.id(call.id()),
                    span: call.span(),
                    question,
                    suggestions,
                    notes: call.notes().to_vec(),
                })
            }
            crate::Event::Rejected(call) => {
                let (question, suggestions) = whole(call.question().unwrap_or_default(), call.suggestions());
                Event::Rejected(Rejected {
                    nth: call.nth(),
                    id: self.id(call.id()),
                    span: call.span(),
                    reason: call.reason(),
                    question: call.question().map(|_| question),
                    suggestions,
                })
            }
        }
    }

    fn partial(&mut self, call: crate::Partial<'_>) -> Partial {
        let (grown, len) = match call.field() {
            Field::Question => (Grown::Question, call.question().map_or(0, str::len)),
            Field::Suggestion => {
                let nth = call.suggestions().len().saturating_sub(1);
                let newest = call.suggestions().get(nth);
                let mode = newest.and_then(|one| one.mode).map(|mode| again(&mut self.mode, mode));
                (Grown::Suggestion { nth, mode }, newest.map_or(0, |one| one.answer.len()))
            }
        };
        Partial { nth: call.nth(), id: self.id(call.id()), grown, delta: call.delta().into(), len }
    }

    fn id(&mut self, id: Option<&str>) -> Option<ByteString> {
        id.map(|id| again(&mut self.id, id))
    }

    /// The error, owned.
    #[cfg(feature = "wire")]
    pub(super) fn error(error: crate::wire::Error<'_>) -> super::Error {
        use super::Error;
        use crate::wire::Error as Lent;
        match error {
            Lent::Provider(message) => Error::Provider(message.into()),
            Lent::Unreadable(data) => Error::Unreadable(data.into()),
            Lent::TooLong(limit) => Error::TooLong(limit),
            Lent::Orphan(arguments) => Error::Orphan(arguments.into()),
            Lent::Foreign(wire) => Error::Foreign(wire),
            Lent::TooManyCalls(tool) => Error::TooManyCalls(tool.into()),
        }
    }
}

/// The text: as it was the last time, if it is the same.
fn again(last: &mut ByteString, text: &str) -> ByteString {
    if *last != text {
        *last = text.into();
    }
    last.clone()
}

/// The text: a part of the chunk, if it is one and that is cheaper.
fn shared(text: &str, chunk: &Bytes) -> ByteString {
    let within = || {
        let start = (text.as_ptr() as usize).checked_sub(chunk.as_ptr() as usize)?;
        let end = start.checked_add(text.len()).filter(|&end| end <= chunk.len())?;
        ByteString::try_from(chunk.slice(start..end)).ok()
    };
    let cheaper = text.len() >= SHARED && chunk.len() / HELD <= text.len();
    cheaper.then(within).flatten().unwrap_or_else(|| text.into())
}

/// A question and its suggestions, in one piece of memory.
fn whole(question: &str, suggestions: Suggestions<'_>) -> (ByteString, Vec<Suggestion>) {
    let texts = || suggestions.iter().flat_map(|one| [one.answer, one.mode.unwrap_or_default()]);
    let mut all = String::with_capacity(question.len() + texts().map(str::len).sum::<usize>());
    all.push_str(question);
    texts().for_each(|text| all.push_str(text));
    let all = ByteString::from(all);
    let mut at = 0;
    let mut part = |text: &str| {
        at += text.len();
        all.slice_ref(&all[at - text.len()..at])
    };
    let question = part(question);
    let suggestions =
        suggestions.iter().map(|one| Suggestion { answer: part(one.answer), mode: one.mode.map(&mut part) }).collect();
    (question, suggestions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_long_text_that_is_most_of_its_chunk_is_shared() {
        let chunk = Bytes::from("é".repeat(4 * SHARED));
        let text = core::str::from_utf8(&chunk).unwrap();
        for (part, is_shared) in [
            (text, true),
            (&text[2..], true),
            (&text[..2 * SHARED], true),
            (&text[..2 * SHARED - 2], false),
            (&text[..SHARED], false),
        ] {
            let owned = shared(part, &chunk);
            assert_eq!(owned, part);
            assert_eq!(owned.as_ptr() == part.as_ptr(), is_shared, "{}", part.len());
        }
        let small = Bytes::from("x".repeat(SHARED - 1));
        let text = core::str::from_utf8(&small).unwrap();
        assert_ne!(shared(text, &small).as_ptr(), text.as_ptr());
        let elsewhere = "x".repeat(SHARED);
        assert_ne!(shared(&elsewhere, &small).as_ptr(), elsewhere.as_ptr(), "that is no part of the chunk");
    }
}
