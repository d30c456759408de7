//! `--continue`: the answers go back to the provider, and the model continues.

use serde_json::{Value, json};

use crate::client::{Answer, Events, chat, get, post, read, until};
use crate::page::Page;
use crate::service::Service;
use crate::upstream::{open_gate, requests};

async fn answer(service: &Service, id: &str, body: &Value) -> Answer {
    post(format!("/conversations/{id}/answer"), body.to_string()).send(service).await
}

async fn page(service: &Service, id: &str) -> Page {
    Page::of_snapshot(&get(format!("/conversations/{id}")).send(service).await.ok())
}

/// Relays a request, and reads the response to its end.
async fn relay(service: &Service, id: &str, play: &Value) {
    let answer = chat(play).with("x-followup-conversation", id).with("authorization", "Bearer k").send(service).await;
    assert_eq!(answer.status, 200);
}

fn body_of(text: &str) -> String {
    format!("data: {}\n\ndata: [DONE]\n\n", json!({"choices": [{"delta": {"content": text}}]}))
}

const ASK: &str =
    "Hm.\n<ask_followup_question><question>Sure?</question><suggest>Yes</suggest></ask_followup_question>\n";

#[tokio::test]
async fn a_native_call_is_answered_and_the_model_continues_in_the_same_conversation() {
    let service = Service::relay(&["--continue"]);
    let id = "native";
    let play = json!([{"name": id, "stream": "one-call"}, {"name": id, "stream": "text-only", "cut": "random:3"}]);
    relay(&service, id, &play).await;
    let mut events = Events::of(&service, id, None).await;
    let taken = answer(&service, id, &json!({"number": 0, "suggestion": 1})).await.ok();
    assert_eq!((&taken["continued"], taken.get("why")), (&json!(true), None));
    let all = events.up_to(|event| event.kind == "end").await;
    assert_eq!(Page::of(&all), page(&service, id).await);
    let turns: Vec<_> = page(&service, id).await.all("turn").into_iter().map(|turn| turn["index"].clone()).collect();
    assert_eq!(turns, [0, 1]);
    let asked = requests(id).await;
    let [first, second] = &asked[..] else { panic!("{asked:?}") };
    let messages = second["body"]["messages"].as_array().unwrap();
    assert_eq!(messages[..1], first["body"]["messages"].as_array().unwrap()[..]);
    let call = &messages[1]["tool_calls"][0];
    assert_eq!(
        (&messages[1]["role"], &call["function"]["name"]),
        (&json!("assistant"), &json!("ask_followup_question"))
    );
    let arguments: Value = serde_json::from_str(call["function"]["arguments"].as_str().unwrap()).unwrap();
    assert_eq!(arguments["question"], "Which database should the job queue use?");
    assert_eq!(messages[2]["tool_call_id"], call["id"]);
    assert_eq!(messages[2]["content"], "<answer>\nRedis streams\n</answer>");
    assert_eq!(messages.len(), 3);
    let header = |asked: &Value, name: &str| {
        let lines = asked["headers"].as_array().unwrap();
        lines.iter().filter_map(Value::as_str).find(|line| line.to_lowercase().starts_with(name)).map(str::to_owned)
    };
    for name in ["authorization", "content-type"] {
        assert!(header(first, name).is_some() && header(first, name) == header(second, name), "{name}");
    }
    for field in ["model", "stream", "play"] {
        assert_eq!(first["body"][field], second["body"][field]);
    }
}

#[tokio::test]
async fn a_call_in_the_text_is_sent_back_verbatim_turn_after_turn() {
    let service = Service::relay(&["--continue"]);
    let id = "markup";
    let play = json!([{"name": id, "body": body_of(ASK)}, {"name": id, "body": body_of(ASK)}, {"name": id, "body": body_of("Done.")}]);
    relay(&service, id, &play).await;
    for number in 0..2 {
        let is_asked =
            async || page(&service, id).await.all("call").last().is_some_and(|call| call["number"] == number);
        until(is_asked).await;
        answer(&service, id, &json!({"number": number, "text": format!("Yes {number}")})).await.ok();
    }
    until(async || page(&service, id).await.prose().ends_with("Done.")).await;
    let asked = requests(id).await;
    let messages = &asked[2]["body"]["messages"];
    let content: Vec<_> = messages.as_array().unwrap().iter().map(|one| one["content"].as_str().unwrap()).collect();
    assert_eq!(content, ["Hi", ASK, "<answer>\nYes 0\n</answer>", ASK, "<answer>\nYes 1\n</answer>"]);
}

#[tokio::test]
async fn an_answer_before_the_end_of_the_message_is_sent_after_it() {
    let service = Service::relay(&["--continue"]);
    let id = "early-answer";
    let body = body_of(ASK).replace("data: [DONE]\n\n", "") + &body_of("And more.");
    let at = body.find("\n\n").unwrap() + 2;
    let play = json!([{"name": id, "body": body, "at": at, "gate": id}, {"name": id, "body": body_of("Done.")}]);
    let response = chat(&play).with("x-followup-conversation", id).open(&service.address).await;
    let body = tokio::spawn(read(response));
    until(async || page(&service, id).await.all("call").iter().any(|call| call["open"] == true)).await;
    let taken = answer(&service, id, &json!({"number": 0, "suggestion": 0})).await.ok();
    assert_eq!((&taken["continued"], &taken["waiting"]), (&json!(false), &json!(0)));
    open_gate(id).await;
    body.await.unwrap();
    until(async || page(&service, id).await.prose().ends_with("Done.")).await;
    let messages = &requests(id).await[1]["body"]["messages"];
    assert_eq!(messages[1]["content"], format!("{ASK}And more."));
}

#[tokio::test]
async fn a_rejected_call_is_corrected_without_the_user() {
    let service = Service::relay(&["--continue"]);
    let id = "corrected";
    let bad = "<ask_followup_question><suggest>A</suggest></ask_followup_question>";
    let play = json!([{"name": id, "body": body_of(bad)}, {"name": id, "body": body_of(bad)}, {"name": id, "body": body_of(bad)},
        {"name": id, "body": body_of("I see.")}]);
    relay(&service, id, &play).await;
    until(async || page(&service, id).await.stopped).await;
    until(async || page(&service, id).await.turn == "ended").await;
    assert_eq!(requests(id).await.len(), 3, "three in a row stop it");
    let taken = answer(&service, id, &json!({"guide": "Write a question"})).await.ok();
    assert_eq!(taken["continued"], true);
    until(async || page(&service, id).await.prose().ends_with("I see.")).await;
    let messages = requests(id).await[3]["body"]["messages"].clone();
    assert!(messages[2]["content"].as_str().unwrap().contains("question"), "{messages}");
    assert!(messages.as_array().unwrap().last().unwrap()["content"].as_str().unwrap().contains("Write a question"));
}

#[tokio::test]
async fn a_message_that_calls_other_tools_is_left_to_the_caller() {
    let service = Service::relay(&["--continue"]);
    let id = "other-tool";
    relay(&service, id, &json!({"name": id, "stream": "beside-another-tool"})).await;
    let open = page(&service, id).await.all("call")[0]["number"].clone();
    let taken = answer(&service, id, &json!({"number": open, "text": "x"})).await.ok();
    assert_eq!(taken["continued"], false);
    assert!(taken["why"].as_str().unwrap().contains("also calls"), "{taken}");
    assert_eq!(requests(id).await.len(), 1);
}

#[tokio::test]
async fn a_failing_provider_is_reported() {
    let service = Service::relay(&["--continue"]);
    for (id, then, says) in [
        (
            "fails-429",
            json!({"status": "429 Too Many", "type": "application/json", "body": "{\"error\":\"slow down\"}"}),
            "slow down",
        ),
        ("fails-html", json!({"type": "text/html", "body": "<h1>Oops</h1>"}), "Oops"),
        ("fails-breaks", json!({"body": body_of("More.").replace("data: [DONE]\n\n", ""), "behave": "close"}), "broke"),
    ] {
        relay(&service, id, &json!([{"name": id, "body": body_of(ASK)}, then])).await;
        assert_eq!(answer(&service, id, &json!({"number": 0, "suggestion": 0})).await.ok()["continued"], true);
        until(async || page(&service, id).await.turn == "cut_off").await;
        let page = page(&service, id).await;
        let error = page.all("error")[0];
        assert_eq!(error["kind"], "upstream");
        assert!(error["message"].as_str().unwrap().contains(says), "{error}");
    }
}

#[tokio::test]
async fn a_request_without_messages_and_a_turn_that_was_cut_off_are_not_continued() {
    let service = Service::relay(&["--continue"]);
    let play = json!({"play": {"name": "no-messages", "body": body_of(ASK)}});
    post("/v1/chat/completions", play.to_string()).with("x-followup-conversation", "no-messages").send(&service).await;
    answer(&service, "no-messages", &json!({"number": 0, "suggestion": 0})).await.ok();
    until(async || page(&service, "no-messages").await.turn == "cut_off").await;
    assert!(page(&service, "no-messages").await.all("error")[0]["message"].as_str().unwrap().contains("messages"));
    let play = json!({"name": "cut", "body": body_of(ASK).replace("data: [DONE]\n\n", ""), "behave": "close"});
    let response = chat(&play).with("x-followup-conversation", "cut").open(&service.address).await;
    let _ = http_body_util::BodyExt::collect(response.into_body()).await;
    until(async || page(&service, "cut").await.turn == "cut_off").await;
    assert_eq!(answer(&service, "cut", &json!({"number": 0, "suggestion": 0})).await.ok()["continued"], false);
    assert_eq!(requests("cut").await.len(), 1);
}

#[tokio::test]
async fn without_the_option_nothing_is_continued() {
    let service = Service::relay(&[]);
    let id = "by-itself";
    relay(&service, id, &json!({"name": id, "body": body_of(ASK)})).await;
    assert_eq!(answer(&service, id, &json!({"number": 0, "suggestion": 0})).await.ok()["continued"], false);
    assert_eq!(requests(id).await.len(), 1);
}

#[tokio::test]
async fn a_continued_turn_ends_with_the_last_event_whatever_the_connection_does_after_it() {
    let service = Service::relay(&["--continue"]);
    let whole = body_of("Done.");
    for (id, play) in [
        ("done-breaks", json!({"body": whole, "behave": "close"})),
        ("done-stays-open", json!({"body": whole, "behave": "stall"})),
        ("done-then-more", json!({"body": format!("{whole}: more\n\n"), "at": whole.len(), "gate": "never"})),
    ] {
        relay(&service, id, &json!([{"name": id, "body": body_of(ASK)}, play])).await;
        assert_eq!(answer(&service, id, &json!({"number": 0, "suggestion": 0})).await.ok()["continued"], true);
        until(async || page(&service, id).await.turn != "streaming" && page(&service, id).await.all("turn").len() == 2)
            .await;
        let page = page(&service, id).await;
        assert_eq!((&*page.turn, page.all("error").len()), ("ended", 0), "{id}");
        assert_eq!(page.all("call")[0]["delivery"], json!({"state": "sent", "retry": false}), "{id}");
        assert_eq!(get(format!("/conversations/{id}")).send(&service).await.ok()["retry"], false, "{id}");
    }
}
