//! What the tests share: what a parser shows, as a list of atoms, so that it can be compared.
#![allow(dead_code)]

pub mod arguments;
pub mod reference;

use followup::testing::{self, Step, Syntax, Transcript};
use followup::{Calls, Entities, Limits, Parser, Policy, Repairs, Tools};
use reference::{Atom, Ended, Rules};

/// The policy that reads by these rules.
pub fn policy(rules: &Rules) -> Policy {
    Policy::new()
        .repairs(if rules.strict { Repairs::Reject } else { Repairs::Make })
        .calls(if rules.outside_code { Calls::OutsideCode } else { Calls::Anywhere })
        .entities(if rules.decode_entities { Entities::Decoded } else { Entities::Raw })
        .tools(Tools::new(rules.tools.clone(), rules.parameters.clone()).unwrap())
        .limits(Limits {
            question: rules.question,
            answer: rules.answer,
            suggestions: rules.suggestions,
            tag: rules.tag,
            bare: rules.bare,
        })
}

/// What a transcript says, in the atoms of the reference readers.
pub fn atoms(transcript: &Transcript) -> Vec<Atom> {
    let mut atoms = Vec::new();
    for step in transcript.steps() {
        match step {
            Step::Text(text) => atoms.extend(text.chars().map(Atom::Text)),
            Step::Opaque { nth, tool, raw, .. } => {
                atoms.extend(raw.chars().map(|c| Atom::Opaque { nth: *nth as usize, tool: tool.clone(), c }));
            }
            Step::Question { call, text } => {
                atoms.extend(text.chars().map(|c| Atom::Question { call: *call as usize, c }));
            }
            Step::Mode { call, nth, mode } => {
                atoms.push(Atom::Mode { call: *call as usize, i: *nth, mode: mode.clone() });
            }
            Step::Suggestion { call, nth, text } => {
                atoms.extend(text.chars().map(|c| Atom::Answer { call: *call as usize, i: *nth, c }));
            }
            Step::Complete(call) => atoms.push(Atom::Complete(ended(call))),
            Step::Rejected(reason, call) => atoms.push(Atom::Rejected(reason.code(), ended(call))),
            Step::Error(code, message) => panic!("a parser makes no errors: {code}, {message}"),
        }
    }
    atoms
}

fn ended(call: &testing::Ended) -> Ended {
    Ended {
        call: call.call as usize,
        span: (call.span.start, call.span.end),
        question: call.question.clone(),
        suggest: call.suggestions.iter().map(|one| (one.answer.clone(), one.mode.clone())).collect(),
        notes: call.notes.iter().map(|n| note(*n)).collect(),
    }
}

/// The name of a note, as `docs/format.md` has it.
pub fn note(note: followup::Note) -> &'static str {
    use followup::Note::*;
    match note {
        UnclosedQuestion => "UnclosedQuestion",
        UnclosedSuggestion => "UnclosedSuggestion",
        UnclosedFollowUp => "UnclosedFollowUp",
        UnclosedOptions => "UnclosedOptions",
        UnclosedCall => "UnclosedCall",
        StreamEnded => "StreamEnded",
        StrayCloseTag => "StrayCloseTag",
        TagInCode => "TagInCode",
        OutsideFollowUp => "OutsideFollowUp",
        BareQuestion => "BareQuestion",
        RepeatedQuestion => "RepeatedQuestion",
        SuggestionsDropped => "SuggestionsDropped",
        UnreadableList => "UnreadableList",
        IllFormedString => "IllFormedString",
        TextBehindArguments => "TextBehindArguments",
        SuggestionsAsObject => "SuggestionsAsObject",
        SuggestionsAsText => "SuggestionsAsText",
        RepeatedSuggestions => "RepeatedSuggestions",
        UnreadableSuggestion => "UnreadableSuggestion",
        other => panic!("a note without a name: {other:?}"),
    }
}

/// What a parser shows of a stream that is fed in these chunks, in atoms.
pub fn show<'c>(parser: &mut Parser, chunks: impl IntoIterator<Item = &'c [u8]>) -> Vec<Atom> {
    atoms(&Transcript::of(parser, chunks))
}

/// What the whole stream means.
pub fn oracle(syntax: Syntax, stream: &[u8], rules: &Rules) -> Vec<Atom> {
    match syntax {
        Syntax::Markup => expected(stream, rules),
        Syntax::Arguments => arguments::read(stream, rules),
    }
}

/// Rejections have no notes: they are left out of the comparison.
pub fn expected(stream: &[u8], rules: &Rules) -> Vec<Atom> {
    let mut atoms = reference::read(stream, rules);
    for atom in &mut atoms {
        if let Atom::Rejected(_, ended) = atom {
            ended.notes.clear();
        }
    }
    atoms
}
