//! The provider's format in which replies are returned.

use followup::dialogue::MessageFormat;
use serde::Deserialize;

/// The provider's format in which replies are returned.
#[derive(Clone, Copy, Default, Deserialize)]
pub(super) enum ReplyFormat {
    #[default]
    #[serde(rename = "openai-chat")]
    OpenAiChat,
    #[serde(rename = "openai-responses")]
    OpenAiResponses,
    #[serde(rename = "anthropic")]
    Anthropic,
}

impl From<ReplyFormat> for MessageFormat {
    fn from(format: ReplyFormat) -> MessageFormat {
        match format {
            ReplyFormat::OpenAiChat => MessageFormat::OpenAiChat,
            ReplyFormat::OpenAiResponses => MessageFormat::OpenAiResponses,
            ReplyFormat::Anthropic => MessageFormat::Anthropic,
        }
    }
}
