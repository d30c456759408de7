//! What follows a turn in which everything has been answered: the provider is asked again, or the recorded message goes on.

use std::sync::Arc;

use axum::http::{HeaderMap, header};
use bytes::Bytes;
use followup::dialogue::{MessageFormat, Reply};
use followup::wire;
use serde_json::Value;

use crate::continuing::{Message, Request};
use crate::conversation::{Conversation, Next, Source, Turn};
use crate::demo::{self, Script};
use crate::routes::relay;
use crate::service::Shared;

/// What follows.
pub(crate) enum Onward {
    Nothing,
    /// The service can't go on: why.
    Cannot(&'static str),
    Demo(Script),
    Relay(Box<Asked>),
}

/// What is to follow a turn that is still streaming.
pub(crate) enum Following {
    Nothing,
    Cannot(&'static str),
    Demo(Script),
    /// The provider is to be asked again: with what, and the message that it is sending.
    Relay(HeaderMap, Arc<Request>, Box<Message>),
}

impl Following {
    /// Takes the next chunk of the turn's body.
    pub(crate) fn feed(&mut self, chunk: &[u8]) {
        if let Following::Relay(_, _, message) = self {
            message.feed(chunk);
        }
    }

    /// What follows, now that the turn has ended whole.
    pub(crate) fn onward(self) -> Onward {
        match self {
            Following::Nothing => Onward::Nothing,
            Following::Cannot(why) => Onward::Cannot(why),
            Following::Demo(script) => Onward::Demo(script),
            Following::Relay(headers, request, message) => match message.into_json() {
                Some(message) => Onward::Relay(Box::new(Asked { headers, request, message })),
                None => Onward::Cannot("the model's message is too long to be kept, or could not be read as a whole"),
            },
        }
    }
}

/// What is needed to ask the provider again.
pub(crate) struct Asked {
    pub(crate) headers: HeaderMap,
    pub(crate) request: Arc<Request>,
    /// What the model said to it.
    pub(crate) message: Value,
}

/// Goes on, if everything that it needs is there. Otherwise says what is missing.
pub(crate) fn go_on(shared: &Arc<Shared>, conversation: &Arc<Conversation>) -> Result<(), Next> {
    if shared.ending.is_cancelled() {
        return Err(Next::Cannot("the service is about to end".into()));
    }
    let (onward, replies) = conversation.take_onward()?;
    let turn = Turn::begun(shared, conversation, Some(onward.wire()));
    match onward {
        Onward::Nothing | Onward::Cannot(_) => turn.end(true),
        Onward::Demo(script) => shared.spawn(demo::play(shared.clone(), turn, script)),
        Onward::Relay(asked) => shared.spawn(ask(shared.clone(), turn, *asked, replies)),
    }
    Ok(())
}

impl Onward {
    /// What the body of the next turn is.
    fn wire(&self) -> wire::Format {
        match self {
            Onward::Demo(script) => script.wire(),
            Onward::Nothing | Onward::Cannot(_) | Onward::Relay(_) => wire::Format::OpenAiChat,
        }
    }

    pub(crate) fn source(&self) -> Source {
        match self {
            Onward::Demo(_) => Source::Demo,
            Onward::Nothing | Onward::Cannot(_) | Onward::Relay(_) => Source::Continue,
        }
    }
}

/// Asks the provider again, with what the model has said and the user's replies.
async fn ask(shared: Arc<Shared>, mut turn: Turn, asked: Asked, replies: Vec<Reply>) {
    let Asked { headers, request, message } = asked;
    let Some(upstream) = &shared.upstream else { return turn.end(true) };
    let mut messages = vec![message];
    messages.extend(Reply::messages_of(&replies, MessageFormat::OpenAiChat));
    let limit = shared.settings.limits.body;
    let body = match request.with(&messages) {
        Some(body) if body.len() <= limit => Bytes::from(body),
        Some(body) => {
            let bytes = body.len();
            turn.error(
                "upstream",
                &format!("the next request would have {bytes} bytes, and may have {limit} (--limit-body)"),
            );
            return turn.end(true);
        }
        None => {
            turn.error("upstream", "the request had no list of messages to go on with");
            return turn.end(true);
        }
    };
    let response = match upstream.send(headers.clone(), body.clone()).await {
        Ok(response) => response,
        Err(failure) => {
            shared.metrics.upstream_error();
            turn.error("upstream", &failure.to_string());
            return turn.end(true);
        }
    };
    if !response.status().is_success() || !relay::is_event_stream(response.headers()) {
        shared.metrics.upstream_error();
        let said = beginning(&shared, response).await;
        turn.error("upstream", &said);
        return turn.end(true);
    }
    relay::keep_for_later(&shared, &mut turn, headers, &body);
    relay::read_all(&shared, turn, response).await;
}

/// What the provider answered instead of a stream, as far as it is worth reading.
async fn beginning(shared: &Shared, mut response: reqwest::Response) -> String {
    const MOST: usize = 1000;
    let status = response.status();
    let kind =
        response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or("").to_owned();
    let mut body = Vec::new();
    let reading = async {
        while let Ok(Some(chunk)) = response.chunk().await {
            body.extend_from_slice(&chunk[..chunk.len().min(MOST)]);
            if body.len() >= MOST {
                break;
            }
        }
    };
    let _ = tokio::time::timeout(shared.settings.upstream_timeout, reading).await;
    body.truncate(MOST);
    let body = String::from_utf8_lossy(&body);
    format!("the provider answered {status}, and no stream of events ({kind}): {}", body.trim())
}
