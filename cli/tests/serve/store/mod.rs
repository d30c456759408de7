//! Several replicas of the service, with a real Redis between them.
//!
//! Without `redis-server`, these tests say that they are skipped; in CI they fail.

mod old_server;
mod redis_server;
mod replicas;
mod scene;
mod troubles;
