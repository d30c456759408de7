//! The cursor: one thing after the other is decided, and then lent.

use alloc::string::String;
use alloc::vec::Vec;

use super::calls::Step;
use super::deltas::Part;
use super::frames::Frame;
use super::open::Kind;
use super::provider::{Detected, detect};
use super::{Deltas, Error, Provider, Response, Source, Wire};
use crate::Parser;
use crate::event::{Event, Opaque};
use crate::parser::{Decision, Feed, Position};

/// How many bytes of a body that is no provider's a parser is given at once. To take up its feed again, so many are looked at.
const PIECE: usize = 4 << 10;

/// The events of one chunk of a body, one at a time: each borrows the cursor until the next is taken.
///
/// As with [`followup::Events`](crate::Events), a cursor that is dropped early loses its events, but never state.
///
/// ```
/// use followup::wire::{Response, Wire};
/// use followup::{Event, Policy};
///
/// let mut response = Response::new(Wire::Ollama, Policy::new());
/// drop(response.feed(b"{\"message\":{\"content\":\"never looked at <ask_followup_question><question>\"}}\n"));
/// let mut events = response.feed(b"{\"message\":{\"content\":\"Still here?\"}}\n");
/// assert!(matches!(events.next(), Some(Ok(Event::Partial(call))) if call.question() == Some("Still here?")));
/// assert!(events.next().is_none());
/// ```
#[derive(Debug)]
#[must_use = "the events are in the cursor: take them with `while let Some(event) = events.next()`"]
pub struct Events<'a> {
    response: &'a mut Response,
    input: Input<'a>,
    stage: Stage,
    /// A decision is being made. Still set in `drop` only if it panicked, which is a bug; then there is no going on.
    deciding: bool,
}

/// The bytes at hand.
#[derive(Debug)]
struct Input<'a> {
    /// What had come before it was certain what the body is.
    replay: Vec<u8>,
    chunk: &'a [u8],
    /// How much of the first of them that is not used up has been.
    used: usize,
}

/// How far the body is from its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// More comes.
    Open,
    /// It ends behind what is at hand.
    Ending,
    /// Then what it was cut off in.
    LastPayload,
    /// Then the text.
    LastText,
    /// Then the calls.
    LastCalls,
    /// Then nothing.
    Ended,
}

/// A parser that is being fed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Work {
    target: Target,
    fed: Fed,
    position: Position,
}

#[derive(Clone, Copy, Debug)]
enum Target {
    Text,
    Call(usize),
}

/// What a parser is fed.
#[derive(Clone, Copy, Debug)]
enum Fed {
    /// Text of the payload's deltas; at the end of a stream, nothing.
    Deltas(Part),
    /// Bytes of the input up to `end`: the last `rest` of them are not read, and the `text` before those are as text.
    Bytes { end: usize, text: usize, rest: usize },
}

/// What is to be lent.
#[derive(Clone, Copy, Debug)]
enum Said {
    Parsed { work: Work, decision: Decision, nth: u64 },
    Opaque { call: usize, part: Part, start: bool },
    Error(Step),
    Unreadable(Part),
    TooLong,
    Foreign,
}

impl Said {
    /// Whether a part of the message was lost: not with what never was a payload, as the error page of a proxy is none.
    fn is_loss(self, text: &str) -> bool {
        match self {
            Said::TooLong => true,
            Said::Unreadable((start, end)) => text[start..end].starts_with('{'),
            Said::Parsed { .. } | Said::Opaque { .. } | Said::Error(_) | Said::Foreign => false,
        }
    }
}

impl Input<'_> {
    fn bytes(&self) -> &[u8] {
        if self.replay.is_empty() { self.chunk } else { &self.replay }
    }

    fn rest(&self) -> &[u8] {
        &self.bytes()[self.used..]
    }

    /// Goes from what is used up to what is not. Whether there is something.
    fn turn(&mut self) -> bool {
        if self.rest().is_empty() && !self.replay.is_empty() {
            (self.replay, self.used) = (Vec::new(), 0);
        }
        !self.rest().is_empty()
    }
}

impl Work {
    /// The feed as it was left.
    fn feed<'f>(&self, deltas: &'f str, input: &'f [u8]) -> Feed<'f> {
        let position = self.position;
        match self.fed {
            Fed::Deltas((start, end)) => Feed::new(&deltas[start..end], &[], position),
            Fed::Bytes { end, text, rest } => {
                let from = end - rest;
                let text = core::str::from_utf8(&input[from - text..from]).unwrap_or_default();
                Feed::new(text, &input[from..end], position)
            }
        }
    }

    fn leave(&mut self, position: Position, text: usize, rest: usize) {
        self.position = position;
        if let Fed::Bytes { end, .. } = self.fed {
            self.fed = Fed::Bytes { end, text, rest };
        }
    }
}

impl<'a> Events<'a> {
    pub(super) fn new(response: &'a mut Response, chunk: &'a [u8], replay: Vec<u8>, ends: bool) -> Events<'a> {
        let stage = if ends { Stage::Ending } else { Stage::Open };
        // A cursor that was leaked may have left work on a chunk that is gone.
        if response.work.is_some_and(|work| matches!(work.fed, Fed::Bytes { .. })) {
            response.work = None;
        }
        Events { response, input: Input { replay, chunk, used: 0 }, stage, deciding: false }
    }

    /// The next event, or what went wrong; `None` when the chunk is read. Behind an error, the stream goes on.
    ///
    /// # Errors
    ///
    /// If the provider reports one, or sends what can't be read.
    #[allow(clippy::should_implement_trait)] // It lends: an `Iterator` can't.
    pub fn next(&mut self) -> Option<Result<Event<'_>, Error<'_>>> {
        let said = self.decide()?;
        Some(self.lend(said))
    }

    /// The format of the body, as [`Response::wire`] has it.
    pub fn wire(&self) -> Option<Wire> {
        self.response.wire()
    }

    fn decide(&mut self) -> Option<Said> {
        self.deciding = true;
        let said = self.decide_next();
        self.deciding = false;
        said
    }

    fn decide_next(&mut self) -> Option<Said> {
        loop {
            let said = if self.response.work.is_some() {
                self.go_on()
            } else if let Some(step) = self.response.steps.pop_front() {
                self.begin(step)
            } else if self.act() {
                None
            } else if self.input.turn() {
                self.take()
            } else if self.stage == Stage::Open {
                return None;
            } else if self.stage == Stage::Ended {
                self.stage = Stage::Open;
                self.response.restart();
                return None;
            } else {
                self.end()
            };
            if said.is_some() {
                return said;
            }
        }
    }

    /// Goes on with the parser that is being fed.
    fn go_on(&mut self) -> Option<Said> {
        let Response { work, text, calls, deltas, text_call, .. } = &mut *self.response;
        let mut now = (*work)?;
        let parser = match now.target {
            Target::Text => Some(&mut *text),
            Target::Call(i) => parser_of(&mut calls.open[i].kind),
        };
        let decision = parser.and_then(|parser| {
            let mut feed = now.feed(&deltas.text, self.input.bytes());
            let decision = parser.decide(&mut feed);
            now.leave(feed.position(), feed.text.len(), feed.bytes().len());
            decision
        });
        let Some(decision) = decision else {
            *work = None;
            if let (Target::Call(i), true) = (now.target, now.is_end()) {
                calls.open[i].kind = Kind::Over;
            }
            return None;
        };
        *work = Some(now);
        let nth = match (now.target, decision.of_call()) {
            (Target::Text, Some(false)) => *text_call.get_or_insert_with(|| calls.number()),
            (Target::Text, Some(true)) => text_call.take().unwrap_or_else(|| calls.number()),
            (Target::Text, None) => 0,
            (Target::Call(i), _) => match calls.open[i].kind {
                Kind::Ask { nth, .. } => nth,
                _ => 0,
            },
        };
        Some(Said::Parsed { work: now, decision, nth })
    }

    /// Begins with what is to be done next.
    fn begin(&mut self, step: Step) -> Option<Said> {
        let Response { work, text, calls, deltas, .. } = &mut *self.response;
        match step {
            Step::Text(part) => {
                text.begin_text(&deltas.text[part.0..part.1]);
                *work = Some(Work { target: Target::Text, fed: Fed::Deltas(part), position: Position::default() });
                None
            }
            Step::Begin(call) => Some(Said::Opaque { call, part: (0, 0), start: true }),
            Step::Arguments(call, part) => match &mut calls.open[call].kind {
                Kind::Ask { parser, .. } => {
                    parser.begin_text(&deltas.text[part.0..part.1]);
                    *work = Some(Work {
                        target: Target::Call(call),
                        fed: Fed::Deltas(part),
                        position: Position::default(),
                    });
                    None
                }
                Kind::Other => Some(Said::Opaque { call, part, start: false }),
                Kind::Unnamed(_) | Kind::Over => None,
            },
            Step::End(call) => {
                let open = &mut calls.open[call];
                match &mut open.kind {
                    Kind::Ask { parser, .. } => {
                        if open.holed || open.arrived.is_wrong(parser) {
                            parser.spoil();
                        }
                        parser.begin_finish();
                        *work = Some(Work {
                            target: Target::Call(call),
                            fed: Fed::Deltas((0, 0)),
                            position: Position::END,
                        });
                    }
                    kind => *kind = Kind::Over,
                }
                None
            }
            Step::Error(_) | Step::Orphan(_) | Step::TooMany(_) => Some(Said::Error(step)),
        }
    }

    /// Finds out what the next delta of the payload asks for. Whether there was one.
    fn act(&mut self) -> bool {
        let Response { calls, deltas, acted, steps, .. } = &mut *self.response;
        calls.forget();
        match deltas.list.get(*acted) {
            Some(&delta) => {
                *acted += 1;
                calls.act(delta, deltas, steps);
                true
            }
            None => {
                deltas.clear();
                *acted = 0;
                false
            }
        }
    }

    /// Takes the next payload from the input, or the next bytes.
    fn take(&mut self) -> Option<Said> {
        let Response { source, work, .. } = &mut *self.response;
        let target = match source {
            Source::Provider { .. } => return self.take_payload(),
            Source::Detecting(_) => return None,
            Source::Text => Target::Text,
            Source::Json => Target::Call(0),
        };
        let len = self.input.rest().len().min(PIECE);
        self.input.used += len;
        let fed = Fed::Bytes { end: self.input.used, text: 0, rest: len };
        *work = Some(Work { target, fed, position: Position::default() });
        None
    }

    fn take_payload(&mut self) -> Option<Said> {
        let Response { source: Source::Provider { provider, frames, known, wire }, deltas, text, calls, .. } =
            &mut *self.response
        else {
            return None;
        };
        let mut rest = self.input.rest();
        let (before, frame) = (rest.len(), frames.next(&mut rest));
        let used = before - rest.len();
        let said = frame.and_then(|frame| read(provider, frame, deltas, *wire, known));
        self.input.used += used;
        if said.is_some_and(|said| said.is_loss(&deltas.text)) {
            // Whatever is open may have lost a part of it: it is not to be acted on.
            text.spoil();
            calls.lose();
        }
        said
    }

    /// Goes through what the end of the body brings.
    fn end(&mut self) -> Option<Said> {
        let Response { source, text, calls, deltas, steps, work, .. } = &mut *self.response;
        match self.stage {
            Stage::Open | Stage::Ended => None,
            Stage::Ending => {
                self.stage = Stage::LastPayload;
                let Source::Provider { provider, frames, known, wire } = source else { return None };
                // Nothing follows it, so nothing that is open has a hole.
                frames.finish().and_then(|frame| read(provider, frame, deltas, *wire, known))
            }
            Stage::LastPayload => {
                self.stage = Stage::LastText;
                calls.finish(deltas, steps);
                match source {
                    Source::Provider { known: false, frames, .. } if frames.has_begun() => Some(Said::Foreign),
                    _ => None,
                }
            }
            Stage::LastText => {
                self.stage = Stage::LastCalls;
                text.begin_finish();
                *work = Some(Work { target: Target::Text, fed: Fed::Deltas((0, 0)), position: Position::END });
                None
            }
            Stage::LastCalls => {
                self.stage = Stage::Ended;
                calls.finish_open(deltas, steps);
                None
            }
        }
    }

    fn lend(&self, said: Said) -> Result<Event<'_>, Error<'_>> {
        let Response { text, calls, deltas, policy, .. } = &*self.response;
        let part = |(start, end): Part| &deltas.text[start..end];
        let id = |call: usize| Some(&*calls.open[call].id).filter(|id| !id.is_empty());
        match said {
            Said::Parsed { work, decision, nth } => {
                let feed = work.feed(&deltas.text, self.input.bytes());
                Ok(match work.target {
                    Target::Text => text.lend(&feed, decision).of(nth, None),
                    Target::Call(i) => match &calls.open[i].kind {
                        Kind::Ask { parser, .. } => parser.lend(&feed, decision).of(nth, id(i)),
                        // Only a call that is being read is lent from.
                        Kind::Unnamed(_) | Kind::Other | Kind::Over => Event::Text(""),
                    },
                })
            }
            Said::Opaque { call, part: raw, start } => {
                Ok(Event::Opaque(Opaque { tool: &calls.open[call].name, raw: part(raw), start, id: id(call) }))
            }
            Said::Error(Step::Orphan(arguments)) => Err(Error::Orphan(part(arguments))),
            Said::Error(Step::TooMany(tool)) => Err(Error::TooManyCalls(part(tool))),
            Said::Error(Step::Error(message)) => Err(Error::Provider(part(message))),
            Said::Unreadable(data) => Err(Error::Unreadable(part(data))),
            Said::Foreign => Err(Error::Foreign(self.wire().unwrap_or(Wire::Text))),
            Said::TooLong | Said::Error(_) => Err(Error::TooLong(policy.limits.event)),
        }
    }
}

impl Work {
    /// Whether this is the end of the parser's stream.
    fn is_end(&self) -> bool {
        matches!(self.fed, Fed::Deltas((start, end)) if start == end)
    }
}

fn parser_of(kind: &mut Kind) -> Option<&mut Parser> {
    match kind {
        Kind::Ask { parser, .. } => Some(parser),
        Kind::Unnamed(_) | Kind::Other | Kind::Over => None,
    }
}

/// Reads a payload: what it says is in `deltas` then.
fn read(provider: &mut Provider, frame: Frame<'_>, deltas: &mut Deltas, wire: Wire, known: &mut bool) -> Option<Said> {
    let payload = match frame {
        Frame::Payload(payload) => String::from_utf8_lossy(payload),
        Frame::TooLong => return Some(Said::TooLong),
    };
    // What ends the streams of OpenAI and of those that are like it is not JSON.
    if payload == "[DONE]" || provider.read(&payload, deltas).is_ok() && !deltas.has_too_many() {
        *known = *known || !deltas.list.is_empty() || detect(&payload) == Detected::Provider(wire);
        return None;
    }
    // What it said before it could not be read any further is not said.
    deltas.clear();
    let data = deltas.keep(payload.as_bytes());
    Some(Said::Unreadable(deltas.whole(data)))
}

impl Drop for Events<'_> {
    fn drop(&mut self) {
        while !self.deciding && self.decide().is_some() {}
    }
}
