//! Room that is only made when it is needed, and then kept.

use alloc::boxed::Box;
use core::ops::{Deref, DerefMut};

/// Something with a value that all of its kind begin with.
pub(crate) trait Fresh: Sized + 'static {
    const FRESH: Self;
    /// The same, to be looked at.
    const SEEN: &'static Self;
}

/// A value on the heap; nothing is there while it is as all of its kind begin, so that what is idle is small.
#[derive(Clone, Debug)]
pub(crate) struct Lazy<T>(Option<Box<T>>);

impl<T> Lazy<T> {
    pub(crate) const NEW: Lazy<T> = Lazy(None);

    /// Whether there is nothing yet.
    pub(crate) fn is_fresh(&self) -> bool {
        self.0.is_none()
    }
}

impl<T: Fresh> Deref for Lazy<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_deref().unwrap_or(T::SEEN)
    }
}

impl<T: Fresh> DerefMut for Lazy<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.get_or_insert_with(|| Box::new(T::FRESH))
    }
}
