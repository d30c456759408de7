//! Images to send with an answer, loaded from files whose paths may be quoted, escaped or URLs.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use followup::dialogue::{IMAGE_LIMIT, Image, ImageError};

use crate::error::Error;

/// An image to send with an answer.
#[derive(Clone, Debug)]
pub(super) struct AttachedImage {
    /// The name, type and size, for people.
    pub(super) label: String,
    pub(super) image: Image,
}

/// Loads the image at this path.
pub(super) fn load(path: &Path) -> Result<AttachedImage, Error> {
    // Opening a pipe would block until it has a writer.
    let is_file = std::fs::metadata(path).map_err(|error| Error::reading(path, &error))?.is_file();
    if !is_file {
        return Err(Error::Unreadable(format!("can't send {}: it is not a regular file", path.display())));
    }
    let bytes = read(path).map_err(|error| Error::reading(path, &error))?;
    // A file that is too large was read only up to the limit plus one byte.
    let image = Image::from_bytes(&bytes, IMAGE_LIMIT).map_err(|error| {
        let reason = match error {
            ImageError::TooLarge { .. } => {
                format!("it is too large: an image may have {} MB", (IMAGE_LIMIT / 4 * 3) >> 20)
            }
            error => error.to_string(),
        };
        Error::Unreadable(format!("can't send {}: {reason}", path.display()))
    })?;
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let kind = image.media_type().trim_start_matches("image/").to_ascii_uppercase();
    let size = match bytes.len() {
        few @ ..1024 => format!("{few} bytes"),
        some @ ..0x10_0000 => format!("{} KB", some / 1024),
        many => format!("{} MB", many >> 20),
    };
    Ok(AttachedImage { label: format!("{name} ({kind}, {size})"), image })
}

fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(IMAGE_LIMIT as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Loads the image whose path was typed, pasted, or dropped onto the terminal.
pub(super) fn load_typed(text: &str) -> Result<AttachedImage, Error> {
    let text = text.trim();
    let exact = PathBuf::from(text);
    if exact.exists() {
        return load(&exact);
    }
    let path = parse_path(text, std::env::home_dir().as_deref());
    load(if path.exists() { &path } else { &exact })
}

/// Parses a typed path.
///
/// Terminals insert a dropped file quoted for a shell, or as a URL; people write `~`.
fn parse_path(text: &str, home: Option<&Path>) -> PathBuf {
    let unquoted = ['\'', '"'].iter().find_map(|&quote| text.strip_prefix(quote)?.strip_suffix(quote));
    let path = match (unquoted, text.strip_prefix("file://")) {
        (Some(unquoted), _) => unquoted.to_owned(),
        (None, Some(url)) => percent_decoded(url),
        (None, None) => unescaped(text),
    };
    match (path.strip_prefix("~/"), home) {
        (Some(below), Some(home)) => home.join(below),
        _ => PathBuf::from(path),
    }
}

/// Removes the backslashes that a shell would remove.
fn unescaped(text: &str) -> String {
    let mut chars = text.chars();
    std::iter::from_fn(|| match chars.next() {
        Some('\\') => chars.next().or(Some('\\')),
        char => char,
    })
    .collect()
}

fn percent_decoded(url: &str) -> String {
    let mut bytes = Vec::with_capacity(url.len());
    let mut rest = url.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let decoded = (first == b'%')
            .then(|| std::str::from_utf8(after.get(..2)?).ok().and_then(|hex| u8::from_str_radix(hex, 16).ok()))
            .flatten();
        bytes.push(decoded.unwrap_or(first));
        rest = if decoded.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_may_be_quoted_escaped_or_urls() {
        for (text, path) in [
            ("/tmp/a.png", "/tmp/a.png"),
            ("'/tmp/a b.png'", "/tmp/a b.png"),
            ("\"/tmp/a b.png\"", "/tmp/a b.png"),
            ("/tmp/a\\ b\\(1\\).png", "/tmp/a b(1).png"),
            ("file:///tmp/a%20b%C3%A9.png", "/tmp/a bé.png"),
            ("file:///tmp/100%", "/tmp/100%"),
            ("~/a.png", "/home/me/a.png"),
            ("~a.png", "~a.png"),
            ("'", "'"),
            ("\\", "\\"),
            ("", ""),
        ] {
            assert_eq!(parse_path(text, Some(Path::new("/home/me"))), Path::new(path), "{text}");
        }
    }

    #[test]
    fn a_file_with_the_exact_name_comes_first() {
        let folder = tempfile::tempdir().unwrap();
        let odd = folder.path().join("a\\ b.gif");
        std::fs::write(&odd, b"GIF89a").unwrap();
        assert_eq!(load_typed(&format!(" {} \n", odd.display())).unwrap().label, "a\\ b.gif (GIF, 6 bytes)");
        let missing = folder.path().join("none.png").display().to_string();
        let error = load_typed(&missing).unwrap_err().to_string();
        assert!(error.contains("there is no such file") && error.contains(&missing), "{error}");
    }

    #[test]
    fn only_regular_files_are_opened() {
        for path in [Path::new("/dev/zero"), &std::env::temp_dir()] {
            if path.exists() {
                let error = load(path).unwrap_err().to_string();
                assert!(error.contains("it is not a regular file"), "{error}");
            }
        }
    }
}
