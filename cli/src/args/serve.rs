//! The options of `followup serve`.

use std::net::SocketAddr;

use followup_testing::Chunking;

use crate::policy::PolicyArgs;

pub(super) const SERVE_HELP: &str = "\
Examples:
  followup serve --demo
      Recorded messages, on http://localhost:4127.
  followup serve --upstream https://api.example.com/v1
      Relays everything below /v1 to that provider, and shows what its models
      ask. Point an agent's base URL at http://localhost:4127/v1 (for clients of
      Anthropic: http://localhost:4127); nothing else changes for it.
  followup serve --upstream http://localhost:11434/v1 --continue
      Also sends the answers back: the model continues in the same conversation.
  curl -sN https://… |
      curl -sT - -X POST 'localhost:4127/conversations?wire=auto&id=mine'
      Shows a stream of any provider, as it arrives.
  curl -sN localhost:4127/conversations/mine/events
      Its events, as server-sent events.
  curl -s localhost:4127/conversations/mine/answer \\
      -d '{\"number\":0,\"suggestion\":1}'
      Answers, and prints the messages for the model.
  FOLLOWUP_TOKEN=… followup serve --listen 0.0.0.0:4127 --upstream …
      For other machines, which need the token. Put TLS in front of it.

The service prints the address on which it listens. docs/service.md has the
protocol.
Ctrl-C shuts it down: what is being relayed may continue for --grace seconds; a
second Ctrl-C ends it at once.

Exit status:
  0  It was shut down.
  1  It could not listen.
  2  The command line is wrong.";

/// Runs a service that shows questions in a browser, and takes the answers.
///
/// It relays requests to a provider, byte for byte, or receives what any provider streams. It reads
/// chat completions and Responses of OpenAI, and messages of Anthropic. A page shows each question
/// while it is still being written, and sends the answer; programs read the same as server-sent
/// events. It accepts connections from this machine only, unless there is a token.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "`followup serve --help` has examples, the limits and the exit status.",
    after_long_help = SERVE_HELP
)]
pub(crate) struct ServeArgs {
    /// The address to listen on; port 0 is any free port
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:4127")]
    pub(crate) listen: SocketAddr,

    /// The provider to relay to: what follows /v1 in a caller's path is appended to this URL
    #[arg(long, value_name = "URL")]
    pub(crate) upstream: Option<String>,

    /// The key to send to the provider when the caller sends none
    #[arg(long, value_name = "KEY", env = "FOLLOWUP_UPSTREAM_KEY", hide_env_values = true, allow_hyphen_values = true)]
    pub(crate) upstream_key: Option<String>,

    /// Give up on the provider if it sends nothing for this long
    #[arg(long, value_name = "SECONDS", default_value_t = 300.0, value_parser = seconds)]
    pub(crate) upstream_timeout: f64,

    /// When all questions of a relayed message are answered, send the answers and continue
    #[arg(long = "continue", requires = "upstream")]
    pub(crate) goes_on: bool,

    /// Also find questions in the model's reasoning
    ///
    /// Some models write their calls there. The text of the reasoning is not shown. A question in
    /// it is complete at the end of the message, and rejected if the message asks in any other way.
    #[arg(long)]
    pub(crate) reasoning: bool,

    /// Offer recorded messages, to try the service without a model
    #[arg(long)]
    pub(crate) demo: bool,

    /// Cut recorded messages into chunks of this many bytes, or of random length: N or random:SEED
    #[arg(long, value_name = "N|random:SEED", default_value = "4", requires = "demo")]
    pub(crate) chunk: Chunking,

    /// Wait this many milliseconds between the chunks of a recorded message
    #[arg(long, value_name = "MS", default_value_t = 30, requires = "demo")]
    pub(crate) delay: u64,

    /// The token that every request must carry; required to listen for other machines
    ///
    /// A request carries it as `authorization: Bearer TOKEN`, or `x-followup-token: TOKEN`. Prefer
    /// the environment variable: other users of the machine can see command lines.
    #[arg(long, value_name = "TOKEN", env = "FOLLOWUP_TOKEN", hide_env_values = true, allow_hyphen_values = true)]
    pub(crate) token: Option<String>,

    /// Send readers a heartbeat this often
    #[arg(long, value_name = "SECONDS", default_value_t = 15.0, value_parser = seconds)]
    pub(crate) heartbeat: f64,

    /// On shutdown, let what is being relayed continue for this long
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = seconds)]
    pub(crate) grace: f64,

    /// Keep the conversations in this Redis or Valkey, for several replicas of the service
    ///
    /// A URL: `redis://USER:PASSWORD@HOST:PORT/DATABASE`; `redis+cluster://HOST:PORT,HOST:PORT` for
    /// a cluster; `redis+sentinel://HOST:PORT,HOST:PORT/NAME` for sentinels, with
    /// `?sentinel_password=PASSWORD` if they need one; `rediss` in place of `redis` for TLS.
    /// Without a store, the conversations are in the memory of this process.
    #[arg(long, value_name = "URL", env = "FOLLOWUP_STORE", hide_env_values = true, help_heading = "Replicas")]
    pub(crate) store: Option<String>,

    /// Let the names of all keys in the store begin with this
    #[arg(long, value_name = "TEXT", default_value = "followup:", requires = "store", help_heading = "Replicas")]
    pub(crate) store_prefix: String,

    /// Treat a replica as dead if it has not renewed its lease for this long
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0, value_parser = seconds, requires = "store", help_heading = "Replicas")]
    pub(crate) lease: f64,

    /// The wording and wrapping of the replies: a name, or a file, as in `followup ask`
    #[arg(long, value_name = "NAME|FILE", default_value = "roo-code", help_heading = "Answering")]
    pub(crate) dialect: String,

    /// The wording of the replies to another agent's question tool: a name, or a file (TOML or
    /// JSON)
    #[arg(long, value_name = "TOOL=NAME|FILE", help_heading = "Answering")]
    pub(crate) template: Vec<String>,

    /// Escape the closing tag of the answer's wrapping, such as </answer>, inside the answer
    #[arg(long, help_heading = "Answering")]
    pub(crate) escape: bool,

    #[command(flatten)]
    pub(crate) policy: PolicyArgs,

    /// The maximum length of a request's body; a pushed stream is not kept, and has no limit
    #[arg(long, value_name = "BYTES", default_value_t = 32 << 20, help_heading = "Limits")]
    pub(crate) limit_body: usize,

    /// Keep at most this many conversations; unused ones are dropped first
    #[arg(long, value_name = "N", default_value_t = 4096, value_parser = at_least_one, help_heading = "Limits")]
    pub(crate) limit_conversations: usize,

    /// Keep at most this much of a conversation; the oldest part is dropped
    #[arg(long, value_name = "BYTES", default_value_t = 4 << 20, help_heading = "Limits")]
    pub(crate) limit_kept: usize,

    /// Keep this many events of a conversation (and 1 MiB) for readers that reconnect
    #[arg(long, value_name = "N", default_value_t = 1024, help_heading = "Limits")]
    pub(crate) limit_events: usize,

    /// Allow this many readers of one conversation at once
    #[arg(long, value_name = "N", default_value_t = 64, help_heading = "Limits")]
    pub(crate) limit_readers: usize,

    /// Let all conversations together take about this much memory; unused ones are dropped first
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 30, help_heading = "Limits")]
    pub(crate) max_memory: usize,

    /// Relay and receive this many requests at once
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = at_least_one, help_heading = "Limits")]
    pub(crate) limit_requests: usize,

    /// Give up on a request if nothing of its body arrives for this long
    ///
    /// A pushed stream may pause for as long as a provider: --upstream-timeout.
    #[arg(long, value_name = "SECONDS", default_value_t = 30.0, value_parser = seconds, help_heading = "Limits")]
    pub(crate) body_timeout: f64,

    /// Drop a conversation that has ended and was not read for this long
    #[arg(long, value_name = "SECONDS", default_value_t = 1800.0, value_parser = seconds, help_heading = "Limits")]
    pub(crate) idle: f64,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(0) => Err("at least 1".into()),
        Ok(n) => Ok(n),
        Err(error) => Err(error.to_string()),
    }
}

/// Parses a positive number of seconds, up to ten years.
fn seconds(text: &str) -> Result<f64, String> {
    const MAX: f64 = 10.0 * 365.0 * 24.0 * 3600.0;
    let seconds: f64 = text.parse().map_err(|error| format!("{error}"))?;
    if seconds > 0.0 && seconds <= MAX { Ok(seconds) } else { Err(format!("more than 0, and at most {MAX}")) }
}
