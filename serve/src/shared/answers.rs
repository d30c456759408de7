//! Answers: each question is answered once, over all replicas.
//!
//! An answer counts from the moment in which the store has accepted it. The writer of the
//! conversation then gives it; if the writer dies before, the next one does.

use std::sync::Arc;
use std::time::{Duration, Instant};

use followup::dialogue::{AnswerErrorKind, Image, MessageFormat, Reply};

use super::Shared;
use super::commands::Claimed;
use super::error::StoreError;
use crate::conversation::user_action::{ActionOutcome, StoredAnswer, UserAction};
use crate::conversation::{Conversation, EventId, InUse, Reader};
use crate::error::ApiError;
use crate::local_store::{Changeable, random};

/// How long an error waits for what it tells of another answer.
///
/// A reader waits at least as long for what it has seen.
const MAX_CATCH_UP: Duration = Duration::from_secs(2);

/// How long to wait for the store before an answer is sent to it again.
const MAX_AWAY: Duration = Duration::from_secs(3);

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
    ) -> Result<(InUse, ActionOutcome), ApiError> {
        if !self.is_up_for(id) {
            return Err(ApiError::store_away());
        }
        let target = self.changeable(id).await?;
        let Some(number) = action.number() else {
            let Changeable::Here(conversation) = target else { return Err(ApiError::elsewhere(id)) };
            let outcome = conversation.perform(action, images, format)?;
            return Ok((conversation, outcome));
        };
        let answer = StoredAnswer { action, images, by: random::<8>()? };
        match target {
            Changeable::Here(conversation) => {
                let outcome = self.answer_here(&conversation, number, answer, format).await?;
                Ok((conversation, outcome))
            }
            Changeable::Elsewhere(conversation) => {
                let outcome = self.answer_elsewhere(&conversation, number, answer, format).await?;
                Ok((conversation, outcome))
            }
        }
    }

    /// Gives an answer in a conversation that this replica writes.
    async fn answer_here(
        &self,
        conversation: &Arc<Conversation>,
        number: u64,
        answer: StoredAnswer,
        format: MessageFormat,
    ) -> Result<ActionOutcome, ApiError> {
        let reply = conversation.reply_to(&answer)?;
        // So that the store knows of the question.
        self.flush(conversation).await?;
        let reader = conversation.waiter();
        // Otherwise it may be given meanwhile, because the store has accepted it.
        let updating = conversation.updating.lock().await;
        // While this waited, the turn may have got more replies, such as corrections, which leave
        // less room.
        conversation.reply_to(&answer)?;
        let claimed = match self.claim(conversation, number, &answer, &reply).await {
            Ok(claimed) => claimed,
            Err(error) => {
                drop(updating);
                return Err(self.explain(error, conversation, &answer).await);
            }
        };
        let given = conversation.give(answer, format);
        drop(updating);
        match given {
            Ok(outcome) => Ok(outcome),
            // The next writer gives it.
            Err(error) if error.is_elsewhere() => self.given_elsewhere(reader, number, &reply, format).await,
            Err(error) => match conversation.outcome_of(number, format) {
                Some(given) => {
                    conversation.has_given(number);
                    // It was given meanwhile, because the store had accepted it.
                    if *given.reply == reply { Ok(given) } else { Err(error) }
                }
                None => {
                    // If this fails, the answer goes as any that the store has accepted and that
                    // can't be given: with the next events.
                    let _ = self.commands.release(conversation.id(), number, &claimed).await;
                    Err(error)
                }
            },
        }
    }

    /// Waits until the store has an answer that was given.
    ///
    /// So it is not lost with this replica.
    ///
    /// If another replica has become the writer before, it gives the answer, and this waits for
    /// that. If the store can't be reached, it has the answer as one that was accepted.
    ///
    /// # Errors
    ///
    /// If another answer was given: the store has lost that it had accepted this one. Or if
    /// guidance is lost, because another replica has become the writer before.
    pub(crate) async fn confirm(
        &self,
        conversation: &Arc<Conversation>,
        reply: &Reply,
        format: MessageFormat,
    ) -> Result<(), ApiError> {
        match (self.settle(conversation).await, reply.number) {
            (Err(_), Some(number)) => {
                self.given_elsewhere(conversation.waiter(), number, reply, format).await.map(drop)
            }
            (settled, _) => settled,
        }
    }

    /// Gives an answer in a conversation that another replica writes.
    async fn answer_elsewhere(
        &self,
        conversation: &Arc<Conversation>,
        number: u64,
        answer: StoredAnswer,
        format: MessageFormat,
    ) -> Result<ActionOutcome, ApiError> {
        let stored = self.stored(conversation.id()).await?;
        let last = stored.last;
        let reply = match stored.reply_to(&answer, &self.settings) {
            Ok(reply) => reply,
            Err(error) => {
                catch_up(conversation, last).await;
                return Err(error);
            }
        };
        let mut reader = conversation.waiter();
        if let Err(error) = self.claim(conversation, number, &answer, &reply).await {
            return Err(self.explain(error, conversation, &answer).await);
        }
        // Until the question is here, it can't be seen that it was answered.
        if let Some(last) = last {
            let reached = tokio::time::timeout(MAX_WAIT, reader.reached(last)).await;
            reached.map_err(|_| ApiError::answer_pending(number))?;
        }
        self.given_elsewhere(reader, number, &reply, format).await
    }

    /// Waits until the writer, another replica, has given an answer that the store has accepted.
    ///
    /// # Errors
    ///
    /// If another answer was given: the store has lost that it had accepted this one.
    async fn given_elsewhere(
        &self,
        mut reader: Reader,
        number: u64,
        reply: &Reply,
        format: MessageFormat,
    ) -> Result<ActionOutcome, ApiError> {
        let replied = tokio::time::timeout(MAX_WAIT, reader.replied(number)).await;
        replied.map_err(|_| ApiError::answer_pending(number))?;
        let conversation = &reader.conversation;
        let given = match conversation.outcome_of(number, format) {
            // This replica has become the writer meanwhile.
            Some(outcome) => outcome,
            None => self.stored(conversation.id()).await?.outcome_of(number, format, &self.settings)?,
        };
        if *given.reply == *reply { Ok(given) } else { Err(ApiError::answered(number, None)) }
    }

    /// Lets the store accept an answer. Returns what it has accepted.
    ///
    /// # Errors
    ///
    /// If it has accepted another one, or can't.
    async fn claim(
        &self,
        conversation: &Conversation,
        number: u64,
        answer: &StoredAnswer,
        reply: &Reply,
    ) -> Result<String, ApiError> {
        let json = serde_json::to_string(answer).map_err(|error| ApiError::store_unreadable(&error))?;
        match self.claim_surely(conversation.id(), number, &json, reply).await? {
            Claimed::Accepted => Ok(json),
            Claimed::Answered(other) => {
                let other: Option<StoredAnswer> = serde_json::from_str(&other).ok();
                Err(ApiError::answered(number, other.and_then(|other| conversation.said_by(&other.action))))
            }
            Claimed::NotAsked => Err(ApiError::answer(number, AnswerErrorKind::NotAsked)),
            Claimed::Closed => Err(ApiError::store_restored(conversation.id())),
        }
    }

    /// Claims a question.
    ///
    /// If the store's reply may be lost, the claim is sent again, which has the same effect as one.
    async fn claim_surely(&self, id: &str, number: u64, answer: &str, reply: &Reply) -> Result<Claimed, StoreError> {
        let may_be_heard = self.is_up_for(id);
        match self.commands.claim(id, number, answer).await {
            Err(StoreError::Away) if may_be_heard => {
                let state = self.keys.state(id);
                tokio::time::timeout(MAX_AWAY, self.link.wait_until_up(&state)).await.map_err(|_| StoreError::Away)?;
                match self.commands.claim(id, number, answer).await {
                    // The first claim was accepted, and the writer has given the answer since.
                    Ok(Claimed::NotAsked) if self.was_given(id, number, reply).await => Ok(Claimed::Accepted),
                    claimed => claimed,
                }
            }
            claimed => claimed,
        }
    }

    /// Returns `true` if the store has this reply to a question.
    async fn was_given(&self, id: &str, number: u64, reply: &Reply) -> bool {
        let Ok(stored) = self.stored(id).await else { return false };
        let given = stored.outcome_of(number, MessageFormat::OpenAiChat, &self.settings);
        given.is_ok_and(|given| *given.reply == *reply)
    }

    /// Returns why an answer was not accepted.
    ///
    /// If its question does not wait any more, it was asked a moment ago, and the store has what
    /// became of it.
    async fn explain(&self, error: ApiError, conversation: &Arc<Conversation>, answer: &StoredAnswer) -> ApiError {
        if !error.is_not_asked() {
            return error;
        }
        let stored = match self.stored(conversation.id()).await {
            Ok(stored) => stored,
            Err(error) => return error,
        };
        catch_up(conversation, stored.last).await;
        stored.reply_to(answer, &self.settings).err().unwrap_or(error)
    }

    /// Lets a conversation be compared with the store as often as a new reader needs.
    ///
    /// Waits for the event that the reader has seen last, which may not be here yet. Otherwise it
    /// would get an earlier state. A writer that lacks it has not heard that there is another one.
    /// A store that lacks it gets it from the writer, which has the time of a lease for that, and
    /// more while it lives.
    pub(crate) async fn begin_reading(&self, reader: &mut Reader, seen: Option<EventId>) {
        let conversation = &reader.conversation;
        let missing = seen.filter(|seen| *seen > conversation.last());
        self.watched.change(conversation.id(), |bell| bell.rings += u64::from(missing.is_some()));
        let Some(missing) = missing else { return };
        let id = conversation.id().to_owned();
        let (began, wait) = (Instant::now(), MAX_CATCH_UP.max(self.lease.duration()));
        while tokio::time::timeout(wait, reader.reached(missing)).await.is_err() {
            // Its writer may have died before it has stored the event.
            let is_awaited = match self.commands.writer(&id).await {
                Ok((_, writer)) => !self.is_dead(&writer).await,
                Err(_) => true,
            };
            if !is_awaited || began.elapsed() >= self.patience() {
                return;
            }
        }
    }

    /// Gives the answers that the store has accepted.
    pub(super) fn give_answers(&self, conversation: &Arc<Conversation>, answers: Vec<(u64, String)>) {
        for (number, json) in answers {
            // It fails if this replica is giving it at the moment.
            if serde_json::from_str(&json)
                .is_ok_and(|answer| conversation.give(answer, MessageFormat::OpenAiChat).is_ok())
            {
                conversation.may_continue_now();
            }
            conversation.has_given(number);
        }
    }
}

/// Waits for an event that the store has, so that the answer to a question is here, too.
async fn catch_up(conversation: &Arc<Conversation>, last: Option<EventId>) {
    if let Some(last) = last {
        // Without it, an error is less helpful.
        let _ = tokio::time::timeout(MAX_CATCH_UP, conversation.waiter().reached(last)).await;
    }
}
