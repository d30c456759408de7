//! The settings of a service.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use followup::dialogue::Setup;
use followup::{Policy, wire};
use followup_testing::Chunking;

/// The settings of a service. The defaults are those of `followup serve`.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Address to listen on. Port 0 picks a free one.
    pub listen: SocketAddr,
    /// Token that requests must carry. Without one, only programs on this machine are served.
    pub token: Option<Secret>,
    /// Base URL of the provider. What follows `/v1` in a caller's path is appended to it.
    pub upstream: Option<String>,
    /// Key sent to the provider when the caller sends no `authorization`.
    pub upstream_key: Option<Secret>,
    /// How long to wait for the provider's next byte.
    pub upstream_timeout: Duration,
    /// Whether to send the answers to the provider once everything has been answered.
    pub auto_continue: bool,
    /// Offers the recorded messages, played at this pace.
    pub demo: Option<Pace>,
    /// How messages are parsed.
    pub policy: Arc<Policy>,
    /// Whether calls in the model's reasoning are read, too.
    pub reasoning: bool,
    /// Limits of a provider's stream.
    pub wire_limits: wire::Limits,
    /// How dialogues are conducted.
    pub setup: Arc<Setup>,
    /// Interval of the comments that keep an idle event stream open.
    pub heartbeat: Duration,
    /// How long running relays may take to finish at shutdown.
    pub grace: Duration,
    /// Bounds on memory and connections.
    pub limits: Limits,
    /// URL of the store that all replicas share.
    ///
    /// Without one, the conversations are in this process.
    pub store: Option<Secret>,
    /// What the names of all keys in the store begin with.
    pub store_prefix: String,
    /// How long a replica that does not answer is taken to live.
    pub lease: Duration,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            listen: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 4127),
            token: None,
            upstream: None,
            upstream_key: None,
            upstream_timeout: Duration::from_secs(300),
            auto_continue: false,
            demo: None,
            policy: Arc::new(Policy::new()),
            reasoning: false,
            wire_limits: wire::Limits::default(),
            setup: Arc::new(Setup::default()),
            heartbeat: Duration::from_secs(15),
            grace: Duration::from_secs(10),
            limits: Limits::default(),
            store: None,
            store_prefix: "followup:".into(),
            lease: Duration::from_secs(5),
        }
    }
}

impl Settings {
    /// Returns a parser of one message; without a format it detects the provider.
    pub(crate) fn response_parser(&self, format: Option<wire::Format>) -> wire::ResponseParser {
        let policy = self.policy.clone();
        let parser = match format {
            Some(format) => wire::ResponseParser::new(format, policy),
            None => wire::ResponseParser::auto(policy),
        };
        parser.with_reasoning(self.reasoning).with_limits(self.wire_limits)
    }
}

/// Bounds on memory and connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a request's body. A push has no limit, because its body is not kept.
    pub body: usize,
    /// Conversations at the same time.
    pub conversations: usize,
    /// Bytes of items that a conversation keeps.
    pub kept: usize,
    /// Events that a conversation keeps for readers that lag.
    pub events: usize,
    /// How long an ended conversation without readers is kept.
    pub idle: Duration,
    /// Readers of one conversation at the same time.
    pub readers: usize,
    /// Bytes that all conversations and bodies of requests may take together, as an estimate.
    pub memory: usize,
    /// Requests that are relayed or pushed at the same time.
    pub requests: usize,
    /// How long the body of a request may pause. A pushed body may pause as long as a provider.
    pub body_pause: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            body: 32 << 20,
            conversations: 4096,
            kept: 4 << 20,
            events: 1024,
            idle: Duration::from_secs(1800),
            readers: 64,
            memory: 1 << 30,
            requests: 1024,
            body_pause: Duration::from_secs(30),
        }
    }
}

/// The pace at which a recorded message is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// How the message is cut into chunks.
    pub chunk: Chunking,
    /// Pause between two chunks.
    pub delay: Duration,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace { chunk: Chunking::Every(4), delay: Duration::from_millis(30) }
    }
}

/// A string that its `Debug` output does not reveal.
///
/// ```
/// assert_eq!(format!("{:?}", followup_serve::Secret::new("s3cret")), "Secret");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a string.
    pub fn new(secret: impl Into<String>) -> Secret {
        Secret(secret.into())
    }

    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// Compares in constant time, so that timing does not reveal where the two differ.
    pub(crate) fn matches(&self, candidate: &[u8]) -> bool {
        use subtle::ConstantTimeEq;
        self.0.as_bytes().ct_eq(candidate).into()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}
