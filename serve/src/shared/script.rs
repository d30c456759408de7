//! Scripts that the store runs.

use redis::{ErrorKind, FromRedisValue, RedisResult, ServerErrorKind, ToRedisArgs};

use super::connection::Connection;

/// A script that the store runs.
pub(super) struct StoreScript {
    text: &'static str,
    hash: String,
}

/// A script with its keys and arguments.
pub(super) struct Call<'a> {
    script: &'a StoreScript,
    keys: Vec<Vec<u8>>,
    args: Vec<Vec<u8>>,
}

impl StoreScript {
    pub(super) fn new(text: &'static str) -> StoreScript {
        StoreScript { text, hash: redis::Script::new(text).get_hash().to_owned() }
    }

    /// Returns a call without keys and arguments yet.
    pub(super) fn call(&self) -> Call<'_> {
        Call { script: self, keys: Vec::new(), args: Vec::new() }
    }
}

impl Call<'_> {
    /// Adds a key. In a cluster, the first one leads to the server.
    pub(super) fn key(&mut self, key: impl ToRedisArgs) -> &mut Self {
        key.write_redis_args(&mut self.keys);
        self
    }

    pub(super) fn arg(&mut self, arg: impl ToRedisArgs) -> &mut Self {
        arg.write_redis_args(&mut self.args);
        self
    }

    /// Removes the last argument.
    pub(super) fn pop_arg(&mut self) {
        self.args.pop();
    }

    /// Returns the first key.
    pub(super) fn first_key(&self) -> &[u8] {
        self.keys.first().map_or(&[], |key| key)
    }

    /// Runs the script.
    ///
    /// A server that does not have it yet gets its text with the call. `SCRIPT LOAD` would need
    /// every server of a cluster, and one of them may be silent.
    pub(super) async fn run<T: FromRedisValue>(&self, connection: &mut Connection) -> RedisResult<T> {
        let run = async |connection: &mut Connection, command: &str, script: &str| {
            let mut command = redis::cmd(command);
            command.arg(script).arg(self.keys.len()).arg(&*self.keys).arg(&*self.args);
            command.query_async(connection).await
        };
        match run(connection, "EVALSHA", &self.script.hash).await {
            Err(error) if error.kind() == ErrorKind::Server(ServerErrorKind::NoScript) => {
                run(connection, "EVAL", self.script.text).await
            }
            result => result,
        }
    }
}
