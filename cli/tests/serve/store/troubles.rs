//! A store that can't be used: a clear error at start, or a state that heals.
//!
//! The relay never suffers.

use std::io::{BufRead, BufReader, Read};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::json;

use super::old_server::old_server;
use super::redis_server::{RedisServer, free_port};
use super::scene::{answer, asks_and_continues, check_seen, is_asked, is_end, relay_question, replica, snapshot};
use crate::client::{Events, chat, read, soon, until};
use crate::memory::metric;
use crate::service::{Service, command};
use crate::upstream::{open_gate, upstream};

/// Returns what the program says when it refuses to start with these options, without the usage.
pub(super) fn refused(args: &[&str]) -> String {
    let mut child = command(args).args(["--demo", "--listen", "127.0.0.1:0"]).spawn().unwrap();
    let (started, mut errors) = (Instant::now(), String::new());
    while child.try_wait().unwrap().is_none() {
        if started.elapsed() > Duration::from_secs(30) {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("it has started with {args:?}");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(2), "{errors}");
    assert!(!errors.contains("s3cret"), "{errors}");
    errors
}

#[track_caller]
pub(super) fn says(errors: &str, expected: &str) {
    assert!(errors.contains(expected), "{errors}");
}

#[test]
fn a_url_that_is_none_is_a_usage_error() {
    for url in ["", "localhost:6379", "http://u:s3cret@localhost", "redis://u:s3cret@localhost:port", "redis+other://a"]
    {
        let errors = refused(&["--store", url]);
        says(&errors, "can't use that store");
        says(&errors, "redis://HOST:PORT");
    }
}

#[test]
fn a_wrong_password_is_a_usage_error() {
    let Some(redis) = RedisServer::start(&["--requirepass", "s3cret-of-the-server"]) else { return };
    let at = format!("127.0.0.1:{}", redis.port);
    for (login, reason) in [("", "it needs a password"), (":s3cret@", "WRONGPASS"), ("nobody:s3cret@", "WRONGPASS")] {
        let errors = refused(&["--store", &format!("redis://{login}{at}")]);
        says(&errors, &format!("the store at {at}: it refuses the service: "));
        says(&errors, reason);
    }
    drop(Service::start(&["--demo", "--store", &format!("redis://:s3cret-of-the-server@{at}")]));
}

#[test]
fn missing_rights_are_a_usage_error() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let url = format!("redis://app:s3cret@127.0.0.1:{}", redis.port);
    for rights in [
        "~other:* &* +@all",
        "~followup:* &other:* +@all",
        "~followup:* &* +@all -@scripting",
        "~followup:* &* +@all -@stream",
        "~followup:* &* +@all -ssubscribe",
        "%R~followup:* &* +@all",
    ] {
        redis.tell(&format!("ACL SETUSER app reset on >s3cret {rights}"));
        says(&refused(&["--store", &url]), "it refuses the service: ");
    }
    redis.tell(&format!("ACL SETUSER app reset on >s3cret {}", documented_rights()));
    drop(Service::start(&["--demo", "--store", &url]));
    says(&refused(&["--store", &url, "--store-prefix", "other:"]), "it refuses the service: ");
}

/// Returns the rights that docs/scale.md says are needed.
pub(super) fn documented_rights() -> &'static str {
    let docs = include_str!("../../../../docs/scale.md");
    docs.lines().find_map(|line| line.strip_prefix("ACL SETUSER followup on >PASSWORD ")).unwrap()
}

#[test]
fn a_server_that_is_too_old_is_a_usage_error() {
    for version in ["5.0.14", "6.2.14"] {
        let errors = refused(&["--store", &old_server(version)]);
        says(&errors, "the service needs Redis 7.0 or Valkey 7.2, or a later one");
    }
}

#[test]
fn a_read_only_replica_is_a_usage_error() {
    let Some(primary) = RedisServer::start(&[]) else { return };
    let of_primary = ["--replicaof", "127.0.0.1", &primary.port.to_string()];
    let copy = RedisServer::start(&of_primary).unwrap();
    says(&refused(&["--store", &copy.url()]), "it is a replica, and can't be written: name the primary");
}

/// Starts a replica that warns. Returns it, and the warning.
fn warned(url: &str) -> (Service, String) {
    let base = format!("http://{}/v1", upstream().address);
    let (service, errors) = Service::start_warning(&["--upstream", &base, "--store", url]);
    let (sender, warning) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut line = String::new();
        BufReader::new(errors).read_line(&mut line).unwrap();
        // Nobody receives it after the deadline.
        let _ = sender.send(line);
    });
    (service, warning.recv_timeout(Duration::from_secs(30)).expect("it says nothing"))
}

#[tokio::test]
async fn a_store_that_cannot_be_reached_at_start_is_used_once_it_can() {
    let Some(mut redis) = RedisServer::start(&["--requirepass", "s3cret"]) else { return };
    redis.kill();
    let url = format!("redis://:s3cret@127.0.0.1:{}", redis.port);
    let (owner, warning) = warned(&url);
    says(&warning, &format!("followup: the store at 127.0.0.1:{}: it can't be reached: ", redis.port));
    assert!(!warning.contains("s3cret"), "{warning}");
    // Without the store a conversation gets a name that nothing in the store can have.
    let id = unnamed(&owner, "late-store").await;
    redis.restart();
    let other = replica(&url, &[]);
    // It may load the conversation before all of it is stored.
    until(async || is_asked(&other, &id).await && snapshot(&other, &id).await == snapshot(&owner, &id).await).await;
    answer(&other, &id, &json!({"number": 0, "suggestion": 0})).await.ok();
}

/// Relays a whole message. Returns the id of the new conversation.
async fn unnamed(service: &Service, name: &str) -> String {
    open_gate(name).await;
    let response = chat(&asks_and_continues(name)).open(&service.address).await;
    let id = response.headers()["x-followup-conversation"].to_str().unwrap().to_owned();
    assert_eq!(read(response).await, whole(name));
    id
}

/// Returns the bytes of the message.
fn whole(name: &str) -> String {
    asks_and_continues(name)["body"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_store_that_is_full_at_start_is_used_once_it_is_not() {
    let Some(redis) = RedisServer::start(&["--maxmemory", "1", "--maxmemory-policy", "noeviction"]) else { return };
    let (owner, warning) = warned(&redis.url());
    says(&warning, "its memory is full");
    let id = unnamed(&owner, "full-store").await;
    redis.tell("CONFIG SET maxmemory 0");
    let other = replica(&redis.url(), &[]);
    until(async || is_asked(&other, &id).await).await;
    answer(&other, &id, &json!({"number": 0, "suggestion": 0})).await.ok();
}

#[tokio::test]
async fn a_store_that_drops_keys_when_it_is_full_is_a_warning() {
    let Some(redis) = RedisServer::start(&["--maxmemory", "1gb", "--maxmemory-policy", "allkeys-lru"]) else { return };
    let (service, warning) = warned(&redis.url());
    says(&warning, "set its maxmemory-policy to noeviction (it is allkeys-lru)");
    let id = unnamed(&service, "warned").await;
    until(async || is_asked(&service, &id).await).await;
}

/// Something that is done to the server.
type Fault<'a> = &'a dyn Fn(&RedisServer);

/// A fault begins while a turn streams, and ends after it. Nothing is lost. Returns the replica
/// that relayed it.
async fn nothing_is_lost(redis: &RedisServer, url: &str, id: &str, begin: Fault<'_>, end: Fault<'_>) -> Service {
    let (owner, other) = (replica(url, &[]), replica(url, &[]));
    let body = relay_question(&owner, id, &other).await;
    let mut here = Events::from_start(&owner, id).await;
    let mut there = Events::from_start(&other, id).await;
    begin(redis);
    open_gate(id).await;
    assert_eq!(soon(body).await.unwrap(), whole(id), "the relay is not disturbed");
    let here = here.up_to(is_end).await;
    // What may not be stored is refused, here and elsewhere.
    for service in [&owner, &other] {
        let refused = answer(service, id, &json!({"number": 0, "suggestion": 0})).await;
        assert_eq!(refused.error(), (503, "store_unavailable".into()));
        assert!(!refused.message().contains("s3cret"), "{}", refused.message());
    }
    end(redis);
    check_seen(&there.up_to(is_end).await, &here);
    answer(&other, id, &json!({"number": 0, "suggestion": 0})).await.ok();
    owner
}

#[tokio::test]
async fn a_store_that_is_full_for_a_while_loses_nothing() {
    let Some(redis) = RedisServer::start(&["--maxmemory-policy", "noeviction"]) else { return };
    let (begin, end): (Fault<'_>, Fault<'_>) =
        (&|redis| redis.tell("CONFIG SET maxmemory 1"), &|redis| redis.tell("CONFIG SET maxmemory 0"));
    let owner = nothing_is_lost(&redis, &redis.url(), "full-for-a-while", begin, end).await;
    assert!(metric(&owner, "followup_store_errors_total").await > 0, "what the store has refused is counted");
}

#[tokio::test]
async fn a_store_that_is_a_replica_for_a_while_loses_nothing() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    // Of a server that is not there, so that it keeps its data.
    let away = format!("REPLICAOF 127.0.0.1 {}", free_port());
    let (begin, end): (Fault<'_>, Fault<'_>) = (&|redis| redis.tell(&away), &|redis| redis.tell("REPLICAOF NO ONE"));
    nothing_is_lost(&redis, &redis.url(), "replica-for-a-while", begin, end).await;
}

#[tokio::test]
async fn rights_that_are_missing_for_a_while_lose_nothing() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    redis.tell("ACL SETUSER app on >s3cret ~* &* +@all");
    let url = format!("redis://app:s3cret@127.0.0.1:{}", redis.port);
    let (begin, end): (Fault<'_>, Fault<'_>) =
        (&|redis| redis.tell("ACL SETUSER app resetkeys ~other:*"), &|redis| redis.tell("ACL SETUSER app ~*"));
    nothing_is_lost(&redis, &url, "rights-for-a-while", begin, end).await;
}

#[tokio::test]
async fn a_password_that_is_wrong_for_a_while_loses_nothing() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    redis.tell("ACL SETUSER app on >s3cret ~* &* +@all");
    let url = format!("redis://app:s3cret@127.0.0.1:{}", redis.port);
    let begin: Fault<'_> = &|redis| {
        redis.tell("ACL SETUSER app >other <s3cret");
        redis.tell("CLIENT KILL USER app");
    };
    let end: Fault<'_> = &|redis| redis.tell("ACL SETUSER app >s3cret");
    nothing_is_lost(&redis, &url, "password-for-a-while", begin, end).await;
}

#[tokio::test]
async fn a_store_that_does_not_answer_for_a_while_loses_nothing() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (begin, end): (Fault<'_>, Fault<'_>) =
        (&|redis| redis.signal(Signal::STOP), &|redis| redis.signal(Signal::CONT));
    nothing_is_lost(&redis, &redis.url(), "silent-for-a-while", begin, end).await;
}
