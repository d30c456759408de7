//! The dialect: one that is built in, or a file.

use std::path::Path;

use followup::dialogue::Dialect;

use crate::error::Error;
use crate::settings;

/// The dialect of that name, or in that file.
pub(crate) fn load(name: &str) -> Result<Dialect, Error> {
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
    let text = settings::read(path, OPTION)?;
    let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    // A list of values would be taken for those of the keys, in their order, and an empty one for none of them.
    let read = if is_json && text.trim_start().starts_with('[') {
        Err("it is a list, and should be an object".into())
    } else if is_json {
        serde_json::from_str(&text).map_err(|error| settings::wrong_json(&error))
    } else {
        toml::from_str(&text).map_err(|error| settings::wrong_toml(&error, &text))
    };
    read.map_err(|wrong| settings::unusable(path, OPTION, &wrong))
}

const OPTION: &str = "--dialect";
