//! How an entry of a conversation's log is read.

use redis::{FromRedisValue, ParsingError, Value, from_redis_value};

use crate::conversation::LogEntry;

impl FromRedisValue for LogEntry {
    fn from_redis_value(value: Value) -> Result<LogEntry, ParsingError> {
        let (id, fields): (String, Vec<String>) = from_redis_value(value)?;
        let mut fields = fields.into_iter();
        let id_of = |text: Option<String>| {
            let id = text.and_then(|text| text.parse().ok());
            id.ok_or_else(|| ParsingError::from("an entry of a log without the ids of its events"))
        };
        let last = id_of(Some(id))?;
        let after = match fields.next().as_deref() {
            Some("<") => id_of(fields.next())?,
            _ => id_of(None)?,
        };
        let mut entry = LogEntry { after, last, events: Vec::with_capacity(fields.len() / 2) };
        while let (Some(name), Some(data)) = (fields.next(), fields.next()) {
            entry.events.push((name, data));
        }
        Ok(entry)
    }
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
}
