//! Access control: the token, and the `Host` and `Origin` of a request.

use axum::http::{HeaderMap, HeaderValue, header};

use crate::error::ApiError;
use crate::settings::{Secret, Settings};

/// Carries the token where `authorization` is meant for the provider.
const TOKEN_HEADER: &str = "x-followup-token";

/// What a browser says of the site whose page sends a request.
const SITE_HEADER: &str = "sec-fetch-site";

/// Checks that a request may be served. A public path needs no token.
///
/// # Errors
///
/// `forbidden` for a foreign `Host` or `Origin`; `unauthorized` without the token.
pub(crate) fn check(settings: &Settings, headers: &HeaderMap, is_public: bool) -> Result<(), ApiError> {
    let host = host(headers)?;
    check_origin(headers, host)?;
    match &settings.token {
        // DNS rebinding: another site can point its name at this machine, and its pages then have
        // the same origin. The `Host` header still holds that name.
        None if !host.is_some_and(is_loopback) => Err(ApiError::forbidden(
            "without a token this service answers only to localhost: use http://localhost or http://127.0.0.1, or start it with --token",
        )),
        Some(token) if !is_public && !carries(headers, token) => Err(ApiError::unauthorized()),
        _ => Ok(()),
    }
}

/// Checks that no page of another site sends a request.
///
/// A browser sends no `Origin` with the request of an image, a script or a link, but says from
/// where it is.
///
/// # Errors
///
/// `forbidden` for the request of such a page.
pub(crate) fn check_site(headers: &HeaderMap) -> Result<(), ApiError> {
    let is_own = |site: &HeaderValue| matches!(site.as_bytes(), b"none" | b"same-origin");
    if headers.get_all(SITE_HEADER).iter().all(is_own) { Ok(()) } else { Err(other_origin()) }
}

fn other_origin() -> ApiError {
    ApiError::forbidden("the page that sent this has another origin than the service")
}

fn host(headers: &HeaderMap) -> Result<Option<&str>, ApiError> {
    let mut all = headers.get_all(header::HOST).iter();
    let (first, second) = (all.next(), all.next());
    if second.is_some() {
        return Err(ApiError::forbidden("there is more than one Host header"));
    }
    Ok(first.and_then(|value| value.to_str().ok()))
}

/// Rejects pages of another origin, even if they know the token.
fn check_origin(headers: &HeaderMap, host: Option<&str>) -> Result<(), ApiError> {
    for origin in headers.get_all(header::ORIGIN) {
        let authority = origin.to_str().ok().and_then(|origin| origin.split_once("://")).map(|(_, rest)| rest);
        let is_same = authority.zip(host).is_some_and(|(authority, host)| authority.eq_ignore_ascii_case(host));
        if !is_same {
            return Err(other_origin());
        }
    }
    Ok(())
}

/// Returns `true` if the name in a `Host` header refers to this machine.
fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split_once(']').filter(|(_, port)| is_port(port)).map(|(name, _)| name),
        None => Some(host.split_once(':').map_or(host, |(name, _)| name)).filter(|name| is_port(&host[name.len()..])),
    };
    let Some(name) = name else { return false };
    if host.starts_with('[') {
        return name.parse::<std::net::Ipv6Addr>().is_ok_and(|ip| ip.is_loopback());
    }
    name.eq_ignore_ascii_case("localhost") || name.parse::<std::net::Ipv4Addr>().is_ok_and(|ip| ip.is_loopback())
}

/// Returns `true` if the text is empty or a colon with a port.
fn is_port(text: &str) -> bool {
    text.is_empty() || text.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok())
}

/// Returns `true` if one of the two headers carries the token.
fn carries(headers: &HeaderMap, token: &Secret) -> bool {
    let in_own_header = headers.get_all(TOKEN_HEADER).iter().any(|value| token.matches(value.as_bytes()));
    let bearer = |value: &[u8]| {
        let (scheme, rest) = value.split_at_checked("Bearer ".len())?;
        scheme.eq_ignore_ascii_case(b"Bearer ").then_some(token.matches(rest))
    };
    in_own_header | headers.get_all(header::AUTHORIZATION).iter().any(|value| bearer(value.as_bytes()) == Some(true))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderName;

    use super::*;

    fn code(token: Option<&str>, headers: &[(&'static str, &str)]) -> &'static str {
        let settings = Settings { token: token.map(Secret::new), ..Settings::default() };
        let headers = headers
            .iter()
            .map(|&(name, value)| (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap()))
            .fold(HeaderMap::new(), |mut all, (name, value)| {
                all.append(name, value);
                all
            });
        check(&settings, &headers, false).err().map_or("", |error| error.code())
    }

    #[test]
    fn without_a_token_only_names_of_this_machine_are_served() {
        for host in ["localhost", "LOCALHOST:80", "127.0.0.1:4127", "127.8.8.8", "[::1]", "[::1]:4127"] {
            assert_eq!(code(None, &[("host", host)]), "", "{host}");
        }
        for host in [
            "example.com",
            "localhost.example.com",
            "127.0.0.1.example.com",
            "localhost:80:80",
            "localhost:",
            "127.1",
            "[::1",
            "[::1]x",
            "::1",
            "[127.0.0.1]",
            "[localhost]",
            "192.168.0.1",
            "0.0.0.0",
            "",
            "localhost@example.com",
        ] {
            assert_eq!(code(None, &[("host", host)]), "forbidden", "{host}");
        }
        assert_eq!(code(None, &[]), "forbidden", "no host");
        assert_eq!(code(None, &[("host", "localhost"), ("host", "localhost")]), "forbidden");
    }

    #[test]
    fn a_page_of_another_origin_is_forbidden() {
        for token in [None, Some("t")] {
            let with = |origin| code(token, &[("host", "localhost:1"), ("x-followup-token", "t"), ("origin", origin)]);
            assert_eq!(with("http://localhost:1"), "");
            for origin in ["http://localhost", "http://localhost:2", "http://evil.example", "null", "", "localhost:1"] {
                assert_eq!(with(origin), "forbidden", "{origin}");
            }
        }
    }

    #[test]
    fn either_header_may_carry_the_token() {
        let with = |name, value: &str| code(Some("t0ken"), &[("host", "example.com"), (name, value)]);
        assert_eq!(with("authorization", "Bearer t0ken"), "");
        assert_eq!(with("authorization", "bearer t0ken"), "");
        assert_eq!(with("x-followup-token", "t0ken"), "");
        for (name, value) in [
            ("authorization", "t0ken"),
            ("authorization", "Basic t0ken"),
            ("authorization", "Bearer t0ke"),
            ("authorization", "Bearer t0kenn"),
            ("authorization", "Bearer "),
            ("authorization", ""),
            ("x-followup-token", "Bearer t0ken"),
            ("x-followup-token", ""),
            ("cookie", "t0ken"),
        ] {
            assert_eq!(with(name, value), "unauthorized", "{name} {value}");
        }
        let both = [("host", "h"), ("authorization", "Bearer other"), ("x-followup-token", "t0ken")];
        assert_eq!(code(Some("t0ken"), &both), "");
    }
}
