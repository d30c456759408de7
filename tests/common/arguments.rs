//! The reference reader of the arguments of native calls, as plain as possible.
//!
//! It is the oracle of the tests for `Parser::arguments`.
//!
//! As in `reference`, it sees the whole stream at once, its functions quote the sentences of
//! `docs/format.md` (section "Native calls: arguments as JSON") that they implement, and where the
//! page leaves something open a comment begins with `Decided:`.
#![allow(dead_code)]

use std::collections::BTreeSet;

use super::reference::{Atom, EndedCall, Rules, TooLong, Value, read_follow_up};

/// Returns everything that is shown of these arguments, in the order in which it becomes certain.
///
/// "its stream is the arguments of one call, nothing else, and gives exactly one `Complete` or
/// `Rejected`, when the stream ends, with the whole stream as its span." "There is no `Text` and no
/// `Opaque`."
pub fn read(stream: &[u8], rules: &Rules) -> Vec<Atom> {
    let mut reader = ArgumentsReader::new(&String::from_utf8_lossy(stream), rules, false);
    let mut reason = reader.arguments().err();
    // "If the object has been closed, the call is `Rejected`, missing parameter, if there is no
    // question, and otherwise `Complete`."
    if reason.is_none() && reader.question.is_none() {
        reason = Some("missing_parameter");
    }
    // Rejections have no notes here: they are left out of the comparison.
    if reason.is_some() {
        reader.notes.clear();
    }
    let ended = EndedCall {
        call: 0,
        span: (0, stream.len() as u64),
        question: reader.question,
        suggest: reader.suggest,
        notes: reader.notes,
    };
    reader.shown.push(match reason {
        Some(reason) => Atom::Rejected(reason, ended),
        None => Atom::Complete(ended),
    });
    reader.shown
}

/// Reading continues, or the first thing has gone wrong, or the stream has ended: the reason of the
/// rejection. "After something has gone wrong nothing more is read of the call."
pub(super) type Parsed<T> = Result<T, &'static str>;

/// Takes each character of a text.
pub(super) type Put<'p, 'a> = &'p mut dyn FnMut(&mut ArgumentsReader<'a>, char) -> Parsed<()>;

/// "nested no deeper than 128 (the object of the arguments is 1 deep)"
const DEPTH: usize = 128;

/// The kind of a value, by its first character.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Number,
    Boolean,
    Null,
    Array,
    Object,
}

/// The lists of suggestions; synonyms are one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum List {
    FollowUp,
    Options,
    Suggest,
}

/// The kind of an object in place of a list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Object {
    Undecided,
    Suggestion,
    Map,
}

pub(super) struct ArgumentsReader<'a> {
    rules: &'a Rules,
    pub(super) chars: Vec<char>,
    pub(super) index: usize,
    /// This is JSON in a string: "All of it becomes known at once".
    at_once: bool,
    pub(super) shown: Vec<Atom>,
    pub(super) question: Option<String>,
    /// The number of `question` keys.
    pub(super) questions: usize,
    pub(super) suggest: Vec<(String, Option<String>)>,
    pub(super) notes: BTreeSet<&'static str>,
    /// The current list.
    list: List,
    /// The lists with a suggestion, one beyond the limit included.
    given: Vec<List>,
}

/// An open suggestion.
struct OpenItem {
    /// Whether it is within the limit of suggestions.
    kept: bool,
    answer: Value,
    mode: Option<String>,
    /// Its index, once it is certain to exist.
    i: Option<usize>,
    /// Whether a `text` or `answer` had a readable value.
    readable: bool,
}

// ----------------------------------------------------------------------------------- the arguments

impl<'a> ArgumentsReader<'a> {
    pub(super) fn new(text: &str, rules: &'a Rules, at_once: bool) -> ArgumentsReader<'a> {
        ArgumentsReader {
            rules,
            chars: text.chars().collect(),
            index: 0,
            at_once,
            shown: Vec::new(),
            question: None,
            questions: 0,
            suggest: Vec::new(),
            notes: BTreeSet::new(),
            list: List::FollowUp,
            given: Vec::new(),
        }
    }

    pub(super) fn rules(&self) -> &'a Rules {
        self.rules
    }

    /// "Under the strict policy each of them is a rejection instead: malformed."
    pub(super) fn repair(&mut self, note: &'static str) -> Parsed<()> {
        if self.rules.strict {
            return Err("malformed");
        }
        self.notes.insert(note);
        Ok(())
    }

    /// Reads the whole stream.
    pub(super) fn arguments(&mut self) -> Parsed<()> {
        self.space();
        // "An empty stream is that [truncated] too."
        // "If the value of the arguments begins like an array, a string, a number or a literal it
        // is of the wrong type, whatever follows."
        // Decided: a literal begins with the first letter of `true`, `false` or `null`.
        if self.kind()? != Kind::Object {
            return Err("wrong_type");
        }
        self.object(1, &mut |reader, key, kind| reader.parameter(key, kind))?;
        // "After the object anything but white space (that of JSON) is ignored with a repair
        // (`TextAfterArguments`)."
        // Decided: ill-formed UTF-8 is anything, too.
        self.space();
        match self.peek() {
            Some(_) => self.repair("TextAfterArguments"),
            None => Ok(()),
        }
    }

    /// "A parameter is a key of the object with its value. Keys are compared decoded, and exactly."
    pub(super) fn parameter(&mut self, key: &str, kind: Kind) -> Parsed<()> {
        match key {
            "question" => self.question(kind),
            "follow_up" | "suggestions" => self.suggestions(List::FollowUp, kind),
            "options" => self.suggestions(List::Options, kind),
            "suggest" | "suggestion" => self.suggestions(List::Suggest, kind),
            // "Any other key means nothing, and so does its value."
            _ => self.nothing(2),
        }
    }

    /// "`question`: a string. A number or a boolean is text, as it is written. `null` is blank. An
    /// array or an object is of the wrong type."
    fn question(&mut self, kind: Kind) -> Parsed<()> {
        // "a second `question` leaves a note (`RepeatedQuestion`), and if there is a question, its
        // value means nothing"
        self.questions += 1;
        if self.questions > 1 {
            self.notes.insert("RepeatedQuestion");
        }
        if self.question.is_some() {
            return self.nothing(2);
        }
        match kind {
            // Decided: at its bracket or brace.
            Kind::Array | Kind::Object => Err("wrong_type"),
            Kind::Null => self.nothing(2),
            Kind::Text | Kind::Number | Kind::Boolean => {
                let mut value = Value::new(self.rules.question);
                self.scalar(&mut |reader, c| {
                    let Ok(known) = value.push(c) else {
                        return Err("too_long");
                    };
                    for c in known.chars() {
                        reader.shown.push(Atom::Question { call: 0, c });
                        reader.question.get_or_insert_default().push(c);
                    }
                    Ok(())
                })
            }
        }
    }

    /// Reads the value of a parameter that is a list of suggestions.
    fn suggestions(&mut self, list: List, kind: Kind) -> Parsed<()> {
        // "Once one of these three has given a suggestion (one beyond the limit included), the
        // value of the same one (or its synonym) means nothing, and leaves a note unless it is
        // `null` (`RepeatedSuggestions`)."
        if self.given.contains(&list) {
            if kind != Kind::Null {
                self.notes.insert("RepeatedSuggestions");
            }
            return self.nothing(2);
        }
        // "The last of the three is outside `follow_up`, which is a repair (`OutsideFollowUp`, at
        // the first character of its value), unless the value is `null` or is not looked at".
        // Decided: it comes before anything that is wrong with the value itself: under the strict
        // policy a number is malformed here, not of the wrong type.
        if list == List::Suggest && kind != Kind::Null {
            self.repair("OutsideFollowUp")?;
        }
        self.list = list;
        self.list_value(2, kind)
    }

    /// "The value of a list of suggestions is": the table. `depth` is its own.
    fn list_value(&mut self, depth: usize, kind: Kind) -> Parsed<()> {
        match kind {
            // "array: every element is an item"
            Kind::Array => self.array(depth, &mut |reader, kind| reader.item(depth + 1, kind)),
            // "object: repair `SuggestionsAsObject`, at its `{`"
            Kind::Object => {
                self.repair("SuggestionsAsObject")?;
                self.list_object(depth)
            }
            Kind::Text => self.list_text(),
            Kind::Null => self.nothing(depth),
            // Decided: with its first character, whatever follows, as for the value of the
            // arguments.
            Kind::Number | Kind::Boolean => Err("wrong_type"),
        }
    }

    // --------------------------------------------------------------------------------------- items

    /// "An item is a suggestion if it is a string, a number or a boolean (as text), or an object: a
    /// suggestion object."
    fn item(&mut self, depth: usize, kind: Kind) -> Parsed<()> {
        let mut suggestion = self.suggestion();
        match kind {
            // "`null` is nothing."
            Kind::Null => self.nothing(depth),
            // "An array is dropped with a note (`UnreadableSuggestion`)."
            Kind::Array => {
                self.notes.insert("UnreadableSuggestion");
                self.nothing(depth)
            }
            Kind::Object => {
                self.object(depth, &mut |reader, key, kind| reader.member(&mut suggestion, key, kind, depth + 1))?;
                self.object_ends(suggestion)
            }
            Kind::Text | Kind::Number | Kind::Boolean => {
                self.scalar(&mut |reader, c| reader.answer(&mut suggestion, c))?;
                self.ends(suggestion)
            }
        }
    }

    /// Reads a value of a suggestion object, at `depth`.
    fn member(&mut self, suggestion: &mut OpenItem, key: &str, kind: Kind, depth: usize) -> Parsed<()> {
        match (key, kind) {
            // "an array or object means nothing"
            ("text" | "answer" | "label", Kind::Array | Kind::Object) => self.nothing(depth),
            // "`text` (or `answer`, or `label`) is the answer: the first that is not blank; a
            // number or a boolean is text; `null` is blank"
            ("text" | "answer" | "label", _) => {
                suggestion.readable = true;
                match kind == Kind::Null || !suggestion.answer.text.is_empty() {
                    true => self.nothing(depth),
                    false => self.scalar(&mut |reader, c| reader.answer(suggestion, c)),
                }
            }
            // "`mode` is the mode: the first string that is not blank, or such a string as
            // `mode_slug` of an object; anything else means nothing."
            ("mode", Kind::Text) if suggestion.mode.is_none() => self.mode(suggestion),
            ("mode", Kind::Object) => self.object(depth, &mut |reader, key, kind| match (key, kind) {
                ("mode_slug", Kind::Text) if suggestion.mode.is_none() => reader.mode(suggestion),
                _ => reader.nothing(depth + 1),
            }),
            // "Other keys mean nothing."
            _ => self.nothing(depth),
        }
    }

    /// "A suggestion object in which no `text`, `answer` or `label` has a value that is a string, a
    /// number, a boolean or `null` leaves the note `UnreadableSuggestion` when it ends."
    fn object_ends(&mut self, suggestion: OpenItem) -> Parsed<()> {
        if !suggestion.readable {
            self.notes.insert("UnreadableSuggestion");
        }
        self.ends(suggestion)
    }

    /// "An object as the list is one suggestion object, or a map of items. Its keys, in order,
    /// decide which, and until one has, their values mean nothing."
    fn list_object(&mut self, depth: usize) -> Parsed<()> {
        let mut object = Object::Undecided;
        let mut suggestion = self.suggestion();
        self.object(depth, &mut |reader, key, kind| {
            // Decided: decimal digits are those of ASCII.
            let is_item_key =
                matches!(key, "suggest" | "suggestion") || !key.is_empty() && key.bytes().all(|b| b.is_ascii_digit());
            if object == Object::Undecided {
                object = match (key, kind) {
                    // "`text`, `answer`, `label` or `mode`: it is one suggestion object, and is
                    // read as one"
                    ("text" | "answer" | "label" | "mode", _) => Object::Suggestion,
                    // "a key of decimal digits only (and at least one), `suggest` or `suggestion`;
                    // or any other key with an array or an object as its value: it is a map"
                    _ if is_item_key => Object::Map,
                    (_, Kind::Array | Kind::Object) => Object::Map,
                    _ => Object::Undecided,
                };
            }
            match (object, kind) {
                (Object::Undecided, _) => reader.nothing(depth + 1),
                (Object::Suggestion, _) => reader.member(&mut suggestion, key, kind, depth + 1),
                // "In a map, the value of every key that is an object is an item; of every key that
                // is an array, its elements are items; and under a key of digits, `suggest` or
                // `suggestion` a string, number or boolean is an item. Everything else means
                // nothing."
                (Object::Map, Kind::Object) => reader.item(depth + 1, kind),
                (Object::Map, Kind::Array) => reader.array(depth + 1, &mut |reader, kind| reader.item(depth + 2, kind)),
                (Object::Map, _) if is_item_key => reader.item(depth + 1, kind),
                (Object::Map, _) => reader.nothing(depth + 1),
            }
        })?;
        // "An object in which no key decides is nothing."
        match object {
            Object::Suggestion => self.object_ends(suggestion),
            Object::Undecided | Object::Map => Ok(()),
        }
    }

    /// "A string as the list becomes known when it ends."
    fn list_text(&mut self) -> Parsed<()> {
        let mut text = String::new();
        self.scalar(&mut |_, c| {
            text.push(c);
            Ok(())
        })?;
        self.text_as_list(&text, self.rules, false)
    }

    /// Reads a text in place of a list; in a parameter of an envelope "without the repair
    /// `SuggestionsAsText` if it is JSON".
    fn text_as_list(&mut self, text: &str, rules: &Rules, is_parameter: bool) -> Parsed<()> {
        let text = text.trim();
        // "Its text (decoded, trimmed) may be as long as all suggestions together (`answer` limit ×
        // `suggestions` limit); of a longer one nothing is read (note `UnreadableList`, and no
        // repair)."
        if text.len() > self.rules.answer.saturating_mul(self.rules.suggestions) {
            self.notes.insert("UnreadableList");
            return Ok(());
        }
        // "string: repair `SuggestionsAsText`, unless it is blank"
        if text.is_empty() {
            return Ok(());
        }
        // Decided: the repair is made before the text is read, so that the strict policy reads
        // nothing of it.
        let is_markup = read_follow_up(text, rules, &self.suggest).is_some();
        if !is_parameter || is_markup || !is_json(text, self.rules) {
            self.repair("SuggestionsAsText")?;
        }
        // "1. markup, if it holds an opening tag of `suggest` or `options`"
        if let Some(markup) = read_follow_up(text, rules, &self.suggest) {
            // Decided: the call's limit of suggestions counts these as well, and a tag that gives a
            // suggestion gives it for the list.
            if markup.suggest.len() > self.suggest.len() || markup.notes.contains("SuggestionsDropped") {
                self.given.push(self.list);
            }
            // "All of it becomes known at once, in the order of the suggestions, the mode of each
            // before its answer."
            let mut shown = markup.shown;
            shown.sort_by_key(|atom| match atom {
                Atom::Mode { i, .. } => (*i, 0),
                Atom::Answer { i, .. } => (*i, 1),
                other => unreachable!("a list of suggestions shows {other:?}"),
            });
            self.shown.extend(shown);
            self.suggest = markup.suggest;
            self.notes.extend(markup.notes);
            return markup.wrong.map_or(Ok(()), Err);
        }
        // "2. JSON, if its first character is `[` or `{` and the whole text is one JSON value by
        // the rules above (with their repairs): it is read as the value of the list."
        if is_json(text, self.rules) {
            return self.list_json(text);
        }
        // "3. lines: each line that is not blank, trimmed, is an item. Lines end at LF." "All of
        // it becomes known at once".
        let at_once = std::mem::replace(&mut self.at_once, true);
        for line in text.split('\n') {
            let mut suggestion = self.suggestion();
            for c in line.chars() {
                self.answer(&mut suggestion, c)?;
            }
            self.ends(suggestion)?;
        }
        self.at_once = at_once;
        Ok(())
    }

    /// Reads the value of a parameter of an envelope that is a list of suggestions.
    ///
    /// "as a string in a native call, but without the repair `SuggestionsAsText` if it is JSON;
    /// `null` and `None` in any case are nothing; and if the whole text is one JSON string, it is
    /// decoded once more." "In `question`, and in markup inside a string, the policy decides [..]
    /// In the rest they never are."
    ///
    /// Decided: what is decoded once more may be `null` as well. `null` is as the `null` of a
    /// native call: it has no repair and no note.
    pub(super) fn list_parameter(&mut self, key: &str, text: &str) -> Parsed<()> {
        let list = match key {
            "follow_up" | "suggestions" => List::FollowUp,
            "options" => List::Options,
            _ => List::Suggest,
        };
        let mut text = text.trim().to_string();
        let limit = self.rules.answer.saturating_mul(self.rules.suggestions);
        let mut ill_formed = false;
        if text.len() <= limit
            && let Some((decoded, repaired)) = whole_string(&text, self.rules)
        {
            text = decoded;
            ill_formed = repaired;
        }
        // "blank text, and `null` and `None` in any case, are nothing"
        let is_nothing = |text: &str| ["", "null", "none"].iter().any(|one| text.trim().eq_ignore_ascii_case(one));
        // Decided: of a longer one it is not seen whether it is nothing.
        if text.is_empty() || text.len() <= limit && is_nothing(&text) {
            return Ok(());
        }
        if self.given.contains(&list) {
            self.notes.insert("RepeatedSuggestions");
            return Ok(());
        }
        if ill_formed {
            self.repair("IllFormedString")?;
        }
        // "of a longer one nothing is read (note `UnreadableList`, and no repair)"
        if list == List::Suggest && text.len() <= limit {
            self.repair("OutsideFollowUp")?;
        }
        self.list = list;
        let raw = Rules { decode_entities: false, ..self.rules.clone() };
        self.text_as_list(&text, &raw, true)
    }

    /// Reads the text in a string as the value of the list.
    ///
    /// Decided: it is nested no deeper than 128 by itself, however deep its string is nested.
    fn list_json(&mut self, text: &str) -> Parsed<()> {
        let inner = ArgumentsReader::new(text, self.rules, true);
        let outer = (
            std::mem::replace(&mut self.chars, inner.chars),
            std::mem::replace(&mut self.index, inner.index),
            std::mem::replace(&mut self.at_once, inner.at_once),
        );
        let kind = self.kind()?;
        self.list_value(1, kind)?;
        (self.chars, self.index, self.at_once) = outer;
        Ok(())
    }

    // ------------------------------------------------------------------------------------------ a
    // suggestion

    /// "A suggestion beyond the limit of suggestions has no limits for its answer and mode; nothing
    /// of it is kept."
    fn suggestion(&self) -> OpenItem {
        let kept = self.suggest.len() < self.rules.suggestions;
        let limit = match kept && !self.at_once {
            true => self.rules.answer,
            false => usize::MAX,
        };
        OpenItem { kept, answer: Value::new(limit), mode: None, i: None, readable: false }
    }

    /// Reads a character of an answer.
    fn answer(&mut self, suggestion: &mut OpenItem, c: char) -> Parsed<()> {
        let Ok(known) = suggestion.answer.push(c) else {
            return Err("too_long");
        };
        // "A blank one does not exist."
        if known.is_empty() || self.at_once {
            return Ok(());
        }
        self.show(suggestion, &known);
        Ok(())
    }

    /// Shows more of an answer; the mode comes before it once the suggestion exists.
    fn show(&mut self, suggestion: &mut OpenItem, known: &str) {
        if !self.given.contains(&self.list) {
            self.given.push(self.list);
        }
        if !suggestion.kept {
            self.notes.insert("SuggestionsDropped");
            return;
        }
        let i = match suggestion.i {
            Some(i) => i,
            None => {
                let i = self.suggest.len();
                suggestion.i = Some(i);
                self.suggest.push((String::new(), suggestion.mode.clone()));
                if let Some(mode) = suggestion.mode.clone() {
                    self.shown.push(Atom::Mode { call: 0, i, mode });
                }
                i
            }
        };
        self.suggest[i].0.push_str(known);
        self.shown.extend(known.chars().map(|c| Atom::Answer { call: 0, i, c }));
    }

    /// "The mode becomes known when its string has ended."
    ///
    /// Decided: the limit is passed here even if the suggestion turns out to be blank, as in
    /// markup.
    fn mode(&mut self, suggestion: &mut OpenItem) -> Parsed<()> {
        let mut value = Value::new(if suggestion.kept { self.rules.answer } else { usize::MAX });
        let read = self.scalar(&mut |_, c| value.push(c).map(|_| ()).map_err(|TooLong| "too_long"));
        if read.is_err() && self.at_once && suggestion.answer.text.len() <= self.rules.answer {
            let answer = suggestion.answer.text.clone();
            if !answer.is_empty() {
                self.show(suggestion, &answer);
            }
        }
        read?;
        if value.text.is_empty() {
            return Ok(());
        }
        suggestion.mode = Some(value.text.clone());
        if let Some(i) = suggestion.i {
            self.suggest[i].1 = Some(value.text.clone());
            self.shown.push(Atom::Mode { call: 0, i, mode: value.text });
        }
        Ok(())
    }

    /// A suggestion has ended. "Text that becomes known all at once (a list's item [..]) is kept
    /// whole or not at all."
    ///
    /// Decided: the mode of an item that becomes certain all at once is shown first, wherever it is
    /// in the object.
    fn ends(&mut self, mut suggestion: OpenItem) -> Parsed<()> {
        if !self.at_once || suggestion.answer.text.is_empty() {
            return Ok(());
        }
        if suggestion.kept && suggestion.answer.text.len() > self.rules.answer {
            return Err("too_long");
        }
        let answer = suggestion.answer.text.clone();
        self.show(&mut suggestion, &answer);
        Ok(())
    }
}

// -------------------------------------------------------------------------------------------- JSON

/// Returns whether the text is one array or object, repairs included.
fn is_json(text: &str, rules: &Rules) -> bool {
    let lenient = Rules { strict: false, ..rules.clone() };
    let mut reader = ArgumentsReader::new(text, &lenient, true);
    text.starts_with(['[', '{']) && reader.nothing(1).is_ok() && reader.index == reader.chars.len()
}

/// Returns what a text decodes to that is one JSON string, and whether it was repaired.
fn whole_string(text: &str, rules: &Rules) -> Option<(String, bool)> {
    let lenient = Rules { strict: false, ..rules.clone() };
    let mut reader = ArgumentsReader::new(text, &lenient, true);
    let mut decoded = String::new();
    reader
        .string(&mut |_, c| {
            decoded.push(c);
            Ok(())
        })
        .ok()?;
    (reader.index == reader.chars.len()).then_some((decoded, !reader.notes.is_empty()))
}

impl<'a> ArgumentsReader<'a> {
    pub(super) fn peek(&self) -> Option<char> {
        self.chars.get(self.index).copied()
    }

    /// The next character. "If the object has not been closed when the stream ends, the call is
    /// `Rejected`, truncated."
    pub(super) fn need(&self) -> Parsed<char> {
        self.peek().ok_or("truncated")
    }

    /// Goes past this character. "What can't be JSON (ill-formed UTF-8 between strings as well)
    /// makes the call malformed": U+FFFD is no character of JSON outside a string.
    pub(super) fn eat(&mut self, c: char) -> Parsed<()> {
        if self.need()? != c {
            return Err("malformed");
        }
        self.index += 1;
        Ok(())
    }

    /// `ws = *( %x20 / %x09 / %x0A / %x0D )`
    pub(super) fn space(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t' | '\n' | '\r')) {
            self.index += 1;
        }
    }

    pub(super) fn kind(&self) -> Parsed<Kind> {
        match self.need()? {
            '"' => Ok(Kind::Text),
            '-' | '0'..='9' => Ok(Kind::Number),
            't' | 'f' => Ok(Kind::Boolean),
            'n' => Ok(Kind::Null),
            '[' => Ok(Kind::Array),
            '{' => Ok(Kind::Object),
            _ => Err("malformed"),
        }
    }

    /// Reads a value without a meaning, `depth` deep if it is an array or an object. It must be
    /// JSON all the same.
    pub(super) fn nothing(&mut self, depth: usize) -> Parsed<()> {
        match self.kind()? {
            Kind::Array => self.array(depth, &mut |reader, _| reader.nothing(depth + 1)),
            Kind::Object => self.object(depth, &mut |reader, _, _| reader.nothing(depth + 1)),
            Kind::Null => self.literal("null", &mut |_, _| Ok(())),
            Kind::Text | Kind::Number | Kind::Boolean => self.scalar(&mut |_, _| Ok(())),
        }
    }

    /// `[ value *( , value ) ]`
    fn array(&mut self, depth: usize, element: &mut dyn FnMut(&mut Self, Kind) -> Parsed<()>) -> Parsed<()> {
        if depth > DEPTH {
            return Err("malformed");
        }
        self.eat('[')?;
        self.space();
        if self.need()? == ']' {
            return self.eat(']');
        }
        loop {
            self.space();
            let kind = self.kind()?;
            element(self, kind)?;
            self.space();
            if self.need()? == ']' {
                return self.eat(']');
            }
            self.eat(',')?;
        }
    }

    /// `{ string : value *( , string : value ) }`
    pub(super) fn object(
        &mut self,
        depth: usize,
        member: &mut dyn FnMut(&mut Self, &str, Kind) -> Parsed<()>,
    ) -> Parsed<()> {
        if depth > DEPTH {
            return Err("malformed");
        }
        self.eat('{')?;
        self.space();
        if self.need()? == '}' {
            return self.eat('}');
        }
        loop {
            self.space();
            let mut key = String::new();
            self.string(&mut |_, c| {
                key.push(c);
                Ok(())
            })?;
            self.space();
            self.eat(':')?;
            self.space();
            let kind = self.kind()?;
            member(self, &key, kind)?;
            self.space();
            if self.need()? == '}' {
                return self.eat('}');
            }
            self.eat(',')?;
        }
    }

    /// Reads the text of a string, a number or a boolean.
    fn scalar(&mut self, put: Put<'_, 'a>) -> Parsed<()> {
        match self.need()? {
            '"' => self.string(put),
            't' => self.literal("true", put),
            'f' => self.literal("false", put),
            _ => self.number(put),
        }
    }

    /// "Of an ill-formed number or literal it has what could be the beginning
    /// of one."
    fn literal(&mut self, word: &str, put: Put<'_, 'a>) -> Parsed<()> {
        for c in word.chars() {
            self.eat(c)?;
            put(self, c)?;
        }
        Ok(())
    }

    /// `[ - ] int [ . digits ] [ e digits ]`, kept as it is written.
    fn number(&mut self, put: Put<'_, 'a>) -> Parsed<()> {
        self.any_of("-", put)?;
        if !self.any_of("0", put)? {
            self.digits(put)?;
        }
        if self.any_of(".", put)? {
            self.digits(put)?;
        }
        if self.any_of("eE", put)? {
            self.any_of("+-", put)?;
            self.digits(put)?;
        }
        Ok(())
    }

    /// Reads one of these characters if it is next.
    fn any_of(&mut self, these: &str, put: Put<'_, 'a>) -> Parsed<bool> {
        match self.peek() {
            Some(c) if these.contains(c) => {
                self.index += 1;
                put(self, c)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn digits(&mut self, put: Put<'_, 'a>) -> Parsed<()> {
        if !self.need()?.is_ascii_digit() {
            return Err("malformed");
        }
        while self.any_of("0123456789", put)? {}
        Ok(())
    }

    /// "Two things are repaired in strings, wherever a string is (`IllFormedString`): a control
    /// character below U+0020 that is not escaped means itself; a `\` that begins no escape is
    /// text, and so is what follows it."
    /// "Under the strict policy the character, or the `\`, has still been read as text."
    ///
    /// Decided: after such a `\` reading continues as usual, so a `"` or a `\` after `\u12` has its
    /// usual meaning.
    pub(super) fn string(&mut self, put: Put<'_, 'a>) -> Parsed<()> {
        self.eat('"')?;
        loop {
            let c = self.need()?;
            match c {
                '"' => {
                    self.index += 1;
                    return Ok(());
                }
                '\\' => match self.escape()? {
                    Some((c, next)) => {
                        self.index = next;
                        put(self, c)?;
                    }
                    None => {
                        self.index += 1;
                        put(self, c)?;
                        self.repair("IllFormedString")?;
                    }
                },
                '\0'..='\u{1F}' => {
                    self.index += 1;
                    put(self, c)?;
                    self.repair("IllFormedString")?;
                }
                _ => {
                    self.index += 1;
                    put(self, c)?;
                }
            }
        }
    }

    /// Returns the character of the escape at this `\`, and the index after it. `None` if it is no
    /// escape; truncated if it "was not decided" when the stream ended.
    fn escape(&self) -> Parsed<Option<(char, usize)>> {
        let char_at = |index: usize| self.chars.get(index).copied().ok_or("truncated");
        let c = match char_at(self.index + 1)? {
            c @ ('"' | '\\' | '/') => c,
            'b' => '\u{8}',
            'f' => '\u{C}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => return self.unicode_escape(),
            _ => return Ok(None),
        };
        Ok(Some((c, self.index + 2)))
    }

    /// The escape `\uXXXX` that begins here. "A surrogate without its other half is one U+FFFD."
    fn unicode_escape(&self) -> Parsed<Option<(char, usize)>> {
        let mut unit = 0;
        for index in self.index + 2..self.index + 6 {
            let digit = self.chars.get(index).ok_or("truncated")?.to_digit(16);
            let Some(digit) = digit else {
                return Ok(None);
            };
            unit = unit * 16 + digit;
        }
        let end = self.index + 6;
        if !(0xD800..0xDC00).contains(&unit) {
            return Ok(Some((char::from_u32(unit).unwrap_or('\u{FFFD}'), end)));
        }
        // "a first half of a surrogate pair [is decided] when what follows it can't be its second
        // half any more": a second half is `\uDC00` to `\uDFFF`.
        let second = ["\\", "u", "dD", "cdefCDEF", "0123456789abcdefABCDEF", "0123456789abcdefABCDEF"];
        let mut low = 0;
        for (i, possible) in second.into_iter().enumerate() {
            let c = *self.chars.get(end + i).ok_or("truncated")?;
            if !possible.contains(c) {
                return Ok(Some(('\u{FFFD}', end)));
            }
            low = low * 16 + c.to_digit(16).unwrap_or(0);
        }
        let c = char::from_u32(0x10000 + (unit - 0xD800) * 0x400 + (low - 0xDC00)).expect("a pair is a character");
        Ok(Some((c, end + 6)))
    }
}
