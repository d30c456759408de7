//! Stored states as JSON.

use serde_json::Value;

/// Returns the JSON pointers of all values.
pub fn paths(value: &Value) -> Vec<String> {
    let below = |key: String, value: &Value| paths(value).into_iter().map(move |path| format!("/{key}{path}"));
    let mut all = vec![String::new()];
    match value {
        Value::Object(fields) => all.extend(fields.iter().flat_map(|(key, value)| below(key.clone(), value))),
        Value::Array(items) => all.extend(items.iter().enumerate().flat_map(|(i, value)| below(i.to_string(), value))),
        _ => {}
    }
    all
}
