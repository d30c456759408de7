//! What helps to test and to measure a program that reads streams: the feature `testing`.
//!
//! A reader of streams is right if it says the same however the stream is cut. To show that, a harness needs streams worth reading, cuts
//! that hurt, and a form of what was said in which equal means equal:
//!
//! | | |
//! |---|---|
//! | [`assert_chunk_invariant`] | reads a stream cut in every way that has ever been found to matter, and panics with the smallest way that differs |
//! | [`Transcript`] | what was shown, in normal form; while it takes events, it checks what they promise |
//! | [`Cuts`], [`pieces`] | where a stream is cut: everywhere, at random, inside characters, tags and escapes |
//! | [`Stream`], [`Question`] | what is read. With the feature `proptest` there are strategies for them, with `arbitrary` they are made from a fuzzer's bytes |
//! | [`literals`] | the pieces streams are made of, and dictionaries for fuzzers |
//! | [`workloads`] | messages to measure with |
//!
//! ```
//! use followup::testing::{Stream, Syntax, Transcript, assert_chunk_invariant};
//! use followup::Policy;
//!
//! let stream = Stream::new(Syntax::Markup, "Hm. <ask_followup_question><question>Ünder < which? \u{1F980}</question>");
//! assert_chunk_invariant(&stream, |chunks| {
//!     let mut parser = stream.parser(Policy::new());
//!     Transcript::of(&mut parser, chunks.iter().copied())
//! });
//! ```
//!
//! The project's own tests, fuzz targets, benches and program use it, so that all of them speak of the same streams.

#[cfg(feature = "arbitrary")]
mod arbitrary;
mod cuts;
mod invariance;
pub mod literals;
#[cfg(feature = "proptest")]
pub mod strategies;
mod stream;
mod transcript;
pub mod workloads;

pub use cuts::{Cuts, pieces};
pub use invariance::assert_chunk_invariant;
pub use stream::{Question, Stream, Suggested, Syntax};
pub use transcript::{Ended, Step, Transcript};
