//! How much the slow tests try: see the table of `FOLLOWUP_SWEEP` in docs/testing.md.

use std::env;

/// Returns `full` if `FOLLOWUP_SWEEP` is set, and else a tenth of it.
pub(crate) fn sized(full: usize) -> usize {
    if env::var_os("FOLLOWUP_SWEEP").is_some() { full } else { full / 10 }
}
