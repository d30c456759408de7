//! The recordings that `--demo` offers.

use followup::wire;

use super::recording::{Part, Recording};

const fn text(body: &'static str) -> Part {
    Part { wire: wire::Format::Text, body }
}

/// All recordings, in the order in which they are offered.
pub(crate) const RECORDINGS: &[Recording] = &[
    Recording {
        name: "database",
        title: "Where should the recipes live? A question with markdown and modes",
        parts: &[
            text(include_str!("../../../examples/messages/database.md")),
            text(include_str!("../../demo/database-2.md")),
            text(include_str!("../../demo/database-3.md")),
        ],
    },
    Recording {
        name: "form",
        title: "A plan: three questions in one call of Claude Code's tool",
        parts: &[
            Part { wire: wire::Format::OpenAiChat, body: include_str!("../../demo/form.sse") },
            text(include_str!("../../demo/form-2.md")),
        ],
    },
    Recording {
        name: "refactor",
        title: "A timer is moved: another tool's call, code, and tags left open",
        parts: &[
            text(include_str!("../../../examples/messages/refactor.md")),
            text(include_str!("../../demo/refactor-2.md")),
        ],
    },
    Recording {
        name: "unicode",
        title: "花园日记: Chinese, Arabic and emoji",
        parts: &[
            text(include_str!("../../../examples/messages/unicode.md")),
            text(include_str!("../../demo/unicode-2.md")),
        ],
    },
    Recording {
        name: "native",
        title: "An export: a native call in a provider's stream",
        parts: &[
            Part { wire: wire::Format::OpenAiChat, body: include_str!("../../../examples/responses/openai-chat.sse") },
            text(include_str!("../../demo/native-2.md")),
        ],
    },
    Recording {
        name: "two-questions",
        title: "A trip by train: two questions in one message",
        parts: &[
            text(include_str!("../../demo/two-questions.md")),
            text(include_str!("../../demo/two-questions-2.md")),
        ],
    },
    Recording {
        name: "mistakes",
        title: "Three mistakes in a row: the user guides the model",
        parts: &[
            text(include_str!("../../demo/mistakes.md")),
            text(include_str!("../../demo/mistakes-2.md")),
            text(include_str!("../../demo/mistakes-3.md")),
        ],
    },
    Recording {
        name: "hostile",
        title: "A hostile model: scripts, images and links in every field",
        parts: &[text(include_str!("../../demo/hostile.md")), text(include_str!("../../demo/hostile-2.md"))],
    },
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use followup::{Event, Policy};

    use super::*;

    /// Counts the calls of a part that can be asked, and those that are rejected.
    fn count_calls(part: &Part) -> (usize, usize) {
        let mut response = wire::ResponseParser::new(part.wire, Policy::new());
        let (mut asked, mut rejected) = (0, 0);
        let mut count = |mut events: wire::Events<'_>| {
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
    fn every_part_but_the_last_asks_something() {
        let mut names = BTreeSet::new();
        for recording in RECORDINGS {
            let name = recording.name;
            assert!(names.insert(name), "{name} is there twice");
            assert!(recording.parts.len() >= 2 && !recording.title.is_empty(), "{name}");
            let (last, others) = recording.parts.split_last().unwrap();
            for part in others {
                let (asked, rejected) = count_calls(part);
                assert!(asked + rejected > 0, "{name}: without a question the next part would never be played");
            }
            assert_eq!(count_calls(last), (0, 0), "{name}: nothing would follow the answer");
        }
    }

    #[test]
    fn the_recording_of_mistakes_makes_enough_of_them_to_stop_the_dialogue() {
        let mistakes = RECORDINGS.iter().find(|recording| recording.name == "mistakes").unwrap();
        assert_eq!(count_calls(&mistakes.parts[0]), (0, 3));
    }
}
