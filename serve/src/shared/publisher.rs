//! Tells the store what this replica writes.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::Instant;

use super::Shared;
use super::commands::Appended;
use super::error::StoreError;
use super::ownership::take_what_is_own;
use crate::conversation::{Batch, Conversation};

/// Minimum time between two batches of a conversation. Events meanwhile are sent together.
const PAUSE: Duration = Duration::from_millis(5);

/// Pause after the store has refused a batch.
const REFUSED_PAUSE: Duration = Duration::from_millis(500);

/// Publishes conversations that have changed. Ends with its sender.
pub(super) async fn publish_changes(shared: Arc<Shared>, mut changed: mpsc::UnboundedReceiver<Arc<Conversation>>) {
    while let Some(conversation) = changed.recv().await {
        shared.tasks.spawn(publish(shared.clone(), conversation));
    }
}

/// Tells the store what it does not have of a conversation.
///
/// The conversation buffers what happens meanwhile, within its limits, so nothing waits for this.
/// While the store can't be told, the conversation may be dropped for others.
async fn publish(shared: Arc<Shared>, conversation: Arc<Conversation>) {
    let mut may_be_stored = false;
    while let Some(batch) = conversation.next_batch().map(Arc::new) {
        let next = Instant::now() + PAUSE;
        // What was deleted is not told any more.
        while !conversation.is_gone() {
            may_be_stored |= conversation.is_stored() || shared.is_up_for(conversation.id());
            match shared.commands.append(conversation.id(), &batch).await {
                Ok(Appended::Done) => {
                    if batch.has_new_facts {
                        shared.list_soon(&conversation);
                    }
                    conversation.has_appended(&batch);
                }
                Ok(Appended::Gap(last)) if !conversation.is_overtaken(last) => conversation.repair(last),
                Ok(Appended::Gap(_) | Appended::Lost) => {
                    shared.lost(&conversation, batch.epoch).await;
                    if conversation.epoch() == Some(batch.epoch) {
                        // It is not certain that another replica writes it.
                        tokio::time::sleep(PAUSE).await;
                        continue;
                    }
                }
                Err(StoreError::Away) => {
                    let key = shared.keys.state(conversation.id());
                    wait(&conversation, &batch, shared.link.wait_until_up(&key)).await;
                    continue;
                }
                Err(StoreError::Refused(_) | StoreError::Unreadable(_)) => {
                    shared.metrics.store_error();
                    wait(&conversation, &batch, tokio::time::sleep(REFUSED_PAUSE)).await;
                    // If this was refused, too, others would take this replica for dead.
                    let _ = shared.lease.renew().await;
                    continue;
                }
            }
            break;
        }
        tokio::time::sleep_until(next).await;
    }
    if conversation.is_gone() && may_be_stored {
        let id = conversation.id().to_owned();
        drop(conversation);
        // Readers elsewhere would wait for the end of its turn.
        take_what_is_own(&shared, &id).await;
    }
}

/// Waits until the store can get a batch of a conversation, or that is gone.
async fn wait(conversation: &Conversation, batch: &Batch, can_be_told: impl Future<Output = ()>) {
    conversation.set_unsent_bytes(Some(batch.size()));
    tokio::select! {
        () = can_be_told => {}
        () = conversation.gone() => {}
    }
    conversation.set_unsent_bytes(None);
}
