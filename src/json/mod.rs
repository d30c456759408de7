//! JSON where a call holds some.

mod grammar;
pub(crate) mod list;
