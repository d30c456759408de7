//! The parsers that JavaScript knows by their numbers.

#[cfg(feature = "full")]
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
#[cfg(feature = "full")]
use alloc::vec::Vec;

use followup::{Parser, Policy};

use crate::encode::Output;
use crate::options::Options;

/// A parser.
#[derive(Debug)]
pub(crate) struct Instance {
    parser: Kind,
    /// See [`Output::resumed`].
    #[cfg(feature = "full")]
    resumed: Option<Vec<u64>>,
    /// The format of the body that has ended, until the next one begins.
    #[cfg(feature = "full")]
    ended: Option<followup::wire::Format>,
}

#[derive(Debug)]
enum Kind {
    Text(Parser),
    #[cfg(feature = "full")]
    Response(Box<followup::wire::ResponseParser>),
}

impl Instance {
    /// Creates the parser that the options describe.
    ///
    /// It is in the state of the checkpoint unless that is empty. The policy of the last options is
    /// kept, because to make one costs much more than a parser.
    ///
    /// # Errors
    ///
    /// What is wrong with the options or the checkpoint.
    pub(crate) fn new(
        options: Options<'_>,
        checkpoint: &[u8],
        last: &mut Option<(String, Arc<Policy>)>,
    ) -> Result<Instance, String> {
        let policy = match last {
            Some((text, policy)) if options.text() == text => Arc::clone(policy),
            _ => {
                let policy = Arc::new(options.policy()?);
                *last = Some((options.text().to_string(), Arc::clone(&policy)));
                policy
            }
        };
        let parser = match options.get("format") {
            #[cfg(feature = "full")]
            Some(format) => response(format, options, policy, checkpoint),
            _ => text(options.get("tool"), policy, checkpoint),
        };
        Ok(Instance {
            parser: parser?,
            #[cfg(feature = "full")]
            resumed: (!checkpoint.is_empty()).then(Vec::new),
            #[cfg(feature = "full")]
            ended: None,
        })
    }

    /// Feeds a chunk and writes its events.
    pub(crate) fn feed(&mut self, chunk: &[u8], output: &mut Output) {
        #[cfg(feature = "full")]
        core::mem::swap(&mut self.resumed, &mut output.resumed);
        match &mut self.parser {
            Kind::Text(parser) => {
                let mut events = parser.feed_bytes(chunk);
                while let Some(event) = events.next() {
                    output.event(&event);
                }
            }
            #[cfg(feature = "full")]
            Kind::Response(parser) => {
                self.ended = None;
                parser.feed(chunk).for_each(|event| output.result(event));
            }
        }
        #[cfg(feature = "full")]
        core::mem::swap(&mut self.resumed, &mut output.resumed);
    }

    /// Ends the stream and writes its last events.
    pub(crate) fn finish(&mut self, output: &mut Output) {
        // The next stream begins with its first call.
        #[cfg(feature = "full")]
        {
            self.resumed = None;
        }
        match &mut self.parser {
            Kind::Text(parser) => {
                let mut events = parser.finish();
                while let Some(event) = events.next() {
                    output.event(&event);
                }
            }
            #[cfg(feature = "full")]
            Kind::Response(parser) => {
                let events = parser.finish();
                self.ended = events.format();
                events.for_each(|event| output.result(event));
            }
        }
    }

    /// Returns the state between two chunks, as bytes.
    #[cfg(feature = "full")]
    pub(crate) fn checkpoint(&self) -> Vec<u8> {
        let bytes = match &self.parser {
            Kind::Text(parser) => postcard::to_allocvec(&parser.checkpoint()),
            Kind::Response(parser) => postcard::to_allocvec(&parser.checkpoint()),
        };
        // A state always serializes.
        bytes.unwrap_or_default()
    }

    /// Returns the format of the body, also after its end; an empty name while it is not known.
    #[cfg(feature = "full")]
    pub(crate) fn format(&self) -> &'static str {
        match &self.parser {
            Kind::Text(_) => "",
            Kind::Response(parser) => parser.format().or(self.ended).map_or("", followup::wire::Format::name),
        }
    }
}

fn text(tool: Option<&str>, policy: Arc<Policy>, checkpoint: &[u8]) -> Result<Kind, String> {
    // Also with a checkpoint, which a tool that is none can't have.
    let new = match tool {
        None => Parser::new(Arc::clone(&policy)),
        Some(tool) => Parser::arguments_of(tool, Arc::clone(&policy))
            .ok_or_else(|| format!("tool: no shape reads the tool {tool}"))?,
    };
    if checkpoint.is_empty() {
        return Ok(Kind::Text(new));
    }
    resume(policy, checkpoint, tool.is_some()).map(Kind::Text)
}

#[cfg(feature = "full")]
fn response(format: &str, options: Options<'_>, policy: Arc<Policy>, checkpoint: &[u8]) -> Result<Kind, String> {
    use followup::wire::{Limits, ResponseParser};

    let limits = Limits::default();
    let limits = limits
        .with_event(options.number("limits.event", limits.event)?)
        .with_open_calls(options.number("limits.openCalls", limits.open_calls)?)
        .with_arguments(options.number("limits.arguments", limits.arguments)?);
    if !checkpoint.is_empty() {
        let (stored, rest) = stored(checkpoint)?;
        let parser = ResponseParser::resume(policy, limits, stored).map_err(|error| error.to_string())?;
        nothing_follows(rest)?;
        return Ok(Kind::Response(Box::new(parser)));
    }
    let parser = match format {
        "auto" => ResponseParser::auto(policy),
        name => ResponseParser::new(name.parse().map_err(|error| format!("format: {error}"))?, policy),
    };
    Ok(Kind::Response(Box::new(parser.with_limits(limits).with_reasoning(options.has("reasoning")))))
}

#[cfg(feature = "full")]
fn resume(policy: Arc<Policy>, checkpoint: &[u8], is_arguments: bool) -> Result<Parser, String> {
    let (stored, rest) = stored(checkpoint)?;
    let parser = Parser::resume(policy, stored).map_err(|error| error.to_string())?;
    nothing_follows(rest)?;
    // The checkpoint decides which kind of parser it becomes, not the class.
    if parser.is_arguments() == is_arguments { Ok(parser) } else { Err(NO_CHECKPOINT.into()) }
}

#[cfg(not(feature = "full"))]
fn resume(_: Arc<Policy>, _: &[u8], _: bool) -> Result<Parser, String> {
    Err("followup/core has no checkpoints: import from followup".into())
}

#[cfg(feature = "full")]
const NO_CHECKPOINT: &str = "the bytes are no checkpoint";

#[cfg(feature = "full")]
fn stored<'a, T: serde::Deserialize<'a>>(checkpoint: &'a [u8]) -> Result<(T, &'a [u8]), String> {
    postcard::take_from_bytes(checkpoint).map_err(|_| NO_CHECKPOINT.into())
}

/// Fails if something follows a checkpoint.
///
/// In one of another version that is the state, which can't be read.
#[cfg(feature = "full")]
fn nothing_follows(rest: &[u8]) -> Result<(), String> {
    if rest.is_empty() { Ok(()) } else { Err(NO_CHECKPOINT.into()) }
}
