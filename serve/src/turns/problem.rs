//! What is wrong with a provider's response, in words for people.

use axum::http::{StatusCode, header};
use serde_json::Value;

use crate::upstream::ProviderResponse;

/// Maximum number of bytes of a response that are read for its message.
const MAX_READ: usize = 16 << 10;

/// Maximum number of characters of the provider's own message.
const MAX_SHOWN: usize = 300;

/// Describes a response that is not a stream of events, with the provider's own message.
///
/// Reads the beginning of its body.
pub(super) async fn describe(mut response: ProviderResponse, timeout: std::time::Duration) -> String {
    let status = response.status();
    let content_type = response.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let content_type = content_type.unwrap_or_default().to_owned();
    let mut body = Vec::new();
    let read = async {
        while body.len() < MAX_READ
            && let Ok(Some(chunk)) = response.chunk().await
        {
            body.extend_from_slice(&chunk[..chunk.len().min(MAX_READ)]);
        }
    };
    // The part of a slow body that has arrived is shown.
    let _ = tokio::time::timeout(timeout, read).await;
    body.truncate(MAX_READ);
    explain(status, &content_type, &body)
}

/// Explains a response by its status, and adds the message in its body.
fn explain(status: StatusCode, content_type: &str, body: &[u8]) -> String {
    let problem = match status.as_u16() {
        200..300 => "the provider did not answer with a stream of events",
        400 | 422 => "the provider does not understand the request",
        401 | 403 => "the provider does not accept the key",
        402 => "the provider wants to be paid first",
        404 => "the provider does not know this model or path",
        408 | 504 => "the provider took too long",
        413 => "the provider finds the request too large",
        429 => "the provider gets too many requests: try again later",
        500.. => "the provider has a problem of its own: try again later",
        _ => "the provider refused the request",
    };
    let message = message_of(content_type, body);
    let separator = if message.is_empty() { "" } else { ": " };
    format!("{problem} ({}){separator}{message}", status.as_u16())
}

/// Returns the provider's own message, shortened: of JSON its message, of HTML its text.
fn message_of(content_type: &str, body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let json: Option<Value> = serde_json::from_str(&text).ok();
    let message = json.as_ref().and_then(|json| {
        let error = json.get("error").unwrap_or(json);
        error.get("message").or_else(|| json.get("message")).unwrap_or(error).as_str()
    });
    let is_html = content_type.contains("html");
    let text = match message {
        Some(message) => message.to_owned(),
        None if is_html => without_tags(&text),
        None => text.into_owned(),
    };
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Returns the text of HTML, roughly.
fn without_tags(html: &str) -> String {
    html.split('<').map(|piece| piece.split_once('>').map_or(piece, |(_, text)| text)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_explained_with_the_providers_message() {
        let json = "application/json";
        for (status, content_type, body, expected) in [
            (401, json, r#"{"error":{"message":"Bad  key"}}"#, "the provider does not accept the key (401): Bad key"),
            (429, json, r#"{"error":"slow down"}"#, "try again later (429): slow down"),
            (503, json, r#"{"message":"overloaded"}"#, "has a problem of its own: try again later (503): overloaded"),
            (500, "text/html", "<h1>Oops</h1><p>It broke</p>", "(500): Oops It broke"),
            (404, "text/plain", "", "the provider does not know this model or path (404)"),
            (413, "text/plain", "too big", "the request too large (413): too big"),
            (200, json, "[1]", "did not answer with a stream of events (200): [1]"),
            (418, json, "{\"error\":", "the provider refused the request (418): {\"error\":"),
        ] {
            let explained = explain(StatusCode::from_u16(status).unwrap(), content_type, body.as_bytes());
            assert!(explained.ends_with(expected), "{explained}");
        }
        let long = explain(StatusCode::BAD_REQUEST, "text/plain", "ä ".repeat(5000).as_bytes());
        assert!(long.ends_with('…') && long.chars().count() < 400, "{long}");
    }
}
