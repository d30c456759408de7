//! The names of notes and of parts of a call, for programs.

use std::fmt::Debug;

/// Returns the name of a variant, without its data: `stream_ended` for `Note::StreamEnded`.
pub(crate) fn name(variant: &impl Debug) -> String {
    let mut name = String::new();
    for character in format!("{variant:?}").chars().take_while(char::is_ascii_alphabetic) {
        if character.is_ascii_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(character.to_ascii_lowercase());
    }
    name
}
