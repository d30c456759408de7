//! What the store or a replica does not know: all was lost, or a message did not arrive.

use std::time::Duration;

use rustix::process::Signal;
use serde_json::json;
use tokio::task::JoinSet;

use super::redis_server::RedisServer;
use super::scene::{
    answer, asks_and_continues, body_of, is_asked, is_end, relay, relay_question, replica, snapshot, two_replicas,
};
use super::tcp_proxy::{Passing, TcpProxy};
use crate::client::{Answer, Events, call, get, post, soon, until};
use crate::page::Page;
use crate::service::Service;
use crate::upstream::{open_gate, requests};

const PASSING: Passing = Passing::After(Duration::ZERO);

/// Starts a replica, and a proxy between it and the store.
fn proxied_replica(redis: &RedisServer, args: &[&str]) -> (Service, TcpProxy) {
    let proxy = TcpProxy::start(redis.port);
    (replica(&proxy.url(), args), proxy)
}

/// Asserts that a reader, which has seen everything, gets nothing more until the conversation is
/// deleted.
async fn assert_is_not_set_back(events: &mut Events, replica: &Service, id: &str) {
    call("DELETE", format!("/conversations/{id}"), "").send(replica).await.ok_body();
    assert_eq!(events.next().await.unwrap().kind, "gone", "nothing that the reader has seen comes again");
}

#[tokio::test]
async fn a_store_that_has_lost_everything_gets_the_events_of_all_writers_again() {
    let Some(mut redis) = RedisServer::start(&[]) else { return };
    let (mut owner, other) = two_replicas(&redis.url(), &["--lease", "1"]);
    let id = "two-writers";
    drop(relay(&owner, id, &asks_and_continues(id)).await);
    until(async || is_asked(&other, id).await).await;
    let mut events = Events::of(&other, id, None).await;
    owner.kill();
    events.up_to(is_end).await;
    redis.kill();
    redis.restart();
    let third = replica(&redis.url(), &[]);
    until(async || is_asked(&third, id).await).await;
    assert_eq!(snapshot(&third, id).await, snapshot(&other, id).await);
    until(async || answer(&third, id, &json!({"number": 0, "suggestion": 0})).await.status == 200).await;
}

#[tokio::test]
async fn a_stale_writer_that_stores_a_lost_conversation_first_accepts_no_second_answer() {
    let Some(mut redis) = RedisServer::start(&[]) else { return };
    // In the first lease after the store was reached, what was lost is not answered.
    let args = ["--lease", "8"];
    let ((stale, proxy_of_stale), (other, proxy_of_other)) =
        (proxied_replica(&redis, &args), proxied_replica(&redis, &args));
    let id = "stale-writer";
    open_gate(id).await;
    relay(&stale, id, &asks_and_continues(id)).await.await.unwrap();
    until(async || is_asked(&other, id).await && snapshot(&other, id).await["turn"] == "ended").await;
    proxy_of_stale.set(Passing::Nothing);
    answer(&other, id, &json!({"number": 0, "suggestion": 0})).await.ok();
    proxy_of_other.set(Passing::Cut);
    redis.kill();
    redis.restart();
    proxy_of_stale.set(PASSING);
    until(async || redis.ask("HGET followup:{stale-writer}:state owner").starts_with('$')).await;
    let second = json!({"number": 0, "suggestion": 1});
    until(async || answer(&stale, id, &second).await.message().contains("had lost conversation")).await;
    proxy_of_other.set(PASSING);
    until(async || answer(&stale, id, &second).await.error().0 == 409).await;
    until(async || snapshot(&stale, id).await == snapshot(&other, id).await).await;
    assert_eq!(Page::of_snapshot(&snapshot(&stale, id).await).all("call")[0]["answered"]["said"], "Yes");
}

#[tokio::test]
async fn a_stale_writer_that_stores_a_lost_conversation_first_sends_no_answer_again() {
    let Some(mut redis) = RedisServer::start(&[]) else { return };
    let args = ["--lease", "8", "--continue", "--upstream-key", "k"];
    let ((stale, proxy_of_stale), (other, proxy_of_other)) =
        (proxied_replica(&redis, &args), proxied_replica(&redis, &args));
    let id = "sent-once";
    open_gate(id).await;
    let play = json!([asks_and_continues(id), {"name": id, "body": body_of("Done.")}]);
    relay(&stale, id, &play).await.await.unwrap();
    until(async || is_asked(&other, id).await && snapshot(&other, id).await["turn"] == "ended").await;
    let sent = async || {
        let asked = requests(id).await;
        asked.iter().filter(|request| request["body"]["messages"].as_array().unwrap().len() > 1).count()
    };
    let mut events = Events::of(&stale, id, None).await;
    proxy_of_stale.set(Passing::After(Duration::from_millis(300)));
    let (address, yes) = (stale.address.clone(), json!({"number": 0, "suggestion": 0}).to_string());
    let answered = post(format!("/conversations/{id}/answer"), yes);
    let answering = tokio::spawn(async move { answered.send_to(&address).await });
    until(async || redis.ask(&format!("HEXISTS followup:{{{id}}}:state answer:0")) == ":1").await;
    // The other one becomes the writer, and sends the answer, before the stale one knows that the
    // answer was accepted.
    let second = json!({"number": 0, "suggestion": 1});
    assert_eq!(answer(&other, id, &second).await.error(), (409, "already_answered".into()));
    until(async || sent().await == 1).await;
    events.up_to(|event| event.kind == "replied").await;
    proxy_of_other.set(Passing::Cut);
    redis.kill();
    redis.restart();
    proxy_of_stale.set(PASSING);
    until(async || redis.ask(&format!("HGET followup:{{{id}}}:state last")).starts_with('$')).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    proxy_of_other.set(PASSING);
    until(async || snapshot(&other, id).await["items"].to_string().contains("Done.")).await;
    until(async || snapshot(&stale, id).await == snapshot(&other, id).await).await;
    assert_eq!(sent().await, 1);
    drop(answering.await);
}

#[tokio::test]
async fn of_many_answers_at_once_each_but_one_is_told_that_the_question_has_one() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (owner, (other, proxy)) = (replica(&redis.url(), &[]), proxied_replica(&redis, &[]));
    let id = "many-answers";
    let body = relay_question(&owner, id, &other).await;
    // The other one looks at the question, and has to wait before it claims it. The owner answers
    // meanwhile.
    proxy.set(Passing::After(Duration::from_millis(60)));
    let mut many = JoinSet::new();
    for index in 0..20 {
        let given = post(format!("/conversations/{id}/answer"), json!({"number": 0, "suggestion": 1}).to_string());
        let address = other.address.clone();
        many.spawn(async move {
            tokio::time::sleep(Duration::from_millis(3 * index)).await;
            given.send_to(&address).await
        });
    }
    tokio::time::sleep(Duration::from_millis(240)).await;
    let first = answer(&owner, id, &json!({"number": 0, "suggestion": 0})).await;
    let many = many.join_all().await;
    let said = snapshot(&owner, id).await["items"].to_string().contains(r#""said":"Yes""#);
    assert_eq!(first.status == 200, said);
    let mut refused: Vec<_> = many.into_iter().filter(|one| one.status != 200).collect();
    let accepted = 20 - refused.len() + usize::from(first.status == 200);
    refused.extend(Some(first).filter(|first| first.status != 200));
    let has_error = |code: &str| refused.iter().any(|one| one.json()["error"]["code"] == code);
    assert!(accepted == 1 || accepted == 0 && has_error("store_unavailable"), "{accepted} were accepted: {refused:?}");
    for one in refused {
        let (status, code) = one.error();
        // On a machine that is busy, the slow store may take too long for a few of them.
        assert!([(503, "store_unavailable"), (409, "already_answered")].contains(&(status, &*code)), "{one:?}");
        let answer = &one.json()["error"]["answer"];
        assert!(answer.is_null() || answer == if said { "Yes" } else { "No" }, "{one:?}");
    }
    open_gate(id).await;
    body.await.unwrap();
}

#[tokio::test]
async fn an_answer_counts_whose_acceptance_is_lost_with_the_connection() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    // While the owner is stopped, it does not renew its lease.
    let args = ["--lease", "20"];
    let (owner, (other, proxy)) = (replica(&redis.url(), &args), proxied_replica(&redis, &args));
    let id = "acceptance-lost";
    let body = relay_question(&owner, id, &other).await;
    // The owner, which writes, gives the answer only after it could be accepted.
    owner.signal(Signal::STOP);
    proxy.set(Passing::After(Duration::from_millis(200)));
    let first = json!({"number": 0, "suggestion": 0});
    let (given, ()) = tokio::join!(answer(&other, id, &first), async {
        until(async || redis.ask(&format!("HEXISTS followup:{{{id}}}:state answer:0")) == ":1").await;
        // Before the replica hears of it.
        proxy.set(Passing::Cut);
        until(async || get("/readyz").send(&other).await.status == 503).await;
        proxy.set(PASSING);
        until(async || get("/readyz").send(&other).await.status == 200).await;
        owner.signal(Signal::CONT);
    });
    assert_eq!(given.ok()["reply"]["text"], "<answer>\nYes\n</answer>");
    open_gate(id).await;
    body.await.unwrap();
}

#[tokio::test]
async fn an_answer_counts_that_is_given_before_its_acceptance_is_lost() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (owner, (other, proxy)) = (replica(&redis.url(), &[]), proxied_replica(&redis, &[]));
    let id = "given-acceptance-lost";
    let body = relay_question(&owner, id, &other).await;
    proxy.set(Passing::After(Duration::from_millis(400)));
    let first = json!({"number": 0, "suggestion": 0});
    let (given, ()) = tokio::join!(answer(&other, id, &first), async {
        // The owner gives the answer before the replica hears of its acceptance.
        until(async || !is_asked(&owner, id).await).await;
        until(async || redis.ask(&format!("HEXISTS followup:{{{id}}}:state answer:0")) == ":0").await;
        proxy.set(Passing::Cut);
        until(async || get("/readyz").send(&other).await.status == 503).await;
        proxy.set(PASSING);
    });
    assert_eq!(given.ok()["reply"]["text"], "<answer>\nYes\n</answer>");
    let second = answer(&other, id, &json!({"number": 0, "suggestion": 1})).await;
    assert_eq!(second.error(), (409, "already_answered".into()));
    open_gate(id).await;
    body.await.unwrap();
}

#[tokio::test]
async fn a_dismissal_that_is_lost_to_another_writer_is_an_error() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let ((owner, proxy), other) = (proxied_replica(&redis, &[]), replica(&redis.url(), &[]));
    let id = "dismissal-lost";
    open_gate(id).await;
    relay(&owner, id, &asks_and_continues(id)).await.await.unwrap();
    until(async || is_asked(&other, id).await && snapshot(&other, id).await["turn"] == "ended").await;
    proxy.set(Passing::Cut);
    until(async || get("/readyz").send(&owner).await.status == 503).await;
    answer(&other, id, &json!({"number": 0, "suggestion": 0})).await.ok();
    let (dismissed, ()) = tokio::join!(post(format!("/conversations/{id}/dismiss"), "").send(&owner), async {
        until(async || snapshot(&owner, id).await["items"].to_string().contains("dismissed")).await;
        proxy.set(PASSING);
    });
    assert_eq!(dismissed.error(), (503, "elsewhere".into()));
    until(async || snapshot(&owner, id).await == snapshot(&other, id).await).await;
    assert_eq!(Page::of_snapshot(&snapshot(&owner, id).await).all("call")[0]["answered"]["said"], "Yes");
}

/// Answers a question, and dismisses it before the replica hears that the store has accepted the
/// answer. `refuse` makes the store refuse something then. The answer is an error.
///
/// Returns the task that dismisses the question: it waits for the store.
async fn dismiss_accepted(
    owner: &Service,
    proxy: &TcpProxy,
    redis: &RedisServer,
    id: &str,
    refuse: impl Fn(),
) -> JoinSet<Answer> {
    open_gate(id).await;
    relay(owner, id, &asks_and_continues(id)).await.await.unwrap();
    until(async || redis.ask(&format!("HGET followup:{{{id}}}:state turn")).contains("ended")).await;
    proxy.set(Passing::After(Duration::from_millis(400)));
    let yes = json!({"number": 0, "suggestion": 0});
    let mut dismissing = JoinSet::new();
    let (refused, ()) = tokio::join!(answer(owner, id, &yes), async {
        until(async || is_accepted(redis, id)).await;
        proxy.set(Passing::Cut);
        until(async || get("/readyz").send(owner).await.status == 503).await;
        let address = owner.address.clone();
        let dismiss = post(format!("/conversations/{id}/dismiss"), "");
        dismissing.spawn(async move { dismiss.send_to(&address).await });
        until(async || snapshot(owner, id).await["items"].to_string().contains("dismissed")).await;
        refuse();
        proxy.set(PASSING);
    });
    assert_eq!(refused.error(), (409, "dismissed".into()));
    dismissing
}

/// Returns whether the store has an accepted answer to the first question.
fn is_accepted(redis: &RedisServer, id: &str) -> bool {
    redis.ask(&format!("HEXISTS followup:{{{id}}}:state answer:0")) == ":1"
}

#[tokio::test]
async fn an_accepted_answer_that_can_not_be_given_is_taken_back() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (owner, proxy) = proxied_replica(&redis, &[]);
    let id = "taken-back";
    let (log, saved) = (format!("followup:{{{id}}}:log"), format!("saved:{{{id}}}"));
    // It refuses events, and nothing else.
    let refuse = || {
        redis.tell(&format!("RENAME {log} {saved}"));
        redis.tell(&format!("SET {log} x"));
    };
    let dismissing = dismiss_accepted(&owner, &proxy, &redis, id, refuse).await;
    // Now, and not with the events.
    assert!(!is_accepted(&redis, id));
    redis.tell(&format!("RENAME {saved} {log}"));
    assert_eq!(dismissing.join_all().await[0].status, 204);
    let other = replica(&redis.url(), &[]);
    until(async || snapshot(&other, id).await == snapshot(&owner, id).await).await;
    assert!(!is_accepted(&redis, id));
}

#[tokio::test]
async fn an_accepted_answer_that_can_not_be_taken_back_goes_with_the_next_events() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (owner, proxy) = proxied_replica(&redis, &[]);
    let id = "taken-back-later";
    // It refuses to write.
    let refuse = || redis.tell("CONFIG SET min-replicas-to-write 1");
    let dismissing = dismiss_accepted(&owner, &proxy, &redis, id, refuse).await;
    assert!(is_accepted(&redis, id));
    redis.tell("CONFIG SET min-replicas-to-write 0");
    assert_eq!(dismissing.join_all().await[0].status, 204);
    until(async || !is_accepted(&redis, id)).await;
}

#[tokio::test]
async fn guidance_that_is_lost_to_another_writer_is_an_error() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let ((owner, proxy), other) = (proxied_replica(&redis, &[]), replica(&redis.url(), &[]));
    let mistakes = "<ask_followup_question><suggest>A</suggest></ask_followup_question>".repeat(3);
    for attempt in 0..5 {
        let id = &*format!("guidance-lost-{attempt}");
        post(format!("/conversations?id={id}&wire=text"), mistakes.clone()).send(&other).await.ok();
        let is_stopped = async || {
            let there = get(format!("/conversations/{id}")).send(&owner).await;
            there.status == 200 && there.json()["stopped"] == true
        };
        until(is_stopped).await;
        let epoch = || redis.ask(&format!("HGET followup:{{{id}}}:state epoch"));
        let before = epoch();
        // The other one takes the conversation after the owner has, and before that has stored its
        // guidance. A slow machine needs more time for that. The store has 2 s for a command and
        // its reply.
        proxy.set(Passing::After(Duration::from_millis(300 + 150 * attempt)));
        let guides = ["First", "Second"].map(|guide| json!({"guide": guide}));
        let (first, second) = tokio::join!(answer(&owner, id, &guides[0]), async {
            until(async || epoch() != before).await;
            answer(&other, id, &guides[1]).await
        });
        proxy.set(PASSING);
        // On a machine that is busy, it may be too late, or the owner hears of it too early.
        if second.status != 200 || first.status == 503 && !first.message().contains("this change is lost") {
            continue;
        }
        assert_eq!(first.error(), (503, "elsewhere".into()));
        until(async || snapshot(&owner, id).await == snapshot(&other, id).await).await;
        let shown = snapshot(&owner, id).await["items"].to_string();
        assert!(shown.contains("Second") && !shown.contains("First"), "{shown}");
        return;
    }
    panic!("the machine is too slow");
}

#[tokio::test]
async fn what_was_deleted_is_not_stored_again_by_a_writer_that_did_not_hear_of_it() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let ((owner, proxy), other) = (proxied_replica(&redis, &[]), replica(&redis.url(), &[]));
    let id = "deleted-unheard";
    let body = relay_question(&owner, id, &other).await;
    proxy.set(Passing::Cut);
    assert_eq!(call("DELETE", format!("/conversations/{id}"), "").send(&other).await.status, 204);
    open_gate(id).await;
    body.await.unwrap();
    let mut events = Events::of(&owner, id, None).await;
    proxy.set(PASSING);
    events.up_to(|event| event.kind == "gone").await;
    for replica in [&owner, &other] {
        assert_eq!(get(format!("/conversations/{id}")).send(replica).await.status, 404);
    }
    assert_eq!(redis.ask("EXISTS followup:{deleted-unheard}:log"), ":0");
    // Its id can be used again.
    let again = json!({"name": "again", "body": body_of("Hello")});
    relay(&other, id, &again).await.await.unwrap();
    until(async || Page::of_snapshot(&snapshot(&owner, id).await).prose() == "Hello").await;
}

#[tokio::test]
async fn of_two_equal_answers_one_is_accepted_even_if_the_writer_has_not_given_it() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    // While the owner is stopped, it does not renew its lease.
    let args = ["--lease", "20"];
    let (owner, one, two) = (replica(&redis.url(), &args), replica(&redis.url(), &args), replica(&redis.url(), &args));
    let id = "equal-answers";
    let body = relay(&owner, id, &asks_and_continues(id)).await;
    until(async || is_asked(&one, id).await && is_asked(&two, id).await).await;
    owner.signal(Signal::STOP);
    let yes = json!({"number": 0, "suggestion": 0});
    let (accepted, refused) = tokio::join!(answer(&one, id, &yes), async {
        until(async || redis.ask(&format!("HEXISTS followup:{{{id}}}:state answer:0")) == ":1").await;
        let refused = answer(&two, id, &yes).await;
        owner.signal(Signal::CONT);
        refused
    });
    accepted.ok();
    assert_eq!(refused.error(), (409, "already_answered".into()));
    assert_eq!(refused.json()["error"]["answer"], "Yes");
    open_gate(id).await;
    body.await.unwrap();
}

#[tokio::test]
async fn a_reader_that_comes_back_to_a_replica_that_lags_is_not_set_back() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (owner, (other, proxy)) = (replica(&redis.url(), &[]), proxied_replica(&redis, &[]));
    let id = "lags";
    let body = relay_question(&owner, id, &other).await;
    proxy.set(Passing::Nothing);
    let mut events = Events::of(&owner, id, None).await;
    answer(&owner, id, &json!({"number": 0, "suggestion": 0})).await.ok();
    open_gate(id).await;
    body.await.unwrap();
    let end = events.up_to(is_end).await.pop().unwrap();
    let (mut events, ()) = tokio::join!(Events::of(&other, id, Some(&end.id)), async {
        // The replica gives up a connection that says nothing for 2 s.
        tokio::time::sleep(Duration::from_millis(200)).await;
        proxy.set(PASSING);
    });
    assert_is_not_set_back(&mut events, &owner, id).await;
}

#[tokio::test]
async fn a_reader_that_comes_back_before_its_event_is_stored_is_not_set_back() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let ((owner, proxy), other) = (proxied_replica(&redis, &[]), replica(&redis.url(), &[]));
    let id = "stored-late";
    let body = relay_question(&owner, id, &other).await;
    proxy.set(Passing::Nothing);
    let mut events = Events::of(&owner, id, None).await;
    open_gate(id).await;
    body.await.unwrap();
    let end = events.up_to(is_end).await.pop().unwrap();
    let (mut events, ()) = tokio::join!(Events::of(&other, id, Some(&end.id)), async {
        // Shorter than a lease.
        tokio::time::sleep(Duration::from_millis(2500)).await;
        proxy.set(PASSING);
    });
    until(async || snapshot(&other, id).await["last"] == *end.id).await;
    assert_is_not_set_back(&mut events, &other, id).await;
}

#[tokio::test]
async fn a_reader_waits_longer_than_a_lease_for_a_writer_that_lives() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (owner, other) = two_replicas(&redis.url(), &["--lease", "2"]);
    let id = "lives";
    let body = relay_question(&owner, id, &other).await;
    let mut events = Events::of(&owner, id, None).await;
    // From here on, the store refuses events, but renews leases.
    let log = format!("followup:{{{id}}}:log");
    redis.tell(&format!("RENAME {log} saved:{{{id}}}"));
    redis.tell(&format!("SET {log} x"));
    open_gate(id).await;
    body.await.unwrap();
    let end = events.up_to(is_end).await.pop().unwrap();
    let (mut events, ()) = tokio::join!(Events::of(&other, id, Some(&end.id)), async {
        // Longer than a lease, shorter than three.
        tokio::time::sleep(Duration::from_millis(2600)).await;
        redis.tell(&format!("RENAME saved:{{{id}}} {log}"));
    });
    until(async || snapshot(&other, id).await["last"] == *end.id).await;
    assert_is_not_set_back(&mut events, &other, id).await;
}

#[tokio::test]
async fn a_reader_that_waits_for_an_event_does_not_delay_a_shutdown() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let owner = replica(&redis.url(), &["--lease", "60"]);
    let id = "shutdown-waits";
    open_gate(id).await;
    relay(&owner, id, &asks_and_continues(id)).await.await.unwrap();
    let (reading, address) = (get(format!("/conversations/{id}/events")), owner.address.clone());
    let reading = reading.with("last-event-id", "9999999999999-1");
    let waiting = tokio::spawn(async move { reading.send_to(&address).await });
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(!waiting.is_finished(), "that event is not here");
    owner.signal(Signal::TERM);
    assert_eq!(soon(waiting).await.unwrap().status, 503);
}

#[tokio::test]
async fn a_reader_that_comes_back_to_a_stale_writer_is_not_set_back() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let ((stale, proxy), other) = (proxied_replica(&redis, &[]), replica(&redis.url(), &[]));
    let id = "stale-reads";
    relay(&stale, id, &json!({"name": "stale-reads-1", "body": body_of("Old.")})).await.await.unwrap();
    let shows = async |text: &str| {
        let there = get(format!("/conversations/{id}")).send(&other).await;
        there.status == 200 && there.json()["turn"] == "ended" && there.json()["items"].to_string().contains(text)
    };
    until(async || shows("Old.").await).await;
    proxy.set(Passing::Cut);
    until(async || get("/readyz").send(&stale).await.status == 503).await;
    // The other one becomes the writer.
    relay(&other, id, &json!({"name": "stale-reads-2", "body": body_of("New.")})).await.await.unwrap();
    until(async || shows("New.").await).await;
    let last = snapshot(&other, id).await["last"].as_str().unwrap().to_owned();
    let (mut events, ()) = tokio::join!(Events::of(&stale, id, Some(&last)), async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        proxy.set(PASSING);
    });
    until(async || snapshot(&stale, id).await["last"] == *last).await;
    assert_is_not_set_back(&mut events, &other, id).await;
}
