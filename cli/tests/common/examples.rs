//! The examples of docs/question-tools.md as calls of a provider, and their questions.

use followup::dialogue::{Dialogue, Form, FormAnswer};
use followup::wire::{Format, ResponseParser};
use followup::{Policy, QuestionKind, Shape, Shapes};
use followup_testing::{ToolExample, tool_examples};

/// Returns the examples of the page. Each built-in shape has one.
pub(crate) fn examples() -> Vec<ToolExample<'static>> {
    let examples = tool_examples(include_str!("../../../docs/question-tools.md"));
    for name in Shape::built_in_names() {
        assert!(examples.iter().any(|example| example.shape.name() == name), "the shape {name} has no example");
    }
    examples
}

/// Returns the `--shapes` with which the shape of the example reads it: `all`, unless another shape
/// for its tool comes first there.
pub(crate) fn shapes(example: &ToolExample<'_>) -> String {
    let has_tool = |name: &&str| Shape::built_in(name).unwrap().tools().any(|tool| tool == example.tool);
    let first = Shape::built_in_names().find(has_tool);
    if first == Some(example.shape.name()) { "all".into() } else { example.shape.name().into() }
}

/// Returns a dialogue in which the example is open, after this body of OpenAI's chat format.
pub(crate) fn asked(example: &ToolExample<'_>, body: &str) -> Dialogue {
    let policy = Policy::new().with_shapes(Shapes::new([example.shape.clone()]));
    let (mut dialogue, mut parser) = (Dialogue::default(), ResponseParser::new(Format::OpenAiChat, policy));
    for piece in [Some(body), None] {
        let mut events = match piece {
            Some(body) => parser.feed(body.as_bytes()),
            None => parser.finish(),
        };
        while let Some(event) = events.next() {
            let _ = dialogue.event(event.unwrap());
        }
    }
    assert!(dialogue.question().is_some(), "{} is asked", example.arguments);
    dialogue
}

/// Returns the questions of a dialogue in which a call is open.
pub(crate) fn form(dialogue: &Dialogue) -> &Form {
    dialogue.question().unwrap().form.as_ref().unwrap()
}

/// Returns an answer to each question: the last option, or the first and the last where several may
/// be picked; without options a number or a text.
pub(crate) fn answers(form: &Form) -> Vec<FormAnswer> {
    let answer = |(options, multiple, kind)| match (options, multiple, kind) {
        (0, _, Some(QuestionKind::Number)) => FormAnswer::text("8080"),
        (0, ..) => FormAnswer::text("It's \"new\""),
        (2.., Some(true), _) => FormAnswer::picked([0, options - 1]),
        _ => FormAnswer::picked([options - 1]),
    };
    form.questions.iter().map(|one| answer((one.options.len(), one.multiple, one.kind))).collect()
}
