//! The HTTP service of `followup serve`: shows a model's questions in a browser, takes the answers.
//!
//! A [`Service`] relays requests to a provider in the formats of OpenAI or Anthropic, or is pushed
//! what any provider streams. It forwards the bytes as they arrive, parses them with
//! [`followup::wire`], and sends readers server-sent events: prose, the question while it grows,
//! the user's replies. Answers come back as the messages that the provider expects.
//! `docs/service.md` specifies the protocol.
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
//! Guarantees: a chunk is forwarded unchanged as soon as it has been read; nothing is queued for a
//! slow reader, which gets the whole state in place of the events it missed; memory is bounded by
//! the [`Limits`]; input from providers, pages and callers is never trusted.
//!
//! # Layers
//!
//! Each module uses only modules that are listed below it:
//!
//! | module | what it holds |
//! |---|---|
//! | `service` | [`Service`]: binds, runs, shuts down |
//! | `server` | TCP connections and HTTP/1 |
//! | `routes` | one file per path of the protocol: requests to calls, results to responses |
//! | `turns` | what feeds a turn: the relay, the player of recorded messages, the continuation |
//! | `app_state` | what all requests share |
//! | `recognition` | which conversation a request belongs to |
//! | `store`, `upstream`, `auth` | all conversations; the HTTP client of the provider; who may call |
//! | `shared` | the conversations in Redis, and how replicas take turns |
//! | `local_store` | the conversations of this process |
//! | `conversation` | one conversation: its dialogue, its events, its snapshot |
//! | `chat`, `demo` | the provider's requests and messages; the recorded messages |
//! | `settings`, `error`, `metrics`, `memory`, `paced_body` | plain data; what memory is taken; bodies of requests |
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod app_state;
mod auth;
mod chat;
mod conversation;
mod demo;
mod error;
mod local_store;
mod memory;
mod metrics;
mod paced_body;
mod reach;
mod recognition;
mod routes;
mod server;
mod service;
mod settings;
mod shared;
mod store;
mod turns;
mod upstream;

pub use service::{Service, StartError};
pub use settings::{Limits, Pace, Secret, Settings};
