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
    /// Returns all names, in the order in which `--help` lists them.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        let has_payloads = |format: &Format| !matches!(format, Format::Text | Format::Json);
        let providers = Format::ALL.into_iter().filter(has_payloads);
        [Format::Text, Format::Json].into_iter().chain(providers).map(Format::name).chain(["auto"])
    }

    /// Returns whether it is what a provider streams, or may be.
    pub(crate) fn is_of_provider(self) -> bool {
        !matches!(self, InputFormat::Known(Format::Text | Format::Json))
    }
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
