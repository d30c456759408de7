//! A connection to one server, or to those of a cluster.

use futures_util::future::join_all;
use redis::aio::{ConnectionLike, MultiplexedConnection};
use redis::cluster_async::ClusterConnection;
use redis::cluster_routing::{MultipleNodeRoutingInfo, ResponsePolicy, RoutingInfo};
use redis::{Cmd, RedisResult};

use super::error::StartProblem;
use super::keys::Keys;
use super::shards::Shards;

/// The oldest version of Redis that has what the service needs: sharded publish/subscribe.
const OLDEST: u32 = 7;

/// A connection to one server, or to those of a cluster.
#[derive(Clone)]
pub(super) enum Connection {
    One(MultiplexedConnection),
    Cluster(ClusterConnection),
}

impl Connection {
    /// Subscribes to a channel.
    pub(super) async fn subscribe(self, channel: &str) -> RedisResult<()> {
        match self {
            Connection::One(mut one) => redis::cmd("SSUBSCRIBE").arg(channel).query_async(&mut one).await,
            Connection::Cluster(mut cluster) => cluster.ssubscribe(channel).await,
        }
    }

    /// Ends the subscription of a channel.
    pub(super) async fn unsubscribe(self, channel: &str) -> RedisResult<()> {
        match self {
            Connection::One(mut one) => redis::cmd("SUNSUBSCRIBE").arg(channel).query_async(&mut one).await,
            Connection::Cluster(mut cluster) => cluster.sunsubscribe(channel).await,
        }
    }

    /// Checks the version of the server, and that it can be written.
    ///
    /// Returns its policy of eviction if it may drop keys.
    ///
    /// # Errors
    ///
    /// If the server can't be used.
    pub(super) async fn check_server(&mut self) -> Result<Option<String>, StartProblem> {
        let info: String = match self {
            Connection::One(_) => {
                redis::cmd("INFO").query_async(self).await.map_err(|error| StartProblem::of(&error))?
            }
            Connection::Cluster(cluster) => {
                let value = cluster.route_command(redis::cmd("INFO"), any_primary()).await;
                let value = value.map_err(|error| StartProblem::of(&error))?;
                redis::from_redis_value(value).map_err(|error| StartProblem::of(&error.into()))?
            }
        };
        let field =
            |name: &str| info.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim);
        // Valkey states the version of Redis that it is compatible with.
        let version = field("redis_version").unwrap_or_default();
        let major: u32 = version.split('.').next().and_then(|major| major.parse().ok()).unwrap_or_default();
        if major < OLDEST {
            return Err(StartProblem::TooOld(Some(version.to_owned())));
        }
        if field("role").is_some_and(|role| role != "master") {
            return Err(match self {
                Connection::One(_) => StartProblem::ReadOnly,
                // The nodes do not agree yet which of them are primaries.
                Connection::Cluster(_) => {
                    StartProblem::Unreachable("a primary of the cluster was replaced just now".to_owned())
                }
            });
        }
        let has_limit = field("maxmemory").is_some_and(|bytes| bytes != "0");
        Ok(field("maxmemory_policy").filter(|policy| has_limit && *policy != "noeviction").map(str::to_owned))
    }

    /// Finds the shards, and asks each whether it answers.
    ///
    /// # Errors
    ///
    /// If no server says which shards there are.
    pub(super) async fn find_shards(&self, keys: &Keys) -> RedisResult<Shards> {
        let Connection::Cluster(cluster) = self else { return Ok(Shards::single()) };
        let command = redis::cmd("CLUSTER").arg("SLOTS").take();
        let mut shards = Shards::read(cluster.clone().route_command(command, any_primary()).await?)?;
        let probes = shards.one_key_of_each(|number| keys.probe(number)).into_iter().map(async |(shard, key)| {
            let mut cluster = cluster.clone();
            let exists: RedisResult<bool> = redis::cmd("EXISTS").arg(key).query_async(&mut cluster).await;
            (shard, exists.is_ok())
        });
        for (shard, answers) in join_all(probes).await {
            if !answers {
                shards.set_silent(shard);
            }
        }
        Ok(shards)
    }
}

/// The primary of a cluster that answers first.
fn any_primary() -> RoutingInfo {
    RoutingInfo::MultiNode((MultipleNodeRoutingInfo::AllMasters, Some(ResponsePolicy::OneSucceeded)))
}

impl ConnectionLike for Connection {
    fn req_packed_command<'a>(&'a mut self, command: &'a Cmd) -> redis::RedisFuture<'a, redis::Value> {
        match self {
            Connection::One(connection) => connection.req_packed_command(command),
            Connection::Cluster(connection) => connection.req_packed_command(command),
        }
    }

    fn req_packed_commands<'a>(
        &'a mut self,
        pipeline: &'a redis::Pipeline,
        offset: usize,
        count: usize,
    ) -> redis::RedisFuture<'a, Vec<redis::Value>> {
        match self {
            Connection::One(connection) => connection.req_packed_commands(pipeline, offset, count),
            Connection::Cluster(connection) => connection.req_packed_commands(pipeline, offset, count),
        }
    }

    fn get_db(&self) -> i64 {
        match self {
            Connection::One(connection) => connection.get_db(),
            Connection::Cluster(connection) => connection.get_db(),
        }
    }
}
