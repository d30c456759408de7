//! Images to send with an answer, loaded from files whose paths may be quoted, escaped or URLs.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use followup::dialogue::{IMAGE_LIMIT, Image, ImageError};

use crate::error::Error;
use crate::sanitize::is_control;

/// An image to send with an answer.
#[derive(Clone, Debug)]
pub(super) struct AttachedImage {
    /// The name, type and size, for people.
    pub(super) label: String,
    pub(super) image: Image,
}

/// What the screen does with files.
#[derive(Clone, Copy, Debug)]
pub(super) struct ImageFiles {
    /// Loads the image whose path was typed.
    pub(super) load: fn(&str) -> Result<AttachedImage, Error>,
    /// Completes a path that is being typed.
    pub(super) complete: fn(&str) -> Completion,
}

/// The files of the system.
pub(super) const FILES: ImageFiles = ImageFiles { load: load_typed, complete };

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
    let unquoted = |quote| text.strip_prefix(quote)?.strip_suffix(quote);
    // In single quotes, a shell has a single quote as the end, an escaped one, and the beginning.
    let unquoted = unquoted('\'').map(|path| path.replace("'\\''", "'")).or_else(|| unquoted('"').map(str::to_owned));
    let path = match (unquoted, text.strip_prefix("file://")) {
        (Some(unquoted), _) => unquoted,
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

/// The completion of a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Completion {
    /// The path, as far as it is certain.
    pub(super) path: String,
    /// The names that could follow; empty if there is only one.
    pub(super) names: Vec<String>,
    pub(super) is_found: bool,
}

/// How many names a notice lists.
const MAX_NAMES: usize = 8;

impl Completion {
    /// Describes what can't be completed.
    pub(super) fn notice(&self) -> Option<String> {
        if !self.is_found {
            return Some("No folder and no image begins like that.".into());
        }
        let more = if self.names.len() > MAX_NAMES { "  …" } else { "" };
        let names = self.names.iter().take(MAX_NAMES).map(String::as_str).collect::<Vec<_>>().join("  ");
        (!names.is_empty()).then(|| names + more)
    }
}

/// Completes a path to a folder or an image.
fn complete(text: &str) -> Completion {
    let begin = text.rfind(std::path::is_separator).map_or(0, |end| end + 1);
    let (folder, start) = text.split_at(begin);
    let path = if folder.is_empty() { PathBuf::from(".") } else { parse_path(folder, std::env::home_dir().as_deref()) };
    let mut names = names_in(&path, start);
    names.sort();
    let Some(first) = names.first() else { return Completion { path: text.to_owned(), ..Completion::default() } };
    let common = names.iter().fold(first.len(), |len, name| common_len(&first[..len], name));
    let path = format!("{folder}{}", &first[..common]);
    if names.len() == 1 {
        names.clear();
    }
    Completion { path, names, is_found: true }
}

/// How many files of a folder are looked at.
const MAX_FILES: usize = 10_000;

/// Returns the names of the folders and images in a folder that begin like this.
fn names_in(folder: &Path, start: &str) -> Vec<String> {
    let Ok(files) = std::fs::read_dir(folder) else { return Vec::new() };
    let name = |file: std::fs::DirEntry| {
        let name = file.file_name().into_string().ok()?;
        let is_hidden = name.starts_with('.') && !start.starts_with('.');
        if !name.starts_with(start) || is_hidden || name.contains(is_control) {
            return None;
        }
        // A link to a folder is one, too.
        let is_folder = std::fs::metadata(file.path()).is_ok_and(|file| file.is_dir());
        let extension = Path::new(&name).extension().map(|extension| extension.to_ascii_lowercase());
        let is_image = extension.is_some_and(|extension| EXTENSIONS.iter().any(|image| extension == *image));
        match (is_folder, is_image) {
            (true, _) => Some(name + "/"),
            (false, true) => Some(name),
            (false, false) => None,
        }
    };
    files.take(MAX_FILES).filter_map(|file| name(file.ok()?)).collect()
}

/// The extensions of images.
const EXTENSIONS: [&str; 5] = ["png", "jpg", "jpeg", "gif", "webp"];

/// Returns the length in bytes of what both texts begin with.
fn common_len(one: &str, other: &str) -> usize {
    let pairs = one.char_indices().zip(other.chars());
    pairs.take_while(|((_, one), other)| one == other).map(|((at, char), _)| at + char.len_utf8()).last().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_may_be_quoted_escaped_or_urls() {
        for (text, path) in [
            ("/tmp/a.png", "/tmp/a.png"),
            ("'/tmp/a b.png'", "/tmp/a b.png"),
            ("'/tmp/it'\\''s.png'", "/tmp/it's.png"),
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
    fn a_path_is_completed_as_far_as_it_is_certain() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["sketch one.png", "sketch öne.JPG", "sketch.txt", "other.webp", ".hidden.gif"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        std::fs::create_dir(folder.path().join("pictures")).unwrap();
        let typed = |text: &str| format!("{}/{text}", folder.path().display());
        for (text, path, notice) in [
            ("sk", "sketch ", Some("sketch one.png  sketch öne.JPG")),
            ("sketch ö", "sketch öne.JPG", None),
            ("p", "pictures/", None),
            (".", ".hidden.gif", None),
            ("", "", Some("other.webp  pictures/  sketch one.png  sketch öne.JPG")),
            ("x", "x", Some("No folder and no image begins like that.")),
            ("no folder/a", "no folder/a", Some("No folder and no image begins like that.")),
        ] {
            let completion = complete(&typed(text));
            assert_eq!((completion.path.clone(), completion.notice().as_deref()), (typed(path), notice), "{text}");
        }
        // The tests run in the folder of the crate.
        assert_eq!(complete("tes").path, "tests/");
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
