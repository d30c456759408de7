//! What all replicas share: the conversations in the store.
//!
//! The log of a conversation is a stream of events with ascending ids. One replica at a time writes
//! it: the one with the newest epoch. Messages between replicas only say that there is something new,
//! so nothing is lost with them. The bytes of a relay never wait for the store.

mod address;
mod answers;
mod commands;
mod connection;
mod error;
mod keys;
mod lease;
mod link;
mod list;
mod log_entry;
mod publisher;
mod recognition;
mod watcher;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, mpsc};
use tokio_util::task::TaskTracker;

use self::commands::{Commands, Found, Purpose, TakeOutcome};
use self::keys::Keys;
use self::lease::Lease;
use self::link::{Link, Messages};
use self::list::SharedList;
use self::watcher::Watched;
use crate::conversation::{Conversation, NewRole, StoredConversation};
use crate::error::ApiError;
use crate::local_store::{Changeable, LocalStore};
use crate::metrics::Metrics;
use crate::recognition::StoredRecord;
use crate::settings::Settings;

pub(crate) use self::address::StoreAddress;
pub(crate) use self::error::{StartProblem, StoreError};

/// What all replicas share.
pub(crate) struct Shared {
    link: Arc<Link>,
    keys: Keys,
    commands: Commands,
    lease: Lease,
    local: Arc<LocalStore>,
    watched: Watched,
    list: SharedList,
    /// Another replica may have changed the list.
    list_changed: Notify,
    metrics: Arc<Metrics>,
    settings: Arc<Settings>,
    /// Tasks that run until everything is in the store.
    tasks: TaskTracker,
}

/// How long the store may take to be told of a change.
const MAX_FLUSH: Duration = Duration::from_secs(5);

/// What runs as long as the service does.
pub(crate) struct Background {
    messages: Messages,
    changed: mpsc::UnboundedReceiver<Arc<Conversation>>,
    records: mpsc::UnboundedReceiver<StoredRecord>,
}

impl Shared {
    /// Returns what all replicas share, without a connection to the store yet.
    pub(crate) fn new(
        address: StoreAddress,
        replica: String,
        settings: Arc<Settings>,
        metrics: Arc<Metrics>,
        local: Arc<LocalStore>,
        changed: mpsc::UnboundedReceiver<Arc<Conversation>>,
        records: mpsc::UnboundedReceiver<StoredRecord>,
    ) -> (Arc<Shared>, Background) {
        let (link, messages) = Link::new(address);
        let keys = Keys::new(&settings.store_prefix);
        let commands = Commands::new(link.clone(), keys.clone(), replica.clone(), &settings);
        let lease = Lease::new(link.clone(), keys.clone(), replica, settings.lease);
        let list = SharedList::new(link.clone(), keys.clone(), settings.limits, local.changes());
        let (watched, tasks) = (Watched::default(), TaskTracker::new());
        let shared = Shared {
            link,
            keys,
            commands,
            lease,
            local,
            watched,
            list,
            list_changed: Notify::new(),
            metrics,
            settings,
            tasks,
        };
        (Arc::new(shared), Background { messages, changed, records })
    }

    /// Connects to the store for the first time.
    ///
    /// # Errors
    ///
    /// If it can't be used. If it can't be reached, it is tried again later.
    pub(crate) async fn connect(&self) -> Result<(), StartProblem> {
        self.link.connect().await?;
        let may_write = async {
            self.lease.renew().await?;
            self.commands.check().await
        };
        may_write.await.map_err(|error| self.link.problem(error))
    }

    /// Runs what keeps this replica and the store up to date. Must be called once.
    pub(crate) fn start(self: &Arc<Shared>, background: Background) {
        let Background { messages, changed, records } = background;
        let (link, lease) = (self.link.clone(), self.clone());
        tokio::spawn(async move { link.keep_connected().await });
        tokio::spawn(async move { lease.lease.keep().await });
        tokio::spawn(publisher::publish_changes(self.clone(), changed));
        tokio::spawn(watcher::receive_messages(self.clone(), messages));
        tokio::spawn(watcher::subscribe_again(self.clone()));
        tokio::spawn(watcher::keep_list(self.clone()));
        tokio::spawn(recognition::store_records(self.clone(), records));
    }

    /// Returns `true` if the store can be reached.
    pub(crate) fn is_up(&self) -> bool {
        self.link.up_since().is_some()
    }

    /// Ends this replica's part: tells the store the rest, and that others may take over.
    pub(crate) async fn finish(&self) {
        self.local.flush_all().await;
        self.lease.end().await;
    }

    /// Keeps a conversation up to date with what other replicas do to it.
    pub(crate) fn watch(self: &Arc<Shared>, conversation: &Arc<Conversation>) {
        watcher::watch_conversation(self, conversation);
    }

    /// Returns `true` if this replica writes a conversation.
    fn writes(&self, id: &str) -> bool {
        self.local.find(id).is_some_and(|conversation| conversation.is_writer())
    }

    /// Returns a conversation to read it.
    pub(crate) async fn get(self: &Arc<Shared>, id: &str) -> Result<Arc<Conversation>, ApiError> {
        if let Some(conversation) = self.local.find(id) {
            // What another replica writes is watched. What this one wrote, another may have taken.
            if self.is_up() && conversation.is_writer() && !conversation.is_streaming() {
                self.check_writer(&conversation).await?;
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
    async fn stored(&self, id: &str) -> Result<StoredConversation, ApiError> {
        self.commands.load(id, None).await?.stored().ok_or_else(|| ApiError::no_conversation(id))
    }

    /// Returns a conversation to change it.
    pub(crate) async fn changeable(self: &Arc<Shared>, id: &str) -> Result<Changeable, ApiError> {
        self.writable(id, Purpose::Change).await.map(|(conversation, _)| conversation)
    }

    /// Returns a conversation to begin a turn in it.
    pub(crate) async fn for_turn(self: &Arc<Shared>, id: &str) -> Result<Changeable, ApiError> {
        self.writable(id, Purpose::Turn).await.map(|(conversation, _)| conversation)
    }

    /// Returns a conversation to begin a turn in it, and whether it is new.
    pub(crate) async fn get_or_create(self: &Arc<Shared>, id: &str) -> Result<(Changeable, bool), ApiError> {
        self.writable(id, Purpose::NewTurn).await
    }

    async fn writable(self: &Arc<Shared>, id: &str, purpose: Purpose) -> Result<(Changeable, bool), ApiError> {
        match self.local.find(id) {
            Some(here) if here.is_writer() && !self.is_up() => Ok((Changeable::Here(here), false)),
            _ => self.take(id, purpose).await,
        }
    }

    /// Returns whether this replica is still the writer. If it is not, loads what the writer wrote.
    async fn check_writer(&self, conversation: &Conversation) -> Result<bool, ApiError> {
        let Some(epoch) = conversation.epoch() else { return Ok(false) };
        if self.commands.epoch(conversation.id()).await? <= epoch {
            return Ok(true);
        }
        self.lost(conversation, epoch).await;
        Ok(false)
    }

    /// Makes this replica the writer of a conversation, unless another one is writing a turn of it.
    async fn take(self: &Arc<Shared>, id: &str, purpose: Purpose) -> Result<(Changeable, bool), ApiError> {
        let mut dead = None;
        loop {
            let here = self.local.find(id);
            // So that it is not compared with the store before the outcome is known.
            let updating = match &here {
                Some(here) => Some(here.updating.lock().await),
                None => None,
            };
            let own = here.as_ref().and_then(|here| here.epoch());
            match self.commands.take(id, own, dead.as_deref(), purpose).await? {
                TakeOutcome::None => return Err(ApiError::no_conversation(id)),
                TakeOutcome::Closed => return Err(ApiError::store_restored(id)),
                TakeOutcome::Busy(owner) if self.lease.is_dead(&owner).await => dead = Some(owner),
                TakeOutcome::Busy(_) => {
                    drop(updating);
                    return Ok((Changeable::Elsewhere(self.get(id).await?), false));
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
                    let (conversation, _) = self.local.find_or_create(id, NewRole::Follower)?;
                    let updating = match updating {
                        Some(updating) => updating,
                        None => conversation.updating.lock().await,
                    };
                    self.take_over(&conversation, epoch, *stored)?;
                    drop(updating);
                    return Ok((Changeable::Here(conversation), is_new));
                }
            }
        }
    }

    /// Returns `true` if this replica relayed the last turn of a conversation.
    pub(crate) async fn is_current(&self, conversation: &Conversation) -> bool {
        match (self.is_up(), conversation.is_writer()) {
            (true, true) => self.check_writer(conversation).await.unwrap_or(true),
            (_, is_writer) => is_writer,
        }
    }

    /// Returns `true` if the writer of a conversation that this replica follows is known to be dead.
    ///
    /// It may be this replica, which has not heard that it became the writer.
    async fn is_dead(&self, writer: &str) -> bool {
        self.lease.is_own(writer) || self.lease.is_dead(writer).await
    }

    /// Makes this replica the writer of a conversation whose writer is dead.
    async fn take_from(self: &Arc<Shared>, conversation: &Arc<Conversation>, dead: &str) -> Result<(), StoreError> {
        if let TakeOutcome::Taken { epoch, stored } =
            self.commands.take(conversation.id(), None, Some(dead), Purpose::Change).await?
        {
            self.metrics.taken_over();
            self.take_over(conversation, epoch, *stored).map_err(|error| StoreError::Unreadable(error.to_string()))?;
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
        conversation.take_over(epoch, stored).map_err(|error| ApiError::store_unreadable(&error))?;
        self.watch(conversation);
        self.give_answers(conversation, answers);
        Ok(())
    }

    /// Another replica has become the writer of a conversation, which this one wrote in that epoch.
    async fn lost(&self, conversation: &Conversation, epoch: u64) {
        let _updating = conversation.updating.lock().await;
        if conversation.epoch() != Some(epoch) {
            return;
        }
        conversation.resign();
        match self.commands.load(conversation.id(), None).await {
            Ok(Found::Stored(stored)) => conversation.load(*stored),
            Ok(Found::Nothing | Found::Deleted) => drop(self.local.remove(conversation.id())),
            // It is compared with the store later.
            Err(_) => {}
        }
    }

    /// Waits until the store has everything of a conversation.
    pub(crate) async fn flush(&self, conversation: &Conversation) -> Result<(), ApiError> {
        match tokio::time::timeout(MAX_FLUSH, conversation.flushed()).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(ApiError::elsewhere(conversation.id())),
            Err(_) => Err(ApiError::store_away()),
        }
    }

    /// Deletes a conversation from the store. Returns whether it was there.
    pub(crate) async fn remove(&self, id: &str) -> Result<bool, ApiError> {
        let was_there = self.commands.remove(id).await?;
        if was_there {
            self.list.set(id, None).await?;
            self.list.forget(id);
        }
        Ok(was_there)
    }

    /// Returns the list of all replicas' conversations.
    pub(crate) fn list(&self) -> &SharedList {
        &self.list
    }

    /// Tells the list what is known of a conversation.
    async fn list_conversation(&self, conversation: &Conversation) -> Result<(), StoreError> {
        // All of it serializes to JSON.
        let entry = serde_json::to_string(&conversation.summary()).unwrap_or_default();
        self.list.set(conversation.id(), Some(&entry)).await
    }
}
