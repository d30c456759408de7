//! `followup serve`, as it is run: the program itself, a provider that is a process of its own, and clients.
//!
//! Nothing here waits for a time to pass: every wait is for something to happen, and has a deadline only so that a test that fails ends.
#![cfg(unix)]

mod answers;
mod client;
mod continuing;
mod demo;
mod ending;
mod goldens;
mod limits;
mod load;
mod observing;
mod page;
mod push;
mod readers;
mod relay;
mod security;
mod service;
mod troubles;
mod upstream;
