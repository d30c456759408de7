//! What a fuzzer chooses: a policy, what a stream is read as, the stream, and where it is cut.
//!
//! An input is readable, so that seeds can be written and crashes understood: a byte of choices, the size of chunks, perhaps five small
//! limits, and then the stream as it is. [`CUT`] is no byte of any text; where it stands in the stream, the stream is cut there, so that a cut stays
//! where it is when the fuzzer changes what is before it.

use followup_testing::{Cuts, Stream, Syntax};

use crate::common::reference::Rules;

/// Where the stream is cut.
pub const CUT: u8 = 0xFE;

/// The bits of the first byte.
pub mod choice {
    /// The stream is the arguments of a native call, not a message.
    pub const ARGUMENTS: u8 = 1;
    /// Nothing is repaired.
    pub const STRICT: u8 = 2;
    /// Calls in code are none.
    pub const OUTSIDE_CODE: u8 = 4;
    /// Entities are decoded.
    pub const ENTITIES: u8 = 8;
    /// Five limits follow.
    pub const LIMITS: u8 = 16;
    /// All tools there are, not only two. (A policy of many names takes longer to tell from others.)
    pub const TOOLS: u8 = 32;
}

#[derive(Debug)]
pub struct Input {
    pub rules: Rules,
    pub stream: Stream,
    pub cuts: Cuts,
}

impl Input {
    /// `None` if it is too short to choose anything.
    pub fn of(input: &[u8]) -> Option<Input> {
        let (&[choices, size], mut rest) = input.split_first_chunk()?;
        let chosen = |bit| choices & bit != 0;
        let mut rules = Rules {
            strict: chosen(choice::STRICT),
            outside_code: chosen(choice::OUTSIDE_CODE),
            decode_entities: chosen(choice::ENTITIES),
            ..Rules::default()
        };
        if !chosen(choice::TOOLS) {
            rules.tools = ["read_file", "write_to_file"].map(String::from).into();
            rules.parameters = ["content", "path"].map(String::from).into();
        }
        if chosen(choice::LIMITS) {
            let (limits, behind) = rest.split_first_chunk()?;
            let [question, answer, suggestions, tag, bare] = limits.map(usize::from);
            rules = Rules { question, answer, suggestions, tag, bare, ..rules };
            rest = behind;
        }
        let syntax = if chosen(choice::ARGUMENTS) { Syntax::Arguments } else { Syntax::Markup };
        let (bytes, cuts) = cut(rest, size.into());
        Some(Input { rules, stream: Stream::new(syntax, bytes), cuts })
    }

    pub fn chunks(&self) -> Vec<&[u8]> {
        self.cuts.chunks(&self.stream)
    }
}

/// The bytes without the marks, and where the marks were; and in chunks of `size`, if that is not 0.
pub fn cut(marked: &[u8], size: usize) -> (Vec<u8>, Cuts) {
    let (mut bytes, mut places) = (Vec::with_capacity(marked.len()), Vec::new());
    for &byte in marked {
        match byte {
            CUT => places.push(bytes.len()),
            byte => bytes.push(byte),
        }
    }
    if size > 0 {
        places.extend((size..bytes.len()).step_by(size));
    }
    (bytes, Cuts::new(places))
}
