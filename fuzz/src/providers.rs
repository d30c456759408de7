//! Providers' streams: what is sent comes out, and no cut changes the events.

use std::collections::BTreeMap;
use std::sync::Arc;

use followup::wire::{self, Events, Format, ResponseParser};
use followup::{Event, Limits, Policy};
use followup_testing::{Cuts, Entry, Transcript};

use crate::encode::{Ask, AskedQuestion, Dice, Other, PROVIDERS, Sent, send, send_with_leaks};
use crate::input::cut;

/// The byte that ends the choices.
const END_OF_CHOICES: u8 = 0xFF;

/// The kinds of input, named by its first byte.
pub mod kind {
    /// Choices of what is sent, and cuts.
    pub const SENT: u8 = 0;
    /// Choices of what is sent, and damages to its events.
    pub const DAMAGED: u8 = 1;
    /// A raw body.
    pub const BODY: u8 = 2;
}

pub fn read(input: &[u8]) {
    let Some((&[kind, format, size], rest)) = input.split_first_chunk() else { return };
    let (choices, more) = match rest.iter().position(|&byte| byte == END_OF_CHOICES) {
        Some(end) => (&rest[..end], &rest[end + 1..]),
        None => (rest, &[][..]),
    };
    let sent = || send(PROVIDERS[usize::from(format) % PROVIDERS.len()], &mut Dice::new(choices.to_vec()));
    match kind % 3 {
        kind::SENT => check_sent(&sent(), more, size.into()),
        kind::DAMAGED => {
            let sent = match kind / 3 % 2 {
                0 => sent(),
                _ => send_with_leaks(sent().format, &mut Dice::new(choices.to_vec())),
            };
            let mut events = sent.events;
            more.chunks_exact(4).for_each(|choices| damage(choices, &mut events));
            let body = events.concat();
            let cuts = more.iter().scan(usize::from(size), |cut, &by| {
                *cut += usize::from(by);
                Some(*cut)
            });
            check_cuts(sent.format, &body, &Cuts::new(cuts));
        }
        _ => {
            let (body, cuts) = cut(rest, size.into());
            check_cuts(Format::ALL[usize::from(format) % Format::ALL.len()], &body, &cuts);
        }
    }
}

/// Checks that what was sent comes out of the body, whether its format is declared or detected.
fn check_sent(sent: &Sent, cuts: &[u8], size: usize) {
    let body = sent.body();
    let cuts = cuts.iter().scan(0, |cut, &by| {
        *cut += usize::from(by);
        Some(*cut)
    });
    let mut cuts: Vec<usize> = cuts.collect();
    if size > 0 {
        cuts.extend((size..body.len()).step_by(size));
    }
    let cuts = Cuts::new(cuts);
    let policy = Arc::new(Policy::new());
    for mut parser in [ResponseParser::new(sent.format, policy.clone()), ResponseParser::auto(policy)] {
        let tools = tools(parser.clone(), &cuts.chunks(&body));
        let transcript = Transcript::of_response(&mut parser, cuts.chunks(&body));
        let (mut asks, mut others, mut prose) = (Vec::new(), Vec::<(u64, Other)>::new(), String::new());
        for step in transcript.entries() {
            match step.clone() {
                Entry::Text(text) => prose.push_str(&text),
                Entry::Opaque { index, tool, id, raw } => match others.iter_mut().find(|(other, _)| *other == index) {
                    Some((_, other)) => other.raw.push_str(&raw),
                    None => others.push((index, Other { id, tool, raw })),
                },
                Entry::Complete(ended) => {
                    let suggest = ended.suggestions.into_iter().map(|one| (one.answer, one.mode)).collect();
                    let ((tool, form), question) = (tools[&ended.index].clone(), ended.question.unwrap_or_default());
                    asks.push((ended.index, Ask { id: ended.id, tool, question, suggest, form }));
                }
                Entry::Question { .. } | Entry::Mode { .. } | Entry::Suggestion { .. } => {}
                Entry::Rejected(..) | Entry::Error(..) => panic!("{step}\n\"{}\"", body.escape_ascii()),
            }
        }
        asks.sort_by_key(|(call, _)| *call);
        let mut asks: Vec<Ask> = asks.into_iter().map(|(_, ask)| ask).collect();
        let mut others: Vec<Other> = others.into_iter().map(|(_, other)| other).collect();
        if sent.is_sorted {
            asks.sort();
            others.sort();
        }
        assert_eq!(asks, sent.asks);
        assert_eq!(others, sent.others);
        assert_eq!(prose, sent.prose);
    }
    // Leaked calls are the business of the damaged bodies: their events depend on the
    // others.
    assert!(sent.leaked.is_none() && sent.reasoned.is_none());
}

/// Returns the tools of the complete calls and the questions of their forms, by index.
fn tools(mut parser: ResponseParser, chunks: &[&[u8]]) -> BTreeMap<u64, (String, Vec<AskedQuestion>)> {
    let mut tools = BTreeMap::new();
    let mut take = |mut events: Events<'_>| {
        while let Some(event) = events.next() {
            if let Ok(Event::Complete(call)) = event {
                let form = call.shape().map_or_else(Vec::new, |_| AskedQuestion::all(call.questions()));
                tools.insert(call.index(), (call.tool().to_owned(), form));
            }
        }
    };
    chunks.iter().for_each(|chunk| take(parser.feed(chunk)));
    take(parser.finish());
    tools
}

/// Damages the events, as four bytes choose.
fn damage(choices: &[u8], events: &mut Vec<Vec<u8>>) {
    let &[kind, one, two, byte] = choices else { return };
    if events.is_empty() {
        return;
    }
    let (i, j) = (usize::from(one) % events.len(), usize::from(two) % events.len());
    match kind % 8 {
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
            let offset = (usize::from(two) + 256 * usize::from(kind / 8)) % (event.len() + 1);
            match kind % 8 {
                5 => event.truncate(offset),
                6 => event.insert(offset, byte),
                _ => event.iter_mut().skip(offset).take(1).for_each(|target| *target = byte),
            }
        }
    }
}

/// Checks that every cut gives the same transcript.
///
/// It does so with a declared and a detected format, and under large and small limits.
fn check_cuts(format: Format, body: &[u8], cuts: &Cuts) {
    let small = Limits { question: 8, answer: 4, suggestions: 2, ..Limits::default() };
    let small = (small, wire::Limits::default().with_event(200).with_open_calls(2));
    for (limits, wire_limits) in [(Limits::default(), wire::Limits::default()), small] {
        let policy = Arc::new(Policy::new().with_limits(limits));
        let new = ResponseParser::new(format, policy.clone());
        for parser in [new.clone(), ResponseParser::auto(policy.clone()), new.with_reasoning(true)] {
            let mut parser = parser.with_limits(wire_limits);
            let whole = Transcript::of_response(&mut parser, [body]);
            assert_eq!(Transcript::of_response(&mut parser, cuts.chunks(body)), whole, "{format}, cut at {cuts:?}");
            assert_eq!(Transcript::of_response(&mut parser, body.chunks(1)), whole, "{format}, byte by byte");
            let mut resumed = parser.clone();
            for chunk in cuts.chunks(body) {
                drop(resumed.feed(chunk));
                let policy = policy.clone();
                resumed = ResponseParser::resume(policy, wire_limits, resumed.checkpoint()).expect("it was just made");
            }
            body.chunks(1).for_each(|byte| drop(parser.feed(byte)));
            assert_eq!(resumed.checkpoint(), parser.checkpoint(), "{format}, resumed at {cuts:?}");
        }
    }
}
