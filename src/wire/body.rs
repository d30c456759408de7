//! Parsing a body: its payloads, and with them its text and its calls.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::call::CallState;
use super::calls::{Action, NativeCalls, SavedCalls};
use super::deltas::{Deltas, TextRange};
use super::detection::{Detection, Verdict};
use super::drive::{CallProgress, Decision, ParserFeed, call_progress, reject_open_call};
use super::error::Error;
use super::fault::Fault;
use super::format::Format;
use super::held::{DecidedCall, HeldCalls};
use super::input::{BodyInput, BodyStage};
use super::limits::Limits;
use super::payloads::Payloads;
use super::received::meaning;
use crate::event::{Event, Opaque};
use crate::{Checkpoint, Parser, Policy, ResumeError};

/// The bytes of a body without payloads that a parser is given at once.
///
/// For every decision, that many are validated as UTF-8 again.
const PIECE: usize = 4 << 10;

/// The bytes of a text that was detected in which a NUL shows that it is none.
const TEXT_CHECKED: usize = 8_000;

/// The state of parsing one body after the other.
#[derive(Clone, Debug)]
pub(super) struct BodyParser {
    policy: Arc<Policy>,
    limits: Limits,
    /// The format of every body; `None` if it is detected.
    declared: Option<Format>,
    kind: BodyKind,
    text: TextStream,
    /// `None` if reasoning is not read.
    reasoning: Option<Box<TextStream>>,
    calls: NativeCalls,
    held: HeldCalls,
    /// The call whose end came out last, of those that were held.
    decided: Option<DecidedCall>,
    /// The deltas of the last payload.
    deltas: Deltas,
    /// The number of deltas that have become actions.
    applied: usize,
    /// The actions of the last delta that are still to be performed.
    actions: VecDeque<Action>,
    /// The parser that is being fed.
    feeding: Option<Feeding>,
}

/// A stream of text with calls in it.
#[derive(Clone, Debug)]
struct TextStream {
    parser: Parser,
    /// The index of the call that is open.
    open_call: Option<u64>,
}

/// What the body is parsed as.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum BodyKind {
    Detecting(Detection),
    Payloads(Payloads),
    /// The text of a message. A NUL in the next `unchecked` bytes shows that it is none.
    Text {
        unchecked: usize,
    },
    /// The arguments of one call.
    Arguments,
    /// A stream of events of which nothing is known.
    UnknownStream,
    /// Neither text nor a stream of events.
    Binary {
        is_reported: bool,
    },
}

/// A parser and its input.
#[derive(Clone, Copy, Debug)]
pub(super) struct Feeding {
    target: Target,
    feed: ParserFeed,
}

/// The parser that is fed.
///
/// That of the text or the reasoning, or that of a call, by its index in the list of calls.
#[derive(Clone, Copy, Debug)]
enum Target {
    Text,
    Reasoning,
    Call(usize),
}

/// A decision about the next event or error, which is lent afterwards.
#[derive(Clone, Copy, Debug)]
pub(super) enum Output {
    Parsed {
        feeding: Feeding,
        decision: Decision,
        call_index: u64,
    },
    OtherTool {
        call: usize,
        arguments: TextRange,
        start: bool,
    },
    /// The end of the call that was held.
    Decided,
    Fault(Fault),
}

impl BodyParser {
    pub(super) fn new(declared: Option<Format>, policy: Arc<Policy>, limits: Limits) -> BodyParser {
        let mut parser = BodyParser {
            declared,
            kind: BodyKind::Text { unchecked: 0 },
            text: TextStream::new(&policy),
            reasoning: None,
            calls: NativeCalls::new(policy.clone(), limits),
            held: HeldCalls::default(),
            decided: None,
            deltas: Deltas::default(),
            applied: 0,
            actions: VecDeque::new(),
            feeding: None,
            policy,
            limits,
        };
        parser.restart();
        parser
    }

    /// Returns the same parser with other limits, at the beginning of a body.
    pub(super) fn with_limits(self, limits: Limits) -> BodyParser {
        let reads_reasoning = self.reasoning.is_some();
        BodyParser::new(self.declared, self.policy, limits).with_reasoning(reads_reasoning)
    }

    /// Returns the same parser, which reads reasoning or not, at the beginning of a body.
    pub(super) fn with_reasoning(self, reads_reasoning: bool) -> BodyParser {
        let mut parser = BodyParser::new(self.declared, self.policy, self.limits);
        parser.reasoning = reads_reasoning.then(|| Box::new(TextStream::new(&parser.policy)));
        parser.deltas.reads_reasoning = reads_reasoning;
        parser
    }

    pub(super) fn policy(&self) -> &Policy {
        &self.policy
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns the format of the body; `None` while it is not known.
    pub(super) fn format(&self) -> Option<Format> {
        match &self.kind {
            BodyKind::Detecting(_) | BodyKind::UnknownStream | BodyKind::Binary { .. } => None,
            BodyKind::Payloads(payloads) => Some(payloads.format),
            BodyKind::Text { .. } => Some(Format::Text),
            BodyKind::Arguments => Some(Format::Json),
        }
    }

    /// Prepares the input of the next chunk.
    pub(super) fn begin_chunk<'a>(&mut self, chunk: &'a [u8]) -> BodyInput<'a> {
        self.drop_leaked_input();
        let BodyKind::Detecting(detection) = &mut self.kind else {
            return BodyInput::new(Vec::new(), chunk, BodyStage::Continues);
        };
        let replay = match detection.feed(chunk) {
            Some((verdict, body)) => {
                self.parse_as_detected(verdict);
                body
            }
            None => Vec::new(),
        };
        BodyInput::new(replay, &[], BodyStage::Continues)
    }

    /// Prepares the input of the end of the body.
    pub(super) fn begin_end(&mut self) -> BodyInput<'static> {
        self.drop_leaked_input();
        let BodyKind::Detecting(detection) = &mut self.kind else {
            return BodyInput::new(Vec::new(), &[], BodyStage::Ends);
        };
        let (verdict, body) = detection.finish();
        self.parse_as_detected(verdict);
        BodyInput::new(body, &[], BodyStage::Ends)
    }

    /// Drops input that a leaked cursor has left: its chunk is gone.
    fn drop_leaked_input(&mut self) {
        if self.feeding.is_some_and(|feeding| feeding.feed.is_of_body()) {
            self.feeding = None;
        }
    }

    /// Begins with the next body.
    fn restart(&mut self) {
        self.text.open_call = None;
        self.reasoning.iter_mut().for_each(|reasoning| reasoning.open_call = None);
        self.calls.restart();
        self.held.restart();
        match self.declared {
            Some(format) => self.parse_as(format, true),
            None => self.kind = BodyKind::Detecting(Detection::new(self.limits.event)),
        }
    }

    fn parse_as(&mut self, format: Format, is_known: bool) {
        self.kind = match Payloads::new(format, is_known, self.limits.event) {
            Some(payloads) => BodyKind::Payloads(payloads),
            None if format == Format::Json => {
                self.calls.open_arguments();
                BodyKind::Arguments
            }
            None => BodyKind::Text { unchecked: 0 },
        };
    }

    fn parse_as_detected(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Certain(Format::Text) => self.kind = BodyKind::Text { unchecked: TEXT_CHECKED },
            Verdict::Certain(format) => self.parse_as(format, true),
            Verdict::Guess(format) => self.parse_as(format, false),
            Verdict::UnknownStream => self.kind = BodyKind::UnknownStream,
            Verdict::Binary => self.kind = BodyKind::Binary { is_reported: false },
        }
    }

    /// Runs up to the next output; `None` when the input is consumed.
    pub(super) fn next(&mut self, input: &mut BodyInput<'_>) -> Option<Output> {
        loop {
            let output = if let Some(decided) = self.held.next() {
                self.decided = Some(decided);
                Some(Output::Decided)
            } else if self.feeding.is_some() {
                self.continue_feeding(input.bytes())
            } else if let Some(action) = self.actions.pop_front() {
                self.perform(action)
            } else if self.apply_next_delta() {
                None
            } else if input.advance() {
                self.consume(input)
            } else {
                match input.stage {
                    BodyStage::Continues => return None,
                    BodyStage::Done => {
                        input.stage = BodyStage::Continues;
                        self.restart();
                        return None;
                    }
                    stage => {
                        let (output, next) = self.end(stage, input);
                        input.stage = next;
                        output
                    }
                }
            };
            if output.is_some() {
                return output;
            }
        }
    }

    /// Runs the parser that is being fed.
    fn continue_feeding(&mut self, bytes: &[u8]) -> Option<Output> {
        let BodyParser { feeding, text, reasoning, calls, deltas, .. } = self;
        let mut current = (*feeding)?;
        let parser = match current.target {
            Target::Text => Some(&mut text.parser),
            Target::Reasoning => reasoning.as_mut().map(|reasoning| &mut reasoning.parser),
            Target::Call(i) => match &mut calls.list[i].state {
                CallState::Asking { parser, .. } => Some(&mut **parser),
                CallState::Unnamed(_) | CallState::Unconfirmed { .. } | CallState::OtherTool | CallState::Over => None,
            },
        };
        let Some(decision) = parser.and_then(|parser| current.feed.decide(parser, &deltas.text, bytes)) else {
            *feeding = None;
            if let (Target::Call(i), true) = (current.target, current.feed.is_end()) {
                calls.list[i].state = CallState::Over;
            }
            return None;
        };
        *feeding = Some(current);
        let progress = call_progress(decision);
        let call_index = match current.target {
            Target::Text => text.call_index(progress, calls),
            Target::Reasoning => reasoning.as_mut().map_or(0, |reasoning| reasoning.call_index(progress, calls)),
            Target::Call(i) => match calls.list[i].state {
                CallState::Asking { call_index, .. } => call_index,
                _ => 0,
            },
        };
        match (current.target, progress) {
            // Prose, and other tools' calls.
            (Target::Reasoning, None) => None,
            (_, Some(CallProgress::Ended)) if self.holds_end(current, decision, call_index, bytes) => None,
            _ => Some(Output::Parsed { feeding: current, decision, call_index }),
        }
    }

    /// Notes that a call has ended. Returns whether its end waits.
    fn holds_end(&mut self, Feeding { target, feed }: Feeding, decision: Decision, index: u64, bytes: &[u8]) -> bool {
        let BodyParser { kind, text, reasoning, calls, held, deltas, limits, .. } = self;
        let Some(parser) = parser(target, text, reasoning.as_deref(), calls) else { return false };
        let end = feed.lend(parser, decision, (&*deltas.text, bytes), (index, None));
        let may_come_natively = matches!(kind, BodyKind::Payloads(payloads) if payloads.format.has_native_calls());
        match target {
            Target::Reasoning => held.hold_reasoning(&end, index, limits),
            Target::Text if may_come_natively && is_leaked(&end) => held.hold_leaked(&end, index, limits),
            Target::Text | Target::Call(_) => {
                held.note_end(&end, matches!(target, Target::Call(_)));
                return false;
            }
        }
        true
    }

    /// Performs an action, or begins to feed a parser for it.
    fn perform(&mut self, action: Action) -> Option<Output> {
        let BodyParser { feeding, text, reasoning, calls, deltas, .. } = self;
        match action {
            Action::Text(range) => {
                let feed = ParserFeed::text(&mut text.parser, range, &deltas.text);
                *feeding = Some(Feeding { target: Target::Text, feed });
                None
            }
            Action::Reasoning(range) => {
                *feeding = reasoning.as_mut().map(|reasoning| {
                    let feed = ParserFeed::text(&mut reasoning.parser, range, &deltas.text);
                    Feeding { target: Target::Reasoning, feed }
                });
                None
            }
            Action::StartOtherTool(call) => Some(Output::OtherTool { call, arguments: (0, 0), start: true }),
            Action::Arguments(call, range) => match &mut calls.list[call].state {
                CallState::Asking { parser, .. } => {
                    let feed = ParserFeed::text(parser, range, &deltas.text);
                    *feeding = Some(Feeding { target: Target::Call(call), feed });
                    None
                }
                CallState::OtherTool => Some(Output::OtherTool { call, arguments: range, start: false }),
                CallState::Unnamed(_) | CallState::Unconfirmed { .. } | CallState::Over => None,
            },
            Action::Finish(i) => {
                let call = &mut calls.list[i];
                match &mut call.state {
                    CallState::Asking { parser, .. } => {
                        if call.may_have_gap || call.received.are_contradicted(parser) {
                            reject_open_call(parser);
                        }
                        call.ended_as = Some(meaning(&mut parser.clone()));
                        *feeding = Some(Feeding { target: Target::Call(i), feed: ParserFeed::end(parser) });
                    }
                    state => *state = CallState::Over,
                }
                None
            }
            Action::Report(fault) => Some(self.report(fault)),
        }
    }

    /// Turns the next delta of the payload into actions. Returns whether there was one.
    fn apply_next_delta(&mut self) -> bool {
        let BodyParser { calls, deltas, applied, actions, .. } = self;
        calls.forget_old();
        match deltas.list.get(*applied) {
            Some(&delta) => {
                *applied += 1;
                calls.apply(delta, deltas, actions);
                true
            }
            None => {
                deltas.clear();
                *applied = 0;
                false
            }
        }
    }

    /// Consumes the next payload of the input, or a piece of a body without payloads.
    fn consume(&mut self, input: &mut BodyInput<'_>) -> Option<Output> {
        let rest = input.rest();
        let mut len = rest.len().min(PIECE);
        let target = match &mut self.kind {
            BodyKind::Payloads(_) => return self.consume_payload(input),
            BodyKind::Detecting(_) => return None,
            BodyKind::Arguments => Target::Call(0),
            BodyKind::Text { unchecked } => {
                let checked = len.min(*unchecked);
                match memchr::memchr(0, &rest[..checked]) {
                    Some(0) => {
                        self.kind = BodyKind::Binary { is_reported: false };
                        return None;
                    }
                    Some(nul) => len = nul,
                    None => {}
                }
                *unchecked -= len.min(*unchecked);
                Target::Text
            }
            BodyKind::UnknownStream => {
                input.used += rest.len();
                return None;
            }
            BodyKind::Binary { is_reported } => {
                input.used += rest.len();
                return (!core::mem::replace(is_reported, true)).then_some(Output::Fault(Fault::Binary));
            }
        };
        input.used += len;
        self.feeding = Some(Feeding { target, feed: ParserFeed::bytes(input.used, len) });
        None
    }

    fn consume_payload(&mut self, input: &mut BodyInput<'_>) -> Option<Output> {
        let BodyKind::Payloads(payloads) = &mut self.kind else { return None };
        let mut rest = input.rest();
        let len = rest.len();
        let fault = payloads.next(&mut rest, &mut self.deltas).err();
        let used = len - rest.len();
        input.used += used;
        fault.map(|fault| self.report(fault))
    }

    /// Returns the output of a fault, after which some calls must not be acted on.
    fn report(&mut self, fault: Fault) -> Output {
        if fault.is_loss(&self.deltas.text) {
            // Any open call may have lost a part of it.
            reject_open_call(&mut self.text.parser);
            self.reasoning.iter_mut().for_each(|reasoning| reject_open_call(&mut reasoning.parser));
            self.calls.note_lost_event();
        } else if matches!(fault, Fault::TextDiffers(_)) {
            reject_open_call(&mut self.text.parser);
        }
        Output::Fault(fault)
    }

    /// Processes one stage of the end of the body. Returns its output and the next stage.
    fn end(&mut self, stage: BodyStage, input: &mut BodyInput<'_>) -> (Option<Output>, BodyStage) {
        let BodyParser { kind, text, reasoning, calls, held, deltas, actions, feeding, .. } = self;
        match stage {
            BodyStage::Ends => {
                if let BodyKind::Payloads(payloads) = kind
                    && let Some(rest) = payloads.take_rest()
                {
                    *input = BodyInput::new(rest, &[], BodyStage::Ends);
                    return (None, BodyStage::Ends);
                }
                // Nothing follows the last payload, so nothing that is open can miss a part.
                let result = match kind {
                    BodyKind::Payloads(payloads) => payloads.finish(deltas),
                    _ => Ok(()),
                };
                (result.err().map(Output::Fault), BodyStage::TextOfDeltas)
            }
            BodyStage::TextOfDeltas => {
                calls.finish_text(deltas, actions);
                let result = match kind {
                    BodyKind::Payloads(payloads) => payloads.verdict(),
                    BodyKind::UnknownStream => Err(Fault::Foreign(None)),
                    _ => Ok(()),
                };
                (result.err().map(Output::Fault), BodyStage::TextParser)
            }
            BodyStage::TextParser => {
                *feeding = Some(Feeding { target: Target::Text, feed: ParserFeed::end(&mut text.parser) });
                (None, BodyStage::ReasoningParser)
            }
            BodyStage::ReasoningParser => {
                *feeding = reasoning.as_mut().map(|reasoning| Feeding {
                    target: Target::Reasoning,
                    feed: ParserFeed::end(&mut reasoning.parser),
                });
                (None, BodyStage::OpenCalls)
            }
            BodyStage::OpenCalls => {
                calls.close_all(deltas, actions);
                (None, BodyStage::HeldCalls)
            }
            BodyStage::HeldCalls => {
                held.release_all();
                (None, BodyStage::Done)
            }
            BodyStage::Continues | BodyStage::Done => (None, stage),
        }
    }

    /// Returns the event or error of an output.
    pub(super) fn lend<'s>(&'s self, input: &'s BodyInput<'_>, output: Output) -> Result<Event<'s>, Error<'s>> {
        let BodyParser { text, reasoning, calls, deltas, decided, .. } = self;
        let slice = |(start, end): TextRange| &deltas.text[start..end];
        let id = |call: usize| Some(&*calls.list[call].id).filter(|id| !id.is_empty());
        match output {
            Output::Parsed { feeding: Feeding { target, feed }, decision, call_index } => {
                let input = (&*deltas.text, input.bytes());
                let id = if let Target::Call(i) = target { id(i) } else { None };
                // What has decided has a parser.
                Ok(parser(target, text, reasoning.as_deref(), calls)
                    .map_or(Event::Text(""), |parser| feed.lend(parser, decision, input, (call_index, id))))
            }
            Output::Decided => Ok(decided.as_ref().map_or(Event::Text(""), DecidedCall::lend)),
            Output::OtherTool { call, arguments, start } => {
                let (tool, raw) = (&*calls.list[call].name, slice(arguments));
                Ok(Event::Opaque(Opaque { tool, raw, start, id: id(call) }))
            }
            Output::Fault(fault) => Err(match fault {
                Fault::Unreadable(data) => Error::Unreadable(slice(data)),
                Fault::Provider(message) => Error::Provider(slice(message)),
                Fault::Orphan(arguments) => Error::Orphan(slice(arguments)),
                Fault::TooManyCalls(tool) => Error::TooManyCalls(slice(tool)),
                Fault::TextDiffers(all) | Fault::ArgumentsDiffer(all) => Error::Contradiction(slice(all)),
                Fault::TooLong => Error::TooLong(self.limits.event),
                Fault::Corrupt(what) => Error::Corrupt(what),
                Fault::Foreign(format) => Error::Foreign(format),
                Fault::Empty(format) => Error::Empty(format),
                Fault::Binary => Error::Binary,
            }),
        }
    }
}

impl TextStream {
    fn new(policy: &Arc<Policy>) -> TextStream {
        TextStream { parser: Parser::new(policy.clone()), open_call: None }
    }

    /// Returns the index of the call that a decision is about; 0 if it is about none.
    fn call_index(&mut self, progress: Option<CallProgress>, calls: &mut NativeCalls) -> u64 {
        match progress {
            Some(CallProgress::Partial) => *self.open_call.get_or_insert_with(|| calls.next_call_index()),
            Some(CallProgress::Ended) => self.open_call.take().unwrap_or_else(|| calls.next_call_index()),
            None => 0,
        }
    }

    fn save(&self) -> SavedStream {
        SavedStream { parser: self.parser.checkpoint(), open_call: self.open_call }
    }

    /// Returns the stream that was saved.
    ///
    /// # Errors
    ///
    /// If the state is out of bounds.
    fn restore(policy: &Arc<Policy>, saved: SavedStream) -> Result<TextStream, ResumeError> {
        let SavedStream { parser, open_call } = saved;
        Ok(TextStream { parser: Parser::resume(policy.clone(), parser)?, open_call })
    }
}

/// Returns the parser that is fed; `None` if there is none.
fn parser<'p>(
    target: Target,
    text: &'p TextStream,
    reasoning: Option<&'p TextStream>,
    calls: &'p NativeCalls,
) -> Option<&'p Parser> {
    match target {
        Target::Text => Some(&text.parser),
        Target::Reasoning => reasoning.map(|reasoning| &reasoning.parser),
        Target::Call(i) => match &calls.list[i].state {
            CallState::Asking { parser, .. } => Some(&**parser),
            CallState::Unnamed(_) | CallState::Unconfirmed { .. } | CallState::OtherTool | CallState::Over => None,
        },
    }
}

/// Returns whether it is the end of a call that was in an envelope, and may be asked.
fn is_leaked(end: &Event<'_>) -> bool {
    matches!(end, Event::Complete(call) if call.envelope().is_some())
}

/// What a checkpoint holds of a stream of text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct SavedStream {
    parser: Checkpoint,
    open_call: Option<u64>,
}

/// What a checkpoint holds of a body.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct SavedBody {
    declared: Option<Format>,
    kind: BodyKind,
    text: SavedStream,
    /// `None` if reasoning is not read.
    reasoning: Option<SavedStream>,
    calls: SavedCalls,
    held: HeldCalls,
}

impl BodyParser {
    pub(super) fn save(&self) -> SavedBody {
        // A cursor that was leaked has left its deltas.
        let mut parser = self.clone();
        let mut input = parser.begin_chunk(&[]);
        while parser.next(&mut input).is_some() {}
        let BodyParser { declared, mut kind, text, reasoning, calls, held, .. } = parser;
        if let BodyKind::Payloads(payloads) = &mut kind {
            payloads.clear_lent();
        }
        let reasoning = reasoning.map(|reasoning| reasoning.save());
        SavedBody { declared, kind, text: text.save(), reasoning, calls: calls.save(), held }
    }

    /// Returns the parser that was saved.
    ///
    /// # Errors
    ///
    /// If the state is out of bounds.
    pub(super) fn restore(policy: Arc<Policy>, limits: Limits, saved: SavedBody) -> Result<BodyParser, ResumeError> {
        let SavedBody { declared, kind, text, reasoning, calls, held } = saved;
        let is_in_bounds = match &kind {
            BodyKind::Detecting(detection) => detection.is_in_bounds(limits.event),
            BodyKind::Payloads(payloads) => payloads.is_in_bounds(limits.event),
            // Its arguments are those of the first call.
            BodyKind::Arguments => !calls.is_empty(),
            BodyKind::Text { .. } | BodyKind::UnknownStream | BodyKind::Binary { .. } => true,
        };
        if !is_in_bounds || !held.is_in_bounds(&policy, &limits) {
            return Err(ResumeError::Corrupt);
        }
        let mut parser = BodyParser::new(declared, policy.clone(), limits).with_reasoning(reasoning.is_some());
        (parser.kind, parser.held) = (kind, held);
        parser.text = TextStream::restore(&policy, text)?;
        parser.reasoning = reasoning.map(|saved| TextStream::restore(&policy, saved).map(Box::new)).transpose()?;
        parser.calls = NativeCalls::restore(policy, limits, calls)?;
        Ok(parser)
    }
}
