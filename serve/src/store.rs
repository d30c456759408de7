//! All conversations: those of this process, or of all replicas.

use std::collections::HashMap;
use std::sync::Arc;

use followup::dialogue::{Image, MessageFormat, Reply};

use crate::conversation::user_action::{ActionOutcome, UserAction};
use crate::conversation::{Conversation, EventId, InUse, NewRole, Reader, Summary};
use crate::error::ApiError;
use crate::local_store::{Changeable, LocalStore, check_id, random};
use crate::shared::Shared;

/// All conversations.
///
/// Without a shared store they are in this process only. With one, any replica can read and change
/// each of them; those that this replica reads or writes are in its memory, too.
pub(crate) struct Store {
    local: Arc<LocalStore>,
    shared: Option<Arc<Shared>>,
}

impl Store {
    pub(crate) fn new(local: Arc<LocalStore>, shared: Option<Arc<Shared>>) -> Store {
        Store { local, shared }
    }

    /// Returns the conversations of this process.
    pub(crate) fn local(&self) -> &LocalStore {
        &self.local
    }

    /// Returns what all replicas share; `None` if the conversations are in this process only.
    pub(crate) fn shared(&self) -> Option<&Arc<Shared>> {
        self.shared.as_ref()
    }

    /// Returns a conversation to read it.
    ///
    /// # Errors
    ///
    /// If there is none with this id, or the store can't be reached.
    pub(crate) async fn get(&self, id: &str) -> Result<Arc<Conversation>, ApiError> {
        let id = check_id(id)?;
        match &self.shared {
            Some(shared) => shared.get(id).await,
            None => self.local.find(id).ok_or_else(|| ApiError::no_conversation(id)),
        }
    }

    /// Returns a conversation to change it.
    ///
    /// # Errors
    ///
    /// If there is none with this id, another replica is writing a turn of it, or the store can't
    /// be reached.
    pub(crate) async fn get_for_change(&self, id: &str) -> Result<InUse, ApiError> {
        let Some(shared) = &self.shared else { return Ok(self.get(id).await?.in_use()) };
        match shared.changeable(check_id(id)?).await? {
            Changeable::Here(conversation) => Ok(conversation),
            Changeable::Elsewhere(_) => Err(ApiError::elsewhere(id)),
        }
    }

    /// Returns a conversation to begin a turn in it.
    ///
    /// # Errors
    ///
    /// As those of [`get_for_change`](Store::get_for_change).
    pub(crate) async fn get_for_turn(&self, id: &str) -> Result<InUse, ApiError> {
        let Some(shared) = &self.shared else { return Ok(self.get(id).await?.in_use()) };
        match shared.for_turn(check_id(id)?).await? {
            Changeable::Here(conversation) => Ok(conversation),
            Changeable::Elsewhere(_) => Err(ApiError::elsewhere(id)),
        }
    }

    /// Returns a conversation to push the first piece of the message of this name.
    ///
    /// # Errors
    ///
    /// As those of [`get_or_create`](Store::get_or_create).
    pub(crate) async fn get_for_first_piece(&self, id: &str, message: &str) -> Result<InUse, ApiError> {
        let Some(shared) = &self.shared else { return Ok(self.get_or_create(id).await?.0) };
        match shared.for_first_piece(check_id(id)?, message).await? {
            Changeable::Here(conversation) => Ok(conversation),
            Changeable::Elsewhere(_) => Err(ApiError::elsewhere(id)),
        }
    }

    /// Returns a conversation to push a later piece of a message.
    ///
    /// # Errors
    ///
    /// As those of [`get_for_change`](Store::get_for_change).
    pub(crate) async fn get_for_piece(&self, id: &str) -> Result<InUse, ApiError> {
        let Some(shared) = &self.shared else { return Ok(self.get(id).await?.in_use()) };
        match shared.for_piece(check_id(id)?).await? {
            Changeable::Here(conversation) => Ok(conversation),
            Changeable::Elsewhere(_) => Err(ApiError::elsewhere(id)),
        }
    }

    /// Creates a conversation whose id can't be guessed. Never waits for the store.
    ///
    /// # Errors
    ///
    /// If all conversations are in use.
    pub(crate) fn create(&self) -> Result<Arc<Conversation>, ApiError> {
        let role = if self.shared.is_some() { NewRole::Writer } else { NewRole::Alone };
        let (conversation, _) = self.local.find_or_create(&random::<16>()?, role)?;
        if let Some(shared) = &self.shared {
            shared.watch(&conversation);
        }
        Ok(conversation)
    }

    /// Returns the conversation with this id to begin a turn in it, and whether it is new.
    ///
    /// # Errors
    ///
    /// If the id is invalid, another replica is writing a turn of it, all conversations are in use,
    /// or the store can't be reached.
    pub(crate) async fn get_or_create(&self, id: &str) -> Result<(InUse, bool), ApiError> {
        let id = check_id(id)?;
        let Some(shared) = &self.shared else {
            let (conversation, is_new) = self.local.find_or_create(id, NewRole::Alone)?;
            return Ok((conversation.in_use(), is_new));
        };
        match shared.get_or_create(id).await? {
            (Changeable::Here(conversation), is_new) => Ok((conversation, is_new)),
            (Changeable::Elsewhere(_), _) => Err(ApiError::elsewhere(id)),
        }
    }

    /// Performs an action of the user. Returns the conversation, too.
    ///
    /// # Errors
    ///
    /// If the action is not possible now. Nothing has changed then.
    pub(crate) async fn perform(
        &self,
        id: &str,
        action: UserAction,
        images: Vec<Image>,
        format: MessageFormat,
    ) -> Result<(InUse, ActionOutcome), ApiError> {
        let number = action.number();
        let performed = match &self.shared {
            Some(shared) => shared.perform(check_id(id)?, action, images, format).await,
            None => {
                let conversation = self.get(id).await?.in_use();
                conversation.perform(action, images, format).map(|outcome| (conversation, outcome))
            }
        };
        performed.map_err(|error| error.with_answer(|| self.local.find(id)?.said_to(number?)))
    }

    /// Waits until the store has an answer that was given.
    ///
    /// # Errors
    ///
    /// If another answer was given instead, because the store has lost that it had accepted this
    /// one. Or if guidance is lost, because another replica has become the writer before.
    pub(crate) async fn confirm(
        &self,
        conversation: &Arc<Conversation>,
        reply: &Reply,
        format: MessageFormat,
    ) -> Result<(), ApiError> {
        match &self.shared {
            Some(shared) => shared.confirm(conversation, reply, format).await,
            None => Ok(()),
        }
    }

    /// Waits until no other process can still turn out to be the writer of a conversation.
    ///
    /// This process writes it. That takes time only after the store was away.
    pub(crate) async fn rule_out_other_writers(&self, conversation: &Arc<Conversation>) {
        if let Some(shared) = &self.shared {
            shared.rule_out_other_writers(conversation).await;
        }
    }

    /// Prepares a conversation for a reader that has seen its events up to this one.
    pub(crate) async fn begin_reading(&self, reader: &mut Reader, seen: Option<EventId>) {
        if let Some(shared) = &self.shared {
            shared.begin_reading(reader, seen).await;
        }
    }

    /// Waits until the store has everything of a conversation.
    ///
    /// # Errors
    ///
    /// If it can't be reached, or another replica writes the conversation now.
    pub(crate) async fn flush(&self, conversation: &Conversation) -> Result<(), ApiError> {
        match &self.shared {
            Some(shared) => shared.flush(conversation).await,
            None => Ok(()),
        }
    }

    /// Waits until the store has a change. If it can't be reached, it is told later.
    ///
    /// # Errors
    ///
    /// If another replica has become the writer before, so that the change is lost.
    pub(crate) async fn settle(&self, conversation: &Conversation) -> Result<(), ApiError> {
        match &self.shared {
            Some(shared) => shared.settle(conversation).await,
            None => Ok(()),
        }
    }

    /// Brings the list of conversations up to date with what other replicas have done.
    pub(crate) async fn refresh_list(&self) {
        if let Some(shared) = &self.shared {
            // Without the store, the list shows what is known.
            let _ = shared.list().refresh().await;
        }
    }

    /// Returns the ids of all conversations, with the versions of their entries in the list.
    pub(crate) fn versions(&self) -> HashMap<String, u64> {
        let stored = self.shared.iter().flat_map(|shared| shared.list().versions());
        // No other entry has such a version.
        let mut versions: HashMap<_, _> = stored.map(|(id, number)| (id, number | 1 << 63)).collect();
        // Those of this process are newer.
        versions.extend(self.local.all().into_iter().map(|one| (one.id().to_owned(), one.version())));
        versions
    }

    /// Returns the entry of a conversation in the list.
    pub(crate) fn summary(&self, id: &str) -> Option<Summary> {
        let here = self.local.find(id).map(|conversation| conversation.summary());
        here.or_else(|| Some(Summary::of_stored(id, &*self.shared.as_ref()?.list().entry(id)?)))
    }

    /// Returns the list of conversations, latest change first.
    pub(crate) fn summaries(&self) -> Vec<Summary> {
        let mut summaries: Vec<_> = self.versions().keys().filter_map(|id| self.summary(id)).collect();
        summaries.sort_by_key(|summary| std::cmp::Reverse(summary.updated_at));
        summaries
    }

    /// Deletes a conversation.
    ///
    /// # Errors
    ///
    /// If there is none with this id, or the store can't be reached.
    pub(crate) async fn remove(&self, id: &str) -> Result<(), ApiError> {
        let id = check_id(id)?;
        let was_stored = match &self.shared {
            Some(shared) => shared.remove(id).await?,
            None => false,
        };
        let was_here = self.local.remove(id);
        if was_here || was_stored { Ok(()) } else { Err(ApiError::no_conversation(id)) }
    }
}
