//! The log of a conversation after a random run, and what each reader saw of it.

use std::collections::HashMap;

use super::law_run::{Told, World};
use crate::client::{Event, Events, get};
use crate::page::Page;

/// All events of a conversation, in the end.
pub(super) struct Log {
    events: Vec<Event>,
    /// Where each is, by its id.
    places: HashMap<String, usize>,
    /// The id before the first event.
    start: String,
}

/// The events that an answer after a turn leads to, up to the beginning of the next turn.
const AFTER_TURN: [&str; 3] = ["replied", "delivery", "turn"];

impl Log {
    /// Reads a log up to the end of a page. All replicas that live have the same.
    pub(super) async fn of(world: &World, told: &Told, page: &Page) -> Log {
        let start = told.start.clone();
        let mut logs: Vec<Vec<Event>> = Vec::new();
        for replica in &world.replicas {
            let call = get(format!("/conversations/{}/events", told.id)).with("last-event-id", &start);
            if let Some(response) = call.reach(&replica.address).await {
                logs.push(Events::from(response).up_to(|event| event.id == page.last).await);
            }
        }
        assert!(logs.windows(2).all(|two| two[0] == two[1]), "the logs of {} differ: {logs:?}", told.id);
        let events = logs.pop().unwrap();
        assert_eq!(Page::of(&events), *page, "the events of {} lead to what is shown", told.id);
        let places = events.iter().enumerate().map(|(place, event)| (event.id.clone(), place)).collect();
        Log { events, places, start }
    }

    /// Its ids ascend without a gap. Another writer begins a new epoch after a turn, or ends it as
    /// cut off.
    pub(super) fn check(&self, has_only_delays: bool) {
        let Log { events, start, .. } = self;
        let mut before = parse(start);
        for (place, event) in events.iter().enumerate() {
            let id = parse(&event.id);
            assert!(follows(id, before), "{before:?}, and then {id:?}: {events:?}");
            if id.0 > before.0 && Page::of(&events[..place]).turn == "streaming" {
                let first = events[place..].iter().find(|event| event.kind != "rejected").unwrap();
                assert!(first.data["cut_off"] == true, "epoch {} begins in a turn: {events:?}", id.0);
                assert!(!has_only_delays, "a turn was taken over because of delays: {events:?}");
            }
            before = id;
        }
    }

    /// A reader sees each event of the log once and in order, and nothing is missing between two of
    /// them. A `state` may come in place of some events; it is what they lead to. It never sets a
    /// reader back, except after an event that is lost.
    ///
    /// Events that a writer had not stored when it died, or when another replica took the
    /// conversation over, are not in the log. Its readers may have seen them. They get a `state`
    /// before anything else. Of writers that live, that can happen only to what follows an answer,
    /// when several replicas get one at once.
    ///
    /// A reader is told that a conversation is gone, and later gets it again, if the store has lost
    /// everything while the writer is paused for longer than its lease.
    pub(super) fn check_reader(&self, seen: &[Event], has_only_delays: bool) {
        assert_eq!(seen[0].kind, "state", "a reader begins with everything: {seen:?}");
        for (index, event) in seen.iter().enumerate() {
            let place = self.places.get(&event.id).copied();
            let may_be_lost = !has_only_delays || AFTER_TURN.contains(&&*event.kind);
            assert!(place.is_some() || may_be_lost, "{event:?} is lost: {seen:?}");
            match (&*event.kind, place) {
                ("gone", _) | ("state", None) => {}
                ("state", Some(place)) => {
                    let before = index.checked_sub(1).map(|before| &seen[before]).filter(|event| event.kind != "gone");
                    let seen_up_to = before.and_then(|before| self.places.get(&before.id));
                    assert!(seen_up_to.is_none_or(|seen| *seen <= place), "set back to {}: {seen:?}", event.id);
                    let page = Page::of(&self.events[..=place]);
                    assert_eq!(Page::of_snapshot(&event.data), page, "a state at {}: {seen:?}", event.id);
                }
                (_, Some(place)) => {
                    assert_eq!(self.events[place], *event, "a reader sees another event: {seen:?}");
                    let before = self.events[..place].last().map_or(&self.start, |before| &before.id);
                    assert_eq!(seen[index - 1].id, *before, "before {}: {seen:?}", event.id);
                }
                (_, None) => {
                    let before = parse(&seen[index - 1].id);
                    assert!(follows(parse(&event.id), before), "before {}: {seen:?}", event.id);
                }
            }
        }
    }
}

/// Returns epoch and number.
fn parse(id: &str) -> (u64, u64) {
    let (epoch, number) = id.split_once('-').unwrap();
    (epoch.parse().unwrap(), number.parse().unwrap())
}

/// Returns `true` if an event is the next one of a writer, or the first one of another writer.
fn follows((epoch, number): (u64, u64), before: (u64, u64)) -> bool {
    (epoch, number) == (before.0, before.1 + 1) || epoch > before.0 && number == 1
}
