//! Finds placeholders in suggested answers: `[path]`, `<your name>`, `{{region}}`, `TODO`.
//!
//! The result is only advice, and a false alarm costs trust. So only the forms in [`FORMS`] are
//! found. What is often code, markup or part of a sentence is not among them: `{name}` is a format
//! string or a route, `[default]` a label. Code in back-ticks is skipped.

use PlaceholderForm::{Brackets, Prefix, Value, Word};

/// What follows the beginning of a placeholder, and where it counts.
enum PlaceholderForm {
    /// Text inside brackets, unless the brackets belong to code around them.
    Brackets {
        close: &'static str,
        /// Whether the text inside the brackets makes them a placeholder.
        inside: fn(&str) -> bool,
        /// No placeholder after one of these characters.
        not_after: &'static str,
        /// No placeholder before one of these characters.
        not_before: &'static str,
    },
    /// The beginning of a word or a path, in any case.
    Prefix,
    /// A whole word.
    Word,
    /// In place of a whole value: alone on its line, or after `:` or `=`.
    Value,
}

/// All forms of placeholders: how each begins, and what follows.
const FORMS: [(&str, PlaceholderForm); 11] = [
    // Not `${{ github.ref }}`.
    ("{{", Brackets { close: "}}", inside: is_words, not_after: "$\\", not_before: "" }),
    // Not `#[path]`, `&[key]`, `app/[name]/page.tsx`, a link, a footnote or a computed property.
    ("[", Brackets { close: "]", inside: names_a_blank, not_after: ")]}[#&!^\\/", not_before: "([:" }),
    // Not `(?<name>…)`.
    ("<", Brackets { close: ">", inside: names_a_blank, not_after: "<?\\", not_before: "<" }),
    ("your-", Prefix),
    ("your_", Prefix),
    ("path/to/", Prefix),
    ("TBD", Word),
    // Not inside a sentence: "Remove the TODO comments", "Wait ... what?".
    ("TODO", Value),
    ("FIXME", Value),
    ("...", Value),
    ("…", Value),
];

/// What a user fills in, by its last word, as in `<file name>`.
///
/// HTML elements and names of configuration sections are left out.
const BLANKS: &str = "branch city command country date description directory domain email file filename folder host \
    hostname id key location name number password path port reason region secret token topic url username value \
    version 路径 文件 文件名 名称 名字 姓名 密钥 密码 端口 地址 域名";

/// Returns the first placeholder in an answer. Cost: linear.
pub(super) fn placeholder(answer: &str) -> Option<&str> {
    let mut offset = 0;
    while let Some(first) = answer[offset..].chars().next() {
        let (before, rest) = answer.split_at(offset);
        let found = FORMS.iter().find_map(|(begin, form)| length(begin, form, before, rest));
        if let Some(length) = found {
            return Some(&rest[..length]);
        }
        offset += if first == '`' { code(rest) } else { first.len_utf8() };
    }
    None
}

/// Returns the length of the code that `rest` begins with: up to as many back-ticks as open it.
fn code(rest: &str) -> usize {
    let ticks = |text: &str| text.len() - text.trim_start_matches('`').len();
    let opening = ticks(rest);
    let mut end = opening;
    while let Some(next) = rest[end..].find('`') {
        let closing = ticks(&rest[end + next..]);
        end += next + closing;
        if closing == opening {
            return end;
        }
    }
    // A fence runs to the end of the answer. Fewer back-ticks are text.
    if opening < 3 { opening } else { rest.len() }
}

/// Returns the length of the placeholder of this form that `rest` begins with.
fn length(begin: &str, form: &PlaceholderForm, before: &str, rest: &str) -> Option<usize> {
    let (head, tail) = rest.split_at_checked(begin.len())?;
    let is_exact = head == begin;
    if !head.eq_ignore_ascii_case(begin) || !(is_exact || matches!(form, Prefix)) {
        return None;
    }
    let last = before.chars().next_back();
    let is_in_word = last.is_some_and(is_word);
    match form {
        Brackets { close, inside, not_after, not_before } => {
            let text = &tail[..tail.find(['[', ']', '<', '>', '{', '}', '\n'])?];
            let next = tail[text.len()..].strip_prefix(close)?.chars().next();
            let is_code = is_in_word
                || last.is_some_and(|c| not_after.contains(c))
                || next.is_some_and(|c| is_word(c) || not_before.contains(c));
            (!is_code && inside(text)).then_some(begin.len() + text.len() + close.len())
        }
        Prefix if is_in_word => None,
        Prefix => {
            let name = &tail[..tail.find(|c| !is_word(c) && !"-./".contains(c)).unwrap_or(tail.len())];
            let name = name.trim_end_matches(['-', '.', '/']);
            (!name.is_empty()).then_some(begin.len() + name.len())
        }
        Word => (!is_in_word && !tail.starts_with(|c| is_word(c) || c == '-')).then_some(begin.len()),
        Value => {
            let front = before.trim_end_matches([' ', '\t', '"', '\'', '“', '*', '_', '-', '#', '>', '/']);
            if !front.is_empty() && !front.ends_with(['\n', ':', '：', '=', '|']) {
                return None;
            }
            let tail = tail.trim_start_matches([' ', '\t', '\r', '"', '\'', '”', '*', '_', '.', '…', '!', '?']);
            let is_value = tail.is_empty() || tail.starts_with(['\n', ':', '：', ',', ';', '(', ')', '}', '|']);
            is_value.then_some(begin.len())
        }
    }
}

/// Returns `true` if the text is words and nothing else.
fn is_words(text: &str) -> bool {
    text.contains(char::is_alphabetic) && text.chars().all(|c| c.is_alphanumeric() || " _-/'’".contains(c))
}

/// Returns `true` if the text names what a user fills in.
///
/// Examples: `file name`, `API_KEY`, `fileName`, `your database, e.g. SQLite`.
fn names_a_blank(text: &str) -> bool {
    let example = ["e.g.", "for example", "such as", "例如", "比如"].iter().find_map(|mark| text.find(mark));
    let name = &text[..example.unwrap_or(text.len())];
    let name = name.trim_end_matches([',', ':', '(', '.', '…', '，', '：', '（', ' ']);
    let name = name.strip_suffix("here").unwrap_or(name).trim_end();
    let words = || name.split([' ', '_', '-', '/']);
    let is_yours = |word: &str| {
        word.get(..4).is_some_and(|word| word.eq_ignore_ascii_case("your")) || word.starts_with(['你', '您'])
    };
    // The last word of `fileName` is `Name`, that of `API_KEY` is `KEY`.
    let last = words().next_back().unwrap_or_default();
    let last = match last.rfind(char::is_uppercase) {
        Some(upper) if last.contains(char::is_lowercase) => &last[upper..],
        _ => last,
    };
    is_words(name)
        && name.starts_with(char::is_alphanumeric)
        && words().count() <= 5
        && (words().any(is_yours) || BLANKS.split(' ').any(|blank| blank.eq_ignore_ascii_case(last)))
}

/// Returns `true` if the character continues a word.
///
/// Chinese, which has no spaces between words, is not considered.
fn is_word(c: char) -> bool {
    c == '_' || c.is_ascii_alphanumeric()
}

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use super::*;

    #[test]
    fn what_a_user_would_have_to_fill_in_is_found() {
        for (answer, found) in [
            ("[path]", "[path]"),
            ("Use [path]?", "[path]"),
            ("Use **[path]**", "[path]"),
            ("Save it as \"[file-name].txt\"", "[file-name]"),
            ("Use [path, e.g. src/main.rs]", "[path, e.g. src/main.rs]"),
            ("Use [name (for example Ada)]", "[name (for example Ada)]"),
            ("rm [file...]", "[file...]"),
            ("Call it [insert name here]", "[insert name here]"),
            ("Call it [your-project name]", "[your-project name]"),
            ("[API_KEY] is the key", "[API_KEY]"),
            ("[Your name] signs it", "[Your name]"),
            ("使用[路径]作为", "[路径]"),
            ("使用 <您的密钥>", "<您的密钥>"),
            ("path=[path]", "[path]"),
            ("See [the docs](https://a.b) in [path]", "[path]"),
            ("I am <your name>", "<your name>"),
            ("I am <Your Name>", "<Your Name>"),
            ("I am <YOUR_NAME>", "<YOUR_NAME>"),
            ("Call it <fileName>", "<fileName>"),
            ("Call it <branchName>", "<branchName>"),
            ("key=<your-key>", "<your-key>"),
            ("Go to https://<host>:<port>/api", "<host>"),
            ("Drop <table name>", "<table name>"),
            ("Run <command>", "<command>"),
            ("Use <div> for <your name>", "<your name>"),
            ("Deploy to {{region}}", "{{region}}"),
            ("Deploy to {{ x }}", "{{ x }}"),
            ("The key is your-api-key-here.", "your-api-key-here"),
            ("key=YOUR_API_KEY", "YOUR_API_KEY"),
            ("Write to /path/to/file.txt.", "path/to/file.txt"),
            ("Use the key TBD.", "TBD"),
            ("Open [fileName]", "[fileName]"),
            ("TODO", "TODO"),
            ("TODO.", "TODO"),
            ("**TODO**", "TODO"),
            ("- TODO", "TODO"),
            ("Do it.\nTODO: say which", "TODO"),
            ("TODO(me): say which", "TODO"),
            ("// FIXME: say which", "FIXME"),
            ("path = \"TODO\", host = \"a\"", "TODO"),
            ("| TODO |", "TODO"),
            ("...", "..."),
            ("……", "…"),
            ("path=...", "..."),
            ("{path: ..., host: a}", "..."),
            ("one\n...\r\ntwo", "..."),
            ("don`t use [path]", "[path]"),
            ("`a` and ``b ` c`` and [path]", "[path]"),
            ("```\n[path]\n```\n<name>", "<name>"),
        ] {
            assert_eq!(placeholder(answer), Some(found), "{answer}");
        }
    }

    #[test]
    fn code_and_markup_are_not_placeholders() {
        for answer in [
            "",
            "Use Vec<T>",
            "A list<KEY>",
            "Use a HashMap<String, Vec<u8>>",
            "\"7\".parse::<usize>()",
            "<Self as Default>::default()",
            "#include <stdio.h>",
            "a regex (?<name>x)",
            "Take array[0], items[index] and grid[row][name]",
            "f()[key]",
            "Add #[path] and take a &[key]",
            "A [[name]] of its own",
            "Add it to [dependencies]",
            "[package]\nname = \"a\"",
            "Match [a-z]+ or ^[A-Za-z0-9_]{2}$",
            "the slice [start..end]",
            "const [value, setValue] = f()",
            "{ [key]: 1, \"name\": [\"path\"] }",
            "app/[name]/page.tsx",
            "style={{color: 'red'}}",
            "${{ github.ref }} and {{}}",
            "Hello, {name}",
            "/users/{id}",
            "Spread ...args",
            "for 0 ... 5",
            "../src",
            "Use <div>, <title>, <td>, <br/> and <span class='x'>",
            "Use <Button />, <Form.Item> and <Button disabled>",
            "<name>Ada</name>",
            "</your name>",
            "<https://example.com> and <me@example.com>",
            "<!-- path -->",
            "See [the path](https://example.com)",
            "See [the path][reference]",
            "[path]: https://example.com",
            "\\[path\\] and \\<name>",
            "`[path]` and ``[path]``",
            "```sh\n[path]",
            "````\n```\n[path]\n````",
            "x-TBD-y and NTBD",
        ] {
            assert_eq!(placeholder(answer), None, "{answer}");
        }
    }

    #[test]
    fn words_of_a_sentence_are_not_placeholders() {
        for answer in [
            "Yes",
            "[x] done, [ ] not done, [1]",
            "Go on? [Y/n]",
            "Go on? [yes/no/all]",
            "[Recommended] Use SQLite",
            "Use SQLite [it is the default, as you know]",
            "Use SQLite [the file is in the same path]",
            "a < b and c > d",
            "x < path > y",
            "I <3 it",
            "Use your own key",
            "Call get_your_key",
            "Loading...",
            "Wait ... what?",
            "Red, green, ...",
            "and so on....",
            "Remove the TODO comments",
            "TODO comments stay",
            "Add a TODO",
            "Fix every FIXME: there are two",
            "Search for \"TODO\" in it",
            "path: TODO.md",
            "TODO-list, TODOS and todo",
            "todo",
        ] {
            assert_eq!(placeholder(answer), None, "{answer}");
        }
    }

    #[test]
    fn any_answer_is_searched_without_a_panic() {
        let pieces = [
            "`", "```", "\n", " ", "[", "]", "<", ">", "</", "{{", "}}", "é", "路", "...", "…", "TODO", ":", "=", "\"",
            "name", "your-", "\\", "-", "/", ", e.g. ", "here",
        ];
        let count = pieces.len();
        for n in 0..count.pow(4) {
            let answer: String = (0..4).map(|place| pieces[n / count.pow(place) % count]).collect();
            assert!(placeholder(&answer).is_none_or(|found| !found.contains('\n')), "{answer}");
        }
    }
}
