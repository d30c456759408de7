//! The state of a parser as data.

use alloc::sync::Arc;
use core::fmt;
use core::hash::{Hash, Hasher};

use crate::config::Policy;
use crate::hash::Fnv;
use crate::parser::Parser;
use crate::syntax::{Saved, Syntax};
use crate::utf8::Tail;

/// The version of the format. A change of what is stored, or of what it means, is a new one.
const VERSION: u32 = 1;

/// The state of a [`Parser`] between two chunks, as data.
///
/// It is a function of the bytes fed so far (and of the policy): equal for equal bytes, however they were cut. With the
/// feature `serde` it can be stored, and the stream read on in another process. It has a format version and a checksum:
/// one that was damaged, or made by another version, is not resumed.
///
/// Cost: as much memory as the part of the stream that is still open, which the limits bound. Outside a call that is less than 1 KiB.
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
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Checkpoint {
    version: u32,
    /// Of all that follows.
    checksum: u64,
    state: State,
}

impl Checkpoint {
    /// Forges the version and the checksum. For tests of what a forged checkpoint may do.
    #[doc(hidden)]
    #[must_use]
    pub fn with_valid_checksum(self) -> Checkpoint {
        Checkpoint { version: VERSION, checksum: self.state.checksum(), state: self.state }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct State {
    /// The policy's fingerprint.
    policy: u64,
    read: u64,
    tail: Tail,
    syntax: Saved,
}

impl State {
    fn checksum(&self) -> u64 {
        let mut hash = Fnv::default();
        self.hash(&mut hash);
        hash.finish()
    }
}

/// A checkpoint that can't be resumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResumeError {
    /// It has a format version that this version of the crate does not read.
    OtherVersion,
    /// It was made under another policy, so that what it holds means something else.
    OtherPolicy,
    /// It was damaged or changed: its checksum is wrong, or what it holds exceeds the limits.
    Corrupt,
}

impl fmt::Display for ResumeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ResumeError::OtherVersion => {
                "the checkpoint has another format version: resume it with the version of followup that made it, or read the stream from its start"
            }
            ResumeError::OtherPolicy => {
                "the checkpoint was made under another policy: resume it under the policy its parser had"
            }
            ResumeError::Corrupt => "the checkpoint is corrupt: it was damaged or changed; read the stream from its start",
        })
    }
}

impl core::error::Error for ResumeError {}

impl Parser {
    /// Returns the state, as data. What the last cursor had not yet been asked for is not in it.
    ///
    /// Cost: a copy of what is open of the stream.
    pub fn checkpoint(&self) -> Checkpoint {
        let (read, tail, syntax) = self.parts();
        let state = State { policy: self.policy().fingerprint(), read, tail, syntax: syntax.save() };
        Checkpoint { version: VERSION, checksum: state.checksum(), state }
    }

    /// Returns a parser that reads on where the checkpoint was made.
    ///
    /// Cost: linear in what is open of the stream.
    ///
    /// # Errors
    ///
    /// If the checkpoint has another format version, was made under another policy, or is corrupt. A checkpoint with a forged
    /// checksum may be resumed; what it is resumed to never panics and stays within the limits.
    ///
    /// ```
    /// use followup::{Event, Parser, Policy, Malformed, ResumeError};
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
        let (policy, Checkpoint { version, checksum, state }) = (policy.into(), checkpoint);
        if version != VERSION {
            return Err(ResumeError::OtherVersion);
        }
        if checksum != state.checksum() {
            return Err(ResumeError::Corrupt);
        }
        if policy.fingerprint() != state.policy {
            return Err(ResumeError::OtherPolicy);
        }
        let State { read, tail, syntax, .. } = state;
        // No stream is so long that counting on would overflow.
        if read > u64::MAX / 2 || !tail.is_in_bounds() {
            return Err(ResumeError::Corrupt);
        }
        let syntax = Syntax::restore(policy, syntax, read).ok_or(ResumeError::Corrupt)?;
        Ok(Parser::from_parts(read, tail, syntax))
    }
}
