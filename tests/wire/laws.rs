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
use followup::wire::{Error, Events, Format, Limits, ResponseParser};
use followup::{Complete, Envelopes, Event, Field, Note, Partial, Policy, Reason, Shape, Suggestions};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::Value;

static POLICY: LazyLock<Arc<Policy>> = LazyLock::new(|| Arc::new(Policy::new()));

/// The default policy, with all families of envelopes.
static ALL_FAMILIES: LazyLock<Arc<Policy>> = LazyLock::new(|| Arc::new(Policy::new().with_envelopes(Envelopes::all())));

fn config(full: u32) -> ProptestConfig {
    ProptestConfig { cases: cases(full), failure_persistence: None, ..ProptestConfig::default() }
}

/// The events of a body, put together.
#[derive(Debug, Default)]
struct Received {
    prose: String,
    asks: BTreeMap<u64, Ask>,
    /// The native calls, in order.
    calls: Vec<Ask>,
    others: Vec<Other>,
    /// The calls in the text and in the reasoning that are asked.
    leaked: Vec<Ask>,
    reasoned: Vec<Ask>,
    superseded: usize,
    unexpected: Vec<String>,
    /// The sum of the deltas of each text of the open calls.
    open: BTreeMap<u64, Deltas>,
}

/// The deltas of a call: by question, by suggestion unless a text is the question's, and by field.
type Deltas = BTreeMap<(usize, Option<usize>, String), String>;

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

    fn take(&mut self, mut events: Events<'_>) {
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
fn joined<'c>(parser: &mut ResponseParser, chunks: impl IntoIterator<Item = &'c [u8]>) -> Vec<String> {
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

/// A summary of every event but partials.
fn summaries(parser: &mut ResponseParser, body: &[u8], size: usize) -> Vec<String> {
    let mut summaries = Vec::new();
    let mut take = |mut events: Events<'_>| {
        while let Some(event) = events.next() {
            summaries.push(match event {
                Ok(Event::Partial(_)) => continue,
                Ok(Event::Text(text)) => format!("text {text}"),
                Ok(Event::Opaque(piece)) => {
                    let starts = if piece.start { " begins" } else { "" };
                    format!("{} {}{starts} {}", piece.tool, piece.id.unwrap_or("-"), piece.raw).trim_end().to_owned()
                }
                Ok(Event::Complete(call)) => {
                    let answers: Vec<&str> = call.suggestions().iter().map(|one| one.answer).collect();
                    let (index, id, answers) = (call.index(), call.id().unwrap_or("-"), answers.join("|"));
                    let notes: String = call.notes().iter().map(|note| format!(" ({note:?})")).collect();
                    format!("{index} {id} asks {} {answers}", call.question()).trim_end().to_owned() + &notes
                }
                Ok(Event::Rejected(call)) => {
                    format!("{} {} is rejected: {}", call.index(), call.id().unwrap_or("-"), call.reason().code())
                }
                Err(Error::TooManyCalls(tool)) => format!("too many: {tool}"),
                Err(error) => format!("error {}", error.code()),
            });
        }
    };
    body.chunks(size).for_each(|chunk| take(parser.feed(chunk)));
    take(parser.finish());
    summaries
}

const ASK: &str = "ask_followup_question";

/// A member of a JSON object, with a comma; empty if the text is.
fn field(name: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{}:{},", Value::from(name), Value::from(text)) }
}

/// Anthropic: the start, a delta and the stop of a content block.
fn block_start(index: usize, id: &str, name: &str) -> String {
    let (id, name) = (field("id", id), field("name", name));
    let block = format!("{{{id}{name}\"type\":\"tool_use\",\"input\":{{}}}}");
    format!(r#"{{"type":"content_block_start","index":{index},"content_block":{block}}}"#)
}

fn block_delta(index: usize, json: &str) -> String {
    let delta = format!(r#"{{"type":"input_json_delta","partial_json":{}}}"#, Value::from(json));
    format!(r#"{{"type":"content_block_delta","index":{index},"delta":{delta}}}"#)
}

fn block_stop(index: usize) -> String {
    format!(r#"{{"type":"content_block_stop","index":{index}}}"#)
}

/// OpenAI chat: a delta of a call, and the end of the message.
fn chat(index: usize, id: &str, name: &str, arguments: &str) -> String {
    let function = format!("{{{}\"arguments\":{}}}", field("name", name), Value::from(arguments));
    let call = format!("{{{}\"index\":{index},\"function\":{function}}}", field("id", id));
    format!(r#"{{"choices":[{{"index":0,"delta":{{"tool_calls":[{call}]}}}}]}}"#)
}

const CHAT_END: &str = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#;

/// OpenAI Responses: an item that is added or done, and its arguments, a delta or done.
fn item(kind: &str, index: usize, id: &str, name: &str, arguments: &str) -> String {
    let item = format!(
        "{{{}{}\"type\":\"function_call\",\"id\":\"item_{index}\",\"arguments\":{}}}",
        field("call_id", id),
        field("name", name),
        Value::from(arguments)
    );
    format!(r#"{{"type":"response.output_item.{kind}","output_index":{index},"item":{item}}}"#)
}

fn arguments(kind: &str, index: usize, text: &str) -> String {
    let name = if kind == "done" { "arguments" } else { "delta" };
    let text = field(name, text);
    format!(
        r#"{{{text}"type":"response.function_call_arguments.{kind}","item_id":"item_{index}","output_index":{index}}}"#
    )
}

fn sse_body(events: &[String]) -> Vec<u8> {
    events.iter().map(|event| format!("data: {event}\n\n")).collect::<String>().into_bytes()
}

/// Parses the events whole and byte by byte.
#[track_caller]
fn check(what: &str, format: Format, limits: Limits, sent: &[String], expected: &[&str]) {
    let mut parser = ResponseParser::new(format, POLICY.clone()).with_limits(limits);
    assert_eq!(summaries(&mut parser, &sse_body(sent), usize::MAX), expected, "{what}");
    assert_eq!(summaries(&mut parser, &sse_body(sent), 1), expected, "{what}, byte by byte");
}

const Q: &str = r#"{"question":"Q?"}"#;

/// A call of each tool of the built-in shapes, and one of `ask_followup_question`.
const EACH_TOOL: [(&str, &str); 20] = [
    ("AskUserQuestion", r#"{"questions":[{"question":"Q?","options":[{"label":"A"},{"label":"B"}]}]}"#),
    ("request_user_input", r#"{"questions":[{"header":"H","id":"i","options":[{"label":"A"}],"question":"Q?"}]}"#),
    ("vscode_askQuestions", r#"{"questions":[{"header":"H","question":"Q?","options":[{"label":"A"}]}]}"#),
    ("askQuestions", r#"{"questions":[{"header":"H","question":"Q?"}]}"#),
    ("copilot_askQuestions", r#"{"questions":[{"header":"H","question":"Q?"}]}"#),
    ("AskQuestion", r#"{"questions":[{"id":"i","prompt":"Q?","options":[{"id":"1","label":"A"}]}]}"#),
    ("cursor/ask_question", r#"{"questions":[{"id":"i","prompt":"Q?","options":[{"id":"1","label":"A"}]}]}"#),
    ("ask_user", r#"{"question":"Q?","choices":["A","B"]}"#),
    ("question", r#"{"questions":[{"question":"Q?","header":"H","options":[{"label":"A"}]}]}"#),
    ("ask_question", r#"{"question":"Q?","options":["A","B"]}"#),
    ("ask_user_question", r#"{"questions":[{"question":"Q?","header":"H","options":[{"label":"A"},{"label":"B"}]}]}"#),
    ("elicitation/create", r#"{"message":"m","requestedSchema":{"properties":{"f":{"type":"string","title":"Q?"}}}}"#),
    ("clarify", r#"{"question":"Q?","choices":["A"]}"#),
    ("ask", r#"{"questions":[{"id":"i","question":"Q?","options":[{"label":"A"}]}]}"#),
    ("questionnaire", r#"{"questions":[{"id":"i","prompt":"Q?","options":[{"value":"a","label":"A"}]}]}"#),
    ("AskUser", r#"{"questionnaire":"1. [question] Q?\n[option] A"}"#),
    ("droid.ask_user", r#"{"questions":[{"index":1,"topic":"T","question":"Q?","options":["A"]}]}"#),
    ("askForConfirmation", r#"{"message":"Q?"}"#),
    ("session/request_permission", r#"{"toolCall":{"title":"Q?"},"options":[{"optionId":"a","name":"A"}]}"#),
    (ASK, r#"{"question":"Q?","follow_up":[{"text":"A","mode":null}]}"#),
];

#[test]
fn the_default_policy_asks_every_tool_of_one_body() {
    for shape in Shape::built_in_names().filter_map(Shape::built_in) {
        assert!(shape.tools().all(|tool| EACH_TOOL.iter().any(|(known, _)| *known == tool)), "{}", shape.name());
    }
    let calls = || EACH_TOOL.iter().enumerate().map(|(i, (tool, arguments))| (i, format!("c{i}"), *tool, *arguments));
    let mut openai: Vec<String> = Vec::new();
    let mut anthropic: Vec<String> = Vec::new();
    for (i, id, tool, arguments) in calls() {
        let (one, two) = arguments.split_at(arguments.len() / 2);
        openai.extend([chat(i, &id, tool, one), chat(i, "", "", two)]);
        anthropic.extend([block_start(i, &id, tool), block_delta(i, one), block_delta(i, two), block_stop(i)]);
    }
    openai.push(CHAT_END.to_owned());
    for (format, sent) in [(Format::OpenAiChat, openai), (Format::Anthropic, anthropic)] {
        for size in [1, 7, usize::MAX] {
            let mut received = Received::default();
            let mut parser = ResponseParser::new(format, Policy::new());
            sse_body(&sent).chunks(size).for_each(|chunk| received.take(parser.feed(chunk)));
            received.take(parser.finish());
            assert_eq!((&*received.unexpected, &*received.others, &*received.prose), (&[][..], &[][..], ""));
            let asked = received.asks.values().map(|ask| (ask.id.clone().unwrap(), &*ask.tool, &*ask.question));
            let expected = calls().map(|(_, id, tool, _)| (id, tool, "Q?"));
            assert_eq!(asked.collect::<Vec<_>>(), expected.collect::<Vec<_>>(), "{format}, {size}");
        }
    }
}

#[test]
fn a_wrong_block_affects_no_other_call() {
    let check = |what: &str, sent: &[String], expected: &[&str]| {
        check(what, Format::Anthropic, Limits::default(), sent, expected)
    };
    check(
        "a stop before the start",
        &[block_stop(0), block_start(0, "a", ASK), block_delta(0, Q), block_stop(0)],
        &["0 a asks Q?"],
    );
    check(
        "a stop of another block",
        &[block_start(0, "a", ASK), block_stop(7), block_delta(0, Q), block_stop(0)],
        &["0 a asks Q?"],
    );
    check("no stop", &[block_start(0, "a", ASK), block_delta(0, Q)], &["0 a asks Q?"]);
    check(
        "final twice",
        &[block_start(0, "a", ASK), block_delta(0, Q), block_stop(0), block_stop(0)],
        &["0 a asks Q?"],
    );
    check(
        "a delta after the end",
        &[block_start(0, "a", ASK), block_delta(0, Q), block_stop(0), block_delta(0, "}")],
        &["0 a asks Q?"],
    );
    check(
        "a delta at an unknown index goes to no other call",
        &[block_start(0, "a", ASK), block_delta(5, "no"), block_delta(0, Q), block_stop(0)],
        &["0 a asks Q?", "error orphan"],
    );
    check("arguments of no call", &[block_delta(3, Q), block_stop(3)], &["error orphan"]);
    check(
        "arguments of no call, and a call",
        &[block_delta(3, "no"), block_start(0, "a", ASK), block_delta(0, Q), block_stop(0)],
        &["0 a asks Q?", "error orphan"],
    );
    check(
        "two starts with one id",
        &[block_start(0, "a", ASK), block_start(0, "a", ASK), block_delta(0, Q), block_stop(0)],
        &["0 a asks Q?"],
    );
    check(
        "two starts with one id, at another index",
        &[
            block_start(0, "a", ASK),
            block_delta(0, Q),
            block_stop(0),
            block_start(1, "a", ASK),
            block_delta(1, Q),
            block_stop(1),
        ],
        &["0 a asks Q?", "1 a asks Q?"],
    );
    check(
        "two starts with one id and different names",
        &[block_start(0, "a", "lookup"), block_start(1, "a", ASK), block_delta(1, Q), block_stop(1), block_stop(0)],
        &["lookup a begins", "0 a asks Q?", "lookup a {}"],
    );
    check(
        "two blocks with one index",
        &[
            block_start(0, "a", ASK),
            block_start(0, "b", "lookup"),
            block_delta(0, "{}"),
            block_stop(0),
            block_delta(0, Q),
        ],
        &["lookup b begins", "lookup b {}", "0 a is rejected: truncated"],
    );
    check("no name", &[block_start(0, "a", ""), block_delta(0, Q), block_stop(0)], &["error orphan"]);
    check("no id", &[block_start(0, "", ASK), block_delta(0, Q), block_stop(0)], &["0 - asks Q?"]);
    check(
        "no arguments",
        &[block_start(0, "a", ASK), block_stop(0), block_start(1, "b", "lookup"), block_stop(1)],
        &["0 a is rejected: missing_parameter", "lookup b begins", "lookup b {}"],
    );
}

#[test]
fn a_wrong_chat_chunk_affects_no_other_call() {
    let check = |what: &str, sent: &[String], expected: &[&str]| {
        check(what, Format::OpenAiChat, Limits::default(), sent, expected)
    };
    let end = || CHAT_END.to_owned();
    check(
        "an id that changes",
        &[chat(0, "a", ASK, "{\"question\""), chat(0, "b", "", ":\"Q?\"}"), end()],
        &["0 a asks Q?"],
    );
    check(
        "an id that comes late",
        &[chat(0, "", ASK, "{\"question\""), chat(0, "b", "", ":\"Q?\"}"), end()],
        &["0 b asks Q?"],
    );
    check(
        "an id of another tool that comes late",
        &[chat(0, "", "lookup", "{"), chat(0, "b", "", "}"), end()],
        &["lookup - begins", "lookup - {", "lookup - }"],
    );
    check(
        "a name after the arguments",
        &[chat(0, "a", "", "{\"question\""), chat(0, "", ASK, ":"), chat(0, "", "", "\"Q?\"}"), end()],
        &["0 a asks Q?"],
    );
    check(
        "a name of another tool after the arguments",
        &[chat(0, "a", "", "{\"p\""), chat(0, "", "lookup", ":1}"), end()],
        &["lookup a begins", "lookup a {\"p\"", "lookup a :1}"],
    );
    check(
        "one index and one id, another name: another call",
        &[chat(0, "a", "lookup", "{}"), chat(0, "a", ASK, Q), end()],
        &["lookup a begins", "lookup a {}", "0 a asks Q?"],
    );
    check("a name that never comes", &[chat(0, "a", "", Q), end()], &["error orphan"]);
    check("a delta after the end", &[chat(0, "a", ASK, Q), end(), chat(0, "", "", "}"), end()], &["0 a asks Q?"]);
    check(
        "another call after the end",
        &[chat(0, "a", ASK, Q), end(), chat(0, "b", ASK, Q), end()],
        &["0 a asks Q?", "1 b asks Q?"],
    );
    check(
        "another call after the end, without ids",
        &[chat(0, "", ASK, Q), end(), chat(0, "", ASK, Q), end()],
        &["0 - asks Q?", "1 - asks Q?"],
    );
    check(
        "all calls at one index, without ids",
        &[chat(0, "", "lookup", "{\"p\":1}"), chat(0, "", ASK, Q), chat(0, "", ASK, Q), end()],
        &["lookup - begins", "lookup - {\"p\":1}", "0 - asks Q?", "1 - asks Q?"],
    );
    check(
        "all calls with one id",
        &[
            chat(0, "null", "lookup", "{\"p\":1}"),
            chat(1, "null", ASK, "{\"question\":"),
            chat(1, "null", "", "\"Q?\"}"),
            end(),
        ],
        &["lookup null begins", "lookup null {\"p\":1}", "0 null asks Q?"],
    );
    check(
        "a name in every delta",
        &[
            chat(0, "", ASK, "{\"question\""),
            chat(0, "", ASK, ":"),
            chat(0, "", ASK, "\"Q?\"}"),
            chat(0, "", ASK, ""),
            end(),
        ],
        &["0 - asks Q?"],
    );
    check(
        "arguments with an id before their name, while another call is open",
        &[
            chat(0, "a", ASK, "{\"question\""),
            chat(1, "b", "", "{\"p\""),
            chat(0, "", "", ":\"Q?\"}"),
            chat(1, "", "lookup", ":1}"),
            end(),
        ],
        &["lookup b begins", "lookup b {\"p\"", "lookup b :1}", "0 a asks Q?"],
    );
    check("an id before the name", &[chat(0, "a", "", ""), chat(0, "", ASK, Q), end()], &["0 a asks Q?"]);
    check(
        "the end of a message that became too long",
        &[chat(0, "a", ASK, ""), CHAT_END.replace("tool_calls", "length")],
        &["0 a is rejected: truncated"],
    );
    check(
        "an event that is lost in the middle of a call",
        &[
            chat(0, "a", ASK, "{\"question\":\"Delete "),
            "{\"choices\":[{".to_owned(),
            chat(0, "", "", "all?\"}"),
            chat(1, "b", ASK, Q),
            end(),
        ],
        &["error unreadable", "0 a is rejected: malformed", "1 b asks Q?"],
    );
    check(
        "something that is no event in the middle of a call",
        &[chat(0, "a", ASK, "{\"question\":"), "<html>".to_owned(), chat(0, "", "", "\"Q?\"}"), end()],
        &["error unreadable", "0 a asks Q?"],
    );
    check(
        "an unknown index goes to the last call",
        &[chat(0, "a", ASK, ""), chat(9, "", "", Q), end()],
        &["0 a asks Q?"],
    );
    check("an empty object first", &[chat(0, "a", ASK, "{}"), chat(0, "", "", Q), end()], &["0 a asks Q?"]);
    check(
        "an empty object of another tool first",
        &[chat(0, "a", "lookup", "{}"), chat(0, "", "", "{\"p\":1}"), end()],
        &["lookup a begins", "lookup a {\"p\":1}"],
    );
    check(
        "an empty object in pieces",
        &[chat(0, "a", "lookup", "{"), chat(0, "", "", "}"), end()],
        &["lookup a begins", "lookup a {", "lookup a }"],
    );
    check("no arguments at all", &[chat(0, "a", ASK, ""), end()], &["0 a is rejected: missing_parameter"]);
    check("cut off without arguments", &[chat(0, "a", ASK, "")], &["0 a is rejected: truncated"]);
}

#[test]
fn a_wrong_output_item_affects_no_other_call() {
    let check = |what: &str, sent: &[String], expected: &[&str]| {
        check(what, Format::OpenAiResponses, Limits::default(), sent, expected)
    };
    let added = |index, id| item("added", index, id, ASK, "");
    let other = r#"{"question":"No?"}"#;
    check(
        "done contradicts",
        &[added(0, "a"), arguments("delta", 0, Q), arguments("done", 0, other), item("done", 0, "a", ASK, other)],
        &["0 a is rejected: malformed"],
    );
    check(
        "done is written in another way",
        &[added(0, "a"), arguments("delta", 0, Q), arguments("done", 0, r#"{ "\u0071uestion" : "Q?" }"#)],
        &["0 a asks Q?"],
    );
    check(
        "a delta was lost, and done has it",
        &[added(0, "a"), arguments("delta", 0, "{\"question"), "{\"type\":".to_owned(), arguments("done", 0, Q)],
        &["error unreadable", "0 a asks Q?"],
    );
    check(
        "done has less",
        &[added(0, "a"), arguments("delta", 0, Q), arguments("done", 0, "{")],
        &["0 a is rejected: malformed"],
    );
    check(
        "never added, and done without a name",
        &[arguments("delta", 0, "{\"question\":"), arguments("done", 0, Q), item("done", 0, "a", ASK, Q)],
        &["0 a asks Q?"],
    );
    check(
        "done without arguments, and the item with them",
        &[added(0, "a"), arguments("done", 0, ""), item("done", 0, "a", ASK, Q)],
        &["0 a asks Q?"],
    );
    check(
        "done has more",
        &[added(0, "a"), arguments("delta", 0, "{\"question\""), arguments("done", 0, Q)],
        &["0 a asks Q?"],
    );
    check("done has nothing", &[added(0, "a"), arguments("delta", 0, Q), arguments("done", 0, "")], &["0 a asks Q?"]);
    check(
        "done twice",
        &[added(0, "a"), arguments("done", 0, Q), arguments("done", 0, Q), item("done", 0, "a", ASK, Q)],
        &["0 a asks Q?"],
    );
    check(
        "added twice",
        &[added(0, "a"), added(0, "a"), arguments("delta", 0, Q), arguments("done", 0, Q)],
        &["0 a asks Q?"],
    );
    check("never added", &[arguments("delta", 0, Q), item("done", 0, "a", ASK, Q)], &["0 a asks Q?"]);
    check(
        "added late",
        &[
            arguments("delta", 0, "{\"quest"),
            added(0, "a"),
            arguments("delta", 0, "ion\":\"Q?\"}"),
            item("done", 0, "a", ASK, Q),
        ],
        &["0 a asks Q?"],
    );
    check(
        "done before it is added",
        &[item("done", 0, "a", ASK, Q), added(0, "a"), arguments("delta", 0, Q)],
        &["0 a asks Q?"],
    );
    check("arguments of no call", &[arguments("delta", 4, Q), arguments("done", 4, Q)], &["error orphan"]);
    check(
        "half a pair at the end of the deltas, all of it in the end",
        &[
            added(0, "a"),
            arguments("delta", 0, "{\"question\":\"Q @").replace('@', "\\ud83d"),
            arguments("done", 0, "{\"question\":\"Q 😀\"}"),
        ],
        &["0 a asks Q 😀"],
    );
}

#[test]
fn a_wrong_part_affects_no_other_call() {
    let part = |call: &str| format!(r#"{{"candidates":[{{"content":{{"parts":[{{"functionCall":{{{call}}}}}]}}}}]}}"#);
    let named = |more: &str| part(&format!("\"name\":\"{ASK}\",{more}"));
    let start = || named(r#""willContinue":true"#);
    let value = r#""partialArgs":[{"jsonPath":"$.question","stringValue":"Q?"}]"#;
    let whole = format!("\"args\":{Q}");
    let check =
        |what: &str, sent: &[String], expected: &[&str]| check(what, Format::Gemini, Limits::default(), sent, expected);
    check(
        "a call that never ends",
        &[start(), part(&format!("{value},\"willContinue\":true"))],
        &["0 - is rejected: truncated"],
    );
    check("a part of no call", &[part(value), named(&whole)], &["error orphan", "0 - asks Q?"]);
    check("the end of no call", &[part(""), named(&whole), part("")], &["0 - asks Q?"]);
    check("no arguments", &[named(r#""args":{}"#)], &["0 - is rejected: missing_parameter"]);
    let with_id = format!("\"id\":\"a\",{whole}");
    check("one call twice", &[named(&with_id), named(&with_id)], &["0 a asks Q?"]);
    let other = named("\"id\":\"a\",\"args\":{\"question\":\"And?\"}");
    check("one id for two calls", &[named(&with_id), other], &["0 a asks Q?", "1 a asks And?"]);
    check(
        "an empty object, and then values",
        &[named("\"args\":{},\"willContinue\":true"), part(value)],
        &["0 - asks Q?"],
    );
    let again = value.replace("Q?", " more?");
    check(
        "a value that is left and written again",
        &[start(), part(&format!("{value},\"willContinue\":true")), part(&again)],
        &["0 - is rejected: malformed"],
    );
    check("a name that is repeated", &[start(), named(value)], &["0 - asks Q?"]);
}

#[test]
fn a_call_beyond_the_limit_is_an_error_and_affects_no_other() {
    let small = Limits::default().with_open_calls(2);
    let none = Limits::default().with_open_calls(0);
    let end = || CHAT_END.to_owned();
    let two = [chat(0, "a", ASK, "{\"question\""), chat(1, "b", "lookup", "{")];
    let rest = [chat(0, "", "", ":\"Q?\"}"), chat(1, "", "", "}"), end()];
    let third = [chat(2, "c", "third", ""), chat(2, "", "", "{\"x\":1}")];
    let sent: Vec<String> = [&two[..], &third, &rest].concat();
    check(
        "chat",
        Format::OpenAiChat,
        small,
        &sent,
        &["lookup b begins", "lookup b {", "too many: third", "lookup b }", "0 a asks Q?"],
    );
    check("none", Format::OpenAiChat, none, &[chat(0, "a", ASK, Q), end()], &["too many: ask_followup_question"]);

    let sent = [
        block_start(0, "a", ASK),
        block_start(1, "b", "lookup"),
        block_start(2, "c", "third"),
        block_delta(2, "{\"x\":1}"),
        block_stop(2),
        block_delta(1, "{}"),
        block_delta(0, Q),
        block_stop(0),
        block_stop(1),
    ];
    check(
        "blocks",
        Format::Anthropic,
        small,
        &sent,
        &["lookup b begins", "too many: third", "0 a asks Q?", "lookup b {}"],
    );
}

#[test]
fn the_limit_counts_only_open_calls() {
    let small = Limits::default().with_open_calls(2);
    let end = || CHAT_END.to_owned();
    let sent: Vec<String> =
        (0..200).flat_map(|i| [block_start(i, &format!("id{i}"), ASK), block_delta(i, Q), block_stop(i)]).collect();
    let expected: Vec<String> = (0..200).map(|i| format!("{i} id{i} asks Q?")).collect();
    check(
        "one after the other",
        Format::Anthropic,
        small,
        &sent,
        &expected.iter().map(|line| &**line).collect::<Vec<_>>(),
    );

    let sent: Vec<String> = (0..65).map(|i| chat(i, &format!("id{i}"), ASK, Q)).chain([end()]).collect();
    let mut expected = vec!["too many: ask_followup_question".to_owned()];
    expected.extend((0..64).map(|i| format!("{i} id{i} asks Q?")));
    check(
        "65 at once",
        Format::OpenAiChat,
        Limits::default(),
        &sent,
        &expected.iter().map(|line| &**line).collect::<Vec<_>>(),
    );
}

#[test]
fn an_event_of_17_megabytes_is_skipped_and_the_next_is_parsed() {
    let long = chat(0, "a", "lookup", &"x".repeat(17 << 20));
    let sent = [chat(0, "b", ASK, Q), long, chat(1, "c", ASK, Q), CHAT_END.to_owned()];
    let body = sse_body(&sent);
    let mut parser = ResponseParser::new(Format::OpenAiChat, POLICY.clone());
    for size in [usize::MAX, 4 << 10] {
        assert_eq!(summaries(&mut parser, &body, size), ["error too_long", "0 b asks Q?", "1 c asks Q?"]);
    }
}

/// Nor do the events depend on how much of the body has arrived when its format is detected.
#[test]
fn a_format_detected_late_gives_the_same_events_for_every_cut() {
    let limits = Limits::default().with_event(200);
    let end = CHAT_END.to_owned();
    for before in
        [": ping\n\n".repeat(40), "data: {}\n\n".repeat(40), format!("data: {}\n\n", "x".repeat(300)), "\n".repeat(300)]
    {
        let body = [before.as_bytes(), &sse_body(&[chat(0, "a", ASK, Q), end.clone()])].concat();
        let mut auto = ResponseParser::auto(POLICY.clone()).with_limits(limits);
        let whole = joined(&mut auto, [&*body]);
        assert_eq!(joined(&mut auto, body.chunks(1)), whole, "{before}");
    }
}
