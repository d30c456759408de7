//! The recorded messages.

use followup::wire::Format;

use super::{Part, Recorded};

const fn text(body: &'static str) -> Part {
    Part { wire: Format::Text, body }
}

/// All of them, in the order in which they are offered.
pub(crate) const MESSAGES: &[Recorded] = &[
    Recorded {
        name: "database",
        title: "Where should the recipes live? A question with markdown and modes",
        parts: &[
            text(include_str!("../../../examples/messages/database.md")),
            text(include_str!("../../demo/database-2.md")),
            text(include_str!("../../demo/database-3.md")),
        ],
    },
    Recorded {
        name: "refactor",
        title: "A timer is moved: another tool's call, code, and tags left open",
        parts: &[
            text(include_str!("../../../examples/messages/refactor.md")),
            text(include_str!("../../demo/refactor-2.md")),
        ],
    },
    Recorded {
        name: "unicode",
        title: "花园日记: Chinese, Arabic and emoji",
        parts: &[
            text(include_str!("../../../examples/messages/unicode.md")),
            text(include_str!("../../demo/unicode-2.md")),
        ],
    },
    Recorded {
        name: "native",
        title: "An export: a native call in a provider's stream",
        parts: &[
            Part { wire: Format::OpenAiChat, body: include_str!("../../../examples/responses/openai-chat.sse") },
            text(include_str!("../../demo/native-2.md")),
        ],
    },
    Recorded {
        name: "two-questions",
        title: "A trip by train: two questions in one message",
        parts: &[
            text(include_str!("../../demo/two-questions.md")),
            text(include_str!("../../demo/two-questions-2.md")),
        ],
    },
    Recorded {
        name: "mistakes",
        title: "Three mistakes in a row: the user guides the model",
        parts: &[
            text(include_str!("../../demo/mistakes.md")),
            text(include_str!("../../demo/mistakes-2.md")),
            text(include_str!("../../demo/mistakes-3.md")),
        ],
    },
    Recorded {
        name: "hostile",
        title: "A hostile model: scripts, images and links in every field",
        parts: &[text(include_str!("../../demo/hostile.md")), text(include_str!("../../demo/hostile-2.md"))],
    },
];
