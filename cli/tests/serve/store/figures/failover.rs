//! The primary is lost while many conversations stream, and sentinels promote its copy.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::{Barrier, watch};

use super::load::Latencies;
use crate::client::{Events, chat};
use crate::store::scene::{check_seen, is_end, replica, slow_message_until_opened};
use crate::store::sentinels::Sentinels;
use crate::upstream::open_gate;

#[test]
#[ignore = "a measurement"]
fn figures_of_a_failover() {
    super::run(measure());
}

async fn measure() {
    let conversations = super::conversations();
    let Some(mut store) = Sentinels::start().await else { return };
    let (here, there) = (Arc::new(replica(&store.url(), &[])), Arc::new(replica(&store.url(), &[])));
    let all_read = Arc::new(Barrier::new(conversations + 1));
    let (promoted, is_promoted) = watch::channel(None::<Instant>);
    let mut running = Vec::new();
    for index in 0..conversations {
        let (here, there, all_read, mut is_promoted) =
            (here.clone(), there.clone(), all_read.clone(), is_promoted.clone());
        running.push(tokio::spawn(async move {
            let id = format!("failed-over-{index}");
            let play = slow_message_until_opened(&id, 10, 200);
            let _response = chat(&play).with("x-followup-conversation", &id).open(&here.address).await;
            let mut at_writer = Events::from_start(&here, &id).await;
            let mut elsewhere = Events::from_start(&there, &id).await;
            let mut seen = elsewhere.up_to(|event| event.kind == "text").await;
            all_read.wait().await;
            // What the other replica had before the promotion is no event after it.
            let at = loop {
                let promoted = *is_promoted.borrow_and_update();
                seen.push(elsewhere.next().await.unwrap());
                if let Some(promoted) = promoted {
                    break promoted.elapsed();
                }
            };
            open_gate(&id).await;
            seen.extend(elsewhere.up_to(is_end).await);
            check_seen(&seen, &at_writer.up_to(is_end).await);
            at
        }));
    }
    all_read.wait().await;
    store.primary.kill();
    store.promoted().await;
    promoted.send_replace(Some(Instant::now()));
    let flows = Latencies::of(running).await;
    println!("from the promotion to an event elsewhere  {flows}");
}
