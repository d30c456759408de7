//! A test provider in a process of its own: this test program, run again.
//!
//! It streams, and misbehaves, as the request's `play` says.

use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, SystemTime};

use followup_testing::Chunking;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

const PROCESS: &str = "FOLLOWUP_TEST_UPSTREAM";

/// The running provider, one for all tests.
///
/// It exits with this program, which closes its standard input.
pub(crate) struct Upstream {
    pub(crate) address: String,
    _child: Child,
}

pub(crate) fn upstream() -> &'static Upstream {
    static UPSTREAM: OnceLock<Upstream> = OnceLock::new();
    UPSTREAM.get_or_init(|| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "upstream::process", "--ignored", "--nocapture"]).env(PROCESS, "1");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let address = lines.find_map(|line| Some(line.unwrap().split_once("upstream on ")?.1.to_owned())).unwrap();
        // Drain its output.
        std::thread::spawn(move || lines.for_each(drop));
        Upstream { address, _child: child }
    })
}

/// Returns the requests that the provider got under this name.
pub(crate) async fn requests(name: &str) -> Vec<Value> {
    let answer = crate::client::get(format!("/requests/{name}")).send_to(&upstream().address).await;
    answer.json().as_array().unwrap().clone()
}

/// Whether the client has closed the connection of this request.
pub(crate) async fn is_left(name: &str) -> bool {
    crate::client::get(format!("/left/{name}")).send_to(&upstream().address).await.json() == json!(true)
}

/// Returns how many bytes of this body have been sent.
pub(crate) async fn sent(name: &str) -> u64 {
    crate::client::get(format!("/sent/{name}")).send_to(&upstream().address).await.json().as_u64().unwrap()
}

/// Opens a gate: the provider sends what it held back.
pub(crate) async fn open_gate(name: &str) {
    crate::client::get(format!("/open/{name}")).send_to(&upstream().address).await;
}

/// The provider itself, in the process that runs it.
#[test]
#[ignore = "run by the other tests"]
fn process() {
    if std::env::var_os(PROCESS).is_none() {
        return;
    }
    crate::service::raise_open_files();
    std::thread::spawn(|| {
        let _ = std::io::stdin().read(&mut [0]);
        std::process::exit(0);
    });
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap().block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        println!("upstream on {}", listener.local_addr().unwrap());
        let seen = Arc::<Mutex<Seen>>::default();
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            stream.set_nodelay(true).unwrap();
            let seen = seen.clone();
            tokio::spawn(async move {
                // An error means that the client has left.
                let _ = serve(stream, &seen).await;
            });
        }
    });
}

/// What the provider has seen so far.
#[derive(Default)]
struct Seen {
    requests: HashMap<String, Vec<Value>>,
    left: HashSet<String>,
    open: watch::Sender<HashSet<String>>,
    sent: HashMap<String, usize>,
}

async fn serve(mut stream: TcpStream, seen: &Mutex<Seen>) -> std::io::Result<()> {
    loop {
        let Some((head, body)) = request(&mut stream).await? else { return Ok(()) };
        let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
        if let [_, what, name] = path.split('/').collect::<Vec<_>>()[..]
            && what != "v1"
        {
            let recorded = {
                let seen = seen.lock().unwrap();
                match what {
                    "requests" => json!(seen.requests.get(name).cloned().unwrap_or_default()),
                    "sent" => json!(seen.sent.get(name).copied().unwrap_or_default()),
                    "left" => json!(seen.left.contains(name)),
                    _ => json!(seen.open.send_if_modified(|open| open.insert(name.to_owned()))),
                }
            };
            whole(&mut stream, "200 OK", "application/json", &recorded.to_string()).await?;
            continue;
        }
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        // A client that sends no `play` has it as the name of its model.
        let named = body["model"].as_str().and_then(|model| serde_json::from_str(model).ok());
        let body = match named {
            Some(play) if body["play"].is_null() => with_play(body, play),
            _ => body,
        };
        // A list of plays has one for each message of the model so far.
        let is_model = |message: &&Value| message["role"] == "assistant";
        let past = body["messages"].as_array().map_or(0, |messages| messages.iter().filter(is_model).count());
        let play = body["play"].as_array().map_or(&body["play"], |all| all.get(past).unwrap_or(&Value::Null));
        let name = play["name"].as_str().unwrap_or_default();
        // The same request, tried again, gets the next response of a list.
        let tries = {
            let seen = seen.lock().unwrap();
            let earlier = seen.requests.get(name).into_iter().flatten();
            earlier.filter(|one| one["body"]["messages"] == body["messages"]).count()
        };
        let retried = play["then"].as_array().and_then(|all| all.get(tries.min(all.len() - 1)));
        let play = retried.unwrap_or(play);
        let headers: Vec<_> = head.lines().skip(1).map(str::to_owned).collect();
        let method = head.split(' ').next().unwrap_or_default().to_owned();
        let asked = json!({"method": method, "path": path, "headers": headers, "body": body});
        seen.lock().unwrap().requests.entry(name.to_owned()).or_default().push(asked);
        let is_left = !answer(&mut stream, play, seen).await?;
        if method == "CONNECT" {
            // There is nothing at the other end of the tunnel.
            return Ok(());
        }
        if is_left {
            seen.lock().unwrap().left.insert(name.to_owned());
            return Ok(());
        }
    }
}

fn with_play(mut body: Value, play: Value) -> Value {
    body["play"] = play;
    body
}

/// Reads a request: its head and its body.
async fn request(stream: &mut TcpStream) -> std::io::Result<Option<(String, Vec<u8>)>> {
    let mut bytes = Vec::new();
    let head = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            let body = bytes.split_off(end + 4);
            break String::from_utf8(std::mem::replace(&mut bytes, body)).unwrap();
        }
        if stream.read_buf(&mut bytes).await? == 0 {
            return Ok(None);
        }
    };
    let length = head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
    while bytes.len() < length.unwrap_or(0) {
        if stream.read_buf(&mut bytes).await? == 0 {
            return Ok(None);
        }
    }
    Ok(Some((head.trim_end().to_owned(), bytes)))
}

async fn whole(stream: &mut TcpStream, status: &str, kind: &str, body: &str) -> std::io::Result<()> {
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n");
    stream.write_all((head + body).as_bytes()).await
}

/// Returns the body to play.
fn body(play: &Value) -> Vec<u8> {
    match play["stream"].as_str() {
        Some(name) => {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/wire/bodies");
            // A name without a folder is one of chat completions.
            let name = if name.contains('/') { name.to_owned() } else { format!("openai-chat/{name}") };
            std::fs::read(folder.join(format!("{name}.sse"))).unwrap()
        }
        None => play["body"].as_str().unwrap_or_default().repeat(play["times"].as_u64().unwrap_or(1) as usize).into(),
    }
}

/// Sends the response. Returns whether the connection can be reused.
///
/// If not, the client left, or the connection is broken on purpose.
async fn answer(stream: &mut TcpStream, play: &Value, seen: &Mutex<Seen>) -> std::io::Result<bool> {
    let text = |name: &str, otherwise: &str| play[name].as_str().unwrap_or(otherwise).to_owned();
    let (behave, name) = (text("behave", ""), text("name", ""));
    if behave == "silent" {
        return left(stream).await;
    }
    if let Some(load) = play["load"].as_object() {
        let (events, pause) = (load["events"].as_u64().unwrap(), load["pause"].as_u64().unwrap());
        return stamps(stream, events, pause, &name, seen).await;
    }
    let body = body(play);
    let length = body.len();
    let framing = match &*behave {
        "long" => format!("content-length: {}", length + 1000),
        "short" => format!("content-length: {}", length / 2),
        _ if play["sized"] == true => format!("content-length: {length}"),
        _ => "transfer-encoding: chunked".into(),
    };
    let (status, kind) = (text("status", "200 OK"), text("type", "text/event-stream; charset=utf-8"));
    let mut head = format!("HTTP/1.1 {status}\r\ncontent-type: {kind}\r\n{framing}\r\n");
    for (name, value) in play["headers"].as_object().into_iter().flatten() {
        head += &format!("{name}: {}\r\n", value.as_str().unwrap());
    }
    stream.write_all((head + "\r\n").as_bytes()).await?;
    let is_chunked = framing.starts_with("transfer");
    let held_from = play["at"].as_u64().map_or(length, |offset| offset as usize).min(length);
    let chunking: Chunking = text("cut", "65536").parse().unwrap();
    send(stream, &body[..held_from], chunking, is_chunked, &name, seen).await?;
    match &*behave {
        "stall" => return left(stream).await,
        "reset" => {
            // A reset discards what the client has not read yet, so wait for the gate.
            gate(&text("gate", ""), seen).await;
            stream.set_zero_linger()?;
            return Ok(false);
        }
        "close" | "long" | "short" => {
            gate(&text("gate", ""), seen).await;
            return Ok(false);
        }
        _ => {}
    }
    gate(&text("gate", ""), seen).await;
    send(stream, &body[held_from..], chunking, is_chunked, &name, seen).await?;
    if is_chunked {
        stream.write_all(b"0\r\n\r\n").await?;
    }
    Ok(true)
}

async fn send(
    stream: &mut TcpStream,
    body: &[u8],
    chunking: Chunking,
    is_chunked: bool,
    name: &str,
    seen: &Mutex<Seen>,
) -> std::io::Result<()> {
    for chunk in chunking.chunks(body) {
        let mut bytes = Vec::new();
        if is_chunked {
            bytes.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        }
        bytes.extend_from_slice(chunk);
        if is_chunked {
            bytes.extend_from_slice(b"\r\n");
        }
        stream.write_all(&bytes).await?;
        if !name.is_empty() {
            *seen.lock().unwrap().sent.entry(name.to_owned()).or_default() += chunk.len();
        }
        tokio::task::yield_now().await;
    }
    Ok(())
}

/// Waits until the gate is opened.
async fn gate(name: &str, seen: &Mutex<Seen>) {
    if !name.is_empty() {
        let mut open = seen.lock().unwrap().open.subscribe();
        let _ = open.wait_for(|open| open.contains(name)).await;
    }
}

/// Sends nothing more until the client leaves.
async fn left(stream: &mut TcpStream) -> std::io::Result<bool> {
    while stream.read(&mut [0; 1024]).await.unwrap_or(0) > 0 {}
    Ok(false)
}

/// Sends events that hold the time at which they were sent: that many, and more until the gate of
/// this name is opened.
async fn stamps(
    stream: &mut TcpStream,
    events: u64,
    pause: u64,
    name: &str,
    seen: &Mutex<Seen>,
) -> std::io::Result<bool> {
    let is_open = || name.is_empty() || seen.lock().unwrap().open.borrow().contains(name);
    stream
        .write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        .await?;
    let mut sent = 0;
    while sent < events || !is_open() {
        sent += 1;
        tokio::time::sleep(Duration::from_millis(pause)).await;
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos();
        let event = format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{now} \"}}}}]}}\n\n");
        stream.write_all(format!("{:x}\r\n{event}\r\n", event.len()).as_bytes()).await?;
        if !name.is_empty() {
            *seen.lock().unwrap().sent.entry(name.to_owned()).or_default() += event.len();
        }
    }
    stream.write_all(b"0\r\n\r\n").await?;
    Ok(true)
}
