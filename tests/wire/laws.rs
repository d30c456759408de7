//! The guarantees of `followup::wire` as laws.
//!
//! What is sent comes out, whatever provider sends it and however it is cut; and the events of a
//! damaged body do not depend on the cut.

use crate::sweep::cases;
use crate::{encode, normal as events};

use followup_testing::strategies::cuts;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use crate::encode::{Ask, AskedQuestion, Dice, Other, PROVIDERS, Sent};
use followup::wire::{Events, Format, Limits, ResponseParser};
use followup::{Complete, Envelopes, Event, Field, Note, Partial, Policy, Reason, Suggestions};
use proptest::prelude::*;
use proptest::sample::{Index, select};

pub static POLICY: LazyLock<Arc<Policy>> = LazyLock::new(|| Arc::new(Policy::new()));

/// The default policy, with all families of envelopes.
static ALL_FAMILIES: LazyLock<Arc<Policy>> = LazyLock::new(|| Arc::new(Policy::new().with_envelopes(Envelopes::all())));

fn config(full: u32) -> ProptestConfig {
    ProptestConfig { cases: cases(full), failure_persistence: None, ..ProptestConfig::default() }
}

/// The events of a body, put together.
#[derive(Debug, Default)]
pub struct Received {
    pub prose: String,
    pub asks: BTreeMap<u64, Ask>,
    /// The native calls, in order.
    pub calls: Vec<Ask>,
    pub others: Vec<Other>,
    /// The calls in the text and in the reasoning that are asked.
    pub leaked: Vec<Ask>,
    pub reasoned: Vec<Ask>,
    pub superseded: usize,
    pub unexpected: Vec<String>,
    /// The sum of the deltas of each text of the open calls.
    pub open: BTreeMap<u64, Deltas>,
}

/// The deltas of a call: by question, by suggestion unless a text is the question's, and by field.
pub type Deltas = BTreeMap<(usize, Option<usize>, String), String>;

/// Adds what a partial appends, and checks that it shows the text with it.
fn append(deltas: &mut Deltas, call: &Partial<'_>) {
    let place = (call.question_index(), call.suggestion_index(), format!("{:?}", call.field()));
    let text = deltas.entry(place).or_default();
    text.push_str(call.delta());
    let question = call.questions().get(call.question_index());
    let suggestion = || question?.suggestions.get(call.suggestion_index()?);
    let shown = match call.field() {
        Field::Title => call.title(),
        Field::Question => question.map(|one| one.text),
        Field::Header => question.and_then(|one| one.header),
        Field::Suggestion => suggestion().map(|one| one.answer),
        Field::Description => suggestion().and_then(|one| one.description),
        field => panic!("no call has {field:?}"),
    };
    assert_eq!(shown.unwrap_or_default(), text);
}

/// Returns the texts of a call that grow.
fn texts(call: &Complete<'_>) -> Deltas {
    let mut texts = Deltas::new();
    let mut add = |question, suggestion, field: Field, text: Option<&str>| {
        texts.extend(text.map(|text| ((question, suggestion, format!("{field:?}")), text.to_owned())));
    };
    add(0, None, Field::Title, call.title());
    for (i, question) in call.questions().iter().enumerate() {
        add(i, None, Field::Question, Some(question.text));
        add(i, None, Field::Header, question.header);
        for (k, suggestion) in question.suggestions.iter().enumerate() {
            add(i, Some(k), Field::Suggestion, Some(suggestion.answer));
            add(i, Some(k), Field::Description, suggestion.description);
        }
    }
    texts
}

fn owned(suggestions: Suggestions<'_>) -> Vec<(String, Option<String>)> {
    suggestions.iter().map(|one| (one.answer.to_owned(), one.mode.map(str::to_owned))).collect()
}

impl Received {
    fn of<'c>(parser: &mut ResponseParser, sent: &Sent, chunks: impl IntoIterator<Item = &'c [u8]>) -> Received {
        let mut received = Received::default();
        for chunk in chunks {
            received.take(parser.feed(chunk));
        }
        received.take(parser.finish());
        received.calls = std::mem::take(&mut received.asks).into_values().collect();
        if sent.is_sorted {
            received.calls.sort();
            received.others.sort();
        }
        received
    }

    pub fn take(&mut self, mut events: Events<'_>) {
        while let Some(event) = events.next() {
            match event {
                Ok(Event::Text(text)) => self.prose.push_str(text),
                Ok(Event::Opaque(piece)) => {
                    let id = piece.id.map(str::to_owned);
                    if piece.start {
                        self.others.push(Other { id: id.clone(), tool: piece.tool.to_owned(), raw: String::new() });
                    }
                    match self.others.iter_mut().rev().find(|other| other.id == id && other.tool == piece.tool) {
                        Some(other) => other.raw.push_str(piece.raw),
                        None => self.unexpected.push(format!("a call continues that has not started: {piece:?}")),
                    }
                }
                Ok(Event::Partial(call)) => {
                    append(self.open.entry(call.index()).or_default(), &call);
                }
                Ok(Event::Complete(call)) => {
                    let mut deltas = self.open.remove(&call.index()).unwrap_or_default();
                    // Something became known that does not grow.
                    deltas.retain(|_, text| !text.is_empty());
                    assert_eq!(deltas, texts(&call), "the deltas add up");
                    let ask = Ask {
                        id: call.id().map(str::to_owned),
                        tool: call.tool().to_owned(),
                        question: call.question().to_owned(),
                        suggest: owned(call.suggestions()),
                        form: call.shape().map_or_else(Vec::new, |_| AskedQuestion::all(call.questions())),
                    };
                    if call.notes().contains(&Note::InReasoning) {
                        self.reasoned.push(ask);
                    } else if call.notes().iter().any(|note| matches!(note, Note::Envelope(_))) {
                        self.leaked.push(ask);
                    } else if self.asks.insert(call.index(), ask).is_some() {
                        self.unexpected.push(format!("call {} is complete twice", call.index()));
                    }
                }
                Ok(Event::Rejected(call)) if call.reason() == Reason::Superseded => self.superseded += 1,
                other => self.unexpected.push(format!("{other:?}")),
            }
        }
    }
}

/// Every event but partials, one line each.
///
/// Pieces of text that only the cut separates are joined: in a body without payloads, chunks cut
/// the text.
pub fn joined<'c>(parser: &mut ResponseParser, chunks: impl IntoIterator<Item = &'c [u8]>) -> Vec<String> {
    let (mut all, mut last) = (Vec::<String>::new(), None);
    let mut take = |mut events: Events<'_>| {
        while let Some(event) = events.next() {
            let (kind, text) = match &event {
                Ok(Event::Partial(_)) => continue,
                Ok(Event::Text(text)) => (Some("text".to_owned()), *text),
                Ok(Event::Opaque(piece)) => (Some(format!("{} {:?}", piece.tool, piece.id)), piece.raw),
                _ => (None, ""),
            };
            let starts = matches!(&event, Ok(Event::Opaque(piece)) if piece.start);
            match (&kind, all.last_mut()) {
                (Some(kind), _) if starts => all.push(format!("{kind} {text}")),
                (Some(_), Some(line)) if kind == last => line.push_str(text),
                (Some(kind), _) => all.push(format!("more {kind} {text}")),
                _ => all.push(format!("{event:?}")),
            }
            last = kind;
        }
    };
    for chunk in chunks {
        take(parser.feed(chunk));
    }
    take(parser.finish());
    all
}

/// A body of a provider, readable when a law fails.
#[derive(Clone)]
struct Stream(Sent);

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Sent { format, events, prose, asks, others, leaked, reasoned, .. } = &self.0;
        writeln!(f, "{format}")?;
        events.iter().try_for_each(|event| writeln!(f, "  {}", event.escape_ascii()))?;
        write!(f, "prose {prose:?}\n{asks:#?}\n{others:#?}\nleaked {leaked:#?}\nreasoned {reasoned:#?}")
    }
}

fn choices() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..500)
}

fn streams() -> impl Strategy<Value = Stream> {
    (select(&PROVIDERS[..]), choices())
        .prop_map(|(format, choices)| Stream(encode::send(format, &mut Dice::new(choices))))
}

fn streams_with_leaks() -> impl Strategy<Value = Stream> {
    (select(&PROVIDERS[..]), choices())
        .prop_map(|(format, choices)| Stream(encode::send_with_leaks(format, &mut Dice::new(choices))))
}

/// The golden bodies, cut into events.
static GOLDEN: LazyLock<Vec<(Format, Vec<Vec<u8>>)>> = LazyLock::new(|| {
    let mut all = Vec::new();
    for format in PROVIDERS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wire/bodies").join(format.name());
        for file in fs::read_dir(folder).expect("there are golden bodies") {
            let path = file.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "json") {
                all.push((path.clone(), format, split_events(&fs::read(path).unwrap())));
            }
        }
    }
    all.sort_by(|(one, ..), (two, ..)| one.cmp(two));
    all.into_iter().map(|(_, format, events)| (format, events)).collect()
});

fn split_events(body: &[u8]) -> Vec<Vec<u8>> {
    let mut events = vec![Vec::new()];
    for line in body.split_inclusive(|byte| *byte == b'\n') {
        let blank = line.trim_ascii().is_empty();
        let last = events.last_mut().unwrap();
        last.extend_from_slice(line);
        if blank || line.starts_with(b"{") {
            events.push(Vec::new());
        }
    }
    events
}

/// Bytes that may be inserted into a body.
const DEBRIS: &[&[u8]] = &[
    b"{",
    b"}",
    b"[",
    b"]",
    b"\"",
    b"\\",
    b",",
    b":",
    b"\n",
    b"\n\n",
    b"\r",
    b"\r\n",
    b"data: ",
    b"data: [DONE]\n\n",
    b"data: {}\n\n",
    b"{}\n",
    b"null",
    b"\0",
    b"\xFF",
    b"\xE2\x82",
    b"\xEF\xBB\xBF",
    b"\\ud83d",
    b"\\ude00",
    b"\"index\":0,",
    b"\"id\":\"call_0\",",
    b"\"name\":\"ask_followup_question\",",
    b"\"error\":{\"message\":\"no\"},",
    b"<ask_followup_question>",
    b"</ask_followup_question>",
    b"<read_file>",
    b"<suggest>",
];

#[derive(Clone, Copy, Debug)]
enum Damage {
    DropEvent,
    RepeatEvent,
    SwapEvents,
    MoveEvent,
    DropBytes,
    SwapBytes,
    Insert(&'static [u8]),
    Set(u8),
    Truncate,
    /// Replaces the next text between two quotes.
    Name(&'static str),
}

fn damage() -> impl Strategy<Value = (Damage, usize, usize)> {
    let kind = prop_oneof![
        1 => Just(Damage::DropEvent),
        1 => Just(Damage::RepeatEvent),
        1 => Just(Damage::SwapEvents),
        1 => Just(Damage::MoveEvent),
        1 => Just(Damage::DropBytes),
        1 => Just(Damage::SwapBytes),
        2 => select(DEBRIS).prop_map(Damage::Insert),
        1 => any::<u8>().prop_map(Damage::Set),
        1 => Just(Damage::Truncate),
        1 => select(&["index", "id", "name", "call_0", "call_1", "ask_followup_question", "", "type", "error"][..]).prop_map(Damage::Name),
    ];
    (kind, any::<usize>(), any::<usize>())
}

/// A body with damaged events.
#[derive(Clone)]
struct Damaged {
    format: Format,
    body: Vec<u8>,
}

impl std::fmt::Debug for Damaged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} \"{}\"", self.format, self.body.escape_ascii())
    }
}

fn damaged() -> impl Strategy<Value = Damaged> {
    let golden = any::<Index>().prop_map(|index| index.get(&GOLDEN).clone());
    let encoded = prop_oneof![streams(), streams_with_leaks()].prop_map(|Stream(sent)| (sent.format, sent.events));
    let damages = prop::collection::vec(damage(), 0..5);
    (prop_oneof![1 => golden, 2 => encoded], damages, prop::option::weighted(0.1, select(&Format::ALL[..]))).prop_map(
        |((format, mut events), damages, other)| {
            for (damage, one, two) in damages {
                apply(damage, one, two, &mut events);
            }
            Damaged { format: other.unwrap_or(format), body: events.concat() }
        },
    )
}

fn apply(damage: Damage, one: usize, two: usize, events: &mut Vec<Vec<u8>>) {
    if events.is_empty() {
        return;
    }
    let (i, j) = (one % events.len(), two % events.len());
    match damage {
        Damage::DropEvent => drop(events.remove(i)),
        Damage::RepeatEvent => events.insert(j, events[i].clone()),
        Damage::SwapEvents => events.swap(i, j),
        Damage::MoveEvent => {
            let event = events.remove(i);
            events.insert(j.min(events.len()), event);
        }
        _ => {
            let event = &mut events[i];
            let (from, to) = (two % (event.len() + 1), (two >> 16) % (event.len() + 1));
            let (from, to) = (from.min(to), from.max(to));
            match damage {
                Damage::DropBytes => drop(event.drain(from..to.min(from + 8))),
                Damage::SwapBytes if to < event.len() => event.swap(from, to),
                Damage::Insert(bytes) => drop(event.splice(from..from, bytes.iter().copied())),
                Damage::Set(byte) if from < event.len() => event[from] = byte,
                Damage::Truncate => {
                    event.truncate(from);
                    if to % 2 == 0 {
                        events.truncate(i + 1);
                    }
                }
                Damage::Name(name) => {
                    let quotes: Vec<usize> = (from..event.len()).filter(|&at| event[at] == b'"').take(2).collect();
                    if let [open, close] = quotes[..] {
                        event.splice(open + 1..close, name.bytes());
                    }
                }
                _ => {}
            }
        }
    }
}

/// The default limits, or some that bodies exceed.
fn limits() -> impl Strategy<Value = (Arc<Policy>, Limits)> {
    let small = (1..600_usize, 0..3_usize, 0..20_usize).prop_map(|(event, open_calls, answer)| {
        let call = followup::Limits { answer, suggestions: 2, ..followup::Limits::default() };
        let limits = Limits::default().with_event(event).with_open_calls(open_calls);
        (Arc::new(Policy::new().with_limits(call)), limits)
    });
    let default = |policy: &Arc<Policy>| Just((policy.clone(), Limits::default()));
    prop_oneof![1 => default(&POLICY), 1 => default(&ALL_FAMILIES), 1 => small]
}

/// Returns what must be the same in two questions: all but white space, with entities decoded.
fn essence(question: &str) -> String {
    let mut text = question.to_owned();
    for (entity, char) in
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#39;", "'"), ("&amp;", "&")]
    {
        text = text.split(entity).collect::<Vec<_>>().join(char);
    }
    text.chars().filter(|char| !char.is_whitespace()).collect()
}

fn has_no_payloads(format: Format) -> bool {
    matches!(format, Format::Text | Format::Json)
}

proptest! {
    #![proptest_config(config(1_500))]

    #[test]
    fn what_is_sent_comes_out_for_every_provider_and_every_cut(stream in streams(), cuts in cuts(), auto: bool) {
        let sent = &stream.0;
        let body = sent.body();
        let policy = POLICY.clone();
        let mut parser = if auto { ResponseParser::auto(policy) } else { ResponseParser::new(sent.format, policy) };
        for chunks in [cuts.chunks(&body), body.chunks(1).collect()] {
            let received = Received::of(&mut parser, sent, chunks);
            prop_assert_eq!(&received.unexpected, &[] as &[String]);
            prop_assert_eq!(&received.calls, &sent.asks);
            prop_assert_eq!(&received.others, &sent.others);
            prop_assert_eq!(&received.prose, &sent.prose);
        }
    }

    #[test]
    fn a_call_that_leaks_is_asked_unless_one_that_counts_is(stream in streams_with_leaks(), cuts in cuts(), auto: bool) {
        let sent = &stream.0;
        let body = sent.body();
        let policy = ALL_FAMILIES.clone();
        let parser = if auto { ResponseParser::auto(policy) } else { ResponseParser::new(sent.format, policy) };
        let mut parser = parser.with_reasoning(true);
        // All questions of a call have to be the same.
        let asks_one = || sent.asks.iter().filter(|ask| ask.form.len() < 2);
        let is_native = |leaked: &Ask| asks_one().any(|ask| essence(&ask.question) == essence(&leaked.question));
        let leaked: Vec<_> = sent.leaked.iter().filter(|leaked| !is_native(leaked)).collect();
        let has_asked = !sent.asks.is_empty() || sent.leaked.is_some();
        let reasoned: Vec<_> = sent.reasoned.iter().filter(|_| !has_asked).collect();
        let leaks = sent.leaked.iter().chain(&sent.reasoned).count();
        for chunks in [cuts.chunks(&body), body.chunks(1).collect()] {
            let received = Received::of(&mut parser, sent, chunks);
            prop_assert_eq!(&received.unexpected, &[] as &[String]);
            prop_assert_eq!(&received.calls, &sent.asks);
            prop_assert_eq!(&received.others, &sent.others);
            prop_assert_eq!(&received.prose, &sent.prose);
            prop_assert_eq!(received.leaked.iter().collect::<Vec<_>>(), &leaked[..]);
            prop_assert_eq!(received.reasoned.iter().collect::<Vec<_>>(), &reasoned[..]);
            prop_assert_eq!(received.superseded, leaks - leaked.len() - reasoned.len());
        }
    }

    #[test]
    fn a_detected_format_gives_the_same_events_as_a_declared_one(stream in streams(), cuts in cuts()) {
        let body = stream.0.body();
        let mut auto = ResponseParser::auto(POLICY.clone());
        let lines = events::lines(&mut ResponseParser::new(stream.0.format, POLICY.clone()), [&*body]);
        prop_assert_eq!(events::lines(&mut auto, cuts.chunks(&body)), &lines[..]);
        prop_assert_eq!(events::lines(&mut auto, [&*body]), lines);
        drop(auto.feed(&body));
        prop_assert!(auto.format().is_none_or(|format| format == stream.0.format));
        drop(auto.finish());
        prop_assert_eq!(auto.format(), None);
    }

    #[test]
    fn a_damaged_body_gives_the_same_events_for_every_cut(damaged in damaged(), (policy, limits) in limits(), cuts in cuts(), reasoning: bool) {
        let Damaged { format, body } = &damaged;
        let mut parser = ResponseParser::new(*format, policy).with_limits(limits).with_reasoning(reasoning);
        if has_no_payloads(*format) {
            let whole = joined(&mut parser, [&**body]);
            prop_assert_eq!(joined(&mut parser, cuts.chunks(body)), &whole[..]);
            prop_assert_eq!(joined(&mut parser, body.chunks(1)), whole);
        } else {
            let whole = events::lines(&mut parser, [&**body]);
            prop_assert_eq!(events::lines(&mut parser, cuts.chunks(body)), &whole[..]);
            prop_assert_eq!(events::lines(&mut parser, body.chunks(1)), whole);
        }
    }

    #[test]
    fn the_detected_format_of_a_damaged_body_does_not_depend_on_the_cut(damaged in damaged(), (policy, limits) in limits(), cuts in cuts()) {
        let mut parser = ResponseParser::auto(policy).with_limits(limits);
        let whole = joined(&mut parser, [&*damaged.body]);
        prop_assert_eq!(joined(&mut parser, cuts.chunks(&damaged.body)), &whole[..]);
        prop_assert_eq!(joined(&mut parser, damaged.body.chunks(1)), whole);
    }

    #[test]
    fn a_cursor_dropped_early_loses_no_state(damaged in damaged(), cuts in cuts(), take in 0..4_usize, auto: bool) {
        let mut whole = if auto { ResponseParser::auto(POLICY.clone()) } else { ResponseParser::new(damaged.format, POLICY.clone()) };
        let mut dropped = whole.clone();
        let chunks = cuts.chunks(&damaged.body);
        let (some, rest) = chunks.split_at(chunks.len() / 2);
        for chunk in some {
            let mut events = whole.feed(chunk);
            while events.next().is_some() {}
            drop(events);
            let mut events = dropped.feed(chunk);
            for _ in 0..take {
                events.next();
            }
        }
        let rest = || rest.iter().copied();
        prop_assert_eq!(events::lines(&mut dropped, rest()), events::lines(&mut whole, rest()));
        for chunk in &chunks {
            drop(dropped.feed(chunk));
        }
        let mut events = dropped.finish();
        for _ in 0..take {
            events.next();
        }
        drop(events);
        let chunks = || chunks.iter().copied();
        prop_assert_eq!(events::lines(&mut dropped, chunks()), events::lines(&mut whole, chunks()), "the cursor of the end, dropped early");
    }

    #[test]
    fn a_parser_is_like_new_after_finish(one in damaged(), two in damaged(), auto: bool) {
        let new = || if auto { ResponseParser::auto(POLICY.clone()) } else { ResponseParser::new(two.format, POLICY.clone()) };
        let mut used = new();
        drop(used.feed(&one.body));
        drop(used.finish());
        prop_assert_eq!(events::lines(&mut used, [&*two.body]), events::lines(&mut new(), [&*two.body]));
        prop_assert_eq!(events::lines(&mut used, [&*two.body]), events::lines(&mut new(), [&*two.body]));
    }

    #[test]
    fn a_clone_is_independent_of_its_original(one in damaged(), two in damaged(), at: usize, auto: bool) {
        let new = || if auto { ResponseParser::auto(POLICY.clone()) } else { ResponseParser::new(one.format, POLICY.clone()) };
        let (now, later) = one.body.split_at(at % (one.body.len() + 1));
        let mut parser = new();
        drop(parser.feed(now));
        let mut copy = parser.clone();
        let started = || {
            let mut parser = new();
            drop(parser.feed(now));
            parser
        };
        prop_assert_eq!(events::lines(&mut copy, [&*two.body]), events::lines(&mut started(), [&*two.body]));
        prop_assert_eq!(events::lines(&mut parser, [later]), events::lines(&mut started(), [later]));
    }
}
