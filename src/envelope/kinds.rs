//! The kinds of tags and tokens, and sets of them.

use crate::config::{Envelope, Envelopes};

/// A set of kinds of tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kinds(u32);

impl Kinds {
    pub(crate) const NONE: Kinds = Kinds(0);
    /// Wrappers other than `tool_call`.
    pub(crate) const WRAPPER: Kinds = Kinds(1);
    /// The wrapper `tool_call`.
    pub(crate) const TOOL_CALL: Kinds = Kinds(1 << 1);
    pub(crate) const FUNCTION: Kinds = Kinds(1 << 2);
    pub(crate) const INVOKE: Kinds = Kinds(1 << 3);
    pub(crate) const PARAMETER: Kinds = Kinds(1 << 4);
    /// `arg_key`.
    pub(crate) const KEY: Kinds = Kinds(1 << 5);
    /// `arg_value`.
    pub(crate) const VALUE: Kinds = Kinds(1 << 6);
    pub(crate) const WRAPPERS: Kinds = Kinds::WRAPPER.or(Kinds::TOOL_CALL);
    /// What opens or closes one call.
    pub(crate) const CALLS: Kinds = Kinds::FUNCTION.or(Kinds::INVOKE);

    pub(crate) const fn or(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    pub(crate) const fn and(self, other: Kinds) -> Kinds {
        Kinds(self.0 & other.0)
    }

    pub(crate) const fn contains(self, other: Kinds) -> bool {
        self.0 & other.0 == other.0
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(crate) const fn of(token: Token) -> Kinds {
        Kinds(1 << (7 + token as u32))
    }
}

/// A token: a tag of bars, without attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    Start,
    Channel,
    Constrain,
    Message,
    Call,
    SectionBegin,
    CallBegin,
    ArgumentBegin,
    CallEnd,
    SectionEnd,
    PythonStart,
    PythonEnd,
    DeepseekBegin,
    DeepseekCall,
    DeepseekSeparator,
    DeepseekCallEnd,
    DeepseekEnd,
}

/// What a tag is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An opening or close tag of a wrapper. `tool_call`: it opens one of that name.
    Wrapper {
        tool_call: bool,
    },
    /// An opening tag with the name of a tool. `wrapper`: it is a wrapper, too.
    Named {
        family: Envelope,
        wrapper: bool,
    },
    /// A close tag `function` or `invoke`.
    CallEnd,
    /// `json`: it has `string="false"`.
    Parameter {
        json: bool,
    },
    Key,
    Value,
    Token(Token),
}

/// The tags that mean something in some state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tags {
    /// Opening tags and tokens that are no text.
    pub(crate) open: Kinds,
    /// Opening tags that have a meaning and are emitted as text, too.
    pub(crate) open_shown: Kinds,
    pub(crate) close: Kinds,
    pub(crate) close_shown: Kinds,
    /// The families that are read: they decide what a call tag is.
    pub(crate) families: Envelopes,
    /// Of the opening tags of wrappers, only those that name a tool.
    pub(crate) named: bool,
    /// The length of the longest.
    pub(crate) limit: usize,
}

impl Tags {
    pub(crate) const fn none() -> Tags {
        Tags {
            open: Kinds::NONE,
            open_shown: Kinds::NONE,
            close: Kinds::NONE,
            close_shown: Kinds::NONE,
            families: Envelopes::none(),
            named: false,
            limit: usize::MAX,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.open.or(self.open_shown).or(self.close).or(self.close_shown).is_empty()
    }
}

/// Returns the tags and tokens that begin an envelope.
pub(crate) fn openers(families: Envelopes) -> Tags {
    let of = |family| match family {
        Envelope::FunctionXml => Kinds::WRAPPERS.or(Kinds::FUNCTION),
        Envelope::Hermes => Kinds::WRAPPERS,
        Envelope::Invoke => Kinds::WRAPPERS.or(Kinds::INVOKE),
        Envelope::Dsml => Kinds::WRAPPERS.or(Kinds::CALLS),
        Envelope::Glm => Kinds::TOOL_CALL,
        Envelope::Harmony => Kinds::of(Token::Start).or(Kinds::of(Token::Channel)),
        Envelope::Kimi => Kinds::of(Token::SectionBegin).or(Kinds::of(Token::CallBegin)),
        Envelope::Deepseek => Kinds::of(Token::DeepseekBegin).or(Kinds::of(Token::DeepseekCall)),
        Envelope::Llama => Kinds::of(Token::PythonStart),
        Envelope::BareJson | Envelope::Mistral => Kinds::NONE,
    };
    let open = families.iter().fold(Kinds::NONE, |open, family| open.or(of(family)));
    Tags { open, families, ..Tags::none() }
}
