//! The relay while the store is away, beside one without a store.

use std::time::Duration;

use http_body_util::BodyExt;

use super::load::{Latencies, add_ages};
use crate::client::{chat, soon};
use crate::service::Service;
use crate::store::redis_server::RedisServer;
use crate::store::scene::{replica, slow_message};
use crate::store::tcp_proxy::{Passing, TcpProxy};

/// Number of conversations of each service, and the milliseconds before each text.
const CONVERSATIONS: usize = 100;
const PAUSE: u64 = 200;

#[test]
#[ignore = "a measurement"]
fn figures_of_the_relay_without_the_store() {
    super::run(measure());
}

async fn measure() {
    let seconds = super::number("FOLLOWUP_AWAY", 60) as u64;
    let Some(redis) = RedisServer::start(&[]) else { return };
    let proxy = TcpProxy::start(redis.port);
    let (alone, stored) = (Service::relay(&[]), replica(&proxy.url(), &[]));
    for (what, passing) in
        [("there", Passing::After(Duration::ZERO)), ("silent", Passing::Nothing), ("cut", Passing::Cut)]
    {
        proxy.set(Passing::After(Duration::ZERO));
        let texts = seconds * 1000 / PAUSE;
        let (one, other) = (relayed(&alone, texts), relayed(&stored, texts));
        // All streams run when it goes away.
        let away = async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            proxy.set(passing);
        };
        let (one, other, ()) = tokio::join!(one, other, away);
        println!("store {what} for {seconds} s, {CONVERSATIONS} conversations each");
        println!("    without a store  {one}");
        println!("    with it          {other}");
        println!(
            "    added            p50 {:.3} ms, p99 {:.2} ms",
            other.at(0.5) - one.at(0.5),
            other.at(0.99) - one.at(0.99)
        );
    }
}

/// Relays messages at once. Returns the latencies to the callers.
async fn relayed(service: &Service, texts: u64) -> Latencies {
    let mut running = Vec::new();
    for _ in 0..CONVERSATIONS {
        tokio::time::sleep(Duration::from_micros(1000 * PAUSE / CONVERSATIONS as u64)).await;
        let address = service.address.clone();
        running.push(tokio::spawn(async move {
            let mut response = chat(&slow_message(texts, PAUSE)).open(&address).await;
            let mut latencies = Latencies::default();
            while let Some(frame) = soon(response.body_mut().frame()).await {
                add_ages(std::str::from_utf8(&frame.unwrap().into_data().unwrap()).unwrap(), &mut latencies);
            }
            latencies
        }));
    }
    let mut all = Latencies::default();
    for one in running {
        all.0.extend(one.await.unwrap().0);
    }
    all
}
