//! A relay that is stopped and continues in another process, as in `examples/relay.rs`.

#[path = "../../examples/relay.rs"]
#[allow(dead_code)]
mod example;

use std::path::Path;
use std::process::Command;
use std::{env, fs};

const MESSAGE: &str = "RELAY_MESSAGE";
const FOLDER: &str = "RELAY_FOLDER";
const STOP: &str = "RELAY_STOP";

/// Runs the example in a process of its own, which is this test binary.
///
/// Returns what it wrote, and whether it read to the end.
fn run(message: &Path, folder: &Path, stop: usize) -> (String, bool) {
    let ran = Command::new(env::current_exe().unwrap())
        .args(["--exact", "relay::a_process_of_its_own", "--ignored"])
        .env(MESSAGE, message)
        .env(FOLDER, folder)
        .env(STOP, stop.to_string())
        .output()
        .unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
    (fs::read_to_string(folder.join("out")).unwrap(), folder.join("ended").exists())
}

#[test]
#[ignore = "the process that the test below starts"]
fn a_process_of_its_own() {
    // Run with all ignored tests, it has nothing to do.
    let (Some(message), Some(folder)) = (env::var_os(MESSAGE), env::var_os(FOLDER)) else { return };
    let (folder, stop) = (Path::new(&folder), env::var(STOP).unwrap().parse().unwrap());
    let mut out = Vec::new();
    let ended = example::relay(Path::new(&message), &folder.join("checkpoint.json"), stop, &mut out).unwrap();
    fs::write(folder.join("out"), out).unwrap();
    if ended {
        fs::write(folder.join("ended"), "").unwrap();
    }
}

#[test]
fn a_relay_stopped_anywhere_continues_in_another_process_with_the_same_events() {
    let messages = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/messages");
    for name in ["database.md", "unicode.md"] {
        let message = messages.join(name);
        let length = fs::read(&message).unwrap().len();
        let temporary = tempfile::tempdir().unwrap();
        let (whole, ended) = run(&message, temporary.path(), usize::MAX);
        assert!(whole.contains("question + ") && whole.contains("complete ") && ended, "{whole}");
        // The relay reads 7 bytes at a time. It is stopped between two chunks, so that the chunks
        // stay the same.
        for stop in (7..length).step_by(7 * 5) {
            let temporary = tempfile::tempdir().unwrap();
            let (first, ended) = run(&message, temporary.path(), stop);
            assert!(!ended && temporary.path().join("checkpoint.json").exists());
            let (second, ended) = run(&message, temporary.path(), usize::MAX);
            assert!(ended && !temporary.path().join("checkpoint.json").exists());
            assert_eq!(first + &second, whole, "{name} at {stop}");
        }
        // Stopped many times.
        let temporary = tempfile::tempdir().unwrap();
        let parts: String = (7..length).step_by(7 * 9).map(|stop| run(&message, temporary.path(), stop).0).collect();
        assert_eq!(parts + &run(&message, temporary.path(), usize::MAX).0, whole, "{name}");
    }
}
