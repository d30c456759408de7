//! TCP connections: accepts them, serves HTTP/1 on them, and lets them finish at shutdown.

use std::io;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};

/// How long a request's headers may take, so that a client that sends them byte by byte is cut off.
const HEADER_TIMEOUT: Duration = Duration::from_secs(30);

/// Pause after a failed accept, which most likely means that too many files are open.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Accepts and serves connections until `shutdown` is ready; returns those still open then.
pub(crate) async fn accept(
    listener: &TcpListener,
    routes: Router,
    shutdown: impl Future<Output = ()>,
) -> GracefulShutdown {
    let open = GracefulShutdown::new();
    let mut shutdown = pin!(shutdown);
    loop {
        tokio::select! {
            () = &mut shutdown => return open,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => serve(stream, routes.clone(), &open),
                Err(error) if concerns_one_connection(&error) => {}
                Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
            },
        }
    }
}

/// Returns `true` if accepting failed for this one connection only.
fn concerns_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted)
}

fn serve(stream: TcpStream, routes: Router, open: &GracefulShutdown) {
    // An event is sent when it happens, not when a packet is full.
    let _ = stream.set_nodelay(true);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT);
    let connection = http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(routes));
    let connection = open.watch(connection);
    tokio::spawn(async move {
        // An error means that the client broke the connection; nobody else needs to know.
        let _ = connection.await;
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deployed_proxy_closes_an_unused_connection_before_the_service_does() {
        let config = include_str!("../../deploy/nginx.conf");
        let (_, timeout) = config.split_once("keepalive_timeout ").expect("the proxy's default is 60 s");
        let seconds = timeout.split_once("s;").unwrap().0.parse::<u64>().unwrap();
        // A request that the proxy sends meanwhile has to arrive.
        assert!(Duration::from_secs(seconds + 5) < HEADER_TIMEOUT);
    }
}
