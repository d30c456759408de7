//! What helps to test and to measure a program that reads streams: the feature `testing`.
//!
//! The project's own benches and its program use it, so that all figures speak of the same messages.

pub mod workloads;

/// A message in pieces of that many bytes, as a stream might bring it; where that would cut a character, the piece is
/// longer by its rest. The last piece may be shorter. Pieces of 0 bytes are taken for pieces of 1.
///
/// ```
/// use followup::testing::pieces;
///
/// assert_eq!(pieces("ab über", 2).collect::<Vec<_>>(), ["ab", " ü", "be", "r"]);
/// assert_eq!(pieces("whole", usize::MAX).collect::<Vec<_>>(), ["whole"]);
/// assert_eq!(pieces("", 4).next(), None);
/// ```
pub fn pieces(message: &str, size: usize) -> impl Iterator<Item = &str> {
    let mut rest = message;
    core::iter::from_fn(move || {
        let len = rest.ceil_char_boundary(size.clamp(1, rest.len().max(1)));
        let (piece, behind) = rest.split_at_checked(len)?;
        rest = behind;
        (!piece.is_empty()).then_some(piece)
    })
}
