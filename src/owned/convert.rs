//! Converts borrowed events to owned ones.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use bytes::Bytes;
use bytestring::ByteString;

use super::event::{Complete, Event, Field, Form, Opaque, Partial, Question, QuestionOption, Rejected, Suggestion};
use crate::{Questions, Suggestions};

/// The shortest text that shares its chunk.
///
/// Shorter text is copied as fast, and keeps no chunk alive.
const SHARE_MIN: usize = 1 << 10;

/// How many bytes of a chunk may be kept alive for each byte of text that shares it.
const MAX_RETAINED: usize = 4;

/// Converts events.
///
/// Keeps the last id, tool and mode, which most events of a call have in common, so that each is
/// copied once.
#[derive(Clone, Debug, Default)]
pub struct Converter {
    id: ByteString,
    tool: ByteString,
    mode: ByteString,
}

impl Converter {
    /// Converts an event that was emitted while `chunk` was parsed.
    pub(super) fn event(&mut self, event: crate::Event<'_>, chunk: &Bytes) -> Event {
        match event {
            crate::Event::Text(text) => Event::Text(share_or_copy(text, chunk)),
            crate::Event::Opaque(piece) => Event::Opaque(Opaque {
                tool: cached(&mut self.tool, piece.tool),
                raw: share_or_copy(piece.raw, chunk),
                start: piece.start,
                id: self.id(piece.id),
            }),
            crate::Event::Partial(call) => Event::Partial(self.partial(call)),
            crate::Event::Complete(call) => {
                let (question, suggestions) = copy_call(call.question(), call.suggestions());
                Event::Complete(Complete {
                    index: call.index(),
                    id: self.id(call.id()),
                    native: call.is_native(),
                    span: call.span(),
                    question,
                    suggestions,
                    form: call.shape().map(|_| copy_form(call.tool(), call.title(), call.questions())),
                    notes: call.notes().to_vec(),
                })
            }
            crate::Event::Rejected(call) => {
                let (question, suggestions) = copy_call(call.question().unwrap_or_default(), call.suggestions());
                Event::Rejected(Rejected {
                    index: call.index(),
                    id: self.id(call.id()),
                    native: call.is_native(),
                    span: call.span(),
                    reason: call.reason(),
                    envelope: call.envelope(),
                    question: call.question().map(|_| question),
                    suggestions,
                    form: call.shape().map(|_| copy_form(call.tool(), call.title(), call.questions())),
                })
            }
        }
    }

    fn partial(&mut self, call: crate::Partial<'_>) -> Partial {
        let index = call.suggestion_index().unwrap_or_default();
        let question = call.questions().get(call.question_index());
        let newest = question.and_then(|question| question.suggestions.get(index));
        let len = |text: Option<&str>| text.map_or(0, str::len);
        let (field, len) = match call.field() {
            crate::Field::Question => (Field::Question, len(question.map(|question| question.text))),
            crate::Field::Suggestion => {
                let mode = newest.and_then(|one| one.mode).map(|mode| cached(&mut self.mode, mode));
                (Field::Suggestion { index, mode }, len(newest.map(|one| one.answer)))
            }
            crate::Field::Title => (Field::Title, len(call.title())),
            crate::Field::Header => (Field::Header, len(question.and_then(|question| question.header))),
            crate::Field::Detail => (Field::Detail, len(question.and_then(|question| question.detail))),
            crate::Field::Description => (Field::Description(index), len(newest.and_then(|one| one.description))),
            crate::Field::Preview => (Field::Preview(index), len(newest.and_then(|one| one.preview))),
        };
        let (id, delta) = (self.id(call.id()), call.delta().into());
        Partial { index: call.index(), id, question: call.question_index(), field, delta, len }
    }

    fn id(&mut self, id: Option<&str>) -> Option<ByteString> {
        id.map(|id| cached(&mut self.id, id))
    }
}

/// Returns `text`, as a clone of `last` if that is the same.
fn cached(last: &mut ByteString, text: &str) -> ByteString {
    if *last != text {
        *last = text.into();
    }
    last.clone()
}

/// Returns a slice of `chunk` if `text` is one and is not short; otherwise a copy.
fn share_or_copy(text: &str, chunk: &Bytes) -> ByteString {
    let slice = || {
        let start = (text.as_ptr() as usize).checked_sub(chunk.as_ptr() as usize)?;
        let end = start.checked_add(text.len()).filter(|&end| end <= chunk.len())?;
        ByteString::try_from(chunk.slice(start..end)).ok()
    };
    let is_cheaper = text.len() >= SHARE_MIN && chunk.len() / MAX_RETAINED <= text.len();
    is_cheaper.then(slice).flatten().unwrap_or_else(|| text.into())
}

/// Copies a question and its suggestions into one allocation, which all of them share.
fn copy_call(question: &str, suggestions: Suggestions<'_>) -> (ByteString, Vec<Suggestion>) {
    let texts = || suggestions.iter().flat_map(|one| [one.answer, one.mode.unwrap_or_default()]);
    let mut all = String::with_capacity(question.len() + texts().map(str::len).sum::<usize>());
    all.push_str(question);
    texts().for_each(|text| all.push_str(text));
    let all = ByteString::from(all);
    let mut end = 0;
    let mut next = |text: &str| {
        let start = end;
        end += text.len();
        all.slice_ref(&all[start..end])
    };
    let question = next(question);
    let suggestions =
        suggestions.iter().map(|one| Suggestion { answer: next(one.answer), mode: one.mode.map(&mut next) }).collect();
    (question, suggestions)
}

/// Copies the questions of a call that a shape reads.
fn copy_form(tool: &str, title: Option<&str>, questions: Questions<'_>) -> Box<Form> {
    let questions = questions.iter().map(copy_question).collect();
    Box::new(Form { tool: tool.into(), title: title.map(ByteString::from), questions })
}

fn copy_question(question: crate::Question<'_>) -> Question {
    let own = |text: Option<&str>| text.map(ByteString::from);
    Question {
        text: question.text.into(),
        id: own(question.id),
        header: own(question.header),
        detail: own(question.detail),
        placeholder: own(question.placeholder),
        kind: question.kind,
        multiple: question.multiple,
        custom: question.custom,
        required: question.required,
        defaults: question.defaults.iter().map(ByteString::from).collect(),
        suggestions: question.suggestions.iter().map(copy_option).collect(),
    }
}

fn copy_option(option: crate::Suggestion<'_>) -> QuestionOption {
    let own = |text: Option<&str>| text.map(ByteString::from);
    QuestionOption {
        answer: option.answer.into(),
        mode: own(option.mode),
        description: own(option.description),
        value: own(option.value),
        preview: own(option.preview),
        recommended: option.recommended,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_long_text_that_is_most_of_its_chunk_is_shared() {
        let chunk = Bytes::from("é".repeat(4 * SHARE_MIN));
        let text = core::str::from_utf8(&chunk).unwrap();
        for (part, is_shared) in [
            (text, true),
            (&text[2..], true),
            (&text[..2 * SHARE_MIN], true),
            (&text[..2 * SHARE_MIN - 2], false),
            (&text[..SHARE_MIN], false),
        ] {
            let owned = share_or_copy(part, &chunk);
            assert_eq!(owned, part);
            assert_eq!(owned.as_ptr() == part.as_ptr(), is_shared, "{}", part.len());
        }
        let small = Bytes::from("x".repeat(SHARE_MIN - 1));
        let text = core::str::from_utf8(&small).unwrap();
        assert_ne!(share_or_copy(text, &small).as_ptr(), text.as_ptr());
        let elsewhere = "x".repeat(SHARE_MIN);
        assert_ne!(share_or_copy(&elsewhere, &small).as_ptr(), elsewhere.as_ptr(), "it is no part of the chunk");
    }
}
