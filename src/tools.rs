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
            None => Ok(Tools { tools, parameters }),
        }
    }

    /// No other tools: everything outside the questions is prose.
    pub fn none() -> Tools {
        Tools { tools: Names::default(), parameters: Names::default() }
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
        Tools { tools: owned(TOOLS), parameters: owned(PARAMETERS) }
    }
}

/// Names in order, found by halving. They are ASCII.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Names {
    all: Vec<Box<str>>,
    /// The lengths of the shortest and of the longest.
    lengths: (usize, usize),
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
        Names { all, lengths }
    }

    fn iter(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|name| &**name)
    }

    pub(crate) fn find(&self, name: &[u8]) -> Option<u16> {
        // The list was checked to be no longer than a u16 counts.
        self.all.binary_search_by(|have| have.as_bytes().cmp(name)).ok().map(|i| i as u16)
    }

    pub(crate) fn name(&self, i: u16) -> &str {
        self.all.get(usize::from(i)).map_or("", |name| name)
    }

    pub(crate) fn longest(&self) -> usize {
        self.lengths.1
    }

    /// The length of the shortest name that begins so.
    pub(crate) fn shortest(&self, begun: &[u8]) -> Option<usize> {
        if begun.is_empty() {
            return (!self.all.is_empty()).then_some(self.lengths.0);
        }
        let from = self.all.partition_point(|name| name.as_bytes() < begun);
        let those = self.all[from..].iter().take_while(|name| name.as_bytes().starts_with(begun));
        those.map(|name| name.len()).min()
    }
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
