//! What providers stream: bytes of a response's body in, events out.
//!
//! A [`Response`] reads the body of one streaming response, in whatever pieces it arrives: server-sent events, JSON lines, or a JSON array. The
//! model's text goes through a markup [`Parser`], the arguments of every native call of `ask_followup_question` through a parser of
//! their own, so that a model is understood whichever way it asks. Calls that overlap are told apart by the provider's id.
//!
//! ```
//! use followup::wire::{Response, Wire};
//! use followup::{Event, Policy};
//!
//! let body = r#"data: {"choices":[{"index":0,"delta":{"content":"One moment."}}]}
//!
//! data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"ask_followup_question","arguments":""}}]}}]}
//!
//! data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"question\": \"Which "}}]}}]}
//!
//! data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"one?\"}"}}]}}]}
//!
//! data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}
//!
//! data: [DONE]
//!
//! "#;
//! let mut response = Response::new(Wire::OpenAiChat, Policy::new());
//! let mut shown = Vec::new();
//! for chunk in body.as_bytes().chunks(7) {
//!     let mut events = response.feed(chunk);
//!     while let Some(event) = events.next() {
//!         shown.push(match event {
//!             Ok(Event::Text(text)) => text.to_owned(),
//!             Ok(Event::Partial(call)) => format!("{}…", call.question().unwrap()),
//!             Ok(Event::Complete(call)) => format!("{:?} asks {}", call.id(), call.question()),
//!             other => panic!("{other:?}"),
//!         });
//!     }
//! }
//! assert_eq!(shown, ["One moment.", "Which…", "Which one?…", "Some(\"call_1\") asks Which one?"]);
//! // What only the end decides comes from the last cursor: calls that their provider never ended, a call in the text that is cut off.
//! assert!(response.finish().next().is_none());
//! ```
//!
//! # What becomes of what
//!
//! | in the stream | event |
//! |---|---|
//! | the model's text (a refusal as well) | [`Text`](crate::Event::Text), and what calls written in it give |
//! | a native call of `ask_followup_question` | [`Partial`](crate::Event::Partial)s; then, when the provider says that the call is final, [`Complete`](crate::Event::Complete) or [`Rejected`](crate::Event::Rejected) |
//! | a native call of another tool | [`Opaque`](crate::Event::Opaque): an empty piece when it begins, then its arguments as they come |
//! | an error of the provider, an event that can't be read | [`Error`] |
//! | reasoning, usage, everything else | nothing |
//!
//! A call is final when the provider says so (`finish_reason`, `content_block_stop`, `done`), or with the body; never when its arguments happen
//! to look complete. What is sent twice, in deltas and when they are done, is read once.

mod arrived;
mod balance;
mod calls;
mod deltas;
mod detection;
mod error;
mod events;
mod frames;
mod open;
mod provider;
mod said;
mod text;

use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::sync::Arc;
use core::fmt;
use core::str::FromStr;

use crate::{Parser, Policy};

use calls::{Calls, Step};
use deltas::Deltas;
use detection::Detection;
pub use error::Error;
pub use events::Events;
use events::Work;
use frames::Frames;
use provider::Provider;

/// The format of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Wire {
    /// OpenAI chat completions, and the many that are compatible: server-sent events.
    OpenAiChat,
    /// OpenAI Responses: server-sent events.
    OpenAiResponses,
    /// Anthropic messages: server-sent events.
    Anthropic,
    /// Gemini `streamGenerateContent`: server-sent events, or one JSON array.
    Gemini,
    /// Amazon Bedrock `ConverseStream`, its events as JSON, one a line, as its SDKs give them (not the binary framing they come in).
    Bedrock,
    /// Ollama: JSON lines.
    Ollama,
    /// No provider's: the model's text itself.
    Text,
    /// No provider's: the arguments of one call.
    Json,
}

impl Wire {
    /// All formats.
    pub const ALL: [Wire; 8] = [
        Wire::OpenAiChat,
        Wire::OpenAiResponses,
        Wire::Anthropic,
        Wire::Gemini,
        Wire::Bedrock,
        Wire::Ollama,
        Wire::Text,
        Wire::Json,
    ];

    /// The format's name, as it is parsed too.
    ///
    /// ```
    /// use followup::wire::Wire;
    ///
    /// assert_eq!(Wire::OpenAiChat.name(), "openai-chat");
    /// assert!(Wire::ALL.iter().all(|wire| wire.name().parse() == Ok(*wire)));
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Wire::OpenAiChat => "openai-chat",
            Wire::OpenAiResponses => "openai-responses",
            Wire::Anthropic => "anthropic",
            Wire::Gemini => "gemini",
            Wire::Bedrock => "bedrock",
            Wire::Ollama => "ollama",
            Wire::Text => "text",
            Wire::Json => "json",
        }
    }
}

impl fmt::Display for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no format's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownWire(String);

impl fmt::Display for UnknownWire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is none of ", self.0)?;
        for (i, wire) in Wire::ALL.iter().enumerate() {
            write!(f, "{}{wire}", if i == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl core::error::Error for UnknownWire {}

impl FromStr for Wire {
    type Err = UnknownWire;

    fn from_str(name: &str) -> Result<Wire, UnknownWire> {
        Wire::ALL.into_iter().find(|wire| wire.name() == name).ok_or_else(|| UnknownWire(name.into()))
    }
}

/// Reads the body of one streaming response at a time, in whatever pieces it arrives.
///
/// Whether a body is whole it does not say: one that was cut off behind all calls ends as any other.
///
/// [`feed`](Response::feed) it a chunk and take the events from the cursor; at the end of the body, [`finish`](Response::finish). What comes out does not
/// depend on how the body was cut.
///
/// Cost: time is linear in the bytes. Memory is bounded by the [`Limits`](crate::Limits): one event of the stream, and the calls that are open.
#[derive(Clone, Debug)]
pub struct Response {
    policy: Arc<Policy>,
    /// What the body was said to be; `None` if that is to be found out.
    said: Option<Wire>,
    source: Source,
    text: Parser,
    /// The number of the call that is open in the text.
    text_call: Option<u64>,
    calls: Calls,
    /// What the last payload said, how much of that has been acted on, and what is still to be done.
    deltas: Deltas,
    acted: usize,
    steps: VecDeque<Step>,
    work: Option<Work>,
}

/// What the body is read as.
#[derive(Clone, Debug)]
enum Source {
    /// That is being found out.
    Detecting(Detection),
    Provider {
        wire: Wire,
        provider: Provider,
        frames: Frames,
        /// Something in it is what that provider sends.
        known: bool,
    },
    /// As it is.
    Text,
    /// As the arguments of the one call.
    Json,
}

impl Response {
    /// A reader of bodies in that format, under `policy`: a [`Policy`], or an `Arc` of one to share it.
    pub fn new(wire: Wire, policy: impl Into<Arc<Policy>>) -> Response {
        Response::of(Some(wire), policy.into())
    }

    /// A reader that finds out the format of every body from its first event. Text that is no provider's is read as a message, and JSON as the arguments
    /// of one call.
    ///
    /// Until that is certain, nothing comes out.
    ///
    /// ```
    /// use followup::Policy;
    /// use followup::wire::{Response, Wire};
    ///
    /// let mut response = Response::auto(Policy::new());
    /// drop(response.feed(br#"{"model":"qwen3","message":{"role":"assistant","content":"#));
    /// assert_eq!(response.wire(), None);
    /// drop(response.feed(b"\"Hi\"},\"done\":false}\n"));
    /// assert_eq!(response.wire(), Some(Wire::Ollama));
    /// ```
    pub fn auto(policy: impl Into<Arc<Policy>>) -> Response {
        Response::of(None, policy.into())
    }

    fn of(said: Option<Wire>, policy: Arc<Policy>) -> Response {
        let mut response = Response {
            said,
            source: Source::Text,
            text: Parser::new(policy.clone()),
            text_call: None,
            calls: Calls::new(policy.clone()),
            deltas: Deltas::default(),
            acted: 0,
            steps: VecDeque::new(),
            work: None,
            policy,
        };
        response.restart();
        response
    }

    /// The format of the body: what it was said to be, or what it has been found to be. `None` before that, and again when the body has ended: what only
    /// its end told, [`Events::wire`] says.
    pub fn wire(&self) -> Option<Wire> {
        match self.source {
            Source::Detecting(_) => None,
            Source::Provider { wire, .. } => Some(wire),
            Source::Text => Some(Wire::Text),
            Source::Json => Some(Wire::Json),
        }
    }

    /// The policy the calls are read under.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Goes on with the next chunk of the body. The events are in the cursor.
    pub fn feed<'a>(&'a mut self, chunk: &'a [u8]) -> Events<'a> {
        let (chunk, replay) = match &mut self.source {
            Source::Detecting(detection) => match detection.feed(chunk) {
                Some((wire, replay)) => {
                    self.read_as(wire);
                    (&chunk[..0], replay)
                }
                None => (&chunk[..0], alloc::vec::Vec::new()),
            },
            _ => (chunk, alloc::vec::Vec::new()),
        };
        Events::new(self, chunk, replay, false)
    }

    /// Ends the body. The cursor has what only its end could decide. The reader is then as new, for the next body.
    ///
    /// It never fails: a call that was cut off is an event.
    pub fn finish(&mut self) -> Events<'_> {
        let replay = match &mut self.source {
            Source::Detecting(detection) => {
                let (wire, replay) = detection.finish();
                self.read_as(wire);
                replay
            }
            _ => alloc::vec::Vec::new(),
        };
        Events::new(self, &[], replay, true)
    }

    fn read_as(&mut self, wire: Wire) {
        self.source = match Provider::of(wire) {
            Some(provider) => {
                Source::Provider { wire, provider, frames: Frames::new(self.policy.limits.event), known: false }
            }
            None if wire == Wire::Json => {
                self.calls.open_alone();
                Source::Json
            }
            None => Source::Text,
        };
    }

    /// Ready for the next body.
    fn restart(&mut self) {
        self.text_call = None;
        self.calls.restart();
        match self.said {
            Some(wire) => self.read_as(wire),
            None => self.source = Source::Detecting(Detection::new(self.policy.limits.event)),
        }
    }
}
