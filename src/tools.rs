//! The other tools of an agent, whose calls are not ours to read.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// Names of other tools and of their parameters: what makes a call [`Event::Opaque`](crate::Event::Opaque).
///
/// The default is the tools of the agents this format comes from, so that a question inside the contents of
/// a file that is being written is file contents. [`Tools::none`] knows no other tool.
///
/// ```
/// use followup::{Event, Parser, Policy, Tools};
///
/// let message = "<deploy><target>live</target></deploy>";
/// let opaque = |policy: Policy| {
///     let mut parser = Parser::new(policy);
///     let mut events = parser.feed(message);
///     let mut raw = String::new();
///     while let Some(event) = events.next() {
///         if let Event::Opaque(piece) = event {
///             assert_eq!(piece.tool, "deploy");
///             raw.push_str(piece.raw);
///         }
///     }
///     raw
/// };
/// let tools = Tools::new(["deploy"], ["target"])?;
/// assert_eq!(opaque(Policy::new().tools(tools)), message);
/// assert_eq!(opaque(Policy::new()), "", "by default `deploy` is no tool, so this is prose");
/// # Ok::<(), followup::ToolsError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "ToolsData", into = "ToolsData"))]
pub struct Tools {
    pub(crate) tools: Names,
    pub(crate) parameters: Names,
    /// All names of tools hold a `_`, as is usual. There are fewer of them in most texts than of what a tag begins with.
    underscored: bool,
}

/// A list of names that can't be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolsError {
    /// The name is empty, or holds something else than ASCII letters, digits and `_`, `-`, `.`, `:`.
    Unusable(String),
    /// The name already means something else in this format: a tool can't be called `suggest`, and a parameter not
    /// `ask_followup_question`.
    Reserved(String),
    /// The name is both a tool's and a parameter's, so that its tag would mean two things.
    Both(String),
    /// More than 65,535 names.
    TooMany,
}

impl fmt::Display for ToolsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ToolsError::Unusable(name) => write!(
                f,
                "{name:?} can't be the name of a tool or parameter: use ASCII letters, digits and _ - . : (as providers ask for)"
            ),
            ToolsError::Reserved(name) => {
                write!(f, "{name:?} already means something else in this format: leave it out of the list")
            }
            ToolsError::Both(name) => {
                write!(f, "{name:?} is listed as a tool and as a parameter: leave it in one of the lists")
            }
            ToolsError::TooMany => f.write_str("more than 65,535 names of tools or parameters"),
        }
    }
}

impl core::error::Error for ToolsError {}

impl Tools {
    /// The tools and parameters with these names. `ask_followup_question` in the list is ignored: it is never another tool.
    ///
    /// Cost: O(n log n); the names are copied.
    ///
    /// # Errors
    ///
    /// A name that can't be one, or that stands in both lists.
    ///
    /// ```
    /// use followup::{Tools, ToolsError};
    ///
    /// assert!(Tools::new(["read_file"], ["path"]).is_ok());
    /// assert_eq!(Tools::new(["read file"], ["path"]), Err(ToolsError::Unusable("read file".into())));
    /// assert_eq!(Tools::new(["path"], ["path"]), Err(ToolsError::Both("path".into())));
    /// assert_eq!(Tools::new(["suggest"], ["path"]), Err(ToolsError::Reserved("suggest".into())));
    /// ```
    pub fn new<T, P>(tools: T, parameters: P) -> Result<Tools, ToolsError>
    where
        T: IntoIterator<Item: Into<String>>,
        P: IntoIterator<Item: Into<String>>,
    {
        let tools = Names::new(tools.into_iter().map(Into::into).filter(|name: &String| name != ASK))?;
        let parameters = Names::new(parameters.into_iter().map(Into::into))?;
        let reserved =
            tools.iter().find(|name| RESERVED.contains(name)).or(parameters.iter().find(|&name| name == ASK));
        if let Some(reserved) = reserved {
            return Err(ToolsError::Reserved(reserved.into()));
        }
        let both = tools.iter().find(|name| parameters.find(name.as_bytes()).is_some()).map(String::from);
        match both {
            Some(both) => Err(ToolsError::Both(both)),
            None => Ok(Tools::of(tools, parameters)),
        }
    }

    /// No other tools: everything outside the questions is prose.
    pub fn none() -> Tools {
        Tools::of(Names::default(), Names::default())
    }

    fn of(tools: Names, parameters: Names) -> Tools {
        let underscored = tools.all_hold(b'_');
        Tools { tools, parameters, underscored }
    }

    /// Where the next `<` is from which on a tool's opening tag may stand, ours or another's; the end of the text if there is none.
    ///
    /// In markup nearly every `<` begins something else. Where they are many, this looks for what is rarer: every tool's name holds a `_`.
    pub(crate) fn next_tag(&self, text: &[u8], from: usize) -> usize {
        let (mut at, mut misses) = (from, 0);
        while let Some(found) = memchr::memchr(b'<', &text[at..]) {
            let bracket = at + found;
            at = bracket + 1;
            if self.may_open(&text[at..]) {
                return bracket;
            }
            misses += 1;
            if misses == MISSES && self.underscored {
                misses = 0;
                at = self.without_tag(text, at);
            }
        }
        text.len()
    }

    /// Whether that may be the name of a tool, ours or another's.
    fn may_open(&self, name: &[u8]) -> bool {
        is_begun(ASK.as_bytes(), name) || self.tools.may_begin(name)
    }

    /// A place further on, if that is easily found, before which no tool's opening tag begins.
    fn without_tag(&self, text: &[u8], from: usize) -> usize {
        let to = text.len().min(from + WINDOW);
        let rare = memchr::memchr(b'_', &text[from..to]).map_or(to, |found| from + found);
        // Behind the bracket of one that begins further in front, the name would have ended.
        let longest = self.tools.longest().max(ASK.len());
        from.max(rare.saturating_sub(longest))
    }

    /// The names of the tools, sorted.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        self.tools.iter()
    }

    /// The names of the parameters, sorted.
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        self.parameters.iter()
    }
}

/// So many brackets that begin no tag make it worth while to look for something else.
const MISSES: u32 = 8;

/// So far is looked for something else at once.
const WINDOW: usize = 4096;

/// The tool whose calls are read.
const ASK: &str = "ask_followup_question";

/// What no other tool can be called: the tags of a call, and of thinking.
const RESERVED: [&str; 10] = [
    "question",
    "follow_up",
    "suggestions",
    "suggest",
    "suggestion",
    "options",
    "content",
    "mode",
    "think",
    "thinking",
];

impl Default for Tools {
    fn default() -> Self {
        let owned = |names: &[&str]| Names::sorted(names.iter().map(|&name| name.into()).collect());
        Tools::of(owned(TOOLS), owned(PARAMETERS))
    }
}

/// Names in order, found by their first character. They are ASCII.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Names {
    all: Vec<Box<str>>,
    /// The lengths of the shortest and of the longest.
    lengths: (usize, usize),
    /// Where those begin that begin with a character, by its code; and behind the last, how many there are.
    begin: [u16; 129],
}

impl Default for Names {
    fn default() -> Names {
        Names::sorted(Vec::new())
    }
}

impl Names {
    fn new(names: impl Iterator<Item = String>) -> Result<Names, ToolsError> {
        let mut all = Vec::new();
        for name in names {
            let usable = |b: u8| b.is_ascii_alphanumeric() || b"_-.:".contains(&b);
            if name.is_empty() || !name.bytes().all(usable) {
                return Err(ToolsError::Unusable(name));
            }
            all.push(name.into_boxed_str());
        }
        all.sort();
        all.dedup();
        if all.len() > usize::from(u16::MAX) { Err(ToolsError::TooMany) } else { Ok(Names::sorted(all)) }
    }

    fn sorted(all: Vec<Box<str>>) -> Names {
        let lengths = || all.iter().map(|name| name.len());
        let lengths = (lengths().min().unwrap_or(0), lengths().max().unwrap_or(0));
        // The list was checked to be no longer than a u16 counts.
        let before = |code: u8| all.partition_point(|name| name.as_bytes() < [code].as_slice()) as u16;
        let begin = core::array::from_fn(|code| before(code as u8));
        Names { all, lengths, begin }
    }

    /// Those that begin with that character, and the number of the first of them.
    fn beginning(&self, first: u8) -> (u16, &[Box<str>]) {
        let code = usize::from(first);
        match (self.begin.get(code), self.begin.get(code + 1)) {
            (Some(&from), Some(&to)) => (from, self.all.get(usize::from(from)..usize::from(to)).unwrap_or_default()),
            _ => (0, &[]),
        }
    }

    fn iter(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|name| &**name)
    }

    pub(crate) fn find(&self, name: &[u8]) -> Option<u16> {
        let (from, those) = self.beginning(*name.first()?);
        those.iter().zip(from..).find(|(have, _)| is_same(have.as_bytes(), name)).map(|(_, i)| i)
    }

    pub(crate) fn name(&self, i: u16) -> &str {
        self.all.get(usize::from(i)).map_or("", |name| name)
    }

    pub(crate) fn longest(&self) -> usize {
        self.lengths.1
    }

    /// Whether all of them hold that character.
    fn all_hold(&self, char: u8) -> bool {
        self.all.iter().all(|name| name.as_bytes().contains(&char))
    }

    /// Whether one of them may begin so.
    fn may_begin(&self, begun: &[u8]) -> bool {
        let Some(&first) = begun.first() else { return true };
        let (_, those) = self.beginning(first);
        those.iter().any(|name| is_begun(name.as_bytes(), begun))
    }

    /// The length of the shortest name that begins so.
    pub(crate) fn shortest(&self, begun: &[u8]) -> Option<usize> {
        let Some(&first) = begun.first() else {
            return (!self.all.is_empty()).then_some(self.lengths.0);
        };
        let (_, those) = self.beginning(first);
        those.iter().filter(|name| begins_with(name.as_bytes(), begun)).map(|name| name.len()).min()
    }
}

/// Whether a text begins with the name, as far as either goes and a few characters say.
#[inline]
fn is_begun(name: &[u8], text: &[u8]) -> bool {
    name.iter().zip(text).take(4).all(|(one, other)| one == other)
}

/// As `==`, for what is so short that a call would cost more than the comparison.
#[inline]
pub(crate) fn is_same(name: &[u8], other: &[u8]) -> bool {
    name.len() == other.len() && begins_with(name, other)
}

/// As `starts_with`, for what is so short that a call would cost more than the comparison.
#[inline]
pub(crate) fn begins_with(name: &[u8], begun: &[u8]) -> bool {
    name.len() >= begun.len() && name.iter().zip(begun).all(|(one, other)| one == other)
}

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct ToolsData {
    tools: Vec<String>,
    parameters: Vec<String>,
}

#[cfg(feature = "serde")]
impl TryFrom<ToolsData> for Tools {
    type Error = ToolsError;

    fn try_from(data: ToolsData) -> Result<Tools, ToolsError> {
        Tools::new(data.tools, data.parameters)
    }
}

#[cfg(feature = "serde")]
impl From<Tools> for ToolsData {
    fn from(tools: Tools) -> ToolsData {
        let owned = |names: &Names| names.iter().map(String::from).collect();
        ToolsData { tools: owned(&tools.tools), parameters: owned(&tools.parameters) }
    }
}

/// Sorted, as [`Names`] wants it.
const TOOLS: &[&str] = &[
    "access_mcp_resource",
    "apply_diff",
    "apply_patch",
    "attempt_completion",
    "browser_action",
    "codebase_search",
    "custom_tool",
    "edit_file",
    "execute_command",
    "fetch_instructions",
    "generate_image",
    "insert_content",
    "list_code_definition_names",
    "list_files",
    "new_task",
    "read_file",
    "run_slash_command",
    "search_and_replace",
    "search_files",
    "search_replace",
    "switch_mode",
    "update_todo_list",
    "use_mcp_tool",
    "write_to_file",
];

/// Sorted, as [`Names`] wants it.
const PARAMETERS: &[&str] = &[
    "action",
    "args",
    "arguments",
    "command",
    "content",
    "coordinate",
    "cwd",
    "diff",
    "end_line",
    "expected_replacements",
    "file_path",
    "file_pattern",
    "files",
    "follow_up",
    "image",
    "line",
    "message",
    "mode",
    "mode_slug",
    "new_string",
    "old_string",
    "operations",
    "patch",
    "path",
    "prompt",
    "query",
    "question",
    "reason",
    "recursive",
    "regex",
    "result",
    "server_name",
    "size",
    "start_line",
    "task",
    "text",
    "todos",
    "tool_name",
    "uri",
    "url",
];

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::vec;

    #[test]
    fn the_names_are_listed_in_order() {
        let tools = Tools::new(["read", "deploy", "read", ASK], ["path", "cwd"]).unwrap();
        assert_eq!(tools.tools().collect::<Vec<_>>(), ["deploy", "read"]);
        assert_eq!(tools.parameters().collect::<Vec<_>>(), ["cwd", "path"]);
        assert_eq!(Tools::default().tools().collect::<Vec<_>>(), TOOLS);
        assert_eq!(Tools::default().parameters().collect::<Vec<_>>(), PARAMETERS);
        assert_eq!(Tools::none().tools().chain(Tools::none().parameters()).collect::<Vec<_>>(), vec![""; 0]);
    }

    #[test]
    fn every_bracket_that_may_open_a_tool_is_found_and_few_others() {
        // Some hold no `_`, are as short as can be, or hold it where the longest of all names ends.
        let named = Tools::new(["deploy", "a", "z"], ["path"]).unwrap();
        let long = Tools::new(["a_tool", "nothing.but.letters.up.to.here_"], ["path"]).unwrap();
        let tags = [
            "<read_file>",
            "<ask_followup_question>",
            "<a",
            "<ask_fo",
            "<",
            "<deploy>",
            "<z>",
            "<nothing.but.letters.up.to.here_>",
        ];
        for tools in [&Tools::default(), &Tools::none(), &named, &long] {
            for filler in ["x", "<li>", "</b><b a_b> < ", "snake_case ", "<", "<re "] {
                for len in (0..60).chain([400, 401, 5000]) {
                    let before: String = filler.repeat(len);
                    for tag in tags {
                        let text = format!("{before}{tag}");
                        // Every one that is passed over can't begin a tag.
                        let mut at = 0;
                        while at < text.len() {
                            let found = tools.next_tag(text.as_bytes(), at);
                            for passed in memchr::memchr_iter(b'<', &text.as_bytes()[at..found]) {
                                let name = &text.as_bytes()[at + passed + 1..];
                                let begins =
                                    |tool: &str| tool.as_bytes().starts_with(&name[..name.len().min(tool.len())]);
                                assert!(!begins(ASK) && !tools.tools().any(begins), "{passed} of {text}");
                            }
                            at = found + 1;
                        }
                    }
                }
            }
        }
    }
}
