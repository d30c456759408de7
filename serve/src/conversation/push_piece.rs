//! Pushes a turn in pieces: each by a request of its own, which may be sent again.

use followup::wire;
use serde::Serialize;

use super::Conversation;
use super::continuation::Continuation;
use super::pieces::Pieces;
use super::request_content::RequestContent;
use super::state::ConversationState;
use super::turn_state::TurnState;
use crate::error::ApiError;

/// A piece of a provider's body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece<'a> {
    /// The name of the message, which its sender chooses.
    pub(crate) message: &'a str,
    /// How many bytes of the body come before the piece.
    pub(crate) offset: u64,
    pub(crate) bytes: &'a [u8],
    pub(crate) is_last: bool,
    /// `None` if the parser is to detect it.
    pub(crate) wire: Option<wire::Format>,
}

/// What a message needs next, after a piece of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct PieceOutcome {
    /// The offset of the next piece.
    pub(crate) offset: u64,
    turn: TurnState,
}

impl Conversation {
    /// Applies the next piece of a message. The first piece begins a turn.
    ///
    /// What of the piece was applied before is skipped.
    ///
    /// # Errors
    ///
    /// If something is missing before the piece, another turn is streaming, or the conversation is
    /// gone.
    pub(crate) fn push_piece(&self, piece: Piece<'_>) -> Result<PieceOutcome, ApiError> {
        let mut state = self.lock_to_write()?;
        let is_known = state.pieces.as_ref().is_some_and(|pieces| pieces.message == piece.message);
        if !is_known {
            if state.turn == TurnState::Streaming {
                return Err(ApiError::busy(&self.id));
            }
            if piece.offset > 0 {
                return Err(ApiError::gap(piece.message, 0));
            }
            self.begin_message(&mut state, &piece);
        }
        self.apply_piece(&mut state, &piece)?;
        let offset = state.pieces.as_ref().map_or(0, |pieces| pieces.offset);
        Ok(PieceOutcome { offset, turn: state.turn })
    }

    fn begin_message(&self, state: &mut ConversationState, piece: &Piece<'_>) {
        state.supersede(&RequestContent::default(), &self.settings.setup, &self.metrics);
        state.begin_turn("pieces", &self.metrics);
        let checkpoint = self.settings.response_parser(piece.wire).checkpoint();
        state.pieces = Some(Pieces { message: piece.message.to_owned(), offset: 0, checkpoint: Some(checkpoint) });
    }

    fn apply_piece(&self, state: &mut ConversationState, piece: &Piece<'_>) -> Result<(), ApiError> {
        let Some(Pieces { message, offset, checkpoint: Some(checkpoint) }) = &state.pieces else { return Ok(()) };
        let (message, offset) = (message.clone(), *offset);
        let Some(skipped) = offset.checked_sub(piece.offset) else {
            return Err(ApiError::gap(piece.message, offset));
        };
        let new = usize::try_from(skipped).ok().and_then(|skipped| piece.bytes.get(skipped..)).unwrap_or_default();
        let (policy, limits) = (self.settings.policy.clone(), self.settings.wire_limits);
        let mut parser = wire::ResponseParser::resume(policy, limits, checkpoint.clone())
            .map_err(|error| ApiError::store_unreadable(&error))?;
        self.metrics.bytes(new.len());
        state.apply_all(parser.feed(new), &self.metrics);
        let is_last = piece.is_last && piece.offset + piece.bytes.len() as u64 >= offset;
        if is_last {
            state.apply_all(parser.finish(), &self.metrics);
        }
        let checkpoint = (!is_last).then(|| parser.checkpoint());
        state.pieces = Some(Pieces { message, offset: offset + new.len() as u64, checkpoint });
        state.log.unpublished.pieces = true;
        if is_last {
            state.end_turn(false, Continuation::Nothing, &self.metrics);
        }
        Ok(())
    }
}
