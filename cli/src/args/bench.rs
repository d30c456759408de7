//! The options of `followup bench`.

use std::path::PathBuf;

pub(super) const BENCH_HELP: &str = "\
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
