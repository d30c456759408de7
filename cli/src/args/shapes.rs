//! The options of `followup shapes`.

use clap::builder::PossibleValuesParser;
use followup::Shape;

pub(super) const SHAPES_HELP: &str = "\
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
pub(crate) struct ShapesArgs {
    /// The shape to print
    #[arg(value_parser = PossibleValuesParser::new(Shape::built_in_names()), hide_possible_values = true)]
    pub(crate) name: Option<String>,
}
