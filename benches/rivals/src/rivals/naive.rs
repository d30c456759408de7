//! The loop that is written first: each chunk is appended to the message, and all of it is read again.

use super::Reader;
use crate::format::Format;
use crate::message::{Asked, Suggestion};
use crate::sink::Sink;

#[derive(Debug, Default)]
pub(super) struct Naive(String);

/// What there is to be seen of a message.
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
            // All of it is drawn anew; what is open is what is new.
            if let Some(Block::Call { question, is_open: true, .. }) = blocks(&self.0).last() {
                sink.question(question);
            }
        }
        for block in blocks(&self.0) {
            match block {
                Block::Prose(text) => sink.prose(text),
                Block::Call { question, suggestions, .. } => sink.complete(|| Asked {
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
    while let Some((prose, behind)) = rest.split_once("<ask_followup_question>") {
        blocks.push(Block::Prose(prose));
        let (call, behind) = until(behind, "</ask_followup_question>");
        blocks.push(block(call, behind.is_none()));
        rest = behind.unwrap_or_default();
    }
    blocks.push(Block::Prose(rest));
    if rest.is_empty() {
        blocks.pop();
    }
    blocks
}

fn block(call: &str, is_open: bool) -> Block<'_> {
    let question = call.split_once("<question>").map_or("", |(_, behind)| until(behind, "</question>").0);
    let mut suggestions = Vec::new();
    let mut rest = call;
    while let Some((_, behind)) = rest.split_once("<suggest") {
        let Some((attributes, behind)) = behind.split_once('>') else { break };
        let mode = attributes.split_once("mode=\"").and_then(|(_, mode)| mode.strip_suffix('"'));
        let (text, behind) = until(behind, "</suggest>");
        suggestions.push((text, mode));
        rest = behind.unwrap_or_default();
    }
    Block::Call { question, suggestions, is_open }
}

/// What stands before that tag, or all; and what stands behind it.
fn until<'a>(text: &'a str, tag: &str) -> (&'a str, Option<&'a str>) {
    text.split_once(tag).map_or((text, None), |(before, behind)| (before, Some(behind)))
}
