//! `GET /` and `/assets/NAME`: the page, whose files are compiled in.
//!
//! They are bundled from `serve/page` into `serve/page/dist` by `serve/page/tests/bundle.mjs`,
//! which also compresses them with Brotli.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hasher};
use std::io::Write;
use std::sync::LazyLock;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::error::ApiError;

/// A file in `serve/page/dist`: its name, its content.
type PageFile = (&'static str, &'static [u8]);

macro_rules! file {
    ($name:expr) => {
        ($name, include_bytes!(concat!("../../page/dist/", $name)))
    };
}

macro_rules! compressed {
    ($name:literal) => {
        [file!($name), file!(concat!($name, ".br"))]
    };
}

/// All files, each at `/assets/NAME`; the first one also at `/`.
///
/// Each is followed by the same with Brotli.
const FILES: &[[PageFile; 2]] = &[compressed!("index.html"), compressed!("growing.js")];

/// The policy of `index.html`: it allows the scripts and the style inside, by their hashes.
const POLICY: PageFile = file!("policy.txt");

/// A file as it is sent.
struct Asset {
    name: &'static str,
    body: Bytes,
    gzip: Bytes,
    brotli: Bytes,
    etag: String,
    /// The query with which the page names the file, if it names it.
    version: Option<String>,
    policy: Option<HeaderValue>,
}

/// All files, compressed once.
static ASSETS: LazyLock<Vec<Asset>> = LazyLock::new(assets);

/// Returns `true` if the path is one of the page's.
pub(super) fn is_page_path(path: &str) -> bool {
    path == "/" || path.starts_with("/assets/")
}

pub(super) async fn index(headers: HeaderMap) -> Result<Response, ApiError> {
    serve("index.html", None, &headers)
}

pub(super) async fn asset(
    name: Result<Path<String>, PathRejection>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    serve(&name?, query.as_deref(), &headers)
}

fn serve(name: &str, query: Option<&str>, request: &HeaderMap) -> Result<Response, ApiError> {
    let reloaded = reloaded();
    let assets = reloaded.as_ref().unwrap_or(&ASSETS);
    let found = assets.iter().find(|asset| asset.name == name);
    let asset = found.ok_or_else(|| ApiError::not_found(format!("the page has no file {name:?}")))?;
    Ok(respond(asset, query, request))
}

fn respond(asset: &Asset, query: Option<&str>, request: &HeaderMap) -> Response {
    let tag = format!("\"{}\"", asset.etag);
    let cached = request.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let is_cached = cached.flat_map(|value| value.split(',')).any(|one| one.trim().trim_start_matches("W/") == tag);
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type(asset.name)));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache_control(asset, query)));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    // Weak, because the file has it in every coding.
    if let Ok(etag) = HeaderValue::from_str(&format!("W/{tag}")) {
        headers.insert(header::ETAG, etag);
    }
    if let Some(policy) = &asset.policy {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy.clone());
    }
    if is_cached {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    for (coding, body) in [("br", &asset.brotli), ("gzip", &asset.gzip)] {
        if accepts(request, coding) {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding));
            return (headers, body.clone()).into_response();
        }
    }
    (headers, asset.body.clone()).into_response()
}

/// A file that is named with the version of its content needs no revalidation.
///
/// While replicas are updated, one may be asked for a version that only another one has.
fn cache_control(asset: &Asset, query: Option<&str>) -> &'static str {
    if query.is_some() && query == asset.version.as_deref() { "max-age=31536000, immutable" } else { "no-cache" }
}

fn accepts(request: &HeaderMap, wanted: &str) -> bool {
    let values = request.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let mut codings = values.flat_map(|value| value.split(','));
    codings.any(|coding| {
        let (name, quality) = coding.split_once(';').unwrap_or((coding, ""));
        let is_refused = quality.trim().strip_prefix("q=").is_some_and(|q| q.parse() == Ok(0.0));
        name.trim().eq_ignore_ascii_case(wanted) && !is_refused
    })
}

/// Returns the files as they are on disk, in a debug build.
///
/// So a reload of the page shows a change.
fn reloaded() -> Option<Vec<Asset>> {
    cfg!(debug_assertions).then(assets)
}

fn assets() -> Vec<Asset> {
    let index = content(&FILES[0][0]);
    let index = String::from_utf8_lossy(&index);
    FILES.iter().map(|files| prepare(files, version_in(&index, files[0].0))).collect()
}

/// Returns the query with which the page names a file.
fn version_in(index: &str, name: &str) -> Option<String> {
    let (_, rest) = index.split_once(&format!("/assets/{name}?"))?;
    rest.split_once('"').map(|(query, _)| query.to_owned())
}

fn prepare([file, brotli]: &[PageFile; 2], version: Option<String>) -> Asset {
    let body = content(file).into_owned();
    let mut hasher = DefaultHasher::new();
    hasher.write(&body);
    let etag = format!("{:016x}", hasher.finish());
    let policy = (file.0 == "index.html").then(policy).flatten();
    let brotli = content(brotli).into_owned().into();
    Asset { name: file.0, gzip: gzip(&body).into(), brotli, body: body.into(), etag, version, policy }
}

fn policy() -> Option<HeaderValue> {
    HeaderValue::from_bytes(content(&POLICY).trim_ascii()).ok()
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Writing to memory does not fail.
    let written = encoder.write_all(body).and_then(|()| encoder.finish());
    written.unwrap_or_default()
}

/// Returns the file's content, in a debug build from disk.
fn content((name, body): &PageFile) -> Cow<'static, [u8]> {
    if !cfg!(debug_assertions) {
        return Cow::Borrowed(*body);
    }
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("page/dist").join(name);
    std::fs::read(path).map_or(Cow::Borrowed(*body), Cow::Owned)
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

    fn request(name: &'static str, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(header::HeaderName::from_static(name), HeaderValue::from_static(value))])
    }

    fn index() -> &'static Asset {
        ASSETS.iter().find(|asset| asset.name == "index.html").unwrap()
    }

    #[test]
    fn every_bundled_file_is_compiled_in() {
        let dist = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("page/dist");
        for entry in std::fs::read_dir(dist).unwrap() {
            let name = entry.unwrap().file_name();
            let mut files = FILES.as_flattened().iter().chain([&POLICY]);
            assert!(files.any(|(file, _)| *file == name.to_str().unwrap()), "{name:?}");
        }
    }

    #[test]
    fn files_are_compressed_for_clients_that_accept_it() {
        let cases = [
            ("gzip", Some("gzip")),
            ("gzip, deflate, BR", Some("br")),
            ("br;q=0, GZIP;q=0.5", Some("gzip")),
            ("gzip;q=0", None),
            ("zstd", None),
        ];
        for (accepted, coding) in cases {
            let response = respond(index(), None, &request("accept-encoding", accepted));
            let header = response.headers().get(header::CONTENT_ENCODING);
            assert_eq!(header.map(HeaderValue::as_bytes), coding.map(str::as_bytes), "{accepted}");
        }
        assert!(index().gzip.len() * 2 < index().body.len());
        assert!(index().brotli.len() < index().gzip.len());
    }

    #[test]
    fn codings_of_a_file_do_not_share_a_strong_tag() {
        let tag = |coding| respond(index(), None, &request("accept-encoding", coding)).headers()[header::ETAG].clone();
        for (one, other) in [("gzip", "br"), ("gzip", "identity"), ("br", "identity")] {
            let is_weak = tag(one).as_bytes().starts_with(b"W/");
            assert!(is_weak || tag(one) != tag(other), "{one} {other}");
        }
    }

    #[test]
    fn a_file_that_is_cached_is_not_sent_again() {
        let tag = respond(index(), None, &HeaderMap::new()).headers()[header::ETAG].clone();
        let tag = tag.to_str().unwrap();
        let status = |tags: &str| {
            let tags = HeaderValue::from_str(tags).unwrap();
            respond(index(), None, &HeaderMap::from_iter([(header::IF_NONE_MATCH, tags)])).status()
        };
        for tags in [tag, tag.trim_start_matches("W/"), &format!("\"other\", {tag}")] {
            assert_eq!(status(tags), StatusCode::NOT_MODIFIED, "{tags}");
        }
        assert_eq!(status("\"other\""), StatusCode::OK);
    }

    #[test]
    fn a_file_with_its_version_is_cached_for_ever_and_others_are_revalidated() {
        let growing = ASSETS.iter().find(|asset| asset.name == "growing.js").unwrap();
        let cache = |query| respond(growing, query, &HeaderMap::new()).headers()[header::CACHE_CONTROL].clone();
        let version = growing.version.as_deref().unwrap();
        assert!(version.starts_with("v=") && version.len() == 18, "{version}");
        assert_eq!(cache(Some(version)), "max-age=31536000, immutable");
        for other in [None, Some("v=0123456789abcdef"), Some("")] {
            assert_eq!(cache(other), "no-cache", "{other:?}");
        }
    }

    #[test]
    fn the_policy_of_the_page_names_its_scripts_by_their_hashes() {
        let policy = respond(index(), None, &HeaderMap::new()).headers()[header::CONTENT_SECURITY_POLICY].clone();
        let policy = policy.to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self' 'sha256-"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
    }
}
