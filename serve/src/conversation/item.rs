//! One thing that a page shows.

use followup::dialogue::Suggestion;
use serde::Serialize;

use super::happened::Replied;

/// One thing that a page shows.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Item {
    Turn {
        nth: u64,
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
    Call(Call),
    Error {
        kind: String,
        message: String,
    },
    End {
        nth: u64,
        cut_off: bool,
    },
    Replied(Box<Replied>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum State {
    Growing,
    Complete,
    Rejected,
}

#[derive(Debug, Serialize)]
pub(super) struct Call {
    pub(super) call: u64,
    pub(super) state: State,
    pub(super) question: String,
    pub(super) suggest: Vec<Suggestion>,
    pub(super) notes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) number: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) open: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) answered: Option<Box<Replied>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<String>,
}

/// What an item takes beside its text.
const EACH: usize = 256;

/// What each part of it takes: a suggestion, a note, an image.
const PART: usize = 64;

/// How much of a text is worth cutting its beginning off, instead of dropping it.
const CUT: usize = 4 << 10;

impl Item {
    /// About how much memory it takes: the same for equal items.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Item::Turn { .. } | Item::End { .. } => EACH,
            Item::Text { text } => EACH + text.len(),
            Item::Opaque { tool, raw, id } => EACH + tool.len() + raw.len() + id.as_ref().map_or(0, String::len),
            Item::Call(call) => call.bytes(),
            Item::Error { kind, message } => EACH + kind.len() + message.len(),
            Item::Replied(replied) => replied.bytes(),
        }
    }

    /// Cuts off that many bytes or more of its beginning, but not all. How many; 0 if it is not worth it.
    pub(super) fn cut(&mut self, over: usize) -> usize {
        let (Item::Text { text } | Item::Opaque { raw: text, .. }) = self else { return 0 };
        let end = text.ceil_char_boundary(over.max(text.len() / 2));
        if end == 0 || text.len() - end < CUT {
            return 0;
        }
        text.drain(..end);
        text.shrink_to(2 * text.len());
        end
    }
}

impl Call {
    pub(super) fn new(call: u64) -> Call {
        Call {
            call,
            state: State::Growing,
            question: String::new(),
            suggest: Vec::new(),
            notes: Vec::new(),
            number: None,
            open: None,
            answered: None,
            reason: None,
            message: None,
        }
    }

    /// Whether it is to be answered.
    pub(super) fn is_asked(&self) -> bool {
        self.state == State::Complete && self.answered.is_none()
    }

    /// The question has grown. By how many bytes.
    pub(super) fn grow_question(&mut self, delta: &str) -> usize {
        self.question.push_str(delta);
        delta.len()
    }

    /// The `nth` suggestion has grown, or it is known what mode it has. By how many bytes.
    pub(super) fn grow_suggestion(&mut self, nth: usize, mode: Option<&str>, delta: &str) -> usize {
        let mut grown = delta.len();
        // They come one after the other.
        if nth == self.suggest.len() {
            self.suggest.push(Suggestion { answer: String::new(), mode: None });
            grown += PART;
        }
        let Some(one) = self.suggest.get_mut(nth) else { return 0 };
        one.answer.push_str(delta);
        if let (None, Some(mode)) = (&one.mode, mode) {
            one.mode = Some(mode.into());
            grown += mode.len();
        }
        grown
    }

    pub(super) fn bytes(&self) -> usize {
        let suggested = |one: &Suggestion| PART + one.answer.len() + one.mode.as_ref().map_or(0, String::len);
        let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        EACH + self.question.len()
            + self.suggest.iter().map(suggested).sum::<usize>()
            + self.notes.iter().map(|note| PART + note.len()).sum::<usize>()
            + self.answered.as_ref().map_or(0, |replied| replied.bytes())
            + text(&self.reason)
            + text(&self.message)
    }
}

impl Replied {
    pub(super) fn bytes(&self) -> usize {
        let mode = self.mode.as_ref().map_or(0, String::len);
        EACH + self.said.len() + mode + self.images.iter().map(|image| PART + image.len()).sum::<usize>()
    }
}
