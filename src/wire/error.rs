//! Errors in a provider's stream.

use core::fmt;

use super::format::Format;
use crate::utf8;

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
    /// A frame of a binary stream is corrupt: what is wrong with it.
    ///
    /// If its lengths are wrong, nothing tells where the next frame begins, and the rest of the
    /// body is skipped.
    Corrupt(&'a str),
    /// Arguments that belong to no call: the arguments.
    Orphan(&'a str),
    /// Nothing in the body is of the format that it is parsed as. Reported at the end of the body.
    ///
    /// `None` if the format was to be detected, and the body is a stream that tells none.
    Foreign(Option<Format>),
    /// The body is of this format, but breaks off before it has any event. Reported at its end.
    Empty(Format),
    /// A body whose format was to be detected is neither text nor a stream of events.
    ///
    /// Nothing is parsed from there on.
    Binary,
    /// The provider repeats the message with another text or other arguments.
    ///
    /// What came first counts.
    Contradiction(&'a str),
    /// A call is skipped or rejected: its tool.
    ///
    /// As many as the limit allows are open, or their arguments are together as long as it allows.
    TooManyCalls(&'a str),
}

impl Error<'_> {
    /// Returns the data that was not used.
    ///
    /// It is of an unreadable event, orphaned arguments, or a contradiction.
    pub fn data(&self) -> Option<&str> {
        match self {
            Error::Unreadable(data) | Error::Orphan(data) | Error::Contradiction(data) => Some(data),
            Error::Provider(_) | Error::TooLong(_) | Error::TooManyCalls(_) => None,
            Error::Foreign(_) | Error::Empty(_) | Error::Binary | Error::Corrupt(_) => None,
        }
    }

    /// Returns the kind of error as one word, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Provider(_) => "provider",
            Error::Unreadable(_) => "unreadable",
            Error::TooLong(_) => "too_long",
            Error::Corrupt(_) => "corrupt",
            Error::Orphan(_) => "orphan",
            Error::Contradiction(_) => "contradiction",
            Error::TooManyCalls(_) => "too_many_calls",
            Error::Foreign(_) => "foreign",
            Error::Empty(_) => "empty",
            Error::Binary => "binary",
        }
    }
}

impl fmt::Display for Error<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Provider(message) => write!(f, "the provider reports an error: {message}"),
            Error::Unreadable(data) => {
                write!(
                    f,
                    "an event of the stream can't be read and was skipped (check the connection and the format): {}",
                    Excerpt(data)
                )
            }
            Error::TooLong(limit) => {
                write!(
                    f,
                    "an event of the stream is longer than the limit of {limit} bytes and was skipped: raise the limit"
                )
            }
            Error::Corrupt(what) => {
                write!(f, "a frame of the stream is corrupt: {what}; it was damaged on its way, send the request again")
            }
            Error::Orphan(arguments) => {
                write!(f, "arguments belong to no call and were skipped: {}", Excerpt(arguments))
            }
            Error::Foreign(Some(format)) => {
                write!(
                    f,
                    "nothing in the body is what {format} streams: it is another provider's, or no stream; \
                     name its format, or let it be detected"
                )
            }
            Error::Foreign(None) => f.write_str(
                "the body is a stream of events, but tells no provider: it breaks off too early, \
                 or its provider is not known; if you know its format, name it",
            ),
            Error::Empty(format) => {
                write!(f, "the stream of {format} breaks off before it says anything: send the request again")
            }
            Error::Binary => f.write_str(
                "the body is binary, neither text nor a stream of events: it may be compressed; \
                 ask the provider for an uncompressed one",
            ),
            Error::Contradiction(data) => {
                write!(f, "the provider repeats the message with other words, which were skipped: {}", Excerpt(data))
            }
            Error::TooManyCalls(tool) => {
                write!(
                    f,
                    "too many calls are open at once, or their arguments are too long together: one of {tool} was skipped; raise the limit"
                )
            }
        }
    }
}

impl core::error::Error for Error<'_> {}

/// The beginning of a text, short enough for a message.
struct Excerpt<'a>(&'a str);

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MAX_LEN: usize = 120;
        let end = utf8::floor_char_boundary(self.0, MAX_LEN);
        f.write_str(&self.0[..end])?;
        if end < self.0.len() { f.write_str(" …") } else { Ok(()) }
    }
}
