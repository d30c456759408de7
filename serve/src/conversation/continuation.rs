//! What follows a turn once everything in it has been answered.

use std::borrow::Cow;
use std::sync::Arc;

use axum::http::HeaderMap;
use bytes::Bytes;
use followup::wire;
use serde_json::Value;

use super::Readiness;
use crate::chat::{AssistantMessage, ChatRequest};
use crate::demo::Script;

/// What follows a turn that has ended, once everything in it has been answered.
pub(crate) enum Continuation {
    Nothing,
    /// The service can't continue, for this reason.
    Unavailable(Cow<'static, str>),
    /// The rest of a recording is played.
    Recording(Script),
    /// The provider is sent the replies.
    Provider(Box<NextRequest>),
}

/// The request that sends the replies to the provider, except for the replies.
pub(crate) struct NextRequest {
    pub(crate) headers: HeaderMap,
    /// The request that the model's message answered.
    pub(crate) request: Arc<ChatRequest>,
    /// The model's message.
    pub(crate) message: Value,
}

/// What will follow a turn that is still streaming.
pub(crate) enum PendingContinuation {
    Nothing,
    Unavailable(&'static str),
    Recording(Script),
    Provider { headers: HeaderMap, request: Arc<ChatRequest>, message: Box<AssistantMessage> },
}

impl PendingContinuation {
    /// Consumes the next chunk of the turn's body.
    pub(crate) fn feed(&mut self, chunk: &[u8]) {
        if let PendingContinuation::Provider { message, .. } = self {
            message.feed(chunk);
        }
    }

    /// Returns `true` if the last event of the turn's body has arrived: nothing follows it.
    pub(crate) fn is_done(&self) -> bool {
        matches!(self, PendingContinuation::Provider { message, .. } if message.is_done())
    }

    /// Returns what follows, once the turn has ended and was not cut off.
    pub(crate) fn finish(self) -> Continuation {
        match self {
            PendingContinuation::Nothing => Continuation::Nothing,
            PendingContinuation::Unavailable(reason) => Continuation::Unavailable(reason.into()),
            PendingContinuation::Recording(script) => Continuation::Recording(script),
            PendingContinuation::Provider { headers, request, message } => match message.into_json() {
                Some(message) => Continuation::Provider(Box::new(NextRequest { headers, request, message })),
                None => Continuation::Unavailable(
                    "the model's message is too long to be kept, or was not readable as a whole".into(),
                ),
            },
        }
    }
}

impl Continuation {
    /// Returns `true` if the next turn begins now, after one that has ended.
    pub(super) fn begins(&self, readiness: &Readiness) -> bool {
        match (self, readiness) {
            (Continuation::Nothing | Continuation::Unavailable(_), _) => false,
            (Continuation::Recording(_) | Continuation::Provider(_), Readiness::Ready) => true,
            // A recorded message calls other tools only for show: nobody waits for their results.
            (Continuation::Recording(_), Readiness::Blocked(_)) => true,
            (Continuation::Recording(_) | Continuation::Provider(_), _) => false,
        }
    }

    /// Returns the approximate memory of what is kept.
    pub(super) fn memory(&self) -> usize {
        match self {
            Continuation::Provider(next) => next.request.size() + text_size(&next.message),
            Continuation::Nothing | Continuation::Unavailable(_) | Continuation::Recording(_) => 0,
        }
    }

    /// Returns the wire format of the next turn's body.
    pub(crate) fn wire(&self) -> wire::Format {
        match self {
            Continuation::Recording(script) => script.wire(),
            Continuation::Nothing | Continuation::Unavailable(_) | Continuation::Provider(_) => {
                wire::Format::OpenAiChat
            }
        }
    }
}

/// Returns the bytes of the texts in a value.
fn text_size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(elements) => elements.iter().map(text_size).sum(),
        Value::Object(fields) => fields.iter().map(|(name, value)| name.len() + text_size(value)).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

/// A request with replies. It is kept until the provider has answered it to its end.
pub(crate) struct ContinuationRequest {
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// A request with replies that failed, to be tried again.
pub(super) struct FailedRequest {
    pub(super) request: ContinuationRequest,
    /// It had a key of its caller, which only the process that sent it knows.
    pub(super) lacks_key: bool,
}
