//! What all requests share.

use std::sync::Arc;
use std::time::SystemTime;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::conversation::Conversation;
use crate::error::ApiError;
use crate::metrics::Metrics;
use crate::settings::Settings;
use crate::store::{Store, random};
use crate::upstream::Upstream;

/// What all requests share.
pub(crate) struct AppState {
    pub(crate) settings: Arc<Settings>,
    /// A random id of this run: a page that reconnects sees whether the service was restarted.
    pub(crate) service_id: String,
    pub(crate) store: Store,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) upstream: Option<Upstream>,
    /// Cancelled when the service begins to shut down.
    pub(crate) shutdown: CancellationToken,
    /// Tasks that no request waits for, but the shutdown does.
    tasks: TaskTracker,
}

impl AppState {
    /// Returns the state, and the receiver of the conversations in which a turn has ended.
    pub(crate) fn new(
        settings: Settings,
        upstream: Option<Upstream>,
    ) -> (AppState, mpsc::UnboundedReceiver<Arc<Conversation>>) {
        let (settings, metrics) = (Arc::new(settings), Arc::new(Metrics::new()));
        let (ended_turns, receiver) = mpsc::unbounded_channel();
        let state = AppState {
            service_id: service_id(),
            store: Store::new(settings.clone(), metrics.clone(), ended_turns),
            settings,
            metrics,
            upstream,
            shutdown: CancellationToken::new(),
            tasks: TaskTracker::new(),
        };
        (state, receiver)
    }

    /// Spawns a task that no request waits for. The shutdown waits for it, within its grace period.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        drop(self.tasks.spawn(task));
    }

    /// Fails if the service is shutting down, so that nothing new begins.
    pub(crate) fn check_running(&self) -> Result<(), ApiError> {
        if self.shutdown.is_cancelled() { Err(ApiError::shutting_down()) } else { Ok(()) }
    }

    /// Waits for the spawned tasks.
    pub(crate) async fn wait_for_tasks(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }
}

/// Returns an id of this run.
fn service_id() -> String {
    // Without random numbers, the time of the start is as good: the id is no secret.
    random::<8>().unwrap_or_else(|_| {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        format!("{:x}", since.as_nanos())
    })
}
