//! `GET /info`: what this service does.

use std::sync::Arc;

use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use serde_json::json;

use super::body::json_response;
use crate::app_state::AppState;

pub(super) async fn info(State(state): State<Arc<AppState>>) -> Response {
    let settings = &state.settings;
    let info = json!({
        "service": state.service_id,
        "upstream": settings.upstream.as_deref().and_then(without_credentials),
        "continue": settings.auto_continue,
        "demo": settings.demo.is_some(),
    });
    json_response(info.to_string())
}

/// Returns a URL without what may be secret: the user, and the query.
fn without_credentials(url: &str) -> Option<String> {
    let uri: Uri = url.parse().ok()?;
    let port = uri.port().map_or(String::new(), |port| format!(":{port}"));
    Some(format!("{}://{}{port}{}", uri.scheme_str()?, uri.host()?, uri.path()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_shown_without_its_user_and_query() {
        for (url, shown) in [
            ("https://api.example.com/v1", "https://api.example.com/v1"),
            ("http://user:secret@h:8080/v1?key=secret", "http://h:8080/v1"),
            ("http://[::1]:1/", "http://[::1]:1/"),
        ] {
            assert_eq!(without_credentials(url).as_deref(), Some(shown));
        }
    }
}
