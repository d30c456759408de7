//! Reads the arguments of a question tool, as its shape says.
//!
//! The lexer's tokens come in here. `keys` decides what the value after a key means, `begin` what
//! its beginning does, `texts` what text in it does, and `end` what its end does. `kept` keeps what
//! may be part of a question until that is known. `parameters` reads a call whose arguments are no
//! JSON object.

mod begin;
mod end;
mod kept;
mod keys;
mod parameters;
mod texts;

use alloc::string::String;
use alloc::sync::Arc;

use smallvec::SmallVec;

use super::Shape;
use super::role::{Level, Role};
use crate::call::Call;
use crate::call::form::{CallForm, OptionText, Place, QuestionText, Words};
use crate::config::Policy;
use crate::json::lexer::{JsonToken, Lexer};
use crate::note::Note;
use crate::reason::{CallPart, Reason};
use crate::space::is_space;
use crate::unsaved::Unsaved;
use crate::utf8::SOME_CHAR;
use kept::most_kept;
pub(crate) use parameters::Written;
use parameters::longest_blanks;

/// How many strings with JSON in them can be nested.
const MAX_ENCODED: usize = 2;

/// The longest key, or path of keys, that is kept whole.
const LONGEST_KEY: usize = 512;

/// The longest word that can mean something.
const LONGEST_WORD: usize = 32;

/// The longest path of keys with its point. The last character of a key may end beyond its limit.
const LONGEST_PATH: usize = LONGEST_KEY + 3 + 1;

/// The longest word with a last character that ends beyond its limit.
const LONGEST_KEPT_WORD: usize = LONGEST_WORD + 3;

/// The meaning of the value that is being read or comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Meaning {
    /// The arguments.
    Arguments,
    /// A list of questions or options, or an element of one.
    List(List),
    Item(List),
    /// An object of questions, whose keys are their ids.
    QuestionMap,
    /// The value of a key in an object that replaces a list.
    Entry(List),
    /// A text of the open question or option.
    Text(Place),
    /// A flag, a kind or an index: a word that counts when it has ended.
    Word(Role),
    /// A list of words, or an element of one.
    Words(Words),
    WordItem(Words),
    /// All questions as lines.
    Lines,
    /// A string where a list belongs, as long as it has only white space.
    Undecided(List),
    /// A string that is an element of a list, as long as it has only white space.
    UndecidedItem(List),
    /// A string where the object of a path or of a form belongs.
    ///
    /// It has only white space so far.
    UndecidedPath,
    UndecidedForm,
    /// A string of JSON that is read once it has ended, because it may be no JSON.
    Pending(PendingString),
    /// The beginning of a path of keys.
    Path,
    /// The arguments are read by another shape from here on.
    Form,
    /// An object of what was kept.
    Kept,
    /// A value without a meaning.
    Nothing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum List {
    Questions,
    Options,
    /// The whole arguments.
    Arguments,
}

/// What a string becomes once it has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum PendingString {
    /// An object, or else a text.
    Item(List),
    /// One option a line.
    Options,
}

/// An open array or object that has a meaning.
///
/// `seen` has a bit for each key of the shape that has come in the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Within {
    /// The object of the arguments. `is_question`: it is the one question itself.
    Arguments {
        seen: u64,
        is_question: bool,
    },
    /// An object inside a path of keys, and where this path begins among the paths.
    Path {
        level: Level,
        seen: u64,
        start: usize,
    },
    Array(List),
    /// An object of questions, whose keys are their ids.
    QuestionMap,
    /// An object that replaces a list: a single element, or a map. `map`: it is certainly a map.
    Entries {
        list: List,
        map: bool,
    },
    Question {
        seen: u64,
    },
    /// An object of what was kept: it is read into the open question.
    Kept {
        seen: u64,
    },
    /// An option, and where among the paths its key in an object of options begins.
    Option {
        seen: u64,
        key: usize,
    },
    Words(Words),
}

/// What has come of the questions' list, map or lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum ListSoFar {
    /// No question of it, so that the arguments may be one question themselves.
    None,
    /// A question, or a value that leaves no place for one.
    Alone,
    /// A question, after the one that the arguments are.
    AfterQuestion,
}

/// What comes before the JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Start {
    /// Nothing but white space so far.
    Blank,
    /// Back-ticks of a code fence.
    Fence(u8),
    /// The rest of the line of a code fence.
    Info,
    /// Inside the JSON. `fenced`: in a code fence.
    Json { fenced: bool },
}

/// Reads the arguments of one call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct ShapeReader {
    #[cfg_attr(feature = "serde", serde(skip))]
    shape: Unsaved<Option<Shape>>,
    start: Start,
    /// The lexer of the arguments, and those of JSON in strings, from the outermost.
    lexers: SmallVec<[Lexer; 1]>,
    /// From the outermost to the innermost. Values that are nested deeper have no meaning.
    within: SmallVec<[Within; 6]>,
    value: Meaning,
    /// The key of the next value, after the path that it is in.
    key: String,
    /// The paths of keys that are open, each with a point at its end.
    paths: String,
    /// A word, or a text that counts once it has ended.
    pending: String,
    /// Blanks after the value of a parameter so far.
    blanks: String,
    /// Members of the arguments, each after a comma.
    ///
    /// They are those of a question if its text follows.
    kept: String,
    /// The value of such a member is being read.
    is_keeping: bool,
    list: ListSoFar,
    /// The shape is the one that the first shape names for forms.
    is_form: bool,
    /// The word "string" says that the open question is a text, if it has no options.
    is_text_without_options: bool,
    recommended: Option<u32>,
}

impl ShapeReader {
    pub(crate) fn new(shape: Shape) -> ShapeReader {
        ShapeReader {
            shape: Unsaved(Some(shape)),
            start: Start::Blank,
            lexers: SmallVec::from_elem(Lexer::NEW, 1),
            within: SmallVec::new(),
            value: Meaning::Arguments,
            key: String::new(),
            paths: String::new(),
            pending: String::new(),
            blanks: String::new(),
            kept: String::new(),
            is_keeping: false,
            list: ListSoFar::None,
            is_form: false,
            is_text_without_options: false,
            recommended: None,
        }
    }

    /// Creates a reader for arguments that no code fence can be around.
    pub(crate) fn without_fence(shape: Shape) -> ShapeReader {
        ShapeReader { start: Start::Json { fenced: false }, ..ShapeReader::new(shape) }
    }

    /// Makes it one for arguments that a code fence can be around. Nothing has been read.
    pub(crate) fn allow_fence(&mut self) {
        self.start = Start::Blank;
    }

    /// Makes it as new.
    pub(crate) fn restart(&mut self) {
        if let Some(shape) = self.shape.0.take() {
            *self = ShapeReader::new(shape);
        }
    }

    /// Returns the name of the shape.
    pub(crate) fn shape_name(&self) -> &str {
        self.shape.0.as_ref().map_or("", Shape::name)
    }

    /// Returns `true` if the value of the key is the questions, or their text or options.
    pub(crate) fn is_main_key(&self, key: &[u8]) -> bool {
        self.shape.0.as_ref().is_some_and(|shape| shape.is_main_key(key))
    }

    /// Ends the call after its arguments.
    pub(crate) fn end(&self, call: &mut Call, policy: &Policy) {
        if let (Some(shape), Some(form)) = (&self.shape.0, call.form_mut()) {
            let constants = shape.constants();
            form.apply_required(constants.required);
            // The question before the list is none of it.
            let before = usize::from(self.list == ListSoFar::AfterQuestion).min(form.questions().len());
            let is_refused = constants.questions.is_some_and(|limit| {
                (self.list != ListSoFar::None && !limit.allows(form.questions().len() - before))
                    || form.has_equal_questions(before)
            });
            if form.questions().is_empty() {
                call.reject(Reason::MissingParameter);
            } else if is_refused {
                call.repair(Note::RefusedByHost, policy);
            }
        }
    }

    /// Reads from `*pos`, up to the end of the value or to something that is certain and not shown.
    ///
    /// Stops at the end of the text, too. Returns `true` if a value has ended.
    pub(crate) fn read(&mut self, text: &str, pos: &mut usize, call: &mut Call, policy: &Arc<Policy>) -> bool {
        let mut has_ended = false;
        if call.has_failed() {
            self.skip(text, pos);
        } else {
            self.with(call, policy, |reading| has_ended = reading.read(text, pos));
        }
        has_ended
    }

    /// Takes the incomplete character `tail` into account, which follows.
    pub(crate) fn foresee(&mut self, tail: &[u8], call: &mut Call, policy: &Arc<Policy>) {
        if call.has_failed() {
            // A number ends before it.
            let mut pos = 0;
            while pos < SOME_CHAR.len() && !self.lexer().is_closed() && !self.lexer().is_ill_formed() {
                self.skip(SOME_CHAR, &mut pos);
            }
            return;
        }
        self.with(call, policy, |reading| reading.foresee(tail));
    }

    /// Reads something, unless the call has failed.
    fn with<R>(&mut self, call: &mut Call, policy: &Arc<Policy>, read: impl FnOnce(&mut Reading<'_>) -> R) {
        if call.has_failed() {
            return;
        }
        let Some(shape) = self.shape.0.take() else { return };
        let mut reading = Reading { reader: self, shape, call, policy, reads_kept: None };
        read(&mut reading);
        let shape = reading.shape;
        if call.has_failed() {
            self.fail(shape);
        } else {
            self.shape.0 = Some(shape);
        }
    }

    /// Forgets all but the position in the JSON, and what decides which parameters are JSON.
    ///
    /// Nothing more is read but its end.
    fn fail(&mut self, shape: Shape) {
        let mut lexers = core::mem::take(&mut self.lexers);
        lexers.truncate(1);
        *self = ShapeReader { lexers, list: self.list, is_form: self.is_form, ..ShapeReader::new(shape) };
    }

    /// Reads up to the end of a value, of which nothing has a meaning after a failure.
    fn skip(&mut self, text: &str, pos: &mut usize) {
        while !self.lexer().is_closed()
            && !self.lexer().is_ill_formed()
            && let Some(token) = self.lexers[0].next(text, pos)
            && token != JsonToken::End
        {}
    }

    fn is_in_key(&self) -> bool {
        self.lexers.last().is_some_and(Lexer::is_in_key)
    }

    /// Returns the lexer of the arguments.
    pub(crate) fn lexer(&self) -> &Lexer {
        &self.lexers[0]
    }

    /// Returns `true` if the chunk only continues a text of the call.
    pub(crate) fn is_plain_text(&self, text: &str) -> bool {
        matches!((&*self.lexers, self.value), ([lexer], Meaning::Text(_)) if lexer.plain_len(text, 0) == text.len())
    }

    /// Returns the part of the call in which the stream is now.
    pub(crate) fn part(&self) -> CallPart {
        match self.value {
            _ if !self.lexers.iter().all(Lexer::is_in_value) => CallPart::Parameters,
            Meaning::Text(Place::Question(QuestionText::Text)) => CallPart::Question,
            Meaning::Text(Place::Option(OptionText::Label)) => CallPart::Answer,
            Meaning::Text(Place::Option(OptionText::Mode)) => CallPart::Mode,
            _ => CallPart::Parameters,
        }
    }

    /// Restores a state from a checkpoint. `shape`: the one that its call began with.
    ///
    /// Returns `false` if it is out of bounds, or if it reads a form and the shape has none.
    pub(crate) fn restore(&mut self, shape: Shape, policy: &Policy) -> bool {
        self.shape.0 = if self.is_form { shape.form() } else { Some(shape) };
        let depth: usize = self.lexers.iter().map(Lexer::depth).sum();
        self.shape.0.is_some()
            && (1..=1 + MAX_ENCODED).contains(&self.lexers.len())
            && self.lexers.iter().all(Lexer::is_in_bounds)
            && self.within.len() <= depth
            && self.key.len() <= LONGEST_PATH
            && self.pending.len() <= policy.limits.list().max(LONGEST_KEPT_WORD)
            && self.blanks.len() <= longest_blanks(policy).saturating_add(2)
            && self.kept.len() <= most_kept(policy).saturating_add(4)
            && (self.kept.starts_with(',') || self.kept.is_empty() && !self.is_keeping)
            && self.paths.len() <= self.within.len() * LONGEST_PATH
    }
}

/// A reader with what it reads into.
struct Reading<'r> {
    reader: &'r mut ShapeReader,
    shape: Shape,
    call: &'r mut Call,
    policy: &'r Arc<Policy>,
    /// What was kept is being read, by one lexer more, after these keys.
    reads_kept: Option<u64>,
}

impl Reading<'_> {
    /// Reads text up to the end of a value. Returns `true` if one has ended.
    fn read(&mut self, text: &str, pos: &mut usize) -> bool {
        if !self.read_start(text, pos) {
            return false;
        }
        while !self.call.has_failed() {
            let (lexer, from) = (&mut self.reader.lexers[0], *pos);
            // Most of a stream is text, for which no token is created.
            let plain = lexer.plain_len(text, *pos);
            let has_ended = if plain > 0 {
                self.keep_json(0, &text[from..from + plain]);
                let (len, has_ended) = self.text(0, &text[*pos..*pos + plain]);
                *pos += len;
                has_ended
            } else if let Some((char, len)) = lexer.escaped(text, *pos) {
                *pos += len;
                self.keep_json(0, &text[from..*pos]);
                self.token(0, JsonToken::Char(char))
            } else if *pos == text.len() && lexer.is_in_text() {
                break;
            } else {
                let token = lexer.next(text, pos);
                self.keep_json(0, &text[from..*pos]);
                let Some(token) = token else { break };
                self.token(0, token)
            };
            if has_ended {
                return true;
            }
        }
        false
    }

    fn foresee(&mut self, tail: &[u8]) {
        let mut pos = 0;
        if !self.read_start(SOME_CHAR, &mut pos) {
            return;
        }
        while !self.call.has_failed() {
            let Some(level) = self.reader.lexers.iter().position(|lexer| !lexer.is_in_text()) else {
                return self.foresee_text(tail);
            };
            let Some(token) = self.reader.lexers[level].next(SOME_CHAR, &mut pos) else { return };
            self.token(level, token);
        }
    }

    /// Reads up to the JSON. Returns `true` if text of it follows.
    fn read_start(&mut self, text: &str, pos: &mut usize) -> bool {
        while *pos < text.len() && !self.call.has_failed() {
            let byte = text.as_bytes()[*pos];
            self.reader.start = match (self.reader.start, byte) {
                (Start::Json { .. }, _) => return true,
                (Start::Blank, _) if is_space(byte) => Start::Blank,
                (Start::Blank, b'`') => Start::Fence(1),
                (Start::Fence(1), b'`') => Start::Fence(2),
                (Start::Fence(2), b'`') => {
                    self.repair(Note::FencedArguments);
                    Start::Info
                }
                (Start::Info, b'\n') => Start::Json { fenced: true },
                (Start::Info, b'{' | b'[') => {
                    self.reader.start = Start::Json { fenced: true };
                    continue;
                }
                (Start::Info, _) => Start::Info,
                (Start::Fence(_), _) => {
                    self.call.reject(Reason::Malformed(Note::IllFormedJson));
                    Start::Blank
                }
                (Start::Blank, _) => {
                    self.reader.start = Start::Json { fenced: false };
                    continue;
                }
            };
            *pos += 1;
        }
        false
    }

    // Tokens.

    /// Applies a token of a lexer.
    ///
    /// Returns `true` if a value has ended, so that more may be certain.
    fn token(&mut self, level: usize, token: JsonToken<'_>) -> bool {
        if self.reader.lexers.len() <= level + 1 {
            return self.act(level, token);
        }
        // It is a token of a string that holds JSON.
        match token {
            JsonToken::Text(text) => self.read_all_encoded(level + 1, text),
            JsonToken::Char(char) => self.read_all_encoded(level + 1, char.encode_utf8(&mut [0; 4])),
            JsonToken::Stray(char) => {
                let has_ended = self.read_all_encoded(level + 1, char.encode_utf8(&mut [0; 4]));
                self.repair(Note::IllFormedString);
                has_ended
            }
            _ => {
                let is_whole = self.reader.lexers[level + 1..].iter().all(Lexer::is_closed);
                self.reader.lexers.truncate(level + 1);
                self.reader.value = Meaning::Nothing;
                if !is_whole {
                    self.call.reject(Reason::Malformed(Note::IllFormedJson));
                }
                true
            }
        }
    }

    /// Applies text of a lexer, up to the end of a value in it if it is JSON.
    ///
    /// Returns how many bytes were applied, and whether a value has ended.
    fn text(&mut self, level: usize, text: &str) -> (usize, bool) {
        if self.reader.lexers.len() > level + 1 {
            return self.read_encoded(level + 1, text);
        }
        self.push(text);
        (text.len(), false)
    }

    /// Reads more of the JSON in a string, up to the end of a value.
    ///
    /// Returns how many bytes were read, and whether a value has ended.
    fn read_encoded(&mut self, level: usize, text: &str) -> (usize, bool) {
        let mut pos = 0;
        while !self.call.has_failed()
            && let Some(lexer) = self.reader.lexers.get_mut(level)
        {
            let from = pos;
            let token = lexer.next(text, &mut pos);
            self.keep_json(level, &text[from..pos]);
            let Some(token) = token else { break };
            let has_ended = match token {
                JsonToken::Text(run) => {
                    let (len, has_ended) = self.text(level, run);
                    // The lexer is in a string, where it can read the rest again.
                    pos -= run.len() - len;
                    has_ended
                }
                token => self.token(level, token),
            };
            if has_ended {
                return (pos, true);
            }
        }
        (text.len(), false)
    }

    /// Reads more of the JSON in a string. Returns `true` if a value has ended.
    fn read_all_encoded(&mut self, level: usize, text: &str) -> bool {
        let (mut pos, mut has_ended) = (0, false);
        loop {
            let (len, reads_on) = self.read_encoded(level, &text[pos..]);
            if !reads_on {
                return has_ended;
            }
            (pos, has_ended) = (pos + len, true);
        }
    }

    fn act(&mut self, level: usize, token: JsonToken<'_>) -> bool {
        match token {
            JsonToken::BeginKey => {
                self.reader.key.clear();
                if let Some(Within::Path { start, .. }) = self.reader.within.last() {
                    self.reader.key.push_str(self.reader.paths.get(*start..).unwrap_or_default());
                }
            }
            JsonToken::EndKey => self.reader.value = if self.skips() { Meaning::Nothing } else { self.value_of_key() },
            JsonToken::Begin(kind) => {
                let was_kept = !self.reader.kept.is_empty();
                self.begin(kind);
                // What was kept is certain, and shown before the text.
                return was_kept && self.reader.kept.is_empty();
            }
            JsonToken::End => {
                self.end();
                self.end_keeping();
                return true;
            }
            JsonToken::Text(text) => self.push(text),
            JsonToken::Char(char) => self.push(char.encode_utf8(&mut [0; 4])),
            JsonToken::Stray(char) => {
                self.push(char.encode_utf8(&mut [0; 4]));
                self.repair(Note::IllFormedString);
            }
            JsonToken::TextAfter if level == 0 && self.reader.start == (Start::Json { fenced: true }) => {}
            JsonToken::TextAfter => self.call.reject(Reason::Malformed(Note::TextAfterArguments)),
            JsonToken::IllFormed => self.call.reject(Reason::Malformed(Note::IllFormedJson)),
        }
        false
    }

    fn repair(&mut self, note: Note) {
        self.call.repair(note, self.policy);
    }

    fn form(&mut self) -> Option<&mut CallForm> {
        self.call.form_mut()
    }

    /// Returns `true` if JSON in a string can be read here.
    fn can_nest(&self) -> bool {
        self.reader.lexers.len() - usize::from(self.reads_kept.is_some()) <= MAX_ENCODED
    }

    fn depth(&self) -> usize {
        self.reader.lexers.iter().map(Lexer::depth).sum()
    }

    /// Returns `true` if the contents of the innermost open array or object have no meaning.
    fn skips(&self) -> bool {
        self.depth() > self.reader.within.len()
    }
}
