//! Checkpoints: the state of a parser of responses as data.

use alloc::sync::Arc;

use super::body::{BodyParser, SavedBody};
use super::limits::Limits;
use super::response::ResponseParser;
use crate::sealed::Sealed;
use crate::{Policy, ResumeError};

/// The version of the format. Any change of the stored data or of its meaning increases it.
const VERSION: u32 = 11;

/// The state of a [`ResponseParser`] between two chunks, as data.
///
/// It depends only on the policy, the limits and the bytes of the body fed so far, not on how they
/// were cut. With the feature `serde` it can be stored, and another process can
/// [resume](ResponseParser::resume) the body. It has a format version and a checksum: a damaged
/// checkpoint, or one of another version, is an error.
///
/// Cost: as much memory as the event and the calls that are open, which the limits bound. Between
/// two events of a message without calls this is less than 2 KiB. While the format is being
/// detected, it is the body so far.
///
/// ```
/// use followup::Policy;
/// use followup::wire::{Format, ResponseParser};
///
/// let body = b"data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\ndata: {\"choi";
/// let mut whole = ResponseParser::new(Format::OpenAiChat, Policy::new());
/// drop(whole.feed(body));
/// let mut pieces = ResponseParser::new(Format::OpenAiChat, Policy::new());
/// for byte in body {
///     drop(pieces.feed(&[*byte]));
/// }
/// assert_eq!(whole.checkpoint(), pieces.checkpoint());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct Checkpoint(Sealed<StoredResponse, VERSION>);

impl Checkpoint {
    /// Forges the version and the checksum. For tests of what a forged checkpoint may do.
    #[doc(hidden)]
    #[must_use]
    pub fn with_valid_checksum(self) -> Checkpoint {
        Checkpoint(self.0.reseal())
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct StoredResponse {
    /// The policy's fingerprint.
    policy: u64,
    limits: Limits,
    body: SavedBody,
}

impl ResponseParser {
    /// Returns the state as data.
    ///
    /// Events that were not taken from the last cursor are not part of it.
    ///
    /// Cost: a copy of the event and the calls that are open.
    #[must_use]
    pub fn checkpoint(&self) -> Checkpoint {
        let state =
            StoredResponse { policy: self.policy().fingerprint(), limits: *self.limits(), body: self.body.save() };
        Checkpoint(Sealed::new(state))
    }

    /// Returns a parser that continues where the checkpoint was made.
    ///
    /// Cost: linear in the length of the checkpoint.
    ///
    /// # Errors
    ///
    /// If the checkpoint has another format version, was made under another policy or other limits
    /// ([`OtherPolicy`](ResumeError::OtherPolicy)), or is corrupt. A forged checkpoint with a valid
    /// checksum may be accepted; the parser then never panics and stays within the limits.
    ///
    /// ```
    /// use followup::{Event, Policy, ResumeError};
    /// use followup::wire::{Format, Limits, ResponseParser};
    ///
    /// let mut parser = ResponseParser::new(Format::Ollama, Policy::new());
    /// drop(parser.feed(b"{\"response\":\"One mo"));
    /// let checkpoint = parser.checkpoint();
    ///
    /// let mut resumed = ResponseParser::resume(Policy::new(), Limits::default(), checkpoint.clone())?;
    /// assert_eq!(resumed.feed(b"ment.\"}\n").next(), Some(Ok(Event::Text("One moment."))));
    ///
    /// let small = Limits::default().with_event(20);
    /// let error = ResponseParser::resume(Policy::new(), small, checkpoint).unwrap_err();
    /// assert_eq!(error, ResumeError::OtherPolicy);
    /// # Ok::<(), ResumeError>(())
    /// ```
    pub fn resume(
        policy: impl Into<Arc<Policy>>,
        limits: Limits,
        checkpoint: Checkpoint,
    ) -> Result<ResponseParser, ResumeError> {
        let (policy, state) = (policy.into(), checkpoint.0.open()?);
        if (policy.fingerprint(), limits) != (state.policy, state.limits) {
            return Err(ResumeError::OtherPolicy);
        }
        Ok(ResponseParser { body: BodyParser::restore(policy, limits, state.body)? })
    }
}
