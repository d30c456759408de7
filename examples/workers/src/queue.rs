//! What the workers share: the stream of pieces, and the state of each conversation, in Redis.

use followup::wire::Checkpoint;
use redis::streams::{
    StreamAutoClaimOptions, StreamAutoClaimReply, StreamId, StreamRangeReply, StreamReadOptions, StreamReadReply,
};
use redis::{Commands, Connection, FromRedisValue, RedisError, RedisResult, Script, Value};

use crate::Piece;

/// The stream of pieces, and its consumer group.
const PIECES: &str = "workers:pieces";
const GROUP: &str = "workers";

/// How long the state of a conversation is kept after its last piece, in milliseconds.
///
/// It has to be longer than a piece may wait in the stream.
const KEPT: u64 = 24 * 3600 * 1000;

/// How many pieces a worker takes at once, and how long it waits for one, in milliseconds.
const AT_ONCE: usize = 10;
const WAIT: usize = 500;

/// A connection to what the workers share.
#[expect(missing_debug_implementations, reason = "a connection has none")]
pub struct Queue {
    connection: Connection,
    arrive: Script,
    commit: Script,
}

/// Where a conversation is, and the piece whose turn it is.
#[derive(Debug)]
pub struct Turn {
    /// The state of the parser; `None` before the first piece.
    pub checkpoint: Option<Checkpoint>,
    /// The piece.
    pub piece: Piece,
}

impl Queue {
    /// Connects to Redis.
    ///
    /// # Errors
    ///
    /// If it can't be reached.
    pub fn connect(url: &str) -> RedisResult<Queue> {
        let mut connection = redis::Client::open(url)?.get_connection()?;
        let created: RedisResult<()> = connection.xgroup_create_mkstream(PIECES, GROUP, "0");
        // Another worker may have created it.
        if let Err(error) = created
            && error.code() != Some("BUSYGROUP")
        {
            return Err(error);
        }
        let (arrive, commit) = (Script::new(include_str!("arrive.lua")), Script::new(include_str!("commit.lua")));
        Ok(Queue { connection, arrive, commit })
    }

    /// Sends a piece to the workers.
    ///
    /// # Errors
    ///
    /// If Redis can't be reached. The piece may have been sent: send it again.
    pub fn send(&mut self, piece: &Piece) -> RedisResult<()> {
        redis::cmd("XADD")
            .arg(PIECES)
            .arg("*")
            .arg(&[("conversation", &*piece.conversation)])
            .arg("offset")
            .arg(piece.offset)
            .arg(&[("last", u8::from(piece.is_last))])
            .arg("bytes")
            .arg(&piece.bytes)
            .exec(&mut self.connection)
    }

    /// Waits for some pieces that no worker has got yet.
    ///
    /// # Errors
    ///
    /// If Redis can't be reached.
    pub fn receive(&mut self, worker: &str) -> RedisResult<Vec<StreamId>> {
        let options = StreamReadOptions::default().group(GROUP, worker).count(AT_ONCE).block(WAIT);
        let reply: Option<StreamReadReply> = self.connection.xread_options(&[PIECES], &[">"], &options)?;
        Ok(reply.into_iter().flat_map(|reply| reply.keys).flat_map(|key| key.ids).collect())
    }

    /// Returns some pieces that another worker got so many milliseconds ago, and has not finished.
    ///
    /// # Errors
    ///
    /// If Redis can't be reached.
    pub fn receive_again(&mut self, worker: &str, after: u64) -> RedisResult<Vec<StreamId>> {
        let options = StreamAutoClaimOptions::default().count(AT_ONCE);
        let reply: StreamAutoClaimReply =
            self.connection.xautoclaim_options(PIECES, GROUP, worker, after, "0", options)?;
        Ok(reply.claimed)
    }

    /// Finishes a piece: no worker gets it again.
    ///
    /// # Errors
    ///
    /// If Redis can't be reached.
    pub fn finish(&mut self, id: &str) -> RedisResult<()> {
        redis::pipe().xack(PIECES, GROUP, &[id]).xdel(PIECES, &[id]).exec(&mut self.connection)
    }

    /// Lets a piece wait for its turn. Returns the piece whose turn it is, if it has arrived.
    ///
    /// # Errors
    ///
    /// If Redis can't be reached, or a checkpoint can't be read.
    pub fn arrive(&mut self, piece: &Piece) -> RedisResult<Option<Turn>> {
        let [state, waiting, _] = keys(&piece.conversation);
        let mut call = self.arrive.key(state);
        call.key(waiting).arg(piece.offset).arg(piece.to_waiting()).arg(KEPT);
        turn(&piece.conversation, call.invoke(&mut self.connection)?)
    }

    /// Appends the events of a piece, and moves the state past it.
    ///
    /// `checkpoint` is `None` after the last.
    ///
    /// Returns the next piece, if it has arrived, and if no other worker has applied this one.
    ///
    /// # Errors
    ///
    /// If Redis can't be reached, or a checkpoint can't be read.
    pub fn commit(
        &mut self,
        piece: &Piece,
        events: &[String],
        checkpoint: Option<&Checkpoint>,
    ) -> RedisResult<Option<Turn>> {
        let checkpoint = checkpoint.map(serde_json::to_string).transpose().map_err(unreadable)?.unwrap_or_default();
        let [state, waiting, log] = keys(&piece.conversation);
        let mut call = self.commit.key(state);
        call.key(waiting).key(log).arg(piece.offset).arg(piece.end()).arg(checkpoint).arg(KEPT).arg(events);
        turn(&piece.conversation, call.invoke(&mut self.connection)?)
    }

    /// Returns the events of a conversation after the one with this id, with their ids.
    ///
    /// # Errors
    ///
    /// If Redis can't be reached.
    pub fn events(&mut self, conversation: &str, after: &str) -> RedisResult<Vec<(String, String)>> {
        let [.., log] = keys(conversation);
        let reply: StreamRangeReply = self.connection.xrange(log, format!("({after}"), "+")?;
        Ok(reply.ids.iter().map(|entry| (entry.id.clone(), entry.get("event").unwrap_or_default())).collect())
    }
}

/// Returns the keys of a conversation: state, waiting pieces, events.
///
/// A cluster keeps them together.
fn keys(conversation: &str) -> [String; 3] {
    ["state", "waiting", "events"].map(|name| format!("workers:{{{conversation}}}:{name}"))
}

/// Reads what a script has returned: offset, checkpoint, and the piece at that offset.
fn turn(conversation: &str, returned: Value) -> RedisResult<Option<Turn>> {
    let returned: Option<(u64, String, Option<Vec<u8>>)> = FromRedisValue::from_redis_value(returned)?;
    let Some((offset, checkpoint, Some(waiting))) = returned else { return Ok(None) };
    let checkpoint = match &*checkpoint {
        "" => None,
        json => Some(serde_json::from_str(json).map_err(unreadable)?),
    };
    Ok(Piece::from_waiting(conversation, offset, &waiting).map(|piece| Turn { checkpoint, piece }))
}

fn unreadable(error: serde_json::Error) -> RedisError {
    std::io::Error::new(std::io::ErrorKind::InvalidData, error).into()
}
