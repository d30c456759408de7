//! The page: files that are in the program.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hasher};

use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::errors::Failure;

/// A file of the page: its name, and what is in it.
type File = (&'static str, &'static [u8]);

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_bytes!(concat!("../../page/", $name)))),*]
    };
}

/// All of them, each at `/assets/NAME`; the first at `/` as well.
const FILES: &[File] = files![
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

/// Whether the path is of the page.
pub(super) fn is_of_page(path: &str) -> bool {
    path == "/" || path.starts_with("/assets/")
}

pub(super) async fn index(headers: HeaderMap) -> Result<Response, Failure> {
    answer("index.html", &headers)
}

pub(super) async fn asset(name: Result<Path<String>, PathRejection>, headers: HeaderMap) -> Result<Response, Failure> {
    answer(&name?, &headers)
}

fn answer(name: &str, headers: &HeaderMap) -> Result<Response, Failure> {
    let found = FILES.iter().find(|(one, _)| *one == name);
    let file = found.ok_or_else(|| Failure::not_found(format!("the page has no file {name:?}")))?;
    let (kind, body) = (kind(name), content(file));
    let tag = tag(&body);
    let known = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let is_known = known.flat_map(|value| value.split(',')).any(|one| one.trim().trim_start_matches("W/") == tag);
    let tag = HeaderValue::from_str(&tag).map_err(|_| Failure::not_found("the file has no tag"))?;
    // It is asked for each time, and sent only if it has changed.
    let about = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (header::ETAG, tag),
    ];
    Ok(if is_known { (StatusCode::NOT_MODIFIED, about).into_response() } else { (about, body).into_response() })
}

/// What is in it. While the page is worked on, that is what is on the disk: a change is seen when the page is loaded again.
#[cfg(debug_assertions)]
fn content((name, body): &File) -> Cow<'static, [u8]> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("page").join(name);
    std::fs::read(path).map_or(Cow::Borrowed(*body), Cow::Owned)
}

#[cfg(not(debug_assertions))]
fn content((_, body): &File) -> Cow<'static, [u8]> {
    Cow::Borrowed(*body)
}

/// What tells one version of a file from another.
fn tag(body: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    hasher.write(body);
    format!("\"{:016x}\"", hasher.finish())
}

fn kind(name: &str) -> &'static str {
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
    fn every_file_of_the_page_is_in_the_program() {
        let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
        for folder in ["", "vendor/"] {
            for entry in std::fs::read_dir(page.join(folder)).unwrap() {
                let name = format!("{folder}{}", entry.unwrap().file_name().to_str().unwrap());
                let is_served = [".html", ".css", ".js"].iter().any(|end| name.ends_with(end));
                assert_eq!(FILES.iter().any(|(one, _)| *one == name), is_served, "{name}");
            }
        }
    }
}
