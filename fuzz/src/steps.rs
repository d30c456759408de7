//! A counter of loads and stores, which the compiler calls before each.

use std::sync::atomic::{AtomicU64, Ordering};

static TAKEN: AtomicU64 = AtomicU64::new(0);

/// Returns how many steps the program has taken.
pub(crate) fn taken() -> u64 {
    TAKEN.load(Ordering::Relaxed)
}

/// Defines the functions that LLVM's coverage pass calls with an address, one for each size.
///
/// They are not instrumented themselves, because their names begin with `__sanitizer_`.
macro_rules! steps {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        extern "C" fn $name(_: *const u8) {
            TAKEN.fetch_add(1, Ordering::Relaxed);
        }
    )*};
}

steps! {
    __sanitizer_cov_load1 __sanitizer_cov_load2 __sanitizer_cov_load4 __sanitizer_cov_load8 __sanitizer_cov_load16
    __sanitizer_cov_store1 __sanitizer_cov_store2 __sanitizer_cov_store4 __sanitizer_cov_store8 __sanitizer_cov_store16
}
