//! The dialogue, for the Python classes of `followup.dialogue`.
//!
//! Data crosses as JSON. That is done a few times a question, so its cost does not matter.

mod error;
mod json;
mod setup;

use std::sync::{Mutex, MutexGuard, TryLockError};

use followup::dialogue::{Dialogue, IMAGE_LIMIT, Image, MessageFormat, Rejection, Reply};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyString};

use crate::options::wrong_type;
use crate::panics::{caught, inject};
use error::{refused, unreadable};
use json::{directive, text};

/// The dialogue as `followup.dialogue.Dialogue` uses it: JSON in, JSON out.
#[pyclass(frozen, module = "followup._followup")]
pub(crate) struct DialogueState(Mutex<Dialogue>);

impl DialogueState {
    fn lock(&self) -> PyResult<MutexGuard<'_, Dialogue>> {
        let dialogue = self.0.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => {
                PyRuntimeError::new_err("the dialogue is in use: by another thread, or by a call that has not returned")
            }
            TryLockError::Poisoned(_) => PyRuntimeError::new_err("the dialogue has failed: create another one"),
        })?;
        inject("dialogue");
        Ok(dialogue)
    }
}

#[pymethods]
impl DialogueState {
    #[new]
    #[pyo3(signature = (options, /))]
    fn new(py: Python<'_>, options: &str) -> PyResult<DialogueState> {
        caught(|| Ok(DialogueState(Mutex::new(setup::dialogue(py, options)?))))
    }

    /// Returns whether a growing call is to be shown.
    fn shows(&self) -> PyResult<bool> {
        caught(|| {
            let dialogue = self.lock()?;
            Ok(dialogue.question().is_none() && !dialogue.has_stopped())
        })
    }

    /// Returns the open question, and the numbers of waiting questions and of mistakes.
    fn state(&self) -> PyResult<(Option<String>, usize, u32, bool)> {
        caught(|| {
            let dialogue = self.lock()?;
            let question = dialogue.question().map(text).transpose()?;
            Ok((question, dialogue.waiting_count(), dialogue.mistakes(), dialogue.has_stopped()))
        })
    }

    #[pyo3(signature = (question, /))]
    fn ask(&self, question: &str) -> PyResult<String> {
        caught(|| {
            let question = serde_json::from_str(question).map_err(|error| unreadable("event", &error))?;
            text(&directive(self.lock()?.ask(question)))
        })
    }

    #[pyo3(signature = (call, /))]
    fn correct(&self, call: &str) -> PyResult<String> {
        caught(|| {
            let call: Rejection = serde_json::from_str(call).map_err(|error| unreadable("event", &error))?;
            text(&directive(self.lock()?.correct(&call)))
        })
    }

    #[pyo3(signature = (number, answer, images, /))]
    fn answer(&self, number: &Bound<'_, PyInt>, answer: &str, images: Vec<Bound<'_, PyAny>>) -> PyResult<String> {
        caught(|| {
            let answer = serde_json::from_str(answer).map_err(|error| unreadable("answer", &error))?;
            let images = images.iter().map(image).collect::<PyResult<_>>()?;
            let reply = self.lock()?.answer(question(number), answer, images);
            text(&reply.map_err(|error| refused(number.py(), error.kind))?)
        })
    }

    /// Ends a question without an answer to it: the ending is the name of the method in Python.
    #[pyo3(signature = (ending, number, answers, /))]
    fn end(&self, ending: &str, number: &Bound<'_, PyInt>, answers: &str) -> PyResult<String> {
        caught(|| {
            let answers = serde_json::from_str(answers).map_err(|error| unreadable("answers", &error))?;
            let (mut dialogue, question) = (self.lock()?, question(number));
            let reply = match ending {
                "cancel" => dialogue.cancel(question),
                "decline" => dialogue.decline(question),
                "discuss" => dialogue.discuss(question, answers),
                "time_out" => dialogue.time_out(question, answers),
                _ => return Err(PyValueError::new_err(format!("{ending} is no ending"))),
            };
            drop(dialogue);
            text(&reply.map_err(|kind| refused(number.py(), kind))?)
        })
    }

    #[pyo3(signature = (guidance, images, /))]
    fn guide(&self, py: Python<'_>, guidance: String, images: Vec<Bound<'_, PyAny>>) -> PyResult<String> {
        caught(|| {
            let images = images.iter().map(image).collect::<PyResult<_>>()?;
            let reply = self.lock()?.guide(guidance, images);
            text(&reply.map_err(|error| error::dialogue_error(py, "not_stopped", &error.to_string()))?)
        })
    }

    /// Returns the state without the history.
    fn checkpoint(&self) -> PyResult<String> {
        caught(|| text(&self.lock()?.checkpoint()))
    }

    /// Returns the turns so far, and removes them if `takes` is set.
    #[pyo3(signature = (takes, /))]
    fn history(&self, takes: bool) -> PyResult<String> {
        caught(|| {
            let mut dialogue = self.lock()?;
            if takes { text(&dialogue.take_history()) } else { text(&dialogue.history()) }
        })
    }
}

/// Returns the number of a question. No question has one that is too large or negative.
fn question(number: &Bound<'_, PyInt>) -> u64 {
    number.extract().unwrap_or(u64::MAX)
}

/// Returns the image of a data URL or of bytes.
fn image(value: &Bound<'_, PyAny>) -> PyResult<Image> {
    let image = if let Ok(url) = value.cast::<PyString>() {
        Image::from_data_url(url.to_str()?, IMAGE_LIMIT)
    } else if let Ok(bytes) = value.cast::<PyBytes>() {
        Image::from_bytes(bytes.as_bytes(), IMAGE_LIMIT)
    } else {
        return Err(wrong_type("images", "a data URL or bytes", value));
    };
    image.map_err(|error| PyValueError::new_err(format!("images: {error}")))
}

/// Returns the messages that carry these replies, in the form of an API.
#[pyfunction]
#[pyo3(signature = (replies, format, /))]
pub(crate) fn reply_messages(replies: &str, format: &str) -> PyResult<String> {
    caught(|| {
        inject("messages");
        let replies: Vec<Reply> = serde_json::from_str(replies).map_err(|error| unreadable("replies", &error))?;
        text(&Reply::messages_of(&replies, format_named(format)?))
    })
}

fn format_named(name: &str) -> PyResult<MessageFormat> {
    MessageFormat::named(name).ok_or_else(|| {
        let formats = MessageFormat::ALL.map(MessageFormat::name).join(", ");
        PyValueError::new_err(format!("format: {name} is not known; known are: {formats}"))
    })
}
