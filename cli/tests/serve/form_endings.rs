//! Forms that end without an answer: the user wants to talk about them first, or the time is over.

use serde_json::{Value, json};

use crate::client::{all_events, get};
use crate::forms::{answer, arguments, body, push};
use crate::page::Page;
use crate::service::Service;

/// The answers so far to the three questions of a form.
pub(crate) fn so_far() -> Value {
    json!([{"picked": [1], "note": "for now"}, {}, {"text": "Cook"}])
}

#[tokio::test]
async fn a_form_is_talked_about_or_times_out_with_the_answers_so_far() {
    let service = Service::start(&[]);
    for (action, kind, reply_kind) in [("discuss", "discussed", "declined"), ("time_out", "timed_out", "cancelled")] {
        let snapshot = push(&service, action, body("AskUserQuestion", &arguments().to_string(), 99)).await;
        assert_eq!(Page::of_snapshot(&snapshot).all("call")[0]["can_discuss"], true);
        let taken = answer(&service, action, &json!({"number": 0, action: true, "form": so_far()})).await.ok();
        let reply = &taken["reply"];
        assert_eq!(
            (&reply["kind"], &reply["id"], &taken["waiting"]),
            (&json!(reply_kind), &json!("call_1"), &json!(0))
        );
        let page = Page::of(&all_events(&service, action).await);
        let call = page.all("call")[0];
        assert_eq!(call["can_discuss"], true, "a reader of the events is told as well");
        let answered = &call["answered"];
        assert_eq!((&answered["kind"], &answered["answers"]), (&json!(kind), &so_far()));
        assert_eq!(Page::of_snapshot(&get(format!("/conversations/{action}")).send(&service).await.ok()), page);
        let again = answer(&service, action, &json!({"number": 0, "cancel": true})).await;
        assert_eq!(again.error(), (409, format!("already_{kind}")));
        let metrics = get("/metrics").send(&service).await;
        let line = format!("followup_answers_total{{kind=\"{kind}\"}} 1");
        assert!(str::from_utf8(&metrics.body).unwrap().lines().any(|one| one == line), "{line}");
    }
}

#[tokio::test]
async fn the_model_gets_the_words_of_the_tool_for_a_talk_and_a_time_out() {
    let service = Service::start(&[]);
    push(&service, "talk", body("AskUserQuestion", &arguments().to_string(), 99)).await;
    let talk = answer(&service, "talk", &json!({"number": 0, "discuss": true, "form": so_far()})).await.ok();
    let text = talk["reply"]["text"].as_str().unwrap();
    assert!(text.contains("- \"Which store?\"\n  Answer: Postgres"), "{text}");
    assert!(text.ends_with("- \"What is its name?\"\n  Answer: Cook"), "{text}");
    let choices = json!({"question": "Which?", "choices": ["a", "b"]}).to_string();
    push(&service, "late", body("clarify", &choices, 99)).await;
    let late = answer(&service, "late", &json!({"number": 0, "time_out": true})).await.ok();
    let text = late["reply"]["text"].as_str().unwrap();
    assert!(text.contains("did not provide a response within the time limit"), "{text}");
}

#[tokio::test]
async fn a_talk_is_refused_where_the_tool_has_no_reply_for_it() {
    let service = Service::start(&[]);
    let choices = json!({"question": "Which?", "choices": ["a", "b"]}).to_string();
    push(&service, "form", body("clarify", &choices, 99)).await;
    let call = "<ask_followup_question><question>Tea?</question></ask_followup_question>";
    push(&service, "plain", format!("data: {}\n\n", json!({"choices": [{"delta": {"content": call}}]}))).await;
    for id in ["form", "plain"] {
        let snapshot = get(format!("/conversations/{id}")).send(&service).await.ok();
        assert_eq!(Page::of_snapshot(&snapshot).all("call")[0].get("can_discuss"), None, "{id}");
        let refused = answer(&service, id, &json!({"number": 0, "discuss": true})).await;
        assert_eq!(refused.error(), (422, "no_discussion".into()), "{id}");
    }
    let with_answers = answer(&service, "plain", &json!({"number": 0, "time_out": true, "form": [{}]})).await;
    assert_eq!(with_answers.error(), (422, "bad_answer".into()));
    let timed_out = answer(&service, "plain", &json!({"number": 0, "time_out": true})).await.ok();
    assert_eq!(timed_out["reply"]["kind"], "cancelled", "what was refused has changed nothing");
}

#[tokio::test]
async fn a_talk_or_a_time_out_with_anything_but_answers_so_far_is_refused() {
    let service = Service::start(&[]);
    push(&service, "c", body("AskUserQuestion", &arguments().to_string(), 99)).await;
    for action in ["discuss", "time_out"] {
        for (key, value) in [
            ("text", json!("x")),
            ("suggestion", json!(0)),
            ("cancel", json!(true)),
            ("guide", json!("x")),
            ("images", json!(["data:image/gif;base64,R0lGODlhAAAA"])),
            ("number", Value::Null),
        ] {
            let mut body = json!({"number": 0, action: true});
            body[key] = value;
            assert_eq!(answer(&service, "c", &body).await.error(), (400, "bad_request".into()), "{body}");
        }
        let unfit = answer(&service, "c", &json!({"number": 0, action: true, "form": [{}]})).await;
        assert_eq!(unfit.error(), (422, "bad_answer".into()));
    }
    assert_eq!(answer(&service, "c", &json!({"number": 0, "discuss": true})).await.ok()["waiting"], 0);
}
