//! What is measured, and how it is cut: the only use of the library's test support.

use followup::{Parser, Policy, Shape, Shapes};
use followup_testing::workloads;

use super::arguments;
use crate::error::Error;

pub(super) use followup_testing::pieces;

/// A message, or the arguments of a call.
pub(super) struct Workload {
    pub(super) name: String,
    pub(super) message: String,
    /// The number of complete calls in it.
    pub(super) calls: usize,
    /// What parses it, once for each run.
    pub(super) parser: Parser,
}

/// Returns the built-in messages.
pub(super) fn messages() -> Vec<Workload> {
    workloads::everyday().map(Workload::from).collect()
}

impl From<workloads::Workload> for Workload {
    fn from(built_in: workloads::Workload) -> Self {
        let (name, calls) = (built_in.name.into(), built_in.questions);
        Workload { name, message: built_in.message, calls, parser: Parser::default() }
    }
}

/// Returns the arguments of a call of each shape.
///
/// # Errors
///
/// Fails if there are no arguments for one of them, or if there are no shapes.
pub(super) fn calls(shapes: &Shapes) -> Result<Vec<Workload>, Error> {
    let shapes: Vec<Shape> = shapes.iter().collect();
    if shapes.is_empty() {
        return Err(Error::Usage("--shapes none leaves nothing to measure: name a shape, or leave it out".into()));
    }
    shapes.iter().map(call).collect()
}

fn call(shape: &Shape) -> Result<Workload, Error> {
    let tool = shape.tools().next().unwrap_or_default();
    let policy = Policy::new().with_shapes(Shapes::new([shape.clone()]));
    match (arguments::of_shape(shape), Parser::arguments_of(tool, policy)) {
        (Some(message), Some(parser)) => Ok(Workload { name: shape.name().into(), message, calls: 1, parser }),
        _ => Err(Error::Usage(format!(
            "there are no arguments to measure for the shape {}: name a file that has them, as in\n\n  \
             followup bench --shapes … --arguments-of {tool} FILE",
            shape.name()
        ))),
    }
}
