//! Random arguments of question tools, and random shapes.

use followup::{Limits, Shape};

use super::Rules;
use super::table::Table;

/// A small generator of numbers, so that a test that fails fails again.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % bound as u64) as usize
    }

    pub fn one_in(&mut self, bound: usize) -> bool {
        self.below(bound) == 0
    }

    pub fn pick<'p, T: ?Sized>(&mut self, all: &[&'p T]) -> &'p T {
        all[self.below(all.len())]
    }
}

/// Texts of strings, escaped.
pub(super) const TEXTS: [&str; 46] = [
    "",
    " ",
    "Which?",
    "Which?",
    "A",
    "A",
    "B",
    "C c ",
    " D",
    "é😀",
    "\\u3000",
    "one\\ntwo",
    "a\\n\\n b \\n",
    "L (Recommended)",
    "(RECOMMENDED) L",
    "(recommended) ",
    "true",
    "no",
    " YES ",
    "maybe",
    "yesno",
    "yes_no",
    "text",
    "string",
    "array",
    "multi_choice",
    "multi_select",
    "number",
    "choice",
    "1",
    "a\\\\nb\\\\",
    "\\\\\\\\n",
    "\\ud83d\\ude00x",
    "\\ud83d",
    "\\q",
    "\\u12x",
    "\\u00",
    "\t",
    "[x",
    "[1,\\\"a\\\"]",
    "{\\\"A\\\":\\\"b\\\"}",
    " {\\\"label\\\":\\\"x\\\",\\\"question\\\":\\\"y\\\"} ",
    "1. [question] Q? (multi)\\n[topic] T\\n2) [option] O\\nx\\n[option]\\n [question]R",
    "1) [Question] Q? (Multi-Select)\\n[TOPIC] T\\n(1) [option] O\\n[option]P\\n[question] R (multiple)",
    "[option] o\\n[question]\\n[topic] a\\n[topic] b\\n 3 [question] x(multi) ",
    "12345678901234567890",
];

const OTHERS: [&str; 12] =
    ["null", "null", "true", "false", "0", "1", "2", "-1.50e+3", "[]", "{}", "[\"x\"]", "{\"x\":1}"];

/// Writes arguments that a shape reads, most of them valid JSON.
pub(super) struct Arguments<'r> {
    pub(super) random: &'r mut Random,
    pub(super) table: &'r Table,
    pub(super) text: String,
}

/// Returns random arguments.
pub fn arguments(random: &mut Random, table: &Table) -> Vec<u8> {
    // A form is written as its own shape has it.
    let form = table.form("requestedSchema").filter(|_| random.one_in(3));
    let mut writer = Arguments { random, table: form.as_ref().unwrap_or(table), text: String::new() };
    writer.whole();
    let mut text = std::mem::take(&mut writer.text);
    match random.below(16) {
        0 => text = quoted(&text),
        1 => text = format!("```json\n{text}\n```"),
        2 => text = quoted(&quoted(&text)),
        _ => {}
    }
    damaged(random, text)
}

/// Returns a random value of a key with this role.
pub fn value(random: &mut Random, table: &Table, role: &str) -> String {
    let mut writer = Arguments { random, table, text: String::new() };
    writer.value(role, 2);
    writer.text
}

/// Returns a text as a string of JSON.
pub(super) fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a string")
}

/// Damages one of four.
fn damaged(random: &mut Random, text: String) -> Vec<u8> {
    const PIECES: [&str; 24] = [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "\\n", "null", "1", "x", " ", "\n", "\t", "\\u", "é", "```", "`",
        "\"a\"", "\\\"", "-", ".", "\u{FEFF}",
    ];
    let mut text = text.into_bytes();
    match random.below(16) {
        0 => text.truncate(random.below(text.len() + 1)),
        1 if !text.is_empty() => {
            let index = random.below(text.len());
            text[index] = b"\xE2\xFF\"{"[random.below(4)];
        }
        2 => {
            let index = random.below(text.len() + 1);
            text.splice(index..index, random.pick(&PIECES).bytes());
        }
        3 if !text.is_empty() => {
            let index = random.below(text.len());
            let end = (index + 1 + random.below(4)).min(text.len());
            drop(text.drain(index..end));
        }
        _ => {}
    }
    text
}

impl Arguments<'_> {
    fn add(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn space(&mut self) {
        if self.random.one_in(12) {
            let space = self.random.pick(&[" ", "\n", "\t "]);
            self.add(space);
        }
    }

    pub(super) fn whole(&mut self) {
        self.space();
        match self.random.below(16) {
            0 => self.list(2),
            1 => self.scalar(),
            _ => {
                let roles: &[&str] = match self.table.has_list() {
                    _ if self.random.one_in(6) => &["*call", "*question"],
                    true => &["*call"],
                    false => &["*question"],
                };
                self.object(roles, 3);
            }
        }
        self.space();
        if self.random.one_in(24) {
            self.add("x");
        }
    }

    /// Writes an object with keys of these levels.
    pub(super) fn object(&mut self, levels: &[&str], depth: usize) {
        let mut keys: Vec<(String, String)> = Vec::new();
        for (role, all) in self.table.all_keys() {
            let is_here = levels.contains(&level(&role));
            for key in all.into_iter().filter(|_| is_here) {
                let one_in = if matches!(&*role, "questions" | "question-map" | "lines" | "text" | "label" | "options")
                {
                    8
                } else {
                    2
                };
                let often = one_in == 8;
                if often != self.random.one_in(if often { 6 } else { 2 }) {
                    keys.push((role.clone(), key));
                }
            }
        }
        if self.random.one_in(8) {
            keys.push(("other".to_owned(), "other".to_owned()));
        }
        if self.random.one_in(24) && !keys.is_empty() {
            let again = keys[self.random.below(keys.len())].clone();
            keys.push(again);
        }
        for i in (1..keys.len()).rev() {
            if self.random.one_in(2) {
                let other = self.random.below(i + 1);
                keys.swap(i, other);
            }
        }
        self.members(keys, depth);
    }

    /// Writes an object. Keys with points are paths.
    fn members(&mut self, keys: Vec<(String, String)>, depth: usize) {
        self.add("{");
        let mut done: Vec<String> = Vec::new();
        let mut is_first = true;
        for (role, key) in &keys {
            let (first, rest) = key.split_once('.').map_or((&**key, ""), |(first, rest)| (first, rest));
            if !rest.is_empty() && done.iter().any(|one| one == first) && !self.random.one_in(12) {
                continue;
            }
            if !std::mem::take(&mut is_first) {
                self.add(",");
            }
            done.push(first.to_owned());
            self.space();
            let written = quoted(first);
            match self.random.below(16) {
                0 => self.add(&escaped(first)),
                1 if !rest.is_empty() => {
                    self.add(&quoted(key));
                    self.add(":");
                    self.value(role, depth);
                    continue;
                }
                _ => self.add(&written),
            }
            self.space();
            self.add(":");
            self.space();
            if rest.is_empty() {
                self.value(role, depth);
            } else if self.random.one_in(12) {
                self.scalar();
            } else {
                // All that begin like this one are in its object.
                let begins = format!("{first}.");
                let inner =
                    keys.iter().filter_map(|(role, key)| Some((role.clone(), key.strip_prefix(&begins)?.to_owned())));
                let inner: Vec<(String, String)> = inner.collect();
                if self.random.one_in(8) {
                    let text = self.inner(|writer| writer.members(inner, depth));
                    self.add(&quoted(&text));
                } else {
                    self.members(inner, depth);
                }
            }
            self.space();
        }
        self.add("}");
    }

    pub(super) fn value(&mut self, role: &str, depth: usize) {
        if self.random.one_in(12) {
            return self.scalar();
        }
        match role {
            "questions" | "question-map" => self.questions(depth),
            "options" => self.options(depth),
            "required-ids" | "names" | "default" if !self.random.one_in(4) => {
                self.add("[");
                for i in 0..self.random.below(4) {
                    if i > 0 {
                        self.add(",");
                    }
                    self.scalar();
                }
                self.add("]");
            }
            "multiple" | "custom" | "required" | "recommended" => {
                let flag = self.random.pick(&["true", "false", "true", "\"true\"", "\"no\"", "\"x\"", "1", "null"]);
                self.add(flag);
            }
            "recommended-index" => {
                let index = self.random.pick(&["0", "1", "2", "-1", "1.0", "\"1\"", "null", "01", "1e0"]);
                self.add(index);
            }
            _ => self.string(),
        }
    }

    fn questions(&mut self, depth: usize) {
        match self.random.below(10) {
            0 => self.map("*question", depth),
            1 => {
                let text = self.inner(|writer| writer.questions(depth.saturating_sub(1)));
                self.add(&quoted(&text));
            }
            2 => self.object(&["*question"], depth),
            3 => self.string(),
            _ if self.table.has("question-map") => self.map("*question", depth),
            _ => self.list(depth),
        }
    }

    fn list(&mut self, depth: usize) {
        self.add("[");
        for i in 0..1 + self.random.below(3) {
            if i > 0 {
                self.add(",");
            }
            match self.random.below(12) {
                0 => self.scalar(),
                1 => {
                    let text = self.inner(|writer| writer.object(&["*question"], 1));
                    self.add(&quoted(&text));
                }
                _ => self.object(&["*question"], depth),
            }
        }
        self.add("]");
    }

    fn options(&mut self, depth: usize) {
        match self.random.below(12) {
            0 => self.map("*option", depth),
            1 if depth > 0 => {
                let text = self.inner(|writer| writer.options(depth - 1));
                self.add(&quoted(&text));
            }
            2 => self.object(&["*option"], 0),
            3 => self.string(),
            _ => {
                self.add("[");
                let strings = self.random.one_in(3);
                for i in 0..self.random.below(4) {
                    if i > 0 {
                        self.add(",");
                    }
                    match self.random.below(10) {
                        0 => self.scalar(),
                        1 => {
                            let text = self.inner(|writer| writer.object(&["*option"], 0));
                            self.add(&quoted(&text));
                        }
                        _ if strings => self.string(),
                        _ => self.object(&["*option"], 0),
                    }
                }
                self.add("]");
            }
        }
    }

    fn map(&mut self, level: &str, depth: usize) {
        self.add("{");
        for i in 0..1 + self.random.below(3) {
            if i > 0 {
                self.add(",");
            }
            let key = self.random.pick(&["0", "1", "a", "b", "c d", "id1", "question", "label", "", "é", "\\n"]);
            let key = if key == "\\n" { "\"\\n\"".to_owned() } else { quoted(key) };
            self.add(&key);
            self.add(":");
            match self.random.below(6) {
                0 => self.scalar(),
                1 if level == "*option" => self.string(),
                2 if level == "*option" => {
                    self.add("[");
                    self.object(&[level], 0);
                    self.add(",");
                    self.string();
                    self.add("]");
                }
                2 => self.list(depth),
                _ => self.object(&[level], depth),
            }
        }
        self.add("}");
    }

    fn inner(&mut self, write: impl FnOnce(&mut Self)) -> String {
        let outer = std::mem::take(&mut self.text);
        write(self);
        std::mem::replace(&mut self.text, outer)
    }

    pub(super) fn scalar(&mut self) {
        if self.random.one_in(2) {
            return self.string();
        }
        let other = self.random.pick(&OTHERS);
        self.add(other);
    }

    fn string(&mut self) {
        let text = if self.random.one_in(2) { TEXTS[2 + self.random.below(7)] } else { self.random.pick(&TEXTS) };
        self.add("\"");
        self.add(text);
        self.add("\"");
    }
}

fn level(role: &str) -> &'static str {
    match role {
        "questions" | "question-map" | "lines" | "required-ids" | "title" => "*call",
        "label" | "description" | "value" | "mode" | "preview" | "recommended" => "*option",
        _ => "*question",
    }
}

/// Writes a key with an escape for its first character.
fn escaped(key: &str) -> String {
    let mut chars = key.chars();
    match chars.next().filter(char::is_ascii_alphanumeric) {
        Some(first) => format!("\"\\u{:04x}{}\"", u32::from(first), chars.as_str()),
        None => quoted(key),
    }
}

/// Returns random limits and strictness.
pub fn rules(random: &mut Random) -> Rules {
    let limits = match random.below(6) {
        0 => Limits {
            question: 4 + random.below(8),
            answer: 2 + random.below(6),
            suggestions: 1 + random.below(3),
            questions: 1 + random.below(2),
            header: 1 + random.below(4),
            description: 1 + random.below(6),
            texts: if random.one_in(2) { random.below(60) } else { Limits::default().texts },
            ..Limits::default()
        },
        1 => Limits { texts: random.below(120), ..Limits::default() },
        _ => Limits::default(),
    };
    Rules { limits, strict: random.one_in(6) }
}

/// Returns a random shape.
pub fn shape(random: &mut Random) -> Shape {
    let mut writer = ShapeText { random, text: "shape drawn\ntool ask_drawn\n".to_owned(), used: Vec::new() };
    writer.lines();
    Shape::parse(writer.text.clone()).unwrap_or_else(|error| panic!("{error}\n{}", writer.text))
}

/// Writes the text of a shape.
struct ShapeText<'r> {
    random: &'r mut Random,
    text: String,
    used: Vec<(&'static str, String)>,
}

impl ShapeText<'_> {
    fn lines(&mut self) {
        let list = self.random.pick(&["", "questions", "questions", "questions", "question-map", "lines"]);
        if !list.is_empty() {
            self.role(list, "", "");
        }
        if self.random.one_in(3) {
            self.role("required-ids", "", "");
        }
        self.maybe("title", "", "");
        if list != "lines" || self.random.one_in(2) {
            self.role("text", "id header detail", "");
        }
        self.maybe("id", "header", "");
        for role in ["header", "detail", "placeholder", "default", "names", "recommended-index"] {
            self.maybe(role, "", "");
        }
        self.maybe("options", "", "");
        for flag in ["multiple", "custom", "required"] {
            self.maybe(flag, "", ":yes :no");
        }
        self.maybe("kind", "", ":text :yesno :number");
        self.maybe("label", "value description", "");
        for role in ["description", "value", "mode", "preview", "recommended"] {
            self.maybe(role, "", "");
        }
        for line in ["generic", "needs options", "single", "strings", "unescape", "form requestedSchema mcp"] {
            if self.random.one_in(4) {
                self.text += line;
                self.text += "\n";
            }
        }
        for what in ["questions", "options"] {
            if self.random.one_in(3) {
                let range = self.random.pick(&["1..2", "2..", "..1", ".."]);
                self.text += &format!("limit {what} {range} # of the host\n");
            }
        }
    }

    fn maybe(&mut self, role: &str, fallbacks: &str, values: &str) {
        if !self.random.one_in(3) {
            self.role(role, fallbacks, values);
        }
    }

    /// Writes the line of a role, with some of these fallbacks and one of these values.
    fn role(&mut self, role: &str, fallbacks: &str, values: &str) {
        let value = match values.split_whitespace().collect::<Vec<_>>() {
            values if !values.is_empty() && self.random.one_in(2) => self.random.pick(&values),
            _ => "",
        };
        let keys = if value.is_empty() { 1 + self.random.below(2) } else { self.random.below(3) };
        let mut line = role.to_owned();
        for _ in 0..keys {
            if let Some(key) = self.key(level(role)) {
                line += &format!(" {key}");
            }
        }
        let mut word = " else";
        for fallback in fallbacks.split_whitespace() {
            if self.random.one_in(2) {
                line += &format!("{word} {fallback}");
                word = "";
            }
        }
        if line != role || !value.is_empty() {
            self.text += &format!("{line} {value}\n");
        }
    }

    /// Returns a key that has no role in this object yet.
    fn key(&mut self, level: &'static str) -> Option<String> {
        // The arguments can be call and question: their keys differ.
        const CALL: [&str; 5] = ["l", "list", "d.l", "d.m", "é"];
        const OTHER: [&str; 13] =
            ["a", "b", "c", "id", "question", "text", "label", "name", "title", "items", "p.q", "p.r", "x.y.z"];
        for _ in 0..20 {
            let key = self.random.pick(if level == "*call" { &CALL[..] } else { &OTHER }).to_owned();
            let is_allowed = level != "*option" || !key.contains('.');
            if is_allowed && !self.used.contains(&(level, key.clone())) {
                self.used.push((level, key.clone()));
                return Some(key);
            }
        }
        None
    }
}
