//! `quick-xml`: parses complete XML.
//!
//! Prose is searched for the opening tag. From there the call is buffered, and parsed again from
//! its start with each chunk until it is complete.

use memchr::{memchr, memmem, memrchr};
use quick_xml::Reader as Xml;
use quick_xml::events::Event;

use super::Reader;
use crate::call::{Call, Suggestion};
use crate::format::Format;
use crate::sink::Sink;

const OPEN: &str = "<ask_followup_question>";

#[derive(Debug, Default)]
pub(super) struct QuickXml {
    /// The open call, or the end of the prose if it is a prefix of the opening tag.
    pending: String,
    open: Call,
}

impl Reader for QuickXml {
    fn name(&self) -> &'static str {
        "quick-xml"
    }

    fn format(&self) -> Format {
        Format::Markup
    }

    fn read<S: Sink>(&mut self, chunks: &[&str], sink: &mut S) {
        self.pending.clear();
        let mut is_open = false;
        for chunk in chunks {
            // Most chunks are prose without a tag, and need no buffer.
            if self.pending.is_empty() && memchr(b'<', chunk.as_bytes()).is_none() {
                sink.prose(chunk);
                continue;
            }
            self.pending.push_str(chunk);
            let mut at = 0;
            loop {
                let rest = &self.pending[at..];
                if !is_open {
                    let start = memmem::find(rest.as_bytes(), OPEN.as_bytes());
                    let prose = start.unwrap_or_else(|| rest.len() - prefix_len(rest));
                    if prose > 0 {
                        sink.prose(&rest[..prose]);
                    }
                    at += prose;
                    if start.is_none() {
                        break;
                    }
                    is_open = true;
                } else if let Some(len) = read_call(rest, &mut self.open) {
                    sink.complete(|| self.open.clone());
                    at += len;
                    is_open = false;
                } else {
                    sink.question(&self.open.question);
                    break;
                }
            }
            self.pending.drain(..at);
        }
        if !self.pending.is_empty() {
            sink.prose(&self.pending);
        }
    }
}

/// Returns the length of the longest end of the text that is a prefix of the opening tag.
fn prefix_len(text: &str) -> usize {
    let end = text.as_bytes().split_at(text.len().saturating_sub(OPEN.len() - 1)).1;
    match memrchr(b'<', end) {
        Some(at) if OPEN.as_bytes().starts_with(&end[at..]) => end.len() - at,
        _ => 0,
    }
}

/// The innermost element that text belongs to.
#[derive(Clone, Copy)]
enum Element {
    Call,
    Question,
    Suggestion,
}

/// Reads as much of a call as there is. Returns its length if it is complete.
fn read_call(text: &str, call: &mut Call) -> Option<usize> {
    call.question.clear();
    call.suggestions.clear();
    let mut xml = Xml::from_str(text);
    let mut element = Element::Call;
    loop {
        // An error is an incomplete tag.
        match xml.read_event().ok()? {
            Event::Start(tag) => match tag.name().0 {
                "question" => element = Element::Question,
                "suggest" => {
                    let mode = tag.try_get_attribute("mode").ok().flatten();
                    let mode = mode.map(|mode| mode.value.into_owned());
                    call.suggestions.push(Suggestion { text: String::new(), mode });
                    element = Element::Suggestion;
                }
                _ => {}
            },
            Event::Text(text) => match element {
                Element::Call => {}
                Element::Question => call.question.push_str(&text),
                Element::Suggestion => {
                    if let Some(last) = call.suggestions.last_mut() {
                        last.text.push_str(&text);
                    }
                }
            },
            Event::End(tag) if tag.name().0 == "ask_followup_question" => {
                return usize::try_from(xml.buffer_position()).ok();
            }
            Event::End(_) => element = Element::Call,
            Event::Eof => return None,
            _ => {}
        }
    }
}
