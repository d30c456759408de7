//! Panics: each is a bug of this package, and none reaches Python as one.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::PyResult;
use pyo3::exceptions::PyRuntimeError;

/// Runs `work`.
///
/// A panic is a `RuntimeError`; PyO3 would raise an exception that `except Exception` lets through.
///
/// What `work` was changing is in no certain state then. So a mutex guards it, which is poisoned.
#[inline]
pub(crate) fn caught<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        Err(PyRuntimeError::new_err(format!("this is a bug in followup: {}", message(&*panic))))
    })
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("it panicked")
}

/// Panics at the place that the environment variable `FOLLOWUP_PANIC` names.
///
/// Only in a build for the tests of panics.
#[inline]
pub(crate) fn inject(place: &str) {
    if cfg!(feature = "inject-panic") && std::env::var("FOLLOWUP_PANIC").is_ok_and(|name| name == place) {
        panic!("injected: {place}");
    }
}
