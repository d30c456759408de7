//! What `followup_testing` promises.

use std::collections::BTreeSet;

use arbitrary::{Arbitrary, Unstructured};
use followup::owned::Reader;
use followup::wire::{Format, ResponseParser};
use followup::{Parser, Policy};
use followup_testing::workloads::{self, Workload};
use followup_testing::{
    Chunking, Cuts, Question, Stream, Suggestion, Syntax, Transcript, assert_chunk_invariant, literals, pieces,
};

/// How many values are made from random bytes.
const MANY: u64 = 500;

fn bytes(seed: u64) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..400).map(|_| random.u8(..)).collect()
}

fn arbitrary<T: for<'a> Arbitrary<'a>>(seed: u64) -> T {
    T::arbitrary(&mut Unstructured::new(&bytes(seed))).expect("enough bytes")
}

#[test]
fn an_arbitrary_question_comes_out_as_it_is() {
    for seed in 0..MANY {
        let question: Question = arbitrary(seed);
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
fn arbitrary_streams_have_every_kind_of_event() {
    let mut reached = BTreeSet::new();
    for seed in 0..MANY {
        let stream: Stream = arbitrary(seed);
        let cuts: Cuts = arbitrary(seed + 1);
        let transcript = Transcript::of(&mut stream.parser(Policy::new()), cuts.chunks(&stream));
        reached.extend(transcript.to_string().lines().map(|line| line.split(' ').next().unwrap().to_owned()));
    }
    let all = ["complete", "mode", "opaque", "question", "rejected", "suggestion", "text"];
    assert_eq!(reached, all.map(String::from).into());
}

#[test]
fn arbitrary_streams_contain_every_piece() {
    let streams: Vec<Stream> = (0..5 * MANY).map(arbitrary).collect();
    let holds = |piece: &[u8]| streams.iter().any(|stream| stream.windows(piece.len()).any(|window| window == piece));
    for piece in [literals::MARKUP, literals::ARGUMENTS, literals::ILL_FORMED].concat() {
        assert!(piece.is_empty() || holds(piece), "{}", piece.escape_ascii());
    }
    // And bytes of the fuzzer.
    assert!((0..=u8::MAX).filter(|&byte| holds(&[byte])).count() > 200);
    let cuts: BTreeSet<usize> = (0..MANY).map(|seed| arbitrary::<Cuts>(seed).offsets().len()).collect();
    assert!(cuts.len() > 5, "{cuts:?}");
    let questions: BTreeSet<String> = (0..MANY).map(|seed| arbitrary::<Question>(seed).question).collect();
    assert!(questions.len() as u64 > MANY / 2, "{}", questions.len());
}

#[test]
fn cuts_are_at_their_offsets() {
    for (cuts, offsets) in [
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
        assert_eq!(cuts.offsets(), offsets);
    }
    assert_eq!(Cuts::new([4, 1]).chunks("<b>é</b>".as_bytes()), [&b"<"[..], b"b>\xC3", b"\xA9</b>"]);
    assert_eq!(Cuts::new([4, 1]).pieces("<b>é</b>"), ["<", "b>", "é</b>"]);
    assert_eq!(Cuts::new([5, 8]).chunks(b"short"), [&b"sh"[..], b"ort", b""]);
    for seed in 0..MANY {
        let cuts = Cuts::random(9, 3, seed);
        assert!(cuts.offsets().len() <= 3 && cuts.offsets().iter().all(|&at| at <= 9), "{cuts:?}");
    }
    let all: Vec<Cuts> = (0..MANY).map(|seed| Cuts::random(9, 3, seed)).collect();
    let offsets: BTreeSet<usize> = all.iter().flat_map(|cuts| cuts.offsets().iter().copied()).collect();
    let counts: BTreeSet<usize> = all.iter().map(|cuts| cuts.offsets().len()).collect();
    assert_eq!((offsets, counts), ((0..=9).collect(), (0..=3).collect()));
}

#[test]
fn adversarial_cuts_are_where_careless_parsers_fail() {
    for (stream, offsets) in [
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
        assert_eq!(Cuts::adversarial(stream.as_bytes()).offsets(), offsets, "{stream:?}");
    }
}

#[test]
fn pieces_have_their_size_except_for_their_last_character() {
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

#[test]
fn a_stream_is_cut_in_all_promised_ways_and_no_others() {
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
        // With empty chunks at the start, in the middle and at the end.
        let empty = vec![0, 0, len / 2, 0, len - len / 2, 0];
        assert!(ways.contains(&empty));
        // At some of the adversarial offsets, at many and at few.
        let adversarial_offsets: BTreeSet<usize> = adversarial.offsets().iter().copied().collect();
        let offsets = |way: &[usize]| {
            let ends = way.iter().scan(0, |at, len| {
                *at += len;
                Some(*at)
            });
            ends.take(way.len() - 1).collect::<Vec<usize>>()
        };
        let some: Vec<usize> = ways
            .iter()
            .map(|way| offsets(way))
            .filter(|offsets| offsets.len() > 2 && offsets.len() < adversarial_offsets.len())
            .filter(|offsets| offsets.iter().all(|at| adversarial_offsets.contains(at)))
            .map(|offsets| offsets.len())
            .collect();
        let few = some.iter().filter(|&&many| 3 * many < adversarial_offsets.len()).count();
        assert!(some.len() >= 40 && few >= 15, "{few} of {}", some.len());
    }
}

/// However many cuts there are, few calls find the ones that matter.
#[test]
fn the_fewest_cuts_are_found_quickly() {
    let stream = "<b> ".repeat(1_000);
    let mut calls = 0;
    let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        assert_chunk_invariant(stream.as_bytes(), |chunks| {
            calls += 1;
            let mut at = 0;
            let offsets: BTreeSet<usize> = chunks
                .iter()
                .map(|chunk| {
                    at += chunk.len();
                    at
                })
                .collect();
            offsets.contains(&1_002) && offsets.contains(&3_003)
        });
    }));
    let message = *failed.expect_err("it differs").downcast::<String>().expect("a message");
    assert_eq!(message.lines().nth(1).unwrap().matches(" | ").count(), 2, "{message}");
    assert!(calls < 200, "{calls} calls");
}

#[test]
fn the_parser_is_chunk_invariant() {
    for seed in 0..20 {
        let stream: Stream = arbitrary(seed);
        assert_chunk_invariant(&stream, |chunks| Transcript::of(&mut stream.parser(Policy::new()), chunks));
    }
}

#[test]
fn readers_that_depend_on_the_cut_fail() {
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
        let failed = std::panic::catch_unwind(|| assert_chunk_invariant(stream.as_bytes(), read));
        assert!(failed.is_err(), "a reader that {how}");
    }
}

#[test]
#[should_panic(expected = "call 0 grows after its end")]
fn a_transcript_of_two_streams_panics() {
    let mut transcript = Transcript::default();
    for _ in 0..2 {
        let mut parser = Parser::default();
        transcript.append(parser.feed("<ask_followup_question><question>Q</question></ask_followup_question>"));
    }
}

/// The events of one parser and then of another, as if the first had lost its state.
#[test]
fn events_that_contradict_earlier_events_panic() {
    let call = "<ask_followup_question>";
    for (first, second, why) in [
        ("<question>Wh", "<question>Who?", "a question is not what its deltas add up to"),
        ("<question>Who?</question>", "</ask_followup_question>", "a call ends with another question"),
        ("<question>Q</question><suggest>A", "<question>Q</question><suggest>A", "a question is not what"),
        ("<suggest>A", "<suggest>B", "suggestions are"),
        ("<question>Q", "</ask_followup_question>Hm.", "a call ends with another question"),
    ] {
        let failed = std::panic::catch_unwind(|| {
            let mut transcript = Transcript::default();
            transcript.append(Parser::default().feed(&format!("{call}{first}")));
            transcript.append(Parser::default().feed(&format!("{call}{second}")));
        });
        let message = *failed.expect_err(second).downcast::<String>().expect("a message");
        assert!(message.contains(why), "{message}");
    }
    // Text inside a call.
    let failed = std::panic::catch_unwind(|| {
        let mut transcript = Transcript::default();
        transcript.append(Parser::default().feed(&format!("{call}<question>Q")));
        transcript.append(Parser::default().feed("Hm."));
    });
    assert!(failed.is_err());
}

#[test]
fn a_transcript_that_does_not_add_up_panics() {
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
        let failed = std::panic::catch_unwind(|| transcript.assert_adds_up_to(&other));
        assert!(failed.is_err(), "{other}");
    }
}

#[test]
#[should_panic(expected = "the end is not shown")]
fn a_lost_byte_panics() {
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
    let expected: BTreeSet<&[u8]> = all.iter().copied().filter(|literal| !literal.is_empty()).collect();
    assert!(entries.iter().map(Vec::as_slice).eq(expected));
    assert_eq!(literals::dictionary([&b"\"\\"[..], b"\n", b"a", b"a"]), "\"\\x0a\"\n\"\\\"\\\\\"\n\"a\"\n");
}

#[test]
fn arguments_escape_what_json_must_escape() {
    let suggestion = Suggestion { answer: "\\ / \u{1}".into(), mode: Some("code".into()) };
    let question = Question { question: "A \"b\"?\n".into(), suggestions: vec![suggestion] };
    let arguments = question.arguments();
    assert!(arguments.contains(r#""A \"b\"?\n""#) && arguments.contains(r#""\\ / \u0001""#), "{arguments}");
}

#[test]
fn streams_and_transcripts_have_a_readable_debug_form() {
    assert_eq!(format!("{:?}", Stream::new(Syntax::Markup, b"a\n\"\xFF")), r#"Markup "a\n\"\xff""#);
    let call = "Hm.<ask_followup_question><question>Q</question><suggest mode=\"code\">A</suggest><suggest>B</suggest>";
    let transcript = Transcript::of(&mut Parser::default(), [call, "</ask_followup_question>"]);
    let all = "text \"Hm.\"\nquestion 0 \"Q\"\nmode 0.0 \"code\"\nsuggestion 0.0 \"A\"\nsuggestion 0.1 \"B\"\n\
        complete 0 at 3..124: \"Q\" [\"A\" code, \"B\"] [OutsideFollowUp]\n";
    assert_eq!(transcript.to_string(), all);
    assert_eq!(format!("{transcript:?}"), all);
    // A mode after its answer is an entry of its own.
    let arguments = [r#"{"question":"Q","follow_up":[{"text":"A""#, r#","mode":"code"}]}"#];
    let transcript = Transcript::of(&mut Parser::arguments(Policy::new()), arguments);
    let all = "question 0 \"Q\"\nsuggestion 0.0 \"A\"\nmode 0.0 \"code\"\ncomplete 0 at 0..57: \"Q\" [\"A\" code] []\n";
    assert_eq!(transcript.to_string(), all);
}

/// Interleaved parts are separate entries; successive parts of one thing are one entry.
#[test]
fn overlapping_calls_have_separate_entries() {
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
    let transcript =
        Transcript::of_response(&mut ResponseParser::new(Format::OpenAiChat, Policy::new()), [body.concat()]);
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
    let entries: Vec<String> = transcript.entries().iter().map(ToString::to_string).collect();
    assert_eq!(entries, all.lines().collect::<Vec<_>>());
}

/// Returns the transcript of the owned events of a body.
fn owned_transcript(mut reader: Reader<ResponseParser>, body: &'static str) -> Transcript {
    let mut transcript = Transcript::default();
    reader.feed(body.into()).for_each(|event| transcript.append_owned_response(&event));
    reader.finish().for_each(|event| transcript.append_owned_response(&event));
    transcript
}

#[test]
fn a_transcript_of_owned_events_is_that_of_the_events_that_are_lent() {
    let message = "Text <read_file></read_file><ask_followup_question><question>Which?</question><suggest mode=\"code\">A\
        </suggest></ask_followup_question><ask_followup_question><question>Cut";
    let expected = Transcript::of(&mut Parser::default(), [message]);
    let (mut reader, mut transcript) = (Reader::new(Parser::default()), Transcript::default());
    reader.feed(message.into()).for_each(|event| transcript.append_owned(&event));
    reader.finish().for_each(|event| transcript.append_owned(&event));
    assert_eq!(transcript, expected);
    assert_eq!(transcript.entries().len(), 8, "{transcript}");

    let body = "data: {\"choices\":[{\"delta\":{\"content\":\"Text\"}}]}\n\ndata: {]\n\n";
    let parser = || ResponseParser::new(Format::OpenAiChat, Policy::new());
    let expected = Transcript::of_response(&mut parser(), [body]);
    assert_eq!(owned_transcript(Reader::new(parser()), body), expected);
    assert_eq!(expected.entries().len(), 2, "{expected}");
}

#[test]
fn a_transcript_of_a_form_has_its_first_question_and_suggestions() {
    let call = r#"{"title":"Set up","questions":[
        {"id":"a","prompt":"Which?","options":[{"label":"This"},{"label":"That"}]},
        {"id":"b","prompt":"Where?","options":[{"label":"Here"},{"label":"There"}]}]}"#;
    let mut parser = Parser::arguments_of("AskQuestion", Policy::new()).unwrap();
    let transcript = Transcript::of(&mut parser, [call]).to_string();
    let shown: Vec<&str> = transcript.lines().filter(|line| !line.starts_with("complete")).collect();
    assert_eq!(shown, ["question 0 \"Which?\"", "suggestion 0.0 \"This\"", "suggestion 0.1 \"That\""]);
}

#[test]
fn random_chunks_differ_from_stream_to_stream() {
    let sizes = |chunking: Chunking| {
        let mut sizes = chunking.sizes();
        (0..20).map(|_| sizes.next()).collect::<Vec<_>>()
    };
    let random: Chunking = "random:7".parse().unwrap();
    assert_ne!(sizes(random.for_stream(1)), sizes(random.for_stream(2)));
    assert_eq!(sizes(random.for_stream(1)), sizes("random:8".parse().unwrap()));
    let fixed: Chunking = "3".parse().unwrap();
    assert_eq!(sizes(fixed.for_stream(1)), [Some(3)].repeat(20));
}

#[test]
fn workloads_have_their_length_and_number_of_questions() {
    const PIECE: usize = 4 << 10;
    let complete =
        |workload: &Workload, mut parser: Parser| Transcript::of(&mut parser, [&workload.message]).complete().count();
    let names = |all: &[Workload]| all.iter().map(|one| one.name).collect::<Vec<_>>();
    let everyday: Vec<_> = workloads::everyday().collect();
    assert_eq!(names(&everyday), ["prose", "questions", "tsx", "code", "envelopes"]);
    // About every 2 KiB.
    for workload in [workloads::questions(), workloads::envelopes()] {
        assert!((480..560).contains(&workload.questions), "{}: {}", workload.name, workload.questions);
    }
    for len in [0, 100, 1 << 16, 1 << 18] {
        let adversarial: Vec<_> = workloads::adversarial(len).collect();
        assert_eq!(names(&adversarial).into_iter().collect::<BTreeSet<_>>().len(), 9);
        let sized = adversarial.into_iter().chain([workloads::question(len)]).map(|workload| (workload, len));
        for (workload, len) in sized.chain(everyday.iter().cloned().map(|workload| (workload, 1 << 20))) {
            let long = workload.message.len();
            assert!(long + PIECE > len && long < len + PIECE, "{}: {long} instead of {len}", workload.name);
            let count = complete(&workload, Parser::new(workload.policy()));
            assert_eq!(count, workload.questions, "{} of {len}", workload.name);
        }
        let arguments = workloads::arguments(len);
        assert!(arguments.message.len() + PIECE > len && arguments.message.len() < len + len / 8 + PIECE);
        assert_eq!(complete(&arguments, Parser::arguments(arguments.policy())), 1);
    }
}
