//! What the tests share: what a parser shows, as a list of atoms, so that it can be compared.
#![allow(dead_code)]

pub mod arguments;
pub mod reference;

use std::collections::BTreeSet;
use std::sync::Arc;

use followup::{Calls, Entities, Event, Events, Field, Limits, Parser, Policy, Repairs, Suggestions, Tools};
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
            ..Limits::default()
        })
}

/// Everything a parser has shown of one stream, in order.
///
/// While it collects, it checks what each event promises by itself: a partial extends the one before it, its deltas add up,
/// and the call's end extends the last.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shown {
    pub atoms: Vec<Atom>,
    opaque: usize,
    call: Option<View>,
    next_call: u64,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct View {
    question: String,
    suggestions: Vec<(String, Option<String>)>,
}

fn owned(suggestions: Suggestions<'_>) -> Vec<(String, Option<String>)> {
    let all: Vec<_> = suggestions.iter().map(|s| (s.answer.to_owned(), s.mode.map(str::to_owned))).collect();
    assert_eq!(all.len(), suggestions.len());
    assert_eq!(all.is_empty(), suggestions.is_empty());
    all
}

impl Shown {
    pub fn take(&mut self, mut events: Events<'_>) {
        while let Some(event) = events.next() {
            self.add(event);
        }
    }

    fn add(&mut self, event: Event<'_>) {
        match event {
            Event::Text(text) => {
                assert!(!text.is_empty() && self.call.is_none());
                self.atoms.extend(text.chars().map(Atom::Text));
            }
            Event::Opaque(piece) => {
                assert!(!piece.raw.is_empty() && self.call.is_none());
                self.opaque += usize::from(piece.start);
                let nth = self.opaque.checked_sub(1).expect("an opaque call begins with a start");
                self.atoms.extend(piece.raw.chars().map(|c| Atom::Opaque { nth, tool: piece.tool.to_owned(), c }));
            }
            Event::Partial(partial) => {
                assert_eq!(partial.nth(), self.next_call);
                let call = partial.nth() as usize;
                let view = self.call.get_or_insert_default();
                let delta = partial.delta();
                match partial.field() {
                    Field::Question => {
                        assert!(!delta.is_empty());
                        view.question.push_str(delta);
                        self.atoms.extend(delta.chars().map(|c| Atom::Question { call, c }));
                    }
                    Field::Suggestion => {
                        let newest = partial.suggestions().len() - 1;
                        if newest == view.suggestions.len() {
                            view.suggestions.push((String::new(), None));
                        }
                        assert_eq!(newest + 1, view.suggestions.len());
                        let mode = partial.suggestions().get(newest).unwrap().mode;
                        if let (Some(mode), None) = (mode, &view.suggestions[newest].1) {
                            let mode = mode.to_owned();
                            view.suggestions[newest].1 = Some(mode.clone());
                            self.atoms.push(Atom::Mode { call, i: newest, mode });
                        } else {
                            assert!(!delta.is_empty(), "a partial without anything new");
                        }
                        view.suggestions[newest].0.push_str(delta);
                        self.atoms.extend(delta.chars().map(|c| Atom::Answer { call, i: newest, c }));
                    }
                }
                assert_eq!(partial.question().unwrap_or(""), view.question);
                assert_ne!(partial.question(), Some(""));
                assert_eq!(owned(partial.suggestions()), view.suggestions);
            }
            Event::Complete(call) => {
                assert_eq!(call.nth(), self.next_call);
                self.next_call += 1;
                let view = self.call.take().unwrap_or_default();
                assert_eq!((call.question(), owned(call.suggestions())), (&*view.question, view.suggestions.clone()));
                let notes: BTreeSet<&'static str> = call.notes().iter().map(|n| note(*n)).collect();
                assert_eq!(notes.len(), call.notes().len(), "a note stands once");
                let ended = Ended {
                    call: call.nth() as usize,
                    span: (call.span().start, call.span().end),
                    question: Some(call.question().to_owned()),
                    suggest: view.suggestions,
                    notes,
                };
                self.atoms.push(Atom::Complete(ended));
            }
            Event::Rejected(call) => {
                assert_eq!(call.nth(), self.next_call);
                self.next_call += 1;
                let view = self.call.take().unwrap_or_default();
                let ended = Ended {
                    call: call.nth() as usize,
                    span: (call.span().start, call.span().end),
                    question: call.question().map(str::to_owned),
                    suggest: owned(call.suggestions()),
                    notes: BTreeSet::new(),
                };
                assert_eq!((call.question().unwrap_or(""), &ended.suggest), (&*view.question, &view.suggestions));
                self.atoms.push(Atom::Rejected(call.reason().code(), ended));
            }
        }
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

/// What a parser shows of a stream that is fed in these chunks.
pub fn show<'c>(parser: &mut Parser, chunks: impl IntoIterator<Item = &'c [u8]>) -> Vec<Atom> {
    let mut shown = Shown::default();
    for chunk in chunks {
        shown.take(parser.feed_bytes(chunk));
    }
    shown.take(parser.finish());
    shown.atoms
}

/// What a stream is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    Markup,
    Arguments,
}

impl Syntax {
    pub fn parser(self, policy: impl Into<Arc<Policy>>) -> Parser {
        match self {
            Syntax::Markup => Parser::new(policy),
            Syntax::Arguments => Parser::arguments(policy),
        }
    }

    /// What the whole stream means.
    pub fn expected(self, stream: &[u8], rules: &Rules) -> Vec<Atom> {
        match self {
            Syntax::Markup => expected(stream, rules),
            Syntax::Arguments => arguments::read(stream, rules),
        }
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
