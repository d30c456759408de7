//! The player of recorded messages.

use std::sync::Arc;

use followup::wire;

use crate::app_state::AppState;
use crate::conversation::continuation::PendingContinuation;
use crate::conversation::turn::Turn;
use crate::demo::Script;

/// Plays the next part of a script into a turn. The rest of the script follows that turn.
pub(crate) async fn play(state: Arc<AppState>, mut turn: Turn, script: Script) {
    if let Some(rest) = script.rest() {
        turn.set_continuation(PendingContinuation::Recording(rest));
    }
    let pace = script.pace();
    let is_text = script.wire() == wire::Format::Text;
    let mut shows = false;
    for piece in pace.chunk.chunks(script.body().as_bytes()) {
        // Only the end of an event shows anything, so that the rest of it takes no time.
        if std::mem::replace(&mut shows, is_text || piece.contains(&b'\n')) {
            tokio::select! {
                () = tokio::time::sleep(pace.delay) => {}
                // The shutdown does not wait for a recorded message.
                () = state.shutdown.cancelled() => return turn.end(true),
            }
        }
        if turn.is_gone() {
            return turn.end(true);
        }
        turn.feed(piece);
    }
    turn.end(false);
}
