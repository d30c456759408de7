//! The errors that providers report in their payloads.

use alloc::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::payload::{Raw, parse_list, string, text};
use crate::wire::deltas::{Delta, Deltas};

/// The usual shape of an error that is an object.
#[derive(Deserialize)]
struct ErrorObject<'a> {
    #[serde(borrow)]
    message: Raw<'a>,
}

/// Appends the error, if there is one: its message, or its JSON if it has none.
pub(super) fn push_error(error: Raw<'_>, deltas: &mut Deltas) {
    let message = message(error);
    if !message.is_empty() {
        let message = deltas.store(&message);
        deltas.push(Delta::Error(message));
    }
}

/// Returns the message of an error, or its JSON if it has none; empty if there is no error.
///
/// Some servers have the field in every payload, with an empty value if there is none.
pub(super) fn message<'a>(error: Raw<'a>) -> Cow<'a, [u8]> {
    let is_none = |raw: &&RawValue| matches!(raw.get(), "null" | "false" | "0" | "{}" | "[]");
    let Some(raw) = error.filter(|raw| !is_none(raw)) else { return Cow::default() };
    if let Some(message) = string(error) {
        return message;
    }
    match serde_json::from_str(raw.get()) {
        Ok(ErrorObject { message }) if !text(message).is_empty() => text(message),
        _ => raw.get().as_bytes().into(),
    }
}

/// The body of a response whose status is an error, in the shapes that providers and gateways use.
#[derive(Deserialize)]
struct ErrorBody<'a> {
    #[serde(borrow)]
    error: Raw<'a>,
    #[serde(borrow)]
    errors: Raw<'a>,
    #[serde(borrow)]
    detail: Raw<'a>,
    /// Amazon's services write it in both ways.
    #[serde(borrow, alias = "Message")]
    message: Raw<'a>,
}

/// Appends the error of a payload that says nothing else, if it is one of any known shape.
///
/// One failure is one error, however many fields tell of it.
pub(in crate::wire) fn push_error_body(payload: &str, deltas: &mut Deltas) {
    let Ok(body) = serde_json::from_str::<ErrorBody<'_>>(payload) else { return };
    let text = body.message.filter(|_| string(body.message).is_some());
    match [body.error, body.detail, text].into_iter().find(|&error| !message(error).is_empty()) {
        Some(error) => push_error(error, deltas),
        None => {
            let errors = parse_list::<Raw<'_>>(body.errors).unwrap_or_default();
            errors.into_iter().for_each(|error| push_error(error, deltas));
        }
    }
}

/// Appends the error of an event that is one.
///
/// It is that of the field where it is documented, or else of the payload.
pub(super) fn push_error_event(error: Raw<'_>, payload: &str, deltas: &mut Deltas) {
    match message(error).is_empty() {
        true => push_error_payload(payload, deltas),
        false => push_error(error, deltas),
    }
}

/// Appends the error of a payload that is one: all of it, if it is of no known shape.
pub(in crate::wire) fn push_error_payload(payload: &str, deltas: &mut Deltas) {
    push_error_body(payload, deltas);
    if deltas.list.is_empty() {
        let message = deltas.store(payload.as_bytes());
        deltas.push(Delta::Error(message));
    }
}
