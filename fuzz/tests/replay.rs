//! Every target reads its seeds, and every crash that was ever kept, without a fuzzer.

use std::fs;
use std::path::Path;

use followup_fuzz::{TARGETS, Target, seeds};

#[test]
fn seeds_are_read() {
    for Target { name, read } in TARGETS {
        let seeds = seeds::seeds(name);
        assert!(seeds.len() > 50, "{name} has only {} seeds", seeds.len());
        seeds.iter().for_each(|seed| read(seed));
        // Cut off, as a fuzzer will have them.
        seeds.iter().step_by(11).for_each(|seed| (0..seed.len().min(40)).for_each(|len| read(&seed[..len])));
    }
}

#[test]
fn crashes_that_were_kept_are_none_any_more() {
    for Target { name, read } in TARGETS {
        let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("crashes").join(name);
        let Ok(kept) = fs::read_dir(kept) else { continue };
        for crash in kept {
            let crash = crash.expect("a file that can be read").path();
            println!("{}", crash.display());
            read(&fs::read(crash).expect("a file that can be read"));
        }
    }
}
