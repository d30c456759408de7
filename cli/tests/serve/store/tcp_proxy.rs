//! A TCP proxy in this process, between a replica and its store, that cuts and delays.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// What the proxy does with bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passing {
    /// It passes them on after this time.
    After(Duration),
    /// It keeps them, and the connections.
    Nothing,
    /// It passes on what goes to the store, and keeps what comes back.
    Requests,
    /// It closes all connections, and any new one.
    Cut,
}

/// A TCP proxy. It ends when dropped.
pub(super) struct TcpProxy {
    port: u16,
    passing: watch::Sender<Passing>,
    messages: Messages,
}

/// What the proxy does with messages of publish/subscribe.
#[derive(Clone, Debug)]
enum Messages {
    Passed,
    /// They are dropped, and counted.
    Dropped(Arc<AtomicUsize>),
}

impl TcpProxy {
    /// Starts a proxy to a port, in a thread of its own, so that nothing that a test does delays
    /// it.
    pub(super) fn start(target: u16) -> TcpProxy {
        TcpProxy::start_with(target, Messages::Passed)
    }

    /// The same, but it drops all messages of publish/subscribe, and nothing else.
    pub(super) fn start_without_messages(target: u16) -> TcpProxy {
        TcpProxy::start_with(target, Messages::Dropped(Arc::default()))
    }

    fn start_with(target: u16, messages: Messages) -> TcpProxy {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let port = listener.local_addr().unwrap().port();
        let (passing, receiver) = watch::channel(Passing::After(Duration::ZERO));
        let of_connections = messages.clone();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(accept(listener, target, of_connections, receiver));
        });
        TcpProxy { port, passing, messages }
    }

    pub(super) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    pub(super) fn set(&self, passing: Passing) {
        self.passing.send_replace(passing);
    }

    /// Returns how many messages were dropped.
    pub(super) fn dropped(&self) -> usize {
        match &self.messages {
            Messages::Passed => 0,
            Messages::Dropped(count) => count.load(Ordering::Relaxed),
        }
    }
}

/// Accepts connections until the proxy is dropped.
async fn accept(
    listener: std::net::TcpListener,
    target: u16,
    messages: Messages,
    mut passing: watch::Receiver<Passing>,
) {
    let listener = TcpListener::from_std(listener).unwrap();
    loop {
        tokio::select! {
            change = passing.changed() => if change.is_err() { return },
            accepted = listener.accept() => {
                let (from, _) = accepted.unwrap();
                if *passing.borrow() != Passing::Cut && let Ok(to) = TcpStream::connect(("127.0.0.1", target)).await {
                    from.set_nodelay(true).unwrap();
                    to.set_nodelay(true).unwrap();
                    tokio::spawn(connect(from, to, messages.clone(), passing.clone()));
                }
            }
        }
    }
}

/// Passes bytes on in both directions, until one end closes or the connection is cut.
async fn connect(one: TcpStream, other: TcpStream, messages: Messages, mut passing: watch::Receiver<Passing>) {
    let ((from_one, to_one), (from_other, to_other)) = (one.into_split(), other.into_split());
    tokio::select! {
        () = pass(from_one, to_other, None, passing.clone()) => {}
        () = pass(from_other, to_one, Some(messages), passing.clone()) => {}
        _ = passing.wait_for(|passing| *passing == Passing::Cut) => {}
    }
}

/// Passes bytes on. What is done with messages is said where they come from.
async fn pass(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    messages: Option<Messages>,
    mut passing: watch::Receiver<Passing>,
) {
    let keeps = |passing: &Passing| *passing == Passing::Nothing || messages.is_some() && *passing == Passing::Requests;
    let mut pending = Vec::new();
    let mut bytes = vec![0; 64 << 10];
    while let Ok(length @ 1..) = from.read(&mut bytes).await {
        let Ok(passing) = passing.wait_for(|passing| !keeps(passing)).await.map(|passing| *passing) else {
            return;
        };
        match passing {
            Passing::After(delay) if !delay.is_zero() => tokio::time::sleep(delay).await,
            Passing::After(_) | Passing::Requests => {}
            Passing::Nothing | Passing::Cut => return,
        }
        let written = match &messages {
            Some(Messages::Dropped(count)) => {
                pending.extend_from_slice(&bytes[..length]);
                to.write_all(&without_messages(&mut pending, count)).await
            }
            _ => to.write_all(&bytes[..length]).await,
        };
        if written.is_err() {
            return;
        }
    }
}

/// Removes all complete replies and messages. Returns the replies.
fn without_messages(pending: &mut Vec<u8>, dropped: &AtomicUsize) -> Vec<u8> {
    let mut replies = Vec::new();
    while let Some(length) = length_of_first(pending) {
        let first: Vec<u8> = pending.drain(..length).collect();
        if first.starts_with(b">3\r\n$8\r\nsmessage\r\n") {
            dropped.fetch_add(1, Ordering::Relaxed);
        } else {
            replies.extend(first);
        }
    }
    replies
}

/// Returns the length of the first value in RESP3; `None` if it is incomplete.
fn length_of_first(bytes: &[u8]) -> Option<usize> {
    let mut length = bytes.windows(2).position(|two| two == b"\r\n")? + 2;
    // There may be none: -1.
    let number = || std::str::from_utf8(&bytes[1..length - 2]).unwrap().parse::<usize>().ok();
    let values = match bytes[0] {
        b'$' | b'=' | b'!' => {
            let whole = number().map_or(length, |text| length + text + 2);
            return (whole <= bytes.len()).then_some(whole);
        }
        b'*' | b'~' | b'>' => number().unwrap_or_default(),
        b'%' => 2 * number().unwrap_or_default(),
        _ => 0,
    };
    for _ in 0..values {
        length += length_of_first(&bytes[length..])?;
    }
    Some(length)
}
