//! Replicate: the output of a prediction.
//!
//! <https://replicate.com/docs/topics/predictions/streaming>. The data of an event is text, and its
//! name tells what it is; the framing makes an object of both. A model has no calls but in its
//! text.

use serde::Deserialize;

use super::error::push_error;
use super::payload::{Raw, entries, is_text, raw_text, string};
use crate::wire::deltas::{Delta, Deltas};

#[derive(Deserialize)]
struct ReplicateEvent<'a> {
    #[serde(rename = "event: output", borrow)]
    output: Raw<'a>,
    #[serde(rename = "event: error", borrow)]
    error: Raw<'a>,
    #[serde(rename = "event: done", borrow)]
    done: Raw<'a>,
    /// The output of a prediction that is not streamed: a text, or a list of its pieces.
    #[serde(rename = "output", borrow)]
    whole: Raw<'a>,
    #[serde(borrow)]
    status: Raw<'a>,
    #[serde(rename = "error", borrow)]
    failure: Raw<'a>,
    /// The error of a request.
    #[serde(borrow)]
    detail: Raw<'a>,
}

pub(super) fn parse(payload: &str, deltas: &mut Deltas) -> serde_json::Result<()> {
    let event: ReplicateEvent<'_> = serde_json::from_str(payload)?;
    deltas.push_text(raw_text(event.output));
    match string(event.whole) {
        Some(text) => deltas.push_text(&text),
        None => {
            for piece in entries::<Raw<'_>>(event.whole, deltas)? {
                deltas.push_text(raw_text(piece));
            }
        }
    }
    if let Some(error) = string(event.error) {
        push_reported(&error, deltas);
    }
    push_error(event.failure, deltas);
    push_error(event.detail, deltas);
    if string(event.done).is_some_and(|done| is_failure(&done)) {
        let message = deltas.store(b"the prediction failed".as_slice());
        deltas.push(Delta::Failed(message));
    }
    if event.done.is_some() || ["succeeded", "canceled"].iter().any(|status| is_text(event.status, status)) {
        deltas.push(Delta::End);
    }
    Ok(())
}

/// Returns whether the data of an event `done` says that the prediction failed.
fn is_failure(data: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Done<'a> {
        #[serde(borrow)]
        reason: Raw<'a>,
    }
    serde_json::from_slice(data).is_ok_and(|done: Done<'_>| is_text(done.reason, "error"))
}

/// Appends the error of an event, whose data is an object with a `detail`, or a text.
fn push_reported(data: &[u8], deltas: &mut Deltas) {
    #[derive(Deserialize)]
    struct Reported<'a> {
        #[serde(borrow)]
        detail: Raw<'a>,
    }
    match serde_json::from_slice(data) {
        Ok(Reported { detail: detail @ Some(_) }) => push_error(detail, deltas),
        _ => {
            let message = deltas.store(data);
            deltas.push(Delta::Error(message));
        }
    }
}
