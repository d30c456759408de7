//! `followup serve`: runs the HTTP service.

use std::ffi::OsString;
use std::fmt::Arguments;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use followup_serve::{Limits, Pace, Secret, Service, Settings, StartError};
use tokio::sync::oneshot;

use crate::args::serve::ServeArgs;
use crate::error::{Error, Status, report};
use crate::plain_words::io_error;
use crate::wording;

pub(crate) fn run(args: &ServeArgs) -> Result<Status, Error> {
    refuse_options_as_secrets(std::env::args_os())?;
    let settings = settings(args)?;
    raise_open_files();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| cannot_start(&error))?;
    let served = runtime.block_on(serve(settings));
    // The grace period is over for whatever still runs.
    runtime.shutdown_background();
    served.map(|()| Status::Success)
}

async fn serve(settings: Settings) -> Result<(), Error> {
    // Before the address is printed, because a caller may send a signal as soon as it knows the
    // address.
    let mut signals = Signals::new().map_err(|error| cannot_start(&error))?;
    let service = Service::bind(settings).await.map_err(|error| match error {
        StartError::Open(_) => Error::Usage(open(&error)),
        StartError::Listen(address, error) => cannot_listen(address, &error),
        StartError::Upstream(_) | StartError::Store(_) => Error::Usage(error.to_string()),
        _ => cannot_start(&error),
    })?;
    if let Some(warning) = service.store_warning() {
        report(warning);
    }
    print(format_args!("listening on http://{}", service.address()))?;
    let (shutdown, shut_down) = oneshot::channel::<()>();
    let second_signal = async move {
        signals.next().await;
        // The service may have ended by itself.
        let _ = shutdown.send(());
        signals.next().await;
    };
    tokio::select! {
        () = service.run(async { drop(shut_down.await) }) => {}
        () = second_signal => {}
    }
    Ok(())
}

/// Prints a line for the user: on standard error if the reader of the output has gone.
fn print(line: Arguments<'_>) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{line}").and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => report(line),
        written => written?,
    }
    Ok(())
}

fn settings(args: &ServeArgs) -> Result<Settings, Error> {
    let seconds = Duration::from_secs_f64;
    // A key in the environment is there for all programs, and may go unused.
    if args.upstream.is_none() && args.upstream_key != std::env::var("FOLLOWUP_UPSTREAM_KEY").ok() {
        return Err(Error::Usage("--upstream-key needs --upstream: the key is for the provider of that URL".into()));
    }
    let policy = args.policy.policy()?;
    let setup = wording::setup(&args.dialect, &args.template, &policy)?.with_escape(args.escape);
    Ok(Settings {
        listen: args.listen,
        token: secret(args.token.as_deref(), "--token (or FOLLOWUP_TOKEN)")?,
        upstream: args.upstream.clone(),
        upstream_key: secret(args.upstream_key.as_deref(), "--upstream-key (or FOLLOWUP_UPSTREAM_KEY)")?,
        upstream_timeout: seconds(args.upstream_timeout),
        auto_continue: args.goes_on,
        demo: args.demo.then(|| Pace { chunk: args.chunk, delay: Duration::from_millis(args.delay) }),
        policy: Arc::new(policy),
        reasoning: args.reasoning,
        wire_limits: args.policy.wire_limits(),
        setup: Arc::new(setup),
        heartbeat: seconds(args.heartbeat),
        grace: seconds(args.grace),
        limits: Limits {
            body: args.limit_body,
            conversations: args.limit_conversations,
            kept: args.limit_kept,
            events: args.limit_events,
            idle: seconds(args.idle),
            readers: args.limit_readers,
            memory: args.max_memory,
            requests: args.limit_requests,
            body_pause: seconds(args.body_timeout),
        },
        store: args.store.as_deref().map(Secret::new),
        store_prefix: args.store_prefix.clone(),
        lease: seconds(args.lease),
    })
}

/// Fails if what looks like an option follows an option for a secret.
///
/// With a variable that is not set, `--token $TOKEN --demo` is `--token --demo`: anyone could guess
/// that token. `--token=--demo` is meant, and only here they differ.
fn refuse_options_as_secrets(args: impl Iterator<Item = OsString>) -> Result<(), Error> {
    let args: Vec<_> = args.collect();
    for pair in args.windows(2) {
        for (option, variable) in [("--token", "FOLLOWUP_TOKEN"), ("--upstream-key", "FOLLOWUP_UPSTREAM_KEY")] {
            if pair[0] == option && pair[1].as_encoded_bytes().starts_with(b"--") {
                // What follows may be the secret: it is not printed.
                return Err(Error::Usage(format!(
                    "what follows {option} begins with --, as an option does; \
                     if it is the value, give it as {option}=VALUE, or better in the environment, as {variable}"
                )));
            }
        }
    }
    Ok(())
}

/// Checks that a header can carry the secret.
fn secret(given: Option<&str>, option: &str) -> Result<Option<Secret>, Error> {
    let Some(secret) = given else { return Ok(None) };
    if secret.is_empty() {
        return Err(Error::Usage(format!("{option} is empty: leave it out, or give it a value")));
    }
    if !secret.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(Error::Usage(format!(
            "{option} has a character that a header can't carry: use ASCII without spaces"
        )));
    }
    Ok(Some(Secret::new(secret)))
}

fn cannot_start(error: &dyn std::fmt::Display) -> Error {
    Error::Unreadable(error.to_string())
}

fn cannot_listen(address: SocketAddr, error: &io::Error) -> Error {
    let remedy = match error.kind() {
        io::ErrorKind::AddrInUse => IN_USE,
        io::ErrorKind::PermissionDenied => "you need the right to use this port: choose one from 1024 on",
        io::ErrorKind::AddrNotAvailable => "this machine does not have the address; check --listen",
        _ => return Error::Unreadable(format!("can't listen on {address}: {}", io_error(error))),
    };
    Error::Unreadable(format!("can't listen on {address}: {remedy}"))
}

const IN_USE: &str = "\
another program listens there, perhaps another `followup serve`: end it, or choose another port

  followup serve --listen 127.0.0.1:0 …    on any free port";

fn open(error: &StartError) -> String {
    format!(
        "\
{error}: anyone who reaches it could read and answer everything

  FOLLOWUP_TOKEN=… followup serve …           with a token that every client has to send
  followup serve --listen 127.0.0.1:4127 …    for this machine only

`followup serve --help` has more."
    )
}

/// The signals that shut the service down.
#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Signals { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> io::Result<Signals> {
        Ok(Signals)
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    }
}

/// Raises the limit of open files, which is often 1024: each relay and each reader takes a few.
#[cfg(unix)]
fn raise_open_files() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // If this fails, connections beyond the limit wait.
    let _ = setrlimit(Resource::Nofile, limit);
}

#[cfg(not(unix))]
fn raise_open_files() {}
