//! What the fuzz targets do with a fuzzer's bytes. Each target is a function, so that tests can read seeds and crashes without a fuzzer.

mod bytes;
#[path = "../../tests/common/mod.rs"]
mod common;
mod dialogue;
#[path = "../../tests/wire/encode.rs"]
mod encode;
mod input;
mod laws;
pub mod linear;
mod providers;
mod reference;
mod resume;
pub mod seeds;
#[cfg(feature = "steps")]
mod steps;

/// A target: its name, and what it does with an input. It panics if something is wrong.
pub struct Target {
    /// As cargo-fuzz knows it.
    pub name: &'static str,
    /// Reads one input.
    pub read: fn(&[u8]),
}

/// All of them.
pub const TARGETS: [Target; 7] = [
    Target { name: "laws", read: laws::read },
    Target { name: "reference", read: reference::read },
    Target { name: "bytes", read: bytes::read },
    Target { name: "providers", read: providers::read },
    Target { name: "resume", read: resume::read },
    Target { name: "dialogue", read: dialogue::read },
    Target { name: "linear", read: linear::read },
];

/// Reads an input as that target does.
///
/// # Panics
///
/// If something is wrong, and if there is no such target.
pub fn read(target: &str, input: &[u8]) {
    let target = TARGETS.iter().find(|one| one.name == target).expect("a target's name");
    (target.read)(input);
}
