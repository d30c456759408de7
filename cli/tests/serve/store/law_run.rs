//! One random run: replicas, conversations, readers, answers and faults, all from a seed.

use std::sync::{Arc, Mutex as Lock};
use std::time::Duration;

use fastrand::Rng;
use http_body_util::BodyExt;
use hyper::body::{Bytes, Incoming};
use hyper::{Response, StatusCode};
use rustix::process::Signal;
use serde_json::{Value, json};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

use super::redis_cluster::RedisCluster;
use super::redis_server::RedisServer;
use super::scene::{body_of, replica};
use super::sentinels::Sentinels;
use super::tcp_proxy::{Passing, TcpProxy};
use crate::client::{Event, Events, chat, epoch, get, post, soon, until};
use crate::page::Page;
use crate::service::Service;
use crate::upstream::open_gate;

/// How long it may take until all replicas and readers agree.
pub(super) const DEADLINE: Duration = Duration::from_secs(90);

/// The replicas and the store, and the proxies between them.
pub(super) struct World {
    pub(super) replicas: Vec<Replica>,
    store: Mutex<Store>,
    /// Replicas may be killed, and have short leases.
    may_kill: bool,
}

/// The store of a run.
enum Store {
    One(RedisServer),
    /// A primary that is lost, and its copy, which takes its place.
    Watched(Sentinels),
    Cluster(RedisCluster),
}

impl Store {
    /// Starts the store of a run; `None` if there is no Redis.
    async fn start(seed: u64) -> Option<Store> {
        match seed % 10 {
            0 | 5 => Some(Store::Watched(Sentinels::start().await?)),
            3 => Some(Store::Cluster(RedisCluster::start().await?)),
            _ => Some(Store::One(RedisServer::start(&[])?)),
        }
    }

    /// Returns the server that has a conversation.
    fn server_of(&self, id: &str) -> &RedisServer {
        match self {
            Store::One(redis) => redis,
            Store::Watched(store) if store.primary.is_up() => &store.primary,
            Store::Watched(store) => &store.copy,
            Store::Cluster(store) => {
                let primary = store.primary_of(id);
                let is_lost = !store.nodes[primary].is_up();
                &store.nodes[if is_lost { primary + 3 } else { primary }]
            }
        }
    }
}

pub(super) struct Replica {
    /// `None` if it was killed.
    service: Mutex<Option<Service>>,
    pub(super) address: String,
    /// `None` if sentinels, or the nodes of a cluster, tell the replica where the store is.
    proxy: Option<TcpProxy>,
}

/// A conversation, and all that was seen of it.
pub(super) struct Told {
    pub(super) id: String,
    /// The id before the first event.
    pub(super) start: String,
    pub(super) play: Value,
    /// What the caller got, and whether its replica was killed meanwhile.
    pub(super) relayed: (Vec<u8>, bool),
    /// They read on until they are dropped.
    pub(super) readers: Vec<Reader>,
    /// The answers that were accepted.
    pub(super) accepted: Vec<String>,
}

/// What happened in a run.
pub(super) struct Run {
    pub(super) world: Arc<World>,
    pub(super) told: Vec<Told>,
    /// Nothing was killed, paused or cut off.
    pub(super) has_only_delays: bool,
}

impl World {
    /// Starts everything; `None` if there is no Redis.
    async fn start(seed: u64, rng: &mut Rng) -> Option<Arc<World>> {
        let store = Store::start(seed).await?;
        // With a replica and a primary killed, what only these two had is lost.
        let may_kill = rng.bool() && !matches!(store, Store::Watched(_));
        // Without kills, a lease of three seconds, renewed each second, outlasts every pause.
        let lease = if may_kill { "1" } else { "3" };
        let replicas = (0..rng.usize(2..=3)).map(|_| {
            let (url, proxy) = match &store {
                Store::One(redis) => {
                    let proxy = TcpProxy::start(redis.port);
                    (proxy.url(), Some(proxy))
                }
                Store::Watched(store) => (store.url(), None),
                Store::Cluster(store) => (store.url(), None),
            };
            let service = replica(&url, &["--lease", lease, "--continue", "--upstream-key", "k"]);
            Replica { address: service.address.clone(), service: Mutex::new(Some(service)), proxy }
        });
        Some(Arc::new(World { replicas: replicas.collect(), store: Mutex::new(store), may_kill }))
    }

    /// Returns what the store has of a conversation.
    pub(super) async fn stored(&self, id: &str) -> String {
        let store = self.store.lock().await;
        let server = store.server_of(id);
        let state = server.ask(&format!("HGETALL followup:{{{id}}}:state"));
        format!("{state}\n{}", server.ask(&format!("XRANGE followup:{{{id}}}:log - +")))
    }

    /// Does something bad for a moment. The last replica is never killed. Returns `true` if it was
    /// a delay.
    ///
    /// With a replica and the server killed, what only these two had is lost, so it is one or the
    /// other.
    async fn trouble(&self, rng: &mut Rng) -> bool {
        let index = rng.usize(..self.replicas.len());
        let Replica { service, proxy, .. } = &self.replicas[index];
        let pause = Duration::from_millis(rng.u64(1..300));
        match rng.usize(..8) {
            0 | 1 if self.may_kill && index + 1 < self.replicas.len() => drop(service.lock().await.take()),
            2 => {
                if let Some(service) = &*service.lock().await {
                    service.signal(Signal::STOP);
                    tokio::time::sleep(pause * rng.u32(1..7)).await;
                    service.signal(Signal::CONT);
                }
            }
            3 if !self.may_kill => self.lose_server(rng, pause).await,
            4 => during(proxy, Passing::Cut, pause).await,
            5 => during(proxy, Passing::Nothing, pause * 2).await,
            6 => {
                during(proxy, Passing::After(Duration::from_millis(rng.u64(1..50))), pause * 2).await;
                return true;
            }
            _ => {
                tokio::time::sleep(pause).await;
                return true;
            }
        }
        false
    }

    /// Kills the server, which comes back empty after a pause. Where there are copies, one primary
    /// is lost, and its copy is promoted, which lacks what was written in the pause.
    async fn lose_server(&self, rng: &mut Rng, pause: Duration) {
        let mut store = self.store.lock().await;
        match &mut *store {
            Store::One(redis) => {
                redis.kill();
                tokio::time::sleep(pause).await;
                redis.restart();
            }
            Store::Watched(store) => {
                if store.primary.is_up() {
                    lose_primary(&mut store.primary, &store.copy, pause).await;
                }
                store.promoted().await;
                self.reach_store().await;
            }
            Store::Cluster(store) => {
                if store.nodes[..3].iter().all(RedisServer::is_up) {
                    let lost = rng.usize(..3);
                    let (primaries, copies) = store.nodes.split_at_mut(3);
                    lose_primary(&mut primaries[lost], &copies[lost], pause).await;
                    store.promote(lost).await;
                }
                self.reach_store().await;
            }
        }
    }

    /// Waits until all replicas reach all of the store: none may connect again more than a lease
    /// later than the others.
    async fn reach_store(&self) {
        for replica in &self.replicas {
            until(async || get("/readyz").send_to(&replica.address).await.json()["store"] == "up").await;
        }
    }
}

/// Kills a primary, whose copy lacks what was written in a pause before.
async fn lose_primary(primary: &mut RedisServer, copy: &RedisServer, pause: Duration) {
    copy.signal(Signal::STOP);
    primary.ask("CLIENT KILL TYPE replica");
    tokio::time::sleep(pause).await;
    primary.kill();
    copy.signal(Signal::CONT);
}

async fn during(proxy: &Option<TcpProxy>, passing: Passing, pause: Duration) {
    if let Some(proxy) = proxy {
        proxy.set(passing);
    }
    tokio::time::sleep(pause).await;
    if let Some(proxy) = proxy {
        proxy.set(Passing::After(Duration::ZERO));
    }
}

/// Runs everything, and returns what was seen; `None` if there is no Redis.
pub(super) async fn run(seed: u64) -> Option<Run> {
    let mut rng = Rng::with_seed(seed);
    let world = World::start(seed, &mut rng).await?;
    let (is_one, loses_primary) = match &*world.store.lock().await {
        Store::One(_) => (true, false),
        Store::Watched(_) => (false, true),
        Store::Cluster(_) => (false, !world.may_kill),
    };
    for replica in &world.replicas {
        until(async || get("/readyz").send_to(&replica.address).await.status == 200).await;
    }
    let mut conversations = Vec::new();
    for index in 0..rng.usize(1..=3) {
        let (id, mut rng) = (format!("law-{seed}-{index}"), rng.fork());
        let play = message(&id, &mut rng);
        let (response, start) = begin(&world, &id, &play, &mut rng).await;
        conversations.push(tokio::spawn(converse(world.clone(), id, start, play, response, rng)));
    }
    // On a busy machine a short lease may end, and another store may be away for longer than a
    // lease.
    let mut has_only_delays = is_one && !world.may_kill;
    let troubles = rng.usize(1..=3);
    let lost_at = rng.usize(..troubles);
    for index in 0..troubles {
        if loses_primary && index == lost_at {
            let pause = Duration::from_millis(rng.u64(1..300));
            world.lose_server(&mut rng, pause).await;
        }
        has_only_delays &= world.trouble(&mut rng).await;
    }
    let mut told = Vec::new();
    for conversation in conversations {
        told.push(conversation.await.unwrap());
    }
    Some(Run { world, told, has_only_delays })
}

/// Begins to relay a message, and waits until the store has its beginning. Returns the id before
/// its first event, too.
///
/// If its replica is killed before, the conversation has no turn.
async fn begin(world: &World, id: &str, play: &Value, rng: &mut Rng) -> (Response<Incoming>, String) {
    let first = &world.replicas[rng.usize(..world.replicas.len())].address;
    let then = json!({"name": id, "body": body_of("Done.")});
    let response = chat(&json!([play, then])).with("x-followup-conversation", id).open(first).await;
    assert_eq!(response.headers()["x-followup-conversation"], id);
    let shown = async |replica: &Replica| get(format!("/conversations/{id}")).send_to(&replica.address).await;
    for replica in &world.replicas {
        until(async || {
            let answer = shown(replica).await;
            answer.status == 200 && answer.json()["turn"] != "none"
        })
        .await;
    }
    let last = shown(&world.replicas[0]).await.ok()["last"].as_str().unwrap().to_owned();
    (response, format!("{}-0", epoch(&last)))
}

/// Relays one message, with readers, and users that answer it all at once.
async fn converse(
    world: Arc<World>,
    id: String,
    start: String,
    play: Value,
    response: Response<Incoming>,
    mut rng: Rng,
) -> Told {
    let relayed = tokio::spawn(relayed(response));
    let readers = (0..rng.usize(1..=2)).map(|_| Reader::start(world.clone(), id.clone(), rng.fork())).collect();
    let users: Vec<JoinHandle<Option<String>>> =
        (0..rng.usize(0..=3)).map(|index| tokio::spawn(user(world.clone(), id.clone(), index, rng.fork()))).collect();
    // Some turns take longer than a lease, so that a replica that lives could be taken for dead.
    let longer = if world.may_kill { 2500 } else { 5500 };
    let longest = if rng.u8(..4) == 0 { longer } else { 200 };
    tokio::time::sleep(Duration::from_millis(rng.u64(1..longest))).await;
    open_gate(&id).await;
    let relayed = relayed.await.unwrap();
    let mut accepted = Vec::new();
    for user in users {
        accepted.extend(user.await.unwrap());
    }
    Told { id, start, play, relayed, readers, accepted }
}

/// A message with one question, in random chunks; the provider waits before a part of it.
fn message(id: &str, rng: &mut Rng) -> Value {
    let words =
        |rng: &mut Rng| (0..rng.usize(1..20)).map(|_| rng.lowercase().to_string()).collect::<Vec<_>>().join(" ");
    let text = format!(
        "{}<ask_followup_question><question>{}?</question><suggest>Yes</suggest><suggest>No</suggest>\
         </ask_followup_question>{}",
        words(rng),
        words(rng),
        words(rng)
    );
    let mut body = String::new();
    for piece in text.as_bytes().chunks(rng.usize(1..40)) {
        let delta = json!({"choices": [{"delta": {"content": String::from_utf8(piece.to_vec()).unwrap()}}]});
        body += &format!("data: {delta}\n\n");
    }
    body += "data: [DONE]\n\n";
    let (at, cut) = (rng.usize(..body.len()), format!("random:{}", rng.u32(..)));
    json!({"name": id, "body": body, "at": at, "gate": id, "cut": cut})
}

/// Reads what the caller gets. Returns also whether it broke off.
async fn relayed(response: Response<Incoming>) -> (Vec<u8>, bool) {
    let (mut body, mut bytes) = (response.into_body(), Vec::new());
    loop {
        match soon(body.frame()).await {
            Some(Ok(frame)) => bytes.extend_from_slice(&frame.into_data().unwrap_or_else(|_| Bytes::new())),
            Some(Err(_)) => return (bytes, true),
            None => return (bytes, false),
        }
    }
}

/// A reader, on any replica. When that is lost, it comes back to any, with its `Last-Event-ID`.
pub(super) struct Reader {
    seen: Arc<Lock<Vec<Event>>>,
    task: JoinHandle<()>,
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Reader {
    fn start(world: Arc<World>, id: String, mut rng: Rng) -> Reader {
        let seen = Arc::<Lock<Vec<Event>>>::default();
        let all = seen.clone();
        let task = tokio::spawn(async move {
            loop {
                let address = &world.replicas[rng.usize(..world.replicas.len())].address;
                let mut call = get(format!("/conversations/{id}/events"));
                // A page that was told that the conversation is gone has to be opened anew.
                if let Some(last) = all.lock().unwrap().last().filter(|last| last.kind != "gone") {
                    call = call.with("last-event-id", &last.id);
                }
                if let Some(response) = call.reach(address).await
                    && response.status() == StatusCode::OK
                {
                    let mut events = Events::from(response);
                    while let Some(event) = events.next_if_alive().await {
                        all.lock().unwrap().push(event);
                    }
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        });
        Reader { seen, task }
    }

    /// Returns what it has seen so far.
    pub(super) fn seen(&self) -> Vec<Event> {
        self.seen.lock().unwrap().clone()
    }

    /// Returns `true` if this is what it shows.
    pub(super) fn shows(&self, page: &Page) -> bool {
        let seen = self.seen.lock().unwrap();
        seen.last().is_some_and(|last| last.id == page.last) && Page::of(&seen) == *page
    }
}

/// Answers the question on any replica until somebody's answer was accepted. Returns its own if it
/// was this one.
async fn user(world: Arc<World>, id: String, index: usize, mut rng: Rng) -> Option<String> {
    let text = format!("answer {index}");
    let body = json!({"number": 0, "text": text}).to_string();
    for _ in 0..400 {
        let address = &world.replicas[rng.usize(..world.replicas.len())].address;
        let path = format!("/conversations/{id}/answer");
        if let Some(response) = post(path, body.clone()).reach(address).await {
            match response.status() {
                StatusCode::OK => return Some(text),
                // Somebody else was faster, or it was cut off.
                StatusCode::CONFLICT if !is_transient(response).await => return None,
                _ => {}
            }
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    None
}

/// Returns `true` if the same answer may be accepted later.
async fn is_transient(response: Response<Incoming>) -> bool {
    let Ok(body) = response.into_body().collect().await else { return true };
    let body: Value = serde_json::from_slice(&body.to_bytes()).unwrap();
    body["error"]["code"] == "not_yet_asked"
}
