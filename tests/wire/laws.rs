//! The guarantees of `followup::wire` as laws: what is sent is what comes out, whoever sends it, however it is cut, and whatever
//! happens to it on the way.

use crate::sweep::cases;
use crate::{encode, normal as said};

use followup_testing::strategies::cuts;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use crate::encode::{Ask, Dice, Other, PROVIDERS, Sent};
use followup::wire::{Error, Events, Response, Wire};
use followup::{Event, Field, Limits, Policy, Suggestions};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::Value;

static POLICY: LazyLock<Arc<Policy>> = LazyLock::new(|| Arc::new(Policy::new()));

fn config(full: u32) -> ProptestConfig {
    ProptestConfig { cases: cases(full), failure_persistence: None, ..ProptestConfig::default() }
}

/// What came out, put together.
#[derive(Debug, Default)]
struct Heard {
    prose: String,
    asks: BTreeMap<u64, Ask>,
    others: Vec<Other>,
    wrong: Vec<String>,
    /// What the deltas of open calls add up to.
    open: BTreeMap<u64, (String, Vec<String>)>,
}

fn owned(suggestions: Suggestions<'_>) -> Vec<(String, Option<String>)> {
    suggestions.iter().map(|one| (one.answer.to_owned(), one.mode.map(str::to_owned))).collect()
}

impl Heard {
    fn of<'c>(response: &mut Response, chunks: impl IntoIterator<Item = &'c [u8]>) -> Heard {
        let mut heard = Heard::default();
        for chunk in chunks {
            heard.take(response.feed(chunk));
        }
        heard.take(response.finish());
        heard
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
                        None => self.wrong.push(format!("a call that has not begun goes on: {piece:?}")),
                    }
                }
                Ok(Event::Partial(call)) => {
                    let (question, answers) = self.open.entry(call.nth()).or_default();
                    match call.field() {
                        Field::Question => question.push_str(call.delta()),
                        Field::Suggestion => {
                            answers.resize(call.suggestions().len(), String::new());
                            answers.last_mut().expect("there is one").push_str(call.delta());
                        }
                    }
                    assert_eq!(call.question().unwrap_or_default(), question);
                    assert!(call.suggestions().iter().map(|one| one.answer).eq(answers.iter()));
                }
                Ok(Event::Complete(call)) => {
                    let (question, answers) = self.open.remove(&call.nth()).unwrap_or_default();
                    assert_eq!(call.question(), question, "the deltas add up");
                    assert!(call.suggestions().iter().map(|one| one.answer).eq(answers.iter()), "the deltas add up");
                    let ask = Ask {
                        id: call.id().map(str::to_owned),
                        question: call.question().to_owned(),
                        suggest: owned(call.suggestions()),
                    };
                    if self.asks.insert(call.nth(), ask).is_some() {
                        self.wrong.push(format!("call {} is complete twice", call.nth()));
                    }
                }
                other => self.wrong.push(format!("{other:?}")),
            }
        }
    }
}

/// Event by event what came out; but of text that was fed as it is, pieces that only the cut parted are joined, and partials left out.
fn joined<'c>(response: &mut Response, chunks: impl IntoIterator<Item = &'c [u8]>) -> Vec<String> {
    let (mut all, mut last) = (Vec::<String>::new(), None);
    let mut take = |mut events: Events<'_>| {
        while let Some(event) = events.next() {
            let (of, text) = match &event {
                Ok(Event::Partial(_)) => continue,
                Ok(Event::Text(text)) => (Some("text".to_owned()), *text),
                Ok(Event::Opaque(piece)) => (Some(format!("{} {:?}", piece.tool, piece.id)), piece.raw),
                _ => (None, ""),
            };
            let begins = matches!(&event, Ok(Event::Opaque(piece)) if piece.start);
            match (&of, all.last_mut()) {
                (Some(of), _) if begins => all.push(format!("{of} {text}")),
                (Some(_), Some(line)) if of == last => line.push_str(text),
                (Some(of), _) => all.push(format!("more {of} {text}")),
                _ => all.push(format!("{event:?}")),
            }
            last = of;
        }
    };
    for chunk in chunks {
        take(response.feed(chunk));
    }
    take(response.finish());
    all
}

/// A body that means something; shown readably when a law fails.
#[derive(Clone)]
struct Stream(Sent);

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Sent { wire, events, prose, asks, others } = &self.0;
        writeln!(f, "{wire}")?;
        events.iter().try_for_each(|event| writeln!(f, "  {}", event.escape_ascii()))?;
        write!(f, "prose {prose:?}\n{asks:#?}\n{others:#?}")
    }
}

fn choices() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..500)
}

fn streams() -> impl Strategy<Value = Stream> {
    (select(&PROVIDERS[..]), choices()).prop_map(|(wire, choices)| Stream(encode::send(wire, &mut Dice::new(choices))))
}

/// The golden bodies, event by event.
static GOLDEN: LazyLock<Vec<(Wire, Vec<Vec<u8>>)>> = LazyLock::new(|| {
    let mut all = Vec::new();
    for wire in PROVIDERS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wire/bodies").join(wire.name());
        for file in fs::read_dir(folder).expect("there are golden bodies") {
            let path = file.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "json") {
                all.push((path.clone(), wire, in_events(&fs::read(path).unwrap())));
            }
        }
    }
    all.sort_by(|(one, ..), (two, ..)| one.cmp(two));
    all.into_iter().map(|(_, wire, events)| (wire, events)).collect()
});

fn in_events(body: &[u8]) -> Vec<Vec<u8>> {
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

/// What may get into a body.
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
    /// What stood between two quotes stands between these.
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

/// A body that something has happened to.
#[derive(Clone)]
struct Damaged {
    wire: Wire,
    body: Vec<u8>,
}

impl std::fmt::Debug for Damaged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} \"{}\"", self.wire, self.body.escape_ascii())
    }
}

fn damaged() -> impl Strategy<Value = Damaged> {
    let golden = any::<Index>().prop_map(|index| index.get(&GOLDEN).clone());
    let encoded = streams().prop_map(|Stream(sent)| (sent.wire, sent.events));
    let damages = prop::collection::vec(damage(), 0..5);
    (prop_oneof![1 => golden, 2 => encoded], damages, prop::option::weighted(0.1, select(&Wire::ALL[..]))).prop_map(
        |((wire, mut events), damages, other)| {
            for (damage, one, two) in damages {
                apply(damage, one, two, &mut events);
            }
            Damaged { wire: other.unwrap_or(wire), body: events.concat() }
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

/// The default policy, and one with limits that bodies pass.
fn policies() -> impl Strategy<Value = Arc<Policy>> {
    let small = (1..600_usize, 0..3_usize, 0..20_usize).prop_map(|(event, open_calls, answer)| {
        Arc::new(Policy::new().limits(Limits { event, open_calls, answer, suggestions: 2, ..Limits::default() }))
    });
    prop_oneof![2 => Just(POLICY.clone()), 1 => small]
}

fn is_as_it_is(wire: Wire) -> bool {
    matches!(wire, Wire::Text | Wire::Json)
}

proptest! {
    #![proptest_config(config(1_500))]

    #[test]
    fn what_is_asked_comes_out_whoever_sends_it_and_however_it_is_cut(stream in streams(), cuts in cuts(), auto: bool) {
        let sent = &stream.0;
        let body = sent.body();
        let policy = POLICY.clone();
        let mut response = if auto { Response::auto(policy) } else { Response::new(sent.wire, policy) };
        for chunks in [cuts.chunks(&body), body.chunks(1).collect()] {
            let heard = Heard::of(&mut response, chunks);
            prop_assert_eq!(&heard.wrong, &[] as &[String]);
            prop_assert_eq!(heard.asks.into_values().collect::<Vec<_>>(), &sent.asks[..]);
            prop_assert_eq!(&heard.others, &sent.others);
            prop_assert_eq!(&heard.prose, &sent.prose);
        }
    }

    #[test]
    fn what_is_found_out_is_read_as_what_is_said(stream in streams(), cuts in cuts()) {
        let body = stream.0.body();
        let mut auto = Response::auto(POLICY.clone());
        let lines = said::lines(&mut Response::new(stream.0.wire, POLICY.clone()), [&*body]);
        prop_assert_eq!(said::lines(&mut auto, cuts.chunks(&body)), &lines[..]);
        prop_assert_eq!(said::lines(&mut auto, [&*body]), lines);
        drop(auto.feed(&body));
        prop_assert!(auto.wire().is_none_or(|wire| wire == stream.0.wire));
        drop(auto.finish());
        prop_assert_eq!(auto.wire(), None);
    }

    #[test]
    fn a_damaged_body_gives_the_same_events_however_it_is_cut(damaged in damaged(), policy in policies(), cuts in cuts()) {
        let Damaged { wire, body } = &damaged;
        let mut response = Response::new(*wire, policy);
        if is_as_it_is(*wire) {
            let whole = joined(&mut response, [&**body]);
            prop_assert_eq!(joined(&mut response, cuts.chunks(body)), &whole[..]);
            prop_assert_eq!(joined(&mut response, body.chunks(1)), whole);
        } else {
            let whole = said::lines(&mut response, [&**body]);
            prop_assert_eq!(said::lines(&mut response, cuts.chunks(body)), &whole[..]);
            prop_assert_eq!(said::lines(&mut response, body.chunks(1)), whole);
        }
    }

    #[test]
    fn what_a_damaged_body_is_taken_for_does_not_depend_on_the_cut(damaged in damaged(), policy in policies(), cuts in cuts()) {
        let mut response = Response::auto(policy);
        let whole = joined(&mut response, [&*damaged.body]);
        prop_assert_eq!(joined(&mut response, cuts.chunks(&damaged.body)), &whole[..]);
        prop_assert_eq!(joined(&mut response, damaged.body.chunks(1)), whole);
    }

    #[test]
    fn a_cursor_dropped_early_loses_no_state(damaged in damaged(), cuts in cuts(), take in 0..4_usize, auto: bool) {
        let mut whole = if auto { Response::auto(POLICY.clone()) } else { Response::new(damaged.wire, POLICY.clone()) };
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
        prop_assert_eq!(said::lines(&mut dropped, rest()), said::lines(&mut whole, rest()));
        for chunk in &chunks {
            drop(dropped.feed(chunk));
        }
        let mut events = dropped.finish();
        for _ in 0..take {
            events.next();
        }
        drop(events);
        let chunks = || chunks.iter().copied();
        prop_assert_eq!(said::lines(&mut dropped, chunks()), said::lines(&mut whole, chunks()), "the end, dropped early");
    }

    #[test]
    fn a_response_is_as_new_after_finish(one in damaged(), two in damaged(), auto: bool) {
        let new = || if auto { Response::auto(POLICY.clone()) } else { Response::new(two.wire, POLICY.clone()) };
        let mut used = new();
        drop(used.feed(&one.body));
        drop(used.finish());
        prop_assert_eq!(said::lines(&mut used, [&*two.body]), said::lines(&mut new(), [&*two.body]));
        prop_assert_eq!(said::lines(&mut used, [&*two.body]), said::lines(&mut new(), [&*two.body]));
    }

    #[test]
    fn a_clone_goes_its_own_way(one in damaged(), two in damaged(), at: usize, auto: bool) {
        let new = || if auto { Response::auto(POLICY.clone()) } else { Response::new(one.wire, POLICY.clone()) };
        let (now, later) = one.body.split_at(at % (one.body.len() + 1));
        let mut response = new();
        drop(response.feed(now));
        let mut copy = response.clone();
        let begun = || {
            let mut response = new();
            drop(response.feed(now));
            response
        };
        prop_assert_eq!(said::lines(&mut copy, [&*two.body]), said::lines(&mut begun(), [&*two.body]));
        prop_assert_eq!(said::lines(&mut response, [later]), said::lines(&mut begun(), [later]));
    }
}

/// Events without partials, each in a few words.
fn words(response: &mut Response, body: &[u8], size: usize) -> Vec<String> {
    let mut words = Vec::new();
    let mut take = |mut events: Events<'_>| {
        while let Some(event) = events.next() {
            words.push(match event {
                Ok(Event::Partial(_)) => continue,
                Ok(Event::Text(text)) => format!("text {text}"),
                Ok(Event::Opaque(piece)) => {
                    let begins = if piece.start { " begins" } else { "" };
                    format!("{} {}{begins} {}", piece.tool, piece.id.unwrap_or("-"), piece.raw).trim_end().to_owned()
                }
                Ok(Event::Complete(call)) => {
                    let answers: Vec<&str> = call.suggestions().iter().map(|one| one.answer).collect();
                    let (nth, id, answers) = (call.nth(), call.id().unwrap_or("-"), answers.join("|"));
                    let notes: String = call.notes().iter().map(|note| format!(" ({note:?})")).collect();
                    format!("{nth} {id} asks {} {answers}", call.question()).trim_end().to_owned() + &notes
                }
                Ok(Event::Rejected(call)) => {
                    format!("{} {} is rejected: {}", call.nth(), call.id().unwrap_or("-"), call.reason().code())
                }
                Err(Error::TooManyCalls(tool)) => format!("too many: {tool}"),
                Err(error) => format!("error {}", error.code()),
            });
        }
    };
    body.chunks(size).for_each(|chunk| take(response.feed(chunk)));
    take(response.finish());
    words
}

const ASK: &str = "ask_followup_question";

/// A string of JSON, and a comma; nothing if it is empty.
fn field(name: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{}:{},", Value::from(name), Value::from(text)) }
}

/// Anthropic: a block begins, goes on, ends.
fn starts(index: usize, id: &str, name: &str) -> String {
    let (id, name) = (field("id", id), field("name", name));
    let block = format!("{{{id}{name}\"type\":\"tool_use\",\"input\":{{}}}}");
    format!(r#"{{"type":"content_block_start","index":{index},"content_block":{block}}}"#)
}

fn goes_on(index: usize, json: &str) -> String {
    let delta = format!(r#"{{"type":"input_json_delta","partial_json":{}}}"#, Value::from(json));
    format!(r#"{{"type":"content_block_delta","index":{index},"delta":{delta}}}"#)
}

fn stops(index: usize) -> String {
    format!(r#"{{"type":"content_block_stop","index":{index}}}"#)
}

/// OpenAI chat: what comes of one call, and the end.
fn chat(index: usize, id: &str, name: &str, arguments: &str) -> String {
    let function = format!("{{{}\"arguments\":{}}}", field("name", name), Value::from(arguments));
    let call = format!("{{{}\"index\":{index},\"function\":{function}}}", field("id", id));
    format!(r#"{{"choices":[{{"index":0,"delta":{{"tool_calls":[{call}]}}}}]}}"#)
}

const CHAT_ENDS: &str = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#;

/// OpenAI Responses: an item is added or done, its arguments go on or are done.
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

fn events(events: &[String]) -> Vec<u8> {
    events.iter().map(|event| format!("data: {event}\n\n")).collect::<String>().into_bytes()
}

/// Reads the events whole and byte by byte.
#[track_caller]
fn means(what: &str, wire: Wire, policy: &Policy, sent: &[String], meant: &[&str]) {
    let mut response = Response::new(wire, policy.clone());
    assert_eq!(words(&mut response, &events(sent), usize::MAX), meant, "{what}");
    assert_eq!(words(&mut response, &events(sent), 1), meant, "{what}, byte by byte");
}

const Q: &str = r#"{"question":"Q?"}"#;

#[test]
fn blocks_that_lie_harm_no_call_but_their_own() {
    let means = |what: &str, sent: &[String], meant: &[&str]| means(what, Wire::Anthropic, &POLICY, sent, meant);
    means("a stop before the start", &[stops(0), starts(0, "a", ASK), goes_on(0, Q), stops(0)], &["0 a asks Q?"]);
    means("a stop of another block", &[starts(0, "a", ASK), stops(7), goes_on(0, Q), stops(0)], &["0 a asks Q?"]);
    means("no stop", &[starts(0, "a", ASK), goes_on(0, Q)], &["0 a asks Q?"]);
    means("final twice", &[starts(0, "a", ASK), goes_on(0, Q), stops(0), stops(0)], &["0 a asks Q?"]);
    means("a delta after the end", &[starts(0, "a", ASK), goes_on(0, Q), stops(0), goes_on(0, "}")], &["0 a asks Q?"]);
    means(
        "a delta at an unknown index goes to no other call",
        &[starts(0, "a", ASK), goes_on(5, "no"), goes_on(0, Q), stops(0)],
        &["0 a asks Q?", "error orphan"],
    );
    means("arguments of no call", &[goes_on(3, Q), stops(3)], &["error orphan"]);
    means(
        "arguments of no call, and a call",
        &[goes_on(3, "no"), starts(0, "a", ASK), goes_on(0, Q), stops(0)],
        &["0 a asks Q?", "error orphan"],
    );
    means(
        "two starts with one id",
        &[starts(0, "a", ASK), starts(0, "a", ASK), goes_on(0, Q), stops(0)],
        &["0 a asks Q?"],
    );
    means(
        "two starts with one id, elsewhere",
        &[starts(0, "a", ASK), goes_on(0, Q), stops(0), starts(1, "a", ASK), goes_on(1, Q), stops(1)],
        &["0 a asks Q?", "1 a asks Q?"],
    );
    means(
        "two starts with one id and different names",
        &[starts(0, "a", "lookup"), starts(1, "a", ASK), goes_on(1, Q), stops(1), stops(0)],
        &["lookup a begins", "0 a asks Q?", "lookup a {}"],
    );
    means(
        "two blocks with one index",
        &[starts(0, "a", ASK), starts(0, "b", "lookup"), goes_on(0, "{}"), stops(0), goes_on(0, Q)],
        &["lookup b begins", "lookup b {}", "0 a is rejected: truncated"],
    );
    means("no name", &[starts(0, "a", ""), goes_on(0, Q), stops(0)], &["error orphan"]);
    means("no id", &[starts(0, "", ASK), goes_on(0, Q), stops(0)], &["0 - asks Q?"]);
    means(
        "no arguments",
        &[starts(0, "a", ASK), stops(0), starts(1, "b", "lookup"), stops(1)],
        &["0 a is rejected: missing_parameter", "lookup b begins", "lookup b {}"],
    );
}

#[test]
fn chunks_that_lie_harm_no_call_but_their_own() {
    let means = |what: &str, sent: &[String], meant: &[&str]| means(what, Wire::OpenAiChat, &POLICY, sent, meant);
    let end = || CHAT_ENDS.to_owned();
    means(
        "an id that changes",
        &[chat(0, "a", ASK, "{\"question\""), chat(0, "b", "", ":\"Q?\"}"), end()],
        &["0 a asks Q?"],
    );
    means(
        "an id that comes late",
        &[chat(0, "", ASK, "{\"question\""), chat(0, "b", "", ":\"Q?\"}"), end()],
        &["0 b asks Q?"],
    );
    means(
        "an id of another tool that comes late",
        &[chat(0, "", "lookup", "{"), chat(0, "b", "", "}"), end()],
        &["lookup - begins", "lookup - {", "lookup - }"],
    );
    means(
        "a name behind the arguments",
        &[chat(0, "a", "", "{\"question\""), chat(0, "", ASK, ":"), chat(0, "", "", "\"Q?\"}"), end()],
        &["0 a asks Q?"],
    );
    means(
        "a name of another tool behind the arguments",
        &[chat(0, "a", "", "{\"p\""), chat(0, "", "lookup", ":1}"), end()],
        &["lookup a begins", "lookup a {\"p\"", "lookup a :1}"],
    );
    means(
        "one index and one id, another name: another call",
        &[chat(0, "a", "lookup", "{}"), chat(0, "a", ASK, Q), end()],
        &["lookup a begins", "lookup a {}", "0 a asks Q?"],
    );
    means("a name that never comes", &[chat(0, "a", "", Q), end()], &["error orphan"]);
    means("a delta after the end", &[chat(0, "a", ASK, Q), end(), chat(0, "", "", "}"), end()], &["0 a asks Q?"]);
    means(
        "another call after the end",
        &[chat(0, "a", ASK, Q), end(), chat(0, "b", ASK, Q), end()],
        &["0 a asks Q?", "1 b asks Q?"],
    );
    means(
        "another call after the end, without ids",
        &[chat(0, "", ASK, Q), end(), chat(0, "", ASK, Q), end()],
        &["0 - asks Q?", "1 - asks Q?"],
    );
    means(
        "all calls at one index, without ids",
        &[chat(0, "", "lookup", "{\"p\":1}"), chat(0, "", ASK, Q), chat(0, "", ASK, Q), end()],
        &["lookup - begins", "lookup - {\"p\":1}", "0 - asks Q?", "1 - asks Q?"],
    );
    means(
        "all calls with one id",
        &[
            chat(0, "null", "lookup", "{\"p\":1}"),
            chat(1, "null", ASK, "{\"question\":"),
            chat(1, "null", "", "\"Q?\"}"),
            end(),
        ],
        &["lookup null begins", "lookup null {\"p\":1}", "0 null asks Q?"],
    );
    means(
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
    means(
        "arguments with an id in front of their name, while another call is open",
        &[
            chat(0, "a", ASK, "{\"question\""),
            chat(1, "b", "", "{\"p\""),
            chat(0, "", "", ":\"Q?\"}"),
            chat(1, "", "lookup", ":1}"),
            end(),
        ],
        &["lookup b begins", "lookup b {\"p\"", "lookup b :1}", "0 a asks Q?"],
    );
    means("an id in front of the name", &[chat(0, "a", "", ""), chat(0, "", ASK, Q), end()], &["0 a asks Q?"]);
    means(
        "the end of a message that became too long",
        &[chat(0, "a", ASK, ""), CHAT_ENDS.replace("tool_calls", "length")],
        &["0 a is rejected: truncated"],
    );
    means(
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
    means(
        "something that is no event in the middle of a call",
        &[chat(0, "a", ASK, "{\"question\":"), "<html>".to_owned(), chat(0, "", "", "\"Q?\"}"), end()],
        &["error unreadable", "0 a asks Q?"],
    );
    means(
        "an unknown index goes to the last call",
        &[chat(0, "a", ASK, ""), chat(9, "", "", Q), end()],
        &["0 a asks Q?"],
    );
    means("an empty object first", &[chat(0, "a", ASK, "{}"), chat(0, "", "", Q), end()], &["0 a asks Q?"]);
    means(
        "an empty object of another tool first",
        &[chat(0, "a", "lookup", "{}"), chat(0, "", "", "{\"p\":1}"), end()],
        &["lookup a begins", "lookup a {\"p\":1}"],
    );
    means(
        "an empty object in pieces",
        &[chat(0, "a", "lookup", "{"), chat(0, "", "", "}"), end()],
        &["lookup a begins", "lookup a {", "lookup a }"],
    );
    means("no arguments at all", &[chat(0, "a", ASK, ""), end()], &["0 a is rejected: missing_parameter"]);
    means("cut off without arguments", &[chat(0, "a", ASK, "")], &["0 a is rejected: truncated"]);
}

#[test]
fn items_that_lie_harm_no_call_but_their_own() {
    let means = |what: &str, sent: &[String], meant: &[&str]| means(what, Wire::OpenAiResponses, &POLICY, sent, meant);
    let added = |index, id| item("added", index, id, ASK, "");
    let other = r#"{"question":"No?"}"#;
    means(
        "done contradicts",
        &[added(0, "a"), arguments("delta", 0, Q), arguments("done", 0, other), item("done", 0, "a", ASK, other)],
        &["0 a is rejected: malformed"],
    );
    means(
        "done is written in another way",
        &[added(0, "a"), arguments("delta", 0, Q), arguments("done", 0, r#"{ "\u0071uestion" : "Q?" }"#)],
        &["0 a asks Q?"],
    );
    means(
        "a delta was lost, and done has it",
        &[added(0, "a"), arguments("delta", 0, "{\"question"), "{\"type\":".to_owned(), arguments("done", 0, Q)],
        &["error unreadable", "0 a asks Q?"],
    );
    means(
        "done has less",
        &[added(0, "a"), arguments("delta", 0, Q), arguments("done", 0, "{")],
        &["0 a is rejected: malformed"],
    );
    means(
        "never added, and done without a name",
        &[arguments("delta", 0, "{\"question\":"), arguments("done", 0, Q), item("done", 0, "a", ASK, Q)],
        &["0 a asks Q?"],
    );
    means(
        "done without arguments, and the item with them",
        &[added(0, "a"), arguments("done", 0, ""), item("done", 0, "a", ASK, Q)],
        &["0 a asks Q?"],
    );
    means(
        "done has more",
        &[added(0, "a"), arguments("delta", 0, "{\"question\""), arguments("done", 0, Q)],
        &["0 a asks Q?"],
    );
    means("done has nothing", &[added(0, "a"), arguments("delta", 0, Q), arguments("done", 0, "")], &["0 a asks Q?"]);
    means(
        "done twice",
        &[added(0, "a"), arguments("done", 0, Q), arguments("done", 0, Q), item("done", 0, "a", ASK, Q)],
        &["0 a asks Q?"],
    );
    means(
        "added twice",
        &[added(0, "a"), added(0, "a"), arguments("delta", 0, Q), arguments("done", 0, Q)],
        &["0 a asks Q?"],
    );
    means("never added", &[arguments("delta", 0, Q), item("done", 0, "a", ASK, Q)], &["0 a asks Q?"]);
    means(
        "added late",
        &[
            arguments("delta", 0, "{\"quest"),
            added(0, "a"),
            arguments("delta", 0, "ion\":\"Q?\"}"),
            item("done", 0, "a", ASK, Q),
        ],
        &["0 a asks Q?"],
    );
    means(
        "done before it is added",
        &[item("done", 0, "a", ASK, Q), added(0, "a"), arguments("delta", 0, Q)],
        &["0 a asks Q?"],
    );
    means("arguments of no call", &[arguments("delta", 4, Q), arguments("done", 4, Q)], &["error orphan"]);
    means(
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
fn parts_that_lie_harm_no_call_but_their_own() {
    let part = |call: &str| format!(r#"{{"candidates":[{{"content":{{"parts":[{{"functionCall":{{{call}}}}}]}}}}]}}"#);
    let named = |more: &str| part(&format!("\"name\":\"{ASK}\",{more}"));
    let begun = || named(r#""willContinue":true"#);
    let value = r#""partialArgs":[{"jsonPath":"$.question","stringValue":"Q?"}]"#;
    let whole = format!("\"args\":{Q}");
    let means = |what: &str, sent: &[String], meant: &[&str]| means(what, Wire::Gemini, &POLICY, sent, meant);
    means(
        "a call that never ends",
        &[begun(), part(&format!("{value},\"willContinue\":true"))],
        &["0 - is rejected: truncated"],
    );
    means("a part of no call", &[part(value), named(&whole)], &["0 - asks Q?"]);
    means("the end of no call", &[part(""), named(&whole), part("")], &["0 - asks Q?"]);
    means("no arguments", &[named(r#""args":{}"#)], &["0 - is rejected: missing_parameter"]);
    let with_id = format!("\"id\":\"a\",{whole}");
    means("one call twice", &[named(&with_id), named(&with_id)], &["0 a asks Q?"]);
    let other = named("\"id\":\"a\",\"args\":{\"question\":\"And?\"}");
    means("one id for two calls", &[named(&with_id), other], &["0 a asks Q?", "1 a asks And?"]);
    means(
        "an empty object, and then values",
        &[named("\"args\":{},\"willContinue\":true"), part(value)],
        &["0 - asks Q?"],
    );
    let again = value.replace("Q?", " more?");
    means(
        "a value that is left and written again",
        &[begun(), part(&format!("{value},\"willContinue\":true")), part(&again)],
        &["0 - is rejected: malformed"],
    );
    means("a name that is repeated", &[begun(), named(value)], &["0 - asks Q?"]);
}

#[test]
fn a_call_beyond_the_limit_is_an_error_and_harms_no_other() {
    let small = Policy::new().limits(Limits { open_calls: 2, ..Limits::default() });
    let none = Policy::new().limits(Limits { open_calls: 0, ..Limits::default() });
    let end = || CHAT_ENDS.to_owned();
    let two = [chat(0, "a", ASK, "{\"question\""), chat(1, "b", "lookup", "{")];
    let rest = [chat(0, "", "", ":\"Q?\"}"), chat(1, "", "", "}"), end()];
    let third = [chat(2, "c", "third", ""), chat(2, "", "", "{\"x\":1}")];
    let sent: Vec<String> = [&two[..], &third, &rest].concat();
    means(
        "chat",
        Wire::OpenAiChat,
        &small,
        &sent,
        &["lookup b begins", "lookup b {", "too many: third", "lookup b }", "0 a asks Q?"],
    );
    means("none", Wire::OpenAiChat, &none, &[chat(0, "a", ASK, Q), end()], &["too many: ask_followup_question"]);

    let sent = [
        starts(0, "a", ASK),
        starts(1, "b", "lookup"),
        starts(2, "c", "third"),
        goes_on(2, "{\"x\":1}"),
        stops(2),
        goes_on(1, "{}"),
        goes_on(0, Q),
        stops(0),
        stops(1),
    ];
    means(
        "blocks",
        Wire::Anthropic,
        &small,
        &sent,
        &["lookup b begins", "too many: third", "0 a asks Q?", "lookup b {}"],
    );
}

#[test]
fn only_calls_that_are_open_are_counted() {
    let small = Policy::new().limits(Limits { open_calls: 2, ..Limits::default() });
    let end = || CHAT_ENDS.to_owned();
    let sent: Vec<String> =
        (0..200).flat_map(|i| [starts(i, &format!("id{i}"), ASK), goes_on(i, Q), stops(i)]).collect();
    let meant: Vec<String> = (0..200).map(|i| format!("{i} id{i} asks Q?")).collect();
    means("one after the other", Wire::Anthropic, &small, &sent, &meant.iter().map(|line| &**line).collect::<Vec<_>>());

    let sent: Vec<String> = (0..65).map(|i| chat(i, &format!("id{i}"), ASK, Q)).chain([end()]).collect();
    let mut meant = vec!["too many: ask_followup_question".to_owned()];
    meant.extend((0..64).map(|i| format!("{i} id{i} asks Q?")));
    means("65 at once", Wire::OpenAiChat, &POLICY, &sent, &meant.iter().map(|line| &**line).collect::<Vec<_>>());
}

#[test]
fn an_event_of_17_megabytes_is_skipped_and_the_next_is_read() {
    let long = chat(0, "a", "lookup", &"x".repeat(17 << 20));
    let sent = [chat(0, "b", ASK, Q), long, chat(1, "c", ASK, Q), CHAT_ENDS.to_owned()];
    let body = events(&sent);
    let mut response = Response::new(Wire::OpenAiChat, POLICY.clone());
    for size in [usize::MAX, 4 << 10] {
        assert_eq!(words(&mut response, &body, size), ["error too_long", "0 b asks Q?", "1 c asks Q?"]);
    }
}

/// What comes out does not depend on the cut: neither on how much of a body is at hand when it is found out what it is.
#[test]
fn a_body_that_is_found_out_late_is_the_same_however_it_is_cut() {
    let policy = Policy::new().limits(Limits { event: 200, ..Limits::default() });
    let end = CHAT_ENDS.to_owned();
    for before in
        [": ping\n\n".repeat(40), "data: {}\n\n".repeat(40), format!("data: {}\n\n", "x".repeat(300)), "\n".repeat(300)]
    {
        let body = [before.as_bytes(), &events(&[chat(0, "a", ASK, Q), end.clone()])].concat();
        let mut auto = Response::auto(policy.clone());
        let whole = joined(&mut auto, [&*body]);
        assert_eq!(joined(&mut auto, body.chunks(1)), whole, "{before}");
    }
}
