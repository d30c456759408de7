//! The codes of notes and of parts of a call.

use std::fmt::Debug;

/// Returns the name of a variant, without its data: `stream_ended` for `Note::StreamEnded`.
pub(super) fn code(variant: &impl Debug) -> String {
    let mut code = String::new();
    for character in format!("{variant:?}").chars().take_while(char::is_ascii_alphabetic) {
        if character.is_ascii_uppercase() && !code.is_empty() {
            code.push('_');
        }
        code.push(character.to_ascii_lowercase());
    }
    code
}
