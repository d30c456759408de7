//! Memory that is allocated when it is first changed, and then kept.

use alloc::boxed::Box;
use core::ops::{Deref, DerefMut};

/// A type with a constant initial value.
pub(crate) trait Fresh: Sized + 'static {
    const FRESH: Self;
    /// The same value, to be borrowed.
    const SEEN: &'static Self;
}

/// A value on the heap, which is allocated at the first mutable access.
///
/// Until then it reads as [`Fresh::FRESH`], so that an idle parser is small.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Lazy<T>(Option<Box<T>>);

impl<T> Lazy<T> {
    pub(crate) const NEW: Lazy<T> = Lazy(None);

    /// Returns `true` if nothing is allocated yet.
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
