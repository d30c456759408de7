//! What became of a question that was closed, and of a reply.

use serde::{Deserialize, Serialize};

/// Why a question can't be answered here any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ClosedWhy {
    /// The agent has gone on without an answer from here.
    AnsweredElsewhere,
    /// The user does not want to answer.
    Dismissed,
}

/// Why a question was closed, and with which answer if that is known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Closing {
    pub(crate) why: ClosedWhy,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) said: Option<String>,
}

/// What became of a reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Delivery {
    pub(crate) state: DeliveryState,
    /// A sentence for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) why: Option<String>,
    /// Whether the service can try again.
    pub(crate) retry: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DeliveryState {
    /// It waits for the agent to collect it.
    Pending,
    /// The agent has it.
    Collected,
    /// The service has sent it to the provider.
    Sent,
    /// It was not delivered.
    Failed,
}

impl DeliveryState {
    /// Returns the label of the state in the metrics.
    pub(crate) fn label(self) -> &'static str {
        match self {
            DeliveryState::Pending => "pending",
            DeliveryState::Collected => "collected",
            DeliveryState::Sent => "sent",
            DeliveryState::Failed => "failed",
        }
    }
}
