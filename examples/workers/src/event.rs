//! Events as JSON.

use followup::{Event, Field, wire};
use serde_json::{Value, json};

/// What follows the last event of a body.
pub const END: &str = r#"{"event":"end"}"#;

/// Returns an event as JSON.
pub fn to_json(event: Result<Event<'_>, wire::Error<'_>>) -> String {
    let value = match event {
        Ok(Event::Text(text)) => json!({"event": "text", "text": text}),
        Ok(Event::Opaque(call)) => json!({"event": "opaque", "tool": call.tool, "raw": call.raw}),
        Ok(Event::Partial(call)) => {
            let field = match call.field() {
                Field::Question => "question".to_owned(),
                Field::Suggestion => format!("suggestion {}", call.suggestion_index().unwrap_or_default()),
                // Other question tools have more fields.
                field => format!("{field:?}"),
            };
            json!({"event": "partial", "call": call.index(), "field": field, "delta": call.delta()})
        }
        Ok(Event::Complete(call)) => json!({
            "event": "complete",
            "call": call.index(),
            "question": call.question(),
            "suggestions": call.suggestions().iter().map(|one| one.answer).collect::<Vec<_>>(),
        }),
        Ok(Event::Rejected(call)) => {
            json!({"event": "rejected", "call": call.index(), "reason": call.reason().to_string()})
        }
        Err(error) => json!({"event": "error", "message": error.to_string()}),
    };
    Value::to_string(&value)
}
