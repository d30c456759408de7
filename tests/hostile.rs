//! Streams that nobody means well by: what comes out of them, and how much memory they take at most.
//!
//! The sizes here are small enough for every day; `cargo test --release --test hostile -- --ignored` reads the full ones, a GiB for each
//! way, and the memory must be the same.

mod common;

use std::sync::Arc;

use allocation_counter::measure;
use common::reference::{Atom, Rules};
use common::{atoms, oracle, policy, show};
use followup::testing::{Syntax, Transcript};
use followup::wire::{self, Format, ResponseParser};
use followup::{Calls, Entities, Event, Events, Limits, Note, Parser, Policy};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// How much of each endless stream is read every day.
const USUAL: u64 = 64 * MIB;

/// How much of a stream is read where the many ways to go on for ever are tried.
const SOME: u64 = 2 * MIB;

/// What may be asked of the allocator at once by a parser that holds no call: nothing, but for the beginning of a long tag.
const IDLE: u64 = KIB;

/// By one that holds a call which has passed a limit: the question's 100 KiB, in a text that doubles when it is full, while it is copied.
const CALL: u64 = 512 * KIB;

/// By one that holds a list: all suggestions together (512 KiB), in a text that doubles when it is full, while it is copied.
const LIST: u64 = 2 * MIB;

/// By a response whose events are short, and whose text is prose: the memory that is kept from payload to payload.
const SHORT_EVENTS: u64 = 256 * KIB;

/// How long an event of a provider's stream may be.
const EVENT: u64 = 16 * MIB;

/// By a response whose events are as long as the limit, how many times that: the event, twice while it is copied, and what it says.
const LONG_EVENTS: u64 = 6;

const ASK: &str = "<ask_followup_question>";
const END: &str = "</ask_followup_question>";

/// What is asked behind everything, to see that reading goes on.
const WELL: &str = "<ask_followup_question><question>And now?</question></ask_followup_question>";

/// A stream that goes on for as long as it is wanted to.
#[derive(Clone, Copy, Debug)]
struct Endless<'a> {
    front: &'a str,
    repeated: &'a str,
    behind: &'a str,
}

impl<'a> Endless<'a> {
    const fn new(front: &'a str, repeated: &'a str, behind: &'a str) -> Endless<'a> {
        Endless { front, repeated, behind }
    }

    /// How often it is repeated to fill so many bytes.
    fn times(&self, bytes: u64) -> u64 {
        bytes / self.repeated.len() as u64
    }

    fn len(&self, bytes: u64) -> u64 {
        (self.front.len() + self.behind.len()) as u64 + self.times(bytes) * self.repeated.len() as u64
    }

    /// Gives all of it, about so many bytes at once. The pieces end anywhere, inside characters too.
    fn feed(&self, bytes: u64, chunk: usize, mut feed: impl FnMut(&[u8])) {
        let (unit, mut left) = (self.repeated.len(), self.times(bytes) as usize * self.repeated.len());
        // Any chunk stands somewhere in it, whatever it begins in.
        let ring = self.repeated.repeat(chunk / unit + 2);
        self.front.as_bytes().chunks(chunk).for_each(&mut feed);
        let mut at = 0;
        while left > 0 {
            let len = chunk.min(left);
            feed(&ring.as_bytes()[at..at + len]);
            (at, left) = ((at + len) % unit, left - len);
        }
        self.behind.as_bytes().chunks(chunk).for_each(&mut feed);
    }
}

/// What came out, counted: nothing that grows with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Seen {
    text: u64,
    opaque: u64,
    partials: u64,
    complete: u64,
    rejected: u64,
    errors: u64,
    /// The bytes that calls stood in.
    spans: u64,
    /// Why the last was rejected.
    reason: &'static str,
    /// The last error.
    error: &'static str,
    /// Of the last call that was complete.
    suggestions: usize,
    dropped: bool,
    unreadable: bool,
}

impl Seen {
    fn add(&mut self, event: Event<'_>) {
        match event {
            Event::Text(text) => self.text += text.len() as u64,
            Event::Opaque(piece) => self.opaque += piece.raw.len() as u64,
            Event::Partial(_) => self.partials += 1,
            Event::Complete(call) => {
                assert_eq!(call.nth(), self.complete + self.rejected, "calls are counted");
                self.complete += 1;
                self.spans += call.span().end - call.span().start;
                self.suggestions = call.suggestions().len();
                self.dropped = call.notes().contains(&Note::SuggestionsDropped);
                self.unreadable =
                    call.notes().iter().any(|note| matches!(note, Note::UnreadableList | Note::UnreadableSuggestion));
            }
            Event::Rejected(call) => {
                assert_eq!(call.nth(), self.complete + self.rejected, "calls are counted");
                self.rejected += 1;
                self.spans += call.span().end - call.span().start;
                self.reason = call.reason().code();
            }
        }
    }

    fn take(&mut self, mut events: Events<'_>) {
        while let Some(event) = events.next() {
            self.add(event);
        }
    }

    fn take_wire(&mut self, mut events: wire::Events<'_>) {
        while let Some(event) = events.next() {
            match event {
                // Calls that are open at once end in another order than they began in.
                Ok(Event::Complete(_)) => self.complete += 1,
                Ok(Event::Rejected(call)) => (self.rejected, self.reason) = (self.rejected + 1, call.reason().code()),
                Ok(event) => self.add(event),
                Err(error) => (self.errors, self.error) = (self.errors + 1, error.code()),
            }
        }
    }

    /// How many bytes of the stream are in one event or another.
    fn bytes(&self) -> u64 {
        self.text + self.opaque + self.spans
    }
}

/// What is asked of the allocator, without what the test needs to make a stream.
#[derive(Default)]
struct Taken {
    held: i64,
    peak: u64,
}

impl Taken {
    fn by(&mut self, act: impl FnOnce()) {
        let info = measure(act);
        self.peak = self.peak.max(u64::try_from(self.held + info.bytes_max as i64).unwrap_or(0));
        self.held += info.bytes_current;
    }
}

/// Reads so much of a stream; says what came of it, and what it took at most.
fn read(syntax: Syntax, policy: &Arc<Policy>, stream: Endless<'_>, bytes: u64, chunk: usize) -> (Seen, u64) {
    let (mut seen, mut taken) = (Seen::default(), Taken::default());
    let mut parser = syntax.parser(policy.clone());
    stream.feed(bytes, chunk, |piece| taken.by(|| seen.take(parser.feed_bytes(piece))));
    taken.by(|| seen.take(parser.finish()));
    (seen, taken.peak)
}

/// The same of a provider's body.
fn read_body(response: &mut ResponseParser, stream: Endless<'_>, bytes: u64, chunk: usize) -> (Seen, u64) {
    let (mut seen, mut taken) = (Seen::default(), Taken::default());
    stream.feed(bytes, chunk, |piece| taken.by(|| seen.take_wire(response.feed(piece))));
    taken.by(|| seen.take_wire(response.finish()));
    (seen, taken.peak)
}

#[track_caller]
fn within(what: &str, peak: u64, most: u64) {
    println!("{peak:>10} bytes of {most:>10} at the most: {what}");
    assert!(peak <= most, "{what} takes {peak} bytes, and may take {most}");
}

// ------------------------------------------------------------------------------------------------ a GiB

/// What goes on for a GiB, what it may take, and how its one call ends, if it holds one.
const LONG: [(&str, Syntax, Endless<'static>, u64, &str); 8] = [
    ("prose", Syntax::Markup, Endless::new("", "Prose, 日本 and a < b.\n", ""), IDLE, ""),
    ("brackets", Syntax::Markup, Endless::new("", "<b>tag</b> </ask_followup", ""), IDLE, ""),
    (
        "a question",
        Syntax::Markup,
        Endless::new("<ask_followup_question><question>", "Which of the 日本 one? ", ""),
        CALL,
        "too_long",
    ),
    (
        "blanks in a question",
        Syntax::Markup,
        Endless::new("<ask_followup_question><question>", " \n", ""),
        CALL,
        "truncated",
    ),
    (
        "another tool's call",
        Syntax::Markup,
        Endless::new("<write_to_file><content>", "let x = \"日本\"; // </conten\n", ""),
        IDLE,
        "",
    ),
    (
        "a question in JSON",
        Syntax::Arguments,
        Endless::new("{\"question\":\"", "Which of the 日本 one? ", ""),
        CALL,
        "too_long",
    ),
    (
        "a value that means nothing",
        Syntax::Arguments,
        Endless::new("{\"other\":\"", "nothing at all, 日本 ", "\",\"question\":\"Q?\"}"),
        CALL,
        "",
    ),
    ("blanks", Syntax::Arguments, Endless::new("", " \n", ""), IDLE, "truncated"),
];

fn long_streams(bytes: u64) {
    let policy = Arc::new(Policy::new());
    for (what, syntax, stream, most, reason) in LONG {
        let (seen, peak) = read(syntax, &policy, stream, bytes, 64 << 10);
        within(what, peak, most);
        assert_eq!(seen.reason, reason, "{what}");
        assert_eq!(seen.bytes(), stream.len(bytes), "{what}: nothing is lost");
    }
}

#[test]
fn a_long_stream_takes_no_more_memory_than_its_limits() {
    long_streams(USUAL);
}

#[test]
#[ignore = "a GiB for each way: run it in release"]
fn a_gib_takes_no_more_memory_than_its_limits() {
    long_streams(GIB);
}

/// Text is read in place, bytes are checked first: both are the same.
fn long_text(bytes: u64) {
    let (mut parser, mut seen) = (Parser::default(), Seen::default());
    let text = "Prose, and a < b.\n".repeat(1 << 12);
    let info = measure(|| (0..bytes / text.len() as u64).for_each(|_| seen.take(parser.feed(&text))));
    within("prose as text", info.bytes_max, IDLE);
    assert_eq!(seen.text, bytes / text.len() as u64 * text.len() as u64);
}

#[test]
fn long_text_takes_no_memory() {
    long_text(USUAL);
}

#[test]
#[ignore = "a GiB: run it in release"]
fn a_gib_of_text_takes_no_memory() {
    long_text(GIB);
}

const CHAT_TEXT: &str =
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Prose, 日本 \\n and a < b.\"}}]}\n\n";
const CHAT_MORE: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"more of it \"}}]}}]}\n\n";
const CHAT_OTHER: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"lookup\",\"arguments\":\"{\\\"p\\\":\\\"\"}}]}}]}\n\n";
const CHAT_ASK: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"ask_followup_question\",\"arguments\":\"{\\\"question\\\":\\\"\"}}]}}]}\n\n";

const ANTHROPIC_PING: &str = "data: {\"type\":\"ping\"}\n\n";

fn long_bodies(bytes: u64) {
    for (what, wire, stream, most, reason) in [
        ("text", Format::OpenAiChat, Endless::new("", CHAT_TEXT, ""), SHORT_EVENTS, ""),
        ("another tool's call", Format::OpenAiChat, Endless::new(CHAT_OTHER, CHAT_MORE, ""), SHORT_EVENTS, ""),
        ("a question", Format::OpenAiChat, Endless::new(CHAT_ASK, CHAT_MORE, ""), CALL, "too_long"),
        ("comments", Format::Anthropic, Endless::new(ANTHROPIC_PING, ": ping\n\n", ""), SHORT_EVENTS, ""),
        ("lines", Format::Ollama, Endless::new("", "{\"response\":\"word \"}\n", ""), SHORT_EVENTS, ""),
        ("as it is", Format::Text, Endless::new("", "Prose, 日本 and a < b.\n", ""), IDLE, ""),
    ] {
        let (seen, peak) = read_body(&mut ResponseParser::new(wire, Policy::new()), stream, bytes, 64 << 10);
        within(&format!("a body of {what}"), peak, most);
        assert_eq!((seen.reason, seen.errors), (reason, 0), "{what}");
    }
}

#[test]
fn a_long_body_takes_no_more_memory_than_its_limits() {
    long_bodies(USUAL / 8);
}

#[test]
#[ignore = "a GiB for each way: run it in release"]
fn a_gib_of_a_body_takes_no_more_memory_than_its_limits() {
    long_bodies(GIB);
}

// ------------------------------------------------------------------------------------------------ chunks, calls

fn tiny_chunks(bytes: u64) {
    let policy = Arc::new(Policy::new());
    for (what, syntax, stream, most, reason) in LONG {
        let (seen, peak) = read(syntax, &policy, stream, bytes, 1);
        within(&format!("{what}, byte by byte"), peak, most);
        assert_eq!(seen.bytes(), stream.len(bytes), "{what}: nothing is lost");
        // A million bytes are more than any limit.
        assert_eq!(seen.reason, reason, "{what}");
    }
    let stream = Endless::new(CHAT_ASK, CHAT_MORE, "");
    let (_, peak) = read_body(&mut ResponseParser::new(Format::OpenAiChat, Policy::new()), stream, bytes, 1);
    within("a body, byte by byte", peak, CALL);
}

#[test]
fn half_a_million_chunks_of_one_byte_take_no_more_memory() {
    tiny_chunks(500_000);
}

#[test]
#[ignore = "ten million chunks for each way: run it in release"]
fn ten_million_chunks_of_one_byte_take_no_more_memory() {
    tiny_chunks(10_000_000);
}

#[test]
fn a_million_calls_are_counted_and_take_the_memory_of_one() {
    const CALLS: u64 = 1_000_000;
    let policy = Arc::new(Policy::new());
    let call = "<ask_followup_question><question>Q?</question><suggest>A</suggest></ask_followup_question>\n";
    let stream = Endless::new("", call, "");
    let (seen, peak) = read(Syntax::Markup, &policy, stream, CALLS * call.len() as u64, 4 << 10);
    within("a million calls", peak, 4 * KIB);
    assert_eq!((seen.complete, seen.rejected, seen.text), (CALLS, 0, CALLS));
    let named = Endless::new("", "<ask_followup_question><read_file>", "");
    let (seen, peak) = read(Syntax::Markup, &policy, named, CALLS * named.repeated.len() as u64, 4 << 10);
    within("a million opening tags", peak, 4 * KIB);
    assert_eq!((seen.complete + seen.rejected, seen.bytes()), (0, named.len(CALLS * named.repeated.len() as u64)));
}

/// Anthropic: a call from its beginning to its end.
fn native_calls(calls: u64) {
    let call = "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"ask_followup_question\",\"input\":{}}}\n\n\
        data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"question\\\":\\\"Q?\\\"}\"}}\n\n\
        data: {\"type\":\"content_block_stop\",\"index\":0}\n\n";
    let mut response = ResponseParser::new(Format::Anthropic, Policy::new());
    let (seen, peak) = read_body(&mut response, Endless::new("", call, ""), calls * call.len() as u64, 4 << 10);
    within("native calls, one after the other", peak, SHORT_EVENTS);
    assert_eq!((seen.complete, seen.rejected, seen.errors), (calls, 0, 0));
}

#[test]
fn many_native_calls_take_the_memory_of_those_that_are_kept_in_mind() {
    native_calls(30_000);
}

#[test]
#[ignore = "a million native calls: run it in release"]
fn a_million_native_calls_take_the_memory_of_those_that_are_kept_in_mind() {
    native_calls(1_000_000);
}

// ------------------------------------------------------------------------------------------------ limits

/// How a call ends that goes on for ever in one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ends {
    /// It was no call.
    Text,
    Rejected(&'static str),
    Complete {
        suggestions: usize,
        dropped: bool,
        unreadable: bool,
    },
}

/// Nothing is wrong with it, or nothing that matters.
const COMPLETE: Ends = Ends::Complete { suggestions: 0, dropped: false, unreadable: false };
const UNREADABLE: Ends = Ends::Complete { suggestions: 0, dropped: false, unreadable: true };
const DROPPED: Ends = Ends::Complete { suggestions: 32, dropped: true, unreadable: false };
const TOO_LONG: Ends = Ends::Rejected("too_long");
const MALFORMED: Ends = Ends::Rejected("malformed");
const TRUNCATED: Ends = Ends::Rejected("truncated");

impl Ends {
    /// How the first call of a stream has ended.
    fn of(seen: &Seen) -> Ends {
        match seen {
            Seen { rejected: 1, reason, .. } => Ends::Rejected(reason),
            Seen { complete: 0, .. } => Ends::Text,
            &Seen { suggestions, dropped, unreadable, .. } => Ends::Complete { suggestions, dropped, unreadable },
        }
    }
}

#[test]
fn markup_that_passes_a_limit_for_ever_is_bounded_and_what_follows_is_read() {
    let policy = Arc::new(Policy::new());
    let q = "<ask_followup_question><question>Q</question>";
    let at = |inside: &str| format!("{q}{inside}");
    for (what, front, repeated, behind, ends, most) in [
        ("question", format!("{ASK}<question>"), "word ", "</question>", TOO_LONG, CALL),
        ("question without a blank", format!("{ASK}<question>"), "日", "</question>", TOO_LONG, CALL),
        ("question of brackets", format!("{ASK}<question>"), "</questio ", "</question>", TOO_LONG, CALL),
        ("question that is blank", format!("{ASK}<question>"), " \u{3000}\n", "Q</question>", COMPLETE, CALL),
        ("blanks behind a question", format!("{ASK}<question>Q"), " \u{3000}\n", "</question>", COMPLETE, CALL),
        ("questions", q.to_owned(), "<question>Q</question>", "", COMPLETE, CALL),
        ("answer", at("<suggest>"), "word ", "</suggest>", TOO_LONG, CALL),
        ("answer's <content>", at("<suggest><content>"), "word ", "</content></suggest>", TOO_LONG, CALL),
        ("answer behind a <mode>", at("<suggest><mode>m</mode>"), "word ", "</suggest>", TOO_LONG, CALL),
        ("<mode>", at("<suggest><mode>"), "word ", "</mode>A</suggest>", TOO_LONG, CALL),
        ("<mode>s", at("<suggest>"), "<mode>m</mode>", "</suggest>", COMPLETE, CALL),
        ("list", at("<options>["), "\"a\", ", "1]</options>", UNREADABLE, LIST),
        ("list of one", at("<options>[\""), "word ", "\"]</options>", UNREADABLE, LIST),
        ("list in <follow_up>", at("<follow_up>["), "\"a\", ", "1]</follow_up>", UNREADABLE, LIST),
        ("suggestions", at("<follow_up>"), "<suggest>A</suggest>", "</follow_up>", DROPPED, CALL),
        ("suggestions without close tags", at("<follow_up>"), "<suggest>A", "</follow_up>", DROPPED, CALL),
        ("suggestions with modes", at("<follow_up>"), "<suggest mode='m'>A</suggest>", "", DROPPED, CALL),
        ("lists", at(""), "<options>[\"a\", 1]</options>", "", DROPPED, CALL),
        ("tag", at("<suggest mode='"), "m ", "'>A</suggest>", COMPLETE, CALL),
        ("opening tag", "<ask_followup_question a='".to_owned(), "m ", "'>", Ends::Text, IDLE),
        ("tags", q.to_owned(), "<follow_up>", "", COMPLETE, CALL),
        ("stray close tags", q.to_owned(), "</suggest></follow_up></options>", "", COMPLETE, CALL),
        ("text between parameters", q.to_owned(), "word & < ", "", COMPLETE, CALL),
        ("bare", ASK.to_owned(), "word ", "", Ends::Text, CALL),
        ("bare blanks", ASK.to_owned(), " \n", "", Ends::Text, CALL),
        ("opening tags", "".to_owned(), ASK, "<read_file></read_file>", Ends::Text, CALL),
        ("back-ticks", format!("{ASK}<question>"), "`<follow_up>", "</question>", TOO_LONG, CALL),
    ] {
        let behind = format!("{behind}{END}{WELL}");
        let stream = Endless::new(&front, repeated, &behind);
        let (all, peak) = read(Syntax::Markup, &policy, stream, SOME, 4 << 10);
        within(what, peak, most);
        assert_eq!(all.bytes(), stream.len(SOME), "{what}: nothing is lost");
        let without = Endless { behind: &behind[..behind.len() - WELL.len()], ..stream };
        let (seen, _) = read(Syntax::Markup, &policy, without, SOME, 64 << 10);
        assert_eq!(Ends::of(&seen), ends, "{what}");
        assert_eq!(all.complete, seen.complete + 1, "{what}: what follows is read");
    }
}

#[test]
fn arguments_that_pass_a_limit_for_ever_are_bounded() {
    let policy = Arc::new(Policy::new());
    let both = Ends::Complete { suggestions: 32, dropped: true, unreadable: true };
    for (what, front, repeated, behind, ends, most) in [
        ("question", "{\"question\":\"", "word ", "\"}", TOO_LONG, CALL),
        ("question of escapes", "{\"question\":\"", "\\u65e5\\n\\/.", "\"}", TOO_LONG, CALL),
        ("blank question", "{\"question\":\"", " \\n\\u3000", "Q\"}", COMPLETE, CALL),
        ("blanks behind a question", "{\"question\":\"Q", " \\n\\u3000", "\"}", COMPLETE, CALL),
        ("question that is a number", "{\"question\":1", "0", "}", TOO_LONG, CALL),
        ("questions", "{\"question\":\"Q\"", ",\"question\":\"again\"", "}", COMPLETE, CALL),
        ("answer", "{\"question\":\"Q\",\"follow_up\":[\"", "word ", "\"]}", TOO_LONG, CALL),
        ("answer in an object", "{\"question\":\"Q\",\"follow_up\":[{\"text\":\"", "word ", "\"}]}", TOO_LONG, CALL),
        ("answer that is a number", "{\"question\":\"Q\",\"follow_up\":[1", "0", "]}", TOO_LONG, CALL),
        ("mode", "{\"question\":\"Q\",\"follow_up\":[{\"mode\":\"", "word ", "\",\"text\":\"A\"}]}", TOO_LONG, CALL),
        (
            "modes",
            "{\"question\":\"Q\",\"follow_up\":[{\"mode\":\"m\"",
            ",\"mode\":\"n\"",
            ",\"text\":\"A\"}]}",
            Ends::Complete { suggestions: 1, dropped: false, unreadable: false },
            CALL,
        ),
        ("suggestions", "{\"question\":\"Q\",\"follow_up\":[\"A\"", ",\"A\"", "]}", DROPPED, CALL),
        (
            "suggestion objects",
            "{\"question\":\"Q\",\"follow_up\":[\"A\"",
            ",{\"text\":\"A\",\"mode\":\"m\"}",
            "]}",
            DROPPED,
            CALL,
        ),
        ("map", "{\"question\":\"Q\",\"follow_up\":{\"1\":\"A\"", ",\"1\":\"A\"", "}}", DROPPED, CALL),
        ("unreadable suggestions", "{\"question\":\"Q\",\"follow_up\":[[]", ",[],{}", "]}", UNREADABLE, CALL),
        ("dropped and unreadable", "{\"question\":\"Q\",\"follow_up\":[[]", ",[],\"A\"", "]}", both, CALL),
        ("string of lines", "{\"question\":\"Q\",\"follow_up\":\"", "line\\n", "\"}", UNREADABLE, LIST),
        ("string of markup", "{\"question\":\"Q\",\"follow_up\":\"", "<suggest>a</suggest>", "\"}", UNREADABLE, LIST),
        ("string of JSON", "{\"question\":\"Q\",\"options\":\"[1", ",1", "]\"}", UNREADABLE, LIST),
        (
            "strings",
            "{\"question\":\"Q\"",
            ",\"follow_up\":\"a\\nb\",\"options\":\"[1]\"",
            "}",
            Ends::Complete { suggestions: 3, dropped: false, unreadable: false },
            CALL,
        ),
        ("lists", "{\"question\":\"Q\"", ",\"suggest\":[],\"options\":null", "}", COMPLETE, CALL),
        ("keys", "{\"question\":\"Q\"", ",\"key\":0", "}", COMPLETE, CALL),
        ("text behind", "{\"question\":\"Q\"}", " and ", "", COMPLETE, CALL),
        ("something else", "", "oops, ", "", MALFORMED, CALL),
        ("array", "[", "1,", "", Ends::Rejected("wrong_type"), CALL),
    ] {
        let stream = Endless::new(front, repeated, behind);
        let (seen, peak) = read(Syntax::Arguments, &policy, stream, SOME, 4 << 10);
        within(what, peak, most);
        assert_eq!(Ends::of(&seen), ends, "{what}");
        assert_eq!((seen.complete + seen.rejected, seen.bytes()), (1, stream.len(SOME)), "{what}");
    }
}

#[test]
fn what_never_ends_is_bounded() {
    let policy = Arc::new(Policy::new().calls(Calls::OutsideCode).entities(Entities::Decoded));
    let (markup, json) = (Syntax::Markup, Syntax::Arguments);
    for (what, syntax, front, repeated, ends, most) in [
        ("a tag", markup, "<ask_followup_question", " ", Ends::Text, IDLE),
        ("an attribute's name", markup, "<ask_followup_question a", "a", Ends::Text, IDLE),
        ("an attribute's value", markup, "<ask_followup_question a=\"", ">a", Ends::Text, IDLE),
        ("attributes", markup, "<ask_followup_question", " a='b'", Ends::Text, IDLE),
        ("a tool's tag", markup, "<read_file", " ", Ends::Text, IDLE),
        ("a tool's close tag", markup, "<read_file></read_file", " ", Ends::Text, IDLE),
        ("a tag in a call", markup, "<ask_followup_question><question", " ", Ends::Text, CALL),
        (
            "a value in a call",
            markup,
            "<ask_followup_question><question>Q</question><suggest mode='",
            "m",
            COMPLETE,
            CALL,
        ),
        ("a close tag", markup, "<ask_followup_question><question>Q</question", " ", TRUNCATED, CALL),
        (
            "the call's close tag",
            markup,
            "<ask_followup_question><question>Q</question></ask_followup_question",
            "\t",
            COMPLETE,
            CALL,
        ),
        ("an entity", markup, "<ask_followup_question><question>&#", "0", TOO_LONG, CALL),
        ("entities", markup, "<ask_followup_question><question>", "&#x1F600;&am", TOO_LONG, CALL),
        ("a code span", markup, "`", "word \n", Ends::Text, IDLE),
        ("back-ticks", markup, "", "`", Ends::Text, IDLE),
        ("a fence", markup, "```\n", "``\n~~~ <ask_followup_question>\n", Ends::Text, IDLE),
        ("a thinking block", markup, "<thinking>", "</think><ask_followup_question>", Ends::Text, IDLE),
        ("a key", json, "{\"", "key ", TRUNCATED, CALL),
        ("a key of escapes", json, "{\"", "\\u0071\\ud83d", TRUNCATED, CALL),
        ("a number", json, "{\"other\":-1.", "0", TRUNCATED, CALL),
        ("an exponent", json, "{\"other\":1e", "9", TRUNCATED, CALL),
        ("a literal", json, "{\"other\":t", "r", MALFORMED, CALL),
        ("an escape", json, "{\"other\":\"\\u", "0", TRUNCATED, CALL),
        ("back-slashes", json, "{\"other\":\"", "\\", TRUNCATED, CALL),
        ("halves of pairs", json, "{\"question\":\"", "\\ud83d", TOO_LONG, CALL),
        ("escapes that are none", json, "{\"question\":\"", "\\x\\u12", TOO_LONG, CALL),
        ("control characters", json, "{\"question\":\"", "\0\u{1}", TOO_LONG, CALL),
        ("a colon", json, "{\"a\"", " ", TRUNCATED, CALL),
    ] {
        let stream = Endless::new(front, repeated, "");
        let (seen, peak) = read(syntax, &policy, stream, SOME, 4 << 10);
        within(what, peak, most);
        assert_eq!(Ends::of(&seen), ends, "{what}");
        assert_eq!(seen.bytes(), stream.len(SOME), "{what}: nothing is lost");
    }
}

// ------------------------------------------------------------------------------------------------ suggestions

const MANY: usize = 100_000;

/// How suggestions are written: what stands in front, each, between them, behind.
const SUGGESTIONS: [(&str, Syntax, &str, &str, &str, &str); 8] = [
    (
        "markup",
        Syntax::Markup,
        "<ask_followup_question><question>Q</question><follow_up>",
        "<suggest mode=\"m\">A</suggest>",
        "\n",
        "</follow_up></ask_followup_question>",
    ),
    (
        "options",
        Syntax::Markup,
        "<ask_followup_question><question>Q</question><options>[",
        "\"A\"",
        ",",
        "]</options></ask_followup_question>",
    ),
    ("JSON", Syntax::Arguments, "{\"question\":\"Q\",\"follow_up\":[", "{\"text\":\"A\",\"mode\":\"m\"}", ",", "]}"),
    ("a map", Syntax::Arguments, "{\"question\":\"Q\",\"follow_up\":{", "\"1\":\"A\"", ",", "}}"),
    ("lines", Syntax::Arguments, "{\"question\":\"Q\",\"follow_up\":\"", "A", "\\n", "\"}"),
    ("markup in JSON", Syntax::Arguments, "{\"question\":\"Q\",\"follow_up\":\"", "<suggest>A</suggest>", "", "\"}"),
    ("JSON in JSON", Syntax::Arguments, "{\"question\":\"Q\",\"follow_up\":\"[", "\\\"A\\\"", ",", "]\"}"),
    (
        "nested",
        Syntax::Markup,
        "<ask_followup_question><question>Q</question>",
        "<suggest><mode>m</mode><content>A</content></suggest>",
        "",
        END,
    ),
];

#[test]
fn of_a_hundred_thousand_suggestions_the_first_are_kept() {
    for (what, syntax, front, each, between, behind) in SUGGESTIONS {
        let stream = format!("{front}{}{behind}", vec![each; MANY].join(between));
        let (mut parser, mut seen) = (syntax.parser(Policy::new()), Seen::default());
        let info = measure(|| {
            stream.as_bytes().chunks(1000).for_each(|chunk| seen.take(parser.feed_bytes(chunk)));
            seen.take(parser.finish());
        });
        within(&format!("{what}, a hundred thousand"), info.bytes_max, LIST);
        // A text is not read at all if it is longer than all suggestions together may be.
        let meant = if what == "markup in JSON" { UNREADABLE } else { DROPPED };
        assert_eq!(Ends::of(&seen), meant, "{what}");
    }
}

#[test]
fn a_hundred_thousand_suggestions_all_arrive_if_they_may() {
    let limits = Limits { suggestions: MANY, ..Limits::default() };
    for (what, syntax, front, each, between, behind) in SUGGESTIONS {
        let stream = format!("{front}{}{behind}", vec![each; MANY].join(between));
        let (mut parser, mut seen) = (syntax.parser(Policy::new().limits(limits)), Seen::default());
        let info = measure(|| {
            stream.as_bytes().chunks(1000).for_each(|chunk| seen.take(parser.feed_bytes(chunk)));
            seen.take(parser.finish());
        });
        let ends = Ends::Complete { suggestions: MANY, dropped: false, unreadable: false };
        assert_eq!(Ends::of(&seen), ends, "{what}");
        // One for the question; one for each suggestion, and one more if its mode comes before its answer, or a chunk ends in between.
        assert!((MANY as u64 + 1..=2 * MANY as u64 + 1).contains(&seen.partials), "{what}: {} partials", seen.partials);
        // All that is ever asked for, however it grew: so nothing is copied again and again.
        let all = info.bytes_total / MANY as u64;
        within(&format!("{what}, each of a hundred thousand"), all, 800);
        assert!(info.count_total < 200, "{what}: {} allocations", info.count_total);
    }
}

// ------------------------------------------------------------------------------------------------ nesting

const DEEP: usize = 1_000_000;

/// Does it where there is hardly any stack: what goes deeper with its input fails there.
fn with_a_small_stack(act: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(128 << 10).spawn(act).unwrap();
    thread.join().expect("it needs no stack");
}

#[test]
fn a_million_deep_is_no_deeper_than_the_limit() {
    with_a_small_stack(|| {
        let (open, close) = ("[".repeat(DEEP), "]".repeat(DEEP));
        let objects = "{\"a\":".repeat(DEEP);
        let (markup, json) = (Syntax::Markup, Syntax::Arguments);
        let q = "<ask_followup_question><question>Q</question>";
        for (what, syntax, stream, ends) in [
            ("the arguments", json, open.clone(), Ends::Rejected("wrong_type")),
            ("objects", json, objects.clone(), MALFORMED),
            ("follow_up", json, format!("{{\"question\":\"Q\",\"follow_up\":{open}{close}}}"), MALFORMED),
            ("an ignored key", json, format!("{{\"question\":\"Q\",\"other\":{open}{close}}}"), MALFORMED),
            ("objects in an ignored key", json, format!("{{\"question\":\"Q\",\"other\":{objects}"), MALFORMED),
            // No JSON, so it is one line, and that is too long for a suggestion.
            ("a string", json, format!("{{\"question\":\"Q\",\"follow_up\":\"{}\"}}", &open[..100_000]), TOO_LONG),
            ("behind the arguments", json, format!("{{\"question\":\"Q\"}}{open}"), COMPLETE),
            ("options", markup, format!("{q}<options>{open}{close}</options>{END}"), UNREADABLE),
            ("options, short enough", markup, format!("{q}<options>{}{END}", &open[..100_000]), UNREADABLE),
            ("a list in follow_up", markup, format!("{q}<follow_up>{open}{close}</follow_up>{END}"), UNREADABLE),
            ("tags", markup, format!("{q}{}{END}", "<follow_up><suggest><content>".repeat(30_000)), DROPPED),
        ] {
            for chunk in [1000, stream.len()] {
                let (mut parser, mut seen) = (syntax.parser(Policy::new()), Seen::default());
                let info = measure(|| {
                    stream.as_bytes().chunks(chunk).for_each(|chunk| seen.take(parser.feed_bytes(chunk)));
                    seen.take(parser.finish());
                });
                within(&format!("{what}, a million deep"), info.bytes_max, LIST);
                assert_eq!(Ends::of(&seen), ends, "{what}");
            }
        }
    });
}

#[test]
fn a_payload_a_million_deep_is_unreadable_or_means_nothing() {
    with_a_small_stack(|| {
        let (open, close) = ("[".repeat(DEEP), "]".repeat(DEEP));
        let text = "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n";
        let ollama = "{\"model\":\"m\",\"response\":\"Hi\"}\n";
        let args = |deep: &str| {
            format!(
                "{{\"model\":\"m\",\"message\":{{\"tool_calls\":[{{\"function\":{{\"name\":\"ask_followup_question\",\"arguments\":{deep}}}}}]}}}}\n"
            )
        };
        // What was read of it: errors, calls that were rejected, and the text behind it.
        for (what, wire, body, errors, rejected) in [
            ("brackets", Format::OpenAiChat, format!("data: {open}\n\n{text}"), 1, 0),
            ("an ignored key", Format::OpenAiChat, format!("data: {{\"other\":{open}{close}}}\n\n{text}"), 0, 0),
            ("a known list", Format::OpenAiChat, format!("data: {{\"choices\":{open}{close}}}\n\n{text}"), 1, 0),
            (
                "content",
                Format::OpenAiChat,
                format!("data: {{\"choices\":[{{\"delta\":{{\"content\":{open}{close}}}}}]}}\n\n{text}"),
                0,
                0,
            ),
            ("an error", Format::OpenAiChat, format!("data: {{\"error\":{open}{close}}}\n\n{text}"), 1, 0),
            ("never closed", Format::OpenAiChat, format!("data: {{\"choices\":{open}\n\n{text}"), 1, 0),
            ("arguments", Format::Ollama, args(&format!("{open}{close}")) + ollama, 0, 1),
            (
                "arguments of objects",
                Format::Ollama,
                args(&format!("{}1{}", "{\"a\":".repeat(DEEP), "}".repeat(DEEP))) + ollama,
                0,
                1,
            ),
            ("lines", Format::Ollama, format!("{{\"other\":{open}{close}}}\n{ollama}"), 0, 0),
            (
                "an array",
                Format::Gemini,
                format!(
                    "[{{\"other\":{open}{close}}},{{\"candidates\":[{{\"content\":{{\"parts\":[{{\"text\":\"Hi\"}}]}}}}]}}]"
                ),
                0,
                0,
            ),
        ] {
            for auto in [false, true] {
                let mut response =
                    if auto { ResponseParser::auto(Policy::new()) } else { ResponseParser::new(wire, Policy::new()) };
                let mut seen = Seen::default();
                let info = measure(|| {
                    body.as_bytes().chunks(64 << 10).for_each(|chunk| seen.take_wire(response.feed(chunk)));
                    seen.take_wire(response.finish());
                });
                within(&format!("{what}, a million deep"), info.bytes_max, LONG_EVENTS * EVENT);
                // Brackets tell nothing of whose body it is: then it is text.
                if auto && what == "brackets" {
                    continue;
                }
                assert_eq!((seen.errors, seen.rejected, seen.complete), (errors, rejected, 0), "{what}");
                assert!(seen.text >= 2, "{what}: what follows is read");
            }
        }
    });
}

// ------------------------------------------------------------------------------------------------ bytes

/// Beginnings that leave the markup machine in each of its states.
const STATES: [(&str, &str); 58] = [
    ("prose", ""),
    ("prose, in a line", "Hm. "),
    ("prose, behind <", "Hm. <"),
    ("prose, behind </", "</"),
    ("prose, in a name", "<ask_followup_quest"),
    ("prose, behind a name", "<ask_followup_question"),
    ("prose, behind a name and a blank", "<ask_followup_question "),
    ("prose, in an attribute's name", "<ask_followup_question a"),
    ("prose, behind =", "<ask_followup_question a="),
    ("prose, in a value", "<ask_followup_question a=b"),
    ("prose, in a quoted value", "<ask_followup_question a=\""),
    ("prose, behind a quoted value", "<ask_followup_question a='b'"),
    ("prose, behind /", "<ask_followup_question /"),
    ("prose, behind a tool's tag", "<ask_followup_question>"),
    ("prose, behind an empty call", "<ask_followup_question/>"),
    ("prose, behind a call", "<ask_followup_question>Q</ask_followup_question>"),
    ("code, at a mark", "`"),
    ("code, at a line's marks", "\n ``"),
    ("code, in a span", "`` a"),
    ("code, in a span, in a run", "`` a `"),
    ("code, in a span, in a blank line", "`` a\n "),
    ("code, behind a fence's marks", "```rust"),
    ("code, in a fence", "```\n"),
    ("code, in a fence of tildes", "~~~\n~"),
    ("code, in a fence, in a line", "```\na"),
    ("code, in a fence, behind its end", "```\n``` "),
    ("thinking", "<think>"),
    ("thinking, in its end", "<thinking></think"),
    ("another tool", "<read_file>"),
    ("another tool, in its tag", "<read_file"),
    ("another tool, in a parameter", "<read_file><path>"),
    ("another tool, in a parameter's end", "<read_file><path></pat"),
    ("another tool, in its end", "<read_file></read_file"),
    ("opened, with text", "<ask_followup_question>a"),
    ("opened, blank", "<ask_followup_question> \n"),
    ("opened, behind a back-tick", "<ask_followup_question>`"),
    ("opened, in a tag", "<ask_followup_question>a<question"),
    ("between", "<ask_followup_question><question>Q</question>"),
    ("between, in a tag", "<ask_followup_question><question>Q</question><follow_u"),
    ("between, in the end", "<ask_followup_question><question>Q</question></ask_"),
    ("follow_up", "<ask_followup_question><question>Q</question><follow_up>"),
    ("follow_up, in a list", "<ask_followup_question><question>Q</question><follow_up>[\"a\""),
    ("question", "<ask_followup_question><question>"),
    ("question, with text", "<ask_followup_question><question>a "),
    ("question, behind a back-tick", "<ask_followup_question><question>a`"),
    ("question, in an entity", "<ask_followup_question><question>a&#3"),
    ("question, in its end", "<ask_followup_question><question>a</quest"),
    ("suggestion", "<ask_followup_question><question>Q</question><suggest> "),
    ("suggestion, in its tag", "<ask_followup_question><question>Q</question><suggest mode=\"a"),
    ("answer", "<ask_followup_question><question>Q</question><suggest>a"),
    ("nested", "<ask_followup_question><question>Q</question><suggest><mode>m</mode>a"),
    ("nested, behind its content", "<ask_followup_question><question>Q</question><suggest><content>a</content>"),
    ("content", "<ask_followup_question><question>Q</question><suggest><content>"),
    ("mode", "<ask_followup_question><question>Q</question><suggest><mode>m"),
    ("options", "<ask_followup_question><question>Q</question><options>"),
    ("options, in a list", "<ask_followup_question><question>Q</question><options>[\"a"),
    ("rejected", "<ask_followup_question><question>12345678901234567890"),
    (
        "suggestions dropped",
        "<ask_followup_question><question>Q</question><suggest>a</suggest><suggest>b</suggest><suggest>c",
    ),
];

/// The same of the machine that reads arguments.
const JSON_STATES: [(&str, &str); 47] = [
    ("value", ""),
    ("value, blank", " "),
    ("key or end", "{"),
    ("key", "{\"question\":\"Q\","),
    ("in a key", "{\"quest"),
    ("in a key, behind a back-slash", "{\"\\"),
    ("in a key, in an escape", "{\"\\u007"),
    ("colon", "{\"question\""),
    ("value of the question", "{\"question\":"),
    ("question", "{\"question\":\"a"),
    ("question, behind a back-slash", "{\"question\":\"a\\"),
    ("question, in an escape", "{\"question\":\"a\\u00e"),
    ("question, behind half a pair", "{\"question\":\"a\\ud83d"),
    ("question, in the other half", "{\"question\":\"a\\ud83d\\ude0"),
    ("question, blank", "{\"question\":\" "),
    ("number, minus", "{\"question\":-"),
    ("number, zero", "{\"question\":0"),
    ("number, whole", "{\"question\":12"),
    ("number, point", "{\"question\":1."),
    ("number, fraction", "{\"question\":1.5"),
    ("number, e", "{\"question\":1e"),
    ("number, sign", "{\"question\":1e+"),
    ("number, exponent", "{\"question\":1e5"),
    ("literal", "{\"question\":tru"),
    ("literal that ends", "{\"question\":true"),
    ("wrong type", "{\"question\":["),
    ("comma or end", "{\"question\":\"Q\""),
    ("behind", "{\"question\":\"Q\"}"),
    ("ignored", "{\"question\":\"Q\"}x"),
    ("ill-formed", "{\"question\":\"Q\"]"),
    ("other value", "{\"question\":\"Q\",\"other\":"),
    ("in another value", "{\"question\":\"Q\",\"other\":[{\"a\":\""),
    ("list", "{\"question\":\"Q\",\"follow_up\":"),
    ("items", "{\"question\":\"Q\",\"follow_up\":["),
    ("items, behind one", "{\"question\":\"Q\",\"follow_up\":[\"A\""),
    ("item", "{\"question\":\"Q\",\"follow_up\":[\"A"),
    ("item that is a number", "{\"question\":\"Q\",\"follow_up\":[1"),
    ("suggestion", "{\"question\":\"Q\",\"follow_up\":[{"),
    ("suggestion, its answer", "{\"question\":\"Q\",\"follow_up\":[{\"text\":\"a"),
    ("suggestion, its mode", "{\"question\":\"Q\",\"follow_up\":[{\"mode\":\"a"),
    ("entries", "{\"question\":\"Q\",\"follow_up\":{"),
    ("entries of a map", "{\"question\":\"Q\",\"follow_up\":{\"1\":\"a"),
    ("string for a list", "{\"question\":\"Q\",\"follow_up\":\"a"),
    ("string of markup", "{\"question\":\"Q\",\"follow_up\":\"<suggest>a"),
    ("string of JSON", "{\"question\":\"Q\",\"follow_up\":\"[1"),
    ("rejected", "{\"question\":\"12345678901234567890"),
    ("suggestions dropped", "{\"question\":\"Q\",\"follow_up\":[\"a\",\"b\",\"c"),
];

/// Reads a stream whole and byte by byte: both are what the page says.
fn reads_as_it_should(syntax: Syntax, parser: &mut Parser, rules: &Rules, what: &str, stream: &[u8]) {
    let whole = show(parser, [stream]);
    assert!(whole == show(parser, stream.chunks(1)), "{what}, byte by byte: {}", stream.escape_ascii());
    assert!(whole == oracle(syntax, stream, rules), "{what}: {}", stream.escape_ascii());
}

/// Small limits, so that they are passed too; and all that reads more closely.
fn close_rules() -> Rules {
    Rules { outside_code: true, decode_entities: true, question: 12, answer: 6, suggestions: 2, ..Rules::default() }
}

fn all_states() -> impl Iterator<Item = (Syntax, &'static str, &'static str, [&'static str; 2])> {
    let markup = STATES.iter().map(|&(what, front)| {
        (Syntax::Markup, what, front, ["", "a</question><suggest>b</suggest></ask_followup_question> c"])
    });
    let json =
        JSON_STATES.iter().map(|&(what, front)| (Syntax::Arguments, what, front, ["", "a\",\"follow_up\":[\"b\"]}"]));
    markup.chain(json)
}

#[test]
fn every_byte_in_every_state_is_read_as_it_should() {
    let rules = close_rules();
    let small = Arc::new(policy(&rules));
    for (syntax, what, front, behinds) in all_states() {
        let mut parser = syntax.parser(small.clone());
        for byte in 0..=u8::MAX {
            for behind in behinds {
                reads_as_it_should(
                    syntax,
                    &mut parser,
                    &rules,
                    what,
                    &[front.as_bytes(), &[byte], behind.as_bytes()].concat(),
                );
            }
        }
    }
}

/// One of each kind: what means something, and what begins, goes on with and ends characters.
const KINDS: &[u8] = b"<>/=\"`\\}]:,&1u \n\0\x80\xA0\xC3\xED\xF0";

#[test]
fn every_two_bytes_in_every_state_are_read_as_they_should() {
    let rules = close_rules();
    let small = Arc::new(policy(&rules));
    for (syntax, what, front, [_, behind]) in all_states() {
        let mut parser = syntax.parser(small.clone());
        for one in KINDS {
            for two in KINDS {
                reads_as_it_should(
                    syntax,
                    &mut parser,
                    &rules,
                    what,
                    &[front.as_bytes(), &[*one, *two], behind.as_bytes()].concat(),
                );
            }
        }
    }
}

/// Bytes that are no text, or hardly.
const NO_TEXT: [(&str, &[u8]); 24] = [
    ("NUL", b"\0"),
    ("a continuation alone", b"\x80"),
    ("continuations alone", b"\xBF\xBF\xBF"),
    ("a beginning alone", b"\xC3"),
    ("a beginning, twice", b"\xE2\xE2\x82"),
    ("/ in two bytes", b"\xC0\xAF"),
    ("< in two bytes", b"\xC0\xBC"),
    ("< in three bytes", b"\xE0\x80\xBC"),
    ("< in four bytes", b"\xF0\x80\x80\xBC"),
    ("NUL in two bytes", b"\xC0\x80"),
    ("U+07FF in three bytes", b"\xE0\x9F\xBF"),
    ("U+FFFF in four bytes", b"\xF0\x8F\xBF\xBF"),
    ("the first surrogate", b"\xED\xA0\x80"),
    ("the last surrogate", b"\xED\xBF\xBF"),
    ("a pair of surrogates", b"\xED\xA0\xBD\xED\xB8\x80"),
    ("beyond U+10FFFF", b"\xF4\x90\x80\x80"),
    ("five bytes", b"\xF8\x88\x80\x80\x80"),
    ("no byte of any text", b"\xFE\xFF"),
    ("a character cut off behind its first byte", b"\xF0"),
    ("behind its second", b"\xF0\x9F"),
    ("behind its third", b"\xF0\x9F\x98"),
    ("a byte order mark", b"\xEF\xBB\xBF"),
    ("two byte order marks", b"\xEF\xBB\xBF\xEF\xBB\xBF"),
    ("half of a byte order mark", b"\xEF\xBB"),
];

/// Where they stand: in front of the bytes, and behind them.
const PLACES: [(Syntax, &str, &str); 22] = [
    (Syntax::Markup, "", ""),
    (Syntax::Markup, "", "Hm."),
    (Syntax::Markup, "Hm.", ""),
    (Syntax::Markup, "<", "ask_followup_question><question>Q</question></ask_followup_question>"),
    (Syntax::Markup, "<ask_followup", "_question><question>Q</question></ask_followup_question>"),
    (Syntax::Markup, "<ask_followup_question", "><question>Q</question></ask_followup_question>"),
    (Syntax::Markup, "<ask_followup_question a='", "'><question>Q</question></ask_followup_question>"),
    (Syntax::Markup, "<ask_followup_question>", "<question>Q</question></ask_followup_question>"),
    (Syntax::Markup, "<ask_followup_question><question>Q", "</question></ask_followup_question>"),
    (Syntax::Markup, "<ask_followup_question><question>", "Q</quest"),
    (
        Syntax::Markup,
        "<ask_followup_question><question>Q</question><suggest mode=\"",
        "\">A</suggest></ask_followup_question>",
    ),
    (
        Syntax::Markup,
        "<ask_followup_question><question>Q</question><options>[\"",
        "\"]</options></ask_followup_question>",
    ),
    (Syntax::Markup, "<ask_followup_question><question>Q</question></ask_followup_question", "> <read_file>"),
    (Syntax::Markup, "<read_file><path>", "</path></read_file>"),
    (Syntax::Arguments, "", "{\"question\":\"Q\"}"),
    (Syntax::Arguments, "{\"quest", "ion\":\"Q\"}"),
    (Syntax::Arguments, "{\"question\":\"Q", "\"}"),
    (Syntax::Arguments, "{\"question\":\"Q\\", "\"}"),
    (Syntax::Arguments, "{\"question\":", "1}"),
    (Syntax::Arguments, "{\"question\":\"Q\"", "}"),
    (Syntax::Arguments, "{\"question\":\"Q\"}", ""),
    (Syntax::Arguments, "{\"question\":\"Q\",\"follow_up\":\"<suggest>", "</suggest>\"}"),
];

/// What came out without where: spans count bytes that are no text.
fn without_spans(mut atoms: Vec<Atom>) -> Vec<Atom> {
    for atom in &mut atoms {
        if let Atom::Complete(ended) | Atom::Rejected(_, ended) = atom {
            ended.span = (0, 0);
        }
    }
    atoms
}

#[test]
fn bytes_that_are_no_text_are_what_from_utf8_lossy_makes_of_them() {
    for (syntax, front, behind) in PLACES {
        let mut parser = syntax.parser(Policy::new());
        for (what, bytes) in NO_TEXT {
            let stream = [front.as_bytes(), bytes, behind.as_bytes()].concat();
            let text = String::from_utf8_lossy(&stream);
            let mut meant = Transcript::default();
            meant.take(parser.feed(&text));
            meant.take(parser.finish());
            let meant = without_spans(atoms(&meant));
            for cut in 0..=stream.len() {
                let (one, two) = stream.split_at(cut);
                let shown = without_spans(show(&mut parser, [one, two]));
                assert!(shown == meant, "{what} behind {front:?}, cut at {cut}:\n{shown:?}\n{meant:?}");
            }
            assert!(
                without_spans(show(&mut parser, stream.chunks(1))) == meant,
                "{what} behind {front:?}, byte by byte"
            );
        }
    }
}

#[test]
fn prose_of_any_bytes_is_what_from_utf8_lossy_makes_of_it() {
    // One behind the other, in every order of two.
    for (_, one) in NO_TEXT {
        for (_, two) in NO_TEXT {
            let stream = [one, two, b"!", two, one].concat();
            let mut parser = Parser::default();
            for chunk in 1..=stream.len() {
                let text: String = show(&mut parser, stream.chunks(chunk))
                    .iter()
                    .map(|atom| match atom {
                        Atom::Text(char) => *char,
                        other => panic!("{other:?}"),
                    })
                    .collect();
                assert_eq!(text, String::from_utf8_lossy(&stream), "{}", stream.escape_ascii());
            }
        }
    }
}

// ------------------------------------------------------------------------------------------------ providers that lie

/// What a provider may say of a call; the numbers are what it calls it by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    Begins(usize),
    /// The first part of its arguments, one in the middle, and the last.
    First(usize),
    Middle(usize),
    Last(usize),
    Ends(usize),
}

const SAYS: [Says; 10] = [
    Says::Begins(0),
    Says::First(0),
    Says::Middle(0),
    Says::Last(0),
    Says::Ends(0),
    Says::Begins(1),
    Says::First(1),
    Says::Middle(1),
    Says::Last(1),
    Says::Ends(1),
];

/// Writes what a provider says, so that all that is written of one call has a letter of its own.
#[derive(Clone, Copy, Default)]
struct Liar {
    /// How many calls have begun under each number.
    begun: [usize; 2],
}

impl Liar {
    fn call(&mut self, says: Says) -> (usize, usize, char) {
        let i = match says {
            Says::Begins(i) | Says::First(i) | Says::Middle(i) | Says::Last(i) | Says::Ends(i) => i,
        };
        self.begun[i] += usize::from(matches!(says, Says::Begins(_)));
        // What comes before its beginning belongs to it.
        let nth = self.begun[i].max(1);
        (i, nth, (b'a' + (2 * nth + i) as u8) as char)
    }

    fn payload(&mut self, wire: Format, says: Says) -> String {
        let (i, nth, letter) = self.call(says);
        let id = format!("call_{i}_{nth}");
        let more = match says {
            Says::First(_) => format!("{{\\\"question\\\":\\\"{letter}"),
            Says::Middle(_) => letter.to_string(),
            Says::Last(_) => format!("{letter}\\\"}}"),
            Says::Begins(_) | Says::Ends(_) => String::new(),
        };
        match (wire, says) {
            (Format::Anthropic, Says::Begins(_)) => format!(
                r#"{{"type":"content_block_start","index":{i},"content_block":{{"type":"tool_use","id":"{id}","name":"ask_followup_question","input":{{}}}}}}"#
            ),
            (Format::Anthropic, Says::Ends(_)) => format!(r#"{{"type":"content_block_stop","index":{i}}}"#),
            (Format::Anthropic, _) => format!(
                r#"{{"type":"content_block_delta","index":{i},"delta":{{"type":"input_json_delta","partial_json":"{more}"}}}}"#
            ),
            (Format::Bedrock, Says::Begins(_)) => format!(
                r#"{{"contentBlockStart":{{"contentBlockIndex":{i},"start":{{"toolUse":{{"toolUseId":"{id}","name":"ask_followup_question"}}}}}}}}"#
            ),
            (Format::Bedrock, Says::Ends(_)) => format!(r#"{{"contentBlockStop":{{"contentBlockIndex":{i}}}}}"#),
            (Format::Bedrock, _) => format!(
                r#"{{"contentBlockDelta":{{"contentBlockIndex":{i},"delta":{{"toolUse":{{"input":"{more}"}}}}}}}}"#
            ),
            (Format::OpenAiResponses, Says::Begins(_)) => format!(
                r#"{{"type":"response.output_item.added","output_index":{i},"item":{{"type":"function_call","id":"item_{id}","call_id":"{id}","name":"ask_followup_question","arguments":""}}}}"#
            ),
            (Format::OpenAiResponses, Says::Ends(_)) => format!(
                r#"{{"type":"response.output_item.done","output_index":{i},"item":{{"type":"function_call","id":"item_{id}","call_id":"{id}","name":"ask_followup_question","arguments":""}}}}"#
            ),
            (Format::OpenAiResponses, _) => format!(
                r#"{{"type":"response.function_call_arguments.delta","item_id":"item_{id}","output_index":{i},"delta":"{more}"}}"#
            ),
            (Format::OpenAiChat, Says::Begins(_)) => format!(
                r#"{{"choices":[{{"index":0,"delta":{{"tool_calls":[{{"index":{i},"id":"{id}","function":{{"name":"ask_followup_question","arguments":""}}}}]}}}}]}}"#
            ),
            (Format::OpenAiChat, Says::Ends(_)) => {
                r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#.to_owned()
            }
            (Format::OpenAiChat, _) => format!(
                r#"{{"choices":[{{"index":0,"delta":{{"tool_calls":[{{"index":{i},"id":"{id}","function":{{"arguments":"{more}"}}}}]}}}}]}}"#
            ),
            _ => unreachable!("it has no parts"),
        }
    }
}

fn framed(wire: Format, payload: &str) -> String {
    if wire == Format::Bedrock { format!("{payload}\n") } else { format!("data: {payload}\n\n") }
}

/// Every event in a few words; a question that is made of two calls is found out.
fn asked(response: &mut ResponseParser, body: &[u8], chunk: usize, out: &mut String) {
    use std::fmt::Write;
    out.clear();
    let mut take = |mut events: wire::Events<'_>| {
        while let Some(event) = events.next() {
            match event {
                Ok(Event::Partial(call)) => {
                    let question = call.question().unwrap_or_default();
                    assert!(of_one_call(question), "shown: {question:?} of {}", body.escape_ascii());
                    write!(out, "{} {question}… ", call.nth()).unwrap();
                }
                Ok(Event::Complete(call)) => {
                    let question = call.question();
                    assert!(of_one_call(question), "complete: {question:?} of {}", body.escape_ascii());
                    write!(out, "{} {:?} {question} ", call.nth(), call.id()).unwrap();
                }
                Ok(Event::Rejected(call)) => write!(out, "{} {} ", call.nth(), call.reason().code()).unwrap(),
                Ok(other) => panic!("{other:?}"),
                Err(error) => write!(out, "{} ", error.code()).unwrap(),
            }
        }
    };
    body.chunks(chunk).for_each(|chunk| take(response.feed(chunk)));
    take(response.finish());
}

/// What is said twice of one call may leave a bracket in its question.
fn of_one_call(question: &str) -> bool {
    let mut letters = question.chars().filter(char::is_ascii_alphabetic);
    letters.next().is_none_or(|first| letters.all(|letter| letter == first))
}

/// Every sequence of so many things that a provider can say: ends before beginnings, parts behind ends, everything twice.
fn lies(length: u32) {
    for wire in [Format::OpenAiChat, Format::OpenAiResponses, Format::Anthropic, Format::Bedrock] {
        let mut response = ResponseParser::new(wire, Policy::new());
        let (mut body, mut whole, mut cut) = (String::new(), String::new(), String::new());
        let mut asks = 0;
        for n in 0..SAYS.len().pow(length) {
            let mut liar = Liar::default();
            body.clear();
            for at in 0..length {
                let says = SAYS[n / SAYS.len().pow(at) % SAYS.len()];
                body += &framed(wire, &liar.payload(wire, says));
            }
            asked(&mut response, body.as_bytes(), usize::MAX, &mut whole);
            asks += usize::from(whole.contains("Some"));
            if n % 16 == 0 {
                asked(&mut response, body.as_bytes(), 7, &mut cut);
                assert_eq!(cut, whole, "{body}");
            }
        }
        assert!(asks > 0, "{wire}: some of them ask");
    }
}

#[test]
fn no_call_is_complete_with_parts_of_another_in_any_order() {
    lies(4);
}

#[test]
#[ignore = "a million bodies for each provider: run it in release"]
fn no_call_is_complete_with_parts_of_another_in_any_longer_order() {
    lies(6);
}

/// What a body says again and again, a little different each time. `{}` is a number that counts up.
struct Repeated<'a> {
    what: &'a str,
    wire: Format,
    front: &'a str,
    each: &'a str,
    times: usize,
    /// The most it may take.
    most: u64,
    errors: &'a str,
}

/// Reads it in chunks that hold one event each; says what came of it, and what it took at most.
fn read_repeated(body: &Repeated<'_>) -> (Seen, u64) {
    let mut response = ResponseParser::new(body.wire, Policy::new());
    let (mut seen, mut taken) = (Seen::default(), Taken::default());
    taken.by(|| seen.take_wire(response.feed(body.front.as_bytes())));
    for n in 0..body.times {
        let event = body.each.replace("{}", &n.to_string());
        taken.by(|| seen.take_wire(response.feed(event.as_bytes())));
    }
    taken.by(|| seen.take_wire(response.finish()));
    (seen, taken.peak)
}

fn chat(call: &str) -> String {
    format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"tool_calls\":[{{{call}}}]}}}}]}}\n\n")
}

fn many_lies(times: usize) {
    let blank = |len: usize| " ".repeat(len);
    let long = "x".repeat(1000);
    let begins = "data: {\"type\":\"content_block_start\",\"index\":{},\"content_block\":{\"type\":\"tool_use\",\"id\":\"a{}\",\"name\":\"lookup\",\"input\":{}}}\n\n".replace("\"input\":{}", "\"input\":{ }");
    let begins_long = begins.replace("a{}", &format!("{{}}{long}"));
    let stop = "data: {\"type\":\"content_block_stop\",\"index\":{}}\n\n";
    let delta = "data: {\"type\":\"content_block_delta\",\"index\":{},\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{ \"}}\n\n";
    let item = "data: {\"type\":\"response.output_item.added\",\"output_index\":{},\"item\":{\"type\":\"function_call\",\"id\":\"i{}\",\"call_id\":\"a{}\",\"name\":\"lookup\",\"arguments\":\"\"}}\n\n";
    let block = "{\"contentBlockStart\":{\"contentBlockIndex\":{},\"start\":{\"toolUse\":{\"toolUseId\":\"a{}\",\"name\":\"lookup\"}}}}\n";
    let part = "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"lookup\",\"id\":\"a{}\",\"willContinue\":true}}]}}]}\n\n";
    let value = "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"willContinue\":true,\"partialArgs\":[{\"jsonPath\":\"$.a[{}].b\",\"stringValue\":\"x\"}]}}]}}]}\n\n";
    let whole = "{\"message\":{\"tool_calls\":[{\"id\":\"a{}\",\"function\":{\"name\":\"lookup\",\"arguments\":{\"p\":1}}}]}}\n";
    let named = chat("\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"tool{}\",\"arguments\":\"x\"}");
    let ids = chat("\"index\":0,\"id\":\"a{}\",\"function\":{\"arguments\":\"x\"}");
    let nobody = chat("\"index\":{},\"id\":\"a{}\",\"function\":{\"arguments\":\"x\"}");
    let empty =
        chat("\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"ask_followup_question\",\"arguments\":\"{ }\"}");
    let blanks = chat(&format!("\"index\":0,\"function\":{{\"arguments\":\"{}\"}}", blank(1000)));
    let unnamed = chat(&format!("\"index\":0,\"id\":\"a\",\"function\":{{\"arguments\":\"{long}\"}}"));
    let done = "data: {\"type\":\"response.function_call_arguments.done\",\"item_id\":\"i0\",\"output_index\":0,\"arguments\":\"{\\\"question\\\":\\\"{}\\\"}\"}\n\n";
    let added = "data: {\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"type\":\"function_call\",\"id\":\"i0\",\"call_id\":\"a\",\"name\":\"ask_followup_question\",\"arguments\":\"\"}}\n\n\
        data: {\"type\":\"response.function_call_arguments.delta\",\"item_id\":\"i0\",\"output_index\":0,\"delta\":\"{\\\"question\\\":\\\"Q\"}\n\n";
    for body in [
        Repeated {
            what: "calls that never end",
            wire: Format::Anthropic,
            front: "",
            each: &begins,
            times,
            most: SHORT_EVENTS,
            errors: "too_many_calls",
        },
        Repeated {
            what: "calls with long ids",
            wire: Format::Anthropic,
            front: "",
            each: &begins_long,
            times,
            most: CALL,
            errors: "too_many_calls",
        },
        Repeated {
            what: "items that never end",
            wire: Format::OpenAiResponses,
            front: "",
            each: item,
            times,
            most: SHORT_EVENTS,
            errors: "too_many_calls",
        },
        Repeated {
            what: "blocks that never end",
            wire: Format::Bedrock,
            front: "",
            each: block,
            times,
            most: SHORT_EVENTS,
            errors: "too_many_calls",
        },
        Repeated {
            what: "parts that never end",
            wire: Format::Gemini,
            front: "",
            each: part,
            times,
            most: SHORT_EVENTS,
            errors: "too_many_calls",
        },
        Repeated {
            what: "values at paths",
            wire: Format::Gemini,
            front: &part.replace("{}", "0"),
            each: value,
            times,
            most: CALL,
            errors: "",
        },
        Repeated {
            what: "calls at once",
            wire: Format::Ollama,
            front: "",
            each: whole,
            times,
            most: SHORT_EVENTS,
            errors: "",
        },
        Repeated {
            what: "a name that changes",
            wire: Format::OpenAiChat,
            front: "",
            each: &named,
            times,
            most: SHORT_EVENTS,
            errors: "too_many_calls",
        },
        Repeated {
            what: "an id that changes",
            wire: Format::OpenAiChat,
            front: CHAT_OTHER,
            each: &ids,
            times,
            most: SHORT_EVENTS,
            errors: "",
        },
        Repeated {
            what: "calls nobody names",
            wire: Format::OpenAiChat,
            front: "",
            each: &nobody,
            times,
            most: SHORT_EVENTS,
            errors: "orphan",
        },
        Repeated {
            what: "stops of nothing",
            wire: Format::Anthropic,
            front: ANTHROPIC_PING,
            each: stop,
            times,
            most: SHORT_EVENTS,
            errors: "",
        },
        Repeated {
            what: "deltas of nothing",
            wire: Format::Anthropic,
            front: ANTHROPIC_PING,
            each: delta,
            times,
            most: SHORT_EVENTS,
            errors: "orphan",
        },
        Repeated {
            what: "a name that never comes",
            wire: Format::OpenAiChat,
            front: "",
            each: &unnamed,
            times,
            most: 2 * MIB,
            errors: "orphan",
        },
        Repeated {
            what: "blanks behind an empty object",
            wire: Format::OpenAiChat,
            front: &empty,
            each: &blanks,
            times,
            most: 2 * MIB,
            errors: "",
        },
        Repeated {
            what: "other arguments when they are done",
            wire: Format::OpenAiResponses,
            front: added,
            each: done,
            times,
            most: SHORT_EVENTS,
            errors: "",
        },
    ] {
        let (seen, peak) = read_repeated(&body);
        within(&format!("{} ({} events)", body.what, body.times), peak, body.most);
        assert_eq!(seen.error, body.errors, "{}", body.what);
        assert_eq!(seen.complete, 0, "{}", body.what);
        if body.errors == "too_many_calls" {
            assert_eq!(seen.errors, body.times as u64 - 64, "{}", body.what);
        }
    }
}

#[test]
fn a_provider_that_lies_again_and_again_is_bounded() {
    many_lies(5_000);
}

#[test]
#[ignore = "a million events of each: run it in release"]
fn a_provider_that_lies_a_million_times_is_bounded() {
    many_lies(1_000_000);
}

/// Events as long as the limit, which is `event`; and such as hold lists, which are short in bytes and long in elements.
fn long_events(event: usize) {
    let limits = wire::Limits::default().with_event(event);
    let text = "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n";
    let gemini_text = "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Hi\"}]}}]}\n\n";
    let len = event - 1000;
    let content = |inside: String| format!("data: {{\"choices\":[{{\"delta\":{{\"content\":{inside}}}}}]}}\n\n{text}");
    let string = |of: &str| content(format!("\"{}\"", of.repeat(len / of.len())));
    // A list may have 1,024 elements.
    let many = |each: &str| vec![each; (len / (each.len() + 1)).min(1024)].join(",");
    let call = |args: &str| format!("{{\"functionCall\":{{\"name\":\"lookup\",\"partialArgs\":[{args}]}}}}");
    let candidate = |parts: &str| format!("{{\"content\":{{\"parts\":[{parts}]}}}}");
    let gemini = |candidates: &str| format!("data: {{\"candidates\":[{candidates}]}}\n\n{gemini_text}");
    let path = |of: &str| {
        gemini(&candidate(&call(&format!("{{\"jsonPath\":\"${}\",\"stringValue\":\"x\"}}", of.repeat(len / of.len())))))
    };
    let calls = many(&format!("{{\"delta\":{{\"tool_calls\":[{}]}}}}", many("{}")));
    let parts = many(&call(&many("{}")));
    let usual = LONG_EVENTS * event as u64;
    for (what, wire, body, most) in [
        ("text", Format::OpenAiChat, string("x"), usual),
        ("escapes", Format::OpenAiChat, string("\\u65e5"), usual),
        ("halves", Format::OpenAiChat, string("\\ud83d"), usual),
        ("parts of a content", Format::OpenAiChat, content(format!("[1{}]", ",1".repeat(len / 2 - 100))), usual),
        ("calls in choices", Format::OpenAiChat, format!("data: {{\"choices\":[{calls}]}}\n\n{text}"), usual),
        ("parts of candidates", Format::Gemini, gemini(&many(&candidate(&many("{}")))), usual),
        ("values of parts", Format::Gemini, gemini(&candidate(&parts)), usual),
        ("values of parts of candidates", Format::Gemini, gemini(&many(&candidate(&parts))), usual),
        ("a path of points", Format::Gemini, path("."), usual),
        ("a path of brackets", Format::Gemini, path("[0]"), usual),
    ] {
        let mut response = ResponseParser::new(wire, Policy::new()).with_limits(limits);
        let mut seen = Seen::default();
        let info = measure(|| {
            body.as_bytes().chunks(64 << 10).for_each(|chunk| seen.take_wire(response.feed(chunk)));
            seen.take_wire(response.finish());
        });
        within(&format!("an event of {what}, {} bytes", body.len()), info.bytes_max, most);
        assert!(seen.text >= 2, "{what}: what follows is read");
        assert_ne!(seen.error, "too_long", "{what}: it is read");
    }
}

#[test]
fn an_event_as_long_as_may_be_takes_a_few_times_its_length() {
    long_events(1 << 20);
}

#[test]
#[ignore = "events of 16 MiB: run it in release"]
fn an_event_of_16_mib_takes_a_few_times_its_length() {
    long_events(16 << 20);
}

/// A call that was skipped is over, and the next one in its place is another.
#[test]
fn a_call_in_the_place_of_one_that_was_skipped_is_read() {
    let small = wire::Limits::default().with_open_calls(1);
    let end = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n";
    let call = |index: usize, id: &str, name: &str| {
        chat(&format!(
            "\"index\":{index},\"id\":\"{id}\",\"function\":{{\"name\":\"{name}\",\"arguments\":\"{{\\\"question\\\":\\\"Q?\\\"}}\"}}"
        ))
    };
    let body =
        [&*call(0, "a", "lookup"), &call(1, "b", "lookup"), end, &call(1, "c", "ask_followup_question"), end].concat();
    let mut response = ResponseParser::new(Format::OpenAiChat, Policy::new()).with_limits(small);
    for chunk in [1, 100, usize::MAX] {
        let mut seen = Seen::default();
        body.as_bytes().chunks(chunk).for_each(|chunk| seen.take_wire(response.feed(chunk)));
        seen.take_wire(response.finish());
        assert_eq!((seen.error, seen.errors, seen.complete), ("too_many_calls", 1, 1));
    }
}

fn beyond_the_limit(bytes: u64) {
    let text = "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n";
    for (what, wire, front, repeated, behind) in [
        ("data", Format::OpenAiChat, "data: {\"choices\":[{\"delta\":{\"content\":\"", "x", "\"}}]}\n\n"),
        (
            "lines of data",
            Format::OpenAiChat,
            "",
            "data: Not one line is too long, but all of them together are.\n",
            "\n",
        ),
        ("a line of JSON", Format::Ollama, "{\"response\":\"", "x", "\"}\n"),
        ("lines of JSON", Format::Ollama, "{\"a\":[", "1,\n", "1]}\n"),
        ("an array's element", Format::Gemini, "[{\"a\":\"", "x", "\"},"),
    ] {
        let behind = match wire {
            Format::OpenAiChat => format!("{behind}{text}"),
            Format::Ollama => format!("{behind}{{\"response\":\"Hi\"}}\n"),
            _ => format!("{behind}{{\"candidates\":[{{\"content\":{{\"parts\":[{{\"text\":\"Hi\"}}]}}}}]}}]"),
        };
        let mut response = ResponseParser::new(wire, Policy::new());
        let (seen, peak) = read_body(&mut response, Endless::new(front, repeated, &behind), bytes, 64 << 10);
        within(&format!("an event of {what}, {bytes} bytes"), peak, LONG_EVENTS * EVENT);
        assert_eq!((seen.error, seen.errors, seen.text), ("too_long", 1, 2), "{what}");
    }
}

#[test]
fn an_event_of_20_mib_is_never_held() {
    beyond_the_limit(20 * MIB);
}

#[test]
#[ignore = "a GiB for each way: run it in release"]
fn an_event_of_a_gib_is_never_held() {
    beyond_the_limit(GIB);
}

#[test]
fn a_body_that_never_tells_what_it_is_is_text_in_the_end() {
    for (what, repeated) in
        [("comments", ": ping\n\n"), ("blanks", "\n"), ("events", "data: {}\n\n"), ("one line", ":")]
    {
        let mut auto = ResponseParser::auto(Policy::new());
        let stream = Endless::new("", repeated, "");
        let (seen, peak) = read_body(&mut auto, stream, 17 * MIB, 64 << 10);
        within(&format!("{what} that tell nothing"), peak, LONG_EVENTS * EVENT);
        assert_eq!((seen.text, seen.errors), (stream.len(17 * MIB), 0), "{what}");
    }
}
