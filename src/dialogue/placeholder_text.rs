//! Texts with placeholders in braces: filled, and checked when they are deserialized.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;

use serde::{Deserialize, Deserializer, de};

/// Deserializes a text that supports these placeholders.
///
/// Any other would end up in the text that is shown.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(
    from: D,
    supported: &[&str],
) -> Result<Cow<'static, str>, D::Error> {
    let text = Cow::deserialize(from)?;
    let Some(unknown) = unknown_placeholder(&text, supported) else { return Ok(text) };
    let supported =
        if supported.is_empty() { "there is none".into() } else { format!("it may be {}", supported.join(" or ")) };
    Err(de::Error::custom(format!("the placeholder {unknown} is not known here: {supported}")))
}

/// Returns the first word in braces that is not among the supported placeholders.
fn unknown_placeholder<'a>(text: &'a str, supported: &[&str]) -> Option<&'a str> {
    text.match_indices('{').find_map(|(open, _)| {
        let inside = &text[open + 1..];
        let inside = &inside[..inside.find(['{', '}'])?];
        let whole = &text[open..open + inside.len() + 2];
        let name = inside.trim();
        let is_word = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
        (is_word && whole.ends_with('}') && !supported.contains(&whole)).then_some(whole)
    })
}

/// Returns the text with each placeholder replaced for which there is a value.
///
/// Values are not searched for placeholders.
pub(super) fn fill<'a>(text: &str, value: impl Fn(&str) -> Option<Cow<'a, str>>) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        let (before, inside) = (&rest[..open], &rest[open + 1..]);
        filled.push_str(before);
        let name = &inside[..inside.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(inside.len())];
        let after = inside[name.len()..].strip_prefix('}');
        match after.and_then(|after| Some((value(name)?, after))) {
            Some((value, after)) => {
                filled.push_str(&value);
                rest = after;
            }
            None => {
                filled.push('{');
                rest = inside;
            }
        }
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_placeholders_with_a_value_are_replaced_and_only_once() {
        let value = |name: &str| (name == "a").then_some(Cow::Borrowed("{a}{b}"));
        for (text, filled) in [
            ("", ""),
            ("{a}", "{a}{b}"),
            ("{{a}}", "{{a}{b}}"),
            ("{b} {A} {a", "{b} {A} {a"),
            ("{\"é\":{a}}", "{\"é\":{a}{b}}"),
            ("{}{ a }", "{}{ a }"),
        ] {
            assert_eq!(fill(text, value), filled, "{text}");
        }
    }
}
