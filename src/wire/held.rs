//! Calls whose end waits, because another call of the message may count instead.

use core::hash::Hasher;

use alloc::borrow::Cow;
use alloc::collections::VecDeque;
use alloc::string::String;

use super::drive::EndedCall;
use super::limits::Limits;
use crate::event::Event;
use crate::hash::Fnv;
use crate::questions::Questions;
use crate::{Note, Policy};

/// The number of native calls whose questions are remembered.
const REMEMBERED: usize = 256;

/// The calls that have ended, and whose end has not come out yet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct HeldCalls {
    /// In the order in which they ended.
    waiting: VecDeque<HeldCall>,
    /// Those whose end comes out next: none between two chunks.
    #[cfg_attr(feature = "serde", serde(skip))]
    decided: VecDeque<DecidedCall>,
    /// The questions of the last native calls that are complete.
    native: VecDeque<QuestionHash>,
    /// A question has come outside the reasoning.
    has_asked: bool,
}

/// A call whose end waits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct HeldCall {
    call: EndedCall,
    call_index: u64,
    questions: QuestionHash,
    is_reasoning: bool,
}

/// A call whose end has waited.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct DecidedCall {
    call: EndedCall,
    call_index: u64,
    /// Another call counts instead.
    is_superseded: bool,
}

/// A hash of the questions of a call: of their texts without white space, with entities decoded.
///
/// A model, and what passes its text on, writes both differently in a native call and in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct QuestionHash(u64);

impl QuestionHash {
    fn new(questions: Questions<'_>) -> QuestionHash {
        let mut hash = Fnv::default();
        questions.iter().for_each(|question| {
            let text = decoded(question.text);
            text.split_whitespace().for_each(|word| hash.write(word.as_bytes()));
            hash.write_u8(0xFF);
        });
        QuestionHash(hash.finish())
    }
}

/// Returns the text with the entities of XML decoded.
fn decoded(text: &str) -> Cow<'_, str> {
    // `&amp;` is the last, so that `&amp;lt;` becomes `&lt;`.
    const ENTITIES: [(&str, &str); 6] =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#39;", "'"), ("&amp;", "&")];
    if !text.contains('&') {
        return text.into();
    }
    ENTITIES.iter().fold(text.into(), |text: String, (entity, char)| text.replace(entity, char)).into()
}

impl DecidedCall {
    pub(super) fn lend(&self) -> Event<'_> {
        self.call.lend(self.call_index, self.is_superseded)
    }
}

impl HeldCalls {
    /// Begins with a new message.
    pub(super) fn restart(&mut self) {
        *self = HeldCalls::default();
    }

    /// Returns whether the state is one that these limits allow.
    pub(super) fn is_in_bounds(&self, policy: &Policy, limits: &Limits) -> bool {
        !self.is_too_much(limits)
            && self.native.len() <= REMEMBERED
            && self.waiting.iter().all(|held| held.call.is_in_bounds(policy) && held.call_index < u64::MAX / 2)
    }

    /// Notes the end of a call that counts in any case.
    pub(super) fn note_end(&mut self, end: &Event<'_>, is_native: bool) {
        let Event::Complete(call) = end else { return };
        self.note_asked();
        if is_native {
            let questions = QuestionHash::new(call.questions());
            self.supersede(|held| held.questions == questions);
            if self.native.len() == REMEMBERED {
                self.native.pop_front();
            }
            self.native.push_back(questions);
        }
    }

    /// Holds the end of a call in an envelope of the text.
    ///
    /// It waits until it is known whether the call was native, too.
    pub(super) fn hold_leaked(&mut self, end: &Event<'_>, call_index: u64, limits: &Limits) {
        let Some(call) = EndedCall::new(end) else { return };
        // One of the two will be asked.
        self.note_asked();
        let questions = QuestionHash::new(call.questions());
        let is_superseded = self.native.contains(&questions);
        self.hold(HeldCall { call, call_index, questions, is_reasoning: false }, is_superseded, limits);
    }

    /// Holds the end of a call in the reasoning.
    ///
    /// It waits until it is known whether a question follows outside.
    pub(super) fn hold_reasoning(&mut self, end: &Event<'_>, call_index: u64, limits: &Limits) {
        let Some(mut call) = EndedCall::new(end) else { return };
        call.note(Note::InReasoning);
        let questions = QuestionHash::new(call.questions());
        self.hold(HeldCall { call, call_index, questions, is_reasoning: true }, self.has_asked, limits);
    }

    fn hold(&mut self, held: HeldCall, is_superseded: bool, limits: &Limits) {
        if is_superseded {
            return self.decided.push_back(held.decide(true));
        }
        self.waiting.push_back(held);
        while self.is_too_much(limits) {
            self.decided.extend(self.waiting.pop_front().map(|held| held.decide(false)));
        }
    }

    /// Returns whether more is held than may be.
    fn is_too_much(&self, limits: &Limits) -> bool {
        self.waiting.len() > limits.open_calls
            || self.waiting.iter().map(|held| held.call.len()).sum::<usize>() > limits.arguments
    }

    /// Notes that a question has come outside the reasoning.
    fn note_asked(&mut self) {
        if !self.has_asked {
            self.has_asked = true;
            self.supersede(|held| held.is_reasoning);
        }
    }

    /// Decides that another call counts instead of these.
    fn supersede(&mut self, is_superseded: impl Fn(&HeldCall) -> bool) {
        let HeldCalls { waiting, decided, .. } = self;
        if waiting.iter().any(&is_superseded) {
            let (over, rest) = waiting.drain(..).partition(is_superseded);
            let over: VecDeque<HeldCall> = over;
            *waiting = rest;
            decided.extend(over.into_iter().map(|held| held.decide(true)));
        }
    }

    /// Decides that all calls count that wait: the message is over.
    ///
    /// Those in the reasoning wait only if there are no others.
    pub(super) fn release_all(&mut self) {
        self.decided.extend(self.waiting.drain(..).map(|held| held.decide(false)));
    }

    /// Removes and returns the next call whose end comes out.
    pub(super) fn next(&mut self) -> Option<DecidedCall> {
        self.decided.pop_front()
    }
}

impl HeldCall {
    fn decide(self, is_superseded: bool) -> DecidedCall {
        DecidedCall { call: self.call, call_index: self.call_index, is_superseded }
    }
}
