//! The input of a command: a file or a pipe, its format, and how it is cut into chunks.

use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use followup::{Policy, wire};
use followup_testing::Chunking;

use crate::chunks::Chunks;
use crate::error::Error;
use crate::events::{BodyReader, EmittedAt, InputEvent};
use crate::input_format::InputFormat;

/// The options that say what is read, and how it arrives.
#[derive(Debug, clap::Args)]
pub(crate) struct InputArgs {
    /// The file to read; `-`, or no file when something is piped in, is standard input
    pub(crate) file: Option<PathBuf>,

    /// The format: a message, or what a provider streams
    ///
    /// text is a message as plain text; json is the arguments of one native call. The others are
    /// the body of one streaming response, as the provider sends it: server-sent events, JSON lines
    /// or a JSON array (for Bedrock, its binary frames, or its events as JSON lines). auto detects
    /// the format from the first event, and reports it on standard error.
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "text",
        value_parser = PossibleValuesParser::new(InputFormat::names()).map(|name| name.parse::<InputFormat>().unwrap_or_default()),
        help_heading = "Reading"
    )]
    pub(crate) wire: InputFormat,

    /// Also find questions in the model's reasoning (with --wire)
    ///
    /// Some models write their calls there. The text of the reasoning is not printed. A question in
    /// it is complete at the end of the body, and rejected if the response asks in any other way.
    #[arg(long, help_heading = "Reading")]
    pub(crate) reasoning: bool,

    /// Feed the parser chunks of this many bytes, or of random length: N or random:SEED
    ///
    /// The chunks change when events are emitted, but not what they add up to; this option shows
    /// it. The same SEED, any number, always gives the same chunks.
    #[arg(long, value_name = "N|random:SEED", help_heading = "Watching")]
    pub(crate) chunk: Option<Chunking>,

    /// Wait this many milliseconds between chunks, to watch
    ///
    /// Without --chunk, a named file comes in chunks of 4 bytes, and standard input as it arrives.
    #[arg(long, value_name = "MS", value_parser = milliseconds, help_heading = "Watching")]
    pub(crate) delay: Option<u64>,
}

impl InputArgs {
    /// Fails if an option would have no effect on input of this format.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.reasoning && !self.wire.is_of_provider() {
            return Err(Error::Usage(needs_provider("--reasoning")));
        }
        Ok(())
    }
}

/// Returns the error for an option that is about what a provider streams.
pub(crate) fn needs_provider(option: &str) -> String {
    format!("{option} is about what a provider streams: give its format with --wire, such as --wire auto")
}

/// The length of the chunks of a file that is watched, as in `followup serve --demo`.
const WATCHED_CHUNK: usize = 4;

/// The input of a command.
pub(crate) struct Input {
    pub(crate) reader: Box<dyn Read + Send>,
    /// The name shown to people.
    pub(crate) name: String,
    /// The length in bytes; `None` if unknown.
    pub(crate) length: Option<u64>,
}

impl Input {
    /// Opens the file, or standard input. `command` is the subcommand, for the error message.
    pub(crate) fn open(file: Option<&Path>, command: &str) -> Result<Input, Error> {
        match file {
            None if io::stdin().is_terminal() => Err(Error::Usage(nothing_to_read(command))),
            None => Ok(Input::stdin()),
            Some(path) if path == Path::new("-") => Ok(Input::stdin()),
            Some(path) => match File::open(path) {
                // Some systems open a folder, and only fail to read it.
                Ok(file) if file.metadata().is_ok_and(|file| file.is_dir()) => {
                    Err(Error::reading(path, &io::ErrorKind::IsADirectory.into()))
                }
                Ok(file) => {
                    let length = file.metadata().ok().filter(|file| file.is_file()).map(|file| file.len());
                    Ok(Input { reader: Box::new(file), name: path.display().to_string(), length })
                }
                Err(error) => Err(Error::reading(path, &error)),
            },
        }
    }

    /// Cuts the input into chunks, as the options say.
    pub(crate) fn chunks(self, args: &InputArgs) -> Chunks<Box<dyn Read + Send>> {
        let delay = Duration::from_millis(args.delay.unwrap_or(0));
        // A file arrives at once: there would be nothing to watch.
        let is_file = self.length.is_some();
        let watched = if is_file && !delay.is_zero() { Chunking::Every(WATCHED_CHUNK) } else { Chunking::AsItArrives };
        Chunks::new(self.reader, args.chunk.unwrap_or(watched), delay)
    }

    /// Reads the input as the body of a response, from its first chunk to its last.
    ///
    /// # Errors
    ///
    /// If reading fails, the body is ended first, so that the handler still gets all events of what
    /// was read.
    pub(crate) fn read(
        self,
        args: &InputArgs,
        policy: Arc<Policy>,
        limits: wire::Limits,
        mut handler: impl FnMut(InputEvent<'_>, EmittedAt) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let name = self.name.clone();
        let mut chunks = self.chunks(args);
        let mut body = BodyReader::new(args.wire, policy, limits).with_reasoning(args.reasoning);
        loop {
            let read = chunks.next();
            let chunk = read.as_ref().ok().copied().flatten();
            body.feed(chunk, &mut handler)?;
            if chunk.is_none() {
                return read.map(|_| ()).map_err(|error| Error::reading(Path::new(&name), &error));
            }
        }
    }

    fn stdin() -> Input {
        Input { reader: Box::new(io::stdin()), name: "standard input".into(), length: None }
    }
}

fn milliseconds(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{text:?} is not a whole number of milliseconds"))
}

fn nothing_to_read(command: &str) -> String {
    // Where answers are typed, messages can't be typed too.
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
