//! Endless streams, their events, and the memory that parsing them takes.

use std::sync::Arc;

use allocation_counter::measure;
use followup::wire::{self, ResponseParser};
use followup::{Event, Events, Note, Policy};
use followup_testing::Syntax;

pub const KIB: u64 = 1 << 10;
pub const MIB: u64 = 1 << 20;
pub const GIB: u64 = 1 << 30;

// How much memory may be allocated at once:

/// By a parser without a call: nothing, but for an incomplete long tag.
pub const IDLE: u64 = KIB;

/// By a parser that has an incomplete long tag, and then a short call.
pub const SHORT_CALL: u64 = IDLE + KIB / 2;

/// By a parser with the header of an envelope.
///
/// That is 2 KiB of text, in a buffer that doubles, while it is copied, and a short call.
pub const HEADER: u64 = 7 * KIB;

/// By a parser with a call that exceeded a limit.
///
/// That is a question of 100 KiB, in a buffer that doubles, while it is copied.
pub const CALL: u64 = 512 * KIB;

/// By a parser with a list.
///
/// That is the text of all suggestions (512 KiB), in a buffer that doubles, while it is copied.
pub const LIST: u64 = 2 * MIB;

/// By a response with short events of prose: the buffers that it keeps from payload to payload.
pub const SHORT_EVENTS: u64 = 256 * KIB;

/// By a response with events as long as their limit, in multiples of the limit.
///
/// That is buffers that are copied, and the decoded event.
pub const LONG_EVENTS: u64 = 3;

/// The default limit of an event of a provider's body.
pub const EVENT: u64 = 8 * MIB;

/// OpenAI chat: the start of a call of another tool.
pub const CHAT_OTHER: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"lookup\",\"arguments\":\"{\\\"p\\\":\\\"\"}}]}}]}\n\n";

/// Anthropic: an event without a meaning.
pub const ANTHROPIC_STOP: &str = "data: {\"type\":\"message_stop\"}\n\n";

/// A stream with a part that is repeated as often as a test wants.
#[derive(Clone, Copy, Debug)]
pub struct Endless<'a> {
    pub start: &'a str,
    pub repeated: &'a str,
    pub end: &'a str,
}

impl<'a> Endless<'a> {
    pub const fn new(start: &'a str, repeated: &'a str, end: &'a str) -> Endless<'a> {
        Endless { start, repeated, end }
    }

    /// Returns how often the part is repeated to fill so many bytes.
    pub fn times(&self, bytes: u64) -> u64 {
        bytes / self.repeated.len() as u64
    }

    /// Returns the length of the stream with so many repeated bytes.
    pub fn len(&self, bytes: u64) -> u64 {
        (self.start.len() + self.end.len()) as u64 + self.times(bytes) * self.repeated.len() as u64
    }

    /// Feeds the stream in chunks, which end anywhere, inside characters too.
    pub fn feed(&self, bytes: u64, chunk: usize, mut feed: impl FnMut(&[u8])) {
        let (unit, mut left) = (self.repeated.len(), self.times(bytes) as usize * self.repeated.len());
        // Every chunk is a slice of this, whatever offset of the part it begins at.
        let ring = self.repeated.repeat(chunk / unit + 2);
        self.start.as_bytes().chunks(chunk).for_each(&mut feed);
        let mut at = 0;
        while left > 0 {
            let len = chunk.min(left);
            feed(&ring.as_bytes()[at..at + len]);
            (at, left) = ((at + len) % unit, left - len);
        }
        self.end.as_bytes().chunks(chunk).for_each(&mut feed);
    }
}

/// Counts of events. It takes the same memory however many there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub text: u64,
    pub opaque: u64,
    pub partials: u64,
    pub complete: u64,
    pub rejected: u64,
    pub errors: u64,
    /// The bytes in the spans of calls.
    pub spans: u64,
    /// The reason of the last rejection.
    pub reason: &'static str,
    /// The last error.
    pub error: &'static str,
    /// Of the last complete call.
    pub suggestions: usize,
    pub dropped: bool,
    pub unreadable: bool,
}

impl Tally {
    pub fn add(&mut self, event: Event<'_>) {
        match event {
            Event::Text(text) => self.text += text.len() as u64,
            Event::Opaque(piece) => self.opaque += piece.raw.len() as u64,
            Event::Partial(_) => self.partials += 1,
            Event::Complete(call) => {
                assert_eq!(call.index(), self.complete + self.rejected, "calls are counted");
                self.complete += 1;
                self.spans += call.span().end - call.span().start;
                self.suggestions = call.suggestions().len();
                self.dropped = call.notes().contains(&Note::SuggestionsDropped);
                self.unreadable =
                    call.notes().iter().any(|note| matches!(note, Note::UnreadableList | Note::UnreadableSuggestion));
            }
            Event::Rejected(call) => {
                assert_eq!(call.index(), self.complete + self.rejected, "calls are counted");
                self.rejected += 1;
                self.spans += call.span().end - call.span().start;
                self.reason = call.reason().code();
            }
        }
    }

    pub fn add_all(&mut self, mut events: Events<'_>) {
        while let Some(event) = events.next() {
            self.add(event);
        }
    }

    pub fn add_response(&mut self, mut events: wire::Events<'_>) {
        while let Some(event) = events.next() {
            match event {
                // Calls that overlap may end in another order than they began in.
                Ok(Event::Complete(_)) => self.complete += 1,
                Ok(Event::Rejected(call)) => (self.rejected, self.reason) = (self.rejected + 1, call.reason().code()),
                Ok(event) => self.add(event),
                Err(error) => (self.errors, self.error) = (self.errors + 1, error.code()),
            }
        }
    }

    /// Returns how many bytes of the stream belong to an event.
    pub fn bytes(&self) -> u64 {
        self.text + self.opaque + self.spans
    }
}

/// The memory of the parser, without that of the test.
#[derive(Default)]
pub struct Memory {
    held: i64,
    pub peak: u64,
}

impl Memory {
    pub fn measure(&mut self, act: impl FnOnce()) {
        let info = measure(act);
        self.peak = self.peak.max(u64::try_from(self.held + info.bytes_max as i64).unwrap_or(0));
        self.held += info.bytes_current;
    }
}

/// Parses a stream with so many repeated bytes.
///
/// Returns its events, and the peak of memory.
pub fn parse(syntax: Syntax, policy: &Arc<Policy>, stream: Endless<'_>, bytes: u64, chunk: usize) -> (Tally, u64) {
    let (mut tally, mut memory) = (Tally::default(), Memory::default());
    let mut parser = syntax.parser(policy.clone());
    stream.feed(bytes, chunk, |piece| memory.measure(|| tally.add_all(parser.feed_bytes(piece))));
    memory.measure(|| tally.add_all(parser.finish()));
    (tally, memory.peak)
}

/// Parses a body with so many repeated bytes. Returns its events, and the peak of memory.
pub fn parse_body(response: &mut ResponseParser, stream: Endless<'_>, bytes: u64, chunk: usize) -> (Tally, u64) {
    let (mut tally, mut memory) = (Tally::default(), Memory::default());
    stream.feed(bytes, chunk, |piece| memory.measure(|| tally.add_response(response.feed(piece))));
    memory.measure(|| tally.add_response(response.finish()));
    (tally, memory.peak)
}

#[track_caller]
pub fn assert_within(what: &str, peak: u64, most: u64) {
    println!("{peak:>10} bytes of at most {most:>10}: {what}");
    assert!(peak <= most, "{what} takes {peak} bytes, of at most {most}");
}

/// How an endless call ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It was no call.
    Text,
    Rejected(&'static str),
    Complete {
        suggestions: usize,
        dropped: bool,
        unreadable: bool,
    },
}

pub const COMPLETE: Ending = Ending::Complete { suggestions: 0, dropped: false, unreadable: false };
pub const UNREADABLE: Ending = Ending::Complete { suggestions: 0, dropped: false, unreadable: true };
pub const DROPPED: Ending = Ending::Complete { suggestions: 32, dropped: true, unreadable: false };
pub const TOO_LONG: Ending = Ending::Rejected("too_long");
pub const MALFORMED: Ending = Ending::Rejected("malformed");
pub const TRUNCATED: Ending = Ending::Rejected("truncated");

impl Ending {
    /// Returns how the first call of a stream ended.
    pub fn of(tally: &Tally) -> Ending {
        match tally {
            Tally { rejected: 1, reason, .. } => Ending::Rejected(reason),
            Tally { complete: 0, .. } => Ending::Text,
            &Tally { suggestions, dropped, unreadable, .. } => Ending::Complete { suggestions, dropped, unreadable },
        }
    }
}
