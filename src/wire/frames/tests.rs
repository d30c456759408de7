//! Tests of the framing, by example and against another decoder.

use super::*;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use core::iter;

use proptest::prelude::*;
use proptest::sample::select;

/// The payloads of a body; `None` for one that is too long.
fn payloads(chunks: &[&[u8]], limit: usize) -> Vec<Option<Vec<u8>>> {
    let mut frames = Frames::new(Some(Format::OpenAiChat), limit);
    let mut all = vec![];
    let own = |frame: Frame<'_>| match frame {
        Frame::Payload(payload) => Some(payload.to_vec()),
        Frame::Error(payload) => Some([b"error ", payload].concat()),
        Frame::TooLong => None,
        Frame::Corrupt(what) => panic!("text has no corrupt frames: {what}"),
    };
    for chunk in chunks {
        let mut rest = *chunk;
        while let Some(frame) = frames.next(&mut rest) {
            all.push(own(frame));
        }
    }
    if let Some(rest) = frames.take_rest() {
        let mut rest = &*rest;
        while let Some(frame) = frames.next(&mut rest) {
            all.push(own(frame));
        }
    }
    all.extend(frames.finish().map(own));
    all
}

/// A limit that no body of these tests exceeds.
const LARGE: usize = 1 << 20;

/// The payloads of a body as text, with `<too long>` for one that is.
///
/// Checks that they are the same for every single cut, and byte by byte.
#[track_caller]
fn read(body: &[u8], limit: usize) -> Vec<String> {
    let whole = payloads(&[body], limit);
    for cut in 0..=body.len() {
        let (one, two) = body.split_at(cut);
        assert_eq!(payloads(&[one, two], limit), whole, "\"{}\" cut at {cut}", body.escape_ascii());
    }
    let bytes: Vec<&[u8]> = body.chunks(1).collect();
    assert_eq!(payloads(&bytes, limit), whole, "\"{}\" byte by byte", body.escape_ascii());
    whole
        .into_iter()
        .map(|payload| payload.map_or("<too long>".into(), |payload| String::from_utf8_lossy(&payload).into_owned()))
        .collect()
}

#[track_caller]
fn check<B: AsRef<[u8]> + ?Sized>(table: &[(&B, &[&str])]) {
    for (body, expected) in table {
        let body = body.as_ref();
        assert_eq!(read(body, LARGE), *expected, "\"{}\"", body.escape_ascii());
    }
}

#[test]
fn the_payload_of_an_event_is_its_data_lines_joined() {
    check(&[
        ("data: a\ndata: b\n\ndata: c\n\n", &["a\nb", "c"][..]),
        ("data:a\r\ndata: b\r\n\r\ndata:  c\r\n\r\n", &["a\nb", "c"]),
        ("data: a\rdata: b\r\rdata: c\r\r", &["a\nb", "c"]),
        ("data: a\ndata\ndata: b\n\n", &["a\n\nb"]),
        (
            "data: a\nevent: x\n: data: no\ndatum: no\n data: no\nData: no\ndata : no\nid\nretry: 1\ndata: b\n\n",
            &["a\nb"],
        ),
        ("data: a: b\n\n", &["a: b"]),
        ("data\n\ndata:\n\ndata: \n\n\n\n\ndata:  \ndata:\n\ndata: a\n\n", &["a"]),
        ("event: a\n\ndata: a\n\n", &["a"]),
    ]);
}

#[test]
fn an_object_in_one_line_of_data_ends_before_the_next_one() {
    check(&[
        ("data: {\"a\":1}\ndata: {\"b\":2}\n\n", &["{\"a\":1}", "{\"b\":2}"][..]),
        ("data:{\"a\":1} \r\ndata:{\"b\":2}\r\ndata: [DONE]", &["{\"a\":1}", "{\"b\":2}", "[DONE]"]),
        ("data: {\"a\":1}\rid: 1\r:\rdata: {", &["{\"a\":1}", "{"]),
        ("data: {\"a\":1}\ndata:  {}\ndata: [DONE] \n\n", &["{\"a\":1}", "{}", "[DONE]"]),
        ("data: \ndata: {\"a\":1}\ndata:\ndata: {}\n\n", &["{\"a\":1}", "{}"]),
        // These are data of several lines.
        ("data: {\"a\":\ndata: {}\ndata: }\n\n", &["{\"a\":\n{}\n}"]),
        ("data: {\"a\":1}\ndata: b\ndata: {}\n\n", &["{\"a\":1}\nb\n{}"]),
        ("data: [DONE]\ndata: {}\n\n", &["[DONE]\n{}"]),
        ("data: {\"a\":1}data: [DONE]{}\ndata: {}\n\n", &["{\"a\":1}data: [DONE]{}", "{}"]),
        ("data: {\"a\":\"}\ndata: {\"}\n\n", &["{\"a\":\"}\n{\"}"]),
        ("data: [1]\ndata: {}\n\n", &["[1]\n{}"]),
    ]);
    assert_eq!(read(b"data: {\"a\":1}\ndata: {\"long\":1}\ndata: {}\n\ndata: b\n\n", 8), ["<too long>", "b"]);
}

#[test]
fn an_object_without_its_field_is_a_payload() {
    check(&[
        ("data: a\n\n{\n \"b\": 1\n}\ndata: c\n\n", &["a", "{\n \"b\": 1\n}", "c"][..]),
        (":\n{\"a\":1}\n{\"b\":2}", &["{\"a\":1}", "{\"b\":2}"]),
        (":\n{\"a\":\n\ndata: b", &["{\"a\":", "b"]),
        ("data: a\n{\"b\":1}\n\n", &["a"]),
    ]);
}

#[test]
fn the_end_of_the_body_ends_an_event() {
    check(&[
        ("data: a\n\ndata: b", &["a", "b"][..]),
        ("data: a\n\ndata: b\n", &["a", "b"]),
        ("data: a\n\ndata: b\r", &["a", "b"]),
        ("data: a\n\ndata: b\nevent: x", &["a", "b"]),
        ("data: a\n\ndat", &["a"]),
        ("data: a\n\ndata", &["a"]),
        ("data: a\n\n: b", &["a"]),
        ("", &[]),
        ("\n\r\n \t", &[]),
    ]);
}

#[test]
fn a_byte_order_mark_and_white_space_may_come_first() {
    check::<[u8]>(&[
        (b"\xEF\xBB\xBFdata: a\n\n", &["a"]),
        (b"\xEF\xBB\xBF\r\n\ndata: a\n\n", &["a"]),
        (b"\r\n\n \t\ndata: a\n\n", &["a"]),
        (b" data: no\ndata: a\n\n", &["a"]),
        (b"\xEF\xBBdata: no\ndata: a\n\n", &["a"]),
        (b"\xEFdata: no\ndata: a\n\n", &["a"]),
        (b"\xEF\xBB\xBF\xEF\xBB\xBFdata: no\ndata: a\n\n", &["a"]),
        (b"\n\xEF\xBB\xBFdata: no\ndata: a\n\n", &["a"]),
        (b"\xEF\xBB\xBF {\"a\":1}\n{\"b\":2}\n", &["{\"a\":1}", "{\"b\":2}"]),
        (b"\n \t[\n{\"a\":1},{\"b\":2}]", &["{\"a\":1}", "{\"b\":2}"]),
        (b"\xEF\xBB\xBF[{\"a\":1}]\n", &["{\"a\":1}"]),
        (b"\xEF\xBB\xBF", &[]),
        (b"\xEF\xBB", &[]),
    ]);
}

#[test]
fn a_value_is_a_payload() {
    check(&[
        ("{\"a\":1}\n{\"b\":2}\n", &["{\"a\":1}", "{\"b\":2}"][..]),
        ("{\"a\":1}\r\n{\"b\":2}\r\n", &["{\"a\":1}", "{\"b\":2}"]),
        ("{\"a\":1}\n\n \t\r\n\n{\"b\":2}\n\n", &["{\"a\":1}", "{\"b\":2}"]),
        ("{\"a\":1}\n{\"b\":2}", &["{\"a\":1}", "{\"b\":2}"]),
        ("  {\"a\":1}  \n  {\"b\":2}  ", &["{\"a\":1}", "{\"b\":2}"]),
        (
            "{\n  \"a\": [\n    {\"b\": \"}\"}\n  ]\n}\n{\"c\":1}\n",
            &["{\n  \"a\": [\n    {\"b\": \"}\"}\n  ]\n}", "{\"c\":1}"],
        ),
        ("{\"a\":\r\n 1}\r\n{\"b\":2}\n", &["{\"a\":\r\n 1}", "{\"b\":2}"]),
        (r#"{"a":"\\"}{"b":"\"{["}"#, &[r#"{"a":"\\"}"#, r#"{"b":"\"{["}"#]),
        ("{\"a\":1} {\"b\":2}} x\n{\"c\":3}", &["{\"a\":1}", "{\"b\":2}", "} x", "{\"c\":3}"]),
        ("{\"a\":\"\\\\\"}\n{\"b\":\"\\\"{[\"}\n{}\n", &["{\"a\":\"\\\\\"}", "{\"b\":\"\\\"{[\"}", "{}"]),
    ]);
}

#[test]
fn an_ill_formed_line_does_not_affect_the_next() {
    for bad in ["{\"a\":", "{\"a\":[{", "{\"a\":\"open", "{\"a\":\"open\\", "{]", "{\"a\"\"b\":\"}", "{\"\\\"", "{x"] {
        let expected = ["{\"c\":[{}]}", bad, "{\"b\":\"{\"}", "{\"d\":2}"];
        for end in ["\n", "\r\n"] {
            assert_eq!(read(expected.join(end).as_bytes(), LARGE), expected, "{bad} {end:?}");
            assert_eq!(read((expected[1..].join(end) + end).as_bytes(), LARGE), expected[1..], "{bad} first {end:?}");
        }
        assert_eq!(read([expected[0], bad].join("\n").as_bytes(), LARGE), [expected[0], bad], "{bad} last");
    }
}

#[test]
fn an_element_of_an_array_is_a_payload() {
    check(&[
        ("[{\"a\":1},{\"b\":2}]", &["{\"a\":1}", "{\"b\":2}"][..]),
        (
            "[{\n  \"a\": 1\n}\n,\n{\n  \"b\": [\n    2\n  ]\n}\n]\n",
            &["{\n  \"a\": 1\n}", "{\n  \"b\": [\n    2\n  ]\n}"],
        ),
        ("[\r\n{\"a\":1}\r\n,\r\n{\"b\":2}\r\n]\r\n", &["{\"a\":1}", "{\"b\":2}"]),
        (r#"[{"a":"}]\"}{[\\"},{"b":"]"}]"#, &[r#"{"a":"}]\"}{[\\"}"#, r#"{"b":"]"}"#]),
        ("[{\"a\":{\"b\":[{}]}}]", &["{\"a\":{\"b\":[{}]}}"]),
        ("[]", &[]),
        ("[\n]\n", &[]),
        ("[{\"a\":1}\n,\n{\"b\":[\"x", &["{\"a\":1}", "{\"b\":[\"x"]),
        ("[{\"a\":1}\n,\n", &["{\"a\":1}"]),
        ("[{\"a\":1}", &["{\"a\":1}"]),
        ("[{", &["{"]),
    ]);
}

#[test]
fn an_ill_formed_element_of_an_array_costs_no_other() {
    let (first, last) = ("{\"a\":[{\"x\":1}]}", "{\"a\":[{\"y\":2},{\"z\":3}]}");
    for (bad, payloads) in [
        // No objects.
        ("-Infinity", &["-Infinity"][..]),
        ("NaN", &["NaN"]),
        ("null", &[]),
        ("7, \"text, {\\\"a\\\":1}\",true", &["7", "\"text, {\\\"a\\\":1}\"", "true"]),
        ("[]", &[]),
        ("", &[]),
        ("}", &["}"]),
        ("\"open", &["\"open"]),
        // No JSON, but the brackets are balanced.
        ("{\"a\":-Infinity}", &["{\"a\":-Infinity}"]),
        ("{\"a\":NaN,\"b\":[NaN]}", &["{\"a\":NaN,\"b\":[NaN]}"]),
        // A bracket that is missing, or another one.
        ("{\"a\":[1}", &["{\"a\":[1}"]),
        ("{\"a\":{\"b\":1]}", &["{\"a\":{\"b\":1]"]),
        ("{\"a\":[{\"b\":1},{\"c\":2}}", &["{\"a\":[{\"b\":1},{\"c\":2}}"]),
        ("{\"a\":{\"b\":1}", &["{\"a\":{\"b\":1},"]),
        ("{\"a\":[1]", &["{\"a\":[1],"]),
        ("{\"a\":[{\"b\":1}", &["{\"a\":[{\"b\":1},"]),
        ("{\"a\":[[[", &["{\"a\":[[[,"]),
        ("{\"a\":[{\"b\":[", &["{\"a\":[{\"b\":[,"]),
        ("{\"a\":\"open", &["{\"a\":\"open"]),
        // A bracket too many.
        ("{\"a\":1}}", &["{\"a\":1}", "}"]),
        ("{\"a\":1}]", &["{\"a\":1}"]),
        // What follows the mistake is skipped.
        ("{\"a\":[1},\"b\":{\"c\":\",{\"}}", &["{\"a\":[1}"]),
    ] {
        for between in [",", "\n,\r\n"] {
            let open_string = bad.ends_with("open");
            if open_string && between == "," {
                continue; // It ends with its line.
            }
            let trimmed = |payload: &String| payload.trim_end_matches([',', '\n', '\r']).to_owned();
            let body = format!("[{first}{between}{bad}{between}{last}]");
            let found: Vec<String> = read(body.as_bytes(), LARGE).iter().map(trimmed).collect();
            let bad_payloads = payloads.iter().map(|payload| trimmed(&(*payload).to_owned()));
            let expected: Vec<String> =
                iter::once(first.to_owned()).chain(bad_payloads).chain([last.to_owned()]).collect();
            assert_eq!(found, expected, "{body}");
        }
    }
}

#[test]
fn an_array_may_repeat_its_first_key_inside_an_element() {
    let element = "{\"a\":[{\"a\":1},{\"a\":2}]}";
    assert_eq!(read(format!("[{element},{element}]").as_bytes(), LARGE), [element; 2]);
    // Only in an element that never ends they are elements.
    assert_eq!(read(b"[{\"a\":[{\"b\":1},{\"a\":2}", LARGE), ["{\"a\":[{\"b\":1},", "{\"a\":2}"]);
    assert_eq!(read(b"[{\"a\":[{\"b\":1},{\"c\":2}", LARGE), ["{\"a\":[{\"b\":1},{\"c\":2}"]);
}

/// JSON of exactly `len` bytes.
fn json(len: usize) -> String {
    format!("{{\"a\":\"{}\"}}", "x".repeat(len - 8))
}

#[test]
fn a_payload_beyond_the_limit_is_skipped_and_the_next_ones_are_not() {
    const LIMIT: usize = 24;
    for len in [LIMIT - 1, LIMIT, LIMIT + 1, LIMIT + 2, LIMIT + 8, 3 * LIMIT] {
        let payload = json(len);
        let expected = |payload: &str| {
            let first = if len > LIMIT { "<too long>".into() } else { payload.into() };
            [first, "{\"b\":2}".into(), "{\"c\":3}".into()] as [String; 3]
        };
        for end in ["\n", "\r\n", "\r"] {
            let lines = |data: &str| {
                ["data: ", data, "", "event: b", "data: {\"b\":2}", "", "data: {\"c\":3}", ""].join(end).replacen(
                    &format!("data: {end}"),
                    "data: ",
                    1,
                )
            };
            assert_eq!(read(lines(&payload).as_bytes(), LIMIT), expected(&payload), "one line of {len}, {end:?}");
            assert_eq!(
                read(lines(&payload).replace("data: ", "data:").as_bytes(), LIMIT),
                expected(&payload),
                "without a space"
            );
            // Several lines, with a line end between them that counts.
            for at in [1, 6, len - 2] {
                let (one, two) = payload.split_at(at);
                let two = &two[1..];
                let body = lines(&format!("{one}{end}data: {two}"));
                assert_eq!(
                    read(body.as_bytes(), LIMIT),
                    expected(&format!("{one}\n{two}")),
                    "{len} in two lines, {end:?}"
                );
            }
        }
        let array = format!("[{payload}\n,\n{{\"b\":2}},{{\"c\":3}}]");
        assert_eq!(read(array.as_bytes(), LIMIT), expected(&payload), "an element of {len}");
        for end in ["\n", "\n\n", "\r\n"] {
            let lines = [&*payload, "{\"b\":2}", "{\"c\":3}"].join(end);
            assert_eq!(read(lines.as_bytes(), LIMIT), expected(&payload), "a line of {len}");
        }
    }
}

#[test]
fn a_value_that_spans_lines_and_is_too_long_is_skipped_to_its_end() {
    assert_eq!(read(b"{\n  \"a\": [\n    1,\n    2,\n    3\n  ]\n}\n{\"b\":2}\n", 12), ["<too long>", "{\"b\":2}"]);
    assert_eq!(read(b"{\n  \"a\": [\n    1,\n    2,\n\n{\"b\":2}\n", 12), ["<too long>", "{\"b\":2}"]);
    assert_eq!(read(b"{\"a\":\"open open open\n{\"b\":2}\n", 12), ["<too long>", "{\"b\":2}"]);
    assert_eq!(read(b"{\"a\":\"open open open", 12), ["<too long>"]);
    assert_eq!(read(b"[{\"a\":\"open open open", 12), ["<too long>"]);
    assert_eq!(read(b"data: 0123456789abc", 12), ["<too long>"]);
}

#[test]
fn ignored_lines_may_have_any_length() {
    let long = "x".repeat(100);
    for line in [": {}", "event: {}", "{}: {}", "{}", "id: {}", "retry: {}", "data{}: no", "datum: {}"] {
        let line = line.replace("{}", &long);
        for body in [
            format!("{line}\ndata: a\n\ndata: b\n\n"),
            format!("data: a\n{line}\n\ndata: b\n\n"),
            format!("data: a\r\n\r\n{line}\r\n\r\ndata: b\r\n{line}"),
        ] {
            assert_eq!(read(body.as_bytes(), 8), ["a", "b"], "{body}");
        }
    }
    assert_eq!(read(format!("data: a\ndata: {long}\ndata: c\n\ndata: b\n\n").as_bytes(), 8), ["<too long>", "b"]);
}

#[test]
fn an_object_without_its_field_ends_with_a_line_beyond_the_limit() {
    // Only the beginning of that line is buffered, so that its brackets can't be counted.
    let limit = 12;
    assert_eq!(read(b":\n{\"a\":\"open open open open\"}\ndata: b\n\n", limit), ["<too long>", "b"]);
    assert_eq!(read(b":\n{\"a\":\"open open open open\"} x\r{\"b\":2}\r", limit), ["<too long>", "{\"b\":2}"]);
    assert_eq!(read(b":\n{\n \"a\":\"open open open open\"\n}\ndata: b\n\n", limit), ["<too long>", "b"]);
    assert_eq!(read(b":\n{\n \"a\":\n \"open\"\n}\ndata: b\n\n", limit), ["<too long>", "b"]);
    assert_eq!(read(b":\n{\"a\":\"open open open open", limit), ["<too long>"]);
    for len in 0..9 {
        let object = format!("{{\"a\":\"{}\"}}", "x".repeat(len));
        let error = if object.len() > limit { "<too long>".into() } else { format!("error {object}") };
        for space in ["", " "] {
            let body = format!("error:{space}{object}\ndata: b\n\n");
            assert_eq!(read(body.as_bytes(), limit), [&*error, "b"], "{body}");
        }
    }
}

#[test]
fn an_object_in_a_field_error_is_a_payload_of_its_own() {
    check(&[
        ("error: {\"a\":1}\n\ndata: b\n\n", &["error {\"a\":1}", "b"]),
        ("error:{\"a\":1}\ndata: b\n\n", &["error {\"a\":1}", "b"]),
        ("event: x\r\nerror: {\r\n\"a\":1\r\n}\r\ndata: b", &["error {\n\"a\":1\n}", "b"]),
        ("data: b\n\nerror: {\"a\":1}", &["b", "error {\"a\":1}"]),
        ("data: b\n\nerror: {\"a\n\ndata: c", &["b", "error {\"a", "c"]),
        // Of other values it is a field that means nothing, and so it is inside an event.
        ("error: no\nerror:  {\"a\":1}\nerror\nerrors: {\"a\":1}\ndata: b\n\n", &["b"]),
        ("data: b\nerror: {\"a\":1}\n\n", &["b"]),
    ]);
}

#[test]
fn a_line_of_a_megabyte_may_come_in_small_chunks() {
    let payload = json(1 << 20);
    let limit = crate::wire::Limits::default().event;
    for body in [format!("data: {payload}\n\n"), format!("{payload}\n"), format!("[{payload}]")] {
        let chunks: Vec<&[u8]> = body.as_bytes().chunks(16).collect();
        let read = payloads(&chunks, limit);
        assert!(read.len() == 1 && read[0].as_deref() == Some(payload.as_bytes()));
    }
}

/// It would take minutes if the rest of the line was searched for each of them.
#[test]
fn a_line_may_have_millions_of_values() {
    let many = 1 << 21;
    let mut frames = Frames::new(Some(Format::Ollama), LARGE);
    let body = "{}".repeat(many);
    let mut rest = body.as_bytes();
    assert_eq!(iter::from_fn(|| frames.next(&mut rest).map(drop)).count(), many);
}

#[test]
fn the_buffers_stay_within_the_limit() {
    const LIMIT: usize = 100;
    for (begin, more) in [
        ("data: ", "x"),
        ("error: {", "x"),
        (": ", "x"),
        ("x", "x"),
        ("", "data: x\n"),
        ("{\"a\":\"", "x"),
        ("{", "\n"),
        ("[{", "["),
    ] {
        let mut frames = Frames::new(Some(Format::OpenAiChat), LIMIT);
        for chunk in iter::once(begin).chain(iter::repeat_n(more, 5_000)) {
            let mut rest = chunk.as_bytes();
            while frames.next(&mut rest).is_some() {}
            assert!(frames.is_in_bounds(LIMIT), "{begin:?} {more:?}");
        }
    }
}

/// Pieces of server-sent events.
const PIECES: &[&[u8]] = &[
    b"data:",
    b"data: ",
    b"data: ",
    b"data: {\"a\":1}",
    b"data: [DONE]",
    b"data",
    b":",
    b": comment",
    b"event: x",
    b"event",
    b"id",
    b"id: 1",
    b"retry: 1",
    b"retry: x",
    b"datum: y",
    b"dat",
    b"a",
    b"{",
    b"[",
    b"\n",
    b"\n",
    b"\n\n",
    b"\r",
    b"\r\n",
    b"\r\n\r\n",
    b" ",
    b"\t",
    b"\0",
    b"\x0C",
    "é".as_bytes(),
    "数据".as_bytes(),
    "😀".as_bytes(),
    "\u{FEFF}".as_bytes(),
    "\u{FFFD}".as_bytes(),
    b"0123456789012345678901234567890123456789012345678901234567890123456789",
];

/// Ill-formed UTF-8, including parts of a byte order mark.
const ILL_FORMED: &[&[u8]] =
    &[b"\xEF", b"\xBB", b"\xBF", b"\xEF\xBB", b"\xFF", b"\x80", b"\xC3", b"\xED\xA0\x80", b"\xF0\x9F\x98"];

/// Pieces of objects, of whole ones, and of those without their field.
const OF_OBJECTS: &[&[u8]] =
    &[b"\n{", b"\r{\"a\":1}", b"{\"a\":[", b"}", b"}\n", b"]", b"\"", b"\\", b",", b",{\"a\":", b":1", b"null"];

fn bodies(more: &'static [&'static [u8]]) -> impl Strategy<Value = Vec<u8>> {
    let first = select(vec![&b""[..], b"", b"\xEF\xBB\xBF", b"\n", b"\r\n "]);
    let pieces = prop::collection::vec(select([PIECES, more].concat()), 0..40);
    (first, pieces).prop_map(|(first, pieces)| {
        let body = [first, &pieces.concat()].concat();
        // A body that begins like JSON would not be parsed as events.
        let begin = body.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&body).trim_ascii_start();
        let body = if begin.starts_with(b"{") || begin.starts_with(b"[") { [b":", &*body].concat() } else { body };
        // Nor would an object without its field be ignored.
        let mut events = Vec::new();
        for byte in body {
            let begins_object = byte == b'{' && matches!(events.last(), Some(b'\n' | b'\r'));
            events.extend(begins_object.then_some(b':'));
            events.push(byte);
        }
        events
    })
}

/// The data of all events, as another decoder finds them.
fn by_another_decoder(body: &[u8]) -> Vec<String> {
    let mut decoder = sse_core::SseDecoder::new();
    // That decoder drops an event that the body ends without a blank line.
    let body = [body, b"\n\n"].concat();
    let mut rest = &body[..];
    let mut all = vec![];
    while let Some(event) = decoder.next(&mut rest) {
        if let sse_core::SseEvent::Message(message) = event.unwrap() {
            all.push(message.data);
        }
    }
    all
}

/// Divides the data of an event as this decoder does.
///
/// Strings of [`PIECES`] have no brackets.
fn divided(data: &str, limit: usize) -> Vec<&str> {
    let is_object = |line: &str| {
        let line = line.trim_matches(|c: char| c.is_ascii_whitespace());
        let is_closed = [['{', '}'], ['[', ']']].map(|pair| pair.map(|one| line.matches(one).count()));
        let is_closed = is_closed.iter().all(|[opened, closed]| opened == closed);
        line.starts_with('{') && line.ends_with('}') && is_closed
    };
    let begins = |line: &str| {
        let payload = line.trim_matches(|c: char| c.is_ascii_whitespace());
        line.len() <= limit && (payload.starts_with('{') || payload == "[DONE]")
    };
    let (mut all, mut start, mut offset) = (Vec::new(), 0, 0_usize);
    for line in data.split('\n') {
        let before = &data[start..offset.saturating_sub(1).max(start)];
        let is_one_line = before.split('\n').filter(|line| !line.trim_ascii().is_empty()).count() == 1;
        if is_one_line && before.len() <= limit && is_object(before) && begins(line) {
            all.push(before);
            start = offset;
        }
        offset += line.len() + 1;
    }
    all.push(&data[start..]);
    all
}

fn trimmed(data: &str) -> Option<String> {
    Some(data.trim_matches(|c: char| c.is_ascii_whitespace()).into()).filter(|data: &String| !data.is_empty())
}

fn cut<'b>(body: &'b [u8], cuts: &[usize]) -> Vec<&'b [u8]> {
    let mut offsets: Vec<usize> = cuts.iter().map(|cut| cut % (body.len() + 1)).collect();
    offsets.extend([0, body.len()]);
    offsets.sort_unstable();
    offsets.windows(2).map(|pair| &body[pair[0]..pair[1]]).collect()
}

fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(10_000)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn another_decoder_of_server_sent_events_finds_the_same_payloads(body in bodies(ILL_FORMED), cuts in prop::collection::vec(any::<usize>(), 0..8)) {
        let found = by_another_decoder(&body);
        let expected: Vec<String> = found.iter().flat_map(|data| divided(data, LARGE)).filter_map(trimmed).collect();
        let lossy = |read: Vec<Option<Vec<u8>>>| -> Vec<String> {
            read.into_iter().map(|payload| String::from_utf8_lossy(&payload.expect("not too long")).into_owned()).collect()
        };
        prop_assert_eq!(lossy(payloads(&cut(&body, &cuts), LARGE)), &expected[..], "\"{}\"", body.escape_ascii());
        let bytes: Vec<&[u8]> = body.chunks(1).collect();
        prop_assert_eq!(lossy(payloads(&bytes, LARGE)), expected, "\"{}\"", body.escape_ascii());
    }

    #[test]
    fn only_payloads_beyond_the_limit_of_those_another_decoder_finds_are_skipped(body in bodies(&[]), cuts in prop::collection::vec(any::<usize>(), 0..8), limit in 0..100_usize) {
        let expected: Vec<Option<Vec<u8>>> = by_another_decoder(&body)
            .iter()
            .flat_map(|data| divided(data, limit))
            .filter_map(|data| if data.len() > limit { Some(None) } else { trimmed(data).map(|data| Some(data.into_bytes())) })
            .collect();
        prop_assert_eq!(payloads(&cut(&body, &cuts), limit), &expected[..], "\"{}\"", body.escape_ascii());
        let bytes: Vec<&[u8]> = body.chunks(1).collect();
        prop_assert_eq!(payloads(&bytes, limit), expected, "\"{}\"", body.escape_ascii());
    }

    #[test]
    fn payloads_do_not_depend_on_the_cut_whatever_the_limit(
        pieces in prop::collection::vec(select([PIECES, ILL_FORMED, OF_OBJECTS].concat()), 0..40),
        cuts in prop::collection::vec(any::<usize>(), 0..8),
        limit in 0..100_usize,
    ) {
        let body = pieces.concat();
        let whole = payloads(&[&body], limit);
        prop_assert_eq!(payloads(&cut(&body, &cuts), limit), &whole[..], "\"{}\"", body.escape_ascii());
        let bytes: Vec<&[u8]> = body.chunks(1).collect();
        prop_assert_eq!(payloads(&bytes, limit), whole, "\"{}\"", body.escape_ascii());
    }

    #[test]
    fn json_comes_out_of_every_framing_unchanged(
        values in prop::collection::vec(prop::collection::vec(select(&["a", "{", "}", "[", "]", "\\\"", "\\\\", ",", ":", "é", "😀", "\\n"][..]), 0..8), 0..6),
        // White space between the tokens, and between the lines or elements.
        (gap, between) in (select(&["", " ", "\n\t", "\n  ", "\r\n "][..]), select(&["", "\n", "\r\n", " "][..])),
        cuts in prop::collection::vec(any::<usize>(), 0..8),
    ) {
        let values: Vec<String> =
            values.iter().map(|value| format!("{{{gap}\"{}\":{gap}[{gap}{{}}]}}", value.concat())).collect();
        let array = format!("[{between}{}{between}]", values.join(&format!("{between},{between}")));
        let lines: String = values.iter().map(|value| format!("{value}\n{between}")).collect();
        let expected: Vec<Option<Vec<u8>>> = values.into_iter().map(|value| Some(value.into_bytes())).collect();
        for body in [array, lines] {
            prop_assert_eq!(payloads(&cut(body.as_bytes(), &cuts), LARGE), &expected[..], "{:?}", body);
            let bytes: Vec<&[u8]> = body.as_bytes().chunks(1).collect();
            prop_assert_eq!(payloads(&bytes, LARGE), &expected[..], "{:?}", body);
        }
    }
}
