//! Calls of other question tools: several questions at once, their growth, and their answers.

use serde_json::{Value, json};

use crate::client::{Answer, Event, Events, all_events, chat, get, post, until};
use crate::page::Page;
use crate::service::Service;
use crate::upstream::requests;

/// The arguments of a call with three questions: a choice, several choices, and none.
pub(crate) fn arguments() -> Value {
    json!({"questions": [
        {"question": "Which store?", "header": "Store", "options": [
            {"label": "SQLite (Recommended)", "description": "one file", "preview": "```\nrecipes.db\n```"},
            {"label": "Postgres", "description": "a server"}], "multiSelect": false},
        {"question": "Which pages?", "header": "Pages", "options": [
            {"label": "List", "description": "all recipes"}, {"label": "Search", "description": "by words"}],
            "multiSelect": true},
        {"question": "What is its name?", "header": "Name"}]})
}

/// Returns a body of OpenAI's chat format that calls the tool, with its arguments in pieces.
pub(crate) fn body(tool: &str, arguments: &str, piece: usize) -> String {
    let event = |call: Value| json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]});
    let start =
        event(json!({"index": 0, "id": "call_1", "type": "function", "function": {"name": tool, "arguments": ""}}));
    let mut body = format!("data: {start}\n\n");
    for piece in arguments.as_bytes().chunks(piece) {
        let piece = str::from_utf8(piece).unwrap();
        body += &format!("data: {}\n\n", event(json!({"index": 0, "function": {"arguments": piece}})));
    }
    body + "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n"
}

pub(crate) async fn push(service: &Service, id: &str, body: String) -> Value {
    post(format!("/conversations?id={id}&wire=openai-chat"), body).send(service).await.ok()
}

pub(crate) async fn answer(service: &Service, id: &str, body: &Value) -> Answer {
    post(format!("/conversations/{id}/answer"), body.to_string()).send(service).await
}

fn grown(events: &[Event]) -> Vec<&Value> {
    events.iter().filter(|event| event.kind == "form_partial").map(|event| &event.data).collect()
}

#[tokio::test]
async fn the_text_above_a_form_is_its_title_wherever_it_comes() {
    let service = Service::start(&[]);
    let schema = json!({"properties": {"env": {"type": "string", "title": "Where?", "enum": ["p", "t"]}}});
    let (before, after) = (
        format!(r#"{{"message":"Deployment","requestedSchema":{schema}}}"#),
        format!(r#"{{"requestedSchema":{schema},"message":"Deployment"}}"#),
    );
    for (id, arguments, piece) in [("a", &before, 1), ("b", &before, 1000), ("c", &after, 1), ("d", &after, 1000)] {
        let snapshot = push(&service, id, body("elicitation/create", arguments, piece)).await;
        let events = all_events(&service, id).await;
        assert_eq!(Page::of_snapshot(&snapshot), Page::of(&events));
        let complete = events.iter().position(|event| event.kind == "complete").unwrap();
        let form = Page::of(&events[..complete]).all("call")[0]["form"].clone();
        assert_eq!((&form["title"], &form["questions"][0]["text"]), (&json!("Deployment"), &json!("Where?")), "{form}");
        assert_eq!(events[complete].data["form"]["title"], "Deployment");
    }
}

#[tokio::test]
async fn a_form_grows_to_the_same_for_every_cut_and_at_every_event() {
    let service = Service::start(&[]);
    let arguments = arguments().to_string();
    let mut wholes = Vec::new();
    for piece in [1, 2, 7, 64, 10_000] {
        let id = format!("cut-{piece}");
        let snapshot = push(&service, &id, body("AskUserQuestion", &arguments, piece)).await;
        let events = all_events(&service, &id).await;
        let complete = events.iter().position(|event| event.kind == "complete").unwrap();
        // What has grown is what is complete, except for what is known only at the end.
        let mut page = Page::of(&events[..complete]);
        let before = page.all("call")[0].clone();
        page.apply(&events[complete]);
        let mut form = page.all("call")[0]["form"].clone();
        assert_eq!(form["shape"], "claude");
        form.as_object_mut().unwrap().remove("shape");
        let questions = form["questions"].as_array_mut().unwrap();
        let notes: Vec<_> = questions.iter_mut().map(|one| one.as_object_mut().unwrap().remove("notes")).collect();
        assert_eq!(notes, [Some(json!(true)), Some(json!(true)), None], "only options have a place for a note");
        assert_eq!(before["form"], form, "{piece}");
        assert_eq!(Page::of_snapshot(&snapshot), Page::of(&events));
        // Every fact is sent once, and every text as a delta.
        let sent: usize = grown(&events).iter().map(|partial| partial.to_string().len()).sum();
        assert!(sent < 400 * arguments.len(), "{sent}");
        let facts = |name| grown(&events).iter().filter(|partial| partial["known"][name].is_boolean()).count();
        assert_eq!((facts("multiple"), facts("custom")), (3, 3), "{piece}");
        wholes.push(page.all("call")[0].clone());
    }
    assert!(wholes.iter().all(|whole| *whole == wholes[0]));
    let call = &wholes[0];
    assert_eq!((&call["question"], &call["suggest"][1]["answer"]), (&json!("Which store?"), &json!("Postgres")));
    let questions = &call["form"]["questions"];
    assert_eq!(questions[0]["options"][0]["preview"], "```\nrecipes.db\n```");
    assert_eq!(questions[0]["options"][0]["recommended"], true);
    assert_eq!([&questions[0]["multiple"], &questions[1]["multiple"]], [false, true]);
    assert_eq!((&questions[2]["header"], &questions[2]["custom"]), (&json!("Name"), &json!(true)));
}

#[tokio::test]
async fn a_form_is_answered_as_a_whole_under_the_id_of_its_call() {
    let service = Service::start(&[]);
    let body = body("AskUserQuestion", &arguments().to_string(), 9);
    let answers = json!([{"picked": [0]}, {"picked": [1, 0], "text": "A map"}, {}]);
    for format in ["openai-chat", "openai-responses", "anthropic"] {
        push(&service, format, body.clone()).await;
        let taken = answer(&service, format, &json!({"number": 0, "form": answers, "format": format})).await.ok();
        let text = taken["reply"]["text"].as_str().unwrap();
        assert!(text.contains("SQLite") && text.contains("Search, List, A map"), "{text}");
        assert_eq!((&taken["reply"]["id"], &taken["waiting"]), (&json!("call_1"), &json!(0)));
        let message = &taken["messages"][0];
        let (id, content) = match format {
            "openai-chat" => (&message["tool_call_id"], &message["content"]),
            "openai-responses" => (&message["call_id"], &message["output"]),
            _ => (&message["content"][0]["tool_use_id"], &message["content"][0]["content"]),
        };
        assert_eq!(id, "call_1", "{message}");
        assert!(content.to_string().contains("A map"), "{message}");
        let page = Page::of(&all_events(&service, format).await);
        let answered = &page.all("call")[0]["answered"];
        assert_eq!((&answered["kind"], &answered["answers"]), (&json!("answer"), &answers));
        assert_eq!(answered["said"], text);
        let snapshot = get(format!("/conversations/{format}")).send(&service).await.ok();
        assert_eq!(Page::of_snapshot(&snapshot), page);
    }
}

#[tokio::test]
async fn answers_that_do_not_fit_the_form_are_refused_and_change_nothing() {
    let service = Service::start(&[]);
    push(&service, "c", body("AskUserQuestion", &arguments().to_string(), 99)).await;
    let refused = [
        (json!({"form": [{"text": "x"}]}), "the number of questions is 3, and that of answers 1"),
        (json!({"form": [{"picked": [2]}, {}, {}]}), "question 1 has no such option: it has 2"),
        (json!({"form": [{"picked": [0, 1]}, {}, {}]}), "only one option of question 1"),
        (json!({"form": [{}, {"picked": [1, 1]}, {}]}), "was picked twice"),
        (json!({"text": "Words"}), "there are 3 questions"),
    ];
    for (mut body, why) in refused {
        body["number"] = json!(0);
        let answer = answer(&service, "c", &body).await;
        assert_eq!(answer.error(), (422, "bad_answer".into()), "{body}");
        assert!(answer.message().contains(why), "{}", answer.message());
    }
    let unusable = [
        json!({"number": 0, "form": [{"pick": [0]}, {}, {}]}),
        json!({"number": 0, "form": [{}, {}, {}]}),
        json!({"number": 0, "form": [{"text": " "}, {"note": ""}, {}]}),
        json!({"number": 0, "form": [], "text": "x"}),
        json!({"number": 0, "form": [], "cancel": true}),
        json!({"number": 0, "cancel": true, "decline": true}),
        json!({"number": 0, "decline": true, "images": ["data:image/gif;base64,R0lGODlhAAAA"]}),
        json!({"form": []}),
        json!({"decline": true}),
    ];
    for body in unusable {
        assert_eq!(answer(&service, "c", &body).await.error(), (400, "bad_request".into()), "{body}");
    }
    let taken = answer(&service, "c", &json!({"number": 0, "form": [{}, {}, {"text": "Cook"}]})).await.ok();
    assert_eq!(taken["waiting"], 0, "a part of the questions may be answered");
}

#[tokio::test]
async fn a_form_is_declined_or_cancelled() {
    let service = Service::start(&[]);
    for (action, kind) in [("decline", "declined"), ("cancel", "cancelled")] {
        push(&service, action, body("AskUserQuestion", &arguments().to_string(), 99)).await;
        let taken = answer(&service, action, &json!({"number": 0, action: true})).await.ok();
        assert_eq!((&taken["reply"]["kind"], &taken["reply"]["id"]), (&json!(kind), &json!("call_1")));
        let page = Page::of(&all_events(&service, action).await);
        assert_eq!(page.all("call")[0]["answered"]["kind"], kind);
        let again = answer(&service, action, &json!({"number": 0, "form": [{}, {}, {"text": "x"}]})).await;
        assert_eq!(again.error(), (409, format!("already_{kind}")));
    }
}

#[tokio::test]
async fn a_form_of_one_question_takes_the_answers_to_one_question() {
    let service = Service::start(&[]);
    let arguments = json!({"questions": [{"id": "db", "header": "Store", "question": "Which?", "options": [
        {"label": "SQLite", "description": "a file"}, {"label": "Postgres", "description": "a server"}]}]});
    push(&service, "one", body("request_user_input", &arguments.to_string(), 5)).await;
    answer(&service, "one", &json!({"number": 0, "suggestion": 1})).await.ok();
    let page = Page::of(&all_events(&service, "one").await);
    let answered = &page.all("call")[0]["answered"];
    assert_eq!((&answered["said"], &answered["suggestion"]), (&json!("Postgres"), &json!(1)));
    assert!(answered.get("answers").is_none());
}

#[tokio::test]
async fn a_service_asks_the_tools_of_the_shapes_that_it_is_given() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("my.shapes");
    let shape = "shape quiz\ntool ask_quiz\nquestions items\ntext prompt\noptions choices\nmultiple many :no\n";
    std::fs::write(&path, shape).unwrap();
    let service = Service::start(&["--shapes", path.to_str().unwrap()]);
    let arguments = json!({"items": [{"prompt": "Tea?", "choices": ["Yes", "No"]},
        {"prompt": "Milk?", "many": true, "choices": ["Oat", "Cow"]}]});
    push(&service, "quiz", body("ask_quiz", &arguments.to_string(), 7)).await;
    let page = Page::of(&all_events(&service, "quiz").await);
    let call = page.all("call")[0];
    assert_eq!((&call["form"]["shape"], &call["state"]), (&json!("quiz"), &json!("complete")));
    let multiple: Vec<_> = (0..2).map(|i| call["form"]["questions"][i]["multiple"].clone()).collect();
    assert_eq!(multiple, [false, true]);
    let taken = answer(&service, "quiz", &json!({"number": 0, "form": [{"picked": [1]}, {"picked": [0, 1]}]})).await;
    let reply = "Q: Tea?\nA: No\n\nQ: Milk?\nA: Oat, Cow";
    let sent = json!({"kind": "answer", "number": 0, "id": "call_1", "tool": "ask_quiz", "text": reply});
    assert_eq!(taken.ok()["reply"], sent);
    // The file replaces the built-in shapes.
    push(&service, "claude", body("AskUserQuestion", &self::arguments().to_string(), 99)).await;
    assert_eq!(Page::of(&all_events(&service, "claude").await).all("call"), [&json!(null); 0]);
}

#[tokio::test]
async fn a_service_without_shapes_shows_no_form() {
    let service = Service::start(&["--shapes", "none"]);
    push(&service, "none", body("AskUserQuestion", &arguments().to_string(), 9)).await;
    let events = all_events(&service, "none").await;
    assert!(grown(&events).is_empty() && Page::of(&events).all("call").is_empty());
    let follow_up = json!({"question": "Tea?", "follow_up": [{"text": "Yes", "mode": null}]});
    push(&service, "one", body("ask_followup_question", &follow_up.to_string(), 9)).await;
    assert_eq!(Page::of(&all_events(&service, "one").await).all("call")[0]["question"], "Tea?");
}

#[tokio::test]
async fn a_form_that_breaks_off_is_rejected_with_what_was_read() {
    let service = Service::start(&[]);
    let arguments = arguments().to_string();
    let at = arguments.find("Which pages").unwrap() + 9;
    push(&service, "cut", body("AskUserQuestion", &arguments[..at], 3)).await;
    let page = Page::of(&all_events(&service, "cut").await);
    let call = page.all("call")[0];
    assert_eq!((&call["state"], &call["reason"]), (&json!("rejected"), &json!("truncated")));
    assert_eq!(call["form"]["questions"][1]["text"], "Which pag");
}

#[tokio::test]
async fn a_form_larger_than_a_conversation_may_keep_is_dropped() {
    let service = Service::start(&["--limit-kept", "20000"]);
    let long = "x".repeat(9000);
    let question = |n: usize| json!({"question": format!("{n} {long}"), "header": "H", "options": [{"label": "A", "description": "a"}, {"label": "B", "description": "b"}]});
    let arguments = json!({"questions": [question(0), question(1), question(2)]});
    push(&service, "large", body("AskUserQuestion", &arguments.to_string(), 500)).await;
    let page = Page::of(&all_events(&service, "large").await);
    assert_eq!(page.all("call").last().unwrap()["reason"], "dropped");
}

#[tokio::test]
async fn a_reader_that_comes_late_gets_the_form_as_far_as_it_is_written() {
    let service = Service::start(&[]);
    let body = body("AskUserQuestion", &arguments().to_string(), 5);
    let middle = body.len() / 3;
    let (pieces, body_of_push) = tokio::sync::mpsc::channel(2);
    let push = post("/conversations?id=late&wire=openai-chat", "").with_pieces(body_of_push);
    pieces.send(Ok(body[..middle].to_owned().into())).await.unwrap();
    let address = service.address.clone();
    let pushed = tokio::spawn(async move { push.send_to(&address).await });
    until(async || {
        let snapshot = get("/conversations/late").send(&service).await;
        snapshot.status == 200 && snapshot.json()["items"].to_string().contains("SQLite")
    })
    .await;
    let snapshot = Page::of_snapshot(&get("/conversations/late").send(&service).await.ok());
    assert_eq!(snapshot, Page::of(&all_events(&service, "late").await));
    assert_eq!(snapshot.all("call")[0]["state"], "growing");
    pieces.send(Ok(body[middle..].to_owned().into())).await.unwrap();
    drop(pieces);
    let whole = Page::of_snapshot(&pushed.await.unwrap().ok());
    assert_eq!(whole, Page::of(&all_events(&service, "late").await));
    assert_eq!(whole.all("call")[0]["state"], "complete");
}

#[tokio::test]
async fn the_answers_to_a_form_go_back_to_the_provider_and_the_model_continues() {
    let service = Service::relay(&["--continue"]);
    let id = "form-continue";
    let done = "data: {\"choices\":[{\"delta\":{\"content\":\"Done.\"}}]}\n\ndata: [DONE]\n\n";
    let asks = body("AskUserQuestion", &arguments().to_string(), 9);
    let play = json!([{"name": id, "body": asks}, {"name": id, "body": done}]);
    chat(&play).with("x-followup-conversation", id).send(&service).await.ok_body();
    let mut events = Events::of(&service, id, None).await;
    let taken = answer(&service, id, &json!({"number": 0, "form": [{"picked": [1]}, {}, {"text": "Cook"}]})).await.ok();
    assert_eq!((&taken["continued"], taken.get("why")), (&json!(true), None));
    events.up_to(|event| event.kind == "end").await;
    let asked = requests(id).await;
    let messages = asked[1]["body"]["messages"].as_array().unwrap();
    assert_eq!(messages[1]["tool_calls"][0]["function"]["name"], "AskUserQuestion");
    let result = &messages[2];
    assert_eq!((&result["role"], &result["tool_call_id"]), (&json!("tool"), &json!("call_1")));
    assert_eq!(result["content"], taken["reply"]["text"]);
}
