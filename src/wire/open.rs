//! A call of the message, and what is known of it.

use alloc::boxed::Box;
use alloc::string::String;

use super::arrived::Arrived;
use crate::Parser;

/// What becomes of a call's arguments.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// Nobody has said yet which tool is called: they are kept until then.
    Unnamed(String),
    /// They are read.
    Ask { parser: Box<Parser>, nth: u64 },
    /// They are another tool's.
    Other,
    /// It is final. Kept for a while, because some providers say everything again then.
    Over,
}

/// A call of the message.
#[derive(Clone, Debug)]
pub(super) struct Open {
    pub(super) index: Option<u64>,
    pub(super) item: String,
    pub(super) id: String,
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) arrived: Arrived,
    /// The provider has said that it is final. It ends then, if it is known whose it is.
    pub(super) done: bool,
    /// An event was lost while it was open, which may have been a part of it.
    pub(super) holed: bool,
    /// Nothing more comes of it.
    pub(super) ended: bool,
}

impl Open {
    pub(super) fn new(index: Option<u64>) -> Open {
        Open {
            index,
            item: String::new(),
            id: String::new(),
            name: String::new(),
            kind: Kind::Unnamed(String::new()),
            arrived: Arrived::default(),
            done: false,
            holed: false,
            ended: false,
        }
    }

    /// Takes up what it is called. What has been said once stays.
    pub(super) fn learn_ids(&mut self, id: &str, item: &str) {
        if self.id.is_empty() {
            self.id.push_str(id);
        }
        if self.item.is_empty() {
            self.item.push_str(item);
        }
    }
}
