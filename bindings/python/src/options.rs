//! Options from keyword arguments: how a stream is read.

use std::sync::{Arc, LazyLock};

use followup::{CallStart, Entities, Envelope, Envelopes, Limits, Malformed, Policy, Shape, Shapes, Tools, wire};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyInt, PyMapping, PyString};

use crate::panics::inject;

/// The policy without options. To build it takes longer than all else that a new parser needs.
static DEFAULT: LazyLock<Arc<Policy>> = LazyLock::new(Arc::default);

/// The largest limit.
const MAX_LIMIT: usize = 1 << 31;

/// What options are for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A message, or the arguments of a call.
    Message,
    /// The body of a provider's response.
    Response,
}

/// The options of a parser.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) policy: Arc<Policy>,
    /// Of a response: whether calls are read in the model's reasoning as well.
    pub(crate) reasoning: bool,
    /// Of a response: the limits of the stream.
    pub(crate) limits: wire::Limits,
}

impl Options {
    /// Reads the options.
    ///
    /// # Errors
    ///
    /// A `TypeError` for an option that does not exist or has another type, a `ValueError` for a
    /// value without a meaning, an `OSError` for a file of a shape that can't be read.
    pub(crate) fn read(keywords: Option<&Bound<'_, PyDict>>, kind: Kind) -> PyResult<Options> {
        inject("options");
        let mut options = Options { policy: DEFAULT.clone(), reasoning: false, limits: wire::Limits::default() };
        let Some(keywords) = keywords else { return Ok(options) };
        let mut policy = Policy::clone(&DEFAULT);
        let (mut tools, mut parameters) = (None, None);
        for (key, value) in keywords {
            let key: String = key.extract()?;
            policy = match &*key {
                "strict" if flag(&value, &key)? => policy.with_malformed(Malformed::Reject),
                "outside_code" if flag(&value, &key)? => policy.with_call_start(CallStart::OutsideCode),
                "decode_entities" if flag(&value, &key)? => policy.with_entities(Entities::Decoded),
                "strict" | "outside_code" | "decode_entities" => policy,
                "reasoning" if kind == Kind::Response => {
                    options.reasoning = flag(&value, &key)?;
                    policy
                }
                _ if value.is_none() && NULLABLE.contains(&&*key) => policy,
                "envelopes" => policy.with_envelopes(envelopes(&value)?),
                "shapes" => policy.with_shapes(shapes(&value)?),
                "limits" => {
                    let (limits, stream) = limits(&value, kind)?;
                    options.limits = stream;
                    policy.with_limits(limits)
                }
                "tools" => {
                    tools = Some(strings(&value, &key)?);
                    policy
                }
                "parameters" => {
                    parameters = Some(strings(&value, &key)?);
                    policy
                }
                _ => return Err(no_option(&key, kind)),
            };
        }
        if parameters.is_some() && tools.is_none() {
            // Without tools, even the usual ones would be unknown.
            return Err(PyValueError::new_err("parameters: they are those of tools, which are not given"));
        }
        if let Some(tools) = tools {
            let tools = Tools::new(tools, parameters.unwrap_or_default());
            let tools = tools.map_err(|error| PyValueError::new_err(format!("tools: {error}")))?;
            policy = policy.with_tools(tools);
        }
        options.policy = Arc::new(policy);
        Ok(options)
    }
}

/// The options that may be `None`, which is their default.
const NULLABLE: [&str; 5] = ["envelopes", "shapes", "limits", "tools", "parameters"];

fn no_option(key: &str, kind: Kind) -> PyErr {
    let of_response = if kind == Kind::Response { ", reasoning" } else { "" };
    PyTypeError::new_err(format!(
        "{key} is no option; there are: strict, outside_code, decode_entities, {}{of_response}",
        NULLABLE.join(", ")
    ))
}

/// Returns a text.
pub(crate) fn text<'a>(name: &str, value: &'a Bound<'_, PyAny>) -> PyResult<&'a str> {
    value.cast::<PyString>().map_err(|_| wrong_type(name, "a str", value))?.to_str()
}

/// Returns the error for a value of a type that was not expected.
pub(crate) fn wrong_type(what: &str, expected: &str, value: &Bound<'_, PyAny>) -> PyErr {
    match value.get_type().name() {
        Ok(name) => PyTypeError::new_err(format!("{what}: {expected} was expected, not {name}")),
        Err(error) => error,
    }
}

/// Returns the error for a number that is not from `least` to `most`.
pub(crate) fn wrong_number(what: &str, least: u64, most: u64, value: &Bound<'_, PyAny>) -> PyErr {
    // Python converts no number of more than 4300 digits.
    let value = value.str().map_or_else(|_| "a larger one".to_owned(), |text| text.to_string());
    PyValueError::new_err(format!("{what}a number from {least} to {most} was expected, not {value}"))
}

fn flag(value: &Bound<'_, PyAny>, name: &str) -> PyResult<bool> {
    value.cast::<PyBool>().map(|flag| flag.is_true()).map_err(|_| wrong_type(name, "a bool", value))
}

/// Returns the elements of an iterable that is no string.
fn elements<'py>(value: &Bound<'py, PyAny>, name: &str) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let is_string = value.is_instance_of::<PyString>() || value.is_instance_of::<PyBytes>();
    if is_string || !value.hasattr(intern!(value.py(), "__iter__"))? {
        return Err(wrong_type(name, "an iterable of strings", value));
    }
    value.try_iter()?.collect()
}

fn strings(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<String>> {
    let string = |one: Bound<'_, PyAny>| match one.cast::<PyString>() {
        Ok(text) => Ok(text.to_str()?.to_owned()),
        Err(_) => Err(wrong_type(name, "an iterable of strings", &one)),
    };
    elements(value, name)?.into_iter().map(string).collect()
}

fn envelopes(value: &Bound<'_, PyAny>) -> PyResult<Envelopes> {
    strings(value, "envelopes")?.iter().try_fold(Envelopes::none(), |read, name| match &**name {
        "default" => Ok(Envelopes::default().iter().fold(read, Envelopes::with)),
        "all" => Ok(Envelopes::all()),
        name => match name.parse::<Envelope>() {
            Ok(family) => Ok(read.with(family)),
            Err(error) => Err(PyValueError::new_err(format!("envelopes: {name}: {error}"))),
        },
    })
}

fn shapes(value: &Bound<'_, PyAny>) -> PyResult<Shapes> {
    let shapes = elements(value, "shapes")?.iter().map(shape).collect::<PyResult<Vec<_>>>()?;
    Ok(Shapes::new(shapes))
}

/// Returns the shape in a file, the shape that a text is, or the built-in shape of that name.
fn shape(value: &Bound<'_, PyAny>) -> PyResult<Shape> {
    let py = value.py();
    if value.hasattr(intern!(py, "__fspath__"))? {
        let path: std::path::PathBuf = value.extract()?;
        let text = std::fs::read_to_string(&path)?;
        return Shape::parse(text)
            .map_err(|error| PyValueError::new_err(format!("shapes: {}: {error}", path.display())));
    }
    let Ok(text) = value.cast::<PyString>() else {
        return Err(wrong_type("shapes", "an iterable of strings and paths", value));
    };
    let text = text.to_str()?;
    if text.contains(char::is_whitespace) {
        return Shape::parse(text).map_err(|error| PyValueError::new_err(format!("shapes: {error}")));
    }
    Shape::built_in(text).ok_or_else(|| {
        let names: Vec<&str> = Shape::built_in_names().collect();
        PyValueError::new_err(format!("shapes: there is no built-in shape {text}; there are: {}", names.join(", ")))
    })
}

fn limits(value: &Bound<'_, PyAny>, kind: Kind) -> PyResult<(Limits, wire::Limits)> {
    let Ok(map) = value.cast::<PyMapping>() else {
        return Err(wrong_type("limits", "a mapping of names to numbers", value));
    };
    let (mut limits, mut stream) = (Limits::default(), wire::Limits::default());
    for pair in map.items()? {
        let (name, value): (String, Bound<'_, PyAny>) = pair.extract()?;
        let limit = whole(&value, &name)?;
        match &*name {
            "question" => limits.question = limit,
            "answer" => limits.answer = limit,
            "suggestions" => limits.suggestions = limit,
            "tag" => limits.tag = limit,
            "unconfirmed" => limits.unconfirmed = limit,
            "questions" => limits.questions = limit,
            "header" => limits.header = limit,
            "description" => limits.description = limit,
            "texts" => limits.texts = limit,
            "event" if kind == Kind::Response => stream = stream.with_event(limit),
            "open_calls" if kind == Kind::Response => stream = stream.with_open_calls(limit),
            "arguments" if kind == Kind::Response => stream = stream.with_arguments(limit),
            _ => return Err(no_limit(&name, kind)),
        }
    }
    Ok((limits, stream))
}

fn no_limit(name: &str, kind: Kind) -> PyErr {
    let of_response = if kind == Kind::Response { ", event, open_calls, arguments" } else { "" };
    PyTypeError::new_err(format!(
        "limits: {name} is no limit; there are: question, answer, suggestions, tag, unconfirmed, questions, header, \
         description, texts{of_response}"
    ))
}

fn whole(value: &Bound<'_, PyAny>, name: &str) -> PyResult<usize> {
    if !value.is_instance_of::<PyInt>() || value.is_instance_of::<PyBool>() {
        return Err(wrong_type(&format!("limits: {name}"), "a whole number", value));
    }
    let limit = value.extract().ok().filter(|&limit| limit <= MAX_LIMIT);
    limit.ok_or_else(|| wrong_number(&format!("limits: {name}: "), 0, MAX_LIMIT as u64, value))
}
