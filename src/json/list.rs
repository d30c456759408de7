//! A JSON list of suggestions whose text is complete.

use alloc::string::String;

use super::lexer::{JsonToken, Lexer, Type};

/// Calls `found` with each string, number and boolean of a list, as text.
///
/// Returns `false` without a call if `text` is not exactly one JSON list. To find that out, it
/// reads the text twice, which needs no memory for the items.
pub(crate) fn read(text: &str, found: &mut dyn FnMut(&str)) -> bool {
    let text = text.trim();
    let is_list = text.starts_with('[') && is_whole(text, true);
    if is_list {
        items(text, found);
    }
    is_list
}

/// Returns `true` if the text is one array or object, with the repairs of a native call's JSON.
pub(crate) fn is_json(text: &str) -> bool {
    text.starts_with(['[', '{']) && is_whole(text, false)
}

/// Returns the string that the text is, and whether it has an escape or a character that is none.
///
/// `None` if it is not exactly one JSON string.
pub(super) fn string(text: &str) -> Option<(String, bool)> {
    if !text.starts_with('"') || !is_whole(text, false) {
        return None;
    }
    let (mut lexer, mut pos, mut string, mut is_ill_formed) = (Lexer::NEW, 0, String::new(), false);
    while let Some(token) = lexer.next(text, &mut pos) {
        match token {
            JsonToken::Text(text) => string.push_str(text),
            JsonToken::Char(char) => string.push(char),
            JsonToken::Stray(char) => {
                string.push(char);
                is_ill_formed = true;
            }
            _ => {}
        }
    }
    Some((string, is_ill_formed))
}

fn is_whole(text: &str, is_strict: bool) -> bool {
    let (mut lexer, mut pos) = (Lexer::NEW, 0);
    while let Some(token) = lexer.next(text, &mut pos) {
        match token {
            JsonToken::TextAfter | JsonToken::IllFormed => return false,
            JsonToken::Stray(_) if is_strict => return false,
            _ => {}
        }
    }
    lexer.is_closed()
}

fn items(text: &str, found: &mut dyn FnMut(&str)) {
    let (mut lexer, mut pos) = (Lexer::NEW, 0);
    // The value that is being read, and whether it is an element of the list.
    let (mut item, mut is_item) = (String::new(), false);
    while let Some(token) = lexer.next(text, &mut pos) {
        match token {
            JsonToken::Begin(kind) => {
                is_item = lexer.depth() == 1 && matches!(kind, Type::String | Type::Number | Type::Boolean);
                item.clear();
            }
            JsonToken::Text(text) => item.push_str(text),
            JsonToken::Char(char) => item.push(char),
            JsonToken::End if core::mem::take(&mut is_item) => found(&item),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::String;
    use alloc::vec::Vec;

    fn items(text: &str) -> Option<Vec<String>> {
        let mut items = Vec::new();
        let is_list = read(text, &mut |item| items.push(item.into()));
        assert!(is_list || items.is_empty());
        is_list.then_some(items)
    }

    #[test]
    fn a_list_is_read_whole_or_not_at_all() {
        let joined = |text: &str| items(text).map(|items| items.join("|"));
        for (text, meant) in [
            (r#" [ "a" , "b\n\"c\"" ] "#, Some("a|b\n\"c\"")),
            (r#"[1, -0.5e+3, true, false, null, {"a": ["x"]}, ["y"]]"#, Some("1|-0.5e+3|true|false")),
            (
                r#"["\u00e9\ud83d\ude00", "\ud83d", "\ud83dx", "\ude00", "\ud83d\u0041", "\/"]"#,
                Some("é😀|\u{FFFD}|\u{FFFD}x|\u{FFFD}|\u{FFFD}A|/"),
            ),
            ("[]", Some("")),
            ("[ ]", Some("")),
            (r#"["a",]"#, None),
            (r#"["a" "b"]"#, None),
            (r#"["a"] x"#, None),
            (r#"["say "hi""]"#, None),
            ("[\"a\nb\"]", None),
            (r#"["\x"]"#, None),
            (r#"["\u12"]"#, None),
            ("[01]", None),
            ("[1.]", None),
            ("[+1]", None),
            ("[True]", None),
            ("['a']", None),
            ("[", None),
            (r#"["a"#, None),
            ("{}", None),
            ("", None),
        ] {
            assert_eq!(joined(text).as_deref(), meant, "{text}");
        }
    }

    #[test]
    fn depth_is_bounded() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(items(&nested(128)).is_some());
        assert!(items(&nested(129)).is_none());
        assert!(items(&nested(1_000_000)).is_none());
        assert!(items(&format!("[{}", "{\"a\":".repeat(1_000_000))).is_none());
    }
}
