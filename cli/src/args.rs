//! The command line, as clap reads it and `--help` shows it.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::chunks::Cut;
use crate::reading::Reading;
use crate::stream::Stream;

const EXAMPLES: &str = "\
Examples:
  followup parse message.txt                 show a message and the question in it
  my-agent | followup parse                  watch the question while the model writes it
  followup parse --json message.txt          one event a line, for programs
  followup parse --records turns.jsonl       many messages, one JSON object a line
  followup parse --wire auto response.sse    what a provider streamed
  my-agent | followup ask > reply            ask, and write what the model gets
  followup serve --demo                      the same in a browser, with recorded messages
  followup bench                             what reading costs, on this machine

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
    Ask(Ask),
    Serve(Box<Serve>),
    Bench(Bench),
}

const BENCH_HELP: &str = "\
Examples:
  followup bench
      Prose, prose with a question every 2 KiB, and TSX full of brackets.
  followup bench message.txt
      A message of your own.
  followup bench --json | jq 'select(.chunk == 4) | .ns_per_chunk / .push_str_ns'
      How many times as long as push_str, for the chunks of a token's length.

The lines of --json:
  {\"workload\":S,\"chunk\":N,\"ns_per_chunk\":F,\"mb_per_s\":F,\"push_str_ns\":F,
   \"memchr_mb_per_s\":F}
      A chunk is of N bytes; push_str_ns is what it takes to append one to a text.
Ratios within one run count: a machine that does something else is slower in all of it.";

/// Measures what reading costs, in chunks of several sizes.
///
/// Beside it, in the same run, the least that could be done with the same chunks: appending them to a text, and looking for `<` in them. What comes
/// out is checked: every byte is in one event, and every question is found.
#[derive(Debug, clap::Args)]
#[command(after_long_help = BENCH_HELP)]
pub(crate) struct Bench {
    /// A message of your own, instead of those that are built in
    pub(crate) file: Option<PathBuf>,

    /// Print one line of JSON a measurement
    #[arg(long)]
    pub(crate) json: bool,

    /// How long to measure each, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 300)]
    pub(crate) time: u32,

    /// Print without colours (so does the environment variable NO_COLOR)
    #[arg(long)]
    pub(crate) no_color: bool,
}

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
    #[command(flatten)]
    pub(crate) stream: Stream,

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

    /// Read JSON Lines, one message a line; print one line for each
    ///
    /// Each line is an object with the message in "content" (or --field). Its "id", whatever it is, comes back:
    /// {"id":…,"events":[…]}, with the events of --json, without partials, "at" and "end", pieces joined, so that the output is the
    /// same however the messages are cut. The order is kept; all cores are used; blank lines are skipped. A line that can't
    /// be read is reported on standard error, and the rest goes on.
    #[arg(long, conflicts_with_all = ["wire", "delay"], help_heading = "Records")]
    pub(crate) records: bool,

    /// Where in a record the message is
    #[arg(long, value_name = "NAME", default_value = "content", requires = "records", help_heading = "Records")]
    pub(crate) field: String,

    #[command(flatten)]
    pub(crate) reading: Reading,
}

const ASK_HELP: &str = "\
Examples:
  my-agent | followup ask > reply
      Shows the message, asks on the terminal, and writes the reply.
  followup ask --wire auto --format anthropic response.sse
      Asks what a provider has streamed; the reply is the next message for it.
  followup ask --chunk 4 --delay 20 message.txt > reply
      A recorded message as if a model were writing it.
  followup ask --answer 1 message.txt
      Takes the first suggestion, without a person.
  followup ask --text \"Neither\" --image sketch.png --format json message.txt
      Answers in other words, with an image.

On the screen, ? shows all keys: a number, the arrows and Enter, or a click take a
suggestion, e changes it first, w writes another answer, i adds an image, Esc leaves
the question unanswered, Ctrl-C quits.

Line by line (--lines) there are suggestions by number and answers of one line.
--answer and --text don't go together. A question left unanswered is told to the model
(\"The user denied this operation.\"). --auto-answer waits at a question without suggestions.

What comes out on standard output, a reply for each call, in order:
  text              the result of the call: the answer, wrapped as the dialect has it;
                    it has no room for images and modes
  openai-chat, openai-responses, anthropic
                    the messages that carry all of them, one a line, as JSON, at the end
  json              {\"kind\":\"answer\"|\"cancelled\"|\"correction\",\"number\":N,\"id\":S,\"text\":S,
                    \"images\":[URL],\"mode\":S}, without what there is not; N counts the
                    questions from 0, \"id\" is the provider's of a native call
A call that can't be asked has a reply too: what the model is to be told.

Exit status:
  0  All questions were answered, or there were none.
  1  A call could not be asked, a question was not answered, or something could not be read.
  2  The command line is wrong, or there is nobody to ask.
  130, 143 and the like: Ctrl-C, or a signal, has ended it; the replies so far are out.";

/// Asks the questions in a message, and prints the replies.
///
/// On a terminal: shows the message as it arrives, and asks each question once it is complete: with the keys or the mouse you take a suggestion,
/// change one, or write your own answer. Keys come from the terminal itself, so that standard input may be the message and standard
/// output the reply. --answer and --text answer without a person. The mode in brackets before a suggestion is the one the agent should
/// change to with that answer: --format json has it.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "`followup ask --help` has examples, the formats and the exit status.",
    after_long_help = ASK_HELP
)]
pub(crate) struct Ask {
    #[command(flatten)]
    pub(crate) stream: Stream,

    /// Take the suggestion with that number, from 1; may be given again for further questions
    #[arg(long, value_name = "N", conflicts_with = "text", help_heading = "Answering")]
    pub(crate) answer: Vec<NonZeroUsize>,

    /// Answer with this; may be given again for further questions
    #[arg(long, value_name = "TEXT", help_heading = "Answering")]
    pub(crate) text: Vec<String>,

    /// Send an image with the first answer: a PNG, JPEG, GIF or WebP; may be given again
    #[arg(long, value_name = "FILE", help_heading = "Answering")]
    pub(crate) image: Vec<PathBuf>,

    /// Take the first suggestion after that many seconds, unless a key is pressed
    ///
    /// The seconds are counted down on the screen, from when a question can be answered. Any key, a click and the wheel stop that for good.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..), conflicts_with_all = ["answer", "text", "lines"], help_heading = "Answering")]
    pub(crate) auto_answer: Option<u32>,

    /// Ask line by line, without a screen: for screen readers, and terminals that can't draw one
    #[arg(long, conflicts_with_all = ["answer", "text"], help_heading = "Answering")]
    pub(crate) lines: bool,

    /// How the reply is printed
    #[arg(long, value_enum, default_value_t = Format::Text, help_heading = "Output")]
    pub(crate) format: Format,

    /// Escape what would end an answer early for the model: in <answer>, any </answer> that is written in it
    ///
    /// Without it an answer is passed on as it is, and it is said on standard error if that stands in it. How it is escaped: docs/dialects.md.
    #[arg(long, help_heading = "Output")]
    pub(crate) escape: bool,

    /// Whose wording and wrapping the reply has: a name, or a file (TOML or JSON)
    ///
    /// roo-code: Roo Code and its relatives, as Cline. roo-code-zh, kilo-code-zh: those of them in Chinese. roo-code-latest: Roo Code of late, with
    /// <user_message> around an answer, and suggestions required. vjsp: VJSP. A file of your own holds what is to be other than in
    /// roo-code; docs/dialects.md has all of it.
    #[arg(long, value_name = "NAME|FILE", default_value = "roo-code", help_heading = "Output")]
    pub(crate) dialect: String,

    /// Print without colours (so does the environment variable NO_COLOR)
    #[arg(long, help_heading = "Output")]
    pub(crate) no_color: bool,

    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// How a reply is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// The result of the call
    Text,
    /// Messages for OpenAI chat completions
    OpenaiChat,
    /// Input items for OpenAI Responses
    OpenaiResponses,
    /// Messages for Anthropic
    Anthropic,
    /// The reply with all that is known of it
    Json,
}

const SERVE_HELP: &str = "\
Examples:
  followup serve --demo
      Recorded messages, on http://localhost:4127.
  followup serve --upstream https://api.example.com/v1
      Relays POST /v1/chat/completions to that provider, and shows what its models ask.
      Point an agent's base URL at http://localhost:4127/v1; nothing else changes for it.
  followup serve --upstream http://localhost:11434/v1 --continue
      Also sends the answers back: the model goes on in the same conversation.
  curl -sN https://… | curl -sT - -X POST 'localhost:4127/conversations?wire=auto&id=mine'
      Shows a stream of any provider, as it arrives.
  curl -sN localhost:4127/conversations/mine/events
      What happens in it, as server-sent events.
  curl -s localhost:4127/conversations/mine/answer -d '{\"number\":0,\"suggestion\":1}'
      Answers, and prints the messages for the model.
  FOLLOWUP_TOKEN=… followup serve --listen 0.0.0.0:4127 --upstream …
      For other machines, which need the token. Put TLS in front of it.

It prints the address it listens on. The protocol is in docs/service.md. Ctrl-C ends it in good order: what is being relayed
may go on for --grace seconds; a second Ctrl-C ends it at once.

Exit status:
  0  It was ended.
  1  It could not listen.
  2  The command line is wrong.";

/// Shows questions in a browser, and takes the answers: a service.
///
/// It relays requests to an OpenAI-compatible provider, byte for byte as they arrive, or is pushed what any provider streams. A page shows each
/// question while it is still being written, and answers it; programs read the same as server-sent events. It answers to this machine only, unless there is a token.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "`followup serve --help` has examples, the limits and the exit status.",
    after_long_help = SERVE_HELP
)]
pub(crate) struct Serve {
    /// Where to listen; port 0 is any that is free
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:4127")]
    pub(crate) listen: SocketAddr,

    /// The provider to relay to, as the URL that /chat/completions is appended to
    #[arg(long, value_name = "URL")]
    pub(crate) upstream: Option<String>,

    /// The key that is sent to the provider when the caller sends none
    #[arg(long, value_name = "KEY", env = "FOLLOWUP_UPSTREAM_KEY", hide_env_values = true)]
    pub(crate) upstream_key: Option<String>,

    /// Give up on the provider if it sends nothing for that long
    #[arg(long, value_name = "SECONDS", default_value_t = 300.0, value_parser = seconds)]
    pub(crate) upstream_timeout: f64,

    /// When all questions of a relayed message are answered, send the answers to the provider and go on
    #[arg(long = "continue", requires = "upstream")]
    pub(crate) goes_on: bool,

    /// Offer recorded messages, to try it without a model
    #[arg(long)]
    pub(crate) demo: bool,

    /// Cut recorded messages into pieces of that many bytes, or of random length: N or random:SEED
    #[arg(long, value_name = "N|random:SEED", default_value = "4", requires = "demo")]
    pub(crate) chunk: Cut,

    /// Wait that many milliseconds between the pieces of a recorded message
    #[arg(long, value_name = "MS", default_value_t = 30, requires = "demo")]
    pub(crate) delay: u64,

    /// What whoever comes must show; without it, only this machine may come
    ///
    /// As `authorization: Bearer TOKEN`, or `x-followup-token: TOKEN`. Better in the environment: other users of a machine can see its command lines.
    #[arg(long, value_name = "TOKEN", env = "FOLLOWUP_TOKEN", hide_env_values = true)]
    pub(crate) token: Option<String>,

    /// Tell readers that often that the service is still there
    #[arg(long, value_name = "SECONDS", default_value_t = 15.0, value_parser = seconds)]
    pub(crate) heartbeat: f64,

    /// When it is ended, let what is being relayed go on for that long
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = seconds)]
    pub(crate) grace: f64,

    /// Whose wording and wrapping the replies have: a name, or a file (TOML or JSON), as `followup ask` has it
    #[arg(long, value_name = "NAME|FILE", default_value = "roo-code", help_heading = "Answering")]
    pub(crate) dialect: String,

    /// Escape what would end an answer early for the model: in <answer>, any </answer> that is written in it
    #[arg(long, help_heading = "Answering")]
    pub(crate) escape: bool,

    #[command(flatten)]
    pub(crate) reading: Reading,

    /// A request's body may have that many bytes; a pushed stream is not kept, and has no limit
    #[arg(long, value_name = "BYTES", default_value_t = 32 << 20, help_heading = "Limits")]
    pub(crate) limit_body: usize,

    /// Hold that many conversations at once; those that nobody uses are dropped first
    #[arg(long, value_name = "N", default_value_t = 4096, value_parser = at_least_one, help_heading = "Limits")]
    pub(crate) limit_conversations: usize,

    /// Keep that much of a conversation to show; the oldest is dropped
    #[arg(long, value_name = "BYTES", default_value_t = 4 << 20, help_heading = "Limits")]
    pub(crate) limit_kept: usize,

    /// Keep that many events of a conversation (and 1 MiB) for readers that come back
    #[arg(long, value_name = "N", default_value_t = 1024, help_heading = "Limits")]
    pub(crate) limit_events: usize,

    /// Let that many read one conversation at once
    #[arg(long, value_name = "N", default_value_t = 64, help_heading = "Limits")]
    pub(crate) limit_readers: usize,

    /// Drop a conversation that has ended and that nobody has read for that long
    #[arg(long, value_name = "SECONDS", default_value_t = 1800.0, value_parser = seconds, help_heading = "Limits")]
    pub(crate) idle: f64,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(0) => Err("at least 1".into()),
        Ok(n) => Ok(n),
        Err(error) => Err(error.to_string()),
    }
}

/// Seconds that a clock can count: up to ten years.
fn seconds(text: &str) -> Result<f64, String> {
    const MOST: f64 = 10.0 * 365.0 * 24.0 * 3600.0;
    let seconds: f64 = text.parse().map_err(|error| format!("{error}"))?;
    if seconds > 0.0 && seconds <= MOST { Ok(seconds) } else { Err(format!("more than 0, and at most {MOST}")) }
}
