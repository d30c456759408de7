//! The shapes that are built in, each in a file of its own.

/// The names and texts, in the order in which they are tried for a tool's name.
///
/// Of several shapes for one tool, the first reads the calls of all of them.
const SHAPES: [(&str, &str); 19] = [
    ("claude", include_str!("tools/claude.shape")),
    ("codex", include_str!("tools/codex.shape")),
    ("vscode", include_str!("tools/vscode.shape")),
    ("cursor", include_str!("tools/cursor.shape")),
    ("cursor-tool", include_str!("tools/cursor-tool.shape")),
    ("ask_user", include_str!("tools/ask_user.shape")),
    ("copilot", include_str!("tools/copilot.shape")),
    ("gemini", include_str!("tools/gemini.shape")),
    ("opencode", include_str!("tools/opencode.shape")),
    ("cline", include_str!("tools/cline.shape")),
    ("qwen", include_str!("tools/qwen.shape")),
    ("mcp", include_str!("tools/mcp.shape")),
    ("hermes", include_str!("tools/hermes.shape")),
    ("omp", include_str!("tools/omp.shape")),
    ("pi", include_str!("tools/pi.shape")),
    ("droid", include_str!("tools/droid.shape")),
    ("droid-request", include_str!("tools/droid-request.shape")),
    ("confirm", include_str!("tools/confirm.shape")),
    ("acp", include_str!("tools/acp.shape")),
];

/// Whether a tool's name is so common that other tools have it, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ToolName {
    Own,
    Generic,
}
use ToolName::{Generic, Own};

/// The tools of the built-in shapes, with the shape that reads their calls.
const TOOLS: [(&str, &str, ToolName); 19] = [
    ("AskUserQuestion", "claude", Own),
    ("request_user_input", "codex", Own),
    ("vscode_askQuestions", "vscode", Own),
    ("askQuestions", "vscode", Own),
    ("copilot_askQuestions", "vscode", Own),
    ("cursor/ask_question", "cursor", Own),
    ("AskQuestion", "cursor-tool", Own),
    ("ask_user", "ask_user", Generic),
    ("question", "opencode", Generic),
    ("ask_question", "cline", Generic),
    ("ask_user_question", "qwen", Own),
    ("elicitation/create", "mcp", Own),
    ("clarify", "hermes", Generic),
    ("ask", "omp", Generic),
    ("questionnaire", "pi", Generic),
    ("AskUser", "droid", Own),
    ("droid.ask_user", "droid-request", Own),
    ("askForConfirmation", "confirm", Own),
    ("session/request_permission", "acp", Own),
];

pub(super) fn text(name: &str) -> Option<&'static str> {
    SHAPES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

pub(super) fn names() -> impl Iterator<Item = &'static str> {
    SHAPES.iter().map(|(name, _)| *name)
}

/// Returns the name of the shape that reads the calls of a tool.
pub(super) fn shape_of(tool: &str) -> Option<&'static str> {
    TOOLS.iter().find(|(known, ..)| *known == tool).map(|(_, name, _)| *name)
}

/// Returns the names of tools that are not generic.
pub(super) fn names_in_text() -> impl Iterator<Item = &'static str> {
    TOOLS.iter().filter(|(.., name)| *name == Own).map(|(tool, ..)| *tool)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Shape;

    #[test]
    fn every_built_in_shape_is_valid_and_has_its_name() {
        for name in names() {
            let shape = Shape::parse(text(name).unwrap()).unwrap();
            assert_eq!(shape.name(), name);
            assert_eq!(Shape::built_in(name), Some(shape));
        }
    }

    #[test]
    fn every_tool_is_read_by_the_first_shape_that_has_it() {
        for name in names() {
            for tool in Shape::built_in(name).unwrap().tools() {
                let first = names().find(|name| Shape::built_in(name).unwrap().tools().any(|one| one == tool));
                assert_eq!(shape_of(tool), first, "{tool}");
            }
        }
        for (tool, name, kind) in TOOLS {
            let shape = Shape::built_in(name).unwrap();
            assert!(shape.tools().any(|one| one == tool), "{tool}");
            assert_eq!(shape.is_generic(), kind == Generic, "{tool}");
        }
    }
}
