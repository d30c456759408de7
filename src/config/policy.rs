//! The policy that a stream is read under.

use core::hash::{Hash, Hasher};

use super::limits::Limits;
use super::tools::Tools;
use crate::hash::Fnv;

/// How a stream is read. Built once, shared by all parsers that read under it.
///
/// The default repairs what models commonly get wrong, lets a call start anywhere, leaves entities
/// as they are, and knows the tools of the agents this format comes from. Each setting's type shows both sides of it.
///
/// ```
/// use followup::{CallStart, Entities, Limits, Policy, Malformed, Tools};
///
/// let policy = Policy::new()
///     .with_malformed(Malformed::Reject)
///     .with_call_start(CallStart::OutsideCode)
///     .with_entities(Entities::Decoded)
///     .with_tools(Tools::none())
///     .with_limits(Limits { suggestions: 4, ..Limits::default() });
/// assert_ne!(policy, Policy::default());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default, deny_unknown_fields))]
pub struct Policy {
    pub(crate) malformed: Malformed,
    pub(crate) call_start: CallStart,
    pub(crate) entities: Entities,
    pub(crate) tools: Tools,
    pub(crate) limits: Limits,
}

impl Policy {
    /// Returns the default policy.
    pub fn new() -> Policy {
        Policy::default()
    }

    /// Sets what becomes of a malformed call.
    #[must_use]
    pub fn with_malformed(self, malformed: Malformed) -> Policy {
        Policy { malformed, ..self }
    }

    /// Sets where a call may start.
    #[must_use]
    pub fn with_call_start(self, call_start: CallStart) -> Policy {
        Policy { call_start, ..self }
    }

    /// Sets whether entities are decoded.
    #[must_use]
    pub fn with_entities(self, entities: Entities) -> Policy {
        Policy { entities, ..self }
    }

    /// Sets the names of other tools and of their parameters.
    #[must_use]
    pub fn with_tools(self, tools: Tools) -> Policy {
        Policy { tools, ..self }
    }

    /// Sets the limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Policy {
        Policy { limits, ..self }
    }

    /// Returns what becomes of a malformed call.
    pub fn malformed(&self) -> Malformed {
        self.malformed
    }

    /// Returns where a call may start.
    pub fn call_start(&self) -> CallStart {
        self.call_start
    }

    /// Returns whether entities are decoded.
    pub fn entities(&self) -> Entities {
        self.entities
    }

    /// Returns the names of other tools and of their parameters.
    pub fn tools(&self) -> &Tools {
        &self.tools
    }

    /// Returns the limits.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Returns the policy as a number, the same on every machine, to tell the checkpoints of one policy from
    /// those of another.
    pub(crate) fn fingerprint(&self) -> u64 {
        let mut hash = Fnv::default();
        self.hash(&mut hash);
        hash.finish()
    }
}

/// What becomes of a call that is not quite well-formed.
///
/// ```
/// use followup::{Event, Note, Parser, Policy, Reason, Malformed};
///
/// // `</question>` is missing.
/// let message = "<ask_followup_question><question>Which?</ask_followup_question>";
///
/// let mut parser = Parser::new(Policy::new().with_malformed(Malformed::Repair));
/// let mut events = parser.feed(message);
/// while let Some(event) = events.next() {
///     if let Event::Complete(call) = event {
///         assert_eq!((call.question(), call.notes()), ("Which?", &[Note::UnclosedQuestion][..]));
///     }
/// }
/// # drop(events);
///
/// let mut parser = Parser::new(Policy::new().with_malformed(Malformed::Reject));
/// let mut events = parser.feed(message);
/// while let Some(event) = events.next() {
///     assert!(!matches!(event, Event::Complete(_)));
///     if let Event::Rejected(call) = event {
///         assert_eq!(call.reason(), Reason::Malformed(Note::UnclosedQuestion));
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Malformed {
    /// It is repaired, and a note says so. The default.
    #[default]
    Repair,
    /// It is rejected: the strict policy.
    Reject,
}

/// Where in the prose a call may start.
///
/// ```
/// use followup::{CallStart, Event, Parser, Policy};
///
/// let message = "```xml\n<ask_followup_question><question>Q?</question></ask_followup_question>\n```";
/// let asks = |calls: CallStart| {
///     let mut parser = Parser::new(Policy::new().with_call_start(calls));
///     let mut events = parser.feed(message);
///     let mut asked = 0;
///     while let Some(event) = events.next() {
///         asked += usize::from(matches!(event, Event::Complete(_)));
///     }
///     asked
/// };
/// assert_eq!(asks(CallStart::Anywhere), 1);
/// assert_eq!(asks(CallStart::OutsideCode), 0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum CallStart {
    /// Anywhere, as in the agents this format comes from. The default.
    #[default]
    Anywhere,
    /// Not in a code span, a code fence or a thinking block.
    OutsideCode,
}

/// What entities (`&lt;`, `&#39;`) in questions, answers and modes mean.
///
/// Decoded are the five of XML and numbers of characters; everything else stays as it is written.
///
/// ```
/// use followup::{Entities, Event, Parser, Policy};
///
/// let message = "<ask_followup_question><question>a &lt; b?</question></ask_followup_question>";
/// let question = |entities: Entities| {
///     let mut parser = Parser::new(Policy::new().with_entities(entities));
///     let mut events = parser.feed(message);
///     while let Some(event) = events.next() {
///         if let Event::Complete(call) = event {
///             return call.question().to_owned();
///         }
///     }
///     unreachable!()
/// };
/// assert_eq!(question(Entities::Raw), "a &lt; b?");
/// assert_eq!(question(Entities::Decoded), "a < b?");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Entities {
    /// They are text. The default: models write `&lt;` when they mean it.
    #[default]
    Raw,
    /// They are the characters they stand for.
    Decoded,
}
