//! Which tags mean something in which state.

use super::code::{Bracket, Code};
use super::names::{Name, Others, Set, TagNames};
use super::state::{Body, Inside, Position};
use super::tag::Allowed;
use crate::config::{CallStart, Envelopes, Policy};
use crate::envelope::kinds::{Tags, openers};
use crate::scan::Quotes;

const PARAMETERS: Set = Set::QUESTION.or(Set::FOLLOW_UP).or(Set::SUGGEST).or(Set::OPTIONS);

/// The tags that a list of suggestions consists of.
const LISTS: Set = Set::FOLLOW_UP.or(Set::SUGGEST).or(Set::OPTIONS).or(Set::CONTENT).or(Set::MODE);

/// Right after a back-tick, an opening tag that would end the value is text.
const ENDING: Set = Set::SUGGEST.or(Set::FOLLOW_UP);

/// The opening tags of all tools, ours and others.
const TOOLS: TagNames = TagNames { hidden: Set::ASK, shown: Set::NONE, others: Others::Tools };

/// No tags.
pub(super) const NOTHING: Allowed = Allowed { open: TagNames::NONE, close: TagNames::NONE, envelope: Tags::none() };

/// The tags that confirm a call.
pub(super) const CONFIRMING: Allowed =
    Allowed { open: TagNames::hidden(PARAMETERS), close: TagNames::hidden(PARAMETERS.or(Set::ASK)), ..NOTHING };

/// The length of the shortest of them: `<suggest>`.
pub(super) const SHORTEST_CONFIRMING: usize = 9;

/// The tags between parameters: the tags that confirm a call, and the opening tags of tools.
pub(super) const BETWEEN: Allowed =
    Allowed { open: TagNames { hidden: PARAMETERS.or(Set::ASK), ..TOOLS }, ..CONFIRMING };

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

/// Returns the tags of a list of suggestions in a text of its own.
pub(super) fn in_list(inside: Inside, after_backtick: bool) -> Allowed {
    let Allowed { open, close, .. } = in_call(inside, after_backtick);
    let only = |names: TagNames| TagNames {
        hidden: names.hidden.and(LISTS),
        shown: names.shown.and(LISTS),
        others: Others::None,
    };
    Allowed { open: only(open), close: only(close), ..NOTHING }
}

/// Returns the tags of a call.
pub(super) fn in_call(Inside { position, .. }: Inside, after_backtick: bool) -> Allowed {
    let ends_suggestion = Set::SUGGEST.or(Set::FOLLOW_UP).or(Set::ASK);
    let elements = Set::CONTENT.or(Set::MODE);
    let (open, close) = match position {
        // In a string of a list, a tool is only named.
        Position::Between(Body::List(Quotes::Inside | Quotes::Escaped)) => return CONFIRMING,
        Position::Between(_) => return BETWEEN,
        Position::Question => (Set::FOLLOW_UP, Set::QUESTION.or(Set::ASK)),
        Position::Suggestion => (Set::SUGGEST.or(elements), ends_suggestion),
        Position::Answer => (Set::SUGGEST, ends_suggestion),
        Position::Nested { .. } => (Set::SUGGEST.or(elements), ends_suggestion.or(elements)),
        Position::Content { .. } => (Set::SUGGEST, ends_suggestion.or(Set::CONTENT)),
        Position::Mode { .. } => (Set::SUGGEST, ends_suggestion.or(Set::MODE)),
        Position::Options => (Set::NONE, Set::OPTIONS.or(Set::ASK)),
    };
    let shown = if after_backtick { open.and(ENDING) } else { Set::NONE };
    let open = TagNames { shown, ..TagNames::hidden(open.without(shown)) };
    Allowed { open, close: TagNames::hidden(close), ..NOTHING }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Tools;
    use crate::markup::tag::{IncompleteTag, LexedTag, read};

    #[test]
    fn the_shortest_confirming_tag_is_as_short_as_the_grammar_has_it() {
        let LexedTag::Incomplete(IncompleteTag { more, .. }) =
            read::<nom::Streaming>(b"<", &CONFIRMING, &Tools::none(), 256)
        else {
            panic!("a bracket begins a tag")
        };
        assert_eq!(more + 1, SHORTEST_CONFIRMING);
    }
}
