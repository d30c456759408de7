//! The HTTP client of the provider.

mod base_url;
mod connector;
mod explain;
mod headers;
mod watched_body;

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Method, Request, Response, Uri, header};
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Body as _, Incoming};
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioTimer};

use self::base_url::BaseUrl;
use self::connector::Connector;
use self::explain::explain;
use self::headers::{HeaderFilter, Key};
use self::watched_body::WatchedBody;
use crate::error::ApiError;
use crate::paced_body::RequestBodyError;
use crate::settings::Settings;

pub(crate) use self::headers::end_to_end;

/// Maximum time to connect, TLS included.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum number of unused connections to the provider, and how long each is kept.
const MAX_IDLE_CONNECTIONS: usize = 64;
const IDLE_CONNECTION: Duration = Duration::from_secs(90);

/// The provider, and the client that talks to it.
pub(crate) struct Upstream {
    client: Client<Connector, WatchedBody>,
    base: BaseUrl,
    filter: HeaderFilter,
    proxy_authorization: Option<HeaderValue>,
    timeout: Duration,
}

impl Upstream {
    /// Returns the upstream of the settings, if they name one.
    pub(crate) fn new(settings: &Settings) -> Result<Option<Upstream>, String> {
        let Some(base) = &settings.upstream else { return Ok(None) };
        let base = BaseUrl::parse(base).map_err(|error| {
            format!(
                "{base:?}: {error}; it should be like https://host/v1, and paths such as /chat/completions are appended"
            )
        })?;
        let connector = Connector::new(base.uri(), CONNECT_TIMEOUT.min(settings.upstream_timeout))?;
        let key = settings.upstream_key.as_ref().map(Key::new).transpose()?;
        let proxy_authorization = connector.proxy_authorization().cloned();
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_CONNECTION)
            .pool_max_idle_per_host(MAX_IDLE_CONNECTIONS)
            .build(connector);
        let filter = HeaderFilter::new(key, settings.token.clone());
        Ok(Some(Upstream { client, base, filter, proxy_authorization, timeout: settings.upstream_timeout }))
    }

    /// Returns the provider's URI for a path and a query of a caller.
    ///
    /// # Errors
    ///
    /// If the path would leave the base URL.
    pub(crate) fn uri(&self, path: &str, query: Option<&str>) -> Result<Uri, ApiError> {
        self.base.join(path, query)
    }

    /// Returns the caller's headers as the provider gets them.
    pub(crate) fn headers(&self, from: &HeaderMap) -> HeaderMap {
        self.filter.for_provider(from)
    }

    /// Returns the headers of a request whose response is parsed.
    pub(crate) fn headers_of_turn(&self, from: &HeaderMap) -> HeaderMap {
        let mut headers = self.headers(from);
        // A compressed stream can't be parsed on its way.
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        headers
    }

    /// Sends a chat request with headers from [`Upstream::headers_of_turn`].
    ///
    /// # Errors
    ///
    /// As those of [`Upstream::forward`].
    pub(crate) async fn send(&self, headers: HeaderMap, body: Bytes) -> Result<ProviderResponse, ApiError> {
        let uri = self.uri("/chat/completions", None)?;
        self.forward(Method::POST, uri, headers, body.into()).await
    }

    /// Sends a request; its body is sent as it arrives.
    ///
    /// Returns when the head of the response has arrived.
    ///
    /// # Errors
    ///
    /// If the provider can't be reached, or does not answer in time after the last piece of the
    /// body; or if the body can't be read.
    pub(crate) async fn forward(
        &self,
        method: Method,
        uri: Uri,
        headers: HeaderMap,
        body: Body,
    ) -> Result<ProviderResponse, ApiError> {
        let (body, progress) = WatchedBody::new(body);
        let mut request = Request::new(body);
        *request.method_mut() = method;
        *request.uri_mut() = uri;
        *request.headers_mut() = headers;
        if let Some(authorization) = &self.proxy_authorization {
            request.headers_mut().insert(header::PROXY_AUTHORIZATION, authorization.clone());
        }
        tokio::select! {
            sent = self.client.request(request) => match sent {
                Ok(response) => Ok(ProviderResponse { response, timeout: self.timeout }),
                Err(error) if RequestBodyError::find(&error).is_some() => Err(ApiError::body_unreadable(&error)),
                Err(error) => Err(ApiError::upstream_unreachable(&explain(&error))),
            },
            () = progress.stalled(self.timeout) => Err(ApiError::upstream_timeout(self.timeout.as_secs_f64())),
        }
    }
}

/// A response of the provider: its head, and its body as it arrives.
pub(crate) struct ProviderResponse {
    response: Response<Incoming>,
    timeout: Duration,
}

impl ProviderResponse {
    pub(crate) fn status(&self) -> axum::http::StatusCode {
        self.response.status()
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        self.response.headers()
    }

    /// Returns the length of the rest of the body, if it is known.
    pub(crate) fn remaining(&self) -> Option<u64> {
        self.response.body().size_hint().exact()
    }

    /// Returns the next chunk of the body; `None` at its end.
    ///
    /// # Errors
    ///
    /// If the connection breaks, or nothing arrives in time. The error is a sentence for people.
    pub(crate) async fn chunk(&mut self) -> Result<Option<Bytes>, String> {
        loop {
            match tokio::time::timeout(self.timeout, self.response.body_mut().frame()).await {
                Ok(Some(Ok(frame))) => {
                    // Trailers are dropped.
                    if let Ok(chunk) = frame.into_data() {
                        return Ok(Some(chunk));
                    }
                }
                Ok(None) => return Ok(None),
                Ok(Some(Err(error))) => {
                    return Err(format!("the provider's connection broke: {}", explain(&error)));
                }
                Err(_) => return Err(format!("the provider has sent nothing for {} s", self.timeout.as_secs_f64())),
            }
        }
    }
}
