//! What follows a turn, as data, for a process that takes the conversation over.

use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Readiness;
use super::continuation::{Continuation, ContinuationRequest, FailedRequest, NextRequest};
use crate::chat::ChatRequest;
use crate::demo::{RECORDINGS, Script};
use crate::settings::Pace;

/// What follows a turn, as data.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StoredContinuation {
    Unavailable(String),
    Recording { name: String, next: usize, chunk: String, delay: u64 },
    Provider(Box<StoredRequest>),
}

#[derive(Debug, Serialize, Deserialize)]
struct StoredRequest {
    headers: Vec<(String, String)>,
    /// The caller sent a key of its own, which is not stored.
    had_key: bool,
    request: ChatRequest,
    message: Value,
}

/// A request that failed, as data.
#[derive(Debug, Serialize, Deserialize)]
struct StoredFailedRequest {
    headers: Vec<(String, String)>,
    /// The caller sent a key of its own, which is not stored.
    had_key: bool,
    body: String,
}

/// Headers with secrets. They stay in the memory of the process that received them.
const SECRET: [HeaderName; 5] = [
    header::AUTHORIZATION,
    header::COOKIE,
    HeaderName::from_static("x-api-key"),
    HeaderName::from_static("api-key"),
    HeaderName::from_static("x-goog-api-key"),
];

/// Why a replica can't send the replies for the one that relayed the request.
const NO_KEY: &str = "the key of the agent's request was known only to another replica: your agent has to send the replies, or start the service with --upstream-key";

/// Returns what follows a turn as JSON; `None` if nothing does.
pub(super) fn to_json(continuation: &Continuation) -> Option<String> {
    let stored = match continuation {
        Continuation::Nothing => return None,
        Continuation::Unavailable(why) => StoredContinuation::Unavailable(why.to_string()),
        Continuation::Recording(script) => {
            let Pace { chunk, delay } = script.pace();
            let (name, next) = script.position();
            let delay = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
            StoredContinuation::Recording { name: name.into(), next, chunk: chunk.to_string(), delay }
        }
        Continuation::Provider(next) => {
            let (headers, had_key) = without_secrets(&next.headers);
            let (request, message) = ((*next.request).clone(), next.message.clone());
            StoredContinuation::Provider(Box::new(StoredRequest { headers, had_key, request, message }))
        }
    };
    serde_json::to_string(&stored).ok()
}

/// Returns what follows a turn; nothing if that can't be read.
pub(super) fn from_json(json: &str) -> Continuation {
    match serde_json::from_str(json) {
        Ok(StoredContinuation::Unavailable(why)) => Continuation::Unavailable(why.into()),
        Ok(StoredContinuation::Recording { name, next, chunk, delay }) => {
            let recording = RECORDINGS.iter().find(|recording| recording.name == name);
            match (recording, chunk.parse()) {
                (Some(recording), Ok(chunk)) => {
                    let pace = Pace { chunk, delay: Duration::from_millis(delay) };
                    Continuation::Recording(Script::at(recording, next, pace))
                }
                _ => Continuation::Nothing,
            }
        }
        Ok(StoredContinuation::Provider(stored)) if stored.had_key => Continuation::Unavailable(NO_KEY.into()),
        Ok(StoredContinuation::Provider(stored)) => {
            let headers = restored(&stored.headers);
            let next = NextRequest { headers, request: stored.request.into(), message: stored.message };
            Continuation::Provider(Box::new(next))
        }
        Err(_) => Continuation::Nothing,
    }
}

/// Returns `true` if the writer of a conversation begins its next turn now.
///
/// It has the key of the request.
pub(super) fn begins(json: &str, readiness: &Readiness) -> bool {
    match serde_json::from_str(json) {
        Ok(StoredContinuation::Provider(_)) => *readiness == Readiness::Ready,
        _ => from_json(json).begins(readiness),
    }
}

/// Returns a request that failed as JSON; `None` if there is none.
pub(super) fn failed_to_json(failed: Option<&FailedRequest>) -> Option<String> {
    let FailedRequest { request, lacks_key } = failed?;
    let (headers, has_key) = without_secrets(&request.headers);
    let body = std::str::from_utf8(&request.body).ok()?.to_owned();
    serde_json::to_string(&StoredFailedRequest { headers, had_key: has_key || *lacks_key, body }).ok()
}

/// Returns a request that failed; `None` if that can't be read.
///
/// `own` is one that this process has sent. If it is the same request, it has the key.
pub(super) fn failed_from_json(json: &str, own: Option<FailedRequest>) -> Option<FailedRequest> {
    let StoredFailedRequest { headers, had_key, body } = serde_json::from_str(json).ok()?;
    if let Some(own) = own.filter(|own| had_key && own.request.body == body) {
        return Some(own);
    }
    let request = ContinuationRequest { headers: restored(&headers), body: body.into() };
    Some(FailedRequest { request, lacks_key: had_key })
}

/// Returns the headers that may be stored, and whether a key of the caller is not one of them.
fn without_secrets(headers: &HeaderMap) -> (Vec<(String, String)>, bool) {
    // The service's own key is no secret of the caller, and every replica has it.
    let had_key = SECRET.iter().any(|name| headers.get(name).is_some_and(|value| !value.is_sensitive()));
    let others = headers.iter().filter(|(name, _)| !SECRET.contains(name));
    let text =
        |(name, value): (&HeaderName, &HeaderValue)| Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()));
    (others.filter_map(text).collect(), had_key)
}

/// Returns headers that were stored.
fn restored(headers: &[(String, String)]) -> HeaderMap {
    let header =
        |(name, value): &(String, String)| Some((name.parse::<HeaderName>().ok()?, value.parse::<HeaderValue>().ok()?));
    headers.iter().filter_map(header).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;

    fn next(header: (&'static str, HeaderValue)) -> Continuation {
        let headers = [("accept", HeaderValue::from_static("*/*")), header];
        let headers = headers.into_iter().map(|(name, value)| (HeaderName::from_static(name), value)).collect();
        let request = ChatRequest::parse(br#"{"model":"m", "messages": [1]}"#).unwrap();
        Continuation::Provider(Box::new(NextRequest { headers, request: Arc::new(request), message: json!("hi") }))
    }

    #[test]
    fn a_request_is_restored_without_the_services_own_key() {
        let mut own = HeaderValue::from_static("Bearer s3cret");
        own.set_sensitive(true);
        let json = to_json(&next(("authorization", own))).unwrap();
        assert!(!json.contains("s3cret"), "{json}");
        let Continuation::Provider(restored) = from_json(&json) else { panic!("{json}") };
        assert_eq!(restored.headers.len(), 1);
        assert_eq!(restored.headers["accept"], "*/*");
        assert_eq!(restored.message, json!("hi"));
        assert_eq!(restored.request.with_messages(&[json!(2)]).unwrap(), br#"{"model":"m","messages":[1,2]}"#);
    }

    #[test]
    fn the_key_of_a_caller_is_not_stored_so_the_request_can_not_be_sent_elsewhere() {
        for name in ["authorization", "x-api-key", "cookie"] {
            let json = to_json(&next((name, HeaderValue::from_static("s3cret")))).unwrap();
            assert!(!json.contains("s3cret"), "{json}");
            assert!(matches!(from_json(&json), Continuation::Unavailable(why) if why.contains("--upstream-key")));
        }
    }

    #[test]
    fn a_failed_request_is_restored_with_its_key_only_where_it_was_sent() {
        let failed = |body: &'static str, key: Option<&'static str>| {
            let key = key.map(|key| (header::AUTHORIZATION, HeaderValue::from_static(key)));
            let accept = (header::ACCEPT, HeaderValue::from_static("*/*"));
            let headers = key.into_iter().chain([accept]).collect();
            FailedRequest { request: ContinuationRequest { headers, body: body.into() }, lacks_key: false }
        };
        let json = failed_to_json(Some(&failed("{}", Some("s3cret")))).unwrap();
        assert!(!json.contains("s3cret"), "{json}");
        let elsewhere = failed_from_json(&json, None).unwrap();
        assert!(elsewhere.lacks_key && elsewhere.request.body == "{}" && elsewhere.request.headers.len() == 1);
        assert_eq!(failed_to_json(Some(&elsewhere)).unwrap(), json, "another replica stores it as it was");
        let own = failed_from_json(&json, Some(failed("{}", Some("s3cret")))).unwrap();
        assert!(!own.lacks_key && own.request.headers[header::AUTHORIZATION] == "s3cret");
        assert!(failed_from_json(&json, Some(failed("[]", Some("s3cret")))).unwrap().lacks_key, "another request");
        let json = failed_to_json(Some(&failed("{}", None))).unwrap();
        assert!(!failed_from_json(&json, None).unwrap().lacks_key);
        assert!(failed_to_json(None).is_none() && failed_from_json("", None).is_none());
    }

    #[test]
    fn a_recording_continues_at_its_next_part() {
        let script = Script::new(&RECORDINGS[0], Pace::default()).rest().unwrap();
        let Continuation::Recording(restored) = from_json(&to_json(&Continuation::Recording(script)).unwrap()) else {
            panic!()
        };
        assert_eq!((restored.body(), restored.pace()), (script.body(), script.pace()));
    }

    #[test]
    fn what_can_not_be_read_is_nothing() {
        assert!(to_json(&Continuation::Nothing).is_none());
        for json in ["", "{}", r#"{"recording":{"name":"none","next":0,"chunk":"4","delay":1}}"#] {
            assert!(matches!(from_json(json), Continuation::Nothing), "{json}");
        }
    }
}
