//! Equality and `Debug` of events, and the text of notes, reasons and errors.

use std::collections::BTreeSet;

use followup::{
    CallPart, Envelope, Envelopes, Event, Events, Limits, Note, Parser, Policy, Reason, ResumeError, Tools, ToolsError,
};
use followup_testing::Transcript;

use crate::common::sweep::assert_chunk_invariant;

const NOTES: [Note; 26] = [
    Note::UnclosedQuestion,
    Note::UnclosedSuggestion,
    Note::UnclosedFollowUp,
    Note::UnclosedOptions,
    Note::UnclosedCall,
    Note::StreamEnded,
    Note::StrayCloseTag,
    Note::TagInCode,
    Note::OutsideFollowUp,
    Note::BareQuestion,
    Note::OnlyNamed,
    Note::RepeatedQuestion,
    Note::SuggestionsDropped,
    Note::UnreadableList,
    Note::IllFormedString,
    Note::TextAfterArguments,
    Note::SuggestionsAsObject,
    Note::SuggestionsAsText,
    Note::RepeatedSuggestions,
    Note::UnreadableSuggestion,
    Note::IllFormedJson,
    Note::Envelope(Envelope::Kimi),
    Note::UnclosedEnvelope,
    Note::UnclosedParameter,
    Note::InReasoning,
    Note::PartLost,
];

const PARTS: [CallPart; 8] = [
    CallPart::Opening,
    CallPart::Parameters,
    CallPart::Question,
    CallPart::Answer,
    CallPart::Mode,
    CallPart::Options,
    CallPart::Suggestions,
    CallPart::Arguments,
];

#[test]
fn every_note_has_a_text_of_its_own() {
    let texts: BTreeSet<String> = NOTES.iter().map(Note::to_string).collect();
    assert_eq!(texts.len(), NOTES.len());
    assert!(texts.iter().all(|text| text.split(' ').count() > 3 && !text.ends_with('.')), "{texts:?}");
    assert!(texts.contains("the arguments are not JSON"));
}

#[test]
fn a_call_in_an_envelope_has_its_family_however_it_ends() {
    for (end, expected) in [("?\"}}</tool_call>", "complete"), ("", "rejected"), ("?\" x}}</tool_call>", "rejected")] {
        let message =
            format!("<tool_call>{{\"name\": \"ask_followup_question\", \"arguments\": {{\"question\": \"Q{end}");
        let mut seen = Vec::new();
        let mut parser = Parser::default();
        let mut see = |event: Event<'_>| match event {
            Event::Complete(call) => {
                assert!(call.notes().contains(&Note::Envelope(Envelope::Hermes)));
                seen.push(("complete", call.envelope()));
            }
            Event::Rejected(call) => seen.push(("rejected", call.envelope())),
            Event::Text(_) | Event::Opaque(_) | Event::Partial(_) => {}
        };
        parser.feed(&message).for_each(&mut see);
        parser.finish().for_each(&mut see);
        assert_eq!(seen, [(expected, Some(Envelope::Hermes))], "{message}");
    }
}

#[test]
fn a_call_as_markup_has_no_envelope() {
    for message in [
        "<ask_followup_question><question>Q</question></ask_followup_question>",
        "<ask_followup_question></ask_followup_question>",
    ] {
        let mut parser = Parser::new(Policy::new().with_envelopes(Envelopes::all()));
        let mut calls = 0;
        parser.feed(message).for_each(|event| match event {
            Event::Complete(call) => (calls, _) = (calls + 1, assert_eq!(call.envelope(), None)),
            Event::Rejected(call) => (calls, _) = (calls + 1, assert_eq!(call.envelope(), None)),
            Event::Text(_) | Event::Opaque(_) | Event::Partial(_) => {}
        });
        assert_eq!(calls, 1);
    }
}

#[test]
fn every_reason_has_a_text_and_a_code() {
    let mut reasons = vec![Reason::MissingParameter, Reason::Superseded];
    // The text of `Malformed(StreamEnded)` is that of `Truncated`.
    reasons.extend(NOTES.into_iter().filter(|note| *note != Note::StreamEnded).map(Reason::Malformed));
    reasons.extend(PARTS.map(Reason::Truncated));
    reasons.extend(PARTS.map(|part| Reason::TooLong { part, limit: 9 }));
    reasons.extend(PARTS.map(Reason::WrongType));
    let texts: BTreeSet<String> = reasons.iter().map(Reason::to_string).collect();
    assert_eq!(texts.len(), reasons.len());
    for (reason, text) in [
        (Reason::MissingParameter, "the required parameter `question` is missing"),
        (Reason::Malformed(Note::PartLost), "a part of the stream was lost while the call was open"),
        (Reason::Truncated(CallPart::Opening), "the message ended right after the opening tag"),
        (Reason::Truncated(CallPart::Parameters), "the message ended before the call was closed"),
        (Reason::Truncated(CallPart::Suggestions), "the message ended inside the list of suggestions"),
        (
            Reason::TooLong { part: CallPart::Mode, limit: 9 },
            "the mode of a suggestion is longer than the limit of 9 bytes",
        ),
        (Reason::WrongType(CallPart::Arguments), "the value of the arguments is of the wrong type: expected an object"),
        (Reason::WrongType(CallPart::Options), "the list of options is of the wrong type: expected an array"),
        (Reason::WrongType(CallPart::Question), "the question is of the wrong type: expected a string"),
        (Reason::Superseded, "another call of the same response counts instead"),
    ] {
        assert_eq!(reason.to_string(), text);
    }
    let codes: BTreeSet<&str> = reasons.iter().map(Reason::code).collect();
    assert_eq!(codes, ["malformed", "missing_parameter", "superseded", "too_long", "truncated", "wrong_type"].into());
}

#[test]
fn a_truncated_call_says_where_it_was_cut() {
    let place = |mut parser: Parser, stream: &str| {
        drop(parser.feed(stream));
        let mut events = parser.finish();
        while let Some(event) = events.next() {
            if let Event::Rejected(call) = event {
                return Some(call.reason());
            }
        }
        None
    };
    for (arguments, expected) in [
        ("", CallPart::Parameters),
        ("{", CallPart::Parameters),
        (r#"{"question"#, CallPart::Parameters),
        (r#"{"question":"#, CallPart::Parameters),
        (r#"{"question":"Wh"#, CallPart::Question),
        (r#"{"question":"Why?""#, CallPart::Parameters),
        (r#"{"question":"Q","other":"x"#, CallPart::Parameters),
        (r#"{"question":"Q","follow_up":["A"#, CallPart::Answer),
        (r#"{"question":"Q","follow_up":["A","#, CallPart::Parameters),
        (r#"{"question":"Q","follow_up":[{"text":"A"#, CallPart::Answer),
        (r#"{"question":"Q","follow_up":[{"mode":"m"#, CallPart::Mode),
        (r#"{"question":"Q","follow_up":[{"mode":"m","x":"y"#, CallPart::Parameters),
        (r#"{"question":"Q","follow_up":"[\"A"#, CallPart::Suggestions),
    ] {
        assert_eq!(
            place(Parser::arguments(Policy::new()), arguments),
            Some(Reason::Truncated(expected)),
            "{arguments}"
        );
    }
    let call = "<ask_followup_question>";
    for (inside, expected) in [
        ("<question>Wh", CallPart::Question),
        ("<question>Q</question><suggest>", CallPart::Answer),
        ("<question>Q</question><suggest>A", CallPart::Answer),
        ("<question>Q</question><suggest><mode>m", CallPart::Mode),
        ("<question>Q</question><options>[1", CallPart::Options),
        ("<question>Q</question><follow_up>[1", CallPart::Options),
    ] {
        assert_eq!(place(Parser::default(), &format!("{call}{inside}")), Some(Reason::Truncated(expected)), "{inside}");
    }
}

#[test]
fn an_invalid_list_of_tools_says_why() {
    let none: [&str; 0] = [];
    let error = |tools: &[&str], parameters: &[&str]| Tools::new(tools.to_vec(), parameters.to_vec()).unwrap_err();
    let many: Vec<String> = (0..=u16::MAX).map(|i| format!("t{i}")).collect();
    for (error, text) in [
        (error(&["read file"], &none), "\"read file\""),
        (error(&[""], &none), "\"\""),
        (error(&none, &["a<b"]), "\"a<b\""),
        (error(&["read_file"], &["read_file"]), "\"read_file\""),
        (error(&["question"], &none), "\"question\" already means something else in this format"),
        (error(&none, &["ask_followup_question"]), "\"ask_followup_question\" already means something else"),
        (Tools::new(many, none).unwrap_err(), "65,535"),
    ] {
        assert!(error.to_string().contains(text), "{error}");
    }
    assert!(matches!(error(&["read_file"], &["read_file"]), ToolsError::Both(name) if name == "read_file"));
}

#[test]
fn a_refused_checkpoint_says_what_to_do() {
    assert!(ResumeError::OtherPolicy.to_string().ends_with("resume it under the policy its parser had"));
    assert!(ResumeError::Corrupt.to_string().ends_with("begin anew without it"));
}

/// Each call differs from the first in one field of an event.
const CALLS: [&str; 8] = [
    "<ask_followup_question><question>Q</question><follow_up><suggest>A</suggest></follow_up></ask_followup_question>",
    "<ask_followup_question><question>R</question><follow_up><suggest>A</suggest></follow_up></ask_followup_question>",
    "<ask_followup_question><question>Q</question><follow_up><suggest>B</suggest></follow_up></ask_followup_question>",
    "<ask_followup_question><question>Q</question><follow_up><suggest mode='m'>A</suggest></follow_up></ask_followup_question>",
    "<ask_followup_question><question>Q</question><follow_up><suggest>A</suggest></follow_up> </ask_followup_question>",
    "<ask_followup_question><question>Q</question><follow_up><suggest>A</follow_up></ask_followup_question>         ",
    "<ask_followup_question><question>Q</question><follow_up></follow_up></ask_followup_question>",
    "<ask_followup_question><question> </question><follow_up><suggest>A</suggest></follow_up></ask_followup_question>",
];

#[test]
fn events_are_equal_if_their_fields_are() {
    for one in CALLS {
        for two in CALLS {
            let (mut first, mut second) = (Parser::default(), Parser::default());
            let (mut a, mut b) = (first.feed(one), second.feed(two));
            let mut same = true;
            loop {
                let (a, b) = (a.next(), b.next());
                same &= a == b;
                if a.is_none() && b.is_none() {
                    break;
                }
            }
            assert_eq!(same, one == two, "{one}\n{two}");
        }
    }
}

/// What the end of the one call in a stream gives, whenever it comes.
fn with_end<T>(mut parser: Parser, stream: &str, take: impl FnOnce(Event<'_>) -> T) -> T {
    let taken = first_end(parser.feed(stream), take).or_else(|take| first_end(parser.finish(), take));
    taken.unwrap_or_else(|_| panic!("there is no end in {stream}"))
}

/// What the first end among the events gives; `take` back, if there is none.
fn first_end<T, F: FnOnce(Event<'_>) -> T>(mut events: Events<'_>, take: F) -> Result<T, F> {
    while let Some(event) = events.next() {
        if matches!(event, Event::Complete(_) | Event::Rejected(_)) {
            return Ok(take(event));
        }
    }
    Err(take)
}

/// Each rejected call differs from the first in one field of its event.
const REJECTED: [&str; 5] = [
    r#"{"question": "Q", "follow_up": ["A"]"#,
    r#"{"question": "R", "follow_up": ["A"]"#,
    r#"{"question": "Q", "follow_up": ["B"]"#,
    r#"{"question": "Q", "follow_up": ["A"}"#,
    r#"{"question": "Q", "follow_up": ["A"] "#,
];

#[test]
fn ends_are_equal_if_they_say_the_same() {
    for one in CALLS {
        for two in CALLS {
            let same = with_end(Parser::default(), one, |a| with_end(Parser::default(), two, |b| a == b));
            assert_eq!(same, one == two, "{one}\n{two}");
        }
    }
    let arguments = || Parser::arguments(Policy::new());
    for one in REJECTED {
        for two in REJECTED {
            let same = with_end(arguments(), one, |a| with_end(arguments(), two, |b| a == b));
            assert_eq!(same, one == two, "{one}\n{two}");
        }
    }
}

/// Each call differs from the first in one thing that no call of `ask_followup_question` has.
const FORMS: [(&str, &str); 5] = [
    ("AskUserQuestion", r#"{"questions": [{"question": "Q", "options": ["A"]}, {"question": "R"}]}"#),
    ("request_user_input", r#"{"questions": [{"question": "Q", "options": ["A"]}, {"question": "R"}]}"#),
    ("AskUserQuestion", r#"{"questions": [{"question": "Q", "options": ["A"]}, {"question": "S"}]}"#),
    ("AskUserQuestion", r#"{"questions": [{"question": "Q", "options": ["B"]}, {"question": "R"}]}"#),
    ("AskQuestion", r#"{"title": "T", "questions": [{"prompt": "Q", "options": ["A"]}, {"prompt": "R"}]}"#),
];

#[test]
fn events_of_forms_are_equal_if_their_fields_are() {
    let parser = |tool: &str| Parser::arguments_of(tool, Policy::new()).unwrap();
    for one in FORMS {
        for two in FORMS {
            let same = with_end(parser(one.0), one.1, |a| with_end(parser(two.0), two.1, |b| a == b));
            assert_eq!(same, one == two, "{one:?}\n{two:?}");
        }
    }
    let titles = ["T", "U"].map(|title| FORMS[4].1.replace("\"T\"", &format!("\"{title}\"")));
    assert!(!with_end(parser(FORMS[4].0), &titles[0], |a| with_end(parser(FORMS[4].0), &titles[1], |b| a == b)));
    with_end(parser(FORMS[4].0), &titles[0], |event| {
        let text = format!("{event:?}");
        assert!(text.contains("tool: \"AskQuestion\", title: Some(\"T\")"), "{text}");
        assert!(text.contains("text: \"Q\"") && text.contains("text: \"R\""), "{text}");
    });
}

#[test]
fn events_have_a_readable_debug_form() {
    let call = CALLS[3];
    let mut parser = Parser::default();
    let mut events = parser.feed(call);
    let Some(event) = events.next() else { panic!() };
    assert_eq!(
        format!("{event:?}"),
        "Partial(Partial { index: 0, id: None, field: Question, delta: \"Q\", question: Some(\"Q\"), suggestions: [] })"
    );
    with_end(Parser::default(), call, |event| {
        assert_eq!(
            format!("{event:?}"),
            "Complete(Complete { index: 0, id: None, span: 0..121, question: \"Q\", \
             suggestions: [Suggestion { answer: \"A\", mode: Some(\"m\") }], notes: [] })"
        );
    });
    with_end(Parser::arguments(Policy::new()), REJECTED[0], |event| {
        assert_eq!(
            format!("{event:?}"),
            "Rejected(Rejected { index: 0, id: None, span: 0..36, reason: Truncated(Parameters), question: Some(\"Q\"), \
             suggestions: [Suggestion { answer: \"A\", mode: None }] })"
        );
    });
}

/// Returns the suggestions of each partial.
fn views(mut parser: Parser, stream: &str) -> Vec<Vec<String>> {
    let mut views = Vec::new();
    let mut events = parser.feed(stream);
    while let Some(event) = events.next() {
        if let Event::Partial(call) = event {
            let all = call.suggestions();
            assert!(all.get(all.len()).is_none());
            assert_eq!(all.iter().count(), all.len());
            views.push(all.iter().map(|one| one.answer.to_owned()).collect());
        }
    }
    views
}

#[test]
fn a_partial_has_only_the_suggestions_of_earlier_deltas() {
    let list = r#"{"question":"Q","follow_up":"[\"A\",\"BC\"]"}"#;
    let options =
        "<ask_followup_question><question>Q</question><options>[\"A\", \"BC\"]</options></ask_followup_question>";
    let expected = [vec![], vec!["A"], vec!["A", "BC"]];
    assert_eq!(views(Parser::arguments(Policy::new()), list), expected);
    assert_eq!(views(Parser::default(), options), expected);
}

#[test]
fn events_of_two_calls_are_not_equal() {
    let (mut first, mut second) = (Parser::default(), Parser::default());
    drop(second.feed(CALLS[0]));
    drop(second.finish());
    drop(second.feed(CALLS[6]));
    let (mut a, mut b) = (first.feed(CALLS[0]), second.feed(CALLS[0]));
    while let Some(event) = a.next() {
        assert_ne!(Some(event), b.next());
    }
}

/// A chunk of text can't continue an incomplete character.
#[test]
fn text_ends_an_incomplete_character() {
    let mut parser = Parser::default();
    let mut transcript = Transcript::default();
    transcript.append(parser.feed_bytes(b"a\xF0\x9F"));
    transcript.append(parser.feed("\u{1F980}<read_"));
    transcript.append(parser.feed_bytes(b"file>\xE2"));
    transcript.append(parser.feed("</read_file>"));
    transcript.append(parser.finish());
    assert_eq!(
        transcript.to_string(),
        "text \"a\u{FFFD}\u{1F980}\"\nopaque 0 read_file \"<read_file>\u{FFFD}</read_file>\"\n"
    );
}

#[test]
fn a_parser_returns_its_limits_and_the_number_of_bytes_fed() {
    let limits = Limits { question: 7, ..Limits::default() };
    let mut parser = Parser::new(Policy::new().with_limits(limits));
    assert_eq!((parser.limits(), parser.bytes_fed()), (&limits, 0));
    drop(parser.feed_bytes(b"a\xFFb\xF0"));
    assert_eq!(parser.bytes_fed(), 4);
}

/// Streams that random sequences seldom make.
#[test]
fn rare_streams_do_not_depend_on_the_cut() {
    let ask = |inside: &str| format!("<ask_followup_question><question>Q</question>{inside}</ask_followup_question>");
    for stream in [
        ask("<suggest><mode/><content>A</content></suggest>"),
        ask("<suggest><content/>A</suggest>"),
        ask("<suggest><content>A</content><mode/></suggest><suggest><mode>m</mode><mode>n</mode>B</suggest>"),
        ask("<follow_up><suggest>A</suggest><suggest>B"),
        "```\n~~~ <b>\n``` ~~~\n`` ` ``<think>`</think>".into(),
    ] {
        assert_chunk_invariant(stream.as_bytes(), |chunks| Transcript::of(&mut Parser::default(), chunks));
    }
}

#[test]
fn questions_by_index_are_what_the_shortcuts_return() {
    let mut parser = Parser::default();
    let mut views = 0;
    let message = "<ask_followup_question><question>Q?</question><suggest>A</suggest><suggest>B";
    for chunk in message.as_bytes().chunks(3) {
        parser.feed_bytes(chunk).for_each(|event| {
            let Event::Partial(call) = event else { panic!("{event:?}") };
            let question = call.questions().get(0).unwrap();
            assert_eq!((Some(question.text), question.suggestions), (call.question(), call.suggestions()));
            assert!(call.questions().len() == 1 && call.questions().get(1).is_none());
            views += 1;
        });
    }
    parser.finish().for_each(|event| {
        let Event::Rejected(call) = event else { panic!("{event:?}") };
        let question = call.questions().iter().next().unwrap();
        assert_eq!((Some(question.text), question.suggestions), (call.question(), call.suggestions()));
        views += 1;
    });
    assert!(views > 3);
}
