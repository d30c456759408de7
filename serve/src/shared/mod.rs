//! The conversations in the store, which all replicas share.
//!
//! The log of a conversation is a stream of events with ascending ids. One replica at a time writes
//! it: the one with the newest epoch. Messages between replicas say that there is something new,
//! and may hold the newest events; what a message does not bring is loaded from the store, so
//! nothing is lost with one. The bytes of a relay never wait for the store.

mod address;
mod answers;
mod background;
mod clock;
mod commands;
mod connection;
mod error;
mod groups;
mod id_locks;
mod keys;
mod lease;
mod life;
mod link;
mod list;
mod log_entry;
mod ownership;
mod publisher;
mod recognition;
mod script;
mod shards;
mod watched;
mod watcher;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::commands::{Commands, Found, WaitingCommands};
use self::id_locks::IdLocks;
use self::keys::Keys;
use self::lease::Lease;
use self::link::{Link, Messages};
use self::list::{SharedList, WaitingChanges};
use self::watched::Watched;
use crate::conversation::Conversation;
use crate::error::ApiError;
use crate::local_store::LocalStore;
use crate::metrics::Metrics;
use crate::reach::Reach;
use crate::recognition::StoredRecord;
use crate::settings::Settings;

pub(crate) use self::address::StoreAddress;
pub(crate) use self::error::{StartProblem, StoreError, StoreWarning};

/// What all replicas share.
pub(crate) struct Shared {
    link: Arc<Link>,
    keys: Keys,
    commands: Arc<Commands>,
    lease: Lease,
    local: Arc<LocalStore>,
    watched: Watched,
    /// The conversations of which this replica is about to become the writer.
    taking: IdLocks,
    list: Arc<SharedList>,
    /// Another replica may have changed the list.
    list_changed: Notify,
    metrics: Arc<Metrics>,
    settings: Arc<Settings>,
    /// Tasks that run until everything is in the store.
    tasks: TaskTracker,
    /// Tasks that end as soon as the store is told what it has to know.
    ///
    /// A replica waits for them when it shuts down.
    last_tasks: TaskTracker,
    /// Nothing new is recorded.
    is_ending: CancellationToken,
}

/// How long the store may take to be told of a change.
const MAX_FLUSH: Duration = Duration::from_secs(5);

/// How long the rest may take to be stored at shutdown.
const MAX_LAST_FLUSH: Duration = Duration::from_secs(3);

/// What runs as long as the service does, once it is started.
pub(crate) struct Background {
    waiting: WaitingCommands,
    list_changes: WaitingChanges,
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
        let keys = Keys::new(&settings.store_prefix);
        let (link, messages) = Link::new(address, keys.clone());
        let (commands, waiting) = Commands::new(link.clone(), keys.clone(), replica.clone(), &settings);
        let lease = Lease::new(link.clone(), keys.clone(), replica, settings.lease);
        let (list, list_changes) = SharedList::new(link.clone(), keys.clone(), settings.limits, local.changes());
        let (watched, tasks) = (Watched::default(), TaskTracker::new());
        let shared = Shared {
            link,
            keys,
            commands,
            lease,
            local,
            watched,
            taking: IdLocks::default(),
            list,
            list_changed: Notify::new(),
            metrics,
            settings,
            tasks,
            last_tasks: TaskTracker::new(),
            is_ending: CancellationToken::new(),
        };
        (Arc::new(shared), Background { waiting, list_changes, messages, changed, records })
    }

    /// Connects to the store for the first time. Returns what its operator should know of it.
    ///
    /// # Errors
    ///
    /// If it can't be used. What may pass is no error, but a warning, and it is tried again later.
    pub(crate) async fn connect(&self) -> Result<Option<StoreWarning>, StartProblem> {
        match self.connect_once().await {
            Err(problem) if problem.may_pass() => Ok(Some(StoreWarning::Unusable(problem))),
            result => result,
        }
    }

    async fn connect_once(&self) -> Result<Option<StoreWarning>, StartProblem> {
        let warning = self.link.connect().await?;
        let may_write = async {
            self.lease.renew().await?;
            self.commands.check().await
        };
        may_write.await.map_err(|error| self.link.problem(error))?;
        Ok(warning)
    }

    /// Returns how much of the store can be reached.
    pub(crate) fn reach(&self) -> Reach {
        self.link.reach()
    }

    /// Returns how long a writer that lives may take to store again what the store has lost.
    fn patience(&self) -> Duration {
        3 * self.lease.duration()
    }

    /// Returns `true` if the store can be reached where it keeps a conversation.
    fn is_up_for(&self, id: &str) -> bool {
        self.link.reaches(&self.keys.state(id))
    }

    /// Ends this replica's part: tells the store the rest, and that others may take over.
    pub(crate) async fn finish(&self) {
        self.is_ending.cancel();
        let flush = async {
            self.local.flush_all().await;
            self.last_tasks.close();
            self.last_tasks.wait().await;
        };
        // What is not in the store then is lost, unless other replicas have taken it over.
        let _ = tokio::time::timeout(MAX_LAST_FLUSH, flush).await;
        self.lease.end().await;
    }

    /// Waits until the store has everything of a conversation.
    pub(crate) async fn flush(&self, conversation: &Conversation) -> Result<(), ApiError> {
        match tokio::time::timeout(MAX_FLUSH, conversation.flushed()).await {
            Ok(true) => Ok(()),
            Ok(false) if conversation.is_gone() => Err(ApiError::no_conversation(conversation.id())),
            Ok(false) => Err(ApiError::elsewhere(conversation.id())),
            Err(_) => Err(ApiError::store_away()),
        }
    }

    /// Waits until the store has a change. If it can't be reached, it is told later.
    ///
    /// # Errors
    ///
    /// If another replica has become the writer before, so that the change is lost.
    pub(crate) async fn settle(&self, conversation: &Conversation) -> Result<(), ApiError> {
        match self.flush(conversation).await {
            Err(error) if error.is_elsewhere() => Err(ApiError::taken_over(conversation.id())),
            _ => Ok(()),
        }
    }

    /// Deletes a conversation from the store. Returns whether it was there.
    ///
    /// If the list can't be told of it, it is told later.
    pub(crate) async fn remove(self: &Arc<Shared>, id: &str) -> Result<bool, ApiError> {
        let was_there = self.commands.remove(id).await?;
        // One that was deleted before may still be listed.
        if self.unlist(id).await.is_err() && was_there {
            self.tasks.spawn(unlist_later(self.clone(), id.to_owned()));
        }
        Ok(was_there)
    }

    /// Removes a conversation that was deleted from the list.
    ///
    /// The replica that has deleted it does so, and every one that loads it: the first may have
    /// died in between.
    async fn unlist(&self, id: &str) -> Result<(), StoreError> {
        self.list.remove(id).await
    }

    /// Returns the list of all replicas' conversations.
    pub(crate) fn list(&self) -> &SharedList {
        &self.list
    }

    /// Tells the list what is known of a conversation, while other things happen.
    fn list_soon(self: &Arc<Shared>, conversation: &Arc<Conversation>) {
        let (shared, conversation) = (self.clone(), conversation.clone());
        self.last_tasks.spawn(async move {
            // If it fails, this is done as soon as there is a connection.
            let _ = shared.list_conversation(&conversation).await;
        });
    }

    /// Tells the list what is known of a conversation.
    async fn list_conversation(&self, conversation: &Arc<Conversation>) -> Result<(), StoreError> {
        self.list.set(conversation).await?;
        // It may have been deleted meanwhile, and have been removed from the list before this.
        if conversation.is_gone() && !matches!(self.commands.load(conversation.id(), None).await?, Found::Stored(_)) {
            return self.unlist(conversation.id()).await;
        }
        Ok(())
    }
}

/// Pause before the list is told again of a conversation that was deleted.
const PAUSE: Duration = Duration::from_millis(500);

/// Removes a deleted conversation from the list as soon as the store can be reached.
///
/// Unless its id is used again.
async fn unlist_later(shared: Arc<Shared>, id: String) {
    loop {
        tokio::time::sleep(PAUSE).await;
        shared.link.wait_until_up(&shared.keys.list_bell()).await;
        match shared.commands.load(&id, None).await {
            Ok(Found::Deleted) if shared.unlist(&id).await.is_err() => {}
            Ok(_) => return,
            Err(_) => {}
        }
    }
}
