//! Loads the wording of replies: the dialect of `--dialect` and the templates of `--template`.

use std::path::Path;

use followup::Policy;
use followup::dialogue::{Dialect, Setup, Template};
use serde::de::DeserializeOwned;

use crate::config_file;
use crate::error::Error;
use crate::shapes;

/// Returns the setup of a dialogue with this dialect, and these templates as `TOOL=NAME|FILE`.
///
/// # Errors
///
/// Fails if a name is unknown, a file can't be used, or the policy does not read the tool of a
/// template, so that the template would never be used.
pub(crate) fn setup(dialect: &str, templates: &[String], policy: &Policy) -> Result<Setup, Error> {
    let dialect = named_or_file(dialect, "dialect", Dialect::named, &Dialect::NAMES)?;
    templates.iter().try_fold(Setup::default().with_dialect(dialect), |setup, template| {
        let (tool, name) =
            template.split_once('=').filter(|(tool, name)| !tool.is_empty() && !name.is_empty()).ok_or_else(|| {
                Error::Usage(format!("--template {template}: write TOOL=NAME or TOOL=FILE, such as ask_user=gemini"))
            })?;
        if policy.shapes().find(tool).is_none() {
            return Err(shapes::not_read(&format!("--template {template}: {tool}"), &[], policy));
        }
        Ok(setup.with_template(tool, named_or_file(name, "template", Template::named, &Template::NAMES)?))
    })
}

/// Loads the built-in value of this name, or the file at this path. `what` is the option.
fn named_or_file<T: DeserializeOwned>(
    given: &str,
    what: &str,
    named: impl FnOnce(&str) -> Option<T>,
    names: &[&str],
) -> Result<T, Error> {
    if let Some(value) = named(given) {
        return Ok(value);
    }
    if !config_file::is_path(given) {
        let names = names.join(", ");
        return Err(Error::Usage(format!(
            "there is no {what} {given:?}: it is one of {names}, or a file (.toml or .json)"
        )));
    }
    let (path, option) = (Path::new(given), &*format!("--{what}"));
    let text = config_file::read(path, option)?;
    let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    // Serde also accepts a list of the values of all fields, which is never meant here.
    let parsed = if is_json && text.trim_start().starts_with('[') {
        Err("it is a list, and should be an object".into())
    } else if is_json {
        serde_json::from_str(&text).map_err(|error| config_file::describe_json_error(&error))
    } else {
        toml::from_str(&text).map_err(|error| config_file::describe_toml_error(&error, &text))
    };
    parsed.map_err(|reason| config_file::unusable(path, option, &reason))
}
