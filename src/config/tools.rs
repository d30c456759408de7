//! The names of an agent's other tools, whose calls are not parsed.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::hash::{Hash, Hasher};

use crate::prefixes::Prefixes;

/// The names of other tools and of their parameters.
///
/// A call of one of these tools is [`Event::Opaque`](crate::Event::Opaque). A question inside one
/// of its parameters, such as the contents of a file to be written, is not asked. The default are
/// the tools of the agents that this format comes from.
///
/// ```
/// use followup::{Event, Parser, Policy, Tools};
///
/// let message = "<deploy><target>live</target></deploy>";
/// let opaque = |policy: Policy| {
///     let mut raw = String::new();
///     Parser::new(policy).feed(message).for_each(|event| {
///         if let Event::Opaque(piece) = event {
///             assert_eq!(piece.tool, "deploy");
///             raw.push_str(piece.raw);
///         }
///     });
///     raw
/// };
/// let tools = Tools::new(["deploy"], ["target"])?;
/// assert_eq!(opaque(Policy::new().with_tools(tools)), message);
/// assert_eq!(opaque(Policy::new()), "", "by default `deploy` is no tool, and this is prose");
/// # Ok::<(), followup::ToolsError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "ToolsData", into = "ToolsData"))]
pub struct Tools {
    pub(crate) tools: Names,
    pub(crate) parameters: Names,
    /// What the opening tags of tools begin with, ours included.
    openings: Prefixes,
}

impl Hash for Tools {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // The rest follows from the names.
        self.tools.all.hash(state);
        self.parameters.all.hash(state);
    }
}

/// An error in a list of names.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolsError {
    /// The name is empty, or has a character other than ASCII letters, digits, `_`, `-`, `.`, `:`.
    Unusable(String),
    /// The name already has a meaning in this format.
    ///
    /// A tool can't be named `suggest`, for example, nor a parameter `ask_followup_question`.
    Reserved(String),
    /// The name is in both lists, so that its tag would be ambiguous.
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
    /// Creates the lists from these names.
    ///
    /// Among the tools, `ask_followup_question` is ignored, because it is not another tool.
    ///
    /// Cost: O(n log n); the names are copied.
    ///
    /// # Errors
    ///
    /// If a name has another character than allowed, is reserved, or is in both lists; or if a list
    /// has more than 65,535 names.
    ///
    /// ```
    /// use followup::{Tools, ToolsError};
    ///
    /// assert!(Tools::new(["read_file"], ["path"]).is_ok());
    /// let unusable = ToolsError::Unusable("read file".into());
    /// assert_eq!(Tools::new(["read file"], ["path"]), Err(unusable));
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
        let reserved = tools
            .iter()
            .find(|&name| RESERVED.split(' ').any(|reserved| reserved == name))
            .or(parameters.iter().find(|&name| name == ASK));
        if let Some(reserved) = reserved {
            return Err(ToolsError::Reserved(reserved.into()));
        }
        let both = tools.iter().find(|name| parameters.contains(name)).map(String::from);
        match both {
            Some(both) => Err(ToolsError::Both(both)),
            None => Ok(Tools::of(tools, parameters)),
        }
    }

    fn of(tools: Names, parameters: Names) -> Tools {
        let openings =
            tools.iter().fold(Prefixes::NONE.with(ASK.as_bytes()), |prefixes, name| prefixes.with(name.as_bytes()));
        Tools { tools, parameters, openings }
    }

    /// Returns empty lists: everything outside the questions is prose.
    pub fn none() -> Tools {
        Tools::of(Names::default(), Names::default())
    }

    /// Returns the index of the next `<` that may begin the opening tag of any tool.
    ///
    /// It is the length of the text if there is none.
    pub(crate) fn next_tag(&self, text: &[u8], from: usize) -> usize {
        let (mut start, mut misses) = (from, 0);
        while let Some(found) = memchr::memchr(b'<', &text[start..]) {
            let name = start + found + 1;
            if self.may_open(&text[name..]) {
                return name - 1;
            }
            misses += 1;
            start = if misses % MISSES == 0 { self.skip_to_underscore(text, name) } else { name };
        }
        text.len()
    }

    /// Returns `true` if the text after a `<` may begin the opening tag of any tool.
    #[inline]
    pub(crate) fn may_open(&self, rest: &[u8]) -> bool {
        self.openings.may_begin(rest) && self.shares_prefix(rest)
    }

    #[inline(never)]
    fn shares_prefix(&self, rest: &[u8]) -> bool {
        shares_prefix(ASK.as_bytes(), rest) || self.tools.share_prefix(rest)
    }

    /// Returns an index from which to search on: no opening tag of a tool begins before it.
    ///
    /// In text with many brackets, nearly all of them begin something else. The name of a tool is
    /// rarer, and nearly always contains a `_`. Without this window, whole TSX takes 17 times the
    /// instructions where no envelopes are read: 730 thousand for 128 KiB instead of 42 thousand
    /// (`cargo bench --bench instructions` with `FOLLOWUP_ENVELOPES=none`, 27 November 2026).
    fn skip_to_underscore(&self, text: &[u8], from: usize) -> usize {
        let Some(longest) = self.tools.underscored else { return from };
        let to = text.len().min(from + WINDOW);
        let underscore = memchr::memchr(b'_', &text[from..to]).map_or(to, |found| from + found);
        // A name that begins earlier would end before the underscore, but every name contains one.
        from.max(underscore.saturating_sub(longest.max(ASK.len())))
    }

    /// Returns the names of the tools, sorted.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        self.tools.iter()
    }

    /// Returns the names of the parameters, sorted.
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        self.parameters.iter()
    }
}

/// The number of brackets without a tag after which it pays to search for an underscore.
const MISSES: u32 = 8;

/// The number of bytes to search for an underscore.
const WINDOW: usize = 4096;

/// The tool whose calls are parsed.
pub(crate) const ASK: &str = "ask_followup_question";

/// Names that no other tool can have: the tags of a call, and of thinking.
const RESERVED: &str = "question follow_up suggestions suggest suggestion options content mode think thinking";

impl Default for Tools {
    fn default() -> Self {
        let names = |list: &str| Names::sorted(list.split_whitespace().map(Box::from).collect());
        Tools::of(names(TOOLS), names(PARAMETERS))
    }
}

/// Sorted ASCII names with an index of their first characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Names {
    all: Vec<Box<str>>,
    /// The length of the shortest.
    shortest: usize,
    /// The length of the longest, if all of them contain a `_`.
    underscored: Option<usize>,
    /// By character code: the index of the first name that begins with it or a later character.
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
        let shortest = all.iter().map(|name| name.len()).min().unwrap_or(0);
        let longest = all.iter().map(|name| name.len()).max().unwrap_or(0);
        let underscored = all.iter().all(|name| name.contains('_')).then_some(longest);
        let (mut names, mut before) = (all.iter().peekable(), 0);
        let begin = core::array::from_fn(|code| {
            while names.next_if(|name| name.as_bytes() < [code as u8].as_slice()).is_some() {
                // `new` has checked that the number of names fits into a u16.
                before += 1;
            }
            before
        });
        Names { all, shortest, underscored, begin }
    }

    /// Returns the names that begin with this character, and the index of the first of them.
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

    /// Returns the names that begin with this character, with their indices.
    pub(crate) fn candidates(&self, first: &u8) -> impl Iterator<Item = (u16, &str)> {
        let (from, names) = self.beginning(*first);
        (from..).zip(names.iter().map(|name| &**name))
    }

    pub(crate) fn name(&self, i: u16) -> &str {
        self.all.get(usize::from(i)).map_or("", |name| name)
    }

    /// Returns the length of the shortest name; `None` if there is none.
    pub(crate) fn shortest(&self) -> Option<usize> {
        (!self.all.is_empty()).then_some(self.shortest)
    }

    fn contains(&self, name: &str) -> bool {
        self.all.binary_search_by(|have| (**have).cmp(name)).is_ok()
    }

    /// Returns `true` if one of the names [shares a prefix](shares_prefix) with the text.
    fn share_prefix(&self, text: &[u8]) -> bool {
        let Some(&first) = text.first() else { return true };
        self.beginning(first).1.iter().any(|name| shares_prefix(name.as_bytes(), text))
    }
}

/// Returns `true` if name and text agree in their first four bytes, or up to the shorter's end.
#[inline]
fn shares_prefix(name: &[u8], text: &[u8]) -> bool {
    name.iter().zip(text).take(4).all(|(one, other)| one == other)
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

/// Sorted, as [`Names`] needs them.
const TOOLS: &str = "\
    access_mcp_resource apply_diff apply_patch attempt_completion browser_action codebase_search \
    custom_tool edit_file execute_command fetch_instructions generate_image insert_content \
    list_code_definition_names list_files new_task read_file run_slash_command search_and_replace \
    search_files search_replace switch_mode update_todo_list use_mcp_tool write_to_file";

/// Sorted, as [`Names`] needs them.
const PARAMETERS: &str = "\
    action args arguments command content coordinate cwd diff end_line expected_replacements \
    file_path file_pattern files follow_up image line message mode mode_slug new_string old_string \
    operations patch path prompt query question reason recursive regex result server_name size \
    start_line task text todos tool_name uri url";

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::vec;

    #[test]
    fn names_are_listed_in_order() {
        let tools = Tools::new(["read", "deploy", "read", ASK], ["path", "cwd"]).unwrap();
        assert_eq!(tools.tools().collect::<Vec<_>>(), ["deploy", "read"]);
        assert_eq!(tools.parameters().collect::<Vec<_>>(), ["cwd", "path"]);
        assert_eq!(Tools::default().tools().collect::<Vec<_>>(), TOOLS.split(' ').collect::<Vec<_>>());
        assert_eq!(Tools::default().parameters().collect::<Vec<_>>(), PARAMETERS.split(' ').collect::<Vec<_>>());
        assert_eq!(Tools::none().tools().chain(Tools::none().parameters()).collect::<Vec<_>>(), vec![""; 0]);
    }

    #[test]
    fn every_bracket_that_may_begin_a_tools_tag_is_found() {
        // Names without a `_`, of one letter, or with a `_` only at the end of the longest name.
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
                        // No bracket that is skipped can begin a tag.
                        let mut index = 0;
                        while index < text.len() {
                            let found = tools.next_tag(text.as_bytes(), index);
                            for passed in memchr::memchr_iter(b'<', &text.as_bytes()[index..found]) {
                                let name = &text.as_bytes()[index + passed + 1..];
                                let begins =
                                    |tool: &str| tool.as_bytes().starts_with(&name[..name.len().min(tool.len())]);
                                assert!(!begins(ASK) && !tools.tools().any(begins), "{passed} of {text}");
                            }
                            index = found + 1;
                        }
                    }
                }
            }
        }
    }
}
