use super::*;
use alloc::vec;

fn payloads(chunks: &[&[u8]], limit: usize) -> Vec<Option<Vec<u8>>> {
    let mut frames = Frames::new(limit);
    let mut all = vec![];
    let own = |frame: Frame<'_>| match frame {
        Frame::Payload(payload) => Some(payload.to_vec()),
        Frame::TooLong => None,
    };
    for chunk in chunks {
        let mut rest = *chunk;
        while let Some(frame) = frames.next(&mut rest) {
            all.push(own(frame));
        }
    }
    all.extend(frames.finish().map(own));
    all
}

#[test]
fn an_event_is_its_data_lines_joined() {
    assert_eq!(payloads(&[b"data: a\ndata: b\n\ndata: c\n\n"], 99), [Some(b"a\nb".to_vec()), Some(b"c".to_vec())]);
}
