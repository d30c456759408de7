//! Values that become certain at once are shown in the same order however the stream is cut.

use followup::{Event, Field, Parser, Policy};

/// Returns the fields that grow, in order.
fn order(mut parser: Parser, stream: &str, size: usize) -> Vec<(Field, usize)> {
    let mut order = Vec::new();
    for chunk in stream.as_bytes().chunks(size) {
        let mut events = parser.feed_bytes(chunk);
        while let Some(event) = events.next() {
            if let Event::Partial(call) = event {
                let field =
                    (call.field(), if call.field() == Field::Suggestion { call.suggestions().len() } else { 0 });
                if order.last() != Some(&field) {
                    order.push(field);
                }
            }
        }
    }
    order
}

const SUGGESTIONS_FIRST: [(Field, usize); 4] =
    [(Field::Suggestion, 1), (Field::Suggestion, 2), (Field::Suggestion, 3), (Field::Question, 0)];

#[test]
fn a_list_in_markup_comes_before_the_question_after_it() {
    let call = "<ask_followup_question><follow_up>[\"a\",\"b\",\"c\"]</follow_up><question>Q</question></ask_followup_question>";
    for size in 1..=call.len() {
        assert_eq!(order(Parser::default(), call, size), SUGGESTIONS_FIRST, "in chunks of {size}");
    }
}

#[test]
fn a_list_in_a_string_comes_before_the_question_after_it() {
    let arguments =
        r#"{"follow_up":"<suggest>a</suggest><suggest>b</suggest><suggest>c</suggest>","question":"Q","x":1}"#;
    for size in 1..=arguments.len() {
        assert_eq!(order(Parser::arguments(Policy::new()), arguments, size), SUGGESTIONS_FIRST, "in chunks of {size}");
    }
}
