//! Writes the seeds and the dictionary of each target: `seeds DIRECTORY`.
//!
//! The seeds are in `DIRECTORY/TARGET/`, the dictionary is `DIRECTORY/TARGET.dict`.

use std::path::Path;
use std::{env, fs, io};

use followup_fuzz::{TARGETS, seeds};

fn main() -> io::Result<()> {
    let directory = env::args_os().nth(1).expect("a directory to write to");
    for target in TARGETS {
        let path = Path::new(&directory).join(target.name);
        fs::create_dir_all(&path)?;
        for (number, seed) in seeds::seeds(target.name).into_iter().enumerate() {
            fs::write(path.join(format!("{number:04}")), seed)?;
        }
        fs::write(path.with_extension("dict"), seeds::words(target.name))?;
    }
    Ok(())
}
