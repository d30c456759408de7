//! A message of the model, as it arrives: from the bytes of a response to what happens in the conversation.

use std::sync::Arc;
use std::time::Instant;

use followup::Event;
use followup::dialogue::Reply;
use followup::wire::{Error, Events, Format, ResponseParser};

use super::happened::{Asked, Happened};
use super::led::Ended;
use super::{Conversation, Next, State, TurnState};
use crate::errors::Failure;
use crate::metrics::Metrics;
use crate::onward::{self, Following, Onward};
use crate::service::Shared;

/// Where a turn comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Relay,
    Push,
    Demo,
    Continue,
}

impl Source {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Source::Relay => "relay",
            Source::Push => "push",
            Source::Demo => "demo",
            Source::Continue => "continue",
        }
    }
}

/// What ends the streams of OpenAI, and of those that are like it. Who has read that may leave: nothing is missing.
const DONE: &[u8] = b"[DONE]";

/// How much of a provider's error is shown.
const SAID: usize = 8 << 10;

/// A turn that is streaming. It ends when it is [ended](Turn::end), or, as cut off, when it is dropped.
pub(crate) struct Turn {
    shared: Arc<Shared>,
    conversation: Arc<Conversation>,
    /// `None` if the body can't be read.
    response: Option<ResponseParser>,
    /// The end of what came, to see whether it is whole.
    tail: Vec<u8>,
    begun: Instant,
    has_ended: bool,
    /// What is to follow it, as far as that is known.
    following: Following,
}

impl Turn {
    /// The next turn of that conversation begins.
    ///
    /// # Errors
    ///
    /// If another is still streaming, or the conversation is gone.
    pub(crate) fn begin(
        shared: &Arc<Shared>,
        conversation: &Arc<Conversation>,
        wire: Option<Format>,
        source: Source,
    ) -> Result<Turn, Failure> {
        conversation.begin(source)?;
        Ok(Turn::begun(shared, conversation, wire))
    }

    /// A turn that has begun.
    pub(crate) fn begun(shared: &Arc<Shared>, conversation: &Arc<Conversation>, wire: Option<Format>) -> Turn {
        let policy = shared.settings.policy.clone();
        let response = match wire {
            Some(wire) => ResponseParser::new(wire, policy),
            None => ResponseParser::auto(policy),
        };
        let response = response.with_limits(shared.settings.wire_limits);
        Turn {
            shared: shared.clone(),
            conversation: conversation.clone(),
            response: Some(response),
            tail: Vec::new(),
            begun: Instant::now(),
            has_ended: false,
            following: Following::Nothing,
        }
    }

    /// Whether anybody can still see it.
    pub(crate) fn is_gone(&self) -> bool {
        self.conversation.state.lock().gone
    }

    /// That is to follow.
    pub(crate) fn follow(&mut self, following: Following) {
        self.following = following;
    }

    /// Takes the next chunk of the body: what it brings is in the conversation then.
    pub(crate) fn feed(&mut self, chunk: &[u8]) {
        self.shared.metrics.bytes(chunk.len());
        self.following.feed(chunk);
        self.tail.extend_from_slice(&chunk[chunk.len().saturating_sub(32)..]);
        self.tail.drain(..self.tail.len().saturating_sub(32));
        if let Some(response) = &mut self.response {
            self.conversation.happens(response.feed(chunk));
        }
    }

    /// Something went wrong.
    pub(crate) fn error(&mut self, kind: &str, message: &str) {
        let mut state = self.conversation.change();
        state.log.take(&Happened::Error { kind, message }, &self.shared.metrics);
    }

    /// Its body can't be read: why. It goes on without.
    pub(crate) fn unreadable(&mut self, kind: &str, message: &str) {
        self.error(kind, message);
        self.response = None;
    }

    /// The body has ended, whole or not.
    pub(crate) fn end(mut self, cut_off: bool) {
        self.finish(cut_off);
    }

    fn finish(&mut self, cut_off: bool) {
        if std::mem::replace(&mut self.has_ended, true) {
            return;
        }
        if let Some(response) = &mut self.response {
            self.conversation.happens(response.finish());
        }
        self.response = None;
        let following = std::mem::replace(&mut self.following, Following::Nothing);
        let onward = if cut_off { Onward::Nothing } else { following.onward() };
        self.conversation.ended(cut_off, onward);
        self.shared.metrics.turn_ended(self.begun.elapsed());
        // What is missing then is said to whoever answers.
        let _ = onward::go_on(&self.shared, &self.conversation);
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let is_whole = self.tail.trim_ascii_end().ends_with(DONE);
        self.finish(!is_whole);
    }
}

impl Conversation {
    /// Whether a turn may begin. To know it early; [`Turn::begin`] looks again.
    pub(crate) fn check_free(&self) -> Result<(), Failure> {
        match self.state.lock().turn {
            TurnState::Streaming => Err(Failure::busy(&self.id)),
            _ => Ok(()),
        }
    }

    fn begin(&self, source: Source) -> Result<(), Failure> {
        let mut state = self.change();
        if state.gone {
            return Err(Failure::no_conversation(&self.id));
        }
        if state.turn == TurnState::Streaming {
            return Err(Failure::busy(&self.id));
        }
        state.begin(source, &self.metrics);
        Ok(())
    }

    fn happens(&self, mut events: Events<'_>) {
        let mut state = self.change();
        while let Some(event) = events.next() {
            match event {
                Ok(event) => state.event(event, &self.metrics),
                Err(error) => state.error(&error, &self.metrics),
            }
        }
    }

    fn ended(&self, cut_off: bool, onward: Onward) {
        let mut state = self.change();
        state.turn = if cut_off { TurnState::CutOff } else { TurnState::Ended };
        let nth = state.turns.saturating_sub(1);
        state.log.take(&Happened::End { nth, cut_off }, &self.metrics);
        if !state.gone {
            state.onward = onward;
        }
    }

    /// Takes what follows, with the replies it needs, if it is time for it: the next turn has begun then. Otherwise says what it waits for.
    pub(crate) fn take_onward(&self) -> Result<(Onward, Vec<Reply>), Next> {
        let mut state = self.change();
        match (&state.onward, state.led.next()) {
            _ if state.turn != TurnState::Ended || state.gone => return Err(Next::Nothing),
            (Onward::Nothing, _) => return Err(Next::Nothing),
            (Onward::Cannot(why), Next::Ready) => return Err(Next::Cannot((*why).into())),
            (_, Next::Ready) => {}
            // Nobody waits for the results of what a recorded message calls.
            (Onward::Demo(_), Next::Cannot(_)) => {}
            (_, next) => return Err(next),
        }
        let replies = state.led.all_replies();
        let onward = std::mem::replace(&mut state.onward, Onward::Nothing);
        state.begin(onward.source(), &self.metrics);
        Ok((onward, replies))
    }
}

impl State {
    fn begin(&mut self, source: Source, metrics: &Metrics) {
        self.turn = TurnState::Streaming;
        self.onward = Onward::Nothing;
        self.led.begin();
        let nth = self.turns;
        self.turns += 1;
        self.log.take(&Happened::Turn { nth }, metrics);
        metrics.turn(source.name());
    }

    fn event(&mut self, event: Event<'_>, metrics: &Metrics) {
        if let Some(happened) = Happened::shown(&event) {
            if let Event::Opaque(piece) = event {
                self.led.calls_other(piece.tool);
            }
            self.log.take(&happened, metrics);
            return;
        }
        let (call, ended) = match event {
            Event::Complete(call) => {
                let ended = self.led.complete(call);
                if let Ended::Asked { number, open } = ended {
                    self.log.take(&Happened::Complete(Asked::new(&call, number, open)), metrics);
                    return;
                }
                (call.nth(), ended)
            }
            Event::Rejected(call) => (call.nth(), self.led.rejected(call)),
            _ => return,
        };
        let (reason, message, stopped) = match &ended {
            Ended::Told { reason, message, stopped } => (&**reason, &**message, *stopped),
            _ => ("dropped", "too many questions of this conversation wait for an answer", self.led.has_stopped()),
        };
        self.log.take(&Happened::Rejected { call, reason, message, stopped }, metrics);
    }

    fn error(&mut self, error: &Error<'_>, metrics: &Metrics) {
        let said = match error {
            Error::Provider(message) => (*message).to_owned(),
            error => error.to_string(),
        };
        // It may be as long as an event of the stream.
        let message = &said[..said.floor_char_boundary(SAID)];
        self.log.take(&Happened::Error { kind: error.code(), message }, metrics);
    }
}
