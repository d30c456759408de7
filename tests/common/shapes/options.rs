//! Options: the list of them, and one of them.

use followup::{CallPart, Note, QuestionKind, Reason};

use super::json::{Kind, Parsed, Scalar};
use super::questions::{Open, scalar_of};
use super::table::{Level, Meaning};
use super::{Choice, Reader};

impl Reader {
    /// Reads the value of a list of options.
    pub(super) fn options(&mut self, kind: Kind) -> Parsed<()> {
        match kind {
            Kind::Null => self.nothing(kind),
            Kind::Array => self.array(&mut |reader, kind| reader.option(kind)),
            Kind::Object => {
                self.repair(Note::SuggestionsAsObject)?;
                self.options_object()
            }
            Kind::Text => {
                let scalar = self.text_without_blank()?;
                if self.holds_json(&scalar) {
                    self.repair(Note::SuggestionsAsText)?;
                    return self.nested(scalar, &mut |reader, kind| reader.options(kind));
                }
                // "else one option a line"
                let text = self.kept(&scalar)?;
                if text.is_empty() {
                    return Ok(());
                }
                self.repair(Note::SuggestionsAsText)?;
                for line in text.split('\n').map(str::trim).filter(|line| !line.is_empty()) {
                    self.option_of_text(line)?;
                }
                Ok(())
            }
            Kind::Number | Kind::Boolean => Err(Reason::WrongType(CallPart::Suggestions)),
        }
    }

    /// "one option if its first key is that of an option; else a map: a text is the description of
    /// its key, an object is an option"
    fn options_object(&mut self) -> Parsed<()> {
        let (mut first, mut keys, mut is_begun) = (None, Vec::new(), false);
        self.object(&mut |reader, key| {
            let is_option = *first.get_or_insert_with(|| reader.table.meaning(Level::Option, key) != Meaning::Nothing);
            if is_option {
                if !is_begun {
                    is_begun = true;
                    reader.begin_option();
                }
                return reader.option_member(&mut keys, key);
            }
            let kind = reader.after_key()?;
            // "a text is the description of its key", "or the option, if the key is decimal digits"
            let is_index = key.bytes().all(|b| b.is_ascii_digit());
            match kind {
                Kind::Text | Kind::Number | Kind::Boolean if !is_index => {
                    reader.begin_option();
                    reader.label_of_text(key)?;
                    reader.option_value("description", kind)?;
                    reader.end_option()
                }
                // "an object is an option, whose label is its key if it has none"
                Kind::Object if !is_index => {
                    reader.begin_option();
                    let mut keys = Vec::new();
                    reader.object(&mut |reader, key| reader.option_member(&mut keys, key))?;
                    if reader.dropped_option.is_none() && reader.choice().label.is_empty() {
                        reader.label_of_text(key)?;
                    }
                    reader.end_option()
                }
                // "if it is an array, its elements are options"
                Kind::Array => reader.array(&mut |reader, kind| reader.option(kind)),
                kind => reader.option(kind),
            }
        })?;
        if is_begun { self.end_option() } else { Ok(()) }
    }

    fn option(&mut self, kind: Kind) -> Parsed<()> {
        match kind {
            Kind::Null => {
                self.written += 1;
                self.nothing(kind)
            }
            Kind::Array => {
                self.written += 1;
                self.note(Note::UnreadableSuggestion);
                self.nothing(kind)
            }
            Kind::Object => {
                self.begin_option();
                self.option_object()
            }
            Kind::Text | Kind::Number | Kind::Boolean => {
                let scalar = self.json.scalar(kind);
                if kind == Kind::Text && self.begins_text(&scalar)? {
                    if !self.table.is("strings") {
                        self.repair(Note::SuggestionAsText)?;
                    }
                    return self.option_of(scalar);
                }
                let text = self.kept(&scalar)?;
                // "an option that is a string which is an object as a whole"
                if self.outer.len() < 2 && super::is_object(&scalar) {
                    self.repair(Note::SuggestionAsText)?;
                    self.begin_option();
                    return self.nested(super::trimmed(&scalar), &mut |reader, _| reader.option_object());
                }
                if !self.table.is("strings") {
                    self.repair(Note::SuggestionAsText)?;
                }
                self.option_of_text(&text)
            }
        }
    }

    /// Adds an option that is a text: its label, or its value in a shape with `names`.
    pub(super) fn option_of_text(&mut self, text: &str) -> Parsed<()> {
        self.option_of(scalar_of(text))
    }

    fn option_of(&mut self, scalar: Scalar) -> Parsed<()> {
        self.begin_option();
        if self.table.has("names") {
            let limit = (CallPart::Answer, self.rules.limits.answer);
            let value = self.growing_of(scalar, limit, &mut |_, _| {}).map_err(|reason| match reason {
                Reason::Truncated(_) => Reason::Truncated(CallPart::Parameters),
                reason => reason,
            })?;
            self.choice().value = value;
        } else {
            self.label_of(scalar)?;
        }
        self.end_option()
    }

    fn label_of_text(&mut self, text: &str) -> Parsed<()> {
        self.label_of(scalar_of(text))
    }

    fn label_of(&mut self, scalar: Scalar) -> Parsed<()> {
        let limit = (CallPart::Answer, self.rules.limits.answer);
        if self.growing_of(scalar, limit, &mut |reader, text| reader.choice().label = text.to_owned())?.is_some() {
            recommend(self.choice());
        }
        Ok(())
    }

    pub(super) fn choice(&mut self) -> &mut Choice {
        match &mut self.dropped_option {
            Some(_) => self.dropped_option.as_mut().expect("it is there"),
            None => self.question().options.last_mut().expect("an option is open"),
        }
    }

    /// Begins an option.
    fn begin_option(&mut self) {
        let index = self.written;
        self.written += 1;
        if self.dropped.is_some() {
            self.dropped_option = Some(Choice::default());
        } else if self.question().options.len() >= self.rules.limits.suggestions {
            self.note(Note::SuggestionsDropped);
            self.dropped_option = Some(Choice::default());
        } else {
            self.question().options.push(Choice::default());
            self.indices.push(index);
        }
    }

    fn option_object(&mut self) -> Parsed<()> {
        let mut keys = Vec::new();
        self.object(&mut |reader, key| reader.option_member(&mut keys, key))?;
        self.end_option()
    }

    fn option_member(&mut self, keys: &mut Vec<String>, key: &str) -> Parsed<()> {
        match self.table.meaning(Level::Option, key) {
            Meaning::Role(role) => {
                self.key_once(keys, key)?;
                let kind = self.after_key()?;
                self.option_value(&role, kind)
            }
            _ => self.nothing_after_key(),
        }
    }

    /// Reads the value of a key of an option.
    fn option_value(&mut self, role: &str, kind: Kind) -> Parsed<()> {
        // "Nothing of it is kept, so that every name of a thing counts in it."
        let is_dropped = self.dropped_option.is_some();
        let choice = self.choice();
        let is_taken = match role {
            "label" => !choice.label.is_empty(),
            "description" => choice.description.is_some(),
            "value" => choice.value.is_some(),
            "mode" => choice.mode.is_some(),
            "preview" => choice.preview.is_some(),
            _ => false,
        };
        if is_taken && !is_dropped || matches!(kind, Kind::Null | Kind::Array | Kind::Object) {
            return self.nothing(kind);
        }
        let limits = self.rules.limits;
        let answer = (CallPart::Answer, limits.answer);
        let description = (CallPart::Description, limits.description);
        match role {
            "label" => {
                if self.growing(kind, answer, &mut |reader, text| reader.choice().label = text.to_owned())?.is_some() {
                    recommend(self.choice());
                }
                Ok(())
            }
            "description" => {
                let put = &mut |reader: &mut Reader, text: &str| reader.choice().description = Some(text.to_owned());
                self.growing(kind, description, put).map(drop)
            }
            "preview" => {
                let put = &mut |reader: &mut Reader, text: &str| reader.choice().preview = Some(text.to_owned());
                self.growing(kind, description, put).map(drop)
            }
            "value" => {
                self.choice().value = self.whole(kind, answer)?;
                Ok(())
            }
            // "A number or a boolean is a text as it is written, but no mode."
            "mode" if kind != Kind::Text => self.nothing(kind),
            "mode" => {
                self.choice().mode = self.whole(kind, (CallPart::Mode, limits.answer))?;
                Ok(())
            }
            _ => {
                // "a yes is never taken back": any yes counts.
                if self.flag(kind)? == Some(true) {
                    self.choice().recommended = true;
                }
                Ok(())
            }
        }
    }

    fn end_option(&mut self) -> Parsed<()> {
        if self.dropped_option.take().is_some() {
            return Ok(());
        }
        let table = self.table.clone();
        let waits = table.has("names");
        let choice = self.choice();
        if choice.label.is_empty() && !waits {
            for role in table.fallback("label") {
                let found = if role == "value" { &mut choice.value } else { &mut choice.description };
                if let Some(found) = found.take() {
                    choice.label = found;
                    break;
                }
            }
        }
        if choice.label.is_empty() && !(waits && choice.value.is_some()) {
            self.question().options.pop();
            self.indices.pop();
            self.note(Note::UnreadableSuggestion);
            return Ok(());
        }
        recommend(choice);
        Ok(())
    }

    /// What is known of options when their question ends.
    pub(super) fn end_options(&mut self, open: &Open) -> Parsed<()> {
        let (table, indices) = (self.table.clone(), self.indices.clone());
        let question = self.question();
        if table.has("names") {
            for (choice, &index) in question.options.iter_mut().zip(&indices) {
                if choice.label.is_empty() {
                    choice.label = match open.names.get(index).filter(|name| !name.trim().is_empty()) {
                        Some(name) => name.clone(),
                        None => choice.value.take().unwrap_or_default(),
                    };
                    recommend(choice);
                }
            }
        }
        // "if the question's index names it": in the list as the model wrote it.
        let recommended = open.recommended.and_then(|index| indices.iter().position(|&one| one == index));
        if let Some(choice) = recommended.and_then(|index| question.options.get_mut(index)) {
            choice.recommended = true;
        }
        // "from the shape's value": a kind that the call names counts before it.
        let is_yesno = question.kind == Some(QuestionKind::YesNo)
            || question.kind.is_none() && table.value("kind").is_some_and(is_yesno_word);
        if is_yesno && question.options.is_empty() {
            // "In `mcp` their values are `true` and `false`", and in each shape with a map.
            for (label, value) in [("Yes", "true"), ("No", "false")] {
                self.begin_option();
                self.label_of_text(label)?;
                if table.has("question-map") {
                    let limit = (CallPart::Answer, self.rules.limits.answer);
                    let value = self.growing_of(scalar_of(value), limit, &mut |_, _| {})?;
                    self.choice().value = value;
                }
                self.end_option()?;
            }
        }
        Ok(())
    }
}

fn is_yesno_word(word: &str) -> bool {
    matches!(word, "yesno" | "yes_no" | "boolean")
}

const MARK: &str = "(recommended)";

/// "or if its label begins or ends with `(recommended)`, in upper or lower case"
fn recommend(choice: &mut Choice) {
    let label = choice.label.trim().to_ascii_lowercase();
    choice.recommended |= label.starts_with(MARK) || label.ends_with(MARK);
}
