//! Suggestions in a string, where a list was meant: markup, JSON, or lines. The string is complete.

use alloc::sync::Arc;

use super::arguments::{Arguments, List};
use super::reader::{Reader, Token};
use crate::Policy;
use crate::call::Call;
use crate::markup;
use crate::note::Note;

/// Reads the text of a string that is the value of `list`. It is trimmed.
pub(super) fn read(text: &str, list: List, call: &mut Call, policy: &Arc<Policy>) {
    if text.is_empty() {
        return;
    }
    call.repair(Note::SuggestionsAsText, policy);
    if call.is_wrong() {
        return;
    }
    if markup::holds_suggestions(text, policy) {
        markup::read_suggestions(text, call, policy);
    } else if is_json(text) {
        read_json(text, list, call, policy);
    } else {
        text.split('\n').for_each(|line| call.keep_item(line, policy));
    }
}

/// Whether the text is one array or object.
fn is_json(text: &str) -> bool {
    if !text.starts_with(['[', '{']) {
        return false;
    }
    let (mut reader, mut pos) = (Reader::default(), 0);
    while let Some(token) = reader.next(text, &mut pos) {
        if matches!(token, Token::Behind | Token::IllFormed) {
            return false;
        }
    }
    reader.is_closed()
}

fn read_json(text: &str, list: List, call: &mut Call, policy: &Arc<Policy>) {
    let (mut arguments, mut pos) = (Arguments::of_list(list), 0);
    while !call.is_wrong()
        && let Some(token) = arguments.reader.next(text, &mut pos)
    {
        arguments.act(token, call, policy);
    }
}
