//! Connections: they are taken, served, and ended in good order.

use std::io;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};

/// How long a request's headers may take. Who sends them byte by byte would keep a connection for ever.
const HEADERS: Duration = Duration::from_secs(30);

/// How long to wait when no connection can be taken: most likely too many are open.
const PAUSE: Duration = Duration::from_millis(100);

/// Takes connections and serves them, until `end` is ready. Those that are open then are in what is returned.
pub(crate) async fn accept(listener: &TcpListener, routes: Router, end: impl Future<Output = ()>) -> GracefulShutdown {
    let open = GracefulShutdown::new();
    let mut end = pin!(end);
    loop {
        tokio::select! {
            () = &mut end => return open,
            taken = listener.accept() => match taken {
                Ok((stream, _)) => serve(stream, routes.clone(), &open),
                Err(error) if is_of_one(&error) => {}
                Err(_) => tokio::time::sleep(PAUSE).await,
            },
        }
    }
}

/// Whether the error is of that one connection.
fn is_of_one(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted)
}

fn serve(stream: TcpStream, routes: Router, open: &GracefulShutdown) {
    // An event is sent when it happens, not when a packet is full.
    let _ = stream.set_nodelay(true);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEADERS);
    let connection = http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(routes));
    let connection = open.watch(connection);
    tokio::spawn(async move {
        // Whoever breaks a connection knows it.
        let _ = connection.await;
    });
}
