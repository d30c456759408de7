//! The states of a call in an envelope, and which tags mean something in which.

use super::harmony;
use super::tag::{Kinds, Tags, Token};
use crate::config::{Envelope, Envelopes};

/// What of an envelope is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum State {
    /// Before it is certain that a call follows. Everything is held back.
    Header(Header),
    /// In a call, between its parameters.
    Between,
    /// In the key of a parameter.
    Key,
    /// In the value of a parameter.
    Value(Value),
    Json(Json),
    /// After JSON that is ill-formed, up to a tag that ends the call.
    Broken,
    After(After),
}

/// What of a header has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Header {
    /// A wrapper. `tool_call`: that is its name.
    Wrapper { tool_call: bool, fence: Fence },
    /// In the name of a tool after a wrapper.
    Name,
    /// What names the tool. `by_tag`: a tag did.
    Named { by_tag: bool, fence: Fence },
    /// In a JSON object, before the name. `bare`: without a wrapper.
    Object { bare: bool },
    /// In a header of Harmony.
    Words(harmony::Part),
    /// A section, and no call of it.
    Section,
    /// In the name of a tool after a token.
    TokenName,
    /// In `[TOOL_CALLS]`, of which so many bytes have come.
    Marker(u8),
    /// After `[TOOL_CALLS]`.
    Marked,
    /// In a name after `[TOOL_CALLS]`.
    MarkedName,
    /// In `[CALL_ID]` or `[ARGS]` after a name, or in the id.
    MarkedWord,
}

/// The opening line of a fence before JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Fence {
    #[default]
    None,
    /// One or two back-ticks, or three and so many letters.
    Opening(u8),
    /// It is complete.
    Open,
}

/// What the value of a parameter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Value {
    Question,
    /// A question that is a JSON string if it begins with `"`.
    JsonQuestion,
    /// A question in a JSON string.
    JsonString,
    /// A list of suggestions, as text.
    List,
    /// The arguments, if it begins with `{`.
    Arguments,
    /// In the JSON of the arguments, or after it.
    Json,
    /// A value without a meaning.
    Nothing,
}

/// Which JSON is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Json {
    /// The object around the arguments.
    Object,
    /// The arguments. `in_object`: there is an object around them.
    Arguments { in_object: bool },
    /// The arguments in a string of the object.
    Text,
    /// The arguments of another tool.
    Other,
}

/// What has come after a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct After {
    /// Its own close tag.
    pub(super) is_closed: bool,
    /// So many back-ticks of a closing fence.
    pub(super) ticks: u8,
    /// What separates it from the next call in a list.
    pub(super) is_separated: bool,
}

/// How a call is written: what closes it, and what may follow it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Style {
    /// `<function=NAME>`, `<invoke name="NAME">`.
    #[default]
    Tag,
    /// The wrapper closes it.
    Wrapper,
    /// Keys and values in a wrapper.
    Keys,
    /// Bare JSON: nothing closes it.
    Bare,
    Harmony,
    Kimi,
    Llama,
    /// One call after `[TOOL_CALLS]`: nothing closes it.
    Mistral,
    /// A list of calls after `[TOOL_CALLS]`.
    MistralList,
    Deepseek,
}

/// Returns the tags and tokens that begin an envelope.
pub(crate) fn openers(families: Envelopes) -> Tags {
    let any = |some: &[Envelope]| some.iter().any(|&family| families.contains(family));
    let mut open = Kinds::NONE;
    let mut add = |is_read: bool, kinds: Kinds| {
        if is_read {
            open = open.or(kinds);
        }
    };
    let tags = [Envelope::FunctionXml, Envelope::Hermes, Envelope::Invoke, Envelope::Dsml];
    add(any(&tags), Kinds::WRAPPERS);
    add(any(&[Envelope::Glm]), Kinds::TOOL_CALL);
    add(any(&[Envelope::FunctionXml, Envelope::Dsml]), Kinds::FUNCTION);
    add(any(&[Envelope::Invoke, Envelope::Dsml]), Kinds::INVOKE);
    add(any(&[Envelope::Harmony]), Kinds::of(Token::Start).or(Kinds::of(Token::Channel)));
    add(any(&[Envelope::Kimi]), Kinds::of(Token::SectionBegin).or(Kinds::of(Token::CallBegin)));
    add(any(&[Envelope::Llama]), Kinds::of(Token::PythonStart));
    add(any(&[Envelope::Deepseek]), Kinds::of(Token::DeepseekBegin).or(Kinds::of(Token::DeepseekCall)));
    Tags { open, families, ..Tags::none() }
}

impl State {
    /// Returns the tags that mean something. `ours`: the call is one of our tool.
    pub(super) fn tags(self, style: Style, ours: bool, has_recipient: bool, families: Envelopes) -> Tags {
        let openers = openers(families);
        let call_tags = openers.open.and(Kinds::CALLS);
        let ends = match style {
            Style::Tag => Kinds::CALLS.or(Kinds::WRAPPERS),
            Style::Wrapper | Style::Keys => Kinds::WRAPPERS,
            _ => Kinds::NONE,
        };
        let none = Tags { families, ..Tags::none() };
        // What belongs to another tool's call is text all the same.
        let split = |kinds: Kinds| if ours { (kinds, Kinds::NONE) } else { (Kinds::NONE, kinds) };
        match self {
            State::Header(header) => match header {
                Header::Wrapper { fence: Fence::None, .. } => {
                    Tags { open: call_tags.or(openers.open.and(Kinds::WRAPPERS)), ..none }
                }
                Header::Named { .. } | Header::Name if style == Style::Deepseek => none,
                Header::Named { fence: Fence::None, .. } if style == Style::Keys => {
                    Tags { open: Kinds::KEY, close: if ours { Kinds::WRAPPERS } else { Kinds::NONE }, ..none }
                }
                Header::Named { fence: Fence::None, .. } => Tags { open: Kinds::PARAMETER, close: ends, ..none },
                Header::Name => {
                    Tags { open: Kinds::KEY, close: if ours { Kinds::WRAPPERS } else { Kinds::NONE }, ..none }
                }
                Header::Words(harmony::Part::Role) => Tags { open: Kinds::of(Token::Channel), ..none },
                Header::Words(part) => {
                    let constrain =
                        if part == harmony::Part::Channel { Kinds::of(Token::Constrain) } else { Kinds::NONE };
                    let open = if has_recipient { Kinds::of(Token::Message).or(constrain) } else { Kinds::NONE };
                    Tags { open, ..none }
                }
                Header::Section if style == Style::Deepseek => Tags { open: Kinds::of(Token::DeepseekCall), ..none },
                Header::Section => Tags { open: Kinds::of(Token::CallBegin), ..none },
                Header::TokenName if style == Style::Deepseek => {
                    Tags { open: Kinds::of(Token::DeepseekSeparator), ..none }
                }
                Header::TokenName => Tags { open: Kinds::of(Token::ArgumentBegin), ..none },
                _ => none,
            },
            State::Between => {
                let (close, close_shown) = split(ends);
                let (open, open_shown) =
                    split(if style == Style::Keys { Kinds::KEY.or(Kinds::VALUE) } else { Kinds::PARAMETER });
                Tags { open: open.or(openers.open), open_shown, close, close_shown, ..none }
            }
            State::Key => {
                let (close, close_shown) = split(Kinds::KEY.or(Kinds::WRAPPERS));
                Tags { close, close_shown, ..none }
            }
            State::Value(_) => {
                let own = if style == Style::Keys { Kinds::VALUE } else { Kinds::PARAMETER };
                if ours {
                    let next = if style == Style::Keys { Kinds::KEY } else { Kinds::PARAMETER };
                    let ends = if style == Style::Keys { Kinds::WRAPPERS } else { ends };
                    Tags { open: next, close: own.or(ends), ..none }
                } else {
                    Tags { close_shown: own, ..none }
                }
            }
            State::Json(_) => none,
            State::Broken => {
                let any = if ends.is_empty() { ends } else { Kinds::CALLS.or(Kinds::WRAPPERS) };
                let (close, close_shown) = split(any);
                let (open, open_shown) = split(end_tokens(style));
                Tags { open: open.or(openers.open).or(next_tokens(style)), open_shown, close, close_shown, ..none }
            }
            State::After(After { ticks: 1.., .. }) => none,
            State::After(after) => {
                let (close, open) = closers(style, after.is_closed);
                Tags { open, close, ..none }
            }
        }
    }
}

/// Returns the close tags and the tokens that may follow a call as parts of it.
pub(super) fn closers(style: Style, is_closed: bool) -> (Kinds, Kinds) {
    match style {
        Style::Tag if !is_closed => (Kinds::CALLS.or(Kinds::WRAPPERS), Kinds::NONE),
        Style::Tag | Style::Wrapper | Style::Keys => (Kinds::WRAPPERS, Kinds::NONE),
        Style::Kimi if is_closed => (Kinds::NONE, Kinds::of(Token::SectionEnd)),
        Style::Deepseek if is_closed => (Kinds::NONE, Kinds::of(Token::DeepseekEnd)),
        _ => (Kinds::NONE, end_tokens(style)),
    }
}

/// Returns the tokens that close a call or its section.
fn end_tokens(style: Style) -> Kinds {
    match style {
        Style::Harmony => Kinds::of(Token::Call),
        Style::Kimi => Kinds::of(Token::CallEnd).or(Kinds::of(Token::SectionEnd)),
        Style::Llama => Kinds::of(Token::PythonEnd),
        Style::Deepseek => Kinds::of(Token::DeepseekCallEnd).or(Kinds::of(Token::DeepseekEnd)),
        _ => Kinds::NONE,
    }
}

/// Returns the tokens that begin the next call of a section.
fn next_tokens(style: Style) -> Kinds {
    match style {
        Style::Kimi => Kinds::of(Token::CallBegin),
        Style::Deepseek => Kinds::of(Token::DeepseekCall),
        _ => Kinds::NONE,
    }
}
