//! Closes questions that can't be answered here any more.

use std::borrow::Cow;

use followup::dialogue::Wrapping;

use super::Conversation;
use super::dialogue::OpenQuestion;
use super::event::ConversationEvent;
use super::item::prefix;
use super::outcome::{ClosedWhy, Closing};
use super::request_content::ShownReply;
use super::state::ConversationState;
use crate::error::ApiError;
use crate::metrics::Metrics;

/// Maximum number of bytes of an answer given elsewhere that readers get.
const MAX_SAID: usize = 8 << 10;

/// The tags around an answer, whatever the service's own dialect.
const ANSWER_TAGS: (&str, &str) = ("<answer>", "</answer>");

impl Conversation {
    /// Closes every question that waits for an answer. Sends nothing.
    ///
    /// # Errors
    ///
    /// If the conversation is gone, or another process writes it.
    pub(crate) fn dismiss(&self) -> Result<(), ApiError> {
        let mut state = self.lock_to_write()?;
        state.dismiss(&self.metrics);
        state.decide_deliveries(&self.metrics);
        Ok(())
    }
}

impl ConversationState {
    /// Closes every question that waits for an answer: the user won't give one.
    pub(super) fn dismiss(&mut self, metrics: &Metrics) {
        let closing = Closing { why: ClosedWhy::Dismissed, said: None };
        for OpenQuestion { number, .. } in self.dialogue.close_all(closing.why) {
            self.log.push(&ConversationEvent::Closed { number, closing: Cow::Borrowed(&closing) }, metrics);
        }
    }

    /// Closes every question that waits for an answer: the agent's next request has arrived.
    pub(super) fn close_answered_elsewhere(&mut self, shown: &[ShownReply], wrapping: &Wrapping, metrics: &Metrics) {
        let own: Vec<String> =
            self.dialogue.reply_log().of_turn().map(|entry| unwrapped(&entry.reply.text, wrapping)).collect();
        let closed = self.dialogue.close_all(ClosedWhy::AnsweredElsewhere);
        let said = shown_answers(&closed, shown, &own, wrapping);
        for (OpenQuestion { number, .. }, said) in closed.into_iter().zip(said) {
            let closing = Closing { why: ClosedWhy::AnsweredElsewhere, said };
            self.log.push(&ConversationEvent::Closed { number, closing: Cow::Borrowed(&closing) }, metrics);
        }
    }
}

/// Returns what a request shows as the answer to each of these questions.
///
/// A native call is answered under its id. The answers to other calls are in the user's messages,
/// in order, after those that were given here (`own`).
fn shown_answers(
    questions: &[OpenQuestion],
    shown: &[ShownReply],
    own: &[String],
    wrapping: &Wrapping,
) -> Vec<Option<String>> {
    let by_id = |question: &OpenQuestion| {
        let id = question.id.as_deref()?;
        let result = shown.iter().find(|reply| reply.call_id.as_deref() == Some(id))?;
        Some(unwrapped(&result.text, wrapping))
    };
    let messages = || shown.iter().filter(|reply| reply.call_id.is_none()).map(|reply| &*reply.text);
    let mut tagged =
        messages().flat_map(|text| answers_in(text, wrapping)).filter(|answer| !own.iter().any(|one| one == answer));
    let last = || match questions {
        [_] => messages().next_back().map(|text| text.trim().to_owned()),
        _ => None,
    };
    let cut = |text: String| prefix(&text, MAX_SAID).to_owned();
    questions
        .iter()
        .map(|question| by_id(question).or_else(|| tagged.next().map(str::to_owned)).or_else(last).map(cut))
        .collect()
}

/// Returns the texts between the tags of answers.
fn answers_in<'a>(text: &'a str, wrapping: &Wrapping) -> Vec<&'a str> {
    let own_tags = (&*wrapping.open, &*wrapping.close);
    let is_tagged = |(open, close): &(&str, &str)| !open.is_empty() && !close.is_empty();
    let found = [own_tags, ANSWER_TAGS].into_iter().filter(is_tagged).map(|(open, close)| {
        let after_tags = text.split(open).skip(1);
        after_tags.filter_map(|rest| rest.split_once(close)).map(|(answer, _)| answer.trim()).collect::<Vec<_>>()
    });
    found.into_iter().find(|answers| !answers.is_empty()).unwrap_or_default()
}

/// Returns the answer in a reply's text: what is between the tags, or all of it.
pub(super) fn unwrapped(text: &str, wrapping: &Wrapping) -> String {
    answers_in(text, wrapping).first().copied().unwrap_or_else(|| text.trim()).to_owned()
}

#[cfg(test)]
mod tests {
    use followup::dialogue::Dialect;

    use super::*;

    fn question(number: u64, id: Option<&str>) -> OpenQuestion {
        OpenQuestion { number, id: id.map(str::to_owned) }
    }

    fn shown(call_id: Option<&str>, text: &str) -> ShownReply {
        ShownReply { call_id: call_id.map(str::to_owned), text: text.into() }
    }

    fn said(questions: &[OpenQuestion], shown: &[ShownReply], own: &[&str]) -> Vec<Option<String>> {
        let own: Vec<String> = own.iter().map(|text| (*text).to_owned()).collect();
        shown_answers(questions, shown, &own, &Dialect::roo_code().reply)
    }

    #[test]
    fn an_answer_is_found_by_id_then_by_its_tags_then_as_the_only_message() {
        let tagged = shown(None, "<answer>\nTea\n</answer> and <answer>Milk</answer>");
        let native = [question(0, Some("a")), question(1, Some("b"))];
        let results = [shown(Some("b"), "<answer>\nTwo\n</answer>"), shown(Some("a"), " One ")];
        assert_eq!(said(&native, &results, &[]), [Some("One".into()), Some("Two".into())]);
        let markup = [question(0, None), question(1, None)];
        assert_eq!(said(&markup, std::slice::from_ref(&tagged), &[]), [Some("Tea".into()), Some("Milk".into())]);
        assert_eq!(said(&markup[1..], &[tagged], &["Tea"]), [Some("Milk".into())], "Tea was answered here");
        let plain = [shown(None, "Something else"), shown(None, " Coffee\n")];
        assert_eq!(said(&markup[..1], &plain, &[]), [Some("Coffee".into())]);
        assert_eq!(said(&markup, &plain, &[]), [None, None], "it may answer either of them");
        assert_eq!(said(&native[..1], &[shown(Some("other"), "x")], &[]), [None]);
        assert_eq!(said(&markup[..1], &[], &[]), [None]);
    }

    #[test]
    fn the_tags_of_the_dialect_are_known_and_long_answers_are_cut() {
        let wrapping = Dialect::roo_code_latest().reply;
        assert_eq!(unwrapped("<user_message>\nTea\n</user_message>", &wrapping), "Tea");
        assert_eq!(unwrapped("<answer>\nTea\n</answer>", &wrapping), "Tea");
        assert_eq!(unwrapped(" Tea ", &wrapping), "Tea");
        let long = said(&[question(0, None)], &[shown(None, &"ä".repeat(MAX_SAID))], &[]);
        assert_eq!(long[0].as_ref().map(String::len), Some(MAX_SAID));
    }
}
