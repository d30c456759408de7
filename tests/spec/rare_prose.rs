//! Prose that random sequences of the grammar's pieces seldom make: what begins like a tag, near
//! the limits and cut in rare places.

use std::sync::Arc;

use followup::{Checkpoint, Envelope, Event, Parser, Policy, ResumeError};
use serde_json::json;

use crate::common::reference::{Rules, describe};
use crate::common::stored::paths;
use crate::common::{markup, parse, policy};

const JSON: &str = r#"{"name": "ask_followup_question", "arguments": {"question": "Q"}}"#;
const MARKER: &str = r#"[TOOL_CALLS]ask_followup_question[ARGS]{"question": "Q"}"#;

/// Checks that a message means what the reference reader says: whole, byte by byte, and cut in two
/// at each of these places.
fn check(message: &str, rules: &Rules, cuts: impl IntoIterator<Item = usize>) {
    let (bytes, expected) = (message.as_bytes(), markup(message.as_bytes(), rules));
    let mut parser = Parser::new(policy(rules));
    let mut check = |chunks: &[&[u8]]| {
        let shown = parse(&mut parser, chunks.iter().copied());
        assert!(
            shown == expected,
            "{message:?} in {} chunks\nexpected {}\nshown {}",
            chunks.len(),
            describe(&expected),
            describe(&shown)
        );
    };
    check(&[bytes]);
    check(&bytes.chunks(1).collect::<Vec<_>>());
    for cut in cuts {
        check(&[&bytes[..cut], &bytes[cut..]]);
    }
}

/// Returns the text that each chunk shows.
fn texts(rules: &Rules, chunks: &[&str]) -> Vec<String> {
    let mut parser = Parser::new(policy(rules));
    let mut text_of = |chunk: &&str| {
        let (mut events, mut shown) = (parser.feed(chunk), String::new());
        while let Some(event) = events.next() {
            match event {
                Event::Text(text) => shown += text,
                other => panic!("{other:?} in {chunks:?}"),
            }
        }
        shown
    };
    chunks.iter().map(&mut text_of).collect()
}

/// Rules under which there are only these other tools, and the tags of no envelopes.
fn with_tools(tools: &[&str]) -> Rules {
    let tools = tools.iter().map(|&tool| tool.to_owned()).collect();
    Rules { tools, parameters: Vec::new(), envelopes: [].into_iter().collect(), ..Rules::default() }
}

fn with_tools_and_envelopes(tools: &[&str]) -> Rules {
    Rules { envelopes: Rules::default().envelopes, ..with_tools(tools) }
}

fn reading(families: &[Envelope]) -> Rules {
    Rules { envelopes: families.iter().copied().collect(), ..Rules::with_few_tools() }
}

// ------------------------------------------------------------------------ what is no tag

#[test]
fn no_call_starts_in_what_begins_like_a_tag_between_bars_and_is_none() {
    for beginning in ["<|DSML|tool_calls a", "<｜DSML｜invoke name=\"a\" b", "<‖ DSML ‖tool_use a"] {
        check(&format!("{beginning}=\"\n{JSON}< x"), &Rules::default(), []);
    }
}

#[test]
fn no_call_starts_in_what_begins_like_a_tag_with_space_before_its_bar_and_is_none() {
    for beginning in ["< |DSML|tool_calls a", "<  ｜ DSML｜tool_use a", "<\n‖DSML‖invoke name=\"a\" b"] {
        check(&format!("{beginning}=\"\n{JSON}< x"), &Rules::default(), []);
    }
}

#[test]
fn no_call_starts_in_what_begins_like_a_tag_if_one_family_of_text_is_read() {
    for (family, call) in [(Envelope::BareJson, JSON), (Envelope::Mistral, MARKER)] {
        check(&format!("<ask_followup_question a=\"\n{call}< x"), &reading(&[family]), []);
    }
}

#[test]
fn a_call_starts_after_the_part_of_no_tag_that_its_limit_leaves() {
    // Around each limit: the call begins in it, at its end, and after it.
    for beginning in ["<invoke 1\n", "<tool_call a\n", "<ask_followup_question a=\n"] {
        let message = format!("{beginning}{JSON} x");
        for tag in beginning.len() - 2..beginning.len() + 6 {
            check(&message, &Rules { tag, ..Rules::with_few_tools() }, [beginning.len(), beginning.len() + 2]);
        }
    }
}

#[test]
fn a_call_starts_after_another_tools_call_that_follows_a_named_opening_tag() {
    for named in ["<ask_followup_question>", "<ask_followup_question> Hm. "] {
        for call in [JSON, "<tool_call>{\"name\": \"ask_followup_question\"}</tool_call>"] {
            check(&format!("{named}<read_file></read_file>\n{call}"), &Rules::with_few_tools(), []);
        }
    }
}

// ------------------------------------------------------------------------ what is shown at once

#[test]
fn a_bracket_is_held_back_only_where_a_tag_fits_into_the_limit() {
    let shortest = "<ask_followup_question>".len();
    for tag in 0..30 {
        let shown = if tag < shortest { "<" } else { "" };
        assert_eq!(texts(&Rules { tag, ..with_tools(&[]) }, &["<"]), [shown], "a limit of {tag}");
    }
}

#[test]
fn a_name_that_is_cut_after_each_byte_is_text_at_its_first_wrong_byte() {
    for name in ["<ask_folll", "<ask_followup_qquestion", "<askk"] {
        let is_wrong = |text: &str| !"<ask_followup_question>".starts_with(text);
        let wrong = (1..=name.len()).find(|&len| is_wrong(&name[..len])).unwrap_or_default();
        let bytes: Vec<&str> = (0..wrong).map(|index| &name[index..=index]).collect();
        let shown = texts(&with_tools(&[]), &bytes);
        assert_eq!(shown.last().map(String::as_str), Some(&name[..wrong]), "{name}");
    }
}

#[test]
fn a_name_that_no_longer_fits_into_the_limit_is_text_at_once() {
    // `<a>` fits, our own tag does not.
    let rules = Rules { tag: 22, ..with_tools(&["a", "asker"]) };
    for (one, two) in [("<a", "sk_followup_"), ("<ask", "_followup_"), ("<ask", "_")] {
        assert_eq!(texts(&rules, &[one, two]), ["".to_owned(), [one, two].concat()], "{one} and {two}");
    }
}

#[test]
fn a_thinking_tag_is_text_as_soon_as_no_tool_can_be_meant() {
    let rules = Rules { outside_code: true, ..with_tools(&["todo", "thorn"]) };
    assert_eq!(texts(&rules, &["<", "t", "h", "i", "n"]), ["", "", "", "<thi", "n"]);
    assert_eq!(texts(&rules, &["<t", "h", "o", "r"]), ["", "", "", ""]);
}

#[test]
fn attributes_are_text_as_soon_as_they_cannot_end_within_the_limit() {
    let opening = "<ask_followup_question a=";
    for tag in 30..34 {
        // In a quoted value, the quote and the `>` are missing; else the `>` is.
        for (quote, missing) in [("\"", 2), ("'", 2), ("", 1)] {
            let longest = tag - missing;
            let text = format!("{opening}{quote}{}", "a".repeat(tag));
            let bytes: Vec<&str> = (0..=longest).map(|index| &text[index..=index]).collect();
            let shown = texts(&Rules { tag, ..with_tools(&[]) }, &bytes);
            let (last, before) = shown.split_last().expect("there are bytes");
            assert_eq!(before.concat(), "", "{quote} with a limit of {tag}");
            assert_eq!(*last, text[..=longest], "{quote} with a limit of {tag}");
        }
    }
}

// ------------------------------------------------------------------------ which tag it becomes

#[test]
fn an_envelope_may_start_where_a_thinking_tag_but_no_tool_fits_into_the_limit() {
    let call = "<tool_call>{\"name\": \"ask_followup_question\", \"arguments\": {\"question\": \"Q\"}}</tool_call>";
    for tag in [11, 12, 16, 22, 23] {
        check(call, &Rules { tag, outside_code: true, ..with_tools_and_envelopes(&[]) }, [1, 2]);
    }
}

#[test]
fn a_tool_whose_name_begins_like_a_parameters_tag_ends_another_tools_call() {
    let rules = with_tools_and_envelopes(&["parse", "parameters"]);
    for tool in ["parse", "parameters"] {
        let message = format!("<invoke name=\"x\"><parameter name=\"a\">b</parameter><{tool}>c</{tool}> d");
        check(&message, &rules, 1..message.len());
    }
}

// ------------------------------------------------------------------------ characters and cuts

#[test]
fn a_limit_may_be_passed_inside_a_character() {
    let opening = "<ask_followup_question a='";
    for c in ["é", "｜", "😀"] {
        for tag in 32..36 {
            for ascii in [4, 5, 6, 7, 8] {
                let message = format!("{opening}{}{}' x", "a".repeat(ascii), c.repeat(4));
                check(&message, &Rules { tag, ..with_tools(&[]) }, [opening.len(), opening.len() + ascii]);
            }
        }
    }
}

#[test]
fn the_state_does_not_depend_on_a_cut_after_a_tilde() {
    let after = |message: &str, size: usize| -> Checkpoint {
        let mut parser = Parser::new(Policy::new());
        for chunk in message.as_bytes().chunks(size) {
            drop(parser.feed_bytes(chunk));
        }
        parser.checkpoint()
    };
    for message in ["Some words, and ~", "Some words, and ~~", "Some words, and more ~ words ~~~"] {
        for size in 1..message.len() {
            assert_eq!(after(message, size), after(message, message.len()), "{message:?} in chunks of {size}");
        }
    }
}

#[test]
fn a_checkpoint_whose_incomplete_tag_is_no_text_from_a_bracket_on_is_corrupt() {
    let mut parser = Parser::default();
    drop(parser.feed("<ask_fol"));
    let stored = serde_json::to_value(parser.checkpoint()).unwrap();
    let is_tag = |path: &String| *stored.pointer(path).unwrap() == json!(b"<ask_fol");
    let tag = paths(&stored).into_iter().find(is_tag).expect("the incomplete tag is stored");
    for (bytes, is_one) in [(&b"<ask_fo"[..], true), (b"", true), (b"ask_fol", false), (b"<ask\xFF", false)] {
        let mut forged = stored.clone();
        *forged.pointer_mut(&tag).unwrap() = json!(bytes);
        let checkpoint = serde_json::from_value::<Checkpoint>(forged).unwrap().with_valid_checksum();
        let expected = if is_one { Ok(()) } else { Err(ResumeError::Corrupt) };
        assert_eq!(Parser::resume(Policy::new(), checkpoint).map(drop), expected, "{bytes:?}");
    }
}

/// Asserts that the state after each byte is the same for the text so far, whole and byte by byte.
fn check_states(text: &str, rules: &Rules) {
    let policy = Arc::new(policy(rules));
    let mut byte_by_byte = Parser::new(policy.clone());
    for (at, byte) in text.bytes().enumerate() {
        drop(byte_by_byte.feed_bytes(&[byte]));
        let mut whole = Parser::new(policy.clone());
        drop(whole.feed_bytes(&text.as_bytes()[..=at]));
        assert_eq!(whole.checkpoint(), byte_by_byte.checkpoint(), "{text:?} after {at}, {rules:?}");
    }
}

/// The text in which no envelope starts ends after as many bytes, wherever the stream is cut.
#[test]
fn an_envelope_starts_right_after_the_text_of_a_tag_that_was_only_named() {
    let seed = format!("<seed:tool_call>{JSON}</seed:tool_call>");
    let object = format!("<suggest\n{JSON}\n");
    let attribute = format!("<suggest a=\n{JSON}\n");
    for (call, ahead) in [(&seed, 1), (&object, "<suggest\n{".len()), (&attribute, "<suggest a=\n{".len())] {
        // As long as a header, which has the same limit.
        for body in [" a ", "   ", "\n<content>[\"a\",\n", "\u{e9}"].map(|part| part.repeat(50)) {
            let message = format!("<ask_followup_question>{body}{call}");
            let start = "<ask_followup_question>".len() + body.len();
            // From where no byte of it is far enough, to where it starts with room to spare.
            for unconfirmed in body.len()..=body.len() + ahead + 2 {
                for tools in [Vec::new(), vec!["sort_it".to_owned()]] {
                    let rules = Rules { unconfirmed, tools, ..Rules::default() };
                    check(&message, &rules, start..start + ahead + 4);
                    check_states(&message[..start + ahead + 4], &rules);
                }
            }
        }
    }
}
