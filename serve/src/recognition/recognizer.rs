//! The recognizer: finds the conversation that a request extends.
//!
//! `docs/service.md` specifies what extends a conversation.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use parking_lot::Mutex;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use super::agent_request::AgentRequest;
use super::fingerprint::{Fingerprint, Fingerprints, ShownAnswer};
use super::last_answer::{Fit, LastAnswer};
use super::shown_conversation::ShownConversation;
use super::stored::StoredRecord;
use crate::chat::{ApiFormat, MessagePart, ModelAnswer};
use crate::conversation::Conversation;

/// How long a request waits for the end of the message that it seems to answer.
///
/// An agent may answer a message before the service has seen the end of its stream.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// Finds the conversation that a request extends.
///
/// Of each conversation it keeps a hash of its last request, and one of the model's message after
/// it.
pub(crate) struct Recognizer {
    fingerprints: Fingerprints,
    index: Mutex<Index>,
    /// Receives every record, for other replicas; `None` if there are none.
    records: Option<mpsc::UnboundedSender<StoredRecord>>,
}

/// The conversations by the fingerprint of their last request, and by the id of the last response.
#[derive(Default)]
struct Index {
    entries: HashMap<Fingerprint, Vec<Entry>>,
    /// The keys of a conversation's entries, by its id.
    keys: HashMap<String, Vec<Fingerprint>>,
    /// Number of conversations from which on those that are gone are removed.
    sweep_at: usize,
}

#[derive(Clone)]
struct Entry {
    conversation: Weak<Conversation>,
    answer: watch::Receiver<LastAnswer>,
}

/// Records the model's message when it has ended. If it is dropped before, the message is unknown.
pub(crate) struct AnswerRecord {
    recognizer: Arc<Recognizer>,
    conversation: Arc<Conversation>,
    /// The fingerprint of the request.
    request: Fingerprint,
    answer: watch::Sender<LastAnswer>,
}

impl Recognizer {
    /// Returns a recognizer whose fingerprints have this key. `records` receives what it records.
    pub(crate) fn new(key: &[u8; 16], records: Option<mpsc::UnboundedSender<StoredRecord>>) -> Recognizer {
        Recognizer { fingerprints: Fingerprints::new(key), index: Mutex::default(), records }
    }

    fn publish(&self, id: &str, request: Fingerprint, response_id: Option<Fingerprint>, answer: &LastAnswer) {
        if let Some(records) = &self.records {
            let keys = [Some(request), response_id].into_iter().flatten().map(|key| key.to_string()).collect();
            let record = StoredRecord { id: id.to_owned(), request: request.to_string(), answer: answer.clone(), keys };
            // Nobody receives it when the service is shutting down.
            let _ = records.send(record);
        }
    }

    /// Reads what the body of a request shows.
    pub(crate) fn read(&self, format: ApiFormat, body: &[u8]) -> ShownConversation {
        match AgentRequest::parse(format, body) {
            Some(request) => ShownConversation { content: request.content(), chain: self.fingerprints.chain(&request) },
            None => ShownConversation::default(),
        }
    }

    /// Returns the conversation that a request extends.
    ///
    /// That is one whose last request is a prefix of this one, followed by the message with which
    /// the model answered it. A request that changes something earlier extends none.
    pub(crate) async fn find(&self, shown: &ShownConversation) -> Option<Arc<Conversation>> {
        let chain = &shown.chain;
        let followed = chain.previous.and_then(|key| self.entries(key).into_iter().find_map(|entry| entry.alive()));
        if followed.is_some() {
            return followed;
        }
        let (mut possible, mut streaming) = (None, Vec::new());
        for shown in &chain.answers {
            for entry in self.entries(shown.before) {
                let Some(conversation) = entry.alive() else { continue };
                let fit = entry.answer.borrow().fit(shown);
                match fit {
                    Some(Fit::Exact) => return Some(conversation),
                    Some(Fit::Possible) => possible = possible.or(Some(conversation)),
                    Some(Fit::None) => {}
                    None => streaming.push((entry, shown)),
                }
            }
        }
        if possible.is_some() {
            return possible;
        }
        let wait = async {
            // One of them may stream on for long after the one that is shown has ended.
            let mut ended: FuturesUnordered<_> =
                streaming.into_iter().map(|(entry, shown)| entry.settled_on(shown)).collect();
            while let Some(found) = ended.next().await {
                if found.is_some() {
                    return found;
                }
            }
            None
        };
        timeout(MAX_WAIT, wait).await.ok().flatten()
    }

    /// Waits for the end of a conversation's message, if the request shows that message.
    pub(crate) async fn settle(&self, shown: &ShownConversation, id: &str) {
        let entry = {
            let index = self.index.lock();
            let keys = index.keys.get(id).map_or(&[][..], Vec::as_slice);
            let key = shown.chain.answers.iter().map(|answer| answer.before).find(|key| keys.contains(key));
            let entries = key.and_then(|key| index.entries.get(&key));
            entries.and_then(|all| all.iter().find(|one| one.alive().is_some_and(|one| one.id() == id))).cloned()
        };
        if let Some(mut entry) = entry {
            // If it does not end in time, the caller gets a conversation of its own.
            let _ = timeout(MAX_WAIT, entry.settle()).await;
        }
    }

    /// Records the last request of a conversation. The record receives the answer to it.
    pub(crate) fn record(
        self: &Arc<Recognizer>,
        shown: &ShownConversation,
        conversation: &Arc<Conversation>,
    ) -> Option<AnswerRecord> {
        let key = shown.chain.whole?;
        let (answer, receiver) = watch::channel(LastAnswer::Streaming);
        let mut index = self.index.lock();
        index.remove(conversation.id());
        index.sweep();
        index.insert(key, Entry { conversation: Arc::downgrade(conversation), answer: receiver }, conversation.id());
        drop(index);
        self.publish(conversation.id(), key, None, &LastAnswer::Streaming);
        Some(AnswerRecord { recognizer: self.clone(), conversation: conversation.clone(), request: key, answer })
    }

    fn entries(&self, key: Fingerprint) -> Vec<Entry> {
        self.index.lock().entries.get(&key).cloned().unwrap_or_default()
    }
}

impl AnswerRecord {
    /// Records the answer, as far as it has come; `None` if it can't be compared.
    pub(crate) fn finish(self, answer: Option<ModelAnswer>, is_cut_off: bool) {
        let Some(ModelAnswer { parts, response_id, item_ids }) = answer else { return };
        let fingerprints = &self.recognizer.fingerprints;
        let items = item_ids.iter().map(|id| fingerprints.of_id(id)).collect();
        let said = fingerprints.of_parts(parts.iter());
        // Whatever it is that such an answer says, agents may write it in several ways.
        let is_empty = parts.iter().all(|part| matches!(part, MessagePart::Text(text) if text.trim().is_empty()));
        let known = if is_empty { LastAnswer::Unknown } else { LastAnswer::Known { said, items, is_cut_off } };
        let receiver = self.answer.subscribe();
        let response = response_id.map(|id| fingerprints.of_id(&id));
        self.recognizer.publish(self.conversation.id(), self.request, response, &known);
        self.answer.send_replace(known);
        if let Some(key) = response {
            let entry = Entry { conversation: Arc::downgrade(&self.conversation), answer: receiver };
            self.recognizer.index.lock().insert(key, entry, self.conversation.id());
        }
    }
}

impl Drop for AnswerRecord {
    fn drop(&mut self) {
        let is_unknown = self.answer.send_if_modified(|answer| {
            let is_streaming = matches!(answer, LastAnswer::Streaming);
            if is_streaming {
                *answer = LastAnswer::Unknown;
            }
            is_streaming
        });
        if is_unknown {
            self.recognizer.publish(self.conversation.id(), self.request, None, &LastAnswer::Unknown);
        }
    }
}

impl Index {
    fn insert(&mut self, key: Fingerprint, entry: Entry, id: &str) {
        self.entries.entry(key).or_default().push(entry);
        self.keys.entry(id.to_owned()).or_default().push(key);
    }

    /// Removes the entries of a conversation, and of others that are gone, under the same keys.
    fn remove(&mut self, id: &str) {
        for key in self.keys.remove(id).unwrap_or_default() {
            if let Some(entries) = self.entries.get_mut(&key) {
                entries.retain(|entry| entry.alive().is_some_and(|conversation| conversation.id() != id));
                if entries.is_empty() {
                    self.entries.remove(&key);
                }
            }
        }
    }

    /// Removes the conversations that are gone, once they may be half of all.
    fn sweep(&mut self) {
        if self.keys.len() < self.sweep_at.max(64) {
            return;
        }
        let mut alive = HashSet::new();
        self.entries.retain(|_, entries| {
            entries.retain(|entry| {
                let conversation = entry.alive();
                alive.extend(conversation.iter().map(|conversation| conversation.id().to_owned()));
                conversation.is_some()
            });
            !entries.is_empty()
        });
        self.keys.retain(|id, _| alive.contains(id));
        self.sweep_at = 2 * self.keys.len();
    }
}

impl Entry {
    fn alive(&self) -> Option<Arc<Conversation>> {
        self.conversation.upgrade().filter(|conversation| !conversation.is_gone())
    }

    /// Waits for the end of the answer. Returns the conversation if the request shows that answer.
    async fn settled_on(mut self, shown: &ShownAnswer) -> Option<Arc<Conversation>> {
        self.settle().await;
        let fit = self.answer.borrow().fit(shown);
        self.alive().filter(|_| fit.is_some_and(|fit| fit != Fit::None))
    }

    /// Waits for the end of the answer.
    async fn settle(&mut self) {
        // The sender is never dropped while the answer streams.
        let _ = self.answer.wait_for(|answer| !matches!(answer, LastAnswer::Streaming)).await;
    }
}
