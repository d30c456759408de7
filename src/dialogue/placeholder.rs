//! Finds what a user would have to fill in.
//!
//! That is advice, and a false alarm costs trust: what can't be told from code, markup or a word of the sentence is not found.

use alloc::vec::Vec;

/// The first thing in an answer that a user would have to fill in: `[path]`, `<your name>`, `{{region}}`, `...`, `TODO`. Code is no such thing.
pub(super) fn placeholder(answer: &str) -> Option<&str> {
    let closed = closed(answer);
    let (mut at, mut line) = (0, 0);
    while let Some(c) = answer[at..].chars().next() {
        let spot = Spot { front: &answer[line..at], rest: &answer[at..] };
        let len = match c {
            '`' | '~' => code(spot, c),
            _ => match placeholder_at(spot, c, &closed) {
                Some(len) => return Some(&spot.rest[..len]),
                None => c.len_utf8(),
            },
        };
        if let Some(end) = spot.rest[..len].rfind('\n') {
            line = at + end + 1;
        }
        at += len;
    }
    None
}

/// A place in an answer.
#[derive(Clone, Copy)]
struct Spot<'a> {
    /// What stands in front of it on its line.
    front: &'a str,
    /// The answer from it on.
    rest: &'a str,
}

impl Spot<'_> {
    /// The character in front of it. A line begins behind none.
    fn before(self) -> Option<char> {
        self.front.chars().next_back()
    }

    /// Whether it belongs to the word in front of it, as in `Vec<T>` and `array[0]`. Where words are written without blanks, that can't be told.
    fn is_in_word(self) -> bool {
        self.before().is_some_and(|c| c == '_' || c.is_alphanumeric() && c < '\u{2E80}')
    }

    /// Whether its line begins with it, but for the marks of lists, headings, quotes, emphasis and comments. Those are few, and more are not looked at.
    fn begins_line(self) -> bool {
        let is_mark = |c: char| c.is_whitespace() || c.is_ascii_digit() || "-*+#>/<!\"'“‘(|_~;%.)".contains(c);
        self.front.len() <= 100 && self.front.chars().all(is_mark)
    }
}

/// Whether nothing more stands on this line.
fn ends_line(behind: &str) -> bool {
    let behind = behind.trim_start_matches([' ', '\t', '\r']);
    behind.is_empty() || behind.starts_with('\n')
}

/// How many bytes of this mark a text begins with.
fn run(text: &str, mark: char) -> usize {
    text.len() - text.trim_start_matches(mark).len()
}

/// The length of the code that the spot begins with; of its marks alone, if they open none.
fn code(spot: Spot<'_>, mark: char) -> usize {
    let marks = run(spot.rest, mark);
    let escaped = spot.front.ends_with('\\');
    if marks >= 3 && !escaped && spot.begins_line() && !has_more_ticks(spot.rest, mark, marks) {
        return fence(spot.rest, mark, marks);
    }
    let span = (mark == '`' && !escaped).then(|| span(spot.rest, marks)).flatten();
    span.unwrap_or(marks)
}

/// Whether more back-ticks follow on the line of these: they open no fence then, but a span.
fn has_more_ticks(rest: &str, mark: char, marks: usize) -> bool {
    mark == '`' && rest[marks..].lines().next().is_some_and(|line| line.contains('`'))
}

/// The length of the fence that has these marks: to a line of as many, or to the end.
fn fence(rest: &str, mark: char, marks: usize) -> usize {
    let mut len = 0;
    for line in rest.split_inclusive('\n') {
        let is_first = len == 0;
        len += line.len();
        let line = line.trim();
        if !is_first && run(line, mark) == line.len() && line.len() >= marks {
            break;
        }
    }
    len
}

/// The length of the span that has these marks: to as many, in the same paragraph. An unpaired back-tick opens none.
fn span(rest: &str, marks: usize) -> Option<usize> {
    let mut at = marks;
    loop {
        at += rest[at..].find(['`', '\n'])?;
        let found = run(&rest[at..], '`');
        at += found.max(1);
        if found == marks {
            return Some(at);
        }
        // A blank line behind this one ends the paragraph.
        if found == 0 && ends_line(&rest[at..]) {
            return None;
        }
    }
}

/// The names of all close tags, sorted.
fn closed(answer: &str) -> Vec<&str> {
    let name = |tag| str::split(tag, |c: char| !c.is_alphanumeric() && !"_-.:".contains(c)).next().unwrap_or_default();
    let mut names: Vec<&str> = answer.split("</").skip(1).map(name).collect();
    names.sort_unstable();
    names
}

/// The length of the placeholder that the spot, at which `first` stands, begins with.
fn placeholder_at(spot: Spot<'_>, first: char, closed: &[&str]) -> Option<usize> {
    match first {
        '{' => braces(spot),
        '[' if !spot.is_in_word() => brackets(spot),
        '<' if !spot.is_in_word() => angles(spot, closed),
        '.' | '…' => ellipsis(spot),
        'T' | 'F' if !spot.is_in_word() => word(spot),
        _ => None,
    }
}

/// `{{region}}`; not an object in JSX, nor an expression of GitHub's.
fn braces(spot: Spot<'_>) -> Option<usize> {
    let inside = spot.rest.strip_prefix("{{")?;
    let inside = &inside[..inside.find(['{', '}', '\n'])?];
    let is_closed = spot.rest[2 + inside.len()..].starts_with("}}");
    let is_name = inside.contains(char::is_alphabetic) && !inside.contains([':', ',', ';', '=', '(', ')', '\'', '"']);
    (is_closed && is_name && spot.before() != Some('$')).then_some(inside.len() + 4)
}

/// What stands between the first character and the next `close`, in one line.
fn between(rest: &str, close: char) -> Option<&str> {
    let inside = rest.get(1..)?;
    let end = inside.find(['[', ']', '<', '>', '\n'])?;
    inside[end..].starts_with(close).then(|| &inside[..end])
}

/// Whether it says what is to be filled in.
fn is_blank_to_fill(inside: &str) -> bool {
    is_name(inside) || has_example(inside)
}

/// Whether it is words, and not a number, a type's parameter, a box to tick, an option or a range.
fn is_name(inside: &str) -> bool {
    inside.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        && !inside.ends_with(' ')
        && inside.chars().all(|c| c.is_alphanumeric() || " _-/.'’…".contains(c))
        && inside.chars().filter(|c| c.is_alphabetic()).nth(1).is_some()
        && !inside.split(' ').any(|word| word.len() > 1 && word.starts_with('-'))
        && !inside.trim_end_matches('.').contains("..")
}

/// Whether it is a name with an example: `path, e.g. src/main.rs`.
fn has_example(inside: &str) -> bool {
    ["e.g.", "eg.", "for example", "such as", "例如", "比如"].iter().any(|such_as| {
        let name = inside.split_once(such_as).map_or("", |(name, _)| name);
        is_name(name.trim_end_matches([' ', ',', ':', ';', '(', '-', '–', '—', '，', '：', '（']))
    })
}

/// `[path]`; not what has a meaning of its own in code or in markdown, nor a label.
fn brackets(spot: Spot<'_>) -> Option<usize> {
    let inside = between(spot.rest, ']')?;
    let (len, name) = (inside.len() + 2, inside.trim());
    let behind = &spot.rest[len..];
    let is_other = || {
        is_indexing(spot, behind)
            || is_link(spot, behind)
            || is_route(spot, name, behind)
            || is_class(name)
            || is_choice(name)
            || is_label(spot, name, behind)
            || is_section(spot, behind)
    };
    (is_blank_to_fill(name) && !is_other()).then_some(len)
}

/// Whether brackets belong to code around them: `#[test]`, `&[String]`, `f()[index]`, `[[bin]]`, `[abc]+`, or are escaped.
fn is_indexing(spot: Spot<'_>, behind: &str) -> bool {
    let before = spot.before();
    before.is_some_and(|c| ")]}[#&!?^\\".contains(c))
        || behind.starts_with(['+', '{'])
        // It may stand for emphasis.
        || behind.starts_with('*') && before != Some('*')
}

/// Whether it is a link or a footnote, or what defines one.
fn is_link(spot: Spot<'_>, behind: &str) -> bool {
    behind.starts_with(['(', '[']) || behind.starts_with(':') && spot.front.trim().is_empty()
}

/// Whether it is a part of a path that web frameworks read as it is: `app/[slug]/page.tsx`.
fn is_route(spot: Spot<'_>, name: &str, behind: &str) -> bool {
    spot.before() == Some('/') && behind.starts_with(['/', '.']) && !name.contains(' ')
}

/// Whether it is characters in a regular expression: `[a-z]`, `[A-Za-z0-9_]`. In a name with letters that is so if each is an end of a range.
fn is_class(name: &str) -> bool {
    let mut chars = name.chars();
    while let Some(first) = chars.next() {
        let mut more = chars.clone();
        match (more.next(), more.next()) {
            (Some('-'), Some(last)) if first.is_ascii_alphanumeric() && last.is_ascii_alphanumeric() => chars = more,
            _ if first.is_alphabetic() => return false,
            _ => {}
        }
    }
    true
}

/// Whether it is what may be typed: `[Y/n]`.
fn is_choice(name: &str) -> bool {
    let typed = ["y", "n", "yes", "no", "on", "off", "true", "false"];
    name.contains('/')
        && (name.split('/').all(|one| one.chars().nth(1).is_none())
            || name.split('/').any(|one| typed.iter().any(|typed| one.eq_ignore_ascii_case(typed))))
}

/// Whether it is one of these words, in any case.
fn is_among(words: &str, word: &str) -> bool {
    words.split(' ').any(|one| one.eq_ignore_ascii_case(word))
}

/// Words in brackets that say something: labels, and the sections of configurations that are spoken of.
const LABELS: &str = "\
    beta build-dependencies build-system default dependencies deprecated dev-dependencies experimental false \
    features null optional recommended required sic true workspace 可选 推荐 默认";

/// Whether it is a label: `[Recommended] Use SQLite`.
fn is_label(spot: Spot<'_>, name: &str, behind: &str) -> bool {
    let lower = name.to_lowercase();
    let is_before_text = behind.starts_with(' ') && !ends_line(behind);
    let is_to_fill = name.starts_with(char::is_lowercase) || name.contains('_') || lower.contains("your");
    is_among(LABELS, name) || spot.begins_line() && is_before_text && !is_to_fill
}

/// Whether it heads a section of a configuration: alone on its line, above `key = value`.
fn is_section(spot: Spot<'_>, behind: &str) -> bool {
    if !spot.front.trim().is_empty() || !ends_line(behind) {
        return false;
    }
    let next = behind.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with(['#', ';']));
    let key = next.and_then(|line| line.split_once('=')).map_or("", |(key, _)| key.trim());
    !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || "_-.\"'".contains(c))
}

/// `<your name>`; not a tag, nor what has a meaning of its own in code.
fn angles(spot: Spot<'_>, closed: &[&str]) -> Option<usize> {
    let inside = between(spot.rest, '>')?;
    let len = inside.len() + 2;
    let is_code = || {
        spot.before().is_some_and(|c| "<?\\".contains(c))
            || spot.front.ends_with("::")
            || spot.front.trim_end().ends_with("include")
            || spot.rest[len..].starts_with("::")
    };
    (is_blank_to_fill(inside) && !is_code() && !is_tag(inside, closed)).then_some(len)
}

/// Every element of HTML; of the obsolete ones those that name nothing to be filled in.
const ELEMENTS: &str = "\
    a abbr acronym address applet area article aside audio b base basefont bdi bdo big blink blockquote body \
    br button canvas caption center cite code col colgroup data datalist dd del details dfn dialog div dl dt \
    em embed fieldset figcaption figure font footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup hr \
    html i iframe img input ins kbd label legend li link main map mark marquee math menu meta meter nav nobr \
    noframes noscript object ol optgroup option output p picture pre progress q rp rt ruby s samp script \
    search section select selectedcontent slot small source span strike strong style sub summary sup svg \
    table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr";

/// Attributes that stand without a value. With any other word, `<table name>` is no tag.
const ATTRIBUTES: &str = "\
    allowfullscreen async autofocus autoplay checked controls default defer disabled hidden loop multiple \
    muted novalidate open playsinline readonly required reversed selected";

/// Whether it is a tag: of HTML, a component's, or one that is closed in the same text.
fn is_tag(inside: &str, closed: &[&str]) -> bool {
    let mut words = inside.split(' ');
    let name = words.next().unwrap_or_default();
    let is_known = is_among(ELEMENTS, name) || is_component(name);
    inside.ends_with('/')
        || closed.binary_search(&name).is_ok()
        || is_known && words.all(|word| is_among(ATTRIBUTES, word))
}

/// Whether it is written as components are, `Button` or `Form.Item`: `<Your_Name>`, `<API_KEY>` and `<NAME>` are not.
fn is_component(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.contains(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '.')
}

const QUOTES: [(char, char); 7] =
    [('"', '"'), ('\'', '\''), ('“', '”'), ('‘', '’'), ('«', '»'), ('「', '」'), ('『', '』')];

/// An ellipsis that stands for something; not one in a name, a path, code, a range or a sentence.
fn ellipsis(spot: Spot<'_>) -> Option<usize> {
    let before = spot.before();
    let behind = spot.rest.trim_start_matches(['.', '…']);
    let len = spot.rest.len() - behind.len();
    let is_ellipsis = spot.rest.starts_with("...") || spot.rest.starts_with('…');
    if !is_ellipsis {
        return None;
    }
    let next = behind.chars().next();
    let is_quoted = QUOTES.iter().any(|&(open, close)| before == Some(open) && next == Some(close));
    let front = spot.front.trim_end();
    // `path=... host=...`, `path: ..., host: ...`
    let is_value = before == Some('=') && next.is_none_or(char::is_whitespace)
        || front.ends_with(['=', ':', '：'])
            && (ends_line(behind) || behind.starts_with([',', ';', ')', ']', '}', '&']));
    let is_word = before.is_none_or(char::is_whitespace) && next.is_none_or(char::is_whitespace);
    // Behind a comma it says that there are more.
    let is_alone = spot.begins_line() || ends_line(behind) && !front.ends_with([',', ';', '，', '、']);
    (is_quoted || is_value || is_word && is_alone).then_some(len)
}

/// `TBD`; and `TODO` and `FIXME` where they stand for an answer or a value: in a sentence they are what it is about.
fn word(spot: Spot<'_>) -> Option<usize> {
    let word = ["TODO", "TBD", "FIXME"].into_iter().find(|word| spot.rest.starts_with(word))?;
    let behind = &spot.rest[word.len()..];
    // `TODOS`, `TODO.md`, `TODO-list`
    let is_longer = behind.trim_start_matches(['.', '-', '/', '_']).starts_with(char::is_alphanumeric);
    if is_longer {
        return None;
    }
    let closed = behind.trim_start_matches(['"', '\'', '”', '’', '*', '_', '.', '!', '?', '。']);
    let front = spot.front.trim_end_matches([' ', '\t', '"', '\'', '“', '‘', '*', '_']);
    let is_answer = spot.begins_line() && (ends_line(closed) || closed.starts_with([':', '：', '(']));
    let is_value = front.ends_with([':', '：', '=', '|'])
        && (ends_line(closed) || closed.trim_start().starts_with([',', ';', '|', ')', ']', '}']));
    (word == "TBD" || is_answer || is_value).then_some(word.len())
}

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use super::*;

    #[test]
    fn what_a_user_would_have_to_fill_in_is_noticed() {
        for (answer, found) in [
            ("[path]", "[path]"),
            ("Use [path]", "[path]"),
            ("Use [path]?", "[path]"),
            ("Use **[path]**", "[path]"),
            ("Save it as \"[file-name].txt\"", "[file-name]"),
            ("Use [ path ]", "[ path ]"),
            ("Use [path, e.g. src/main.rs]", "[path, e.g. src/main.rs]"),
            ("Use [name (for example Ada)]", "[name (for example Ada)]"),
            ("Use [name - of the file]", "[name - of the file]"),
            ("Use [x-.y-z]", "[x-.y-z]"),
            ("Use [path/to/file]", "[path/to/file]"),
            ("rm [file...]", "[file...]"),
            ("Call it [your-project name]", "[your-project name]"),
            ("[path] is the file", "[path]"),
            ("[Your name] signs it", "[Your name]"),
            ("[API_KEY] is the key", "[API_KEY]"),
            ("[Place], in Berlin", "[Place]"),
            ("[Place] ", "[Place]"),
            ("See [server]\nhost = a", "[server]"),
            ("[server] it is\nhost = a", "[server]"),
            ("[x] done, in [path]", "[path]"),
            ("In src/[path]", "[path]"),
            ("In /home/[your name]/src", "[your name]"),
            ("使用 [路径]", "[路径]"),
            ("使用[路径]", "[路径]"),
            ("Either\n```\ncode\n```\n[Your name] signs it", "[Your name]"),
            ("path=[path]", "[path]"),
            ("See [the docs](https://a.b) in [path]", "[path]"),
            ("I am <your name>", "<your name>"),
            ("I am <Your Name>", "<Your Name>"),
            ("I am <YOUR_NAME>", "<YOUR_NAME>"),
            ("I am <Your_Name>", "<Your_Name>"),
            ("The key is <API_KEY>", "<API_KEY>"),
            ("The key is <KEY>", "<KEY>"),
            ("key=<your-key>", "<your-key>"),
            ("Go to https://<host>/api", "<host>"),
            ("<path, e.g. src/main.rs>", "<path, e.g. src/main.rs>"),
            ("Drop <table name>", "<table name>"),
            ("Run <command>", "<command>"),
            ("Use <div> for <your name>", "<your name>"),
            ("Deploy to {{region}}", "{{region}}"),
            ("Deploy to {{ x }}", "{{ x }}"),
            ("{{x}}", "{{x}}"),
            ("TODO", "TODO"),
            ("TODO.", "TODO"),
            ("**TODO**", "TODO"),
            ("- TODO", "TODO"),
            ("TODO: say which", "TODO"),
            ("Do it.\nTODO: say which", "TODO"),
            ("TODO(me): say which", "TODO"),
            ("**TODO**: say which", "TODO"),
            ("// FIXME: say which", "FIXME"),
            ("path: TODO", "TODO"),
            ("path = \"TODO\", host = \"a\"", "TODO"),
            ("| TODO |", "TODO"),
            ("Use the key TBD.", "TBD"),
            ("...", "..."),
            ("…", "…"),
            ("……", "……"),
            ("Put it in ...", "..."),
            ("Put it in \"...\"", "..."),
            ("Call it “…” then", "…"),
            ("path=...", "..."),
            ("path=... host=a", "..."),
            ("{path: ..., host: a}", "..."),
            ("one\n...\ntwo", "..."),
            ("… and so on", "…"),
            ("don`t use [path]", "[path]"),
            ("don`t\n\nuse [path] or `x`", "[path]"),
            ("don`t\n \r\nuse [path] or `x`", "[path]"),
            ("`a` and ``b ` c`` and [path]", "[path]"),
            ("``` `a` [path]", "[path]"),
            ("\\`[path]`", "[path]"),
            ("```\n[a]\n```\n[path]", "[path]"),
            ("~a [path]", "[path]"),
        ] {
            assert_eq!(placeholder(answer), Some(found), "{answer}");
        }
    }

    #[test]
    fn what_only_looks_like_it_is_not() {
        for answer in [
            "",
            "Yes",
            // Code.
            "Use Vec<T>",
            "A list<KEY>",
            "Match [a-z_]",
            "Match [a-z.A-Z]",
            "The word NTBD",
            ".",
            "cd .",
            "path=. host=a",
            "and so on...",
            "and so on....",
            "from here ... to there",
            "a, b, ...",
            "a.…… x=….x",
            "and so on…",
            "Use a HashMap<String, Vec<u8>>",
            "Map<String, Vec<u8>>",
            "\"7\".parse::<usize>()",
            "<Self as Default>::default()",
            "#include <stdio.h>",
            "#include <vector>",
            "a regex (?<name>x)",
            "Take array[0]",
            "Take items[index]",
            "foo()[index]",
            "grid[row][column]",
            "Add #[test]",
            "Take a &[String]",
            "A [[bin]] of its own",
            "Add it to [dependencies]",
            "[package]\nname = \"a\"",
            "[tool.ruff]\n# how long\nline-length = 120",
            "Match [a-z]+",
            "Match [a-z]",
            "Match ^[A-Za-z0-9_]{2}$",
            "Match [abc]+",
            "ls [-la] [--help] [FILE -v]",
            "the slice [start..end]",
            "app/[slug]/page.tsx",
            "app/[id].tsx",
            "style={{color: 'red'}}",
            "${{ github.ref }}",
            "Spread ...args",
            "x = {}",
            "{{}}",
            "for 0 ... 5",
            "../src",
            // Markup.
            "Use <div> and <span class='x'>",
            "<title>",
            "<video>",
            "<td>",
            "<TD>",
            "<h1>",
            "<br/> and <br />",
            "<video controls>",
            "</your name>",
            "Use <Button>",
            "<Button />",
            "<Form.Item>",
            "<Button disabled>",
            "<Foo>...</Foo>",
            "<note>text</note>",
            "<your-element>text</your-element>",
            "<https://example.com>",
            "<me@example.com>",
            "<!-- a -->",
            "See [the docs](https://example.com)",
            "See ![the picture](a.png)",
            "See [the docs][reference]",
            "[docs]: https://example.com",
            "a\n  [docs]: https://example.com",
            "\\[path\\]",
            // Code that is marked as such.
            "`[path]` as it is",
            "``[path]``",
            "`` ` [path] ``",
            "```\n[path]\n```",
            "```sh\n[path]",
            "~~~\n[path]\n```\n[path]\n~~~",
            "- ```\n  [path]\n  ```",
            "````\n```\n[path]\n````",
            "`one\n[path]`",
            // Boxes, choices, labels.
            "[x] done",
            "[ ] not done",
            "[1]",
            "Go on? [Y/n]",
            "Go on? [y/N]",
            "Go on? [yes/no/all]",
            "Go on? [a/b/c]",
            "[Recommended] Use SQLite",
            "1. [Fast] Use SQLite",
            "- **[Recommended]** Use SQLite",
            "Use SQLite [Recommended]",
            "Use SQLite [default]",
            // Sentences.
            "a < b and c > d",
            "a < b > c",
            "1 < x",
            "I <3 it",
            "Wait ... what?",
            "Red, green, ...",
            "Loading...",
            "Wait… then go",
            "Remove the TODO comments",
            "TODO comments stay",
            "Add a TODO",
            "Fix every FIXME: there are two",
            "Search for \"TODO\" in it",
            "todo.md",
            "TODO.md",
            "path: TODO.md",
            "TODOLIST",
            "TODO-list",
        ] {
            assert_eq!(placeholder(answer), None, "{answer}");
        }
    }

    /// It never panics, and what it finds is a part of the answer, in one line.
    #[test]
    fn whatever_an_answer_is_made_of_it_is_looked_through() {
        let pieces = [
            "`", "```", "~~~", "\n", " ", "[", "]", "<", ">", "</", "{{", "}}", "é", "路", "...", "…", "TODO", ":",
            "=", "\"", "ab", "\\", "-", "/", ", e.g. ",
        ];
        let count = pieces.len();
        for n in 0..count.pow(4) {
            let answer: String = (0..4).map(|place| pieces[n / count.pow(place) % count]).collect();
            assert!(placeholder(&answer).is_none_or(|found| !found.contains('\n')), "{answer}");
        }
    }
}
