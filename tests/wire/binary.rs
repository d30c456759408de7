//! Amazon's binary frames: against another writer and reader of them, and at their limits.

use crate::encode::events::binary_frame;
use crate::normal::lines;
use crate::sweep::cases;

use std::time::{Duration, SystemTime};

use aws_smithy_eventstream::frame::{DecodedFrame, MessageFrameDecoder, write_message_to};
use aws_smithy_types::DateTime;
use aws_smithy_types::event_stream::{Header, HeaderValue, Message};
use followup::wire::{Error, Format, Limits, ResponseParser};
use followup::{Event, Policy};
use followup_testing::strategies::cuts;
use proptest::prelude::*;

fn parser() -> ResponseParser {
    ResponseParser::new(Format::Bedrock, Policy::new())
}

fn event(payload: &str) -> Vec<u8> {
    binary_frame(&[(":message-type", "event"), (":event-type", "contentBlockDelta")], payload.as_bytes())
}

fn text(text: &str) -> Vec<u8> {
    event(&format!("{{\"delta\":{{\"text\":{}}}}}", serde_json::Value::from(text)))
}

fn header_value() -> impl Strategy<Value = HeaderValue> {
    let bytes = prop::collection::vec(any::<u8>(), 0..40);
    prop_oneof![
        any::<bool>().prop_map(HeaderValue::Bool),
        any::<i8>().prop_map(HeaderValue::Byte),
        any::<i16>().prop_map(HeaderValue::Int16),
        any::<i32>().prop_map(HeaderValue::Int32),
        any::<i64>().prop_map(HeaderValue::Int64),
        bytes.prop_map(|bytes| HeaderValue::ByteArray(bytes.into())),
        ".{0,20}".prop_map(|text| HeaderValue::String(text.into())),
        any::<u32>().prop_map(|seconds| {
            HeaderValue::Timestamp(DateTime::from(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds.into())))
        }),
        any::<u128>().prop_map(HeaderValue::Uuid),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(1_000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn frames_of_another_writer_are_read_whatever_headers_they_have(
        texts in prop::collection::vec("[a-z <&é😀]{1,40}", 1..6),
        headers in prop::collection::vec(("[a-z]{1,12}", header_value()), 0..6),
        at: usize,
        cuts in cuts(),
    ) {
        let mut body = Vec::new();
        for one in &texts {
            let payload = format!("{{\"delta\":{{\"text\":{}}}}}", serde_json::Value::from(&**one));
            let known = [(":message-type", "event"), (":event-type", "contentBlockDelta")];
            let mut all: Vec<Header> =
                headers.iter().map(|(name, value)| Header::new(name.clone(), value.clone())).collect();
            for (name, value) in known {
                all.insert(at % (all.len() + 1), Header::new(name, HeaderValue::String(value.to_owned().into())));
            }
            write_message_to(&Message::new_from_parts(all, payload), &mut body).unwrap();
        }
        let shown = |lines: Vec<String>| lines.concat();
        let expected: String = shown(lines(&mut parser(), [&*texts.iter().flat_map(|one| text(one)).collect::<Vec<u8>>()]));
        prop_assert!(!expected.is_empty() && !expected.contains("Err"));
        prop_assert_eq!(shown(lines(&mut parser(), cuts.chunks(&body))), expected);
    }

    #[test]
    fn another_reader_agrees_on_which_frames_are_corrupt(
        pieces in prop::collection::vec("[a-z]{1,20}", 1..4),
        flip in prop::option::of((any::<usize>(), 0..8_u8)),
        cuts in cuts(),
    ) {
        let mut body: Vec<u8> = pieces.iter().flat_map(|piece| text(piece)).collect();
        if let Some((at, bit)) = flip {
            let at = at % body.len();
            body[at] ^= 1 << bit;
        }
        let (mut theirs, mut rest, mut is_whole) = (MessageFrameDecoder::new(), &body[..], true);
        loop {
            match theirs.decode_frame(&mut rest) {
                Ok(DecodedFrame::Complete(_)) => {}
                Ok(DecodedFrame::Incomplete) => break,
                Err(_) => {
                    is_whole = false;
                    break;
                }
            }
        }
        is_whole &= rest.is_empty() && flip.is_none_or(|(at, _)| at % body.len() >= 4);
        let ours = lines(&mut parser(), cuts.chunks(&body));
        prop_assert_eq!(ours.iter().any(|line| line.starts_with("Err(")), !is_whole && flip.is_some(), "{:?}", ours);
    }
}

#[test]
fn a_frame_beyond_the_limit_is_skipped_and_the_next_is_parsed() {
    let small = text("small");
    let long = text(&"x".repeat(500));
    let body = [&*small, &long, &small].concat();
    for chunk in [1, 11, 12, 13, 100, body.len()] {
        let mut parser = parser().with_limits(Limits::default().with_event(100));
        let lines = lines(&mut parser, body.chunks(chunk));
        assert_eq!(lines, ["Ok(Text(\"small\"))", "Err(TooLong(100))", "Ok(Text(\"small\"))"]);
    }
    let mut parser = parser().with_limits(Limits::default().with_event(100));
    let (cut, _) = body.split_at(small.len() + 30);
    assert_eq!(lines(&mut parser, [cut]), ["Ok(Text(\"small\"))", "Err(TooLong(100))"]);
}

/// A length is checked before anything is kept for it.
#[test]
fn a_frame_of_four_gigabytes_is_skipped_without_memory() {
    let lengths = [u32::MAX.to_be_bytes(), 0_u32.to_be_bytes()].concat();
    // Last is the checksum of these lengths.
    let body = [&*text("Before."), &lengths, &u32::MAX.to_be_bytes()].concat();
    let mut parser = parser();
    let info = allocation_counter::measure(|| {
        let mut events = parser.feed(&body);
        assert_eq!(events.next(), Some(Ok(Event::Text("Before."))));
        assert_eq!(events.next(), Some(Err(Error::TooLong(Limits::default().event))));
        drop(events);
        let chunk = vec![b'x'; 1 << 16];
        for _ in 0..100 {
            assert!(parser.feed(&chunk).next().is_none());
        }
    });
    assert!(info.bytes_max < 1 << 18, "{} bytes", info.bytes_max);
}

#[test]
fn binary_frames_are_detected_by_their_prelude_and_nothing_else_is() {
    let body = text("Hello");
    for len in 0..body.len() {
        let mut auto = ResponseParser::auto(Policy::new());
        drop(auto.feed(&body[..len]));
        assert_eq!(auto.format(), (len >= 12).then_some(Format::Bedrock), "{len}");
    }
    for wrong in 0..12 {
        let mut changed = body.clone();
        changed[wrong] ^= 0x10;
        let mut auto = ResponseParser::auto(Policy::new());
        drop(auto.feed(&changed));
        assert_ne!(auto.format(), Some(Format::Bedrock), "byte {wrong}");
    }
}

#[test]
fn a_frame_costs_no_allocation_in_the_steady_state() {
    let body: Vec<u8> = (0..200).flat_map(|i| text(&format!("piece {i} "))).collect();
    for size in [body.len(), 64] {
        let mut parser = parser();
        drop(parser.feed(&body[..body.len() / 4]));
        drop(parser.finish());
        let count = |parser: &mut ResponseParser, body: &[u8]| {
            allocation_counter::measure(|| body.chunks(size).for_each(|chunk| drop(parser.feed(chunk)))).count_total
        };
        let few = count(&mut parser.clone(), &body[..body.len() / 2]);
        let many = count(&mut parser, &body);
        assert!(many <= few + 4, "{few} allocations for half of the frames, {many} for all, in chunks of {size}");
    }
}
