//! Many conversations at once, each with a caller and a reader.

use std::time::{Duration, SystemTime};

use tokio::task::JoinHandle;

use super::number;
use crate::client::{Events, chat, get, read, until};
use crate::service::Service;
use crate::store::scene::slow_message;

/// Latencies of texts, from the provider.
#[derive(Clone, Default)]
pub(super) struct Latencies(pub(super) Vec<Duration>);

impl Latencies {
    /// Waits for all latencies.
    pub(super) async fn of(running: Vec<JoinHandle<Duration>>) -> Latencies {
        let mut latencies = Latencies::default();
        for one in running {
            latencies.0.push(one.await.unwrap());
        }
        latencies
    }

    /// Returns the latency in milliseconds that this part of all does not exceed.
    pub(super) fn at(&self, part: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        sorted[((sorted.len() - 1) as f64 * part) as usize].as_secs_f64() * 1e3
    }
}

impl std::fmt::Display for Latencies {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "p50 {:.2} ms, p99 {:.2} ms, max {:.2} ms", self.at(0.5), self.at(0.99), self.at(1.0))
    }
}

/// Adds how long ago each time in a text was. The provider writes texts of nanoseconds.
pub(super) fn add_ages(text: &str, latencies: &mut Latencies) {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    let times = text.split(|other: char| !other.is_ascii_digit()).filter(|digits| digits.len() > 15);
    latencies.0.extend(times.map(|time| now.saturating_sub(Duration::from_nanos(time.parse().unwrap()))));
}

/// The limits of a replica that has all conversations of a load.
pub(super) const LARGE: [&str; 4] = ["--limit-conversations", "20000", "--limit-requests", "10000"];

/// What is streamed in each conversation.
#[derive(Clone, Copy)]
pub(super) struct Load {
    pub(super) conversations: usize,
    /// Number of texts, and the milliseconds before each.
    pub(super) texts: u64,
    pub(super) pause: u64,
}

impl Load {
    pub(super) fn from_environment() -> Load {
        let conversations = number("FOLLOWUP_LOAD", 1000);
        let (texts, pause) = (number("FOLLOWUP_TEXTS", 50), number("FOLLOWUP_PAUSE", 200));
        Load { conversations, texts: texts as u64, pause: pause as u64 }
    }

    /// Streams all conversations through one service, each to a reader on one of these services.
    ///
    /// Returns the latencies at each of them.
    pub(super) async fn run(self, name: &str, through: &Service, readers: &[&Service]) -> Vec<Latencies> {
        let mut running = Vec::new();
        for index in 0..self.conversations {
            // The streams start evenly within the pause between two texts.
            tokio::time::sleep(Duration::from_micros(1000 * self.pause / self.conversations as u64)).await;
            let (through, at) = (through.address.clone(), readers[index % readers.len()].address.clone());
            let (id, play) = (format!("{name}-{index}"), slow_message(self.texts, self.pause));
            running.push(tokio::spawn(async move {
                let response = chat(&play).with("x-followup-conversation", &id).open(&through).await;
                let body = tokio::spawn(read(response));
                let path = format!("/conversations/{id}");
                until(async || get(&path).send_to(&at).await.status == 200).await;
                let mut events = Events::from(get(format!("{path}/events")).open(&at).await);
                let mut latencies = Latencies::default();
                while let Some(event) = events.next().await {
                    match &*event.kind {
                        "text" => add_ages(event.data["text"].as_str().unwrap(), &mut latencies),
                        "end" => break,
                        _ => {}
                    }
                }
                body.await.unwrap();
                latencies
            }));
        }
        let mut all = vec![Latencies::default(); readers.len()];
        for (index, one) in running.into_iter().enumerate() {
            all[index % readers.len()].0.extend(one.await.unwrap().0);
        }
        let expected = self.conversations * self.texts as usize;
        assert!(all.iter().map(|one| one.0.len()).sum::<usize>() > expected * 9 / 10, "readers connected in time");
        all
    }

    /// Returns the number of events.
    pub(super) fn events(self) -> f64 {
        // `turn` and `end` are events, too.
        (self.conversations as u64 * (self.texts + 2)) as f64
    }
}
