//! The formats of response bodies, by name.

use alloc::string::String;
use core::fmt;
use core::str::FromStr;

/// The format of a response body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "String", into = "&'static str"))]
#[non_exhaustive]
pub enum Format {
    /// OpenAI chat completions, and the many compatible servers: server-sent events.
    OpenAiChat,
    /// OpenAI Responses: server-sent events.
    OpenAiResponses,
    /// Anthropic messages: server-sent events.
    Anthropic,
    /// Gemini `streamGenerateContent`: server-sent events, or one JSON array.
    ///
    /// Each chunk may be in the envelope of Cloud Code, `{"response": …}`.
    Gemini,
    /// Amazon Bedrock `ConverseStream`: its events as JSON lines, as the SDKs give them.
    ///
    /// With the feature `eventstream` also the binary frames of the HTTP body, and the chunks of
    /// `InvokeModelWithResponseStream`.
    Bedrock,
    /// Ollama: JSON lines.
    Ollama,
    /// Cohere, version 2 of its chat: server-sent events.
    Cohere,
    /// Gemini's Interactions API: server-sent events.
    GeminiInteractions,
    /// The events of a run of OpenAI Assistants: server-sent events.
    OpenAiAssistants,
    /// Cloudflare Workers AI: server-sent events.
    WorkersAi,
    /// IBM watsonx: server-sent events.
    Watsonx,
    /// Alibaba's DashScope in its own format: server-sent events.
    DashScope,
    /// The output of a prediction on Replicate: server-sent events whose data is text.
    Replicate,
    /// The text of a message, without a provider's framing.
    Text,
    /// The arguments of one call, without a provider's framing.
    Json,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 15] = [
        Format::OpenAiChat,
        Format::OpenAiResponses,
        Format::Anthropic,
        Format::Gemini,
        Format::Bedrock,
        Format::Ollama,
        Format::Cohere,
        Format::GeminiInteractions,
        Format::OpenAiAssistants,
        Format::WorkersAi,
        Format::Watsonx,
        Format::DashScope,
        Format::Replicate,
        Format::Text,
        Format::Json,
    ];

    /// Returns whether bodies of the format may hold native calls beside text.
    pub(super) fn has_native_calls(self) -> bool {
        !matches!(self, Format::Replicate | Format::Text | Format::Json)
    }

    /// Returns the name of the format, which [`FromStr`] parses.
    ///
    /// ```
    /// use followup::wire::Format;
    ///
    /// assert_eq!(Format::OpenAiChat.name(), "openai-chat");
    /// assert!(Format::ALL.iter().all(|format| format.name().parse() == Ok(*format)));
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Format::OpenAiChat => "openai-chat",
            Format::OpenAiResponses => "openai-responses",
            Format::Anthropic => "anthropic",
            Format::Gemini => "gemini",
            Format::Bedrock => "bedrock",
            Format::Ollama => "ollama",
            Format::Cohere => "cohere",
            Format::GeminiInteractions => "gemini-interactions",
            Format::OpenAiAssistants => "openai-assistants",
            Format::WorkersAi => "workers-ai",
            Format::Watsonx => "watsonx",
            Format::DashScope => "dashscope",
            Format::Replicate => "replicate",
            Format::Text => "text",
            Format::Json => "json",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(feature = "serde")]
impl From<Format> for &'static str {
    fn from(format: Format) -> &'static str {
        format.name()
    }
}

#[cfg(feature = "serde")]
impl TryFrom<String> for Format {
    type Error = UnknownFormat;

    fn try_from(name: String) -> Result<Format, UnknownFormat> {
        name.parse()
    }
}

/// The error of parsing a name that no format has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFormat(String);

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is none of ", self.0)?;
        for (i, format) in Format::ALL.iter().enumerate() {
            write!(f, "{}{format}", if i == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl core::error::Error for UnknownFormat {}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Format, UnknownFormat> {
        Format::ALL.into_iter().find(|format| format.name() == name).ok_or_else(|| UnknownFormat(name.into()))
    }
}
