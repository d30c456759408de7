//! The relay of other requests than chat completions, and of messages in other formats.

use std::time::Duration;

use hyper::body::Bytes;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

use crate::client::{Answer, all_events, call, chat, get, post, read, soon};
use crate::page::Page;
use crate::service::Service;
use crate::upstream::requests;
use crate::{client, goldens};

/// A request to the relay; the test provider plays `play`.
fn ask(path: &str, play: &Value) -> client::Call {
    let body = json!({"model": "m", "messages": [{"role": "user", "content": "Hi"}], "play": play});
    post(path, body.to_string()).with("content-type", "application/json")
}

#[tokio::test]
async fn every_method_path_query_and_header_passes() {
    let service = Service::relay(&[]);
    let play =
        |name: &str| json!({"play": {"name": name, "type": "application/json", "body": "{\"ok\":true}"}}).to_string();
    for (index, (method, path)) in [
        ("GET", "/v1/models"),
        ("GET", "/v1/models/a%2Fb?limit=2&after=x%20y"),
        ("POST", "/v1/embeddings"),
        ("DELETE", "/v1/files/file-1"),
        ("PATCH", "/v1/any/thing/at/all/"),
        ("PUT", "/v1/chat/completions"),
        ("GET", "/v1/responses"),
        ("POST", "/v1/messages/count_tokens"),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("passing-{index}");
        let answer = call(method, path, play(&name)).with("x-api-key", "k").with("accept-encoding", "br");
        let answer = answer.send(&service).await;
        assert_eq!((answer.status.as_u16(), &answer.body[..]), (200, &b"{\"ok\":true}"[..]), "{method} {path}");
        assert_eq!(answer.header("x-followup-conversation"), None);
        let asked = &requests(&name).await[0];
        assert_eq!((&asked["method"], &asked["path"]), (&json!(method), &json!(path)));
        let headers = asked["headers"].to_string().to_lowercase();
        assert!(headers.contains("x-api-key: k") && headers.contains("accept-encoding: br"), "{headers}");
    }
    assert_eq!(get("/conversations").send(&service).await.ok(), json!({"conversations": []}));
    assert_eq!(get("/v1/../admin").send(&service).await.error(), (400, "bad_request".into()));
}

#[tokio::test]
async fn a_response_in_chunks_passes_whole_whatever_length_it_claims() {
    let service = Service::relay(&[]);
    let body = format!("data: {}\n\n", json!({"choices": [{"delta": {"content": "Hello. ".repeat(50)}}]}));
    for length in ["5", "100000"] {
        let play = json!({"body": body, "cut": "7", "headers": {"content-length": length}});
        for path in ["/v1/chat/completions", "/v1/embeddings"] {
            let answer = ask(path, &play).send(&service).await;
            assert!(answer.body == body.as_bytes(), "{path} {length}: {} bytes came", answer.body.len());
        }
    }
}

#[tokio::test]
async fn a_request_to_become_a_websocket_does_not_pass() {
    let service = Service::relay(&[]);
    let play = json!({"play": {"name": "upgrade", "type": "application/json", "body": "{}"}}).to_string();
    let asks = call("GET", "/v1/realtime", play).with("connection", "keep-alive, Upgrade").with("upgrade", "websocket");
    let answer = asks.with("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==").send(&service).await;
    assert_eq!((answer.status.as_u16(), answer.header("upgrade")), (200, None));
    let headers = requests("upgrade").await[0]["headers"].to_string().to_lowercase();
    assert!(!headers.contains("upgrade:") && !headers.contains("keep-alive, upgrade"), "{headers}");
}

#[tokio::test]
async fn messages_of_all_formats_are_turns_streamed_and_not() {
    let service = Service::relay(&[]);
    for (path, format) in
        [("/v1/chat/completions", "openai-chat"), ("/v1/responses", "openai-responses"), ("/v1/messages", "anthropic")]
    {
        let streamed = ask(path, &json!({"stream": format!("{format}/one-call"), "cut": "7"})).send(&service).await;
        let folder = format!("{}/../tests/wire/bodies/{format}", env!("CARGO_MANIFEST_DIR"));
        assert!(streamed.body == std::fs::read(format!("{folder}/one-call.sse")).unwrap());
        let events = all_events(&service, streamed.header("x-followup-conversation").unwrap()).await;
        let meant = goldens::meaning(format, format!("{folder}/one-call.sse").as_ref());
        assert_eq!(goldens::normalized(&events), meant, "{format}");
        let whole = ask(path, &json!({"body": whole_message(format), "type": "application/json"})).send(&service).await;
        assert_eq!(whole.body, whole_message(format).as_bytes());
        let page = page_of(&service, &whole).await;
        assert_eq!(page.prose(), "Hm.", "{format}");
        let asked = page.all("call")[0];
        assert_eq!((&asked["question"], &asked["state"]), (&json!("Which?"), &json!("complete")), "{format}");
    }
}

async fn page_of(service: &Service, answer: &Answer) -> Page {
    let id = answer.header("x-followup-conversation").expect("it is a turn");
    Page::of_snapshot(&get(format!("/conversations/{id}")).send(service).await.ok())
}

/// Returns a response that is not streamed: prose, and a call that asks.
fn whole_message(format: &str) -> String {
    let (name, arguments) = ("ask_followup_question", r#"{"question":"Which?"}"#);
    let message = match format {
        "openai-chat" => json!({"object": "chat.completion", "choices": [{"index": 0, "finish_reason": "tool_calls",
            "message": {"role": "assistant", "content": "Hm.", "tool_calls": [
                {"id": "c", "type": "function", "function": {"name": name, "arguments": arguments}}]}}]}),
        "openai-responses" => json!({"id": "resp_1", "object": "response", "status": "completed", "output": [
            {"type": "message", "id": "m", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": "Hm.", "annotations": []}]},
            {"type": "function_call", "id": "f", "call_id": "c", "name": name, "arguments": arguments, "status": "completed"}]}),
        _ => json!({"id": "msg_1", "type": "message", "role": "assistant", "stop_reason": "tool_use", "content": [
            {"type": "text", "text": "Hm."},
            {"type": "tool_use", "id": "c", "name": name, "input": {"question": "Which?"}}]}),
    };
    message.to_string()
}

#[tokio::test]
async fn only_streamed_chat_completions_continue_and_the_others_say_why() {
    let service = Service::relay(&["--continue"]);
    for (path, format) in
        [("/v1/chat/completions", "openai-chat"), ("/v1/responses", "openai-responses"), ("/v1/messages", "anthropic")]
    {
        let whole = ask(path, &json!({"body": whole_message(format), "type": "application/json"})).send(&service).await;
        let id = whole.header("x-followup-conversation").unwrap();
        let answered = post(format!("/conversations/{id}/answer"), r#"{"number":0,"text":"This"}"#);
        let answered = answered.send(&service).await.ok();
        assert_eq!(answered["continued"], false);
        let why = answered["why"].as_str().unwrap();
        assert!(why.contains("continues only") && why.contains("your agent has to send the replies"), "{why}");
    }
}

/// A provider that sends back what it is sent, piece by piece.
async fn echo() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            // An error means that the client has left.
            tokio::spawn(async move { drop(echo_once(stream).await) });
        }
    });
    address
}

async fn echo_once(mut stream: TcpStream) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        stream.read_buf(&mut bytes).await?;
    };
    let rest = bytes.split_off(end + 4);
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/octet-stream\r\nconnection: close\r\n\r\n").await?;
    stream.write_all(&rest).await?;
    let mut piece = vec![0; 64 << 10];
    loop {
        let length = stream.read(&mut piece).await?;
        // The last chunk of the request.
        let is_last = piece[..length].ends_with(b"0\r\n\r\n");
        stream.write_all(&piece[..length]).await?;
        if length == 0 || is_last {
            return Ok(());
        }
    }
}

#[tokio::test]
async fn bodies_are_streamed_both_ways() {
    use http_body_util::BodyExt;
    let service = Service::start(&["--upstream", &format!("http://{}/v1", echo().await)]);
    let (to, pieces) = mpsc::channel(1);
    to.send(Ok("first".into())).await.unwrap();
    let mut response = post("/v1/audio", "").with_pieces(pieces).open(&service.address).await;
    let mut received = Vec::new();
    for piece in ["first", "second"] {
        // The provider has got this piece before the next is sent.
        while !received.ends_with(format!("{piece}\r\n").as_bytes()) {
            received.extend(soon(response.body_mut().frame()).await.unwrap().unwrap().into_data().unwrap());
        }
        let _ = to.send(Ok("second".into())).await;
    }
    drop(to);
    assert!(read(response).await.ends_with(b"0\r\n\r\n"));
}

#[tokio::test]
async fn a_long_body_is_not_kept_in_memory() {
    const PIECES: usize = 1000;
    let service = Service::start(&["--limit-body", "1000", "--upstream", &format!("http://{}/v1", echo().await)]);
    let (to, pieces) = mpsc::channel(1);
    let address = service.address.clone();
    let request = post("/v1/files", "").with_pieces(pieces);
    let answer = tokio::spawn(async move { request.send_to(&address).await });
    let piece = Bytes::from(vec![b'x'; 100_000]);
    for _ in 0..PIECES {
        soon(to.send(Ok(piece.clone()))).await.unwrap();
    }
    drop(to);
    assert!(answer.await.unwrap().body.len() > PIECES * piece.len());
    if let Some(peak) = service.peak_memory() {
        assert!(peak < 48 << 10, "{peak} KiB for a body of {} KiB", (PIECES * piece.len()) >> 10);
    }
}

#[tokio::test]
async fn a_body_that_pauses_for_too_long_is_refused() {
    // A provider that answers nothing.
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/v1", silent.local_addr().unwrap());
    let service = Service::start(&["--body-timeout", "0.1", "--upstream", &base]);
    for path in ["/v1/chat/completions", "/v1/files", "/conversations/x/answer"] {
        post("/conversations?id=x&wire=text", "Hi").send(&service).await.ok();
        let (to, pieces) = mpsc::channel(1);
        to.send(Ok("{".into())).await.unwrap();
        let answer = post(path, "").with_pieces(pieces).send(&service).await;
        assert_eq!(answer.error(), (408, "body_timeout".into()), "{path}");
        drop(to);
    }
    let (to, pieces) = mpsc::channel(1);
    to.send(Ok("{".into())).await.unwrap();
    let piece = call("PATCH", "/conversations/y/turn?message=a&offset=0", "").with_pieces(pieces);
    assert_eq!(piece.send(&service).await.error(), (408, "body_timeout".into()));
    assert_eq!(get("/conversations/y").send(&service).await.status, 404, "no conversation was created");
    drop(to);
    // A push may pause for as long as a provider.
    let (to, pieces) = mpsc::channel(1);
    let address = service.address.clone();
    let push = post("/conversations?id=slow&wire=text", "").with_pieces(pieces);
    let pushed = tokio::spawn(async move { push.send_to(&address).await });
    to.send(Ok("Hi".into())).await.unwrap();
    tokio::time::sleep(Duration::from_millis(300)).await;
    drop(to);
    assert_eq!(pushed.await.unwrap().status, 201);
}

#[tokio::test]
async fn the_number_of_requests_in_flight_is_limited() {
    let service = Service::relay(&["--limit-requests", "1"]);
    let play = json!({"stream": "text-only", "at": 100, "gate": "in-flight"});
    let streaming = chat(&play).open(&service.address).await;
    for refused in [chat(&json!({"stream": "text-only"})), get("/v1/models"), post("/conversations?wire=text", "Hi")] {
        let refused = refused.send(&service).await;
        assert_eq!(refused.error(), (503, "too_many_requests".into()));
        assert_eq!(refused.header("retry-after"), Some("1"));
    }
    assert_eq!(get("/conversations").send(&service).await.status, 200, "the page is served");
    crate::upstream::open_gate("in-flight").await;
    read(streaming).await;
    client::until(async || chat(&json!({"stream": "text-only"})).send(&service).await.status == 200).await;
}
