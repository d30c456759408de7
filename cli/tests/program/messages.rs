//! Tests of the messages of the command line: what is wrong, and what to do.

use std::net::TcpListener;

use crate::common::{ends, run};

#[test]
fn a_wrong_chunk_is_explained_in_plain_words() {
    for (chunk, says) in [
        ("x", "\"x\" is not a whole number: give the bytes of a chunk, such as 4, or random: and a number"),
        ("random:x", "\"x\" is not a whole number: give random: and a number, such as random:1"),
        ("0", "a chunk has at least 1 byte"),
    ] {
        let (_, err) = ends(&run(&["parse", "--chunk", chunk], ""), 2);
        assert!(err.contains(says) && !err.contains("invalid digit"), "{err}");
    }
}

#[test]
fn a_wrong_delay_is_explained_in_plain_words() {
    let (_, err) = ends(&run(&["parse", "--delay", "x"], ""), 2);
    assert!(err.contains("\"x\" is not a whole number of milliseconds"), "{err}");
}

#[test]
fn wrong_names_of_envelopes_are_explained() {
    for command in ["parse", "ask", "serve"] {
        for (args, says) in [
            (&["--envelopes", "kimmi"][..], "a similar value exists: 'kimi'"),
            (&["--envelopes", "kimi,"], "a value is required for '--envelopes <NAMES>'"),
            (&["--envelopes", ""], "[possible values: default, all, none, function-xml,"),
            (&["--envelopes", "kimi;glm"], "invalid value 'kimi;glm' for '--envelopes <NAMES>'"),
            (&["--envelopes", "none,kimi"], "none among other names: give it alone, or leave it out"),
            (&["--strict", "--envelopes", "kimi"], "--strict reads no envelopes: leave out --strict, or --envelopes"),
        ] {
            let args: Vec<_> = std::iter::once(&command).chain(args).copied().collect();
            let (out, err) = ends(&run(&args, ""), 2);
            assert!(out.is_empty() && err.contains(says), "{args:?}: {err}");
        }
    }
}

#[test]
fn every_command_has_the_version() {
    for command in ["parse", "ask", "serve", "bench"] {
        let (out, _) = ends(&run(&[command, "--version"], ""), 0);
        assert_eq!(out, format!("followup-{command} {}\n", env!("CARGO_PKG_VERSION")));
    }
}

#[test]
fn an_address_in_use_has_a_remedy() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (_, err) = ends(&run(&["serve", "--demo", "--listen", &address], ""), 1);
    let says = format!("followup: can't listen on {address}: another program listens there");
    assert!(err.starts_with(&says) && err.contains("followup serve --listen 127.0.0.1:0"), "{err}");
    assert!(!err.contains("os error"), "{err}");
}
