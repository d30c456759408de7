//! What is read: a file or a pipe, as the body of a response, and what happens in it.

use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use followup::wire::{self, Format, ResponseParser, UnknownFormat};
use followup::{Event, Policy};

use crate::chunks::{Chunks, Cut};
use crate::error::{Error, say};

/// What is read, and how it arrives.
#[derive(Debug, clap::Args)]
pub(crate) struct Stream {
    /// What to read; `-`, or nothing when something is piped in, is standard input
    pub(crate) file: Option<PathBuf>,

    /// What it is: a message, or what a provider streams
    ///
    /// text is a message as it stands; json the arguments of one native call. The others are the body of one streaming response, as the
    /// provider sends it: server-sent events, JSON lines or a JSON array (of Bedrock, its events as JSON, as its SDKs give them). auto finds out which from
    /// the first event, and says so on standard error.
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "text",
        value_parser = PossibleValuesParser::new(WIRES).map(|name| name.parse::<Source>().unwrap_or_default()),
        help_heading = "Reading"
    )]
    pub(crate) wire: Source,

    /// Feed the parser that many bytes at a time, or pieces of random length: N or random:SEED
    ///
    /// It makes no difference to what comes out, but to when; this is to see it. A SEED, any number, always
    /// gives the same pieces.
    #[arg(long, value_name = "N|random:SEED", help_heading = "Watching")]
    pub(crate) chunk: Option<Cut>,

    /// Wait that many milliseconds between chunks, to watch
    #[arg(long, value_name = "MS", help_heading = "Watching")]
    pub(crate) delay: Option<u64>,
}

/// What is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Known(Format),
    /// That is to be found out.
    Auto,
}

impl Default for Source {
    fn default() -> Source {
        Source::Known(Format::Text)
    }
}

impl FromStr for Source {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Source, UnknownFormat> {
        if name == "auto" { Ok(Source::Auto) } else { name.parse().map(Source::Known) }
    }
}

/// The names of [`Source`], in the order in which `--help` has them.
const WIRES: [&str; 9] =
    ["text", "json", "openai-chat", "openai-responses", "anthropic", "gemini", "bedrock", "ollama", "auto"];

/// When an event came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct When {
    /// How many bytes had been read.
    pub(crate) at: u64,
    /// Whether only the end of the message let it out.
    pub(crate) end: bool,
}

/// What happens in what is read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Happened<'a> {
    /// It was found out what is read.
    Found(Format),
    Event(Event<'a>),
    /// Something went wrong in a provider's stream, which goes on.
    Error(wire::Error<'a>),
    /// A chunk has been read: what came of it is to be seen before the next is waited for.
    Pause,
    /// It is over.
    End,
}

/// Whoever is told what happens.
pub(crate) type Say<'s> = dyn FnMut(Happened<'_>, When) -> Result<(), Error> + 's;

/// What the input was found to be, for people.
pub(crate) fn found(wire: Format) -> String {
    match wire {
        Format::Text => "this is a message as it stands (text)".into(),
        Format::Json => "these are the arguments of a native call (json)".into(),
        wire => format!("this is what {wire} streams"),
    }
}

/// Says what the input was found to be on standard error.
pub(crate) fn say_found(wire: Format) {
    say(found(wire));
}

/// The body of a response as it arrives: takes its chunks, and says what happens in them.
pub(crate) struct Body {
    response: ResponseParser,
    /// It is known what it is.
    found: bool,
    when: When,
}

impl Body {
    pub(crate) fn new(source: Source, policy: Arc<Policy>, limits: wire::Limits) -> Body {
        let response = match source {
            Source::Known(wire) => ResponseParser::new(wire, policy),
            Source::Auto => ResponseParser::auto(policy),
        };
        let response = response.with_limits(limits);
        Body { response, found: source != Source::Auto, when: When { at: 0, end: false } }
    }

    /// Takes the next chunk; `None`: there is no more.
    pub(crate) fn take(&mut self, chunk: Option<&[u8]>, say: &mut Say<'_>) -> Result<(), Error> {
        let mut events = match chunk {
            Some(chunk) => {
                self.when.at += chunk.len() as u64;
                self.response.feed(chunk)
            }
            None => {
                self.when.end = true;
                self.response.finish()
            }
        };
        // Of nothing there is nothing to say.
        if let (false, Some(wire), 1..) = (self.found, events.format(), self.when.at) {
            self.found = true;
            say(Happened::Found(wire), self.when)?;
        }
        while let Some(event) = events.next() {
            say(event.map_or_else(Happened::Error, Happened::Event), self.when)?;
        }
        say(if self.when.end { Happened::End } else { Happened::Pause }, self.when)
    }
}

/// What is read.
pub(crate) struct Input {
    pub(crate) from: Box<dyn Read + Send>,
    /// For people.
    pub(crate) name: String,
    /// How many bytes it has, if that is known.
    pub(crate) length: Option<u64>,
}

impl Input {
    /// What is to be read; `command` is who reads it.
    pub(crate) fn open(file: Option<&Path>, command: &str) -> Result<Input, Error> {
        match file {
            None if io::stdin().is_terminal() => Err(Error::Usage(nothing(command))),
            None => Ok(Input::stdin()),
            Some(path) if path == Path::new("-") => Ok(Input::stdin()),
            Some(path) => match File::open(path) {
                Ok(file) => {
                    let length = file.metadata().ok().filter(|file| file.is_file()).map(|file| file.len());
                    Ok(Input { from: Box::new(file), name: path.display().to_string(), length })
                }
                Err(error) => Err(Error::reading(path, &error)),
            },
        }
    }

    /// Its chunks, as they are to be cut.
    pub(crate) fn chunks(self, args: &Stream) -> Chunks<Box<dyn Read + Send>> {
        let delay = Duration::from_millis(args.delay.unwrap_or(0));
        Chunks::new(self.from, args.chunk.unwrap_or_default(), delay)
    }

    /// Reads it as the body of a response, from its first chunk to its last, and says what happens.
    ///
    /// What had been read before it failed is still worth showing: it is ended all the same, and then fails.
    pub(crate) fn read(
        self,
        args: &Stream,
        policy: Arc<Policy>,
        limits: wire::Limits,
        mut say: impl FnMut(Happened<'_>, When) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let name = self.name.clone();
        let mut chunks = self.chunks(args);
        let mut body = Body::new(args.wire, policy, limits);
        loop {
            let read = chunks.next();
            let chunk = read.as_ref().ok().copied().flatten();
            body.take(chunk, &mut say)?;
            if chunk.is_none() {
                return read.map(|_| ()).map_err(|error| Error::reading(Path::new(&name), &error));
            }
        }
    }

    fn stdin() -> Input {
        Input { from: Box::new(io::stdin()), name: "standard input".into(), length: None }
    }
}

fn nothing(command: &str) -> String {
    // Where answers are typed, messages can't be.
    let typed = match command {
        "ask" => "",
        _ => "  followup parse -              to type a message here, ended with Ctrl-D\n",
    };
    format!(
        "\
nothing to read: name a file, or pipe a message in

  followup {command} message.txt
  cat message.txt | followup {command}
{typed}
`followup {command} --help` has more."
    )
}
