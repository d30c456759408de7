//! Measures a rival and `followup` in turn.
//!
//! The shortest of many runs counts, because other load only makes runs longer.

use std::time::{Duration, Instant};

use followup_testing::pieces;

use crate::message::Message;
use crate::rivals::Rival;
use crate::sink::{Checked, Verdict};

/// A message and the size of its chunks in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case<'a> {
    pub(crate) message: &'a Message,
    pub(crate) chunk: usize,
}

/// The time that one pass over a message takes, and its size in the reader's own format.
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

/// A reader's cost for one message, and whether its output was correct.
#[derive(Clone, Debug)]
pub(crate) struct Measurement {
    pub(crate) cost: Cost,
    /// This reader's time divided by the time of `followup`.
    pub(crate) ratio: f64,
    pub(crate) shows: &'static str,
    pub(crate) verdict: Verdict,
}

/// A rival's measurement, and that of `followup` for the same message in its own format.
#[derive(Clone, Debug)]
pub(crate) struct Comparison {
    pub(crate) rival: Measurement,
    pub(crate) followup: Measurement,
}

/// Measures both in turn for about `duration`, or once if one run takes longer.
///
/// In turn, so that both see the same load.
pub(crate) fn compare(
    rival: &mut dyn Rival,
    followup: &mut dyn Rival,
    case: Case<'_>,
    duration: Duration,
) -> Comparison {
    let [their_text, our_text] = [rival.format(), followup.format()].map(|format| case.message.write(format));
    let [their_chunks, our_chunks] = [&their_text, &our_text].map(|text| pieces(text, case.chunk).collect::<Vec<_>>());
    // The output is checked in a run of its own, which is not timed.
    let mut theirs = check(rival, &their_chunks, case);
    let mut ours = check(followup, &our_chunks, case);
    assert_eq!(ours.verdict.wrong, "", "followup is correct");

    let start = Instant::now();
    while theirs.cost.time == Duration::MAX || start.elapsed() < duration {
        let run = rival.time(&their_chunks);
        theirs.cost.time = run.min(theirs.cost.time);
        // `followup` runs for as long as the rival did, so that a slow rival does not leave it with
        // a single run.
        let mut spent = Duration::ZERO;
        while spent < run.min(duration) {
            let run = followup.time(&our_chunks);
            ours.cost.time = run.min(ours.cost.time);
            spent += run;
        }
    }
    theirs.ratio = theirs.cost.time.as_secs_f64() / ours.cost.time.as_secs_f64();
    Comparison { rival: theirs, followup: ours }
}

/// Checks the output of one run. The time is not measured yet.
fn check(reader: &mut dyn Rival, chunks: &[&str], case: Case<'_>) -> Measurement {
    let mut checked = Checked::new(case.message);
    reader.check(chunks, &mut checked);
    let bytes = chunks.iter().map(|chunk| chunk.len()).sum();
    Measurement {
        cost: Cost { chunks: chunks.len(), bytes, time: Duration::MAX },
        ratio: 1.0,
        shows: checked.shows(case.chunk),
        verdict: checked.verdict(case.message),
    }
}
