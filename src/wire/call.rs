//! A native call of the message.

use alloc::boxed::Box;
use alloc::string::String;

use super::received::{ArgumentsMeaning, ReceivedArguments};
use crate::Parser;
use crate::config::ASK;

/// What is done with the arguments of a call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum CallState<P = Box<Parser>> {
    /// The tool is not known yet: the arguments are kept until it is.
    Unnamed(String),
    /// The tool's name is generic: the arguments are kept until they show whether the call asks.
    Unconfirmed { probe: P, kept: String },
    /// The call asks a question: its arguments are parsed. `call_index` is the one of its events.
    Asking { parser: P, call_index: u64 },
    /// The call is another tool's: its arguments are passed on.
    OtherTool,
    /// The call is over. It is kept for a while, because some providers send everything again.
    Over,
}

/// A native call of the message. `P` is the parser of its arguments, or a checkpoint of that.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct NativeCall<P = Box<Parser>> {
    /// The provider's index, item id, id and tool name. Empty strings are unknown.
    pub(super) index: Option<u64>,
    pub(super) item_id: String,
    pub(super) id: String,
    pub(super) name: String,
    pub(super) state: CallState<P>,
    pub(super) received: ReceivedArguments,
    /// The provider has said that the call is final. It ends once its tool is known.
    pub(super) is_final: bool,
    /// An event was lost while the call was open, and may have been a part of it.
    pub(super) may_have_gap: bool,
    /// No more arguments are accepted.
    pub(super) is_closed: bool,
    /// The last repetition of the whole message that had the call.
    pub(super) repeated_in: u64,
    /// What the call meant when it ended, if it asked a question.
    pub(super) ended_as: Option<ArgumentsMeaning>,
}

impl NativeCall {
    pub(super) fn new(index: Option<u64>) -> NativeCall {
        NativeCall {
            index,
            item_id: String::new(),
            id: String::new(),
            name: String::new(),
            state: CallState::Unnamed(String::new()),
            received: ReceivedArguments::default(),
            is_final: false,
            may_have_gap: false,
            is_closed: false,
            repeated_in: 0,
            ended_as: None,
        }
    }

    /// Returns whether the provider has ended the call before any of its arguments have come.
    ///
    /// Only the end of the message tells whether it has none, or was cut off before them.
    pub(super) fn is_waiting(&self) -> bool {
        self.is_final && !self.is_closed && !matches!(self.state, CallState::Unnamed(_)) && self.received.is_empty()
    }

    /// Returns whether no pieces of arguments are accepted any more.
    pub(super) fn has_ended(&self) -> bool {
        self.is_closed || self.is_waiting()
    }

    /// Sets the ids that are not known yet. The first ones stay.
    pub(super) fn set_ids(&mut self, id: &str, item_id: &str) {
        if self.id.is_empty() {
            self.id.push_str(id);
        }
        if self.item_id.is_empty() {
            self.item_id.push_str(item_id);
        }
    }
}

impl<P> NativeCall<P> {
    /// Returns whether what is known of the call is no more than a body with that limit can say.
    pub(super) fn is_in_bounds(&self, event: usize) -> bool {
        let kept = match &self.state {
            CallState::Unnamed(kept) | CallState::Unconfirmed { kept, .. } => kept.len(),
            CallState::Asking { .. } | CallState::OtherTool | CallState::Over => 0,
        };
        let lens = [self.item_id.len(), self.id.len(), kept];
        // The only call of a body that is its arguments has a name that did not come in an event.
        let is_name_in_bounds = self.name.len() <= event || self.name == ASK;
        is_name_in_bounds && lens.iter().all(|&len| len <= event) && self.received.is_in_bounds(event)
    }

    /// Replaces the parser.
    pub(super) fn try_map<Q, E>(self, map: impl FnOnce(P) -> Result<Q, E>) -> Result<NativeCall<Q>, E> {
        let NativeCall { index, item_id, id, name, state, received, is_final, .. } = self;
        let NativeCall { may_have_gap, is_closed, repeated_in, ended_as, .. } = self;
        let state = match state {
            CallState::Unnamed(kept) => CallState::Unnamed(kept),
            CallState::Unconfirmed { probe, kept } => CallState::Unconfirmed { probe: map(probe)?, kept },
            CallState::Asking { parser, call_index } => CallState::Asking { parser: map(parser)?, call_index },
            CallState::OtherTool => CallState::OtherTool,
            CallState::Over => CallState::Over,
        };
        Ok(NativeCall {
            index,
            item_id,
            id,
            name,
            state,
            received,
            is_final,
            may_have_gap,
            is_closed,
            repeated_in,
            ended_as,
        })
    }
}
