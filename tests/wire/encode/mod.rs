//! An encoder of questions as providers stream them: the inverse of `followup::wire`.
//!
//! All choices come from one list of bytes, so that a property test can shrink a failing stream.
//! After the end of the list, every choice is the plainest one.

mod calls;
pub mod events;
mod google;
mod json;
mod openai;
mod others;
mod steps;

use followup::Questions;
use followup::wire::Format;

use self::calls::{GENERIC, PlannedCall, asked, envelope};
use self::events::{EventWriter, Framing};
use self::google::{gemini, gemini_interactions};
use self::json::string;
use self::openai::{openai_assistants, openai_chat, openai_responses};
use self::others::{anthropic, bedrock, cohere, dashscope, ollama, replicate, watsonx, workers_ai};
use self::steps::{SendStep, fragments, plan};

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
