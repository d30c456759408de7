//! What the service asks of the store: one script for each, so that each happens as a whole.

mod append;
mod load;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use followup::ResumeError;
use redis::{FromRedisValue, Value};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use self::append::Append;
use self::load::{Load, Stored, found};
use super::clock::StoreClock;
use super::error::StoreError;
use super::groups::{Group, GroupTiming, MAX_GROUP, Waiting, send_groups};
use super::keys::Keys;
use super::link::{Link, RESPONSE_TIMEOUT};
use super::script::{Call, StoreScript};
use crate::conversation::{Batch, EventId, STORED_VERSION, StoredConversation, answer_field};
use crate::recognition::StoredRecord;
use crate::settings::Settings;

pub(crate) use self::append::Appended;
pub(crate) use self::load::Found;

/// How long a conversation is reserved for a replica that may begin a turn.
///
/// It hears of that, and the beginning of the turn is stored, in less time, or never.
const RESERVATION: Duration = Duration::from_secs(3);

/// Maximum number of conversations that are read as a whole at the same time for readers.
///
/// A server ends a connection with too many bytes on their way.
const MAX_WHOLE_LOADS: usize = 8;

/// The same for takeovers.
const MAX_TAKEOVERS: usize = 4;

/// How often a script is tried that the store executes after its deadline.
const MAX_ATTEMPTS: usize = 3;

/// What the service asks of the store.
pub(crate) struct Commands {
    link: Arc<Link>,
    keys: Keys,
    /// The name of this replica.
    replica: String,
    /// How long the store keeps a conversation after its last change.
    time_to_live: Duration,
    /// How long a replica lives without telling so.
    lease: Duration,
    clock: StoreClock,
    appends: Group<Append, Appended>,
    loads: Group<Load, Stored>,
    /// Limits the conversations that are read as a whole at the same time.
    whole_loads: Arc<Semaphore>,
    /// Limits those that are taken over at the same time, which do not wait for readers.
    takeovers: Arc<Semaphore>,
    append: StoreScript,
    load: StoreScript,
    take: StoreScript,
    give_back: StoreScript,
    claim: StoreScript,
    release: StoreScript,
    records: StoreScript,
    touch: StoreScript,
    remove: StoreScript,
    check: StoreScript,
}

/// The result of taking a conversation over.
pub(crate) enum TakeOutcome {
    /// There is no such conversation.
    None,
    /// The store has just got back what it had lost, perhaps from a stale writer.
    Closed,
    /// This replica writes a turn.
    Busy(String),
    /// This replica is about to begin a turn, unless it has not heard that it may.
    Reserved(String),
    /// This replica is the writer already.
    Kept,
    Taken {
        epoch: u64,
        stored: Box<StoredConversation>,
    },
}

/// Why a replica becomes the writer of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose<'a> {
    /// To answer, to delete, or to end the turn of a dead replica.
    Change,
    /// To push a later piece of a message.
    Piece,
    /// To begin a turn.
    Turn,
    /// To begin a turn, perhaps of a new conversation.
    NewTurn,
    /// The same, with the first piece of the message of this name, unless it was pushed before.
    FirstPiece(&'a str),
}

/// The result of claiming a question.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Claimed {
    Accepted,
    /// It has this answer.
    Answered(String),
    /// It does not wait for an answer.
    NotAsked,
    /// The store has just got the conversation back from a replica, perhaps from a stale writer.
    Closed,
}

/// The commands that are sent together with others.
pub(crate) struct WaitingCommands {
    appends: Waiting<Append, Appended>,
    loads: Waiting<Load, Stored>,
}

impl Commands {
    pub(crate) fn new(
        link: Arc<Link>,
        keys: Keys,
        replica: String,
        settings: &Settings,
    ) -> (Arc<Commands>, WaitingCommands) {
        let ((appends, waiting_appends), (loads, waiting_loads)) = (Group::new(), Group::new());
        let commands = Commands {
            link,
            keys,
            replica,
            time_to_live: settings.limits.idle,
            lease: settings.lease,
            clock: StoreClock::default(),
            appends,
            loads,
            whole_loads: Arc::new(Semaphore::new(MAX_WHOLE_LOADS)),
            takeovers: Arc::new(Semaphore::new(MAX_TAKEOVERS)),
            append: StoreScript::new(include_str!("../scripts/append.lua")),
            load: StoreScript::new(include_str!("../scripts/load.lua")),
            take: StoreScript::new(concat!(
                include_str!("../scripts/in_time.lua"),
                include_str!("../scripts/take.lua")
            )),
            give_back: StoreScript::new(include_str!("../scripts/give_back.lua")),
            claim: StoreScript::new(concat!(
                include_str!("../scripts/in_time.lua"),
                include_str!("../scripts/claim.lua")
            )),
            release: StoreScript::new(include_str!("../scripts/release.lua")),
            records: StoreScript::new(include_str!("../scripts/records.lua")),
            touch: StoreScript::new(include_str!("../scripts/touch.lua")),
            remove: StoreScript::new(concat!(
                include_str!("../scripts/in_time.lua"),
                include_str!("../scripts/remove.lua")
            )),
            check: StoreScript::new(include_str!("../scripts/check.lua")),
        };
        (Arc::new(commands), WaitingCommands { appends: waiting_appends, loads: waiting_loads })
    }

    /// Sends the commands that wait for others. Must be called once.
    pub(crate) fn start(self: &Arc<Commands>, waiting: WaitingCommands) {
        // In a cluster, a script has the keys of one conversation.
        let max = if self.link.is_cluster() { 1 } else { MAX_GROUP };
        let (append, load) = (self.clone(), self.clone());
        tokio::spawn(send_groups(waiting.appends, max, GroupTiming::Soon, move |appends| {
            let commands = append.clone();
            async move { commands.append_all(&appends).await }
        }));
        tokio::spawn(send_groups(waiting.loads, max, GroupTiming::Soon, move |loads| {
            let commands = load.clone();
            async move { commands.load_all(&loads).await }
        }));
    }

    /// Appends events to the log of a conversation.
    ///
    /// # Errors
    ///
    /// If the store can't be reached, or refuses them. They may have been appended.
    pub(crate) async fn append(&self, id: &str, batch: &Arc<Batch>) -> Result<Appended, StoreError> {
        self.appends.ask(Append { id: id.to_owned(), batch: batch.clone() }).await
    }

    async fn append_all(&self, appends: &[Append]) -> Result<Vec<Appended>, StoreError> {
        let mut call = self.append.call();
        call.arg(&*self.replica).arg(milliseconds(self.time_to_live)).arg(milliseconds(self.lease));
        for append in appends {
            append.add_to(&mut call, &self.keys);
        }
        let answers: Vec<(String, String)> = self.link.invoke(&call).await?;
        Ok(answers.iter().map(|(outcome, last)| Appended::new(outcome, last)).collect())
    }

    /// Returns what is stored of a conversation, with the events after that one.
    ///
    /// # Errors
    ///
    /// If the store can't be reached or refuses it, or another version has written the
    /// conversation.
    pub(crate) async fn load(&self, id: &str, after: Option<EventId>) -> Result<Found, StoreError> {
        let permit = if after.is_none() { self.permit(&self.whole_loads).await } else { None };
        self.ask_for(Load { id: id.to_owned(), after, is_own: false, _permit: permit.map(Arc::new) }).await
    }

    /// Returns what is stored of a conversation that this replica writes.
    ///
    /// With the events after that one, and without what only another writer would need.
    ///
    /// # Errors
    ///
    /// As those of [`load`](Commands::load).
    pub(crate) async fn load_own(&self, id: &str, after: EventId) -> Result<Found, StoreError> {
        self.ask_for(Load { id: id.to_owned(), after: Some(after), is_own: true, _permit: None }).await
    }

    async fn ask_for(&self, load: Load) -> Result<Found, StoreError> {
        let (fields, entries) = self.loads.ask(load).await?;
        found(fields, entries)
    }

    /// Waits until another conversation of a dead replica may be taken over.
    ///
    /// `None` if nothing limits that.
    pub(crate) async fn permit_to_take_over(&self) -> Option<OwnedSemaphorePermit> {
        self.permit(&self.takeovers).await
    }

    async fn permit(&self, limit: &Arc<Semaphore>) -> Option<OwnedSemaphorePermit> {
        // In a cluster, a server that is silent must not delay what others have.
        if self.link.is_cluster() {
            return None;
        }
        // It is never closed.
        limit.clone().acquire_owned().await.ok()
    }

    async fn load_all(&self, loads: &[Load]) -> Result<Vec<Stored>, StoreError> {
        let mut call = self.load.call();
        for load in loads {
            load.add_to(&mut call, &self.keys);
        }
        self.link.invoke(&call).await
    }

    /// Checks that this replica may do everything that it needs to, with a conversation of its own.
    ///
    /// # Errors
    ///
    /// If the store can't be reached, or refuses something.
    pub(crate) async fn check(&self) -> Result<(), StoreError> {
        let (keys, id) = (&self.keys, &*self.replica);
        self.link.subscribe_to(&keys.bell(id)).await?;
        let mut call = self.check.call();
        call.key(keys.log(id)).key(keys.state(id)).key(keys.bell(id));
        let _: u64 = self.link.invoke(&call).await?;
        self.link.unsubscribe_from(&keys.bell(id)).await
    }

    /// Makes this replica the writer of a conversation.
    ///
    /// `own` is the epoch in which it is the writer already; `dead` is a replica that is known to
    /// be dead; `known` is the last event that another writer has told it of.
    pub(crate) async fn take(
        &self,
        id: &str,
        own: Option<u64>,
        dead: Option<&str>,
        purpose: Purpose<'_>,
        known: Option<EventId>,
    ) -> Result<TakeOutcome, StoreError> {
        let mut call = self.take.call();
        call.key(self.keys.log(id)).key(self.keys.state(id)).key(self.keys.bell(id));
        call.arg(&*self.replica).arg(own.unwrap_or_default()).arg(milliseconds(self.time_to_live));
        call.arg(milliseconds(RESERVATION)).arg(dead.unwrap_or_default());
        call.arg(if matches!(purpose, Purpose::NewTurn | Purpose::FirstPiece(_)) { "create" } else { "" });
        call.arg(match purpose {
            Purpose::Change => "",
            Purpose::Piece => "piece",
            Purpose::Turn | Purpose::NewTurn | Purpose::FirstPiece(_) => "turn",
        });
        call.arg(STORED_VERSION).arg(known.map(|id| id.to_string()).unwrap_or_default());
        call.arg(if let Purpose::FirstPiece(message) = purpose { message } else { "" });
        let mut values = self.invoke_in_time(call).await?;
        match (&*text(&values[0]), values.len()) {
            ("none", _) => Ok(TakeOutcome::None),
            ("closed", _) => Ok(TakeOutcome::Closed),
            ("unreadable", _) => Err(StoreError::Unreadable(ResumeError::OtherVersion.to_string())),
            ("kept", _) => Ok(TakeOutcome::Kept),
            ("busy", 3) => Ok(TakeOutcome::Busy(text(&values[2]))),
            ("reserved", 3) => Ok(TakeOutcome::Reserved(text(&values[2]))),
            ("taken", 5) => {
                let unreadable = |error: redis::ParsingError| StoreError::Unreadable(error.to_string());
                let entries = Vec::from_redis_value(values.remove(4)).map_err(unreadable)?;
                let fields = HashMap::from_redis_value(values.remove(3)).map_err(unreadable)?;
                let epoch = u64::from_redis_value(values.remove(2)).map_err(unreadable)?;
                let stored = found(fields, entries)?.stored().unwrap_or_default();
                Ok(TakeOutcome::Taken { epoch, stored: Box::new(stored) })
            }
            _ => Err(StoreError::Unreadable("the answer of a script".to_owned())),
        }
    }

    /// Gives up a conversation that this replica has taken in that epoch, and has no room for.
    pub(crate) async fn give_back(&self, id: &str, epoch: u64) -> Result<(), StoreError> {
        let mut call = self.give_back.call();
        call.key(self.keys.state(id)).key(self.keys.bell(id)).arg(&*self.replica).arg(epoch);
        let _: u64 = self.link.invoke(&call).await?;
        Ok(())
    }

    /// Returns the epoch and the name of a conversation's writer; 0 and "" if there is none.
    pub(crate) async fn writer(&self, id: &str) -> Result<(u64, String), StoreError> {
        let command = redis::cmd("HMGET").arg(self.keys.state(id)).arg("epoch").arg("owner").take();
        let (epoch, owner): (Option<u64>, Option<String>) = self.link.run(&command).await?;
        Ok((epoch.unwrap_or_default(), owner.unwrap_or_default()))
    }

    /// Claims a question for an answer.
    pub(crate) async fn claim(&self, id: &str, number: u64, answer: &str) -> Result<Claimed, StoreError> {
        let mut call = self.claim.call();
        call.key(self.keys.state(id)).key(self.keys.bell(id)).arg(number).arg(answer);
        let values = self.invoke_in_time(call).await?;
        Ok(match &*text(&values[0]) {
            "accepted" => Claimed::Accepted,
            "answered" => Claimed::Answered(values.get(2).map(text).unwrap_or_default()),
            "closed" => Claimed::Closed,
            _ => Claimed::NotAsked,
        })
    }

    /// Takes a claim back: the answer can't be given.
    pub(crate) async fn release(&self, id: &str, number: u64, answer: &str) -> Result<(), StoreError> {
        let mut call = self.release.call();
        call.key(self.keys.state(id)).arg(answer_field(number)).arg(answer);
        let _: u64 = self.link.invoke(&call).await?;
        Ok(())
    }

    /// Notes the last requests of conversations, and stores their records.
    ///
    /// All keys have to be on one server.
    pub(super) async fn record_all(&self, records: &[StoredRecord], lifetime: u64) -> Result<Vec<()>, StoreError> {
        let mut call = self.records.call();
        call.arg(milliseconds(self.time_to_live)).arg(lifetime);
        for record in records {
            call.key(self.keys.log(&record.id)).key(self.keys.state(&record.id));
            call.arg(&record.request).arg(record.keys.join(" "));
            // All of it serializes to JSON.
            call.arg(serde_json::to_string(record).unwrap_or_default()).arg(record.keys.len());
            for key in &record.keys {
                call.key(self.keys.record(key));
            }
        }
        let _: u64 = self.link.invoke(&call).await?;
        Ok(vec![(); records.len()])
    }

    /// Notes the last request of a conversation, without its record.
    pub(super) async fn note_request(&self, record: &StoredRecord, lifetime: u64) -> Result<(), StoreError> {
        let mut call = self.records.call();
        call.arg(milliseconds(self.time_to_live)).arg(lifetime);
        call.key(self.keys.log(&record.id)).key(self.keys.state(&record.id));
        call.arg(&record.request).arg(record.keys.join(" ")).arg("").arg(0);
        let _: u64 = self.link.invoke(&call).await?;
        Ok(())
    }

    /// Lets the store keep a conversation longer.
    ///
    /// Returns the keys of the record of its last request.
    pub(crate) async fn touch(&self, id: &str) -> Result<Vec<String>, StoreError> {
        let mut call = self.touch.call();
        call.key(self.keys.log(id)).key(self.keys.state(id)).arg(milliseconds(self.time_to_live));
        let records: String = self.link.invoke(&call).await?;
        Ok(records.split_whitespace().map(str::to_owned).collect())
    }

    /// Deletes a conversation. Returns whether there was one.
    pub(crate) async fn remove(&self, id: &str) -> Result<bool, StoreError> {
        let mut call = self.remove.call();
        call.key(self.keys.log(id)).key(self.keys.state(id)).key(self.keys.bell(id));
        call.arg(milliseconds(self.time_to_live));
        Ok(text(&self.invoke_in_time(call).await?[0]) == "removed")
    }

    /// Calls a script that has no effect after its deadline, and returns its reply.
    ///
    /// The reply is an outcome, the store's time, and the rest.
    ///
    /// If there is no reply, it can still run for [`RESPONSE_TIMEOUT`].
    async fn invoke_in_time(&self, mut call: Call<'_>) -> Result<Vec<Value>, StoreError> {
        for _ in 0..MAX_ATTEMPTS {
            call.arg(self.clock.after(RESPONSE_TIMEOUT));
            let values: Vec<Value> = self.link.invoke(&call).await?;
            call.pop_arg();
            let now = values.get(1).and_then(|now| u64::from_redis_value_ref(now).ok());
            self.clock.set(now.ok_or_else(|| StoreError::Unreadable("the answer of a script".to_owned()))?);
            // The first time, the time of the store is not known.
            if text(&values[0]) != "late" {
                return Ok(values);
            }
        }
        Err(StoreError::Away)
    }
}

fn text(value: &Value) -> String {
    String::from_redis_value_ref(value).unwrap_or_default()
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX >> 1)
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;
    use crate::shared::StoreAddress;

    #[tokio::test]
    async fn what_is_taken_over_does_not_wait_for_readers_of_other_conversations() {
        let keys = Keys::new("p:");
        let (link, _messages) = Link::new(StoreAddress::parse("redis://127.0.0.1:1").unwrap(), keys.clone());
        let (commands, _waiting) = Commands::new(link, keys, "r".to_owned(), &Settings::default());
        // Nothing is sent, so each of these reads until it is dropped.
        let mut reading: Vec<_> = (0..100).map(|_| Box::pin(commands.load("c", None))).collect();
        for reader in &mut reading {
            assert!(reader.now_or_never().is_none());
        }
        assert!(commands.permit_to_take_over().now_or_never().flatten().is_some());
    }
}
