//! The boundary between JavaScript and the parser.
//!
//! JavaScript writes into the input buffer, calls a function, and reads the output: words, and the
//! text that they refer to. Parsers are numbers. Nothing here holds a pointer but the two buffers,
//! so there is no unsafe code: a number that is not in use does nothing.

#![no_std]

extern crate alloc;

mod encode;
mod instance;
mod options;

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ptr;

use encode::Output;
use followup::Policy;
use followup_wasm_runtime::Shared;
use instance::Instance;
use options::Options;

/// What both sides share.
struct Boundary {
    input: Vec<u8>,
    output: Output,
    /// Where the output is: the address of its words, the address of its text, and its bytes.
    place: [usize; 3],
    instances: Vec<Option<Instance>>,
    unused: Vec<usize>,
    /// The options of the last parser, and their policy.
    last: Option<(String, Arc<Policy>)>,
}

static BOUNDARY: Shared<Boundary> = Shared::new(Boundary {
    input: Vec::new(),
    output: Output::NEW,
    place: [0; 3],
    instances: Vec::new(),
    unused: Vec::new(),
    last: None,
});

/// Runs what writes into the output, and notes where that is then.
fn write<T>(run: impl FnOnce(&mut Boundary) -> T) -> T {
    BOUNDARY.with(|boundary| {
        boundary.output.clear();
        let result = run(boundary);
        let Output { words, text, .. } = &boundary.output;
        boundary.place = [words.as_ptr() as usize, text.as_ptr() as usize, text.len()];
        result
    })
}

/// Returns the address of the input, which has room for `len` bytes.
///
/// Null if there is no memory for them.
#[unsafe(no_mangle)]
pub extern "C" fn input(len: usize) -> *mut u8 {
    BOUNDARY.with(|Boundary { input, .. }| {
        if let Some(missing) = len.checked_sub(input.len()) {
            if input.try_reserve(missing).is_err() {
                return ptr::null_mut();
            }
            input.resize(len, 0);
        }
        input.as_mut_ptr()
    })
}

/// Returns where the place of the output is written, which never moves.
#[unsafe(no_mangle)]
pub extern "C" fn place() -> *const usize {
    BOUNDARY.with(|boundary| boundary.place.as_ptr())
}

/// Creates a parser as the options in the input say, in the state of the checkpoint after them.
///
/// Returns its number. If that is 0, the output's text says what is wrong.
#[unsafe(no_mangle)]
pub extern "C" fn create(options: usize, checkpoint: usize) -> usize {
    write(|boundary| {
        let Boundary { input, output, instances, unused, last, .. } = boundary;
        let (options, rest) = input.split_at(options);
        let options = str::from_utf8(options).unwrap_or_default();
        match Instance::new(Options::new(options), &rest[..checkpoint], last) {
            Ok(instance) => {
                let at = unused.pop().unwrap_or_else(|| {
                    instances.push(None);
                    instances.len() - 1
                });
                instances[at] = Some(instance);
                at + 1
            }
            Err(message) => {
                output.text.push_str(&message);
                0
            }
        }
    })
}

/// Frees a parser. Its number may be used again.
#[unsafe(no_mangle)]
pub extern "C" fn free(number: usize) {
    BOUNDARY.with(|boundary| {
        if let Some(instance) = boundary.instances.get_mut(number.wrapping_sub(1))
            && instance.take().is_some()
        {
            boundary.unused.push(number - 1);
        }
    });
}

/// Feeds the input to a parser. Returns the number of words in the output.
#[unsafe(no_mangle)]
pub extern "C" fn feed(number: usize, len: usize) -> usize {
    write(|boundary| {
        let Boundary { input, output, instances, .. } = boundary;
        if let Some(Some(instance)) = instances.get_mut(number.wrapping_sub(1)) {
            instance.feed(&input[..len], output);
        }
        output.words.len()
    })
}

/// Ends a parser's stream. Returns the number of words in the output.
#[unsafe(no_mangle)]
pub extern "C" fn finish(number: usize) -> usize {
    write(|boundary| {
        let Boundary { output, instances, .. } = boundary;
        if let Some(Some(instance)) = instances.get_mut(number.wrapping_sub(1)) {
            instance.finish(output);
        }
        output.words.len()
    })
}

/// Writes a checkpoint into the input. Returns its length.
#[cfg(feature = "full")]
#[unsafe(no_mangle)]
pub extern "C" fn checkpoint(number: usize) -> usize {
    BOUNDARY.with(|boundary| {
        let Boundary { input, instances, .. } = boundary;
        let Some(Some(instance)) = instances.get(number.wrapping_sub(1)) else { return 0 };
        *input = instance.checkpoint();
        input.len()
    })
}

/// Makes the format of a parser's body the output's text, as far as it is known.
#[cfg(feature = "full")]
#[unsafe(no_mangle)]
pub extern "C" fn format(number: usize) {
    write(|boundary| {
        let Boundary { output, instances, .. } = boundary;
        if let Some(Some(instance)) = instances.get(number.wrapping_sub(1)) {
            output.text.push_str(instance.format());
        }
    });
}
