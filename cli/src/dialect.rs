//! Loads the dialect of `--dialect`: a built-in one, or a file.

use std::path::Path;

use followup::dialogue::Dialect;

use crate::config_file;
use crate::error::Error;

/// Loads the built-in dialect of this name, or the file at this path.
pub(crate) fn load(name: &str) -> Result<Dialect, Error> {
    if let Some(dialect) = Dialect::named(name) {
        return Ok(dialect);
    }
    if !config_file::is_path(name) {
        let names = Dialect::NAMES.join(", ");
        return Err(Error::Usage(format!(
            "there is no dialect {name:?}: it is one of {names}, or a file (.toml or .json)"
        )));
    }
    let path = Path::new(name);
    let text = config_file::read(path, OPTION)?;
    let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    // Serde also accepts a list of the values of all fields, which is never meant here.
    let parsed = if is_json && text.trim_start().starts_with('[') {
        Err("it is a list, and should be an object".into())
    } else if is_json {
        serde_json::from_str(&text).map_err(|error| config_file::describe_json_error(&error))
    } else {
        toml::from_str(&text).map_err(|error| config_file::describe_toml_error(&error, &text))
    };
    parsed.map_err(|reason| config_file::unusable(path, OPTION, &reason))
}

const OPTION: &str = "--dialect";
