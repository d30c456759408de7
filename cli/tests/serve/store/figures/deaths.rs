//! A replica that relays many conversations dies, and their readers on another one are told.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::Barrier;

use super::load::Latencies;
use crate::client::{Events, chat};
use crate::memory::metric;
use crate::store::redis_server::RedisServer;
use crate::store::scene::{is_end, replica, slow_message};

#[test]
#[ignore = "a measurement"]
fn figures_of_deaths() {
    super::run(measure());
}

async fn measure() {
    let conversations = super::conversations();
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (mut here, there) = (replica(&redis.url(), &[]), Arc::new(replica(&redis.url(), &[])));
    let (all_read, is_dead) = (Arc::new(Barrier::new(conversations + 1)), Arc::new(Barrier::new(conversations + 1)));
    let mut running = Vec::new();
    for index in 0..conversations {
        let (address, there) = (here.address.clone(), there.clone());
        let (all_read, is_dead) = (all_read.clone(), is_dead.clone());
        running.push(tokio::spawn(async move {
            let id = format!("dead-{index}");
            // It streams until the replica dies.
            let play = slow_message(10_000, 200);
            let _response = chat(&play).with("x-followup-conversation", &id).open(&address).await;
            let mut events = Events::from_start(&there, &id).await;
            events.up_to(|event| event.kind == "text").await;
            all_read.wait().await;
            is_dead.wait().await;
            let killed = Instant::now();
            let end = events.up_to(is_end).await.pop().unwrap();
            assert_eq!(end.data["cut_off"], true);
            killed.elapsed()
        }));
    }
    all_read.wait().await;
    here.kill();
    is_dead.wait().await;
    let told = Latencies::of(running).await;
    println!("conversations of the dead replica  {}", metric(&there, "followup_taken_over_total").await);
    println!("until a reader is told             {told}");
}
