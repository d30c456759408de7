//! What is on the screen in each state, at several sizes, as text in `golden/`.
//!
//! A picture that is not there, or is wrong, is a failure. `FOLLOWUP_SCREENS=write cargo test -p followup-cli screens` writes them anew, to be
//! looked at.

use std::path::Path;

use super::*;

/// A state, and how it is come to.
type State = (&'static str, fn(&mut Scene));

const SIZES: [(u16, u16); 3] = [(72, 18), (34, 20), (16, 12)];

const STATES: &[State] = &[
    ("nothing yet", |_| {}),
    ("prose grows", |scene| {
        scene.writes("# Plan\n\nI looked at `Cargo.toml` and at **both** servi");
    }),
    ("another tool works", |scene| {
        scene.writes("First <read_file>\n<path>src/main.rs</path>\n</read_file>\nthen more.");
    }),
    ("the question grows", |scene| {
        scene.writes("One thing.\n").writes(&QUESTION[..80]);
    }),
    ("a suggestion grows", |scene| {
        scene.writes("One thing.\n").writes(QUESTION).writes("<suggest>Postgre");
    }),
    ("a question is open", |scene| {
        scene.writes("One thing.\n").writes(&call());
    }),
    ("another choice is selected", |scene| {
        scene.writes("One thing.\n").writes(&call()).press(KeyCode::Down);
    }),
    ("the rest still comes", |scene| {
        scene.writes(&call()).writes("\n\nMeanwhile:\n\n1. this\n2. that\n3. and more");
    }),
    ("another question waits", |scene| {
        scene.writes(&call()).writes("\nAnd then ").writes(&asked("Really?", &["Yes", "No"]));
    }),
    ("a suggestion is changed", |scene| {
        scene.writes(&call()).press(KeyCode::Down).types("e 3 at least");
    }),
    ("something is written", |scene| {
        scene.writes(&call()).types("wNeither.\n日本語 and 👩‍👩‍👧 too");
    }),
    ("a path is asked for", |scene| {
        scene.writes(&call()).types("i~/sket");
    }),
    ("an image can't be read", |scene| {
        scene.writes(&call()).types("inone.png").press(KeyCode::Enter);
    }),
    ("an image is sent with it", |scene| {
        scene.writes(&call()).types("isketch.gif").press(KeyCode::Enter);
    }),
    ("it may be left", |scene| {
        scene.writes(&call()).press(KeyCode::Esc);
    }),
    ("all keys", |scene| {
        scene.writes(&call()).types("?");
    }),
    ("the next question", |scene| {
        scene.writes(&call()).writes("\nAnd then ").writes(&asked("Really?", &["Yes", "No"])).types("2");
    }),
    ("it was answered at length", |scene| {
        scene.writes(&call()).types("isketch.gif").press(KeyCode::Enter).types("wNeither.\nNor that.");
        scene.press(KeyCode::Enter).ends();
    }),
    ("it was left", |scene| {
        scene.writes(&call()).press(KeyCode::Esc).press(KeyCode::Esc).writes(" So be it.");
    }),
    ("a call is rejected", |scene| {
        scene.writes("<ask_followup_question><question></question></ask_followup_question>");
    }),
    ("a call is cut off", |scene| {
        scene.writes(QUESTION).writes("<suggest>Postgre").ends();
    }),
    ("nothing is suggested", |scene| {
        scene.writes(&asked("What is it called?", &[]));
    }),
    ("there is advice", |scene| {
        scene.writes(&asked("Where?", &["In [path]", "in  [path]"]));
    }),
    ("a long question", |scene| {
        let question: String = (1..40).map(|i| format!("{i}. line\n")).collect();
        scene.writes(&asked(&question, &["Yes", "No"]));
    }),
    ("a long question from further up", |scene| {
        let question: String = (1..40).map(|i| format!("{i}. line\n")).collect();
        scene.writes(&asked(&question, &["Yes", "No"])).press(KeyCode::PageUp).press(KeyCode::PageUp);
    }),
    ("a dozen suggestions", |scene| {
        let suggestions: Vec<String> = (1..=12).map(|i| format!("answer {i}")).collect();
        let suggestions: Vec<&str> = suggestions.iter().map(|one| &**one).collect();
        scene.writes(&asked("Which?", &suggestions));
    }),
    ("a hostile model", |scene| {
        let text = "a\x1B]0;title\x07b\x1B[2Jc\u{202E}d\r!";
        scene.writes(text).writes(&asked(text, &[text, "\u{9B}31m"]));
    }),
];

#[test]
fn screens_are_as_they_were_looked_at() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/ask/screen/tests/golden");
    let write = std::env::var_os("FOLLOWUP_SCREENS").is_some_and(|value| value == "write");
    let mut wrong = Vec::new();
    for (name, act) in STATES {
        let mut pictures = String::new();
        for (width, height) in SIZES {
            let mut scene = Scene::new(width, height);
            act(&mut scene);
            scene.settles();
            pictures += &scene.shown();
            pictures.push('\n');
        }
        let path = folder.join(format!("{}.txt", name.replace(' ', "-").replace('\'', "")));
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
fn a_countdown_is_seen() {
    let mut scene = Scene::with(50, 8, Some(90), Format::Text);
    scene.writes(&asked("Which?", &["This", "That"])).sees("In 90 s: takes suggestion 1. Any key stops that.");
    scene.waits(100).sees("In 90 s").waits(1_000).sees("In 89 s");
}

#[test]
fn no_size_is_too_small() {
    for (_, act) in STATES {
        for width in 0..12 {
            for height in 0..8 {
                let mut scene = Scene::new(width, height);
                act(&mut scene);
            }
        }
    }
}

#[test]
fn a_screen_that_was_resized_is_as_one_that_was_so_from_the_start() {
    for (name, act) in STATES {
        // What was scrolled by pages is somewhere else then.
        if name.contains("further up") {
            continue;
        }
        for ((width, height), (wide, high)) in SIZES.into_iter().zip(SIZES.into_iter().cycle().skip(1)) {
            let mut scene = Scene::new(width, height);
            act(&mut scene);
            scene.settles();
            let mut other = Scene::new(wide, high);
            act(&mut other);
            other.settles();
            other.resizes(width, height);
            assert_eq!(other.shown(), scene.shown(), "{name}");
        }
    }
}

#[test]
fn what_matters_is_seen_without_colours() {
    let mut scene = Scene::new(40, 10);
    scene.app.theme = Theme::new(false);
    scene.writes(&call()).sees("❯ 1  PostgreSQL").sees("[code] SQLite");
}
