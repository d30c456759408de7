//! The guarantees, for the arguments of question tools that a shape reads.

use std::sync::Arc;

use followup::owned::{CallView, Event, QuestionOption, QuestionView, Reader, SuggestionView};
use followup::{Checkpoint, Limits, Malformed, Parser, Policy, ResumeError, Shape, Shapes};

use followup_testing::literals::QUESTION_TOOLS;

use crate::checkpoints::forgeries;
use crate::common::shapes::random::{self, Random};
use crate::common::shapes::table::Table;
use crate::common::stored::paths;
use crate::common::sweep::{Sweep, cases};

/// Arguments for the shapes, some of them cut off.
pub fn arguments(random: &mut Random) -> Vec<u8> {
    const WHOLE: [&str; 8] = [
        r#"{"questions":[{"question":"Which?","header":"W","options":[{"label":"A","description":"a","preview":"b"},{"label":"B","description":"c"}],"multiSelect":false},{"question":"And?","header":"X","options":[{"label":"C","description":"d"}],"multiSelect":true}]}"#,
        r#"{"questions":[{"header":"H","id":"i","options":[{"description":"d","label":"L"}],"question":"Last?"}]}"#,
        r#"{"question":"One?","choices":["A (Recommended)","B"],"allow_freeform":false}"#,
        r#"{"message":"m","requestedSchema":{"properties":{"a":{"type":"array","title":"T","items":{"enum":["x","y"]},"default":["x"]},"b":{"type":"boolean","description":"Sure?"}},"required":["b"]}}"#,
        r#"{"questions":"[{\"question\":\"Go\\n?\",\"options\":[{\"label\":\"Yes\"}]}]"}"#,
        r#""{\"questions\": [{\"question\": \"Go?\", \"options\": \"[\\\"a\\\", \\\"b\\\"]\"}]}""#,
        r#"{"questionnaire":"1. [question] Which? (multi)\n[topic] W\n[option] A\n[option] B\n2. [question] And?"}"#,
        r#"{"questions":[{"id":"s","label":"S","prompt":"How?","options":[{"value":"s","label":"Small"}],"allowOther":false}]}"#,
    ];
    let mut text = match random.below(3) {
        0 => WHOLE[random.below(WHOLE.len())].as_bytes().to_vec(),
        _ => Vec::new(),
    };
    for _ in 0..random.below(12) {
        let piece = QUESTION_TOOLS[random.below(QUESTION_TOOLS.len())];
        let at = if text.is_empty() || random.below(2) == 0 { text.len() } else { random.below(text.len()) };
        text.splice(at..at, piece.iter().copied());
    }
    match random.below(8) {
        0 => text.truncate(random.below(text.len() + 1)),
        1 if !text.is_empty() => {
            let at = random.below(text.len());
            text[at] = 0xE2;
        }
        _ => {}
    }
    text
}

pub fn policy(random: &mut Random) -> Arc<Policy> {
    let limits = match random.below(4) {
        0 => Limits { texts: random.below(12), ..Limits::default() },
        1 => Limits {
            question: 3,
            answer: 2,
            suggestions: 1,
            questions: 1,
            header: 2,
            description: 2,
            ..Limits::default()
        },
        _ => Limits::default(),
    };
    let malformed = if random.below(6) == 0 { Malformed::Reject } else { Malformed::Repair };
    Arc::new(Policy::new().with_limits(limits).with_malformed(malformed))
}

/// What came of a stream: the view, and the event at its end.
fn read(
    parser: Parser,
    stream: &[u8],
    sizes: &mut dyn FnMut() -> usize,
    ends: bool,
) -> (CallView, Option<Event>, Parser) {
    read_on(CallView::default(), parser, stream, sizes, ends)
}

/// The same, after a beginning with this view.
fn read_on(
    mut view: CallView,
    parser: Parser,
    stream: &[u8],
    sizes: &mut dyn FnMut() -> usize,
    ends: bool,
) -> (CallView, Option<Event>, Parser) {
    let (mut reader, mut end) = (Reader::new(parser), None);
    let mut rest = stream;
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at(sizes().clamp(1, rest.len()));
        rest = after;
        for event in reader.feed(bytes::Bytes::copy_from_slice(chunk)) {
            let Event::Partial(partial) = event else { panic!("{event:?} before the end") };
            view.append(&partial);
            assert!(view.is_in_sync(&partial), "{partial:?}\n{view:?}\n{}", String::from_utf8_lossy(stream));
        }
    }
    if ends {
        for event in reader.finish() {
            match event {
                Event::Partial(partial) => view.append(&partial),
                event => assert!(end.replace(event).is_none(), "a call ends twice"),
            }
        }
        assert!(end.is_some(), "a call has no end: {}", String::from_utf8_lossy(stream));
    }
    (view, end, reader.into_parser())
}

/// Checks random arguments of the built-in shapes, and of shapes drawn at random.
fn each_stream(seed: u64, mut check: impl FnMut(&mut Random, &str, Arc<Policy>, &[u8])) {
    let mut random = Random(seed);
    let names = |shape: Shape| shape.tools().map(str::to_owned).collect::<Vec<_>>();
    let tools: Vec<String> = Shapes::default().iter().flat_map(names).collect();
    for _ in 0..cases(20_000) {
        let policy = policy(&mut random);
        if random.one_in(3) {
            let shape = random::shape(&mut random);
            let stream = random::arguments(&mut random, &Table::new(shape.text()));
            let tool = shape.tools().next().unwrap().to_owned();
            let policy = Policy::clone(&policy).with_shapes(Shapes::new([shape]));
            check(&mut random, &tool, Arc::new(policy), &stream);
        } else {
            let tool = &tools[random.below(tools.len())];
            let stream = arguments(&mut random);
            check(&mut random, tool, policy, &stream);
        }
    }
}

#[test]
fn the_arguments_of_a_question_tool_mean_the_same_however_they_are_cut() {
    each_stream(7, |random, tool, policy, stream| {
        let parser = || Parser::arguments_of(tool, policy.clone()).unwrap();
        let (view, end, _) = read(parser(), stream, &mut || stream.len(), true);
        let context = || format!("{tool}: {}", String::from_utf8_lossy(stream));
        let (in_bytes, end_of_bytes, _) = read(parser(), stream, &mut || 1, true);
        assert_eq!((&view, &end), (&in_bytes, &end_of_bytes), "{}", context());
        let (in_pieces, end_of_pieces, _) = read(parser(), stream, &mut || 1 + random.below(9), true);
        assert_eq!((&view, &end), (&in_pieces, &end_of_pieces), "{}", context());
    });
}

#[test]
fn the_view_and_the_state_depend_on_the_bytes_alone_and_a_checkpoint_resumes() {
    each_stream(11, |random, tool, policy, stream| {
        let parser = || Parser::arguments_of(tool, policy.clone()).unwrap();
        let at = random.below(stream.len() + 1);
        let context = || format!("{tool}: {} at {at}", String::from_utf8_lossy(stream));
        let (view, _, whole) = read(parser(), &stream[..at], &mut || stream.len(), false);
        let (in_bytes, _, bytewise) = read(parser(), &stream[..at], &mut || 1, false);
        assert_eq!(view, in_bytes, "{}", context());
        assert_eq!(whole.checkpoint(), bytewise.checkpoint(), "{}", context());

        let stored = serde_json::to_string(&whole.checkpoint()).unwrap();
        let resumed = Parser::resume(policy.clone(), serde_json::from_str(&stored).unwrap());
        let resumed = resumed.unwrap_or_else(|error| panic!("{error}: {}: {stored}", context()));
        let (whole_view, end, _) = read(parser(), stream, &mut || 1, true);
        let (resumed_view, resumed_end, _) = read_on(view, resumed, &stream[at..], &mut || stream.len(), true);
        assert_eq!((whole_view, end), (resumed_view, resumed_end), "{}", context());
    });
}

#[test]
fn an_empty_chunk_leaves_a_parser_that_was_resumed_before_the_first_byte_as_it_is() {
    let parser = || Parser::arguments_of("AskUserQuestion", Policy::new()).unwrap();
    let mut resumed = Parser::resume(Policy::new(), parser().checkpoint()).unwrap();
    assert!(resumed.feed("").next().is_none());
    assert_eq!(resumed.checkpoint(), parser().checkpoint());
}

#[test]
fn nothing_that_was_shown_of_a_question_is_taken_back() {
    each_stream(13, |_, tool, policy, stream| {
        let parser = Parser::arguments_of(tool, policy).unwrap();
        let (view, end, _) = read(parser, stream, &mut || 1, true);
        let (form, first) = match end {
            Some(Event::Complete(call)) => (call.form.unwrap(), true),
            Some(Event::Rejected(call)) => (call.form.unwrap(), false),
            event => panic!("{event:?}"),
        };
        let questions = form.questions;
        let context = || format!("{tool}: {}\n{view:?}\n{questions:?}", String::from_utf8_lossy(stream));
        assert_eq!(view.title(), form.title.as_deref(), "{}", context());
        assert_eq!(view.questions().len(), questions.iter().filter(|one| is_visible(one)).count(), "{}", context());
        for (shown, whole) in view.questions().iter().zip(&questions) {
            let QuestionView { header, text, detail, suggestions, .. } = shown;
            assert_eq!(*text, *whole.text, "{}", context());
            assert_eq!(*header, *whole.header.as_deref().unwrap_or_default(), "{}", context());
            // A detail is shown once its question is.
            if !text.is_empty() {
                assert_eq!(*detail, *whole.detail.as_deref().unwrap_or_default(), "{}", context());
            }
            let labelled = whole.suggestions.iter().filter(|one| !one.answer.is_empty());
            assert_eq!(suggestions.len(), labelled.clone().count(), "{}", context());
            for (shown, whole) in suggestions.iter().zip(labelled) {
                assert!(is_same(shown, whole), "{}", context());
            }
            assert!(!first || !whole.text.is_empty(), "{}", context());
        }
    });
}

fn is_visible(question: &followup::owned::Question) -> bool {
    !question.text.is_empty()
        || question.header.is_some()
        || question.suggestions.iter().any(|one| !one.answer.is_empty())
}

fn is_same(shown: &SuggestionView, whole: &QuestionOption) -> bool {
    shown.answer == *whole.answer
        && shown.description == *whole.description.as_deref().unwrap_or_default()
        && shown.preview == *whole.preview.as_deref().unwrap_or_default()
}

/// With a forged checksum, a changed value leads to nothing worse than a wrong view.
#[test]
fn a_forged_checkpoint_of_a_question_tool_is_an_error_or_a_parser_that_reads_on() {
    const STREAMS: [(&str, &str); 3] = [
        (
            "AskUserQuestion",
            r#"{"questions":"[{\"question\":\"Q\\n?\",\"options\":[{\"description\":\"d\",\"label\":\"L\"},\"M\"],\"multiSelect\":true}]"}"#,
        ),
        (
            "elicitation/create",
            r#"{"requestedSchema":{"required":["a"],"properties":{"a":{"items":{"enum":["x","y"]},"enumNames":["X"],"default":["x"],"description":"D"}}}}"#,
        ),
        ("ask_user", r#"{"question":"a\\n\\","options":{"A":"b"},"placeholder":"p"}"#),
    ];
    let mut sweep = Sweep::sampled(2, 40);
    let limits =
        Limits { question: 9, answer: 9, suggestions: 2, questions: 2, header: 9, texts: 20, ..Limits::default() };
    let shapes = Shapes::new(["claude", "mcp", "gemini"].map(|name| Shape::built_in(name).unwrap()));
    let policy = Arc::new(Policy::new().with_limits(limits).with_shapes(shapes));
    for (tool, stream) in STREAMS {
        for at in (0..=stream.len()).step_by(3) {
            let mut parser = Parser::arguments_of(tool, policy.clone()).unwrap();
            drop(parser.feed(&stream[..at]));
            let stored = serde_json::to_value(parser.checkpoint()).unwrap();
            let places = paths(&stored);
            let elsewhere = places.iter().step_by(5).map(|path| stored.pointer(path).unwrap().clone());
            let values: Vec<serde_json::Value> = forgeries().into_iter().chain(elsewhere).collect();
            for (path, value) in places.iter().flat_map(|path| values.iter().map(move |value| (path, value))) {
                if !sweep.tries(2) {
                    continue;
                }
                let mut forged = stored.clone();
                *forged.pointer_mut(path).unwrap() = value.clone();
                let Ok(checkpoint) = serde_json::from_value::<Checkpoint>(forged) else { continue };
                let Ok(parser) = Parser::resume(policy.clone(), checkpoint.with_valid_checksum()) else { continue };
                for rest in [&stream.as_bytes()[at..], b"", b"\xE3", b"\"}]}", b"\\\"]}]\",\"options\":[1]}]}"] {
                    let mut parser = parser.clone();
                    parser.feed_bytes(rest).for_each(|event| drop(format!("{event:?}")));
                    parser.finish().for_each(|event| drop(format!("{event:?}")));
                }
            }
        }
    }
}

/// What is kept is read again with a bracket in place of its first comma.
#[test]
fn what_is_kept_before_a_text_can_be_forged() {
    let policy = Arc::new(Policy::new());
    let mut parser = Parser::arguments_of("AskUserQuestion", policy.clone()).unwrap();
    drop(parser.feed(r#"{"header":"H","#));
    let stored = serde_json::to_value(parser.checkpoint()).unwrap();
    let kept = paths(&stored).into_iter().find(|path| path.ends_with("/kept")).unwrap();
    assert_eq!(stored.pointer(&kept).unwrap(), r#","header":"H""#);
    let forgeries = ["é", "h", ",\"a", ",\"options\":[{\"label\":\"A\"", ",[[[{", ",}}]]", ",\"header\":{\"a\":"];
    for forgery in forgeries {
        let mut forged = stored.clone();
        *forged.pointer_mut(&kept).unwrap() = forgery.into();
        let checkpoint = serde_json::from_value::<Checkpoint>(forged).unwrap();
        let Ok(mut parser) = Parser::resume(policy.clone(), checkpoint.with_valid_checksum()) else { continue };
        parser
            .feed(r#""question":"Q","options":["A"],"multiSelect":true}"#)
            .for_each(|event| drop(format!("{event:?}")));
        parser.finish().for_each(|event| drop(format!("{event:?}")));
    }
    // It keeps a value whose key it has not kept.
    let mut parser = Parser::arguments_of("AskUserQuestion", policy.clone()).unwrap();
    drop(parser.feed(r#"{"zzz":""#));
    let mut forged = serde_json::to_value(parser.checkpoint()).unwrap();
    let keeping = paths(&forged).into_iter().find(|path| path.ends_with("/is_keeping")).unwrap();
    *forged.pointer_mut(&keeping).unwrap() = true.into();
    let checkpoint = serde_json::from_value::<Checkpoint>(forged).unwrap().with_valid_checksum();
    assert_eq!(Parser::resume(policy, checkpoint).err(), Some(ResumeError::Corrupt));
}
