//! Connections to the provider: direct, or through the proxy that the environment names.

use std::error::Error;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::http::{HeaderValue, Uri};
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::legacy::connect::{Connected, Connection, HttpConnector};
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use rustls::ClientConfig;
use rustls::crypto::ring;
use rustls_platform_verifier::BuilderVerifierExt;
use tower_service::Service;

type BoxError = Box<dyn Error + Send + Sync>;

/// The idle time before a connection is probed, the interval of probes, and how many may fail.
///
/// A provider may stay silent for minutes while its model thinks.
const KEEPALIVE: (Duration, Duration, u32) = (Duration::from_secs(15), Duration::from_secs(15), 3);

/// Opens connections to one provider.
#[derive(Clone)]
pub(super) struct Connector {
    /// Connects to any host, without a proxy.
    direct: HttpsConnector<HttpConnector>,
    tls: Arc<ClientConfig>,
    proxy: Option<Intercept>,
    is_https: bool,
    timeout: Duration,
}

impl Connector {
    /// Creates a connector for this provider.
    ///
    /// The proxy is that of `HTTPS_PROXY`, `HTTP_PROXY` or `ALL_PROXY`, unless `NO_PROXY` lists the
    /// provider's host.
    pub(super) fn new(provider: &Uri, timeout: Duration) -> Result<Connector, String> {
        Connector::with_proxies(provider, timeout, &Matcher::from_env())
    }

    fn with_proxies(provider: &Uri, timeout: Duration, proxies: &Matcher) -> Result<Connector, String> {
        let proxy = proxies.intercept(provider);
        let uses_tls = |uri: &Uri| uri.scheme_str() == Some("https");
        if let Some(uri) = proxy.as_ref().map(Intercept::uri)
            && !matches!(uri.scheme_str(), Some("http" | "https"))
        {
            let scheme = uri.scheme_str().unwrap_or_default();
            return Err(format!(
                "the environment names a proxy of the kind {scheme}: only http and https are supported"
            ));
        }
        let is_https = uses_tls(provider);
        let tls = tls_config(is_https || proxy.as_ref().is_some_and(|proxy| uses_tls(proxy.uri())))?;
        let tls = Arc::new(tls);
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        let (idle, interval, retries) = KEEPALIVE;
        tcp.set_keepalive(Some(idle));
        tcp.set_keepalive_interval(Some(interval));
        tcp.set_keepalive_retries(Some(retries));
        tcp.set_connect_timeout(Some(timeout));
        Ok(Connector { direct: HttpsConnector::from((tcp, tls.clone())), tls, proxy, is_https, timeout })
    }

    /// Returns the header that a proxy expects in the request itself.
    ///
    /// A tunnel gets it when it is opened.
    pub(super) fn proxy_authorization(&self) -> Option<&HeaderValue> {
        self.proxy.as_ref().filter(|_| !self.is_https)?.basic_auth()
    }

    async fn connect(mut self, provider: Uri) -> Result<ProviderStream, BoxError> {
        let stream = match &self.proxy {
            None => ProviderStream::new(self.direct.call(provider).await?, false),
            // The proxy forwards plain requests, but must not see those that are encrypted.
            Some(proxy) if !self.is_https => ProviderStream::new(self.direct.call(proxy.uri().clone()).await?, true),
            Some(proxy) => {
                let mut tunnel = Tunnel::new(proxy.uri().clone(), self.direct);
                if let Some(authorization) = proxy.basic_auth() {
                    tunnel = tunnel.with_auth(authorization.clone());
                }
                let mut tls = HttpsConnector::from((tunnel, self.tls));
                ProviderStream::new(tls.call(provider).await?, false)
            }
        };
        Ok(stream)
    }
}

impl Service<Uri> for Connector {
    type Response = ProviderStream;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<ProviderStream, BoxError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, provider: Uri) -> Self::Future {
        let (connector, timeout) = (self.clone(), self.timeout);
        Box::pin(async move {
            // The TCP timeout does not cover name resolution, the tunnel and TLS.
            match tokio::time::timeout(timeout, connector.connect(provider)).await {
                Ok(connected) => connected,
                Err(_) => Err(format!("connecting took longer than {} s", timeout.as_secs_f64()).into()),
            }
        })
    }
}

/// A connection to the provider, or to a proxy that forwards to it.
pub(super) struct ProviderStream {
    io: Box<dyn ConnectionIo>,
    is_forwarded: bool,
}

trait ConnectionIo: Read + Write + Connection + Send + Unpin {}

impl<T: Read + Write + Connection + Send + Unpin> ConnectionIo for T {}

impl ProviderStream {
    fn new(io: impl ConnectionIo + 'static, is_forwarded: bool) -> ProviderStream {
        ProviderStream { io: Box::new(io), is_forwarded }
    }
}

impl Connection for ProviderStream {
    fn connected(&self) -> Connected {
        // A proxy that forwards expects the whole URI in the request line.
        self.io.connected().proxy(self.is_forwarded)
    }
}

impl Read for ProviderStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(context, buffer)
    }
}

impl Write for ProviderStream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write_vectored(context, bytes)
    }
}

/// Returns a configuration with ring and with the certificates that this machine trusts.
///
/// ring needs no more than a C compiler to build.
fn tls_config(is_used: bool) -> Result<ClientConfig, String> {
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    let config = if is_used {
        config.with_platform_verifier().map_err(|error| error.to_string())?
    } else {
        // Without TLS, a machine that has no certificates can still use a local model.
        config.with_root_certificates(rustls::RootCertStore::empty())
    };
    Ok(config.with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connector(provider: &'static str, proxies: &Matcher) -> Result<Connector, String> {
        Connector::with_proxies(&Uri::from_static(provider), Duration::from_secs(1), proxies)
    }

    #[test]
    fn a_proxy_is_used_unless_the_host_is_excluded() {
        let proxies = Matcher::builder().all("http://user:secret@proxy:3128").no("127.0.0.1,.local").build();
        let plain = connector("http://provider/v1", &proxies).unwrap();
        assert_eq!(plain.proxy.as_ref().unwrap().uri().host(), Some("proxy"));
        assert_eq!(plain.proxy_authorization().unwrap(), "Basic dXNlcjpzZWNyZXQ=");
        for excluded in ["http://127.0.0.1:11434/v1", "http://models.local/v1"] {
            let direct = connector(excluded, &proxies).unwrap();
            assert!(direct.proxy.is_none() && direct.proxy_authorization().is_none(), "{excluded}");
        }
        assert!(connector("http://provider/v1", &Matcher::builder().build()).unwrap().proxy.is_none());
    }

    #[test]
    fn a_proxy_of_another_kind_is_an_error() {
        let proxies = Matcher::builder().all("socks5://proxy:1080").build();
        assert!(connector("http://provider/v1", &proxies).is_err_and(|error| error.contains("socks5")));
    }
}
