//! Counts the single cuts of a message that change what a reader finds in it.

use serde_json::json;

use crate::format::Format;
use crate::message::Message;
use crate::rivals::{self, Followup, Rival};

/// How many cuts of a message in two chunks change the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cuts {
    changed: usize,
    /// As `changed`, if white space in prose makes no difference.
    changed_visibly: usize,
    all: usize,
}

/// Prints for `followup` and each rival how many cuts of the message change its result.
pub(crate) fn print(json: bool, message: &Message, formats: &[Format]) {
    if !json {
        println!("{:<11} {:<20} {:>7} {:>7} {:>17}", "format", "reader", "cuts", "change", "not only in space");
    }
    for &format in formats {
        let followup: Box<dyn Rival> = Box::new(Followup::new(format));
        for mut reader in [followup].into_iter().chain(rivals::for_envelope(format)) {
            let Cuts { changed, changed_visibly, all } = count(&mut *reader, &message.write(format));
            let (reader, format) = (reader.name(), format.name());
            if json {
                let line = json!({
                    "format": format,
                    "reader": reader,
                    "cuts": all,
                    "changed": changed,
                    "changed_not_only_in_space": changed_visibly,
                });
                println!("{line}");
            } else {
                println!("{format:<11} {reader:<20} {all:>7} {changed:>7} {changed_visibly:>17}");
            }
        }
    }
    if !json {
        println!();
    }
}

/// Compares the result for each cut between two characters with that for the uncut message.
fn count(reader: &mut dyn Rival, message: &str) -> Cuts {
    let uncut = reader.outcome(&[message]);
    let mut cuts = Cuts { changed: 0, changed_visibly: 0, all: 0 };
    for (at, _) in message.char_indices().skip(1) {
        let (before, after) = message.split_at(at);
        let outcome = reader.outcome(&[before, after]);
        cuts.all += 1;
        cuts.changed += usize::from(outcome != uncut);
        cuts.changed_visibly += usize::from(!outcome.looks_like(&uncut));
    }
    cuts
}
