//! `--shapes`, which question tools are read, and `followup shapes`, which shows the built-in ones.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use followup::{Parser, Policy, Shape, Shapes};

use crate::args::shapes::ShapesArgs;
use crate::config_file;
use crate::error::{Error, Status};

/// Returns the shapes that `--shapes` names, in its order.
///
/// # Errors
///
/// Fails if a name is unknown or a file can't be used, or if `none` is not alone.
pub(crate) fn named(names: &[String]) -> Result<Shapes, Error> {
    match names {
        [name] if name == "all" => Ok(Shapes::default()),
        [name] if name == "none" => Ok(Shapes::none()),
        _ if names.iter().any(|name| name == "none") => {
            Err(Error::Usage("--shapes has none among other names: give it alone, or leave it out".into()))
        }
        _ => {
            let lists: Vec<Vec<Shape>> = names.iter().map(|name| load(name)).collect::<Result<_, _>>()?;
            Ok(Shapes::new(lists.into_iter().flatten()))
        }
    }
}

/// Loads the built-in shapes of this name, or the file at this path.
fn load(name: &str) -> Result<Vec<Shape>, Error> {
    const OPTION: &str = "--shapes";
    if name == "all" {
        return Ok(Shapes::default().iter().collect());
    }
    if let Some(shape) = Shape::built_in(name) {
        return Ok(vec![shape]);
    }
    if !config_file::is_path(name) {
        let names = Shape::built_in_names().collect::<Vec<_>>().join(", ");
        return Err(Error::Usage(format!(
            "there is no shape {name:?}: it is one of {names}, all, none, or a file, which has a point or a slash in \
             its name (./{name})"
        )));
    }
    let path = Path::new(name);
    let text = config_file::read(path, OPTION)?;
    let shapes = Shapes::parse(&text).map_err(|error| config_file::unusable(path, OPTION, &error))?;
    Ok(shapes.iter().collect())
}

/// Returns the parser of the arguments of a call of this tool.
///
/// # Errors
///
/// Fails if no shape of the policy reads the tool.
pub(crate) fn arguments_parser(tool: &str, policy: Arc<Policy>) -> Result<Parser, Error> {
    Parser::arguments_of(tool, policy.clone()).ok_or_else(|| not_read(tool, &[ASK_TOOL], &policy))
}

/// Returns the error for the name of a tool that is not read.
///
/// It is no question tool, or the policy leaves it out.
///
/// It lists the tools that could be meant: `first`, and those of the policy's shapes.
pub(crate) fn not_read(tool: &str, first: &[&str], policy: &Policy) -> Error {
    let shapes: Vec<Shape> = policy.shapes().iter().collect();
    let mut known = first.to_vec();
    for tool in shapes.iter().flat_map(Shape::tools) {
        // Several shapes may have it.
        if !known.contains(&tool) {
            known.push(tool);
        }
    }
    let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    Error::Usage(format!("{tool} is no question tool that is read: there are {known}, and --shapes takes others"))
}

/// The tool that needs no shape.
const ASK_TOOL: &str = "ask_followup_question";

/// `followup shapes`: lists the built-in shapes, or prints the text of one.
pub(crate) fn run(args: &ShapesArgs) -> Result<Status, Error> {
    let text = match &args.name {
        Some(name) => Shape::built_in(name).map(|shape| shape.text().to_owned()).unwrap_or_default(),
        None => list(),
    };
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(Status::Success)
}

/// Returns a line for each built-in shape: its name, and its tools.
fn list() -> String {
    let shapes = Shapes::default();
    let width = 2 + Shape::built_in_names().map(str::len).max().unwrap_or(0);
    let line = |shape: Shape| {
        let tools = shape.tools().collect::<Vec<_>>().join(" ");
        // Where an earlier shape has all its tools, it is used only if it is named.
        let is_used = shape.tools().any(|tool| shapes.find(tool).as_ref() == Some(&shape));
        format!("{:<width$}{tools}{}\n", shape.name(), if is_used { "" } else { " (only if named)" })
    };
    shapes.iter().map(line).collect()
}
