//! The payloads of one body: framing, a provider's parser, and what the body turned out to be.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use super::deltas::{Delta, Deltas};
use super::fault::Fault;
use super::format::Format;
use super::frames::{Frame, Frames};
use super::provider::{Evidence, Provider, detect, push_error_body, push_error_payload};

/// The payloads of a body that is parsed as one format.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Payloads {
    pub(super) format: Format,
    /// The format was given, or a strong sign showed it.
    is_known: bool,
    provider: Provider,
    frames: Frames,
    outcome: Outcome,
}

/// What the payloads have come to so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Outcome {
    /// One was of the format.
    is_recognized: bool,
    /// One had an event, or the documented end of the message.
    says_something: bool,
    /// One could not be parsed.
    has_failed: bool,
}

impl Payloads {
    /// Creates the parser of a body; `None` if bodies of this format have no payloads.
    pub(super) fn new(format: Format, is_known: bool, limit: usize) -> Option<Payloads> {
        let (provider, frames) = (Provider::new(format)?, Frames::new(Some(format), limit));
        Some(Payloads { format, is_known, provider, frames, outcome: Outcome::default() })
    }

    /// Clears what the last payload was lent from.
    pub(super) fn clear_lent(&mut self) {
        self.frames.clear_lent();
        self.provider.clear_buffers();
    }

    /// Returns whether the state is one of a body with that limit of an event.
    pub(super) fn is_in_bounds(&self, limit: usize) -> bool {
        self.frames.is_in_bounds(limit) && self.provider.is_in_bounds()
    }

    /// Consumes the chunk up to the end of the next payload, and stores the payload's deltas.
    ///
    /// # Errors
    ///
    /// If the payload can't be parsed.
    pub(super) fn next(&mut self, chunk: &mut &[u8], deltas: &mut Deltas) -> Result<(), Fault> {
        let Payloads { format, is_known, provider, frames, outcome } = self;
        frames.next(chunk).map_or(Ok(()), |frame| parse(frame, (*format, *is_known), provider, outcome, deltas))
    }

    /// Stores the deltas of the payload that the end of the body completes.
    ///
    /// # Errors
    ///
    /// If the payload can't be parsed.
    pub(super) fn finish(&mut self, deltas: &mut Deltas) -> Result<(), Fault> {
        let Payloads { format, is_known, provider, frames, outcome } = self;
        frames.finish().map_or(Ok(()), |frame| parse(frame, (*format, *is_known), provider, outcome, deltas))
    }

    /// Returns bytes at the end of the body that are to be read again, before it is finished.
    pub(super) fn take_rest(&mut self) -> Option<Vec<u8>> {
        self.frames.take_rest()
    }

    /// Returns what is wrong with the body as a whole, once it has ended.
    pub(super) fn verdict(&self) -> Result<(), Fault> {
        let Outcome { is_recognized, says_something, has_failed } = self.outcome;
        match (is_recognized, self.is_known) {
            _ if !self.frames.has_content() => Ok(()),
            // Every failure is reported once.
            (true, _) if says_something || has_failed => Ok(()),
            (true, _) => Err(Fault::Empty(self.format)),
            (false, true) => Err(Fault::Foreign(Some(self.format))),
            (false, false) if has_failed => Ok(()),
            (false, false) => Err(Fault::Foreign(None)),
        }
    }
}

/// Parses a payload into deltas.
fn parse(
    frame: Frame<'_>,
    (format, is_known): (Format, bool),
    provider: &mut Provider,
    outcome: &mut Outcome,
    deltas: &mut Deltas,
) -> Result<(), Fault> {
    let bytes = match frame {
        Frame::Payload(payload) | Frame::Error(payload) => payload,
        Frame::TooLong => {
            outcome.has_failed = true;
            return Err(Fault::TooLong);
        }
        Frame::Corrupt(what) => {
            outcome.has_failed = true;
            return Err(Fault::Corrupt(what));
        }
    };
    // A check alone reads eight bytes at a time, and the repair each by itself.
    let payload = core::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed);
    if matches!(frame, Frame::Error(_)) {
        push_error_payload(&payload, deltas);
        (outcome.is_recognized, outcome.says_something) = (true, true);
        return Ok(());
    }
    // It ends the streams of OpenAI and of compatible servers, and is not JSON.
    if payload == "[DONE]" {
        outcome.says_something = true;
        return Ok(());
    }
    let is_parsed = provider.parse(&payload, deltas).is_ok() && !deltas.has_too_many();
    if !outcome.is_recognized {
        outcome.is_recognized = match detect(&payload) {
            Evidence::Strong(found) => found == format,
            // A sign that formats share is enough if the format needs no detection.
            Evidence::Weak(found) => is_known && found == format,
            _ => false,
        };
        if is_parsed && deltas.list.is_empty() && !outcome.is_recognized {
            push_error_body(&payload, deltas);
        }
        outcome.is_recognized |= is_parsed && !deltas.list.is_empty();
    }
    if is_parsed {
        outcome.says_something = outcome.says_something || deltas.list.iter().any(is_statement);
        return Ok(());
    }
    outcome.has_failed = true;
    // Nothing is taken from a payload that fails to parse further on.
    deltas.clear();
    let data = deltas.store(payload.as_bytes());
    Err(Fault::Unreadable(deltas.resolve(data)))
}

/// Returns whether a delta has an event, or is the end of the message.
fn is_statement(delta: &Delta) -> bool {
    match delta {
        Delta::Text(_) | Delta::AllFinal { .. } | Delta::End => true,
        Delta::Error(_) | Delta::Failed(_) | Delta::Unreadable(_) => true,
        Delta::Call(call) => !call.name.is_empty() || !call.arguments.fragment().is_empty(),
        Delta::Reasoning(_) | Delta::WholeMessage => false,
    }
}
