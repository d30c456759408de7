//! Tags as nearly all are written: `<name>` or `</name>`, nothing but the name in them, and `<suggest mode="slug">`.
//!
//! What the [grammar](super::grammar) says of them is known beforehand, and a comparison with the name finds them. Whatever is
//! written otherwise is left to the grammar, which says the same of these.

use super::grammar::Tag;
use super::name::{Name, Ours, Side};

/// Names of ours, of opening and of closing tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sides {
    pub(super) open: Ours,
    pub(super) close: Ours,
}

/// What the bytes from a `<` on are. It fits a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plain {
    /// A tag, that many bytes long; `mode` of them are the value of the attribute.
    Tag { name: Name, side: Side, len: u8, mode: u8 },
    /// The beginning of a tag, or a tool's tag that the next character decides.
    Begun,
}

impl Plain {
    pub(super) fn has_mode(self) -> bool {
        matches!(self, Plain::Tag { mode: 1.., .. })
    }

    /// As the grammar has it.
    pub(super) fn tag(name: Name, side: Side, mode: u8) -> Tag {
        let start = 1 + WITH_MODE.len();
        Tag { mode: (mode > 0).then_some((start, start + usize::from(mode))), ..Tag::plain(name, side) }
    }
}

/// The most bytes that a plain tag has.
pub(super) const LONGEST: usize = 64;

const ASK: &[u8; 22] = b"ask_followup_question>";
const WITH_MODE: &[u8] = b"suggest mode=\"";

/// What `bytes`, from a `<` on, are, if they are one of our own among `tags`, or the beginning of one, plainly written.
pub(super) fn read(bytes: &[u8], tags: Sides) -> Option<Plain> {
    match bytes {
        b"<" => (!tags.open.is_empty() || !tags.close.is_empty()).then_some(Plain::Begun),
        b"</" => (!tags.close.is_empty()).then_some(Plain::Begun),
        [b'<', b'/', rest @ ..] => of_ours(rest, tags.close, Side::Close),
        [b'<', rest @ ..] if tags.open.has(Ours::ASK) && rest[0] == b'a' => opening_tool(rest),
        [b'<', rest @ ..] => of_ours(rest, tags.open, Side::Open),
        _ => None,
    }
}

/// What `rest`, which is not empty and goes on from the name, is.
#[inline]
fn of_ours(rest: &[u8], ours: Ours, side: Side) -> Option<Plain> {
    let one = |set| if ours.has(set) { Some(side) } else { None };
    match rest[0] {
        b'q' => tag(rest, b"question>", Name::Question, one(Ours::QUESTION)?),
        b'f' => tag(rest, b"follow_up>", Name::FollowUp, one(Ours::FOLLOW_UP)?),
        b's' => {
            let suggest = one(Ours::SUGGEST).and_then(|side| {
                tag(rest, b"suggest>", Name::Suggest, side)
                    .or_else(|| with_mode(rest, side))
                    .or_else(|| tag(rest, b"suggestion>", Name::Suggest, side))
            });
            suggest.or_else(|| tag(rest, b"suggestions>", Name::FollowUp, one(Ours::FOLLOW_UP)?))
        }
        b'a' => tag(rest, ASK, Name::Ask, one(Ours::ASK)?),
        b'o' => tag(rest, b"options>", Name::Options, one(Ours::OPTIONS)?),
        b'c' => tag(rest, b"content>", Name::Content, one(Ours::CONTENT)?),
        b'm' => tag(rest, b"mode>", Name::Mode, one(Ours::MODE)?),
        _ => None,
    }
}

/// Our own tool's opening tag is one if no back-tick follows.
fn opening_tool(rest: &[u8]) -> Option<Plain> {
    let found = of_ours(rest, Ours::ASK, Side::Open)?;
    match (found, rest.get(ASK.len())) {
        (Plain::Tag { .. }, None) => Some(Plain::Begun),
        (Plain::Tag { .. }, Some(b'`')) => None,
        (found, _) => Some(found),
    }
}

/// What `rest` is, if it goes on as that name and a `>`. The length is known beforehand, so that this is a comparison of a word or two.
#[inline]
fn tag<const N: usize>(rest: &[u8], written: &[u8; N], name: Name, side: Side) -> Option<Plain> {
    match rest.first_chunk::<N>() {
        Some(whole) => (whole == written).then(|| {
            let len = N as u8 + if side == Side::Close { 2 } else { 1 };
            Plain::Tag { name, side, len, mode: 0 }
        }),
        None => written.starts_with(rest).then_some(Plain::Begun),
    }
}

/// What `rest` is, if it goes on as a suggestion's tag with a mode that is one plain word.
fn with_mode(rest: &[u8], side: Side) -> Option<Plain> {
    let value = rest.strip_prefix(WITH_MODE).filter(|_| side == Side::Open)?;
    let is_in_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let mode = value.iter().take(LONGEST - WITH_MODE.len() - 3).take_while(|byte| is_in_word(byte)).count();
    let len = 1 + WITH_MODE.len() + mode + 2;
    (mode > 0 && value[mode..].starts_with(b"\">")).then_some(Plain::Tag {
        name: Name::Suggest,
        side,
        len: len as u8,
        mode: mode as u8,
    })
}

#[cfg(test)]
mod tests {
    use super::super::grammar::{self, Read, Tags};
    use super::super::name::{Candidates, SPELLED};
    use super::*;
    use alloc::format;
    use alloc::string::String;

    /// What the grammar says, as far as it is said here.
    fn closely(bytes: &[u8], sides: Sides) -> Option<Plain> {
        let tags = Tags { open: Candidates::ours(sides.open), close: Candidates::ours(sides.close) };
        match grammar::read(bytes, tags) {
            Read::Tag(Tag { name, side, mode, .. }, len) => {
                let mode = mode.map_or(0, |(start, end)| (end - start) as u8);
                Some(Plain::Tag { name, side, len: len as u8, mode })
            }
            Read::Begun(_) | Read::Undecided => Some(Plain::Begun),
            Read::Text => None,
        }
    }

    #[test]
    fn the_grammar_says_the_same_of_every_plain_tag_and_every_beginning_of_one() {
        let sets = [Ours::NONE, Ours::ASK, Ours::QUESTION, Ours::FOLLOW_UP, Ours::SUGGEST, Ours::OPTIONS];
        let sets = sets.into_iter().chain([Ours::CONTENT, Ours::MODE, Ours::SUGGEST.with(Ours::FOLLOW_UP)]);
        let sides = sets.clone().flat_map(|open| sets.clone().map(move |close| Sides { open, close }));
        let all = Ours::ASK.with(Ours::QUESTION).with(Ours::FOLLOW_UP).with(Ours::SUGGEST);
        let all = all.with(Ours::OPTIONS).with(Ours::CONTENT).with(Ours::MODE);
        for sides in sides.chain([Sides { open: all, close: all }]) {
            for (name, ours, _) in SPELLED {
                for (before, set) in [("<", sides.open), ("</", sides.close)] {
                    let whole = format!("{before}{name}>");
                    for len in 1..=whole.len() {
                        let begun = &whole.as_bytes()[..len];
                        let plain = read(begun, sides);
                        assert_eq!(plain, closely(begun, sides), "{} of {sides:?}", &whole[..len]);
                    }
                    assert!(
                        whole.len() > LONGEST
                            || all.both(ours).is_empty()
                            || read(whole.as_bytes(), sides).is_some() == set.has(ours)
                    );
                    for more in ["a", "`", "<", "\n", ">", "/", "</question>"] {
                        for len in 1..=whole.len() {
                            let text: String = format!("{}{more}", &whole[..len]);
                            if let Some(plain) = read(text.as_bytes(), sides) {
                                assert_eq!(Some(plain), closely(text.as_bytes(), sides), "{text} of {sides:?}");
                            }
                        }
                    }
                }
            }
        }
    }
}
