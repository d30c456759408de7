//! Golden streams: bodies as providers send them, and what they mean, cut in every way.
//!
//! `bodies/README.md` says what the files are.

use crate::normal as events;
use crate::sweep::{Sweep, assert_chunk_invariant};

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use followup::Policy;
use followup::wire::{Format, ResponseParser};
use serde_json::Value;

pub struct Golden {
    pub name: String,
    pub format: Format,
    pub body: Vec<u8>,
    expected: Vec<Value>,
    /// The questions of other tools than `ask_followup_question`.
    forms: Vec<Value>,
}

pub fn goldens() -> Vec<Golden> {
    let mut goldens = Vec::new();
    for format in Format::ALL {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wire/bodies").join(format.name());
        let Ok(files) = fs::read_dir(&folder) else { continue };
        for file in files {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "json") {
                continue;
            }
            let expected =
                fs::read(path.with_extension("json")).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let name = format!("{format}/{}", path.file_name().unwrap().to_string_lossy());
            let forms = fs::read(path.with_extension("forms.json"));
            goldens.push(Golden {
                name,
                format,
                body: fs::read(&path).unwrap(),
                expected: serde_json::from_slice(&expected).unwrap(),
                forms: forms.map_or_else(|_| Vec::new(), |forms| serde_json::from_slice(&forms).unwrap()),
            });
        }
    }
    goldens.sort_by(|one, two| one.name.cmp(&two.name));
    goldens
}

impl Golden {
    /// Parses the body in many ways, or in every way. Returns what differs from the expected
    /// events.
    fn check(&self, policy: &Arc<Policy>, in_every_way: bool) -> Result<(), String> {
        let mut parser = ResponseParser::new(self.format, policy.clone());
        let normalized = events::normalized(&mut parser, [&*self.body]);
        let forms = events::forms(&mut parser, [&*self.body]);
        for (expected, actual) in [(&self.expected, &normalized), (&self.forms, &forms)] {
            if actual != expected {
                let show = |events: &[Value]| events.iter().map(|event| format!("  {event}\n")).collect::<String>();
                return Err(format!("{}\n expected\n{} actual\n{}", self.name, show(expected), show(actual)));
            }
        }
        let whole = events::lines(&mut parser, [&*self.body]);
        if in_every_way {
            assert_chunk_invariant(&self.body, |chunks| events::lines(&mut parser, chunks.iter().copied()));
        }
        let mut auto = ResponseParser::auto(policy.clone());
        for size in [1, 5, self.body.len().max(1)] {
            let lines = events::lines(&mut auto, self.body.chunks(size));
            if lines != whole {
                let how = format!("with its format detected, in chunks of {size}");
                return Err(format!("{} {how}\n whole {whole:#?}\n cut {lines:#?}\n", self.name));
            }
            drop(auto.feed(&self.body));
            if auto.format() != Some(self.format) {
                return Err(format!("{} was detected as {:?}\n", self.name, auto.format()));
            }
            drop(auto.finish());
        }
        Ok(())
    }
}

#[test]
fn every_golden_body_has_its_expected_events_however_it_is_cut() {
    let (all, policy, mut sweep) = (goldens(), Arc::new(Policy::new()), Sweep::new(1));
    // Each in single bytes and in some other chunks; one in ten in every way, if not all.
    let all: Vec<(Golden, bool)> = all.into_iter().map(|golden| (golden, sweep.tries(1))).collect();
    assert!(all.len() >= 54, "only {} bodies in tests/wire/bodies", all.len());
    let next = AtomicUsize::new(0);
    let work = || {
        let mut wrong = String::new();
        while let Some((golden, in_every_way)) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Err(difference) = golden.check(&policy, *in_every_way) {
                wrong += &difference;
            }
        }
        wrong
    };
    let wrong: String = thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|thread| thread.join().expect("a body makes the parser panic")).collect()
    });
    assert!(wrong.is_empty(), "\n{wrong}");
}
