//! Who is measured with what.

use std::time::Duration;

use crate::format::Format;
use crate::measure::{Case, Compared, compare};
use crate::message::Message;
use crate::rivals::{self, Arguments, Markup, Memchr, PushStr, Rival};
use crate::table::{Kind, Measured, Row, Table};

/// What would take more seconds than that for one run is not measured. (It is run twice: what comes out is checked.)
const TOO_LONG: f64 = 20.0;

#[derive(Debug)]
pub(crate) struct Bench {
    table: Table,
    /// How long each row is measured.
    time: Duration,
}

/// Who is measured.
struct Entrant {
    rival: Box<dyn Rival>,
    kind: Kind,
    /// What the message before cost.
    last: Option<Cost>,
}

/// How many bytes, and how many seconds.
type Cost = (usize, f64);

impl Bench {
    pub(crate) fn new(json: bool, time: Duration) -> Bench {
        Bench { table: Table::new(json), time }
    }

    /// Prose with calls in it. The messages are longer each time.
    pub(crate) fn markup(&mut self, workload: &'static str, messages: &[Message], chunk: usize) {
        self.run(&mut Markup::default(), rivals::in_messages(), (workload, messages, chunk));
    }

    /// The arguments of a native call.
    pub(crate) fn arguments(&mut self, workload: &'static str, messages: &[Message], chunk: usize) {
        self.run(&mut Arguments::default(), rivals::in_arguments(), (workload, messages, chunk));
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
        let floor = floor(followup.format()).map(|rival| Entrant { rival, kind: Kind::Floor, last: None });
        let rivals = rivals.into_iter().map(|rival| Entrant { rival, kind: Kind::Rival, last: None });
        let mut entrants: Vec<_> = floor.into_iter().chain(rivals).collect();
        for message in messages {
            let case = Case { message, chunk };
            let row = |reader: &dyn Rival, kind, measured| Row {
                workload,
                len: message.len(),
                chunk: (chunk < message.len()).then_some(chunk),
                reader: reader.name(),
                format: reader.format().name(),
                kind,
                measured,
            };
            let mut rows = Vec::new();
            let mut ours: Option<Measured> = None;
            for Entrant { rival, kind, last } in &mut entrants {
                if last.is_some_and(|last| expected(last, message.len()) > TOO_LONG) {
                    rows.push(row(&**rival, *kind, None));
                    continue;
                }
                let Compared { theirs, followup: measured } = compare(&mut **rival, followup, case, self.time);
                *last = Some((message.len(), theirs.cost.time.as_secs_f64()));
                rows.push(row(&**rival, *kind, Some(theirs)));
                if ours.as_ref().is_none_or(|ours| measured.cost.time < ours.cost.time) {
                    ours = Some(measured);
                }
            }
            rows.push(row(followup, Kind::Followup, ours));
            self.table.print(rows);
        }
    }
}

fn floor(format: Format) -> [Box<dyn Rival>; 2] {
    [Box::new(PushStr::new(format)), Box::new(Memchr::new(format))]
}

/// How many seconds a message of that length takes at most, if each chunk makes all before it be read again.
fn expected((bytes, seconds): Cost, len: usize) -> f64 {
    seconds * (len as f64 / bytes as f64).powi(2)
}
