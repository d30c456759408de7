//! The reference reader of the arguments of question tools.
//!
//! It is the oracle of the tests for `Parser::arguments_of`.
//!
//! It sees the whole stream at once, and is written from `docs/question-tools.md` and
//! `docs/format.md`, whose sentences it quotes. Where they leave something open a comment begins
//! with `Decided:`.
#![allow(dead_code)]

mod json;
mod options;
mod questions;
pub mod random;
pub mod rest;
pub mod table;
pub mod view;

use followup::{CallPart, Limits, Note, Reason};

use json::{Char, ILL_FORMED, Json, Kind, Parsed, Scalar, plain};
use questions::Open;
use table::{Level, Meaning, Table};
pub use view::{Choice, End, Question};

/// How a stream is read.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    pub limits: Limits,
    pub strict: bool,
}

/// Returns what these arguments mean in the shape with this text.
pub fn read(shape: &str, stream: &[u8], rules: Rules) -> End {
    let text = String::from_utf8_lossy(stream);
    let mut reader = Reader::new(Table::new(shape), Json::new(plain(&text), false), rules);
    let reason = reader.arguments().and_then(|()| reader.end()).err();
    End { reason, title: reader.title, questions: reader.questions, notes: reader.notes }
}

/// Something that reads one value of a list or of an object.
type ReadValue<'f> = &'f mut dyn FnMut(&mut Reader, Kind) -> Parsed<()>;
/// Something that reads what follows a key: `Reader::after_key`, and then the value.
type ReadMember<'f> = &'f mut dyn FnMut(&mut Reader, &str) -> Parsed<()>;

struct Reader {
    rules: Rules,
    table: Table,
    json: Json,
    /// The texts that hold the current text in a string, outermost first.
    outer: Vec<Json>,
    /// "a text above all questions, which grows"
    title: Option<String>,
    questions: Vec<Question>,
    notes: Vec<Note>,
    /// The ids of the questions that have to be answered.
    required: Vec<String>,
    /// A question of a list has come.
    is_listed: bool,
    /// The question that the arguments are, while their list may begin, and whether it came before
    /// the questions of the list.
    own: Option<Open>,
    is_own_before: bool,
    /// Keys that may be those of that question, with what follows each: they count once its text
    /// comes.
    kept: Vec<(String, Vec<Char>)>,
    /// The open question, or the open option, if it is beyond its limit: "it is read by the same
    /// rules, but nothing of it is kept, and its texts have no limits".
    dropped: Option<Question>,
    dropped_option: Option<Choice>,
    /// How many options of the open question were written, and which of them are kept.
    written: usize,
    indices: Vec<usize>,
    /// The bytes of all texts and words so far.
    texts: usize,
}

impl Reader {
    fn new(table: Table, json: Json, rules: Rules) -> Reader {
        Reader {
            rules,
            table,
            json,
            outer: Vec::new(),
            title: None,
            questions: Vec::new(),
            notes: Vec::new(),
            required: Vec::new(),
            is_listed: false,
            own: None,
            is_own_before: false,
            kept: Vec::new(),
            dropped: None,
            dropped_option: None,
            written: 0,
            indices: Vec::new(),
            texts: 0,
        }
    }

    fn note(&mut self, note: Note) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// "The strict policy rejects the call at its first repair."
    fn repair(&mut self, note: Note) -> Parsed<()> {
        if self.rules.strict {
            return Err(Reason::Malformed(note));
        }
        self.note(note);
        Ok(())
    }

    // ------------------------------------------------------------------------------------ the
    // arguments

    fn arguments(&mut self) -> Parsed<()> {
        self.space()?;
        // "arguments in a code fence of three back-ticks"
        let is_fenced = self.json.peek() == Some('`');
        if is_fenced {
            for _ in 0..3 {
                match self.json.next() {
                    Some(next) if next.c == '`' => {}
                    Some(_) => return Err(ILL_FORMED),
                    None => return Err(self.json.missing(CallPart::Parameters)),
                }
            }
            self.repair(Note::FencedArguments)?;
            // "The rest of its line means nothing, up to the first `{` or `[`."
            while self.json.peek().is_some_and(|c| !matches!(c, '\n' | '{' | '[')) {
                self.json.next();
            }
        }
        self.whole_arguments()?;
        // "text after the arguments is no error then"
        if is_fenced {
            return Ok(());
        }
        self.space()?;
        match self.json.peek() {
            Some(_) => Err(Reason::Malformed(Note::TextAfterArguments)),
            None => Ok(()),
        }
    }

    /// Reads the arguments, whatever they are in.
    fn whole_arguments(&mut self) -> Parsed<()> {
        match self.kind()? {
            Kind::Object => self.call(),
            // "arguments that are a list: the list of questions"
            Kind::Array => {
                self.repair(Note::ListAsArguments)?;
                self.list("questions", Kind::Array)
            }
            // "arguments that are a string: the JSON in it"; "wrong type: [...] a string without
            // JSON"
            Kind::Text => {
                let scalar = self.text_without_blank()?;
                if self.holds_json(&scalar) {
                    self.repair(Note::ArgumentsAsText)?;
                    return self.nested(scalar, &mut |reader, _| reader.whole_arguments());
                }
                if scalar.chars.is_empty() {
                    self.closed(&scalar, CallPart::Arguments)?;
                }
                Err(Reason::WrongType(CallPart::Arguments))
            }
            Kind::Number | Kind::Boolean | Kind::Null => Err(Reason::WrongType(CallPart::Arguments)),
        }
    }

    /// "At the end": what only the whole call decides.
    fn end(&mut self) -> Parsed<()> {
        // "missing parameter: no question at all"
        if self.questions.is_empty() {
            return Err(Reason::MissingParameter);
        }
        // "`required` from a list of ids is known in `Complete`."
        // "a flag that is known stays"
        if self.table.has("required-ids") {
            for question in &mut self.questions {
                let is_listed = question.id.as_ref().is_some_and(|id| self.required.contains(id));
                let required = if is_listed { Some(true) } else { self.table.flag("required") };
                question.required = question.required.or(required);
            }
        }
        if let Some((min, max)) = self.table.limit("questions") {
            // "Questions are compared only in a shape with a limit of questions".
            // "Arguments that are one question are neither counted nor compared."
            let before = usize::from(self.is_own_before && !self.questions.is_empty());
            let listed: Vec<&str> = self.questions[before..].iter().map(|question| &*question.text).collect();
            let equal = (0..listed.len()).any(|i| listed[..i].contains(&listed[i]));
            if equal || self.is_listed && !(min..=max).contains(&listed.len()) {
                self.repair(Note::RefusedByHost)?;
            }
        }
        Ok(())
    }

    // ------------------------------------------------------------------------------------ the
    // object

    fn call(&mut self) -> Parsed<()> {
        let mut question = None;
        self.call_object("", &mut question)?;
        question.map_or(Ok(()), |open| self.end_question(open))
    }

    /// Reads the object of the arguments, or one inside a path. `question`: the one that the
    /// arguments are themselves.
    fn call_object(&mut self, path: &str, question: &mut Option<Open>) -> Parsed<()> {
        let (path, mut keys) = (path.to_owned(), Vec::new());
        self.object(&mut |reader, key| {
            let is_top = path.is_empty();
            // "if the arguments have this key with an object, the built-in shape `SHAPE` reads the
            // call from there on"
            if let Some(form) = reader.table.form(key).filter(|_| is_top) {
                return reader.inner_object(&mut |reader, kind| {
                    if !reader.begins_form(question) {
                        return reader.nothing(kind);
                    }
                    reader.table = form.clone();
                    reader.call_object(key, question)
                });
            }
            let key = join(&path, key);
            match reader.table.meaning(Level::Call, &key) {
                Meaning::Role(role) => {
                    reader.key_once(&mut keys, &key)?;
                    let kind = reader.after_key()?;
                    reader.call_value(question, &role, kind)
                }
                Meaning::Path => reader.inner_object(&mut |reader, _| reader.call_object(&key, question)),
                Meaning::Nothing if is_top => reader.own_question(question, &mut keys, &key),
                Meaning::Nothing => reader.nothing_after_key(),
            }
        })?;
        // "at the end of the arguments"
        match question {
            Some(open) if path.is_empty() => self.waiting(open, &mut keys),
            _ => Ok(()),
        }
    }

    /// Reads the object of a path or of a form, also "as a string"; anything else means nothing.
    fn inner_object(&mut self, read: ReadValue<'_>) -> Parsed<()> {
        match self.after_key()? {
            Kind::Object => read(self, Kind::Object),
            Kind::Text => {
                let scalar = self.text_without_blank()?;
                if scalar.chars.first().is_some_and(|one| one.c == '{') && self.holds_json(&scalar) {
                    self.repair(Note::ArgumentsAsText)?;
                    return self.nested(scalar, read);
                }
                self.consume(&scalar, CallPart::Parameters)
            }
            kind => self.nothing(kind),
        }
    }

    /// "The same key twice in one object rejects the call, if the key means something".
    fn key_once(&mut self, keys: &mut Vec<String>, key: &str) -> Parsed<()> {
        if keys.iter().any(|one| one == key) {
            return Err(Reason::Malformed(Note::RepeatedKey));
        }
        keys.push(key.to_owned());
        Ok(())
    }

    /// Reads the value of a key of the call.
    fn call_value(&mut self, question: &mut Option<Open>, role: &str, kind: Kind) -> Parsed<()> {
        if role == "required-ids" {
            return match self.required.is_empty() {
                true => self.words(kind, false, false, &mut |reader, word| reader.required.push(word)),
                false => self.nothing(kind),
            };
        }
        if role == "title" {
            return self.title_value(kind);
        }
        let is_value = match role {
            "lines" => kind == Kind::Text,
            _ => kind != Kind::Null,
        };
        // "the first that comes with a value counts"
        let is_given = self.is_listed && !self.questions.is_empty();
        if !is_value || is_given {
            return self.nothing(kind);
        }
        if question.is_some() && !self.can_be_followed(kind) {
            self.note(Note::RepeatedQuestion);
            return self.nothing(kind);
        }
        // "a map or lines leave no place for such a question"
        if role == "lines" || role == "question-map" && kind == Kind::Object {
            self.is_listed = true;
            self.kept.clear();
        }
        self.own = question.take();
        self.list(role, kind)?;
        *question = self.own.take();
        Ok(())
    }

    fn title_value(&mut self, kind: Kind) -> Parsed<()> {
        if self.title.is_some() || matches!(kind, Kind::Array | Kind::Object | Kind::Null) {
            return self.nothing(kind);
        }
        let limit = (CallPart::Description, self.rules.limits.description);
        // A title is the call's, also where the question is dropped.
        let dropped = self.dropped.take();
        self.growing(kind, limit, &mut |reader, text| reader.title = Some(text.to_owned()))?;
        self.dropped = dropped;
        Ok(())
    }

    /// Whether nothing of the question that the arguments are can have been shown.
    fn is_own_empty(&mut self) -> bool {
        let is_dropped = self.dropped.is_some();
        let open = self.question();
        open.text.is_empty() && open.header.is_none() && open.options.is_empty() && !is_dropped
    }

    /// Whether a list can follow the question that the arguments are: "if the question has no text
    /// yet, and no `else` of the shape gives it one, it can't end: the list is dropped", as is "a
    /// number or a boolean instead of the list".
    fn can_be_followed(&mut self, kind: Kind) -> bool {
        if self.is_own_empty() {
            return true;
        }
        let fallback = self.table.fallback("text");
        let is_dropped = self.dropped.is_some();
        let open = self.question();
        let has_text = !open.text.is_empty()
            || fallback.iter().any(|role| match &**role {
                "header" => open.header.is_some(),
                "id" => open.id.is_some(),
                _ => open.detail.is_some(),
            });
        has_text && !is_dropped && matches!(kind, Kind::Array | Kind::Object | Kind::Text)
    }

    /// Begins a question of a list.
    fn begin_listed(&mut self, id: Option<String>) -> Parsed<Open> {
        if let Some(own) = self.own.take() {
            if self.is_own_empty() {
                self.questions.pop();
            } else {
                self.end_question(own)?;
                self.is_own_before = true;
            }
        }
        self.is_listed = true;
        self.kept.clear();
        self.begin_question(id)
    }

    /// Begins a form; `false` after "arguments that are already a question", which means: a text, a
    /// header or an option of it has come.
    fn begins_form(&mut self, question: &mut Option<Open>) -> bool {
        if question.is_some() {
            if !self.is_own_empty() {
                self.note(Note::RepeatedQuestion);
                return false;
            }
            self.questions.pop();
            *question = None;
        }
        self.is_listed = true;
        self.kept.clear();
        true
    }

    /// Reads the value of a key of the question that the arguments are themselves.
    ///
    /// "that question, from its text on: where a list is usual, a key before the text may be the
    /// call's; no repair if the shape says `single` or has no list". "where the shape has a map or
    /// lines, there is no such question".
    fn own_question(&mut self, question: &mut Option<Open>, keys: &mut Vec<String>, key: &str) -> Parsed<()> {
        let meaning = self.table.meaning(Level::Question, key);
        let is_usual = self.table.has("questions") && !self.table.is("single");
        let begins = !is_usual || meaning == Meaning::Role("text".to_owned());
        let has_map = self.table.has("question-map") || self.table.has("lines");
        // "after a list, the text of arguments that may be one question is the title"
        let is_text = meaning == Meaning::Role("text".to_owned());
        if is_text && self.is_listed && !self.is_own_before && self.table.is("single") && !has_map {
            self.key_once(keys, key)?;
            let kind = self.after_key()?;
            return self.title_value(kind);
        }
        if self.is_listed || has_map || meaning == Meaning::Nothing {
            return self.nothing_after_key();
        }
        // "where a list is usual, a key before the text may be the call's: it waits for the text"
        if !(begins || question.is_some()) {
            let start = self.json.position();
            self.nothing_after_key()?;
            // A number ends before something else.
            let after = [self.json.since(start), &plain(",")].concat();
            self.kept.push((key.to_owned(), after));
            return Ok(());
        }
        if question.is_none() {
            *question = Some(self.begin_question(None)?);
            if is_usual {
                self.repair(Note::QuestionWithoutList)?;
            }
        }
        match question {
            Some(open) => self.question_member(open, "", keys, key),
            None => self.nothing_after_key(),
        }
    }

    /// Reads the keys before the text of the question that the arguments are: "what came before the
    /// text is read when the text begins". It "may have half of `answer` × `suggestions`", as it is
    /// written.
    fn waiting(&mut self, open: &mut Open, keys: &mut Vec<String>) -> Parsed<()> {
        let kept = std::mem::take(&mut self.kept);
        let limit = self.rules.limits.answer.saturating_mul(self.rules.limits.suggestions) / 2;
        // A comma, and quotes around the key.
        let len = |(key, after): &(String, Vec<Char>)| {
            let key = 3 + key.len() + key.matches(['"', '\\']).count();
            key + after.iter().map(|one| one.c.len_utf8()).sum::<usize>() - 1
        };
        if kept.iter().map(len).sum::<usize>() > limit {
            return Err(Reason::TooLong { part: CallPart::Suggestions, limit });
        }
        for (key, after) in kept {
            let json = std::mem::replace(&mut self.json, Json::new(after, true));
            self.question_member(open, "", keys, &key)?;
            self.json = json;
        }
        Ok(())
    }

    /// Reads a list of words, or one word: "a default, a name and an id count as they are written".
    ///
    /// "one longer than `answer`, or after as many as there can be questions or suggestions, is
    /// dropped" `keeps_places`: an empty word replaces one that is dropped, or is no word, so that
    /// the others keep their index.
    fn words(
        &mut self,
        kind: Kind,
        is_dropped: bool,
        keeps_places: bool,
        put: &mut dyn FnMut(&mut Reader, String),
    ) -> Parsed<()> {
        let (mut count, is_in_list) = (0, kind == Kind::Array);
        let mut word = |reader: &mut Reader, kind: Kind| match kind {
            Kind::Text | Kind::Number | Kind::Boolean => {
                let scalar = reader.json.scalar(kind);
                let word = reader.kept(&scalar)?;
                let Limits { answer, suggestions, questions, texts, .. } = reader.rules.limits;
                // "a word of a list that has no room in it is dropped"
                let len = if is_dropped { 0 } else { word.len() };
                let is_kept = word.len() <= answer && reader.texts + len <= texts;
                if count < suggestions.max(questions) && (is_kept || keeps_places) {
                    let word = if is_kept { word } else { String::new() };
                    reader.texts += if is_kept { len } else { 0 };
                    count += 1;
                    put(reader, word);
                }
                Ok(())
            }
            _ => {
                let Limits { suggestions, questions, .. } = reader.rules.limits;
                if keeps_places && is_in_list && count < suggestions.max(questions) {
                    count += 1;
                    put(reader, String::new());
                }
                reader.nothing(kind)
            }
        };
        match kind {
            Kind::Array => self.array(&mut word),
            kind => word(self, kind),
        }
    }

    /// Returns whether a string in a list is text as soon as it begins: "unless it may be an
    /// object". White space before it counts towards the limit of strings that are kept.
    fn begins_text(&mut self, scalar: &Scalar) -> Parsed<bool> {
        let limit = self.rules.limits.answer.saturating_mul(self.rules.limits.suggestions);
        let mut blank = 0;
        for one in &scalar.chars {
            self.repair_if(one.before)?;
            if !one.c.is_whitespace() {
                return Ok(one.c != '{' || self.outer.len() >= 2);
            }
            blank += one.c.len_utf8();
            if blank > limit {
                return Err(Reason::TooLong { part: CallPart::Suggestions, limit });
            }
            self.repair_if(one.after)?;
        }
        Ok(false)
    }

    /// Reads a string that counts when it has ended. It "may have `answer` × `suggestions`" bytes.
    fn kept(&mut self, scalar: &Scalar) -> Parsed<String> {
        let limit = self.rules.limits.answer.saturating_mul(self.rules.limits.suggestions);
        let mut text = String::new();
        for one in &scalar.chars {
            self.repair_if(one.before)?;
            text.push(one.c);
            if text.len() > limit {
                return Err(Reason::TooLong { part: CallPart::Suggestions, limit });
            }
            self.repair_if(one.after)?;
        }
        self.closed(scalar, CallPart::Parameters)?;
        Ok(text)
    }

    // ------------------------------------------------------------------------------------ values

    /// Takes a character outside strings.
    fn bump(&mut self) -> Parsed<()> {
        match self.json.next() {
            Some(next) => self.repair_if(next.before || next.after),
            None => Err(self.json.missing(CallPart::Parameters)),
        }
    }

    fn space(&mut self) -> Parsed<()> {
        while matches!(self.json.peek(), Some(' ' | '\t' | '\n' | '\r')) {
            self.bump()?;
        }
        Ok(())
    }

    /// "A value's type is known from its first character everywhere, and is acted on there."
    fn kind(&mut self) -> Parsed<Kind> {
        self.space()?;
        match self.json.peek() {
            None => Err(self.json.missing(CallPart::Parameters)),
            Some('"') => Ok(Kind::Text),
            Some('-' | '0'..='9') => Ok(Kind::Number),
            Some('t' | 'f') => Ok(Kind::Boolean),
            Some('n') => Ok(Kind::Null),
            Some('[') => Ok(Kind::Array),
            Some('{') => Ok(Kind::Object),
            Some(_) => Err(ILL_FORMED),
        }
    }

    /// Takes a string, a number or a literal that is not cut off.
    fn consume(&mut self, scalar: &Scalar, part: CallPart) -> Parsed<()> {
        for one in &scalar.chars {
            self.repair_if(one.before || one.after)?;
        }
        self.closed(scalar, part)
    }

    fn repair_if(&mut self, is_repaired: bool) -> Parsed<()> {
        if is_repaired { self.repair(Note::IllFormedString) } else { Ok(()) }
    }

    /// Reads a string, and takes the white space at its beginning.
    fn text_without_blank(&mut self) -> Parsed<Scalar> {
        let mut scalar = self.json.scalar(Kind::Text);
        let blank = scalar.chars.iter().take_while(|one| one.c.is_whitespace()).count();
        for one in scalar.chars.drain(..blank) {
            self.repair_if(one.before || one.after)?;
        }
        Ok(scalar)
    }

    fn closed(&mut self, scalar: &Scalar, part: CallPart) -> Parsed<()> {
        match scalar {
            Scalar { wrong: true, .. } => Err(ILL_FORMED),
            Scalar { is_closed: false, .. } => Err(self.json.missing(cut_in(part))),
            _ => Ok(()),
        }
    }

    fn nothing_after_key(&mut self) -> Parsed<()> {
        let kind = self.after_key()?;
        self.nothing(kind)
    }

    /// Reads a value that means nothing.
    fn nothing(&mut self, kind: Kind) -> Parsed<()> {
        match kind {
            Kind::Array => self.array(&mut |reader, kind| reader.nothing(kind)),
            Kind::Object => self.object(&mut |reader, _| reader.nothing_after_key()),
            kind => {
                let scalar = self.json.scalar(kind);
                self.consume(&scalar, CallPart::Parameters)
            }
        }
    }

    fn array(&mut self, read: ReadValue<'_>) -> Parsed<()> {
        self.bump()?;
        self.json.deeper()?;
        self.space()?;
        if self.json.peek() != Some(']') {
            loop {
                let kind = self.kind()?;
                read(self, kind)?;
                self.space()?;
                match self.json.peek() {
                    Some(',') => self.bump()?,
                    Some(']') => break,
                    Some(_) => return Err(ILL_FORMED),
                    None => return Err(self.json.missing(CallPart::Parameters)),
                }
            }
        }
        self.json.shallower();
        self.bump()
    }

    fn object(&mut self, read: ReadMember<'_>) -> Parsed<()> {
        self.bump()?;
        self.json.deeper()?;
        self.space()?;
        if self.json.peek() != Some('}') {
            loop {
                self.space()?;
                match self.json.peek() {
                    Some('"') => {}
                    Some(_) => return Err(ILL_FORMED),
                    None => return Err(self.json.missing(CallPart::Parameters)),
                }
                let key = self.json.scalar(Kind::Text);
                self.consume(&key, CallPart::Parameters)?;
                read(self, &key.text())?;
                self.space()?;
                match self.json.peek() {
                    Some(',') => self.bump()?,
                    Some('}') => break,
                    Some(_) => return Err(ILL_FORMED),
                    None => return Err(self.json.missing(CallPart::Parameters)),
                }
            }
        }
        self.json.shallower();
        self.bump()
    }

    /// Returns the kind of the value after a key.
    fn after_key(&mut self) -> Parsed<Kind> {
        self.space()?;
        match self.json.peek() {
            Some(':') => self.bump()?,
            Some(_) => return Err(ILL_FORMED),
            None => return Err(self.json.missing(CallPart::Parameters)),
        }
        self.kind()
    }

    /// Reads the JSON in a string. "If it is broken, or text follows it, the call is rejected".
    fn nested(&mut self, scalar: Scalar, read: ReadValue<'_>) -> Parsed<()> {
        let inner = Json::new(scalar.chars.clone(), scalar.is_closed || self.json.ends);
        self.outer.push(std::mem::replace(&mut self.json, inner));
        let kind = self.kind()?;
        read(self, kind)?;
        self.space()?;
        if self.json.peek().is_some() {
            return Err(Reason::Malformed(Note::TextAfterArguments));
        }
        self.json = self.outer.pop().expect("the text that holds the string");
        self.closed(&scalar, CallPart::Parameters)
    }

    /// Returns whether a string without white space before it holds JSON that is read: "JSON if it
    /// begins with `[` or `{`".
    ///
    /// "JSON in strings is read as it streams, at most two strings deep."
    fn holds_json(&self, scalar: &Scalar) -> bool {
        self.outer.len() < 2 && matches!(scalar.chars.first().map(|one| one.c), Some('[' | '{'))
    }

    /// Reads a text that grows. `put` is given all of it each time a character has come, once it is
    /// not blank.
    fn growing(
        &mut self,
        kind: Kind,
        (part, limit): (CallPart, usize),
        put: &mut dyn FnMut(&mut Reader, &str),
    ) -> Parsed<Option<String>> {
        let scalar = self.json.scalar(kind);
        self.growing_of(scalar, (part, limit), put)
    }

    fn growing_of(
        &mut self,
        scalar: Scalar,
        (part, limit): (CallPart, usize),
        put: &mut dyn FnMut(&mut Reader, &str),
    ) -> Parsed<Option<String>> {
        let is_dropped = self.dropped.is_some() || self.dropped_option.is_some();
        let (limit, too_long) = self.room((part, limit), is_dropped);
        let mut text = String::new();
        let mut held = false;
        for one in &scalar.chars {
            self.repair_if(one.before)?;
            for c in self.unescaped(&mut held, one.c) {
                if text.len() + c.len_utf8() > limit {
                    return Err(too_long);
                }
                text.push(c);
                if !text.trim().is_empty() {
                    put(self, &text);
                }
            }
            // Whatever a `\` becomes, it needs room.
            if held && text.len() + 1 > limit {
                return Err(too_long);
            }
            self.repair_if(one.after)?;
        }
        self.closed(&scalar, part)?;
        if held {
            text.push('\\');
            put(self, &text);
        }
        let text = Some(text).filter(|text| !text.trim().is_empty());
        if !is_dropped {
            self.texts += text.as_ref().map_or(0, String::len);
        }
        Ok(text)
    }

    /// Returns how long a text may be that begins here, and why it is too long beyond that.
    ///
    /// "All texts of a call together may have `texts`"; what is dropped "has no limits".
    fn room(&self, (part, limit): (CallPart, usize), is_dropped: bool) -> (usize, Reason) {
        let texts = self.rules.limits.texts;
        let (end, too_long) = match texts - self.texts {
            room if room < limit => (room, Reason::TooLong { part: CallPart::Arguments, limit: texts }),
            _ => (limit, Reason::TooLong { part, limit }),
        };
        (if is_dropped { usize::MAX } else { end }, too_long)
    }

    /// "`unescape`: the two characters `\n` in a text are a line end"
    fn unescaped(&self, held: &mut bool, c: char) -> Vec<char> {
        let was_held = std::mem::replace(held, self.table.is("unescape") && c == '\\');
        match (was_held, c) {
            (true, 'n') => vec!['\n'],
            (true, '\\') => vec!['\\'],
            (true, c) => vec!['\\', c],
            (false, _) if *held => vec![],
            (false, c) => vec![c],
        }
    }

    /// Reads a text that is known when it has ended.
    fn whole(&mut self, kind: Kind, limit: (CallPart, usize)) -> Parsed<Option<String>> {
        let cut = if limit.0 == CallPart::Mode { CallPart::Mode } else { CallPart::Parameters };
        self.growing(kind, limit, &mut |_, _| {}).map_err(|reason| match reason {
            Reason::Truncated(_) => Reason::Truncated(cut),
            reason => reason,
        })
    }
}

/// "truncated: inside the question, an answer or a mode, or else between the parameters"
fn cut_in(part: CallPart) -> CallPart {
    match part {
        CallPart::Question | CallPart::Answer | CallPart::Mode => part,
        _ => CallPart::Parameters,
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// Returns a string without white space around it, whose repairs have been made.
fn trimmed(scalar: &Scalar) -> Scalar {
    Scalar { chars: plain(scalar.text().trim()), ..scalar.clone() }
}

/// Whether the whole string is one JSON object.
fn is_object(scalar: &Scalar) -> bool {
    let rules = Rules { limits: Limits::default(), strict: false };
    let mut reader = Reader::new(Table::default(), Json::new(plain(scalar.text().trim()), true), rules);
    reader.json.peek() == Some('{') && reader.nothing(Kind::Object).is_ok() && reader.json.peek().is_none()
}
