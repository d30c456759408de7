//! What several modules here share.

use followup::dialogue::{Dialogue, Setup, Template};
use followup::{Parser, Policy, Shape, Shapes};
use serde_json::Value;

/// Feeds the arguments of one call to a dialogue.
pub(crate) fn feed(dialogue: &mut Dialogue, parser: &mut Parser, arguments: &str) {
    for arguments in [Some(arguments), None] {
        let mut events = match arguments {
            Some(arguments) => parser.feed(arguments),
            None => parser.finish(),
        };
        while let Some(event) = events.next() {
            let _ = dialogue.event(event);
        }
    }
}

/// Feeds the arguments of one call of a tool to a dialogue, with the default shapes.
pub(crate) fn call(dialogue: &mut Dialogue, tool: &str, arguments: &Value) {
    let mut parser = Parser::arguments_of(tool, Policy::new()).unwrap();
    feed(dialogue, &mut parser, &arguments.to_string());
}

/// Returns a dialogue in which a tool was called.
pub(crate) fn asked(tool: &str, arguments: &Value) -> Dialogue {
    let mut dialogue = Dialogue::default();
    call(&mut dialogue, tool, arguments);
    dialogue
}

/// Returns a dialogue in which a tool was called, read by this built-in shape and answered by this
/// built-in template; the default template of the shape if there is none.
pub(crate) fn asked_by(shape: &str, template: Option<&str>, arguments: &impl ToString) -> Dialogue {
    let shape = Shape::built_in(shape).unwrap();
    let tool = shape.tools().next().unwrap().to_owned();
    let setup = match template {
        Some(template) => Setup::default().with_template(&*tool, Template::named(template).unwrap()),
        None => Setup::default(),
    };
    let mut dialogue = Dialogue::new(setup);
    let mut parser = Parser::arguments_of(&tool, Policy::new().with_shapes(Shapes::new([shape]))).unwrap();
    feed(&mut dialogue, &mut parser, &arguments.to_string());
    dialogue
}
