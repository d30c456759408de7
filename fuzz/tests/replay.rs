//! Runs the seeds of every target, and all kept crashes, without a fuzzer.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use followup::dialogue::Template;
use followup_fuzz::{TARGETS, Target, dialogue, seeds};

#[test]
fn every_target_accepts_its_seeds() {
    for Target { name, read } in TARGETS {
        let seeds = seeds::seeds(name);
        assert!(seeds.len() > 50, "{name} has only {} seeds", seeds.len());
        seeds.iter().for_each(|seed| read(seed));
        // Cut off, as a fuzzer makes them.
        seeds.iter().step_by(11).for_each(|seed| (0..seed.len().min(40)).for_each(|len| read(&seed[..len])));
    }
}

#[test]
fn kept_crashes_no_longer_crash() {
    for Target { name, read } in TARGETS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("crashes").join(name);
        let Ok(crashes) = fs::read_dir(folder) else { continue };
        for crash in crashes {
            let crash = crash.expect("a file that can be read").path();
            println!("{}", crash.display());
            read(&fs::read(crash).expect("a file that can be read"));
        }
    }
}

#[test]
fn the_seeds_of_dialogues_reach_every_built_in_template_and_the_defaults() {
    let reached = seeds::seeds("dialogue").iter().map(|seed| dialogue::template(seed[1])).collect::<BTreeSet<_>>();
    assert_eq!(reached, Template::NAMES.map(Some).into_iter().chain([None]).collect());
}
