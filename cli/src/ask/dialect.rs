//! The dialect: one that is built in, or a file.

use std::path::Path;

use followup::dialogue::Dialect;

use crate::error::Error;

/// The dialect of that name, or in that file.
pub(super) fn load(name: &str) -> Result<Dialect, Error> {
    if let Some(dialect) = Dialect::named(name) {
        return Ok(dialect);
    }
    let path = Path::new(name);
    let is_path = path.extension().is_some() || path.components().count() > 1;
    if !is_path {
        let names = Dialect::NAMES.join(", ");
        return Err(Error::Usage(format!(
            "there is no dialect {name:?}: it is one of {names}, or a file (.toml or .json)"
        )));
    }
    let text = std::fs::read_to_string(path).map_err(|error| Error::reading(path, &error))?;
    let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    let read = if is_json {
        serde_json::from_str(&text).map_err(|error| error.to_string())
    } else {
        toml::from_str(&text).map_err(|error| error.to_string())
    };
    read.map_err(|error| Error::Unreadable(format!("can't use {} as --dialect: {}", path.display(), error.trim_end())))
}
