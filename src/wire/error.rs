//! Errors in a provider's stream.

use core::fmt;

use super::format::Format;

/// An error in a provider's stream. The stream continues after it: no other event is lost.
///
/// ```
/// use followup::Policy;
/// use followup::wire::{Error, Format, ResponseParser};
///
/// let mut parser = ResponseParser::new(Format::Anthropic, Policy::new());
/// let error = r#"{"type":"overloaded_error","message":"Overloaded"}"#;
/// let body = format!("data: {{\"type\":\"error\",\"error\":{error}}}\n\n");
/// assert_eq!(parser.feed(body.as_bytes()).next(), Some(Err(Error::Provider("Overloaded"))));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error<'a> {
    /// The provider reports an error: its message.
    Provider(&'a str),
    /// The data of an event is not the JSON that the provider documents: the data.
    ///
    /// An event that the end of the body cuts off is one of these.
    Unreadable(&'a str),
    /// An event was longer than the limit, and was skipped: the limit, in bytes.
    TooLong(usize),
    /// Arguments that belong to no call: the arguments.
    Orphan(&'a str),
    /// Nothing in the body is of the format that it is parsed as. Reported at the end of the body.
    Foreign(Format),
    /// A call began while as many as the limit allows were open, and is skipped: its tool.
    TooManyCalls(&'a str),
}

impl Error<'_> {
    /// Returns the data that could not be used: of an unreadable event, or orphaned arguments.
    pub fn data(&self) -> Option<&str> {
        match self {
            Error::Unreadable(data) | Error::Orphan(data) => Some(data),
            Error::Provider(_) | Error::TooLong(_) | Error::TooManyCalls(_) | Error::Foreign(_) => None,
        }
    }

    /// Returns the kind of error as one word, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Provider(_) => "provider",
            Error::Unreadable(_) => "unreadable",
            Error::TooLong(_) => "too_long",
            Error::Orphan(_) => "orphan",
            Error::TooManyCalls(_) => "too_many_calls",
            Error::Foreign(_) => "foreign",
        }
    }
}

impl fmt::Display for Error<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Provider(message) => write!(f, "the provider reports an error: {message}"),
            Error::Unreadable(data) => {
                write!(f, "an event of the stream can't be read and was skipped: {}", Excerpt(data))
            }
            Error::TooLong(limit) => {
                write!(f, "an event of the stream is longer than the limit of {limit} bytes and was skipped")
            }
            Error::Orphan(arguments) => {
                write!(f, "arguments belong to no call and were skipped: {}", Excerpt(arguments))
            }
            Error::Foreign(format) => {
                write!(f, "nothing in the body is what {format} streams: it is another provider's, or no stream")
            }
            Error::TooManyCalls(tool) => write!(f, "too many calls are open at once; one of {tool} was skipped"),
        }
    }
}

impl core::error::Error for Error<'_> {}

/// The beginning of a text, short enough for a message.
struct Excerpt<'a>(&'a str);

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MAX_LEN: usize = 120;
        let end = self.0.floor_char_boundary(MAX_LEN.min(self.0.len()));
        f.write_str(&self.0[..end])?;
        if end < self.0.len() { f.write_str(" …") } else { Ok(()) }
    }
}
