//! What `deploy/` describes, without containers: real replicas after the real proxy.

use std::io::Write;
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use http_body_util::BodyExt;
use serde_json::json;

use super::redis_server::{RedisServer, free_port};
use super::scene::{asks_and_continues, body_of, is_end};
use crate::client::{Call, Events, chat, get, post, soon, until};
use crate::page::Page;
use crate::service::{Service, command};
use crate::upstream::{open_gate, upstream};

const TOKEN: &str = "token-of-the-deployment";

/// nginx with `deploy/nginx.conf`. It is killed when dropped.
struct Proxy {
    child: Child,
    address: String,
    _folder: tempfile::TempDir,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Proxy {
    /// Starts the proxy in front of these replicas; `None` if there is no nginx.
    ///
    /// # Panics
    ///
    /// If there is none in CI.
    fn start(replicas: &[Service]) -> Option<Proxy> {
        let has_nginx = Command::new("nginx").arg("-v").stderr(Stdio::null()).status().is_ok();
        if !has_nginx {
            assert!(std::env::var_os("CI").is_none(), "there is no nginx, which CI installs");
            // The test harness shows what a test prints only if it fails.
            let _ = writeln!(std::io::stderr(), "skipped, because there is no nginx: the test of deploy/nginx.conf");
            return None;
        }
        let (folder, port) = (tempfile::tempdir().unwrap(), free_port());
        let file = folder.path().join("nginx.conf");
        std::fs::write(&file, config(replicas, port)).unwrap();
        let mut nginx = Command::new("nginx");
        nginx.arg("-p").arg(folder.path()).arg("-c").arg(&file).args(["-e", "stderr"]);
        nginx.args(["-g", "daemon off; master_process off; pid nginx.pid;"]).stdin(Stdio::null());
        Some(Proxy { child: nginx.spawn().unwrap(), address: format!("127.0.0.1:{port}"), _folder: folder })
    }

    async fn is_up(&self) {
        until(async || TcpStream::connect(&self.address).is_ok()).await;
    }
}

/// Returns the file as it is deployed, with the addresses of this machine, and all files in one
/// folder.
fn config(replicas: &[Service], port: u16) -> String {
    let mut config = include_str!("../../../../deploy/nginx.conf").to_owned();
    let mut replace = |from: &str, to: &str| {
        assert_eq!(config.matches(from).count(), 1, "{from}");
        config = config.replace(from, to);
    };
    for (index, replica) in replicas.iter().enumerate() {
        replace(&format!("replica-{}:4127", index + 1), &replica.address);
    }
    replace("listen 8080;", &format!("listen 127.0.0.1:{port};"));
    let folders: String =
        ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(|name| format!("{name}_temp_path {name};")).concat();
    replace("http {", &format!("http {{ access_log off; {folders}"));
    config
}

/// Waits for the question, and returns the events from then on.
async fn until_asked(at: &str, path: &str) -> Events {
    until(async || {
        let snapshot = allowed(get(path)).send_to(at).await;
        snapshot.status == 200
            && Page::of_snapshot(&snapshot.json()).all("call").iter().any(|call| call["open"] == true)
    })
    .await;
    Events::from(allowed(get(format!("{path}/events"))).open(at).await)
}

/// Returns the arguments after `serve` that a file gives the service. It has them once, as a list
/// in JSON.
fn arguments(file: &str) -> Vec<String> {
    let lists = file.lines().filter_map(|line| serde_json::from_str::<Vec<String>>(&line[line.find('[')?..]).ok());
    let mut of_service = lists.filter(|list| list.first().is_some_and(|first| first == "serve"));
    let arguments = of_service.next().unwrap();
    assert_eq!(of_service.next(), None);
    arguments[1..].to_vec()
}

/// Returns the variables that a file names, except in comments.
fn variables(file: &str) -> Vec<&str> {
    let lines = file.lines().filter(|line| !line.trim_start().starts_with('#'));
    let words = lines.flat_map(|line| line.split(|other: char| other != '_' && !other.is_ascii_uppercase()));
    words.filter(|word| word.starts_with("FOLLOWUP_")).collect()
}

#[tokio::test]
async fn the_service_accepts_the_options_and_variables_of_each_deployment() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let help = command(&["--help"]).output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    for file in [include_str!("../../../../deploy/compose.yaml"), include_str!("../../../../deploy/kubernetes.yaml")] {
        let mut arguments = arguments(file);
        // A test listens elsewhere.
        let listen = arguments.iter().position(|argument| argument == "--listen").unwrap();
        arguments.drain(listen..listen + 2);
        let mut service = command(&arguments.iter().map(|argument| &**argument).collect::<Vec<_>>());
        for variable in variables(file) {
            assert!(help.contains(variable), "{variable} is none of the service");
            service.env(variable, if variable == "FOLLOWUP_STORE" { redis.url() } else { TOKEN.to_owned() });
        }
        let service = Service::start_by(&mut service);
        assert_eq!(get("/conversations").send(&service).await.status, 401, "it has the token");
        assert_eq!(allowed(get("/readyz")).send(&service).await.ok()["store"], "up", "it has the store");
    }
}

fn allowed(call: Call) -> Call {
    call.with("authorization", &format!("Bearer {TOKEN}"))
}

#[tokio::test]
async fn through_the_proxy_a_conversation_is_shared_and_a_dead_replica_is_not_noticed() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let base = format!("http://{}/v1", upstream().address);
    let start = |_| {
        let mut replica = command(&["--upstream", &base]);
        Service::start_by(replica.env("FOLLOWUP_TOKEN", TOKEN).env("FOLLOWUP_STORE", redis.url()))
    };
    let mut replicas: Vec<Service> = (0..3).map(start).collect();
    let Some(proxy) = Proxy::start(&replicas) else { return };
    proxy.is_up().await;
    let (id, at) = ("deployed", &*proxy.address);
    let path = format!("/conversations/{id}");

    // Each request may reach another replica. The provider waits, and what it has said is seen.
    let play = asks_and_continues(id);
    let mut body = allowed(chat(&play).with("x-followup-conversation", id)).open(at).await.into_body();
    let mut relayed = soon(body.frame()).await.unwrap().unwrap().into_data().unwrap().to_vec();
    let rest = tokio::spawn(body.collect());
    let mut events = until_asked(at, &path).await;
    assert_eq!(events.next().await.unwrap().kind, "state");
    let answer = |suggestion: u8| {
        let answer = json!({"number": 0, "suggestion": suggestion}).to_string();
        allowed(post(format!("{path}/answer"), answer)).send_to(at)
    };
    answer(0).await.ok();
    assert_eq!(answer(1).await.error(), (409, "already_answered".into()));
    open_gate(id).await;
    events.up_to(is_end).await;
    relayed.extend(rest.await.unwrap().unwrap().to_bytes());
    assert_eq!(relayed, play["body"].as_str().unwrap().as_bytes());

    for replica in &replicas {
        until(async || allowed(get(&path)).send(replica).await.ok()["turn"] == "ended").await;
    }
    replicas.remove(0).kill();
    for _ in 0..6 {
        assert_eq!(allowed(get(&path)).send_to(at).await.ok()["turn"], "ended");
    }
}

/// Returns the path that Kubernetes asks to find out whether requests should be sent to a replica.
fn path_of_readiness() -> &'static str {
    let (_, probe) = include_str!("../../../../deploy/kubernetes.yaml").split_once("readinessProbe:").unwrap();
    probe.split_once("path: ").unwrap().1.split([',', ' ']).next().unwrap()
}

#[tokio::test]
async fn without_the_store_no_replica_is_taken_away() {
    let Some(mut redis) = RedisServer::start(&[]) else { return };
    let base = format!("http://{}/v1", upstream().address);
    let start = |_| {
        let mut replica = command(&["--upstream", &base]);
        Service::start_by(replica.env("FOLLOWUP_TOKEN", TOKEN).env("FOLLOWUP_STORE", redis.url()))
    };
    let replicas: Vec<Service> = (0..3).map(start).collect();
    redis.kill();
    for replica in &replicas {
        until(async || allowed(get("/readyz")).send(replica).await.status == 503).await;
        assert_eq!(allowed(get(path_of_readiness())).send(replica).await.status, 200);
    }
    let Some(proxy) = Proxy::start(&replicas) else { return };
    proxy.is_up().await;
    for _ in 0..10 {
        let unknown = allowed(get("/conversations/unknown/events")).send_to(&proxy.address).await;
        assert_eq!(unknown.error(), (503, "store_unavailable".into()));
    }
    let play = json!({"name": "relayed-nonetheless", "body": body_of("Hello")});
    let relayed = allowed(chat(&play)).send_to(&proxy.address).await;
    assert_eq!(relayed.ok_body(), play["body"].as_str().unwrap());
}
