//! The service: binds its address, runs, and shuts down.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::mpsc;

use crate::app_state::AppState;
use crate::conversation::Conversation;
use crate::routes;
use crate::server;
use crate::settings::Settings;
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
    ended_turns: mpsc::UnboundedReceiver<Arc<Conversation>>,
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
}

impl std::fmt::Display for StartError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StartError::Open(address) => {
                write!(f, "{address} can be reached from other machines, and there is no token")
            }
            StartError::Listen(address, error) => write!(f, "can't listen on {address}: {error}"),
            StartError::Upstream(problem) => write!(f, "can't use that upstream: {problem}"),
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
    /// the upstream can't be used.
    pub async fn bind(settings: Settings) -> Result<Service, StartError> {
        let listen = settings.listen;
        if settings.token.is_none() && !listen.ip().is_loopback() {
            return Err(StartError::Open(listen));
        }
        let upstream = Upstream::new(&settings).map_err(StartError::Upstream)?;
        let listener = TcpListener::bind(listen).await.map_err(|error| StartError::Listen(listen, error))?;
        let address = listener.local_addr().map_err(|error| StartError::Listen(listen, error))?;
        let (state, ended_turns) = AppState::new(settings, upstream);
        Ok(Service { listener, address, state: Arc::new(state), ended_turns })
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
        let Service { listener, state, ended_turns, .. } = self;
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
    }
}

/// Drops idle conversations at intervals.
async fn drop_idle(state: Weak<AppState>, idle: Duration) {
    let mut tick = tokio::time::interval((idle / 4).clamp(Duration::from_millis(100), Duration::from_secs(30)));
    loop {
        tick.tick().await;
        let Some(state) = state.upgrade() else { return };
        state.store.drop_idle();
    }
}
