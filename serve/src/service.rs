//! The service: binds its address, runs, and shuts down.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::net::TcpListener;

use crate::app_state::{AppState, BackgroundWork};
use crate::routes;
use crate::server;
use crate::settings::Settings;
use crate::shared::StoreAddress;
use crate::turns::continuing::continue_ended_turns;
use crate::upstream::Upstream;

/// A service that listens, and does not answer yet.
///
/// ```no_run
/// use followup_serve::{Service, Settings};
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let settings = Settings { demo: Some(Default::default()), ..Settings::default() };
/// let service = Service::bind(settings).await?;
/// println!("listening on http://{}", service.address());
/// // The service shuts down when this future is ready.
/// service.run(std::future::pending()).await;
/// # Ok(())
/// # }
/// ```
pub struct Service {
    listener: TcpListener,
    address: SocketAddr,
    state: Arc<AppState>,
    work: BackgroundWork,
    store_warning: Option<String>,
}

impl std::fmt::Debug for Service {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Service").field("address", &self.address).finish_non_exhaustive()
    }
}

/// Why a service can't start.
#[derive(Debug)]
#[non_exhaustive]
pub enum StartError {
    /// The address can be reached from other machines, and there is no token.
    Open(SocketAddr),
    /// Listening on the address failed.
    Listen(SocketAddr, io::Error),
    /// The upstream is not a URL, or has no working client. Holds what is wrong.
    Upstream(String),
    /// The URL of the store is none, or the store can't be used. Holds what is wrong.
    Store(String),
}

impl std::fmt::Display for StartError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StartError::Open(address) => {
                write!(f, "{address} can be reached from other machines, and there is no token")
            }
            StartError::Listen(address, error) => write!(f, "can't listen on {address}: {error}"),
            StartError::Upstream(problem) => write!(f, "can't use that upstream: {problem}"),
            StartError::Store(problem) => write!(f, "can't use that store: {problem}"),
        }
    }
}

impl std::error::Error for StartError {}

impl Service {
    /// Listens on the address of the settings.
    ///
    /// Must be called in a tokio runtime with time and I/O enabled.
    ///
    /// # Errors
    ///
    /// If the address is in use, or can be reached from other machines and there is no token; or if
    /// the upstream or the store can't be used. A store that can't be reached is no error.
    pub async fn bind(settings: Settings) -> Result<Service, StartError> {
        let listen = settings.listen;
        if settings.token.is_none() && !listen.ip().is_loopback() {
            return Err(StartError::Open(listen));
        }
        let upstream = Upstream::new(&settings).map_err(StartError::Upstream)?;
        let store = settings.store.as_ref().map(|url| StoreAddress::parse(url.expose()));
        let store = store.transpose().map_err(|problem| StartError::Store(problem.to_string()))?;
        let listener = TcpListener::bind(listen).await.map_err(|error| StartError::Listen(listen, error))?;
        let address = listener.local_addr().map_err(|error| StartError::Listen(listen, error))?;
        let (state, work) = AppState::new(settings, upstream, store);
        let mut store_warning = None;
        if let Some(shared) = state.store.shared() {
            let warning = shared.connect().await.map_err(|problem| StartError::Store(problem.to_string()))?;
            store_warning = warning.map(|warning| warning.to_string());
        }
        Ok(Service { listener, address, state: Arc::new(state), work, store_warning })
    }

    /// Returns what the operator of the store should know.
    ///
    /// The store can't be used at the moment, or may drop conversations. `None` if all is well, or
    /// there is no store.
    ///
    /// The service runs without a store that can't be used, and uses it as soon as it can.
    pub fn store_warning(&self) -> Option<&str> {
        self.store_warning.as_deref()
    }

    /// Returns the address on which the service listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `shutdown` is ready.
    ///
    /// Then the service accepts no more connections and ends event streams, and running relays may
    /// finish within the grace period of the settings.
    pub async fn run(self, shutdown: impl Future<Output = ()>) {
        let Service { listener, state, work: BackgroundWork { ended_turns, background }, .. } = self;
        let shared = state.store.shared().cloned();
        if let Some((shared, background)) = shared.as_ref().zip(background) {
            shared.start(background);
        }
        let (grace, idle) = (state.settings.grace, state.settings.limits.idle);
        tokio::spawn(drop_idle(Arc::downgrade(&state), idle));
        tokio::spawn(continue_ended_turns(state.clone(), ended_turns));
        let connections = server::accept(&listener, routes::router(&state), shutdown).await;
        state.shutdown.cancel();
        drop(listener);
        let finish = async {
            connections.shutdown().await;
            state.wait_for_tasks().await;
        };
        // Whatever still runs after the grace period is dropped with the runtime.
        let _ = tokio::time::timeout(grace, finish).await;
        if let Some(shared) = shared {
            shared.finish().await;
        }
    }
}

/// Drops idle conversations at intervals.
async fn drop_idle(state: Weak<AppState>, idle: Duration) {
    let mut tick = tokio::time::interval((idle / 4).clamp(Duration::from_millis(100), Duration::from_secs(30)));
    loop {
        tick.tick().await;
        let Some(state) = state.upgrade() else { return };
        state.store.local().drop_idle();
    }
}
