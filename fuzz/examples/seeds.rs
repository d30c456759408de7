//! Writes the seeds and the dictionary of each target: `seeds DIRECTORY`, which gets `TARGET/` and `TARGET.dict`.

use std::path::Path;
use std::{env, fs, io};

use followup_fuzz::{TARGETS, seeds};

fn main() -> io::Result<()> {
    let directory = env::args_os().nth(1).expect("a directory to write to");
    for target in TARGETS {
        let path = Path::new(&directory).join(target.name);
        fs::create_dir_all(&path)?;
        for (nth, seed) in seeds::seeds(target.name).into_iter().enumerate() {
            fs::write(path.join(format!("{nth:04}")), seed)?;
        }
        fs::write(path.with_extension("dict"), seeds::words(target.name))?;
    }
    Ok(())
}
