//! Which tags mean something in prose and in the calls of other tools.

use super::code::{Bracket, Code};
use super::lexed::Name;
use super::tag::{Allowed, Others, Set, TagNames};
use crate::config::{CallStart, Envelopes, Policy};
use crate::envelope::kinds::{Tags, openers};

/// The opening tags of all tools, ours and others.
pub(super) const TOOLS: TagNames = TagNames { hidden: Set::ASK, shown: Set::NONE, others: Others::Tools };

/// No tags.
pub(super) const NOTHING: Allowed = Allowed { open: TagNames::NONE, close: TagNames::NONE, envelope: Tags::none() };

/// The opening tags of tools.
pub(super) const OPENING: Allowed = Allowed { open: TOOLS, ..NOTHING };

/// Returns the tags of another tool's call. `parameter`: in the value of that parameter.
pub(super) fn in_opaque(tool: u16, parameter: Option<u16>) -> Allowed {
    let (open, close) = match parameter {
        None => (TagNames { others: Others::ToolsAndParameters, ..TOOLS }, Name::Tool(tool)),
        Some(parameter) => (TagNames::NONE, Name::Parameter(parameter)),
    };
    Allowed { open, close: TagNames { others: Others::Only(close), ..TagNames::NONE }, ..NOTHING }
}

/// Returns the tags of prose, in which envelopes of these families may start.
pub(super) fn in_prose(code: Code, families: Envelopes, policy: &Policy) -> Allowed {
    let bracket = code.at_bracket();
    let may_start = code.may_start_envelope() && !families.is_empty();
    let envelope =
        if may_start { Tags { limit: policy.limits.unconfirmed, ..openers(families) } } else { Tags::none() };
    match bracket {
        _ if policy.call_start == CallStart::Anywhere => Allowed { envelope, ..OPENING },
        Bracket::Plain => {
            Allowed { open: TagNames { shown: Set::THINK.or(Set::THINKING), ..TOOLS }, envelope, ..OPENING }
        }
        Bracket::Code => NOTHING,
        Bracket::Thinking { long } => {
            let shown = if long { Set::THINKING } else { Set::THINK };
            Allowed { close: TagNames { shown, ..TagNames::NONE }, ..NOTHING }
        }
    }
}
