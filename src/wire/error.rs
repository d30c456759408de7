//! What goes wrong in a provider's stream.

use core::fmt;

use super::Format;

/// Something went wrong in a provider's stream. The stream goes on behind it: no other event is lost by it.
///
/// ```
/// use followup::Policy;
/// use followup::wire::{Error, ResponseParser, Format};
///
/// let mut response = ResponseParser::new(Format::Anthropic, Policy::new());
/// let body = "data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n";
/// assert_eq!(response.feed(body.as_bytes()).next(), Some(Err(Error::Provider("Overloaded"))));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error<'a> {
    /// The provider says so: its message.
    Provider(&'a str),
    /// An event whose data is not the JSON that the provider documents: the data. So is one that the body was cut off in.
    Unreadable(&'a str),
    /// An event was longer than the limit for one, and was skipped: the limit, in bytes.
    TooLong(usize),
    /// Arguments that belong to no call: these.
    Orphan(&'a str),
    /// Nothing in the body is what this provider streams: it is another's, or no stream at all. Said at its end.
    Foreign(Format),
    /// A call began while as many as the limit allows were open, and is ignored: its tool.
    TooManyCalls(&'a str),
}

impl Error<'_> {
    /// What could not be read, whole: of an unreadable event its data, of orphaned arguments these.
    pub fn data(&self) -> Option<&str> {
        match self {
            Error::Unreadable(data) | Error::Orphan(data) => Some(data),
            Error::Provider(_) | Error::TooLong(_) | Error::TooManyCalls(_) | Error::Foreign(_) => None,
        }
    }

    /// The error as one word, for programs.
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
                write!(f, "an event of the stream can't be read and was skipped: {}", Beginning(data))
            }
            Error::TooLong(limit) => {
                write!(f, "an event of the stream is longer than the limit of {limit} bytes and was skipped")
            }
            Error::Orphan(arguments) => {
                write!(f, "arguments belong to no call and were skipped: {}", Beginning(arguments))
            }
            Error::Foreign(wire) => {
                write!(f, "nothing in the body is what {wire} streams: it is another provider's, or no stream")
            }
            Error::TooManyCalls(tool) => write!(f, "too many calls are open at once; one of {tool} was skipped"),
        }
    }
}

impl core::error::Error for Error<'_> {}

/// As much of a text as fits into a message.
struct Beginning<'a>(&'a str);

impl fmt::Display for Beginning<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 120;
        let end = self.0.floor_char_boundary(MOST.min(self.0.len()));
        f.write_str(&self.0[..end])?;
        if end < self.0.len() { f.write_str(" …") } else { Ok(()) }
    }
}
