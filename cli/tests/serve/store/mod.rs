//! Several replicas of the service, with a real Redis between them.
//!
//! Without `redis-server`, these tests say that they are skipped; in CI they fail.

mod redis_server;
mod replicas;
