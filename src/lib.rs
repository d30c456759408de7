//! Shows a model's follow-up question while the model is still writing it.
//!
//! A coding agent asks its user something by calling the tool `ask_followup_question`, with a
//! `question` and some suggested answers. The model's reply arrives in chunks that end anywhere.
//! Feed them to a [`Parser`]; it lends events: [`Text`](Event::Text) for prose,
//! [`Partial`](Event::Partial) while a question grows, and [`Complete`](Event::Complete) when it
//! may be acted on.
//!
//! ```
//! use followup::{Event, Parser};
//!
//! let mut parser = Parser::default();
//! let mut asked = None;
//! for chunk in [
//!     "Sure. <ask_follo",
//!     "wup_question><question>Which data",
//!     "base?</question></ask_followup_question>",
//! ] {
//!     parser.feed(chunk).for_each(|event| match event {
//!         Event::Text(text) => println!("prose: {text}"),
//!         Event::Opaque(piece) => println!("{} is called", piece.tool),
//!         Event::Partial(call) => println!("so far: {}", call.question().unwrap_or_default()),
//!         Event::Complete(call) => asked = Some(call.question().to_owned()),
//!         Event::Rejected(call) => println!("not asked: {}", call.reason()),
//!     });
//! }
//! assert_eq!(asked.as_deref(), Some("Which database?"));
//! assert!(parser.finish().next().is_none(), "no call is left open");
//! ```
//!
//! # The rule
//!
//! **Emit only what no later byte can change, and all of it at once.** From this rule follow five
//! guarantees:
//!
//! | | guarantee |
//! |---|---|
//! | G1 | **Chunk invariance.** The events add up to the same, however the stream is cut into chunks. |
//! | G2 | **Nothing is taken back.** A question only grows at its end, and a closed suggestion never changes: nothing flickers. |
//! | G3 | **Nothing certain is held back.** What has been shown is the longest common prefix of everything that could still come to be shown. (Where entities are decoded, an incomplete one of at most 10 bytes may wait.) |
//! | G4 | **Nothing is lost.** Every byte of a message belongs to exactly one `Text`, `Opaque`, `Complete` or `Rejected`, in order. |
//! | G5 | **Bounded.** Time is linear in the bytes, memory is bounded by the [`Limits`], and no input panics. |
//!
//! Each guarantee is tested: against a reference reader that sees the whole stream, for every short
//! sequence of markup; by brute force over all continuations; and as properties under random cuts,
//! policies and limits.
//!
//! # Three layers
//!
//! ```text
//! chunk ──► UTF-8 ──► lexer ──tokens──► machine ──edits──► call ──views──► Event
//!             │         │                  │                 │
//!             │         │                  │                 └ question and suggestions, as ranges
//!             │         │                  │                   of one buffer; knows no syntax
//!             │         │                  └ the state, and what each token means in it
//!             │         └ memchr to the next delimiter, nom for one tag, escape or literal;
//!             │           keeps the incomplete token of the last chunk
//!             └ keeps the incomplete character of the last chunk
//! ```
//!
//! Only UTF-8 and the lexer know that chunks exist. There are two lexers and two machines: for
//! markup and for the JSON arguments of native calls. Calls in [envelopes](#envelopes) have a third
//! machine, inside that of markup. With the feature `wire`, one provider's stream drives many
//! parsers.
//!
//! # Input
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
//! Or the same as the arguments of a native call, which [`Parser::arguments`] reads:
//!
//! ```text
//! {
//!   "question": "Which database?",
//!   "follow_up": [{"text": "PostgreSQL", "mode": null}, {"text": "SQLite", "mode": "code"}]
//! }
//! ```
//!
//! Or the same in a model's own form, an [envelope](#envelopes).
//!
//! And what models often write instead: missing close tags, lists of options as JSON, suggestions
//! outside `follow_up`, a question without a tag. Each [repair](Malformed::Repair) leaves a
//! [`Note`]. [`docs/format.md`](https://docs.rs/crate/followup/latest/source/docs/format.md)
//! defines the meaning of every stream.
//!
//! # Envelopes
//!
//! A model writes its calls in a form of its own, an [`Envelope`], which its server turns into
//! native calls. A server without a parser for that model passes the envelope on as text. Such a
//! call is shown as any other, and nothing of the envelope is shown; in code it is only quoted.
//! [`Complete::envelope`] tells the family, and [`Policy::with_envelopes`] which families are read.
//!
//! ```
//! use followup::{Envelope, Event, Parser};
//!
//! let call = "<tool_call>\n<function=ask_followup_question>\n\
//!     <parameter=question>\nWhich?\n</parameter>\n</function>\n</tool_call>";
//! let message = format!("Quoted:\n```\n{call}\n```\nAsked: {call}");
//! let (mut parser, mut prose, mut asked) = (Parser::default(), String::new(), Vec::new());
//! for chunk in message.as_bytes().chunks(5) {
//!     parser.feed_bytes(chunk).for_each(|event| match event {
//!         Event::Text(text) => prose.push_str(text),
//!         Event::Complete(call) => asked.push((call.question().to_owned(), call.envelope())),
//!         _ => {}
//!     });
//! }
//! assert_eq!(prose, format!("Quoted:\n```\n{call}\n```\nAsked: "));
//! assert_eq!(asked, [("Which?".to_owned(), Some(Envelope::FunctionXml))]);
//! ```
//!
//! # Cost
//!
//! Time is linear in the bytes of the stream, however many chunks they arrive in. A parser
//! allocates nothing for an event, or for prose (unless a chunk ends inside a long tag, or text
//! looks like the beginning of an envelope: then a few KiB, once). The first call allocates
//! buffers, which later calls reuse. A parser holds at most one call, and of it no more than the
//! limits allow: by default 100 KiB of question and 32 answers of 16 KiB. Many parsers can share
//! one [`Policy`].
//!
//! # Features
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `std` | yes | run-time CPU detection in memchr. Without it the crate is `no_std` with `alloc`, and the API is the same |
//! | `serde` | no | `Serialize` and `Deserialize` for [`Checkpoint`], [`Policy`] and what they contain |
//! | `wire` | no | the module `wire`: from the bytes of a provider's response (OpenAI, Anthropic, Gemini, Bedrock, Ollama, Cohere and others) to events |
//! | `eventstream` | no | in `wire`: the binary frames in which Amazon Bedrock streams, and the models' own payloads in them |
//! | `dialogue` | no | the module `dialogue`: one open question at a time, its answer, and the messages to the model |
//! | `stream` | no | the modules `owned`: events that own their text; `stream`: a `futures` stream of events; and `observe`: hooks for metrics |
//! | `codec` | no | `stream`, and the module `codec`: a decoder for `FramedRead` of tokio-util |
//! | `tracing` | no | `stream`, and `observe::Tracing`: an observer that reports to `tracing` |
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![forbid(unsafe_code)]
#![warn(missing_docs, missing_debug_implementations, unreachable_pub)]

extern crate alloc;
#[cfg(feature = "codec")]
extern crate std;

mod before;
mod call;
mod checkpoint;
#[cfg(feature = "codec")]
pub mod codec;
mod codes;
mod config;
#[cfg(feature = "dialogue")]
pub mod dialogue;
mod envelope;
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
mod prefixes;
mod questions;
mod reason;
mod scan;
mod sealed;
mod shape;
mod signal;
mod space;
#[cfg(feature = "stream")]
pub mod stream;
mod syntax;
mod unsaved;
mod utf8;
#[cfg(feature = "wire")]
pub mod wire;

pub use call::Field;
pub use checkpoint::Checkpoint;
pub use config::{
    CallStart, Entities, Envelope, Envelopes, EnvelopesIter, Limits, Malformed, Policy, Tools, ToolsError,
    UnknownEnvelope,
};
pub use event::{Complete, Event, Opaque, Partial, Rejected};
pub use note::Note;
pub use parser::{Events, Parser};
pub use questions::{
    Defaults, DefaultsIter, Question, Questions, QuestionsIter, Suggestion, Suggestions, SuggestionsIter,
};
pub use reason::{CallPart, Reason};
pub use sealed::ResumeError;
pub use shape::{QuestionKind, Shape, ShapeError, ShapeErrorKind, Shapes};

/// The examples of the README, as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
