//! The HTTP client of the provider.

mod connector;
mod headers;

use std::error::Error;
use std::time::Duration;

use axum::http::uri::PathAndQuery;
use axum::http::{HeaderMap, HeaderValue, Request, Response, Uri, header};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Incoming};
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioTimer};

use self::connector::Connector;
use self::headers::HeaderFilter;
use crate::error::ApiError;
use crate::settings::{Secret, Settings};

pub(crate) use self::headers::end_to_end;

/// Maximum time to connect, TLS included.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum number of unused connections to the provider, and how long each is kept.
const MAX_IDLE_CONNECTIONS: usize = 64;
const IDLE_CONNECTION: Duration = Duration::from_secs(90);

/// The provider, and the client that talks to it.
pub(crate) struct Upstream {
    client: Client<Connector, Full<Bytes>>,
    uri: Uri,
    filter: HeaderFilter,
    proxy_authorization: Option<HeaderValue>,
    timeout: Duration,
}

impl Upstream {
    /// Returns the upstream of the settings, if they name one.
    pub(crate) fn new(settings: &Settings) -> Result<Option<Upstream>, String> {
        let Some(base) = &settings.upstream else { return Ok(None) };
        let uri = completions_uri(base).map_err(|error| {
            format!("{base:?}: {error}; it should be like https://host/v1, and /chat/completions is appended")
        })?;
        let connector = Connector::new(&uri, CONNECT_TIMEOUT.min(settings.upstream_timeout))?;
        let bearer = |key: &Secret| {
            let mut value = HeaderValue::from_str(&format!("Bearer {}", key.expose()))
                .map_err(|_| "--upstream-key has a character that a header can't have".to_owned())?;
            value.set_sensitive(true);
            Ok::<_, String>(value)
        };
        let key = settings.upstream_key.as_ref().map(bearer).transpose()?;
        let proxy_authorization = connector.proxy_authorization().cloned();
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_CONNECTION)
            .pool_max_idle_per_host(MAX_IDLE_CONNECTIONS)
            .build(connector);
        let filter = HeaderFilter::new(key, settings.token.clone());
        Ok(Some(Upstream { client, uri, filter, proxy_authorization, timeout: settings.upstream_timeout }))
    }

    /// Returns the caller's headers as the provider gets them.
    pub(crate) fn headers(&self, from: &HeaderMap) -> HeaderMap {
        self.filter.for_provider(from)
    }

    /// Sends a request with headers from [`Upstream::headers`].
    ///
    /// Returns when the head of the response has arrived.
    ///
    /// # Errors
    ///
    /// If the provider can't be reached, or does not answer in time.
    pub(crate) async fn send(&self, headers: HeaderMap, body: Bytes) -> Result<ProviderResponse, ApiError> {
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = axum::http::Method::POST;
        *request.uri_mut() = self.uri.clone();
        *request.headers_mut() = headers;
        if let Some(authorization) = &self.proxy_authorization {
            request.headers_mut().insert(header::PROXY_AUTHORIZATION, authorization.clone());
        }
        match tokio::time::timeout(self.timeout, self.client.request(request)).await {
            Ok(Ok(response)) => Ok(ProviderResponse { response, timeout: self.timeout }),
            Ok(Err(error)) => Err(ApiError::upstream_unreachable(&with_sources(&error))),
            Err(_) => Err(ApiError::upstream_timeout(self.timeout.as_secs_f64())),
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
                    return Err(format!("the provider's connection broke: {}", with_sources(&error)));
                }
                Err(_) => return Err(format!("the provider has sent nothing for {} s", self.timeout.as_secs_f64())),
            }
        }
    }
}

/// Appends `/chat/completions` to the path of a base URL.
fn completions_uri(base: &str) -> Result<Uri, String> {
    let uri: Uri = base.parse().map_err(|error| format!("{error}"))?;
    let mut parts = uri.into_parts();
    let has_host = parts.authority.as_ref().is_some_and(|authority| !authority.host().is_empty());
    if !matches!(parts.scheme.as_ref().map(|scheme| scheme.as_str()), Some("http" | "https")) || !has_host {
        return Err("it is not an http or https URL".into());
    }
    if parts.authority.as_ref().is_some_and(|authority| authority.as_str().contains('@')) {
        return Err("it holds a user name: give the key with --upstream-key instead".into());
    }
    let base_path = parts.path_and_query.as_ref();
    let path = base_path.map_or("", PathAndQuery::path).trim_end_matches('/');
    let query = base_path.and_then(PathAndQuery::query).map_or(String::new(), |query| format!("?{query}"));
    let path_and_query = format!("{path}/chat/completions{query}").parse().map_err(|error| format!("{error}"))?;
    parts.path_and_query = Some(path_and_query);
    Uri::from_parts(parts).map_err(|error| error.to_string())
}

/// Writes an error with its sources, which say more.
fn with_sources(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        source = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_is_appended_to_the_base_url() {
        for (base, uri) in [
            ("http://h:1/v1", "http://h:1/v1/chat/completions"),
            ("http://h", "http://h/chat/completions"),
            ("https://h/a/b/?key=1", "https://h/a/b/chat/completions?key=1"),
            ("http://[::1]:8080/v1/", "http://[::1]:8080/v1/chat/completions"),
        ] {
            assert_eq!(completions_uri(base).unwrap().to_string(), uri);
        }
        for bad in ["", "h/v1", "/v1", "h", "ftp://h", "data:x", "http://", "https://user:key@h/v1", "http://h h"] {
            assert!(completions_uri(bad).is_err(), "{bad}");
        }
    }
}
