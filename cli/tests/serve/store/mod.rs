//! Several replicas of the service, with a real Redis between them.
//!
//! Without `redis-server`, these tests say that they are skipped; in CI they fail.

mod cluster;
mod commands;
mod deployed;
mod endings;
mod failover;
mod figures;
mod law_log;
mod law_run;
mod laws;
mod limits;
mod long;
mod losses;
mod old_server;
mod proxy;
mod redis_cluster;
mod redis_server;
mod refusals;
mod replicas;
mod retrying;
mod scene;
mod secrets;
mod sentinels;
mod silent;
mod skipping;
mod takes;
mod tcp_proxy;
mod tls;
mod troubles;
mod writers;

pub(crate) use redis_server::free_port;
