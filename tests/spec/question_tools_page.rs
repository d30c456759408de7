//! The examples of docs/question-tools.md are calls that their shapes read without a repair.

use followup::{Event, Parser, Policy, Shape, Shapes};
use followup_testing::{ToolExample, tool_examples};

/// Parses arguments by a shape, and returns the number of questions of the complete call.
fn questions(shape: &Shape, tool: &str, arguments: &str) -> usize {
    let policy = Policy::new().with_shapes(Shapes::new([shape.clone()]));
    let mut parser = Parser::arguments_of(tool, policy).expect("a tool of the shape");
    parser.feed(arguments).for_each(|event| assert!(matches!(event, Event::Partial(_)), "{event:?}"));
    let mut events = parser.finish();
    let Some(Event::Complete(call)) = events.next() else { panic!("{}: {arguments}", shape.name()) };
    assert!(call.notes().is_empty(), "{}: {:?}: {arguments}", shape.name(), call.notes());
    call.questions().len()
}

#[test]
fn each_built_in_shape_reads_the_example_of_its_tool_without_a_repair() {
    let examples = tool_examples(include_str!("../../docs/question-tools.md"));
    for ToolExample { shape, tool, arguments } in &examples {
        assert!(questions(shape, tool, arguments) > 0, "{arguments}");
    }
    for name in Shape::built_in_names() {
        assert!(examples.iter().any(|example| example.shape.name() == name), "the shape {name} has no example");
    }
}

#[test]
fn the_examples_of_ask_followup_question_mean_the_same_in_markup_and_natively() {
    let page = include_str!("../../docs/question-tools.md");
    let (_, section) = page.split_once("\n## Roo Code, Zoo Code, older Cline\n").expect("the section");
    let example = |language: &str| {
        let (_, rest) = section.split_once(&format!("```{language}\n")).expect("an example");
        rest.split_once("```").expect("its end").0.trim_end()
    };
    let read = |mut parser: Parser, stream: &str| {
        let mut found = Vec::new();
        let mut take = |event: Event<'_>| {
            if let Event::Complete(call) = event {
                assert!(call.notes().is_empty());
                let suggest = call.suggestions().iter().map(|one| (one.answer.to_owned(), one.mode.map(str::to_owned)));
                found.push((call.question().to_owned(), suggest.collect::<Vec<_>>()));
            }
        };
        parser.feed(stream).for_each(&mut take);
        parser.finish().for_each(&mut take);
        found
    };
    let markup = read(Parser::default(), example("xml"));
    assert_eq!((markup.len(), markup[0].1.len()), (1, 2));
    assert_eq!(read(Parser::arguments_of("ask_followup_question", Policy::new()).unwrap(), example("json")), markup);
}
