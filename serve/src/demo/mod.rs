//! `--demo`: recorded messages, played as if a model were writing them.

mod messages;

use std::sync::Arc;

use followup::wire::Format;

pub(crate) use self::messages::MESSAGES;
use crate::conversation::Turn;
use crate::onward::Following;
use crate::service::Shared;
use crate::settings::Pace;

/// A recorded message, and what the model goes on with when it has been answered.
#[derive(Debug)]
pub(crate) struct Recorded {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    parts: &'static [Part],
}

/// One message of it.
#[derive(Debug)]
struct Part {
    wire: Format,
    body: &'static str,
}

/// What is still to be played.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Script {
    message: &'static Recorded,
    /// The part that comes next.
    next: usize,
    pace: Pace,
}

impl Script {
    /// All of that message.
    pub(crate) fn new(message: &'static Recorded, pace: Pace) -> Script {
        Script { message, next: 0, pace }
    }

    /// What the part is that comes next.
    pub(crate) fn wire(&self) -> Format {
        self.part().map_or(Format::Text, |part| part.wire)
    }

    fn part(&self) -> Option<&'static Part> {
        self.message.parts.get(self.next)
    }

    /// What comes when that part has been answered, if anything does.
    fn rest(self) -> Option<Script> {
        let rest = Script { next: self.next + 1, ..self };
        rest.part().map(|_| rest)
    }
}

/// Plays the next part into that turn, and leaves the rest for the turn after it.
pub(crate) async fn play(shared: Arc<Shared>, mut turn: Turn, script: Script) {
    if let Some(rest) = script.rest() {
        turn.follow(Following::Demo(rest));
    }
    let body = script.part().map_or("", |part| part.body);
    let mut is_first = true;
    for piece in script.pace.chunk.pieces(body.as_bytes()) {
        if !std::mem::replace(&mut is_first, false) {
            let pause = tokio::time::sleep(script.pace.delay);
            tokio::select! {
                () = pause => {}
                // A recorded message is not worth waiting for.
                () = shared.ending.cancelled() => return turn.end(true),
            }
        }
        if turn.is_gone() {
            return turn.end(true);
        }
        turn.feed(piece);
    }
    turn.end(false);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use followup::wire::ResponseParser;
    use followup::{Event, Policy};

    use super::*;

    /// How often it asks, and how many of its calls can't be asked.
    fn calls(part: &Part) -> (usize, usize) {
        let mut response = ResponseParser::new(part.wire, Policy::new());
        let (mut asked, mut rejected) = (0, 0);
        let mut count = |mut events: followup::wire::Events<'_>| {
            while let Some(event) = events.next() {
                match event.unwrap() {
                    Event::Complete(_) => asked += 1,
                    Event::Rejected(_) => rejected += 1,
                    _ => {}
                }
            }
        };
        count(response.feed(part.body.as_bytes()));
        count(response.finish());
        (asked, rejected)
    }

    #[test]
    fn every_message_asks_and_goes_on() {
        let mut names = BTreeSet::new();
        for message in MESSAGES {
            assert!(names.insert(message.name), "{}", message.name);
            assert!(message.parts.len() >= 2 && !message.title.is_empty(), "{}", message.name);
            let (last, asking) = message.parts.split_last().unwrap();
            for part in asking {
                let (asked, rejected) = calls(part);
                assert!(asked + rejected > 0, "{}: a part without a question is never gone on from", message.name);
            }
            assert_eq!(calls(last), (0, 0), "{}: nothing would follow", message.name);
        }
    }

    #[test]
    fn one_makes_as_many_mistakes_as_stop_a_dialogue() {
        let mistaken = MESSAGES.iter().find(|message| message.name == "mistakes").unwrap();
        assert_eq!(calls(&mistaken.parts[0]), (0, 3));
    }
}
