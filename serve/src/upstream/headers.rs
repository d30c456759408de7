//! Which headers go from the caller to the provider, and back.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::settings::Secret;

/// Prefix of the headers that are between the caller and the service.
const OWN_PREFIX: &str = "x-followup-";

/// Carries the key in Anthropic's format, in which every request has a version.
const API_KEY: HeaderName = HeaderName::from_static("x-api-key");
const ANTHROPIC_VERSION: HeaderName = HeaderName::from_static("anthropic-version");

/// The key for the provider, as headers carry it.
pub(super) struct Key {
    bearer: HeaderValue,
    plain: HeaderValue,
}

impl Key {
    /// # Errors
    ///
    /// If a header can't carry the key.
    pub(super) fn new(key: &Secret) -> Result<Key, String> {
        let sensitive = |text: &str| {
            let mut value = HeaderValue::from_str(text)
                .map_err(|_| "--upstream-key has a character that a header can't have".to_owned())?;
            value.set_sensitive(true);
            Ok::<_, String>(value)
        };
        Ok(Key { bearer: sensitive(&format!("Bearer {}", key.expose()))?, plain: sensitive(key.expose())? })
    }
}

/// Turns the headers of a caller into those that the provider gets.
pub(super) struct HeaderFilter {
    /// For requests that bring no key.
    key: Option<Key>,
    /// The service's token, which the provider must never get.
    token: Option<Secret>,
}

impl HeaderFilter {
    pub(super) fn new(key: Option<Key>, token: Option<Secret>) -> HeaderFilter {
        HeaderFilter { key, token }
    }

    pub(super) fn for_provider(&self, from: &HeaderMap) -> HeaderMap {
        let mut headers = end_to_end(from);
        for name in [header::HOST, header::CONTENT_LENGTH, header::EXPECT] {
            headers.remove(name);
        }
        let own: Vec<HeaderName> =
            headers.keys().filter(|name| name.as_str().starts_with(OWN_PREFIX)).cloned().collect();
        for name in own {
            headers.remove(name);
        }
        if let Some(token) = &self.token {
            let bearer =
                |value: &[u8]| value.split_at_checked("Bearer ".len()).is_some_and(|(_, bearer)| token.matches(bearer));
            remove_values(&mut headers, &header::AUTHORIZATION, bearer);
            remove_values(&mut headers, &API_KEY, |key| token.matches(key));
        }
        if let Some(key) = &self.key
            && !headers.contains_key(header::AUTHORIZATION)
            && !headers.contains_key(API_KEY)
        {
            if headers.contains_key(ANTHROPIC_VERSION) {
                headers.insert(API_KEY, key.plain.clone());
            } else {
                headers.insert(header::AUTHORIZATION, key.bearer.clone());
            }
        }
        headers
    }
}

/// Removes the values of a header that match.
fn remove_values(headers: &mut HeaderMap, name: &HeaderName, matches: impl Fn(&[u8]) -> bool) {
    let kept: Vec<_> = headers.get_all(name).iter().filter(|value| !matches(value.as_bytes())).cloned().collect();
    headers.remove(name);
    for value in kept {
        headers.append(name, value);
    }
}

/// Returns the headers without those that concern a single connection (RFC 9110, section 7.6.1).
///
/// With a transfer coding, the length counts for nothing, and must not be forwarded (RFC 9112,
/// section 6.3).
pub(crate) fn end_to_end(from: &HeaderMap) -> HeaderMap {
    let mut headers = from.clone();
    let named: Vec<HeaderName> = from
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    if from.contains_key(header::TRANSFER_ENCODING) {
        headers.remove(header::CONTENT_LENGTH);
    }
    let hop_by_hop = [
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
    for name in hop_by_hop.into_iter().chain(named) {
        headers.remove(name);
    }
    headers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(of: &[(&'static str, &'static str)]) -> HeaderMap {
        of.iter().map(|&(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn connection_headers_and_own_headers_are_removed() {
        let filter = HeaderFilter::new(None, None);
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
        let expected = headers(&[("accept-encoding", "gzip"), ("authorization", "Bearer key"), ("x-other", "1")]);
        assert_eq!(filter.for_provider(&from), expected);
    }

    #[test]
    fn a_length_counts_only_if_the_body_is_not_encoded_for_its_transfer() {
        let both = headers(&[("content-length", "5"), ("transfer-encoding", "chunked"), ("x-other", "1")]);
        assert_eq!(end_to_end(&both), headers(&[("x-other", "1")]));
        let sized = headers(&[("content-length", "5")]);
        assert_eq!(end_to_end(&sized), sized);
    }

    #[test]
    fn the_provider_never_gets_the_services_token() {
        let sent = |key: Option<&'static str>, authorization: Option<&'static str>| {
            let key = key.map(|key| Key::new(&Secret::new(key)).unwrap());
            let filter = HeaderFilter::new(key, Some(Secret::new("ours")));
            let from: Vec<_> = authorization.into_iter().map(|value| ("authorization", value)).collect();
            filter.for_provider(&headers(&from)).get("authorization").cloned()
        };
        assert_eq!(sent(None, Some("Bearer ours")), None);
        assert_eq!(sent(None, Some("bearer ours")), None);
        assert_eq!(sent(Some("key"), Some("Bearer ours")).unwrap(), "Bearer key");
        assert_eq!(sent(Some("key"), Some("Bearer mine")).unwrap(), "Bearer mine");
        assert_eq!(sent(Some("key"), None).unwrap(), "Bearer key");
        assert_eq!(sent(None, None), None);
    }

    #[test]
    fn of_several_values_only_the_services_token_is_removed() {
        let filter = HeaderFilter::new(None, Some(Secret::new("ours")));
        for name in ["authorization", "x-api-key"] {
            let prefix = if name == "authorization" { "Bearer " } else { "" };
            let value = |text: &str| HeaderValue::from_str(&format!("{prefix}{text}")).unwrap();
            let mut from = HeaderMap::new();
            for text in ["mine", "ours", "other", "ours"] {
                from.append(name, value(text));
            }
            let sent = filter.for_provider(&from);
            let sent: Vec<_> = sent.get_all(name).iter().cloned().collect();
            assert_eq!(sent, [value("mine"), value("other")]);
        }
    }

    #[test]
    fn in_the_format_of_anthropic_the_key_has_a_header_of_its_own() {
        let filter = HeaderFilter::new(Some(Key::new(&Secret::new("key")).unwrap()), Some(Secret::new("ours")));
        let keys = |own: &[(&'static str, &'static str)]| {
            let sent = filter.for_provider(&headers(&[&[("anthropic-version", "2023-06-01")], own].concat()));
            ["x-api-key", "authorization"].map(|name| sent.get(name).map(|value| value.to_str().unwrap().to_owned()))
        };
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(keys(&[]), [text("key"), None]);
        assert_eq!(keys(&[("x-api-key", "ours")]), [text("key"), None], "the service's token");
        assert_eq!(keys(&[("x-api-key", "mine")]), [text("mine"), None]);
        assert_eq!(keys(&[("authorization", "Bearer mine")]), [None, text("Bearer mine")]);
    }
}
