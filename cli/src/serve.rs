//! `followup serve`: the service, from the command line.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use followup::dialogue::Setup;
use followup_serve::{Limits, Pace, Secret, Service, Settings, StartError};
use tokio::sync::oneshot;

use crate::args::ServeArgs;
use crate::dialect;
use crate::error::{Error, Status};

pub(crate) fn run(args: &ServeArgs) -> Result<Status, Error> {
    let settings = settings(args)?;
    raise_open_files();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| cannot_start(&error))?;
    let served = runtime.block_on(serve(settings));
    // What still runs has had its time.
    runtime.shutdown_background();
    served.map(|()| Status::Success)
}

async fn serve(settings: Settings) -> Result<(), Error> {
    // Before anybody is told where it listens: whoever knows that may want it to end.
    let mut ends = Ends::new().map_err(|error| cannot_start(&error))?;
    let service = Service::bind(settings).await.map_err(|error| match error {
        StartError::Open(_) => Error::Usage(open(&error)),
        StartError::Upstream(_) => Error::Usage(error.to_string()),
        _ => cannot_start(&error),
    })?;
    {
        let mut out = io::stdout().lock();
        writeln!(out, "listening on http://{}", service.address())?;
        out.flush()?;
    }
    let (end, ended) = oneshot::channel::<()>();
    let twice = async move {
        ends.next().await;
        // It may have ended by itself.
        let _ = end.send(());
        ends.next().await;
    };
    tokio::select! {
        () = service.run(async { drop(ended.await) }) => {}
        () = twice => {}
    }
    Ok(())
}

fn settings(args: &ServeArgs) -> Result<Settings, Error> {
    let seconds = Duration::from_secs_f64;
    Ok(Settings {
        listen: args.listen,
        token: secret(args.token.as_deref(), "--token (or FOLLOWUP_TOKEN)")?,
        upstream: args.upstream.clone(),
        upstream_key: secret(args.upstream_key.as_deref(), "--upstream-key (or FOLLOWUP_UPSTREAM_KEY)")?,
        upstream_timeout: seconds(args.upstream_timeout),
        goes_on: args.goes_on,
        demo: args.demo.then(|| Pace { chunk: args.chunk, delay: Duration::from_millis(args.delay) }),
        policy: Arc::new(args.policy.policy()?),
        setup: Arc::new(Setup { dialect: dialect::load(&args.dialect)?, escape: args.escape, ..Setup::default() }),
        heartbeat: seconds(args.heartbeat),
        grace: seconds(args.grace),
        limits: Limits {
            body: args.limit_body,
            conversations: args.limit_conversations,
            kept: args.limit_kept,
            events: args.limit_events,
            idle: seconds(args.idle),
            readers: args.limit_readers,
        },
    })
}

/// A secret that a header can carry.
fn secret(given: Option<&str>, option: &str) -> Result<Option<Secret>, Error> {
    let Some(secret) = given else { return Ok(None) };
    if secret.is_empty() {
        return Err(Error::Usage(format!("{option} is empty: leave it out, or give it a value")));
    }
    if !secret.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(Error::Usage(format!(
            "{option} has a character that a header can't carry: use ASCII without blanks"
        )));
    }
    Ok(Some(Secret::new(secret)))
}

fn cannot_start(error: &dyn std::fmt::Display) -> Error {
    Error::Unreadable(error.to_string())
}

fn open(error: &StartError) -> String {
    format!(
        "\
{error}: whoever reaches it could read and answer everything

  FOLLOWUP_TOKEN=… followup serve …           with a token that everybody has to show
  followup serve --listen 127.0.0.1:4127 …    for this machine only

`followup serve --help` has more."
    )
}

/// The signals that end it.
#[cfg(unix)]
struct Ends {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Ends {
    fn new() -> io::Result<Ends> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Ends { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Ends;

#[cfg(not(unix))]
impl Ends {
    fn new() -> io::Result<Ends> {
        Ok(Ends)
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    }
}

/// A relay and its readers take a few open files each; what a process gets at first is often 1024.
#[cfg(unix)]
fn raise_open_files() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // If not, connections beyond it wait.
    let _ = setrlimit(Resource::Nofile, limit);
}

#[cfg(not(unix))]
fn raise_open_files() {}
