//! The calls of a body: native ones, and one in an envelope.

use followup::wire::Format;

use super::json::{ANY_BLANK, BLANKS_IN_LINE, BLANKS_WITH_LF, JsonWriter};
use super::{Ask, AskedOption, AskedQuestion, Dice, Suggestion, text, value};

/// A call and how it is sent.
pub(super) struct PlannedCall {
    pub(super) id: Option<String>,
    pub(super) tool: &'static str,
    /// The question and the suggestions, untrimmed.
    pub(super) asks: Option<(String, Vec<Suggestion>)>,
    /// All questions, if the tool is another question tool.
    pub(super) form: Vec<AskedQuestion>,
    pub(super) arguments: String,
    /// The arguments are JSON in one event, not a string.
    pub(super) whole: bool,
    /// The arguments are text, not JSON.
    pub(super) custom: bool,
}

pub(super) const TOOL: &str = "ask_followup_question";

/// Another question tool.
pub(super) struct QuestionTool {
    pub(super) name: &'static str,
    pub(super) list: QuestionList,
    /// The keys of a question, in the order of the tool's schema.
    pub(super) question: &'static [(&'static str, Part)],
    /// The keys of an option's label, description and value. Without any, options are strings.
    pub(super) option: &'static [Option<&'static str>],
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum QuestionList {
    /// The arguments are the question.
    None,
    Array(&'static str),
    /// The fields of a form, whose names are the ids.
    Fields,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Id,
    Header,
    Text,
    Options,
    Multiple,
    Unknown,
}

pub(super) const QUESTION_TOOLS: &[QuestionTool] = &[
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
    pub(super) fn draw(&self, dice: &mut Dice) -> Vec<AskedQuestion> {
        let count = if self.list == QuestionList::None { 1 } else { 1 + dice.below(3) };
        (0..count).map(|_| self.draw_question(dice)).collect()
    }

    pub(super) fn draw_question(&self, dice: &mut Dice) -> AskedQuestion {
        let has = |part| self.question.iter().any(|(_, one)| *one == part);
        let text = value(dice, "Which one?");
        let has_field = |part: usize| self.option.get(part).is_some_and(Option::is_some);
        let options = (0..dice.below(6)).map(|_| AskedOption {
            label: self.draw_label(dice),
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

    fn draw_label(&self, dice: &mut Dice) -> String {
        let text = value(dice, "A");
        // A string in place of an option is read as JSON if it is an object as a whole.
        let may_be_object = self.option.is_empty() && text.trim().starts_with('{') && text.trim().ends_with('}');
        if may_be_object { format!("A{text}") } else { text }
    }
}

/// Names that question tools and other tools have.
pub(super) const GENERIC: &[&str] = &["question", "ask_user"];

impl PlannedCall {
    pub(super) fn new(number: usize, format: Format, ids: bool, dice: &mut Dice) -> PlannedCall {
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

    pub(super) fn id(&self) -> &str {
        self.id.as_deref().unwrap_or_default()
    }
}

/// A call as text, in an envelope of any family. Its arguments are JSON, or parameters.
pub(super) fn envelope(question: &str, suggest: &[Suggestion], dice: &mut Dice) -> (String, Ask) {
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

pub(super) fn with_arguments(form: usize, arguments: &str) -> String {
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
pub(super) fn parameters(tags: [&str; 4], question: &str, suggest: &[Suggestion], dice: &mut Dice) -> String {
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
pub(super) fn keys(question: &str, suggest: &[Suggestion], dice: &mut Dice) -> String {
    let mut all = format!("<tool_call>{TOOL}\n<arg_key>question</arg_key>\n<arg_value>{question}</arg_value>\n");
    if let Some(list) = list(suggest, dice) {
        all += &format!("<arg_key>follow_up</arg_key>\n<arg_value>{list}</arg_value>\n");
    }
    all + "</tool_call>"
}

/// The suggestions as the text of a parameter; `None` if it is left out.
pub(super) fn list(suggest: &[Suggestion], dice: &mut Dice) -> Option<String> {
    if suggest.is_empty() && dice.once_in(2) {
        return None;
    }
    // A tag in a string would make the text markup.
    let mut json = JsonWriter { out: String::new(), dice, blanks: ANY_BLANK, lax: false, hides_tags: true };
    json.items(suggest);
    Some(json.out)
}

/// Returns the call as it is read: only the values of `ask_followup_question` are trimmed.
pub(super) fn asked(tool: &str, id: Option<String>, question: &str, suggest: &[Suggestion]) -> Ask {
    let trim = |text: &str| if tool == TOOL { text.trim().to_owned() } else { text.to_owned() };
    let suggest = suggest.iter().map(|(text, mode)| (trim(text), mode.as_deref().map(trim)));
    Ask { id, tool: tool.to_owned(), question: trim(question), suggest: suggest.collect(), form: Vec::new() }
}
