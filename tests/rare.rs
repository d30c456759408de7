//! Streams that soups of the grammar's pieces seldom make: against the whole-input reference reader, at every cut, and byte by byte where it is about
//! how soon something is said.
//!
//! Every one stands for a line of the parser whose loss no quicker test would notice.

mod common;

use std::sync::Arc;

use common::reference::{Rules, describe};
use common::{atoms, oracle, policy};
use followup::testing::{Stream, Syntax, Transcript, assert_chunk_invariant};
use followup::{Calls, Entities, Event, Limits, Parser, Policy, Tools};

fn check(syntax: Syntax, text: &str, rules: &Rules) {
    let stream = Stream::new(syntax, text);
    let meant = describe(&oracle(syntax, &stream, rules));
    assert_chunk_invariant(&stream, |chunks| {
        let shown = Transcript::of(&mut stream.parser(policy(rules)), chunks.iter().copied());
        let said = describe(&atoms(&shown));
        assert_eq!(said, meant, "{text}");
        said
    });
}

fn call(inside: &str) -> String {
    format!("<ask_followup_question>{inside}</ask_followup_question> and on")
}

#[test]
fn in_markup() {
    for inside in [
        // In a string of a list a tool is only named; behind other text there is no list, and so no string.
        "<question>Q</question><follow_up>[\"<read_file>\"]</follow_up>",
        "<question>Q</question><follow_up>[\"a\", \"\\\"<ask_followup_question>\"]</follow_up>",
        "<question>Q</question><follow_up>[\"a\"<read_file>\"]</follow_up>",
        "<question>Q</question><follow_up>[\"a\\\\\"<read_file>\"]</follow_up>",
        "<question>Q</question><follow_up> \n [\"<read_file>\"]</follow_up>",
        "<question>Q</question><follow_up>x [\"<read_file>\"]</follow_up>",
        "<question>Q</question><follow_up>x\n[\"<ask_followup_question><question>R</question>",
        "<question>Q</question><follow_up>[\"<suggest>A</suggest>\", \"<read_file>\"]</follow_up>",
        // A `=` where an attribute should begin is part of its name.
        "<question>Q</question><suggest = mode=\"m\">A</suggest><suggest =\"x\" mode='m'>B</suggest><suggest =mode='m'>C</suggest>",
        // An element that is closed twice, or that closes another, closes nothing.
        "<question>Q</question><suggest><mode>m</mode>A</mode>B</suggest>",
        "<question>Q</question><suggest><content>A</content></content>B</suggest><suggest>C</suggest>",
        "<question>Q</question><suggest><content>A</content></mode>B</suggest><suggest>C</suggest>",
    ] {
        check(Syntax::Markup, &call(inside), &Rules::default());
        check(Syntax::Markup, &call(inside), &Rules { strict: true, ..Rules::default() });
    }
}

#[test]
fn in_markup_with_entities() {
    let rules = Rules { decode_entities: true, ..Rules::default() };
    for inside in [
        // A mode that is blank when it is decoded is none; blanks around one are not its own.
        "<question>Q</question><suggest mode=\"&#32;\">A</suggest>",
        "<question>Q</question><suggest mode=\"m\">A</suggest><suggest mode=\"&#32;&#9;\">B</suggest>",
        "<question>Q</question><suggest mode=\"m\">A</suggest><suggest mode=\"&#32;n&#x20;\">B</suggest>",
        "<question>Q</question><suggest><mode>&#32;</mode><content>A</content></suggest>",
        "<question>Q</question><suggest><mode>&#32;m&am</mode><content>A&l</content></suggest>",
        "<question>&#0;&#xD800;&#1114112;&#x;&#;&amp&;&#38;lt;</question>",
    ] {
        check(Syntax::Markup, &call(inside), &rules);
    }
}

/// What is code and what is not, in every short line-up of its marks.
#[test]
fn in_code() {
    const MARKS: [&str; 7] = ["`", "``", "```", "~~~", " ", "\n", "x"];
    let rules = Rules { outside_code: true, ..Rules::default() };
    let question = "<ask_followup_question><question>Q</question></ask_followup_question>";
    for length in 0..=5 {
        for nth in 0..MARKS.len().pow(length) {
            let marks = (0..length).map(|i| MARKS[nth / MARKS.len().pow(i) % MARKS.len()]);
            let text: String = marks.chain([question]).collect();
            let stream = Stream::new(Syntax::Markup, text);
            let shown = Transcript::of(&mut stream.parser(policy(&rules)), [&*stream]);
            assert_eq!(describe(&atoms(&shown)), describe(&oracle(Syntax::Markup, &stream, &rules)), "{stream:?}");
        }
    }
}

/// Where each limit falls, at every cut: a call, and what only looks like one.
#[test]
fn at_every_limit() {
    let streams = [
        call("  Bare \u{e9}?  <suggest  mode='m' >A</suggest>"),
        "<ask_followup_question > \u{e9} `<question>` <ask_followup_question><question>Q</question></ask_followup_question>".into(),
        "<think class='\u{e9}' x=\"<\" >t</think><read_file  >\u{e9}<path  a=1 >p</path ></read_file\u{e9}>".into(),
    ];
    for stream in streams {
        for limit in (0..60).chain([70, 80, 90]) {
            check(Syntax::Markup, &stream, &Rules { bare: limit, ..Rules::default() });
            check(Syntax::Markup, &stream, &Rules { tag: limit, outside_code: true, ..Rules::default() });
        }
    }
}

/// Modes so long that their tag is as long as a tag may be.
#[test]
fn at_the_limit_of_a_tag_with_a_mode() {
    for letters in 46..53 {
        let mode = "m".repeat(letters);
        let stream = call(&format!("<question>Q</question><suggest mode=\"{mode}\">A</suggest>"));
        for tag in [64, letters + 15, letters + 16, letters + 17] {
            check(Syntax::Markup, &stream, &Rules { tag, ..Rules::default() });
        }
    }
}

/// Values that pass their limit, kept or not, at every cut.
#[test]
fn at_the_limit_of_every_value() {
    let stream = call(
        "<question> Q &am; &#233; < </question><suggest><mode>m</mode>In front &am<content>A &lt; </content></suggest>\
         <suggest><content> </content>Bar<mode> &#32;n</mode></suggest><suggest>C &am</suggest>",
    );
    for decode_entities in [false, true] {
        for limit in (0..9).chain([12, 15]) {
            for suggestions in 1..=3 {
                let rules = Rules { question: 16, answer: limit, suggestions, decode_entities, ..Rules::default() };
                check(Syntax::Markup, &stream, &rules);
                check(Syntax::Markup, &stream, &Rules { question: limit, answer: 16, ..rules });
            }
        }
    }
}

/// The question as it is shown in the end.
fn shown(mut parser: Parser, (front, rest): (&[u8], &[u8])) -> String {
    let mut shown = String::new();
    for chunk in [front, rest] {
        let mut events = parser.feed_bytes(chunk);
        while let Some(event) = events.next() {
            if let Event::Partial(call) = event {
                shown = call.question().unwrap_or_default().to_owned();
            }
        }
    }
    shown
}

/// What is certain of a question whose newest character, or entity, has only begun, wherever the stream was cut before.
#[test]
fn what_is_certain_shows_at_once() {
    const F0: &[u8] = b"\xF0";
    for (limit, text, begun, meant) in [
        // A blank is part of the question once something else is sure to follow, and has room.
        (99, "ab ", &b""[..], "ab"),
        (99, "ab ", b"\xC3", "ab "),
        (99, "ab ", b"\xE2", "ab"),
        (99, "ab ", F0, "ab "),
        (6, "ab ", b"\xC3", "ab "),
        (5, "ab ", b"\xC3", "ab"),
        (7, "ab ", F0, "ab "),
        (6, "ab ", F0, "ab"),
        // An incomplete entity waits, until what comes makes it text.
        (99, "x &#1114111", b"", "x"),
        (99, "x &#1114111", b"\xC3", "x &#1114111"),
        (99, "x &#11141111", b"", "x &#11141111"),
        (99, "x &#x10FFF", b"", "x"),
        (99, "x &am", b"", "x"),
        (99, "x &am", b"\xC3", "x &am"),
        (99, "x &#", b"\xE2", "x &#"),
        (99, "x &am<", b"", "x &am"),
        (99, "x &am<x", b"", "x &am<x"),
        (99, "x &", b"", "x"),
        (99, "x &#0000000", b"", "x"),
        (99, "x &#0000000;", b"", "x &#0000000;"),
    ] {
        let stream = [b"<ask_followup_question><question>", text.as_bytes(), begun].concat();
        let limits = Limits { question: limit, ..Limits::default() };
        let policy = Arc::new(Policy::new().entities(Entities::Decoded).limits(limits));
        for cut in 0..=stream.len() {
            let shown = shown(Parser::new(policy.clone()), stream.split_at(cut));
            assert_eq!(shown, meant, "{text:?} and {begun:x?}, of {limit} bytes, cut at {cut}");
        }
    }
}

/// The same of the arguments of a native call.
#[test]
fn what_is_certain_of_arguments_shows_at_once() {
    for (arguments, begun, meant) in [
        (r#"{"question":"ab "#, &b""[..], "ab"),
        (r#"{"question":"ab "#, b"\xC3", "ab "),
        (r#"{"question":"ab "#, b"\xE2", "ab"),
        (r#"{"question":"ab "#, b"\xF0", "ab "),
        (r#"{"question":"ab \u0020"#, b"\xC3", "ab  "),
    ] {
        let stream = [arguments.as_bytes(), begun].concat();
        for cut in 0..=stream.len() {
            let shown = shown(Parser::arguments(Policy::new()), stream.split_at(cut));
            assert_eq!(shown, meant, "{arguments} and {begun:x?}, cut at {cut}");
        }
    }
}

/// What is not kept leaves nothing that depends on the cut.
#[test]
fn the_state_behind_what_is_not_kept() {
    let limits = Limits { question: 3, answer: 3, suggestions: 1, ..Limits::default() };
    for entities in [Entities::Decoded, Entities::Raw] {
        let policy = Arc::new(Policy::new().entities(entities).limits(limits));
        for inside in [
            "<suggest>A</suggest><suggest>x&am &#38; &am",
            "<suggest>A</suggest><suggest> &am; y &#3",
            "<suggest><mode>m</mode>too long &am &#38; &#3",
            "<suggest><mode>too long &am</mode>A &lt",
            "<suggest>A &lt; too long &am",
            "<question> too long &am</question><suggest>B &#3",
        ] {
            let stream = format!("<ask_followup_question>{inside}");
            let state = |chunks: [&str; 2]| {
                let mut parser = Parser::new(policy.clone());
                chunks.iter().for_each(|chunk| drop(parser.feed(chunk)));
                parser.checkpoint()
            };
            for end in 0..=stream.len() {
                let whole = state([&stream[..end], ""]);
                for cut in 0..end {
                    let cut_there = state([&stream[..cut], &stream[cut..end]]);
                    assert!(cut_there == whole, "{:?} | {:?}", &stream[..cut], &stream[cut..end]);
                }
            }
        }
    }
}

/// The byte of `stream` behind which something is said, if what comes before, and `front`, says nothing.
fn said_behind(limits: Limits, front: &str, stream: &[u8]) -> Option<usize> {
    let mut parser = Parser::new(Policy::new().limits(limits));
    drop(parser.feed(front));
    (1..=stream.len()).find(|&fed| parser.feed_bytes(&stream[fed - 1..fed]).next().is_some())
}

/// A tag that was only named is shown as soon as no call can come of it, and no sooner.
#[test]
fn an_opening_tag_is_prose_as_soon_as_no_call_can_come_of_it() {
    let letters = |n: usize| "x".repeat(n);
    let blanks = |n: usize| " ".repeat(n);
    for (bare, inside, meant) in [
        // `<suggest>`, the shortest tag that makes it a call, has no room any more.
        (20, letters(30), Some(12)),
        (21, letters(30), Some(13)),
        (20, letters(11) + "<suggest>", None),
        (20, letters(11) + "<options>", None),
        (20, letters(10) + "</suggest>", None),
        (20, letters(12) + "<suggest>", Some(12)),
        (20, letters(11) + "<question>", Some(13)),
        (20, letters(11) + "</suggest>", Some(13)),
        (20, letters(11) + "<sx", Some(14)),
        (20, letters(5) + "<suggest a='b'>", None),
        (20, letters(5) + "<suggest a=' b'>", Some(19)),
        // While there is nothing but blanks, the stream may end in a call that was cut off.
        (20, blanks(30), Some(21)),
        (20, blanks(17) + "\u{3000} ", Some(21)),
        (20, blanks(18) + "\u{3000}", Some(19)),
        (20, blanks(20) + "\u{3000}", Some(21)),
        (20, blanks(10) + "\u{e9}x", Some(11)),
        (20, blanks(11) + "\u{e9}x", Some(12)),
        (20, blanks(9) + "\u{e9}xx", Some(12)),
        // A tool's opening tag that is whole is none if a back-tick follows; while it is not, it may be what the stream ends in.
        (21, "x<read_file>`".into(), Some(12)),
        (22, "x<read_file>`xx".into(), Some(14)),
        (23, "x<read_file>`xx".into(), Some(15)),
        (12, "x<read_file>".into(), Some(4)),
        (12, " <read_file>".into(), Some(12)),
        (12, " <read_fill".into(), Some(11)),
        (3, " <read_file>".into(), Some(4)),
    ] {
        let limits = Limits { bare, ..Limits::default() };
        assert_eq!(
            said_behind(limits, "<ask_followup_question>", inside.as_bytes()),
            meant,
            "{inside:?} of {bare} bytes"
        );
    }
}

/// What begins like a tag is shown as soon as it has no room to become one, and no sooner.
#[test]
fn what_begins_like_a_tag_is_prose_as_soon_as_it_can_be_none() {
    let ask = "<ask_followup_question ";
    let attributes = |letters: usize, end: &[u8]| [ask.as_bytes(), "a".repeat(letters).as_bytes(), end].concat();
    for (tag, stream, meant) in [
        (30, attributes(20, b""), Some(30)),
        // The first byte of a character is two more at the least, whatever comes of it.
        (30, attributes(6, b"\xC3\xA9"), Some(30)),
        (30, attributes(5, b"\xC3\xA9"), Some(29)),
        (30, attributes(4, b"\xC3\xA9x"), Some(30)),
        (30, attributes(3, b"\xC3\xA9xx"), Some(30)),
        (30, attributes(6, b">"), None),
        (30, attributes(20, b"="), Some(30)),
        (11, b"<read_file>\xC3".to_vec(), Some(12)),
        (11, b"<read_file> ".to_vec(), Some(12)),
        (11, b"<read_file >".to_vec(), Some(11)),
        (10, b"<read_file>".to_vec(), Some(2)),
        (99, b"<read_file>`".to_vec(), Some(12)),
        (99, b"<read_x".to_vec(), Some(7)),
        // Tags of other tools have no attributes.
        (99, b"<read_file  x".to_vec(), Some(13)),
        (99, b"< ask".to_vec(), Some(2)),
    ] {
        let limits = Limits { tag, ..Limits::default() };
        assert_eq!(said_behind(limits, "", &stream), meant, "{:?} of {tag} bytes", stream.escape_ascii().to_string());
    }
    // The shortest tag there is has as much room as it needs.
    for (tag, meant) in [(3, Some(1)), (4, Some(5)), (5, Some(5))] {
        let policy =
            Policy::new().tools(Tools::new(["ab"], ["c"]).unwrap()).limits(Limits { tag, ..Limits::default() });
        let mut parser = Parser::new(policy);
        let said = (1..6).find(|&fed| parser.feed(&"<ab> x"[fed - 1..fed]).next().is_some());
        assert_eq!(said, meant, "of {tag} bytes");
    }
    // All at once, it is the same.
    let limits = Limits { tag: 12, ..Limits::default() };
    let mut parser = Parser::new(Policy::new().limits(limits));
    assert_eq!(parser.feed("<read_file   >").next(), Some(Event::Text("<read_file   >")));
    assert_eq!(parser.feed("<read_file >").next(), None);
    // What follows a tag is no part of it, and takes none of its room.
    assert!(matches!(parser.feed_bytes(b"\xC3").next(), Some(Event::Opaque(_))));
}

#[test]
fn a_tool_is_found_behind_many_brackets_whatever_its_name_is_made_of() {
    for brackets in 0..40 {
        for name in ["bash", "read_file"] {
            let message = format!("{}<{name}>ls</{name}>{}", "<b> a < b ".repeat(brackets), " and so on".repeat(100));
            let policy = Policy::new().tools(Tools::new(["bash", "read_file"], ["path"]).unwrap());
            let transcript = Transcript::of(&mut Parser::new(policy), [&message]).to_string();
            assert!(transcript.contains(&format!("opaque 0 {name}")), "{transcript}");
        }
    }
}

/// Where the limit for a body has nearly passed, a tag whose attributes are long may still be in time: what is missing of it is what counts.
#[test]
fn a_tag_with_long_attributes_may_be_the_last_that_is_in_time() {
    for quoted in [40, 120, 200, 240] {
        let tag = format!("<question a=\"{}\">", "x".repeat(quoted));
        for (bare, behind) in [(0, 0), (1, 0), (0, 1), (0, 2)] {
            let filler = "Some text. ".repeat(3);
            let rules = Rules { bare: filler.len() + tag.len() + bare - behind, ..Rules::default() };
            check(Syntax::Markup, &call(&format!("{filler}{tag}Which?</question>")), &rules);
        }
    }
}

/// A tag that shows while it comes is forgotten as soon as it has no room to become one, and no sooner: what follows takes no memory.
#[test]
fn what_begins_like_a_tag_and_shows_is_forgotten_as_soon_as_it_can_be_none() {
    const LIMIT: usize = 20;
    let limits = Limits { tag: LIMIT, ..Limits::default() };
    for (calls, front, tag, none) in [
        (Calls::Anywhere, "<read_file>", "</read_file", "</read_filx"),
        (Calls::Anywhere, "<read_file>", "<path", "<patx"),
        (Calls::Anywhere, "<read_file><path>", "</path", "</patx"),
        (Calls::OutsideCode, "", "<think", "<thinx"),
        (Calls::OutsideCode, "<thinking>", "</thinking", "</thinkinx"),
    ] {
        let policy = Arc::new(Policy::new().limits(limits).calls(calls));
        let state = |stream: &str| {
            let mut parser = Parser::new(policy.clone());
            drop(parser.feed(stream));
            parser.checkpoint()
        };
        for blanks in 0..LIMIT {
            let behind = |begun| state(&format!("{front}{begun}{:blanks$}", ""));
            let is_forgotten = behind(tag) == behind(none);
            // Its `>` is still to come.
            assert_eq!(is_forgotten, tag.len() + blanks + 1 > LIMIT, "{front}{tag} and {blanks} blanks");
        }
    }
}

/// A tag that was held behind an opening tag, and is as long as a tag may be, keeps its place and its length when it is read again because of bytes that
/// are no text, of which one character stands for as many as three.
#[test]
fn a_tag_that_is_read_again_behind_ill_formed_bytes_is_as_long_as_it_was() {
    const ASK: &str = "<ask_followup_question>";
    let last_call = |stream: &[u8], size: usize, policy: &Arc<Policy>| {
        let (mut parser, mut last) = (Parser::new(policy.clone()), None);
        for chunk in stream.chunks(size) {
            let mut events = parser.feed_bytes(chunk);
            while let Some(event) = events.next() {
                match event {
                    Event::Complete(call) => last = Some(call.span()),
                    Event::Rejected(call) => last = Some(call.span()),
                    Event::Text(_) | Event::Opaque(_) | Event::Partial(_) => {}
                }
            }
        }
        last
    };
    let question = "<question>Which?</question></ask_followup_question>";
    for bytes in [&b"\xFF"[..], b"\xE2\x80", b"\xF0\x9F\x98"] {
        let within = [b"<ask_followup_question a='", &bytes.repeat(9)[..], b"'>"].concat();
        for (tag, behind, rest) in [
            (&b"<ask_followup_question/>"[..], bytes, ""),
            (b"<ask_followup_question >", bytes, question),
            (&within, b"", question),
        ] {
            let front = [ASK.as_bytes(), b"x", tag].concat();
            let stream = [&front, behind, rest.as_bytes()].concat();
            let span = ASK.len() as u64 + 1..if rest.is_empty() { front.len() } else { stream.len() } as u64;
            for bare in 20..80 {
                let limits = Limits { bare, tag: String::from_utf8_lossy(tag).len(), ..Limits::default() };
                let policy = Arc::new(Policy::new().limits(limits));
                for size in [1, 2, 5, stream.len()] {
                    let case = format!("{:?} of {bare}, in chunks of {size}", stream.escape_ascii().to_string());
                    assert_eq!(last_call(&stream, size, &policy), Some(span.clone()), "{case}");
                }
            }
        }
    }
}

/// The state is one of the bytes, also where nothing of it shows yet.
#[test]
fn a_tag_that_is_cut_in_its_attributes_leaves_the_same_state_however_it_came() {
    for begun in [
        "<ask_followup_question a=\"b",
        "<ask_followup_question><question a=\"b",
        "<ask_followup_question>text <suggest mode='x",
        "<ask_followup_question><question>Q?</question><suggest mode=\"c",
        "Prose <read_file a=\"b",
    ] {
        let mut whole = Parser::default();
        drop(whole.feed(begun));
        for cut in 0..begun.len() {
            let mut pieces = Parser::default();
            drop(pieces.feed(&begun[..cut]));
            drop(pieces.feed(&begun[cut..]));
            assert_eq!(pieces.checkpoint(), whole.checkpoint(), "{begun} at {cut}");
        }
    }
}
