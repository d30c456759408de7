//! The state of a parser as data.

use alloc::sync::Arc;
use core::fmt;

use crate::syntax::{Saved, Syntax};
use crate::utf8::Tail;
use crate::{Parser, Policy};

/// The state of a [`Parser`] between two chunks, as data.
///
/// It is a function of the bytes fed so far (and of the policy): equal for equal bytes, however they were cut. With the
/// feature `serde` it can be stored, and the stream read on in another process.
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
    /// What the policy was, as a number.
    policy: u64,
    read: u64,
    tail: Tail,
    syntax: Saved,
}

/// A checkpoint that can't be resumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResumeError {
    /// It was made under another policy, so that what it holds means something else.
    OtherPolicy,
    /// No parser could have made it: it was changed, or damaged.
    Impossible,
}

impl fmt::Display for ResumeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ResumeError::OtherPolicy => {
                "the checkpoint was made under another policy: resume it under the policy its parser had"
            }
            ResumeError::Impossible => {
                "no parser could have made this checkpoint: it was changed or damaged; read the stream from its start"
            }
        })
    }
}

impl core::error::Error for ResumeError {}

impl Parser {
    /// The state, as data. What the last cursor had not yet been asked for is not in it.
    ///
    /// Cost: a copy of what is open of the stream.
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint { policy: self.policy().fingerprint(), read: self.read, tail: self.tail, syntax: self.syntax.save() }
    }

    /// A parser that goes on where the checkpoint was made.
    ///
    /// Cost: linear in what is open of the stream; every part of it is checked.
    ///
    /// # Errors
    ///
    /// If the policy is another than the one the checkpoint was made under, or if no parser could have made the checkpoint.
    /// A stored checkpoint may have come from anywhere; what is resumed never panics.
    ///
    /// ```
    /// use followup::{Event, Parser, Policy, Repairs, ResumeError};
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
    /// let strict = Policy::new().repairs(Repairs::Reject);
    /// assert_eq!(Parser::resume(strict, checkpoint).unwrap_err(), ResumeError::OtherPolicy);
    /// # Ok::<(), ResumeError>(())
    /// ```
    pub fn resume(policy: impl Into<Arc<Policy>>, checkpoint: Checkpoint) -> Result<Parser, ResumeError> {
        let policy = policy.into();
        if policy.fingerprint() != checkpoint.policy {
            return Err(ResumeError::OtherPolicy);
        }
        let Checkpoint { read, tail, syntax, .. } = checkpoint;
        let syntax = if tail.is_possible() { Syntax::resume(policy, syntax, read, tail.bytes()) } else { None };
        let mut parser = Parser::of(syntax.ok_or(ResumeError::Impossible)?);
        (parser.tail, parser.read) = (tail, read);
        parser.take_stock();
        Ok(parser)
    }
}
