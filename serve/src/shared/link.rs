//! The connection to the store: one, shared by all conversations, that is made again when it breaks.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use redis::sentinel::{SentinelClientBuilder, SentinelServerType};
use redis::{
    AsyncConnectionConfig, Client, Cmd, ErrorKind, FromRedisValue, ProtocolVersion, PushInfo, RedisError, RedisResult,
    ScriptInvocation, ServerErrorKind, TlsMode,
};
use tokio::sync::{mpsc, watch};

use super::address::StoreAddress;
use super::connection::Connection;
use super::error::{StartProblem, StoreError, StoreWarning};

/// How long connecting may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// How long the store may take for a command.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Pauses between attempts to connect.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LAST_PAUSE: Duration = Duration::from_millis(500);

/// How often a command is tried again in a cluster, with the same pauses. With few attempts it fails soon
/// after a primary is lost, and the next command asks for the primaries anew.
const CLUSTER_RETRIES: u32 = 3;

/// How long a connection to a node of a cluster and a command may take. Some wait for a node that is gone
/// after its copy has taken its place.
const CLUSTER_TIMEOUT: Duration = Duration::from_secs(1);

/// The connection to the store.
///
/// Commands fail at once while there is none, so nothing waits for a store that is away.
pub(crate) struct Link {
    address: StoreAddress,
    current: Mutex<Option<Established>>,
    /// Since when there is a connection.
    up: watch::Sender<Option<Instant>>,
    /// Asks for a new connection.
    broken: watch::Sender<u64>,
    messages: mpsc::UnboundedSender<(u64, PushInfo)>,
    /// Number of connections so far.
    opened: AtomicU64,
}

/// What the store sends by itself, with the number of the connection.
pub(crate) type Messages = mpsc::UnboundedReceiver<(u64, PushInfo)>;

#[derive(Clone)]
struct Established {
    connection: Connection,
    /// The number of this connection.
    number: u64,
}

impl Link {
    /// Returns a link without a connection, and the receiver of what the store sends by itself.
    pub(crate) fn new(address: StoreAddress) -> (Arc<Link>, Messages) {
        static PROVIDER: Once = Once::new();
        // The one that the rest of the service uses. It fails if there is one, which is as good.
        PROVIDER.call_once(|| drop(rustls::crypto::ring::default_provider().install_default()));
        let (messages, receiver) = mpsc::unbounded_channel();
        let (up, broken) = (watch::Sender::new(None), watch::Sender::new(0));
        (
            Arc::new(Link { address, current: Mutex::default(), up, broken, messages, opened: AtomicU64::new(0) }),
            receiver,
        )
    }

    /// Returns since when there is a connection; `None` if there is none.
    pub(crate) fn up_since(&self) -> Option<Instant> {
        *self.up.borrow()
    }

    /// Returns a receiver of the same, which sees every new connection.
    pub(crate) fn subscribe(&self) -> watch::Receiver<Option<Instant>> {
        self.up.subscribe()
    }

    /// Waits until there is a connection.
    pub(crate) async fn wait_until_up(&self) {
        // This can't fail: the link keeps the sender.
        let _ = self.up.subscribe().wait_for(Option::is_some).await;
    }

    /// Subscribes to a channel on this connection. After another was made, this has to be repeated.
    ///
    /// # Errors
    ///
    /// As those of [`run`](Link::run).
    pub(crate) async fn subscribe_to(&self, channel: &str) -> Result<(), StoreError> {
        let Established { connection, number } = self.established()?;
        self.finish(number, connection.subscribe(channel).await)
    }

    /// Ends the subscription of a channel.
    ///
    /// # Errors
    ///
    /// As those of [`run`](Link::run).
    pub(crate) async fn unsubscribe_from(&self, channel: &str) -> Result<(), StoreError> {
        let Established { connection, number } = self.established()?;
        self.finish(number, connection.unsubscribe(channel).await)
    }

    /// Connects once, and checks the server. Returns what its operator should know of it.
    ///
    /// # Errors
    ///
    /// If the server can't be reached, or can't be used.
    pub(crate) async fn connect(&self) -> Result<Option<StoreWarning>, StartProblem> {
        let number = self.opened.fetch_add(1, Ordering::Relaxed) + 1;
        let mut connection = self.open(number).await.map_err(|error| StartProblem::new(&self.address, &error))?;
        let eviction = connection.check_server().await.map_err(|problem| problem.at(&self.address))?;
        self.set(connection, number);
        Ok(eviction.map(|policy| StoreWarning::Evicts { address: self.address.shown(), policy }))
    }

    /// Connects whenever there is no connection. Never returns.
    pub(crate) async fn keep_connected(&self) {
        let mut broken = self.broken.subscribe();
        let mut pause = FIRST_PAUSE;
        loop {
            if let Some(since) = self.up_since() {
                // This can't fail: the link keeps the sender.
                let _ = broken.changed().await;
                // A server that accepts connections, and then no commands, is not asked all the time.
                if since.elapsed() > LAST_PAUSE {
                    pause = FIRST_PAUSE;
                    continue;
                }
            } else if self.connect().await.is_ok() {
                continue;
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LAST_PAUSE);
        }
    }

    async fn open(&self, number: u64) -> RedisResult<Connection> {
        let messages = self.messages.clone();
        let push = move |message| messages.send((number, message));
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(CONNECT_TIMEOUT))
            .set_response_timeout(Some(RESPONSE_TIMEOUT))
            .set_push_sender(push.clone());
        match &self.address {
            StoreAddress::One(server) => {
                let client = Client::open(server.clone())?;
                client.get_multiplexed_async_connection_with_config(&config).await.map(Connection::One)
            }
            StoreAddress::Sentinel { sentinels, name, server } => {
                let addresses = sentinels.iter().map(|sentinel| sentinel.addr().clone());
                let mut builder = SentinelClientBuilder::new(addresses, name, SentinelServerType::Master)?
                    .set_client_to_redis_protocol(ProtocolVersion::RESP3)
                    .set_client_to_redis_db(server.redis_settings().db());
                if let Some(user) = server.redis_settings().username() {
                    builder = builder.set_client_to_redis_username(user);
                }
                if let Some(password) = server.redis_settings().password() {
                    builder = builder.set_client_to_redis_password(password);
                }
                // They have it in common.
                let login = sentinels[0].redis_settings();
                if let Some(user) = login.username() {
                    builder = builder.set_client_to_sentinel_username(user);
                }
                if let Some(password) = login.password() {
                    builder = builder.set_client_to_sentinel_password(password);
                }
                if matches!(server.addr(), redis::ConnectionAddr::TcpTls { .. }) {
                    builder = builder.set_client_to_redis_tls_mode(TlsMode::Secure);
                    builder = builder.set_client_to_sentinel_tls_mode(TlsMode::Secure);
                }
                let mut client = builder.build()?;
                client.get_async_connection_with_config(&config).await.map(Connection::One)
            }
            StoreAddress::Cluster(nodes) => {
                let client = redis::cluster::ClusterClientBuilder::new(nodes.clone())
                    .use_protocol(ProtocolVersion::RESP3)
                    .connection_timeout(CLUSTER_TIMEOUT)
                    .response_timeout(CLUSTER_TIMEOUT)
                    .retries(CLUSTER_RETRIES)
                    .min_retry_wait(millis(FIRST_PAUSE))
                    .max_retry_wait(millis(LAST_PAUSE))
                    .push_sender(push)
                    .build()?;
                client.get_async_connection().await.map(Connection::Cluster)
            }
        }
    }

    fn set(&self, connection: Connection, number: u64) {
        let mut current = self.current.lock();
        *current = Some(Established { connection, number });
        self.up.send_replace(Some(Instant::now()));
    }

    /// Gives up this connection, if it is still the current one.
    fn drop_connection(&self, number: u64) {
        let mut current = self.current.lock();
        if current.as_ref().is_some_and(|one| one.number == number) {
            *current = None;
            self.up.send_replace(None);
            self.broken.send_replace(number);
        }
    }

    /// Returns `true` if the store has several primaries.
    pub(crate) fn is_cluster(&self) -> bool {
        matches!(self.address, StoreAddress::Cluster(_))
    }

    /// Returns `true` if the store is known to be a primary. A copy may lack what its primary has.
    pub(crate) async fn is_primary(&self) -> bool {
        // The copies in a cluster read nothing.
        if self.is_cluster() {
            return true;
        }
        let info: Result<String, _> = self.run(redis::cmd("INFO").arg("replication")).await;
        info.is_ok_and(|info| info.contains("role:master"))
    }

    /// The store has closed a connection.
    pub(crate) fn disconnected(&self, number: u64) {
        // The connection to a cluster repairs itself.
        if !self.is_cluster() {
            self.drop_connection(number);
        }
    }

    /// Returns why the store can't be used, with its address.
    pub(crate) fn problem(&self, error: StoreError) -> StartProblem {
        StartProblem::from(error).at(&self.address)
    }

    fn established(&self) -> Result<Established, StoreError> {
        self.current.lock().clone().ok_or(StoreError::Away)
    }

    fn finish<T>(&self, number: u64, result: RedisResult<T>) -> Result<T, StoreError> {
        result.map_err(|error| {
            if needs_connection(&error) {
                self.drop_connection(number);
                return StoreError::Away;
            }
            StoreError::Refused(error)
        })
    }

    /// Runs a command.
    ///
    /// # Errors
    ///
    /// If there is no connection, it breaks, or the store refuses the command.
    pub(crate) async fn run<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, StoreError> {
        let Established { mut connection, number } = self.established()?;
        self.finish(number, command.query_async(&mut connection).await)
    }

    /// Runs a command that may fail without harm: the connection stays.
    ///
    /// # Errors
    ///
    /// As those of [`run`](Link::run).
    pub(crate) async fn try_run<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, StoreError> {
        let Established { mut connection, .. } = self.established()?;
        command.query_async(&mut connection).await.map_err(StoreError::Refused)
    }

    /// Runs a script.
    ///
    /// # Errors
    ///
    /// As those of [`run`](Link::run).
    pub(crate) async fn invoke<T: FromRedisValue>(&self, script: &ScriptInvocation<'_>) -> Result<T, StoreError> {
        let Established { mut connection, number } = self.established()?;
        self.finish(number, script.invoke_async(&mut connection).await)
    }
}

/// Returns `true` if only another connection can help: this one broke, or leads to a wrong server.
fn needs_connection(error: &RedisError) -> bool {
    let is_wrong_server = matches!(
        error.kind(),
        ErrorKind::Server(
            ServerErrorKind::ReadOnly
                | ServerErrorKind::MasterDown
                | ServerErrorKind::BusyLoading
                | ServerErrorKind::ClusterDown
        ) | ErrorKind::ClusterConnectionNotFound
            | ErrorKind::AuthenticationFailed
    );
    error.is_io_error() || error.is_timeout() || error.is_connection_dropped() || is_wrong_server
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
