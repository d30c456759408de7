//! `GET /` and `/assets/NAME`: the page, whose files are compiled in.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hasher};

use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::error::ApiError;

/// A file of the page: its name and its content.
type PageFile = (&'static str, &'static [u8]);

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_bytes!(concat!("../../page/", $name)))),*]
    };
}

/// All files, each at `/assets/NAME`; the first one also at `/`.
const FILES: &[PageFile] = files![
    "index.html",
    "style.css",
    "announce.js",
    "answer.js",
    "api.js",
    "call.js",
    "countdown.js",
    "demo.js",
    "dom.js",
    "growing.js",
    "images.js",
    "keys.js",
    "list.js",
    "main.js",
    "markdown.js",
    "scroll.js",
    "session.js",
    "settings.js",
    "settle.js",
    "store.js",
    "stream.js",
    "view.js",
    "visible.js",
    "vendor/markdown-it.min.js",
];

/// Returns `true` if the path is one of the page's.
pub(super) fn is_page_path(path: &str) -> bool {
    path == "/" || path.starts_with("/assets/")
}

pub(super) async fn index(headers: HeaderMap) -> Result<Response, ApiError> {
    serve("index.html", &headers)
}

pub(super) async fn asset(name: Result<Path<String>, PathRejection>, headers: HeaderMap) -> Result<Response, ApiError> {
    serve(&name?, &headers)
}

fn serve(name: &str, request: &HeaderMap) -> Result<Response, ApiError> {
    let found = FILES.iter().find(|(file, _)| *file == name);
    let file = found.ok_or_else(|| ApiError::not_found(format!("the page has no file {name:?}")))?;
    let (content_type, body) = (content_type(name), content(file));
    let etag = etag(&body);
    let cached = request.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let is_cached = cached.flat_map(|value| value.split(',')).any(|tag| tag.trim().trim_start_matches("W/") == etag);
    let etag = HeaderValue::from_str(&etag).map_err(|_| ApiError::not_found("the file has no ETag"))?;
    // `no-cache` makes the browser revalidate each time; the file is sent only if it has changed.
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(content_type)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (header::ETAG, etag),
    ];
    Ok(if is_cached { (StatusCode::NOT_MODIFIED, headers).into_response() } else { (headers, body).into_response() })
}

/// Returns the file's content.
///
/// A debug build reads it from disk, so that a reload of the page shows a change.
#[cfg(debug_assertions)]
fn content((name, body): &PageFile) -> Cow<'static, [u8]> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("page").join(name);
    std::fs::read(path).map_or(Cow::Borrowed(*body), Cow::Owned)
}

#[cfg(not(debug_assertions))]
fn content((_, body): &PageFile) -> Cow<'static, [u8]> {
    Cow::Borrowed(*body)
}

/// Returns the ETag of a content.
fn etag(body: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    hasher.write(body);
    format!("\"{:016x}\"", hasher.finish())
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_page_is_compiled_in() {
        let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
        for folder in ["", "vendor/"] {
            for entry in std::fs::read_dir(page.join(folder)).unwrap() {
                let name = format!("{folder}{}", entry.unwrap().file_name().to_str().unwrap());
                let is_served = [".html", ".css", ".js"].iter().any(|end| name.ends_with(end));
                assert_eq!(FILES.iter().any(|(file, _)| *file == name), is_served, "{name}");
            }
        }
    }
}
