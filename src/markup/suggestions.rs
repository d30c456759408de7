//! The markup of suggestions in a text of its own, as some models write it into a native call.

use nom::{Complete, Streaming};

use super::allowed::NOTHING;
use super::inside::{CallReader, in_list};
use super::lexed::{LexedTag, Name, Side, Tag};
use super::state::{Inside, Position};
use super::tag::{self, Allowed, Set, TagNames};
use crate::call::Call;
use crate::config::{Entities, Policy};
use crate::scan;

/// Returns whether an opening tag of a suggestion or of options is in the text.
pub(crate) fn holds_suggestions(text: &str, policy: &Policy) -> bool {
    let open = TagNames::hidden(Set::SUGGEST.or(Set::OPTIONS));
    let allowed = Allowed { open, ..NOTHING };
    let limit = policy.limits.tag;
    memchr::memchr_iter(b'<', text.as_bytes()).any(|bracket| {
        let rest = &text.as_bytes()[bracket..];
        let near = &rest[..rest.len().min(limit)];
        matches!(tag::read::<Complete>(near, &allowed, &policy.tools, limit), LexedTag::Tag(_))
    })
}

/// Reads the text as the body of an open `follow_up`, and ends that.
pub(crate) fn read_suggestions(text: &str, call: &mut Call, policy: &Policy) {
    call.set_entities(policy.entities);
    let inside = &mut Inside { position: Position::BETWEEN, follow_up: true, after_backtick: false };
    let mut reader = CallReader { inside, call, policy };
    reader.begin_follow_up(false);
    let mut rest = text;
    while let Some(bracket) = scan::bracket(rest.as_bytes()) {
        reader.push(&rest[..bracket]);
        rest = &rest[bracket..];
        let after_backtick = reader.before_bracket();
        let allowed = in_list(*reader.inside, after_backtick);
        let len = match tag::read::<Streaming>(rest.as_bytes(), &allowed, &policy.tools, policy.limits.tag) {
            LexedTag::Text => {
                reader.push("<");
                1
            }
            LexedTag::Tag(tag) if tag.shown => {
                reader.push(&rest[..tag.len]);
                reader.keep_in_code();
                tag.len
            }
            LexedTag::Tag(tag) => {
                reader.act(&tag, &rest.as_bytes()[..tag.len]);
                tag.len
            }
            // No tag of a list waits for what follows it: an incomplete one is none.
            LexedTag::Incomplete(_) => break,
        };
        rest = &rest[len..];
    }
    reader.push(rest);
    reader.inside.follow_up = true;
    let close = Tag { name: Name::FollowUp, side: Side::Close, shown: false, empty: false, value: None, len: 0 };
    reader.act(&close, b"");
    reader.call.set_entities(Entities::Raw);
}
