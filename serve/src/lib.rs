//! Shows a language model's follow-up questions in a browser, and takes the answers: `followup serve`, as a library.
//!
//! A [`Service`] relays requests to an OpenAI-compatible provider, or is pushed what a provider of any kind streams. It passes the bytes on as they arrive, reads them
//! with [`followup::wire`], and tells readers what happens as server-sent events: prose, the question while it grows, what the user said. Answers
//! come back as the messages the provider wants. The protocol is in `docs/service.md`.
//!
//! ```text
//!   agent ──request──► relay ──► provider
//!     ▲                  │
//!     └────same bytes────┤ chunk
//!                        ▼
//!                  conversation ──events──► page, any number of readers
//!                        ▲                    │
//!                        └──────answers───────┘
//! ```
//!
//! What it promises: a chunk is forwarded as soon as it has been read, untouched; nothing is kept for a slow reader, who gets the whole state
//! instead of what was dropped; memory is bounded by the [`Limits`]; nothing that comes from a provider, a page or a caller is trusted.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod auth;
mod continuing;
mod conversation;
mod cut;
mod demo;
mod errors;
mod metrics;
mod onward;
mod routes;
mod server;
mod service;
mod settings;
mod store;
mod upstream;

pub use cut::{Cut, Sizes};
pub use service::{Service, StartError};
pub use settings::{Limits, Pace, Secret, Settings};
