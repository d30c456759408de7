//! The settings of a dialogue from JSON.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use followup::dialogue::{Checkpoint, Dialect, Dialogue, Rules, Setup, Template, Turn};
use serde::Deserialize;
use serde_json::Value;

use crate::{Failure, without_place};

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct Options {
    dialect: Option<Value>,
    rules: Rules,
    mistake_limit: Option<u32>,
    escape: bool,
    templates: BTreeMap<String, Value>,
    history: Vec<Turn>,
    checkpoint: Option<String>,
}

/// Returns the dialogue with these options.
///
/// It is in the state of the checkpoint, or in that to which its history leads.
///
/// # Errors
///
/// What is wrong with the options.
pub(crate) fn dialogue(json: &[u8]) -> Result<Dialogue, Failure> {
    let options: Options = serde_json::from_slice(json).map_err(|error| Failure::of_type(without_place(&error)))?;
    let mut setup = Setup::default().with_rules(options.rules).with_escape(options.escape);
    if let Some(limit) = options.mistake_limit {
        setup = setup.with_mistake_limit(limit);
    }
    if let Some(dialect) = options.dialect {
        setup = setup.with_dialect(named(dialect, "dialect", Dialect::named, &Dialect::NAMES)?);
    }
    for (tool, template) in options.templates {
        let template = named(template, &format!("templates.{tool}"), Template::named, &Template::NAMES)?;
        setup = setup.with_template(tool, template);
    }
    let Some(text) = options.checkpoint else {
        return Dialogue::replay(setup, &options.history)
            .map_err(|error| Failure { code: "history", message: error.to_string() });
    };
    let failure = |message: String| Failure { code: "checkpoint", message };
    let checkpoint = serde_json::from_str::<Checkpoint>(&text);
    let checkpoint = checkpoint.map_err(|_| failure("the text is no checkpoint of a dialogue".into()))?;
    Dialogue::resume(setup, checkpoint).map_err(|error| failure(error.to_string()))
}

/// Returns what has this name, or what the object describes.
fn named<T: for<'a> Deserialize<'a>>(
    value: Value,
    option: &str,
    by_name: impl Fn(&str) -> Option<T>,
    names: &[&str],
) -> Result<T, Failure> {
    match value {
        Value::String(name) => by_name(&name).ok_or_else(|| {
            Failure::of_type(format!("{option}: there is no built-in {name}; there are: {}", names.join(", ")))
        }),
        value => T::deserialize(value).map_err(|error| Failure::of_type(format!("{option}: {error}"))),
    }
}
