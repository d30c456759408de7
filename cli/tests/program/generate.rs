//! Tests of `followup completions` and `followup man`.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::common::{ends, followup, run};

const COMMANDS: [&str; 7] = ["parse", "ask", "serve", "bench", "shapes", "completions", "man"];

/// Runs `program` with this standard input. `None` if it is not installed.
fn pipe(program: &str, args: &[&str], stdin: &str) -> Option<String> {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().ok()?;
    child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let (out, err) = ends(&output, 0);
    assert_eq!(err, "");
    Some(out)
}

#[test]
fn every_shell_gets_a_script_with_every_command() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let (script, _) = ends(&run(&["completions", shell], ""), 0);
        for command in COMMANDS {
            assert!(script.contains(command), "{shell}: {command}");
        }
    }
    let (_, err) = ends(&run(&["completions", "tcsh"], ""), 2);
    assert!(err.contains("powershell"), "{err}");
}

#[test]
#[cfg(unix)]
fn bash_completes_commands_and_options() {
    let (script, _) = ends(&run(&["completions", "bash"], ""), 0);
    // Calls the function as bash does: with the command, the current word and the previous one.
    let call = r#"
        n=$((${#COMP_WORDS[@]} - 1)); COMP_CWORD=$n
        _followup followup "${COMP_WORDS[n]}" "${COMP_WORDS[n - 1]}"; echo "${COMPREPLY[*]}""#;
    let completed = |words: &str| pipe("bash", &["--norc"], &format!("{script}\nCOMP_WORDS=({words})\n{call}\n"));
    let Some(command) = completed("followup pa") else { return eprintln!("bash is not installed") };
    assert_eq!(command, "parse\n");
    assert_eq!(completed("followup parse --rec").unwrap(), "--records\n");
    assert!(completed("followup ask --format anth").unwrap().contains("anthropic"));
    assert_eq!(completed("followup parse --envelopes ki").unwrap(), "kimi\n");
    assert_eq!(completed("followup shapes cod").unwrap(), "codex\n");
}

#[test]
fn the_manual_page_lists_every_command_and_each_has_a_page() {
    let (page, _) = ends(&run(&["man"], ""), 0);
    for command in COMMANDS {
        assert!(page.contains(&format!("followup\\-{command}(1)")), "{command}");
        let (page, _) = ends(&run(&["man", command], ""), 0);
        assert!(page.contains(&format!(".TH followup-{command} 1")), "{page}");
        assert!(page.contains(".SH \"Examples\""), "{command}");
    }
    let (_, err) = ends(&run(&["man", "klingon"], ""), 2);
    assert!(err.contains("it is one of parse, ask, serve"), "{err}");
}

/// `-ww` makes groff report every mistake in the page.
#[test]
fn groff_renders_the_manual_pages_with_their_lines_as_they_are() {
    // Since version 1.23, groff typesets these. Some distributions, and earlier versions, do not.
    let typeset = ".char ' \\[cq]\n.char ` \\[oq]\n.char ~ \\[u02DC]\n.char ^ \\[u02C6]\n.SH";
    for command in std::iter::once(&"").chain(&COMMANDS) {
        let command = Some(*command).filter(|name| !name.is_empty());
        let (page, _) = ends(&followup().arg("man").args(command).output().unwrap(), 0);
        let args = ["-man", "-Tutf8", "-Kutf8", "-ww", "-P-cbou"];
        let Some(text) = pipe("groff", &args, &page.replacen(".SH", typeset, 1)) else {
            return eprintln!("groff is not installed");
        };
        assert!(text.contains("NAME") && text.contains("SYNOPSIS"), "{command:?}: {text}");
        assert!(!text.contains(['‘', '’']), "{command:?}: {text}");
        let (help, _) = ends(&followup().args(command).arg("--help").output().unwrap(), 0);
        let (_, by_hand) = help.split_once("\nExamples:\n").unwrap();
        for line in by_hand.lines().filter(|line| line.starts_with(' ')) {
            assert!(text.contains(&format!("{line}\n")), "{command:?}: {line}\n{text}");
        }
    }
}
