//! The table of chunks and events in the README is what the parser returns.

use followup::{Event, Field, Parser};

fn description(event: Event<'_>) -> String {
    match event {
        Event::Text(text) => format!("Text      {text:?}"),
        Event::Partial(call) => match call.field() {
            Field::Question => format!("Partial   question {:?}", call.question().unwrap()),
            Field::Suggestion => {
                let newest = call.suggestions().iter().last().unwrap();
                let mode = newest.mode.map(|mode| format!(" (mode {mode})")).unwrap_or_default();
                format!("Partial   + suggestion {:?}{mode}", newest.answer)
            }
            field => panic!("{field:?}"),
        },
        Event::Complete(call) => {
            assert_eq!(call.suggestions().len(), 2);
            format!("Complete  the question, two suggestions, bytes {}..{}", call.span().start, call.span().end)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_table_in_the_readme_is_what_the_parser_returns() {
    let readme = include_str!("../../README.md");
    let picture = readme.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
    let at = picture.find("event\n").unwrap();
    let (mut parser, mut expected, mut shown) = (Parser::default(), Vec::new(), Vec::new());
    for row in picture.lines().skip(2) {
        let (chunk, event) = row.split_at(at);
        expected.push(event.trim_end().replace(" (mode code)", ""));
        let chunk = chunk.trim_end().replace("\\n", "\n");
        let mut events = parser.feed(&chunk);
        while let Some(event) = events.next() {
            shown.push(description(event).replace(" (mode code)", ""));
        }
    }
    assert_eq!(shown, expected);
    assert!(parser.finish().next().is_none());
}
