//! The command line: its commands, and the texts of `--help`.

pub(crate) mod ask;
pub(crate) mod bench;
pub(crate) mod generate;
pub(crate) mod parse;
pub(crate) mod serve;
pub(crate) mod shapes;

use clap::{Parser, Subcommand};

use ask::AskArgs;
use bench::BenchArgs;
use generate::{CompletionsArgs, ManArgs};
use parse::ParseArgs;
use serve::ServeArgs;
use shapes::ShapesArgs;

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
    Shapes(ShapesArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_of_the_help_is_broken_at_80_columns() {
        let texts = [
            EXAMPLES,
            ask::ASK_HELP,
            bench::BENCH_HELP,
            generate::COMPLETIONS_HELP,
            generate::MAN_HELP,
            parse::PARSE_HELP,
            serve::SERVE_HELP,
            shapes::SHAPES_HELP,
        ];
        for line in texts.iter().flat_map(|text| text.lines()) {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}
