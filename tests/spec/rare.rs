//! Streams that random sequences of the grammar's pieces seldom make.
//!
//! Each is there for a line of the parser whose loss no faster test would notice.

use std::sync::Arc;

use followup::{CallStart, Entities, Envelopes, Event, Limits, Parser, Policy, Tools};
use followup_testing::{Stream, Syntax, Transcript};

use crate::common::reference::{Rules, describe};
use crate::common::sweep::assert_chunk_invariant;
use crate::common::{atoms, oracle, policy};

/// Asserts that a stream means what the reference reader says, however it is cut.
fn check(syntax: Syntax, text: &str, rules: &Rules) {
    let stream = Stream::new(syntax, text);
    let policy = Arc::new(policy(rules));
    let expected = oracle(syntax, &stream, rules);
    assert_chunk_invariant(&stream, |chunks| {
        let shown = atoms(&Transcript::of(&mut stream.parser(policy.clone()), chunks));
        assert!(shown == expected, "{text}\nexpected {}\nshown {}", describe(&expected), describe(&shown));
    });
}

fn call(inside: &str) -> String {
    format!("<ask_followup_question>{inside}</ask_followup_question> and on")
}

#[test]
fn rare_markup_means_what_the_reference_says() {
    for inside in [
        // Inside a string of a list a tag is text. After other text there is no list, and so no
        // string.
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
fn rare_entities_mean_what_the_reference_says() {
    let rules = Rules { decode_entities: true, ..Rules::default() };
    for inside in [
        // A mode that is blank once it is decoded is none; white space around a mode is trimmed.
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

#[test]
fn rare_envelopes_mean_what_the_reference_says() {
    for stream in [
        // The name outside of `function`, and the arguments in it; or the other way round.
        "<tool_call>{\"name\":\"ask_followup_question\",\"function\":{\"arguments\":{\"question\":\"Q\"}}}</tool_call>x",
        "<tool_call>{\"name\":\"f\",\"function\":{\"arguments\":{\"question\":\"Q\"}}}</tool_call>x",
        "<tool_call>{\"arguments\":{\"question\":\"Q\"},\"function\":{\"name\":\"ask_followup_question\"}}</tool_call>x",
        "{\"name\":\"ask_followup_question\",\"function\":{\"arguments\":{\"question\":\"Q\"}}}x",
        "{\"name\":\"ask_followup_question\",\"function\":{\"other\":{\"question\":\"Q\"}}}x",
        "{\"name\":\"ask_followup_question\",\"function\":1,\"arguments\":{\"question\":\"Q\"}}x",
        // A second `function` has what the first has not. After the name, a string in it is no
        // name.
        "<tool_call>{\"function\":{\"name\":\"ask_followup_question\"},\"function\":{\"input\":{\"question\":\"Q\"}}}</tool_call>x",
        "<tool_call>{\"function\":\"ask_followup_question\",\"function\":{\"name\":\"f\",\"args\":{\"question\":\"Q\"}}}</tool_call>x",
        "<tool_call>{\"name\":\"ask_followup_question\",\"function\":\"f\",\"arguments\":{\"question\":\"Q\"}}</tool_call>x",
        // The ends of both objects are missing, or one of them.
        "<tool_call>{\"function\":{\"name\":\"ask_followup_question\",\"arguments\":{\"question\":\"Q\"}</tool_call>x",
        "<tool_call>{\"function\":{\"name\":\"ask_followup_question\",\"arguments\":{\"question\":\"Q\"}}</tool_call>x",
        "<tool_call>{\"function\":{\"name\":\"f\",\"arguments\":{\"question\":\"Q\"}</tool_call>x",
        "<tool_call>{\"function\":{\"name\":\"f\",\"arguments\":{\"question\":\"Q\"}}</tool_call>x",
        "<tool_call>{\"name\":\"f\",\"function\":{\"arguments\":{\"question\":\"Q\"}</tool_call>x",
        "<tool_call>{\"name\":\"ask_followup_question\",\"function\":{\"arguments\":{\"question\":\"Q\"}</tool_call>x",
    ] {
        check(Syntax::Markup, stream, &Rules::default());
    }
}

/// Where calls may start only outside code, code is followed without envelopes as well.
#[test]
fn short_sequences_of_code_marks_mean_what_the_reference_says() {
    const MARKS: [&str; 8] = ["`", "``", "```", "~~~", " ", "\n", "x", "<"];
    let question = "<ask_followup_question><question>Q</question></ask_followup_question>";
    for (outside_code, envelopes, most) in
        [(true, Envelopes::default(), 5), (true, Envelopes::none(), 4), (false, Envelopes::none(), 4)]
    {
        let rules = Rules { outside_code, envelopes, ..Rules::default() };
        let mut parser = Parser::new(policy(&rules));
        for length in 0..=most {
            for number in 0..MARKS.len().pow(length) {
                let marks = (0..length).map(|i| MARKS[number / MARKS.len().pow(i) % MARKS.len()]);
                let text: String = marks.chain([question]).collect();
                let shown = atoms(&Transcript::of(&mut parser, [&text]));
                let expected = oracle(Syntax::Markup, text.as_bytes(), &rules);
                assert!(
                    shown == expected,
                    "{text:?}, {rules:?}\nexpected {}\nshown {}",
                    describe(&expected),
                    describe(&shown)
                );
            }
        }
    }
}

/// Every limit, for a call and for text that looks like one.
#[test]
fn tags_and_bodies_at_every_limit_mean_what_the_reference_says() {
    let streams = [
        call("  Bare \u{e9}?  <suggest  mode='m' >A</suggest>"),
        "<ask_followup_question > \u{e9} `<question>` <ask_followup_question><question>Q</question></ask_followup_question>".into(),
        "<think class='\u{e9}' x=\"<\" >t</think><read_file  >\u{e9}<path  a=1 >p</path ></read_file\u{e9}>".into(),
    ];
    for stream in streams {
        for limit in (0..60).chain([70, 80, 90]) {
            check(Syntax::Markup, &stream, &Rules { unconfirmed: limit, ..Rules::default() });
            check(Syntax::Markup, &stream, &Rules { tag: limit, outside_code: true, ..Rules::default() });
        }
    }
}

/// Modes so long that their tag is as long as a tag may be.
#[test]
fn tags_with_a_mode_at_the_limit_mean_what_the_reference_says() {
    for letters in 46..53 {
        let mode = "m".repeat(letters);
        let stream = call(&format!("<question>Q</question><suggest mode=\"{mode}\">A</suggest>"));
        for tag in [64, letters + 15, letters + 16, letters + 17] {
            check(Syntax::Markup, &stream, &Rules { tag, ..Rules::default() });
        }
    }
}

/// Values that exceed their limit, kept and dropped.
#[test]
fn values_at_every_limit_mean_what_the_reference_says() {
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

/// Returns the question of the last partial.
fn last_question(mut parser: Parser, (start, rest): (&[u8], &[u8])) -> String {
    let mut shown = String::new();
    for chunk in [start, rest] {
        let mut events = parser.feed_bytes(chunk);
        while let Some(event) = events.next() {
            if let Event::Partial(call) = event {
                shown = call.question().unwrap_or_default().to_owned();
            }
        }
    }
    shown
}

/// A question that ends in an incomplete character or entity, wherever the stream was cut before.
#[test]
fn the_certain_part_of_a_question_is_shown_at_once() {
    const F0: &[u8] = b"\xF0";
    for (limit, text, incomplete, expected) in [
        // White space is part of the question once other text is sure to follow within the limit.
        (99, "ab ", &b""[..], "ab"),
        (99, "ab ", b"\xC3", "ab "),
        (99, "ab ", b"\xE2", "ab"),
        (99, "ab ", F0, "ab "),
        (6, "ab ", b"\xC3", "ab "),
        (5, "ab ", b"\xC3", "ab"),
        (7, "ab ", F0, "ab "),
        (6, "ab ", F0, "ab"),
        // An incomplete entity waits until the next text decides it.
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
        let stream = [b"<ask_followup_question><question>", text.as_bytes(), incomplete].concat();
        let limits = Limits { question: limit, ..Limits::default() };
        let policy = Arc::new(Policy::new().with_entities(Entities::Decoded).with_limits(limits));
        for cut in 0..=stream.len() {
            let shown = last_question(Parser::new(policy.clone()), stream.split_at(cut));
            assert_eq!(shown, expected, "{text:?} and {incomplete:x?}, of {limit} bytes, cut at {cut}");
        }
    }
}

#[test]
fn the_certain_part_of_arguments_is_shown_at_once() {
    for (arguments, incomplete, expected) in [
        (r#"{"question":"ab "#, &b""[..], "ab"),
        (r#"{"question":"ab "#, b"\xC3", "ab "),
        (r#"{"question":"ab "#, b"\xE2", "ab"),
        (r#"{"question":"ab "#, b"\xF0", "ab "),
        (r#"{"question":"ab \u0020"#, b"\xC3", "ab  "),
    ] {
        let stream = [arguments.as_bytes(), incomplete].concat();
        for cut in 0..=stream.len() {
            let shown = last_question(Parser::arguments(Policy::new()), stream.split_at(cut));
            assert_eq!(shown, expected, "{arguments} and {incomplete:x?}, cut at {cut}");
        }
    }
}

#[test]
fn the_state_after_dropped_text_does_not_depend_on_the_cut() {
    let limits = Limits { question: 3, answer: 3, suggestions: 1, ..Limits::default() };
    for entities in [Entities::Decoded, Entities::Raw] {
        let policy = Arc::new(Policy::new().with_entities(entities).with_limits(limits));
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

/// Returns after how many bytes of `stream` the first event comes.
///
/// The stream begins with `start`, whose events do not count.
fn first_event(limits: Limits, start: &str, stream: &[u8]) -> Option<usize> {
    let mut parser = Parser::new(Policy::new().with_limits(limits));
    drop(parser.feed(start));
    (1..=stream.len()).find(|&fed| parser.feed_bytes(&stream[fed - 1..fed]).next().is_some())
}

#[test]
fn an_unconfirmed_opening_tag_is_shown_as_soon_as_it_can_open_no_call() {
    let letters = |n: usize| "x".repeat(n);
    let blanks = |n: usize| " ".repeat(n);
    for (unconfirmed, inside, expected) in [
        // `<suggest>`, the shortest tag that confirms a call, no longer fits.
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
        // While there is only white space, the stream may end in a truncated call.
        (20, blanks(30), Some(21)),
        (20, blanks(17) + "\u{3000} ", Some(21)),
        (20, blanks(18) + "\u{3000}", Some(19)),
        (20, blanks(20) + "\u{3000}", Some(21)),
        (20, blanks(10) + "\u{e9}x", Some(11)),
        (20, blanks(11) + "\u{e9}x", Some(12)),
        (20, blanks(9) + "\u{e9}xx", Some(12)),
        // A tool's opening tag before a back-tick is text; an incomplete one may be the end of the
        // stream.
        (21, "x<read_file>`".into(), Some(12)),
        (22, "x<read_file>`xx".into(), Some(14)),
        (23, "x<read_file>`xx".into(), Some(15)),
        (12, "x<read_file>".into(), Some(4)),
        (12, " <read_file>".into(), Some(12)),
        (12, " <read_fill".into(), Some(11)),
        (3, " <read_file>".into(), Some(4)),
    ] {
        let limits = Limits { unconfirmed, ..Limits::default() };
        assert_eq!(
            first_event(limits, "<ask_followup_question>", inside.as_bytes()),
            expected,
            "{inside:?} of {unconfirmed} bytes"
        );
    }
}

#[test]
fn an_incomplete_tag_is_shown_as_soon_as_it_exceeds_the_limit() {
    let ask = "<ask_followup_question ";
    let attributes = |letters: usize, end: &[u8]| [ask.as_bytes(), "a".repeat(letters).as_bytes(), end].concat();
    for (tag, stream, expected) in [
        (30, attributes(20, b""), Some(30)),
        // The first byte of a character becomes at least two bytes of text.
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
        // A bar may follow, as in `< | DSML`.
        (99, b"< ask".to_vec(), Some(3)),
    ] {
        let limits = Limits { tag, ..Limits::default() };
        assert_eq!(
            first_event(limits, "", &stream),
            expected,
            "{:?} of {tag} bytes",
            stream.escape_ascii().to_string()
        );
    }
    // The shortest tag.
    for (tag, expected) in [(3, Some(1)), (4, Some(5)), (5, Some(5))] {
        let policy = Policy::new()
            .with_tools(Tools::new(["ab"], ["c"]).unwrap())
            .with_limits(Limits { tag, ..Limits::default() });
        let mut parser = Parser::new(policy);
        let first = (1..6).find(|&fed| parser.feed(&"<ab> x"[fed - 1..fed]).next().is_some());
        assert_eq!(first, expected, "of {tag} bytes");
    }
    // The same in one chunk.
    let limits = Limits { tag: 12, ..Limits::default() };
    let mut parser = Parser::new(Policy::new().with_limits(limits));
    assert_eq!(parser.feed("<read_file   >").next(), Some(Event::Text("<read_file   >")));
    assert_eq!(parser.feed("<read_file >").next(), None);
    // What follows a tag does not count.
    assert!(matches!(parser.feed_bytes(b"\xC3").next(), Some(Event::Opaque(_))));
}

#[test]
fn a_tool_is_found_after_many_brackets() {
    for brackets in 0..40 {
        for name in ["bash", "read_file"] {
            let message = format!("{}<{name}>ls</{name}>{}", "<b> a < b ".repeat(brackets), " and so on".repeat(100));
            let policy = Policy::new().with_tools(Tools::new(["bash", "read_file"], ["path"]).unwrap());
            let transcript = Transcript::of(&mut Parser::new(policy), [&message]).to_string();
            assert!(transcript.contains(&format!("opaque 0 {name}")), "{transcript}");
        }
    }
}

/// Near the limit of an unconfirmed call, only the missing bytes of a tag with long attributes
/// count.
#[test]
fn a_tag_with_long_attributes_may_confirm_a_call_at_the_limit_of_its_body() {
    for quoted in [40, 120, 200, 240] {
        let tag = format!("<question a=\"{}\">", "x".repeat(quoted));
        for (more, less) in [(0, 0), (1, 0), (0, 1), (0, 2)] {
            let filler = "Some text. ".repeat(3);
            let rules = Rules { unconfirmed: filler.len() + tag.len() + more - less, ..Rules::default() };
            check(Syntax::Markup, &call(&format!("{filler}{tag}Which?</question>")), &rules);
        }
    }
}

/// An incomplete tag whose text is shown at once is dropped as soon as it exceeds the limit.
///
/// The text after it then takes no memory.
#[test]
fn an_incomplete_tag_that_is_shown_is_dropped_as_soon_as_it_exceeds_the_limit() {
    const LIMIT: usize = 20;
    let limits = Limits { tag: LIMIT, ..Limits::default() };
    for (calls, start, tag, no_tag) in [
        (CallStart::Anywhere, "<read_file>", "</read_file", "</read_filx"),
        (CallStart::Anywhere, "<read_file>", "<path", "<patx"),
        (CallStart::Anywhere, "<read_file><path>", "</path", "</patx"),
        (CallStart::OutsideCode, "", "<think", "<thinx"),
        (CallStart::OutsideCode, "<thinking>", "</thinking", "</thinkinx"),
    ] {
        let policy = Arc::new(Policy::new().with_limits(limits).with_call_start(calls));
        let state = |stream: &str| {
            let mut parser = Parser::new(policy.clone());
            drop(parser.feed(stream));
            parser.checkpoint()
        };
        for blanks in 0..LIMIT {
            let after = |tag| state(&format!("{start}{tag}{:blanks$}", ""));
            let is_dropped = after(tag) == after(no_tag);
            // The `>` is still missing.
            assert_eq!(is_dropped, tag.len() + blanks + 1 > LIMIT, "{start}{tag} and {blanks} blanks");
        }
    }
}

/// The longest tag after an unconfirmed call keeps its span when it is parsed again.
///
/// Before it are ill-formed bytes, of which one character replaces up to three.
#[test]
fn a_tag_that_is_parsed_again_after_ill_formed_bytes_keeps_its_span() {
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
        for (tag, after, rest) in [
            (&b"<ask_followup_question/>"[..], bytes, ""),
            (b"<ask_followup_question >", bytes, question),
            (&within, b"", question),
        ] {
            let start = [ASK.as_bytes(), b"x", tag].concat();
            let stream = [&start, after, rest.as_bytes()].concat();
            let span = ASK.len() as u64 + 1..if rest.is_empty() { start.len() } else { stream.len() } as u64;
            for unconfirmed in 20..80 {
                let limits = Limits { unconfirmed, tag: String::from_utf8_lossy(tag).len(), ..Limits::default() };
                let policy = Arc::new(Policy::new().with_limits(limits));
                for size in [1, 2, 5, stream.len()] {
                    let case = format!("{:?} of {unconfirmed}, in chunks of {size}", stream.escape_ascii().to_string());
                    assert_eq!(last_call(&stream, size, &policy), Some(span.clone()), "{case}");
                }
            }
        }
    }
}

#[test]
fn the_state_inside_attributes_does_not_depend_on_the_cut() {
    for stream in [
        "<ask_followup_question a=\"b",
        "<ask_followup_question><question a=\"b",
        "<ask_followup_question>text <suggest mode='x",
        "<ask_followup_question><question>Q?</question><suggest mode=\"c",
        "Prose <read_file a=\"b",
    ] {
        let mut whole = Parser::default();
        drop(whole.feed(stream));
        for cut in 0..stream.len() {
            let mut pieces = Parser::default();
            drop(pieces.feed(&stream[..cut]));
            drop(pieces.feed(&stream[cut..]));
            assert_eq!(pieces.checkpoint(), whole.checkpoint(), "{stream} at {cut}");
        }
    }
}

/// A tag that was only named ended the code span or fence that it was in, or began one at its end.
#[test]
fn a_tag_that_was_only_named_is_text_of_the_code_around_it() {
    const CALL: &str = "<function=ask_followup_question><parameter=question>Q</parameter></function>";
    let rules = Rules { unconfirmed: 90, envelopes: Envelopes::all(), ..Rules::default() };
    let far = "y".repeat(rules.unconfirmed);
    for (before, after) in [
        ("x ```", "```"),
        ("`see ", "`"),
        ("see `the ", "` tag "),
        ("\n```\n", "\n```\n"),
        ("\n~~~\n", "\n~~~\n"),
        ("\n~~~ ", "\n~~~\n"),
        ("``` a\n", "\n```"),
        ("\n``", "``"),
    ] {
        for tag in ["<ask_followup_question>", "<ask_followup_question a='\n```\n'>", "<ask_followup_question a=`>"] {
            check(Syntax::Markup, &format!("{before}{tag}{far}{CALL}{after}{CALL}"), &rules);
            check(Syntax::Markup, &format!("{before}{tag}{after}{far}{CALL}"), &rules);
        }
    }
    let shown = |text: &str| {
        describe(&atoms(&Transcript::of(&mut Parser::new(policy(&rules)), [text.as_bytes()]))).contains("complete")
    };
    assert!(!shown(&format!("```\n<ask_followup_question>{far}{CALL}\n```")), "in a fence");
    assert!(shown(&format!("`a <ask_followup_question> b` {far}{CALL}")), "after a span");
}

/// Its text ends in a tag that another `<` makes text.
#[test]
fn an_incomplete_tag_after_a_tag_that_was_only_named_decides_what_is_code() {
    const CALL: &str = "<function=ask_followup_question><parameter=question>Q</parameter></function>";
    let body = "<ask_followup_question a=`<x> b ";
    for unconfirmed in 24..48 {
        let rules = Rules { unconfirmed, outside_code: true, envelopes: Envelopes::all(), ..Rules::default() };
        let far = "y".repeat(unconfirmed);
        for after in ["", "`"] {
            check(Syntax::Markup, &format!("<ask_followup_question>{body}{far}{after}{CALL}"), &rules);
        }
    }
}

#[test]
fn rare_headers_and_fences_mean_what_the_reference_says() {
    let rules = Rules { envelopes: Envelopes::all(), ..Rules::default() };
    let id = "a1".repeat(32);
    for stream in [
        "[TOOL_CALLS]NAME [ARGS] {}".to_string(),
        "[TOOL_CALLS]NAME\n{}".to_string(),
        "[TOOL_CALLS]NAME [CALL_ID] a1 [ARGS]\n{}".to_string(),
        "[TOOL_CALLS]NAME[CALL_ID]a1 b2[ARGS]{}".to_string(),
        "[TOOL_CALLS]NAME[CALL_ID] [ARGS]{}".to_string(),
        "[TOOL_CALLS]NAME[CALL_ID]{}".to_string(),
        "[TOOL_CALLS]NAME[CALL_ID]a1{}".to_string(),
        "[TOOL_CALLS]NAME[ARGS][CALL_ID]a1{}".to_string(),
        "[TOOL_CALLS]NAME[AR GS]{}".to_string(),
        "[TOOL_CALLS]NAME[CALL_ ID]a1{}".to_string(),
        "[TOOL_CALLS]NAME[ ARGS]{}".to_string(),
        "[TOOL_CALLS]NAME x{}".to_string(),
        "[TOOL_CALLS][NAME]{}".to_string(),
        format!("[TOOL_CALLS]NAME[CALL_ID]{id}[ARGS]{{}}"),
        format!("[TOOL_CALLS]NAME[CALL_ID]{id}1[ARGS]{{}}"),
        "[TOOL_CALLS][{\"name\": \"NAME\",, {\"name\": \"NAME\"}]".to_string(),
        "<|python_tag|>{\"name\": \"NAME\"} ; <|eom_id|>".to_string(),
        "<|python_tag|>{\"name\": \" NAME\\n\", \"input\": {}}".to_string(),
        // After its close tag a call has no fence.
        "<function=NAME>```json\n{}</function>```</tool_call>".to_string(),
        "<function=NAME>```json\n{x</function>```</tool_call>".to_string(),
        "<｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME\n```json\n{x<｜tool▁call▁end｜>```".to_string(),
        "<|python_tag|>{\"name\": \" \", \"input\": {}}".to_string(),
        "<|python_tag|>{\"name\": \"NAME x\", \"input\": {}}".to_string(),
        "{\"name\": \" NAME \", \"input\": {}}".to_string(),
        "<|python_tag|>{\"name\": \"NAME\"; {\"name\": \"NAME\"}".to_string(),
    ] {
        for name in ["f", "ask_followup_question"] {
            check(Syntax::Markup, &stream.replace("NAME", name).replace("{}", "{\"question\": \"Q\"}"), &rules);
        }
    }
}

/// The parser panicked: what decided that the surrogate is single was a part of a character.
#[test]
fn a_single_surrogate_before_a_character_that_begins_no_escape_is_no_call() {
    let rules = Rules { envelopes: Envelopes::all(), ..Rules::default() };
    for end in ["\\ud83d\\é", "f\\ud83d\\é\"", "\\ud83d\\n", "\\ud83d\\u00e9", "\\ud83dé"] {
        for header in ["{\"", "{\"name\":\"", "{\"n", "<tool_call>{\"name\":\"", "[TOOL_CALLS][{\"tool\":\"f"] {
            check(Syntax::Markup, &format!("{header}{end}"), &rules);
        }
        check(Syntax::Arguments, &format!("{{\"question\":\"{end}"), &rules);
    }
}

#[test]
fn a_second_list_of_suggestions_is_repeated_even_if_it_is_too_long() {
    let rules = Rules { answer: 3, suggestions: 2, ..Rules::default() };
    let call = |lists: &[&str]| {
        let lists = lists.iter().map(|list| format!("<parameter=follow_up>{list}</parameter>"));
        format!(
            "<function=ask_followup_question><parameter=question>Q</parameter>{}</function>",
            lists.collect::<String>()
        )
    };
    for lists in [&["[\"a\"]", "[\"abcdef\"]"][..], &["[\"abcdef\"]", "[\"a\"]"], &["[\"a\"]", "[\"b\"]"]] {
        check(Syntax::Markup, &call(lists), &rules);
    }
}
