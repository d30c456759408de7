//! Tags of envelopes: their prefixes, their limit, and where they are cut.

use followup::{Envelope, Event, Limits, Parser, Policy};

/// Returns the questions that a message asks, and its text. One family is read, and tags of up to
/// `tag` bytes.
fn read(family: Envelope, tag: usize, message: &str) -> (Vec<String>, String) {
    let limits = Limits { tag, ..Limits::default() };
    let mut parser = Parser::new(Policy::new().with_envelopes([family].into_iter().collect()).with_limits(limits));
    let (mut questions, mut text) = (Vec::new(), String::new());
    let mut events = parser.feed(message);
    while let Some(event) = events.next() {
        match event {
            Event::Text(more) => text += more,
            Event::Complete(call) => questions.push(call.question().to_owned()),
            _ => {}
        }
    }
    (questions, text)
}

#[test]
fn a_wrapper_may_have_the_prefix_of_a_family_that_is_not_read() {
    let invoke = "<invoke name=\"ask_followup_question\"><parameter name=\"question\">Q</parameter></invoke>";
    let json = "{\"name\":\"ask_followup_question\",\"arguments\":{\"question\":\"Q\"}}";
    let keys = "ask_followup_question<arg_key>question</arg_key><arg_value>Q</arg_value>";
    for (family, wrapper, call) in [
        (Envelope::Invoke, "｜DSML｜tool_calls", invoke),
        (Envelope::Hermes, "｜DSML｜tool_calls", json),
        (Envelope::Hermes, "xai:function_call", json),
        (Envelope::Glm, "xai:tool_call", keys),
        (Envelope::Glm, "｜DSML｜tool_call", keys),
    ] {
        let (questions, text) = read(family, 99, &format!("a <{wrapper}>{call}</{wrapper}> b"));
        assert_eq!((questions, text.as_str()), (vec!["Q".to_owned()], "a  b"), "{family:?} in {wrapper}");
    }
}

#[test]
fn a_prefix_is_text_at_once_if_no_tag_with_it_fits_into_the_limit() {
    // The shortest tag after a prefix is `invoke` and a byte.
    for (start, shortest) in [("<see", "<seed:invoke "), ("<minim", "<minimax:invoke ")] {
        for (tag, shown) in [(shortest.len() - 1, start), (shortest.len(), "")] {
            let (_, text) = read(Envelope::Invoke, tag, start);
            assert_eq!(text, shown, "{start} with a limit of {tag}");
        }
    }
}

#[test]
fn the_state_does_not_depend_on_a_cut_inside_a_tag_or_a_key() {
    let after = |message: &str, size: usize| {
        let mut parser = Parser::new(Policy::new());
        for chunk in message.as_bytes().chunks(size) {
            let mut events = parser.feed_bytes(chunk);
            while events.next().is_some() {}
        }
        parser.checkpoint()
    };
    for message in [
        "<ask_followup_question>\n<<ask_followup_question>s",
        "<tool_call>{\"name\":\"ask_followup_question\",\"arguments\":{\"question\":\"Q\"},\"aéb\":\"é",
    ] {
        for size in 1..message.len() {
            assert_eq!(after(message, size), after(message, message.len()), "{message:?} in chunks of {size}");
        }
    }
}
