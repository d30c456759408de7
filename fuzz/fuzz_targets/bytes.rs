//! The target `bytes` for cargo-fuzz: see `followup_fuzz::TARGETS`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| followup_fuzz::read("bytes", input));
