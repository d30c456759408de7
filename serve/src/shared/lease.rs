//! The lease of this replica, and whether other replicas live.
//!
//! A replica lives while a key with its name exists, which it renews three times in each lease.
//!
//! A server that was silent for longer than a lease, and comes back, drops its keys before anybody
//! can renew them. One server is then connected to anew, after which replicas get a lease to renew
//! their keys. But a cluster has others, so there a replica has further keys, far from the first:
//! while one of them exists, it lives.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use parking_lot::Mutex;

use super::error::StoreError;
use super::keys::Keys;
use super::life::{Life, find_out};
use super::link::Link;

/// How long it is known that a replica lives.
const FRESH: Duration = Duration::from_millis(250);

/// The lease of this replica, and what is known of the others.
pub(crate) struct Lease {
    link: Arc<Link>,
    keys: Keys,
    replica: String,
    duration: Duration,
    /// The lease was ended, and is not renewed any more.
    has_ended: AtomicBool,
    /// When each replica was last seen alive.
    alive: Mutex<HashMap<String, Instant>>,
}

impl Lease {
    pub(crate) fn new(link: Arc<Link>, keys: Keys, replica: String, duration: Duration) -> Lease {
        Lease { link, keys, replica, duration, has_ended: AtomicBool::new(false), alive: Mutex::default() }
    }

    /// Renews the lease at intervals, until it is ended.
    pub(crate) async fn keep(&self) {
        let keys = self.keys_of(&self.replica);
        // Each on its own: a server that is silent delays only the renewal of its key.
        join_all(keys.iter().map(|key| self.keep_key(key))).await;
    }

    async fn keep_key(&self, key: &str) {
        let mut up = self.link.subscribe();
        while !self.has_ended.load(Ordering::Acquire) {
            // If it fails, the next attempt is made as soon as there is a connection.
            let _ = self.renew_key(key).await;
            tokio::select! {
                () = tokio::time::sleep(self.duration / 3) => {}
                // This can't fail: the link keeps the sender.
                _ = up.changed() => {}
            }
        }
    }

    /// Returns how long the lease lasts after it was renewed.
    pub(crate) fn duration(&self) -> Duration {
        self.duration
    }

    /// Renews the lease.
    ///
    /// # Errors
    ///
    /// If the store can't be reached, or refuses it.
    pub(super) async fn renew(&self) -> Result<(), StoreError> {
        let keys = self.keys_of(&self.replica);
        let renewals = keys.iter().map(|key| self.renew_key(key));
        // Without the further keys, it is as without a cluster.
        join_all(renewals).await.into_iter().next().unwrap_or(Ok(()))
    }

    async fn renew_key(&self, key: &str) -> Result<(), StoreError> {
        let milliseconds = u64::try_from(self.duration.as_millis()).unwrap_or(u64::MAX);
        // A store whose memory is full refuses `SET`, but not this.
        let is_renewed: bool = self.link.run(redis::cmd("PEXPIRE").arg(key).arg(milliseconds)).await?;
        // A renewal may be late.
        if is_renewed || self.has_ended.load(Ordering::Acquire) {
            return Ok(());
        }
        self.link.run(redis::cmd("SET").arg(key).arg(1).arg("PX").arg(milliseconds)).await
    }

    /// Returns the key of a replica, and the further ones in a cluster.
    fn keys_of(&self, replica: &str) -> Vec<String> {
        if self.link.is_cluster() { self.keys.spread_replica(replica).into() } else { vec![self.keys.replica(replica)] }
    }

    /// Returns `true` if the connection is so new that replicas may not have renewed their leases.
    pub(crate) fn is_unsure(&self) -> bool {
        self.link.up_since().is_none_or(|since| since.elapsed() < self.duration)
    }

    /// Ends the lease, so that others need not wait for its end.
    pub(crate) async fn end(&self) {
        self.has_ended.store(true, Ordering::Release);
        // Without a connection, it ends by itself.
        let end = async |key: &String| {
            let _: Result<(), _> = self.link.run(redis::cmd("DEL").arg(key)).await;
        };
        join_all(self.keys_of(&self.replica).iter().map(end)).await;
    }

    /// Returns `true` if that is this replica.
    pub(crate) fn is_own(&self, replica: &str) -> bool {
        replica == self.replica
    }

    /// Returns `true` if a replica is known to be dead: its lease has ended.
    ///
    /// After the store was away, others get the time to renew theirs.
    pub(crate) async fn is_dead(&self, replica: &str) -> bool {
        if replica == self.replica || self.was_seen(replica) || self.is_unsure() {
            return false;
        }
        let keys = self.keys_of(replica);
        let exists = |index: usize| {
            let command = redis::cmd("EXISTS").arg(&keys[index]).take();
            async move { self.link.run(&command).await.ok() }
        };
        let found = find_out(keys.len(), exists).await;
        if found == Life::Lives {
            self.is_alive(replica);
        }
        found == Life::HasEnded
    }

    fn is_alive(&self, replica: &str) {
        let now = Instant::now();
        let mut alive = self.alive.lock();
        alive.retain(|_, seen| now.duration_since(*seen) < FRESH);
        alive.insert(replica.to_owned(), now);
    }

    fn was_seen(&self, replica: &str) -> bool {
        self.alive.lock().get(replica).is_some_and(|seen| seen.elapsed() < FRESH)
    }
}
