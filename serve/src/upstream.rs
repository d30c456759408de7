//! The provider that is relayed to.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use bytes::Bytes;
use reqwest::{Client, Response, Url, redirect};
use rustls::ClientConfig;
use rustls::crypto::ring;
use rustls_platform_verifier::BuilderVerifierExt;

use crate::errors::Failure;
use crate::settings::{Secret, Settings};

/// The provider, and how it is talked to.
pub(crate) struct Upstream {
    client: Client,
    url: Url,
    key: Option<HeaderValue>,
    token: Option<Secret>,
    timeout: Duration,
}

/// What begins with this is between the caller and the service.
const OURS: &str = "x-followup-";

impl Upstream {
    /// The upstream of the settings, if they have one.
    pub(crate) fn new(settings: &Settings) -> Result<Option<Upstream>, String> {
        let Some(base) = &settings.upstream else { return Ok(None) };
        let what = |error: &dyn std::fmt::Display| {
            format!("{base:?}: {error}; it should be like https://host/v1, and /chat/completions is appended")
        };
        let mut url = Url::parse(base).map_err(|error| what(&error))?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(what(&"it is no URL of http or https"));
        }
        let path = format!("{}/chat/completions", url.path().trim_end_matches('/'));
        url.set_path(&path);
        let client = Client::builder()
            .tls_backend_preconfigured(tls(url.scheme() == "https")?)
            // What the provider answers is the caller's to follow.
            .redirect(redirect::Policy::none())
            .connect_timeout(Duration::from_secs(10).min(settings.upstream_timeout))
            .tcp_nodelay(true)
            .pool_max_idle_per_host(64)
            .build()
            .map_err(|error| all_of(&error))?;
        let bearer = |key: &Secret| {
            let mut value = HeaderValue::from_str(&format!("Bearer {}", key.expose()))
                .map_err(|_| "--upstream-key has a character that a header can't have".to_owned())?;
            value.set_sensitive(true);
            Ok::<_, String>(value)
        };
        let key = settings.upstream_key.as_ref().map(bearer).transpose()?;
        Ok(Some(Upstream { client, url, key, token: settings.token.clone(), timeout: settings.upstream_timeout }))
    }

    /// The headers of a caller that are for the provider.
    pub(crate) fn headers(&self, from: &HeaderMap) -> HeaderMap {
        let mut headers = end_to_end(from);
        for name in [header::HOST, header::CONTENT_LENGTH, header::EXPECT] {
            headers.remove(name);
        }
        let ours: Vec<HeaderName> = headers.keys().filter(|name| name.as_str().starts_with(OURS)).cloned().collect();
        for name in ours {
            headers.remove(name);
        }
        let is_ours = |value: &HeaderValue| {
            let shown = value.as_bytes().split_at_checked("Bearer ".len()).map(|(_, rest)| rest);
            self.token.as_ref().zip(shown).is_some_and(|(token, shown)| token.is(shown))
        };
        if headers.get(header::AUTHORIZATION).is_some_and(is_ours) {
            headers.remove(header::AUTHORIZATION);
        }
        if let (Some(key), false) = (&self.key, headers.contains_key(header::AUTHORIZATION)) {
            headers.insert(header::AUTHORIZATION, key.clone());
        }
        // What is compressed can't be read on its way.
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        headers
    }

    /// Sends a request, with headers as [`Upstream::headers`] has made them. It has been answered when this is ready; the body of the answer comes then.
    pub(crate) async fn send(&self, headers: HeaderMap, body: Bytes) -> Result<Response, Failure> {
        let sent = self.client.post(self.url.clone()).headers(headers).body(body).send();
        match tokio::time::timeout(self.timeout, sent).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) => Err(Failure::upstream_unreachable(&all_of(&error.without_url()))),
            Err(_) => Err(Failure::upstream_timeout(self.timeout.as_secs_f64())),
        }
    }
}

/// Cryptography that needs no more than a C compiler to be built; and the certificates that this machine trusts.
fn tls(is_used: bool) -> Result<ClientConfig, String> {
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    let config = if is_used {
        config.with_platform_verifier().map_err(|error| error.to_string())?
    } else {
        // A machine without certificates can talk to its own models.
        config.with_root_certificates(rustls::RootCertStore::empty())
    };
    Ok(config.with_no_client_auth())
}

/// The headers that are not of one connection only.
pub(crate) fn end_to_end(from: &HeaderMap) -> HeaderMap {
    let mut headers = from.clone();
    let named: Vec<HeaderName> = from
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    let of_connection = [
        header::CONNECTION,
        header::PROXY_AUTHENTICATE,
        header::PROXY_AUTHORIZATION,
        header::TE,
        header::TRAILER,
        header::TRANSFER_ENCODING,
        header::UPGRADE,
        HeaderName::from_static("keep-alive"),
        HeaderName::from_static("proxy-connection"),
    ];
    for name in of_connection.into_iter().chain(named) {
        headers.remove(name);
    }
    headers
}

/// An error with what it comes from, which says more.
pub(crate) fn all_of(error: &dyn Error) -> String {
    let mut said = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let more = error.to_string();
        if !said.contains(&more) {
            said = format!("{said}: {more}");
        }
        source = error.source();
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    fn upstream(settings: Settings) -> Upstream {
        Upstream::new(&Settings { upstream: Some("http://h/v1/".into()), ..settings }).unwrap().unwrap()
    }

    fn headers(of: &[(&'static str, &'static str)]) -> HeaderMap {
        of.iter().map(|&(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn the_path_is_appended() {
        for (base, url) in [
            ("http://h:1/v1", "http://h:1/v1/chat/completions"),
            ("http://h", "http://h/chat/completions"),
            ("https://h/a/b/?key=1", "https://h/a/b/chat/completions?key=1"),
        ] {
            let upstream = Upstream::new(&Settings { upstream: Some(base.into()), ..Settings::default() });
            assert_eq!(upstream.unwrap().unwrap().url.as_str(), url);
        }
        for bad in ["", "h/v1", "ftp://h", "data:x"] {
            let upstream = Upstream::new(&Settings { upstream: Some(bad.into()), ..Settings::default() });
            assert!(upstream.is_err(), "{bad}");
        }
    }

    #[test]
    fn what_is_not_for_the_provider_does_not_go_there() {
        let upstream = upstream(Settings::default());
        let from = headers(&[
            ("host", "localhost"),
            ("content-length", "9"),
            ("connection", "keep-alive, x-mine"),
            ("keep-alive", "1"),
            ("x-mine", "1"),
            ("te", "trailers"),
            ("x-followup-conversation", "a"),
            ("x-followup-token", "secret"),
            ("accept-encoding", "gzip"),
            ("authorization", "Bearer key"),
            ("x-other", "1"),
        ]);
        let expected = headers(&[("accept-encoding", "identity"), ("authorization", "Bearer key"), ("x-other", "1")]);
        assert_eq!(upstream.headers(&from), expected);
    }

    #[test]
    fn the_provider_never_sees_the_services_token() {
        let with_key = |key: Option<&str>| {
            let upstream_key = key.map(Secret::new);
            upstream(Settings { token: Some(Secret::new("ours")), upstream_key, ..Settings::default() })
        };
        let sent = |key: Option<&str>, authorization: Option<&'static str>| {
            let from: Vec<_> = authorization.into_iter().map(|value| ("authorization", value)).collect();
            with_key(key).headers(&headers(&from)).get("authorization").cloned()
        };
        assert_eq!(sent(None, Some("Bearer ours")), None);
        assert_eq!(sent(None, Some("bearer ours")), None);
        assert_eq!(sent(Some("key"), Some("Bearer ours")).unwrap(), "Bearer key");
        assert_eq!(sent(Some("key"), Some("Bearer mine")).unwrap(), "Bearer mine");
        assert_eq!(sent(Some("key"), None).unwrap(), "Bearer key");
        assert_eq!(sent(None, None), None);
    }
}
