//! Keeps a conversation of this replica up to date with what other replicas do to it.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use futures_util::stream::{self, StreamExt};
use redis::{PushInfo, PushKind, Value};
use tokio::sync::watch;

use super::Shared;
use super::commands::Found;
use super::error::StoreError;
use super::groups::MAX_GROUP;
use super::link::Messages;
use super::log_entry;
use super::watched::Bell;
use crate::conversation::{Conversation, EventId, StoredConversation};

/// How often a conversation is compared with the store in which readers wait for another replica.
const URGENT_INTERVAL: Duration = Duration::from_millis(500);

/// How often any other conversation is compared with the store, in case a message was lost.
const INTERVAL: Duration = Duration::from_secs(5);

/// The least of these intervals.
///
/// Conversations that are kept for a short time are compared more often.
const LEAST_INTERVAL: Duration = Duration::from_millis(100);

/// The same for a conversation whose messages arrive and bring it up to date.
const STEADY_INTERVAL: Duration = Duration::from_secs(15);

/// Minimum time between two looks at the list.
const LIST_PAUSE: Duration = Duration::from_millis(100);

/// Passes on what the store tells. Ends with its sender.
pub(super) async fn receive_messages(shared: Arc<Shared>, mut messages: Messages) {
    while let Some((connection, PushInfo { kind, data })) = messages.recv().await {
        match kind {
            PushKind::Disconnection => shared.link.disconnected(connection),
            PushKind::SMessage => {
                let mut texts = data.iter().map(|value| match value {
                    Value::BulkString(bytes) => std::str::from_utf8(bytes).unwrap_or_default(),
                    Value::SimpleString(text) => text,
                    _ => "",
                });
                let (channel, message) = (texts.next().unwrap_or_default(), texts.next().unwrap_or_default());
                if channel == shared.keys.list_bell() {
                    shared.list_changed.notify_one();
                } else if let Some(id) = shared.keys.id_of_bell(channel) {
                    receive_message(&shared, id, message);
                }
            }
            _ => {}
        }
    }
}

/// Receives a message about a conversation.
///
/// It is the id of the last event, the newest entry of the log, or that it was deleted.
fn receive_message(shared: &Shared, id: &str, message: &str) {
    let entry = log_entry::from_message(message);
    let last = entry.as_ref().map(|entry| entry.last).or_else(|| message.parse().ok());
    let conversation = shared.local.find(id);
    let own = conversation.as_ref().and_then(|conversation| conversation.epoch());
    // What this replica has written is here.
    if own.is_some() && last.map(|last| last.epoch) == own {
        return;
    }
    let is_up_to_date = match (entry, conversation) {
        (Some(entry), Some(conversation)) => match conversation.updating.try_lock() {
            Ok(_updating) => conversation.append(&entry),
            // It is being compared with the store, and may change in another way.
            Err(_) => false,
        },
        _ => false,
    };
    shared.watched.change(id, |bell| {
        bell.is_deleted |= message == "deleted";
        if is_up_to_date { bell.updates += 1 } else { bell.rings += 1 }
    });
}

/// After the connection was made again, subscribes to everything, and compares everything.
pub(super) async fn subscribe_again(shared: Arc<Shared>) {
    let mut up = shared.link.subscribe();
    loop {
        let is_up = up.borrow_and_update().is_some();
        if is_up {
            // If one fails, there is another connection soon. Many are on their way at the same
            // time: readers wait for what they bring.
            let again = async |id: String| {
                let _ = shared.link.subscribe_to(&shared.keys.bell(&id)).await;
                shared.watched.change(&id, |bell| bell.rings += 1);
            };
            stream::iter(shared.watched.ids()).for_each_concurrent(MAX_GROUP, again).await;
            let _ = shared.link.subscribe_to(&shared.keys.list_bell()).await;
            let written = shared.local.all().into_iter().filter(|conversation| conversation.epoch().is_some());
            let list = async |conversation: Arc<Conversation>| {
                let _ = shared.list_conversation(&conversation).await;
            };
            stream::iter(written).for_each_concurrent(MAX_GROUP, list).await;
            shared.list_changed.notify_one();
        }
        if up.changed().await.is_err() {
            return;
        }
    }
}

/// Brings the list up to date while somebody reads it. Never returns.
pub(super) async fn keep_list(shared: Arc<Shared>) {
    loop {
        shared.list_changed.notified().await;
        if shared.local.has_list_readers() {
            // If it fails, this is done as soon as there is a connection.
            let _ = shared.list.refresh().await;
            tokio::time::sleep(LIST_PAUSE).await;
        }
    }
}

impl Shared {
    /// Keeps a conversation of this replica up to date with what other replicas do to it.
    ///
    /// Does nothing if it is watched already.
    pub(crate) fn watch(self: &Arc<Shared>, conversation: &Arc<Conversation>) {
        if let Some(bell) = self.watched.add(conversation.id()) {
            let (id, conversation) = (conversation.id().to_owned(), Arc::downgrade(conversation));
            self.tasks.spawn(run(self.clone(), id, conversation, bell));
        }
    }

    /// Ends a conversation of which the store has just said that it was deleted.
    pub(super) async fn end_deleted(&self, conversation: &Arc<Conversation>) {
        self.local.end(conversation);
        // If this fails, another replica does it, or the next reader.
        let _ = self.unlist(conversation.id()).await;
    }
}

/// Watches a conversation until this replica has forgotten it.
async fn run(shared: Arc<Shared>, id: String, conversation: Weak<Conversation>, mut bell: watch::Receiver<Bell>) {
    let channel = shared.keys.bell(&id);
    // If it fails, this is done as soon as there is a connection.
    let _ = shared.link.subscribe_to(&channel).await;
    let (mut touched, mut touched_at) =
        (Instant::now(), conversation.upgrade().map(|conversation| conversation.last()));
    // The rings that were followed by a comparison, and when that was.
    let (mut rings, mut compared) = (None, Instant::now());
    let mut awaits_writer = false;
    // Since when the store has had nothing of the conversation, or an earlier state than this
    // replica.
    let (mut missing, mut lost) = (None, None);
    while let Some(conversation) = conversation.upgrade() {
        let is_here = shared.local.find(&id).is_some_and(|one| Arc::ptr_eq(&one, &conversation));
        if !is_here {
            break;
        }
        let now = *bell.borrow_and_update();
        if now.is_deleted {
            // Its id may be used again since the message was sent, so the list is left to who has
            // deleted it.
            shared.local.end(&conversation);
            break;
        }
        if rings != Some(now.rings) || compared.elapsed() >= STEADY_INTERVAL {
            // If it fails, the conversation is compared again after the next message, or later.
            let result = compare(&shared, &conversation, lost).await;
            rings = result.as_ref().ok().map(|_| now.rings);
            awaits_writer = result.as_ref().map_or(awaits_writer, |result| *result == Comparison::AwaitsWriter);
            if let Ok(result) = result {
                lost = (result == Comparison::Lost).then(|| lost.unwrap_or_else(Instant::now));
                missing = missing_since(&shared, result, missing).await;
            }
            compared = Instant::now();
            if missing.is_some_and(|since| since.elapsed() >= shared.lease.duration()) {
                shared.local.end(&conversation);
                break;
            }
        }
        let (has_readers, last) = (conversation.has_readers(), conversation.last());
        // Each change lets the store keep the conversation, but not the record of its last request.
        // A turn that streams may have no events for long.
        let has_written = conversation.is_writer() && (conversation.is_streaming() || touched_at != Some(last));
        if (has_readers || has_written) && touched.elapsed() > shared.settings.limits.idle / 4 {
            (touched, touched_at) = (Instant::now(), Some(last));
            // If it fails, there is time for another attempt.
            let _ = shared.touch(&id).await;
            if has_readers {
                let _ = shared.list_conversation(&conversation).await;
            }
        }
        // The writer may die before it has ended its turn, or has given an answer.
        let is_awaited = awaits_writer || conversation.is_streaming();
        let is_urgent = missing.is_some() || lost.is_some() || has_readers && is_awaited && !conversation.is_writer();
        drop(conversation);
        // A reader may come at any time, and what it reads must not expire.
        let interval = INTERVAL.min((shared.settings.limits.idle / 4).max(LEAST_INTERVAL));
        let interval = if is_urgent { URGENT_INTERVAL.min(interval) } else { interval };
        // The store may have less of it than this replica.
        let may_be_newer = lost.is_some() || rings.is_none();
        let was_rung = tokio::time::timeout(interval, bell.changed()).await.is_ok();
        // A reader that comes rings, too, but tells nothing of the writer.
        let has_news = was_rung && *bell.borrow() != now;
        if !has_news && compared.elapsed() >= interval {
            rings = None;
        }
        // What another replica writes is kept here only while it is read, or while the store can't
        // be reached.
        if !was_rung && !has_readers && !may_be_newer && shared.is_up_for(&id) && shared.local.forget(&id) {
            break;
        }
    }
    let _ = shared.link.unsubscribe_from(&channel).await;
    shared.watched.remove(&id);
    // Another conversation with this id may be here meanwhile.
    if let Some(conversation) = shared.local.find(&id) {
        shared.watch(&conversation);
    }
}

/// What a comparison with the store has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    /// The store has nothing of the conversation, which another replica writes.
    Missing,
    /// The store has lost events, or who the writer is. The writer stores that again.
    Lost,
    /// Another replica has something to do in it, which may die before.
    AwaitsWriter,
    Settled,
}

/// Returns since when the store has had nothing of a conversation that another replica writes.
///
/// A store that has lost everything gets it again from the writer, if that lives, so the
/// conversation has ended only if that has not happened within a lease. The time before the store
/// is known to be a primary, and to be one that writers can reach, does not count.
async fn missing_since(shared: &Shared, found: Comparison, missing: Option<Instant>) -> Option<Instant> {
    let is_missing = found == Comparison::Missing && !shared.lease.is_unsure() && shared.link.is_primary().await;
    is_missing.then(|| missing.unwrap_or_else(Instant::now))
}

/// Compares a conversation with what is stored, and brings it up to date.
///
/// `lost`: when this replica first saw that the store has lost what another writer had stored.
async fn compare(
    shared: &Arc<Shared>,
    conversation: &Arc<Conversation>,
    lost: Option<Instant>,
) -> Result<Comparison, StoreError> {
    let updating = conversation.updating.lock().await;
    let last = conversation.last();
    let id = conversation.id();
    let own = conversation.epoch();
    let found = match own {
        Some(_) => shared.commands.load_own(id, last).await?,
        None => shared.commands.load(id, Some(last)).await?,
    };
    match (own, found) {
        (_, Found::Deleted) => shared.end_deleted(conversation).await,
        (None, Found::Nothing) => return Ok(Comparison::Missing),
        (None, Found::Stored(stored)) => {
            return follow(shared, conversation, last, *stored, lost).await;
        }
        // It is about to be dropped here, too.
        (Some(_), Found::Nothing) if conversation.has_expired(shared.settings.limits.idle) => {
            shared.local.end(conversation);
        }
        (Some(_), Found::Nothing) => conversation.add_missing(None),
        (Some(epoch), Found::Stored(stored)) if shared.is_written_by_another(conversation, epoch, &stored) => {
            drop(updating);
            shared.lost(conversation, epoch).await;
        }
        (Some(epoch), Found::Stored(stored)) => {
            if stored.epoch < epoch {
                // The store has lost that this replica became the writer.
                conversation.store_facts_anew();
            }
            conversation.add_missing(stored.last);
            shared.give_answers(conversation, stored.answers);
        }
    }
    Ok(Comparison::Settled)
}

/// Brings a conversation of another writer up to date. Takes it over if the writer is dead.
///
/// A writer has something to do if it lives, as far as is known, and writes a turn, or has to give
/// an answer or to begin the next turn.
async fn follow(
    shared: &Arc<Shared>,
    conversation: &Arc<Conversation>,
    last: EventId,
    mut stored: StoredConversation,
    lost: Option<Instant>,
) -> Result<Comparison, StoreError> {
    let is_to_continue = stored.take_is_to_continue(&shared.settings);
    let needs_writer = stored.is_streaming() || !stored.answers.is_empty() || is_to_continue;
    let followed = conversation.followed_epoch().map(|epoch| epoch.max(last.epoch));
    let has_lost_events = followed.is_some() && stored.last.is_some_and(|stored| stored < last);
    // The store may name an earlier writer, even this replica, which writes no turn any more. But
    // if the log has events that are not here, that writer has added them since, and writes.
    let has_lost_writer =
        followed.is_some_and(|followed| stored.epoch < followed) && stored.last.is_none_or(|stored| stored <= last);
    let has_lost_something = has_lost_events || has_lost_writer;
    // Readers get what is new before it is known whether the writer lives, for which the store may
    // be slow.
    if !has_lost_something && !conversation.follow(&stored) {
        load_all(shared, conversation).await?;
    }
    // The last writer has the time of a lease to store it again. If the store still names it, it
    // can be asked whether it lives, and has more time.
    let patience = if has_lost_writer { shared.lease.duration() } else { shared.patience() };
    let has_waited = lost.is_some_and(|since| since.elapsed() >= patience);
    let is_given_up = has_lost_something && has_waited && !shared.lease.is_unsure();
    let is_dead = match has_lost_writer {
        true => is_given_up,
        false => (needs_writer || has_lost_events) && shared.is_dead(&stored.owner).await,
    };
    if has_lost_something {
        if !is_dead && !is_given_up {
            return Ok(Comparison::Lost);
        }
        load_all(shared, conversation).await?;
    }
    if needs_writer && is_dead {
        shared.take_from(conversation, &stored.owner).await?;
    }
    Ok(if needs_writer && !is_dead { Comparison::AwaitsWriter } else { Comparison::Settled })
}

/// Loads a conversation of another writer anew.
async fn load_all(shared: &Shared, conversation: &Conversation) -> Result<(), StoreError> {
    if let Some(stored) = shared.commands.load(conversation.id(), None).await?.stored() {
        conversation.load(stored);
    }
    Ok(())
}
