//! Amazon Bedrock: `ConverseStream` and `InvokeModelWithResponseStream`.
//!
//! A payload is an event as the SDKs give it, an object whose only key is the event's name. An
//! event `chunk` has the payload of the invoked model, which every model writes in its own way.

mod converse;
#[cfg(feature = "eventstream")]
mod invoke;

use crate::wire::deltas::Deltas;

/// The parser of the payloads of one body.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(in crate::wire) struct BedrockParser {
    #[cfg(feature = "eventstream")]
    invoked: invoke::InvokedModel,
}

impl BedrockParser {
    /// Clears the buffers that are reused for the next payload.
    pub(in crate::wire) fn clear_buffers(&mut self) {
        #[cfg(feature = "eventstream")]
        self.invoked.clear_buffer();
    }

    pub(super) fn parse(&mut self, payload: &str, deltas: &mut Deltas) -> serde_json::Result<()> {
        let chunk = converse::parse(payload, deltas)?;
        #[cfg(feature = "eventstream")]
        if let Some(chunk) = chunk {
            self.invoked.parse(chunk, deltas)?;
        }
        #[cfg(not(feature = "eventstream"))]
        let _ = chunk;
        Ok(())
    }
}
