//! A JSON object with the name of a tool and its arguments.

use super::name::{self, NameText};
use crate::config::Policy;
use crate::json::key::Key;
use crate::json::lexer::{JsonToken, Lexer, Type};

/// What the value of a key is, or the value that is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum KeyRole {
    Nothing,
    /// The name of the tool, if it is a string.
    Name,
    /// `function`: the name of the tool, or an object with the name, the arguments, or both.
    Function,
    Arguments,
    /// A value in the arguments of bare JSON.
    Argument,
}

/// What was found in an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ObjectPart {
    /// The name is complete.
    Name,
    /// The arguments begin with this byte, which is not consumed.
    Arguments(u8),
    /// In the arguments of bare JSON: a key. See [`ObjectReader::is_main_key`].
    ArgumentKey,
    /// In bare JSON: the call is confirmed.
    ///
    /// The name is one that is read, and in the arguments is a main key with a string or an array.
    Confirmed,
    /// More of the arguments, which are a string: the last so many bytes that were consumed.
    Text(usize),
    Char(char),
    /// The end of the arguments, which were a string.
    TextEnd,
    /// The object has ended.
    End,
    /// It is no object with a name.
    NoCall,
    /// Not an object with a name: the byte that was consumed last begins a value of another type.
    WrongValue,
    IllFormed,
}

/// Reads one object, which arrives in pieces.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct ObjectReader {
    pub(super) lexer: Lexer,
    /// The key that was read last; an unknown one may be cut.
    pub(super) key: Key,
    role: KeyRole,
    /// The object is the value of `function` that is open.
    in_function: bool,
    /// The name was read.
    is_named: bool,
    /// The arguments were reached. The reader itself reads them: as text if they are a string.
    pub(super) has_arguments: bool,
    /// A main key was read in the arguments of bare JSON, and its value is next.
    pub(super) is_main_key: bool,
    /// It is bare JSON, which must look like a known call from its first byte on.
    pub(super) is_bare: bool,
}

const NAME_KEYS: [&str; 3] = ["name", "tool", "tool_name"];
/// The names of the arguments, also of a first parameter that holds all of them.
pub(super) const ARGUMENTS_KEYS: [&str; 4] = ["arguments", "parameters", "input", "args"];

/// Keys that bare JSON may have before its arguments.
const OTHER_KEYS: [&str; 2] = ["type", "id"];

impl ObjectReader {
    pub(super) const NEW: ObjectReader = ObjectReader {
        lexer: Lexer::NEW,
        key: Key::NEW,
        role: KeyRole::Nothing,
        in_function: false,
        is_named: false,
        has_arguments: false,
        is_main_key: false,
        is_bare: false,
    };

    /// Returns a reader of bare JSON.
    pub(super) fn bare() -> ObjectReader {
        ObjectReader { is_bare: true, ..ObjectReader::NEW }
    }

    /// Returns a reader of one value, in which nothing is found but its end.
    pub(super) fn value() -> ObjectReader {
        ObjectReader { is_named: true, ..ObjectReader::NEW }
    }

    /// Returns `true` if the arguments have come, or the object has ended.
    pub(super) fn is_done(&self) -> bool {
        self.has_arguments || self.lexer.is_closed()
    }

    /// Returns `true` if it lacks only closing brackets around the arguments.
    ///
    /// It is ill-formed in nothing else.
    pub(super) fn lacks_end(&self) -> bool {
        self.has_arguments && self.is_in_call() && self.lexer.breaks_after_value()
    }

    /// Returns `true` inside a string that may have any character, also inside an escape.
    pub(super) fn is_in_free_string(&self) -> bool {
        let is_limited = if self.lexer.is_in_key() { self.limits_keys() } else { self.role == KeyRole::Name };
        self.lexer.is_in_string() && !is_limited
    }

    /// Returns `true` if the text has no delimiter of the string that is being read.
    pub(super) fn is_plain(&self, text: &str) -> bool {
        self.lexer.plain_len(text, 0) == text.len()
    }

    pub(super) fn is_in_bounds(&self) -> bool {
        self.lexer.is_in_bounds() && self.key.is_in_bounds()
    }

    /// The arguments were read elsewhere, through the byte that closes them.
    pub(super) fn skip_read_arguments(&mut self) {
        self.lexer.skip_read_value();
        self.skip_arguments();
    }

    /// Lets the reader itself read the arguments, as a value without a meaning.
    pub(super) fn skip_arguments(&mut self) {
        self.has_arguments = true;
        self.role = KeyRole::Nothing;
    }

    /// Consumes text up to what is found next; `None` at its end.
    ///
    /// The text of a string is where `*pos` was before.
    pub(super) fn next(
        &mut self,
        text: &str,
        pos: &mut usize,
        name: &mut NameText,
        policy: &Policy,
    ) -> Option<ObjectPart> {
        loop {
            if self.role == KeyRole::Arguments
                && !self.has_arguments
                && let Some(byte) = self.lexer.value_start(text, pos)
            {
                return Some(ObjectPart::Arguments(byte));
            }
            let token = self.lexer.next(text, pos)?;
            let found = match token {
                JsonToken::BeginKey => {
                    self.key.clear();
                    None
                }
                JsonToken::Text(part) if self.lexer.is_in_key() => self.push_key(part).map(|wrong| {
                    *pos -= part.len() - wrong;
                    ObjectPart::NoCall
                }),
                JsonToken::Char(char) | JsonToken::Stray(char) if self.lexer.is_in_key() => {
                    self.push_key(char.encode_utf8(&mut [0; 4])).map(|_| ObjectPart::NoCall)
                }
                JsonToken::EndKey => self.end_key(),
                JsonToken::Begin(kind) => self.begin(kind, name),
                JsonToken::Text(part) => match self.role {
                    KeyRole::Name => self.push_name(part, name, policy).map(|wrong| {
                        *pos -= part.len() - wrong;
                        ObjectPart::NoCall
                    }),
                    KeyRole::Arguments => Some(ObjectPart::Text(part.len())),
                    _ => None,
                },
                JsonToken::Char(char) | JsonToken::Stray(char) => match self.role {
                    KeyRole::Name => {
                        self.push_name(char.encode_utf8(&mut [0; 4]), name, policy).map(|_| ObjectPart::NoCall)
                    }
                    KeyRole::Arguments => Some(ObjectPart::Char(char)),
                    _ => None,
                },
                JsonToken::End => self.end(name, policy),
                JsonToken::TextAfter => None,
                JsonToken::IllFormed => Some(ObjectPart::IllFormed),
            };
            if let Some(ObjectPart::WrongValue) = found {
                // A number or a literal is not consumed by its beginning.
                *pos -= usize::from(matches!(token, JsonToken::Begin(Type::Array | Type::Object)));
                return Some(ObjectPart::NoCall);
            }
            if found.is_some() {
                return found;
            }
        }
    }

    /// Returns `true` if the keys of the innermost object are those of a call.
    fn is_in_call(&self) -> bool {
        self.lexer.depth() == if self.in_function { 2 } else { 1 }
    }

    /// Returns `true` if only some keys may come: those of bare JSON outside its arguments.
    fn limits_keys(&self) -> bool {
        self.is_bare && self.is_in_call()
    }

    /// Appends to the key. Returns the index from which on it is none of bare JSON.
    fn push_key(&mut self, part: &str) -> Option<usize> {
        if !self.limits_keys() {
            self.key.push(part);
            return None;
        }
        for (i, char) in part.char_indices() {
            self.key.push(char.encode_utf8(&mut [0; 4]));
            let key = self.key.text();
            let may_be = |keys: &[&str]| keys.iter().any(|one| one.as_bytes().starts_with(key));
            let is_known = may_be(&NAME_KEYS)
                || may_be(&["function"])
                || may_be(&OTHER_KEYS)
                || (self.is_named && may_be(&ARGUMENTS_KEYS));
            if !is_known {
                return Some(i);
            }
        }
        None
    }

    fn end_key(&mut self) -> Option<ObjectPart> {
        let key = self.key.text();
        let is = |keys: &[&str]| keys.iter().any(|one| one.as_bytes() == key);
        if self.role == KeyRole::Argument {
            let depth = if self.in_function { 3 } else { 2 };
            return (self.lexer.depth() == depth).then_some(ObjectPart::ArgumentKey);
        }
        self.role = KeyRole::Nothing;
        if !self.is_in_call() {
            return None;
        }
        self.role = match () {
            () if is(&NAME_KEYS) && !self.is_named => KeyRole::Name,
            () if is(&["function"]) && !self.in_function => KeyRole::Function,
            () if is(&ARGUMENTS_KEYS) && !self.has_arguments => KeyRole::Arguments,
            () if self.is_bare && !self.has_arguments && !is(&OTHER_KEYS) && !is(&NAME_KEYS) && !is(&["function"]) => {
                return Some(ObjectPart::NoCall);
            }
            () => KeyRole::Nothing,
        };
        None
    }

    fn begin(&mut self, kind: Type, name: &mut NameText) -> Option<ObjectPart> {
        match (self.role, kind) {
            (KeyRole::Name | KeyRole::Function, Type::String) if !self.is_named => {
                self.role = KeyRole::Name;
                name.clear();
            }
            (KeyRole::Function, Type::Object) => {
                self.in_function = true;
                self.role = KeyRole::Nothing;
            }
            (KeyRole::Arguments, Type::String) => {}
            (KeyRole::Argument, _) => {
                let is_value = core::mem::take(&mut self.is_main_key) && matches!(kind, Type::String | Type::Array);
                return is_value.then_some(ObjectPart::Confirmed);
            }
            _ => {
                let is_first = self.lexer.depth() == 1 && kind == Type::Object;
                if self.is_bare && !self.has_arguments && kind != Type::String && !is_first {
                    return Some(ObjectPart::WrongValue);
                }
                self.role = KeyRole::Nothing;
            }
        }
        None
    }

    /// Appends to the name. Returns the index from which on it is none.
    fn push_name(&self, part: &str, name: &mut NameText, policy: &Policy) -> Option<usize> {
        let mut chars = part.char_indices();
        let wrong =
            chars.find(|&(_, char)| !name.push(char) || self.is_bare && !name::may_be_read(name.text(), policy));
        wrong.map(|(i, _)| i)
    }

    fn end(&mut self, name: &NameText, policy: &Policy) -> Option<ObjectPart> {
        let role = self.role;
        if role == KeyRole::Argument {
            let depth = if self.in_function { 2 } else { 1 };
            // The arguments have ended without a main key.
            return (self.lexer.depth() <= depth).then_some(ObjectPart::NoCall);
        }
        self.role = KeyRole::Nothing;
        self.in_function &= self.lexer.depth() >= 2;
        match role {
            KeyRole::Name => {
                self.is_named = true;
                let is_name = !name.is_empty() && (!self.is_bare || name::is_read(name.text(), policy));
                Some(if is_name { ObjectPart::Name } else { ObjectPart::NoCall })
            }
            KeyRole::Arguments => Some(ObjectPart::TextEnd),
            _ => self.lexer.is_closed().then_some(ObjectPart::End),
        }
    }

    /// Looks for a main key in the arguments of bare JSON.
    pub(super) fn search_arguments(&mut self) {
        self.role = KeyRole::Argument;
        self.has_arguments = true;
    }
}
