//! The built-in templates. Their wording is that of the tools' hosts, byte for byte.
//!
//! docs/question-tools.md has the source of each.

mod json;
mod parts;
mod plain;

use super::model::Template;

pub(super) use parts::general;

/// Those of one host come one after the other.
pub(super) const NAMES: [&str; 32] = [
    "general",
    "claude",
    "claude-older",
    "kimi",
    "kimi-code",
    "letta",
    "codex",
    "vscode",
    "cursor",
    "cursor-tool",
    "copilot",
    "copilot-form",
    "gemini",
    "opencode",
    "kilo",
    "crush",
    "cline",
    "qwen",
    "grok",
    "deepagents",
    "openclaw",
    "openhands",
    "zed",
    "mcp",
    "acp",
    "hermes",
    "hermes-batch",
    "omp",
    "pi",
    "droid",
    "droid-request",
    "confirm",
];

pub(super) fn named(name: &str) -> Option<Template> {
    Some(match name {
        "general" => general(),
        "claude" => plain::claude(),
        "claude-older" => plain::claude_older(),
        "kimi" => json::kimi(),
        "kimi-code" => json::kimi_code(),
        "letta" => plain::letta(),
        "codex" => json::codex(),
        "vscode" => json::vscode(),
        "cursor" => json::cursor(),
        "cursor-tool" => plain::cursor_tool(),
        "copilot" => plain::copilot(),
        "copilot-form" => plain::copilot_form(),
        "gemini" => json::gemini(),
        "opencode" => plain::opencode(),
        "kilo" => plain::kilo(),
        "crush" => plain::crush(),
        "cline" => plain::cline(),
        "qwen" => plain::qwen(),
        "grok" => plain::grok(),
        "deepagents" => plain::deepagents(),
        "openclaw" => json::openclaw(),
        "openhands" => plain::openhands(),
        "zed" => plain::zed(),
        "mcp" => json::mcp(),
        "acp" => json::acp(),
        "hermes" => json::hermes(),
        "hermes-batch" => json::hermes_batch(),
        "omp" => plain::omp(),
        "pi" => plain::pi(),
        "droid" => json::droid(),
        "droid-request" => json::droid_request(),
        "confirm" => plain::confirm(),
        _ => return None,
    })
}
