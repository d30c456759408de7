//! Values that become certain at once are shown in the same order however the stream is cut.

use followup::{Event, Field, Parser, Policy, Shape, Shapes};

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

/// What grows: a field, of a question, or of a suggestion.
type Step = (Field, usize, Option<usize>);

/// Returns what grows, in order.
fn steps(mut parser: Parser, stream: &str, size: usize) -> Vec<Step> {
    let mut steps = Vec::new();
    for chunk in stream.as_bytes().chunks(size) {
        let mut events = parser.feed_bytes(chunk);
        while let Some(event) = events.next() {
            if let Event::Partial(call) = event
                && !call.delta().is_empty()
            {
                let step = (call.field(), call.question_index(), call.suggestion_index());
                if steps.last() != Some(&step) {
                    steps.push(step);
                }
            }
        }
    }
    steps
}

/// A form whose parts come in another order than that in which a partial without a cut would show
/// them: a title at the end, a header after its question, and flags last.
const FORM: &str = r#"{"questions":[{"question":"A?","header":"H","options":[{"description":"d","label":"B"},{"label":80}],
    "multiple":true,"required":true},{"options":["C","D"],"question":"E?","detail":"F","header":"G"}],"title":"T"}"#;

const SHAPE: &str = "shape quiz\ntool quiz\nquestions questions\ntext question\nheader header\ndetail detail\n\
    title title\noptions options\nlabel label\ndescription description\nmultiple multiple :no\nrequired required\n";

fn quiz() -> Parser {
    let shapes = Shapes::new([Shape::parse(SHAPE).unwrap()]);
    Parser::arguments_of("quiz", Policy::new().with_shapes(shapes)).unwrap()
}

#[test]
fn what_becomes_known_of_a_form_comes_in_the_order_of_the_stream() {
    let expected = steps(quiz(), FORM, 1);
    assert_eq!(expected.len(), 11, "{expected:?}");
    let quoted = |text: &str| serde_json::to_string(text).unwrap();
    let (list, title) = FORM[1..].split_once(r#","title""#).unwrap();
    let in_list = format!(r#"{{"questions":{},"title"{title}"#, quoted(list.split_once(':').unwrap().1));
    for arguments in [FORM, &quoted(FORM), &in_list, &quoted(&in_list)] {
        for size in 1..=arguments.len() {
            assert_eq!(steps(quiz(), arguments, size), expected, "in chunks of {size}: {arguments}");
        }
    }
}

#[test]
fn parameters_before_the_text_of_their_question_are_shown_before_it() {
    let parser = || Parser::new(Policy::new().with_shapes(Shapes::new([Shape::parse(SHAPE).unwrap()])));
    for text in ["Q?", "  Q?", "é"] {
        let message = format!(
            "<function=quiz><parameter=options>[\"A\",\"B\"]</parameter><parameter=header>H</parameter><parameter=question>{text}</parameter></function>"
        );
        let native = format!("{{\"options\":[\"A\",\"B\"],\"header\":\"H\",\"question\":\"{}\"}}", text.trim());
        let expected = steps(quiz(), &native, 1);
        assert_eq!((expected.len(), expected.last()), (4, Some(&(Field::Question, 0, None))), "{expected:?}");
        for size in 1..=message.len() {
            assert_eq!(steps(parser(), &message, size), expected, "in chunks of {size}: {message}");
        }
    }
}

#[test]
fn what_becomes_known_of_a_form_in_an_envelope_comes_in_the_order_of_the_stream() {
    let expected = steps(quiz(), FORM, 1);
    let envelope = |arguments: &str| format!("<tool_call>{{\"name\":\"quiz\",\"arguments\":{arguments}}}</tool_call>");
    let parser = || Parser::new(Policy::new().with_shapes(Shapes::new([Shape::parse(SHAPE).unwrap()])));
    for message in [envelope(FORM), envelope(&serde_json::to_string(FORM).unwrap())] {
        for size in 1..=message.len() {
            assert_eq!(steps(parser(), &message, size), expected, "in chunks of {size}: {message}");
        }
    }
}
