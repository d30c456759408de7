//! Golden streams: bodies as providers send them, and what they mean, cut in every way. `bodies/README.md` says what the files are.

use crate::normal as said;

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use followup::Policy;
use followup::wire::{Response, Wire};
use followup_testing::assert_chunk_invariant;
use serde_json::Value;

struct Golden {
    name: String,
    wire: Wire,
    body: Vec<u8>,
    meant: Vec<Value>,
}

fn goldens() -> Vec<Golden> {
    let mut goldens = Vec::new();
    for wire in Wire::ALL {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wire/bodies").join(wire.name());
        let Ok(files) = fs::read_dir(&folder) else { continue };
        for file in files {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "json") {
                continue;
            }
            let meant =
                fs::read(path.with_extension("json")).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let name = format!("{wire}/{}", path.file_name().unwrap().to_string_lossy());
            goldens.push(Golden {
                name,
                wire,
                body: fs::read(&path).unwrap(),
                meant: serde_json::from_slice(&meant).unwrap(),
            });
        }
    }
    goldens.sort_by(|one, two| one.name.cmp(&two.name));
    goldens
}

impl Golden {
    /// Reads the body in every way; says what differs.
    fn check(&self, policy: &Arc<Policy>) -> Result<(), String> {
        let mut response = Response::new(self.wire, policy.clone());
        let normal = said::normal(&mut response, [&*self.body]);
        if normal != self.meant {
            let show = |events: &[Value]| events.iter().map(|event| format!("  {event}\n")).collect::<String>();
            return Err(format!("{}\n meant\n{} have\n{}", self.name, show(&self.meant), show(&normal)));
        }
        let whole = said::lines(&mut response, [&*self.body]);
        assert_chunk_invariant(&self.body, |chunks| said::lines(&mut response, chunks.iter().copied()));
        let mut auto = Response::auto(policy.clone());
        for size in [1, 5, self.body.len().max(1)] {
            let lines = said::lines(&mut auto, self.body.chunks(size));
            if lines != whole {
                let how = format!("as whatever it is, in chunks of {size}");
                return Err(format!("{} {how}\n whole {whole:#?}\n cut {lines:#?}\n", self.name));
            }
            drop(auto.feed(&self.body));
            if auto.wire() != Some(self.wire) {
                return Err(format!("{} was taken for {:?}\n", self.name, auto.wire()));
            }
            drop(auto.finish());
        }
        Ok(())
    }
}

#[test]
fn bodies_mean_what_is_written_down_however_they_are_cut() {
    let (all, policy) = (goldens(), Arc::new(Policy::new()));
    assert!(all.len() >= 54, "only {} bodies in tests/wire/bodies", all.len());
    let next = AtomicUsize::new(0);
    let work = || {
        let mut wrong = String::new();
        while let Some(golden) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Err(difference) = golden.check(&policy) {
                wrong += &difference;
            }
        }
        wrong
    };
    let wrong: String = thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|thread| thread.join().expect("a body makes the reader panic")).collect()
    });
    assert!(wrong.is_empty(), "\n{wrong}");
}
