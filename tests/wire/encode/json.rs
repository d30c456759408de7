//! Arguments as JSON, and strings with escapes of any kind.

use super::calls::{Part, QuestionList, QuestionTool};
use super::{AskedQuestion, Dice, Suggestion};

/// How a string is escaped.
#[derive(Clone, Copy)]
pub(super) struct EscapeStyle {
    /// 0: only what must be; 1: also what is not ASCII; 2: everything; 3: by chance.
    pub(super) mode: usize,
    /// The state of the random numbers.
    pub(super) chance: u32,
    /// Control characters may stay unescaped.
    pub(super) lax: bool,
    /// `<` is always escaped.
    pub(super) hides_tags: bool,
}

impl EscapeStyle {
    pub(super) fn choose(dice: &mut Dice) -> EscapeStyle {
        EscapeStyle { mode: dice.below(5).min(3), chance: dice.below(256) as u32, lax: false, hides_tags: false }
    }

    pub(super) fn random(&mut self) -> u32 {
        self.chance = self.chance.wrapping_mul(1_103_515_245).wrapping_add(12_345);
        self.chance >> 16
    }

    pub(super) fn hex(&mut self, unit: u16) -> String {
        if self.random().is_multiple_of(2) { format!("\\u{unit:04x}") } else { format!("\\u{unit:04X}") }
    }

    pub(super) fn write(&mut self, c: char, out: &mut String) {
        let (all, short) = match self.mode {
            0 => (false, true),
            1 => (!c.is_ascii(), true),
            2 => (true, false),
            _ => (self.random().is_multiple_of(4), self.random().is_multiple_of(2)),
        };
        let name = match c {
            '"' => Some('"'),
            '\\' => Some('\\'),
            '\n' => Some('n'),
            '\r' => Some('r'),
            '\t' => Some('t'),
            '\u{8}' => Some('b'),
            '\u{C}' => Some('f'),
            '/' if self.mode == 3 => Some('/'),
            _ => None,
        };
        let must_escape = matches!(c, '"' | '\\') || (c < ' ' && !self.lax) || (c == '<' && self.hides_tags);
        match name {
            Some(name) if short && (must_escape || name == '/') => out.extend(['\\', name]),
            _ if must_escape || all => {
                let mut units = [0; 2];
                c.encode_utf16(&mut units).iter().for_each(|&unit| out.push_str(&self.hex(unit)));
            }
            _ => out.push(c),
        }
    }
}

/// A JSON string. It may begin and end with a single surrogate.
pub(super) fn string(units: &[u16], dice: &mut Dice) -> String {
    let mut style = EscapeStyle::choose(dice);
    let mut out = String::from('"');
    for c in char::decode_utf16(units.iter().copied()) {
        match c {
            Ok(c) => style.write(c, &mut out),
            Err(single) => out.push_str(&style.hex(single.unpaired_surrogate())),
        }
    }
    out.push('"');
    out
}

pub(super) fn plain(text: &str) -> String {
    string(&text.encode_utf16().collect::<Vec<_>>(), &mut Dice::new(Vec::new()))
}

/// A writer of JSON, with white space where it is allowed.
pub(super) struct JsonWriter<'d> {
    pub(super) out: String,
    pub(super) dice: &'d mut Dice,
    pub(super) blanks: &'static [&'static str],
    /// Strings may be ill-formed in a way that is repaired.
    pub(super) lax: bool,
    /// No tag may be visible in strings.
    pub(super) hides_tags: bool,
}

/// The shape of a list of suggestions.
#[derive(Clone, Copy)]
pub(super) enum ListShape {
    Nothing,
    Items,
    Map,
    Object,
    Markup,
    Json,
    Lines,
}

pub(super) const ANY_BLANK: &[&str] = &["", "", "", " ", "\n", "\r\n", "\t", "  "];
/// White space inside one line of JSON.
pub(super) const BLANKS_IN_LINE: &[&str] = &["", "", "", " ", "\t", "  "];
/// White space where the framing may change line ends.
pub(super) const BLANKS_WITH_LF: &[&str] = &["", "", "", " ", "\n", "\t", "\n  "];

impl JsonWriter<'_> {
    pub(super) fn gap(&mut self) {
        let gap = self.dice.pick(self.blanks);
        self.out.push_str(gap);
    }

    pub(super) fn token(&mut self, token: &str) {
        self.gap();
        self.out.push_str(token);
        self.gap();
    }

    pub(super) fn string(&mut self, text: &str) {
        let mut style = EscapeStyle { lax: self.lax, hides_tags: self.hides_tags, ..EscapeStyle::choose(self.dice) };
        self.out.push('"');
        text.chars().for_each(|c| style.write(c, &mut self.out));
        self.out.push('"');
    }

    pub(super) fn key(&mut self, key: &str) {
        self.string(key);
        self.token(":");
    }

    pub(super) fn row<T>(
        &mut self,
        ends: [&str; 2],
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T),
    ) {
        self.token(ends[0]);
        for (i, item) in items.into_iter().enumerate() {
            if i > 0 {
                self.token(",");
            }
            write(self, item);
        }
        self.token(ends[1]);
    }

    /// A value that is ignored.
    pub(super) fn ignored(&mut self) {
        let ignored = self.dice.pick(&[
            "null",
            "-12.5e+3",
            "true",
            "\"}\\\"\"",
            "[{\"text\":\"no\"},[]]",
            "{\"question\":\"no\"}",
        ]);
        self.out.push_str(ignored);
    }

    /// The arguments of a call with this question.
    pub(super) fn arguments(&mut self, question: &str, suggest: &[Suggestion]) {
        let mut keys = vec!["question"];
        if !suggest.is_empty() || self.dice.once_in(2) {
            let list = self.dice.pick(&["follow_up", "follow_up", "suggestions", "options", "suggest"]);
            keys.insert(self.dice.below(2) ^ 1, list);
        }
        if self.dice.once_in(4) {
            keys.insert(self.dice.below(keys.len() + 1), "unknown");
        }
        self.row(["{", "}"], keys, |json, key| {
            json.key(key);
            match key {
                "question" => json.string(question),
                "unknown" => json.ignored(),
                _ => json.list(suggest),
            }
        });
    }

    /// The arguments of a call of another question tool.
    pub(super) fn shaped(&mut self, tool: &QuestionTool, form: &[AskedQuestion]) {
        match tool.list {
            QuestionList::None => self.one_question(tool, &form[0]),
            QuestionList::Array(list) => self.row(["{", "}"], [list], |json, list| {
                json.key(list);
                json.row(["[", "]"], form, |json, question| json.one_question(tool, question));
            }),
            QuestionList::Fields => self.row(["{", "}"], ["requestedSchema"], |json, schema| {
                json.key(schema);
                json.row(["{", "}"], ["type", "properties"], |json, key| {
                    json.key(key);
                    match key {
                        "type" => json.string("object"),
                        _ => json.row(["{", "}"], form, |json, question| {
                            json.key(question.id.as_deref().expect("a field has a name"));
                            json.one_question(tool, question);
                        }),
                    }
                });
            }),
        }
    }

    pub(super) fn one_question(&mut self, tool: &QuestionTool, question: &AskedQuestion) {
        let is_given = |part: Part| match part {
            Part::Id => question.id.is_some(),
            Part::Header => question.header.is_some(),
            Part::Multiple => question.multiple == Some(true),
            _ => true,
        };
        let mut keys: Vec<_> = tool.question.iter().copied().filter(|&(_, part)| is_given(part)).collect();
        let start = self.dice.below(keys.len());
        keys.rotate_left(start);
        if self.dice.once_in(4) {
            keys.insert(self.dice.below(keys.len() + 1), ("unknown", Part::Unknown));
        }
        let is_array = question.multiple == Some(true);
        self.row(["{", "}"], keys, |json, (key, part)| match part {
            Part::Text => json.member(key, &question.text),
            Part::Id => json.member(key, question.id.as_deref().unwrap_or_default()),
            Part::Header => json.member(key, question.header.as_deref().unwrap_or_default()),
            Part::Multiple if tool.list == QuestionList::Fields => json.member(key, "array"),
            Part::Multiple => {
                json.key(key);
                json.out.push_str("true");
            }
            Part::Options if tool.list == QuestionList::Fields && is_array => {
                json.key("items");
                json.row(["{", "}"], [()], |json, ()| json.options("anyOf", tool, question));
            }
            Part::Options => json.options(key, tool, question),
            Part::Unknown => {
                json.key(key);
                json.ignored();
            }
        });
    }

    pub(super) fn member(&mut self, key: &str, text: &str) {
        self.key(key);
        self.string(text);
    }

    pub(super) fn options(&mut self, key: &str, tool: &QuestionTool, question: &AskedQuestion) {
        self.key(key);
        self.row(["[", "]"], &question.options, |json, option| {
            if tool.option.is_empty() {
                return json.string(&option.label);
            }
            let text = |part: usize| match part {
                0 => Some(&option.label),
                1 => option.description.as_ref(),
                _ => option.value.as_ref(),
            };
            let mut keys: Vec<_> =
                tool.option.iter().enumerate().filter_map(|(part, &key)| Some((key?, text(part)?))).collect();
            let start = json.dice.below(keys.len());
            keys.rotate_left(start);
            json.row(["{", "}"], keys, |json, (key, text)| json.member(key, text));
        });
    }

    /// A list of suggestions, in any shape that they allow.
    pub(super) fn list(&mut self, suggest: &[Suggestion]) {
        let texts = || suggest.iter().map(|(text, _)| text);
        let tagless = texts().all(|text| !text.contains('<'));
        let modeless = suggest.iter().all(|(_, mode)| mode.is_none());
        let attribute = |mode: &String| !mode.contains(['<', '"']) && mode.len() < 200;
        let mut shapes = vec![ListShape::Items, ListShape::Map];
        if suggest.is_empty() {
            shapes.push(ListShape::Nothing);
        }
        if suggest.len() == 1 {
            shapes.push(ListShape::Object);
        }
        if tagless && !suggest.is_empty() && suggest.iter().flat_map(|(_, mode)| mode).all(attribute) {
            shapes.push(ListShape::Markup);
        }
        if !self.hides_tags {
            shapes.push(ListShape::Json);
        }
        if modeless && tagless && texts().all(|text| !text.contains('\n')) {
            let first = texts().next().map_or("x", |text| text.trim());
            if !first.starts_with(['[', '{']) {
                shapes.push(ListShape::Lines);
            }
        }
        match self.dice.pick(&shapes) {
            ListShape::Nothing => {
                let nothing = self.dice.pick(&["null", "\"\"", "\" \\n\"", "{}", "[ ]", "[null]"]);
                self.out.push_str(nothing);
            }
            ListShape::Items => self.items(suggest),
            ListShape::Map => self.map(suggest),
            ListShape::Object => self.object(&suggest[0], true),
            ListShape::Markup => self.markup(suggest),
            ListShape::Json => self.json(suggest),
            ListShape::Lines => self.lines(suggest),
        }
    }

    pub(super) fn items(&mut self, suggest: &[Suggestion]) {
        self.row(["[", "]"], suggest, JsonWriter::item);
    }

    pub(super) fn map(&mut self, suggest: &[Suggestion]) {
        let mut index = self.dice.below(3);
        self.row(["{", "}"], suggest, |json, suggestion| {
            let key = index.to_string();
            index += 1;
            json.key(&key);
            json.item(suggestion);
        });
    }

    pub(super) fn item(&mut self, suggestion: &Suggestion) {
        let is_plain = suggestion.1.is_none() && self.dice.once_in(2);
        if is_plain { self.string(&suggestion.0) } else { self.object(suggestion, false) }
    }

    pub(super) fn object(&mut self, (text, mode): &Suggestion, alone: bool) {
        let mut keys = vec![self.dice.pick(&["text", "answer"])];
        if mode.is_some() || self.dice.once_in(2) {
            keys.insert(self.dice.below(2) ^ 1, "mode");
        }
        if self.dice.once_in(4) {
            // The first key decides what a single object is.
            let first = usize::from(alone);
            keys.insert(first + self.dice.below(keys.len() + 1 - first), "why");
        }
        self.row(["{", "}"], keys, |json, key| {
            json.key(key);
            match (key, mode) {
                ("mode", Some(mode)) => json.string(mode),
                ("mode", None) => {
                    let blank = json.dice.pick(&["null", "\"\"", "\" \\t\"", "7"]);
                    json.out.push_str(blank);
                }
                ("why", _) => json.ignored(),
                _ => json.string(text),
            }
        });
    }

    pub(super) fn markup(&mut self, suggest: &[Suggestion]) {
        let mut markup = String::new();
        for (text, mode) in suggest {
            let name = self.dice.pick(&["suggest", "suggestion"]);
            let mode = mode.as_ref().map(|mode| format!(" mode=\"{mode}\"")).unwrap_or_default();
            let end = self.dice.pick(&["", "\n", "  "]);
            markup += &format!("<{name}{mode}>{text}</{name}>{end}");
        }
        self.string(&markup);
    }

    pub(super) fn json(&mut self, suggest: &[Suggestion]) {
        let mut inside =
            JsonWriter { out: String::new(), dice: self.dice, blanks: ANY_BLANK, lax: false, hides_tags: true };
        match inside.dice.below(3) {
            0 => inside.items(suggest),
            1 => inside.map(suggest),
            _ if suggest.len() == 1 => inside.object(&suggest[0], true),
            _ => inside.items(suggest),
        }
        let inside = inside.out;
        self.string(&inside);
    }

    pub(super) fn lines(&mut self, suggest: &[Suggestion]) {
        let end = self.dice.pick(&["\n", "\r\n", "\n\n", " \n \n "]);
        let lines: Vec<&str> = suggest.iter().map(|(text, _)| &**text).collect();
        self.string(&lines.join(end));
    }
}
