//! The bodies of providers' streaming responses: bytes in, events out.
//!
//! A [`ResponseParser`] consumes the body of one streaming response, in whatever chunks it arrives:
//! server-sent events, JSON lines, one JSON array, or binary frames. The model's text goes to a
//! markup [`Parser`](crate::Parser), and the arguments of every native call of
//! `ask_followup_question` to a parser of their own, so that a model may ask either way. The
//! provider's ids tell calls that overlap apart.
//!
//! ```
//! use followup::wire::{ResponseParser, Format};
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
//! let mut parser = ResponseParser::new(Format::OpenAiChat, Policy::new());
//! let mut shown = Vec::new();
//! for chunk in body.as_bytes().chunks(7) {
//!     let mut events = parser.feed(chunk);
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
//! // The last cursor lends what only the end decides: calls that the provider never ended, or a
//! // call that is cut off in the text.
//! assert!(parser.finish().next().is_none());
//! ```
//!
//! # From stream to event
//!
//! | in the stream | event |
//! |---|---|
//! | the model's text, a refusal included | [`Text`](crate::Event::Text), and the events of the calls written in it |
//! | a native call of `ask_followup_question` | [`Partial`](crate::Event::Partial)s; once the call is final, [`Complete`](crate::Event::Complete) or [`Rejected`](crate::Event::Rejected) |
//! | a native call of another tool | [`Opaque`](crate::Event::Opaque): an empty piece at its start, then its arguments as they come |
//! | an error of the provider, an event that can't be parsed | [`Error`] |
//! | reasoning, usage, everything else | nothing, unless [`with_reasoning`](ResponseParser::with_reasoning) asks for the calls in reasoning |
//!
//! A call is final when the provider says so (`finish_reason`, `content_block_stop`, `done`), or
//! with the end of the body; never because its arguments look complete. Text and arguments that a
//! provider sends twice, in pieces and as a whole, count once. A call that came as text, in an
//! [envelope](crate::Envelope), and natively as well is asked once: its end waits for that of the
//! body, and the native call counts.

mod body;
mod brackets;
mod buffer;
mod call;
mod call_ref;
mod calls;
mod checkpoint;
mod deltas;
mod detection;
mod drive;
mod elements;
mod error;
mod fault;
mod format;
mod frames;
mod held;
mod input;
mod json_text;
mod limits;
mod message_text;
mod payloads;
mod prefix_hashes;
mod provider;
mod received;
mod response;

pub use checkpoint::Checkpoint;
pub use error::Error;
pub use format::{Format, UnknownFormat};
pub use limits::Limits;
pub use response::{Events, ResponseParser};
