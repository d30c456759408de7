//! All conversations.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::conversation::{Conversation, Line};
use crate::errors::Failure;
use crate::metrics::Metrics;
use crate::settings::Settings;

/// All conversations, no more of them than the limit.
pub(crate) struct Store {
    all: Mutex<HashMap<String, Arc<Conversation>>>,
    settings: Arc<Settings>,
    metrics: Arc<Metrics>,
}

/// The id of a conversation, as callers choose and name it.
pub(crate) fn check_id(id: &str) -> Result<&str, Failure> {
    let is_id = (1..=64).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    if is_id { Ok(id) } else { Err(Failure::bad_id()) }
}

impl Store {
    pub(crate) fn new(settings: Arc<Settings>, metrics: Arc<Metrics>) -> Store {
        Store { all: Mutex::default(), settings, metrics }
    }

    pub(crate) fn len(&self) -> usize {
        self.all.lock().len()
    }

    pub(crate) fn get(&self, id: &str) -> Result<Arc<Conversation>, Failure> {
        let id = check_id(id)?;
        self.all.lock().get(id).cloned().ok_or_else(|| Failure::no_conversation(id))
    }

    /// The conversation of that id, or a new one; without an id one that nobody can guess. And whether it is new.
    ///
    /// Where there are as many as the limit allows, the one that has not been used for longest goes: first of those that nothing is asked in. If all are in use, that is an error.
    pub(crate) fn get_or_make(&self, id: Option<&str>) -> Result<(Arc<Conversation>, bool), Failure> {
        let id = match id {
            Some(id) => check_id(id)?.to_owned(),
            None => random::<16>()?,
        };
        let epoch = random::<4>()?;
        let mut all = self.all.lock();
        if let Some(conversation) = all.get(&id) {
            return Ok((conversation.clone(), false));
        }
        let Settings { limits, setup, .. } = &*self.settings;
        if all.len() >= limits.conversations {
            let unused = all.iter().filter_map(|(id, one)| Some((one.unused()?, id)));
            let Some((_, oldest)) = unused.min() else {
                return Err(Failure::too_many_conversations(limits.conversations));
            };
            let oldest = oldest.clone();
            if let Some(dropped) = all.remove(&oldest) {
                dropped.end();
            }
        }
        let conversation = Arc::new(Conversation::new(id.clone(), epoch, setup.clone(), *limits, self.metrics.clone()));
        all.insert(id, conversation.clone());
        Ok((conversation, true))
    }

    /// Deletes it.
    pub(crate) fn remove(&self, id: &str) -> Result<(), Failure> {
        let id = check_id(id)?;
        let removed = self.all.lock().remove(id).ok_or_else(|| Failure::no_conversation(id))?;
        removed.end();
        Ok(())
    }

    /// Drops what has ended and was not used for long.
    pub(crate) fn drop_idle(&self) {
        let idle = self.settings.limits.idle;
        self.all.lock().retain(|_, conversation| {
            let is_idle = conversation.is_idle(idle);
            if is_idle {
                conversation.end();
            }
            !is_idle
        });
    }

    /// A line for each, newest first.
    pub(crate) fn lines(&self) -> Vec<Line> {
        let all: Vec<_> = self.all.lock().values().cloned().collect();
        let mut lines: Vec<_> = all.iter().map(|conversation| conversation.line()).collect();
        lines.sort_by_key(|line| std::cmp::Reverse(line.at));
        lines
    }
}

/// That many random bytes, as hex digits.
fn random<const N: usize>() -> Result<String, Failure> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| Failure::no_random(&error))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_short_and_plain() {
        for id in ["a", "A-z_09", &"x".repeat(64)] {
            assert!(check_id(id).is_ok(), "{id}");
        }
        for id in ["", &"x".repeat(65), "a b", "a/b", "ä", "a.b", "..", "a\0"] {
            assert!(check_id(id).is_err(), "{id}");
        }
    }

    #[test]
    fn random_ids_differ() {
        let (one, two) = (random::<16>().unwrap(), random::<16>().unwrap());
        assert_ne!(one, two);
        assert_eq!(one.len(), 32);
        assert!(check_id(&one).is_ok());
    }
}
