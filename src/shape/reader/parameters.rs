//! The parameters of a call that is written as text: each is a key of the arguments with its value.

use super::end::flag;
use super::kept::most_kept;
use super::keys::value_of_role;
use super::{LONGEST_KEY, List, ListSoFar, Meaning, PendingString, Reading, ShapeReader};
use crate::call::Call;
use crate::call::form::{Place, QuestionText};
use crate::config::Policy;
use crate::json::lexer::{JsonToken, Type};
use crate::reason::CallPart;
use crate::shape::FoundKey;
use crate::shape::role::{Level, Role};
use crate::utf8;

use alloc::string::String;
use alloc::sync::Arc;

/// How the value of a parameter is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Written {
    /// Only blanks have come. `is_json`: the parameter's tag says that the value is JSON.
    Blank {
        is_json: bool,
    },
    /// As it is, without the blanks around it.
    Text,
    /// The same, of a parameter that is kept.
    Kept,
    Json,
    /// It has no meaning.
    Nothing,
}

impl ShapeReader {
    pub(crate) fn clear_key(&mut self) {
        self.key.clear();
    }

    /// Appends to the key of the next parameter.
    pub(crate) fn push_key(&mut self, text: &str) {
        super::texts::push_within(&mut self.key, text, LONGEST_KEY);
    }

    /// Returns `true` if the key means something in the arguments.
    pub(crate) fn knows(&self, key: &[u8]) -> bool {
        let finds = |level| self.shape.0.as_ref().is_some_and(|shape| shape.find(level, key) != FoundKey::Nothing);
        finds(Level::Call) || finds(Level::Question)
    }

    /// Begins the value of the parameter whose key was pushed.
    pub(crate) fn begin_parameter(&mut self, is_json: bool, call: &mut Call, policy: &Arc<Policy>) -> Written {
        // The arguments may have come as one parameter.
        if self.lexer().is_closed() {
            return Written::Nothing;
        }
        if self.lexers[0].depth() == 0 {
            self.read("{", &mut 0, call, policy);
        }
        let key = core::mem::take(&mut self.key);
        self.key = key.trim().into();
        self.with(call, policy, |reading| {
            reading.token(0, JsonToken::EndKey);
            if reading.reader.is_keeping {
                reading.keep(":");
            }
        });
        if call.has_failed() {
            self.value = self.failed_parameter(key.trim());
        }
        if self.parameter() == Meaning::Nothing { Written::Nothing } else { Written::Blank { is_json } }
    }

    /// Returns the meaning of the open parameter, which one that is kept will have.
    fn parameter(&self) -> Meaning {
        let Some(shape) = self.shape.0.as_ref().filter(|_| self.is_keeping) else { return self.value };
        value_of_found(shape.find(Level::Question, self.key.as_bytes()))
    }

    /// Returns what a key would mean in a call that has not failed.
    ///
    /// So its parameter ends where it would have ended.
    fn failed_parameter(&self, key: &str) -> Meaning {
        let Some(shape) = &self.shape.0 else { return Meaning::Nothing };
        let find = |level| value_of_found(shape.find(level, key.as_bytes()));
        let has_list = self.list != ListSoFar::None || shape.has(Role::QuestionMap) || shape.has(Role::Lines);
        match find(Level::Call) {
            Meaning::Nothing if !has_list => find(Level::Question),
            value => value,
        }
    }

    /// Consumes text of the value. Returns how it is written, and how many bytes were consumed.
    ///
    /// What comes after JSON is ignored.
    pub(crate) fn push_parameter(
        &mut self,
        written: Written,
        text: &str,
        call: &mut Call,
        policy: &Arc<Policy>,
    ) -> (Written, usize) {
        match written {
            Written::Blank { is_json } => {
                let blanks = text.len() - text.trim_start().len();
                match text.as_bytes().get(blanks) {
                    Some(&first) => (self.begin_written(first, is_json, call, policy), blanks),
                    None => (written, text.len()),
                }
            }
            Written::Json if !self.is_parameter_closed() && !self.lexer().is_ill_formed() => {
                let mut pos = 0;
                self.read(text, &mut pos, call, policy);
                (written, pos)
            }
            Written::Text | Written::Kept => {
                self.push_trimmed(text, call, policy);
                (written, text.len())
            }
            Written::Json | Written::Nothing => (written, text.len()),
        }
    }

    /// Decides how the value is written, by its first character.
    fn begin_written(&mut self, first: u8, is_json: bool, call: &mut Call, policy: &Arc<Policy>) -> Written {
        let meaning = self.parameter();
        let (is_text, is_word) =
            (matches!(meaning, Meaning::Text(_) | Meaning::Lines), matches!(meaning, Meaning::Word(_)));
        match first {
            b'"' if is_json || !is_text => {}
            b'[' | b'{' if !is_text && !is_word => {}
            _ => {
                self.blanks.clear();
                if self.is_keeping {
                    self.pending.clear();
                    return Written::Kept;
                }
                // A flag has no quotes: it is one as it is.
                let kind = if is_word { Type::Boolean } else { Type::String };
                self.with(call, policy, |reading| reading.token(0, JsonToken::Begin(kind)));
                return Written::Text;
            }
        }
        self.lexers[0].begin_member();
        Written::Json
    }

    /// Appends to a value as text. Blanks at its end wait for what follows them.
    fn push_trimmed(&mut self, text: &str, call: &mut Call, policy: &Arc<Policy>) {
        let solid = text.trim_end();
        if !solid.is_empty() {
            self.flush_blanks(call, policy);
            self.push_written(solid, call, policy);
        }
        if solid.len() < text.len()
            && let Some(form) = call.form_mut()
        {
            form.settle_escape();
        }
        // With more of them, any text is too long.
        let most = longest_blanks(policy);
        for char in text[solid.len()..].chars() {
            if self.blanks.len() < most {
                self.blanks.push(char);
            }
        }
    }

    fn push_written(&mut self, text: &str, call: &mut Call, policy: &Arc<Policy>) {
        if self.is_keeping {
            return super::texts::push_within(&mut self.pending, text, most_kept(policy).saturating_add(1));
        }
        self.with(call, policy, |reading| reading.token(0, JsonToken::Text(text)));
    }

    fn flush_blanks(&mut self, call: &mut Call, policy: &Arc<Policy>) {
        let mut blanks = core::mem::take(&mut self.blanks);
        self.push_written(&blanks, call, policy);
        blanks.clear();
        self.blanks = blanks;
    }

    /// Takes into account that the incomplete character `tail` follows.
    ///
    /// It follows in a value that is blank so far. Returns how the value is written.
    pub(crate) fn foresee_written(
        &mut self,
        is_json: bool,
        tail: &[u8],
        call: &mut Call,
        policy: &Arc<Policy>,
    ) -> Written {
        match tail {
            &[first, ..] if !utf8::may_be_blank(tail) => {
                let written = self.begin_written(first, is_json, call, policy);
                if written == Written::Text {
                    self.foresee_trimmed(tail, call, policy);
                }
                written
            }
            _ => Written::Blank { is_json },
        }
    }

    /// Takes into account that the incomplete character `tail` follows in a value as text.
    pub(crate) fn foresee_trimmed(&mut self, tail: &[u8], call: &mut Call, policy: &Arc<Policy>) {
        if !matches!(self.value, Meaning::Text(_) | Meaning::Undecided(List::Questions)) {
            return;
        }
        if !utf8::may_be_blank(tail) {
            self.flush_blanks(call, policy);
        }
        self.with(call, policy, |reading| reading.foresee_text(tail));
    }

    /// Ends the value of a parameter. JSON has ended before it: in JSON there are no tags.
    pub(crate) fn end_parameter(&mut self, written: Written, call: &mut Call, policy: &Arc<Policy>) {
        match written {
            Written::Text => {
                self.with(call, policy, |reading| reading.end_written());
            }
            Written::Kept | Written::Blank { .. } if self.is_keeping => {
                let meaning = self.parameter();
                self.with(call, policy, |reading| reading.end_kept(meaning));
            }
            _ => {}
        }
        self.value = Meaning::Nothing;
        self.blanks.clear();
        self.key.clear();
    }

    /// Ends the arguments after the last parameter, if there was one.
    pub(crate) fn end_parameters(&mut self, call: &mut Call, policy: &Arc<Policy>) {
        if self.lexers[0].depth() > 0 && !call.has_failed() {
            self.read("}", &mut 0, call, policy);
        }
    }

    /// Returns `true` if the JSON of a parameter has ended.
    pub(crate) fn is_parameter_closed(&self) -> bool {
        self.lexers[0].depth() == 1 && self.lexers[0].is_after_member()
    }

    /// Returns the part of the call that the open parameter is.
    pub(crate) fn part_in(&self, written: Written) -> CallPart {
        match (written, self.value) {
            (Written::Text, Meaning::Text(Place::Question(QuestionText::Text))) => CallPart::Question,
            (Written::Json, _) => self.part(),
            _ => CallPart::Parameters,
        }
    }
}

impl Reading<'_> {
    /// Ends a value as text.
    fn end_written(&mut self) {
        let is_list = matches!(self.reader.value, Meaning::Pending(PendingString::Options) | Meaning::WordItem(_));
        if is_list && is_no_list(&self.reader.pending) {
            self.reader.value = Meaning::Nothing;
            self.reader.pending = String::new();
        }
        self.token(0, JsonToken::End);
    }

    /// Ends a value that is kept as text: it is kept as the JSON that means the same.
    fn end_kept(&mut self, meaning: Meaning) {
        let text = core::mem::take(&mut self.reader.pending);
        match meaning {
            _ if text.is_empty() => self.keep("null"),
            // As a string it would be a repair.
            Meaning::Word(Role::Multiple | Role::Custom | Role::Required) => self.keep(match flag(&text) {
                Some(true) => "true",
                Some(false) => "false",
                None => "null",
            }),
            Meaning::List(_) | Meaning::Words(_) if is_no_list(&text) => self.keep("null"),
            _ => self.keep_string(&text),
        }
        self.reader.is_keeping = false;
    }
}

fn value_of_found(found: FoundKey) -> Meaning {
    match found {
        FoundKey::Role { role, .. } => value_of_role(role),
        FoundKey::Path | FoundKey::Form => Meaning::Path,
        FoundKey::Nothing => Meaning::Nothing,
    }
}

/// Returns `true` if a text means that there is no list.
fn is_no_list(text: &str) -> bool {
    text.eq_ignore_ascii_case("null") || text.eq_ignore_ascii_case("none")
}

/// Returns how many bytes of blanks are kept: more than any text may have.
pub(super) fn longest_blanks(policy: &Policy) -> usize {
    let limits = &policy.limits;
    limits.list().max(limits.question).max(limits.header).max(limits.description).saturating_add(1)
}
