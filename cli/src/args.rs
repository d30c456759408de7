//! The command line: its options, and the texts of `--help`.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Parser, Subcommand};
use followup::Shape;
use followup_testing::Chunking;

use crate::input::InputArgs;
use crate::policy::PolicyArgs;

const EXAMPLES: &str = "\
Examples:
  followup parse message.txt             show a message and the question in it
  my-agent | followup parse              watch it while the model writes
  followup parse --json message.txt      one event per line, for programs
  followup parse --records turns.jsonl   many messages, one object per line
  followup parse --wire auto body.sse    what a provider streamed
  my-agent | followup ask > reply        ask, and print the reply for the model
  followup serve --demo                  in a browser, with recorded messages
  followup bench                         the cost of parsing, on this machine

`followup help parse` has more.";

/// Shows the follow-up questions of a language model while it is still writing them.
///
/// A model asks its user by calling a tool, `ask_followup_question`, with a question and suggested
/// answers: as markup in its message, or as a native tool call. This program finds these calls as
/// the message streams in.
#[derive(Debug, Parser)]
// The lines of the texts below are broken by hand, to be at most 80 columns wide.
#[command(name = "followup", version, propagate_version = true, after_help = EXAMPLES, max_term_width = 80)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Parse(ParseArgs),
    Ask(AskArgs),
    Serve(Box<ServeArgs>),
    Bench(BenchArgs),
    Shapes(ShapesCommandArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

const SHAPES_HELP: &str = "\
Examples:
  followup shapes
      The name of each, and the tools that it reads.
  followup shapes claude > mine.shapes
      A shape to begin with; docs/question-tools.md has the language.
  followup parse --shapes mine.shapes,all --arguments-of my_tool call.json
      Reads a call by it, or by a built-in shape where it has not the tool.";

/// Lists the shapes of the question tools that are built in, or prints one.
///
/// A shape says which tools it reads, and which key of their arguments is the question, which the
/// options. --shapes chooses among them, and takes files with your own.
#[derive(Debug, clap::Args)]
#[command(after_long_help = SHAPES_HELP)]
pub(crate) struct ShapesCommandArgs {
    /// The shape to print
    #[arg(value_parser = PossibleValuesParser::new(Shape::built_in_names()), hide_possible_values = true)]
    pub(crate) name: Option<String>,
}

const COMPLETIONS_HELP: &str = "\
Examples:
  followup completions bash > /etc/bash_completion.d/followup
      For bash, with the package bash-completion; or for you alone, into
      ~/.local/share/bash-completion/completions/followup.
  followup completions zsh > \"${fpath[1]}/_followup\"
      For zsh, into the first folder in which it looks for completions.
  followup completions fish > ~/.config/fish/completions/followup.fish
      For fish.
  followup completions powershell >> $PROFILE
      For PowerShell.";

/// Prints a script that completes the command line in a shell.
#[derive(Debug, clap::Args)]
#[command(after_long_help = COMPLETIONS_HELP)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

const MAN_HELP: &str = "\
Examples:
  followup man | man -l -
      Shows the manual page of the program.
  followup man parse > ~/.local/share/man/man1/followup-parse.1
      Installs the one of a command.";

/// Prints a manual page, for man or groff.
#[derive(Debug, clap::Args)]
#[command(after_long_help = MAN_HELP)]
pub(crate) struct ManArgs {
    /// The command whose page to print, instead of that of the program
    pub(crate) command: Option<String>,
}

const BENCH_HELP: &str = "\
Examples:
  followup bench
      Prose, prose with a question every 2 KiB, and TSX full of brackets.
  followup bench message.txt
      A message of your own.
  followup bench --shapes claude,codex
      The arguments of calls of these question tools.
  followup bench --shapes mine.shapes --arguments-of my_tool call.json
      The arguments of a call of your own tool.
  followup bench --json | jq 'select(.chunk == 4) | .ns_per_chunk'
      The time for a chunk of a token's length.

The lines of --json:
  {\"workload\":S,\"chunk\":N,\"ns_per_chunk\":F,\"mb_per_s\":F,\"push_str_ns\":F,
   \"memchr_mb_per_s\":F}
      A chunk has N bytes; push_str_ns is the time to append one to a string.
Compare ratios within one run: other load slows down all measurements of a run.";

/// Measures the cost of parsing, in chunks of several sizes.
///
/// The same run measures the least work possible on the same chunks: appending them to a string,
/// and searching them for `<`. The results are checked: every byte is in one event, and every
/// question is found.
#[derive(Debug, clap::Args)]
#[command(after_long_help = BENCH_HELP)]
pub(crate) struct BenchArgs {
    /// A message of your own, instead of the built-in ones
    pub(crate) file: Option<PathBuf>,

    /// Measure the arguments of a call of each of these shapes, instead of messages
    ///
    /// Names and files, as for `followup parse`. The built-in shapes have arguments to measure; for
    /// a shape of your own, FILE has them (--arguments-of).
    #[arg(long, value_name = "NAMES|FILE", value_delimiter = ',')]
    pub(crate) shapes: Vec<String>,

    /// The file has the arguments of a call of this question tool
    #[arg(long, value_name = "TOOL", requires = "file")]
    pub(crate) arguments_of: Option<String>,

    /// Print one line of JSON per measurement
    #[arg(long)]
    pub(crate) json: bool,

    /// The duration of each measurement, in milliseconds
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
      The same, growing as the message arrives.
  followup parse --chunk 3 --delay 30 message.txt
      A recorded message as if a model were writing it.
  followup parse --json message.txt | jq 'select(.event == \"complete\")'
      The questions that may be asked, for a program.
  curl -sN https://… | followup parse --wire auto
      What any provider streams: text, and native calls.
  followup parse --wire auto --chunk 90 --delay 20 response.sse
      A recorded response as if it were arriving.
  followup parse --arguments-of AskUserQuestion call.json
      The arguments of a native call, of any agent's question tool.
  followup parse --records turns.jsonl > whole
  followup parse --records --chunk 1 turns.jsonl | diff whole -
      No difference: events are independent of how a message is cut.
  followup parse --records --wire auto --field body gateway.jsonl
      What a gateway has logged: the bodies of responses, of any provider.

The events of --json, one per line:
  {\"event\":\"text\",\"text\":S}
      Prose.
  {\"event\":\"opaque\",\"tool\":S,\"raw\":S,\"start\":BOOL}
      A piece of another tool's call, and whether it is the first. For a native
      call, a piece of its arguments; the first is empty.
  {\"event\":\"partial\",\"call\":N,\"field\":\"question\"|\"suggest\",\"delta\":S,
   \"question\":S,\"suggest\":[…]}
      More of a call that is still open. For display only.
  {\"event\":\"complete\",\"call\":N,\"span\":[A,B],\"question\":S,\"suggest\":[…],
   \"notes\":[S]}
      A call that is complete and valid: this may be asked.
  {\"event\":\"rejected\",\"call\":N,\"span\":[A,B],\"reason\":R,\"message\":S,
   \"question\":S|null,\"suggest\":[…]}
      A call that can't be asked. R is missing_parameter, malformed, truncated,
      too_long, wrong_type or superseded (with --wire: another call of the same
      response counts instead, so that this is no failure).
  {\"event\":\"error\",\"kind\":K,\"message\":S,\"data\":S,\"format\":F}
      An error in a provider's stream (--wire), which continues. K is provider
      (reported by the provider), unreadable, too_long, corrupt (a binary frame
      that was damaged), orphan, too_many_calls, foreign (nothing in it is from
      that provider, or from any), empty (it breaks off before it says
      anything), contradiction (it repeats the message with other words) or
      binary.
      \"data\" is what was not used, \"format\" that of the stream, if it is known.
  A span counts the bytes of the message, or those of a native call's arguments;
  in reasoning (--reasoning) those of the reasoning.
  A call of another question tool than ask_followup_question (--arguments-of)
  also has \"tool\":S, \"shape\":S and all its \"questions\":[{\"question\":S,
  \"id\":S,\"header\":S,\"detail\":S,\"placeholder\":S,\"kind\":S,\"multiple\":BOOL,
  \"custom\":BOOL,\"required\":BOOL,\"default\":[S],\"suggest\":[…]}], without what it
  does not have, or what is not known yet; \"question\" and \"suggest\" are those of
  the first. A suggestion may have \"value\", \"description\", \"preview\" and
  \"recommended\":true. In a partial, \"field\" may also be one of header, detail,
  description and preview, and \"in_question\":N and \"in_suggest\":N say whose.
  A complete or rejected call that came as text, in a model's own envelope, has
  \"envelope\":S, the name of the family (--envelopes).
  Events of a native call also have the provider's \"id\":S, if there is one.
  Native calls may overlap: \"call\" and \"id\" tell them apart.
  Every event also has \"at\":N, the number of bytes read before it was emitted,
  and \"end\":true if it was emitted only at the end of the message. A suggestion
  is {\"answer\":S,\"mode\":S}, without \"mode\" if it has none.

Exit status:
  0  Success.
  1  A question was rejected, there was an error in a provider's stream, or
     something could not be read. With --records, a rejected question and an
     error of kind provider are data and no failure; a line that can't be read,
     or a body that can be read only in part, is one.
  2  The command line is wrong.";

/// Reads a message as it arrives, and prints its text and its questions.
///
/// On a terminal: the prose, and the question and its suggestions, growing in place. To a file or a
/// pipe: the same as plain text, each question once it is complete. Control characters of the model
/// are shown, never obeyed; --json preserves every byte.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "`followup parse --help` has examples, the events of --json and the exit status.",
    after_long_help = PARSE_HELP
)]
pub(crate) struct ParseArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,

    /// Print one event per line, as JSON, as soon as it is emitted
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,

    /// Read the input as the arguments of one native call of this question tool
    ///
    /// Such as AskUserQuestion or request_user_input: `followup shapes` lists those that are built
    /// in, --shapes takes others. docs/question-tools.md says what each of their keys means.
    #[arg(
        long,
        value_name = "TOOL",
        conflicts_with_all = ["wire", "reasoning"],
        help_heading = "Reading"
    )]
    pub(crate) arguments_of: Option<String>,

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

    /// Read JSON Lines, one message or one provider's body per line; print one line for each
    ///
    /// Each line is an object with the message in "content" (or --field). Its "id", of any type, is
    /// copied to the output: {"id":…,"events":[…]}, with the events of --json, without partials,
    /// "at" and "end", and with pieces joined, so that the output is the same however the messages
    /// are cut. The order is kept; all cores are used; blank lines are skipped. A line that can't
    /// be read is reported on standard error with its number and offset, and reading continues.
    ///
    /// With --wire, the field holds the body of a response: as text, as base64 (--base64), or, if
    /// it is one JSON value, as that value. With --wire auto the format is detected for each
    /// record, and the output has it: {"id":…,"events":[…],"format":S|null}. With --arguments-of,
    /// the field holds the arguments of a call: as text, or the JSON itself. docs/records.md has
    /// more.
    #[arg(long, conflicts_with = "delay", help_heading = "Records")]
    pub(crate) records: bool,

    /// The field of a record that holds the message or the body
    #[arg(long, value_name = "NAME", default_value = "content", requires = "records", help_heading = "Records")]
    pub(crate) field: String,

    /// The field is base64, padded or not
    #[arg(long, requires = "records", help_heading = "Records")]
    pub(crate) base64: bool,

    /// Skip a line longer than this, with an error
    ///
    /// Memory holds at most 32 MiB of lines, or one that is longer, beside the line being read.
    #[arg(long, value_name = "BYTES", default_value_t = 32 << 20, requires = "records", help_heading = "Records")]
    pub(crate) limit_line: usize,

    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
}

const ASK_HELP: &str = "\
Examples:
  my-agent | followup ask > reply
      Shows the message, asks on the terminal, and prints the reply.
  followup ask --wire auto --format anthropic response.sse
      Asks what a provider has streamed; the reply is the next message for it.
  followup ask --chunk 4 --delay 20 message.txt > reply
      A recorded message as if a model were writing it.
  followup ask --answer 1 message.txt
      Takes the first suggestion, without a person.
  followup ask --text \"Neither\" --image sketch.png --format json message.txt
      Answers in other words, with an image.
  followup ask --wire auto --answer 1 --answer 3 response.sse
      A call with two questions: an answer for each. Or as JSON, with several
      options: --answer-json '{\"form\":[{\"picked\":[0]},{\"picked\":[0,2]}]}'

On the screen, ? shows all keys: a number, the arrows and Enter, or a click take
a suggestion, e edits it first, w writes another answer, / filters a long list,
i adds an image, Esc leaves the question unanswered, Ctrl-C quits, Ctrl-Z
suspends. Several questions of a call are steps, and so is one that takes
several options: Space ticks, Enter takes an option or continues, Tab and
Shift-Tab go to the next question and back. The last step shows all answers, and
Enter sends them. Esc, then d declines to answer, and Esc, then c asks to talk
about it first. a adds a note to an option. Both are there where the tool has a
reply for them.

Line by line (--lines), an answer is the number of a suggestion, or one line of
text; where several options can be chosen, numbers like 1,3. 1 note: TEXT adds a
note to an option. A number that is none of the choices is asked for again;
typed a second time, it is the answer. After several questions of a call, or an
empty line at its only one, you send, are asked again, leave it or decline.
--answer, --text and --answer-json can't be combined. A question left unanswered
is told to the model (\"The user denied this operation.\"). --auto-answer waits at
a question without suggestions; of several questions, it sends what is chosen at
first, or else the first options.

What is printed on standard output, a reply for each call, in order:
  text      the result of the call: the answer, wrapped as the dialect says; it
            has no room for images and modes
  openai-chat, openai-responses, anthropic
            the messages that carry all replies, one per line, as JSON, at the
            end
  json      {\"kind\":\"answer\"|\"cancelled\"|\"declined\"|\"correction\",\"number\":N,
            \"id\":S,\"text\":S,\"images\":[URL],\"mode\":S}, without what is absent; N
            counts the questions from 0, \"id\" is the provider's id of a native
            call
A call that can't be asked has a reply too: the correction for the model.

Exit status:
  0  All questions were answered, or there were none.
  1  A call could not be asked, a question was not answered, or something could
     not be read.
  2  The command line is wrong, or there is no terminal to ask on.
  130, 143 and the like: ended by Ctrl-C or by a signal; the replies so far are
     printed.";

/// Asks the questions in a message, and prints the replies.
///
/// On a terminal: shows the message as it arrives, and asks each question once it is complete. With
/// the keys or the mouse you take a suggestion, edit one, or write your own answer. Keys are read
/// from the terminal itself, so that standard input may be the message and standard output the
/// reply. --answer and --text answer without a person. The mode in brackets before a suggestion is
/// the mode to which the agent should switch with that answer: --format json has it.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "`followup ask --help` has examples, the formats and the exit status.",
    after_long_help = ASK_HELP
)]
pub(crate) struct AskArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,

    /// Answer with the suggestion of this number, from 1; repeat it for further questions
    #[arg(long, value_name = "N", conflicts_with = "text", help_heading = "Answering")]
    pub(crate) answer: Vec<NonZeroUsize>,

    /// Answer with this text; repeat it for further questions
    #[arg(long, value_name = "TEXT", help_heading = "Answering")]
    pub(crate) text: Vec<String>,

    /// Answer with this JSON: {"form":[…]} has an answer for each question of a call
    ///
    /// {"form":[{"picked":[0,2]},{"text":"8080"},{}]} picks the first and the third option of the
    /// first question, writes the answer to the second, and leaves the third unanswered. Options
    /// count from 0 here. {"suggestion":1} and {"text":"…"} answer a call with one question.
    /// Repeat it for further calls.
    #[arg(long, value_name = "JSON", conflicts_with_all = ["answer", "text"], help_heading = "Answering")]
    pub(crate) answer_json: Vec<String>,

    /// Send an image with the first answer: a PNG, JPEG, GIF or WebP; may be repeated
    #[arg(long, value_name = "FILE", help_heading = "Answering")]
    pub(crate) image: Vec<PathBuf>,

    /// Take the first suggestion after this many seconds, unless a key is pressed
    ///
    /// The countdown is shown on the screen, and starts when a question can be answered. Any key, a
    /// click or the wheel stops it for good. Line by line, the beginning of a line does.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..), conflicts_with_all = ["answer", "text", "answer_json"], help_heading = "Answering")]
    pub(crate) auto_answer: Option<u32>,

    /// Ask line by line, without a screen: for screen readers, and terminals that can't draw one
    #[arg(long, conflicts_with_all = ["answer", "text", "answer_json"], help_heading = "Answering")]
    pub(crate) lines: bool,

    /// The format of the replies
    #[arg(long, value_enum, default_value_t = ReplyFormat::Text, help_heading = "Output")]
    pub(crate) format: ReplyFormat,

    /// Escape the closing tag of the answer's wrapping, such as </answer>, inside the answer
    ///
    /// Such a tag may end the answer early for the model. Without this option the answer is passed
    /// on unchanged, with a warning on standard error. docs/dialects.md says how it is escaped.
    #[arg(long, help_heading = "Output")]
    pub(crate) escape: bool,

    /// The wording and wrapping of the replies: a name, or a file (TOML or JSON)
    ///
    /// roo-code: Roo Code and its relatives, such as Cline. roo-code-zh, kilo-code-zh: the Chinese
    /// versions. roo-code-latest: recent Roo Code, with <user_message> around an answer, and
    /// suggestions required. vjsp: VJSP. A file of your own holds the differences from roo-code;
    /// see docs/dialects.md.
    #[arg(long, value_name = "NAME|FILE", default_value = "roo-code", help_heading = "Output")]
    pub(crate) dialect: String,

    /// The wording of the replies to another agent's question tool: a name, or a file (TOML or JSON)
    ///
    /// Such as ask_user=gemini, once for each tool. Without it, a tool that belongs to one agent has
    /// that agent's wording. docs/question-tools.md has the names, and what a file holds.
    #[arg(long, value_name = "TOOL=NAME|FILE", help_heading = "Output")]
    pub(crate) template: Vec<String>,

    /// Print without colours (so does the environment variable NO_COLOR)
    #[arg(long, help_heading = "Output")]
    pub(crate) no_color: bool,

    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
}

/// The format of the replies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ReplyFormat {
    /// The result of the call
    Text,
    /// Messages for OpenAI chat completions
    OpenaiChat,
    /// Input items for OpenAI Responses
    OpenaiResponses,
    /// Messages for Anthropic
    Anthropic,
    /// The reply with everything known about it
    Json,
}

const SERVE_HELP: &str = "\
Examples:
  followup serve --demo
      Recorded messages, on http://localhost:4127.
  followup serve --upstream https://api.example.com/v1
      Relays everything below /v1 to that provider, and shows what its models
      ask. Point an agent's base URL at http://localhost:4127/v1 (for clients of
      Anthropic: http://localhost:4127); nothing else changes for it.
  followup serve --upstream http://localhost:11434/v1 --continue
      Also sends the answers back: the model continues in the same conversation.
  curl -sN https://… |
      curl -sT - -X POST 'localhost:4127/conversations?wire=auto&id=mine'
      Shows a stream of any provider, as it arrives.
  curl -sN localhost:4127/conversations/mine/events
      Its events, as server-sent events.
  curl -s localhost:4127/conversations/mine/answer \\
      -d '{\"number\":0,\"suggestion\":1}'
      Answers, and prints the messages for the model.
  FOLLOWUP_TOKEN=… followup serve --listen 0.0.0.0:4127 --upstream …
      For other machines, which need the token. Put TLS in front of it.

The service prints the address on which it listens. docs/service.md has the
protocol.
Ctrl-C shuts it down: what is being relayed may continue for --grace seconds; a
second Ctrl-C ends it at once.

Exit status:
  0  It was shut down.
  1  It could not listen.
  2  The command line is wrong.";

/// Runs a service that shows questions in a browser, and takes the answers.
///
/// It relays requests to a provider, byte for byte, or receives what any provider streams. It reads
/// chat completions and Responses of OpenAI, and messages of Anthropic. A page shows each question while it is still being written, and sends the
/// answer; programs read the same as server-sent events. It accepts connections from this machine
/// only, unless there is a token.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "`followup serve --help` has examples, the limits and the exit status.",
    after_long_help = SERVE_HELP
)]
pub(crate) struct ServeArgs {
    /// The address to listen on; port 0 is any free port
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:4127")]
    pub(crate) listen: SocketAddr,

    /// The provider to relay to: what follows /v1 in a caller's path is appended to this URL
    #[arg(long, value_name = "URL")]
    pub(crate) upstream: Option<String>,

    /// The key to send to the provider when the caller sends none
    #[arg(long, value_name = "KEY", env = "FOLLOWUP_UPSTREAM_KEY", hide_env_values = true)]
    pub(crate) upstream_key: Option<String>,

    /// Give up on the provider if it sends nothing for this long
    #[arg(long, value_name = "SECONDS", default_value_t = 300.0, value_parser = seconds)]
    pub(crate) upstream_timeout: f64,

    /// When all questions of a relayed message are answered, send the answers and continue
    #[arg(long = "continue", requires = "upstream")]
    pub(crate) goes_on: bool,

    /// Offer recorded messages, to try the service without a model
    #[arg(long)]
    pub(crate) demo: bool,

    /// Cut recorded messages into chunks of this many bytes, or of random length: N or random:SEED
    #[arg(long, value_name = "N|random:SEED", default_value = "4", requires = "demo")]
    pub(crate) chunk: Chunking,

    /// Wait this many milliseconds between the chunks of a recorded message
    #[arg(long, value_name = "MS", default_value_t = 30, requires = "demo")]
    pub(crate) delay: u64,

    /// The token that every request must carry; required to listen for other machines
    ///
    /// A request carries it as `authorization: Bearer TOKEN`, or `x-followup-token: TOKEN`. Prefer
    /// the environment variable: other users of the machine can see command lines.
    #[arg(long, value_name = "TOKEN", env = "FOLLOWUP_TOKEN", hide_env_values = true)]
    pub(crate) token: Option<String>,

    /// Send readers a heartbeat this often
    #[arg(long, value_name = "SECONDS", default_value_t = 15.0, value_parser = seconds)]
    pub(crate) heartbeat: f64,

    /// On shutdown, let what is being relayed continue for this long
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = seconds)]
    pub(crate) grace: f64,

    /// Keep the conversations in this Redis or Valkey, for several replicas of the service
    ///
    /// A URL: `redis://USER:PASSWORD@HOST:PORT/DATABASE`; `redis+cluster://HOST:PORT,HOST:PORT` for a
    /// cluster; `redis+sentinel://HOST:PORT,HOST:PORT/NAME` for sentinels; `rediss` in place of
    /// `redis` for TLS. Without a store, the conversations are in the memory of this process.
    #[arg(long, value_name = "URL", env = "FOLLOWUP_STORE", hide_env_values = true, help_heading = "Replicas")]
    pub(crate) store: Option<String>,

    /// Let the names of all keys in the store begin with this
    #[arg(long, value_name = "TEXT", default_value = "followup:", help_heading = "Replicas")]
    pub(crate) store_prefix: String,

    /// Take a replica that does not renew its lease for dead after this long
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0, value_parser = seconds, help_heading = "Replicas")]
    pub(crate) lease: f64,

    /// The wording and wrapping of the replies: a name, or a file, as in `followup ask`
    #[arg(long, value_name = "NAME|FILE", default_value = "roo-code", help_heading = "Answering")]
    pub(crate) dialect: String,

    /// The wording of the replies to another agent's question tool: a name, or a file (TOML or JSON)
    #[arg(long, value_name = "TOOL=NAME|FILE", help_heading = "Answering")]
    pub(crate) template: Vec<String>,

    /// Escape the closing tag of the answer's wrapping, such as </answer>, inside the answer
    #[arg(long, help_heading = "Answering")]
    pub(crate) escape: bool,

    #[command(flatten)]
    pub(crate) policy: PolicyArgs,

    /// The maximum length of a request's body; a pushed stream is not kept, and has no limit
    #[arg(long, value_name = "BYTES", default_value_t = 32 << 20, help_heading = "Limits")]
    pub(crate) limit_body: usize,

    /// Keep at most this many conversations; unused ones are dropped first
    #[arg(long, value_name = "N", default_value_t = 4096, value_parser = at_least_one, help_heading = "Limits")]
    pub(crate) limit_conversations: usize,

    /// Keep at most this much of a conversation; the oldest part is dropped
    #[arg(long, value_name = "BYTES", default_value_t = 4 << 20, help_heading = "Limits")]
    pub(crate) limit_kept: usize,

    /// Keep this many events of a conversation (and 1 MiB) for readers that reconnect
    #[arg(long, value_name = "N", default_value_t = 1024, help_heading = "Limits")]
    pub(crate) limit_events: usize,

    /// Allow this many readers of one conversation at once
    #[arg(long, value_name = "N", default_value_t = 64, help_heading = "Limits")]
    pub(crate) limit_readers: usize,

    /// Let all conversations together take about this much memory; unused ones are dropped first
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 30, help_heading = "Limits")]
    pub(crate) max_memory: usize,

    /// Relay and receive this many requests at once
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = at_least_one, help_heading = "Limits")]
    pub(crate) limit_requests: usize,

    /// Give up on a request if nothing of its body arrives for this long
    ///
    /// A pushed stream may pause for as long as a provider: --upstream-timeout.
    #[arg(long, value_name = "SECONDS", default_value_t = 30.0, value_parser = seconds, help_heading = "Limits")]
    pub(crate) body_timeout: f64,

    /// Drop a conversation that has ended and was not read for this long
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

/// Parses a positive number of seconds, up to ten years.
fn seconds(text: &str) -> Result<f64, String> {
    const MAX: f64 = 10.0 * 365.0 * 24.0 * 3600.0;
    let seconds: f64 = text.parse().map_err(|error| format!("{error}"))?;
    if seconds > 0.0 && seconds <= MAX { Ok(seconds) } else { Err(format!("more than 0, and at most {MAX}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_of_the_help_is_broken_at_80_columns() {
        let texts = [EXAMPLES, SHAPES_HELP, COMPLETIONS_HELP, MAN_HELP, BENCH_HELP, PARSE_HELP, ASK_HELP, SERVE_HELP];
        for line in texts.iter().flat_map(|text| text.lines()) {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}
