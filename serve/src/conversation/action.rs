//! Performs the user's actions in a conversation.

use std::borrow::Cow;
use std::sync::Arc;

use followup::dialogue::{Answer, FormAnswer, Image, MessageFormat, Question, Reply};

use super::Conversation;
use super::change::ChangeGuard;
use super::dialogue::BoundedDialogue;
use super::event::{ConversationEvent, UserReply};
use super::item::prefix;
use super::role::Role;
use super::user_action::{ActionOutcome, StoredAnswer, UserAction};
use crate::error::ApiError;

/// Maximum number of bytes of a reply's images that readers get; others are only described.
const MAX_SHOWN_IMAGES: usize = 256 << 10;

/// Maximum number of bytes of an answer in an error.
const MAX_SAID: usize = 8 << 10;

impl Conversation {
    /// Returns the reply that an action would lead to. Changes nothing.
    ///
    /// # Errors
    ///
    /// If the action is not possible now.
    pub(crate) fn reply_to(&self, answer: &StoredAnswer) -> Result<Reply, ApiError> {
        self.state.lock().dialogue.reply_to(&answer.action, &answer.images)
    }

    /// Returns the outcome of an answer; `None` if it was not given, or is no longer kept.
    pub(crate) fn outcome_of(&self, number: u64, format: MessageFormat) -> Option<ActionOutcome> {
        self.state.lock().dialogue.outcome_of(number, format)
    }

    /// Returns `true` if the service sends a reply to the model itself, or tried to.
    pub(crate) fn sends(&self, reply: &Reply) -> bool {
        self.state.lock().dialogue.sends(reply)
    }

    /// Returns the user's reply to a question, or its beginning.
    ///
    /// `None` if that is not known.
    pub(crate) fn said_to(&self, number: u64) -> Option<String> {
        let state = self.state.lock();
        let answered = state.log.transcript.asked(number)?.answered.as_ref()?;
        Some(prefix(&answered.said, MAX_SAID).to_owned())
    }

    /// Returns what an action says, or the beginning of it; `None` if it has no text of its own.
    pub(crate) fn said_by(&self, action: &UserAction) -> Option<String> {
        let state = self.state.lock();
        let text = match action {
            UserAction::Answer { number, answer: Answer::Suggestion(index) } => {
                &state.log.transcript.asked(*number)?.suggest.get(*index)?.answer
            }
            UserAction::Answer { answer: Answer::Edited { text, .. } | Answer::Text(text), .. }
            | UserAction::Guide { text } => text,
            _ => return None,
        };
        Some(prefix(text, MAX_SAID).to_owned())
    }

    /// Performs an action.
    ///
    /// # Errors
    ///
    /// If the action is not possible now. Nothing has changed then.
    pub(crate) fn perform(
        &self,
        action: UserAction,
        images: Vec<Image>,
        format: MessageFormat,
    ) -> Result<ActionOutcome, ApiError> {
        let state = self.lock_to_write()?;
        if state.dialogue.check_room(&action, &images).is_err() {
            // Any other reason to refuse it counts more.
            state.dialogue.reply_to(&action, &images)?;
        }
        self.perform_in(state, action, images, format)
    }

    /// Gives an answer that was accepted.
    ///
    /// Its size was checked before, when the turn may have had fewer replies.
    ///
    /// # Errors
    ///
    /// If it was given already, or another process writes the conversation.
    pub(crate) fn give(&self, answer: StoredAnswer, format: MessageFormat) -> Result<ActionOutcome, ApiError> {
        let StoredAnswer { action, images, .. } = answer;
        self.perform_in(self.lock_to_write()?, action, images, format)
    }

    fn perform_in(
        &self,
        mut state: ChangeGuard<'_>,
        action: UserAction,
        images: Vec<Image>,
        format: MessageFormat,
    ) -> Result<ActionOutcome, ApiError> {
        let labels = labels(&images);
        let was_open = state.dialogue.open_question().map(|question| question.number);
        let kind = action.kind();
        let (reply, said) = act(&mut state.dialogue, action, images)?;
        self.metrics.answer(kind.label());
        let (number, mode) = (reply.number, reply.mode.clone());
        if let (Role::Writer(publication), Some(number)) = (&mut state.role, number) {
            publication.answered.push(number);
        }
        let GivenAnswer { text, suggestion, answers } = said;
        // What goes back to the model says it best where there are several answers.
        let said = text.unwrap_or_else(|| if answers.is_empty() { String::new() } else { reply.text.clone() });
        let replied = UserReply { number, kind, said, suggestion, answers, images: labels, mode };
        state.log.push(&ConversationEvent::Replied(Cow::Borrowed(&replied)), &self.metrics);
        let open = state.dialogue.open_question().map(|question| question.number);
        if let Some(number) = open.filter(|_| open != was_open) {
            state.log.push(&ConversationEvent::Open { number }, &self.metrics);
        }
        state.decide_deliveries(&self.metrics);
        let messages = Reply::messages_of(&state.dialogue.replies(), format);
        Ok(ActionOutcome { reply, messages, waiting: state.dialogue.waiting(), is_sent: false })
    }
}

/// Performs an action in a dialogue. Returns the reply to the model, and what the user said.
fn act(
    dialogue: &mut BoundedDialogue,
    action: UserAction,
    images: Vec<Image>,
) -> Result<(Arc<Reply>, GivenAnswer), ApiError> {
    let so_far = |answers: &[FormAnswer]| GivenAnswer { answers: answers.to_vec(), ..GivenAnswer::default() };
    let (number, said, reply) = match action {
        UserAction::Answer { number, answer } => {
            let open = dialogue.open_question().filter(|open| open.number == number);
            let said = open.map(|open| GivenAnswer::of(open, &answer)).unwrap_or_default();
            (number, said, dialogue.answer(number, answer, images))
        }
        UserAction::Cancel { number } => (number, GivenAnswer::default(), dialogue.cancel(number)),
        UserAction::Decline { number } => (number, GivenAnswer::default(), dialogue.decline(number)),
        UserAction::Discuss { number, answers } => (number, so_far(&answers), dialogue.discuss(number, answers)),
        UserAction::TimeOut { number, answers } => (number, so_far(&answers), dialogue.time_out(number, answers)),
        UserAction::Guide { text } => {
            let reply = dialogue.guide(text.clone(), images).map_err(|error| ApiError::not_stopped(&error))?;
            return Ok((reply, GivenAnswer { text: Some(text), ..GivenAnswer::default() }));
        }
    };
    Ok((reply.map_err(|why| why.into_error(number))?, said))
}

/// What the user said, for readers.
#[derive(Default)]
struct GivenAnswer {
    /// `None` if there are answers to a form instead.
    text: Option<String>,
    suggestion: Option<usize>,
    answers: Vec<FormAnswer>,
}

impl GivenAnswer {
    /// Returns what an answer to this question says.
    fn of(question: &Question, answer: &Answer) -> GivenAnswer {
        match answer {
            Answer::Suggestion(index) => {
                let text = question.suggest.get(*index).map(|suggestion| suggestion.answer.clone());
                GivenAnswer { text: Some(text.unwrap_or_default()), suggestion: Some(*index), ..GivenAnswer::default() }
            }
            Answer::Edited { suggestion, text } => {
                GivenAnswer { text: Some(text.clone()), suggestion: Some(*suggestion), ..GivenAnswer::default() }
            }
            Answer::Text(text) => GivenAnswer { text: Some(text.clone()), ..GivenAnswer::default() },
            Answer::Form(answers) => GivenAnswer { answers: answers.clone(), ..GivenAnswer::default() },
        }
    }
}

/// Returns the images as readers get them: data URLs, or descriptions of those that are too large.
fn labels(images: &[Image]) -> Vec<String> {
    let mut left = MAX_SHOWN_IMAGES;
    let label = |image: &Image| match left.checked_sub(image.data_url().len()) {
        Some(rest) => {
            left = rest;
            image.data_url().to_owned()
        }
        None => {
            let digits = image.base64().trim_end_matches('=').len();
            format!("{}, {} bytes", image.media_type(), digits * 3 / 4)
        }
    };
    images.iter().map(label).collect()
}
