//! What the store is told of a conversation, by the process that writes it.

use super::Conversation;
use super::event_id::EventId;
use super::frame::Frame;
use super::log::Unpublished;
use super::role::Role;
use super::state::ConversationState;
use super::stored::{Batch, StoredState, answer_field};
use super::stored_continuation;

/// Bytes of events after which the store gets the items anew, unless these are larger.
const MIN_VIEW: usize = 64 << 10;

/// Number of events after which the store gets the items anew.
const MAX_EVENTS: usize = 512;

/// The name of the field with the request that failed.
const FAILED_FIELD: &str = "failed";

/// Maximum number of events that are written at once.
///
/// A script takes no more than some thousand values.
const MAX_BATCH: usize = 1000;

impl Conversation {
    /// Returns what the store does not have yet.
    ///
    /// `None` if it has everything. The next change then queues the conversation again.
    pub(crate) fn next_batch(&self) -> Option<Batch> {
        let mut state = self.state.lock();
        let batch = if state.gone { None } else { state.next_batch(&self.id) };
        state.is_queued = batch.is_some();
        batch
    }

    /// The store has a batch.
    pub(crate) fn has_appended(&self, batch: &Batch) {
        let mut state = self.state.lock();
        if let Role::Writer(publication) = &mut state.role
            && publication.epoch == batch.epoch
        {
            publication.published = batch.last;
            publication.is_stored = true;
            publication.told = publication.told.max(batch.changes);
            self.told.send_replace(());
        }
    }

    /// Sets the bytes of a batch that the store can't get now; `None` if it can.
    pub(crate) fn set_unsent_bytes(&self, bytes: Option<usize>) {
        let mut state = self.state.lock();
        if let Role::Writer(publication) = &mut state.role {
            publication.unsent_bytes = bytes;
        }
        state.count_memory();
    }

    /// Returns `true` if the store has, or has had, a part of the conversation.
    ///
    /// `false` if this process does not write the conversation.
    pub(crate) fn is_stored(&self) -> bool {
        matches!(&self.state.lock().role, Role::Writer(publication) if publication.is_stored)
    }

    /// Returns `true` if the store has not been told everything that this process writes.
    pub(crate) fn is_untold(&self) -> bool {
        self.state.lock().role.has_untold_changes()
    }

    /// Waits until the conversation is gone.
    pub(crate) async fn gone(&self) {
        let mut told = self.told.subscribe();
        while !self.is_gone() {
            // This can't fail: the conversation keeps the sender.
            let _ = told.changed().await;
        }
    }

    /// Returns `true` if the log in the store has events of an earlier writer that are not here.
    ///
    /// The log ends with this event. They were added after the store had lost who became the
    /// writer.
    pub(crate) fn is_overtaken(&self, last: Option<EventId>) -> bool {
        let (state, Some(last)) = (self.state.lock(), last) else { return false };
        let Role::Writer(publication) = &state.role else { return false };
        let is_later = last.epoch < publication.epoch && last > publication.published;
        is_later && state.log.buffer.frames_after(last).is_none()
    }

    /// The log in the store ends with another event than expected.
    ///
    /// What it lacks is appended again if it is still known. Otherwise the log begins anew.
    pub(crate) fn repair(&self, last: Option<EventId>) {
        let mut state = self.state.lock();
        let known = last.filter(|&last| state.log.buffer.frames_after(last).is_some());
        // It may lack what the last batch has set, too.
        let unpublished = &mut state.log.unpublished;
        (unpublished.facts, unpublished.continuation, unpublished.failed, unpublished.pieces) =
            (true, true, true, true);
        if let Role::Writer(publication) = &mut state.role {
            match known {
                Some(last) => publication.published = last,
                None => publication.replaces = true,
            }
        }
    }

    /// Lets the next batch tell the store all facts, because a script has changed them there.
    pub(crate) fn store_facts_anew(&self) {
        self.state.lock().log.unpublished.facts = true;
    }

    /// Appends again what the store had, and has lost: its log ends with this event.
    pub(crate) fn add_missing(&self, last: Option<EventId>) {
        let (has_lost, is_untold) = {
            let state = self.state.lock();
            let Role::Writer(publication) = &state.role else { return };
            let is_stored = publication.is_stored && !publication.replaces;
            let has_lost = is_stored && last.is_none_or(|last| last < publication.published);
            (has_lost, state.log.unpublished.facts && !state.is_queued)
        };
        if has_lost {
            self.repair(last);
        }
        if has_lost || is_untold {
            // Queues the conversation.
            drop(self.lock_for_use());
        }
    }

    /// Waits until the store has everything that has happened so far.
    ///
    /// Returns `false` if it never will: another process writes the conversation now, or it was
    /// deleted.
    pub(crate) async fn flushed(&self) -> bool {
        let mut told = self.told.subscribe();
        let mut awaited = None;
        loop {
            if let Some(is_flushed) = self.is_flushed(&mut awaited) {
                return is_flushed;
            }
            // This can't fail: the conversation keeps the sender.
            let _ = told.changed().await;
        }
    }

    /// Returns whether the store has what is awaited; `None` if it may still get it.
    ///
    /// What is awaited is set at first: an epoch, and a number of changes in it.
    fn is_flushed(&self, awaited: &mut Option<(u64, u64)>) -> Option<bool> {
        let state = self.state.lock();
        match &state.role {
            Role::Alone => Some(true),
            Role::Follower(_) => Some(false),
            Role::Writer(_) if state.gone => Some(false),
            Role::Writer(publication) => {
                let (epoch, changes) = *awaited.get_or_insert((publication.epoch, publication.changes));
                // Another process may have written it meanwhile.
                if epoch != publication.epoch {
                    return Some(false);
                }
                (publication.told >= changes).then_some(true)
            }
        }
    }
}

impl ConversationState {
    fn next_batch(&mut self, id: &str) -> Option<Batch> {
        let Role::Writer(publication) = &self.role else { return None };
        let (epoch, changes, is_stored) = (publication.epoch, publication.changes, publication.is_stored);
        let is_told = publication.told == changes;
        let NewEvents { after, frames, replaces } = self.new_events()?;
        let unpublished = std::mem::take(&mut self.log.unpublished);
        let facts = unpublished.facts || replaces;
        if frames.is_empty() && !facts && !unpublished.pieces && is_told {
            self.log.unpublished = unpublished;
            return None;
        }
        let needs_view = replaces || self.needs_view(unpublished);
        let mut set = Vec::new();
        if needs_view {
            set.push(("view", serde_json::to_string(&self.snapshot(id)).unwrap_or_default()));
        } else {
            (self.log.unpublished.events, self.log.unpublished.bytes) = (unpublished.events, unpublished.bytes);
        }
        if facts {
            self.set_facts_of_batch(&mut set);
        }
        // What follows is stored together with the facts.
        if facts && (unpublished.continuation || replaces) {
            set.push(("next", stored_continuation::to_json(&self.continuation).unwrap_or_default()));
        } else {
            self.log.unpublished.continuation = unpublished.continuation;
        }
        let mut removed = Vec::new();
        if facts && unpublished.failed {
            match stored_continuation::failed_to_json(self.failed_request.as_ref()) {
                Some(json) => set.push((FAILED_FIELD, json)),
                None => removed.push(FAILED_FIELD.to_owned()),
            }
        } else {
            self.log.unpublished.failed = unpublished.failed;
        }
        if unpublished.pieces || replaces {
            match self.pieces.as_ref().map(serde_json::to_string) {
                None => set.push(("pieces", String::new())),
                Some(Ok(json)) => set.push(("pieces", json)),
                // A parser of another version can't be written again: what is stored stays.
                Some(Err(_)) => {}
            }
        }
        let last = frames.last().map_or(after, |frame| frame.id);
        let dropped_before = needs_view.then(|| self.log.buffer.before());
        let Role::Writer(publication) = &mut self.role else { return None };
        publication.replaces = false;
        publication.batches += 1;
        if let Some((_, view)) = set.first().filter(|_| needs_view) {
            publication.view_size = view.len();
        }
        let answered = if facts { std::mem::take(&mut publication.answered) } else { Vec::new() };
        removed.extend(answered.into_iter().map(answer_field));
        Some(Batch {
            changes,
            epoch,
            number: publication.batches,
            after,
            last,
            replaces,
            restores: replaces && is_stored,
            set,
            removed,
            dropped_before,
            frames,
            has_new_facts: facts,
        })
    }

    /// Returns the events that the store does not have.
    ///
    /// `None` if this process does not write for it.
    fn new_events(&self) -> Option<NewEvents> {
        let Role::Writer(publication) = &self.role else { return None };
        let buffer = &self.log.buffer;
        let known = buffer.frames_after(publication.published).filter(|_| !publication.replaces);
        let known: Option<Vec<Frame>> = known.map(|frames| frames.cloned().collect());
        if let Some(frames) = known.filter(|frames| frames.len() <= MAX_BATCH) {
            return Some(NewEvents { after: publication.published, frames, replaces: false });
        }
        // The items say what was before these.
        let frames: Vec<Frame> = buffer.frames().skip(buffer.len().saturating_sub(MAX_BATCH)).cloned().collect();
        let after = frames.first().map_or(buffer.last(), |first| buffer.id_before(first.id));
        Some(NewEvents { after, frames, replaces: true })
    }

    /// Returns `true` if the store should get the items anew.
    ///
    /// So the log does not grow without bound.
    fn needs_view(&self, unpublished: Unpublished) -> bool {
        let Role::Writer(publication) = &self.role else { return false };
        unpublished.bytes > MIN_VIEW.max(publication.view_size) || unpublished.events > MAX_EVENTS
    }

    /// Adds the fields of all that changes with more than a text that grows.
    fn set_facts_of_batch(&self, set: &mut Vec<(&'static str, String)>) {
        let stored = StoredState::new(self.dialogue.stored(), self.turns());
        set.push(("dialogue", serde_json::to_string(&stored).unwrap_or_default()));
        let waiting: String = self.dialogue.pending().map(|number| format!("{number},")).collect();
        set.push(("waiting", format!(",{waiting}")));
        let facts = self.facts();
        // Between two pieces, any process may take the conversation over.
        let turn = if self.awaits_piece() { "pieces" } else { facts.turn.name() };
        set.push(("turn", turn.to_owned()));
        set.push(("facts", serde_json::to_string(&facts).unwrap_or_default()));
    }
}

/// The events that the store does not have.
struct NewEvents {
    /// The id of the event before them.
    after: EventId,
    frames: Vec<Frame>,
    /// The log begins anew with them.
    replaces: bool,
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::Arc;
    use std::time::Duration;

    use axum::http::{HeaderValue, header};
    use followup::dialogue::{Answer, MessageFormat};
    use futures_util::FutureExt;
    use serde_json::json;
    use tokio::sync::mpsc;

    use super::super::continuation::PendingContinuation;
    use super::super::request_content::RequestContent;
    use super::super::stored::StoredView;
    use super::super::turn::{Turn, TurnSource};
    use super::super::user_action::UserAction;
    use super::super::{Context, ListChanges, LogEntry, NewRole, StoredConversation};
    use super::*;
    use crate::chat::{AssistantMessage, ChatRequest};
    use crate::metrics::Metrics;
    use crate::settings::Settings;

    /// Returns a conversation of another writer, and what receives it when it has to be published.
    fn followed() -> (Arc<Conversation>, mpsc::UnboundedReceiver<Arc<Conversation>>) {
        let ((ended_turns, _ended), (outbox, queued)) = (mpsc::unbounded_channel(), mpsc::unbounded_channel());
        let (settings, metrics) = (Arc::new(Settings::default()), Arc::new(Metrics::new()));
        let list = Arc::new(ListChanges::new());
        let context = Context { settings, metrics, ended_turns, outbox: Some(outbox), list };
        (Conversation::new("c".into(), 0, NewRole::Follower, context), queued)
    }

    #[test]
    fn what_is_told_of_a_takeover_leaves_what_the_script_has_set() {
        let (conversation, _queued) = followed();
        let (after, last) = (EventId::start(1), EventId::start(1).next());
        let entry = LogEntry { after, last, events: vec![("turn".to_owned(), r#"{"index":0}"#.to_owned())] };
        let stored = StoredConversation { last: Some(last), entries: vec![entry], ..StoredConversation::default() };
        conversation.take_over(2, stored).unwrap();
        // Otherwise it could end the reservation of a turn that has not begun yet.
        assert_eq!(conversation.next_batch().unwrap().set, []);
    }

    #[test]
    fn a_chunk_without_an_event_is_told_neither_to_the_store_nor_to_readers() {
        let (conversation, mut queued) = followed();
        conversation.take_over(1, StoredConversation::default()).unwrap();
        let mut turn = Turn::begin(&conversation, None, TurnSource::Relay, RequestContent::default()).unwrap();
        let mut feed = |chunk: &str| {
            let mut reader = conversation.reader().unwrap();
            turn.feed(chunk.as_bytes());
            let is_woken = reader.changed().now_or_never().is_some();
            let is_told = queued.try_recv().is_ok();
            while let Some(batch) = conversation.next_batch() {
                conversation.has_appended(&batch);
            }
            (is_woken, is_told)
        };
        let text = r#"data: {"choices":[{"delta":{"content":"Tea"}}]}"#;
        assert_eq!(feed(&format!("{text}\n\n")), (true, true));
        let thinking = r#"data: {"choices":[{"delta":{"reasoning_content":"Hm"}}]}"#;
        for chunk in [": ping\n\n", &format!("{thinking}\n\n"), text] {
            assert_eq!(feed(chunk), (false, false), "{chunk}");
        }
        assert_eq!(feed("\n\n"), (true, true));
        assert!(!conversation.is_untold());
    }

    #[test]
    fn a_chunk_without_an_event_wakes_no_reader_if_the_store_was_not_told_of_the_turn() {
        let (of_store, _queued) = followed();
        of_store.take_over(1, StoredConversation::default()).unwrap();
        for conversation in [of_store, crate::conversation::superseding_tests::conversation()] {
            let mut turn = Turn::begin(&conversation, None, TurnSource::Relay, RequestContent::default()).unwrap();
            let mut wakes = |chunk: &str| {
                let mut reader = conversation.reader().unwrap();
                turn.feed(chunk.as_bytes());
                reader.changed().now_or_never().is_some()
            };
            assert!(wakes("data: {\"choices\":[{\"delta\":{\"content\":\"Tea\"}}]}\n\n"));
            for chunk in [": ping\n\n", "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"Hm\"}}]}\n\n"] {
                assert!(!wakes(chunk), "{chunk}");
            }
        }
    }

    #[test]
    fn events_of_earlier_writers_count_until_the_store_gets_the_items_anew() {
        let (conversation, _queued) = followed();
        let text = |number| {
            let (after, last) = (EventId { epoch: 1, number: number - 1 }, EventId { epoch: 1, number });
            LogEntry { after, last, events: vec![("text".to_owned(), r#"{"text":"a"}"#.to_owned())] }
        };
        let all = MAX_EVENTS as u64 + 1;
        let stored = |viewed: u64| StoredConversation {
            last: Some(EventId { epoch: 1, number: all }),
            entries: (1..=all).map(text).collect(),
            view: Some(StoredView { last: format!("1-{viewed}"), dropped: 0, items: Vec::new() }),
            ..StoredConversation::default()
        };
        conversation.take_over(2, stored(1)).unwrap();
        assert_eq!(conversation.next_batch().unwrap().set, []);
        conversation.take_over(3, stored(0)).unwrap();
        let batch = conversation.next_batch().unwrap();
        assert_eq!(batch.set.first().map(|(name, _)| *name), Some("view"));
        assert!(batch.dropped_before.is_some());
    }

    #[tokio::test]
    async fn nobody_waits_for_the_store_to_get_a_conversation_that_was_deleted() {
        let (conversation, _queued) = followed();
        conversation.take_over(1, StoredConversation::default()).unwrap();
        let delete = async {
            tokio::task::yield_now().await;
            conversation.end();
        };
        let both = async { tokio::join!(conversation.flushed(), delete) };
        let (is_stored, ()) = tokio::time::timeout(Duration::from_secs(5), both).await.unwrap();
        assert!(!is_stored);
    }

    #[test]
    fn an_answer_that_was_given_already_is_removed_from_the_store() {
        let (conversation, _queued) = followed();
        conversation.take_over(1, StoredConversation::default()).unwrap();
        conversation.next_batch().unwrap();
        conversation.has_given(3);
        assert_eq!(conversation.next_batch().unwrap().removed, ["answer:3"]);
    }

    #[test]
    fn what_is_stored_tells_whether_the_writer_continues_after_an_answer() {
        for has_key in [false, true] {
            let (conversation, _queued) = followed();
            conversation.take_over(1, StoredConversation::default()).unwrap();
            let mut fields = HashMap::new();
            let mut is_sent = || {
                fields.extend(
                    conversation.next_batch().unwrap().set.into_iter().map(|(name, value)| (name.into(), value)),
                );
                let stored = StoredConversation::new(fields.clone(), Vec::new()).unwrap();
                stored.outcome_of(0, MessageFormat::OpenAiChat, &conversation.settings).map(|outcome| outcome.is_sent)
            };
            let mut turn = Turn::begin(&conversation, None, TurnSource::Relay, RequestContent::default()).unwrap();
            let key = has_key.then(|| (header::AUTHORIZATION, HeaderValue::from_static("s3cret")));
            turn.set_continuation(PendingContinuation::Provider {
                headers: key.into_iter().collect(),
                request: Arc::new(ChatRequest::parse(br#"{"messages":[]}"#).unwrap()),
                message: Box::new(AssistantMessage::new(1000)),
            });
            let ask =
                |question| format!("<ask_followup_question><question>{question}</question></ask_followup_question>");
            let message = json!({"choices": [{"delta": {"content": ask("Tea?") + &ask("Milk?")}}]});
            turn.feed(format!("data: {message}\n\n").as_bytes());
            let answer = |number| {
                let action = UserAction::Answer { number, answer: Answer::Text("Yes".into()) };
                conversation.perform(action, Vec::new(), MessageFormat::OpenAiChat).unwrap();
            };
            answer(0);
            assert!(!is_sent().unwrap(), "the model is still writing");
            turn.feed(b"data: [DONE]\n\n");
            turn.end(false);
            assert!(!is_sent().unwrap(), "another question waits");
            answer(1);
            assert!(is_sent().unwrap(), "the next turn is about to begin");
            let _turn = Turn::begin_continuation(&conversation).ok().unwrap();
            assert!(is_sent().unwrap());
        }
    }

    #[test]
    fn a_conversation_that_is_taken_again_is_not_published_by_a_second_task() {
        let (conversation, mut queued) = followed();
        conversation.take_over(1, StoredConversation::default()).unwrap();
        assert!(queued.try_recv().is_ok());
        let batch = conversation.next_batch().unwrap();
        conversation.take_over(3, StoredConversation::default()).unwrap();
        assert!(queued.try_recv().is_err(), "the task that sends {batch:?} continues");
        assert_eq!(conversation.next_batch().map(|batch| batch.epoch), Some(3));
    }
}
