//! Who writes a conversation.
//!
//! Finding the writer, becoming the writer, and learning that another replica became it.

use std::sync::Arc;
use std::time::Duration;

use super::Shared;
use super::commands::{Found, Purpose, TakeOutcome};
use super::error::StoreError;
use super::link::RESPONSE_TIMEOUT;
use crate::conversation::{Conversation, NewRole, StoredConversation};
use crate::error::ApiError;
use crate::local_store::Changeable;

/// Pause before the store is asked again whether a conversation was taken.
const UNHEARD_PAUSE: Duration = Duration::from_millis(500);

/// How often it is tried to take a conversation that is reserved for another replica.
const PAUSE: Duration = Duration::from_millis(20);

impl Shared {
    /// Returns a conversation to read it.
    pub(crate) async fn get(self: &Arc<Shared>, id: &str) -> Result<Arc<Conversation>, ApiError> {
        while let Some(conversation) = self.local.find(id) {
            // What another replica writes is watched. What this one wrote, another may have taken.
            if self.is_up_for(id) && conversation.is_writer() && !conversation.is_streaming() {
                match self.check_writer(&conversation).await {
                    // What this replica wrote is here, whether the store is known to be away or not
                    // yet.
                    Ok(_) | Err(StoreError::Away) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            // It may have been dropped meanwhile, and nothing brings it up to date then.
            if !conversation.is_gone() && !self.local.has(&conversation) {
                continue;
            }
            return if conversation.is_gone() { Err(ApiError::no_conversation(id)) } else { Ok(conversation) };
        }
        let stored = self.stored(id).await?;
        let load = |conversation: &Conversation| conversation.load(stored);
        let (conversation, is_new) = self.local.find_or_create_with(id, NewRole::Follower, load)?;
        if is_new {
            self.watch(&conversation);
        }
        Ok(conversation)
    }

    /// Returns what is stored of a conversation.
    pub(super) async fn stored(&self, id: &str) -> Result<StoredConversation, ApiError> {
        match self.commands.load(id, None).await? {
            Found::Stored(stored) => return Ok(*stored),
            // If this fails, the next reader does it.
            Found::Deleted => drop(self.unlist(id).await),
            Found::Nothing => {}
        }
        Err(ApiError::no_conversation(id))
    }

    /// Returns a conversation to change it.
    pub(crate) async fn changeable(self: &Arc<Shared>, id: &str) -> Result<Changeable, ApiError> {
        self.writable(id, Purpose::Change).await.map(|(conversation, _)| conversation)
    }

    /// Returns a conversation to begin a turn in it.
    pub(crate) async fn for_turn(self: &Arc<Shared>, id: &str) -> Result<Changeable, ApiError> {
        self.writable(id, Purpose::Turn).await.map(|(conversation, _)| conversation)
    }

    /// Returns a conversation to push a later piece of a message.
    pub(crate) async fn for_piece(self: &Arc<Shared>, id: &str) -> Result<Changeable, ApiError> {
        self.writable(id, Purpose::Piece).await.map(|(conversation, _)| conversation)
    }

    /// Returns a conversation to push the first piece of the message of this name.
    pub(crate) async fn for_first_piece(self: &Arc<Shared>, id: &str, message: &str) -> Result<Changeable, ApiError> {
        self.writable(id, Purpose::FirstPiece(message)).await.map(|(conversation, _)| conversation)
    }

    /// Returns a conversation to begin a turn in it, and whether it is new.
    pub(crate) async fn get_or_create(self: &Arc<Shared>, id: &str) -> Result<(Changeable, bool), ApiError> {
        self.writable(id, Purpose::NewTurn).await
    }

    async fn writable(self: &Arc<Shared>, id: &str, purpose: Purpose<'_>) -> Result<(Changeable, bool), ApiError> {
        match self.local.find_to_use(id) {
            Some(here) if here.is_writer() && !self.is_up_for(id) => Ok((Changeable::Here(here), false)),
            _ => self.take(id, purpose).await,
        }
    }

    /// Returns whether this replica is still the writer. If it is not, loads what the writer wrote.
    async fn check_writer(&self, conversation: &Arc<Conversation>) -> Result<bool, StoreError> {
        let Some(epoch) = conversation.epoch() else { return Ok(false) };
        let (stored_epoch, owner) = self.commands.writer(conversation.id()).await?;
        // After the store has lost a take, two replicas have the same epoch.
        if stored_epoch < epoch || stored_epoch == epoch && self.lease.is_own(&owner) {
            return Ok(true);
        }
        self.lost(conversation, epoch).await;
        Ok(false)
    }

    /// Makes this replica the writer of a conversation, unless another one is writing a turn of it.
    async fn take(self: &Arc<Shared>, id: &str, purpose: Purpose<'_>) -> Result<(Changeable, bool), ApiError> {
        // What is not in the memory of this replica has no lock of its own. Of two requests at
        // once, the second would become the writer again, over the turn of the first.
        let _taking = self.taking.lock(id).await;
        let mut dead = None;
        loop {
            // A turn must not begin in a conversation that was dropped: the next request would take
            // it again.
            let here = self.local.find_to_use(id);
            if here.is_none() {
                // Nobody else would write a conversation that this replica has taken and has no
                // room for.
                self.local.check_room()?;
            }
            // So that it is not compared with the store before the outcome is known.
            let updating = match &here {
                Some(here) => Some(here.updating.lock().await),
                None => None,
            };
            let own = here.as_ref().and_then(|here| here.epoch());
            let known = here.as_ref().and_then(|here| here.last_followed());
            let unheard = Unheard::new(self, id);
            let outcome = self.commands.take(id, own, dead.as_deref(), purpose, known).await;
            match unheard.heard(outcome)? {
                TakeOutcome::None => return Err(ApiError::no_conversation(id)),
                TakeOutcome::Closed => return Err(ApiError::store_restored(id)),
                TakeOutcome::Busy(owner) | TakeOutcome::Reserved(owner) if self.lease.is_dead(&owner).await => {
                    dead = Some(owner);
                }
                TakeOutcome::Reserved(_) => {
                    drop(updating);
                    tokio::time::sleep(PAUSE).await;
                }
                TakeOutcome::Busy(_) => {
                    drop(updating);
                    self.get(id).await?;
                    if let Some(conversation) = self.local.find_to_use(id) {
                        return Ok((Changeable::Elsewhere(conversation), false));
                    }
                }
                TakeOutcome::Kept => {
                    drop(updating);
                    let here = here.ok_or_else(|| ApiError::no_conversation(id))?;
                    if purpose != Purpose::Change {
                        here.store_facts_anew();
                    }
                    return Ok((Changeable::Here(here), false));
                }
                TakeOutcome::Taken { epoch, stored } => {
                    let is_new = stored.last.is_none();
                    let conversation = match self.local.find_or_create(id, NewRole::Follower) {
                        Ok((conversation, _)) => conversation.in_use(),
                        Err(error) => {
                            // Its place was filled meanwhile. Others would wait for what this
                            // replica does not write, even if the caller does not wait any more.
                            give_back_later(self, id, epoch);
                            return Err(error);
                        }
                    };
                    let is_here = here.as_ref().is_some_and(|here| Arc::ptr_eq(here, &conversation));
                    let updating = match updating.filter(|_| is_here) {
                        Some(updating) => updating,
                        None => conversation.updating.lock().await,
                    };
                    self.take_over(&conversation, epoch, *stored)?;
                    drop(updating);
                    if matches!(purpose, Purpose::Change | Purpose::Piece) {
                        // The last writer may not have come to it.
                        conversation.may_continue_now();
                    }
                    return Ok((Changeable::Here(conversation), is_new));
                }
            }
        }
    }

    /// Returns `true` if this replica relayed the last turn of a conversation.
    pub(crate) async fn is_current(&self, conversation: &Arc<Conversation>) -> bool {
        match (self.is_up_for(conversation.id()), conversation.is_writer()) {
            (true, true) => self.check_writer(conversation).await.unwrap_or(true),
            (_, is_writer) => is_writer,
        }
    }

    /// Waits until no other replica can still turn out to be the writer of a conversation.
    ///
    /// This replica writes it. If another one is the writer, loads what that wrote.
    ///
    /// After the store was away, it may have lost that another replica has become the writer. That
    /// one has the time of a lease to store it again.
    pub(crate) async fn rule_out_other_writers(&self, conversation: &Arc<Conversation>) {
        let key = self.keys.state(conversation.id());
        while self.link.was_interrupted() {
            self.link.wait_until_up(&key).await;
            let Some(since) = self.link.up_since() else { continue };
            let rest = self.lease.duration().saturating_sub(since.elapsed());
            if !rest.is_zero() {
                tokio::time::sleep(rest).await;
                continue;
            }
            match self.check_writer(conversation).await {
                Err(StoreError::Away) => tokio::time::sleep(UNHEARD_PAUSE).await,
                _ => return,
            }
        }
    }

    /// Returns `true` if the writer of a conversation is known to be dead.
    ///
    /// This replica follows the conversation.
    ///
    /// It may be this replica, which has not heard that it became the writer.
    pub(super) async fn is_dead(&self, writer: &str) -> bool {
        self.lease.is_own(writer) || self.lease.is_dead(writer).await
    }

    /// Makes this replica the writer of a conversation whose writer is dead.
    pub(super) async fn take_from(
        self: &Arc<Shared>,
        conversation: &Arc<Conversation>,
        dead: &str,
    ) -> Result<(), StoreError> {
        let in_use = conversation.in_use();
        if !self.local.has(&in_use) {
            return Ok(());
        }
        // A replica that dies may leave many conversations at once.
        let permit = self.commands.permit_to_take_over().await;
        let taken = self.commands.take(conversation.id(), None, Some(dead), Purpose::Change, None).await?;
        drop(permit);
        if let TakeOutcome::Taken { epoch, stored } = taken {
            self.metrics.taken_over();
            self.take_over(conversation, epoch, *stored).map_err(|error| StoreError::Unreadable(error.to_string()))?;
            conversation.may_continue_now();
        }
        Ok(())
    }

    fn take_over(
        self: &Arc<Shared>,
        conversation: &Arc<Conversation>,
        epoch: u64,
        mut stored: StoredConversation,
    ) -> Result<(), ApiError> {
        let answers = std::mem::take(&mut stored.answers);
        // What can't be read is shown, too, and another replica may write it again.
        self.watch(conversation);
        conversation.take_over(epoch, stored).map_err(|error| ApiError::store_unreadable(&error))?;
        self.give_answers(conversation, answers);
        Ok(())
    }

    /// Returns `true` if another replica writes a conversation.
    ///
    /// `epoch`: that in which this replica wrote it. The other one may have become the writer
    /// earlier than this one, and have stored events that are not here.
    pub(super) fn is_written_by_another(
        &self,
        conversation: &Conversation,
        epoch: u64,
        stored: &StoredConversation,
    ) -> bool {
        stored.is_written_by_another(epoch, |owner| self.lease.is_own(owner)) || conversation.is_overtaken(stored.last)
    }

    /// Another replica has become the writer of a conversation, which this one wrote in that epoch.
    pub(super) async fn lost(&self, conversation: &Arc<Conversation>, epoch: u64) {
        let _updating = conversation.updating.lock().await;
        if conversation.epoch() != Some(epoch) {
            return;
        }
        match self.commands.load(conversation.id(), None).await {
            Ok(Found::Stored(stored)) if self.is_written_by_another(conversation, epoch, &stored) => {
                conversation.resign();
                conversation.load(*stored);
            }
            Ok(Found::Deleted) => self.end_deleted(conversation).await,
            // The store has lost the other writer meanwhile, or can't be reached: this one may
            // still be the writer.
            Ok(Found::Stored(_) | Found::Nothing) | Err(StoreError::Away) => {}
            // It is compared with the store later.
            Err(StoreError::Refused(_) | StoreError::Unreadable(_)) => conversation.resign(),
        }
    }
}

/// A take whose reply may be lost.
///
/// If it is dropped without a reply, the replica asks the store for the writer once the take can no
/// longer execute.
///
/// Otherwise a writer that lives would not know that it is the writer, and others would wait for
/// it.
struct Unheard<'a> {
    shared: &'a Arc<Shared>,
    id: &'a str,
    may_happen: bool,
}

impl<'a> Unheard<'a> {
    fn new(shared: &'a Arc<Shared>, id: &'a str) -> Unheard<'a> {
        // Otherwise it is not even sent.
        Unheard { shared, id, may_happen: shared.is_up_for(id) }
    }

    /// The store has answered, or has not.
    fn heard<T>(mut self, outcome: Result<T, StoreError>) -> Result<T, StoreError> {
        self.may_happen &= matches!(outcome, Err(StoreError::Away));
        outcome
    }
}

impl Drop for Unheard<'_> {
    fn drop(&mut self) {
        // There is no runtime when the service ends.
        if self.may_happen && tokio::runtime::Handle::try_current().is_ok() {
            find_out_later(self.shared, self.id);
        }
    }
}

/// Lets this replica take a conversation of which it may be the writer, and which it does not have.
fn find_out_later(shared: &Arc<Shared>, id: &str) {
    shared.tasks.spawn(find_out(shared.clone(), id.to_owned()));
}

/// Gives up a conversation that this replica has taken in that epoch, and has no room for.
fn give_back_later(shared: &Arc<Shared>, id: &str, epoch: u64) {
    let (this, id) = (shared.clone(), id.to_owned());
    shared.tasks.spawn(async move {
        if this.commands.give_back(&id, epoch).await.is_err() {
            find_out_later(&this, &id);
        }
    });
}

/// Finds out whether this replica has become the writer of a conversation without hearing of it.
async fn find_out(shared: Arc<Shared>, id: String) {
    // After that, it can't happen any more.
    tokio::time::sleep(RESPONSE_TIMEOUT).await;
    take_what_is_own(&shared, &id).await;
}

/// Takes a conversation again that this replica writes, by what is stored, and does not have.
///
/// Then it does what the last writer has left to do.
///
/// Waits until the store can be reached.
pub(super) async fn take_what_is_own(shared: &Arc<Shared>, id: &str) {
    loop {
        shared.link.wait_until_up(&shared.keys.state(id)).await;
        match shared.commands.writer(id).await {
            Ok((epoch, owner)) => {
                let known = shared.local.find(id).and_then(|conversation| conversation.epoch());
                let is_missing = shared.lease.is_own(&owner) && known.is_none_or(|known| known < epoch);
                let taken = if is_missing { shared.changeable(id).await.err() } else { None };
                // If it fails for another reason, the next request for the conversation is told.
                if taken.is_none_or(|error| !error.may_pass()) {
                    return;
                }
            }
            Err(StoreError::Away) => {}
            Err(StoreError::Refused(_) | StoreError::Unreadable(_)) => return,
        }
        tokio::time::sleep(UNHEARD_PAUSE).await;
    }
}
