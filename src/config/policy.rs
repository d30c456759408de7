//! The policy of a parser.

use core::hash::{Hash, Hasher};

use super::envelopes::Envelopes;
use super::limits::Limits;
use super::tools::Tools;
use crate::hash::Fnv;
use crate::shape::Shapes;

/// How a stream is read.
///
/// The default repairs what models commonly get wrong, lets a call start anywhere, does not decode
/// entities, reads the usual envelopes and the built-in question tools, and knows the other tools
/// of the agents that this format comes from. The type of each setting has an example of its
/// effect. Parsers can share a policy in an `Arc`.
///
/// ```
/// use followup::{CallStart, Entities, Envelopes, Limits, Malformed, Policy, Tools};
///
/// let policy = Policy::new()
///     .with_malformed(Malformed::Reject)
///     .with_call_start(CallStart::OutsideCode)
///     .with_entities(Entities::Decoded)
///     .with_envelopes(Envelopes::none())
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
    pub(crate) envelopes: Envelopes,
    pub(crate) tools: Tools,
    pub(crate) shapes: Shapes,
    pub(crate) limits: Limits,
}

impl Policy {
    /// Returns the default policy.
    pub fn new() -> Policy {
        Policy::default()
    }

    /// Sets what happens to a malformed call.
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

    /// Sets which envelopes are read. The strict policy reads none, whatever is set here.
    #[must_use]
    pub fn with_envelopes(self, envelopes: Envelopes) -> Policy {
        Policy { envelopes, ..self }
    }

    /// Sets the names of other tools and of their parameters.
    #[must_use]
    pub fn with_tools(self, tools: Tools) -> Policy {
        Policy { tools, ..self }
    }

    /// Sets the question tools that are read besides `ask_followup_question`.
    ///
    /// They are read in a provider's stream, in envelopes, and by
    /// [`Parser::arguments_of`](crate::Parser::arguments_of).
    #[must_use]
    pub fn with_shapes(self, shapes: Shapes) -> Policy {
        Policy { shapes, ..self }
    }

    /// Sets the limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Policy {
        Policy { limits, ..self }
    }

    /// Returns what happens to a malformed call.
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

    /// Returns which envelopes are read.
    ///
    /// ```
    /// use followup::{Envelopes, Malformed, Policy};
    ///
    /// assert_eq!(Policy::new().envelopes(), Envelopes::default());
    /// assert!(Policy::new().with_malformed(Malformed::Reject).envelopes().is_empty());
    /// ```
    pub fn envelopes(&self) -> Envelopes {
        if self.malformed == Malformed::Reject { Envelopes::none() } else { self.envelopes }
    }

    /// Returns the names of other tools and of their parameters.
    pub fn tools(&self) -> &Tools {
        &self.tools
    }

    /// Returns the question tools whose arguments are read, besides `ask_followup_question`.
    pub fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    /// Returns the limits.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Returns a hash of the policy, which is the same on every machine.
    ///
    /// It tells the checkpoints of different policies apart.
    pub(crate) fn fingerprint(&self) -> u64 {
        let mut hash = Fnv::default();
        self.hash(&mut hash);
        hash.finish()
    }
}

/// What happens to a call that is not well-formed.
///
/// ```
/// use followup::{Event, Malformed, Note, Parser, Policy, Reason};
///
/// // `</question>` is missing.
/// let message = "<ask_followup_question><question>Which?</ask_followup_question>";
///
/// for malformed in [Malformed::Repair, Malformed::Reject] {
///     let mut parser = Parser::new(Policy::new().with_malformed(malformed));
///     let mut has_ended = false;
///     parser.feed(message).for_each(|event| match event {
///         Event::Complete(call) => {
///             assert_eq!(malformed, Malformed::Repair);
///             assert_eq!(call.question(), "Which?");
///             assert_eq!(call.notes(), [Note::UnclosedQuestion]);
///             has_ended = true;
///         }
///         Event::Rejected(call) => {
///             assert_eq!(malformed, Malformed::Reject);
///             assert_eq!(call.reason(), Reason::Malformed(Note::UnclosedQuestion));
///             has_ended = true;
///         }
///         Event::Text(_) | Event::Opaque(_) | Event::Partial(_) => {}
///     });
///     assert!(has_ended);
/// }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Malformed {
    /// It is repaired, with a note for each repair. The default.
    #[default]
    Repair,
    /// It is rejected. This is the strict policy.
    Reject,
}

/// Where in the prose a call may start.
///
/// ```
/// use followup::{CallStart, Event, Parser, Policy};
///
/// let message = "```xml\n\
///     <ask_followup_question><question>Q?</question></ask_followup_question>\n\
///     ```";
/// let asked = |start: CallStart| {
///     let mut asked = 0;
///     Parser::new(Policy::new().with_call_start(start)).feed(message).for_each(|event| {
///         asked += usize::from(matches!(event, Event::Complete(_)));
///     });
///     asked
/// };
/// assert_eq!(asked(CallStart::Anywhere), 1);
/// assert_eq!(asked(CallStart::OutsideCode), 0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum CallStart {
    /// Anywhere, as in the agents that this format comes from. The default.
    #[default]
    Anywhere,
    /// Outside code spans, code fences and thinking blocks.
    OutsideCode,
}

/// What entities in questions, answers and modes mean.
///
/// The five entities of XML (`&lt;`) and numeric references (`&#39;`, `&#x27;`) are known. Any
/// other stays as it is written.
///
/// ```
/// use followup::{Entities, Event, Parser, Policy};
///
/// let message = "<ask_followup_question><question>a &lt; b?</question></ask_followup_question>";
/// let question = |entities: Entities| {
///     let mut question = String::new();
///     Parser::new(Policy::new().with_entities(entities)).feed(message).for_each(|event| {
///         if let Event::Complete(call) = event {
///             question.push_str(call.question());
///         }
///     });
///     question
/// };
/// assert_eq!(question(Entities::Raw), "a &lt; b?");
/// assert_eq!(question(Entities::Decoded), "a < b?");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Entities {
    /// They are text.
    ///
    /// The default, because a model that writes `&lt;` usually wants these four characters.
    #[default]
    Raw,
    /// They are decoded to characters.
    Decoded,
}
