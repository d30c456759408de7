//! The recorded messages.

use serde_json::{Value, json};

use crate::client::{Events, get, post};
use crate::page::Page;
use crate::service::Service;

#[tokio::test]
async fn every_recording_can_be_answered_to_its_end() {
    let service = Service::start(&["--demo", "--chunk", "random:3", "--delay", "0"]);
    let offered = get("/demo").send(&service).await.ok();
    assert_eq!((&offered["chunk"], &offered["delay"]), (&json!("random:3"), &json!(0)));
    let messages = offered["messages"].as_array().unwrap();
    assert!(messages.len() >= 6);
    for (index, message) in messages.iter().enumerate() {
        assert!(message["title"].as_str().unwrap().len() > 5);
        let play = json!({"message": message["name"], "chunk": (index % 2 == 0).then_some("7"), "delay": 0});
        let played = post("/demo", play.to_string()).send(&service).await;
        assert_eq!(played.status, 201);
        let id = played.ok()["id"].as_str().unwrap().to_owned();
        let mut events = Events::of(&service, &id, None).await;
        let mut page = Page::default();
        let answer =
            async |body: Value| post(format!("/conversations/{id}/answer"), body.to_string()).send(&service).await;
        let mut turns = 0;
        loop {
            while !matches!(&*page.turn, "ended" | "cut_off") {
                page.apply(&events.next().await.unwrap());
            }
            assert_eq!(page.turn, "ended");
            turns += 1;
            let mut taken = None;
            if page.stopped {
                taken = Some(answer(json!({"guide": "Think of the question first"})).await.ok());
            }
            let open = |page: &Page| page.all("call").into_iter().find(|call| call["open"] == true).cloned();
            while let Some(call) = open(&page) {
                let mut body = json!({"number": call["number"], "suggestion": 0});
                if let Some(questions) = call["form"]["questions"].as_array() {
                    let mut form = vec![json!({}); questions.len()];
                    form[0] = json!({"picked": [0]});
                    body = json!({"number": call["number"], "form": form});
                }
                taken = Some(answer(body).await.ok());
                // The page shows an answer before the next question is answered.
                while open(&page).is_some_and(|now| now["number"] == call["number"]) {
                    page.apply(&events.next().await.unwrap());
                }
                if taken.as_ref().is_some_and(|taken| taken["waiting"] != 0) {
                    while open(&page).is_none() {
                        page.apply(&events.next().await.unwrap());
                    }
                }
            }
            match taken {
                Some(taken) => {
                    assert_eq!(taken["continued"], true, "{message}: {taken}");
                    while page.all("turn").len() == turns {
                        page.apply(&events.next().await.unwrap());
                    }
                }
                None => break,
            }
        }
        assert!(turns >= 2, "{message}");
        let snapshot = get(format!("/conversations/{id}")).send(&service).await.ok();
        assert_eq!(page, Page::of_snapshot(&snapshot));
    }
}

#[tokio::test]
async fn a_recording_can_be_deleted_while_it_plays() {
    let service = Service::start(&["--demo", "--delay", "1"]);
    let played = post("/demo", json!({"message": "database"}).to_string()).send(&service).await.ok();
    let path = format!("/conversations/{}", played["id"].as_str().unwrap());
    assert_eq!(crate::client::call("DELETE", path.clone(), "").send(&service).await.status, 204);
    assert_eq!(get(path).send(&service).await.status, 404);
}
