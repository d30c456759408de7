//! What libraries and the system say about errors, in words for people.

use std::io;

use serde_json::error::Category;

/// Describes an I/O error, without the number that the system gives it.
pub(crate) fn io_error(error: &io::Error) -> String {
    let message = error.to_string();
    let message = message.split(" (os error ").next().unwrap_or_default();
    let mut chars = message.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

/// Describes an error in a JSON text, without its position.
pub(crate) fn json_error(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    let message = message.strip_suffix(&position).unwrap_or(&message);
    match error.classify() {
        Category::Eof => "it ends too early".into(),
        Category::Data => data_error(message),
        Category::Syntax | Category::Io => {
            let known = SYNTAX_ERRORS.iter().find(|(begin, _)| message.starts_with(begin));
            known.map_or("this is not JSON", |(_, words)| words).to_owned()
        }
    }
}

/// What the beginning of a message of serde_json means.
const SYNTAX_ERRORS: [(&str, &str); 13] = [
    ("expected value", "there is no value"),
    ("expected `:`", "there is no colon after a key"),
    ("expected `,` or `}`", "there is no comma and no closing brace after an entry"),
    ("expected `,` or `]`", "there is no comma and no closing bracket after an entry"),
    ("key must be a string", "a key is not in double quotes"),
    ("trailing characters", "there is more after the end"),
    ("trailing comma", "there is a comma after the last entry"),
    ("control character", "there is a line break or another control character in a string"),
    ("invalid escape", "there is a backslash in a string with a wrong character after it"),
    ("invalid number", "a number is malformed"),
    ("number out of range", "a number is too large"),
    ("recursion limit exceeded", "it is nested too deeply"),
    ("unexpected end of hex escape", "a \\u escape in a string is incomplete"),
];

/// Describes an error of serde in the data of a file.
pub(crate) fn data_error(message: &str) -> String {
    for (begin, what) in [("unknown field `", "field "), ("unknown variant `", "")] {
        if let Some((name, names)) = message.strip_prefix(begin).and_then(|rest| rest.split_once("`, ")) {
            let names = names.strip_prefix("expected ").unwrap_or(names);
            let names = names.strip_prefix("one of ").unwrap_or(names).replace(" or ", ", ").replace('`', "");
            return format!("there is no {what}{name:?}; there are {names}");
        }
    }
    let quoted = |begin: &str| message.strip_prefix(begin)?.strip_suffix('`');
    if let Some(field) = quoted("duplicate field `") {
        return format!("the field {field:?} is there twice");
    }
    if let Some(field) = quoted("missing field `") {
        return format!("the field {field:?} is missing");
    }
    let wrong_type = message.strip_prefix("invalid type: ").or_else(|| message.strip_prefix("invalid value: "));
    if let Some((found, expected)) = wrong_type.and_then(|rest| rest.rsplit_once(", expected ")) {
        return format!("it is {}, and should be {}", named(found), named(expected));
    }
    message.to_owned()
}

/// Returns the name of a type.
fn named(of_serde: &str) -> String {
    let (kind, value) = match of_serde.split_once(' ') {
        Some((kind, value)) if value.starts_with(['`', '"']) => (kind, value.trim_matches('`')),
        _ => (of_serde, ""),
    };
    let name = match kind {
        "integer" => "the number",
        "floating" => "a number",
        "boolean" | "a boolean" if value.is_empty() => "true or false",
        "boolean" => "",
        "string" => "the text",
        "a string" | "string a" => "a text",
        "sequence" | "a sequence" => "a list",
        "map" | "a map" => "an object",
        "unit value" | "null" => "null",
        other if other.starts_with("floating point") => "a number",
        other if other.starts_with("struct ") => "an object",
        other => other,
    };
    format!("{name} {value}").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_libraries_are_in_plain_words() {
        for (message, words) in [
            ("unknown field `a`, expected one of `b`, `c`", "there is no field \"a\"; there are b, c"),
            ("unknown field `a`, expected `b` or `c`", "there is no field \"a\"; there are b, c"),
            ("unknown variant `a`, expected one of `b`, `c`", "there is no \"a\"; there are b, c"),
            ("duplicate field `a`", "the field \"a\" is there twice"),
            ("missing field `a`", "the field \"a\" is missing"),
            ("invalid type: integer `1`, expected a string", "it is the number 1, and should be a text"),
            ("invalid type: string \"yes\", expected a boolean", "it is the text \"yes\", and should be true or false"),
            ("invalid type: boolean `true`, expected a sequence", "it is true, and should be a list"),
            ("invalid type: null, expected a map", "it is null, and should be an object"),
            ("invalid type: floating point `1.5`, expected struct Tools", "it is a number, and should be an object"),
            ("something of our own", "something of our own"),
        ] {
            assert_eq!(data_error(message), words);
        }
        let error = io::Error::from_raw_os_error(5);
        assert!(!io_error(&error).contains("os error") && !io_error(&error).is_empty());
    }

    #[test]
    fn json_errors_have_no_words_of_a_library() {
        for (text, words) in [
            ("{\"a\": 1", "it ends too early"),
            ("nonsense", "this is not JSON"),
            ("{\"a\": }", "there is no value"),
            ("{\"a\" 1}", "there is no colon after a key"),
            ("{\"a\": 1 2}", "there is no comma and no closing brace after an entry"),
            ("[1 2]", "there is no comma and no closing bracket after an entry"),
            ("{a: 1}", "a key is not in double quotes"),
            ("{} x", "there is more after the end"),
            ("[1,]", "there is a comma after the last entry"),
            ("\"a\nb\"", "there is a line break or another control character in a string"),
            ("\"\\x\"", "there is a backslash in a string with a wrong character after it"),
            ("-", "it ends too early"),
            ("01", "a number is malformed"),
            ("1e999", "a number is too large"),
        ] {
            assert_eq!(json_error(&serde_json::from_str::<serde_json::Value>(text).unwrap_err()), words, "{text}");
        }
    }
}
