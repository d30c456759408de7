//! Random continuations of arguments, most of which complete the call.

use super::random::{Arguments, Random, TEXTS, quoted};
use super::table::Table;

/// How many strings with JSON in them may be around a text.
const MAX_ENCODED: usize = 2;

/// What an incomplete escape may become. The first is an `n` that is escaped twice.
const ESCAPES: [&str; 22] = [
    "u0075006e",
    "u006e",
    "006e",
    "06e",
    "6e",
    "e",
    "n",
    "\"",
    "\\",
    "q",
    "u0041",
    "0041",
    "041",
    "41",
    "1",
    "\\ude00",
    "\\n",
    "ude00",
    "de00",
    "e00",
    "00",
    "0",
];

/// What a line of `lines`, or a mark, may continue with.
const LINES: [&str; 12] = [
    "\\n",
    "\\n[option] z",
    "\\n[topic] z",
    "\\n[question] z",
    "\\n",
    " (multi)",
    ")",
    "ecommended)",
    " (recommended)",
    "ulti)",
    "question] z",
    "[question] z",
];

/// Returns a continuation of these bytes.
pub fn continuation(random: &mut Random, table: &Table, bytes: &[u8]) -> Vec<u8> {
    let mut rest = Vec::new();
    let tail = bytes.utf8_chunks().last().map_or(&b""[..], |chunk| chunk.invalid());
    if let Some(&first) = tail.first()
        && !random.one_in(4)
    {
        // The character ends, or becomes another or an ill-formed one.
        let len: usize = if first >= 0xF0 { 4 } else { 2 + usize::from(first >= 0xE0) };
        let missing = len.saturating_sub(tail.len());
        rest.extend((0..missing).map(|_| [0x80, 0x80, 0x85, 0x98, 0xA0, 0xA9, 0xBF][random.below(7)]));
    }
    let text = String::from_utf8_lossy(&[bytes, &rest].concat()).into_owned();
    let text = Continuation { random, table }.of(&text, 0);
    rest.extend(text.bytes());
    if random.one_in(8) {
        rest.truncate(random.below(rest.len() + 1));
    }
    rest
}

/// Returns whether these bytes end in a literal: only one call is complete.
pub fn is_in_literal(bytes: &[u8]) -> bool {
    // Also in a string that holds JSON, where it may be a word, and blanks before it escapes.
    let text = String::from_utf8_lossy(bytes);
    let is_value_after = |before: &str| {
        let mut before = before.trim_end();
        while let Some(rest) = ["\\t", "\\n", "\\r"].iter().find_map(|blank| before.strip_suffix(blank)) {
            before = rest.trim_end_matches('\\').trim_end();
        }
        before.ends_with([':', ',', '['])
    };
    let ends_in = |prefix: &str| text.strip_suffix(prefix).is_some_and(is_value_after);
    ["true", "false", "null"].iter().any(|word| (1..=word.len()).any(|len| ends_in(&word[..len])))
}

/// Where a text of JSON ends.
#[derive(Default)]
struct Place {
    /// Of each open array or object its bracket, and the keys that it has.
    open: Vec<(char, Vec<String>)>,
    /// Where the open string begins.
    string: Option<usize>,
    /// The open string is a key.
    is_key: bool,
    /// The last character that is not blank, outside strings.
    last: Option<char>,
    /// The incomplete literal or number.
    word: String,
}

impl Place {
    fn after(text: &str) -> Place {
        let (mut place, mut is_escaped, mut may_be_key) = (Place::default(), false, false);
        for (index, c) in text.char_indices() {
            if let Some(start) = place.string {
                match c {
                    _ if std::mem::take(&mut is_escaped) => {}
                    '\\' => is_escaped = true,
                    '"' => {
                        if let (true, Some((_, keys))) = (place.is_key, place.open.last_mut()) {
                            keys.push(text[start..index].to_owned());
                        }
                        (place.string, place.last) = (None, Some('"'));
                    }
                    _ => {}
                }
                continue;
            }
            match c {
                '"' => (place.string, place.is_key) = (Some(index + 1), may_be_key),
                '{' => place.open.push(('}', Vec::new())),
                '[' => place.open.push((']', Vec::new())),
                '}' | ']' => drop(place.open.pop()),
                _ => {}
            }
            if c.is_alphanumeric() || "+-.".contains(c) {
                place.word.push(c)
            } else {
                place.word.clear()
            }
            if !c.is_whitespace() {
                place.last = Some(c);
                may_be_key = c == '{' || c == ',' && place.open.last().is_some_and(|(bracket, _)| *bracket == '}');
            }
        }
        place
    }
}

/// Returns whether a string so far ends in an escape, or in the first half of a surrogate pair.
fn is_in_escape(mut text: &[u8]) -> bool {
    while let Some(index) = text.iter().position(|&byte| byte == b'\\') {
        text = &text[index + 1..];
        let len = match text.first() {
            None => return true,
            Some(b'u') => {
                let is_first_half = matches!(text, [_, b'd', b'8'..=b'9' | b'a' | b'b', _, _, ..]);
                if is_first_half { 11 } else { 5 }
            }
            Some(_) => 1,
        };
        if text.len() < len {
            return true;
        }
        text = &text[len.min(5)..];
    }
    false
}

struct Continuation<'r> {
    random: &'r mut Random,
    table: &'r Table,
}

impl Continuation<'_> {
    fn of(&mut self, text: &str, level: usize) -> String {
        let place = Place::after(text);
        let mut rest = String::new();
        let is_begun = text.contains(['{', '[', '"']);
        if !is_begun && place.word.is_empty() {
            let fence = match text.trim_start() {
                "`" => "``\n",
                "``" => "`json",
                "" if self.random.one_in(2) => "```",
                _ => "",
            };
            rest += fence;
            rest += &self.written(|writer| writer.whole());
        } else if let Some(start) = place.string {
            rest += &self.string(&text[start..], level);
            if place.is_key {
                rest += ":";
                rest += &self.any_value();
            }
        } else {
            rest += &self.token(&place);
        }
        self.close(place.open, &mut rest);
        rest
    }

    fn written(&mut self, write: impl FnOnce(&mut Arguments<'_>)) -> String {
        let mut writer = Arguments { random: self.random, table: self.table, text: String::new() };
        write(&mut writer);
        writer.text
    }

    /// Returns the rest of a string, with its quote.
    fn string(&mut self, text: &str, level: usize) -> String {
        let mut rest = String::new();
        if is_in_escape(text.as_bytes()) {
            rest += self.random.pick(&ESCAPES);
        }
        let decoded = serde_json::from_str::<String>(&format!("\"{text}{rest}\""));
        let holds_json = |text: &String| text.trim_start().starts_with(['{', '[']);
        match decoded {
            Ok(decoded) if level < MAX_ENCODED && holds_json(&decoded) && !self.random.one_in(6) => {
                let inner = self.of(&decoded, level + 1);
                let quoted = quoted(&inner);
                rest += &quoted[1..quoted.len() - 1];
            }
            _ => {
                for _ in 0..self.random.below(3) {
                    rest += match self.random.below(4) {
                        0 => self.random.pick(&TEXTS),
                        1 => self.random.pick(&LINES),
                        2 => self.random.pick(&ESCAPES),
                        _ => "z",
                    };
                }
            }
        }
        rest + "\""
    }

    /// Returns what has to follow outside strings: the rest of a literal, or a value.
    fn token(&mut self, place: &Place) -> String {
        if !place.word.is_empty() {
            let literal = ["true", "false", "null"].iter().find_map(|word| word.strip_prefix(&*place.word));
            return match literal {
                Some(literal) => literal.to_owned(),
                None => self.random.pick(&["", "0", "1", ".5", "e1"]).to_owned(),
            };
        }
        let is_in_object = place.open.last().is_some_and(|(bracket, _)| *bracket == '}');
        match place.last {
            Some(':') => {
                let keys = place.open.last().map_or(&[][..], |(_, keys)| keys);
                self.value_of(keys.last().map_or("", |key| key))
            }
            Some(',') if is_in_object => self.members(&place.open),
            Some(',') => self.element(),
            Some('"') if is_in_object && place.is_key => {
                let keys = &place.open[place.open.len() - 1].1;
                format!(":{}", self.value_of(keys.last().map_or("", |key| key)))
            }
            Some('{') if !self.random.one_in(3) => self.members(&place.open),
            Some('[') if !self.random.one_in(3) => self.element(),
            _ => String::new(),
        }
    }

    /// Closes all that is open, with members and elements before some of the brackets.
    fn close(&mut self, mut open: Vec<(char, Vec<String>)>, rest: &mut String) {
        while let Some((bracket, _)) = open.last() {
            let bracket = *bracket;
            if !self.random.one_in(2) {
                let more = if bracket == '}' { self.members(&open) } else { self.element() };
                *rest += ",";
                *rest += &more;
            }
            rest.push(bracket);
            open.pop();
        }
    }

    /// Returns one or more members of the innermost object.
    fn members(&mut self, open: &[(char, Vec<String>)]) -> String {
        let seen = open.last().map_or(&[][..], |(_, keys)| keys);
        let mut members: Vec<String> = Vec::new();
        // What a question, an option or a call needs.
        let text = self.keys().into_iter().find(|(role, _)| role == "text").map_or("zz".to_owned(), |(_, key)| key);
        let question = format!("{{{}}}", member(&text, "\"z\""));
        for needed in ["text", "label", "questions", "question-map", "lines"] {
            let key = self.keys().into_iter().find(|(role, _)| role == needed).map(|(_, key)| key);
            let Some(key) = key.filter(|key| !seen.contains(key) && !self.random.one_in(3)) else { continue };
            let value = match needed {
                "questions" => format!("[{question}]"),
                "question-map" => format!("{{\"k\":{question}}}"),
                "lines" => self.random.pick(&["\"[question] z\"", "\"[question] Q\""]).to_owned(),
                _ => self.random.pick(&["\"z\"", "\"z\"", "\"Which?\"", "\"A\""]).to_owned(),
            };
            members.push(member(&key, &value));
        }
        for _ in 0..self.random.below(3) {
            let keys = self.keys();
            let (role, key) = keys[self.random.below(keys.len())].clone();
            if seen.contains(&key) && !self.random.one_in(8) {
                continue;
            }
            let value = self.written(|writer| writer.value(&role, 2));
            let index = self.random.below(members.len() + 1);
            members.insert(index, member(&key, &value));
        }
        if members.is_empty() || self.random.one_in(8) {
            let value = self.any_value();
            members.push(format!("\"zz\":{value}"));
        }
        members.join(",")
    }

    /// Returns each key with its role, also the rest of each path.
    fn keys(&self) -> Vec<(String, String)> {
        let mut keys = Vec::new();
        for (role, all) in self.table.all_keys() {
            for key in all {
                let rests = key.match_indices('.').map(|(index, _)| (role.clone(), key[index + 1..].to_owned()));
                keys.extend(rests);
                keys.push((role.clone(), key));
            }
        }
        keys
    }

    fn element(&mut self) -> String {
        let level = self.random.pick(&["*question", "*option"]);
        match self.random.below(4) {
            0 => self.written(|writer| writer.scalar()),
            1 => "\"z\"".to_owned(),
            _ => self.written(|writer| writer.object(&[level], 1)),
        }
    }

    /// Returns a value of a key, by one of its roles.
    fn value_of(&mut self, key: &str) -> String {
        let roles: Vec<String> = self.keys().into_iter().filter(|one| one.1 == key).map(|one| one.0).collect();
        if roles.is_empty() || self.random.one_in(6) {
            return self.any_value();
        }
        let role = &roles[self.random.below(roles.len())];
        self.written(|writer| writer.value(role, 2))
    }

    fn any_value(&mut self) -> String {
        match self.random.below(3) {
            0 => self.element(),
            1 => self.written(|writer| writer.scalar()),
            _ => format!("[{}]", self.element()),
        }
    }
}

/// Writes a member. A key with points is a path.
fn member(key: &str, value: &str) -> String {
    match key.split_once('.') {
        Some((first, rest)) => format!("{}:{{{}}}", quoted(first), member(rest, value)),
        None => format!("{}:{value}", quoted(key)),
    }
}
