//! Fields that are no part of a state.

use core::hash::{Hash, Hasher};

/// A field that no checkpoint holds: any two are equal, and neither the checksum nor serde sees it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Unsaved<T>(pub(crate) T);

impl<T> PartialEq for Unsaved<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T> Eq for Unsaved<T> {}

impl<T> Hash for Unsaved<T> {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}
