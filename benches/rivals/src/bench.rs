//! Runs every rival with every message.

use std::time::Duration;

use crate::format::Format;
use crate::measure::{Case, Comparison, Measurement, compare};
use crate::message::Message;
use crate::rivals::{self, Followup, Memchr, PushStr, Rival};
use crate::table::{Kind, Row, Table};

/// A rival that would take more seconds than this for one run is not measured.
///
/// (It runs twice: once for the check.)
const MAX_SECONDS: f64 = 20.0;

#[derive(Debug)]
pub(crate) struct Bench {
    table: Table,
    /// The time to spend on each row.
    duration: Duration,
}

/// A reader that is measured beside `followup`.
struct Entrant {
    rival: Box<dyn Rival>,
    kind: Kind,
    /// The bytes of the message before this one, and the seconds that it took.
    previous: Option<(usize, f64)>,
}

impl Bench {
    pub(crate) fn new(json: bool, duration: Duration) -> Bench {
        Bench { table: Table::new(json), duration }
    }

    /// Measures prose with calls in it. Each message is longer than the one before.
    pub(crate) fn markup(&mut self, workload: &'static str, messages: &[Message], chunk: usize) {
        self.run(&mut Followup::new(Format::Markup), rivals::for_markup(), (workload, messages, chunk));
    }

    /// Measures the arguments of a native call. Each message is longer than the one before.
    pub(crate) fn arguments(&mut self, workload: &'static str, messages: &[Message], chunk: usize) {
        self.run(&mut Followup::new(Format::Arguments), rivals::for_arguments(), (workload, messages, chunk));
    }

    /// Measures the arguments of a form. Each message is longer than the one before.
    pub(crate) fn form(&mut self, workload: &'static str, messages: &[Message], chunk: usize) {
        self.run(&mut Followup::new(Format::Form), rivals::for_forms(), (workload, messages, chunk));
    }

    /// Measures prose with calls in an envelope, the same text for all.
    ///
    /// Each message is longer than the one before.
    pub(crate) fn envelope(&mut self, format: Format, messages: &[Message], chunk: usize) {
        self.run(&mut Followup::new(format), rivals::for_envelope(format), ("envelopes", messages, chunk));
    }

    pub(crate) fn summary(&self) {
        self.table.summary();
    }

    fn run(
        &mut self,
        followup: &mut dyn Rival,
        rivals: Vec<Box<dyn Rival>>,
        (workload, messages, chunk): (&'static str, &[Message], usize),
    ) {
        let baselines =
            baselines(followup.format()).map(|rival| Entrant { rival, kind: Kind::Baseline, previous: None });
        let rivals = rivals.into_iter().map(|rival| Entrant { rival, kind: Kind::Rival, previous: None });
        let mut entrants: Vec<_> = baselines.into_iter().chain(rivals).collect();
        for message in messages {
            let case = Case { message, chunk };
            let row = |reader: &dyn Rival, kind, measurement| Row {
                workload,
                len: message.len(),
                chunk: (chunk < message.len()).then_some(chunk),
                reader: reader.name(),
                format: reader.format().name(),
                kind,
                measurement,
            };
            let mut rows = Vec::new();
            let mut ours: Option<Measurement> = None;
            for Entrant { rival, kind, previous } in &mut entrants {
                if previous.is_some_and(|previous| expected(previous, message.len()) > MAX_SECONDS) {
                    rows.push(row(&**rival, *kind, None));
                    continue;
                }
                let comparison = compare(&mut **rival, followup, case, self.duration);
                let Comparison { rival: theirs, followup: measurement } = comparison;
                *previous = Some((message.len(), theirs.cost.time.as_secs_f64()));
                rows.push(row(&**rival, *kind, Some(theirs)));
                if ours.as_ref().is_none_or(|ours| measurement.cost.time < ours.cost.time) {
                    ours = Some(measurement);
                }
            }
            rows.push(row(followup, Kind::Followup, ours));
            self.table.print(rows);
        }
    }
}

fn baselines(format: Format) -> [Box<dyn Rival>; 2] {
    [Box::new(PushStr::new(format)), Box::new(Memchr::new(format))]
}

/// Returns the seconds that a message of `len` bytes takes if the time is quadratic in the length.
fn expected((bytes, seconds): (usize, f64), len: usize) -> f64 {
    seconds * (len as f64 / bytes as f64).powi(2)
}
