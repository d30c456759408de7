//! What the compiler has the code say before every load and store: that there is one.

use std::sync::atomic::{AtomicU64, Ordering};

static TAKEN: AtomicU64 = AtomicU64::new(0);

/// How many steps the program has taken.
pub(crate) fn taken() -> u64 {
    TAKEN.load(Ordering::Relaxed)
}

/// The functions that LLVM's coverage pass calls, with the address; for each size there is one. (They are not instrumented themselves: their names
/// begin as its own.)
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
