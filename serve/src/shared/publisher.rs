//! Tells the store what this replica writes.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::Instant;

use super::Shared;
use super::commands::Appended;
use super::error::StoreError;
use crate::conversation::Conversation;

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
async fn publish(shared: Arc<Shared>, conversation: Arc<Conversation>) {
    while let Some(batch) = conversation.next_batch().map(Arc::new) {
        let next = Instant::now() + PAUSE;
        // What was deleted is not told any more.
        while !conversation.is_gone() {
            match shared.commands.append(conversation.id(), &batch).await {
                Ok(Appended::Done) => {
                    conversation.has_appended(&batch);
                    if batch.has_new_facts {
                        // If it fails, this is done as soon as there is a connection.
                        let _ = shared.list_conversation(&conversation).await;
                    }
                }
                Ok(Appended::Gap(last)) => conversation.repair(last),
                Ok(Appended::Lost) => {
                    shared.lost(&conversation, batch.epoch).await;
                    if conversation.epoch() == Some(batch.epoch) {
                        // It is not certain that another replica writes it.
                        tokio::time::sleep(PAUSE).await;
                        continue;
                    }
                }
                Err(StoreError::Away) => {
                    shared.link.wait_until_up(&shared.keys.state(conversation.id())).await;
                    continue;
                }
                Err(StoreError::Refused(_) | StoreError::Unreadable(_)) => {
                    shared.metrics.store_error();
                    tokio::time::sleep(REFUSED_PAUSE).await;
                    // If this was refused, too, others would take this replica for dead.
                    let _ = shared.lease.renew().await;
                    continue;
                }
            }
            break;
        }
        tokio::time::sleep_until(next).await;
    }
}
