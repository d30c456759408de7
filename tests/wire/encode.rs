//! An encoder of questions as providers stream them: the inverse of `followup::wire`.
//!
//! All choices come from one list of bytes, so that a property test can shrink a failing stream.
//! After the end of the list, every choice is the plainest one.

use followup::Questions;
use followup::wire::Format;

/// A source of choices.
#[derive(Clone, Debug)]
pub struct Dice {
    choices: Vec<u8>,
    used: usize,
}

impl Dice {
    pub fn new(choices: Vec<u8>) -> Dice {
        Dice { choices, used: 0 }
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        let choice = self.choices.get(self.used).copied().unwrap_or(0);
        self.used += 1;
        usize::from(choice) % n
    }

    /// Returns `true` once in `n` times.
    fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// The text of a suggestion, and its mode.
pub type Suggestion = (String, Option<String>);

/// A call of a question tool, with its first question.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ask {
    pub id: Option<String>,
    pub tool: String,
    pub question: String,
    pub suggest: Vec<Suggestion>,
    /// All questions, unless the tool is `ask_followup_question`.
    pub form: Vec<AskedQuestion>,
}

/// A question of a call of another question tool.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AskedQuestion {
    pub id: Option<String>,
    pub header: Option<String>,
    pub text: String,
    pub multiple: Option<bool>,
    pub options: Vec<AskedOption>,
}

/// An option of such a question.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AskedOption {
    pub label: String,
    pub description: Option<String>,
    pub value: Option<String>,
}

impl AskedQuestion {
    /// Returns the questions of a call that was read.
    pub fn all(questions: Questions<'_>) -> Vec<AskedQuestion> {
        let text = |text: Option<&str>| text.map(str::to_owned);
        let questions = questions.iter().map(|one| AskedQuestion {
            id: text(one.id),
            header: text(one.header),
            text: one.text.to_owned(),
            multiple: one.multiple,
            options: one
                .suggestions
                .iter()
                .map(|one| AskedOption {
                    label: one.answer.to_owned(),
                    description: text(one.description),
                    value: text(one.value),
                })
                .collect(),
        });
        questions.collect()
    }
}

/// Another tool's call.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Other {
    pub id: Option<String>,
    pub tool: String,
    pub raw: String,
}

/// A body and what was encoded in it.
///
/// Calls are in the order in which they start, or sorted if one of them has a generic name: then it
/// starts when it is clear whether it asks.
#[derive(Clone, Debug)]
pub struct Sent {
    pub format: Format,
    /// The body, cut into events.
    pub events: Vec<Vec<u8>>,
    pub prose: String,
    pub asks: Vec<Ask>,
    pub others: Vec<Other>,
    pub is_sorted: bool,
    /// A call in an envelope of the text.
    pub leaked: Option<Ask>,
    /// A call in an envelope of the reasoning.
    pub reasoned: Option<Ask>,
}

impl Sent {
    pub fn body(&self) -> Vec<u8> {
        self.events.concat()
    }
}

/// The providers that can be encoded.
pub const PROVIDERS: [Format; 13] = [
    Format::OpenAiChat,
    Format::OpenAiResponses,
    Format::Anthropic,
    Format::Gemini,
    Format::Bedrock,
    Format::Ollama,
    Format::Cohere,
    Format::GeminiInteractions,
    Format::OpenAiAssistants,
    Format::WorkersAi,
    Format::Watsonx,
    Format::DashScope,
    Format::Replicate,
];

/// Returns whether bodies of that format have text only.
fn is_text_only(format: Format) -> bool {
    matches!(format, Format::Watsonx | Format::Replicate)
}

/// Pieces of prose and of values, none of which starts a call in prose.
const PIECES: &[&str] = &[
    "Which one?",
    " ",
    "x",
    "\n",
    "\r\n",
    "\t",
    "é",
    "e\u{301}",
    "数据库",
    "😀",
    "👩🏽‍🚀",
    "\u{10FFFF}",
    "\"",
    "\\",
    "\\n",
    "\\u0041",
    "\\ud83d",
    "'",
    "/",
    "\0",
    "\u{1F}",
    "\u{7F}",
    "\u{A0}",
    "\u{2028}",
    "\u{3000}",
    "\u{FEFF}",
    "\u{FFFD}",
    "<suggest>",
    "</suggest>",
    "<suggest mode=\"m\">",
    "</question>",
    "</ask_followup_question>",
    "<b>",
    "<",
    ">",
    "&amp;",
    "{",
    "}",
    "[",
    "]",
    "`",
    "```",
    "data: ",
    "[DONE]",
    ",",
    ":",
];

fn text(dice: &mut Dice, most: usize) -> String {
    (0..dice.below(most)).map(|_| dice.pick(PIECES)).collect()
}

/// A value that is not blank.
fn value(dice: &mut Dice, fallback: &str) -> String {
    let text = text(dice, 9);
    if text.trim().is_empty() { text + fallback } else { text }
}

/// How a string is escaped.
#[derive(Clone, Copy)]
struct EscapeStyle {
    /// 0: only what must be; 1: also what is not ASCII; 2: everything; 3: by chance.
    mode: usize,
    /// The state of the random numbers.
    chance: u32,
    /// Control characters may stay unescaped.
    lax: bool,
    /// `<` is always escaped.
    hides_tags: bool,
}

impl EscapeStyle {
    fn choose(dice: &mut Dice) -> EscapeStyle {
        EscapeStyle { mode: dice.below(5).min(3), chance: dice.below(256) as u32, lax: false, hides_tags: false }
    }

    fn random(&mut self) -> u32 {
        self.chance = self.chance.wrapping_mul(1_103_515_245).wrapping_add(12_345);
        self.chance >> 16
    }

    fn hex(&mut self, unit: u16) -> String {
        if self.random().is_multiple_of(2) { format!("\\u{unit:04x}") } else { format!("\\u{unit:04X}") }
    }

    fn write(&mut self, c: char, out: &mut String) {
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
fn string(units: &[u16], dice: &mut Dice) -> String {
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

fn plain(text: &str) -> String {
    string(&text.encode_utf16().collect::<Vec<_>>(), &mut Dice::new(Vec::new()))
}

/// A writer of JSON, with white space where it is allowed.
struct JsonWriter<'d> {
    out: String,
    dice: &'d mut Dice,
    blanks: &'static [&'static str],
    /// Strings may be ill-formed in a way that is repaired.
    lax: bool,
    /// No tag may be visible in strings.
    hides_tags: bool,
}

/// The shape of a list of suggestions.
#[derive(Clone, Copy)]
enum ListShape {
    Nothing,
    Items,
    Map,
    Object,
    Markup,
    Json,
    Lines,
}

const ANY_BLANK: &[&str] = &["", "", "", " ", "\n", "\r\n", "\t", "  "];
/// White space inside one line of JSON.
const BLANKS_IN_LINE: &[&str] = &["", "", "", " ", "\t", "  "];
/// White space where the framing may change line ends.
const BLANKS_WITH_LF: &[&str] = &["", "", "", " ", "\n", "\t", "\n  "];

impl JsonWriter<'_> {
    fn gap(&mut self) {
        let gap = self.dice.pick(self.blanks);
        self.out.push_str(gap);
    }

    fn token(&mut self, token: &str) {
        self.gap();
        self.out.push_str(token);
        self.gap();
    }

    fn string(&mut self, text: &str) {
        let mut style = EscapeStyle { lax: self.lax, hides_tags: self.hides_tags, ..EscapeStyle::choose(self.dice) };
        self.out.push('"');
        text.chars().for_each(|c| style.write(c, &mut self.out));
        self.out.push('"');
    }

    fn key(&mut self, key: &str) {
        self.string(key);
        self.token(":");
    }

    fn row<T>(&mut self, ends: [&str; 2], items: impl IntoIterator<Item = T>, mut write: impl FnMut(&mut Self, T)) {
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
    fn ignored(&mut self) {
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
    fn arguments(&mut self, question: &str, suggest: &[Suggestion]) {
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
    fn shaped(&mut self, tool: &QuestionTool, form: &[AskedQuestion]) {
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

    fn one_question(&mut self, tool: &QuestionTool, question: &AskedQuestion) {
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

    fn member(&mut self, key: &str, text: &str) {
        self.key(key);
        self.string(text);
    }

    fn options(&mut self, key: &str, tool: &QuestionTool, question: &AskedQuestion) {
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
    fn list(&mut self, suggest: &[Suggestion]) {
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

    fn items(&mut self, suggest: &[Suggestion]) {
        self.row(["[", "]"], suggest, JsonWriter::item);
    }

    fn map(&mut self, suggest: &[Suggestion]) {
        let mut index = self.dice.below(3);
        self.row(["{", "}"], suggest, |json, suggestion| {
            let key = index.to_string();
            index += 1;
            json.key(&key);
            json.item(suggestion);
        });
    }

    fn item(&mut self, suggestion: &Suggestion) {
        let is_plain = suggestion.1.is_none() && self.dice.once_in(2);
        if is_plain { self.string(&suggestion.0) } else { self.object(suggestion, false) }
    }

    fn object(&mut self, (text, mode): &Suggestion, alone: bool) {
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

    fn markup(&mut self, suggest: &[Suggestion]) {
        let mut markup = String::new();
        for (text, mode) in suggest {
            let name = self.dice.pick(&["suggest", "suggestion"]);
            let mode = mode.as_ref().map(|mode| format!(" mode=\"{mode}\"")).unwrap_or_default();
            let end = self.dice.pick(&["", "\n", "  "]);
            markup += &format!("<{name}{mode}>{text}</{name}>{end}");
        }
        self.string(&markup);
    }

    fn json(&mut self, suggest: &[Suggestion]) {
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

    fn lines(&mut self, suggest: &[Suggestion]) {
        let end = self.dice.pick(&["\n", "\r\n", "\n\n", " \n \n "]);
        let lines: Vec<&str> = suggest.iter().map(|(text, _)| &**text).collect();
        self.string(&lines.join(end));
    }
}

/// A call and how it is sent.
struct PlannedCall {
    id: Option<String>,
    tool: &'static str,
    /// The question and the suggestions, untrimmed.
    asks: Option<(String, Vec<Suggestion>)>,
    /// All questions, if the tool is another question tool.
    form: Vec<AskedQuestion>,
    arguments: String,
    /// The arguments are JSON in one event, not a string.
    whole: bool,
    /// The arguments are text, not JSON.
    custom: bool,
}

const TOOL: &str = "ask_followup_question";

/// Another question tool.
struct QuestionTool {
    name: &'static str,
    list: QuestionList,
    /// The keys of a question, in the order of the tool's schema.
    question: &'static [(&'static str, Part)],
    /// The keys of an option's label, description and value. Without any, options are strings.
    option: &'static [Option<&'static str>],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum QuestionList {
    /// The arguments are the question.
    None,
    Array(&'static str),
    /// The fields of a form, whose names are the ids.
    Fields,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Id,
    Header,
    Text,
    Options,
    Multiple,
    Unknown,
}

const QUESTION_TOOLS: &[QuestionTool] = &[
    QuestionTool {
        name: "AskUserQuestion",
        list: QuestionList::Array("questions"),
        question: &[
            ("question", Part::Text),
            ("header", Part::Header),
            ("options", Part::Options),
            ("multiSelect", Part::Multiple),
        ],
        option: &[Some("label"), Some("description")],
    },
    QuestionTool {
        name: "AskQuestion",
        list: QuestionList::Array("questions"),
        question: &[
            ("id", Part::Id),
            ("prompt", Part::Text),
            ("options", Part::Options),
            ("allow_multiple", Part::Multiple),
        ],
        option: &[Some("label"), None, Some("id")],
    },
    QuestionTool {
        name: "question",
        list: QuestionList::Array("questions"),
        question: &[("question", Part::Text), ("options", Part::Options), ("multiple", Part::Multiple)],
        option: &[Some("label"), Some("description")],
    },
    QuestionTool {
        name: "ask_user",
        list: QuestionList::None,
        question: &[("question", Part::Text), ("choices", Part::Options)],
        option: &[],
    },
    QuestionTool {
        name: "request_user_input",
        list: QuestionList::Array("questions"),
        question: &[("header", Part::Header), ("id", Part::Id), ("options", Part::Options), ("question", Part::Text)],
        option: &[Some("label"), Some("description")],
    },
    QuestionTool {
        name: "elicitation/create",
        list: QuestionList::Fields,
        question: &[("type", Part::Multiple), ("title", Part::Text), ("oneOf", Part::Options)],
        option: &[Some("title"), None, Some("const")],
    },
];

impl QuestionTool {
    /// Draws the questions of a call.
    fn draw(&self, dice: &mut Dice) -> Vec<AskedQuestion> {
        let count = if self.list == QuestionList::None { 1 } else { 1 + dice.below(3) };
        (0..count).map(|_| self.draw_question(dice)).collect()
    }

    fn draw_question(&self, dice: &mut Dice) -> AskedQuestion {
        let has = |part| self.question.iter().any(|(_, one)| *one == part);
        let text = value(dice, "Which one?");
        let has_field = |part: usize| self.option.get(part).is_some_and(Option::is_some);
        let options = (0..dice.below(6)).map(|_| AskedOption {
            label: value(dice, "A"),
            description: (has_field(1) && dice.once_in(2)).then(|| value(dice, "B")),
            value: (has_field(2) && dice.once_in(2)).then(|| value(dice, "c")),
        });
        let options = options.collect();
        let has_id = self.list == QuestionList::Fields || has(Part::Id) && dice.once_in(2);
        AskedQuestion {
            id: has_id.then(|| value(dice, "id")),
            header: (has(Part::Header) && dice.once_in(2)).then(|| value(dice, "Head")),
            text,
            multiple: Some(has(Part::Multiple) && dice.once_in(3)),
            options,
        }
    }
}

/// Names that question tools and other tools have.
const GENERIC: &[&str] = &["question", "ask_user"];

impl PlannedCall {
    fn new(number: usize, format: Format, ids: bool, dice: &mut Dice) -> PlannedCall {
        let asking = number == 0 || dice.once_in(2);
        let question_tool = (asking && dice.once_in(3)).then(|| &QUESTION_TOOLS[dice.below(QUESTION_TOOLS.len())]);
        let tool = match question_tool {
            Some(tool) => tool.name,
            None if asking => TOOL,
            None => dice.pick(&["read_file", "lookup", "ask_followup_questions", "question"]),
        };
        let whole = match format {
            Format::Gemini | Format::WorkersAi => true,
            Format::Ollama => !dice.once_in(4),
            Format::Anthropic | Format::GeminiInteractions => dice.once_in(4),
            _ => false,
        };
        let custom = !asking && matches!(format, Format::OpenAiChat | Format::OpenAiResponses) && dice.once_in(3);
        let blanks = match (whole, format) {
            (false, _) => ANY_BLANK,
            (true, Format::Ollama) => BLANKS_IN_LINE,
            (true, _) => BLANKS_WITH_LF,
        };
        let form = question_tool.map_or_else(Vec::new, |tool| tool.draw(dice));
        let asks = asking.then(|| {
            if let Some(first) = form.first() {
                let suggest = first.options.iter().map(|option| (option.label.clone(), None));
                return (first.text.clone(), suggest.collect());
            }
            let question = value(dice, "Which one?");
            let suggest = (0..dice.below(6)).map(|_| {
                let mode = dice.once_in(3).then(|| value(dice, "code"));
                (value(dice, "A"), mode)
            });
            (question, suggest.collect::<Vec<_>>())
        });
        let lax = !whole && dice.once_in(8);
        let mut json = JsonWriter { out: String::new(), dice, blanks, lax, hides_tags: false };
        match (&asks, question_tool) {
            (Some(_), Some(tool)) => json.shaped(tool, &form),
            (Some((question, suggest)), None) => json.arguments(question, suggest),
            (None, _) if custom => {
                let text = value(json.dice, "*** Begin");
                json.out.push_str(&text);
            }
            (None, _) => {
                let (path, keys) = (text(json.dice, 9), json.dice.below(4));
                json.row(["{", "}"], &["path", "question", "follow_up"][..keys], |json, key| {
                    json.key(key);
                    if *key == "path" { json.string(&path) } else { json.ignored() }
                });
            }
        }
        let arguments = match custom {
            true => json.out,
            // White space around a value is not part of it.
            false if whole => json.out.trim().to_owned(),
            false => json.out,
        };
        let id = ids.then(|| format!("call_{number}{}", dice.pick(&["", "é", "\"", "-x"])));
        PlannedCall { id, tool, asks, form, arguments, whole, custom }
    }

    fn id(&self) -> &str {
        self.id.as_deref().unwrap_or_default()
    }
}

/// A call as text, in an envelope of any family. Its arguments are JSON, or parameters.
fn envelope(question: &str, suggest: &[Suggestion], dice: &mut Dice) -> (String, Ask) {
    let form = dice.below(14);
    let text = match form {
        5 => parameters(["<function=", "<parameter=", "</parameter>", "</function>"], question, suggest, dice),
        6 => {
            let tags = ["<invoke name=", "<parameter name=", "</parameter>", "</invoke>"];
            format!("<function_calls>\n{}</function_calls>", parameters(tags, question, suggest, dice))
        }
        7 => {
            let tags =
                ["<｜DSML｜invoke name=", "<｜DSML｜parameter name=", "</｜DSML｜parameter>", "</｜DSML｜invoke>"];
            format!("<｜DSML｜tool_calls>\n{}\n</｜DSML｜tool_calls>", parameters(tags, question, suggest, dice))
        }
        8 => keys(question, suggest, dice),
        _ => {
            let mut json = JsonWriter { out: String::new(), dice, blanks: ANY_BLANK, lax: false, hides_tags: false };
            json.arguments(question, suggest);
            with_arguments(form, &json.out)
        }
    };
    (text, asked(TOOL, None, question, suggest))
}

fn with_arguments(form: usize, arguments: &str) -> String {
    let object = format!("{{\"name\": \"{TOOL}\", \"arguments\": {arguments}}}");
    match form {
        0 => format!("<tool_call>\n{object}\n</tool_call>"),
        1 => format!("<function={TOOL}>\n<parameter=arguments>\n{arguments}\n</parameter>\n</function>"),
        2 => format!("<tool_call>{TOOL}\n{arguments}\n</tool_call>"),
        3 => format!("<|tool_call_begin|>functions.{TOOL}:0<|tool_call_argument_begin|>{arguments}<|tool_call_end|>"),
        4 => object,
        9 => format!("<|channel|>commentary to=functions.{TOOL} <|constrain|>json<|message|>{arguments}<|call|>"),
        // White space after the object is prose.
        10 => format!("[TOOL_CALLS]{TOOL}[ARGS]{}", arguments.trim_end()),
        11 => format!("[TOOL_CALLS][{object}]"),
        12 => format!("<｜tool▁call▁begin｜>{TOOL}<｜tool▁sep｜>{arguments}<｜tool▁call▁end｜>"),
        _ => format!("<|python_tag|>{object}<|eom_id|>"),
    }
}

/// A call whose question is text between tags. `tags`: those of a call and of a parameter, the
/// opening ones up to their names.
fn parameters(tags: [&str; 4], question: &str, suggest: &[Suggestion], dice: &mut Dice) -> String {
    let [call, parameter, end_of_parameter, end_of_call] = tags;
    // Of these families only `dsml` says so.
    let is_json = call.contains("DSML") && dice.once_in(2);
    let attribute = if is_json { " string=\"false\"" } else { "" };
    let mut value = JsonWriter { out: String::new(), dice, blanks: ANY_BLANK, lax: false, hides_tags: false };
    if is_json {
        value.string(question)
    } else {
        value.out.push_str(question)
    }
    let question = value.out;
    let mut all = format!("{call}{TOOL}>{parameter}question{attribute}>{question}{end_of_parameter}\n");
    if let Some(list) = list(suggest, dice) {
        all += &format!("{parameter}follow_up>{list}{end_of_parameter}\n");
    }
    all + end_of_call
}

/// A call in keys and values.
fn keys(question: &str, suggest: &[Suggestion], dice: &mut Dice) -> String {
    let mut all = format!("<tool_call>{TOOL}\n<arg_key>question</arg_key>\n<arg_value>{question}</arg_value>\n");
    if let Some(list) = list(suggest, dice) {
        all += &format!("<arg_key>follow_up</arg_key>\n<arg_value>{list}</arg_value>\n");
    }
    all + "</tool_call>"
}

/// The suggestions as the text of a parameter; `None` if it is left out.
fn list(suggest: &[Suggestion], dice: &mut Dice) -> Option<String> {
    if suggest.is_empty() && dice.once_in(2) {
        return None;
    }
    // A tag in a string would make the text markup.
    let mut json = JsonWriter { out: String::new(), dice, blanks: ANY_BLANK, lax: false, hides_tags: true };
    json.items(suggest);
    Some(json.out)
}

/// What comes out of a call: only the values of `ask_followup_question` are trimmed.
fn asked(tool: &str, id: Option<String>, question: &str, suggest: &[Suggestion]) -> Ask {
    let trim = |text: &str| if tool == TOOL { text.trim().to_owned() } else { text.to_owned() };
    let suggest = suggest.iter().map(|(text, mode)| (trim(text), mode.as_deref().map(trim)));
    Ask { id, tool: tool.to_owned(), question: trim(question), suggest: suggest.collect(), form: Vec::new() }
}

/// One step of sending a message. Calls are indices.
#[derive(Clone, Debug)]
enum SendStep {
    Text(Vec<u16>),
    Start(usize, Vec<u16>),
    More(usize, Vec<u16>),
    End(usize),
}

/// Cuts a text into fragments, inside surrogate pairs too if `splits_pairs`.
fn fragments(text: &str, dice: &mut Dice, splits_pairs: bool) -> Vec<Vec<u16>> {
    let units: Vec<u16> = text.encode_utf16().collect();
    let max_len = dice.pick(&[usize::MAX, 20, 7, 3, 1]);
    let (mut all, mut at) = (Vec::new(), 0);
    while at < units.len() {
        let size = if max_len > 40 { units.len() } else { 1 + dice.below(max_len) };
        let mut end = units.len().min(at + size);
        if !splits_pairs && end < units.len() && (0xDC00..=0xDFFF).contains(&units[end]) {
            end += 1;
        }
        all.push(units[at..end].to_vec());
        at = end;
    }
    all
}

/// The steps of sending a message, in order.
fn plan(calls: &[PlannedCall], prose: &str, format: Format, dice: &mut Dice) -> Vec<SendStep> {
    // What has come so far can be compared only if it is whole characters.
    let splits_pairs = dice.once_in(2) && !matches!(format, Format::DashScope | Format::Replicate);
    let is_sequential =
        matches!(format, Format::Gemini | Format::Ollama | Format::WorkersAi | Format::DashScope) || dice.once_in(2);
    let mut rows: Vec<Vec<SendStep>> =
        vec![fragments(prose, dice, splits_pairs).into_iter().map(SendStep::Text).collect()];
    for (i, call) in calls.iter().enumerate() {
        let mut row = Vec::new();
        let mut parts = if call.whole { Vec::new() } else { fragments(&call.arguments, dice, splits_pairs) };
        let first = format == Format::OpenAiChat && !parts.is_empty() && dice.once_in(2);
        row.push(SendStep::Start(i, if first { parts.remove(0) } else { Vec::new() }));
        row.extend(parts.into_iter().map(|part| SendStep::More(i, part)));
        row.push(SendStep::End(i));
        rows.push(row);
    }
    rows.iter_mut().for_each(|row| row.reverse());
    let (mut steps, mut open) = (Vec::new(), None);
    while rows.iter().any(|row| !row.is_empty()) {
        let mut row = open.filter(|_| is_sequential && !dice.once_in(8)).unwrap_or_else(|| dice.below(rows.len()));
        // Only prose may interrupt a call that is sent in sequence.
        if let Some(call) = open.filter(|call| is_sequential && row != *call) {
            row = if rows[0].is_empty() { call } else { 0 };
        }
        while rows[row].is_empty() {
            row = (row + 1) % rows.len();
        }
        let step = rows[row].pop();
        match step {
            Some(SendStep::Start(..)) => open = Some(row),
            Some(SendStep::End(_)) => open = None,
            _ => {}
        }
        steps.extend(step);
    }
    steps
}

/// A writer of events, from templates of JSON with placeholders `$0`, `$1` and so on.
struct EventWriter<'d> {
    events: Vec<Vec<u8>>,
    dice: &'d mut Dice,
    framing: Framing,
    /// There is white space between the tokens of an event.
    spread: bool,
    /// The number of events written.
    written: usize,
    /// The reasoning that is left to send, last piece first; `None` if it is noise.
    reasoning: Option<Vec<Vec<u16>>>,
    /// The event of a piece of reasoning.
    reasoning_event: Option<&'static str>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Framing {
    Events,
    Lines,
    Array,
    /// Amazon's binary frames.
    Binary,
    /// Binary frames of an invoked model: every payload is in the base64 of a chunk.
    Chunks,
}

/// A binary frame, with these headers as strings.
pub fn binary_frame(headers: &[(&str, &str)], payload: &[u8]) -> Vec<u8> {
    let mut written = Vec::new();
    for (name, value) in headers {
        written.push(u8::try_from(name.len()).expect("a short name"));
        written.extend(name.as_bytes());
        written.push(7);
        written.extend(u16::try_from(value.len()).expect("a short value").to_be_bytes());
        written.extend(value.as_bytes());
    }
    let len = |len: usize| u32::try_from(len).expect("a short frame").to_be_bytes();
    let mut frame = [len(16 + written.len() + payload.len()), len(written.len())].concat();
    frame.extend(checksum(&frame));
    frame.extend([&written, payload].concat());
    frame.extend(checksum(&frame));
    frame
}

/// The CRC-32 of the bytes, a bit at a time.
fn checksum(bytes: &[u8]) -> [u8; 4] {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 };
        }
    }
    (!crc).to_be_bytes()
}

/// The frame of an event, or with `model` that of a chunk whose payload it is.
fn event_frame(payload: &str, model: bool) -> Vec<u8> {
    let (name, payload) = match model {
        true => ("chunk", format!("{{\"bytes\":\"{}\",\"p\":\"abcd\"}}", base64(payload.as_bytes()))),
        false => {
            // An event has one key, its name.
            let mut parts = payload.splitn(3, '"').skip(1);
            let (name, rest) = (parts.next().expect("a name"), parts.next().expect("a value"));
            let (_, value) = rest.split_once(':').expect("a value");
            (name, value[..value.rfind('}').expect("an end")].to_owned())
        }
    };
    let headers = [(":event-type", name), (":content-type", "application/json"), (":message-type", "event")];
    binary_frame(&headers, payload.as_bytes())
}

pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for group in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, i| bits << 8 | usize::from(group.get(i).copied().unwrap_or(0)));
        for i in 0..4 {
            let digit = char::from(DIGITS[bits >> (18 - 6 * i) & 63]);
            out.push(if i <= group.len() { digit } else { '=' });
        }
    }
    out
}

/// Returns whether an event from this template says something in the reasoning.
fn has_reasoning(template: &str) -> bool {
    ["reasoning", "thinking", "thought"].iter().any(|word| template.contains(word))
}

impl EventWriter<'_> {
    fn event(&mut self, name: &str, template: &str, values: &[&str]) {
        let payload = self.fill(template, values);
        self.written += 1;
        match self.framing {
            Framing::Events => self.server_sent(name, &payload),
            Framing::Lines => {
                let end = self.dice.pick(&["\n", "\n", "\r\n", "\n\n"]);
                self.events.push([&payload, end].concat().into_bytes());
            }
            Framing::Array => {
                let start = if self.written == 1 { self.dice.pick(&["[", "[\n", " [ "]) } else { "" };
                let between = self.dice.pick(&[",", ",\n", "\n,\r\n"]);
                let between = if self.written == 1 { "" } else { between };
                self.events.push([start, between, &payload].concat().into_bytes());
            }
            Framing::Binary => self.events.push(event_frame(&payload, false)),
            Framing::Chunks => self.events.push(event_frame(&payload, true)),
        }
    }

    fn fill(&mut self, template: &str, values: &[&str]) -> String {
        let blanks = match self.framing {
            _ if !self.spread => &[""],
            Framing::Lines => BLANKS_IN_LINE,
            Framing::Events => BLANKS_WITH_LF,
            Framing::Array | Framing::Binary | Framing::Chunks => ANY_BLANK,
        };
        let (mut out, mut in_string) = (String::new(), false);
        let mut rest = template.chars();
        while let Some(c) = rest.next() {
            match c {
                '$' => {
                    let index = rest.next().and_then(|c| c.to_digit(10)).expect("a placeholder has a digit");
                    out.push_str(values[index as usize]);
                    continue;
                }
                '"' => in_string = !in_string,
                '}' | ']' if !in_string => out.push_str(self.dice.pick(blanks)),
                _ => {}
            }
            out.push(c);
            if !in_string && matches!(c, '{' | '[' | ',' | ':') {
                out.push_str(self.dice.pick(blanks));
            }
        }
        out
    }

    fn server_sent(&mut self, name: &str, payload: &str) {
        let end = self.dice.pick(&["\n", "\n", "\r\n", "\r"]);
        let (mut lines, mut after) = (Vec::new(), Vec::new());
        match self.dice.below(6) {
            0 | 1 => {}
            2 | 3 => lines.push(format!("event: {name}")),
            4 => lines.push(format!("id: {}", self.written)),
            _ => after.push(format!("event:{name}")),
        }
        for line in payload.split('\n') {
            let tight = !line.starts_with(' ') && self.dice.once_in(4);
            lines.push(format!("data:{}{line}", if tight { "" } else { " " }));
            match self.dice.below(24) {
                23 => lines.push(": a comment".to_owned()),
                22 => lines.push("retry: 3000".to_owned()),
                21 => lines.push("datum: {\"choices\":1}".to_owned()),
                _ => {}
            }
        }
        lines.extend(after);
        lines.push(String::new());
        if self.dice.once_in(12) {
            lines.extend([":", "", ": keep-alive", "", "event: ping", ""].map(String::from));
        }
        self.events.push(lines.iter().flat_map(|line| [line, end]).collect::<String>().into_bytes());
    }

    /// Picks a template for text, without reasoning of its own if there is some to send.
    fn text_template(&mut self, templates: &[&'static str]) -> &'static str {
        let template = self.dice.pick(templates);
        if has_reasoning(template) && self.reasoning.is_some() { templates[0] } else { template }
    }

    /// Events that mean nothing, and the next piece of reasoning.
    fn noise(&mut self, noise: &[&str]) {
        while self.dice.once_in(6) {
            let template = self.dice.pick(noise);
            if !(has_reasoning(template) && self.reasoning.is_some()) {
                self.event("noise", template, &[]);
            }
        }
        if self.reasoning.is_some() && self.dice.once_in(2) {
            self.reason();
        }
    }

    /// Sends the next piece of reasoning. Returns whether there was one.
    fn reason(&mut self) -> bool {
        let Some(template) = self.reasoning_event else { return false };
        let Some(piece) = self.reasoning.as_mut().and_then(Vec::pop) else { return false };
        let piece = string(&piece, self.dice);
        self.event("reasoning", template, &[&piece]);
        true
    }

    /// The end of the body.
    fn end(&mut self, done: bool) {
        while self.reason() {}
        match self.framing {
            Framing::Events => {
                if done && !self.dice.once_in(4) {
                    self.events.push(b"data: [DONE]\n\n".to_vec());
                }
            }
            Framing::Lines => {}
            // Nothing can be added to binary frames.
            Framing::Binary | Framing::Chunks => return,
            Framing::Array => self.events.push(self.dice.pick(&["]", "\n]\n", " ] "]).into()),
        }
        // An empty message may have no event.
        let Some(last) = self.events.last_mut() else { return };
        // The end of the body ends the last event too.
        if self.framing != Framing::Array && self.dice.once_in(4) {
            last.truncate(last.trim_ascii_end().len());
        }
        let first = &mut self.events[0];
        match self.dice.below(12) {
            9 => drop(first.splice(..0, *b"\xEF\xBB\xBF")),
            10 => drop(first.splice(..0, *b"\n\n")),
            11 if self.framing == Framing::Events => drop(first.splice(..0, *b": hello\n\n")),
            _ => {}
        }
    }
}

/// Encodes a body in that format. The dice choose its content and its variants.
pub fn send(format: Format, dice: &mut Dice) -> Sent {
    encode(format, dice, false)
}

/// The same with a call in the text and one in the reasoning, either of which may come natively.
pub fn send_with_leaks(format: Format, dice: &mut Dice) -> Sent {
    encode(format, dice, true)
}

fn encode(format: Format, dice: &mut Dice, with_leaks: bool) -> Sent {
    let ids = !matches!(format, Format::Gemini | Format::Ollama | Format::WorkersAi) || dice.once_in(2);
    let count = match is_text_only(format) {
        true => 0,
        false => usize::from(!with_leaks) + dice.below(4),
    };
    let calls: Vec<PlannedCall> = (0..count).map(|number| PlannedCall::new(number, format, ids, dice)).collect();
    let mut prose = text(dice, 16);
    // Where the data of an event can't have it, neither can a value that is text between tags.
    let sendable = |text: String| if format == Format::Replicate { text.replace('\r', "") } else { text };
    let leak = |dice: &mut Dice| {
        let native = calls.first().and_then(|call| call.asks.as_ref()).filter(|_| dice.once_in(2));
        let question = native.map_or_else(|| sendable(value(dice, "Or which?")), |(question, _)| question.clone());
        let suggest: Vec<Suggestion> = (0..dice.below(3)).map(|_| (sendable(value(dice, "A")), None)).collect();
        envelope(&question, &suggest, dice)
    };
    let leaked = (with_leaks && dice.once_in(2)).then(|| leak(dice));
    let reasoned = (with_leaks && dice.once_in(2)).then(|| leak(dice));
    // A body that says nothing is an error.
    if calls.is_empty() && leaked.is_none() && prose.is_empty() {
        prose = "Done.".to_owned();
    }
    let mut all = leaked.as_ref().map_or(String::new(), |(text, _)| text.clone()) + &prose;
    if format == Format::Replicate {
        // The data of an event can't have it.
        prose.retain(|c| c != '\r');
        all.retain(|c| c != '\r');
    }
    let steps = plan(&calls, &all, format, dice);
    let mut reasoning = with_leaks.then(Vec::new);
    if let Some((text, _)) = &reasoned {
        let mut pieces = fragments(&format!("Hm.\n{text} So."), dice, true);
        pieces.reverse();
        reasoning = Some(pieces);
    }
    let framing = match format {
        Format::Bedrock => dice.pick(&[Framing::Lines, Framing::Binary, Framing::Chunks]),
        Format::Ollama => Framing::Lines,
        Format::Gemini if dice.once_in(2) => Framing::Array,
        _ => Framing::Events,
    };
    let spread = dice.once_in(3);
    let mut out =
        EventWriter { events: Vec::new(), dice, framing, spread, written: 0, reasoning, reasoning_event: None };
    match format {
        Format::OpenAiChat => openai_chat(&steps, &calls, &mut out),
        Format::OpenAiResponses => openai_responses(&steps, &calls, &mut out),
        Format::Anthropic => anthropic(&steps, &calls, &mut out),
        Format::Gemini => gemini(&steps, &calls, &mut out),
        // Three of the models that can be invoked; Nova's payloads are the events of
        // `ConverseStream`.
        Format::Bedrock if framing == Framing::Chunks => match out.dice.below(3) {
            0 => anthropic(&steps, &calls, &mut out),
            1 => openai_chat(&steps, &calls, &mut out),
            _ => bedrock(&steps, &calls, &mut out),
        },
        Format::Bedrock => bedrock(&steps, &calls, &mut out),
        Format::Ollama => ollama(&steps, &calls, &mut out),
        Format::Cohere => cohere(&steps, &calls, &mut out),
        Format::GeminiInteractions => gemini_interactions(&steps, &calls, &mut out),
        Format::OpenAiAssistants => openai_assistants(&steps, &calls, &all, &mut out),
        Format::WorkersAi => workers_ai(&steps, &calls, &mut out),
        Format::Watsonx => watsonx(&steps, &mut out),
        Format::DashScope => dashscope(&steps, &calls, &mut out),
        Format::Replicate => replicate(&steps, &mut out),
        Format::Text | Format::Json => panic!("{format} has no provider"),
        other => panic!("{other} can't be encoded"),
    }
    let reasoned = reasoned.filter(|_| out.reasoning_event.is_some()).map(|(_, ask)| ask);
    let events = out.events;
    let (mut asks, mut others) = (Vec::new(), Vec::new());
    for step in &steps {
        let SendStep::Start(i, _) = step else { continue };
        let call = &calls[*i];
        match &call.asks {
            Some((question, suggest)) => {
                asks.push(Ask { form: call.form.clone(), ..asked(call.tool, call.id.clone(), question, suggest) });
            }
            None => {
                // An empty object at the start of a block means that the input is still to come.
                let is_empty = call.arguments.split_whitespace().collect::<String>() == "{}";
                let comes_later = matches!(format, Format::Anthropic | Format::GeminiInteractions);
                let raw = if call.whole && is_empty && comes_later { "{}" } else { &*call.arguments };
                others.push(Other { id: call.id.clone(), tool: call.tool.to_owned(), raw: raw.to_owned() });
            }
        }
    }
    let is_sorted = calls.iter().any(|call| GENERIC.contains(&call.tool));
    if is_sorted {
        asks.sort();
        others.sort();
    }
    Sent { format, events, prose, asks, others, is_sorted, leaked: leaked.map(|(_, ask)| ask), reasoned }
}

/// All prose that the steps send.
fn all_text(steps: &[SendStep], dice: &mut Dice) -> String {
    let texts = steps.iter().filter_map(|step| if let SendStep::Text(text) = step { Some(&**text) } else { None });
    string(&texts.collect::<Vec<_>>().concat(), dice)
}

/// The position of the last step that sends prose, if that is left out: the whole message has it.
fn left_out(steps: &[SendStep], dice: &mut Dice) -> Option<usize> {
    let last = steps.iter().rposition(|step| matches!(step, SendStep::Text(_)));
    last.filter(|_| dice.once_in(2))
}

/// The calls in the order in which they start.
fn started<'c>(steps: &[SendStep], calls: &'c [PlannedCall]) -> impl Iterator<Item = (usize, &'c PlannedCall)> {
    let starts = steps.iter().filter_map(|step| if let SendStep::Start(i, _) = step { Some(*i) } else { None });
    starts.map(|i| (i, &calls[i])).collect::<Vec<_>>().into_iter()
}

fn openai_chat(steps: &[SendStep], calls: &[PlannedCall], out: &mut EventWriter<'_>) {
    const NOISE: &[&str] = &[
        r#"{"choices":[],"usage":{"total_tokens":3}}"#,
        r#"{"choices":[{"index":0,"delta":{},"finish_reason":null}]}"#,
        r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":null,"tool_calls":null,"refusal":null}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"content":"","tool_calls":[]},"finish_reason":""}]}"#,
        r#"{"choices":[{"index":0,"delta":{"reasoning_content":"<ask_followup_question>","reasoning":"x"}}]}"#,
        r#"{"choices":[{"index":1,"delta":{"content":"another choice"},"finish_reason":"stop"}]}"#,
        r#"{"choices":null,"error":null}"#,
    ];
    out.reasoning_event =
        Some(r#"{"choices":[{"index":0,"delta":{"role":"assistant","reasoning_content":$0,"content":null}}]}"#);
    let (repeats_id, type_, finish) =
        (out.dice.once_in(3), out.dice.once_in(2), out.dice.pick(&["\"tool_calls\"", "\"stop\"", "\"length\"", ""]));
    let (repeats, with_ids, left_out) = (out.dice.once_in(3), out.dice.once_in(2), left_out(steps, out.dice));
    let whole = repeats.then(|| {
        let calls = self::started(steps, calls).map(|(_, call)| {
            let arguments = string(&call.arguments.encode_utf16().collect::<Vec<_>>(), out.dice);
            let template = match (call.custom, with_ids) {
                (true, _) => r#"{"id":$0,"type":"custom","custom":{"name":$1,"input":$2}}"#,
                (false, true) => r#"{"id":$0,"type":"function","function":{"name":$1,"arguments":$2}}"#,
                (false, false) => r#"{"type":"function","function":{"name":$1,"arguments":$2}}"#,
            };
            out.fill(template, &[&plain(call.id()), &plain(call.tool), &arguments])
        });
        let calls = calls.collect::<Vec<_>>().join(",");
        (all_text(steps, out.dice), calls)
    });
    let mut started = Vec::new();
    let mut pending: Vec<String> = Vec::new();
    for (position, step) in steps.iter().enumerate() {
        let call = match step {
            SendStep::Text(text) => {
                let text = string(text, out.dice);
                let templates = &[
                    r#"{"id":"c","choices":[{"index":0,"delta":{"content":$0},"finish_reason":null}]}"#,
                    r#"{"choices":[{"delta":{"role":"assistant","content":$0,"reasoning":null}}],"error":null}"#,
                    r#"{"choices":[{"delta":{"content":[{"type":"text","text":$0},null,{"type":"thinking","text":"no"}]}}]}"#,
                    r#"{"choices":[null,{"index":0,"delta":{"content":$0,"tool_calls":[null,{}]}}]}"#,
                    r#"{"choices":[{"index":0,"delta":{"refusal":$0}}]}"#,
                ];
                let template = out.text_template(&templates[..templates.len() - usize::from(repeats)]);
                if !(repeats && left_out == Some(position)) {
                    out.event("message", template, &[&text]);
                }
                out.noise(NOISE);
                continue;
            }
            SendStep::Start(i, first) => {
                started.push(*i);
                let (id, name) = (plain(calls[*i].id()), plain(calls[*i].tool));
                let (index, first) = ((started.len() - 1).to_string(), string(first, out.dice));
                let template = match (calls[*i].custom, type_) {
                    (true, _) => r#"{"index":$0,"id":$1,"type":"custom","custom":{"name":$2,"input":$3}}"#,
                    (false, true) => r#"{"index":$0,"id":$1,"type":"function","function":{"name":$2,"arguments":$3}}"#,
                    (false, false) => r#"{"function":{"arguments":$3,"name":$2},"id":$1,"index":$0}"#,
                };
                out.fill(template, &[&index, &id, &name, &first])
            }
            SendStep::More(i, more) => {
                let index = started.iter().position(|one| one == i).expect("the call has started").to_string();
                let (id, more) = (plain(calls[*i].id()), string(more, out.dice));
                let template = match (calls[*i].custom, repeats_id) {
                    (true, _) => r#"{"index":$0,"custom":{"input":$2}}"#,
                    (false, true) => r#"{"index":$0,"id":$1,"function":{"name":"","arguments":$2}}"#,
                    (false, false) => r#"{"index":$0,"function":{"arguments":$2}}"#,
                };
                out.fill(template, &[&index, &id, &more])
            }
            SendStep::End(_) => continue,
        };
        pending.push(call);
        let continues = matches!(steps.get(position + 1), Some(SendStep::Start(..) | SendStep::More(..)));
        if !(continues && out.dice.once_in(4)) {
            let all = std::mem::take(&mut pending).join(",");
            out.event(
                "message",
                r#"{"choices":[{"index":0,"delta":{"tool_calls":[$0]},"finish_reason":null}]}"#,
                &[&all],
            );
            out.noise(NOISE);
        }
    }
    if !finish.is_empty() {
        out.event("message", r#"{"choices":[{"index":0,"delta":{},"finish_reason":$0}]}"#, &[finish]);
    }
    if let Some((text, calls)) = whole {
        let template = out.dice.pick(&[
            r#"{"object":"chat.completion","choices":[{"finish_reason":"stop","index":0,"message":{"role":"assistant","content":$0,"tool_calls":[$1]}}]}"#,
            r#"{"choices":[{"delta":{},"message":{"content":[{"type":"text","text":$0}],"tool_calls":[$1]}},{"index":1,"message":{"content":"no"}}]}"#,
        ]);
        for _ in 0..1 + out.dice.below(2) {
            out.event("message", template, &[&text, &calls]);
        }
    }
    out.noise(&NOISE[..1]);
    out.end(true);
}

fn openai_responses(steps: &[SendStep], calls: &[PlannedCall], out: &mut EventWriter<'_>) {
    const NOISE: &[&str] = &[
        r#"{"type":"response.in_progress","response":{"id":"r","error":null,"output":[]}}"#,
        r#"{"type":"response.reasoning_summary_text.delta","item_id":"rs_1","output_index":90,"delta":"no"}"#,
        r#"{"type":"response.output_item.added","output_index":91,"item":{"id":"ws","type":"web_search_call"}}"#,
        r#"{"type":"response.output_item.done","output_index":91,"item":{"id":"ws","type":"web_search_call"}}"#,
        r#"{"type":"response.output_text.done","item_id":"msg_1","output_index":92,"text":""}"#,
        r#"{"type":"response.output_text.delta","item_id":"msg_1","output_index":92,"delta":""}"#,
    ];
    out.reasoning_event = Some(
        r#"{"type":"response.reasoning_text.delta","item_id":"rs_1","output_index":93,"content_index":0,"delta":$0}"#,
    );
    // Which events say that a call is done, and whether there are others.
    let (done, only_done) = (out.dice.below(4), out.dice.once_in(8));
    let kind = |i: usize| {
        if calls[i].custom {
            ("custom_tool_call", "custom_tool_call_input", "input")
        } else {
            ("function_call", "function_call_arguments", "arguments")
        }
    };
    let (repeats, left_out) = (out.dice.once_in(2), left_out(steps, out.dice));
    let mut started = Vec::new();
    if out.dice.once_in(2) {
        out.event(
            "response.created",
            r#"{"type":"response.created","response":{"status":"in_progress","output":[]}}"#,
            &[],
        );
    }
    for (position, step) in steps.iter().enumerate() {
        let (SendStep::Start(i, _) | SendStep::More(i, _) | SendStep::End(i)) = step else {
            let SendStep::Text(text) = step else { continue };
            if repeats && left_out == Some(position) {
                continue;
            }
            let text = string(text, out.dice);
            let template = out.dice.pick(&[
                r#"{"type":"response.output_text.delta","item_id":"msg_1","output_index":92,"delta":$0,"logprobs":[]}"#,
                r#"{"delta":$0,"type":"response.refusal.delta","output_index":92}"#,
            ]);
            out.event("response.output_text.delta", template, &[&text]);
            out.noise(NOISE);
            continue;
        };
        if matches!(step, SendStep::Start(..)) {
            started.push(*i);
        }
        let index = started.iter().position(|one| one == i).expect("the call has started").to_string();
        let ((type_, stem, field), item) = (kind(*i), plain(&format!("item_{i}")));
        let (id, name) = (plain(calls[*i].id()), plain(calls[*i].tool));
        let all = string(&calls[*i].arguments.encode_utf16().collect::<Vec<_>>(), out.dice);
        let (quoted, delta) = (plain(type_), plain(&format!("response.{stem}.delta")));
        let (field, dones) = (plain(field), plain(&format!("response.{stem}.done")));
        match step {
            SendStep::Start(..) => out.event(
                "response.output_item.added",
                r#"{"type":"response.output_item.added","output_index":$0,"item":{"id":$1,"type":$2,"call_id":$3,"name":$4,$5:"","status":"in_progress"}}"#,
                &[&index, &item, &quoted, &id, &name, &field],
            ),
            SendStep::More(_, more) if !(only_done && done < 3) => {
                let more = string(more, out.dice);
                let template = r#"{"type":$0,"item_id":$1,"output_index":$2,"delta":$3,"obfuscation":"x"}"#;
                out.event("delta", template, &[&delta, &item, &index, &more]);
            }
            SendStep::End(_) => {
                if done < 2 {
                    let template = r#"{"type":$0,"item_id":$1,"output_index":$2,$3:$4}"#;
                    out.event("done", template, &[&dones, &item, &index, &field, &all]);
                }
                out.noise(NOISE);
                if done.is_multiple_of(2) {
                    let template = r#"{"type":"response.output_item.done","output_index":$0,"item":{"type":$1,"id":$2,"call_id":$3,"name":$4,$5:$6}}"#;
                    out.event("response.output_item.done", template, &[&index, &quoted, &item, &id, &name, &field, &all]);
                }
            }
            _ => {}
        }
        out.noise(NOISE);
    }
    let text = all_text(steps, out.dice);
    let wholes = [
        r#"{"type":"response.output_text.done","item_id":"msg_1","output_index":92,"content_index":0,"text":$0}"#,
        r#"{"type":"response.content_part.done","output_index":92,"part":{"type":"output_text","text":$0}}"#,
        r#"{"type":"response.output_item.done","output_index":92,"item":{"type":"message","content":[{"type":"output_text","text":$0}]}}"#,
    ];
    if repeats {
        out.event("done", wholes[0], &[&text]);
    }
    for whole in wholes {
        if repeats && out.dice.once_in(2) {
            out.event("done", whole, &[&text]);
        }
    }
    if repeats && out.dice.once_in(2) {
        let calls = self::started(steps, calls).map(|(i, call)| {
            let ((type_, _, field), item) = (kind(i), plain(&format!("item_{i}")));
            let arguments = string(&call.arguments.encode_utf16().collect::<Vec<_>>(), out.dice);
            let template = r#"{"type":$0,"id":$1,"call_id":$2,"name":$3,$4:$5}"#;
            let (id, name) = (plain(call.id()), plain(call.tool));
            out.fill(template, &[&plain(type_), &item, &id, &name, &plain(field), &arguments])
        });
        let message = r#"{"type":"reasoning","content":[{"text":"no"}]},{"type":"message","content":[{"type":"output_text","text":$0}]}"#;
        let mut items: Vec<String> = calls.collect();
        items.insert(0, out.fill(message, &[&text]));
        let items = items.join(",");
        let template = r#"{"type":"response.completed","response":{"error":null,"output":[$0]}}"#;
        out.event("response.completed", template, &[&items]);
    }
    out.end(false);
}

fn anthropic(steps: &[SendStep], calls: &[PlannedCall], out: &mut EventWriter<'_>) {
    const NOISE: &[&str] = &[
        r#"{"type":"ping"}"#,
        r#"{"type":"content_block_start","index":90,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
        r#"{"type":"content_block_delta","index":90,"delta":{"type":"thinking_delta","thinking":"no"}}"#,
        r#"{"type":"content_block_delta","index":90,"delta":{"type":"signature_delta","signature":"no"}}"#,
        r#"{"type":"content_block_stop","index":90}"#,
        r#"{"type":"content_block_delta","index":91,"delta":{"type":"text_delta","text":""}}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":null},"usage":{"output_tokens":3}}"#,
    ];
    out.reasoning_event =
        Some(r#"{"type":"content_block_delta","index":93,"delta":{"type":"thinking_delta","thinking":$0}}"#);
    let stop = out.dice.below(4);
    if !out.dice.once_in(4) {
        let template =
            r#"{"type":"message_start","message":{"role":"assistant","content":[],"usage":{"input_tokens":1}}}"#;
        out.event("message_start", template, &[]);
    }
    let (mut blocks, mut of) = (0, vec![0; calls.len()]);
    let mut in_text = false;
    for step in steps {
        if let (true, SendStep::Start(..)) = (in_text, step) {
            let index = (blocks - 1).to_string();
            out.event("content_block_stop", r#"{"type":"content_block_stop","index":$0}"#, &[&index]);
            in_text = false;
        }
        match step {
            SendStep::Text(text) => {
                let mut text = &text[..];
                if !std::mem::replace(&mut in_text, true) {
                    blocks += 1;
                    let first = if out.dice.once_in(4) { std::mem::take(&mut text) } else { &[] };
                    let (index, first) = ((blocks - 1).to_string(), string(first, out.dice));
                    let template =
                        r#"{"type":"content_block_start","index":$0,"content_block":{"type":"text","text":$1}}"#;
                    out.event("content_block_start", template, &[&index, &first]);
                }
                let (index, text) = ((blocks - 1).to_string(), string(text, out.dice));
                let template = r#"{"type":"content_block_delta","index":$0,"delta":{"type":"text_delta","text":$1}}"#;
                out.event("content_block_delta", template, &[&index, &text]);
            }
            SendStep::Start(i, _) => {
                blocks += 1;
                of[*i] = blocks - 1;
                let input =
                    if calls[*i].whole { &*calls[*i].arguments } else { out.dice.pick(&["{}", "{ }", "\"\"", "null"]) };
                let type_ = if calls[*i].asks.is_some() {
                    "\"tool_use\""
                } else {
                    out.dice.pick(&["\"tool_use\"", "\"server_tool_use\"", "\"mcp_tool_use\""])
                };
                let (index, id, name) = (of[*i].to_string(), plain(calls[*i].id()), plain(calls[*i].tool));
                let template = r#"{"type":"content_block_start","index":$0,"content_block":{"type":$4,"id":$1,"name":$2,"input":$3}}"#;
                out.event("content_block_start", template, &[&index, &id, &name, input, type_]);
            }
            SendStep::More(i, more) => {
                let (index, more) = (of[*i].to_string(), string(more, out.dice));
                let template = out.dice.pick(&[
                    r#"{"type":"content_block_delta","index":$0,"delta":{"type":"input_json_delta","partial_json":$1}}"#,
                    r#"{"delta":{"partial_json":$1,"type":"input_json_delta"},"index":$0,"type":"content_block_delta"}"#,
                ]);
                out.event("content_block_delta", template, &[&index, &more]);
            }
            SendStep::End(i) if stop < 3 => {
                let index = of[*i].to_string();
                if out.dice.once_in(4) {
                    let template = r#"{"type":"content_block_delta","index":$0,"delta":{"type":"input_json_delta","partial_json":""}}"#;
                    out.event("content_block_delta", template, &[&index]);
                }
                out.event("content_block_stop", r#"{"type":"content_block_stop","index":$0}"#, &[&index]);
            }
            SendStep::End(_) => {}
        }
        out.noise(NOISE);
    }
    if stop != 2 {
        out.event("message_delta", r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"}}"#, &[]);
        out.event("message_stop", r#"{"type":"message_stop"}"#, &[]);
    }
    out.end(false);
}

fn bedrock(steps: &[SendStep], calls: &[PlannedCall], out: &mut EventWriter<'_>) {
    const NOISE: &[&str] = &[
        r#"{"contentBlockDelta":{"delta":{"reasoningContent":{"text":"no"}},"contentBlockIndex":90,"p":"ab"}}"#,
        r#"{"contentBlockDelta":{"delta":{"reasoningContent":{"signature":"no"}},"contentBlockIndex":90}}"#,
        r#"{"contentBlockStop":{"contentBlockIndex":90}}"#,
        r#"{"contentBlockDelta":{"delta":{"text":""},"contentBlockIndex":91}}"#,
        r#"{"metadata":{"usage":{"totalTokens":1}}}"#,
    ];
    out.reasoning_event =
        Some(r#"{"contentBlockDelta":{"delta":{"reasoningContent":{"text":$0}},"contentBlockIndex":93}}"#);
    let stop = out.dice.below(4);
    out.event("", r#"{"messageStart":{"role":"assistant","p":"abc"}}"#, &[]);
    let (mut blocks, mut of) = (0, vec![0; calls.len()]);
    for step in steps {
        match step {
            SendStep::Text(text) => {
                let text = string(text, out.dice);
                out.event("", r#"{"contentBlockDelta":{"delta":{"text":$0},"contentBlockIndex":80}}"#, &[&text]);
            }
            SendStep::Start(i, _) => {
                (of[*i], blocks) = (blocks, blocks + 1);
                let (index, id, name) = (of[*i].to_string(), plain(calls[*i].id()), plain(calls[*i].tool));
                let template =
                    r#"{"contentBlockStart":{"start":{"toolUse":{"toolUseId":$1,"name":$2}},"contentBlockIndex":$0}}"#;
                out.event("", template, &[&index, &id, &name]);
            }
            SendStep::More(i, more) => {
                let (index, more) = (of[*i].to_string(), string(more, out.dice));
                let template =
                    r#"{"contentBlockDelta":{"contentBlockIndex":$0,"delta":{"toolUse":{"input":$1}},"p":"a"}}"#;
                out.event("", template, &[&index, &more]);
            }
            SendStep::End(i) if stop < 3 => {
                out.event("", r#"{"contentBlockStop":{"contentBlockIndex":$0}}"#, &[&of[*i].to_string()]);
            }
            SendStep::End(_) => {}
        }
        out.noise(NOISE);
    }
    if stop != 2 {
        out.event("", r#"{"messageStop":{"stopReason":"tool_use"}}"#, &[]);
    }
    out.noise(NOISE);
    out.end(false);
}

fn ollama(steps: &[SendStep], calls: &[PlannedCall], out: &mut EventWriter<'_>) {
    const NOISE: &[&str] = &[
        r#"{"model":"m","message":{"role":"assistant","content":"","thinking":"no"},"done":false}"#,
        r#"{"model":"m","message":{"role":"assistant","content":"","tool_calls":null},"done":false}"#,
        r#"{"model":"m","message":{"content":null,"tool_calls":[]},"done":false,"error":null}"#,
    ];
    out.reasoning_event =
        Some(r#"{"model":"m","message":{"role":"assistant","content":"","thinking":$0},"done":false}"#);
    let mut pending: Vec<String> = Vec::new();
    for (position, step) in steps.iter().enumerate() {
        match step {
            SendStep::Text(text) => {
                let text = string(text, out.dice);
                let template = out.dice.pick(&[
                    r#"{"model":"m","message":{"role":"assistant","content":$0},"done":false}"#,
                    r#"{"model":"m","created_at":"2025","response":$0,"done":false}"#,
                ]);
                out.event("", template, &[&text]);
            }
            SendStep::Start(i, _) => {
                let call = &calls[*i];
                let (id, name) = (plain(call.id()), plain(call.tool));
                let all = match call.whole {
                    true => call.arguments.clone(),
                    false => string(&call.arguments.encode_utf16().collect::<Vec<_>>(), out.dice),
                };
                let template = match call.id {
                    Some(_) => r#"{"id":$0,"function":{"index":0,"name":$1,"arguments":$2}}"#,
                    None => r#"{"function":{"name":$1,"arguments":$2}}"#,
                };
                pending.push(out.fill(template, &[&id, &name, &all]));
                // A whole call has no other steps, so those in the plan are skipped.
                let next =
                    steps[position + 1..].iter().find(|step| !matches!(step, SendStep::End(_) | SendStep::More(..)));
                if !(matches!(next, Some(SendStep::Start(..))) && out.dice.once_in(3)) {
                    let all = std::mem::take(&mut pending).join(",");
                    let template =
                        r#"{"model":"m","message":{"role":"assistant","content":"","tool_calls":[$0]},"done":false}"#;
                    out.event("", template, &[&all]);
                }
            }
            SendStep::More(..) | SendStep::End(_) => continue,
        }
        out.noise(NOISE);
    }
    if !out.dice.once_in(4) {
        out.event("", r#"{"model":"m","message":{"role":"assistant","content":""},"done":true,"eval_count":3}"#, &[]);
    } else {
        out.event("", NOISE[1], &[]);
    }
    out.end(false);
}

fn gemini(steps: &[SendStep], calls: &[PlannedCall], out: &mut EventWriter<'_>) {
    const NOISE: &[&str] = &[
        r#"{"candidates":[{"content":{"parts":[{"text":"no","thought":true}],"role":"model"},"index":0}]}"#,
        r#"{"candidates":[{"content":{"parts":[{"text":"no"}]},"index":1}]}"#,
        r#"{"candidates":[{"content":{"role":"model"},"finishReason":"STOP"}]}"#,
        r#"{"candidates":[{"content":{"parts":[{"text":""}]}}],"error":null}"#,
        r#"{"usageMetadata":{"totalTokenCount":3},"modelVersion":"g"}"#,
    ];
    out.reasoning_event =
        Some(r#"{"candidates":[{"content":{"parts":[{"text":$0,"thought":true}],"role":"model"},"index":0}]}"#);
    for step in steps {
        match step {
            SendStep::Text(text) => {
                let text = string(text, out.dice);
                let template = out.text_template(&[
                    r#"{"candidates":[{"content":{"parts":[{"text":$0}],"role":"model"},"index":0}]}"#,
                    r#"{"candidates":[{"content":{"parts":[{"text":"no","thought":true},{"text":$0,"thought":false}]}}]}"#,
                ]);
                out.event("message", template, &[&text]);
            }
            SendStep::Start(i, _) => match &calls[*i].asks {
                Some((question, suggest)) if calls[*i].tool == TOOL && out.dice.once_in(2) => {
                    gemini_partial_args(question, suggest, calls[*i].id.as_deref(), NOISE, out);
                }
                _ => {
                    let (id, name) = (plain(calls[*i].id()), plain(calls[*i].tool));
                    let id = if calls[*i].id.is_some() { format!("\"id\":{id},") } else { String::new() };
                    let template = r#"{"candidates":[{"content":{"parts":[{"functionCall":{$0"name":$1,"args":$2},"thoughtSignature":"x"}]},"finishReason":"STOP"}]}"#;
                    out.event("message", template, &[&id, &name, &calls[*i].arguments]);
                }
            },
            SendStep::More(..) | SendStep::End(_) => {}
        }
        out.noise(NOISE);
    }
    out.event("message", NOISE[4], &[]);
    out.end(false);
}

/// A call in `partialArgs`.
fn gemini_partial_args(
    question: &str,
    suggest: &[Suggestion],
    id: Option<&str>,
    noise: &[&str],
    out: &mut EventWriter<'_>,
) {
    const PART: &str = r#"{"candidates":[{"content":{"parts":[{"functionCall":{$0}}]}}]}"#;
    let mut values = vec![("$.question".to_owned(), Some(question))];
    let (key, brackets) = (out.dice.pick(&["follow_up", "suggestions", "options"]), out.dice.once_in(2));
    for (i, (text, mode)) in suggest.iter().enumerate() {
        let base = if brackets { format!("$['{key}'][{i}]") } else { format!("$.{key}[{i}]") };
        if mode.is_none() && out.dice.once_in(3) {
            values.push((base, Some(text)));
            continue;
        }
        let mut pair = vec![(format!("{base}.text"), Some(&**text))];
        if mode.is_some() || out.dice.once_in(2) {
            pair.insert(out.dice.below(2) ^ 1, (format!("{base}.mode"), mode.as_deref()));
        }
        values.extend(pair);
    }
    if out.dice.once_in(2) {
        values.rotate_left(1);
    }
    // The pieces of all values, each of which tells whether its value continues.
    let mut pieces = Vec::new();
    for (path, value) in values {
        let path = plain(&path);
        let Some(value) = value else {
            pieces.push(format!("{{\"jsonPath\":{path},\"nullValue\":null}}"));
            continue;
        };
        let splits_pairs = out.dice.once_in(2);
        let parts = fragments(value, out.dice, splits_pairs);
        for (i, part) in parts.iter().enumerate() {
            let will_continue = if i + 1 < parts.len() { ",\"willContinue\":true" } else { "" };
            pieces.push(format!("{{\"jsonPath\":{path},\"stringValue\":{}{will_continue}}}", string(part, out.dice)));
        }
    }
    let head = format!("{}\"name\":\"{TOOL}\"", id.map(|id| format!("\"id\":{},", plain(id))).unwrap_or_default());
    let repeats = out.dice.once_in(3);
    let last_alone = out.dice.once_in(2);
    let mut first = true;
    if out.dice.once_in(2) {
        out.event("message", PART, &[&format!("{head},\"willContinue\":true")]);
        first = false;
    }
    let mut rest = &pieces[..];
    while !rest.is_empty() {
        let (some, later) = rest.split_at(rest.len().min(1 + out.dice.below(3)));
        rest = later;
        let named = if first || repeats { format!("{head},") } else { String::new() };
        let will_continue = if rest.is_empty() && !last_alone { "" } else { ",\"willContinue\":true" };
        out.event("message", PART, &[&format!("{named}\"partialArgs\":[{}]{will_continue}", some.join(","))]);
        out.noise(noise);
        first = false;
    }
    if last_alone {
        out.event("message", PART, &[""]);
    }
}

fn cohere(steps: &[SendStep], calls: &[PlannedCall], out: &mut EventWriter<'_>) {
    const NOISE: &[&str] = &[
        r#"{"type":"content-start","index":90,"delta":{"message":{"content":{"type":"thinking","thinking":""}}}}"#,
        r#"{"type":"content-delta","index":90,"delta":{"message":{"content":{"thinking":"no"}}}}"#,
        r#"{"type":"content-start","index":91,"delta":{"message":{"content":{"type":"text","text":""}}}}"#,
        r#"{"type":"content-end","index":91}"#,
        r#"{"type":"citation-start","index":0,"delta":{"message":{"citations":{"start":0,"end":1,"text":"no"}}}}"#,
        r#"{"type":"citation-end","index":0}"#,
    ];
    out.reasoning_event =
        Some(r#"{"type":"content-delta","index":93,"delta":{"message":{"content":{"thinking":$0}}}}"#);
    let (ends, finishes) = (out.dice.below(4) < 3, !out.dice.once_in(4));
    let start = r#"{"id":"m","type":"message-start","delta":{"message":{"role":"assistant","content":[],"tool_plan":"","tool_calls":[]}}}"#;
    out.event("message-start", start, &[]);
    let mut started = Vec::new();
    for step in steps {
        let index = |i: &usize| started.iter().position(|one| one == i).unwrap_or(started.len()).to_string();
        match step {
            SendStep::Text(text) => {
                let text = string(text, out.dice);
                let template = out.dice.pick(&[
                    r#"{"type":"content-delta","index":91,"delta":{"message":{"content":{"text":$0}}}}"#,
                    r#"{"type":"tool-plan-delta","delta":{"message":{"tool_plan":$0}}}"#,
                ]);
                out.event("content-delta", template, &[&text]);
            }
            SendStep::Start(i, _) => {
                let (index, id, name) = (index(i), plain(calls[*i].id()), plain(calls[*i].tool));
                let template = out.dice.pick(&[
                    r#"{"type":"tool-call-start","index":$0,"delta":{"message":{"tool_calls":{"id":$1,"type":"function","function":{"name":$2,"arguments":""}}}}}"#,
                    r#"{"delta":{"message":{"tool_calls":[{"id":$1,"function":{"name":$2}}]}},"type":"tool-call-start","index":$0}"#,
                ]);
                out.event("tool-call-start", template, &[&index, &id, &name]);
                started.push(*i);
            }
            SendStep::More(i, more) => {
                let (index, more) = (index(i), string(more, out.dice));
                let template = r#"{"type":"tool-call-delta","index":$0,"delta":{"message":{"tool_calls":{"function":{"arguments":$1}}}}}"#;
                out.event("tool-call-delta", template, &[&index, &more]);
            }
            SendStep::End(i) if ends => {
                let index = index(i);
                out.event("tool-call-end", r#"{"type":"tool-call-end","index":$0}"#, &[&index]);
            }
            SendStep::End(_) => {}
        }
        out.noise(NOISE);
    }
    if finishes {
        let template = r#"{"type":"message-end","id":"m","delta":{"finish_reason":"TOOL_CALL","usage":{}}}"#;
        out.event("message-end", template, &[]);
    }
    out.end(false);
}

fn gemini_interactions(steps: &[SendStep], calls: &[PlannedCall], out: &mut EventWriter<'_>) {
    const NOISE: &[&str] = &[
        r#"{"interaction_id":"v1","status":"in_progress","event_type":"interaction.status_update"}"#,
        r#"{"index":90,"step":{"type":"thought","summary":[{"text":"no","type":"text"}]},"event_type":"step.start"}"#,
        r#"{"index":90,"delta":{"type":"thought_summary","content":{"type":"text","text":"no"}},"event_type":"step.delta"}"#,
        r#"{"index":90,"delta":{"signature":"no","type":"thought_signature"},"event_type":"step.delta"}"#,
        r#"{"index":90,"event_type":"step.stop"}"#,
    ];
    let stops = out.dice.below(4) < 3;
    // A call without arguments is final only if something says so.
    let finishes = !out.dice.once_in(4) || !stops;
    let start = r#"{"interaction":{"id":"v1","status":"in_progress","object":"interaction"},"event_type":"interaction.created"}"#;
    out.event("interaction.created", start, &[]);
    let mut started = Vec::new();
    for step in steps {
        let index = |i: &usize| started.iter().position(|one| one == i).unwrap_or(started.len()).to_string();
        match step {
            SendStep::Text(text) => {
                let text = string(text, out.dice);
                let template = out.dice.pick(&[
                    r#"{"index":91,"delta":{"text":$0,"type":"text"},"event_type":"step.delta"}"#,
                    r#"{"index":91,"step":{"type":"model_output","content":[{"type":"text","text":$0}]},"event_type":"step.start"}"#,
                    r#"{"event_type":"content.delta","index":91,"delta":{"type":"text","text":$0}}"#,
                ]);
                out.event("step.delta", template, &[&text]);
            }
            SendStep::Start(i, _) => {
                let call = &calls[*i];
                let (index, id, name) = (index(i), plain(call.id()), plain(call.tool));
                let arguments = if call.whole { &*call.arguments } else { out.dice.pick(&["{}", "{ }", "null"]) };
                let template = r#"{"index":$0,"step":{"type":"function_call","id":$1,"name":$2,"arguments":$3,"signature":"x"},"event_type":"step.start"}"#;
                out.event("step.start", template, &[&index, &id, &name, arguments]);
                started.push(*i);
            }
            SendStep::More(i, more) => {
                let (index, more) = (index(i), string(more, out.dice));
                let template = out.dice.pick(&[
                    r#"{"index":$0,"delta":{"type":"arguments_delta","arguments":$1},"event_type":"step.delta"}"#,
                    r#"{"index":$0,"delta":{"type":"arguments","partial_arguments":$1},"event_type":"step.delta"}"#,
                ]);
                out.event("step.delta", template, &[&index, &more]);
            }
            SendStep::End(i) if stops => {
                let index = index(i);
                out.event("step.stop", r#"{"index":$0,"event_type":"step.stop"}"#, &[&index]);
            }
            SendStep::End(_) => {}
        }
        out.noise(NOISE);
    }
    if finishes {
        let end =
            r#"{"interaction":{"id":"v1","status":"requires_action","usage":{}},"event_type":"interaction.completed"}"#;
        out.event("interaction.completed", end, &[]);
    }
    out.end(true);
}

fn openai_assistants(steps: &[SendStep], calls: &[PlannedCall], prose: &str, out: &mut EventWriter<'_>) {
    const NOISE: &[&str] = &[
        r#"{"id":"run","object":"thread.run","status":"in_progress","required_action":null,"last_error":null}"#,
        r#"{"id":"step","object":"thread.run.step","status":"in_progress","type":"tool_calls"}"#,
        r#"{"id":"msg","object":"thread.message","status":"in_progress","role":"assistant","content":[]}"#,
        r#"{"object":"thread.run.step.delta","delta":{"step_details":{"type":"tool_calls","tool_calls":[{"index":90,"id":"ci","type":"code_interpreter","code_interpreter":{"input":"no"}}]}}}"#,
    ];
    let finishes = !out.dice.once_in(4);
    out.event("thread.run.created", r#"{"id":"run","object":"thread.run","status":"queued","metadata":{}}"#, &[]);
    let mut started = Vec::new();
    let mut has_text = false;
    for step in steps {
        let index = |i: &usize| started.iter().position(|one| one == i).unwrap_or(started.len()).to_string();
        match step {
            SendStep::Text(text) => {
                has_text = true;
                let text = string(text, out.dice);
                let template = r#"{"id":"msg","object":"thread.message.delta","delta":{"content":[{"index":0,"type":"text","text":{"value":$0,"annotations":[]}}]}}"#;
                out.event("thread.message.delta", template, &[&text]);
            }
            SendStep::Start(i, _) => {
                let (index, id, name) = (index(i), plain(calls[*i].id()), plain(calls[*i].tool));
                let template = r#"{"id":"step","object":"thread.run.step.delta","delta":{"step_details":{"type":"tool_calls","tool_calls":[{"index":$0,"id":$1,"type":"function","function":{"name":$2,"arguments":"","output":null}}]}}}"#;
                out.event("thread.run.step.delta", template, &[&index, &id, &name]);
                started.push(*i);
            }
            SendStep::More(i, more) => {
                let (index, more) = (index(i), string(more, out.dice));
                let template = r#"{"id":"step","object":"thread.run.step.delta","delta":{"step_details":{"type":"tool_calls","tool_calls":[{"index":$0,"type":"function","function":{"arguments":$1}}]}}}"#;
                out.event("thread.run.step.delta", template, &[&index, &more]);
            }
            SendStep::End(_) => {}
        }
        out.noise(NOISE);
    }
    if has_text && out.dice.once_in(2) {
        let all = string(&prose.encode_utf16().collect::<Vec<_>>(), out.dice);
        let template = r#"{"id":"msg","object":"thread.message","status":"completed","role":"assistant","content":[{"type":"text","text":{"value":$0,"annotations":[]}}]}"#;
        out.event("thread.message.completed", template, &[&all]);
    }
    if finishes {
        let mut whole = Vec::new();
        for &i in &started {
            let arguments = string(&calls[i].arguments.encode_utf16().collect::<Vec<_>>(), out.dice);
            let (id, name) = (plain(calls[i].id()), plain(calls[i].tool));
            let template = r#"{"id":$0,"type":"function","function":{"name":$1,"arguments":$2}}"#;
            whole.push(out.fill(template, &[&id, &name, &arguments]));
        }
        let template = r#"{"id":"run","object":"thread.run","status":"requires_action","required_action":{"type":"submit_tool_outputs","submit_tool_outputs":{"tool_calls":[$0]}},"last_error":null}"#;
        out.event("thread.run.requires_action", template, &[&whole.join(",")]);
    }
    out.end(true);
}

fn workers_ai(steps: &[SendStep], calls: &[PlannedCall], out: &mut EventWriter<'_>) {
    const NOISE: &[&str] = &[r#"{"response":"","p":"ab"}"#, r#"{"response":null,"tool_calls":[],"p":"a"}"#];
    let padding = if out.dice.once_in(2) { r#","p":"abcdefgh""# } else { "" };
    for step in steps {
        match step {
            SendStep::Text(text) => {
                let text = string(text, out.dice);
                out.event("", r#"{"response":$0$1}"#, &[&text, padding]);
            }
            SendStep::Start(i, _) => {
                let (id, name) = (plain(calls[*i].id()), plain(calls[*i].tool));
                let id = if calls[*i].id.is_some() { format!("\"id\":{id},") } else { String::new() };
                let template = r#"{"response":"","tool_calls":[{$0"name":$1,"arguments":$2}]$3}"#;
                out.event("", template, &[&id, &name, &calls[*i].arguments, padding]);
            }
            SendStep::More(..) | SendStep::End(_) => {}
        }
        out.noise(NOISE);
    }
    out.event("", r#"{"response":"","usage":{"total_tokens":9}$0}"#, &[padding]);
    out.end(true);
}

fn watsonx(steps: &[SendStep], out: &mut EventWriter<'_>) {
    const PIECE: &str = r#"{"model_id":"m","created_at":"2025","results":[{"generated_text":$0,"generated_token_count":2,"input_token_count":0,"stop_reason":$1}]}"#;
    for step in steps {
        let SendStep::Text(text) = step else { continue };
        let text = string(text, out.dice);
        out.event("message", PIECE, &[&text, "\"not_finished\""]);
    }
    out.event("message", PIECE, &["\"\"", "\"eos_token\""]);
    out.end(false);
}

fn dashscope(steps: &[SendStep], calls: &[PlannedCall], out: &mut EventWriter<'_>) {
    const MESSAGE: &str = r#"{"output":{"choices":[{"message":{"content":$0,"role":"assistant"$1},"finish_reason":$2}]},"usage":{"total_tokens":9},"request_id":"r"}"#;
    // Pieces that look like all so far can't be told from it.
    let texts: Vec<&[u16]> =
        steps.iter().filter_map(|step| if let SendStep::Text(text) = step { Some(&text[..]) } else { None }).collect();
    let pieces = |call: usize| -> Vec<&[u16]> {
        let mut pieces = Vec::new();
        for step in steps {
            match step {
                SendStep::More(i, more) if *i == call => pieces.push(&more[..]),
                _ => {}
            }
        }
        pieces
    };
    let look_cumulative = |pieces: &[&[u16]]| matches!(pieces, [one, two, ..] if two.starts_with(one));
    let must_be_cumulative = look_cumulative(&texts) || (0..calls.len()).any(|call| look_cumulative(&pieces(call)));
    let cumulative = out.dice.once_in(2) || must_be_cumulative;
    // A payload has all calls so far, too.
    let repeats_calls = cumulative && !out.dice.once_in(3);
    let (mut text, mut arguments) = (Vec::new(), vec![Vec::new(); calls.len()]);
    let mut started = Vec::new();
    let finish = out.dice.pick(&["\"tool_calls\"", "\"stop\"", "\"length\"", ""]);
    for step in steps {
        let mut call = None;
        if !cumulative {
            text.clear();
        }
        match step {
            SendStep::Text(more) => text.extend(more),
            SendStep::Start(i, _) => {
                started.push(*i);
                call = Some(*i);
            }
            SendStep::More(i, more) => {
                if !cumulative {
                    arguments[*i].clear();
                }
                arguments[*i].extend(more);
                call = Some(*i);
            }
            SendStep::End(_) => continue,
        }
        let entry = |i: usize, out: &mut EventWriter<'_>| {
            let index = started.iter().position(|one| *one == i).expect("the call has started").to_string();
            let all = string(&arguments[i], out.dice);
            let (id, name) = match arguments[i].is_empty() || cumulative {
                true => (plain(calls[i].id()), plain(calls[i].tool)),
                false => ("\"\"".to_owned(), "\"\"".to_owned()),
            };
            let template = r#"{"index":$0,"id":$1,"type":"function","function":{"name":$2,"arguments":$3}}"#;
            out.fill(template, &[&index, &id, &name, &all])
        };
        let entries: Vec<String> = match call {
            Some(_) if repeats_calls => started.iter().map(|i| entry(*i, out)).collect(),
            call => call.iter().map(|i| entry(*i, out)).collect(),
        };
        let calls =
            if entries.is_empty() { String::new() } else { format!(r#","tool_calls":[{}]"#, entries.join(",")) };
        let content = string(&text, out.dice);
        out.event("result", MESSAGE, &[&content, &calls, "\"null\""]);
    }
    if !cumulative {
        text.clear();
    }
    if !finish.is_empty() || steps.is_empty() {
        let (content, finish) = (string(&text, out.dice), if finish.is_empty() { "\"stop\"" } else { finish });
        out.event("result", MESSAGE, &[&content, "", finish]);
    }
    out.end(false);
}

fn replicate(steps: &[SendStep], out: &mut EventWriter<'_>) {
    let mut data = vec![String::new()];
    for step in steps {
        let SendStep::Text(text) = step else { continue };
        data.push(String::from_utf16(text).expect("whole characters"));
    }
    for (i, text) in data.iter().enumerate() {
        let end = out.dice.pick(&["\n", "\r\n"]);
        let mut lines = vec!["event: output".to_owned(), format!("id: {i}")];
        lines.extend(text.split('\n').map(|line| format!("data: {line}")));
        if out.dice.once_in(6) {
            lines.swap(0, 1);
        }
        lines.push(String::new());
        if out.dice.once_in(6) {
            lines.extend(["event: logs", "data: no", ""].map(String::from));
        }
        out.events.push(lines.iter().flat_map(|line| [line, end]).collect::<String>().into_bytes());
    }
    if !out.dice.once_in(4) || data.len() == 1 {
        out.events.push(b"event: done\ndata: {}\n\n".to_vec());
        out.end(false);
    }
}
