//! `PATCH /conversations/ID/turn`: a body in pieces, each in a request of its own.

use serde_json::{Value, json};

use crate::client::{Answer, Events, call, get, post};
use crate::page::Page;
use crate::service::Service;

const BODY: &str = concat!(
    "data: {\"choices\":[{\"delta\":{\"content\":\"Hm ü\\n<ask_followup_question><question>Su\"}}]}\n\n",
    "data: {\"choices\":[{\"delta\":{\"content\":\"re?</question><follow_up><suggest>Yes</suggest></follow_up>",
    "</ask_followup_question>\"}}]}\n\ndata: [DONE]\n\n"
);

/// Pushes the bytes of the body from one offset to another.
pub(crate) async fn push(service: &Service, id: &str, message: &str, from: usize, to: usize, last: bool) -> Answer {
    let path = format!("/conversations/{id}/turn?message={message}&offset={from}&last={last}&wire=openai-chat");
    call("PATCH", path, BODY.as_bytes()[from..to].to_vec()).send(service).await
}

/// Returns the items after the whole body was pushed at once.
pub(crate) async fn whole(service: &Service) -> Value {
    let pushed = post("/conversations?wire=openai-chat&id=whole", BODY).send(service).await.ok();
    pushed["items"].clone()
}

pub(crate) fn len() -> usize {
    BODY.len()
}

#[tokio::test]
async fn a_body_in_pieces_gives_the_same_conversation_as_the_whole_wherever_it_is_cut() {
    let service = Service::start(&[]);
    let whole = whole(&service).await;
    for cut in 0..=BODY.len() {
        let id = format!("cut-{cut}");
        let first = push(&service, &id, "a", 0, cut, false).await.ok();
        assert_eq!(first, json!({"offset": cut, "turn": "streaming"}));
        let second = push(&service, &id, "a", cut, BODY.len(), true).await.ok();
        assert_eq!(second, json!({"offset": BODY.len(), "turn": "ended"}));
        let snapshot = get(format!("/conversations/{id}")).send(&service).await.ok();
        assert_eq!(snapshot["items"], whole, "cut at {cut}");
    }
}

#[tokio::test]
async fn a_piece_that_is_sent_again_is_skipped_and_a_missing_one_is_named() {
    let service = Service::start(&[]);
    let whole = whole(&service).await;
    push(&service, "p", "a", 0, 50, false).await.ok();
    let mut events = Events::of(&service, "p", None).await;
    events.next().await;
    assert_eq!(push(&service, "p", "a", 0, 50, false).await.ok()["offset"], 50);
    assert_eq!(push(&service, "p", "a", 10, 40, false).await.ok()["offset"], 50);
    let gap = push(&service, "p", "a", 60, 70, false).await;
    assert_eq!(gap.error(), (409, "gap".into()));
    assert_eq!(gap.json()["error"]["offset"], 50);
    assert_eq!(push(&service, "p", "other", 0, 10, false).await.error(), (409, "busy".into()));
    assert_eq!(push(&service, "p", "a", 20, BODY.len(), true).await.ok()["turn"], "ended");
    assert_eq!(push(&service, "p", "a", 0, BODY.len(), true).await.ok()["turn"], "ended");
    let snapshot = get("/conversations/p").send(&service).await.ok();
    assert_eq!(snapshot["items"], whole);
    assert_eq!(push(&service, "p", "b", 1, 2, false).await.json()["error"]["offset"], 0);
    assert_eq!(push(&service, "p", "b", 0, BODY.len(), true).await.ok()["turn"], "ended");
    let turns = Page::of_snapshot(&get("/conversations/p").send(&service).await.ok());
    assert_eq!(turns.all("turn").len(), 2, "another message is another turn");
}

#[tokio::test]
async fn a_bad_request_for_a_piece_changes_nothing() {
    let service = Service::start(&[]);
    for query in ["", "offset=0", "message=a", "message=&offset=0", "message=a&offset=-1", "message=a&offset=0&wire=x"]
    {
        let answer = call("PATCH", format!("/conversations/p/turn?{query}"), "x").send(&service).await;
        assert_eq!(answer.error(), (400, "bad_request".into()), "{query}");
    }
    assert_eq!(get("/conversations/p").send(&service).await.status, 404);
}

#[tokio::test]
async fn a_compressed_body_is_refused_and_changes_nothing() {
    let service = Service::start(&["--demo"]);
    let piece = call("PATCH", "/conversations/p/turn?message=a&offset=0&last=true&wire=text", "Hi");
    let pushed = post("/conversations?id=p&wire=text", "Hi");
    let played = post("/demo", "{\"message\":\"database\"}");
    for call in [piece, pushed, played] {
        let refused = call.with("content-encoding", "gzip").send(&service).await;
        assert_eq!(refused.error(), (400, "bad_request".into()));
        assert!(refused.message().contains("the body is compressed"), "{}", refused.message());
    }
    assert_eq!(get("/conversations").send(&service).await.ok()["conversations"], json!([]));
    let piece = call("PATCH", "/conversations/p/turn?message=a&offset=0&last=true&wire=text", "Hi");
    assert_eq!(piece.with("content-encoding", "identity").send(&service).await.ok()["turn"], "ended");
    let answer = post("/conversations/p/answer", "{\"number\":0,\"text\":\"x\"}").with("content-encoding", "br");
    assert_eq!(answer.send(&service).await.error(), (400, "bad_request".into()));
}

#[tokio::test]
async fn a_later_piece_creates_no_conversation() {
    let service = Service::start(&["--limit-conversations", "1"]);
    for (from, to) in [(1, 2), (BODY.len(), BODY.len())] {
        let gap = push(&service, "new", "a", from, to, true).await;
        assert_eq!(gap.error(), (409, "gap".into()));
        assert_eq!(gap.json()["error"]["offset"], 0);
        assert_eq!(get("/conversations/new").send(&service).await.status, 404);
    }
    assert_eq!(post("/conversations?id=other&wire=text", "Hi").send(&service).await.status, 201, "there is room");
    call("DELETE", "/conversations/other", "").send(&service).await;
    push(&service, "new", "a", 0, 50, false).await.ok();
    call("DELETE", "/conversations/new", "").send(&service).await;
    assert_eq!(push(&service, "new", "a", 50, 60, false).await.error(), (409, "gap".into()));
    assert_eq!(get("/conversations/new").send(&service).await.status, 404, "it stays deleted");
    assert_eq!(push(&service, "a.b", "a", 1, 2, false).await.error(), (400, "bad_id".into()));
}
