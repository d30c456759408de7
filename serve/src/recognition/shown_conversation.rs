//! What a request shows of the conversation that it extends.

use super::fingerprint::Chain;
use crate::conversation::request_content::RequestContent;

/// What a request shows of its conversation.
#[derive(Debug, Default)]
pub(crate) struct ShownConversation {
    pub(crate) content: RequestContent,
    pub(super) chain: Chain,
}
