//! A TCP proxy in this process, between a replica and its store, that cuts and delays.

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
}

impl TcpProxy {
    /// Starts a proxy to a port, in a thread of its own, so that nothing that a test does delays it.
    pub(super) fn start(target: u16) -> TcpProxy {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let port = listener.local_addr().unwrap().port();
        let (passing, receiver) = watch::channel(Passing::After(Duration::ZERO));
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(accept(listener, target, receiver));
        });
        TcpProxy { port, passing }
    }

    pub(super) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    pub(super) fn set(&self, passing: Passing) {
        self.passing.send_replace(passing);
    }
}

/// Accepts connections until the proxy is dropped.
async fn accept(listener: std::net::TcpListener, target: u16, mut passing: watch::Receiver<Passing>) {
    let listener = TcpListener::from_std(listener).unwrap();
    loop {
        tokio::select! {
            change = passing.changed() => if change.is_err() { return },
            accepted = listener.accept() => {
                let (from, _) = accepted.unwrap();
                if *passing.borrow() != Passing::Cut && let Ok(to) = TcpStream::connect(("127.0.0.1", target)).await {
                    from.set_nodelay(true).unwrap();
                    to.set_nodelay(true).unwrap();
                    tokio::spawn(connect(from, to, passing.clone()));
                }
            }
        }
    }
}

/// Passes bytes on in both directions, until one end closes or the connection is cut.
async fn connect(one: TcpStream, other: TcpStream, mut passing: watch::Receiver<Passing>) {
    let ((from_one, to_one), (from_other, to_other)) = (one.into_split(), other.into_split());
    tokio::select! {
        () = pass(from_one, to_other, false, passing.clone()) => {}
        () = pass(from_other, to_one, true, passing.clone()) => {}
        _ = passing.wait_for(|passing| *passing == Passing::Cut) => {}
    }
}

async fn pass(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    are_replies: bool,
    mut passing: watch::Receiver<Passing>,
) {
    let keeps = |passing: &Passing| *passing == Passing::Nothing || are_replies && *passing == Passing::Requests;
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
        if to.write_all(&bytes[..length]).await.is_err() {
            return;
        }
    }
}
