//! Which tags exist where.

use super::code::{Bracket, Code};
use super::grammar::Tags;
use super::inside::Spot;
use super::name::{Candidates, Name, Ours};
use super::plain::Sides;
use super::{Machine, State};

/// The tags of a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places<'p> {
    /// Those that do not show as text, so that what may become one is held back.
    pub(super) hidden: Tags<'p>,
    /// Those that mean something and show all the same.
    pub(super) shown: Option<Tags<'p>>,
}

const PARAMETERS: Ours = Ours::QUESTION.with(Ours::FOLLOW_UP).with(Ours::SUGGEST).with(Ours::OPTIONS);

const NO_TAGS: Tags<'static> = Tags { open: Candidates::NONE, close: Candidates::NONE };

const fn tags(open: Ours, close: Ours) -> Tags<'static> {
    Tags { open: Candidates::ours(open), close: Candidates::ours(close) }
}

/// The tags that make it certain that an opening tag began a call.
pub(super) const CONFIRMING: Tags<'static> = tags(PARAMETERS, PARAMETERS.with(Ours::ASK));

/// How many bytes the shortest of them has: `<suggest>`.
pub(super) const SHORTEST_CONFIRMING: u64 = 9;

impl Machine {
    /// The opening tags of all tools, ours and others.
    pub(super) fn tools(&self) -> Tags<'_> {
        Tags { open: Candidates::ours(Ours::ASK).tools(&self.policy.tools.tools), close: Candidates::NONE }
    }

    /// Our own names among those of the tags that do not show, where they are quickly known; elsewhere none.
    pub(super) fn ours(&self, behind_tick: bool) -> Sides {
        match &self.state {
            State::Prose(Code::Ignored) | State::Opaque { parameter: None, .. } => {
                Sides { open: Ours::ASK, close: Ours::NONE }
            }
            State::Call(spot) if !self.listing => {
                let Sides { open, close } = sides(spot);
                match is_value(spot) {
                    true if behind_tick => Sides { open: open.without(ENDING), close },
                    true => Sides { open, close },
                    // In a string of a list, a tool is only named.
                    false if self.busy.call.in_list_string() => Sides { open, close },
                    false => Sides { open: open.with(Ours::ASK), close },
                }
            }
            _ => Sides { open: Ours::NONE, close: Ours::NONE },
        }
    }

    pub(super) fn places(&self, behind_tick: bool) -> Places<'_> {
        let list = &self.policy.tools;
        let tools = self.tools();
        let hidden = |hidden| Places { hidden, shown: None };
        match &self.state {
            State::Prose(code) => match (self.bracket(), code) {
                (Bracket::Code, _) => hidden(NO_TAGS),
                (Bracket::Thinking { long }, _) => {
                    let close = if long { Ours::THINKING } else { Ours::THINK };
                    Places { hidden: NO_TAGS, shown: Some(tags(Ours::NONE, close)) }
                }
                (Bracket::Plain, Code::Ignored) => hidden(tools),
                (Bracket::Plain, _) => {
                    Places { hidden: tools, shown: Some(tags(Ours::THINK.with(Ours::THINKING), Ours::NONE)) }
                }
            },
            State::Opaque { tool, parameter: None } => {
                let close = Candidates::only(list.tools.name(*tool), Name::Tool(*tool));
                let open = Candidates::ours(Ours::NONE).parameters(&list.parameters);
                Places { hidden: tools, shown: Some(Tags { open, close }) }
            }
            State::Opaque { parameter: Some(parameter), .. } => {
                let close = Candidates::only(list.parameters.name(*parameter), Name::Parameter(*parameter));
                Places { hidden: NO_TAGS, shown: Some(Tags { open: Candidates::NONE, close }) }
            }
            State::Call(spot) if self.listing => only_lists(in_call(spot, Candidates::NONE, behind_tick)),
            // In a string of a list, a tool is only named.
            State::Call(spot @ Spot::Between) if self.busy.call.in_list_string() => {
                in_call(spot, Candidates::NONE, behind_tick)
            }
            State::Call(spot) => in_call(spot, tools.open, behind_tick),
            State::Ended { .. } | State::Demoted { .. } => hidden(NO_TAGS),
        }
    }
}

/// Those of them that lists consist of.
fn only_lists(places: Places<'_>) -> Places<'static> {
    let lists = Ours::FOLLOW_UP.with(Ours::SUGGEST).with(Ours::OPTIONS).with(Ours::CONTENT).with(Ours::MODE);
    let keep = |one: Tags<'_>| self::tags(one.open.ours.both(lists), one.close.ours.both(lists));
    Places { hidden: keep(places.hidden), shown: places.shown.map(keep) }
}

fn in_call<'p>(spot: &Spot, tool: Candidates<'p>, behind_tick: bool) -> Places<'p> {
    let Sides { open, close } = sides(spot);
    if !is_value(spot) {
        let open = Candidates { ours: tool.ours.with(open), ..tool };
        return Places { hidden: Tags { open, close: Candidates::ours(close) }, shown: None };
    }
    match behind_tick {
        true => Places { hidden: tags(open.without(ENDING), close), shown: Some(tags(open.both(ENDING), Ours::NONE)) },
        false => Places { hidden: tags(open, close), shown: None },
    }
}

/// Right behind a back-tick, an opening tag that would end the value is text.
const ENDING: Ours = Ours::SUGGEST.with(Ours::FOLLOW_UP);

fn is_value(spot: &Spot) -> bool {
    !matches!(spot, Spot::Opened { .. } | Spot::Between)
}

/// Our own names, without the tool's, of the tags in a call.
fn sides(spot: &Spot) -> Sides {
    let ends_suggestion = Ours::SUGGEST.with(Ours::FOLLOW_UP).with(Ours::ASK);
    let elements = Ours::CONTENT.with(Ours::MODE);
    let (open, close) = match spot {
        Spot::Opened { .. } | Spot::Between => (PARAMETERS, PARAMETERS.with(Ours::ASK)),
        Spot::Question => (Ours::FOLLOW_UP, Ours::QUESTION.with(Ours::ASK)),
        Spot::Suggestion => (Ours::SUGGEST.with(elements), ends_suggestion),
        Spot::Answer => (Ours::SUGGEST, ends_suggestion),
        Spot::Nested(_) => (Ours::SUGGEST.with(elements), ends_suggestion.with(elements)),
        Spot::Content(_) => (Ours::SUGGEST, ends_suggestion.with(Ours::CONTENT)),
        Spot::Mode(_) => (Ours::SUGGEST, ends_suggestion.with(Ours::MODE)),
        Spot::Options => (Ours::NONE, Ours::OPTIONS.with(Ours::ASK)),
    };
    Sides { open, close }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markup::grammar::{Read, read};

    #[test]
    fn the_shortest_tag_is_as_short_as_the_grammar_has_it() {
        let Read::Begun(more) = read(b"<", CONFIRMING) else { panic!("a bracket begins a tag") };
        assert_eq!(more as u64 + 1, SHORTEST_CONFIRMING);
    }
}
