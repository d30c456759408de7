//! How long it takes: each time the shortest of many runs, for whatever else the machine does only makes them longer.

use std::time::{Duration, Instant};

use followup_testing::pieces;

use crate::message::Message;
use crate::rivals::Rival;
use crate::sink::Checked;
use crate::table::Measured;

/// A message, in chunks of about that many bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case<'a> {
    pub(crate) message: &'a Message,
    pub(crate) chunk: usize,
}

/// What it cost to read a message in some format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    pub(crate) chunks: usize,
    pub(crate) bytes: usize,
    pub(crate) time: Duration,
}

impl Cost {
    pub(crate) fn ns_per_chunk(&self) -> f64 {
        self.time.as_nanos() as f64 / self.chunks as f64
    }

    pub(crate) fn mb_per_s(&self) -> f64 {
        self.bytes as f64 / self.time.as_nanos().max(1) as f64 * 1e3
    }
}

/// What a rival costs, and what the same message costs `followup` in its own format.
#[derive(Clone, Debug)]
pub(crate) struct Compared {
    pub(crate) theirs: Measured,
    pub(crate) followup: Measured,
}

/// Measures both in turn, so that both see the same machine, for about that long; or once, if once takes longer.
pub(crate) fn compare(rival: &mut dyn Rival, followup: &mut dyn Rival, case: Case<'_>, long: Duration) -> Compared {
    let [their_text, our_text] = [rival.format(), followup.format()].map(|format| case.message.write(format));
    let [their_chunks, our_chunks] = [&their_text, &our_text].map(|text| pieces(text, case.chunk).collect::<Vec<_>>());
    // What comes out is checked outside the clock.
    let mut theirs = checked(rival, &their_chunks, case);
    let mut ours = checked(followup, &our_chunks, case);
    assert_eq!(ours.verdict.wrong, "", "followup is right");

    let begun = Instant::now();
    while theirs.cost.time == Duration::MAX || begun.elapsed() < long {
        let run = rival.time(&their_chunks);
        theirs.cost.time = run.min(theirs.cost.time);
        // As long as the rival, so that one that is slow does not leave followup with a single run.
        let mut spent = Duration::ZERO;
        while spent < run.min(long) {
            let run = followup.time(&our_chunks);
            ours.cost.time = run.min(ours.cost.time);
            spent += run;
        }
    }
    theirs.times = theirs.cost.time.as_secs_f64() / ours.cost.time.as_secs_f64();
    Compared { theirs, followup: ours }
}

/// What comes out, and no time yet.
fn checked(reader: &mut dyn Rival, chunks: &[&str], case: Case<'_>) -> Measured {
    let mut checked = Checked::new(case.message);
    reader.check(chunks, &mut checked);
    let bytes = chunks.iter().map(|chunk| chunk.len()).sum();
    Measured {
        cost: Cost { chunks: chunks.len(), bytes, time: Duration::MAX },
        times: 1.0,
        shows: checked.shows(case.chunk),
        verdict: checked.verdict(case.message),
    }
}
