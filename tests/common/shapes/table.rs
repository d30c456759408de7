//! The text of a shape, as the reference reader understands it.

use std::collections::{BTreeMap, BTreeSet};

use followup::Shape;

/// The object that contains a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    Call,
    Question,
    Option,
}

/// What a key means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    Role(String),
    /// "the beginning of a path"
    Path,
    Nothing,
}

/// "A line is words between white space."
#[derive(Clone, Debug, Default)]
pub struct Table {
    pub name: String,
    /// The keys of each role, in order.
    keys: BTreeMap<String, Vec<String>>,
    fallbacks: BTreeMap<String, Vec<String>>,
    values: BTreeMap<String, String>,
    /// `generic`, `needs options`, `single`, `strings`, `unescape`.
    lines: BTreeSet<String>,
    form: Option<(String, String)>,
    limits: BTreeMap<String, (usize, usize)>,
}

/// "a list of questions", "an object of questions", "all questions as lines of one string"
pub const LISTS: [&str; 3] = ["questions", "question-map", "lines"];

impl Table {
    pub fn new(text: &str) -> Table {
        let mut table = Table::default();
        for line in text.lines() {
            // "A comment begins with `#`, at the beginning of a line or after a space."
            let code = if line.starts_with('#') { "" } else { line.split(" #").next().unwrap_or_default() };
            let words: Vec<&str> = code.split_whitespace().collect();
            let Some((first, rest)) = words.split_first() else { continue };
            match (*first, rest) {
                ("shape", [name]) => table.name = (*name).to_owned(),
                // "in a provider's stream": it changes no meaning.
                ("tool", _) => {}
                ("needs", ["options"]) => drop(table.lines.insert("needs options".to_owned())),
                ("form", [key, shape]) => table.form = Some(((*key).to_owned(), (*shape).to_owned())),
                ("generic" | "single" | "strings" | "unescape", []) => drop(table.lines.insert((*first).to_owned())),
                ("limit", [what, range]) => drop(table.limits.insert((*what).to_owned(), limits(range))),
                (role, rest) => table.role(role, rest),
            }
        }
        table
    }

    pub fn built_in(name: &str) -> Table {
        Table::new(Shape::built_in(name).expect("a built-in shape").text())
    }

    /// "`ROLE KEY… [else ROLE…] [:VALUE]`"
    fn role(&mut self, role: &str, words: &[&str]) {
        let (mut keys, mut fallback, mut is_fallback) = (Vec::new(), Vec::new(), false);
        for word in words {
            match word.strip_prefix(':') {
                Some(value) => drop(self.values.insert(role.to_owned(), value.to_owned())),
                None if *word == "else" => is_fallback = true,
                None if is_fallback => fallback.push((*word).to_owned()),
                None => keys.push((*word).to_owned()),
            }
        }
        self.keys.insert(role.to_owned(), keys);
        self.fallbacks.insert(role.to_owned(), fallback);
    }

    /// Returns what a key, or a path of keys, means in an object of this level.
    pub fn meaning(&self, index: Level, path: &str) -> Meaning {
        let here = || self.keys.iter().filter(|(role, _)| level(role) == index);
        if let Some((role, _)) = here().find(|(_, keys)| keys.iter().any(|key| key == path)) {
            return Meaning::Role(role.clone());
        }
        let begins = |key: &String| key.strip_prefix(path).is_some_and(|rest| rest.starts_with('.'));
        match here().any(|(_, keys)| keys.iter().any(begins)) {
            true => Meaning::Path,
            false => Meaning::Nothing,
        }
    }

    /// Returns each role with its keys.
    pub fn all_keys(&self) -> Vec<(String, Vec<String>)> {
        self.keys.iter().map(|(role, keys)| (role.clone(), keys.clone())).collect()
    }

    pub fn has(&self, role: &str) -> bool {
        self.keys.get(role).is_some_and(|keys| !keys.is_empty())
    }

    /// "Without `questions`, `question-map` and `lines` the arguments are the question."
    pub fn has_list(&self) -> bool {
        LISTS.iter().any(|role| self.has(role))
    }

    pub fn fallback(&self, role: &str) -> Vec<String> {
        self.fallbacks.get(role).cloned().unwrap_or_default()
    }

    pub fn value(&self, role: &str) -> Option<&str> {
        self.values.get(role).map(|value| &**value)
    }

    /// Returns the value of a flag without its key.
    pub fn flag(&self, role: &str) -> Option<bool> {
        self.value(role).map(|value| value == "yes")
    }

    pub fn is(&self, line: &str) -> bool {
        self.lines.contains(line)
    }

    pub fn limit(&self, what: &str) -> Option<(usize, usize)> {
        self.limits.get(what).copied()
    }

    /// Returns the table that reads the form under this key.
    pub fn form(&self, key: &str) -> Option<Table> {
        self.form.as_ref().filter(|(form, _)| form == key).map(|(_, shape)| Table::built_in(shape))
    }
}

fn level(role: &str) -> Level {
    match role {
        "questions" | "question-map" | "lines" | "required-ids" | "title" => Level::Call,
        "label" | "description" | "value" | "mode" | "preview" | "recommended" => Level::Option,
        _ => Level::Question,
    }
}

/// "`MIN..MAX`: either number may be missing"
fn limits(range: &str) -> (usize, usize) {
    let (min, max) = range.split_once("..").expect("a range");
    (min.parse().unwrap_or(0), max.parse().unwrap_or(usize::MAX))
}
