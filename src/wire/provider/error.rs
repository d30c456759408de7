//! The errors that providers report in their payloads.

use serde::Deserialize;

use super::payload::{Raw, string, text};
use crate::wire::deltas::{Delta, Deltas};

/// The usual shape of an error that is an object.
#[derive(Deserialize)]
struct ErrorObject<'a> {
    #[serde(borrow)]
    message: Raw<'a>,
}

/// Appends the error, if there is one: its message, or its JSON if it has none.
pub(super) fn push_error(error: Raw<'_>, deltas: &mut Deltas) {
    let Some(raw) = error.filter(|raw| raw.get() != "null") else { return };
    let message = match string(error) {
        Some(message) => message,
        None => match serde_json::from_str(raw.get()) {
            Ok(ErrorObject { message: message @ Some(_) }) => text(message),
            _ => raw.get().as_bytes().into(),
        },
    };
    let message = deltas.store(&message);
    deltas.push(Delta::Error(message));
}
