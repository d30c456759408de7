//! Providers' streams: what is sent is what comes out; and whatever happens to a body on the way, what comes out does not depend on the cut.

use std::sync::Arc;

use followup::wire::{Response, Wire};
use followup::{Limits, Policy};
use followup_testing::{Cuts, Entry, Transcript};

use crate::encode::{Ask, Dice, Other, PROVIDERS, Sent, send};
use crate::input::cut;

/// Where choices end and what follows begins.
const END: u8 = 0xFF;

/// The first byte says what the rest is.
pub mod kind {
    /// Choices of what is sent, then cuts.
    pub const SENT: u8 = 0;
    /// The same, then what happens to the events.
    pub const DAMAGED: u8 = 1;
    /// A body as it is.
    pub const BODY: u8 = 2;
}

pub fn read(input: &[u8]) {
    let Some((&[kind, wire, size], rest)) = input.split_first_chunk() else { return };
    let (choices, more) = match rest.iter().position(|&byte| byte == END) {
        Some(at) => (&rest[..at], &rest[at + 1..]),
        None => (rest, &[][..]),
    };
    let sent = || send(PROVIDERS[usize::from(wire) % PROVIDERS.len()], &mut Dice::new(choices.to_vec()));
    match kind % 3 {
        kind::SENT => comes_out(&sent(), more, size.into()),
        kind::DAMAGED => {
            let sent = sent();
            let mut events = sent.events;
            more.chunks_exact(4).for_each(|how| damage(how, &mut events));
            let body = events.concat();
            let cuts = more.iter().scan(usize::from(size), |at, &by| {
                *at += usize::from(by);
                Some(*at)
            });
            is_the_same(sent.wire, &body, &Cuts::new(cuts));
        }
        _ => {
            let (body, cuts) = cut(rest, size.into());
            is_the_same(Wire::ALL[usize::from(wire) % Wire::ALL.len()], &body, &cuts);
        }
    }
}

/// What is sent is what comes out, however it is cut, and whether it is said whose it is or not.
fn comes_out(sent: &Sent, cuts: &[u8], size: usize) {
    let body = sent.body();
    let places = cuts.iter().scan(0, |at, &by| {
        *at += usize::from(by);
        Some(*at)
    });
    let mut cuts: Vec<usize> = places.collect();
    if size > 0 {
        cuts.extend((size..body.len()).step_by(size));
    }
    let cuts = Cuts::new(cuts);
    let policy = Arc::new(Policy::new());
    for mut response in [Response::new(sent.wire, policy.clone()), Response::auto(policy)] {
        let heard = Transcript::of_response(&mut response, cuts.chunks(&body));
        let (mut asks, mut others, mut prose) = (Vec::new(), Vec::<(u64, Other)>::new(), String::new());
        for step in heard.entries() {
            match step.clone() {
                Entry::Text(text) => prose.push_str(&text),
                Entry::Opaque { index, tool, id, raw } => match others.iter_mut().find(|(other, _)| *other == index) {
                    Some((_, other)) => other.raw.push_str(&raw),
                    None => others.push((index, Other { id, tool, raw })),
                },
                Entry::Complete(ended) => {
                    let suggest = ended.suggestions.into_iter().map(|one| (one.answer, one.mode)).collect();
                    asks.push((
                        ended.index,
                        Ask { id: ended.id, question: ended.question.unwrap_or_default(), suggest },
                    ));
                }
                Entry::Question { .. } | Entry::Mode { .. } | Entry::Suggestion { .. } => {}
                Entry::Rejected(..) | Entry::Error(..) => panic!("{step}\n\"{}\"", body.escape_ascii()),
            }
        }
        asks.sort_by_key(|(call, _)| *call);
        assert_eq!(asks.into_iter().map(|(_, ask)| ask).collect::<Vec<_>>(), sent.asks);
        assert_eq!(others.into_iter().map(|(_, other)| other).collect::<Vec<_>>(), sent.others);
        assert_eq!(prose, sent.prose);
    }
}

/// Something happens to the events.
fn damage(how: &[u8], events: &mut Vec<Vec<u8>>) {
    let &[what, one, two, byte] = how else { return };
    if events.is_empty() {
        return;
    }
    let (i, j) = (usize::from(one) % events.len(), usize::from(two) % events.len());
    match what % 8 {
        0 => drop(events.remove(i)),
        1 => events.insert(j, events[i].clone()),
        2 => events.swap(i, j),
        3 => {
            let event = events.remove(i);
            events.insert(j, event);
        }
        4 => events.truncate(i + 1),
        _ => {
            let event = &mut events[i];
            let at = (usize::from(two) + 256 * usize::from(what / 8)) % (event.len() + 1);
            match what % 8 {
                5 => event.truncate(at),
                6 => event.insert(at, byte),
                _ => event.iter_mut().skip(at).take(1).for_each(|at| *at = byte),
            }
        }
    }
}

/// The same comes out for every cut, as that provider's and as whoever's it is, under limits that are far and that are near.
fn is_the_same(wire: Wire, body: &[u8], cuts: &Cuts) {
    let near = Limits { event: 200, open_calls: 2, question: 8, answer: 4, suggestions: 2, ..Limits::default() };
    for policy in [Policy::new(), Policy::new().limits(near)].map(Arc::new) {
        for mut response in [Response::new(wire, policy.clone()), Response::auto(policy)] {
            let whole = Transcript::of_response(&mut response, [body]);
            assert_eq!(Transcript::of_response(&mut response, cuts.chunks(body)), whole, "{wire}, cut at {cuts:?}");
            assert_eq!(Transcript::of_response(&mut response, body.chunks(1)), whole, "{wire}, byte by byte");
        }
    }
}
