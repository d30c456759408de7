//! The format of the input, as `--wire` names it.

use std::str::FromStr;

use followup::wire::{Format, UnknownFormat};

/// The format of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputFormat {
    Known(Format),
    /// To be detected from the input.
    Auto,
}

impl InputFormat {
    /// All names, in the order in which `--help` lists them.
    pub(crate) const NAMES: [&str; 9] =
        ["text", "json", "openai-chat", "openai-responses", "anthropic", "gemini", "bedrock", "ollama", "auto"];
}

impl Default for InputFormat {
    fn default() -> InputFormat {
        InputFormat::Known(Format::Text)
    }
}

impl FromStr for InputFormat {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<InputFormat, UnknownFormat> {
        if name == "auto" { Ok(InputFormat::Auto) } else { name.parse().map(InputFormat::Known) }
    }
}
