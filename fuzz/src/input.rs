//! The input of a fuzz target: a policy, a syntax, a stream, and where it is cut.
//!
//! An input is readable, so that people can write seeds and understand crashes: a byte of choices,
//! the size of chunks, optionally five small limits
//! and the families of envelopes, and the stream. Each [`CUT`], a byte that no
//! text contains, cuts the stream, so that cuts keep their place when the fuzzer changes the bytes
//! before them.

use followup::Envelope;
use followup_testing::{Cuts, Stream, Syntax};

use crate::common::reference::Rules;

/// Marks where the stream is cut.
pub const CUT: u8 = 0xFE;

/// The bits of the first byte.
pub mod choice {
    /// The stream is the arguments of a native call.
    pub const ARGUMENTS: u8 = 1;
    /// The strict policy.
    pub const STRICT: u8 = 2;
    /// Calls only outside code.
    pub const OUTSIDE_CODE: u8 = 4;
    /// Entities are decoded.
    pub const ENTITIES: u8 = 8;
    /// Five limits follow.
    pub const LIMITS: u8 = 16;
    /// All default tools; otherwise two, because policies with few names compare faster.
    pub const TOOLS: u8 = 32;
    /// Two bytes follow, with a bit for each family of envelopes that is read.
    pub const ENVELOPES: u8 = 64;
}

#[derive(Debug)]
pub struct Input {
    pub rules: Rules,
    pub stream: Stream,
    pub cuts: Cuts,
}

impl Input {
    /// Returns `None` if the input is too short.
    pub fn of(input: &[u8]) -> Option<Input> {
        let (&[choices, size], mut rest) = input.split_first_chunk()?;
        let chosen = |bit| choices & bit != 0;
        let mut rules = Rules {
            strict: chosen(choice::STRICT),
            outside_code: chosen(choice::OUTSIDE_CODE),
            decode_entities: chosen(choice::ENTITIES),
            ..if chosen(choice::TOOLS) { Rules::default() } else { Rules::with_few_tools() }
        };
        if chosen(choice::LIMITS) {
            let (limits, after) = rest.split_first_chunk()?;
            let [question, answer, suggestions, tag, unconfirmed] = limits.map(usize::from);
            rules = Rules { question, answer, suggestions, tag, unconfirmed, ..rules };
            rest = after;
        }
        if chosen(choice::ENVELOPES) {
            let (bits, after) = rest.split_first_chunk()?;
            let bits = u16::from_le_bytes(*bits);
            let families = Envelope::ALL.into_iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1);
            rules.envelopes = families.map(|(_, family)| family).collect();
            rest = after;
        }
        let syntax = if chosen(choice::ARGUMENTS) { Syntax::Arguments } else { Syntax::Markup };
        let (bytes, cuts) = cut(rest, size.into());
        Some(Input { rules, stream: Stream::new(syntax, bytes), cuts })
    }

    pub fn chunks(&self) -> Vec<&[u8]> {
        self.cuts.chunks(&self.stream)
    }
}

/// Removes the marks.
///
/// Returns the bytes, and cuts at the marks and, unless `size` is 0, every `size` bytes.
pub fn cut(marked: &[u8], size: usize) -> (Vec<u8>, Cuts) {
    let (mut bytes, mut offsets) = (Vec::with_capacity(marked.len()), Vec::new());
    for &byte in marked {
        match byte {
            CUT => offsets.push(bytes.len()),
            byte => bytes.push(byte),
        }
    }
    if size > 0 {
        offsets.extend((size..bytes.len()).step_by(size));
    }
    (bytes, Cuts::new(offsets))
}
