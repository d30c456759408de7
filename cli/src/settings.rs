//! Files that say how something is to be done: a dialect, the names of tools.

use std::fmt::Display;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::error::Error;

/// How many bytes such a file may have. One has a few thousand; what never ends must not be read to its end.
const MOST: usize = 1 << 20;

/// How many characters of what is wrong are said: a value may be as long as the file.
const SAID: usize = 400;

/// Reads the file that was given as that option: its text, without a byte order mark.
pub(crate) fn read(path: &Path, option: &str) -> Result<String, Error> {
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MOST as u64 + 1).read_to_end(&mut bytes))
        .map_err(|error| Error::reading(path, &error))?;
    if bytes.len() > MOST {
        let what = format!("it has more than {MOST} bytes, where a few thousand are usual; check the path");
        return Err(unusable(path, option, &what));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        unusable(path, option, &format!("it is no UTF-8 from byte {at} on; save it as UTF-8"))
    })?;
    let text = text.strip_prefix('\u{FEFF}').map(str::to_owned).unwrap_or(text);
    if text.trim().is_empty() {
        return Err(unusable(path, option, &"it is empty"));
    }
    Ok(text)
}

/// The file can't be used, because of that.
pub(crate) fn unusable(path: &Path, option: &str, what: &dyn Display) -> Error {
    let what = what.to_string();
    let said = match what.char_indices().nth(SAID) {
        Some((end, _)) => &format!("{} …", &what[..end]),
        None => &what,
    };
    Error::Unreadable(format!("can't use {} as {option}: {said}", path.display()))
}

/// What is wrong with a file of JSON, and where.
pub(crate) fn wrong_json(error: &serde_json::Error) -> String {
    let (what, line, column) = (error.to_string(), error.line(), error.column());
    let what = what.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&what);
    format!("line {line}, column {column}: {what}")
}

/// What is wrong with a file of TOML, and where.
pub(crate) fn wrong_toml(error: &toml::de::Error, text: &str) -> String {
    let Some(before) = error.span().and_then(|span| text.get(..span.start)) else { return error.message().to_owned() };
    let (line, column) = (before.matches('\n').count(), before.rsplit('\n').next().unwrap_or_default().chars().count());
    format!("line {}, column {}: {}", line + 1, column + 1, error.message().trim_end())
}
