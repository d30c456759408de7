//! The loop that one writes first: append each chunk to the message, and read all of it again.

use super::Reader;
use crate::call::{Call, Suggestion};
use crate::format::Format;
use crate::sink::Sink;

#[derive(Debug, Default)]
pub(super) struct Naive(String);

/// The visible parts of a message.
enum Block<'a> {
    Prose(&'a str),
    Call { question: &'a str, suggestions: Vec<(&'a str, Option<&'a str>)>, is_open: bool },
}

impl Reader for Naive {
    fn name(&self) -> &'static str {
        "find, all again"
    }

    fn format(&self) -> Format {
        Format::Markup
    }

    fn read<S: Sink>(&mut self, chunks: &[&str], sink: &mut S) {
        self.0.clear();
        for chunk in chunks {
            self.0.push_str(chunk);
            // The interface draws all of it again; only the open call has changed.
            if let Some(Block::Call { question, is_open: true, .. }) = blocks(&self.0).last() {
                sink.question(question);
            }
        }
        for block in blocks(&self.0) {
            match block {
                Block::Prose(text) => sink.prose(text),
                Block::Call { question, suggestions, .. } => sink.complete(|| Call {
                    question: question.to_owned(),
                    suggestions: suggestions
                        .into_iter()
                        .map(|(text, mode)| Suggestion { text: text.to_owned(), mode: mode.map(str::to_owned) })
                        .collect(),
                }),
            }
        }
    }
}

fn blocks(mut rest: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    while let Some((prose, after)) = rest.split_once("<ask_followup_question>") {
        blocks.push(Block::Prose(prose));
        let (call, after) = until(after, "</ask_followup_question>");
        blocks.push(block(call, after.is_none()));
        rest = after.unwrap_or_default();
    }
    blocks.push(Block::Prose(rest));
    if rest.is_empty() {
        blocks.pop();
    }
    blocks
}

fn block(call: &str, is_open: bool) -> Block<'_> {
    let question = call.split_once("<question>").map_or("", |(_, after)| until(after, "</question>").0);
    let mut suggestions = Vec::new();
    let mut rest = call;
    while let Some((_, after)) = rest.split_once("<suggest") {
        let Some((attributes, after)) = after.split_once('>') else { break };
        let mode = attributes.split_once("mode=\"").and_then(|(_, mode)| mode.strip_suffix('"'));
        let (text, after) = until(after, "</suggest>");
        suggestions.push((text, mode));
        rest = after.unwrap_or_default();
    }
    Block::Call { question, suggestions, is_open }
}

/// Splits the text at the tag. Without the tag, all text is before it.
fn until<'a>(text: &'a str, tag: &str) -> (&'a str, Option<&'a str>) {
    text.split_once(tag).map_or((text, None), |(before, after)| (before, Some(after)))
}
