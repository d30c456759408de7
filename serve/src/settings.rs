//! How the service is to run.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use followup::dialogue::Setup;
use followup::{Policy, wire};

use crate::Cut;

/// How the service is to run. Plain data; the defaults are those of `followup serve`.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where it listens. Port 0: any that is free.
    pub listen: SocketAddr,
    /// Whoever comes must show it. Without one, only programs of this machine may come.
    pub token: Option<Secret>,
    /// The provider, as the URL that `/chat/completions` is appended to.
    pub upstream: Option<String>,
    /// What the provider is shown when the caller shows nothing.
    pub upstream_key: Option<Secret>,
    /// How long to wait for the provider's next byte.
    pub upstream_timeout: Duration,
    /// Whether to go on with the provider when everything has been answered.
    pub goes_on: bool,
    /// The recorded messages can be played, cut and slowed down like this.
    pub demo: Option<Pace>,
    /// How messages are read.
    pub policy: Arc<Policy>,
    /// The limits of a provider's stream.
    pub wire_limits: wire::Limits,
    /// How dialogues are led.
    pub setup: Arc<Setup>,
    /// How often readers hear that the service is still there.
    pub heartbeat: Duration,
    /// How long what is running may go on when the service is to end.
    pub grace: Duration,
    /// What is the most of everything.
    pub limits: Limits,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            listen: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 4127),
            token: None,
            upstream: None,
            upstream_key: None,
            upstream_timeout: Duration::from_secs(300),
            goes_on: false,
            demo: None,
            policy: Arc::new(Policy::new()),
            wire_limits: wire::Limits::default(),
            setup: Arc::new(Setup::default()),
            heartbeat: Duration::from_secs(15),
            grace: Duration::from_secs(10),
            limits: Limits::default(),
        }
    }
}

/// What is the most of everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The bytes of a request's body; of a push, which is not kept, none.
    pub body: usize,
    /// How many conversations there are at once.
    pub conversations: usize,
    /// How many bytes of items a conversation keeps.
    pub kept: usize,
    /// How many events a conversation keeps for readers that are behind.
    pub events: usize,
    /// How long a conversation that has ended stays without readers.
    pub idle: Duration,
    /// How many read one conversation at once.
    pub readers: usize,
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
        }
    }
}

/// How a recorded message is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// How it is cut.
    pub chunk: Cut,
    /// How long to wait between two chunks.
    pub delay: Duration,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace { chunk: Cut::Every(4), delay: Duration::from_millis(30) }
    }
}

/// Something that nobody else is to see: it is not in what is printed to look for an error.
///
/// ```
/// assert_eq!(format!("{:?}", followup_serve::Secret::new("s3cret")), "Secret");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// That.
    pub fn new(secret: impl Into<String>) -> Secret {
        Secret(secret.into())
    }

    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// Whether it is this one. How long that takes says nothing of where they differ.
    pub(crate) fn is(&self, shown: &[u8]) -> bool {
        use subtle::ConstantTimeEq;
        self.0.as_bytes().ct_eq(shown).into()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}
