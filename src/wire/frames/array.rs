//! One JSON array, whose elements are the payloads.

use alloc::vec::Vec;

use super::{Frame, Frames, Framing, append, frame};
use crate::wire::elements::{ElementByte, ElementScanner, begins_with_key, first_key};

/// The current element of an array.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct ArrayElement {
    scanner: ElementScanner,
    /// The element is longer than the limit, and is skipped to its end.
    too_long: bool,
    /// The first key of an element that never ended, so that others with that key were in it.
    key: Option<Vec<u8>>,
}

impl ArrayElement {
    /// Returns the payload that the end of the body completes.
    pub(super) fn finish<'b>(&self, buffer: &'b [u8]) -> Option<Frame<'b>> {
        element_frame(buffer, self.too_long)
    }

    pub(super) fn is_in_bounds(&self, limit: usize) -> bool {
        self.scanner.is_in_bounds() && self.key.as_ref().is_none_or(|key| key.len() <= limit)
    }

    /// Prepares for the next element.
    pub(super) fn clear(&mut self) {
        self.too_long = false;
    }
}

impl Frames {
    /// Consumes the chunk up to the end of the next element.
    pub(super) fn next_element<'f, 'c: 'f>(&'f mut self, chunk: &mut &'c [u8]) -> Option<Frame<'f>> {
        let Framing::Array(element) = &mut self.framing else { return None };
        while !chunk.is_empty() {
            let bytes = *chunk;
            let (mut start, mut end, mut is_complete) = (0, 0, false);
            while end < bytes.len() && !is_complete {
                let begins_another = bytes[end] == b'{'
                    && element.scanner.is_after_comma_in_list()
                    && element.key.as_ref().is_some_and(|key| begins_with_key(&bytes[end..], key));
                let byte = if begins_another { element.scanner.break_off() } else { element.scanner.push(bytes[end]) };
                is_complete = matches!(byte, ElementByte::Last | ElementByte::After);
                end += usize::from(byte != ElementByte::After);
                if byte == ElementByte::Between {
                    start = end;
                }
            }
            let part = &bytes[start..end];
            *chunk = &bytes[end..];
            let fits = !element.too_long && self.buffer.len() + part.len() <= self.limit;
            if is_complete && self.buffer.is_empty() && fits {
                match element_frame(part, false) {
                    Some(frame) => return Some(frame),
                    None => continue,
                }
            }
            element.too_long = !fits;
            if fits {
                append(&mut self.buffer, part, self.limit);
            } else {
                self.buffer.clear();
            }
            if is_complete && !element.too_long && element_frame(&self.buffer, false).is_none() {
                self.buffer.clear();
            } else if is_complete {
                self.lent = true;
                return frame(&self.buffer, element.too_long);
            }
        }
        None
    }

    /// Returns the element that the end of the body cuts off, to be read again as several.
    ///
    /// A bracket that is missing in an element of an array hides the elements after it. It shows
    /// only at the end, and then every object with the same first key begins an element.
    pub(super) fn take_cut_element(&mut self) -> Option<Vec<u8>> {
        let Framing::Array(element) = &mut self.framing else { return None };
        if element.too_long || element.key.is_some() || self.lent {
            return None;
        }
        element.key = Some(first_key(&self.buffer)?);
        element.scanner = ElementScanner::default();
        Some(core::mem::take(&mut self.buffer))
    }
}

/// Returns the frame of an element of an array; `None` for `null`, which means nothing.
fn element_frame(element: &[u8], too_long: bool) -> Option<Frame<'_>> {
    frame(element, too_long).filter(|frame| *frame != Frame::Payload(b"null"))
}
