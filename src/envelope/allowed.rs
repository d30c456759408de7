//! Which tags mean something in which state of a call in an envelope.

use super::harmony::{self, HeaderPart};
use super::kinds::{Kind, Kinds, Tags, Token, openers};
use super::machine::EnvelopeMachine;
use super::name;
use super::state::{EnvelopeState, Fence, Header, ParameterValue, Style};
use crate::config::{Envelope, Policy};
use crate::shape::reader::Written;

impl EnvelopeMachine {
    /// Returns the tags that mean something now. `after_backtick`: a back-tick is right before.
    pub(crate) fn tags(&self, after_backtick: bool, policy: &Policy) -> Tags {
        let families = policy.envelopes();
        let style = self.style;
        let openers = || openers(families).open;
        let (keys, values) =
            if style == Style::Keys { (Kinds::KEY, Kinds::VALUE) } else { (Kinds::PARAMETER, Kinds::PARAMETER) };
        let (mut open, mut close) = (Kinds::NONE, Kinds::NONE);
        // They have a meaning in the call, so those of another tool's call are emitted as text,
        // too.
        let (mut call_open, mut call_close) = (Kinds::NONE, Kinds::NONE);
        match self.state {
            EnvelopeState::Header(header) => (open, close) = self.header_tags(header, &openers, policy),
            EnvelopeState::Between { .. } => {
                open = openers();
                (call_open, call_close) = (keys.or(values), style.close_tags());
            }
            EnvelopeState::Key { .. } => call_close = Kinds::KEY.or(Kinds::WRAPPERS),
            EnvelopeState::Value(_) if self.is_read() => {
                open = if after_backtick { Kinds::NONE } else { keys };
                close = values.or(style.close_tags());
            }
            EnvelopeState::Value(_) => call_close = values,
            EnvelopeState::Json(_) => {}
            EnvelopeState::Broken => {
                open = openers().or(style.next_tokens());
                call_open = style.end_tokens();
                if !style.close_tags().is_empty() {
                    call_close = Kinds::CALLS.or(Kinds::WRAPPERS);
                }
            }
            EnvelopeState::After(after) if after.is_separated || matches!(self.fence, Fence::Closing(_)) => {}
            EnvelopeState::After(after) => {
                (open, close) = match style {
                    Style::Kimi if after.is_closed => (Kinds::of(Token::SectionEnd), Kinds::NONE),
                    Style::Deepseek if after.is_closed => (Kinds::of(Token::DeepseekEnd), Kinds::NONE),
                    Style::Tag if after.is_closed => (Kinds::NONE, Kinds::WRAPPERS),
                    _ => (style.end_tokens(), style.close_tags()),
                }
            }
        }
        if self.is_read() {
            Tags { open: open.or(call_open), close: close.or(call_close), families, ..Tags::none() }
        } else if let EnvelopeState::Header(Header::Wrapper { .. }) = self.state {
            Tags { open, families, named: true, ..Tags::none() }
        } else {
            Tags { open, open_shown: call_open, close, close_shown: call_close, families, ..Tags::none() }
        }
    }

    /// Returns the opening tags and the close tags that mean something in a header.
    fn header_tags(&self, header: Header, openers: &dyn Fn() -> Kinds, policy: &Policy) -> (Kinds, Kinds) {
        let style = self.style;
        let open = match header {
            _ if self.fence != Fence::None => Kinds::NONE,
            Header::Wrapper { .. } => {
                let families = policy.envelopes();
                let named = [Envelope::Hermes, Envelope::Invoke, Envelope::Dsml];
                let is_named = named.iter().any(|&family| families.contains(family));
                openers().and(if is_named { Kinds::CALLS.or(Kinds::WRAPPERS) } else { Kinds::CALLS })
            }
            Header::Name | Header::Named { .. } if style == Style::Deepseek => Kinds::NONE,
            Header::Name | Header::Named { .. } if style == Style::Keys => {
                let is_read = name::is_read(self.name.text(), policy);
                return (Kinds::KEY, if is_read { Kinds::WRAPPERS } else { Kinds::NONE });
            }
            Header::Named { .. } => return (Kinds::PARAMETER, style.close_tags()),
            Header::Words { part, start } => {
                let words = harmony::read(self.unconfirmed_from(start), part, true, self.name.is_empty());
                let has_recipient = !self.name.is_empty() || words.is_some_and(|words| words.to.is_some());
                match part {
                    _ if words.is_none() => Kinds::NONE,
                    HeaderPart::Role => Kinds::of(Token::Channel),
                    _ if !has_recipient => Kinds::NONE,
                    HeaderPart::Channel => Kinds::of(Token::Message).or(Kinds::of(Token::Constrain)),
                    HeaderPart::Type => Kinds::of(Token::Message),
                }
            }
            Header::Section => style.next_tokens(),
            Header::TokenName if self.name.is_empty() => Kinds::NONE,
            Header::TokenName if style == Style::Deepseek => Kinds::of(Token::DeepseekSeparator),
            Header::TokenName => Kinds::of(Token::ArgumentBegin),
            _ => Kinds::NONE,
        };
        (open, Kinds::NONE)
    }

    /// Returns the tags that close the call, if it waits for its own close tag.
    pub(crate) fn awaited(&self, policy: &Policy) -> Option<Tags> {
        let waits = self.awaits_end() && !matches!(self.fence, Fence::Closing(_));
        waits.then(|| self.tags(false, policy))
    }

    /// Returns `true` if a `<` may begin a tag now.
    pub(crate) fn reads_tags(&self) -> bool {
        match self.state {
            EnvelopeState::Header(Header::Object { .. }) | EnvelopeState::Json(_) => false,
            EnvelopeState::Value(ParameterValue::JsonString | ParameterValue::Json) => {
                self.reader.is_closed() || self.reader.is_ill_formed()
            }
            EnvelopeState::Value(ParameterValue::Shaped(Written::Json)) => {
                self.reader.is_parameter_closed() || self.reader.is_ill_formed()
            }
            _ => true,
        }
    }

    /// Returns `true` in text that means nothing: between parameters, or after ill-formed JSON.
    ///
    /// An opener, or a markup tool's opening tag, ends the call there.
    pub(crate) fn is_between(&self) -> bool {
        matches!(self.state, EnvelopeState::Between { .. } | EnvelopeState::Broken)
    }

    /// Returns `true` in a fence around JSON.
    pub(crate) fn is_in_fence(&self) -> bool {
        self.fence != Fence::None
    }

    /// Returns `true` in the value of a parameter.
    pub(crate) fn is_in_value(&self) -> bool {
        matches!(self.state, EnvelopeState::Value(_))
    }

    /// Returns `true` if a tag is no part of what is open, which ends before it or changes first.
    pub(crate) fn ends_before(&self, kind: Option<(Kind, bool)>, len: usize, policy: &Policy) -> bool {
        let Some((kind, is_close)) = kind else { return true };
        match self.state {
            EnvelopeState::Header(_) if self.unconfirmed_text.len() + len > policy.limits.unconfirmed => true,
            EnvelopeState::Header(header) => self.is_after_header(header, kind, is_close),
            EnvelopeState::Between { .. } | EnvelopeState::Broken => !is_close && self.begins_call(kind),
            EnvelopeState::Key { .. } | EnvelopeState::Value(_) | EnvelopeState::Json(_) | EnvelopeState::After(_) => {
                false
            }
        }
    }

    /// Returns `true` if an opening tag begins a wrapper, a call, or the header of one.
    fn begins_call(&self, kind: Kind) -> bool {
        match kind {
            Kind::Wrapper { .. } | Kind::Named { .. } => true,
            Kind::Token(token) => !self.style.end_tokens().contains(Kinds::of(token)),
            Kind::CallEnd | Kind::Parameter { .. } | Kind::Key | Kind::Value => false,
        }
    }
}
