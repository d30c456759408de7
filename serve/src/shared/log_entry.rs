//! How an entry of a conversation's log is read.

use std::collections::VecDeque;

use redis::{FromRedisValue, ParsingError, Value, from_redis_value};

use crate::conversation::LogEntry;

impl FromRedisValue for LogEntry {
    fn from_redis_value(value: Value) -> Result<LogEntry, ParsingError> {
        let (id, fields): (String, Vec<String>) = from_redis_value(value)?;
        let mut fields = VecDeque::from(fields);
        let has_after = fields.pop_front().is_some_and(|name| name == "<");
        let after = fields.pop_front().filter(|_| has_after);
        let entry = after.and_then(|after| entry(&id, &after, fields));
        entry.ok_or_else(|| ParsingError::from("an entry of a log without the ids of its events"))
    }
}

/// Returns the entry that a message holds.
///
/// Its id, the id before it, the number of its events, and these.
///
/// `None` if it holds none, or several.
pub(super) fn from_message(message: &str) -> Option<LogEntry> {
    let mut fields: VecDeque<String> = serde_json::from_str(message).ok()?;
    let (id, after) = (fields.pop_front()?, fields.pop_front()?);
    let count: usize = fields.pop_front()?.parse().ok()?;
    if count.checked_mul(2)? == fields.len() { entry(&id, &after, fields) } else { None }
}

fn entry(id: &str, after: &str, names_and_data: VecDeque<String>) -> Option<LogEntry> {
    let mut entry = LogEntry { after: after.parse().ok()?, last: id.parse().ok()?, events: Vec::new() };
    let mut names_and_data = names_and_data.into_iter();
    while let (Some(name), Some(data)) = (names_and_data.next(), names_and_data.next()) {
        entry.events.push((name, data));
    }
    Some(entry)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::EventId;

    fn text(text: &str) -> Value {
        Value::BulkString(text.into())
    }

    #[test]
    fn an_entry_knows_the_ids_of_all_its_events() {
        let fields = ["<", "2-9", "text", "{}", "end", "{}"].map(text).to_vec();
        let entry = LogEntry::from_redis_value(Value::Array(vec![text("3-2"), Value::Array(fields)])).unwrap();
        assert_eq!(entry.after, EventId { epoch: 2, number: 9 });
        let ids: Vec<_> = entry.numbered().map(|(id, name, _)| format!("{id} {name}")).collect();
        assert_eq!(ids, ["3-1 text", "3-2 end"]);
    }

    #[test]
    fn an_entry_of_another_kind_is_an_error() {
        for fields in [vec![], vec!["a", "b"], vec!["<", "b"], vec!["<"]] {
            let fields = fields.into_iter().map(text).collect();
            assert!(LogEntry::from_redis_value(Value::Array(vec![text("3-2"), Value::Array(fields)])).is_err());
        }
    }

    #[test]
    fn a_message_holds_one_entry_or_none() {
        let entry = from_message(r#"["3-2","2-9","2","text","{}","end","{}"]"#).unwrap();
        let ids: Vec<_> = entry.numbered().map(|(id, name, _)| format!("{id} {name}")).collect();
        assert_eq!(
            (entry.after, ids),
            (EventId { epoch: 2, number: 9 }, vec!["3-1 text".to_owned(), "3-2 end".to_owned()])
        );
        let two = r#"["3-1","2-9","1","text","{}","3-2","3-1","1","end","{}"]"#;
        for other in ["3-2", "deleted", "", "[]", r#"["3-2","2-9"]"#, r#"["3-2","2-9","1","text"]"#, two] {
            assert_eq!(from_message(other), None, "{other}");
        }
    }
}
