//! Parsing a body: its payloads, and with them its text and its calls.

use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::call::CallState;
use super::calls::{Action, NativeCalls};
use super::deltas::{Deltas, TextRange};
use super::detection::Detection;
use super::drive::{CallProgress, Decision, ParserFeed, call_progress, reject_open_call};
use super::error::Error;
use super::format::Format;
use super::frames::{Frame, Frames};
use super::input::{BodyInput, BodyStage};
use super::limits::Limits;
use super::provider::{Detected, Provider, detect};
use crate::event::{Event, Opaque};
use crate::{Parser, Policy};

/// The bytes of a body without payloads that a parser is given at once.
///
/// For every decision, that many are validated as UTF-8 again.
const PIECE: usize = 4 << 10;

/// The state of parsing one body after the other.
#[derive(Clone, Debug)]
pub(super) struct BodyParser {
    policy: Arc<Policy>,
    limits: Limits,
    /// The format of every body; `None` if it is detected.
    declared: Option<Format>,
    kind: BodyKind,
    text: Parser,
    /// The index of the call that is open in the text.
    text_call: Option<u64>,
    calls: NativeCalls,
    /// The deltas of the last payload.
    deltas: Deltas,
    /// The number of deltas that have become actions.
    applied: usize,
    /// The actions of the last delta that are still to be performed.
    actions: VecDeque<Action>,
    /// The parser that is being fed.
    feeding: Option<Feeding>,
}

/// What the body is parsed as.
#[derive(Clone, Debug)]
enum BodyKind {
    Detecting(Detection),
    Payloads {
        format: Format,
        provider: Provider,
        frames: Frames,
        /// A payload was of the provider.
        is_confirmed: bool,
    },
    /// The text of a message.
    Text,
    /// The arguments of one call.
    Arguments,
}

/// A parser and its input.
#[derive(Clone, Copy, Debug)]
pub(super) struct Feeding {
    target: Target,
    feed: ParserFeed,
}

/// The parser that is fed: that of the text, or that of a call, by its index in the list of calls.
#[derive(Clone, Copy, Debug)]
enum Target {
    Text,
    Call(usize),
}

/// A decision about the next event or error, which is lent afterwards.
#[derive(Clone, Copy, Debug)]
pub(super) enum Output {
    Parsed { feeding: Feeding, decision: Decision, call_index: u64 },
    OtherTool { call: usize, arguments: TextRange, start: bool },
    ProviderError(TextRange),
    Orphan(TextRange),
    TooManyCalls(TextRange),
    Unreadable(TextRange),
    TooLong,
    Foreign,
}

impl Output {
    /// Returns whether a part of the message was lost.
    ///
    /// What never was a payload is no loss, such as the error page of a proxy.
    fn is_loss(self, text: &str) -> bool {
        match self {
            Output::TooLong => true,
            Output::Unreadable((start, end)) => text[start..end].starts_with('{'),
            _ => false,
        }
    }
}

impl BodyParser {
    pub(super) fn new(declared: Option<Format>, policy: Arc<Policy>, limits: Limits) -> BodyParser {
        let mut parser = BodyParser {
            declared,
            kind: BodyKind::Text,
            text: Parser::new(policy.clone()),
            text_call: None,
            calls: NativeCalls::new(policy.clone(), limits),
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
        BodyParser::new(self.declared, self.policy, limits)
    }

    pub(super) fn policy(&self) -> &Policy {
        &self.policy
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns the format of the body; `None` while it is not known.
    pub(super) fn format(&self) -> Option<Format> {
        match self.kind {
            BodyKind::Detecting(_) => None,
            BodyKind::Payloads { format, .. } => Some(format),
            BodyKind::Text => Some(Format::Text),
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
            Some((format, body)) => {
                self.parse_as(format);
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
        let (format, body) = detection.finish();
        self.parse_as(format);
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
        self.text_call = None;
        self.calls.restart();
        match self.declared {
            Some(format) => self.parse_as(format),
            None => self.kind = BodyKind::Detecting(Detection::new(self.limits.event)),
        }
    }

    fn parse_as(&mut self, format: Format) {
        self.kind = match Provider::new(format) {
            Some(provider) => {
                let frames = Frames::new(self.limits.event);
                BodyKind::Payloads { format, provider, frames, is_confirmed: false }
            }
            None if format == Format::Json => {
                self.calls.open_arguments();
                BodyKind::Arguments
            }
            None => BodyKind::Text,
        };
    }

    /// Runs up to the next output; `None` when the input is consumed.
    pub(super) fn next(&mut self, input: &mut BodyInput<'_>) -> Option<Output> {
        loop {
            let output = if self.feeding.is_some() {
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
                        let (output, next) = self.end(stage);
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
        let BodyParser { feeding, text, calls, deltas, text_call, .. } = self;
        let mut current = (*feeding)?;
        let parser = match current.target {
            Target::Text => Some(&mut *text),
            Target::Call(i) => match &mut calls.list[i].state {
                CallState::Asking { parser, .. } => Some(&mut **parser),
                CallState::Unnamed(_) | CallState::OtherTool | CallState::Over => None,
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
        let call_index = match (current.target, call_progress(decision)) {
            (Target::Text, Some(CallProgress::Partial)) => *text_call.get_or_insert_with(|| calls.next_call_index()),
            (Target::Text, Some(CallProgress::Ended)) => text_call.take().unwrap_or_else(|| calls.next_call_index()),
            (Target::Text, None) => 0,
            (Target::Call(i), _) => match calls.list[i].state {
                CallState::Asking { call_index, .. } => call_index,
                _ => 0,
            },
        };
        Some(Output::Parsed { feeding: current, decision, call_index })
    }

    /// Performs an action, or begins to feed a parser for it.
    fn perform(&mut self, action: Action) -> Option<Output> {
        let BodyParser { feeding, text, calls, deltas, .. } = self;
        match action {
            Action::Text(range) => {
                *feeding = Some(Feeding { target: Target::Text, feed: ParserFeed::text(text, range, &deltas.text) });
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
                CallState::Unnamed(_) | CallState::Over => None,
            },
            Action::Finish(i) => {
                let call = &mut calls.list[i];
                match &mut call.state {
                    CallState::Asking { parser, .. } => {
                        if call.may_have_gap || call.received.are_contradicted(parser) {
                            reject_open_call(parser);
                        }
                        *feeding = Some(Feeding { target: Target::Call(i), feed: ParserFeed::end(parser) });
                    }
                    state => *state = CallState::Over,
                }
                None
            }
            Action::ProviderError(message) => Some(Output::ProviderError(message)),
            Action::Orphan(arguments) => Some(Output::Orphan(arguments)),
            Action::TooManyCalls(tool) => Some(Output::TooManyCalls(tool)),
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
        let target = match &self.kind {
            BodyKind::Payloads { .. } => return self.consume_payload(input),
            BodyKind::Detecting(_) => return None,
            BodyKind::Text => Target::Text,
            BodyKind::Arguments => Target::Call(0),
        };
        let len = input.rest().len().min(PIECE);
        input.used += len;
        self.feeding = Some(Feeding { target, feed: ParserFeed::bytes(input.used, len) });
        None
    }

    fn consume_payload(&mut self, input: &mut BodyInput<'_>) -> Option<Output> {
        let BodyKind::Payloads { format, provider, frames, is_confirmed } = &mut self.kind else { return None };
        let mut rest = input.rest();
        let (len, frame) = (rest.len(), frames.next(&mut rest));
        let used = len - rest.len();
        let output = frame.and_then(|frame| parse_payload(provider, frame, &mut self.deltas, *format, is_confirmed));
        input.used += used;
        if output.is_some_and(|output| output.is_loss(&self.deltas.text)) {
            // Any open call may have lost a part of it, and must not be acted on.
            reject_open_call(&mut self.text);
            self.calls.note_lost_event();
        }
        output
    }

    /// Processes one stage of the end of the body. Returns its output and the next stage.
    fn end(&mut self, stage: BodyStage) -> (Option<Output>, BodyStage) {
        let BodyParser { kind, text, calls, deltas, actions, feeding, .. } = self;
        match stage {
            BodyStage::Ends => {
                // Nothing follows the last payload, so nothing that is open can miss a part.
                let output = match kind {
                    BodyKind::Payloads { format, provider, frames, is_confirmed } => {
                        frames.finish().and_then(|frame| parse_payload(provider, frame, deltas, *format, is_confirmed))
                    }
                    _ => None,
                };
                (output, BodyStage::TextOfDeltas)
            }
            BodyStage::TextOfDeltas => {
                calls.finish_text(deltas, actions);
                let is_foreign = matches!(
                    kind,
                    BodyKind::Payloads { is_confirmed: false, frames, .. } if frames.has_content()
                );
                (is_foreign.then_some(Output::Foreign), BodyStage::TextParser)
            }
            BodyStage::TextParser => {
                *feeding = Some(Feeding { target: Target::Text, feed: ParserFeed::end(text) });
                (None, BodyStage::OpenCalls)
            }
            BodyStage::OpenCalls => {
                calls.close_all(deltas, actions);
                (None, BodyStage::Done)
            }
            BodyStage::Continues | BodyStage::Done => (None, stage),
        }
    }

    /// Returns the event or error of an output.
    pub(super) fn lend<'s>(&'s self, input: &'s BodyInput<'_>, output: Output) -> Result<Event<'s>, Error<'s>> {
        let BodyParser { text, calls, deltas, .. } = self;
        let slice = |(start, end): TextRange| &deltas.text[start..end];
        let id = |call: usize| Some(&*calls.list[call].id).filter(|id| !id.is_empty());
        match output {
            Output::Parsed { feeding: Feeding { target, feed }, decision, call_index } => {
                let input = (&*deltas.text, input.bytes());
                Ok(match target {
                    Target::Text => feed.lend(text, decision, input, (call_index, None)),
                    Target::Call(i) => match &calls.list[i].state {
                        CallState::Asking { parser, .. } => feed.lend(parser, decision, input, (call_index, id(i))),
                        // Only a call that asks a question has a parser that decides.
                        CallState::Unnamed(_) | CallState::OtherTool | CallState::Over => Event::Text(""),
                    },
                })
            }
            Output::OtherTool { call, arguments, start } => {
                let (tool, raw) = (&*calls.list[call].name, slice(arguments));
                Ok(Event::Opaque(Opaque { tool, raw, start, id: id(call) }))
            }
            Output::ProviderError(message) => Err(Error::Provider(slice(message))),
            Output::Orphan(arguments) => Err(Error::Orphan(slice(arguments))),
            Output::TooManyCalls(tool) => Err(Error::TooManyCalls(slice(tool))),
            Output::Unreadable(data) => Err(Error::Unreadable(slice(data))),
            Output::TooLong => Err(Error::TooLong(self.limits.event)),
            Output::Foreign => Err(Error::Foreign(self.format().unwrap_or(Format::Text))),
        }
    }
}

/// Parses a payload into deltas. Returns the error if it can't be parsed.
fn parse_payload(
    provider: &mut Provider,
    frame: Frame<'_>,
    deltas: &mut Deltas,
    format: Format,
    is_confirmed: &mut bool,
) -> Option<Output> {
    let payload = match frame {
        Frame::Payload(payload) => String::from_utf8_lossy(payload),
        Frame::TooLong => return Some(Output::TooLong),
    };
    // `[DONE]` ends the streams of OpenAI and of compatible servers. It is not JSON.
    if payload == "[DONE]" || provider.parse(&payload, deltas).is_ok() && !deltas.has_too_many() {
        *is_confirmed = *is_confirmed || !deltas.list.is_empty() || detect(&payload) == Detected::Provider(format);
        return None;
    }
    // Nothing is taken from a payload that fails to parse further on.
    deltas.clear();
    let data = deltas.store(payload.as_bytes());
    Some(Output::Unreadable(deltas.resolve(data)))
}
