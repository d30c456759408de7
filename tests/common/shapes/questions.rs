//! Questions: the list of them, and one of them.

use std::collections::BTreeSet;

use followup::{CallPart, Note, QuestionKind, Reason};

use super::json::{Kind, Parsed, Scalar, plain};
use super::table::{Level, Meaning};
use super::{Question, Reader, join};

/// What is known of an open question, besides what is shown.
#[derive(Default)]
pub struct Open {
    /// The roles that have a value: "the first that comes with a value counts".
    pub taken: BTreeSet<String>,
    pub names: Vec<String>,
    /// The index of the recommended option.
    pub recommended: Option<usize>,
    /// `string` is the word of its kind.
    pub is_string: bool,
}

impl Reader {
    pub(super) fn question(&mut self) -> &mut Question {
        match &mut self.dropped {
            Some(dropped) => dropped,
            None => self.questions.last_mut().expect("a question is open"),
        }
    }

    /// Begins a question.
    pub(super) fn begin_question(&mut self, id: Option<String>) -> Parsed<Open> {
        (self.written, self.indices) = (0, Vec::new());
        if self.questions.len() == self.rules.limits.questions {
            self.note(Note::QuestionsDropped);
            self.dropped = Some(Question::default());
            return Ok(Open::default());
        }
        let mut open = Open::default();
        let mut question = Question::default();
        // "A flag that the shape fixes is known with the question's beginning."
        let fixed = |role| if self.table.has(role) { None } else { self.table.flag(role) };
        // "If the shape has a `kind`, `multiple` waits as well".
        question.multiple = fixed("multiple").filter(|_| !self.table.has("kind"));
        question.custom = fixed("custom");
        self.questions.push(question);
        // "the limit of a header or an id"; a blank one is none
        if let Some(id) = id {
            let (limit, too_long) = self.room((CallPart::Header, self.rules.limits.header), false);
            if id.len() > limit {
                return Err(too_long);
            }
            if !id.trim().is_empty() {
                self.texts += id.len();
                open.taken.insert("id".to_owned());
                self.question().id = Some(id);
            }
        }
        Ok(open)
    }

    // ------------------------------------------------------------------------------------ the list

    /// Reads the value of a list of questions.
    pub(super) fn list(&mut self, role: &str, kind: Kind) -> Parsed<()> {
        match (role, kind) {
            (_, Kind::Null) => self.nothing(kind),
            // "a value of `lines` that is no string means nothing"
            ("lines", _) => self.lines(),
            (_, Kind::Array) => self.array(&mut |reader, kind| reader.element(None, kind)),
            ("question-map", Kind::Object) => self.object(&mut |reader, key| {
                let id = Some(key.to_owned());
                let kind = reader.after_key()?;
                reader.element(id, kind)
            }),
            (_, Kind::Object) => {
                self.repair(Note::QuestionsAsObject)?;
                self.questions_object()
            }
            (_, Kind::Text) => {
                let scalar = self.text_without_blank()?;
                if self.holds_json(&scalar) {
                    self.repair(Note::QuestionsAsText)?;
                    // "the object in such a string is read as if the shape had a list"
                    return self.nested(scalar, &mut |reader, kind| reader.list("questions", kind));
                }
                self.text_as_questions(scalar)
            }
            // "a number or a boolean instead of a list"
            (_, Kind::Number | Kind::Boolean) => Err(Reason::WrongType(CallPart::Questions)),
        }
    }

    /// "one question if its first key is that of a question; else a map, whose keys are ids, unless
    /// they are decimal digits"
    fn questions_object(&mut self) -> Parsed<()> {
        let (mut open, mut first, mut keys) = (None, None, Vec::new());
        self.object(&mut |reader, key| {
            let is_question =
                *first.get_or_insert_with(|| reader.table.meaning(Level::Question, key) != Meaning::Nothing);
            if !is_question {
                let is_index = key.bytes().all(|b| b.is_ascii_digit());
                let kind = reader.after_key()?;
                if kind == Kind::Array {
                    return reader.array(&mut |reader, kind| reader.element_in_map(kind));
                }
                return reader.element((!is_index).then(|| key.to_owned()), kind);
            }
            if open.is_none() {
                open = Some(reader.begin_listed(None)?);
            }
            match &mut open {
                Some(open) => reader.question_member(open, "", &mut keys, key),
                None => reader.nothing_after_key(),
            }
        })?;
        open.map_or(Ok(()), |open| self.end_question(open))
    }

    /// Reads an element of a list in a map: "if a value is an array, its objects are questions",
    /// and "a string in such an array" is unreadable.
    fn element_in_map(&mut self, kind: Kind) -> Parsed<()> {
        if kind == Kind::Text {
            self.note(Note::UnreadableQuestion);
            return self.nothing(kind);
        }
        self.element(None, kind)
    }

    /// Reads an element of the list.
    fn element(&mut self, id: Option<String>, kind: Kind) -> Parsed<()> {
        match kind {
            // "`null` in a list means nothing."
            Kind::Null => self.nothing(kind),
            // "a number, a boolean or an array as a question"
            Kind::Number | Kind::Boolean | Kind::Array => {
                self.note(Note::UnreadableQuestion);
                self.nothing(kind)
            }
            Kind::Object => {
                let open = self.begin_listed(id)?;
                self.question_object(open)
            }
            Kind::Text => {
                let scalar = self.json.scalar(Kind::Text);
                if self.begins_text(&scalar)? {
                    self.repair(Note::QuestionAsText)?;
                    let open = self.begin_listed(id)?;
                    let limit = (CallPart::Question, self.rules.limits.question);
                    self.growing_of(scalar, limit, &mut |reader, text| reader.question().text = text.to_owned())?;
                    return self.end_question(open);
                }
                self.text_as_question(id, &scalar)
            }
        }
    }

    fn question_object(&mut self, mut open: Open) -> Parsed<()> {
        self.question_members("", &mut open)?;
        self.end_question(open)
    }

    fn question_members(&mut self, path: &str, open: &mut Open) -> Parsed<()> {
        let (path, mut keys) = (path.to_owned(), Vec::new());
        self.object(&mut |reader, key| reader.question_member(open, &path, &mut keys, key))
    }

    pub(super) fn question_member(
        &mut self,
        open: &mut Open,
        path: &str,
        keys: &mut Vec<String>,
        key: &str,
    ) -> Parsed<()> {
        let key = join(path, key);
        match self.table.meaning(Level::Question, &key) {
            Meaning::Role(role) => {
                self.key_once(keys, &key)?;
                let kind = self.after_key()?;
                if role == "text" && path.is_empty() && matches!(kind, Kind::Text | Kind::Number | Kind::Boolean) {
                    self.waiting(open, keys)?;
                }
                self.question_value(open, &role, kind)?;
                if self.dropped.is_some() {
                    self.dropped = Some(Question::default());
                    open.taken.clear();
                }
                Ok(())
            }
            Meaning::Path => self.inner_object(&mut |reader, _| reader.question_members(&key, open)),
            Meaning::Nothing => self.nothing_after_key(),
        }
    }

    /// A string where the list belongs: "else one question", "without the white space before it".
    fn text_as_questions(&mut self, scalar: Scalar) -> Parsed<()> {
        if scalar.chars.is_empty() {
            return self.closed(&scalar, CallPart::Parameters);
        }
        self.repair(Note::QuestionsAsText)?;
        let open = self.begin_listed(None)?;
        let limit = (CallPart::Question, self.rules.limits.question);
        self.growing_of(scalar, limit, &mut |reader, text| reader.question().text = text.to_owned())?;
        self.end_question(open)
    }

    /// "a question, if it is not blank; the JSON in it if the whole string is an object"
    fn text_as_question(&mut self, id: Option<String>, scalar: &Scalar) -> Parsed<()> {
        let text = self.kept(scalar)?;
        if text.trim().is_empty() {
            return Ok(());
        }
        self.repair(Note::QuestionAsText)?;
        let is_object = self.outer.len() < 2 && super::is_object(scalar);
        let open = self.begin_listed(id)?;
        if is_object {
            let mut open = Some(open);
            return self.nested(super::trimmed(scalar), &mut |reader, _| {
                reader.question_object(open.take().expect("it is read once"))
            });
        }
        let limit = (CallPart::Question, self.rules.limits.question);
        self.growing_of(scalar_of(&text), limit, &mut |reader, text| reader.question().text = text.to_owned())?;
        self.end_question(open)
    }

    /// "All questions are lines of one string, each read when it ends."
    fn lines(&mut self) -> Parsed<()> {
        let scalar = self.json.scalar(Kind::Text);
        let limit = self.rules.limits.answer.saturating_mul(self.rules.limits.suggestions);
        let (mut line, mut open) = (String::new(), None);
        for one in &scalar.chars {
            self.repair_if(one.before)?;
            line.push(one.c);
            // "a line of `lines` [with its end] may have `answer` × `suggestions`"
            if line.len() > limit {
                return Err(Reason::TooLong { part: CallPart::Suggestions, limit });
            }
            if one.c == '\n' {
                self.line(&mut open, &std::mem::take(&mut line))?;
            }
            self.repair_if(one.after)?;
        }
        self.closed(&scalar, CallPart::Parameters)?;
        self.line(&mut open, &line)?;
        open.map_or(Ok(()), |open| self.end_question(open))
    }

    /// "A number before the tag, with a `.` or `)` after it, means nothing, nor does a line without
    /// a tag. Tags are in upper or lower case."
    fn line(&mut self, open: &mut Option<Open>, line: &str) -> Parsed<()> {
        let line = line.trim();
        let number = line.find(|c: char| !c.is_ascii_digit());
        let number = number.filter(|&end| end > 0 && line[end..].starts_with(['.', ')']));
        let line = number.map_or(line, |end| &line[end + 1..]).trim_start();
        let Some((tag, text)) = line.split_once(']') else { return Ok(()) };
        let (tag, text) = (tag.to_ascii_lowercase(), text.trim());
        let limits = self.rules.limits;
        if tag == "[question" {
            if let Some(open) = open.take() {
                self.end_question(open)?;
            }
            // "`(multi)`, `(multiple)` or `(multi-select)` ends a question with several answers"
            let marks = ["(multi)", "(multiple)", "(multi-select)"];
            let lower = text.to_ascii_lowercase();
            let mark = marks.iter().find(|mark| lower.ends_with(**mark));
            let (text, multi) = mark.map_or((text, false), |mark| (&text[..text.len() - mark.len()], true));
            *open = Some(self.begin_listed(None)?);
            {
                let limit = (CallPart::Question, limits.question);
                let put = &mut |reader: &mut Reader, text: &str| reader.question().text = text.to_owned();
                self.growing_of(scalar_of(text.trim()), limit, put)?;
                self.question().multiple = Some(multi);
            }
        } else if tag == "[topic" && open.is_some() {
            if self.question().header.is_none() {
                let put = &mut |reader: &mut Reader, text: &str| reader.question().header = Some(text.to_owned());
                self.growing_of(scalar_of(text), (CallPart::Header, limits.header), put)?;
            }
        } else if tag == "[option" && open.is_some() {
            self.option_of_text(text)?;
        }
        Ok(())
    }

    // ------------------------------------------------------------------------------------ one
    // question

    /// Reads the value of a key of a question.
    pub(super) fn question_value(&mut self, open: &mut Open, role: &str, kind: Kind) -> Parsed<()> {
        if kind == Kind::Null || open.taken.contains(role) {
            return self.nothing(kind);
        }
        let limits = self.rules.limits;
        let is_list = matches!(kind, Kind::Array | Kind::Object);
        match role {
            // "a list without an option is no value"
            "options" if self.question().options.is_empty() => return self.options(kind),
            "options" => return self.nothing(kind),
            "default" if self.question().defaults.is_empty() => {
                let is_dropped = self.dropped.is_some();
                return self.words(kind, is_dropped, false, &mut |reader, word| reader.question().defaults.push(word));
            }
            "names" if open.names.is_empty() => {
                // "Nothing of it is kept, so that every name of a thing counts in it."
                let is_dropped = self.dropped.is_some();
                let put = &mut |_: &mut Reader, word| open.names.extend((!is_dropped).then_some(word));
                return self.words(kind, is_dropped, true, put);
            }
            "default" | "names" => return self.nothing(kind),
            // "An array or an object as the question's text rejects the call; as any other text it
            // means nothing."
            "text" if is_list => return Err(Reason::WrongType(CallPart::Question)),
            _ if is_list => return self.nothing(kind),
            _ => {}
        }
        let header = (CallPart::Header, limits.header);
        let description = (CallPart::Description, limits.description);
        let has_value = match role {
            "text" => {
                let limit = (CallPart::Question, limits.question);
                self.growing(kind, limit, &mut |reader, text| reader.question().text = text.to_owned())?.is_some()
            }
            "header" => {
                let put = &mut |reader: &mut Reader, text: &str| reader.question().header = Some(text.to_owned());
                self.growing(kind, header, put)?.is_some()
            }
            "detail" => {
                let put = &mut |reader: &mut Reader, text: &str| reader.question().detail = Some(text.to_owned());
                self.growing(kind, description, put)?.is_some()
            }
            "id" => {
                self.question().id = self.whole(kind, header)?;
                self.question().id.is_some()
            }
            "placeholder" => {
                self.question().placeholder = self.whole(kind, description)?;
                self.question().placeholder.is_some()
            }
            "multiple" | "custom" | "required" => {
                let question = self.question();
                let known = match role {
                    "multiple" => question.multiple,
                    "custom" => question.custom,
                    _ => question.required,
                };
                if known.is_some() {
                    return self.nothing(kind);
                }
                if kind != Kind::Boolean {
                    self.repair(Note::FlagAsText)?;
                }
                let flag = self.flag(kind)?;
                match role {
                    "multiple" => self.question().multiple = flag,
                    "custom" => self.question().custom = flag,
                    _ => self.question().required = flag,
                }
                flag.is_some()
            }
            "kind" => self.kind_word(open, kind)?,
            "recommended-index" => {
                let scalar = self.json.scalar(kind);
                self.consume(&scalar, CallPart::Parameters)?;
                // "a whole number, also as `1.0`, or a string of it"
                let text = scalar.text();
                let whole = text.split_once('.').map_or(&*text, |(whole, part)| if part == "0" { whole } else { "" });
                open.recommended = whole.parse().ok().filter(|_| !whole.starts_with('+'));
                open.recommended.is_some()
            }
            other => unreachable!("a question has no role {other}"),
        };
        if has_value {
            open.taken.insert(role.to_owned());
        }
        Ok(())
    }

    /// "A flag is yes for `true`, `yes` and `1`, and no for `false`, `no` and `0`, as a string in
    /// any case and with white space around it, too; anything else is no value."
    pub(super) fn flag(&mut self, kind: Kind) -> Parsed<Option<bool>> {
        let scalar = self.json.scalar(kind);
        self.consume(&scalar, CallPart::Parameters)?;
        Ok(match scalar.text().trim().to_ascii_lowercase().as_str() {
            "true" | "yes" | "1" => Some(true),
            "false" | "no" | "0" => Some(false),
            _ => None,
        })
    }

    /// Reads the word of a kind. Returns whether it says what the kind is: "a word that means a
    /// choice is no value".
    fn kind_word(&mut self, open: &mut Open, kind: Kind) -> Parsed<bool> {
        let scalar = self.json.scalar(kind);
        self.consume(&scalar, CallPart::Parameters)?;
        let question = self.question();
        match &*scalar.text() {
            "text" | "free_text" => question.kind = Some(QuestionKind::Text),
            "yesno" | "yes_no" | "boolean" => question.kind = Some(QuestionKind::YesNo),
            "number" | "integer" => question.kind = Some(QuestionKind::Number),
            "string" => open.is_string = true,
            // "mean `multiple`, unless that is known already"
            "multi_choice" | "multi_select" | "array" => {
                question.multiple.get_or_insert(true);
                return Ok(false);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    // ------------------------------------------------------------------------------------ its end

    pub(super) fn end_question(&mut self, open: Open) -> Parsed<()> {
        if self.dropped.take().is_some() {
            return Ok(());
        }
        let table = self.table.clone();
        let question = self.question();
        // "or from the shape's value when the question ends"
        question.multiple = question.multiple.or(table.flag("multiple"));
        question.custom = question.custom.or(table.flag("custom"));
        if !table.has("required-ids") {
            question.required = question.required.or(table.flag("required"));
        }
        // "A stand-in ... only when its object ends"
        if question.text.is_empty() {
            for role in table.fallback("text") {
                let found = match &*role {
                    "header" => question.header.clone(),
                    "id" => question.id.clone(),
                    // "a detail, a description or a value moves"
                    _ => question.detail.take(),
                };
                if let Some(found) = found {
                    question.text = found;
                    break;
                }
            }
        }
        if question.id.is_none() && table.fallback("id").iter().any(|role| role == "header") {
            question.id = question.header.clone();
        }
        // "`string` means a text if the question has no options when it ends."
        let has_options = !question.options.is_empty();
        if open.is_string && !has_options {
            question.kind = Some(QuestionKind::Text);
        }
        self.end_options(&open)?;
        // "or one without a text when it ends"; "in any other shape a question without options
        // rejects the call"
        let needs_options = table.is("needs options") && !table.is("generic");
        // Those of a yes-or-no question are options, too.
        if self.question().text.is_empty() || needs_options && self.question().options.is_empty() {
            return Err(Reason::MissingParameter);
        }
        let count = self.question().options.len();
        match table.limit("options") {
            // "A question without options is not counted."
            Some((min, max)) if has_options && !(min..=max).contains(&count) => self.repair(Note::RefusedByHost),
            _ => Ok(()),
        }
    }
}

/// A text without repairs.
pub(super) fn scalar_of(text: &str) -> Scalar {
    Scalar { chars: plain(text), is_closed: true, wrong: false }
}
