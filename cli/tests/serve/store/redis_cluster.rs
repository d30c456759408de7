//! A cluster: three primaries, and a copy of each.

use tempfile::TempDir;

use super::redis_server::{RedisServer, free_port};
use crate::client::until;

/// How long a node may be silent before the others take it for dead, in milliseconds.
///
/// A machine that is busy may stop a node for a while.
const NODE_TIMEOUT: &str = "15000";

/// The same where the nodes themselves have to replace one that is killed.
const SHORT_NODE_TIMEOUT: &str = "1000";

/// The same while a cluster starts. As long as it takes, a primary that knows no other refuses
/// commands.
const NODE_TIMEOUT_AT_START: &str = "2000";

/// Three primaries, and a copy of each. Everything is killed when dropped.
pub(super) struct RedisCluster {
    /// The primaries, then their copies.
    pub(super) nodes: Vec<RedisServer>,
    _folder: TempDir,
}

impl RedisCluster {
    /// Starts a cluster; `None` if there is no Redis.
    pub(super) async fn start() -> Option<RedisCluster> {
        let folder = tempfile::tempdir().unwrap();
        let buses: Vec<u16> = (0..6).map(|_| free_port()).collect();
        let start = |bus: &u16| {
            let (bus, file) = (bus.to_string(), folder.path().join(format!("{bus}.conf")));
            let file = file.to_str().unwrap();
            let more = ["--repl-diskless-sync-delay", "0", "--cluster-node-timeout", NODE_TIMEOUT_AT_START];
            let cluster = ["--cluster-enabled", "yes", "--cluster-port", &bus, "--cluster-config-file", file];
            RedisServer::start(&[&cluster[..], &more].concat())
        };
        let nodes: Vec<RedisServer> = buses.iter().map(start).collect::<Option<_>>()?;
        for (index, slots) in ["0 5460", "5461 10922", "10923 16383"].into_iter().enumerate() {
            nodes[index].tell(&format!("CLUSTER ADDSLOTSRANGE {slots}"));
        }
        for (index, node) in nodes.iter().enumerate() {
            node.tell(&format!("CLUSTER SET-CONFIG-EPOCH {}", index + 1));
        }
        for (index, node) in nodes.iter().enumerate() {
            // All meet all, because gossip takes seconds.
            for other in &nodes {
                other.tell(&format!("CLUSTER MEET 127.0.0.1 {} {}", node.port, buses[index]));
            }
        }
        let cluster = RedisCluster { nodes, _folder: folder };
        for node in &cluster.nodes {
            until(async || node.ask("CLUSTER INFO").contains("cluster_known_nodes:6")).await;
        }
        for (primary, copy) in cluster.nodes.iter().zip(&cluster.nodes[3..]) {
            let id = primary.ask("CLUSTER MYID");
            let command = format!("CLUSTER REPLICATE {}", id.lines().nth(1).unwrap());
            until(async || copy.ask(&command).starts_with("+OK")).await;
            until(async || primary.ask("INFO replication").contains("state=online")).await;
        }
        for node in &cluster.nodes {
            until(async || {
                let copies = node.ask("CLUSTER NODES").matches("slave ").count();
                copies == 3 && node.ask("CLUSTER INFO").contains("cluster_state:ok")
            })
            .await;
        }
        cluster.set_node_timeout(NODE_TIMEOUT);
        Some(cluster)
    }

    /// Lets the nodes soon replace one that is killed after this.
    pub(super) fn replace_soon(&self) {
        self.set_node_timeout(SHORT_NODE_TIMEOUT);
    }

    fn set_node_timeout(&self, timeout: &str) {
        for node in &self.nodes {
            node.tell(&format!("CONFIG SET cluster-node-timeout {timeout}"));
        }
    }

    pub(super) fn url(&self) -> String {
        let hosts: Vec<_> = self.nodes[..3].iter().map(|node| format!("127.0.0.1:{}", node.port)).collect();
        format!("redis+cluster://{}", hosts.join(","))
    }

    /// Returns the index of the primary that keeps a conversation.
    pub(super) fn primary_of(&self, id: &str) -> usize {
        let slot: usize =
            self.nodes.iter().find(|node| node.is_up()).unwrap().ask(&format!("CLUSTER KEYSLOT {{{id}}}"))[1..]
                .parse()
                .unwrap();
        match slot {
            0..=5460 => 0,
            5461..=10922 => 1,
            _ => 2,
        }
    }

    /// Returns ids of conversations that a primary keeps. They begin with a name.
    pub(super) fn ids_on(&self, primary: usize, name: &str) -> impl Iterator<Item = String> {
        (0..).map(move |index| format!("{name}-{index}")).filter(move |id| self.primary_of(id) == primary)
    }

    /// Puts the copy of a primary that is killed in its place, as an operator would.
    pub(super) async fn promote(&self, primary: usize) {
        self.nodes[primary + 3].tell("CLUSTER FAILOVER TAKEOVER");
        self.promoted(primary).await;
    }

    /// Waits until the copy of a primary has taken its place.
    pub(super) async fn promoted(&self, primary: usize) {
        until(async || self.nodes[primary + 3].ask("ROLE").contains("master")).await;
    }
}
