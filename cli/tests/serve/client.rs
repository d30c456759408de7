//! A test client: requests, each on a connection of its own, and event streams.

use std::collections::VecDeque;
use std::time::Duration;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::{HeaderMap, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;

use crate::service::Service;

type Body = BoxBody<Bytes, std::io::Error>;

/// Waits for a future. Panics after a deadline, so that a failing test ends.
pub(crate) async fn soon<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), what).await.expect("the deadline has passed")
}

/// Polls until the condition holds.
pub(crate) async fn until<F: Future<Output = bool>>(mut condition: impl FnMut() -> F) {
    soon(async {
        // Some conditions take seconds: to ask every 5 ms keeps a core busy. Some tests act in the
        // 200 ms after one holds.
        let mut pause = Duration::from_millis(5);
        while !condition().await {
            tokio::time::sleep(pause).await;
            pause = (pause * 5 / 4).min(Duration::from_millis(60));
        }
    })
    .await;
}

/// A request: its method, path, headers and body.
pub(crate) struct Call {
    method: &'static str,
    path: String,
    headers: Vec<(String, String)>,
    body: Body,
}

pub(crate) fn get(path: impl Into<String>) -> Call {
    call("GET", path, "")
}

pub(crate) fn post(path: impl Into<String>, body: impl Into<Bytes>) -> Call {
    call("POST", path, body)
}

pub(crate) fn call(method: &'static str, path: impl Into<String>, body: impl Into<Bytes>) -> Call {
    let body = Full::new(body.into()).map_err(|never| match never {}).boxed();
    Call { method, path: path.into(), headers: Vec::new(), body }
}

/// A request to the relay; the test provider plays `play`.
pub(crate) fn chat(play: &Value) -> Call {
    let body = serde_json::json!({"model": "m", "stream": true, "messages": [{"role": "user", "content": "Hi"}], "play": play});
    post("/v1/chat/completions", body.to_string()).with("content-type", "application/json")
}

impl Call {
    pub(crate) fn with(mut self, name: &str, value: &str) -> Call {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sets a body that is streamed from a channel; an error breaks it.
    pub(crate) fn with_pieces(mut self, pieces: tokio::sync::mpsc::Receiver<Result<Bytes, std::io::Error>>) -> Call {
        self.body = BoxBody::new(Pieces(pieces));
        self
    }

    /// Sends the request. Returns when the head of the response has arrived.
    pub(crate) async fn open(self, address: &str) -> Response<Incoming> {
        self.try_open(address).await.unwrap()
    }

    pub(crate) async fn try_open(self, address: &str) -> Result<Response<Incoming>, hyper::Error> {
        self.open_on(soon(TcpStream::connect(address)).await.unwrap(), address).await
    }

    /// Sends the request to a service that may have died; `None` if it has.
    pub(crate) async fn reach(self, address: &str) -> Option<Response<Incoming>> {
        let stream = soon(TcpStream::connect(address)).await.ok()?;
        self.open_on(stream, address).await.ok()
    }

    async fn open_on(self, stream: TcpStream, address: &str) -> Result<Response<Incoming>, hyper::Error> {
        stream.set_nodelay(true).unwrap();
        let (mut sender, connection) = soon(http1::handshake(TokioIo::new(stream))).await?;
        tokio::spawn(connection);
        let mut request = Request::builder().method(self.method).uri(self.path);
        if !self.headers.iter().any(|(name, _)| name == "host") {
            request = request.header("host", address);
        }
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        soon(sender.send_request(request.body(self.body).unwrap())).await
    }

    /// Sends the request, and reads the whole response.
    pub(crate) async fn send(self, service: &Service) -> Answer {
        self.send_to(&service.address).await
    }

    pub(crate) async fn send_to(self, address: &str) -> Answer {
        let (head, body) = self.open(address).await.into_parts();
        let body = soon(body.collect()).await.unwrap().to_bytes();
        Answer { status: head.status, headers: head.headers, body }
    }
}

struct Pieces(tokio::sync::mpsc::Receiver<Result<Bytes, std::io::Error>>);

impl hyper::body::Body for Pieces {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<hyper::body::Frame<Bytes>, std::io::Error>>> {
        self.0.poll_recv(context).map(|piece| piece.map(|piece| piece.map(hyper::body::Frame::data)))
    }
}

/// A whole response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Returns the JSON of a successful response.
    #[track_caller]
    pub(crate) fn ok(&self) -> Value {
        assert!(self.status.is_success(), "{self:?}");
        self.json()
    }

    /// Returns the body of a successful response.
    #[track_caller]
    pub(crate) fn ok_body(&self) -> &Bytes {
        assert!(self.status.is_success(), "{self:?}");
        &self.body
    }

    /// Returns the status and the error's code. Checks that there is a message, too.
    #[track_caller]
    pub(crate) fn error(&self) -> (u16, String) {
        let error = &self.json()["error"];
        assert!(error["message"].as_str().is_some_and(|message| message.len() > 10), "{self:?}");
        assert_eq!(self.headers["content-type"], "application/json", "{self:?}");
        (self.status.as_u16(), error["code"].as_str().unwrap().to_owned())
    }

    #[track_caller]
    pub(crate) fn message(&self) -> String {
        self.json()["error"]["message"].as_str().unwrap().to_owned()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}

/// A server-sent event.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Event {
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) data: Value,
}

/// The event stream of a conversation.
pub(crate) struct Events {
    body: Incoming,
    buffer: Vec<u8>,
    ready: VecDeque<Event>,
    /// Number of comments so far.
    pub(crate) comments: usize,
    /// Number of bytes so far.
    pub(crate) bytes: usize,
}

impl Events {
    pub(crate) async fn of(service: &Service, id: &str, last: Option<&str>) -> Events {
        let mut call = get(format!("/conversations/{id}/events"));
        if let Some(last) = last {
            call = call.with("last-event-id", last);
        }
        Events::from(call.open(&service.address).await)
    }

    /// The events from the first one of the newest writer, which must be buffered.
    pub(crate) async fn from_start(service: &Service, id: &str) -> Events {
        let snapshot = get(format!("/conversations/{id}")).send(service).await.ok();
        let epoch = epoch(snapshot["last"].as_str().unwrap()).to_owned();
        Events::of(service, id, Some(&format!("{epoch}-0"))).await
    }

    pub(crate) fn from(response: Response<Incoming>) -> Events {
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        let (buffer, ready) = (Vec::new(), VecDeque::new());
        Events { body: response.into_body(), buffer, ready, comments: 0, bytes: 0 }
    }

    /// The next event; `None` at the end.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        // The deadline covers the whole loop, because comments never end.
        soon(async {
            while self.ready.is_empty() && self.more().await {}
            self.ready.pop_front()
        })
        .await
    }

    /// The next event of a service that may die; `None` when it has, and at the end.
    pub(crate) async fn next_if_alive(&mut self) -> Option<Event> {
        while self.ready.is_empty() && self.try_more().await.ok()? {}
        self.ready.pop_front()
    }

    /// Reads the next chunk; `false` at the end.
    pub(crate) async fn more(&mut self) -> bool {
        self.try_more().await.unwrap()
    }

    async fn try_more(&mut self) -> Result<bool, hyper::Error> {
        let Some(frame) = soon(self.body.frame()).await else { return Ok(false) };
        let data = frame?.into_data().unwrap();
        self.bytes += data.len();
        self.buffer.extend_from_slice(&data);
        // Only an end that comes with these bytes is searched for.
        let mut searched = (self.buffer.len() - data.len()).saturating_sub(1);
        while let Some(end) = memchr::memmem::find(&self.buffer[searched..], b"\n\n") {
            let block: Vec<u8> = self.buffer.drain(..searched + end + 2).collect();
            self.apply(std::str::from_utf8(&block).unwrap());
            searched = 0;
        }
        Ok(true)
    }

    fn apply(&mut self, block: &str) {
        let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        if block.starts_with(':') {
            self.comments += 1;
            return;
        }
        let data = serde_json::from_str(field("data").unwrap()).unwrap();
        let (id, kind) = (field("id").unwrap().to_owned(), field("event").unwrap().to_owned());
        self.ready.push_back(Event { id, kind, data });
    }

    /// Returns the events up to the first that matches.
    pub(crate) async fn up_to(&mut self, mut is_last: impl FnMut(&Event) -> bool) -> Vec<Event> {
        let mut events = Vec::new();
        loop {
            let event = self.next().await.unwrap_or_else(|| panic!("it ended after {events:?}"));
            events.push(event.clone());
            if is_last(&event) {
                return events;
            }
        }
    }

    /// Waits for the next comment.
    pub(crate) async fn comment(&mut self) {
        let before = self.comments;
        while self.comments == before {
            assert!(self.more().await, "it ended");
        }
    }
}

/// Returns the number in an event's id.
pub(crate) fn number(id: &str) -> u64 {
    id.rsplit('-').next().unwrap().parse().unwrap()
}

/// Returns the epoch in an event's id.
pub(crate) fn epoch(id: &str) -> &str {
    id.split_once('-').unwrap().0
}

/// Returns all events of a conversation, which must all be buffered.
pub(crate) async fn all_events(service: &Service, id: &str) -> Vec<Event> {
    let snapshot = get(format!("/conversations/{id}")).send(service).await.ok();
    let last = snapshot["last"].as_str().unwrap().to_owned();
    if number(&last) == 0 {
        return Vec::new();
    }
    let mut events = Events::from_start(service, id).await;
    events.up_to(|event| event.id == last).await
}

/// Reads the rest of a body.
pub(crate) async fn read(response: Response<Incoming>) -> Bytes {
    soon(response.into_body().collect()).await.unwrap().to_bytes()
}
