//! What all requests share, and how the service runs.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::errors::Failure;
use crate::metrics::Metrics;
use crate::routes;
use crate::server;
use crate::settings::Settings;
use crate::store::Store;
use crate::upstream::Upstream;

/// The service: it listens, and has not begun to answer.
///
/// ```no_run
/// use followup_serve::{Service, Settings};
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let service = Service::bind(Settings { demo: Some(Default::default()), ..Settings::default() }).await?;
/// println!("listening on http://{}", service.address());
/// service.run(std::future::pending()).await; // or what is ready when it is to end
/// # Ok(())
/// # }
/// ```
pub struct Service {
    listener: TcpListener,
    address: SocketAddr,
    shared: Arc<Shared>,
}

/// What all requests share.
pub(crate) struct Shared {
    pub(crate) settings: Arc<Settings>,
    pub(crate) store: Store,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) upstream: Option<Upstream>,
    /// The service is about to end.
    pub(crate) ending: CancellationToken,
    /// What goes on without a request, and is waited for at the end.
    tasks: TaskTracker,
    runtime: Handle,
}

impl std::fmt::Debug for Service {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Service").field("address", &self.address).finish_non_exhaustive()
    }
}

/// Why the service can't begin.
#[derive(Debug)]
#[non_exhaustive]
pub enum StartError {
    /// It would listen to others than this machine, and asks for no token.
    Open(SocketAddr),
    /// It can't listen there.
    Listen(SocketAddr, io::Error),
    /// The upstream is no URL, or can't be talked to: what is wrong.
    Upstream(String),
}

impl std::fmt::Display for StartError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StartError::Open(address) => write!(f, "{address} can be reached from elsewhere, and there is no token"),
            StartError::Listen(address, error) => write!(f, "can't listen on {address}: {error}"),
            StartError::Upstream(what) => write!(f, "can't use that upstream: {what}"),
        }
    }
}

impl std::error::Error for StartError {}

impl Service {
    /// Listens, as the settings say. Needs tokio's runtime, with its time and network.
    ///
    /// # Errors
    ///
    /// If the address is taken, or is not of this machine alone and there is no token; or the upstream can't be used.
    pub async fn bind(settings: Settings) -> Result<Service, StartError> {
        let listen = settings.listen;
        if settings.token.is_none() && !listen.ip().is_loopback() {
            return Err(StartError::Open(listen));
        }
        let upstream = Upstream::new(&settings).map_err(StartError::Upstream)?;
        let listener = TcpListener::bind(listen).await.map_err(|error| StartError::Listen(listen, error))?;
        let address = listener.local_addr().map_err(|error| StartError::Listen(listen, error))?;
        let (settings, metrics) = (Arc::new(settings), Arc::new(Metrics::new()));
        let shared = Arc::new(Shared {
            store: Store::new(settings.clone(), metrics.clone()),
            settings,
            metrics,
            upstream,
            ending: CancellationToken::new(),
            tasks: TaskTracker::new(),
            runtime: Handle::current(),
        });
        Ok(Service { listener, address, shared })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves, until `end` is ready: then it takes no more connections, streams of events end, and relays may go on for as long as the settings say.
    pub async fn run(self, end: impl Future<Output = ()>) {
        let Service { listener, shared, .. } = self;
        let grace = shared.settings.grace;
        shared.runtime.spawn(drop_idle(Arc::downgrade(&shared), shared.settings.limits.idle));
        let running = server::accept(&listener, routes::all(&shared), end).await;
        shared.ending.cancel();
        shared.tasks.close();
        drop(listener);
        let all = async {
            running.shutdown().await;
            shared.tasks.wait().await;
        };
        // What still runs then is dropped with the runtime.
        let _ = tokio::time::timeout(grace, all).await;
    }
}

/// Drops conversations that are not used, now and then.
async fn drop_idle(shared: std::sync::Weak<Shared>, idle: Duration) {
    let mut tick = tokio::time::interval((idle / 4).clamp(Duration::from_millis(100), Duration::from_secs(30)));
    loop {
        tick.tick().await;
        let Some(shared) = shared.upgrade() else { return };
        shared.store.drop_idle();
    }
}

impl Shared {
    /// Does something that no request waits for. The end of the service waits for it, within its grace.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        drop(self.tasks.spawn_on(task, &self.runtime));
    }

    /// Nothing new begins when the service is about to end.
    pub(crate) fn check_running(&self) -> Result<(), Failure> {
        if self.ending.is_cancelled() { Err(Failure::shutting_down()) } else { Ok(()) }
    }
}
