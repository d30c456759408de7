//! Providers' streams: bodies and their events, as golden files, as laws, and case by case.

mod binary;
mod checkpoints;
mod detection;
mod encode;
mod endings;
mod error_bodies;
mod formats;
mod golden;
mod laws;
mod leaks;
mod normal;
mod order;
mod rare;
mod rare_calls;
mod rare_frames;
mod rare_providers;
mod reasoning;
mod reasoning_shapes;
mod repeats;
mod servers;
#[path = "../common/stored.rs"]
mod stored;
#[allow(dead_code)]
#[path = "../common/sweep.rs"]
mod sweep;
mod tools;
mod values;
mod wrong_events;
