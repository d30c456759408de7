//! A native call of the message.

use alloc::boxed::Box;
use alloc::string::String;

use super::received::ReceivedArguments;
use crate::Parser;

/// What is done with the arguments of a call.
#[derive(Clone, Debug)]
pub(super) enum CallState {
    /// The tool is not known yet: the arguments are kept until it is.
    Unnamed(String),
    /// The call asks a question: its arguments are parsed. `call_index` is the one of its events.
    Asking { parser: Box<Parser>, call_index: u64 },
    /// The call is another tool's: its arguments are passed on.
    OtherTool,
    /// The call is over. It is kept for a while, because some providers send everything again.
    Over,
}

/// A native call of the message.
#[derive(Clone, Debug)]
pub(super) struct NativeCall {
    /// The provider's index, item id, id and tool name. Empty strings are unknown.
    pub(super) index: Option<u64>,
    pub(super) item_id: String,
    pub(super) id: String,
    pub(super) name: String,
    pub(super) state: CallState,
    pub(super) received: ReceivedArguments,
    /// The provider has said that the call is final. It ends once its tool is known.
    pub(super) is_final: bool,
    /// An event was lost while the call was open, and may have been a part of it.
    pub(super) may_have_gap: bool,
    /// No more arguments are accepted.
    pub(super) is_closed: bool,
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
        }
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
