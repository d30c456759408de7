//! The built-in templates. Their wording is that of the tools' hosts, byte for byte.
//!
//! docs/question-tools.md has the source of each.

mod json;
mod parts;
mod plain;

use super::model::Template;

pub(super) use parts::general;

/// Those of one host come one after the other.
pub(super) const NAMES: [&str; 27] = [
    "general",
    "claude",
    "kimi",
    "kimi-code",
    "letta",
    "codex",
    "vscode",
    "cursor",
    "copilot",
    "copilot-form",
    "gemini",
    "opencode",
    "kilo",
    "crush",
    "cline",
    "qwen",
    "deepagents",
    "openclaw",
    "zed",
    "mcp",
    "acp",
    "hermes",
    "hermes-batch",
    "omp",
    "pi",
    "droid",
    "confirm",
];

pub(super) fn named(name: &str) -> Option<Template> {
    Some(match name {
        "general" => general(),
        "claude" => plain::claude(),
        "kimi" => json::kimi(),
        "kimi-code" => json::kimi_code(),
        "letta" => plain::letta(),
        "codex" => json::codex(),
        "vscode" => json::vscode(),
        "cursor" => json::cursor(),
        "copilot" => plain::copilot(),
        "copilot-form" => plain::copilot_form(),
        "gemini" => json::gemini(),
        "opencode" => plain::opencode(),
        "kilo" => plain::kilo(),
        "crush" => plain::crush(),
        "cline" => plain::cline(),
        "qwen" => plain::qwen(),
        "deepagents" => plain::deepagents(),
        "openclaw" => json::openclaw(),
        "zed" => plain::zed(),
        "mcp" => json::mcp(),
        "acp" => json::acp(),
        "hermes" => json::hermes(),
        "hermes-batch" => json::hermes_batch(),
        "omp" => plain::omp(),
        "pi" => plain::pi(),
        "droid" => json::droid(),
        "confirm" => plain::confirm(),
        _ => return None,
    })
}
