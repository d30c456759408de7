//! The state of the service that all requests use.

use std::hash::Hash;
use std::sync::Arc;
use std::time::SystemTime;

use siphasher::sip128::{Hasher128, SipHasher13};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::conversation::{Context, Conversation, ListChanges};
use crate::error::ApiError;
use crate::local_store::{LocalStore, random};
use crate::metrics::Metrics;
use crate::recognition::Recognizer;
use crate::settings::{Secret, Settings};
use crate::shared::{Background, Shared, StoreAddress};
use crate::store::Store;
use crate::upstream::Upstream;

/// What all requests share.
pub(crate) struct AppState {
    pub(crate) settings: Arc<Settings>,
    /// A random id of this run: a page that reconnects sees whether the service was restarted.
    pub(crate) service_id: String,
    pub(crate) store: Store,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) upstream: Option<Upstream>,
    pub(crate) recognizer: Arc<Recognizer>,
    /// Cancelled when the service begins to shut down.
    pub(crate) shutdown: CancellationToken,
    /// A permit for each request that may be relayed or pushed at the same time.
    requests: Arc<Semaphore>,
    /// Tasks that no request waits for, but the shutdown does.
    tasks: TaskTracker,
}

/// What is to run as long as the service does.
pub(crate) struct BackgroundWork {
    /// The conversations in which a turn has ended that something may follow.
    pub(crate) ended_turns: mpsc::UnboundedReceiver<Arc<Conversation>>,
    /// What keeps the store up to date, if there is one.
    pub(crate) background: Option<Background>,
}

impl AppState {
    /// Returns the state, and what is to run as long as the service does.
    pub(crate) fn new(
        settings: Settings,
        upstream: Option<Upstream>,
        address: Option<StoreAddress>,
    ) -> (AppState, BackgroundWork) {
        let metrics = if address.is_some() { Metrics::with_store() } else { Metrics::new() };
        let (settings, metrics) = (Arc::new(settings), Arc::new(metrics));
        let (ended_turns, receiver) = mpsc::unbounded_channel();
        let (outbox, changed) = mpsc::unbounded_channel();
        let (records, recorded) = mpsc::unbounded_channel();
        let recognizer = Recognizer::new(&recognition_key(&settings), address.is_some().then_some(records));
        let context = Context {
            settings: settings.clone(),
            metrics: metrics.clone(),
            ended_turns,
            outbox: address.is_some().then_some(outbox),
            list: Arc::new(ListChanges::new()),
        };
        let (local, service_id) = (Arc::new(LocalStore::new(context)), service_id());
        let shared = address.map(|address| {
            Shared::new(
                address,
                service_id.clone(),
                settings.clone(),
                metrics.clone(),
                local.clone(),
                changed,
                recorded,
            )
        });
        let (shared, background) = shared.unzip();
        let requests = Arc::new(Semaphore::new(settings.limits.requests.min(Semaphore::MAX_PERMITS)));
        let state = AppState {
            service_id,
            store: Store::new(local, shared),
            settings,
            metrics,
            upstream,
            recognizer: Arc::new(recognizer),
            shutdown: CancellationToken::new(),
            requests,
            tasks: TaskTracker::new(),
        };
        (state, BackgroundWork { ended_turns: receiver, background })
    }

    /// Spawns a task that no request waits for. The shutdown waits for it, within its grace period.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        drop(self.tasks.spawn(task));
    }

    /// Fails if the service is shutting down, so that nothing new begins.
    pub(crate) fn check_running(&self) -> Result<(), ApiError> {
        if self.shutdown.is_cancelled() { Err(ApiError::shutting_down()) } else { Ok(()) }
    }

    /// Counts a request that is relayed or pushed, until the permit is dropped.
    ///
    /// # Errors
    ///
    /// If there are as many as there may be.
    pub(crate) fn request_permit(&self) -> Result<OwnedSemaphorePermit, ApiError> {
        let limit = self.settings.limits.requests;
        self.requests.clone().try_acquire_owned().map_err(|_| ApiError::too_many_requests(limit))
    }

    /// Waits for the spawned tasks.
    pub(crate) async fn wait_for_tasks(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }
}

/// Returns the key of the fingerprints: a secret that all replicas have, or a random one.
fn recognition_key(settings: &Settings) -> [u8; 16] {
    let mut key = [0; 16];
    match &settings.store {
        Some(store) => {
            let token = settings.token.as_ref().map_or("", Secret::expose);
            let mut hasher = SipHasher13::new();
            (token, store.expose(), &*settings.store_prefix).hash(&mut hasher);
            key = hasher.finish128().as_bytes();
        }
        // Without random numbers, a caller could choose messages with equal hashes.
        None => drop(getrandom::fill(&mut key)),
    }
    key
}

/// Returns an id of this run.
fn service_id() -> String {
    // Without random numbers, the time of the start is as good: the id is no secret.
    random::<8>().unwrap_or_else(|_| {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        format!("{:x}", since.as_nanos())
    })
}
