//! The items of a transcript, and the memory that each takes.

use followup::dialogue::{FormAnswer, Suggestion};
use serde::{Deserialize, Serialize};

use super::event::UserReply;
use super::form_event::FormPartial;
use super::form_item::FormItem;
use super::outcome::{Closing, Delivery};
use super::overhead::{ITEM_OVERHEAD, PART_OVERHEAD};

/// One entry of a transcript.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Item {
    Turn {
        index: u64,
    },
    Text {
        text: String,
    },
    Opaque {
        tool: String,
        raw: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<String>,
    },
    Call(CallItem),
    Error {
        kind: String,
        message: String,
    },
    End {
        index: u64,
        cut_off: bool,
    },
    Replied(RepliedItem),
}

/// Guidance, which belongs to no call.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RepliedItem {
    #[serde(flatten)]
    pub(super) reply: Box<UserReply>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) delivery: Option<Box<Delivery>>,
}

/// The state of a call in a transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum CallState {
    Growing,
    Complete,
    Rejected,
}

/// A call, from its first partial to the user's answer.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct CallItem {
    pub(super) call: u64,
    pub(super) state: CallState,
    pub(super) question: String,
    pub(super) suggest: Vec<Suggestion>,
    /// All questions of a call of another agent's tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) form: Option<Box<FormItem>>,
    pub(super) notes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) envelope: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) number: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) open: Option<bool>,
    /// Whether the user can talk about it instead of answering it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) can_discuss: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) answered: Option<Box<UserReply>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) delivery: Option<Box<Delivery>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) closed: Option<Box<Closing>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<String>,
}

/// Bytes that must remain of a truncated text; a shorter one is dropped as a whole.
const MIN_REMAINDER: usize = 4 << 10;

impl Item {
    /// Returns the approximate memory of the item. Equal items have equal sizes.
    pub(super) fn size(&self) -> usize {
        match self {
            Item::Turn { .. } | Item::End { .. } => ITEM_OVERHEAD,
            Item::Text { text } => ITEM_OVERHEAD + text.len(),
            Item::Opaque { tool, raw, id } => {
                ITEM_OVERHEAD + tool.len() + raw.len() + id.as_ref().map_or(0, String::len)
            }
            Item::Call(call) => call.size(),
            Item::Error { kind, message } => ITEM_OVERHEAD + kind.len() + message.len(),
            Item::Replied(replied) => replied.reply.size() + size_of_delivery(replied.delivery.as_deref()),
        }
    }

    /// Removes at least `excess` bytes from the beginning of a text, but not all of it.
    ///
    /// Returns how many bytes it removed: 0 if too little would remain.
    pub(super) fn truncate_front(&mut self, excess: usize) -> usize {
        let (Item::Text { text } | Item::Opaque { raw: text, .. }) = self else { return 0 };
        let least = excess.max(text.len() / 2);
        let end = (least..text.len()).find(|&end| text.is_char_boundary(end)).unwrap_or(text.len());
        if end == 0 || text.len() - end < MIN_REMAINDER {
            return 0;
        }
        text.drain(..end);
        text.shrink_to(2 * text.len());
        end
    }
}

impl CallItem {
    pub(super) fn new(call: u64) -> CallItem {
        CallItem {
            call,
            state: CallState::Growing,
            question: String::new(),
            suggest: Vec::new(),
            form: None,
            notes: Vec::new(),
            envelope: None,
            number: None,
            open: None,
            can_discuss: false,
            answered: None,
            delivery: None,
            closed: None,
            reason: None,
            message: None,
        }
    }

    /// Returns `true` if the call waits for an answer.
    pub(super) fn awaits_answer(&self) -> bool {
        self.state == CallState::Complete && self.answered.is_none() && self.closed.is_none()
    }

    /// Appends to the question. Returns by how many bytes the item has grown.
    pub(super) fn append_question(&mut self, delta: &str) -> usize {
        self.question.push_str(delta);
        delta.len()
    }

    /// Appends to a suggestion, or sets its mode. Returns by how many bytes the item has grown.
    pub(super) fn append_suggestion(&mut self, index: usize, mode: Option<&str>, delta: &str) -> usize {
        let mut grown = delta.len();
        // Suggestions arrive in order, so an unknown index is the next one.
        if index == self.suggest.len() {
            self.suggest.push(Suggestion { answer: String::new(), mode: None });
            grown += PART_OVERHEAD;
        }
        let Some(suggestion) = self.suggest.get_mut(index) else { return 0 };
        suggestion.answer.push_str(delta);
        if let (None, Some(mode)) = (&suggestion.mode, mode) {
            suggestion.mode = Some(mode.into());
            grown += mode.len();
        }
        grown
    }

    /// Appends to the form. Returns by how many bytes it has grown.
    pub(super) fn append_form(&mut self, partial: &FormPartial<'_>) -> usize {
        let mut added = 0;
        let form = self.form.get_or_insert_with(|| {
            let form = FormItem::new(&partial.tool);
            added = form.size();
            Box::new(form)
        });
        added + form.append(partial)
    }

    pub(super) fn size(&self) -> usize {
        let suggested = |one: &Suggestion| PART_OVERHEAD + one.answer.len() + one.mode.as_ref().map_or(0, String::len);
        let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        ITEM_OVERHEAD
            + self.question.len()
            + self.suggest.iter().map(suggested).sum::<usize>()
            + self.form.as_ref().map_or(0, |form| form.size())
            + self.notes.iter().map(|note| PART_OVERHEAD + note.len()).sum::<usize>()
            + self.answered.as_ref().map_or(0, |replied| replied.size())
            + size_of_delivery(self.delivery.as_deref())
            + self.closed.as_ref().map_or(0, |closed| PART_OVERHEAD + text(&closed.said))
            + text(&self.reason)
            + text(&self.message)
    }
}

fn size_of_delivery(delivery: Option<&Delivery>) -> usize {
    delivery.map_or(0, |delivery| PART_OVERHEAD + delivery.why.as_ref().map_or(0, String::len))
}

impl UserReply {
    pub(super) fn size(&self) -> usize {
        let mode = self.mode.as_ref().map_or(0, String::len);
        ITEM_OVERHEAD
            + self.said.len()
            + mode
            + self.answers.iter().map(size_of_answer).sum::<usize>()
            + self.images.iter().map(|image| PART_OVERHEAD + image.len()).sum::<usize>()
    }
}

fn size_of_answer(answer: &FormAnswer) -> usize {
    let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    PART_OVERHEAD + size_of::<usize>() * answer.picked.len() + text(&answer.text) + text(&answer.note)
}

/// Returns the first `len` bytes of a text, or fewer, so that no character is cut.
pub(super) fn prefix(text: &str, len: usize) -> &str {
    let end = (0..=len.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or(0)]
}
