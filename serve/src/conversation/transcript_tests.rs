//! Tests of the transcript.

use std::borrow::Cow;

use followup::dialogue::Suggestion;
use serde_json::{Value, json};

use super::*;
use crate::conversation::event::{AskedCall, UserReplyKind};
use crate::conversation::event_id::EventId;
use crate::conversation::form_event::{FormField, FormPartial, OptionFacts, QuestionFacts};
use crate::conversation::frame::{Frame, parse_event};
use crate::conversation::outcome::{ClosedWhy, Closing, DeliveryState};

const LIMIT: usize = 64 << 10;

fn asked(call: u64, number: u64, question: &str) -> ConversationEvent<'_> {
    let suggest = vec![Suggestion { answer: "A".into(), mode: None }];
    ConversationEvent::Complete(AskedCall {
        call,
        question: question.into(),
        suggest,
        notes: Vec::new(),
        envelope: None,
        id: None,
        number,
        open: true,
        can_discuss: false,
        form: None,
    })
}

fn reply(number: Option<u64>, said: &str) -> UserReply {
    let kind = if number.is_some() { UserReplyKind::Answer } else { UserReplyKind::Guidance };
    UserReply { number, kind, said: said.into(), suggestion: None, answers: Vec::new(), images: Vec::new(), mode: None }
}

fn transcript(limit: usize, events: &[ConversationEvent<'_>]) -> Transcript {
    let mut transcript = Transcript::new(limit);
    for event in events {
        transcript.apply(event);
    }
    transcript
}

fn json_of(transcript: &Transcript) -> Value {
    serde_json::to_value(transcript).unwrap()
}

/// Returns the sum of all items' sizes.
fn sum_of_sizes(transcript: &Transcript) -> usize {
    transcript.items.iter().map(Item::size).sum()
}

fn grown(call: u64, field: GrownField<'static>, delta: &'static str) -> ConversationEvent<'static> {
    ConversationEvent::Partial { call, field, delta: delta.into() }
}

#[test]
fn a_call_grows_and_is_asked_and_answered_in_one_item() {
    let mut items = transcript(
        LIMIT,
        &[
            ConversationEvent::Turn { index: 0 },
            ConversationEvent::Text { text: "Hm".into() },
            ConversationEvent::Text { text: ".".into() },
            grown(0, GrownField::Question, "Wh"),
            grown(0, GrownField::Question, "y?"),
            grown(0, GrownField::Suggest { index: 0, mode: None }, "B"),
            grown(0, GrownField::Suggest { index: 1, mode: Some("code".into()) }, "C"),
            grown(0, GrownField::Suggest { index: 1, mode: Some("code".into()) }, "D"),
        ],
    );
    let growing = json!({"type": "call", "call": 0, "state": "growing", "question": "Why?", "notes": [],
        "suggest": [{"answer": "B"}, {"answer": "CD", "mode": "code"}]});
    assert_eq!(json_of(&items), json!([{"type": "turn", "index": 0}, {"type": "text", "text": "Hm."}, growing]));
    items.apply(&asked(0, 7, "Why?"));
    items.apply(&ConversationEvent::Text { text: "!".into() });
    items.apply(&ConversationEvent::Replied(Cow::Owned(reply(Some(7), "so"))));
    let call = &json_of(&items)[2];
    assert_eq!((&call["state"], &call["number"], &call["open"]), (&json!("complete"), &json!(7), &json!(false)));
    let said = json!({"number": 7, "kind": "answer", "said": "so", "images": []});
    assert_eq!(call["answered"], said);
    assert_eq!(items.memory(), sum_of_sizes(&items));
}

#[test]
fn a_form_grows_with_what_became_known_and_its_size_is_counted() {
    let partial = |question, option, field, delta: &'static str, known, known_option| {
        let delta = delta.into();
        let partial = FormPartial {
            call: 0,
            tool: "AskUserQuestion".into(),
            question,
            option,
            field,
            delta,
            known,
            known_option,
        };
        ConversationEvent::FormPartial(Box::new(partial))
    };
    let nothing = QuestionFacts::default;
    let known = QuestionFacts { id: Some("q".into()), multiple: Some(true), defaults: vec!["B".into()], ..nothing() };
    let more = QuestionFacts {
        placeholder: Some("any".into()),
        required: Some(true),
        defaults: vec!["C".into()],
        ..nothing()
    };
    let option = OptionFacts { value: Some("b".into()), mode: None, recommended: true };
    let mut items = transcript(
        LIMIT,
        &[
            ConversationEvent::Turn { index: 0 },
            partial(0, None, FormField::Header, "To", nothing(), OptionFacts::default()),
            partial(0, None, FormField::Header, "ols", known, OptionFacts::default()),
            partial(0, Some(0), FormField::Label, "B", more, option),
            partial(0, Some(0), FormField::Preview, "p", nothing(), OptionFacts::default()),
            partial(1, None, FormField::Text, "And?", nothing(), OptionFacts::default()),
            partial(7, None, FormField::Text, "a gap", nothing(), OptionFacts::default()),
        ],
    );
    let form = json!({"tool": "AskUserQuestion", "questions": [
        {"text": "", "id": "q", "header": "Tools", "placeholder": "any", "multiple": true, "required": true,
            "defaults": ["B", "C"], "options": [{"label": "B", "value": "b", "preview": "p", "recommended": true}]},
        {"text": "And?"}]});
    assert_eq!(json_of(&items)[1]["form"], form);
    assert_eq!(items.memory(), sum_of_sizes(&items));
    items.apply(&asked(0, 0, "Whole"));
    assert!(json_of(&items)[1].get("form").is_none(), "the complete call replaces what has grown");
    assert_eq!(items.memory(), sum_of_sizes(&items));
}

#[test]
fn calls_of_the_next_turn_get_items_of_their_own_although_their_numbers_restart() {
    let mut items = transcript(LIMIT, &[ConversationEvent::Turn { index: 0 }, grown(0, GrownField::Question, "One")]);
    items.apply(&ConversationEvent::Turn { index: 1 });
    items.apply(&grown(0, GrownField::Question, "Two"));
    let questions: Vec<_> = json_of(&items).as_array().unwrap().iter().map(|item| item["question"].clone()).collect();
    assert_eq!(questions, [json!(null), json!("One"), json!(null), json!("Two")]);
}

#[test]
fn pieces_of_interleaved_opaque_calls_are_joined_by_their_id() {
    let piece = |id: Option<&'static str>, raw: &'static str, start| ConversationEvent::Opaque {
        tool: "t".into(),
        raw: raw.into(),
        start,
        id: id.map(Cow::Borrowed),
    };
    let items = transcript(
        LIMIT,
        &[
            piece(Some("a"), "", true),
            piece(Some("b"), "", true),
            piece(Some("a"), "1", false),
            piece(Some("b"), "2", false),
            piece(Some("a"), "3", false),
            piece(None, "<t>", true),
            piece(None, "</t>", false),
            piece(None, "<t>", true),
        ],
    );
    let raws: Vec<_> = json_of(&items).as_array().unwrap().iter().map(|item| item["raw"].clone()).collect();
    assert_eq!(raws, ["13", "2", "<t></t>", "<t>"]);
    assert_eq!(items.memory(), sum_of_sizes(&items));
}

#[test]
fn the_oldest_items_are_dropped_first_and_unanswered_questions_are_kept() {
    let text = "x".repeat(1000);
    let mut items = transcript(LIMIT, &[ConversationEvent::Turn { index: 0 }, asked(0, 0, "Stays?")]);
    for call in 1..200 {
        items.apply(&ConversationEvent::Text { text: (&text).into() });
        items.apply(&ConversationEvent::Rejected {
            call,
            reason: "malformed".into(),
            message: "no".into(),
            stopped: false,
        });
    }
    assert!(items.memory() <= LIMIT);
    assert_eq!(items.memory(), sum_of_sizes(&items));
    assert!(items.dropped() > 100_000);
    let all = json_of(&items);
    assert_eq!(all[0]["question"], "Stays?");
    assert!(all.as_array().unwrap().len() < 140);
    // Once answered, it is dropped like any other item of its age.
    items.apply(&ConversationEvent::Replied(Cow::Owned(reply(Some(0), "yes"))));
    for _ in 0..100 {
        items.apply(&ConversationEvent::Text { text: (&text).into() });
        items.apply(&ConversationEvent::Error { kind: "provider".into(), message: "no".into() });
    }
    assert!(json_of(&items).as_array().unwrap().iter().all(|item| item["type"] != "call" || item["call"] != 0));
    assert_eq!(items.memory(), sum_of_sizes(&items));
}

#[test]
fn of_one_long_text_the_beginning_is_dropped() {
    let mut items = transcript(LIMIT, &[ConversationEvent::Turn { index: 0 }]);
    let mut whole = String::new();
    for n in 0..100_000 {
        let more = format!("{n}ä ");
        items.apply(&ConversationEvent::Text { text: (&more).into() });
        whole.push_str(&more);
    }
    assert!(items.memory() <= LIMIT && items.memory() > LIMIT / 3, "{}", items.memory());
    let all = json_of(&items);
    let kept = all[0]["text"].as_str().unwrap();
    assert!(whole.ends_with(kept));
    assert!(items.dropped() as usize >= whole.len() - kept.len());
}

#[test]
fn a_call_that_was_dropped_while_it_grew_reappears_when_it_ends() {
    let long = "x".repeat(LIMIT / 2);
    let mut items = transcript(LIMIT, &[ConversationEvent::Turn { index: 0 }]);
    for call in 0..4 {
        items.apply(&ConversationEvent::Partial { call, field: GrownField::Question, delta: (&long).into() });
    }
    assert!(items.memory() <= LIMIT);
    items.apply(&grown(0, GrownField::Question, "more of what is gone"));
    assert!(json_of(&items).as_array().unwrap().iter().all(|item| item["call"] != 0));
    items.apply(&asked(0, 0, "Why?"));
    let all = json_of(&items);
    assert_eq!(all.as_array().unwrap().last().unwrap()["question"], "Why?");
    assert_eq!(items.memory(), sum_of_sizes(&items));
}

#[test]
fn guidance_becomes_an_item_of_its_own() {
    let items = transcript(LIMIT, &[ConversationEvent::Replied(Cow::Owned(reply(None, "Ask me about tea")))]);
    assert_eq!(json_of(&items)[0]["type"], "replied");
    assert_eq!(json_of(&items)[0]["kind"], "guidance");
}

#[test]
fn a_closed_question_is_dropped_like_any_other_item() {
    let closing = Closing { why: ClosedWhy::AnsweredElsewhere, said: Some("Tea".into()) };
    let mut items = transcript(
        LIMIT,
        &[asked(0, 0, "Why?"), ConversationEvent::Closed { number: 0, closing: Cow::Borrowed(&closing) }],
    );
    let call = &json_of(&items)[0];
    assert_eq!(call["closed"], json!({"why": "answered_elsewhere", "said": "Tea"}));
    assert_eq!((&call["open"], call.get("answered")), (&json!(false), None));
    assert_eq!(items.memory(), sum_of_sizes(&items));
    items.apply(&ConversationEvent::Text { text: "x".repeat(LIMIT).into() });
    assert!(json_of(&items).as_array().unwrap().iter().all(|item| item["type"] != "call"));
}

#[test]
fn a_delivery_belongs_to_its_answers_or_to_the_latest_guidance() {
    let answered = [0, 1].map(|number| reply(Some(number), "yes"));
    let guidance = [reply(None, "first"), reply(None, "second")];
    let mut items = transcript(LIMIT, &[asked(0, 0, "Why?"), asked(1, 1, "How?")]);
    answered.iter().chain(&guidance).for_each(|reply| items.apply(&ConversationEvent::Replied(Cow::Borrowed(reply))));
    let mut deliver = |numbers: &[u64], guidance, state, why: Option<&str>| {
        let delivery = Delivery { state, why: why.map(str::to_owned), retry: false };
        items.apply(&ConversationEvent::Delivery {
            numbers: numbers.into(),
            guidance,
            delivery: Cow::Borrowed(&delivery),
        });
        assert_eq!(items.memory(), sum_of_sizes(&items));
    };
    deliver(&[0, 1], false, DeliveryState::Failed, Some("it broke"));
    deliver(&[1], false, DeliveryState::Sent, None);
    deliver(&[], true, DeliveryState::Pending, None);
    let all = json_of(&items);
    let states: Vec<_> = all.as_array().unwrap().iter().map(|item| item["delivery"]["state"].clone()).collect();
    assert_eq!(states, [json!("failed"), json!("sent"), Value::Null, json!("pending")]);
    assert_eq!(all[0]["delivery"], json!({"state": "failed", "why": "it broke", "retry": false}));
}

/// Events of every kind, in an order that a conversation can have.
fn every_kind() -> Vec<ConversationEvent<'static>> {
    let partial = FormPartial {
        call: 2,
        tool: "AskUserQuestion".into(),
        question: 0,
        option: Some(0),
        field: FormField::Label,
        delta: "B".into(),
        known: QuestionFacts { kind: Some(followup::QuestionKind::YesNo), ..QuestionFacts::default() },
        known_option: OptionFacts { recommended: true, ..OptionFacts::default() },
    };
    let opaque = |raw: &'static str, start| ConversationEvent::Opaque {
        tool: "read_file".into(),
        raw: raw.into(),
        start,
        id: Some("a".into()),
    };
    let closing = Closing { why: ClosedWhy::AnsweredElsewhere, said: Some("so".into()) };
    let delivery = Delivery { state: DeliveryState::Failed, why: Some("no".into()), retry: true };
    vec![
        ConversationEvent::Turn { index: 0 },
        ConversationEvent::Text { text: "Hm ü\n".into() },
        opaque("<x", true),
        grown(0, GrownField::Question, "Why"),
        grown(0, GrownField::Suggest { index: 0, mode: Some("code".into()) }, "A"),
        opaque(">", false),
        asked(0, 0, "Why?"),
        ConversationEvent::Rejected { call: 1, reason: "truncated".into(), message: "m".into(), stopped: true },
        ConversationEvent::FormPartial(Box::new(partial.clone())),
        ConversationEvent::FormPartial(Box::new(partial)),
        asked(3, 1, "And?"),
        ConversationEvent::Error { kind: "provider".into(), message: "m".into() },
        ConversationEvent::End { index: 0, cut_off: true },
        ConversationEvent::Replied(Cow::Owned(reply(Some(0), "so"))),
        ConversationEvent::Open { number: 1 },
        ConversationEvent::Closed { number: 1, closing: Cow::Owned(closing) },
        ConversationEvent::Replied(Cow::Owned(reply(None, "go"))),
        ConversationEvent::Delivery {
            numbers: vec![0].into(),
            guidance: false,
            delivery: Cow::Owned(delivery.clone()),
        },
        ConversationEvent::Delivery { numbers: vec![].into(), guidance: true, delivery: Cow::Owned(delivery) },
        ConversationEvent::Turn { index: 1 },
        grown(0, GrownField::Question, "More"),
        ConversationEvent::Gone {},
    ]
}

#[test]
fn every_event_is_read_back_from_its_serialized_form() {
    let mut id = EventId::start(1);
    for event in every_kind() {
        id = id.next();
        let frame = Frame::new(id, &event);
        let (name, data) = frame.name_and_data();
        assert_eq!(name, event.name());
        assert_eq!(parse_event(name, std::str::from_utf8(data).unwrap()).unwrap(), event);
    }
}

#[test]
fn a_restored_transcript_continues_like_the_one_that_was_stored() {
    let events = every_kind();
    let whole = transcript(LIMIT, &events);
    for cut in 0..=events.len() {
        let stored = serde_json::to_string(&transcript(LIMIT, &events[..cut])).unwrap();
        let mut restored = Transcript::restore(serde_json::from_str(&stored).unwrap(), 7, LIMIT);
        for event in &events[cut..] {
            restored.apply(event);
        }
        assert_eq!(json_of(&restored), json_of(&whole), "stored after {cut} events");
        assert_eq!((restored.memory(), restored.dropped()), (whole.memory(), 7), "stored after {cut} events");
        assert!(restored.growing().eq(whole.growing()) && restored.unanswered.keys().eq(whole.unanswered.keys()));
    }
}
