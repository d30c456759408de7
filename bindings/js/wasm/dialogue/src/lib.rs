//! The boundary between JavaScript and the dialogue.
//!
//! JavaScript writes JSON into the input, calls a function, and reads JSON from the output. That is
//! done a few times a question, so its cost does not matter. Dialogues are numbers, and a number
//! that is not in use is an error; so there is no unsafe code.

#![no_std]

extern crate alloc;

mod directive;
mod setup;

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ptr;

use followup::dialogue::{
    Answer, AnswerErrorKind, Dialogue, FormAnswer, Image, MessageFormat, Question, Rejection, Reply,
};
use followup_wasm_runtime::Shared;
use serde::{Deserialize, Serialize};

use directive::directive_json;

/// What both sides share.
struct Boundary {
    input: Vec<u8>,
    output: String,
    dialogues: Vec<Option<Dialogue>>,
}

/// An error, as JavaScript is told.
#[derive(Debug, Serialize)]
pub(crate) struct Failure {
    /// The error as one word; `type` if the input is not of the type it has to be.
    code: &'static str,
    message: String,
}

impl Failure {
    pub(crate) fn of_type(message: impl ToString) -> Failure {
        Failure { code: "type", message: message.to_string() }
    }
}

impl From<AnswerErrorKind> for Failure {
    fn from(kind: AnswerErrorKind) -> Failure {
        Failure { code: kind.code(), message: kind.to_string() }
    }
}

static BOUNDARY: Shared<Boundary> =
    Shared::new(Boundary { input: Vec::new(), output: String::new(), dialogues: Vec::new() });

/// Runs a function of the input and makes its result the output. Returns 1, or 0 for an error.
fn run<T: Serialize>(len: usize, run: impl FnOnce(&mut Vec<Option<Dialogue>>, &[u8]) -> Result<T, Failure>) -> u32 {
    BOUNDARY.with(|Boundary { input, output, dialogues }| {
        let result = run(dialogues, input.get(..len).unwrap_or_default());
        // Strings and numbers always serialize.
        *output = match &result {
            Ok(value) => serde_json::to_string(value),
            Err(failure) => serde_json::to_string(failure),
        }
        .unwrap_or_default();
        u32::from(result.is_ok())
    })
}

/// Runs a function of a dialogue and the input, parsed.
fn run_in<A: for<'a> Deserialize<'a>, T: Serialize>(
    dialogue: usize,
    len: usize,
    action: impl FnOnce(&mut Dialogue, A) -> Result<T, Failure>,
) -> u32 {
    run(len, |dialogues, input| {
        let argument = serde_json::from_slice(input).map_err(|error| Failure::of_type(without_place(&error)))?;
        match dialogues.get_mut(dialogue.wrapping_sub(1)) {
            Some(Some(dialogue)) => action(dialogue, argument),
            _ => Err(Failure::of_type("the dialogue has been freed")),
        }
    })
}

/// Returns what is wrong with JSON, without the place in a text that nobody has seen.
fn without_place(error: &serde_json::Error) -> String {
    let what = error.to_string();
    match what.rfind(" at line ") {
        Some(end) => what[..end].to_owned(),
        None => what,
    }
}

/// Returns the address of the input, which has room for `len` bytes.
///
/// Null if there is no memory for them.
#[unsafe(no_mangle)]
pub extern "C" fn input(len: usize) -> *mut u8 {
    BOUNDARY.with(|Boundary { input, .. }| {
        // Images are large, and few: their room is given back.
        *input = Vec::new();
        if input.try_reserve_exact(len).is_err() {
            return ptr::null_mut();
        }
        input.resize(len, 0);
        input.as_mut_ptr()
    })
}

/// Returns where the output begins.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    BOUNDARY.with(|boundary| boundary.output.as_ptr())
}

/// Returns the bytes of the output.
#[unsafe(no_mangle)]
pub extern "C" fn output_len() -> usize {
    BOUNDARY.with(|boundary| boundary.output.len())
}

/// Creates a dialogue. Its number is the output.
#[unsafe(no_mangle)]
pub extern "C" fn create(len: usize) -> u32 {
    run(len, |dialogues, input| {
        let dialogue = setup::dialogue(input)?;
        let free = dialogues.iter().position(Option::is_none);
        let index = free.unwrap_or_else(|| {
            dialogues.push(None);
            dialogues.len() - 1
        });
        dialogues[index] = Some(dialogue);
        Ok(index + 1)
    })
}

/// Frees a dialogue. Its number may be used again.
#[unsafe(no_mangle)]
pub extern "C" fn free(dialogue: usize) {
    BOUNDARY.with(|boundary| {
        if let Some(slot) = boundary.dialogues.get_mut(dialogue.wrapping_sub(1)) {
            *slot = None;
        }
    });
}

/// Asks a question. The output is a directive.
#[unsafe(no_mangle)]
pub extern "C" fn ask(dialogue: usize, len: usize) -> u32 {
    run_in(dialogue, len, |dialogue, question: Question| Ok(directive_json(dialogue.ask(question))))
}

/// Corrects a call that can't be asked. The output is a directive.
#[unsafe(no_mangle)]
pub extern "C" fn correct(dialogue: usize, len: usize) -> u32 {
    run_in(dialogue, len, |dialogue, call: Rejection| Ok(directive_json(dialogue.correct(&call))))
}

#[derive(Deserialize)]
struct Answered {
    number: u64,
    answer: Answer,
    #[serde(default)]
    images: Vec<Image>,
}

/// Answers a question. The output is a reply.
#[unsafe(no_mangle)]
pub extern "C" fn answer(dialogue: usize, len: usize) -> u32 {
    run_in(dialogue, len, |dialogue, Answered { number, answer, images }| {
        dialogue.answer(number, answer, images).map_err(|error| Failure::from(error.kind))
    })
}

/// Cancels a question. The output is a reply.
#[unsafe(no_mangle)]
pub extern "C" fn cancel(dialogue: usize, len: usize) -> u32 {
    run_in(dialogue, len, |dialogue, number| dialogue.cancel(number).map_err(Failure::from))
}

/// Declines a question. The output is a reply.
#[unsafe(no_mangle)]
pub extern "C" fn decline(dialogue: usize, len: usize) -> u32 {
    run_in(dialogue, len, |dialogue, number| dialogue.decline(number).map_err(Failure::from))
}

/// The end of a question with the answers so far.
#[derive(Deserialize)]
struct Ended {
    number: u64,
    answers: Vec<FormAnswer>,
}

/// Ends a question because the user wants to talk about it first. The output is a reply.
#[unsafe(no_mangle)]
pub extern "C" fn discuss(dialogue: usize, len: usize) -> u32 {
    run_in(dialogue, len, |dialogue, Ended { number, answers }| {
        dialogue.discuss(number, answers).map_err(Failure::from)
    })
}

/// Ends a question because the time for an answer is over. The output is a reply.
#[unsafe(no_mangle)]
pub extern "C" fn time_out(dialogue: usize, len: usize) -> u32 {
    run_in(dialogue, len, |dialogue, Ended { number, answers }| {
        dialogue.time_out(number, answers).map_err(Failure::from)
    })
}

#[derive(Deserialize)]
struct Guided {
    text: String,
    #[serde(default)]
    images: Vec<Image>,
}

/// Guides the model after the dialogue has stopped. The output is a reply.
#[unsafe(no_mangle)]
pub extern "C" fn guide(dialogue: usize, len: usize) -> u32 {
    run_in(dialogue, len, |dialogue, Guided { text, images }| {
        dialogue.guide(text, images).map_err(|error| Failure { code: "not_stopped", message: error.to_string() })
    })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct State {
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<Question>,
    waiting_count: usize,
    mistakes: u32,
    has_stopped: bool,
}

/// Makes the state the output.
#[unsafe(no_mangle)]
pub extern "C" fn state(dialogue: usize, len: usize) -> u32 {
    run_in(dialogue, len, |dialogue, ()| {
        Ok(State {
            question: dialogue.question().cloned(),
            waiting_count: dialogue.waiting_count(),
            mistakes: dialogue.mistakes(),
            has_stopped: dialogue.has_stopped(),
        })
    })
}

/// Makes the state without the history the output, as a text.
#[unsafe(no_mangle)]
pub extern "C" fn checkpoint(dialogue: usize, len: usize) -> u32 {
    // A state always serializes.
    run_in(dialogue, len, |dialogue, ()| Ok(serde_json::to_string(&dialogue.checkpoint()).unwrap_or_default()))
}

/// Makes the turns so far the output.
#[unsafe(no_mangle)]
pub extern "C" fn history(dialogue: usize, len: usize) -> u32 {
    run_in(dialogue, len, |dialogue, ()| Ok(dialogue.history().to_vec()))
}

/// Removes the turns so far, and makes them the output.
#[unsafe(no_mangle)]
pub extern "C" fn take_history(dialogue: usize, len: usize) -> u32 {
    run_in(dialogue, len, |dialogue, ()| Ok(dialogue.take_history()))
}

#[derive(Deserialize)]
struct Messages {
    replies: Vec<Reply>,
    format: String,
}

/// Makes the messages that carry these replies the output.
#[unsafe(no_mangle)]
pub extern "C" fn messages(len: usize) -> u32 {
    run(len, |_, input| {
        let Messages { replies, format } =
            serde_json::from_slice(input).map_err(|error| Failure::of_type(without_place(&error)))?;
        let Some(format) = MessageFormat::named(&format) else {
            let formats = MessageFormat::ALL.map(MessageFormat::name).join(", ");
            return Err(Failure::of_type(format!("format: {format} is not known; known are: {formats}")));
        };
        Ok(Reply::messages_of(&replies, format))
    })
}
