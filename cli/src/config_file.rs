//! Reads files that configure the program: a dialect, shapes, the names of tools.

use std::fmt::Display;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::error::Error;
use crate::plain_words::{data_error, json_error};

/// The maximum size of such a file, so that an endless file is not read to its end.
///
/// A few thousand bytes are usual.
const MAX_BYTES: usize = 1 << 20;

/// The maximum length of a reason in an error message, which may quote a value as long as the file.
const MAX_REASON_CHARS: usize = 400;

/// Returns whether the argument is the path of a file, where it may also be a name.
///
/// It is if it has an extension, or a folder.
pub(crate) fn is_path(given: &str) -> bool {
    let path = Path::new(given);
    path.extension().is_some() || path.components().count() > 1
}

/// Reads the file given as `option`, without a byte order mark.
pub(crate) fn read(path: &Path, option: &str) -> Result<String, Error> {
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes))
        .map_err(|error| Error::reading(path, &error))?;
    if bytes.len() > MAX_BYTES {
        let reason = format!("it has more than {MAX_BYTES} bytes, where a few thousand are usual; check the path");
        return Err(unusable(path, option, &reason));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        unusable(path, option, &format!("it is not UTF-8 from byte {offset} on; save it as UTF-8"))
    })?;
    let text = text.strip_prefix('\u{FEFF}').map(str::to_owned).unwrap_or(text);
    if text.trim().is_empty() {
        return Err(unusable(path, option, &"it is empty"));
    }
    Ok(text)
}

/// Returns the error for a file that can't be used as `option`.
pub(crate) fn unusable(path: &Path, option: &str, reason: &dyn Display) -> Error {
    let reason = reason.to_string();
    let reason = match reason.char_indices().nth(MAX_REASON_CHARS) {
        Some((end, _)) => &format!("{} …", &reason[..end]),
        None => &reason,
    };
    Error::Unreadable(format!("can't use {} as {option}: {reason}", path.display()))
}

/// Describes an error in a JSON file, position first.
pub(crate) fn describe_json_error(error: &serde_json::Error) -> String {
    format!("line {}, column {}: {}", error.line(), error.column(), json_error(error))
}

/// Describes an error in a TOML file, position first.
pub(crate) fn describe_toml_error(error: &toml::de::Error, text: &str) -> String {
    let Some(before) = error.span().and_then(|span| text.get(..span.start)) else {
        return data_error(error.message());
    };
    let (line, column) = (before.matches('\n').count(), before.rsplit('\n').next().unwrap_or_default().chars().count());
    format!("line {}, column {}: {}", line + 1, column + 1, data_error(error.message().trim_end()))
}
