//! The reason of a rejection from the event's code and message.
//!
//! Events have a reason as text, because that is what a host shows. Each reason has a text of its own.

use followup::{CallPart, Note, Reason};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, U32Deserializer};

/// More variants than an enum has.
const VARIANTS: u32 = 128;

/// Returns the reason with this code and message.
pub(crate) fn find(code: &str, message: &str) -> Option<Reason> {
    let is_it = |reason: &Reason| reason.code() == code && reason.to_string() == message;
    let limit = message.split(' ').find_map(|word| word.parse().ok()).unwrap_or_default();
    let of_parts = variants()
        .flat_map(|part: CallPart| [Reason::Truncated(part), Reason::WrongType(part), Reason::TooLong { part, limit }]);
    let of_notes = variants().map(|note: Note| Reason::Malformed(note));
    [Reason::MissingParameter, Reason::Superseded].into_iter().chain(of_parts).chain(of_notes).find(is_it)
}

/// Returns all variants of an enum that have no data.
fn variants<T: for<'a> Deserialize<'a>>() -> impl Iterator<Item = T> {
    (0..VARIANTS).filter_map(|index| {
        let deserializer: U32Deserializer<Error> = index.into_deserializer();
        T::deserialize(deserializer).ok()
    })
}
