//! Prose that looks like calls in envelopes, and is none: it must stay text, byte for byte.
//!
//! `tests/spec/prose/NAME.md` is a message as a model writes it: code, markup, logs, definitions of
//! tools, and explanations of the envelopes themselves. By the rules of `docs/format.md` none of
//! them has a call, whichever families are read.

use followup::{CallStart, Envelope, Envelopes, Event, Events, Note, Parser, Policy};
use followup_testing::{Cuts, pieces};

/// Returns the name and the text of a file.
macro_rules! prose {
    ($($name:literal)*) => {
        [$(($name, include_str!(concat!("prose/", $name, ".md")))),*]
    };
}

const PROSE: [(&str, &str); 21] = prose! {
    "cpp" "definitions" "diff" "explained" "generics" "html" "latex" "logs" "mail" "named" "openapi"
    "other-forms" "package" "pipes" "question-tools" "shell" "soap" "tables" "templates" "tsx" "xml"
};

/// How many random cuts of a file are tried.
const RANDOM: u64 = 64;

/// The families by default, and all. With `[TOOL_CALLS]` among them, prose is searched in another
/// way.
fn sets() -> [Envelopes; 2] {
    [Envelopes::default(), Envelopes::all()]
}

#[test]
fn prose_that_looks_like_calls_is_text_however_it_is_cut() {
    for (name, text) in PROSE {
        assert_is_text(name, text);
    }
}

#[test]
fn all_prose_in_one_message_is_text_however_it_is_cut() {
    assert_is_text("all", &PROSE.map(|(_, text)| text).join("\n\n"));
}

#[test]
fn prose_with_windows_line_ends_is_text_however_it_is_cut() {
    for (name, text) in PROSE {
        assert_is_text(name, &text.replace('\n', "\r\n"));
    }
}

#[test]
fn prose_that_ends_anywhere_is_text() {
    for envelopes in sets() {
        for (name, text) in PROSE {
            let mut parser = Parser::new(Policy::new().with_envelopes(envelopes));
            let mut shown = String::new();
            for (at, char) in text.char_indices() {
                let end = at + char.len_utf8();
                let result = drain(parser.feed(&text[at..end]), &mut shown)
                    .and_then(|()| drain(parser.clone().finish(), &mut shown.clone()));
                result.unwrap_or_else(|event| panic!("{name}, {envelopes:?}, the first {end} bytes: {event}"));
            }
        }
    }
}

/// The same text has calls of every family as soon as they are not quoted any more.
#[test]
fn quoted_calls_are_text_only_because_they_are_quoted() {
    let (_, explained) = PROSE.into_iter().find(|(name, _)| *name == "explained").unwrap();
    let unquoted = explained.replace(['`', '~'], "");
    for family in Envelope::ALL {
        let mut parser = Parser::new(Policy::new().with_envelopes(Envelopes::all()));
        let mut notes = Vec::new();
        let mut events = parser.feed(&unquoted);
        while let Some(event) = events.next() {
            if let Event::Complete(call) = event {
                notes.extend(call.notes());
            }
        }
        assert!(notes.contains(&Note::Envelope(family)), "no call of the family {family} in {notes:?}");
    }
}

/// Reads the text whole, by byte and in other pieces, under policies that differ in the families
/// that they read and in where a call may start.
fn assert_is_text(name: &str, text: &str) {
    for envelopes in sets() {
        for start in [CallStart::Anywhere, CallStart::OutsideCode] {
            let policy = Policy::new().with_envelopes(envelopes).with_call_start(start);
            let check = |how: &str, chunks: &[&str]| {
                let shown = read(policy.clone(), chunks)
                    .unwrap_or_else(|event| panic!("{name}, {envelopes:?}, {start:?}, {how}: {event}"));
                assert!(shown == text, "{name}, {envelopes:?}, {start:?}, {how}: the text differs");
            };
            check("whole", &[text]);
            for size in [1, 2, 3, 4, 7, 64] {
                check(&format!("in pieces of {size} bytes"), &pieces(text, size).collect::<Vec<_>>());
            }
            for seed in 0..RANDOM {
                let cuts = Cuts::random(text.len(), 64, seed);
                check(&format!("with the random cuts {seed}"), &cuts.pieces(text));
            }
        }
    }
}

/// Returns the joined text, or the first event that is something else.
fn read(policy: Policy, chunks: &[&str]) -> Result<String, String> {
    let mut parser = Parser::new(policy);
    let mut text = String::new();
    for chunk in chunks {
        drain(parser.feed(chunk), &mut text)?;
    }
    drain(parser.finish(), &mut text)?;
    Ok(text)
}

fn drain(mut events: Events<'_>, text: &mut String) -> Result<(), String> {
    while let Some(event) = events.next() {
        match event {
            Event::Text(piece) => text.push_str(piece),
            other => return Err(format!("after {} bytes of text: {other:?}", text.len())),
        }
    }
    Ok(())
}
