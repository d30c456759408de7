//! `followup serve` end to end: the program, a provider in a process of its own, and clients.
//!
//! No test sleeps for a fixed time: each waits for an event, with a deadline so that a failing test
//! ends.
#![cfg(unix)]

mod agents;
mod answers;
mod client;
mod closing;
mod continuing;
mod demo;
mod ending;
mod examples;
mod form_endings;
mod forms;
mod goldens;
mod limits;
mod list;
mod load;
mod memory;
mod observing;
mod page;
mod passing;
mod pieces;
mod push;
mod readers;
mod recognition;
mod relay;
mod replies;
mod retrying;
mod security;
mod service;
mod store;
mod troubles;
mod upstream;
