//! The base URL of a provider, to which the paths of callers are appended.

use axum::http::Uri;
use axum::http::uri::{Authority, PathAndQuery, Scheme};

use crate::error::ApiError;

/// The base URL of a provider.
#[derive(Debug)]
pub(super) struct BaseUrl {
    uri: Uri,
    scheme: Scheme,
    authority: Authority,
}

impl BaseUrl {
    /// # Errors
    ///
    /// If it is no URL that requests can be sent to. The error says what is wrong.
    pub(super) fn parse(base: &str) -> Result<BaseUrl, String> {
        let uri: Uri = base.parse().map_err(|error| format!("{error}"))?;
        let parts = uri.clone().into_parts();
        let (Some(scheme), Some(authority)) = (parts.scheme, parts.authority) else {
            return Err("it is not an http or https URL".into());
        };
        if !matches!(scheme.as_str(), "http" | "https") || authority.host().is_empty() {
            return Err("it is not an http or https URL".into());
        }
        if authority.as_str().contains('@') {
            return Err("it holds a user name: give the key with --upstream-key instead".into());
        }
        Ok(BaseUrl { uri, scheme, authority })
    }

    pub(super) fn uri(&self) -> &Uri {
        &self.uri
    }

    /// Appends a path, which begins with a slash, and a query.
    ///
    /// # Errors
    ///
    /// If the path would leave the base URL.
    pub(super) fn join(&self, path: &str, query: Option<&str>) -> Result<Uri, ApiError> {
        if has_dots(path) {
            return Err(ApiError::bad_request("a path to the provider can't have the segments . and .."));
        }
        let mut joined = self.uri.path().trim_end_matches('/').to_owned();
        joined.push_str(path);
        let queries = [self.uri.query(), query];
        for (index, query) in queries.into_iter().flatten().filter(|query| !query.is_empty()).enumerate() {
            joined.push(if index == 0 { '?' } else { '&' });
            joined.push_str(query);
        }
        let unreadable =
            |error: &dyn std::fmt::Display| ApiError::bad_request(format!("the path can't be read: {error}"));
        let path: PathAndQuery = joined.parse().map_err(|error| unreadable(&error))?;
        let uri = Uri::builder().scheme(self.scheme.clone()).authority(self.authority.clone()).path_and_query(path);
        uri.build().map_err(|error| unreadable(&error))
    }
}

/// Returns `true` if a path has segments that a server may resolve: `.` and `..`.
///
/// Servers decode dots and slashes before they do, take a backslash for a slash, or leave out what
/// comes after a semicolon.
fn has_dots(path: &str) -> bool {
    let path = path.to_ascii_lowercase().replace("%2e", ".").replace("%2f", "/").replace("%5c", "\\");
    path.split(['/', '\\']).any(|segment| matches!(segment.split(';').next(), Some("." | "..")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_queries_are_appended_to_the_base_url() {
        for (base, path, query, uri) in [
            ("http://h:1/v1", "/chat/completions", None, "http://h:1/v1/chat/completions"),
            ("http://h", "/models", None, "http://h/models"),
            ("https://h/a/b/?key=1", "/models", None, "https://h/a/b/models?key=1"),
            ("https://h/a?key=1", "/models", Some("limit=2"), "https://h/a/models?key=1&limit=2"),
            ("http://[::1]:8080/v1/", "/files/a%2Fb/", Some("x=%20"), "http://[::1]:8080/v1/files/a%2Fb/?x=%20"),
        ] {
            assert_eq!(BaseUrl::parse(base).unwrap().join(path, query).unwrap().to_string(), uri);
        }
        for bad in ["", "h/v1", "/v1", "h", "ftp://h", "data:x", "http://", "https://user:key@h/v1", "http://h h"] {
            assert!(BaseUrl::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_path_cannot_leave_the_base_url() {
        let base = BaseUrl::parse("http://h/v1").unwrap();
        for bad in ["/..", "/../admin", "/a/%2e%2E/b", "/.", "/.%2e", "/..;a=b/admin"] {
            assert!(base.join(bad, None).is_err(), "{bad}");
        }
        // A server may decode a slash before it resolves dots, or take a backslash for one.
        for bad in
            ["/..%2fadmin", "/..%2Fadmin", "/a%2F..%2F..", "/a%2f%2E%2e", "/..%5Cadmin", "/..%5cadmin", "/..\\admin"]
        {
            assert!(base.join(bad, None).is_err(), "{bad}");
        }
        for good in ["/a..b/...", "/a%2F..b%5C...", "/..a%2Fb..", "/a;..", "/%"] {
            assert!(base.join(good, None).is_ok(), "{good}");
        }
    }
}
