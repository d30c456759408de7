//! The connection to the store, which all conversations share.
//!
//! It is made again when it breaks.
//!
//! In a cluster, one server may fall silent while the others answer. Only the keys of its shard
//! can't be reached then: the connection stays, and another one is tried beside it until that
//! reaches more.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Once, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use redis::sentinel::{SentinelClientBuilder, SentinelServerType};
use redis::{
    Arg, AsyncConnectionConfig, Client, Cmd, ConnectionInfo, ErrorKind, FromRedisValue, ProtocolVersion, PushInfo,
    RedisError, RedisResult, ServerErrorKind, TlsMode,
};
use tokio::sync::{mpsc, watch};

use super::address::{StoreAddress, beside};
use super::connection::Connection;
use super::error::{StartProblem, StoreError, StoreWarning};
use super::keys::Keys;
use super::script::Call;
use super::shards::Shards;
use crate::reach::Reach;

/// How long connecting may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// How long the store may take for a command, at most.
pub(super) const RESPONSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Pauses between attempts to connect.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LAST_PAUSE: Duration = Duration::from_millis(500);

/// The longest pause while only a part of a cluster answers.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// How often a command is tried again in a cluster, with the same pauses.
///
/// With few attempts it fails soon after a primary is lost, and the next command asks for the
/// primaries anew.
const CLUSTER_RETRIES: u32 = 3;

/// How long a connection to a node of a cluster and a command may take.
///
/// Some wait for a node that is gone after its copy has taken its place.
const CLUSTER_TIMEOUT: Duration = Duration::from_secs(1);

/// The connection to the store.
///
/// Commands fail at once while there is none, or their shard is known not to answer, so nothing
/// waits for a store that is away.
pub(crate) struct Link {
    address: StoreAddress,
    keys: Keys,
    current: Mutex<Option<Established>>,
    /// Since when there is a connection.
    up: watch::Sender<Option<Instant>>,
    /// Since when there was the first one.
    first_up: OnceLock<Instant>,
    /// Asks for a new connection.
    broken: watch::Sender<u64>,
    messages: mpsc::UnboundedSender<(u64, PushInfo)>,
    /// Number of connections so far.
    opened: AtomicU64,
    /// The servers of a cluster, as the last connection told them.
    ///
    /// Those of the address may be gone.
    nodes: Mutex<Vec<ConnectionInfo>>,
}

/// What the store sends by itself, with the number of the connection.
pub(crate) type Messages = mpsc::UnboundedReceiver<(u64, PushInfo)>;

struct Established {
    connection: Connection,
    /// The number of this connection.
    number: u64,
    shards: Shards,
}

impl Link {
    /// Returns a link without a connection, and the receiver of what the store sends by itself.
    pub(crate) fn new(address: StoreAddress, keys: Keys) -> (Arc<Link>, Messages) {
        static PROVIDER: Once = Once::new();
        // The one that the rest of the service uses. It fails if there is one, which is as good.
        PROVIDER.call_once(|| drop(rustls::crypto::ring::default_provider().install_default()));
        let (messages, receiver) = mpsc::unbounded_channel();
        let (up, broken) = (watch::Sender::new(None), watch::Sender::new(0));
        let (current, opened, nodes) = (Mutex::default(), AtomicU64::new(0), Mutex::default());
        let first_up = OnceLock::new();
        (Arc::new(Link { address, keys, current, up, first_up, broken, messages, opened, nodes }), receiver)
    }

    /// Returns how much of the store can be reached, as far as is known.
    pub(crate) fn reach(&self) -> Reach {
        match &*self.current.lock() {
            None => Reach::Nothing,
            Some(current) if current.shards.are_incomplete() => Reach::Part,
            Some(_) => Reach::All,
        }
    }

    /// Returns `true` if the shard of this key can be reached, as far as is known.
    pub(crate) fn reaches(&self, key: &str) -> bool {
        self.current.lock().as_ref().is_some_and(|current| current.shards.answer(key.as_bytes()))
    }

    /// Returns since when there is a connection; `None` if there is none.
    pub(crate) fn up_since(&self) -> Option<Instant> {
        *self.up.borrow()
    }

    /// Returns `true` if there was an earlier connection, or there is none now.
    ///
    /// What the store had said before, it may have lost.
    pub(crate) fn was_interrupted(&self) -> bool {
        self.up_since() != self.first_up.get().copied()
    }

    /// Returns a receiver of [`up_since`](Link::up_since), which sees every new connection.
    ///
    /// One that reaches other shards is new.
    pub(crate) fn subscribe(&self) -> watch::Receiver<Option<Instant>> {
        self.up.subscribe()
    }

    /// Waits until the shard of this key can be reached.
    pub(crate) async fn wait_until_up(&self, key: &str) {
        let mut up = self.up.subscribe();
        while !self.reaches(key) {
            // This can't fail: the link keeps the sender.
            let _ = up.changed().await;
        }
    }

    /// Subscribes to a channel on this connection. After another was made, this has to be repeated.
    ///
    /// # Errors
    ///
    /// As those of [`run`](Link::run).
    pub(crate) async fn subscribe_to(&self, channel: &str) -> Result<(), StoreError> {
        let (connection, number) = self.established(channel.as_bytes())?;
        self.finish(number, channel.as_bytes(), connection.subscribe(channel).await)
    }

    /// Ends the subscription of a channel.
    ///
    /// # Errors
    ///
    /// As those of [`run`](Link::run).
    pub(crate) async fn unsubscribe_from(&self, channel: &str) -> Result<(), StoreError> {
        let (connection, number) = self.established(channel.as_bytes())?;
        self.finish(number, channel.as_bytes(), connection.unsubscribe(channel).await)
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
        let shards = connection.find_shards(&self.keys).await;
        let shards = shards.map_err(|error| StartProblem::new(&self.address, &error))?;
        if let StoreAddress::Cluster(nodes) = &self.address {
            *self.nodes.lock() = shards.nodes().iter().map(|(host, port)| beside(&nodes[0], host, *port)).collect();
        }
        if shards.are_silent() {
            return Err(StartProblem::Unreachable("no primary answers".to_owned()).at(&self.address));
        }
        self.set(Established { connection, number, shards });
        Ok(eviction.map(|policy| StoreWarning::Evicts { address: self.address.shown(), policy }))
    }

    /// Connects whenever there is no connection, or one that does not reach everything.
    ///
    /// Never returns.
    pub(crate) async fn keep_connected(&self) {
        let mut broken = self.broken.subscribe();
        let mut pause = FIRST_PAUSE;
        let mut incomplete = None;
        loop {
            broken.mark_unchanged();
            match (self.reach(), self.up_since()) {
                (Reach::All, Some(since)) => {
                    // This can't fail: the link keeps the sender.
                    let _ = broken.changed().await;
                    // A server that accepts connections, and then no commands, is not asked all the
                    // time.
                    if since.elapsed() > LAST_PAUSE {
                        pause = FIRST_PAUSE;
                        continue;
                    }
                }
                _ => {
                    if self.connect().await.is_ok() && self.reach() == Reach::All {
                        (pause, incomplete) = (pause.min(LAST_PAUSE), None);
                        continue;
                    }
                }
            }
            let is_incomplete = self.reach() == Reach::Part;
            incomplete = is_incomplete.then(|| incomplete.unwrap_or_else(Instant::now));
            tokio::select! {
                () = tokio::time::sleep(pause) => {
                    pause = (pause * 2).min(longest_pause(incomplete.map(|since| since.elapsed())));
                }
                // Another shard is silent.
                _ = broken.changed(), if pause > LAST_PAUSE => (pause, incomplete) = (FIRST_PAUSE, None),
            }
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
                let nodes: Vec<_> = nodes.iter().cloned().chain(self.nodes.lock().clone()).collect();
                let client = redis::cluster::ClusterClientBuilder::new(nodes)
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

    /// Uses a connection from now on.
    ///
    /// A current one is replaced only by one that reaches all that it does, and more.
    fn set(&self, new: Established) {
        let mut current = self.current.lock();
        if current.as_ref().is_some_and(|current| !new.shards.reach_more_than(&current.shards)) {
            return;
        }
        *current = Some(new);
        let now = Instant::now();
        self.first_up.get_or_init(|| now);
        self.up.send_replace(Some(now));
    }

    /// The shard of a key does not answer on this connection.
    ///
    /// Gives up the connection if no other one does.
    ///
    /// Does nothing if it is not the current one any more.
    fn is_silent(&self, number: u64, key: &[u8]) {
        let mut current = self.current.lock();
        let Some(established) = current.as_mut().filter(|one| one.number == number) else { return };
        let Some(shard) = established.shards.shard_of(key) else { return };
        if !established.shards.set_silent(shard) {
            return;
        }
        if established.shards.are_silent() {
            *current = None;
            self.up.send_replace(None);
        }
        self.broken.send_replace(number);
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
            self.is_silent(number, &[]);
        }
    }

    /// Returns why the store can't be used, with its address.
    pub(crate) fn problem(&self, error: StoreError) -> StartProblem {
        StartProblem::from(error).at(&self.address)
    }

    /// Returns the connection and its number, if the shard of this key answers.
    fn established(&self, key: &[u8]) -> Result<(Connection, u64), StoreError> {
        let current = self.current.lock();
        let current = current.as_ref().filter(|current| current.shards.answer(key)).ok_or(StoreError::Away)?;
        Ok((current.connection.clone(), current.number))
    }

    fn finish<T>(&self, number: u64, key: &[u8], result: RedisResult<T>) -> Result<T, StoreError> {
        result.map_err(|error| {
            if needs_connection(&error) {
                self.is_silent(number, key);
                return StoreError::Away;
            }
            StoreError::Refused(error)
        })
    }

    /// Runs a command. Its first argument is a key.
    ///
    /// # Errors
    ///
    /// If there is no connection, it breaks, the shard of the key does not answer, or the store
    /// refuses the command.
    pub(crate) async fn run<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, StoreError> {
        let key = match command.args_iter().nth(1) {
            Some(Arg::Simple(key)) => key,
            _ => &[],
        };
        let (mut connection, number) = self.established(key)?;
        self.finish(number, key, command.query_async(&mut connection).await)
    }

    /// Runs a script.
    ///
    /// # Errors
    ///
    /// As those of [`run`](Link::run).
    pub(super) async fn invoke<T: FromRedisValue>(&self, call: &Call<'_>) -> Result<T, StoreError> {
        let key = call.first_key();
        let (mut connection, number) = self.established(key)?;
        self.finish(number, key, call.run(&mut connection).await)
    }
}

/// Returns `true` if only another connection can help.
///
/// This one broke, or leads to a wrong server, or to one that does not answer.
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

/// Returns the longest pause between two attempts to connect.
///
/// A part of a cluster may be missing for good, so the pauses grow with the time for which it has
/// been.
fn longest_pause(incomplete: Option<Duration>) -> Duration {
    incomplete.map_or(LAST_PAUSE, |time| (time / 10).clamp(LAST_PAUSE, LONGEST_PAUSE))
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_while_a_part_of_a_cluster_is_missing() {
        let seconds = Duration::from_secs;
        assert_eq!(longest_pause(None), LAST_PAUSE);
        assert_eq!(longest_pause(Some(seconds(3))), LAST_PAUSE);
        assert_eq!(longest_pause(Some(seconds(50))), seconds(5));
        assert_eq!(longest_pause(Some(seconds(3600))), LONGEST_PAUSE);
    }
}
