//! Buffers whose capacity is bounded by a limit.

use alloc::vec::Vec;

/// Appends bytes to a buffer that will have at most `most`.
///
/// It doubles its capacity as usual, but not beyond that: else a buffer at its limit would have up
/// to twice the memory.
pub(super) fn append(buffer: &mut Vec<u8>, bytes: &[u8], most: usize) {
    let needed = buffer.len() + bytes.len();
    if needed > buffer.capacity() {
        let capacity = needed.max(buffer.capacity().saturating_mul(2).min(most));
        buffer.reserve_exact(capacity - buffer.len());
    }
    buffer.extend_from_slice(bytes);
}
