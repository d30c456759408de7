//! The command line, as clap reads it and `--help` shows it.

use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};
use followup::wire::{UnknownWire, Wire};

use crate::chunks::Cut;
use crate::reading::Reading;

const EXAMPLES: &str = "\
Examples:
  followup parse message.txt                 show a message and the question in it
  my-agent | followup parse                  watch the question while the model writes it
  followup parse --json message.txt          one event a line, for programs
  followup parse --records turns.jsonl       many messages, one JSON object a line
  followup parse --wire auto response.sse    what a provider streamed

`followup help parse` has the rest.";

/// Shows the follow-up questions in what a language model writes, while it is still writing.
///
/// A model asks its user by calling a tool, `ask_followup_question`, with a question and suggested answers: written as markup in its
/// message, or natively. This program finds those calls as the message streams in.
#[derive(Debug, Parser)]
// Wide enough for what is laid out by hand below.
#[command(name = "followup", version, after_help = EXAMPLES, max_term_width = 90)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Parse(Parse),
}

/// What is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Known(Wire),
    /// That is to be found out.
    Auto,
}

impl Default for Source {
    fn default() -> Source {
        Source::Known(Wire::Text)
    }
}

impl FromStr for Source {
    type Err = UnknownWire;

    fn from_str(name: &str) -> Result<Source, UnknownWire> {
        if name == "auto" { Ok(Source::Auto) } else { name.parse().map(Source::Known) }
    }
}

/// The names of [`Source`], in the order in which `--help` has them.
const WIRES: [&str; 9] =
    ["text", "json", "openai-chat", "openai-responses", "anthropic", "gemini", "bedrock", "ollama", "auto"];

const PARSE_HELP: &str = "\
Examples:
  followup parse message.txt
      The prose, and each question with its suggestions.
  my-agent | followup parse
      The same, growing as it arrives.
  followup parse --chunk 3 --delay 30 message.txt
      A recorded message as if a model were writing it.
  followup parse --json message.txt | jq 'select(.event == \"complete\")'
      The questions that may be asked, for a program.
  curl -sN https://… | followup parse --wire auto
      What a provider streams, whichever it is: text, and native calls.
  followup parse --wire auto --chunk 90 --delay 20 response.sse
      A recorded response as if it were arriving.
  followup parse --records turns.jsonl > whole
  followup parse --records --chunk 1 turns.jsonl | diff whole -
      Nothing: how a message is cut makes no difference.

The events of --json, one a line:
  {\"event\":\"text\",\"text\":S}
      Prose.
  {\"event\":\"opaque\",\"tool\":S,\"raw\":S,\"start\":BOOL}
      A piece of another tool's call, and whether it is the first. Of a native call,
      a piece of its arguments; the first is empty.
  {\"event\":\"partial\",\"call\":N,\"field\":\"question\"|\"suggest\",\"delta\":S,
   \"question\":S,\"suggest\":[…]}
      More of a call that is still open. For the eye only.
  {\"event\":\"complete\",\"call\":N,\"span\":[A,B],\"question\":S,\"suggest\":[…],
   \"notes\":[S]}
      A call that is closed and valid: this may be asked.
  {\"event\":\"rejected\",\"call\":N,\"span\":[A,B],\"reason\":R,\"message\":S,
   \"question\":S|null,\"suggest\":[…]}
      A call that can't be asked. R is missing_parameter, malformed, truncated,
      too_long or wrong_type.
  {\"event\":\"error\",\"kind\":K,\"message\":S,\"data\":S}
      Something went wrong in a provider's stream (--wire), which goes on. K is
      provider (the provider says so), unreadable, too_long, orphan, too_many_calls or
      foreign (nothing in it is that provider's). \"data\" is what could not be read.
  A span counts the bytes of the message; of a native call, those of its arguments.
  Events of a native call have the provider's \"id\":S too, if there is one. Native
  calls may overlap: \"call\" and \"id\" tell them apart.
  Each has \"at\":N too, the bytes read when it came out, and \"end\":true if only
  the end of the message let it out. A suggestion is {\"answer\":S,\"mode\":S}, without
  \"mode\" where it has none.

Exit status:
  0  All is well.
  1  A question was rejected, something went wrong in a provider's stream, or could
     not be read. With --records, a rejected question is data and all is well; a line
     that can't be read is not.
  2  The command line is wrong.";

/// Reads a message as it arrives, and prints what happens in it.
///
/// On a terminal: the prose, and the question and its suggestions as they grow, in place. Into a file or a pipe: the
/// same as plain text, each question once it is complete. Control characters of the model are shown, never obeyed;
/// --json has every byte as it was.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "`followup parse --help` has examples, the events of --json and the exit status.",
    after_long_help = PARSE_HELP
)]
pub(crate) struct Parse {
    /// What to read; `-`, or nothing when something is piped in, is standard input
    pub(crate) file: Option<PathBuf>,

    /// Print one event a line, as JSON, as soon as it happens
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,

    /// Leave out the events of calls that are still open
    #[arg(
        long,
        help_heading = "Output",
        long_help = "Leave out the events of calls that are still open (with --json)"
    )]
    pub(crate) no_partials: bool,

    /// Print without colours (so does the environment variable NO_COLOR)
    #[arg(long, help_heading = "Output")]
    pub(crate) no_color: bool,

    /// What it is: a message, or what a provider streams
    ///
    /// text is a message as it stands; json the arguments of one native call. The others are the body of one streaming response, as the
    /// provider sends it: server-sent events, JSON lines or a JSON array (of Bedrock, its events as JSON, as its SDKs give them). auto finds out which from
    /// the first event, and says so on standard error. Not with --records.
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "text",
        value_parser = PossibleValuesParser::new(WIRES).map(|name| name.parse::<Source>().unwrap_or_default()),
        conflicts_with = "records",
        help_heading = "Reading"
    )]
    pub(crate) wire: Source,

    /// Read JSON Lines, one message a line; print one line for each
    ///
    /// Each line is an object with the message in "content" (or --field). Its "id", whatever it is, comes back:
    /// {"id":…,"events":[…]}, with the events of --json, without partials, "at" and "end", pieces joined, so that the output is the
    /// same however the messages are cut. The order is kept; all cores are used; blank lines are skipped. A line that can't
    /// be read is reported on standard error, and the rest goes on.
    #[arg(long, help_heading = "Records")]
    pub(crate) records: bool,

    /// Where in a record the message is
    #[arg(long, value_name = "NAME", default_value = "content", requires = "records", help_heading = "Records")]
    pub(crate) field: String,

    /// Feed the parser that many bytes at a time, or pieces of random length: N or random:SEED
    ///
    /// It makes no difference to what comes out, but to when; this is to see it. A SEED, any number, always
    /// gives the same pieces.
    #[arg(long, value_name = "N|random:SEED", help_heading = "Watching")]
    pub(crate) chunk: Option<Cut>,

    /// Wait that many milliseconds between chunks, to watch
    #[arg(long, value_name = "MS", conflicts_with = "records", help_heading = "Watching")]
    pub(crate) delay: Option<u64>,

    #[command(flatten)]
    pub(crate) reading: Reading,
}
