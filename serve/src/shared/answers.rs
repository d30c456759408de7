//! Answers: each question is answered once, over all replicas.
//!
//! An answer counts from the moment in which the store has accepted it. The writer of the conversation
//! then gives it; if the writer dies before, the next one does.

use std::sync::Arc;
use std::time::Duration;

use followup::dialogue::{Image, MessageFormat};

use super::Shared;
use super::commands::Claimed;
use crate::conversation::Conversation;
use crate::conversation::action::{ActionOutcome, StoredAnswer, UserAction};
use crate::error::ApiError;
use crate::local_store::Changeable;

/// How long the writer of a conversation may take to give an answer, or to be found dead.
const MAX_WAIT: Duration = Duration::from_secs(15);

impl Shared {
    /// Performs an action of the user.
    ///
    /// # Errors
    ///
    /// If it is not possible now, or the store can't be reached. Nothing has changed then.
    pub(crate) async fn perform(
        self: &Arc<Shared>,
        id: &str,
        action: UserAction,
        images: Vec<Image>,
        format: MessageFormat,
    ) -> Result<(Arc<Conversation>, ActionOutcome), ApiError> {
        if !self.is_up() {
            return Err(ApiError::store_away());
        }
        let target = self.changeable(id).await?;
        let Some(number) = action.number() else {
            let Changeable::Here(conversation) = target else { return Err(ApiError::elsewhere(id)) };
            let outcome = conversation.perform(action, images, format)?;
            return Ok((conversation, outcome));
        };
        let answer = StoredAnswer { action, images };
        let json = serde_json::to_string(&answer).map_err(|error| ApiError::store_unreadable(&error))?;
        match target {
            Changeable::Here(conversation) => {
                conversation.check(&answer)?;
                // So that the store knows of the question.
                self.flush(&conversation).await?;
                self.claim(id, number, &json).await?;
                let StoredAnswer { action, images } = answer;
                let performed = conversation.perform(action, images, format);
                // It may have been given meanwhile, because the store had accepted it.
                match performed.or_else(|error| conversation.outcome_of(number, format).ok_or(error)) {
                    Ok(outcome) => Ok((conversation, outcome)),
                    Err(error) => {
                        // If this fails, the next change of the conversation does it.
                        let _ = self.commands.release(id, number).await;
                        conversation.has_given(number);
                        Err(error)
                    }
                }
            }
            Changeable::Elsewhere(conversation) => {
                let stored = self.commands.load(id, None).await?.ok_or_else(|| ApiError::no_conversation(id))?;
                stored.check(&answer, &self.settings)?;
                let mut reader =
                    conversation.reader().ok_or_else(|| ApiError::too_many_readers(self.settings.limits.readers))?;
                self.claim(id, number, &json).await?;
                let replied = tokio::time::timeout(MAX_WAIT, reader.replied(number)).await;
                replied.map_err(|_| ApiError::answer_pending(number))?;
                let stored = self.commands.load(id, None).await?.ok_or_else(|| ApiError::no_conversation(id))?;
                let outcome = stored.outcome_of(number, format, &self.settings)?;
                Ok((conversation, outcome))
            }
        }
    }

    async fn claim(&self, id: &str, number: u64, json: &str) -> Result<(), ApiError> {
        match self.commands.claim(id, number, json).await? {
            Claimed::Accepted => Ok(()),
            Claimed::Answered(other) => {
                let other: Option<StoredAnswer> = serde_json::from_str(&other).ok();
                Err(ApiError::answered(number, other.and_then(|other| other.action.said())))
            }
            Claimed::Closed => Err(ApiError::answer(number, followup::dialogue::AnswerErrorKind::NotAsked)),
        }
    }

    /// Gives the answers that the store has accepted.
    pub(super) fn give_answers(&self, conversation: &Arc<Conversation>, answers: Vec<(u64, String)>) {
        for (number, json) in answers {
            if let Ok(StoredAnswer { action, images }) = serde_json::from_str(&json) {
                // It fails if this replica is giving it at the moment.
                if conversation.perform(action, images, MessageFormat::OpenAiChat).is_ok() {
                    conversation.may_continue_now();
                }
            }
            conversation.has_given(number);
        }
    }
}
