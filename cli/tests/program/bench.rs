//! Tests of `followup bench`: that it measures, not what.

use crate::common::{ends, followup, run};
use serde_json::Value;

#[test]
fn every_workload_is_measured_with_every_chunk_size() {
    let (out, _) = ends(&run(&["bench", "--json", "--time", "1"], ""), 0);
    let lines: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let fields = ["workload", "chunk", "ns_per_chunk", "mb_per_s", "push_str_ns", "memchr_mb_per_s"];
    for line in &lines {
        assert!(line.as_object().unwrap().keys().eq([
            "chunk",
            "mb_per_s",
            "memchr_mb_per_s",
            "ns_per_chunk",
            "push_str_ns",
            "workload"
        ]));
        assert!(fields[1..].iter().all(|field| line[field].as_f64().unwrap() > 0.0), "{line}");
    }
    let chunks = |workload: &str| -> Vec<u64> {
        lines.iter().filter(|line| line["workload"] == workload).map(|line| line["chunk"].as_u64().unwrap()).collect()
    };
    for workload in ["prose", "questions", "tsx", "envelopes"] {
        let chunks = chunks(workload);
        assert_eq!(chunks[..5], [1, 4, 16, 64, 4096]);
        assert!(chunks.len() == 6 && chunks[5] > 1_000_000, "whole");
    }
}

#[test]
fn a_message_of_ones_own_is_measured() {
    let file = tempfile::Builder::new().suffix(".md").tempfile().unwrap();
    std::fs::write(file.path(), "Hm. <ask_followup_question><question>Wh\u{e9}?</question></ask_followup_question>")
        .unwrap();
    let path = file.path().to_str().unwrap();
    let (out, _) = ends(&run(&["bench", path, "--time", "1"], ""), 0);
    // The header, five chunk sizes up to that of the message, and three lines that explain the
    // columns.
    assert_eq!(out.lines().count(), 9, "{out}");
    assert!(out.starts_with("workload") && out.contains("× memchr: shorter is better\n"), "{out}");
    assert!(out.contains("Everything is a time, and less is better.") && !out.contains("MB/s"), "{out}");
    // The bar shows the figure before it.
    for row in out.lines().skip(1).take(5) {
        let (figures, bar) = row.rsplit_once(' ').unwrap();
        let times: f64 = figures.split_whitespace().last().unwrap().parse().unwrap();
        let length = bar.trim_end_matches('…').chars().count() as f64;
        assert!((length - (times * 2.0).clamp(0.1, 24.0).ceil()).abs() <= 1.0, "{row}");
    }
    std::fs::write(file.path(), "").unwrap();
    assert!(ends(&run(&["bench", path], ""), 1).1.contains("is empty"));
    assert_eq!(followup().args(["bench", "no-such-file"]).output().unwrap().status.code(), Some(1));
}
