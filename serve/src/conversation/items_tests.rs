use followup::dialogue::{ReplyKind, Suggestion};
use serde_json::{Value, json};

use super::*;
use crate::conversation::happened::Asked;

const LIMIT: usize = 64 << 10;

fn asked(call: u64, number: u64, question: &str) -> Happened<'_> {
    let suggest = vec![Suggestion { answer: "A".into(), mode: None }];
    Happened::Complete(Asked { call, question, suggest, notes: Vec::new(), id: None, number, open: true })
}

fn reply(number: Option<u64>, said: &str) -> Replied {
    let kind = if number.is_some() { ReplyKind::Answer } else { ReplyKind::Guidance };
    Replied { number, kind, said: said.into(), suggestion: None, images: Vec::new(), mode: None }
}

fn items(limit: usize, happened: &[Happened<'_>]) -> Items {
    let mut items = Items::new(limit);
    for one in happened {
        items.take(one);
    }
    items
}

fn json_of(items: &Items) -> Value {
    serde_json::to_value(items).unwrap()
}

/// Every item's size, added up anew.
fn counted(items: &Items) -> usize {
    items.kept.iter().map(|(_, item)| item.bytes()).sum()
}

fn grown(call: u64, grown: Grown<'static>, delta: &'static str) -> Happened<'static> {
    Happened::Partial { call, grown, delta }
}

#[test]
fn a_call_grows_is_asked_and_answered_in_its_place() {
    let mut items = items(
        LIMIT,
        &[
            Happened::Turn { nth: 0 },
            Happened::Text { text: "Hm" },
            Happened::Text { text: "." },
            grown(0, Grown::Question, "Wh"),
            grown(0, Grown::Question, "y?"),
            grown(0, Grown::Suggest { nth: 0, mode: None }, "B"),
            grown(0, Grown::Suggest { nth: 1, mode: Some("code") }, "C"),
            grown(0, Grown::Suggest { nth: 1, mode: Some("code") }, "D"),
        ],
    );
    let growing = json!({"type": "call", "call": 0, "state": "growing", "question": "Why?", "notes": [],
        "suggest": [{"answer": "B"}, {"answer": "CD", "mode": "code"}]});
    assert_eq!(json_of(&items), json!([{"type": "turn", "nth": 0}, {"type": "text", "text": "Hm."}, growing]));
    items.take(&asked(0, 7, "Why?"));
    items.take(&Happened::Text { text: "!" });
    items.take(&Happened::Replied(&reply(Some(7), "so")));
    let call = &json_of(&items)[2];
    assert_eq!((&call["state"], &call["number"], &call["open"]), (&json!("complete"), &json!(7), &json!(false)));
    let said = json!({"number": 7, "kind": "answer", "said": "so", "images": []});
    assert_eq!(call["answered"], said);
    assert_eq!(items.bytes, counted(&items));
}

#[test]
fn calls_of_the_next_turn_are_others_though_their_numbers_begin_anew() {
    let mut items = items(LIMIT, &[Happened::Turn { nth: 0 }, grown(0, Grown::Question, "One")]);
    items.take(&Happened::Turn { nth: 1 });
    items.take(&grown(0, Grown::Question, "Two"));
    let questions: Vec<_> = json_of(&items).as_array().unwrap().iter().map(|item| item["question"].clone()).collect();
    assert_eq!(questions, [json!(null), json!("One"), json!(null), json!("Two")]);
}

#[test]
fn pieces_of_overlapping_calls_are_put_together_by_their_id() {
    let piece = |id, raw, start| Happened::Opaque { tool: "t", raw, start, id };
    let items = items(
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
    assert_eq!(items.bytes, counted(&items));
}

#[test]
fn the_oldest_go_first_and_questions_stay() {
    let text = "x".repeat(1000);
    let mut items = items(LIMIT, &[Happened::Turn { nth: 0 }, asked(0, 0, "Stays?")]);
    for call in 1..200 {
        items.take(&Happened::Text { text: &text });
        items.take(&Happened::Rejected { call, reason: "malformed", message: "no", stopped: false });
    }
    assert!(items.bytes <= LIMIT);
    assert_eq!(items.bytes, counted(&items));
    assert!(items.dropped() > 100_000);
    let all = json_of(&items);
    assert_eq!(all[0]["question"], "Stays?");
    assert!(all.as_array().unwrap().len() < 140);
    // Answered, it is as old as it is.
    items.take(&Happened::Replied(&reply(Some(0), "yes")));
    for _ in 0..100 {
        items.take(&Happened::Text { text: &text });
        items.take(&Happened::Error { kind: "provider", message: "no" });
    }
    assert!(json_of(&items).as_array().unwrap().iter().all(|item| item["type"] != "call" || item["call"] != 0));
    assert_eq!(items.bytes, counted(&items));
}

#[test]
fn of_one_long_text_the_beginning_goes() {
    let mut items = items(LIMIT, &[Happened::Turn { nth: 0 }]);
    let mut whole = String::new();
    for n in 0..100_000 {
        let more = format!("{n}ä ");
        items.take(&Happened::Text { text: &more });
        whole.push_str(&more);
    }
    assert!(items.bytes <= LIMIT && items.bytes > LIMIT / 3, "{}", items.bytes);
    let all = json_of(&items);
    let kept = all[0]["text"].as_str().unwrap();
    assert!(whole.ends_with(kept));
    assert!(items.dropped() as usize >= whole.len() - kept.len());
}

#[test]
fn a_call_that_was_dropped_while_it_grew_is_there_when_it_ends() {
    let long = "x".repeat(LIMIT / 2);
    let mut items = items(LIMIT, &[Happened::Turn { nth: 0 }]);
    for call in 0..4 {
        items.take(&Happened::Partial { call, grown: Grown::Question, delta: &long });
    }
    assert!(items.bytes <= LIMIT);
    items.take(&grown(0, Grown::Question, "more of what is gone"));
    assert!(json_of(&items).as_array().unwrap().iter().all(|item| item["call"] != 0));
    items.take(&asked(0, 0, "Why?"));
    let all = json_of(&items);
    assert_eq!(all.as_array().unwrap().last().unwrap()["question"], "Why?");
    assert_eq!(items.bytes, counted(&items));
}

#[test]
fn guidance_has_an_item_of_its_own() {
    let items = items(LIMIT, &[Happened::Replied(&reply(None, "Ask me about tea"))]);
    assert_eq!(json_of(&items)[0]["type"], "replied");
    assert_eq!(json_of(&items)[0]["kind"], "guidance");
}
