//! The options of `followup parse`.

use crate::input::InputArgs;
use crate::policy::PolicyArgs;

pub(super) const PARSE_HELP: &str = "\
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
  Events of a native call also have the provider's \"id\":S, if there is one;
  without one, a complete or rejected native call has \"native\":true.
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
        requires = "json",
        conflicts_with = "records",
        help_heading = "Output",
        long_help = "Leave out the events of calls that are still open (with --json, not with --records)"
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
