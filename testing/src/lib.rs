//! Tests and measures programs that read streams with [`followup`].
//!
//! A program that reads a stream is correct only if its result does not depend on where the stream
//! is cut. To test that, one needs streams, cuts and a form of events in which equal means equal:
//!
//! | item | what it is |
//! |---|---|
//! | [`assert_chunk_invariant`] | reads a stream with many different cuts, and panics with a minimal set of cuts that changes the result |
//! | [`Transcript`] | the events of a stream in a normal form, checked against what each event promises |
//! | [`Cuts`], [`pieces`] | where a stream is cut: everywhere, at random, inside characters, tags and escapes |
//! | [`Chunking`] | chunks of one length or of random ones, as a command line names them |
//! | [`Stream`], [`Question`] | the bytes to read; the feature `proptest` has strategies for them, `arbitrary` makes them from a fuzzer's bytes |
//! | [`literals`] | the pieces that streams are made of, and dictionaries for fuzzers |
//! | [`workloads`] | messages for benchmarks |
//! | [`tool_examples`] | the calls on a page about question tools, each with its shape and its tool |
//!
//! ```
//! use followup_testing::{Stream, Syntax, Transcript, assert_chunk_invariant};
//! use followup::Policy;
//!
//! let message = "Hm. <ask_followup_question><question>Ünder < which? \u{1F980}</question>";
//! let stream = Stream::new(Syntax::Markup, message);
//! assert_chunk_invariant(&stream, |chunks| {
//!     let mut parser = stream.parser(Policy::new());
//!     Transcript::of(&mut parser, chunks.iter().copied())
//! });
//! ```
//!
//! The tests, fuzz targets and benchmarks of followup use this crate.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "arbitrary")]
mod arbitrary;
mod chunking;
mod cuts;
mod invariance;
pub mod literals;
#[cfg(feature = "proptest")]
pub mod strategies;
mod stream;
mod tool_examples;
mod transcript;
pub mod workloads;

pub use chunking::{ChunkSizes, Chunking};
pub use cuts::{Cuts, pieces};
pub use invariance::assert_chunk_invariant;
pub use stream::{Question, Stream, Suggestion, Syntax};
pub use tool_examples::{ToolExample, tool_examples};
pub use transcript::{Call, Entry, Transcript};
