//! The formats in which agents and providers talk.

use axum::http::Method;
use followup::wire;

/// The format of a request that a model answers with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ApiFormat {
    OpenAiChat,
    OpenAiResponses,
    Anthropic,
}

impl ApiFormat {
    /// Returns the format of a request with this path below the base URL.
    ///
    /// `None` for any other request, such as one for the list of models.
    pub(crate) fn of(method: &Method, path: &str) -> Option<ApiFormat> {
        match path {
            _ if method != Method::POST => None,
            "/chat/completions" => Some(ApiFormat::OpenAiChat),
            "/responses" => Some(ApiFormat::OpenAiResponses),
            "/messages" => Some(ApiFormat::Anthropic),
            _ => None,
        }
    }

    /// Returns the format of the response.
    pub(crate) fn wire(self) -> wire::Format {
        match self {
            ApiFormat::OpenAiChat => wire::Format::OpenAiChat,
            ApiFormat::OpenAiResponses => wire::Format::OpenAiResponses,
            ApiFormat::Anthropic => wire::Format::Anthropic,
        }
    }
}
