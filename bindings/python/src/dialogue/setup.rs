//! The settings of a dialogue from JSON.

use std::collections::BTreeMap;

use followup::dialogue::{Checkpoint, Dialect, Dialogue, Rules, Setup, Template, Turn};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::Value;

use super::error::{dialogue_error, unreadable};
use crate::panics::inject;

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct DialogueOptions {
    dialect: Option<Value>,
    rules: Rules,
    mistake_limit: Option<u32>,
    escape: bool,
    templates: BTreeMap<String, Value>,
    history: Vec<Value>,
    checkpoint: Option<String>,
}

/// Returns the dialogue with these options.
///
/// It is in the state of the checkpoint, or in that to which its history leads.
///
/// # Errors
///
/// A `TypeError` for an option of another type, a `ValueError` for a name that does not exist, a
/// `DialogueError` for a history that no dialogue can have, and for what is no checkpoint.
pub(super) fn dialogue(py: Python<'_>, json: &str) -> PyResult<Dialogue> {
    inject("setup");
    let options: DialogueOptions = serde_json::from_str(json).map_err(|error| unreadable("options", &error))?;
    let mut setup = Setup::default().with_rules(options.rules).with_escape(options.escape);
    if let Some(limit) = options.mistake_limit {
        setup = setup.with_mistake_limit(limit);
    }
    if let Some(dialect) = options.dialect {
        setup = setup.with_dialect(named(dialect, "dialect", Dialect::named, &Dialect::NAMES)?);
    }
    for (tool, template) in options.templates {
        let template = named(template, &format!("templates: {tool}"), Template::named, &Template::NAMES)?;
        setup = setup.with_template(tool, template);
    }
    let Some(text) = options.checkpoint else {
        let turns = options.history.into_iter().map(Turn::deserialize).collect::<Result<Vec<_>, _>>();
        let turns = turns.map_err(|error| unreadable("history", &error))?;
        return Dialogue::replay(setup, &turns).map_err(|error| dialogue_error(py, "history", &error.to_string()));
    };
    let failure = |message: &str| dialogue_error(py, "checkpoint", message);
    let checkpoint = serde_json::from_str::<Checkpoint>(&text);
    let checkpoint = checkpoint.map_err(|_| failure("the text is no checkpoint of a dialogue"))?;
    Dialogue::resume(setup, checkpoint).map_err(|error| failure(&error.to_string()))
}

/// Returns what has this name, or what the object describes.
fn named<T: for<'a> Deserialize<'a>>(
    value: Value,
    option: &str,
    by_name: impl Fn(&str) -> Option<T>,
    names: &[&str],
) -> PyResult<T> {
    match value {
        Value::String(name) => by_name(&name).ok_or_else(|| {
            PyValueError::new_err(format!("{option}: there is no built-in {name}; there are: {}", names.join(", ")))
        }),
        value => T::deserialize(value).map_err(|error| unreadable(option, &error)),
    }
}
