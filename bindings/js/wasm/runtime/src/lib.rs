//! What a module has instead of the standard library.
//!
//! A panic is a trap, and nobody can read its message. The standard library formats it all the
//! same. Here the compiler leaves out all that only messages need, which is a tenth of a module.
//! After a trap, JavaScript discards the instance.

#![no_std]

use core::cell::RefCell;
use core::panic::PanicInfo;

#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}

/// A value of the instance.
#[derive(Debug)]
pub struct Shared<T>(RefCell<T>);

// SAFETY: the module has no threads. It is built without atomics, so each has an instance of its
// own.
unsafe impl<T> Sync for Shared<T> {}

impl<T> Shared<T> {
    /// Creates the value.
    pub const fn new(value: T) -> Shared<T> {
        Shared(RefCell::new(value))
    }

    /// Runs a function of the value.
    ///
    /// # Panics
    ///
    /// If that is called by such a function.
    pub fn with<R>(&self, run: impl FnOnce(&mut T) -> R) -> R {
        run(&mut self.0.borrow_mut())
    }
}
