//! Without a Redis server, a test of the store says that it is skipped.

use std::process::{Command, Output};

/// A test that needs a server.
const TEST: &str = "store::replicas::a_replica_is_ready_while_it_reaches_the_store";

/// Runs one test of this program where there are no other programs.
fn run(prepare: impl FnOnce(&mut Command) -> &mut Command) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", TEST]).env("PATH", "").env_remove("CI");
    prepare(&mut command).output().unwrap()
}

#[test]
fn without_a_server_a_test_names_itself_as_skipped() {
    let output = run(|command| command);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    assert_eq!(said, format!("skipped, because there is no redis-server: {TEST}\n"));
}

#[test]
fn without_a_server_a_test_fails_in_ci() {
    let output = run(|command| command.env("CI", "true"));
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(!output.status.success() && said.contains("there is no redis-server, which CI installs"), "{said}");
}
