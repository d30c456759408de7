//! A JSON list of suggestions, read when its close tag has come.

use super::grammar::{Found, literal, number, punctuation, run, space, string};

/// How deep a list may be nested, itself included.
const DEPTH: usize = 128;

/// Gives the strings, numbers and booleans of a list, as text. `false`, and nothing given, if `text` is not one whole JSON list.
///
/// It goes through the text twice, so that nothing is kept of what may turn out to be no list.
pub(crate) fn read(text: &str, found: &mut dyn FnMut(&str)) -> bool {
    let text = text.trim();
    let whole = list(text, DEPTH, &mut |_| {}).is_some_and(|(rest, ())| rest.is_empty());
    whole && list(text, DEPTH, found).is_some()
}

fn list<'i>(input: &'i str, depth: usize, found: &mut dyn FnMut(&str)) -> Found<'i, ()> {
    sequence(input, '[', ']', &mut |input| element(input, depth, found))
}

/// Skips an object, whose elements mean nothing here.
fn object(input: &str, depth: usize) -> Found<'_, ()> {
    sequence(input, '{', '}', &mut |input| {
        let (rest, _) = string(input)?;
        let (rest, _) = run(punctuation(':'), rest)?;
        element(rest, depth, &mut |_| {})
    })
}

fn sequence<'i>(
    input: &'i str,
    open: char,
    close: char,
    one: &mut dyn FnMut(&'i str) -> Found<'i, ()>,
) -> Found<'i, ()> {
    let (mut rest, _) = run(punctuation(open), input)?;
    if let Some((behind, _)) = run(punctuation(close), rest) {
        return Some((behind, ()));
    }
    loop {
        (rest, _) = run(space(), rest)?;
        (rest, _) = one(rest)?;
        match run(punctuation(','), rest) {
            Some((behind, _)) => rest = behind,
            None => return run(punctuation(close), rest).map(|(behind, _)| (behind, ())),
        }
    }
}

fn element<'i>(input: &'i str, depth: usize, found: &mut dyn FnMut(&str)) -> Found<'i, ()> {
    let (rest, _) = run(space(), input)?;
    match rest.bytes().next()? {
        b'"' => string(rest).map(|(behind, text)| (behind, found(&text))),
        b'[' if depth > 1 => list(rest, depth - 1, &mut |_| {}),
        b'{' if depth > 1 => object(rest, depth - 1),
        b't' | b'f' | b'n' => run(literal(), rest).map(|(behind, text)| {
            if text != "null" {
                found(text);
            }
            (behind, ())
        }),
        _ => run(number(), rest).map(|(behind, text)| (behind, found(text))),
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
        assert!(items(&nested(DEPTH)).is_some());
        assert!(items(&nested(DEPTH + 1)).is_none());
        assert!(items(&nested(1_000_000)).is_none());
        assert!(items(&format!("[{}", "{\"a\":".repeat(1_000_000))).is_none());
    }
}
