//! What a signal does to a program that asks without a screen: it writes the replies so far.

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use super::replies::Replies;

/// How many times the replies are tried for, with [`PAUSE`] between: a reply may be being written.
const TRIES: u32 = 50;

const PAUSE: Duration = Duration::from_millis(10);

/// Writes the replies of the turn when a signal comes that ends the program, and then ends it.
///
/// The messages of a turn are written together at its end, so they would be lost.
pub(super) fn write_replies_on_signals(replies: &Arc<Mutex<Replies>>) {
    // Without a handler, signals end the program as usual.
    let Ok(mut signals) = Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM]) else { return };
    let replies = Arc::clone(replies);
    thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            write_turn(&replies);
            let _ = emulate_default_handler(signal);
        }
    });
}

/// Writes the replies of the turn so far, beside a thread that may be writing one.
pub(super) fn write_turn(replies: &Mutex<Replies>) {
    for _ in 0..TRIES {
        if let Ok(mut replies) = replies.try_lock() {
            // There is nobody left to report an error to.
            let _ = replies.write_turn();
            return;
        }
        thread::sleep(PAUSE);
    }
}
