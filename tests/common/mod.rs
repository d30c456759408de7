//! What the tests share: the reference readers, and the parser's events in the same form.
#![allow(dead_code)]

pub mod arguments;
pub mod envelopes;
pub mod reference;
pub mod shapes;
pub mod stored;
pub mod sweep;
pub mod within_limits;

use followup::{CallStart, Entities, Limits, Malformed, Note, Parser, Policy, Tools};
use followup_testing::{Call, Entry, Syntax, Transcript};
use reference::{Atom, EndedCall, Rules};

/// Returns the policy of these rules.
pub fn policy(rules: &Rules) -> Policy {
    Policy::new()
        .with_malformed(if rules.strict { Malformed::Reject } else { Malformed::Repair })
        .with_call_start(if rules.outside_code { CallStart::OutsideCode } else { CallStart::Anywhere })
        .with_entities(if rules.decode_entities { Entities::Decoded } else { Entities::Raw })
        .with_envelopes(rules.envelopes)
        .with_tools(Tools::new(rules.tools.clone(), rules.parameters.clone()).unwrap())
        .with_limits(Limits {
            question: rules.question,
            answer: rules.answer,
            suggestions: rules.suggestions,
            tag: rules.tag,
            unconfirmed: rules.unconfirmed,
            ..Limits::default()
        })
}

/// Returns a transcript as the atoms of the reference readers.
pub fn atoms(transcript: &Transcript) -> Vec<Atom> {
    let mut atoms = Vec::new();
    for entry in transcript.entries() {
        match entry {
            Entry::Text(text) => atoms.extend(text.chars().map(Atom::Text)),
            Entry::Opaque { index, tool, raw, .. } => {
                let index = *index as usize;
                atoms.extend(raw.chars().map(|c| Atom::Opaque { index, tool: tool.clone(), c }));
            }
            Entry::Question { call, text } => {
                atoms.extend(text.chars().map(|c| Atom::Question { call: *call as usize, c }));
            }
            Entry::Mode { call, index, mode } => {
                atoms.push(Atom::Mode { call: *call as usize, i: *index, mode: mode.clone() });
            }
            Entry::Suggestion { call, index, text } => {
                atoms.extend(text.chars().map(|c| Atom::Answer { call: *call as usize, i: *index, c }));
            }
            Entry::Complete(call) => atoms.push(Atom::Complete(ended(call))),
            Entry::Rejected(reason, call) => atoms.push(Atom::Rejected(reason.code(), ended(call))),
            Entry::Error(code, message) => panic!("a parser returns no errors: {code}, {message}"),
        }
    }
    atoms
}

fn ended(call: &Call) -> EndedCall {
    EndedCall {
        call: call.index as usize,
        span: (call.span.start, call.span.end),
        question: call.question.clone(),
        suggest: call.suggestions.iter().map(|one| (one.answer.clone(), one.mode.clone())).collect(),
        notes: call.notes.iter().map(|note| name(*note)).collect(),
    }
}

/// Returns the name of a note in `docs/format.md`.
pub fn name(note: Note) -> &'static str {
    use Note::*;
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
        TextAfterArguments => "TextAfterArguments",
        SuggestionsAsObject => "SuggestionsAsObject",
        SuggestionsAsText => "SuggestionsAsText",
        RepeatedSuggestions => "RepeatedSuggestions",
        UnreadableSuggestion => "UnreadableSuggestion",
        Envelope(family) => family.name(),
        UnclosedEnvelope => "UnclosedEnvelope",
        UnclosedParameter => "UnclosedParameter",
        other => panic!("a note without a name: {other:?}"),
    }
}

/// Feeds a parser these chunks, finishes it, and returns what it shows.
pub fn parse<'c>(parser: &mut Parser, chunks: impl IntoIterator<Item = &'c [u8]>) -> Vec<Atom> {
    atoms(&Transcript::of(parser, chunks))
}

/// Returns what the reference reader of the syntax makes of the whole stream.
pub fn oracle(syntax: Syntax, stream: &[u8], rules: &Rules) -> Vec<Atom> {
    match syntax {
        Syntax::Markup => markup(stream, rules),
        Syntax::Arguments => arguments::read(stream, rules),
    }
}

/// Returns what the reference reader of markup makes of the whole stream.
///
/// The notes of rejected calls, which have none in the events, are left out.
pub fn markup(stream: &[u8], rules: &Rules) -> Vec<Atom> {
    let mut atoms = reference::read(stream, rules);
    for atom in &mut atoms {
        if let Atom::Rejected(_, ended) = atom {
            ended.notes.clear();
        }
    }
    atoms
}
