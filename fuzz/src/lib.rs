//! The fuzz targets, as functions, so that tests can run seeds and crashes without a fuzzer.

pub mod bytes;
#[path = "../../tests/common/mod.rs"]
mod common;
pub mod dialogue;
#[path = "../../tests/wire/encode/mod.rs"]
mod encode;
mod input;
mod laws;
pub mod linear;
mod providers;
mod reference;
mod resume;
pub mod seeds;
mod shapes;
#[cfg(feature = "steps")]
mod steps;

/// A fuzz target.
pub struct Target {
    /// Its name for cargo-fuzz.
    pub name: &'static str,
    /// Runs one input. Panics if a law is broken.
    pub read: fn(&[u8]),
}

/// All targets.
pub const TARGETS: [Target; 8] = [
    Target { name: "laws", read: laws::read },
    Target { name: "reference", read: reference::read },
    Target { name: "bytes", read: bytes::read },
    Target { name: "providers", read: providers::read },
    Target { name: "shapes", read: shapes::read },
    Target { name: "resume", read: resume::read },
    Target { name: "dialogue", read: dialogue::read },
    Target { name: "linear", read: linear::read },
];

/// Runs an input of that target.
///
/// # Panics
///
/// If a law is broken, or there is no such target.
pub fn read(target: &str, input: &[u8]) {
    let target = TARGETS.iter().find(|one| one.name == target).expect("the name of a target");
    (target.read)(input);
}
