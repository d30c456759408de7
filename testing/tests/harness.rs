//! What `followup_testing` promises to other people's harnesses.

use std::collections::BTreeSet;

use arbitrary::{Arbitrary, Unstructured};
use followup::wire::{Response, Wire};
use followup::{Parser, Policy};
use followup_testing::workloads::{self, Workload};
use followup_testing::{
    Cuts, Question, Stream, Suggestion, Syntax, Transcript, assert_chunk_invariant, literals, pieces,
};

/// So many things are made of bytes that depend on nothing but their number.
const MANY: u64 = 500;

fn bytes(seed: u64) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..400).map(|_| random.u8(..)).collect()
}

fn made<T: for<'a> Arbitrary<'a>>(seed: u64) -> T {
    T::arbitrary(&mut Unstructured::new(&bytes(seed))).expect("enough bytes")
}

#[test]
fn a_question_that_is_made_of_bytes_comes_out_as_it_is() {
    for seed in 0..MANY {
        let question: Question = made(seed);
        for syntax in Syntax::ALL {
            let stream = question.stream(syntax);
            let transcript = Transcript::of(&mut stream.parser(Policy::new()), [&*stream]);
            let complete: Vec<_> = transcript.complete().collect();
            let [complete] = complete[..] else { panic!("{question:?}\n{transcript}") };
            assert_eq!(
                (&complete.question, &complete.suggestions),
                (&Some(question.question.clone()), &question.suggestions)
            );
            assert!(complete.notes.is_empty(), "{stream:?}\n{transcript}");
        }
    }
}

#[test]
fn streams_that_are_made_of_bytes_are_worth_reading() {
    let mut reached = BTreeSet::new();
    for seed in 0..MANY {
        let stream: Stream = made(seed);
        let cuts: Cuts = made(seed + 1);
        let transcript = Transcript::of(&mut stream.parser(Policy::new()), cuts.chunks(&stream));
        reached.extend(transcript.to_string().lines().map(|line| line.split(' ').next().unwrap().to_owned()));
    }
    let all = ["complete", "mode", "opaque", "question", "rejected", "suggestion", "text"];
    assert_eq!(reached, all.map(String::from).into());
}

#[test]
fn streams_that_are_made_of_bytes_hold_all_there_is_to_make_them_of() {
    let streams: Vec<Stream> = (0..5 * MANY).map(made).collect();
    let holds = |piece: &[u8]| streams.iter().any(|stream| stream.windows(piece.len()).any(|window| window == piece));
    for piece in [literals::MARKUP, literals::ARGUMENTS, literals::ILL_FORMED].concat() {
        assert!(piece.is_empty() || holds(piece), "{}", piece.escape_ascii());
    }
    // And bytes of the fuzzer's own.
    assert!((0..=u8::MAX).filter(|&byte| holds(&[byte])).count() > 200);
    let cuts: BTreeSet<usize> = (0..MANY).map(|seed| made::<Cuts>(seed).offsets().len()).collect();
    assert!(cuts.len() > 5, "{cuts:?}");
    let questions: BTreeSet<String> = (0..MANY).map(|seed| made::<Question>(seed).question).collect();
    assert!(questions.len() as u64 > MANY / 2, "{}", questions.len());
}

#[test]
fn cuts_are_where_they_are_said_to_be() {
    for (cuts, places) in [
        (Cuts::new([3, 1, 1]), &[3, 1, 1][..]),
        (Cuts::fixed(5, 2), &[2, 4]),
        (Cuts::fixed(4, 2), &[2]),
        (Cuts::fixed(3, 0), &[1, 2]),
        (Cuts::fixed(0, 4), &[]),
        (Cuts::fixed(3, usize::MAX), &[]),
        // The same on every machine.
        (Cuts::random(100, 5, 1), &[35, 59, 75, 88, 87]),
        (Cuts::random(1_000_000, 6, 2), &[188_264, 15_382, 812_163, 135_747]),
    ] {
        assert_eq!(cuts.offsets(), places);
    }
    assert_eq!(Cuts::new([4, 1]).chunks("<b>é</b>".as_bytes()), [&b"<"[..], b"b>\xC3", b"\xA9</b>"]);
    assert_eq!(Cuts::new([4, 1]).pieces("<b>é</b>"), ["<", "b>", "é</b>"]);
    assert_eq!(Cuts::new([5, 8]).chunks(b"short"), [&b"sh"[..], b"ort", b""]);
    for seed in 0..MANY {
        let cuts = Cuts::random(9, 3, seed);
        assert!(cuts.offsets().len() <= 3 && cuts.offsets().iter().all(|&at| at <= 9), "{cuts:?}");
    }
    let all: Vec<Cuts> = (0..MANY).map(|seed| Cuts::random(9, 3, seed)).collect();
    let places: BTreeSet<usize> = all.iter().flat_map(|cuts| cuts.offsets().iter().copied()).collect();
    let counts: BTreeSet<usize> = all.iter().map(|cuts| cuts.offsets().len()).collect();
    assert_eq!((places, counts), ((0..=9).collect(), (0..=3).collect()));
}

#[test]
fn adversarial_cuts_are_where_careless_readers_go_wrong() {
    for (stream, places) in [
        ("abc", &[][..]),
        ("a\u{e9}b", &[2, 3]),
        ("\u{1F980}", &[1, 2, 3]),
        ("a b", &[1, 2]),
        ("a  b", &[1, 3]),
        ("ab_cd", &[2]),
        ("ab<cd", &[2, 3]),
        ("ab;cd", &[2, 3]),
        ("a1b2x", &[2]),
        ("xyuvw", &[3]),
        (r"\u00e9", &[1, 2, 3, 4]),
        ("x\r\ny", &[1, 2, 3]),
        ("", &[]),
        ("<", &[]),
    ] {
        assert_eq!(Cuts::adversarial(stream.as_bytes()).offsets(), places, "{stream:?}");
    }
}

#[test]
fn pieces_are_as_long_as_they_are_to_be_but_for_their_last_character() {
    let text = "ab über €, und so weiter";
    for size in (0..30).chain([usize::MAX]) {
        let all: Vec<&str> = pieces(text, size).collect();
        assert_eq!(all.concat(), text);
        for piece in &all[..all.len() - 1] {
            let last = piece.chars().next_back().unwrap().len_utf8();
            assert!(piece.len() >= size.max(1) && piece.len() - last < size.max(1), "{piece:?} of {size}");
        }
    }
    assert_eq!(pieces("", 4).next(), None);
}

/// A stream is cut in all the ways that are promised, and no more often than that.
#[test]
fn a_stream_is_cut_in_every_way() {
    let text = "Which <b>é</b> \"one\"? ".repeat(300);
    for (len, least, most) in [(60, 200, 400), (4_096, 4_200, 4_300), (6_000, 650, 750)] {
        let stream = &text.as_bytes()[..len];
        let mut ways = Vec::new();
        assert_chunk_invariant(stream, |chunks| {
            assert_eq!(chunks.concat(), stream);
            ways.push(chunks.iter().map(|chunk| chunk.len()).collect::<Vec<_>>());
        });
        assert!((least..=most).contains(&ways.len()), "{} of {len}", ways.len());
        let lengths = |cuts: Cuts| cuts.chunks(stream).iter().map(|chunk| chunk.len()).collect::<Vec<_>>();
        for size in (1..=17).chain([64, 256, 4096]) {
            assert!(ways.contains(&lengths(Cuts::fixed(len, size))), "in chunks of {size}");
        }
        let adversarial = Cuts::adversarial(stream);
        assert!(ways.contains(&lengths(adversarial.clone())));
        // With empty chunks in front, in the middle and behind.
        let empty = vec![0, 0, len / 2, 0, len - len / 2, 0];
        assert!(ways.contains(&empty));
        // At some of the places that hurt, at many and at few.
        let hurting: BTreeSet<usize> = adversarial.offsets().iter().copied().collect();
        let places = |way: &[usize]| {
            let ends = way.iter().scan(0, |at, len| {
                *at += len;
                Some(*at)
            });
            ends.take(way.len() - 1).collect::<Vec<usize>>()
        };
        let some: Vec<usize> = ways
            .iter()
            .map(|way| places(way))
            .filter(|places| places.len() > 2 && places.len() < hurting.len())
            .filter(|places| places.iter().all(|at| hurting.contains(at)))
            .map(|places| places.len())
            .collect();
        let few = some.iter().filter(|&&many| 3 * many < hurting.len()).count();
        assert!(some.len() >= 40 && few >= 15, "{few} of {}", some.len());
    }
}

/// However many cuts made the difference, it is found with few looks.
#[test]
fn the_fewest_cuts_are_found_quickly() {
    let stream = "<b> ".repeat(1_000);
    let mut looks = 0;
    let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        assert_chunk_invariant(stream.as_bytes(), |chunks| {
            looks += 1;
            let mut at = 0;
            let places: BTreeSet<usize> = chunks
                .iter()
                .map(|chunk| {
                    at += chunk.len();
                    at
                })
                .collect();
            places.contains(&1_002) && places.contains(&3_003)
        });
    }));
    let message = *found.expect_err("it differs").downcast::<String>().expect("a message");
    assert_eq!(message.lines().nth(1).unwrap().matches(" | ").count(), 2, "{message}");
    assert!(looks < 200, "{looks} looks");
}

/// The parser's own streams, cut in all the ways there are for others.
#[test]
fn the_parser_does_not_depend_on_the_cut() {
    for seed in 0..20 {
        let stream: Stream = made(seed);
        assert_chunk_invariant(&stream, |chunks| Transcript::of(&mut stream.parser(Policy::new()), chunks));
    }
}

/// A harness that finds nothing wrong with a wrong reader is worth nothing.
#[test]
fn a_reader_that_depends_on_the_cut_is_found_out() {
    type Reader = fn(&[&[u8]]) -> usize;
    let wrong: [(&str, &str, Reader); 5] = [
        ("forgets what a chunk ends in", "a <b> c", |chunks| {
            chunks.iter().filter(|chunk| chunk.windows(3).any(|w| w == b"<b>")).count()
        }),
        ("decodes each chunk by itself", "é", |chunks| {
            chunks.iter().map(|chunk| String::from_utf8_lossy(chunk).len()).sum()
        }),
        ("counts chunks", "abc", |chunks| chunks.len()),
        ("stops at an empty chunk", "abc", |chunks| {
            chunks.iter().take_while(|chunk| !chunk.is_empty()).map(|c| c.len()).sum()
        }),
        ("loses a line feed that comes alone", "a\r\nb", |chunks| {
            chunks.iter().filter(|chunk| chunk.starts_with(b"\n")).count()
        }),
    ];
    for (how, stream, read) in wrong {
        let found = std::panic::catch_unwind(|| assert_chunk_invariant(stream.as_bytes(), read));
        assert!(found.is_err(), "a reader that {how}");
    }
}

/// The promises a transcript checks are kept or broken between streams too: each is of one stream.
#[test]
#[should_panic(expected = "call 0 grows behind its end")]
fn a_transcript_of_two_streams_is_refused() {
    let mut transcript = Transcript::default();
    for _ in 0..2 {
        let mut parser = Parser::default();
        transcript.append(parser.feed("<ask_followup_question><question>Q</question></ask_followup_question>"));
    }
}

/// What one parser shows and then another: as a parser would that forgets.
#[test]
fn what_is_not_what_was_shown_before_is_refused() {
    let call = "<ask_followup_question>";
    for (first, second, why) in [
        ("<question>Wh", "<question>Who?", "a question is not what its deltas add up to"),
        ("<question>Who?</question>", "</ask_followup_question>", "a call ends with another question"),
        ("<question>Q</question><suggest>A", "<question>Q</question><suggest>A", "a question is not what"),
        ("<suggest>A", "<suggest>B", "suggestions are"),
        ("<question>Q", "</ask_followup_question>Hm.", "a call ends with another question"),
    ] {
        let refused = std::panic::catch_unwind(|| {
            let mut transcript = Transcript::default();
            transcript.append(Parser::default().feed(&format!("{call}{first}")));
            transcript.append(Parser::default().feed(&format!("{call}{second}")));
        });
        let message = *refused.expect_err(second).downcast::<String>().expect("a message");
        assert!(message.contains(why), "{message}");
    }
    // Text inside of a call.
    let refused = std::panic::catch_unwind(|| {
        let mut transcript = Transcript::default();
        transcript.append(Parser::default().feed(&format!("{call}<question>Q")));
        transcript.append(Parser::default().feed("Hm."));
    });
    assert!(refused.is_err());
}

#[test]
fn what_does_not_add_up_is_refused() {
    let message =
        "Hm. <read_file></read_file> <ask_followup_question><question>Q</question></ask_followup_question> and";
    let transcript = Transcript::of(&mut Parser::default(), [message]);
    transcript.assert_adds_up_to(message);
    for other in [
        message.replace("Hm.", "Hn."),
        message.replace("Hm.", "Hmm."),
        message.replace("read_file>", "read_fine>"),
        message.replace("<question>Q", "<question>QQ"),
        message.replace(" and", " end"),
        message.replace(" and", ""),
        format!("{message}."),
        String::new(),
    ] {
        let refused = std::panic::catch_unwind(|| transcript.assert_adds_up_to(&other));
        assert!(refused.is_err(), "{other}");
    }
}

#[test]
#[should_panic(expected = "the end is not shown")]
fn a_byte_that_is_lost_is_missed() {
    Transcript::of(&mut Parser::default(), ["Hm."]).assert_adds_up_to("Hm. And?");
}

#[test]
fn every_literal_is_in_the_dictionary_and_readable() {
    let all =
        [literals::MARKUP, literals::ARGUMENTS, literals::ILL_FORMED, literals::FRAMES, literals::PROVIDERS].concat();
    let dictionary = literals::dictionary(all.iter().copied());
    // As libFuzzer and AFL++ read a line.
    let read = |line: &str| {
        let inside = line.strip_prefix('"').and_then(|line| line.strip_suffix('"')).expect("quotes around it");
        let (mut bytes, mut chars) = (Vec::new(), inside.chars());
        while let Some(char) = chars.next() {
            assert!((' '..='~').contains(&char) && char != '"', "{line}");
            match (char == '\\').then(|| chars.next().expect("an escape")) {
                None => bytes.push(char as u8),
                Some('x') => {
                    let digits: String = chars.by_ref().take(2).collect();
                    bytes.push(u8::from_str_radix(&digits, 16).expect("two digits"));
                }
                Some(escaped @ ('"' | '\\')) => bytes.push(escaped as u8),
                Some(_) => panic!("{line}"),
            }
        }
        bytes
    };
    let entries: Vec<Vec<u8>> = dictionary.lines().map(read).collect();
    let meant: BTreeSet<&[u8]> = all.iter().copied().filter(|literal| !literal.is_empty()).collect();
    assert!(entries.iter().map(Vec::as_slice).eq(meant));
    assert_eq!(literals::dictionary([&b"\"\\"[..], b"\n", b"a", b"a"]), "\"\\x0a\"\n\"\\\"\\\\\"\n\"a\"\n");
}

#[test]
fn a_question_is_written_plainly() {
    let suggestion = Suggestion { answer: "\\ / \u{1}".into(), mode: Some("code".into()) };
    let question = Question { question: "A \"b\"?\n".into(), suggestions: vec![suggestion] };
    let arguments = question.arguments();
    assert!(arguments.contains(r#""A \"b\"?\n""#) && arguments.contains(r#""\\ / \u0001""#), "{arguments}");
}

#[test]
fn what_is_kept_of_a_failure_can_be_read() {
    assert_eq!(format!("{:?}", Stream::new(Syntax::Markup, b"a\n\"\xFF")), r#"Markup "a\n\"\xff""#);
    let call = "Hm.<ask_followup_question><question>Q</question><suggest mode=\"code\">A</suggest><suggest>B</suggest>";
    let transcript = Transcript::of(&mut Parser::default(), [call, "</ask_followup_question>"]);
    let all = "text \"Hm.\"\nquestion 0 \"Q\"\nmode 0.0 \"code\"\nsuggestion 0.0 \"A\"\nsuggestion 0.1 \"B\"\n\
        complete 0 at 3..124: \"Q\" [\"A\" code, \"B\"] [OutsideFollowUp]\n";
    assert_eq!(transcript.to_string(), all);
    assert_eq!(format!("{transcript:?}"), all);
    // A mode behind its answer is one more step.
    let arguments = [r#"{"question":"Q","follow_up":[{"text":"A""#, r#","mode":"code"}]}"#];
    let transcript = Transcript::of(&mut Parser::arguments(Policy::new()), arguments);
    let all = "question 0 \"Q\"\nsuggestion 0.0 \"A\"\nmode 0.0 \"code\"\ncomplete 0 at 0..57: \"Q\" [\"A\" code] []\n";
    assert_eq!(transcript.to_string(), all);
}

/// What providers interleave stays apart, and what nothing came between is one step.
#[test]
fn calls_that_grow_by_turns_are_told_apart() {
    let part = |index: usize, name: &str, arguments: &str| {
        let arguments = arguments.replace('"', "\\\"");
        format!(
            "data: {{\"choices\":[{{\"delta\":{{\"tool_calls\":[{{\"index\":{index},\"id\":\"c{index}\",\
             \"function\":{{{name}\"arguments\":\"{arguments}\"}}}}]}}}}]}}\n\n"
        )
    };
    let ask = "\"name\":\"ask_followup_question\",";
    let other = "\"name\":\"read_file\",";
    let body = [
        part(0, ask, r#"{"question":"A"#),
        part(1, ask, r#"{"question":"B"#),
        part(1, "", "b"),
        part(0, "", r#"a","follow_up":[{"text":"1"#),
        part(1, "", r#"","follow_up":[{"text":"2"#),
        part(1, "", "2"),
        part(0, "", "1"),
        part(2, other, "{"),
        part(3, other, "["),
        part(3, "", "]"),
        part(2, "", "}"),
    ];
    let transcript = Transcript::of_response(&mut Response::new(Wire::OpenAiChat, Policy::new()), [body.concat()]);
    let all = transcript.to_string();
    let grown: Vec<&str> = all.lines().filter(|line| !line.starts_with("rejected")).collect();
    let apart = [
        r#"question 0 "A""#,
        r#"question 1 "Bb""#,
        r#"question 0 "a""#,
        r#"suggestion 0.0 "1""#,
        r#"suggestion 1.0 "22""#,
        r#"suggestion 0.0 "1""#,
        r#"opaque 0 read_file (c2) "{""#,
        r#"opaque 1 read_file (c3) "[]""#,
        r#"opaque 0 read_file (c2) "}""#,
    ];
    assert_eq!(grown, apart);
    let steps: Vec<String> = transcript.entries().iter().map(ToString::to_string).collect();
    assert_eq!(steps, all.lines().collect::<Vec<_>>());
}

#[test]
fn workloads_are_as_long_as_they_are_said_to_be_and_ask_as_often() {
    const PIECE: usize = 4 << 10;
    let asked =
        |workload: &Workload, mut parser: Parser| Transcript::of(&mut parser, [&workload.message]).complete().count();
    let names = |all: &[Workload]| all.iter().map(|one| one.name).collect::<Vec<_>>();
    let everyday: Vec<_> = workloads::everyday().collect();
    assert_eq!(names(&everyday), ["prose", "questions", "tsx"]);
    // About every 2 KiB.
    assert!((480..560).contains(&workloads::questions().questions), "{}", workloads::questions().questions);
    for len in [0, 100, 1 << 16, 1 << 18] {
        let adversarial: Vec<_> = workloads::adversarial(len).collect();
        assert_eq!(names(&adversarial).into_iter().collect::<BTreeSet<_>>().len(), 9);
        let sized = adversarial.into_iter().chain([workloads::question(len)]).map(|workload| (workload, len));
        for (workload, len) in sized.chain(everyday.iter().cloned().map(|workload| (workload, 1 << 20))) {
            let long = workload.message.len();
            assert!(long + PIECE > len && long < len + PIECE, "{}: {long} instead of {len}", workload.name);
            let asked = asked(&workload, Parser::new(workload.policy()));
            assert_eq!(asked, workload.questions, "{} of {len}", workload.name);
        }
        let arguments = workloads::arguments(len);
        assert!(arguments.message.len() + PIECE > len && arguments.message.len() < len + len / 8 + PIECE);
        assert_eq!(asked(&arguments, Parser::arguments(arguments.policy())), 1);
    }
}
