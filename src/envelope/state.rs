//! The states of a call in an envelope.

use super::harmony;
use super::kinds::{Kinds, Token};
use crate::json::arguments::ListParameter;
use crate::shape::reader::Written;

/// What of an envelope is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum EnvelopeState {
    /// Before it is certain that a call follows. Everything is held back.
    Header(Header),
    /// In a call, between its parameters. `is_first`: none has come.
    Between {
        is_first: bool,
    },
    /// In the key of a parameter.
    Key {
        is_first: bool,
    },
    /// In the value of a parameter.
    Value(ParameterValue),
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
    Wrapper { tool_call: bool },
    /// In the name of a tool after a wrapper.
    Name,
    /// What names the tool. `by_tag`: a tag did.
    Named { by_tag: bool },
    /// In a JSON object, before the name. `start`: where in the header it begins.
    Object { start: usize },
    /// In the text between two tokens of Harmony. `start`: where in the header it begins.
    Words { part: harmony::HeaderPart, start: usize },
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
    /// In what follows that name.
    MarkedWord(ArgsMarker),
}

/// What has come of `[ARGS]`, or of `[CALL_ID]`, an id and `[ARGS]`, after a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum ArgsMarker {
    /// Nothing but space.
    AfterName,
    /// The `[` of one of them.
    Bracket,
    /// The number of bytes of `[ARGS]` that were read.
    Args(u8),
    /// The number of bytes of `[CALL_ID]` that were read.
    CallId(u8),
    /// The number of bytes of the id that were read.
    Id(u8),
    /// The id and space.
    AfterId,
}

/// The fence around the JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Fence {
    None,
    /// Of its opening line: one or two back-ticks, or three and so many letters.
    Opening(u8),
    /// Its opening line is complete.
    Open,
    /// So many back-ticks of its end; none at the beginning of a line after ill-formed JSON.
    Closing(u8),
}

/// What the value of a parameter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum ParameterValue {
    Question,
    /// A question that is a JSON string if it begins with `"`.
    JsonQuestion,
    /// A question in a JSON string.
    JsonString,
    /// A list of suggestions, as text.
    List(ListParameter),
    /// A value of a tool that a shape reads.
    Shaped(Written),
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
    /// The object around the arguments, or the arguments of another tool.
    Object,
    /// The arguments. `in_object`: there is an object around them.
    Arguments { in_object: bool },
    /// The arguments in a string of the object.
    Text,
}

/// What has come after a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct After {
    /// Its own close tag.
    pub(super) is_closed: bool,
    /// What separates it from the next call in a list.
    pub(super) is_separated: bool,
    /// One closing bracket too many.
    pub(super) has_surplus: bool,
}

/// How a call is written: what closes it, and what may follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Style {
    /// `<function=NAME>`, `<invoke name="NAME">`.
    Tag,
    /// A tag with a name, or a name, before the arguments; the wrapper closes it.
    Wrapper,
    /// An object with the name and the arguments; the wrapper closes it.
    Object,
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

impl Style {
    /// Returns the close tags that end the call.
    pub(super) fn close_tags(self) -> Kinds {
        match self {
            Style::Tag => Kinds::CALLS.or(Kinds::WRAPPERS),
            Style::Wrapper | Style::Object | Style::Keys => Kinds::WRAPPERS,
            _ => Kinds::NONE,
        }
    }

    /// Returns the tokens that close the call or its section.
    pub(super) fn end_tokens(self) -> Kinds {
        match self {
            Style::Harmony => Kinds::of(Token::Call),
            Style::Kimi => Kinds::of(Token::CallEnd).or(Kinds::of(Token::SectionEnd)),
            Style::Llama => Kinds::of(Token::PythonEnd),
            Style::Deepseek => Kinds::of(Token::DeepseekCallEnd).or(Kinds::of(Token::DeepseekEnd)),
            _ => Kinds::NONE,
        }
    }

    /// Returns the tokens that begin the next call of a section.
    pub(super) fn next_tokens(self) -> Kinds {
        match self {
            Style::Kimi => Kinds::of(Token::CallBegin),
            Style::Deepseek => Kinds::of(Token::DeepseekCall),
            _ => Kinds::NONE,
        }
    }
}
