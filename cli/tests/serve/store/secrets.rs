//! The caller's key is never in the store.

use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, TcpStream};

use serde_json::json;

use super::redis_server::RedisServer;
use super::scene::{answer, asks_and_continues, body_of, is_asked, relay, snapshot, two_replicas};
use crate::client::{chat, get, post, read, until};
use crate::page::Page;
use crate::upstream::{open_gate, requests};

const KEYS: [&str; 3] = ["sk-of-the-caller", "sk-of-another-header", "sk-of-the-service"];

/// Everything that a server does, as its monitor shows it.
struct Monitor {
    stream: TcpStream,
    lines: std::thread::JoinHandle<String>,
}

impl Monitor {
    fn start(redis: &RedisServer) -> Monitor {
        let mut stream = TcpStream::connect(("127.0.0.1", redis.port)).unwrap();
        stream.write_all(b"MONITOR\r\n").unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        assert_eq!(line, "+OK\r\n");
        let lines = std::thread::spawn(move || reader.lines().map_while(Result::ok).collect());
        Monitor { stream, lines }
    }

    fn stop(self) -> String {
        self.stream.shutdown(Shutdown::Both).unwrap();
        self.lines.join().unwrap()
    }
}

/// Returns the names and values of all keys.
fn everything(redis: &RedisServer) -> String {
    let all = redis.ask("KEYS *");
    let mut everything = all.clone();
    for key in all.split("\r\n").filter(|line| !line.starts_with(['*', '$'])) {
        let kind = redis.ask(&format!("TYPE {key}"));
        let value = redis.ask(&match &*kind {
            "+string" => format!("GET {key}"),
            "+hash" => format!("HGETALL {key}"),
            "+stream" => format!("XRANGE {key} - +"),
            "+zset" => format!("ZRANGE {key} 0 -1"),
            _ => panic!("{key} is {kind}"),
        });
        assert!(!value.starts_with('-'), "{value}");
        everything += &value;
    }
    everything
}

#[tokio::test]
async fn no_key_of_a_caller_or_of_the_service_is_ever_in_the_store() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let monitor = Monitor::start(&redis);
    let args = ["--continue", "--upstream-key", KEYS[2]];
    let (owner, other) = two_replicas(&redis.url(), &args);
    for (name, header, value) in
        [("bearer", "authorization", format!("Bearer {}", KEYS[0])), ("header", "x-api-key", KEYS[1].to_owned())]
    {
        // The question is answered, and the conversation continued with the caller's key.
        let play = json!([asks_and_continues(name), {"name": name, "body": body_of("Done.")}]);
        let request = chat(&play).with("x-followup-conversation", name).with(header, &value);
        let body = tokio::spawn(read(request.open(&owner.address).await));
        until(async || is_asked(&other, name).await).await;
        answer(&other, name, &json!({"number": 0, "suggestion": 0})).await.ok();
        open_gate(name).await;
        body.await.unwrap();
        until(async || Page::of_snapshot(&snapshot(&other, name).await).prose().ends_with("Done.")).await;
        let headers = requests(name).await[1]["headers"].to_string();
        assert!(headers.contains(&value), "the provider gets it: {headers}");
    }
    // One is taken over, which continues with the key of the service.
    let play = json!([asks_and_continues("taken"), {"name": "taken", "body": body_of("Done.")}]);
    open_gate("taken").await;
    relay(&owner, "taken", &play).await.await.unwrap();
    until(async || get("/conversations/taken").send(&other).await.status == 200).await;
    until(async || snapshot(&other, "taken").await["turn"] == "ended").await;
    answer(&other, "taken", &json!({"number": 0, "suggestion": 0})).await.ok();
    until(async || Page::of_snapshot(&snapshot(&other, "taken").await).prose().ends_with("Done.")).await;
    // One fails, and is kept to be sent again.
    let failing = json!([asks_and_continues("failing"), {"name": "failing", "status": "500 No", "body": ""}]);
    let request =
        chat(&failing).with("x-followup-conversation", "failing").with("authorization", &format!("Bearer {}", KEYS[0]));
    open_gate("failing").await;
    read(request.open(&owner.address).await).await;
    answer(&owner, "failing", &json!({"number": 0, "suggestion": 0})).await.ok();
    until(async || snapshot(&owner, "failing").await["retry"] == true).await;
    post("/conversations/failing/dismiss", "").send(&owner).await.ok_body();
    let (stored, told) = (everything(&redis), monitor.stop());
    assert!(stored.contains("Sure?") && told.contains("Sure?"), "what is looked through has the questions");
    for key in KEYS {
        assert!(!stored.contains(key), "{key} is in the store");
        assert!(!told.contains(key), "{key} was sent to the store");
    }
}
