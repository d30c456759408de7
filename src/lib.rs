//! Shows a model's follow-up question while the model is still writing it.
//!
//! A coding agent pauses its work to ask its user something: it calls the tool `ask_followup_question`, with a `question` and
//! some suggested answers. The model's reply arrives in chunks that end anywhere. A [`Parser`] is fed those chunks and
//! lends events: [`Text`](Event::Text) for prose, [`Partial`](Event::Partial) while a question grows,
//! [`Complete`](Event::Complete) when it may be acted on.
//!
//! ```
//! use followup::{Event, Parser};
//!
//! let mut parser = Parser::default();
//! for chunk in ["Sure. <ask_follo", "wup_question><question>Which data", "base?</question></ask_followup_question>"] {
//!     let mut events = parser.feed(chunk);
//!     while let Some(event) = events.next() {
//!         match event {
//!             Event::Text(text) => println!("prose: {text}"),
//!             Event::Opaque(piece) => println!("{} is called", piece.tool),
//!             Event::Partial(call) => println!("so far: {}", call.question().unwrap_or_default()),
//!             Event::Complete(call) => {
//!                 assert_eq!(call.question(), "Which database?");
//!             }
//!             Event::Rejected(call) => println!("not asked: {}", call.reason()),
//!         }
//!     }
//! }
//! let mut events = parser.finish();
//! assert!(events.next().is_none(), "nothing was left open");
//! ```
//!
//! # The one rule
//!
//! **Emit only what no later byte can change.** And emit all of it, at once. From this follows what the crate promises:
//!
//! | | promise |
//! |---|---|
//! | G1 | **Chunk invariance.** What comes out is the same for every way of cutting the stream into chunks. |
//! | G2 | **Nothing is taken back.** A question only grows at its end, a closed suggestion never changes: nothing flickers. |
//! | G3 | **Nothing certain is held back.** What has been shown is the longest common prefix of all that could still come to be shown. |
//! | G4 | **Nothing is lost.** Every byte of a message belongs to exactly one `Text`, `Opaque`, `Complete` or `Rejected`, in order. |
//! | G5 | **Bounded.** Time is linear in the bytes; memory is bounded by the [`Limits`]; no input panics. |
//!
//! They are tested as they stand: against a second reader that sees the whole input at once, for every short sequence of markup; by
//! brute force over what can still come; and as properties under random cuts, policies and limits.
//!
//! # One picture
//!
//! ```text
//!   chunk ──► text ──► memchr to the next `<` ──► nom reads one tag ──► the state decides ──► the call grows ──► an event is lent
//!               ▲                                     │
//!               └──── carry: what the chunk ends in ◄─┘ not decided yet
//! ```
//!
//! (For native arguments nom reads an escape or a literal; and a provider's stream, with the feature `wire`, drives many parsers.)
//!
//! # What is read
//!
//! ```text
//! <ask_followup_question>
//! <question>Which database?</question>
//! <follow_up>
//! <suggest>PostgreSQL</suggest>
//! <suggest mode="code">SQLite</suggest>
//! </follow_up>
//! </ask_followup_question>
//! ```
//!
//! Or, as the arguments of a native call, by [`Parser::arguments`]:
//!
//! ```text
//! {"question": "Which database?", "follow_up": [{"text": "PostgreSQL", "mode": null}, {"text": "SQLite", "mode": "code"}]}
//! ```
//!
//! And what models make of it: missing close tags, lists of options as JSON, suggestions outside `follow_up`, a question without
//! a tag. Each [repair](Repairs) leaves a [`Note`]. The exact meaning of every stream is fixed in
//! [`docs/format.md`](https://docs.rs/crate/followup/latest/source/docs/format.md).
//!
//! # Cost
//!
//! A [`Parser`] is 128 bytes: two cache lines, of which a chunk of prose needs one. Making one from a shared [`Policy`] costs no allocation, an event none, a chunk of prose none (unless it ends
//! in the beginning of a tag that is longer than 24 bytes). What a call needs is made when the first begins; it lives in one arena, which the next
//! call uses again. A parser holds at most one call, and of it no more than the limits allow: with the defaults 100 KiB of question and 32 answers of 16 KiB.
//!
//! # Features
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `std` | yes | run-time CPU detection in memchr. Without it the crate is `no_std` with `alloc`; the API is the same. |
//! | `serde` | no | [`Checkpoint`] and [`Policy`] can be stored. |
//! | `stream` | no | the modules `owned`: events that own their text; `stream`: a `futures` stream of events; `observe`: hooks for metrics. |
//! | `codec` | no | `stream`, and the module `codec`: a decoder for `FramedRead` of tokio-util. |
//! | `tracing` | no | `stream`, and `observe::Tracing`, an observer that reports to `tracing`. |
//! | `dialogue` | no | the module `dialogue`: one question at a time, its answer, and what the model is told. |
//! | `wire` | no | the module `wire`: from the bytes of a provider's stream (OpenAI, Anthropic, Gemini, Bedrock, Ollama) to events. |
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![forbid(unsafe_code)]
#![warn(missing_docs, missing_debug_implementations, unreachable_pub)]

extern crate alloc;
#[cfg(feature = "codec")]
extern crate std;

mod call;
mod checkpoint;
#[cfg(feature = "codec")]
pub mod codec;
mod config;
#[cfg(feature = "dialogue")]
pub mod dialogue;
mod event;
mod hash;
mod json;
mod lazy;
mod markup;
mod note;
#[cfg(feature = "stream")]
pub mod observe;
#[cfg(feature = "stream")]
pub mod owned;
mod parser;
mod reason;
mod scan;
mod signal;
#[cfg(feature = "stream")]
pub mod stream;
mod syntax;
mod utf8;
#[cfg(feature = "wire")]
pub mod wire;

pub use call::Field;
pub use checkpoint::{Checkpoint, ResumeError};
pub use config::{CallStart, Entities, Limits, Malformed, Policy, Tools, ToolsError};
pub use event::{
    Complete, Event, Opaque, Partial, Question, Questions, Rejected, Suggestion, Suggestions, SuggestionsIter,
};
pub use note::Note;
pub use parser::{Events, Parser};
pub use reason::{CallPart, Reason};

/// The README's examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
