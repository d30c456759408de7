//! Tests of the screen in each state, at several sizes, against the text files in `golden/`.
//!
//! `FOLLOWUP_SCREENS=write cargo test -p followup-cli screens` writes the files, for review.

use std::path::Path;

use super::*;
use crate::test_size::is_short;

/// The name of a state, and the actions that lead to it.
pub(super) type Case = (&'static str, fn(&mut Scene));

pub(super) const SIZES: [(u16, u16); 3] = [(72, 18), (34, 20), (16, 12)];

const STATES: &[Case] = &[
    ("empty", |_| {}),
    ("growing prose", |scene| {
        scene.writes("# Plan\n\nI looked at `Cargo.toml` and at **both** servi");
    }),
    ("call of another tool", |scene| {
        scene.writes("First <read_file>\n<path>src/main.rs</path>\n</read_file>\nthen more.");
    }),
    ("calls of other tools shown", |scene| {
        scene.writes("First <read_file>\n<path>src/main.rs</path>\n</read_file>\nthen more.").types("o");
    }),
    ("growing question", |scene| {
        scene.writes("One thing.\n").writes(&QUESTION[..80]);
    }),
    ("growing suggestion", |scene| {
        scene.writes("One thing.\n").writes(QUESTION).writes("<suggest>Postgre");
    }),
    ("open question", |scene| {
        scene.writes("One thing.\n").writes(&call());
    }),
    ("second choice selected", |scene| {
        scene.writes("One thing.\n").writes(&call()).press(KeyCode::Down);
    }),
    ("text after the open question", |scene| {
        scene.writes(&call()).writes("\n\nMeanwhile:\n\n1. this\n2. that\n3. and more");
    }),
    ("second question waiting", |scene| {
        scene.writes(&call()).writes("\nAnd then ").writes(&asked("Really?", &["Yes", "No"]));
    }),
    ("editing a suggestion", |scene| {
        scene.writes(&call()).press(KeyCode::Down).types("e 3 at least");
    }),
    ("writing an answer", |scene| {
        scene.writes(&call()).types("wNeither.\n日本語 and 👩‍👩‍👧 too");
    }),
    ("typing an image path", |scene| {
        scene.writes(&call()).types("i~/sket");
    }),
    ("unreadable image", |scene| {
        scene.writes(&call()).types("inone.png").press(KeyCode::Enter);
    }),
    ("attached image", |scene| {
        scene.writes(&call()).types("isketch.gif").press(KeyCode::Enter);
    }),
    ("confirming to leave", |scene| {
        scene.writes(&call()).press(KeyCode::Esc);
    }),
    ("all keys", |scene| {
        scene.writes(&call()).types("?");
    }),
    ("next question", |scene| {
        scene.writes(&call()).writes("\nAnd then ").writes(&asked("Really?", &["Yes", "No"])).types("2");
    }),
    ("long answer", |scene| {
        scene.writes(&call()).types("isketch.gif").press(KeyCode::Enter).types("wNeither.\nNor that.");
        scene.press(KeyCode::Enter).ends();
    }),
    ("left unanswered", |scene| {
        scene.writes(&call()).press(KeyCode::Esc).types("y").writes(" So be it.");
    }),
    ("rejected call", |scene| {
        scene.writes("<ask_followup_question><question></question></ask_followup_question>");
    }),
    ("truncated call", |scene| {
        scene.writes(QUESTION).writes("<suggest>Postgre").ends();
    }),
    ("no suggestions", |scene| {
        scene.writes(&asked("What is it called?", &[]));
    }),
    ("advice", |scene| {
        scene.writes(&asked("Where?", &["In [path]", "in  [path]"]));
    }),
    ("advice shown", |scene| {
        scene.writes(&asked("Where?", &["In [path]", "in  [path]"])).types("n");
    }),
    ("long question", |scene| {
        let question: String = (1..40).map(|i| format!("{i}. line\n")).collect();
        scene.writes(&asked(&question, &["Yes", "No"]));
    }),
    ("long question scrolled up", |scene| {
        let question: String = (1..40).map(|i| format!("{i}. line\n")).collect();
        scene.writes(&asked(&question, &["Yes", "No"])).press(KeyCode::PageUp).press(KeyCode::PageUp);
    }),
    ("a dozen suggestions", |scene| {
        let suggestions: Vec<String> = (1..=12).map(|i| format!("answer {i}")).collect();
        let suggestions: Vec<&str> = suggestions.iter().map(|one| &**one).collect();
        scene.writes(&asked("Which?", &suggestions));
    }),
    ("hostile model", |scene| {
        let text = "a\x1B]0;title\x07b\x1B[2Jc\u{202E}d\r!";
        scene.writes(text).writes(&asked(text, &[text, "\u{9B}31m"]));
    }),
];

#[test]
fn screens_match_the_golden_files() {
    assert_golden(STATES, Format::Text);
}

/// Compares the screen in each state with its golden file.
pub(super) fn assert_golden(states: &[Case], wire: Format) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/ask/screen/tests/golden");
    let write = std::env::var_os("FOLLOWUP_SCREENS").is_some_and(|value| value == "write");
    let mut wrong = Vec::new();
    for (name, act) in states {
        let mut pictures = String::new();
        for (width, height) in SIZES {
            let mut scene = Scene::with(width, height, None, wire);
            act(&mut scene);
            scene.becomes_answerable();
            pictures += &scene.shown();
            pictures.push('\n');
        }
        let path = folder.join(format!("{}.txt", name.replace(' ', "-")));
        if write {
            std::fs::write(&path, &pictures).unwrap();
        }
        let golden = std::fs::read_to_string(&path).unwrap_or_default();
        if golden != pictures {
            wrong.push(format!("{name}: it is\n{pictures}and should be\n{golden}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_countdown_is_visible() {
    let mut scene = Scene::with(50, 8, Some(90), Format::Text);
    scene.writes(&asked("Which?", &["This", "That"])).sees("In 90 s: takes suggestion 1. Any key stops that.");
    scene.waits(100).sees("In 90 s").waits(1_000).sees("In 89 s");
}

#[test]
fn no_size_panics() {
    for (_, act) in STATES {
        for width in (0..12).step_by(if is_short() { 4 } else { 1 }) {
            for height in 0..8 {
                let mut scene = Scene::new(width, height);
                act(&mut scene);
            }
        }
    }
}

#[test]
fn a_resized_screen_equals_one_that_started_at_that_size() {
    for (name, act) in STATES {
        // The position after scrolling by pages depends on the size.
        if name.contains("scrolled up") {
            continue;
        }
        for ((width, height), (wide, high)) in SIZES.into_iter().zip(SIZES.into_iter().cycle().skip(1)) {
            let mut scene = Scene::new(width, height);
            act(&mut scene);
            scene.becomes_answerable();
            let mut other = Scene::new(wide, high);
            act(&mut other);
            other.becomes_answerable();
            other.resizes(width, height);
            assert_eq!(other.shown(), scene.shown(), "{name}");
        }
    }
}

#[test]
fn the_selection_and_modes_are_visible_without_colours() {
    let mut scene = Scene::new(40, 10);
    scene.app.theme = Theme::new(false);
    scene.writes(&call()).sees("❯ 1  PostgreSQL").sees("[code] SQLite");
}
