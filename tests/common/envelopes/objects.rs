//! A JSON object with a name and arguments.

use super::OUR_TOOL;
use super::headers::{No, Try};
use super::tags::{bare_name, can_be_ours, is_name};
use crate::common::arguments::{ArgumentsReader, Kind, Parsed};
use crate::common::reference::{Reader, is_tag_space};

/// How a JSON value ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum JsonEnd {
    /// Before this index.
    At(usize),
    /// The character at this index can't be JSON.
    Wrong(usize),
    /// With the stream.
    Stream,
}

/// A JSON object with the name of a tool and its arguments.
pub(super) struct Object<'a> {
    pub(super) lexer: ArgumentsReader<'a>,
    /// Bare JSON, in which other keys are not allowed.
    pub(super) is_bare: bool,
    /// The name, and the index after the `"` that ends it.
    pub(super) name: Option<(String, usize)>,
    /// The index of the arguments' first character, and their end.
    pub(super) arguments: Option<(usize, JsonEnd)>,
    /// The index after the character with which the header ends.
    pub(super) certain: Option<usize>,
    /// The first character that no header can have.
    pub(super) no: Option<usize>,
    /// How many of the objects are open that hold the name: one, or two in `function`.
    pub(super) open: usize,
}

pub(super) const NAME_KEYS: [&str; 4] = ["name", "tool", "tool_name", "function"];
pub(super) const ARGUMENTS_KEYS: [&str; 4] = ["arguments", "parameters", "input", "args"];
pub(super) const OUR_KEYS: [&str; 6] = ["question", "follow_up", "suggestions", "options", "suggest", "suggestion"];

/// What `Parsed` has when the object is no call.
pub(super) const NO_CALL: &str = "no call";

impl Object<'_> {
    pub(super) fn fail<T>(&mut self, index: usize) -> Parsed<T> {
        self.no = Some(index);
        Err(NO_CALL)
    }

    /// Returns whether a key may come here in bare JSON, or may begin like this.
    ///
    /// "In bare JSON no other keys but `type` and `id` (with strings) may come before the
    /// arguments"
    ///
    /// Decided: the keys of the name may come again, with strings; the arguments come after it.
    pub(super) fn may_come(&self, key: &str, is_whole: bool) -> bool {
        let mut keys = [&NAME_KEYS[..], &["type", "id"]].concat();
        if self.name.is_some() {
            keys.extend(ARGUMENTS_KEYS);
        }
        keys.iter().any(|one| if is_whole { *one == key } else { one.starts_with(key) })
    }

    pub(super) fn is_free(&self) -> bool {
        !self.is_bare || self.certain.is_some()
    }

    /// Reads a string as far as `takes` allows.
    pub(super) fn string(&mut self, takes: &dyn Fn(&str) -> bool) -> Parsed<String> {
        let mut text = String::new();
        let mut no = None;
        let read = self.lexer.string(&mut |lexer, c| {
            text.push(c);
            if takes(&text) {
                return Ok(());
            }
            no = Some(lexer.index - 1);
            Err(NO_CALL)
        });
        self.no = no;
        read.map(|()| text)
    }

    /// Reads the members of an object.
    ///
    /// "the tool's name is the string of the first key `name`, `tool`, `tool_name` or `function`
    /// that has a string"; "the arguments are the value of the first key `arguments`, `parameters`,
    /// `input` or `args`"; "if `function` is an object, its keys count like those of the outer
    /// object."
    pub(super) fn members(&mut self, depth: usize) -> Parsed<()> {
        self.open = depth;
        self.lexer.eat('{')?;
        self.lexer.space();
        if self.lexer.need()? == '}' {
            return self.lexer.eat('}');
        }
        loop {
            self.lexer.space();
            let (is_free, allowed) = (self.is_free(), self.keys());
            let key = self.string(&|key| is_free || allowed.iter().any(|one| one.starts_with(key)))?;
            if !is_free && !self.may_come(&key, true) {
                return self.fail(self.lexer.index - 1);
            }
            self.lexer.space();
            self.lexer.eat(':')?;
            self.lexer.space();
            self.value(&key, depth)?;
            self.lexer.space();
            if self.lexer.need()? == '}' {
                return self.lexer.eat('}');
            }
            self.lexer.eat(',')?;
        }
    }

    pub(super) fn keys(&self) -> Vec<&'static str> {
        let all = [&NAME_KEYS[..], &["type", "id"], &ARGUMENTS_KEYS].concat();
        all.into_iter().filter(|key| self.may_come(key, true)).collect()
    }

    pub(super) fn value(&mut self, key: &str, depth: usize) -> Parsed<()> {
        let index = self.lexer.index;
        let kind = self.lexer.kind()?;
        if key == "function" && kind == Kind::Object && depth == 1 {
            self.members(2)?;
            self.open = 1;
            return Ok(());
        }
        if ARGUMENTS_KEYS.contains(&key) && self.arguments.is_none() {
            if self.is_bare && self.certain.is_none() {
                self.certain = Some(self.key_of_ours()?);
            }
            self.lexer.index = index;
            self.arguments = Some((index, JsonEnd::Stream));
            let read = self.lexer.nothing(1);
            let end = match read {
                Ok(()) => JsonEnd::At(self.lexer.index),
                Err("truncated") => JsonEnd::Stream,
                Err(_) => JsonEnd::Wrong(self.lexer.index),
            };
            self.arguments = Some((index, end));
            return read;
        }
        if NAME_KEYS.contains(&key) && kind == Kind::Text && self.name.is_none() {
            let is_bare = self.is_bare;
            // "A string that is no name, with space around it or not, makes the object no call."
            let takes = |name: &str| match is_bare {
                true => can_be_ours(name),
                false => name.is_empty() || is_name(name),
            };
            let string = self.string(&|string| trimmed_name(string).is_some_and(takes))?;
            let name = trimmed_name(&string).expect("it is one").to_string();
            let end = self.lexer.index;
            if name.is_empty() || is_bare && bare_name(&name) != OUR_TOOL {
                return self.fail(end - 1);
            }
            self.name = Some((name, end));
            if !self.is_bare {
                self.certain = Some(end);
            }
            return Ok(());
        }
        if !self.is_free() && kind != Kind::Text {
            return self.fail(index);
        }
        self.lexer.nothing(depth + 1)
    }

    /// Returns the index after the first key of ours in the arguments, which are an object in bare
    /// JSON.
    pub(super) fn key_of_ours(&mut self) -> Parsed<usize> {
        if self.lexer.kind()? != Kind::Object {
            return self.fail(self.lexer.index);
        }
        match first_key_of_ours(&mut self.lexer)? {
            true => Ok(self.lexer.index),
            false => self.fail(self.lexer.index - 1),
        }
    }
}

/// Returns a text without the space around it; `None` if there is space in it.
pub(super) fn trimmed_name(text: &str) -> Option<&str> {
    let name = text.trim_matches(is_tag_space);
    (!name.contains(is_tag_space)).then_some(name)
}

/// Reads up to the first character of the value of the first key of ours that "has a value that
/// begins with `"` or `[`", or to the end of the object.
pub(super) fn first_key_of_ours(lexer: &mut ArgumentsReader<'_>) -> Parsed<bool> {
    lexer.space();
    lexer.eat('{')?;
    lexer.space();
    if lexer.need()? == '}' {
        return lexer.eat('}').map(|()| false);
    }
    loop {
        lexer.space();
        let mut key = String::new();
        lexer.string(&mut |_, c| {
            key.push(c);
            Ok(())
        })?;
        lexer.space();
        lexer.eat(':')?;
        lexer.space();
        if OUR_KEYS.contains(&key.as_str()) && matches!(lexer.need()?, '"' | '[') {
            lexer.index += 1;
            return Ok(true);
        }
        lexer.nothing(2)?;
        lexer.space();
        if lexer.need()? == '}' {
            return lexer.eat('}').map(|()| false);
        }
        lexer.eat(',')?;
    }
}

impl<'a> Reader<'a> {
    pub(super) fn lexer(&self, index: usize) -> ArgumentsReader<'a> {
        let text: String = self.chars.iter().map(|c| c.c).collect();
        let mut lexer = ArgumentsReader::new(&text, self.rules, true);
        lexer.index = index;
        lexer
    }

    /// Reads the object that begins here as far as it goes.
    pub(super) fn object(&self, index: usize, is_bare: bool) -> (Object<'a>, JsonEnd) {
        let lexer = self.lexer(index);
        let mut object = Object { lexer, is_bare, name: None, arguments: None, certain: None, no: None, open: 0 };
        let end = match object.members(1) {
            Ok(()) => JsonEnd::At(object.lexer.index),
            Err("truncated") => JsonEnd::Stream,
            Err(_) => JsonEnd::Wrong(object.lexer.index),
        };
        (object, end)
    }

    /// "is a call once its name is complete"; in bare JSON "the name is ours, and in its arguments
    /// a key of ours [..] has a value that begins with `"` or `[`".
    pub(super) fn object_header(&self, index: usize, is_bare: bool) -> Try<(String, usize)> {
        let (object, end) = self.object(index, is_bare);
        match (object.certain, object.no, end) {
            (Some(certain), _, _) => {
                let (name, _) = object.name.expect("it is read before");
                Ok((bare_name(&name).to_string(), certain))
            }
            (None, Some(no), _) => Err(No::At(no)),
            (None, None, JsonEnd::At(end)) => Err(No::At(end - 1)),
            (None, None, JsonEnd::Wrong(index)) => Err(No::At(index)),
            (None, None, JsonEnd::Stream) => Err(No::Ends(false)),
        }
    }

    /// Returns how a JSON value ends.
    pub(super) fn json_end(&self, index: usize) -> JsonEnd {
        let mut lexer = self.lexer(index);
        match lexer.nothing(1) {
            Ok(()) => JsonEnd::At(lexer.index),
            Err("truncated") => JsonEnd::Stream,
            Err(_) => JsonEnd::Wrong(lexer.index),
        }
    }
}
