//! What runs in the background: it keeps this replica and the store up to date.

use std::sync::Arc;

use super::publisher::publish_changes;
use super::recognition::store_records;
use super::watcher::{keep_list, receive_messages, subscribe_again};
use super::{Background, Shared};

impl Shared {
    /// Starts what runs as long as the service does. Must be called once.
    pub(crate) fn start(self: &Arc<Shared>, background: Background) {
        let Background { waiting, list_changes, messages, changed, records } = background;
        let (link, lease) = (self.link.clone(), self.clone());
        tokio::spawn(async move { link.keep_connected().await });
        self.commands.start(waiting);
        self.list.start(list_changes);
        tokio::spawn(async move { lease.lease.keep().await });
        tokio::spawn(publish_changes(self.clone(), changed));
        tokio::spawn(receive_messages(self.clone(), messages));
        tokio::spawn(subscribe_again(self.clone()));
        tokio::spawn(keep_list(self.clone()));
        self.last_tasks.spawn(store_records(self.clone(), records));
    }
}
