//! What an agent's request shows of the conversation so far.

/// What an agent's request shows of the conversation so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RequestContent {
    /// The first message of the user: the conversation's title.
    pub(crate) title: Option<String>,
    /// The replies after the model's last message.
    pub(crate) replies: Vec<ShownReply>,
}

/// A reply to the model that a request shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShownReply {
    /// The id of the native call that it answers; `None` for a message of the user.
    pub(crate) call_id: Option<String>,
    pub(crate) text: String,
}
