//! What holds whatever happens: random runs with faults, each from a seed.
//!
//! `FOLLOWUP_RUNS=N` sets the number of runs, and `FOLLOWUP_SEED=N` the first seed.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::law_log::Log;
use super::law_run::{DEADLINE, Reader, Run, Told, World, run};
use super::redis_server::has_redis;
use crate::client::{chat, get, read};
use crate::page::Page;
use crate::service::{Service, is_short};
use crate::upstream::requests;

/// Number of runs, unless it is set: so many with `FOLLOWUP_SWEEP`, and else a tenth.
///
/// Both have stores of each kind.
const RUNS: u64 = 50;

/// Number of runs at the same time.
const AT_ONCE: usize = 8;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_answers_and_relays_keep_their_laws_whatever_fails() {
    if !has_redis() {
        return;
    }
    let without_store = Arc::new(Service::relay(&[]));
    let first = number("FOLLOWUP_SEED", 1);
    let runs = if is_short() { RUNS / 10 } else { RUNS };
    let mut seeds = first..first + number("FOLLOWUP_RUNS", runs);
    let mut running = tokio::task::JoinSet::new();
    loop {
        while running.len() < AT_ONCE
            && let Some(seed) = seeds.next()
        {
            let without_store = without_store.clone();
            running.spawn(async move {
                // So that the seed is named if it panics.
                let law = tokio::spawn(async move { check(seed, &without_store).await });
                law.await.map_err(|error| format!("seed {seed}: {error}"))
            });
        }
        let Some(result) = running.join_next().await else { return };
        if let Err(broken) = result.unwrap() {
            panic!("{broken}; repeat it with FOLLOWUP_RUNS=1 FOLLOWUP_SEED=…");
        }
    }
}

async fn check(seed: u64, without_store: &Service) {
    let Some(Run { world, told, has_only_delays }) = run(seed).await else { return };
    for told in &told {
        let alone = alone(told, without_store).await;
        let last = agreed(&world, told, has_only_delays).await;
        let log = Log::of(&world, told, &last).await;
        log.check(has_only_delays);
        for reader in &told.readers {
            log.check_reader(&reader.seen(), has_only_delays);
        }
        check_relayed(seed, told);
        check_ending(seed, &last, &alone);
        check_continuation(seed, &last);
        assert!(!has_only_delays || !is_cut_off(&last), "seed {seed}: {} was cut off by delays: {last:?}", told.id);
        check_answers(seed, told, &last).await;
    }
}

/// Returns what the service makes of the message without a store.
async fn alone(told: &Told, service: &Service) -> Page {
    let mut play = told.play.clone();
    // The provider does not count it.
    play["name"] = json!("");
    read(chat(&play).with("x-followup-conversation", &told.id).open(&service.address).await).await;
    Page::of_snapshot(&get(format!("/conversations/{}", told.id)).send(service).await.ok())
}

/// Returns the conversation, on which all readers and all replicas that live agree in the end.
///
/// If the replica that took an answer was killed, the next writer gives it once the lease has
/// ended. With only delays, an answer is always followed by the model's next message.
async fn agreed(world: &World, told: &Told, has_only_delays: bool) -> Page {
    let mut seen = String::new();
    let agreement = async {
        loop {
            let mut pages = Vec::new();
            for replica in &world.replicas {
                if let Some(response) = get(format!("/conversations/{}", told.id)).reach(&replica.address).await {
                    let is_there = response.status() == 200;
                    let body = read(response).await;
                    pages.push(is_there.then(|| Page::of_snapshot(&serde_json::from_slice(&body).unwrap())));
                }
            }
            if let Some(Some(page)) = pages.first().cloned()
                && page.turn != "streaming"
                && pages.iter().all(|other| other.as_ref() == Some(&page))
                && (told.accepted.is_empty() || answer(&page).is_some())
                && (!has_only_delays || answer(&page).is_none() || page.prose().ends_with("Done.") || is_cut_off(&page))
                && told.readers.iter().all(|reader| reader.shows(&page))
            {
                return page;
            }
            seen = format!("{pages:?}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let agreed = tokio::time::timeout(DEADLINE, agreement).await;
    match agreed {
        Ok(page) => page,
        Err(_) => {
            let read: Vec<_> = told.readers.iter().map(Reader::seen).collect();
            let stored = world.stored(&told.id).await;
            panic!(
                "no agreement about {}: accepted were {:?}; the replicas show {seen}; readers saw {read:?}; stored: {stored}",
                told.id, told.accepted
            )
        }
    }
}

/// Returns the answer to the first question, if it was given.
fn answer(page: &Page) -> Option<Value> {
    let calls = page.all("call");
    calls.first().map(|call| call["answered"]["said"].clone()).filter(|said| !said.is_null())
}

/// The caller gets the provider's bytes, or the beginning of them if its replica was killed.
fn check_relayed(seed: u64, told: &Told) {
    let ((bytes, is_broken), body) = (&told.relayed, told.play["body"].as_str().unwrap().as_bytes());
    assert!(if *is_broken { body.starts_with(bytes) } else { body == bytes }, "seed {seed}: {}", told.id);
}

/// Returns the items of the first turn, up to its end.
fn first_turn(page: &Page) -> &[Value] {
    let ends = page.items.iter().position(|item| item["type"] == "end").map_or(page.items.len(), |end| end + 1);
    &page.items[..ends]
}

fn is_cut_off(page: &Page) -> bool {
    first_turn(page).last().is_some_and(|item| item["cut_off"] == true)
}

/// What is left in the end is the message as it is parsed alone, or its beginning if it was cut
/// off.
fn check_ending(seed: u64, page: &Page, alone: &Page) {
    let (got, whole, is_cut_off) = (first_turn(page), first_turn(alone), is_cut_off(page));
    for (index, item) in got.iter().enumerate() {
        let Some(expected) = whole.get(index) else { panic!("seed {seed}: {got:?} is more than {whole:?}") };
        let same = match item["type"].as_str().unwrap() {
            "text" => starts(&item["text"], &expected["text"], is_cut_off),
            "call" if item["state"] == "complete" => {
                ["question", "suggest"].iter().all(|field| item[field] == expected[field])
            }
            "call" => is_cut_off && starts(&item["question"], &expected["question"], true),
            "end" => is_cut_off || item == expected,
            _ => item == expected,
        };
        if item["type"] == "end" && is_cut_off {
            break;
        }
        assert!(same, "seed {seed}: {item} in place of {expected}");
    }
    assert!(is_cut_off || got.len() == whole.len(), "seed {seed}: {got:?} in place of {whole:?}");
}

/// What follows the message is nothing, or the next one, or its beginning.
fn check_continuation(seed: u64, page: &Page) {
    for item in &page.items[first_turn(page).len()..] {
        let is_expected = match item["type"].as_str().unwrap() {
            "turn" | "end" => item["index"] == 1,
            "text" => starts(&item["text"], &json!("Done."), true),
            kind => kind == "error",
        };
        assert!(is_expected, "seed {seed}: {item} in {page:?}");
    }
}

/// Returns `true` if the text is the expected one, or, if it was cut off, its beginning.
fn starts(text: &Value, expected: &Value, is_cut_off: bool) -> bool {
    let (text, expected) = (text.as_str().unwrap(), expected.as_str().unwrap_or_default());
    if is_cut_off { expected.starts_with(text) } else { expected == text }
}

/// An answer is accepted at most once, is given in the end, and reaches the provider at most once.
async fn check_answers(seed: u64, told: &Told, last: &Page) {
    assert!(told.accepted.len() <= 1, "seed {seed}: these answers were accepted: {:?}", told.accepted);
    if let Some(accepted) = told.accepted.first() {
        assert_eq!(answer(last), Some(json!(accepted)), "seed {seed}: {last:?}");
    }
    let asked = requests(&told.id).await;
    let with_answer = |request: &&Value| request["body"]["messages"].as_array().unwrap().len() > 1;
    let sent: Vec<_> = asked.iter().filter(with_answer).map(|request| &request["body"]["messages"]).collect();
    assert!(sent.len() <= 1, "seed {seed}: the provider got {} answers in {}: {sent:?}", sent.len(), told.id);
}
