//! Providers' streams: bodies and their events, as golden files, as laws, and case by case.

mod encode;
mod golden;
mod laws;
mod normal;
mod order;
mod rare;
#[allow(dead_code)]
#[path = "../common/sweep.rs"]
mod sweep;
mod values;
