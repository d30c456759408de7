//! Compiling the text of a shape.

use alloc::borrow::Cow;
use alloc::string::String;

use smallvec::SmallVec;

use super::error::{ShapeError, ShapeErrorKind};
use super::role::{KindWord, Level, Role};
use super::{Entry, HostLimit, Span, Table};

/// A shape has fewer keys than bits in a set of them.
const KEYS: usize = 60;

/// The longest text, in bytes.
const LONGEST: usize = 32 << 10;

/// The byte order mark.
pub(super) const MARK: char = '\u{FEFF}';

/// A word of a line: where it is in the text, and what it is.
#[derive(Clone, Copy)]
struct ShapeWord<'t> {
    line: usize,
    column: usize,
    start: usize,
    text: &'t str,
}

impl ShapeWord<'_> {
    fn span(&self) -> Span {
        (self.start as u16, (self.start + self.text.len()) as u16)
    }

    fn error(&self, kind: ShapeErrorKind) -> ShapeError {
        ShapeError { line: self.line, column: self.column, kind }
    }

    fn unexpected(&self, expected: &'static str) -> ShapeError {
        self.error(ShapeErrorKind::Unexpected { word: self.text.into(), expected })
    }
}

/// The words of a line after its first.
struct ShapeWords<'t> {
    words: SmallVec<[ShapeWord<'t>; 8]>,
    next: usize,
    /// Where the line ends, for what is missing there.
    end: ShapeWord<'t>,
}

impl<'t> ShapeWords<'t> {
    fn next(&mut self) -> Option<ShapeWord<'t>> {
        let word = self.words.get(self.next).copied();
        self.next += usize::from(word.is_some());
        word
    }

    fn expect(&mut self, expected: &'static str) -> Result<ShapeWord<'t>, ShapeError> {
        self.next().ok_or_else(|| self.end.unexpected(expected))
    }

    fn end(&mut self) -> Result<(), ShapeError> {
        self.next().map_or(Ok(()), |word| Err(word.unexpected("the end of the line")))
    }
}

/// Compiles the text of one shape.
pub(super) fn table(text: Cow<'static, str>) -> Result<Table, ShapeError> {
    let mut table = Table { text: without_mark(text), ..Table::default() };
    // The text is borrowed while the table changes, so it is put back at the end.
    let text = core::mem::take(&mut table.text);
    let end = compile(&text, &mut table)?;
    let missing = |what| Err(end.error(ShapeErrorKind::Missing(what)));
    if table.name == (0, 0) {
        return missing("shape NAME");
    }
    if table.tools.is_empty() {
        return missing("tool NAME");
    }
    if !table.entries.iter().any(|entry| matches!(entry.role, Role::Text | Role::Lines)) {
        return missing("text KEY");
    }
    table.text = text;
    match shared_key(&table) {
        Some(key) => Err(word_at(&table.text, key).error(ShapeErrorKind::KeyInUse(table.slice(key).into()))),
        None => Ok(table),
    }
}

/// Returns the text without a byte order mark, which a file may begin with.
fn without_mark(text: Cow<'static, str>) -> Cow<'static, str> {
    match text {
        Cow::Borrowed(text) => text.strip_prefix(MARK).unwrap_or(text).into(),
        Cow::Owned(text) => text.strip_prefix(MARK).map(String::from).unwrap_or(text).into(),
    }
}

/// Returns a key of the arguments that another one hides, the later of the two.
///
/// The keys of the question are some of them where nothing else has questions.
fn shared_key(table: &Table) -> Option<Span> {
    let has_list = |entry: &Entry| matches!(entry.role, Role::Questions | Role::QuestionMap | Role::Lines);
    let is_question = !table.entries.iter().any(has_list);
    let keys = |level| table.entries.iter().filter(move |entry| entry.role.level() == level).map(|entry| entry.key);
    let of_question = || keys(Level::Question).filter(|_| is_question);
    let form = table.form.map(|(key, _)| key);
    let with_form = form.into_iter().flat_map(|form| keys(Level::Call).map(move |key| (form, key)));
    let with_question = keys(Level::Call).chain(form).flat_map(|one| of_question().map(move |other| (one, other)));
    // A path is looked for where its first key is.
    let first = |key| table.slice(key).split('.').next();
    let is_shared = |&(one, other): &(Span, Span)| first(one) == first(other);
    with_form.chain(with_question).find(is_shared).map(|(one, other)| one.max(other))
}

/// Returns the word that is there in the text.
fn word_at(text: &str, (start, end): Span) -> ShapeWord<'_> {
    let (start, end) = (usize::from(start), usize::from(end));
    let before = text[..start].rsplit('\n').next().unwrap_or_default();
    let line = 1 + text[..start].matches('\n').count();
    ShapeWord { line, column: 1 + before.chars().count(), start, text: &text[start..end] }
}

/// Reads all lines. Returns where the text ends.
fn compile<'t>(text: &'t str, table: &mut Table) -> Result<ShapeWord<'t>, ShapeError> {
    let mut start = 0;
    let mut end = ShapeWord { line: 1, column: 1, start: 0, text: "" };
    for (index, line) in text.split('\n').enumerate() {
        if text.len() > LONGEST {
            return Err(end.error(ShapeErrorKind::TooLong));
        }
        let mut words = words_of(line, index + 1, start);
        end = words.end;
        if let Some(first) = words.next() {
            compile_line(text, first, &mut words, table)?;
        }
        start += line.len() + 1;
    }
    Ok(end)
}

fn words_of(line: &str, number: usize, start: usize) -> ShapeWords<'_> {
    let code = without_comment(line);
    let mut words = SmallVec::new();
    for word in code.split_whitespace() {
        let offset = word.as_ptr() as usize - line.as_ptr() as usize;
        words.push(ShapeWord {
            line: number,
            column: 1 + line[..offset].chars().count(),
            start: start + offset,
            text: word,
        });
    }
    let column = 1 + code.trim_end().chars().count();
    ShapeWords { words, next: 0, end: ShapeWord { line: number, column, start: start + line.len(), text: "" } }
}

fn without_comment(line: &str) -> &str {
    let comment = line.find(" #").map_or(line.len(), |index| index + 1);
    if line.starts_with('#') { "" } else { &line[..comment] }
}

/// Returns the offset at which the first shape of several ends, in bytes and in lines.
///
/// It is at the blank lines and comments above the next line `shape`. `None` if there is no other
/// shape.
pub(super) fn end_of_first(text: &str) -> Option<(usize, usize)> {
    let (mut is_named, mut offset, mut end) = (false, 0, (0, 0));
    for (i, line) in text.split('\n').enumerate() {
        offset += line.len() + 1;
        let first = without_comment(line).split_whitespace().next();
        match first {
            None => continue,
            Some("shape") if is_named => return Some(end),
            Some(word) => is_named |= word == "shape",
        }
        end = (offset, i + 1);
    }
    None
}

fn compile_line(
    text: &str,
    first: ShapeWord<'_>,
    words: &mut ShapeWords<'_>,
    table: &mut Table,
) -> Result<(), ShapeError> {
    match first.text {
        "shape" if table.name != (0, 0) => Err(first.error(ShapeErrorKind::Repeated(first.text.into()))),
        "shape" => {
            table.name = words.expect("the name of the shape")?.span();
            words.end()
        }
        "tool" => {
            table.tools.push(words.expect("the name of a tool")?.span());
            while let Some(word) = words.next() {
                table.tools.push(word.span());
            }
            Ok(())
        }
        "form" if table.form.is_some() => Err(first.error(ShapeErrorKind::Repeated(first.text.into()))),
        "form" => {
            let key = words.expect("the key of the form")?.span();
            let shape = words.expect("the name of a built-in shape")?;
            if super::builtin::text(shape.text).is_none() {
                return Err(shape.unexpected("the name of a built-in shape"));
            }
            table.form = Some((key, shape.span()));
            words.end()
        }
        "generic" => set_flag(&mut table.is_generic, words),
        "needs" => {
            let what = words.expect("options")?;
            if what.text != "options" {
                return Err(what.unexpected("options"));
            }
            set_flag(&mut table.needs_options, words)
        }
        "strings" => set_flag(&mut table.constants.strings, words),
        "single" => set_flag(&mut table.constants.single, words),
        "unescape" => set_flag(&mut table.constants.unescape, words),
        "limit" => compile_limit(words, table),
        name => match Role::named(name) {
            Some(role) => compile_role(text, role, first, words, table),
            None => Err(first.error(ShapeErrorKind::UnknownRole(first.text.into()))),
        },
    }
}

/// Sets a flag. Nothing follows its word.
fn set_flag(flag: &mut bool, words: &mut ShapeWords<'_>) -> Result<(), ShapeError> {
    *flag = true;
    words.end()
}

fn compile_limit(words: &mut ShapeWords<'_>, table: &mut Table) -> Result<(), ShapeError> {
    const RANGE: &str = "a range, such as 2..4";
    let what = words.expect("questions or options")?;
    let range = words.expect(RANGE)?;
    let number = |text: &str, default| match text {
        "" => Some(default),
        // `parse` takes a sign.
        text => text.parse().ok().filter(|_| !text.starts_with('+')),
    };
    let limit = range
        .text
        .split_once("..")
        .and_then(|(min, max)| Some(HostLimit { min: number(min, 0)?, max: number(max, u16::MAX)? }))
        .filter(|limit| limit.min <= limit.max);
    let limit = Some(limit.ok_or_else(|| range.unexpected(RANGE))?);
    let constant = match what.text {
        "questions" => &mut table.constants.questions,
        "options" => &mut table.constants.options,
        _ => return Err(what.unexpected("questions or options")),
    };
    if constant.is_some() {
        return Err(what.error(ShapeErrorKind::Repeated(what.text.into())));
    }
    *constant = limit;
    words.end()
}

/// Reads the keys of a role, what stands in for them, and the value without them.
fn compile_role(
    text: &str,
    role: Role,
    first: ShapeWord<'_>,
    words: &mut ShapeWords<'_>,
    table: &mut Table,
) -> Result<(), ShapeError> {
    if table.entries.iter().any(|entry| entry.role == role) {
        return Err(first.error(ShapeErrorKind::Repeated(String::from(first.text))));
    }
    let mut word = Some(words.expect("a key")?);
    while let Some(key) = word.filter(|word| word.text != "else" && !word.text.starts_with(':')) {
        let is_same = |entry: &Entry| {
            let (start, end) = entry.key;
            entry.role.level() == role.level() && text.get(start.into()..end.into()) == Some(key.text)
        };
        if table.entries.iter().any(is_same) {
            return Err(key.error(ShapeErrorKind::KeyInUse(key.text.into())));
        }
        if role.level() == Level::Option && key.text.contains('.') {
            return Err(key.unexpected("a key without points: an option has no paths"));
        }
        if table.entries.len() == KEYS {
            return Err(key.error(ShapeErrorKind::TooLong));
        }
        table.entries.push(Entry { role, key: key.span() });
        word = words.next();
    }
    if let Some(first) = word.filter(|word| word.text == "else") {
        word = compile_fallback(role, first, words, table)?;
    }
    if let Some(constant) = word {
        set_constant(role, constant, table)?;
    }
    words.end()
}

/// Reads the roles after `else`, which is `first`. Returns the word after them.
fn compile_fallback<'t>(
    role: Role,
    first: ShapeWord<'_>,
    words: &mut ShapeWords<'t>,
    table: &mut Table,
) -> Result<Option<ShapeWord<'t>>, ShapeError> {
    const EXPECTED: &str = "after `else` of id, text or label, a role of the same object whose value is a text";
    let fallback = match role {
        Role::Text => &mut table.text_fallback,
        Role::Label => &mut table.label_fallback,
        Role::Id => &mut table.id_fallback,
        _ => return Err(first.unexpected("the end of the line: only id, text and label can have `else`")),
    };
    let mut word = Some(words.expect(EXPECTED)?);
    while let Some(name) = word.filter(|word| !word.text.starts_with(':')) {
        let stands_in = match Role::named(name.text) {
            Some(stands_in @ (Role::Id | Role::Header | Role::Detail)) if role == Role::Text => stands_in,
            Some(stands_in @ (Role::Description | Role::Value)) if role == Role::Label => stands_in,
            Some(stands_in @ Role::Header) if role == Role::Id => stands_in,
            _ => return Err(name.unexpected(EXPECTED)),
        };
        fallback.push(stands_in);
        word = words.next();
    }
    Ok(word)
}

/// Reads the value that a role has without a key.
fn set_constant(role: Role, word: ShapeWord<'_>, table: &mut Table) -> Result<(), ShapeError> {
    let constants = &mut table.constants;
    let flag = match role {
        Role::Multiple => &mut constants.multiple,
        Role::Custom => &mut constants.custom,
        Role::Required => &mut constants.required,
        Role::Kind => {
            constants.kind = match KindWord::of(word.text.trim_start_matches(':').as_bytes()) {
                KindWord::Is(kind) => Some(kind),
                _ => return Err(word.unexpected(":text, :yesno or :number")),
            };
            return Ok(());
        }
        _ => return Err(word.unexpected("a key: this role has no fixed value")),
    };
    *flag = match word.text {
        ":yes" => Some(true),
        ":no" => Some(false),
        _ => return Err(word.unexpected(":yes or :no")),
    };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{QuestionKind, Shape};
    use alloc::string::ToString;

    #[test]
    fn an_error_says_where_it_is_and_what_is_expected() {
        for (text, message) in [
            ("", "line 1, column 1: the shape has no line `shape NAME`"),
            ("shape a\ntool b", "line 2, column 7: the shape has no line `text KEY`"),
            ("shape a\ntext b\n", "line 3, column 1: the shape has no line `tool NAME`"),
            ("shape", "line 1, column 6: the line ends too early: expected the name of the shape"),
            ("shape a b", "line 1, column 9: `b` can't be here: expected the end of the line"),
            ("shape a\nshape b", "line 2, column 1: there is a line `shape` already: write all keys in one"),
            ("shape ä\n  titel x", "line 2, column 3: `titel` is no role: see docs/question-tools.md for all roles"),
            (
                "text a else label",
                "line 1, column 13: `label` can't be here: expected after `else` of id, text or label, a role of the same object whose value is a text",
            ),
            ("text a\nheader b a", "line 2, column 10: the key `a` has another role in the same object"),
            ("text a\ntext b", "line 2, column 1: there is a line `text` already: write all keys in one"),
            ("custom x :maybe", "line 1, column 10: `:maybe` can't be here: expected :yes or :no"),
            ("text x :yes", "line 1, column 8: `:yes` can't be here: expected a key: this role has no fixed value"),
            (
                "shape a\nheader title else id",
                "line 2, column 14: `else` can't be here: expected the end of the line: only id, text and label can have `else`",
            ),
            ("limit options 4..2", "line 1, column 15: `4..2` can't be here: expected a range, such as 2..4"),
            ("limit options +2..4", "line 1, column 15: `+2..4` can't be here: expected a range, such as 2..4"),
            ("limit options 2..+4", "line 1, column 15: `2..+4` can't be here: expected a range, such as 2..4"),
            ("\u{FEFF}shape a b", "line 1, column 9: `b` can't be here: expected the end of the line"),
            // Without a list the arguments are the question, so its keys are those of the call.
            (
                "shape s\ntool t\ntitle name\ntext é name",
                "line 4, column 8: the key `name` has another role in the same object",
            ),
            ("shape s\ntool t\ntext a.b\ntitle a", "line 4, column 7: the key `a` has another role in the same object"),
            (
                "shape s\ntool t\ntext a.b\ntitle a.c",
                "line 4, column 7: the key `a.c` has another role in the same object",
            ),
            (
                "shape s\ntool t\nform a mcp\ntext a",
                "line 4, column 6: the key `a` has another role in the same object",
            ),
            (
                "shape s\ntool t\nquestions a.b\ntext t\nform a mcp",
                "line 5, column 6: the key `a` has another role in the same object",
            ),
            ("limit options 2-4", "line 1, column 15: `2-4` can't be here: expected a range, such as 2..4"),
            (
                "label a.b",
                "line 1, column 7: `a.b` can't be here: expected a key without points: an option has no paths",
            ),
            (
                "limit options 1..\nlimit options 2..",
                "line 2, column 7: there is a line `options` already: write all keys in one",
            ),
            ("needs", "line 1, column 6: the line ends too early: expected options"),
            ("needs header", "line 1, column 7: `header` can't be here: expected options"),
            ("form f nothing", "line 1, column 8: `nothing` can't be here: expected the name of a built-in shape"),
        ] {
            assert_eq!(Shape::parse(text).unwrap_err().to_string(), message, "{text:?}");
        }
        let long = "shape a\n".to_string() + &"#".repeat(LONGEST);
        assert_eq!(*Shape::parse(long).unwrap_err().kind(), ShapeErrorKind::TooLong);
    }

    #[test]
    fn a_key_may_mean_different_things_in_a_question_and_in_an_option() {
        assert!(Shape::parse("shape a\ntool b\ntext label\nlabel label").is_ok());
    }

    #[test]
    fn a_key_may_mean_different_things_in_the_call_and_in_a_question_of_its_list() {
        for list in ["questions q", "question-map q", "lines q"] {
            let shape = alloc::format!("shape a\ntool b\ntext t\n{list}\ntitle title\nheader title\nform t mcp\n");
            assert!(Shape::parse(shape).is_ok(), "{list}");
        }
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_a_shape() {
        let text = "shape a\ntool b\ntext t";
        assert_eq!(Shape::parse(String::from('\u{FEFF}') + text), Shape::parse(text));
    }

    #[test]
    fn a_constant_kind_is_a_word() {
        let shape = Shape::parse("shape a\ntool b\ntext t\nkind :yesno").unwrap();
        assert_eq!(shape.constants().kind, Some(QuestionKind::YesNo));
    }
}
