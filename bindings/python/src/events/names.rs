//! The strings that name a call: its tool and its id.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::Str;

const OWN_TOOL: &str = "ask_followup_question";

/// Returns the name of the tool that the parser is for.
pub(super) fn own_tool(py: Python<'_>) -> Str {
    intern!(py, OWN_TOOL).clone().unbind()
}

/// The names of the last call, which most events repeat.
#[derive(Default)]
pub(super) struct Names {
    tool: Repeated,
    id: Repeated,
}

impl Names {
    /// Returns the tool and the id of a call.
    ///
    /// There is no new string where the last call had the same.
    pub(super) fn of(&mut self, py: Python<'_>, tool: &str, id: Option<&str>) -> PyResult<(Str, Option<Str>)> {
        let tool = if tool == OWN_TOOL { own_tool(py) } else { self.tool.string(py, tool)? };
        Ok((tool, id.map(|id| self.id.string(py, id)).transpose()?))
    }
}

/// A string that is usually the same as the last time.
#[derive(Default)]
struct Repeated(Option<Str>);

impl Repeated {
    fn string(&mut self, py: Python<'_>, text: &str) -> PyResult<Str> {
        if let Some(last) = &self.0
            && last.bind(py).to_str()? == text
        {
            return Ok(last.clone_ref(py));
        }
        let string = PyString::new(py, text).unbind();
        self.0 = Some(string.clone_ref(py));
        Ok(string)
    }
}
