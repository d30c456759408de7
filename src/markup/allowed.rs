//! Which tags mean something in which state.

use super::code::{Bracket, Code};
use super::names::{Name, Others, Set, TagNames};
use super::state::{Body, Inside, Spot, State};
use super::tag::Allowed;
use crate::scan::Quotes;

const PARAMETERS: Set = Set::QUESTION.or(Set::FOLLOW_UP).or(Set::SUGGEST).or(Set::OPTIONS);

/// The tags that a list of suggestions consists of.
const LISTS: Set = Set::FOLLOW_UP.or(Set::SUGGEST).or(Set::OPTIONS).or(Set::CONTENT).or(Set::MODE);

/// Right after a back-tick, an opening tag that would end the value is text.
const ENDING: Set = Set::SUGGEST.or(Set::FOLLOW_UP);

/// The opening tags of all tools, ours and others.
const TOOLS: TagNames = TagNames { hidden: Set::ASK, shown: Set::NONE, others: Others::Tools };

/// No tags.
const NOTHING: Allowed = Allowed { open: TagNames::NONE, close: TagNames::NONE };

/// The tags that confirm a call.
pub(super) const CONFIRMING: Allowed =
    Allowed { open: TagNames::hidden(PARAMETERS), close: TagNames::hidden(PARAMETERS.or(Set::ASK)) };

/// The length of the shortest of them: `<suggest>`.
pub(super) const SHORTEST_CONFIRMING: usize = 9;

/// The opening tags of tools.
pub(super) const OPENING: Allowed = Allowed { open: TOOLS, close: TagNames::NONE };

/// Returns the tags of a state. `listing`: there are no tags but those of lists of suggestions.
#[inline]
pub(super) fn allowed(state: &State, after_backtick: bool, listing: bool) -> Allowed {
    match state {
        State::Prose(code) => in_prose(*code),
        State::Opaque { tool, parameter: None } => Allowed {
            open: TagNames { others: Others::ToolsAndParameters, ..TOOLS },
            close: TagNames { others: Others::Only(Name::Tool(*tool)), ..TagNames::NONE },
        },
        State::Opaque { parameter: Some(parameter), .. } => Allowed {
            close: TagNames { others: Others::Only(Name::Parameter(*parameter)), ..TagNames::NONE },
            ..NOTHING
        },
        State::Unconfirmed(_) => Allowed { open: TagNames { hidden: PARAMETERS.or(Set::ASK), ..TOOLS }, ..CONFIRMING },
        State::Inside(inside) if listing => {
            let Allowed { open, close } = in_call(*inside, after_backtick);
            let only = |names: TagNames| TagNames {
                hidden: names.hidden.and(LISTS),
                shown: names.shown.and(LISTS),
                others: Others::None,
            };
            Allowed { open: only(open), close: only(close) }
        }
        State::Inside(inside) => in_call(*inside, after_backtick),
        State::Ended { .. } | State::Named { .. } => NOTHING,
    }
}

fn in_prose(code: Code) -> Allowed {
    match code.at_bracket() {
        Bracket::Plain if code == Code::Ignored => OPENING,
        Bracket::Plain => Allowed { open: TagNames { shown: Set::THINK.or(Set::THINKING), ..TOOLS }, ..OPENING },
        Bracket::Code => NOTHING,
        Bracket::Thinking { long } => {
            let shown = if long { Set::THINKING } else { Set::THINK };
            Allowed { close: TagNames { shown, ..TagNames::NONE }, ..NOTHING }
        }
    }
}

fn in_call(Inside { spot, .. }: Inside, after_backtick: bool) -> Allowed {
    let ends_suggestion = Set::SUGGEST.or(Set::FOLLOW_UP).or(Set::ASK);
    let elements = Set::CONTENT.or(Set::MODE);
    let (open, close) = match spot {
        // In a string of a list, a tool is only named.
        Spot::Between(Body::List(Quotes::Inside | Quotes::Escaped)) => return CONFIRMING,
        Spot::Between(_) => {
            return Allowed { open: TagNames { hidden: PARAMETERS.or(Set::ASK), ..TOOLS }, ..CONFIRMING };
        }
        Spot::Question => (Set::FOLLOW_UP, Set::QUESTION.or(Set::ASK)),
        Spot::Suggestion => (Set::SUGGEST.or(elements), ends_suggestion),
        Spot::Answer => (Set::SUGGEST, ends_suggestion),
        Spot::Nested { .. } => (Set::SUGGEST.or(elements), ends_suggestion.or(elements)),
        Spot::Content { .. } => (Set::SUGGEST, ends_suggestion.or(Set::CONTENT)),
        Spot::Mode { .. } => (Set::SUGGEST, ends_suggestion.or(Set::MODE)),
        Spot::Options => (Set::NONE, Set::OPTIONS.or(Set::ASK)),
    };
    let shown = if after_backtick { open.and(ENDING) } else { Set::NONE };
    Allowed { open: TagNames { shown, ..TagNames::hidden(open.without(shown)) }, close: TagNames::hidden(close) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Tools;
    use crate::markup::tag::{IncompleteTag, Read, read};

    #[test]
    fn the_shortest_confirming_tag_is_as_short_as_the_grammar_has_it() {
        let Read::Incomplete(IncompleteTag { more, .. }) =
            read::<nom::Streaming>(b"<", &CONFIRMING, &Tools::none(), 256)
        else {
            panic!("a bracket begins a tag")
        };
        assert_eq!(more + 1, SHORTEST_CONFIRMING);
    }
}
