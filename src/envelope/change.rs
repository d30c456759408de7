//! What the text around an envelope has to know of it.

/// What the text around an envelope has to know of a change in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Change {
    Stay,
    /// There is no call: what is held back is prose.
    NoCall,
    /// A call of another tool begins with what is held back.
    OpaqueStart,
    /// What is held back is a part of another tool's call.
    Opaque,
    /// The same, and with it the call has ended.
    OpaqueEnd,
    /// A call of our tool has ended.
    Ended(AfterCall),
    /// A call of another tool has ended.
    OtherEnded(AfterCall),
}

/// What comes after a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum AfterCall {
    /// Prose, which begins with what is held back.
    Prose,
    /// The next call of the same wrapper; its header begins with what is held back.
    Header,
}
