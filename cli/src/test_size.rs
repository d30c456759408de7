//! How much the slow tests try: see the table of `FOLLOWUP_SWEEP` in docs/testing.md.

use std::env;

/// Returns `true` if `FOLLOWUP_SWEEP` is not set: then a test tries as much as takes a few seconds.
pub(crate) fn is_short() -> bool {
    env::var_os("FOLLOWUP_SWEEP").is_none()
}

/// Returns a fiftieth of `full` if the tests are to be short.
pub(crate) fn sized(full: usize) -> usize {
    if is_short() { full / 50 } else { full }
}
