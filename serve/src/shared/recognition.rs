//! Finds the conversation that a request extends, if another replica relayed its last request.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::Shared;
use super::error::StoreError;
use super::groups::{LONG_PAUSE, MAX_GROUP, answers};
use crate::recognition::{RecordFit, ShownConversation, StoredRecord};

/// How long a request waits for the end of the message that it seems to answer.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// How often it looks for that end.
const PAUSE: Duration = Duration::from_millis(50);

/// Puts records into the store. Ends when it has all of them and the replica shuts down.
///
/// Without the store, other replicas take such a request for one of a new conversation.
pub(super) async fn store_records(shared: Arc<Shared>, mut records: mpsc::UnboundedReceiver<StoredRecord>) {
    // In a cluster, each name of a record is on a server of its own.
    let max = if shared.link.is_cluster() { 1 } else { MAX_GROUP };
    let mut group = Vec::new();
    loop {
        tokio::select! {
            count = records.recv_many(&mut group, max) => if count == 0 { return },
            () = shared.is_ending.cancelled(), if !records.is_closed() => {
                records.close();
                continue;
            }
        }
        let (is_full, next) = (group.len() == max, Instant::now() + LONG_PAUSE);
        shared.store_group(std::mem::take(&mut group)).await;
        if !is_full {
            tokio::time::sleep_until(next).await;
        }
    }
}

impl Shared {
    /// Stores records, on a single server by one script.
    async fn store_group(&self, mut records: Vec<StoredRecord>) {
        if !self.link.is_cluster() {
            let send = async |records: Vec<_>| self.commands.record_all(&records, self.record_lifetime()).await;
            let mut stored = answers(records.clone(), send).await.into_iter();
            // A server may belong to a cluster, and then refuses keys of several slots.
            records.retain(|_| matches!(stored.next(), Some(Err(StoreError::Refused(_)))));
        }
        // One that is refused stops no other.
        join_all(records.iter().map(|record| self.store_apart(record))).await;
    }

    /// Stores a record by commands that each have keys of one slot.
    async fn store_apart(&self, record: &StoredRecord) {
        let lifetime = self.record_lifetime();
        // All of it serializes to JSON.
        let json = serde_json::to_string(record).unwrap_or_default();
        let set = async |key: &String| -> Result<(), StoreError> {
            self.link.run(redis::cmd("SET").arg(self.keys.record(key)).arg(&json).arg("PX").arg(lifetime)).await
        };
        let noted = self.commands.note_request(record, lifetime);
        let (noted, set) = tokio::join!(noted, join_all(record.keys.iter().map(set)));
        if set.into_iter().chain([noted]).any(|stored| matches!(stored, Err(StoreError::Refused(_)))) {
            self.metrics.store_error();
        }
    }

    /// Lets the store keep a conversation longer, and the record of its last request.
    pub(super) async fn touch(&self, id: &str) -> Result<(), StoreError> {
        for key in self.commands.touch(id).await? {
            let keep = redis::cmd("PEXPIRE").arg(self.keys.record(&key)).arg(self.record_lifetime()).take();
            let _: u64 = self.link.run(&keep).await?;
        }
        Ok(())
    }

    /// Returns how long a record is kept after it was stored or touched, in milliseconds.
    ///
    /// That is longer than its conversation may live on: each change of the conversation keeps it
    /// for another `--idle`, but the record is touched only from time to time.
    fn record_lifetime(&self) -> u64 {
        u64::try_from(2 * self.settings.limits.idle.as_millis()).unwrap_or(u64::MAX >> 1)
    }

    /// Returns the id of the conversation that a request extends.
    pub(crate) async fn recognize(&self, shown: &ShownConversation) -> Option<String> {
        let search = async {
            loop {
                match self.search(shown).await {
                    Ok(Search::Found(id)) => return Some(id),
                    Ok(Search::Wait) => tokio::time::sleep(PAUSE).await,
                    Ok(Search::Nothing) | Err(_) => return None,
                }
            }
        };
        tokio::time::timeout(MAX_WAIT, search).await.ok().flatten()
    }

    async fn search(&self, shown: &ShownConversation) -> Result<Search, StoreError> {
        let mut found = Search::Nothing;
        for (index, key) in shown.keys().iter().enumerate() {
            let json: Option<String> = self.link.run(redis::cmd("GET").arg(self.keys.record(key))).await?;
            let Some(record) = json.and_then(|json| serde_json::from_str::<StoredRecord>(&json).ok()) else { continue };
            let fit = shown.fit(index, &record);
            if fit == RecordFit::None {
                continue;
            }
            let last: Option<String> =
                self.link.run(redis::cmd("HGET").arg(self.keys.state(&record.id)).arg("request")).await?;
            if last.as_ref() != Some(&record.request) {
                continue;
            }
            match (fit, &found) {
                (RecordFit::Exact, _) => return Ok(Search::Found(record.id)),
                (RecordFit::Possible, Search::Nothing | Search::Wait) => found = Search::Found(record.id),
                (RecordFit::NotYetKnown, Search::Nothing) => found = Search::Wait,
                _ => {}
            }
        }
        Ok(found)
    }
}

/// The result of a search.
enum Search {
    Found(String),
    /// The message that the request may answer has not ended.
    Wait,
    Nothing,
}
