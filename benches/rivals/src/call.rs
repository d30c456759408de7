//! The parts of a message, independent of the format they are written in.

use serde_json::Value;

/// A question and its suggested answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) question: String,
    pub(crate) suggestions: Vec<Suggestion>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Suggestion {
    pub(crate) text: String,
    pub(crate) mode: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) enum Part {
    Prose(String),
    Call(Call),
}

impl Call {
    /// Reads a call from its arguments.
    ///
    /// A missing or mistyped value is read as empty, so that the call differs from the expected
    /// one.
    pub(crate) fn from_arguments(arguments: &Value) -> Call {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let suggestions = arguments["follow_up"].as_array().into_iter().flatten();
        Call {
            question: text(&arguments["question"]),
            suggestions: suggestions
                .map(|one| Suggestion { text: text(&one["text"]), mode: one["mode"].as_str().map(str::to_owned) })
                .collect(),
        }
    }

    /// Reads the first question of a form from its arguments.
    ///
    /// As [`from_arguments`](Call::from_arguments) does.
    pub(crate) fn from_form(arguments: &Value) -> Call {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let question = &arguments["questions"][0];
        let options = question["options"].as_array().into_iter().flatten();
        Call {
            question: text(&question["question"]),
            suggestions: options.map(|one| Suggestion { text: text(&one["label"]), mode: None }).collect(),
        }
    }

    pub(crate) fn from_json(arguments: &str) -> Call {
        Call::from_arguments(&serde_json::from_str(arguments).unwrap_or_default())
    }
}
