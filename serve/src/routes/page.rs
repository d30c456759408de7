//! The page.

use axum::http::HeaderMap;
use axum::response::Response;

use crate::errors::Failure;

/// Whether the path is of the page.
pub(super) fn is_of_page(path: &str) -> bool {
    path == "/" || path.starts_with("/assets/")
}

pub(super) async fn index(headers: HeaderMap) -> Result<Response, Failure> {
    file("index.html", &headers)
}

pub(super) async fn asset(
    axum::extract::Path(name): axum::extract::Path<String>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    file(&name, &headers)
}

// Until the page is there: from the folder in which it is written.
fn file(name: &str, _: &HeaderMap) -> Result<Response, Failure> {
    use axum::response::IntoResponse;
    let missing = || Failure::not_found(format!("the page has no file {name:?}"));
    if name.split('/').any(|part| part.starts_with('.') || part.is_empty()) {
        return Err(missing());
    }
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("page").join(name);
    let body = std::fs::read(path).map_err(|_| missing())?;
    let kind = match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    };
    Ok(([(axum::http::header::CONTENT_TYPE, kind)], body).into_response())
}
