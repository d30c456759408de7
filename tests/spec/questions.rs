//! The views of questions, and the values that describe a shape.
//!
//! Counts, equality, hashes, positions.

use std::fmt::Debug;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::iter::FusedIterator;

use followup::{Event, Parser, Policy, Question, Questions, Shape, Shapes};

const FORM: &str = r#"{"questions":[
    {"question":"First?","header":"1","options":[{"label":"A"},{"label":"B"}],"multiSelect":false},
    {"question":"Second?","header":"2","options":[{"label":"A"},{"label":"C"}],"multiSelect":true}]}"#;

/// Reads arguments, and passes the questions of the complete call.
fn asked<T>(tool: &str, arguments: &str, with: impl FnOnce(Questions<'_>) -> T) -> T {
    let mut parser = Parser::arguments_of(tool, Policy::new()).unwrap();
    drop(parser.feed(arguments));
    match parser.finish().next() {
        Some(Event::Complete(call)) => with(call.questions()),
        other => panic!("{other:?}"),
    }
}

fn hash(value: impl std::hash::Hash) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(value)
}

/// Checks that an iterator has these items, from both ends, and that it knows how many are left.
pub fn assert_items<I>(all: I, expected: &[I::Item])
where
    I: ExactSizeIterator + DoubleEndedIterator + FusedIterator + Clone,
    I::Item: Debug + PartialEq,
{
    for from_front in 0..=expected.len() {
        let (front, back) = expected.split_at(from_front);
        let (mut items, mut left) = (all.clone(), expected.len());
        let mut take = |items: &mut I, next: fn(&mut I) -> Option<I::Item>, item| {
            assert_eq!((items.len(), items.size_hint()), (left, (left, Some(left))));
            assert_eq!(next(items).as_ref(), Some(item));
            left -= 1;
        };
        front.iter().for_each(|item| take(&mut items, I::next, item));
        back.iter().rev().for_each(|item| take(&mut items, I::next_back, item));
        assert_eq!((items.len(), items.next(), items.next_back(), items.next()), (0, None, None, None));
    }
    for index in 0..=expected.len() {
        assert_eq!(all.clone().nth(index).as_ref(), expected.get(index));
    }
    assert_eq!(all.last().as_ref(), expected.last());
}

#[test]
fn lists_of_a_call_are_iterated_from_both_ends() {
    asked("AskUserQuestion", FORM, |questions| {
        let expected = [0, 1].map(|i| questions.get(i).unwrap());
        assert_items(questions.iter(), &expected);
        assert_items(questions.into_iter(), &expected);
        for question in questions {
            let expected = [0, 1].map(|i| question.suggestions.get(i).unwrap());
            assert_items(question.suggestions.iter(), &expected);
            assert_items(question.suggestions.into_iter(), &expected);
            assert_items(question.defaults.into_iter(), &[]);
        }
    });
    let choice = r#"{"message":"m","requestedSchema":{"properties":{"a":{"title":"A","type":"array",
        "items":{"enum":["x","y","z"]},"default":["x","z"]},"b":{"title":"B","type":"string"}}}}"#;
    asked("elicitation/create", choice, |questions| {
        let [a, b] = [0, 1].map(|i| questions.get(i).unwrap().defaults);
        assert_eq!((a.len(), a.get(0), a.get(1), a.get(2)), (2, Some("x"), Some("z"), None));
        assert_eq!((b.len(), b.get(0)), (0, None));
        assert_items(a.iter(), &["x", "z"]);
        assert_items(a.into_iter(), &["x", "z"]);
        assert_items(b.iter(), &[]);
    });
    asked("ask_followup_question", r#"{"question":"Q?","follow_up":["A","B","C"]}"#, |questions| {
        let question = questions.get(0).unwrap();
        assert_items(questions.iter(), &[question]);
        assert_items(question.suggestions.iter(), &[0, 1, 2].map(|i| question.suggestions.get(i).unwrap()));
        assert_eq!((question.defaults.len(), question.defaults.get(0)), (0, None));
        assert_items(question.defaults.iter(), &[]);
    });
}

#[test]
fn questions_have_as_many_as_they_return() {
    asked("AskUserQuestion", FORM, |questions| {
        assert_eq!((questions.len(), questions.is_empty(), questions.iter().count()), (2, false, 2));
        let first = questions.get(0).unwrap();
        assert_eq!((first.text, first.suggestions.len(), first.suggestions.is_empty()), ("First?", 2, false));
        assert_eq!(first.suggestions.get(1).unwrap().answer, "B");
        assert!(first.suggestions.get(2).is_none(), "the next is of the second question");
        assert_eq!(questions.get(1).unwrap().suggestions.get(1).unwrap().answer, "C");
        assert!(questions.get(2).is_none());
    });
    asked("ask_followup_question", r#"{"question":"Q?"}"#, |questions| {
        assert_eq!((questions.len(), questions.is_empty()), (1, false));
        let question = questions.get(0).unwrap();
        assert_eq!((question.text, question.suggestions.len(), question.suggestions.is_empty()), ("Q?", 0, true));
        assert!(questions.get(1).is_none());
    });
}

#[test]
fn a_partial_has_the_questions_that_are_shown() {
    // What is shown of a call with one question: its text or its suggestions, in their order.
    for (tool, fragments) in [
        ("ask_followup_question", [r#"{"question":""#, "Q", r#"?","follow_up":["A"#]),
        ("ask_followup_question", [r#"{"follow_up":["#, r#"{"text":"A"#, r#""}],"question":"Q"#]),
    ] {
        let mut parser = Parser::arguments_of(tool, Policy::new()).unwrap();
        for (i, fragment) in fragments.iter().enumerate() {
            let mut events = parser.feed(fragment);
            while let Some(event) = events.next() {
                let Event::Partial(call) = event else { panic!("{event:?}") };
                assert_eq!((call.questions().len(), call.questions().is_empty()), (1, false), "{i}: {fragments:?}");
                let question = call.questions().get(0).unwrap();
                assert!(!question.text.is_empty() || !question.suggestions.is_empty(), "{i}: {fragments:?}");
            }
        }
    }
}

#[test]
fn a_call_without_a_question_has_none() {
    for tool in ["AskUserQuestion", "ask_followup_question"] {
        let mut parser = Parser::arguments_of(tool, Policy::new()).unwrap();
        drop(parser.feed("{}"));
        let mut events = parser.finish();
        let Some(Event::Rejected(call)) = events.next() else { panic!("{tool} is asked") };
        assert_eq!((call.questions().len(), call.questions().is_empty()), (0, true), "{tool}");
        assert!(call.questions().get(0).is_none(), "{tool}");
    }
}

#[test]
fn equal_questions_have_equal_hashes_and_others_have_not() {
    asked("AskUserQuestion", FORM, |questions| {
        let [first, second] = [0, 1].map(|i| questions.get(i).unwrap());
        assert_eq!((first, hash(first.suggestions)), (first, hash(questions.get(0).unwrap().suggestions)));
        assert_ne!((first, hash(first.suggestions)), (second, hash(second.suggestions)));
        assert_ne!(hash(first.suggestions), hash(second.suggestions));
        asked("AskUserQuestion", FORM, |same| assert_eq!((same, hash(same)), (questions, hash(questions))));
        let other = FORM.replace("Second?", "Other?");
        asked("AskUserQuestion", &other, |other| assert_ne!(hash(other), hash(questions)));
    });
}

#[test]
fn defaults_are_those_of_their_question() {
    let form = r#"{"message":"m","requestedSchema":{"properties":{
        "a":{"title":"A","type":"string","default":"x"},
        "b":{"title":"B","type":"string","default":"y"},
        "c":{"title":"C","type":"string"}}}}"#;
    asked("elicitation/create", form, |questions| {
        let defaults = |question: Question<'_>| question.defaults.iter().map(str::to_owned).collect::<Vec<_>>();
        let [a, b, c] = [0, 1, 2].map(|i| questions.get(i).unwrap());
        assert_eq!([a, b, c].map(defaults), [vec!["x".to_owned()], vec!["y".to_owned()], vec![]]);
        assert_eq!([a, b, c].map(|one| one.defaults.is_empty()), [false, false, true]);
        assert_ne!(a.defaults, b.defaults);
        assert_ne!(hash(a.defaults), hash(b.defaults));
        assert_eq!(hash(a.defaults), hash(questions.get(0).unwrap().defaults));
    });
}

#[test]
fn shapes_are_equal_if_their_texts_are() {
    let text = "shape mine\ntool ask_me\ntext question\n";
    let [mine, same, other] =
        [text.to_owned(), text.to_owned(), text.replace("mine", "yours")].map(|text| Shape::parse(&text).unwrap());
    assert_eq!((&mine, hash(&mine)), (&same, hash(&same)));
    assert_ne!(mine, other);
    assert_ne!(hash(&mine), hash(&other));
    assert_eq!(format!("{mine:?}"), r#"Shape("mine")"#);
}

#[test]
fn shapes_are_read_from_their_texts() {
    let texts = ["a", "b"].map(|name| format!("shape {name}\ntool ask_{name}\ntext question\n"));
    for text in [texts[0].clone(), texts.concat(), "shape a".to_owned()] {
        assert_eq!(text.parse::<Shape>(), Shape::parse(&*text));
        assert_eq!(text.parse::<Shapes>(), Shapes::parse(&text));
    }
    let both: Shapes = texts.concat().parse().unwrap();
    let read: Vec<_> = both.iter().map(|shape| shape.text().trim_end().to_owned()).collect();
    assert_eq!(read, texts.map(|text| text.trim_end().to_owned()));
}

#[test]
fn a_shape_may_have_60_keys() {
    let with = |keys: u32| {
        let keys: String = (0..keys).map(|key| format!(" q{key}")).collect();
        Shape::parse(format!("shape a\ntool t\ntext{keys}\n")).map(drop)
    };
    assert_eq!(with(60), Ok(()));
    let error = with(61).unwrap_err();
    assert_eq!((error.line(), error.column()), (3, "text".len() + 10 * 3 + 50 * 4 + 2), "{error}");
}

#[test]
fn an_error_in_a_shape_has_its_line_and_its_column() {
    for (text, line, column) in [
        ("shape a\ntool t\n  nothing x\n", 3, 3),
        ("shape a\n# a comment\ntool t # another\nform q frob\ntext q\n", 4, 8),
        ("shape a # text q\ntool t\n", 3, 1),
        ("shape a\ntool t\nform é frob\ntext q\n", 3, 8),
        ("shape a\ntool t\ntext #q\n", 3, 5),
        ("shape a\ntool t\nform f mcp\nform g mcp\ntext q\n", 4, 1),
    ] {
        let error = Shape::parse(text).expect_err(text);
        assert_eq!((error.line(), error.column()), (line, column), "{text:?}: {error}");
        assert_eq!(error.clone().after_lines(7).line(), line + 7);
    }
    let long = |len| format!("{:#<len$}\n", "shape a\ntool t\ntext q\n#");
    assert!(Shape::parse(long((32 << 10) - 1)).is_ok(), "32 KiB");
    assert!(Shape::parse(long(32 << 10)).is_err());
    // A `#` begins a comment at the start of a line, and after a space.
    assert!(Shape::parse("shape a\ntool t#1 #2\ntext q\n").is_ok());
}
