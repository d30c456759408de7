//! Events as words and text.
//!
//! An event is a few words: its type, and for each of its strings the length in UTF-16 code units.
//! The strings follow each other in the text. So JavaScript decodes the text once and slices it.
//! What comes once a call is a [tree](Output::tree) of keys and values.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use followup::Suggestions;
use followup::{
    Complete, Event, Field, Note, Partial, Question, QuestionKind, Questions, Reason, Rejected, Suggestion,
};

/// There is no such string or number.
const NONE: u32 = u32::MAX;

/// The types of events.
mod event {
    pub(super) const TEXT: u32 = 0;
    pub(super) const OPAQUE: u32 = 1;
    pub(super) const PARTIAL: u32 = 2;
    pub(super) const TREE: u32 = 3;
    /// Not an event: a call as far as it has been shown.
    #[cfg(feature = "full")]
    pub(super) const VIEW: u32 = 4;
}

/// The types of values in a tree.
mod value {
    pub(super) const NO: u32 = 0;
    pub(super) const YES: u32 = 1;
    pub(super) const NUMBER: u32 = 2;
    pub(super) const STRING: u32 = 3;
    pub(super) const LIST: u32 = 4;
    pub(super) const MAP: u32 = 5;
}

/// The output of a call across the boundary.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) words: Vec<u32>,
    pub(crate) text: String,
    /// The calls of which all that was shown has been written.
    ///
    /// `None` unless the parser continues from a checkpoint.
    #[cfg(feature = "full")]
    pub(crate) resumed: Option<Vec<u64>>,
}

impl Output {
    pub(crate) const NEW: Output = Output {
        words: Vec::new(),
        text: String::new(),
        #[cfg(feature = "full")]
        resumed: None,
    };

    pub(crate) fn clear(&mut self) {
        self.words.clear();
        self.text.clear();
    }

    /// Appends an event.
    pub(crate) fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Text(text) => {
                self.words.push(event::TEXT);
                self.string(text);
            }
            Event::Opaque(piece) => {
                self.words.extend([event::OPAQUE, u32::from(piece.start)]);
                self.string(piece.tool);
                self.string(piece.raw);
                self.optional(piece.id);
            }
            Event::Partial(call) => {
                self.partial(call);
                #[cfg(feature = "full")]
                self.view_once(call);
            }
            Event::Complete(call) => self.tree(|map| complete(map, call)),
            Event::Rejected(call) => self.tree(|map| rejected(map, call)),
        }
    }

    /// Appends an event or error of a provider's stream.
    #[cfg(feature = "full")]
    pub(crate) fn result(&mut self, event: Result<Event<'_>, followup::wire::Error<'_>>) {
        match event {
            Ok(event) => self.event(&event),
            Err(error) => self.tree(|map| {
                map.string("type", "error");
                map.string("code", error.code());
                match error {
                    followup::wire::Error::Provider(message) => map.string("message", message),
                    ref error => map.string("message", &error.to_string()),
                }
                map.optional("data", error.data());
            }),
        }
    }

    /// Appends all that has been shown of a call, once.
    ///
    /// It does so if that may be more than JavaScript has had from this parser.
    #[cfg(feature = "full")]
    fn view_once(&mut self, call: &Partial<'_>) {
        let Some(resumed) = &mut self.resumed else { return };
        if resumed.contains(&call.index()) {
            return;
        }
        resumed.push(call.index());
        self.words.push(event::VIEW);
        self.map(|map| {
            map.number("call", call.index());
            map.string("tool", call.tool());
            map.optional("id", call.id());
            map.string("title", call.title().unwrap_or_default());
            map.list("questions", call.questions().iter(), |output, one| {
                output.map(|map| {
                    map.string("text", one.text);
                    map.string("header", one.header.unwrap_or_default());
                    map.string("detail", one.detail.unwrap_or_default());
                    if call.shape().is_some() {
                        known_of_question(map, one);
                    }
                    map.list("suggestions", one.suggestions.iter(), |output, one| {
                        output.map(|map| {
                            map.string("answer", one.answer);
                            map.string("description", one.description.unwrap_or_default());
                            map.string("preview", one.preview.unwrap_or_default());
                            known_of(map, one);
                        });
                    });
                });
            });
        });
    }

    fn partial(&mut self, call: &Partial<'_>) {
        let field = match call.field() {
            Field::Question => 0,
            Field::Suggestion => 1,
            Field::Header => 2,
            Field::Detail => 3,
            Field::Description => 4,
            Field::Preview => 5,
            Field::Title => 6,
            _ => return,
        };
        let question = call.questions().get(call.question_index());
        let suggestion = question.and_then(|question| question.suggestions.get(call.suggestion_index()?));
        let index = call.suggestion_index().map_or(NONE, |index| index as u32);
        self.words.extend([event::PARTIAL, call.index() as u32, field, call.question_index() as u32, index]);
        self.string(call.delta());
        self.optional(call.id());
        self.optional(call.shape().map(|_| call.tool()));
        // What does not grow comes with the beginning of a text, and with a partial without a
        // delta.
        let is_first = |text: Option<&str>| text.is_none_or(|text| text.len() == call.delta().len());
        match (suggestion, question) {
            _ if call.field() == Field::Title => self.words.push(NONE),
            (Some(one), _) if call.shape().is_none() || call.delta().is_empty() || is_first(Some(one.answer)) => {
                self.map(|map| known_of(map, one));
            }
            (None, Some(one)) if call.shape().is_some() && (call.delta().is_empty() || is_first(Some(one.text))) => {
                self.map(|map| known_of_question(map, one));
            }
            _ => self.words.push(NONE),
        }
    }

    /// Appends the length of a string, and the string.
    fn string(&mut self, text: &str) {
        let len = if text.is_ascii() { text.len() } else { text.chars().map(char::len_utf16).sum() };
        self.words.push(len as u32);
        self.text.push_str(text);
    }

    fn optional(&mut self, text: Option<&str>) {
        match text {
            Some(text) => self.string(text),
            None => self.words.push(NONE),
        }
    }

    /// Appends an event that is an object.
    fn tree(&mut self, write: impl FnOnce(&mut Map<'_>)) {
        self.words.push(event::TREE);
        self.map(write);
    }

    fn map(&mut self, write: impl FnOnce(&mut Map<'_>)) {
        let at = self.words.len();
        self.words.extend([value::MAP, 0]);
        let mut map = Map { output: self, len: 0 };
        write(&mut map);
        let len = map.len;
        self.words[at + 1] = len;
    }
}

/// An object that is being written.
struct Map<'o> {
    output: &'o mut Output,
    len: u32,
}

impl Map<'_> {
    fn key(&mut self, key: &str) -> &mut Output {
        self.len += 1;
        self.output.string(key);
        self.output
    }

    fn string(&mut self, key: &str, text: &str) {
        let output = self.key(key);
        output.words.push(value::STRING);
        output.string(text);
    }

    fn optional(&mut self, key: &str, text: Option<&str>) {
        text.into_iter().for_each(|text| self.string(key, text));
    }

    fn flag(&mut self, key: &str, flag: Option<bool>) {
        if let Some(flag) = flag {
            self.key(key).words.push(if flag { value::YES } else { value::NO });
        }
    }

    fn number(&mut self, key: &str, number: u64) {
        // Exact up to 2^53, as numbers of JavaScript are.
        self.key(key).words.extend([value::NUMBER, number as u32, (number >> 32) as u32]);
    }

    fn list<T>(&mut self, key: &str, items: impl Iterator<Item = T>, mut write: impl FnMut(&mut Output, T)) {
        let output = self.key(key);
        let at = output.words.len();
        output.words.extend([value::LIST, 0]);
        let mut len = 0;
        for item in items {
            write(output, item);
            len += 1;
        }
        output.words[at + 1] = len;
    }

    fn strings(&mut self, key: &str, texts: impl Iterator<Item = impl AsRef<str>>) {
        self.list(key, texts, |output, text| {
            output.words.push(value::STRING);
            output.string(text.as_ref());
        });
    }

    fn suggestions(&mut self, suggestions: Suggestions<'_>) {
        self.list("suggestions", suggestions.iter(), |output, one| {
            output.map(|map| {
                map.string("answer", one.answer);
                map.optional("description", one.description);
                map.optional("preview", one.preview);
                known_of(map, one);
            });
        });
    }

    fn questions(&mut self, questions: Questions<'_>) {
        self.list("questions", questions.iter(), |output, one| {
            output.map(|map| {
                map.string("text", one.text);
                map.optional("header", one.header);
                map.optional("detail", one.detail);
                known_of_question(map, one);
                map.suggestions(one.suggestions);
            });
        });
    }
}

fn complete(map: &mut Map<'_>, call: &Complete<'_>) {
    map.string("type", "complete");
    map.number("call", call.index());
    map.optional("id", call.id());
    map.string("tool", call.tool());
    map.optional("shape", call.shape());
    map.optional("title", call.title());
    map.string("question", call.question());
    map.suggestions(call.suggestions());
    if call.shape().is_some() {
        map.questions(call.questions());
    }
    map.strings("notes", call.notes().iter().map(Note::to_string));
    map.strings("noteCodes", call.notes().iter().map(Note::code));
    map.optional("envelope", call.envelope().map(|family| family.name()));
    map.flag("native", call.is_native().then_some(true));
    map.number("start", call.span().start);
    map.number("end", call.span().end);
}

fn rejected(map: &mut Map<'_>, call: &Rejected<'_>) {
    map.string("type", "rejected");
    map.number("call", call.index());
    map.optional("id", call.id());
    map.string("tool", call.tool());
    map.optional("shape", call.shape());
    reason(map, call.reason());
    map.string("message", &call.reason().to_string());
    map.optional("title", call.title());
    map.optional("question", call.question());
    map.suggestions(call.suggestions());
    if call.shape().is_some() {
        map.questions(call.questions());
    }
    map.optional("envelope", call.envelope().map(|family| family.name()));
    map.flag("native", call.is_native().then_some(true));
    map.number("start", call.span().start);
    map.number("end", call.span().end);
}

fn reason(map: &mut Map<'_>, reason: Reason) {
    map.string("code", reason.code());
    map.optional("note", reason.note().map(|note| note.code()));
    map.optional("part", reason.part().map(|part| part.code()));
    if let Some(limit) = reason.limit() {
        map.number("limit", limit as u64);
    }
}

/// Writes what is known of a question that does not grow.
fn known_of_question(map: &mut Map<'_>, question: Question<'_>) {
    map.optional("id", question.id);
    map.optional("placeholder", question.placeholder);
    map.optional("kind", question.kind.map(QuestionKind::name));
    map.flag("multiple", question.multiple);
    map.flag("custom", question.custom);
    map.flag("required", question.required);
    if !question.defaults.is_empty() {
        map.strings("defaults", question.defaults.iter());
    }
}

/// Writes what is known of a suggestion that does not grow.
fn known_of(map: &mut Map<'_>, suggestion: Suggestion<'_>) {
    map.optional("mode", suggestion.mode);
    map.optional("value", suggestion.value);
    map.flag("recommended", suggestion.recommended.then_some(true));
}
