//! A list of suggestions as markup has it: JSON that is read when its close tag has come.

use alloc::string::String;

use super::reader::{Reader, Token, Type};

/// Gives the strings, numbers and booleans of a list, as text. `false`, and nothing given, if `text` is not one whole JSON list.
///
/// It goes through the text twice, so that nothing is kept of what may turn out to be no list.
pub(crate) fn read(text: &str, found: &mut dyn FnMut(&str)) -> bool {
    let text = text.trim();
    let whole = is_list(text);
    if whole {
        items(text, found);
    }
    whole
}

fn is_list(text: &str) -> bool {
    let (mut reader, mut pos) = (Reader::default(), 0);
    let mut begun = false;
    while let Some(token) = reader.next(text, &mut pos) {
        match token {
            Token::Stray(_) | Token::Behind | Token::IllFormed => return false,
            Token::Begin(kind) if !core::mem::replace(&mut begun, true) && kind != Type::Array => return false,
            _ => {}
        }
    }
    reader.is_closed()
}

fn items(text: &str, found: &mut dyn FnMut(&str)) {
    let (mut reader, mut pos) = (Reader::default(), 0);
    // The text that is being read, and whether it is that of an element.
    let (mut item, mut is_item) = (String::new(), false);
    while let Some(token) = reader.next(text, &mut pos) {
        match token {
            Token::Begin(kind) => {
                is_item = reader.depth() == 1 && matches!(kind, Type::String | Type::Number | Type::Boolean);
                item.clear();
            }
            Token::Text(text) => item.push_str(text),
            Token::Char(char) => item.push(char),
            Token::End if core::mem::take(&mut is_item) => found(&item),
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
        let whole = read(text, &mut |item| items.push(item.into()));
        assert!(whole || items.is_empty());
        whole.then_some(items)
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
