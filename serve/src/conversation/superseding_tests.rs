//! What the agent's next request does to the questions and answers of the last turn.

use std::sync::Arc;

use followup::dialogue::{Answer, MessageFormat};
use followup::wire;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::request_content::{RequestContent, ShownReply};
use super::turn::{Turn, TurnSource};
use super::user_action::UserAction;
use super::{Context, Conversation, ListChanges, NewRole};
use crate::metrics::Metrics;
use crate::settings::Settings;

pub(super) fn conversation() -> Arc<Conversation> {
    let (ended, _) = mpsc::unbounded_channel();
    let (settings, metrics) = (Arc::new(Settings::default()), Arc::new(Metrics::new()));
    let list = Arc::new(ListChanges::new());
    let context = Context { settings, metrics, ended_turns: ended, outbox: None, list };
    Conversation::new("c".into(), 1, NewRole::Alone, context)
}

/// A request of the agent that shows these replies, and is answered with this body.
fn request(conversation: &Arc<Conversation>, wire: wire::Format, shown: &[(Option<&str>, &str)], body: &str) {
    let shown_reply =
        |(id, text): &(Option<&str>, &str)| ShownReply { call_id: id.map(str::to_owned), text: (*text).into() };
    let content = RequestContent { title: None, replies: shown.iter().map(shown_reply).collect() };
    let mut turn = Turn::begin(conversation, Some(wire), TurnSource::Relay, content).unwrap();
    turn.feed(body.as_bytes());
    turn.end(false);
}

fn answer(conversation: &Conversation, number: u64, text: &str) -> Result<(), &'static str> {
    let action = UserAction::Answer { number, answer: Answer::Text(text.into()) };
    let performed = conversation.perform(action, Vec::new(), MessageFormat::OpenAiChat);
    performed.map(drop).map_err(|error| error.code())
}

/// Returns the calls of the snapshot.
fn calls(conversation: &Conversation) -> Vec<Value> {
    let snapshot: Value = serde_json::from_slice(&conversation.snapshot()).unwrap();
    let items = snapshot["items"].as_array().unwrap();
    items.iter().filter(|item| item["type"] == "call").cloned().collect()
}

const TEXT: wire::Format = wire::Format::Text;
const CHAT: wire::Format = wire::Format::OpenAiChat;
const ASK: &str = "<ask_followup_question><question>Tea?</question></ask_followup_question>";
const NATIVE: &str = include_str!("../../../tests/wire/bodies/openai-chat/interleaved.sse");

/// Returns the ids of the two native calls.
fn native_ids() -> [String; 2] {
    let mut response = wire::ResponseParser::new(CHAT, followup::Policy::new());
    let mut ids = Vec::new();
    let mut events = response.feed(NATIVE.as_bytes());
    while let Some(event) = events.next() {
        if let Ok(followup::Event::Complete(call)) = event {
            ids.push(call.id().unwrap().to_owned());
        }
    }
    ids.try_into().unwrap()
}

#[test]
fn a_new_request_closes_open_and_waiting_questions_with_what_it_shows() {
    let conversation = conversation();
    let [first, second] = native_ids();
    request(&conversation, CHAT, &[], NATIVE);
    assert_eq!(conversation.summary().facts.waiting(), 2);
    request(&conversation, TEXT, &[(Some(&second), "<answer>\nTwo\n</answer>"), (Some(&first), "One")], "Fine.");
    let closed: Vec<_> =
        calls(&conversation).into_iter().map(|call| (call["open"].clone(), call["closed"].clone())).collect();
    let closing = |said: &str| (json!(false), json!({"why": "answered_elsewhere", "said": said}));
    assert_eq!(closed, [closing("One"), closing("Two")]);
    assert_eq!(conversation.summary().facts.waiting(), 0);
    for number in 0..2 {
        assert_eq!(answer(&conversation, number, "Late"), Err("answered_elsewhere"));
    }
    assert!(calls(&conversation).iter().all(|call| call.get("answered").is_none()));
}

#[test]
fn the_first_message_of_the_user_is_the_title_and_stays() {
    let titled = |title: Option<&str>, body: &str, conversation: &Arc<Conversation>| {
        let content = RequestContent { title: title.map(str::to_owned), replies: Vec::new() };
        let mut turn = Turn::begin(conversation, Some(TEXT), TurnSource::Relay, content).unwrap();
        turn.feed(body.as_bytes());
        turn.end(false);
        json!(conversation.summary())["title"].clone()
    };
    let one = conversation();
    assert_eq!(titled(Some("Brew\nnow"), ASK, &one), "Brew");
    assert_eq!(titled(Some("Something else"), "", &one), "Brew");
    let other = conversation();
    assert_eq!(titled(None, "Hm.", &other), Value::Null);
    assert_eq!(titled(None, ASK, &other), "Tea?");
    assert_eq!(titled(Some("Brew"), "", &other), "Tea?");
}

#[test]
fn an_answer_that_the_next_request_shows_is_collected() {
    for shown in ["<answer>\nYes\n</answer>", "Result:\n<answer>\nYes\n</answer>\n<environment_details/>"] {
        let conversation = conversation();
        request(&conversation, TEXT, &[], ASK);
        answer(&conversation, 0, "Yes").unwrap();
        assert_eq!(calls(&conversation)[0]["delivery"], json!({"state": "pending", "retry": false}));
        request(&conversation, TEXT, &[(None, shown)], "Fine.");
        assert_eq!(calls(&conversation)[0]["delivery"], json!({"state": "collected", "retry": false}), "{shown}");
        assert_eq!(calls(&conversation)[0].get("closed"), None);
    }
    let conversation = conversation();
    let [first, _] = native_ids();
    request(&conversation, CHAT, &[], NATIVE);
    answer(&conversation, 0, "Yes").unwrap();
    request(&conversation, TEXT, &[(Some(&first), "Yes")], "Fine.");
    assert_eq!(calls(&conversation)[0]["delivery"]["state"], "collected", "the agent has unwrapped it");
    assert_eq!(calls(&conversation)[1]["closed"], json!({"why": "answered_elsewhere"}));
}

#[test]
fn an_answer_that_the_next_request_does_not_show_was_not_delivered() {
    let conversation = conversation();
    let [first, second] = native_ids();
    request(&conversation, CHAT, &[], NATIVE);
    answer(&conversation, 0, "Yes").unwrap();
    answer(&conversation, 1, "Yes").unwrap();
    request(&conversation, TEXT, &[(Some(&first), "<answer>No</answer>")], "Fine.");
    let delivery = |number: usize| calls(&conversation)[number]["delivery"].clone();
    assert_eq!((&delivery(0)["state"], &delivery(1)["state"]), (&json!("failed"), &json!("failed")));
    assert!(delivery(0)["why"].as_str().unwrap().ends_with("another answer: No"), "{}", delivery(0));
    assert!(delivery(1)["why"].as_str().unwrap().ends_with("without this answer"), "{}", delivery(1));
    // A later request may still show it.
    request(&conversation, TEXT, &[(Some(&second), "Yes")], "Fine.");
    assert_eq!((&delivery(0)["state"], &delivery(1)["state"]), (&json!("failed"), &json!("collected")));
}

#[test]
fn a_turn_without_a_request_closes_questions_and_leaves_answers_to_be_collected() {
    let conversation = conversation();
    request(&conversation, TEXT, &[], &ASK.repeat(2));
    answer(&conversation, 0, "Yes").unwrap();
    request(&conversation, TEXT, &[], "Fine.");
    assert_eq!(calls(&conversation)[0]["delivery"]["state"], "pending");
    assert_eq!(calls(&conversation)[1]["closed"], json!({"why": "answered_elsewhere"}));
}

#[test]
fn a_conversation_is_awaited_until_its_answers_are_collected() {
    let conversation = conversation();
    let is_awaited = || conversation.unused().unwrap().is_awaited;
    request(&conversation, TEXT, &[], ASK);
    assert!(is_awaited(), "a question is open");
    answer(&conversation, 0, "Yes").unwrap();
    assert!(is_awaited(), "an answer waits to be collected");
    conversation.collect_replies(0, MessageFormat::OpenAiChat).unwrap();
    assert!(!is_awaited());
}

#[test]
fn a_dismissed_question_is_closed_and_the_others_wait_to_be_collected() {
    let conversation = conversation();
    request(&conversation, TEXT, &[], &ASK.repeat(3));
    answer(&conversation, 0, "Yes").unwrap();
    conversation.dismiss().unwrap();
    conversation.dismiss().unwrap();
    let calls = calls(&conversation);
    assert_eq!(calls[0]["delivery"]["state"], "pending");
    for number in [1, 2] {
        assert_eq!((&calls[number]["open"], &calls[number]["closed"]), (&json!(false), &json!({"why": "dismissed"})));
        assert_eq!(answer(&conversation, number as u64, "Late"), Err("dismissed"));
    }
    request(&conversation, TEXT, &[], ASK);
    assert_eq!(answer(&conversation, 3, "Yes"), Ok(()), "the next question is open");
}
