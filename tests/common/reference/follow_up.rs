//! Markup in a string of native arguments.

use std::collections::BTreeSet;

use super::words::Side::{Close, Open};
use super::words::{Name, PARAMETER_TAGS, decode, is_blank};
use super::{Atom, Cut, ListBody, OpenCall, Reader, Rules};

/// The suggestions of a string in JSON arguments.
pub struct FollowUp {
    pub shown: Vec<Atom>,
    pub suggest: Vec<(String, Option<String>)>,
    pub notes: BTreeSet<&'static str>,
    pub wrong: Option<&'static str>,
}

/// Reads a text as the body of an open `<follow_up>`, after the suggestions that the call has
/// already. Returns `None` if the text is no markup.
///
/// "markup, if it holds an opening tag of `suggest` or `options` (or a synonym; a tag within the
/// tag limit, wherever it is)"
pub fn read_follow_up(text: &str, rules: &Rules, suggest: &[(String, Option<String>)]) -> Option<FollowUp> {
    let end = text.chars().count();
    // "At its end, `</follow_up>` is inserted."
    let stream = format!("{text}</follow_up>");
    let mut reader = Reader { put_in: Some(end), ..Reader::new(stream.as_bytes(), rules) };
    let wanted = [(Open, Name::Suggest), (Open, Name::Options)];
    if !(0..end).any(|index| reader.peek(index) == Some('<') && reader.find_tag(index, &wanted).is_some()) {
        return None;
    }
    let mut call = OpenCall {
        start: 0,
        body: 0,
        first_tag: None,
        question: None,
        questions: 0,
        suggest: suggest.to_vec(),
        notes: BTreeSet::new(),
        wrong: None,
        list: None,
    };
    reader.follow_up_text(&mut call, end);
    Some(FollowUp { shown: reader.shown, suggest: call.suggest, notes: call.notes, wrong: call.wrong })
}

impl<'a> Reader<'a> {
    pub fn new(stream: &[u8], rules: &'a Rules) -> Reader<'a> {
        let (chars, bytes) = (decode(stream), stream.len());
        Reader { rules, chars, bytes, shown: Vec::new(), calls: 0, opaques: 0, put_in: None }
    }

    /// "it is read as the body of an open `<follow_up>` is, with its repairs, but there are no tags
    /// but those of `follow_up`, `suggest`, `options`, `content` and `mode` in it"
    pub(super) fn follow_up_text(&mut self, call: &mut OpenCall, end: usize) {
        let mut in_follow_up = true;
        let mut list = ListBody::Blank;
        let mut index = 0;
        while let Some(c) = self.peek(index) {
            // The close and opening tags of `follow_up`, `suggest` and `options`.
            let tag = match c {
                '<' => self.find_tag(index, &PARAMETER_TAGS[2..]),
                _ => None,
            };
            let Some(tag) = tag else {
                if matches!(list, ListBody::Blank) && !is_blank(c) {
                    list = match c {
                        '[' => ListBody::Open(index),
                        _ => ListBody::No,
                    };
                }
                index += 1;
                continue;
            };
            let last_list = std::mem::replace(&mut list, ListBody::No);
            index = match (tag.side, tag.name) {
                (Open, Name::FollowUp) => {
                    in_follow_up = !tag.empty;
                    if in_follow_up {
                        list = ListBody::Blank;
                    }
                    tag.end
                }
                (Close, Name::FollowUp) => {
                    match last_list {
                        ListBody::Open(start) if in_follow_up => self.list(call, start, index),
                        _ if in_follow_up => {}
                        // "which leaves no note of its own"
                        _ if index == end => {}
                        _ => self.repair(call, "StrayCloseTag"),
                    }
                    in_follow_up = false;
                    tag.end
                }
                (Open, Name::Suggest) => {
                    if !in_follow_up {
                        self.repair(call, "OutsideFollowUp");
                    }
                    match tag.empty {
                        true => tag.end,
                        false => match self.suggestion(call, tag.end, tag.mode) {
                            Ok(next) => next,
                            Err(Cut) => unreachable!("`</follow_up>` ends it"),
                        },
                    }
                }
                (Open, Name::Options) if tag.empty => {
                    self.list(call, tag.end, tag.end);
                    tag.end
                }
                (Open, Name::Options) => match self.options(call, tag.end) {
                    Ok(next) => next,
                    // Decided: `</follow_up>` ends no `options`, but the end of the text does, as
                    // the end of a call would: with a repair, and then the list is read, without
                    // the `</follow_up>` that was inserted.
                    Err(Cut) => {
                        self.repair(call, "UnclosedOptions");
                        self.list(call, tag.end, end);
                        self.chars.len()
                    }
                },
                (Close, _) => {
                    self.repair(call, "StrayCloseTag");
                    tag.end
                }
                (Open, _) => unreachable!("not looked for"),
            };
        }
    }
}
