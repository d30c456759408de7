//! `quick-xml`: reads XML that is there. Prose is searched for the opening tag; from there on the call is kept, and read again from its
//! start with each chunk, until its end is there.

use memchr::{memchr, memmem, memrchr};
use quick_xml::Reader as Xml;
use quick_xml::events::Event;

use super::Reader;
use crate::format::Format;
use crate::message::{Asked, Suggestion};
use crate::sink::Sink;

const OPEN: &str = "<ask_followup_question>";

#[derive(Debug, Default)]
pub(super) struct QuickXml {
    /// The open call; or what prose ends in, if that may become the opening tag.
    held: String,
    open: Asked,
}

impl Reader for QuickXml {
    fn name(&self) -> &'static str {
        "quick-xml"
    }

    fn format(&self) -> Format {
        Format::Markup
    }

    fn read<S: Sink>(&mut self, chunks: &[&str], sink: &mut S) {
        self.held.clear();
        let mut is_open = false;
        for chunk in chunks {
            // The most of all chunks, and nothing has to be kept of them.
            if self.held.is_empty() && memchr(b'<', chunk.as_bytes()).is_none() {
                sink.prose(chunk);
                continue;
            }
            self.held.push_str(chunk);
            let mut at = 0;
            loop {
                let rest = &self.held[at..];
                if !is_open {
                    let start = memmem::find(rest.as_bytes(), OPEN.as_bytes());
                    let prose = start.unwrap_or_else(|| rest.len() - may_begin(rest));
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
            self.held.drain(..at);
        }
        if !self.held.is_empty() {
            sink.prose(&self.held);
        }
    }
}

/// How many bytes at the end may be the beginning of the opening tag.
fn may_begin(text: &str) -> usize {
    let end = text.as_bytes().split_at(text.len().saturating_sub(OPEN.len() - 1)).1;
    match memrchr(b'<', end) {
        Some(at) if OPEN.as_bytes().starts_with(&end[at..]) => end.len() - at,
        _ => 0,
    }
}

#[derive(Clone, Copy)]
enum Place {
    Call,
    Question,
    Suggestion,
}

/// Reads a call from its start, as far as it is there; and says how long it is, if it is all there.
fn read_call(text: &str, call: &mut Asked) -> Option<usize> {
    call.question.clear();
    call.suggestions.clear();
    let mut xml = Xml::from_str(text);
    let mut place = Place::Call;
    loop {
        // An error is a tag that is not all there yet.
        match xml.read_event().ok()? {
            Event::Start(tag) => match tag.name().0 {
                "question" => place = Place::Question,
                "suggest" => {
                    let mode = tag.try_get_attribute("mode").ok().flatten();
                    let mode = mode.map(|mode| mode.value.into_owned());
                    call.suggestions.push(Suggestion { text: String::new(), mode });
                    place = Place::Suggestion;
                }
                _ => {}
            },
            Event::Text(text) => match place {
                Place::Call => {}
                Place::Question => call.question.push_str(&text),
                Place::Suggestion => {
                    if let Some(last) = call.suggestions.last_mut() {
                        last.text.push_str(&text);
                    }
                }
            },
            Event::End(tag) if tag.name().0 == "ask_followup_question" => {
                return usize::try_from(xml.buffer_position()).ok();
            }
            Event::End(_) => place = Place::Call,
            Event::Eof => return None,
            _ => {}
        }
    }
}
