//! The extension module `followup._followup`.

mod arrow;
mod dialogue;
mod events;
mod options;
mod panics;
mod parsers;
mod record;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
mod _followup {
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "the name that Python's packages use")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
    #[pymodule_export]
    use crate::arrow::{Array, ChunkedArray, questions};
    #[pymodule_export]
    use crate::dialogue::{DialogueState, reply_messages};
    #[pymodule_export]
    use crate::events::{CallView, Complete, Error, Known, Opaque, Partial, Question, Rejected, Suggestion, Text};
    #[pymodule_export]
    use crate::parsers::{ArgumentsParser, Parser, ResponseParser, StreamParser};
    #[pymodule_export]
    use crate::record::Record;
}
