//! Checkpoints: the state of a parser as data.

use alloc::sync::Arc;

use crate::config::Policy;
use crate::parser::Parser;
use crate::sealed::{ResumeError, Sealed};
use crate::syntax::{SavedSyntax, Syntax};
use crate::utf8::Tail;

/// The version of the format. Any change of the stored data or of its meaning increases it.
const VERSION: u32 = 17;

/// The state of a [`Parser`] between two chunks, as data.
///
/// It depends only on the policy and on the bytes fed so far, not on how they were cut. With the
/// feature `serde` it can be stored, and another process can [resume](Parser::resume) the stream.
/// It has a format version and a checksum: a damaged checkpoint, or one of another version, is an
/// error.
///
/// Cost: as much memory as the open part of the stream, which the limits bound. Outside a call this
/// is less than 1 KiB.
///
/// ```
/// use followup::Parser;
///
/// let message = "Hm <ask_followup_question><question>Which o";
/// let mut whole = Parser::default();
/// drop(whole.feed(message));
/// let mut pieces = Parser::default();
/// for byte in message.as_bytes() {
///     drop(pieces.feed_bytes(&[*byte]));
/// }
/// assert_eq!(whole.checkpoint(), pieces.checkpoint());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct Checkpoint(Sealed<StoredState, VERSION>);

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
struct StoredState {
    /// The policy's fingerprint.
    policy: u64,
    read: u64,
    tail: Tail,
    syntax: SavedSyntax,
}

impl Parser {
    /// Returns the state as data.
    ///
    /// Events that were not taken from the last cursor are not part of it. If that cursor was
    /// leaked, with [`core::mem::forget`], [`resume`](Parser::resume) may refuse the checkpoint as
    /// corrupt.
    ///
    /// Cost: a copy of the open part of the stream.
    #[must_use]
    pub fn checkpoint(&self) -> Checkpoint {
        let (read, tail, syntax) = self.parts();
        let state = StoredState { policy: self.policy().fingerprint(), read, tail, syntax };
        Checkpoint(Sealed::new(state))
    }

    /// Returns a parser that continues where the checkpoint was made.
    ///
    /// Cost: linear in the length of the open part of the stream.
    ///
    /// # Errors
    ///
    /// If the checkpoint has another format version, was made under another policy, or is corrupt.
    /// A forged checkpoint with a valid checksum may be accepted; the parser then never panics and
    /// stays within the limits.
    ///
    /// ```
    /// use followup::{Event, Malformed, Parser, Policy, ResumeError};
    ///
    /// let mut parser = Parser::default();
    /// drop(parser.feed("<ask_followup_question><question>Which "));
    /// let checkpoint = parser.checkpoint();
    ///
    /// let mut resumed = Parser::resume(Policy::new(), checkpoint.clone())?;
    /// match resumed.feed("one?").next() {
    ///     Some(Event::Partial(call)) => assert_eq!(call.question(), Some("Which one?")),
    ///     other => panic!("{other:?}"),
    /// }
    ///
    /// let strict = Policy::new().with_malformed(Malformed::Reject);
    /// assert_eq!(Parser::resume(strict, checkpoint).unwrap_err(), ResumeError::OtherPolicy);
    /// # Ok::<(), ResumeError>(())
    /// ```
    pub fn resume(policy: impl Into<Arc<Policy>>, checkpoint: Checkpoint) -> Result<Parser, ResumeError> {
        let (policy, state) = (policy.into(), checkpoint.0.open()?);
        if policy.fingerprint() != state.policy {
            return Err(ResumeError::OtherPolicy);
        }
        let StoredState { read, tail, syntax, .. } = state;
        // No real stream is that long, and its length must not overflow later.
        if read > u64::MAX / 2 || !tail.is_in_bounds() {
            return Err(ResumeError::Corrupt);
        }
        let syntax = Syntax::restore(policy, syntax, read).ok_or(ResumeError::Corrupt)?;
        Ok(Parser::from_parts(read, tail, syntax))
    }
}
