//! The provider's format in which replies are returned.

use followup::dialogue::MessageFormat;
use serde::Deserialize;

/// The provider's format in which replies are returned.
#[derive(Clone, Copy, Deserialize)]
pub(super) struct ReplyFormat(pub(super) MessageFormat);

impl Default for ReplyFormat {
    fn default() -> ReplyFormat {
        ReplyFormat(MessageFormat::OpenAiChat)
    }
}
